/** A fugal texture: a subject enters in each voice in turn, in the tonic and the dominant, over free counterpoint. */

import { itemAt } from '../../../src-server/platform/item-at.ts';
import { type PlannedChord, scaleOf } from './harmony.ts';
import { motifOf, nearestTone } from './melody.ts';
import type { Note, Part, Score } from './score.ts';

/** From the top voice down: the part it counts as, and its middle. */
const VOICES: readonly { part: Part; centre: number }[] = [
  { part: 'melody', centre: 74 },
  { part: 'arpeggio', centre: 67 },
  { part: 'chords', centre: 60 },
  { part: 'bass', centre: 48 },
];

/** The order in which voices enter: alto, soprano, tenor, bass. */
const ENTRIES = [1, 0, 2, 3];

/** The subject has two bars. */
const SUBJECT_BARS = 2;

/** Steps of a scale of seven between tonic and dominant. */
const FIFTH_STEPS = 4;

/** After the exposition the subject returns in every fourth group of bars of a voice. */
const RETURN_EVERY = 4;

export function composeFugue(score: Score, chords: readonly PlannedChord[]): Note[] {
  const { brief, meter, random } = score;
  const instrument = brief.melody ?? brief.chords;
  if (instrument === null) return [];
  const subject = motifOf(meter, 0.85, random);
  const notes: Note[] = [];
  const groups = Math.ceil(chords.length / SUBJECT_BARS);
  for (const [order, voice] of ENTRIES.entries()) {
    const { part, centre } = itemAt(VOICES, voice);
    const scale = scaleOf(score, centre, 12);
    const home = nearestTone(scale, Math.floor(scale.length / 2), chords[0]?.tones.slice(0, 1) ?? []);
    for (let group = order; group < groups; group += 1) {
      const hasSubject = group === order || (group > ENTRIES.length && (group + order) % RETURN_EVERY === 0);
      const line = hasSubject ? subject : motifOf(meter, 0.55, random);
      let index = hasSubject && order % 2 === 1 ? home + FIFTH_STEPS : home;
      for (const [number, { startBeat, beats, move }] of line.steps.entries()) {
        const at = group * SUBJECT_BARS * meter.beats + startBeat;
        const chord = chords[Math.floor(at / meter.beats)];
        if (chord === undefined) break;
        index = Math.max(0, Math.min(scale.length - 1, number === 0 ? index : index + move));
        // The subject keeps its contour; the other voices follow the harmony on the beat.
        if (!hasSubject && startBeat % 1 === 0) index = nearestTone(scale, index, chord.tones);
        const velocity = (hasSubject ? 0.9 : 0.65) * brief.strength;
        notes.push({ part, instrument, startBeat: at, beats, pitch: scale[index] ?? centre, velocity });
      }
    }
  }
  return notes;
}
