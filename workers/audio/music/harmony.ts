import { Chord, Note, Progression, Scale } from 'tonal';
import { byName } from '../../../src-server/platform/records.ts';
import type { Score } from './score.ts';

/** Keys that are chosen where the prompt names none. */
export const TONICS = ['C', 'D', 'Eb', 'F', 'G', 'A', 'Bb'] as const;

/** The chord of one bar, voiced. */
export interface PlannedChord {
  /** MIDI numbers, low to high. */
  voicing: number[];
  bass: number;
  /** Semitones from the root to the third. */
  third: number | null;
  fifth: number | null;
  /** Pitch classes, 0 to 11; the root first. */
  tones: number[];
}

/** Chords stay around the middle of the keyboard. */
const VOICING_LOW = 55;

const VOICING_HIGH = 74;

const BASS_LOW = 36;

/** A chord for each bar. Sections of one name share a progression; the first starts on the tonic. */
export function chordsOf(score: Score, sections: readonly { name: string; bars: number }[]): PlannedChord[] {
  const { brief, random, tonic } = score;
  const book = brief.progressions;
  const home = book[0] ?? 'I';
  const chosen = new Map<string, string>();
  let before: number[] | null = null;
  return sections.flatMap(({ name, bars }, index) => {
    const progression = chosen.get(name) ?? (index === 0 ? home : random.pick(book));
    chosen.set(name, progression);
    const numerals = progression.split(' ');
    return Array.from({ length: bars }, (_, bar) => {
      const numeral = numerals[bar % numerals.length] ?? 'I';
      const [chordName = 'C'] = Progression.fromRomanNumerals(tonic, [numeral]);
      const chord = planChord(chordName, before);
      before = chord.voicing;
      return chord;
    });
  });
}

function planChord(name: string, before: readonly number[] | null): PlannedChord {
  const chord = Chord.get(name);
  const tones = chord.notes.map((note) => Note.chroma(note) ?? 0);
  const root = tones[0] ?? 0;
  if (chord.empty) throw new Error(`Unknown chord ${name}.`);
  const semitonesAboveRoot = (tone: number | undefined) => (tone === undefined ? null : (tone - root + 12) % 12);
  return {
    voicing: nearestInversion(tones, before),
    bass: BASS_LOW + ((root - (BASS_LOW % 12) + 12) % 12),
    third: semitonesAboveRoot(tones[1]),
    fifth: semitonesAboveRoot(tones[2]),
    tones,
  };
}

/** The inversion closest to the chord before, for smooth voice leading. */
function nearestInversion(tones: readonly number[], before: readonly number[] | null): number[] {
  const candidates: number[][] = [];
  for (let lowest = VOICING_LOW; lowest < VOICING_LOW + 12; lowest += 1) {
    if (!tones.includes(lowest % 12)) continue;
    const voicing = tones.map((tone) => lowest + ((((tone - lowest) % 12) + 12) % 12)).sort((a, b) => a - b);
    if ((voicing.at(-1) ?? 0) <= VOICING_HIGH) candidates.push(voicing);
  }
  const centre = before ?? [60, 64, 67];
  const voicingDistance = (voicing: readonly number[]) =>
    voicing.reduce(
      (sum, pitch, index) => sum + Math.abs(pitch - (centre[Math.min(index, centre.length - 1)] ?? 60)),
      0,
    );
  candidates.sort((one, other) => voicingDistance(one) - voicingDistance(other));
  return candidates[0] ?? [...tones];
}

/** Names of scales where they differ from the mode's. */
const SCALES: Readonly<Record<string, string>> = byName({ minor: 'aeolian', major: 'ionian' });

/** Pitches of the key around a centre. */
export function scaleOf({ tonic, brief: { mode } }: Score, centre: number, reach = 9): number[] {
  const classes = Scale.get(`${tonic} ${SCALES[mode] ?? mode}`).notes.map((note) => Note.chroma(note) ?? 0);
  const pitches: number[] = [];
  for (let pitch = centre - reach; pitch <= centre + reach; pitch += 1) {
    if (classes.includes(pitch % 12)) pitches.push(pitch);
  }
  return pitches;
}

/** Pitch classes of the tonic's triad in the mode, the tonic first. */
export function homeOf({ tonic, brief: { mode } }: Score): number[] {
  const classes = Scale.get(`${tonic} ${SCALES[mode] ?? mode}`).notes.map((note) => Note.chroma(note) ?? 0);
  return [0, 2, 4].flatMap((degree) => classes[degree] ?? []);
}
