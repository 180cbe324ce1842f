/** Plays music or sounds under speech: quieter while somebody speaks, louder in the pauses. */

import type { MusicFacts } from '../../src-server/features/audio/schema.ts';
import { itemAt } from '../../src-server/platform/item-at.ts';
import { builtInBand } from './music/band.ts';
import { composePiece } from './music/compose.ts';
import { playPiece } from './music/render-music.ts';
import { resampleSound } from './resample.ts';
import { sceneOf } from './scenes/render-scene.ts';
import { fadeEnds, lengthOf, type Sound } from './sound.ts';
import type { Background } from './tasks.ts';

const SAMPLE_RATE = 44_100;

/** The background plays on for this long after the last word. */
const TAIL_SECONDS = 2;

const FADE_IN_SECONDS = 0.5;

/** Level of the background relative to the speech, in pauses and under words. */
const PAUSE_DB = -9;

const DUCKED_DB = -20;

const FRAME_SECONDS = 0.02;

/** The gain begins to fall this long before a word, and to rise this long after one. */
const LOOK_AHEAD_SECONDS = 0.2;

const HOLD_SECONDS = 0.35;

const RELEASE_SECONDS = 0.7;

/** A frame above this share of the speech's level contains speech. */
const SPEAKING_SHARE = 0.12;

interface MixHow {
  seed: string;
  /** The background ends here, too. */
  maxSeconds: number;
  pause(): void;
}

interface Mixed {
  sound: Sound;
  music: MusicFacts | null;
}

/** Speech stays where it is, so that the times of captions hold. */
export function withBackground(speech: Sound, background: Background, { seed, maxSeconds, pause }: MixHow): Mixed {
  const mono = resampleSound(speech.channels[0] ?? new Float32Array(0), SAMPLE_RATE / speech.sampleRate);
  const seconds = Math.min(maxSeconds, mono.length / SAMPLE_RATE + TAIL_SECONDS);
  const length = Math.max(mono.length, Math.round(seconds * SAMPLE_RATE));
  const { bed, music } = bedOf(background, seed, length, pause);
  const gains = duckingOf(mono, length);
  const level = rmsAmplitude([mono.filter((sample) => sample !== 0)]);
  const scale = level / Math.max(1e-6, rmsAmplitude(bed.channels));
  fadeEnds(bed, FADE_IN_SECONDS, TAIL_SECONDS);
  const channels = bed.channels.map((channel) =>
    channel.map((sample, index) => sample * scale * (gains[index] ?? 0) + (mono[index] ?? 0)),
  );
  return { sound: { channels, sampleRate: SAMPLE_RATE }, music };
}

function bedOf({ music, scene, durationSeconds }: Background, seed: string, length: number, pause: () => void) {
  const seconds = length / SAMPLE_RATE;
  const pauseForProgress = () => pause();
  const piece = music === null ? null : composePiece({ brief: music, seed, durationSeconds });
  const how = { sampleRate: SAMPLE_RATE, seconds, complete: false, stems: false, progress: pauseForProgress };
  const played = piece === null ? null : playPiece(piece, builtInBand(SAMPLE_RATE), how).sound;
  const sounds =
    scene.length === 0
      ? null
      : sceneOf(scene, {
          seed,
          seconds,
          sampleRate: SAMPLE_RATE,
          before: 0,
          blends: false,
          progress: pauseForProgress,
        });
  const parts = [played, sounds].filter((part) => part !== null);
  const channels = [new Float32Array(length), new Float32Array(length)];
  for (const part of parts) {
    const scale = 1 / Math.max(1e-6, rmsAmplitude(part.channels));
    for (const [side, channel] of channels.entries()) {
      const other = itemAt(part.channels, side);
      for (let index = 0; index < Math.min(length, lengthOf(part)); index += 1) {
        channel[index] = (channel[index] ?? 0) + (other[index] ?? 0) * scale;
      }
    }
  }
  return { bed: { channels, sampleRate: SAMPLE_RATE }, music: piece?.facts ?? null };
}

/** The gain of the background at each sample. It falls before a word and rises slowly after it. */
export function duckingOf(speech: Float32Array, length: number): Float32Array {
  const frame = Math.round(FRAME_SECONDS * SAMPLE_RATE);
  const count = Math.ceil(length / frame);
  const levels = Array.from({ length: count }, (_, at) =>
    rmsAmplitude([speech.subarray(at * frame, (at + 1) * frame)]),
  );
  const threshold = SPEAKING_SHARE * Math.max(...levels);
  const ahead = Math.round(LOOK_AHEAD_SECONDS / FRAME_SECONDS);
  const hold = Math.round(HOLD_SECONDS / FRAME_SECONDS);
  const [open, ducked] = [10 ** (PAUSE_DB / 20), 10 ** (DUCKED_DB / 20)];
  const targets = new Float32Array(count).fill(open);
  for (const [at, level] of levels.entries()) {
    if (level > threshold && level > 0) targets.fill(ducked, Math.max(0, at - ahead), Math.min(count, at + hold));
  }
  const fall = (open - ducked) / ahead;
  const rise = (open - ducked) / Math.round(RELEASE_SECONDS / FRAME_SECONDS);
  const frames = new Float32Array(count + 1);
  let gain = targets[0] ?? open;
  for (let at = 0; at < count; at += 1) {
    const target = targets[at] ?? 0;
    gain = target < gain ? Math.max(target, gain - fall) : Math.min(target, gain + rise);
    frames[at] = gain;
  }
  frames[count] = gain;
  return Float32Array.from({ length }, (_, index) => {
    const at = Math.floor(index / frame);
    const share = (index % frame) / frame;
    return (frames[at] ?? 0) * (1 - share) + (frames[at + 1] ?? 0) * share;
  });
}

function rmsAmplitude(channels: readonly Float32Array[]): number {
  let sum = 0;
  let count = 0;
  for (const channel of channels) {
    for (const sample of channel) sum += sample * sample;
    count += channel.length;
  }
  return count === 0 ? 0 : Math.sqrt(sum / count);
}
