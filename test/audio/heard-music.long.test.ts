import { describe, expect, test } from 'vitest';
import { builtInBand } from '../../workers/audio/music/band.ts';
import { composePiece } from '../../workers/audio/music/compose.ts';
import { playPiece } from '../../workers/audio/music/render-music.ts';
import type { Sound } from '../../workers/audio/sound.ts';
import { features, keyOf, tempoOf } from '../harness/sound-analysis.ts';
import { musicInput } from '../harness/sounds.ts';

const SAMPLE_RATE = 22_050;

function play(prompt: string, seed = 'one', seconds = 16): { sound: Sound; tempo: number } {
  const input = { ...musicInput('', { prompt, tempo: null, durationSeconds: seconds }), seed };
  const piece = composePiece(input);
  const how = { sampleRate: SAMPLE_RATE, seconds, complete: true, stems: false, progress: () => undefined };
  return { sound: playPiece(piece, builtInBand(SAMPLE_RATE), how).sound, tempo: piece.tempo };
}

describe('music as it is heard', () => {
  test.each([
    ['techno at 130 bpm', 130],
    ['drum and bass 174', 174],
    ['house, 124 bpm', 124],
    ['72 bpm lo-fi', 72],
    ['a waltz at 150', 150],
    ['rock, allegro', 132],
  ])('%s has its tempo in the onsets, within 1 bpm', (prompt, tempo) => {
    const { sound } = play(prompt);
    const heard = tempoOf(sound, tempo * 0.9, tempo * 1.1);
    expect(Math.abs(heard - tempo)).toBeLessThanOrEqual(1);
  });

  test('has the key of the prompt in its pitch classes, in nine of ten prompts', () => {
    const keys = [
      ['sad piano in D minor', 'D minor'],
      ['pop in G major', 'G major'],
      ['jazz in Bb major, no drums', 'Bb major'],
      ['classical strings in A minor', 'A minor'],
      ['house in F minor', 'F minor'],
      ['folk in E major', 'E major'],
      ['ambient in C minor', 'C minor'],
      ['fugue for organ in G minor', 'G minor'],
      ['rock in B minor', 'B minor'],
      ['orchestral in Eb major', 'Eb major'],
    ] as const;
    const heard = keys.map(([prompt]) => keyOf(play(prompt).sound));
    const wrong = keys.filter(([, key], at) => heard[at] !== key).map(([prompt]) => prompt);
    expect([wrong.length <= 1, wrong, heard]).toEqual([true, wrong, heard]);
  });

  test('sounds like its genre with another seed, and unlike the others', () => {
    const genres = ['techno', 'drum and bass', 'ambient', 'jazz', 'metal', 'chiptune', 'waltz', 'reggae'];
    const ones = genres.map((genre) => features(play(genre, 'one', 10).sound));
    const others = genres.map((genre) => features(play(genre, 'two', 10).sound));
    const nearest = others.map((other) => {
      const distances = ones.map((one) => Math.hypot(...one.map((value, at) => value - (other[at] ?? 0))));
      return genres[distances.indexOf(Math.min(...distances))];
    });
    const right = nearest.filter((genre, at) => genre === genres[at]).length;
    expect([right >= genres.length - 1, nearest]).toEqual([true, nearest]);
  });
});
