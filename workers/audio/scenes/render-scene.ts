import { itemAt } from '../../../src-server/platform/item-at.ts';
import type { TaskFunction } from '../../../src-server/platform/pool/worker-pool.ts';
import { finishSound } from '../finish-sound.ts';
import { addReverb } from '../music/reverb.ts';
import { fadeEnds, lengthOf, type Sound } from '../sound.ts';
import type { SceneLayer } from '../tasks.ts';
import { type Canvas, canvasOf, lowPass } from './noise.ts';
import { SOURCES } from './sources.ts';

/** Share of rendering in the work; the rest is normalisation and encoding. */
const RENDER_PERCENT = 60;

const FADE_IN_SECONDS = 0.4;

const FADE_OUT_SECONDS = 2;

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
      context.progress(share * RENDER_PERCENT, 'playing', 'Rendering the soundscape');
      context.signal.throwIfAborted();
    },
  });
  if (!input.seamless) fadeEnds(sound, Math.min(FADE_IN_SECONDS, seconds / 4), Math.min(FADE_OUT_SECONDS, seconds / 4));
  else if (!complete) fadeEnds(sound, 0, PREVIEW_FADE_SECONDS);
  context.progress(RENDER_PERCENT, 'levelling', 'Normalising and encoding');
  return finishSound(sound, {
    folder: input.outputFolder,
    name: input.fileName,
    goal: input.goal,
    title: input.title,
    tempo: null,
    pause: () => context.signal.throwIfAborted(),
  });
};

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
  const { sampleRate } = how;
  const lead = Math.round(how.before * sampleRate);
  const length = Math.round(how.seconds * sampleRate);
  const whole: Sound = { channels: [new Float32Array(lead + length), new Float32Array(lead + length)], sampleRate };
  for (const [index, layer] of layers.entries()) {
    how.progress(index / layers.length);
    const canvas = canvasOf(lead + length, sampleRate, `${how.seed} ${layer.scene}`);
    const source = SOURCES[layer.scene];
    if (source === undefined) throw new Error(`There is no scene ${layer.scene}.`);
    source(canvas, layer);
    placeSceneLayer(canvas, layer, whole);
  }
  const isTone = layers.every(({ hertz }) => hertz !== null);
  const channels = whole.channels.map((channel) => {
    const body = channel.slice(lead);
    if (how.blends) crossfadeLoopEnd(body, channel.subarray(0, lead), isTone);
    return body;
  });
  return { channels, sampleRate };
}

/** A distant sound is quieter and duller, and comes with more of its echo. */
const FAR = { cutoffHertz: 800, gain: 0.28, reverb: 0.35 };

const NEAR_CUTOFF_HERTZ = 18_000;

/** Layers that are tones or colours of noise by definition stay as they are. */
const UNPLACED = /noise|tone|binaural/;

function placeSceneLayer(
  { left, right, sampleRate }: Canvas,
  { scene, distance, intensity }: SceneLayer,
  whole: Sound,
): void {
  const exact = UNPLACED.test(scene);
  const gain = exact ? 1 : (1 - distance * (1 - FAR.gain)) * (0.75 + 0.5 * intensity);
  if (!exact) {
    const cutoff = NEAR_CUTOFF_HERTZ * (FAR.cutoffHertz / NEAR_CUTOFF_HERTZ) ** distance;
    // Two poles: air takes the highs of a distant sound.
    for (const channel of [left, right, left, right]) lowPass(channel, cutoff, sampleRate);
    if (distance > 0.5) {
      const send = left.map((sample, index) => ((sample + (right[index] ?? 0)) / 2) * FAR.reverb);
      addReverb({ channels: [left, right], sampleRate }, send);
    }
  }
  for (const [side, channel] of [left, right].entries()) {
    const target = itemAt(whole.channels, side);
    for (let index = 0; index < target.length; index += 1) {
      target[index] = (target[index] ?? 0) + (channel[index] ?? 0) * gain;
    }
  }
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
