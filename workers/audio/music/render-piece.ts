import { fadeEnds, type Sound } from '../sound.ts';
import type { Drum, Note, Piece } from './compose.ts';
import { BALANCE, playDrum, playNote } from './instruments.ts';
import { addReverb } from './reverb.ts';

/** Plays a score: each note where its beat says, to the sample, so that the tempo is exact however long it lasts. */

export const MUSIC_SAMPLE_RATE = 44_100;
/** Share of the notes after which the caller hears of it. */
const NOTES_PER_STEP = 64;
/** The piece ends in silence: it is faded from here, so that what still rings is not cut off. */
const FADE_OUT_SECONDS = 1.2;
const PREVIEW_FADE_SECONDS = 0.4;

/** Left -1 to right 1. */
const PLACES: Readonly<Record<Note['part'], number>> = { chords: -0.25, melody: 0.15, bass: 0, arpeggio: 0.55 };
const REVERB: Readonly<Record<Note['part'], number>> = { chords: 0.3, melody: 0.35, bass: 0.02, arpeggio: 0.35 };
const DRUM_PLACES: Readonly<Record<Drum, number>> = { kick: 0, snare: 0.05, hat: -0.35, crash: 0.4 };
const DRUM_LOUDNESS: Readonly<Record<Drum, number>> = { kick: 1, snare: 0.6, hat: 0.28, crash: 0.35 };
const DRUM_REVERB = 0.06;

export interface RenderHow {
  /** Exact length of the sound. */
  seconds: number;
  /** Whether the piece ends there, or goes on and is only cut. */
  complete: boolean;
  /** 0 to 1; may throw to stop. */
  progress(share: number): void;
}

export function renderPiece(piece: Piece, { seconds, complete, progress }: RenderHow): Sound {
  const length = Math.round(seconds * MUSIC_SAMPLE_RATE);
  const mix = new Mix(length);
  const beatSamples = (60 * MUSIC_SAMPLE_RATE) / piece.tempo;
  const sounds = new Map<string, Float32Array>();
  const cached = (key: string, make: () => Float32Array) => {
    const known = sounds.get(key);
    if (known !== undefined) return known;
    const made = make();
    sounds.set(key, made);
    return made;
  };
  for (const [index, note] of piece.notes.entries()) {
    if (index % NOTES_PER_STEP === 0) progress(index / piece.notes.length);
    const start = Math.round(note.startBeat * beatSamples);
    if (start >= length) continue;
    const tone = {
      hertz: 440 * 2 ** ((note.pitch - 69) / 12),
      seconds: (note.beats * 60) / piece.tempo,
      sampleRate: MUSIC_SAMPLE_RATE,
    };
    const key = `${note.instrument} ${note.pitch} ${note.beats.toFixed(3)}`;
    const sound = cached(key, () => playNote(note.instrument, tone));
    mix.add(sound, start, note.velocity * BALANCE[note.instrument], PLACES[note.part], REVERB[note.part]);
  }
  for (const { drum, startBeat, velocity } of piece.hits) {
    const sound = cached(drum, () => playDrum(drum, MUSIC_SAMPLE_RATE));
    const start = Math.round(startBeat * beatSamples);
    mix.add(sound, start, velocity * DRUM_LOUDNESS[drum], DRUM_PLACES[drum], DRUM_REVERB);
  }
  progress(1);
  const sound = { channels: [mix.left, mix.right], sampleRate: MUSIC_SAMPLE_RATE };
  addReverb(sound, mix.send);
  fadeEnds(sound, 0, complete ? FADE_OUT_SECONDS : PREVIEW_FADE_SECONDS);
  return sound;
}

class Mix {
  readonly left: Float32Array;
  readonly right: Float32Array;
  readonly send: Float32Array;

  constructor(length: number) {
    this.left = new Float32Array(length);
    this.right = new Float32Array(length);
    this.send = new Float32Array(length);
  }

  add(sound: Float32Array, start: number, gain: number, place: number, reverb: number): void {
    const { left, right, send } = this;
    const angle = ((place + 1) * Math.PI) / 4;
    const toLeft = gain * Math.cos(angle);
    const toRight = gain * Math.sin(angle);
    const toSend = gain * reverb;
    const count = Math.min(sound.length, left.length - start);
    for (let index = 0; index < count; index += 1) {
      const sample = sound[index] as number;
      const at = start + index;
      left[at] = (left[at] as number) + sample * toLeft;
      right[at] = (right[at] as number) + sample * toRight;
      send[at] = (send[at] as number) + sample * toSend;
    }
  }
}
