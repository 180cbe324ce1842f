/** A composed piece, as its parts see it. */

import type { MusicFacts } from '../../../src-server/features/audio/schema.ts';
import type { Instrument, Meter, MusicBrief } from '../tasks.ts';
import type { Random } from './random.ts';

export type Part = 'chords' | 'melody' | 'bass' | 'arpeggio';

/** A note of the score. Times are in beats from the start of the piece. */
export interface Note {
  part: Part;
  instrument: Instrument;
  startBeat: number;
  beats: number;
  /** MIDI number. */
  pitch: number;
  /** 0 to 1. */
  velocity: number;
}

/** General MIDI's note of each drum. */
export const DRUM_NOTES = {
  kick: 36,
  snare: 38,
  clap: 39,
  hat: 42,
  open: 46,
  ride: 51,
  rim: 37,
  tom: 45,
  shaker: 70,
  crash: 49,
} as const;

export type Drum = keyof typeof DRUM_NOTES;

/** General MIDI's channel of the drums, counted from 0. */
export const DRUM_CHANNEL = 9;

export interface Hit {
  drum: Drum;
  startBeat: number;
  velocity: number;
}

export interface Piece {
  tempo: number;
  meter: Meter;
  fadesOut: boolean;
  notes: Note[];
  hits: Hit[];
  facts: MusicFacts;
}

/** What the sections of a piece share. */
export interface Score {
  brief: MusicBrief;
  meter: Meter;
  tonic: string;
  random: Random;
}

/** Octave-shifts a pitch into what an instrument plays. */
export function inRange(pitch: number, { range: [low, high] }: Instrument): number {
  let shifted = pitch;
  while (shifted > high) shifted -= 12;
  while (shifted < low) shifted += 12;
  return shifted;
}
