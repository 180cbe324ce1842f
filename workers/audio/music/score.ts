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

export const DRUMS = ['kick', 'snare', 'clap', 'hat', 'open', 'ride', 'rim', 'tom', 'shaker', 'crash'] as const;

export type Drum = (typeof DRUMS)[number];

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
