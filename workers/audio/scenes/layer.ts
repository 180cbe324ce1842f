/** One layer of a soundscape: its source, how many of them, their size, their way, and where they are. */

import { byName } from '../../../src-server/platform/records.ts';
import { addReverb } from '../music/reverb.ts';
import type { SceneLayer } from '../tasks.ts';
import { ANIMALS, PEOPLE } from './animals.ts';
import { mixInto } from './bodies.ts';
import { levelOf, type Source } from './composing.ts';
import { MACHINES } from './machines.ts';
import { moveSound } from './motion.ts';
import { NATURE } from './nature.ts';
import { type Canvas, canvasOf, highPass, lowPass } from './noise.ts';
import { OBJECTS } from './objects.ts';
import { SIGNALS } from './signals.ts';
import { BEDS } from './sources.ts';

/** By the names of `resources/music/scenes.json`. */
export const SOURCES: Readonly<Record<string, Source>> = byName({
  ...BEDS,
  ...OBJECTS,
  ...MACHINES,
  ...ANIMALS,
  ...PEOPLE,
  ...SIGNALS,
  ...NATURE,
});

/** A distant sound is quieter and duller, and comes with more of its echo. */
const FAR = { cutoffHertz: 800, gain: 0.28, reverb: 0.35 };

const NEAR_CUTOFF_HERTZ = 18_000;

/** Layers that are tones or colours of noise by definition stay as they are. */
const UNPLACED = /noise|^tone$|binaural/;

/** How different several of one kind are. */
const SPREAD = 0.16;

/** Pulses push the level to one side; nobody hears what is lower. */
const LOWEST_HERTZ = 22;

interface LayerHow {
  seed: string;
  /** In samples. */
  length: number;
  sampleRate: number;
}

/** Whether a layer lasts without a beginning of its own. */
export function isBed({ scene, count, motion }: SceneLayer): boolean {
  return BEDS[scene] !== undefined && count === null && motion === null;
}

/** Renders a layer as it is heard. Errors: an unknown scene. */
export function renderLayer(layer: SceneLayer, how: LayerHow): Canvas {
  const source = SOURCES[layer.scene];
  if (source === undefined) throw new Error(`There is no scene ${layer.scene}.`);
  const canvas = canvasOf(how.length, how.sampleRate, `${how.seed} ${layer.scene}`);
  if (layer.many === 1) fillCanvas(canvas, source, layer, layer.scale, `${how.seed} ${layer.scene}`);
  else {
    const random = canvas.random('many');
    for (let one = 0; one < layer.many; one += 1) {
      const scale = layer.scale * (1 - SPREAD / 2 + SPREAD * random.next());
      fillCanvas(canvas, source, layer, scale, `${how.seed} ${layer.scene} ${one}`);
    }
  }
  if (BEDS[layer.scene] === undefined) {
    for (const channel of [canvas.left, canvas.right]) highPass(channel, LOWEST_HERTZ, how.sampleRate);
    levelOf([canvas.left, canvas.right], how.sampleRate);
  }
  if (layer.motion !== null) moveSound(canvas, layer.motion, layer.rate);
  placeLayer(canvas, layer);
  return canvas;
}

/** A bigger thing sounds lower and slower: as if its samples were played at another rate. */
function fillCanvas(canvas: Canvas, source: Source, layer: SceneLayer, scale: number, seed: string): void {
  const own = canvasOf(canvas.left.length, canvas.sampleRate * scale, seed);
  source(own, { ...layer, scale, gapSeconds: layer.gapSeconds / scale });
  mixInto(canvas.left, own.left, 0);
  mixInto(canvas.right, own.right, 0);
}

function placeLayer({ left, right, sampleRate }: Canvas, { scene, distance, intensity, space }: SceneLayer): void {
  if (UNPLACED.test(scene)) return;
  const gain = (1 - distance * (1 - FAR.gain)) * (0.75 + 0.5 * intensity);
  const cutoff = NEAR_CUTOFF_HERTZ * (FAR.cutoffHertz / NEAR_CUTOFF_HERTZ) ** distance;
  // Two poles: air takes the highs of a distant sound.
  for (const channel of [left, right, left, right]) lowPass(channel, cutoff, sampleRate);
  const reverb = space ?? (distance > 0.5 ? FAR.reverb : 0);
  if (reverb > 0) {
    const send = left.map((sample, index) => ((sample + (right[index] ?? 0)) / 2) * reverb);
    addReverb({ channels: [left, right], sampleRate }, send);
  }
  for (const channel of [left, right]) {
    for (let index = 0; index < channel.length; index += 1) channel[index] = (channel[index] ?? 0) * gain;
  }
}
