/** Plays notes with the General MIDI instruments of a SoundFont. */

import { readFileSync, statSync } from 'node:fs';
import { type BasicSoundBank, SoundBankLoader, SpessaSynthProcessor } from 'spessasynth_core';
import { QuarryError } from '../../../src-server/platform/errors.ts';
import { itemAt } from '../../../src-server/platform/item-at.ts';
import { say } from '../../../src-server/platform/text/say.ts';
import type { Band, NoteSound } from './band.ts';
import { DRUM_CHANNEL, DRUM_NOTES, type Drum, type Hit, type Note } from './score.ts';

/** Samples per call of the engine. */
const BLOCK_SAMPLES = 256;

/** What rings on after a note's end is kept for at most this long. */
const RELEASE_SECONDS_MAX = 1.5;

const SILENCE = 0.0005;

/** Velocities that are rendered. A SoundFont has few layers; the rest is gain. */
const LAYERS = [48, 80, 112];

const DRUM_SECONDS: Partial<Record<Drum, number>> = { crash: 2, ride: 1, open: 0.6 };

const DRUM_SECONDS_USUAL = 0.4;

/** Brings a loud note of the engine near 1. */
const GAIN = 2.2;

/** A thread keeps the last SoundFont it read: parsing takes a fifth of a second. */
let kept: { key: string; bank: BasicSoundBank } | null = null;

/** Errors: `engine_failed` when the file cannot be read. */
export async function soundFontBand(path: string, sampleRate: number): Promise<Band> {
  const options = { maxBufferSize: BLOCK_SAMPLES, effectsEnabled: false, eventsEnabled: false };
  const engine = new SpessaSynthProcessor(sampleRate, options);
  try {
    engine.soundBankManager.addSoundBank(bankAt(path), 'general-midi');
    await engine.processorInitialized;
  } catch (cause) {
    const message = say`The SoundFont cannot be read. Remove it on the Models page, or install it again.`;
    throw new QuarryError('engine_failed', message, { cause });
  }
  const cached = new Map<string, NoteSound>();
  const cachedFontNote = (key: string, make: () => NoteSound) => {
    const known = cached.get(key) ?? make();
    cached.set(key, known);
    return known;
  };
  const playFontNote = (channel: number, program: number, pitch: number, layer: number, seconds: number): NoteSound => {
    engine.programChange(channel, program);
    engine.noteOn(channel, pitch, layer);
    const held = takeEngineSamples(engine, Math.max(1, Math.round(seconds * sampleRate)), false);
    engine.noteOff(channel, pitch);
    const ringing = takeEngineSamples(engine, Math.round(RELEASE_SECONDS_MAX * sampleRate), true);
    engine.stopAllChannels(true);
    return [joinSampleArrays(held[0], ringing[0]), joinSampleArrays(held[1], ringing[1])];
  };
  return {
    note: ({ instrument: { program }, pitch, velocity }: Note, seconds) => {
      const layer = velocityLayer(velocity);
      const key = `${program} ${pitch} ${layer} ${seconds.toFixed(2)}`;
      return cachedFontNote(key, () => playFontNote(0, program, pitch, layer, seconds));
    },
    drum: ({ drum, velocity }: Hit) => {
      const layer = velocityLayer(velocity);
      const seconds = DRUM_SECONDS[drum] ?? DRUM_SECONDS_USUAL;
      return cachedFontNote(`${drum} ${layer}`, () => playFontNote(DRUM_CHANNEL, 0, DRUM_NOTES[drum], layer, seconds));
    },
    gainOf: ({ velocity }) => velocity / (velocityLayer(velocity) / 127),
    drumGain: () => 1,
  };
}

function bankAt(path: string): BasicSoundBank {
  const { size, mtimeMs } = statSync(path);
  const key = `${path} ${size} ${mtimeMs}`;
  if (kept?.key !== key) {
    const bytes = readFileSync(path);
    const buffer = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length) as ArrayBuffer;
    kept = { key, bank: SoundBankLoader.fromArrayBuffer(buffer) };
  }
  return kept.bank;
}

function velocityLayer(velocity: number): number {
  return LAYERS.find((layer) => velocity * 127 <= layer + 16) ?? itemAt(LAYERS, -1);
}

/** @param untilSilent whether to stop at the first block without sound */
function takeEngineSamples(
  engine: SpessaSynthProcessor,
  samples: number,
  untilSilent: boolean,
): [Float32Array, Float32Array] {
  const left = new Float32Array(samples);
  const right = new Float32Array(samples);
  let at = 0;
  while (at < samples) {
    const count = Math.min(BLOCK_SAMPLES, samples - at);
    engine.process(left, right, at, count);
    at += count;
    if (untilSilent && isSilent(left, right, at - count, at)) break;
  }
  const scaledSamples = (channel: Float32Array) => channel.subarray(0, at).map((sample) => sample * GAIN);
  return [scaledSamples(left), scaledSamples(right)];
}

function isSilent(left: Float32Array, right: Float32Array, from: number, to: number): boolean {
  for (let index = from; index < to; index += 1) {
    if (Math.abs(left[index] ?? 0) > SILENCE || Math.abs(right[index] ?? 0) > SILENCE) return false;
  }
  return true;
}

function joinSampleArrays(one: Float32Array, other: Float32Array): Float32Array {
  const whole = new Float32Array(one.length + other.length);
  whole.set(one);
  whole.set(other, one.length);
  return whole;
}
