import { expect, test } from 'vitest';
import { musicOf } from '../../src-server/features/audio/sounds.ts';
import { composePiece } from '../../workers/audio/music/compose.ts';
import { musicInput } from '../harness/sounds.ts';

test.each([
  ['rock starting slow and getting faster', 'tempo'],
  ['accelerando strings', 'tempo'],
  ['piano ballad that speeds up', 'tempo'],
  ['techno from 90 to 140 bpm', 'tempo'],
  ['pop with a key change at the end', 'key'],
  ['jazz that modulates', 'key'],
  ['rock with changing metres', 'meter'],
])('“%s” is told that the %s stays', (prompt, what) => {
  expect(musicOf(prompt, null).warnings.join(' ')).toContain(`The ${what} stays the same throughout`);
});

test.each([
  ['ruhige Klaviermusik in d-Moll, 80 Schläge pro Minute', 'D', 'minor', 80, 'piano'],
  ['musique de piano calme en ré mineur à 90 bpm', 'D', 'minor', 90, 'piano'],
  ['música alegre con guitarra en sol mayor, 110 bpm', 'G', 'major', 110, 'guitar'],
])('“%s” is understood', (prompt, tonic, mode, tempo, instrument) => {
  const { brief, warnings } = musicOf(prompt, null);
  expect(warnings).toEqual([]);
  expect([brief.tonic, brief.mode, brief.tempo]).toEqual([tonic, mode, [tempo, tempo]]);
  expect([brief.chords?.name, brief.melody?.name]).toContain(instrument);
});

test.each([
  ['5/8', 2.5],
  ['7/8', 3.5],
  ['10/8', 5],
  ['11/8', 5.5],
  ['13/8', 6.5],
])('%s has bars of %s beats, which all sections begin with', (meter, beats) => {
  const piece = composePiece({ ...musicInput('', { prompt: `folk in ${meter} at 120`, tempo: null }), seed: 'one' });
  expect(piece.meter).toMatchObject({ name: meter, beats });
  const bar = (beats * 60) / 120;
  for (const { startSeconds } of piece.facts.sections) {
    expect(Math.abs(startSeconds / bar - Math.round(startSeconds / bar))).toBeLessThan(0.01);
  }
});
