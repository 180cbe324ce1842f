import type { PlannedChord } from './harmony.ts';
import type { Random } from './random.ts';

/** A rhythm of two bars and how it moves, which a section repeats and varies. */
export interface Motif {
  steps: { startBeat: number; beats: number; move: number }[];
  beats: number;
}

export interface MelodyNote {
  startBeat: number;
  beats: number;
  pitch: number;
  accent: boolean;
}

export function motifOf(beatsPerBar: number, density: number, random: Random): Motif {
  const beats = beatsPerBar * 2;
  const steps: Motif['steps'] = [];
  for (let eighth = 0; eighth < beats * 2; eighth += 1) {
    const startBeat = eighth / 2;
    // A phrase breathes at its end, and begins on its first beat.
    if (startBeat >= beats - 1) break;
    const strong = startBeat % 2 === 0;
    const onBeat = startBeat % 1 === 0;
    if (eighth !== 0 && !random.chance(density * (strong ? 1.3 : onBeat ? 1 : 0.55))) continue;
    steps.push({ startBeat, beats: 0.5, move: random.pick([-2, -1, -1, 0, 1, 1, 2]) });
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
  beatsPerBar: number;
  random: Random;
}

/** The motif over a section's chords: strong beats take notes of the chord, the others walk along the scale. */
export function playMotif({ motif, chords, scale, beatsPerBar, random }: PlayMotif): MelodyNote[] {
  const notes: MelodyNote[] = [];
  const total = chords.length * beatsPerBar;
  let index = Math.floor(scale.length / 2);
  for (let phrase = 0; phrase * motif.beats < total; phrase += 1) {
    // Every other phrase answers the one before: the same rhythm, turned over.
    const turn = phrase % 2 === 1 ? -1 : 1;
    for (const { startBeat, beats, move } of motif.steps) {
      const at = phrase * motif.beats + startBeat;
      if (at >= total) break;
      const varied = random.chance(0.15) ? random.pick([-1, 1]) : move * turn;
      index = Math.max(0, Math.min(scale.length - 1, index + varied));
      const accent = startBeat % 2 === 0;
      const chord = chords[Math.floor(at / beatsPerBar)];
      if (accent && chord !== undefined) index = nearestTone(scale, index, chord.tones);
      notes.push({ startBeat: at, beats: Math.min(beats, total - at), pitch: scale[index] ?? 72, accent });
    }
    index = Math.round((index + scale.length / 2) / 2);
  }
  return notes;
}

function nearestTone(scale: readonly number[], index: number, tones: readonly number[]): number {
  for (let distance = 0; distance < scale.length; distance += 1) {
    for (const candidate of [index - distance, index + distance]) {
      const pitch = scale[candidate];
      if (pitch !== undefined && tones.includes(pitch % 12)) return candidate;
    }
  }
  return index;
}
