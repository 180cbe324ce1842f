import { Chord, Note, Progression, Scale } from 'tonal';
import type { Style } from './genres.ts';
import type { Random } from './random.ts';

/** The chord of one bar, voiced. */
export interface PlannedChord {
  /** MIDI numbers, low to high. */
  voicing: number[];
  bass: number;
  /** Semitones from the root to the third. */
  third: number | null;
  /** Pitch classes, 0 to 11. */
  tones: number[];
}

/** Chords stay around the middle of the keyboard. */
const VOICING_LOW = 55;

const VOICING_HIGH = 74;

const BASS_LOW = 36;

/** A chord for each bar. Sections of one kind share a progression; the first starts on the tonic. */
export function chordsOf(
  style: Style,
  bars: number,
  sections: number,
  random: Random,
  sectionOf: (bar: number) => number,
): PlannedChord[] {
  const book = style.genre.progressions[style.mode];
  const home = book[0] ?? 'I';
  const chosen = Array.from({ length: sections }, (_, index) => (index === 0 ? home : random.pick(book)));
  let before: number[] | null = null;
  let firstBar = 0;
  return Array.from({ length: bars }, (_, bar) => {
    if (bar > 0 && sectionOf(bar) !== sectionOf(bar - 1)) firstBar = bar;
    const numerals = (chosen[sectionOf(bar)] ?? home).split(' ');
    const numeral = numerals[(bar - firstBar) % numerals.length] ?? 'I';
    const [name = 'C'] = Progression.fromRomanNumerals(style.tonic, [numeral]);
    const chord = plan(name, before);
    before = chord.voicing;
    return chord;
  });
}

function plan(name: string, before: readonly number[] | null): PlannedChord {
  const chord = Chord.get(name);
  const tones = chord.notes.map((note) => Note.chroma(note) ?? 0);
  const root = tones[0] ?? 0;
  if (chord.empty) throw new Error(`Unknown chord ${name}.`);
  return {
    voicing: nearest(tones, before),
    bass: BASS_LOW + ((root - (BASS_LOW % 12) + 12) % 12),
    third: tones[1] === undefined ? null : (tones[1] - root + 12) % 12,
    tones,
  };
}

/** The inversion closest to the chord before, for smooth voice leading. */
function nearest(tones: readonly number[], before: readonly number[] | null): number[] {
  const candidates: number[][] = [];
  for (let lowest = VOICING_LOW; lowest < VOICING_LOW + 12; lowest += 1) {
    if (!tones.includes(lowest % 12)) continue;
    const voicing = tones.map((tone) => lowest + ((((tone - lowest) % 12) + 12) % 12)).sort((a, b) => a - b);
    if ((voicing.at(-1) ?? 0) <= VOICING_HIGH) candidates.push(voicing);
  }
  const centre = before ?? [60, 64, 67];
  const distance = (voicing: readonly number[]) =>
    voicing.reduce(
      (sum, pitch, index) => sum + Math.abs(pitch - (centre[Math.min(index, centre.length - 1)] ?? 60)),
      0,
    );
  candidates.sort((one, other) => distance(one) - distance(other));
  return candidates[0] ?? [...tones];
}

/** Pitches of the key for a melody: an octave and a half around a centre. */
export function scaleOf(style: Style, centre: number): number[] {
  const scale = Scale.get(`${style.tonic} ${style.mode === 'major' ? 'major pentatonic' : 'minor pentatonic'}`);
  const classes = scale.notes.map((note) => Note.chroma(note) ?? 0);
  const pitches: number[] = [];
  for (let pitch = centre - 9; pitch <= centre + 9; pitch += 1) if (classes.includes(pitch % 12)) pitches.push(pitch);
  return pitches;
}
