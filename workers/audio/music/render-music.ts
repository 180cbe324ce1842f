import type { TaskFunction } from '../../../src-server/platform/pool/worker-pool.ts';
import { finishSound } from '../finish-sound.ts';
import { fadeEnds, type Sound } from '../sound.ts';
import { compose, type Drum, type Note, type Piece } from './compose.ts';
import { BALANCE, playDrum, playNote } from './instruments.ts';

/** Share of playing in the work; the rest is normalisation and encoding. */
const PLAYING_PERCENT = 50;

/** Composes from the prompt and plays: the same request gives the same bytes. */
export const renderMusic: TaskFunction<'render-music'> = async (input, context) => {
  const piece = compose(input);
  const sound = renderPiece(piece, {
    seconds: Math.min(input.renderSeconds, input.durationSeconds),
    complete: input.renderSeconds >= input.durationSeconds,
    progress: (share) => {
      context.progress(share * PLAYING_PERCENT, 'playing', 'Playing the piece');
      context.signal.throwIfAborted();
    },
  });
  context.progress(PLAYING_PERCENT, 'levelling', 'Normalising and encoding');
  const finished = await finishSound(sound, {
    folder: input.outputFolder,
    name: input.fileName,
    goal: input.goal,
    title: input.title,
    tempo: piece.tempo,
    pause: () => context.signal.throwIfAborted(),
  });
  return { ...finished, music: piece.facts };
};

/** Plays a score. Each note starts on its sample, so the tempo stays exact over any length. */
export const MUSIC_SAMPLE_RATE = 44_100;

/** Notes between two progress reports. */
const NOTES_PER_STEP = 64;

/** The piece fades to silence over its last seconds, so that ringing notes are not cut. */
const FADE_OUT_SECONDS = 1.2;

const PREVIEW_FADE_SECONDS = 0.4;

/** Stereo position: left -1, right 1. */
const PLACES: Readonly<Record<Note['part'], number>> = { chords: -0.25, melody: 0.15, bass: 0, arpeggio: 0.55 };

const REVERB: Readonly<Record<Note['part'], number>> = { chords: 0.3, melody: 0.35, bass: 0.02, arpeggio: 0.35 };

const DRUM_PLACES: Readonly<Record<Drum, number>> = { kick: 0, snare: 0.05, hat: -0.35, crash: 0.4 };

const DRUM_LOUDNESS: Readonly<Record<Drum, number>> = { kick: 1, snare: 0.6, hat: 0.28, crash: 0.35 };

const DRUM_REVERB = 0.06;

export interface RenderHow {
  /** Exact length of the sound. */
  seconds: number;
  /** True if the piece ends there; false if it is cut. */
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

/** Schroeder reverb: feedback echoes through all-pass filters, with different lengths on each side for width. */
const COMBS_SECONDS = [0.0297, 0.0371, 0.0411, 0.0437];

const ALL_PASSES_SECONDS = [0.005, 0.0017];

const FEEDBACK = 0.78;

const DAMPING = 0.35;

const ALL_PASS_GAIN = 0.5;

/** Factor on the echo lengths of the right side. */
const SPREAD = 1.037;

/** Adds the reverb of `send` to both channels, in place. */
export function addReverb({ channels, sampleRate }: Sound, send: Float32Array): void {
  for (const [side, channel] of channels.entries()) {
    const scale = sampleRate * (side === 0 ? 1 : SPREAD);
    const wet = new Float32Array(send.length);
    for (const seconds of COMBS_SECONDS) comb(send, wet, Math.round(seconds * scale));
    for (const seconds of ALL_PASSES_SECONDS) allPass(wet, Math.round(seconds * scale));
    for (let index = 0; index < channel.length; index += 1) {
      channel[index] = (channel[index] as number) + (wet[index] as number) / COMBS_SECONDS.length;
    }
  }
}

function comb(input: Float32Array, output: Float32Array, size: number): void {
  const line = new Float32Array(size);
  let position = 0;
  let dull = 0;
  for (let index = 0; index < input.length; index += 1) {
    const echo = line[position] as number;
    dull += (1 - DAMPING) * (echo - dull);
    line[position] = (input[index] as number) + dull * FEEDBACK;
    output[index] = (output[index] as number) + echo;
    position = position + 1 === size ? 0 : position + 1;
  }
}

function allPass(sound: Float32Array, size: number): void {
  const line = new Float32Array(size);
  let position = 0;
  for (let index = 0; index < sound.length; index += 1) {
    const echo = line[position] as number;
    const mixed = (sound[index] as number) + echo * ALL_PASS_GAIN;
    line[position] = mixed;
    sound[index] = echo - mixed * ALL_PASS_GAIN;
    position = position + 1 === size ? 0 : position + 1;
  }
}
