import type { Meter } from '../tasks.ts';
import type { PlannedChord } from './harmony.ts';
import type { Random } from './random.ts';

/** A two-bar rhythm with its contour, which a section repeats and varies. */
export interface Motif {
  steps: { startBeat: number; beats: number; move: number }[];
  beats: number;
}

interface MelodyNote {
  startBeat: number;
  beats: number;
  pitch: number;
  accent: boolean;
}

/** Chance of a note beside the beat, relative to one on it. */
const OFFBEAT_SHARE = 0.55;

export function motifOf(meter: Meter, density: number, random: Random): Motif {
  const beats = meter.beats * 2;
  const each = meter.stepsPerBeat === 6 ? 1 / 3 : 0.5;
  const steps: Motif['steps'] = [];
  for (let index = 0; index * each < beats - 1; index += 1) {
    const startBeat = index * each;
    const onBeat = Math.abs(startBeat % 1) < 0.01;
    const strong = startBeat % meter.beats === 0;
    if (index !== 0 && !random.chance(density * (strong ? 1.4 : onBeat ? 1 : OFFBEAT_SHARE))) continue;
    steps.push({ startBeat, beats: each, move: random.pick([-2, -1, -1, 0, 1, 1, 2]) });
  }
  for (const [index, step] of steps.entries()) {
    const next = steps[index + 1]?.startBeat ?? beats - 0.5;
    step.beats = Math.min(2, next - step.startBeat);
  }
  return { steps, beats };
}

interface PlayMotif {
  motif: Motif;
  chords: readonly PlannedChord[];
  /** Pitches that may be used, low to high. */
  scale: readonly number[];
  /** Pitch classes of the tonic's triad, the tonic first: they tell the key. */
  home: readonly number[];
  meter: Meter;
  random: Random;
}

/** Plays the motif over a section's chords: strong beats take chord tones, other beats step along the scale. */
export function playMotif({ motif, chords, scale, home, meter, random }: PlayMotif): MelodyNote[] {
  const notes: MelodyNote[] = [];
  const total = chords.length * meter.beats;
  let index = Math.floor(scale.length / 2);
  for (let phrase = 0; phrase * motif.beats < total; phrase += 1) {
    // Every second phrase inverts the motif and keeps its rhythm.
    const turn = phrase % 2 === 1 ? -1 : 1;
    for (const [number, { startBeat, beats, move }] of motif.steps.entries()) {
      const at = phrase * motif.beats + startBeat;
      if (at >= total) break;
      const varied = random.chance(0.15) ? random.pick([-1, 1]) : move * turn;
      index = Math.max(0, Math.min(scale.length - 1, index + varied));
      const accent = Math.abs(startBeat % 1) < 0.01;
      const chord = chords[Math.floor(at / meter.beats)];
      const isLast = number === motif.steps.length - 1;
      if ((accent || isLast) && chord !== undefined) {
        index = nearestTone(scale, index, settlingTones(chord.tones, home, isLast));
      }
      notes.push({ startBeat: at, beats: Math.min(beats, total - at), pitch: scale[index] ?? 72, accent });
    }
    index = Math.round((index + scale.length / 2) / 2);
  }
  return notes;
}

/** Tones of a chord on which a melody rests: those of the tonic's triad where it has any, and the tonic at an end. */
function settlingTones(tones: readonly number[], home: readonly number[], isLast: boolean): readonly number[] {
  const [tonic = 0] = home;
  if (isLast && tones.includes(tonic)) return [tonic];
  const shared = tones.filter((tone) => home.includes(tone));
  return shared.length > 0 ? shared : tones;
}

export function nearestTone(scale: readonly number[], index: number, tones: readonly number[]): number {
  for (let distance = 0; distance < scale.length; distance += 1) {
    for (const candidate of [index - distance, index + distance]) {
      const pitch = scale[candidate];
      if (pitch !== undefined && tones.includes(pitch % 12)) return candidate;
    }
  }
  return index;
}
