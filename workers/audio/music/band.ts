/** Where the sound of notes and drums comes from: the built-in synthesiser, or a SoundFont. */

import { playDrum, playNote } from './instruments.ts';
import type { Drum, Hit, Note } from './score.ts';

/** The channels of one note: one, or left and right. Peak near 1 for a loud note. */
export type NoteSound = readonly [Float32Array, Float32Array?];

export interface Band {
  /** @param seconds for which the note is held */
  note(note: Note, seconds: number): NoteSound;
  drum(hit: Hit): NoteSound;
  /** Gain of a note beside that of its velocity. */
  gainOf(note: Note): number;
  drumGain(drum: Drum): number;
}

const DRUM_LOUDNESS: Readonly<Record<Drum, number>> = {
  kick: 1,
  snare: 0.6,
  clap: 0.5,
  hat: 0.28,
  open: 0.26,
  ride: 0.24,
  rim: 0.3,
  tom: 0.6,
  shaker: 0.2,
  crash: 0.35,
};

export function builtInBand(sampleRate: number): Band {
  const cached = new Map<string, NoteSound>();
  const cachedInstrumentSound = (key: string, make: () => Float32Array) => {
    const known = cached.get(key) ?? ([make()] as const);
    cached.set(key, known);
    return known;
  };
  return {
    note: ({ instrument, pitch }, seconds) => {
      const tone = { hertz: 440 * 2 ** ((pitch - 69) / 12), seconds, sampleRate };
      return cachedInstrumentSound(`${instrument.synth} ${pitch} ${seconds.toFixed(3)}`, () =>
        playNote(instrument.synth, tone),
      );
    },
    drum: ({ drum }) => cachedInstrumentSound(drum, () => playDrum(drum, sampleRate)),
    gainOf: ({ instrument, velocity }) => velocity * instrument.gain,
    drumGain: (drum) => DRUM_LOUDNESS[drum],
  };
}
