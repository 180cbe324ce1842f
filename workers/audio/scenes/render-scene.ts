import { itemAt } from '../../../src-server/platform/item-at.ts';
import type { TaskFunction } from '../../../src-server/platform/pool/worker-pool.ts';
import { say } from '../../../src-server/platform/text/say.ts';
import { finishSound } from '../finish-sound.ts';
import { fadeEnds, lengthOf, type Sound } from '../sound.ts';
import type { SceneLayer } from '../tasks.ts';
import { mixInto } from './bodies.ts';
import { isBed, renderLayer } from './layer.ts';

/** Share of rendering in the work; the rest is normalisation and encoding. */
const RENDER_PERCENT = 60;

const FADE_IN_SECONDS = 0.4;

const FADE_OUT_SECONDS = 2;

/** Of sounds with a beginning of their own, such as a knock. */
const SHORT_FADE_SECONDS = { in: 0.02, out: 0.3 };

const PREVIEW_FADE_SECONDS = 0.4;

/** The end of a seamless sound blends into what comes before its beginning. */
const BLEND_SECONDS = 2;

/** Renders layers of sounds: the same layers and seed give the same bytes. */
export const renderScene: TaskFunction<'render-scene'> = async (input, context) => {
  const seconds = Math.min(input.renderSeconds, input.durationSeconds);
  const complete = input.renderSeconds >= input.durationSeconds;
  const sound = sceneOf(input.layers, {
    seed: input.seed,
    seconds,
    sampleRate: input.sampleRate,
    before: input.seamless ? Math.min(BLEND_SECONDS, input.durationSeconds / 2) : 0,
    blends: input.seamless && complete,
    progress: (share) => {
      context.progress(share * RENDER_PERCENT, 'playing', say`Rendering the soundscape`);
      context.signal.throwIfAborted();
    },
  });
  if (!input.seamless) fadeScene(sound, input.layers);
  else if (!complete) fadeEnds(sound, 0, PREVIEW_FADE_SECONDS);
  context.progress(RENDER_PERCENT, 'levelling', say`Normalising and encoding`);
  return finishSound(sound, {
    folder: input.outputFolder,
    name: input.fileName,
    goal: input.goal,
    title: input.title,
    tempo: null,
    pause: () => context.signal.throwIfAborted(),
  });
};

function fadeScene(sound: Sound, layers: readonly SceneLayer[]): void {
  const most = lengthOf(sound) / sound.sampleRate / 4;
  const areBeds = layers.every(isBed);
  const [rise, fall] = areBeds ? [FADE_IN_SECONDS, FADE_OUT_SECONDS] : [SHORT_FADE_SECONDS.in, SHORT_FADE_SECONDS.out];
  fadeEnds(sound, Math.min(rise, most), Math.min(fall, most));
}

interface SceneHow {
  seed: string;
  seconds: number;
  sampleRate: number;
  /** Seconds rendered before the beginning. */
  before: number;
  /** Whether the end leads into the beginning. */
  blends: boolean;
  /** 0 to 1; may throw to stop. */
  progress(share: number): void;
}

/** All layers, without fades. */
export function sceneOf(layers: readonly SceneLayer[], how: SceneHow): Sound {
  const { sampleRate, seed } = how;
  const lead = Math.round(how.before * sampleRate);
  const length = Math.round(how.seconds * sampleRate);
  const whole: Sound = { channels: [new Float32Array(lead + length), new Float32Array(lead + length)], sampleRate };
  for (const [index, layer] of layers.entries()) {
    how.progress(index / layers.length);
    const start = Math.round(layer.startShare * length) + (layer.startShare > 0 ? lead : 0);
    const sound = renderLayer(layer, { seed, length: lead + length - start, sampleRate });
    for (const [side, channel] of [sound.left, sound.right].entries()) {
      mixInto(itemAt(whole.channels, side), channel, start);
    }
  }
  const isTone = layers.every(({ hertz }) => hertz !== null);
  const channels = whole.channels.map((channel) => {
    const body = channel.slice(lead);
    if (how.blends) crossfadeLoopEnd(body, channel.subarray(0, lead), isTone);
    return body;
  });
  return { channels, sampleRate };
}

/** Blends the end of the body into what precedes its beginning, in place. Tones are in phase and add up. */
function crossfadeLoopEnd(body: Float32Array, before: Float32Array, isTone: boolean): void {
  const start = body.length - before.length;
  for (let index = 0; index < before.length; index += 1) {
    const share = index / before.length;
    const [out, into] = isTone
      ? [1 - share, share]
      : [Math.cos((share * Math.PI) / 2), Math.sin((share * Math.PI) / 2)];
    body[start + index] = (body[start + index] ?? 0) * out + (before[index] ?? 0) * into;
  }
}

/** Adds sounds under a piece, at a share of its loudness, in place. */
export function mixScene(
  sound: Sound,
  layers: readonly SceneLayer[],
  { seed, gain }: { seed: string; gain: number },
): void {
  if (layers.length === 0) return;
  const { sampleRate } = sound;
  const seconds = lengthOf(sound) / sampleRate;
  const scene = sceneOf(layers, { seed, seconds, sampleRate, before: 0, blends: false, progress: () => undefined });
  fadeEnds(scene, FADE_IN_SECONDS, FADE_OUT_SECONDS);
  const scale = gain * (soundLevel(sound) / Math.max(1e-6, soundLevel(scene)));
  for (const [side, channel] of sound.channels.entries()) {
    const other = itemAt(scene.channels, side);
    for (let index = 0; index < channel.length; index += 1) {
      channel[index] = (channel[index] ?? 0) + (other[index] ?? 0) * scale;
    }
  }
}

function soundLevel({ channels }: Sound): number {
  let sum = 0;
  for (const channel of channels) for (const sample of channel) sum += sample * sample;
  return Math.sqrt(sum / Math.max(1, channels.length * (channels[0]?.length ?? 1)));
}
