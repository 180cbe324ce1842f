/** Reads a description of sounds: the layers of a soundscape. */

import sceneData from '../../../resources/music/scenes.json' with { type: 'json' };
import WORDS from '../../../resources/music/words.json' with { type: 'json' };
import type { SceneLayer } from '../../../workers/audio/tasks.ts';
import { ownData } from '../../platform/own-json.ts';
import { anyPhrasePattern, lazyValue, PromptWords } from './prompt-words.ts';

interface Scene {
  name: string;
  words: string[];
  /** Further layers that a word brings along. */
  adds?: Record<string, string>;
}

const SCENES = ownData<readonly Scene[]>(sceneData);

/** What can be rendered, for error messages. */
export const SCENE_NAMES = SCENES.map(({ name }) => name);

const sceneWords = lazyValue(() =>
  SCENES.flatMap((scene) => scene.words.map((word) => ({ word, scene })))
    .sort((one, other) => other.word.length - one.word.length)
    .map(({ word, scene }) => ({ word, scene, pattern: anyPhrasePattern([word]) })),
);

/** Not a sound: a subject, a genre, or an instrument. */
const NO_SCENE = {
  before: /\b(?:about|called|titled|named|inspired by|like|no|without(?: any)?|of the)\s+(?:an? |the |my )?$/i,
  after:
    /^[\s-]*(?:rock|shanty|song|songs|music|instruments?|section|ensemble|quartet|beats?|drums?|party|pop|folk)\b/i,
};

const FAR = /\b(?:distant|far|far-off|faraway|faint|remote|muffled|in the distance|away|background)\b/i;

const NEAR = /\b(?:near|nearby|close|close-up|overhead|right above)\b/i;

const light = lazyValue(() => anyPhrasePattern(WORDS.light));

const heavy = lazyValue(() => anyPhrasePattern(WORDS.heavy));

/** Words around a sound that describe it. */
const REACH_CHARS = 28;

const LAYERS_MAX = 8;

const DISTANCE = { near: 0.05, usual: 0.3, far: 0.8 };

const INTENSITY = { light: 0.25, usual: 0.55, heavy: 0.9 };

/** Limits of hearing and of the sample rate. */
const HERTZ_MIN = 20;

const HERTZ_MAX = 16_000;

const TONE_HERTZ = 440;

const BINAURAL = { carrier: 200, beat: 10 };

/** Names of brain waves, in beats per second. */
const BRAIN_WAVES: Readonly<Record<string, number>> = { delta: 2, theta: 6, alpha: 10, beta: 20, gamma: 40 };

export interface ReadScene {
  layers: SceneLayer[];
  warnings: string[];
}

/** @param words of the prompt, from which the scene takes its own */
export function readScene(words: PromptWords): ReadScene {
  const warnings: string[] = [];
  const found: { scene: string; at: number; near: string }[] = [];
  const text = words.remainingText;
  for (const { pattern, scene, word } of sceneWords()) {
    for (const match of words.takeAll(pattern)) {
      const before = text.slice(0, match.index);
      const after = text.slice(match.index + match[0].length);
      if (NO_SCENE.before.test(before) || NO_SCENE.after.test(after)) continue;
      const near = `${promptClause(before, 'end')} ${match[0]} ${promptClause(after, 'start')}`;
      found.push({ scene: scene.name, at: match.index, near });
      const added = scene.adds?.[word];
      if (added !== undefined) found.push({ scene: added, at: match.index + 0.5, near });
    }
  }
  found.sort((one, other) => one.at - other.at);
  const seen = new Set<string>();
  const layers = found.flatMap(({ scene, near }) => {
    if (seen.has(scene)) return [];
    seen.add(scene);
    return sceneLayerOf(scene, near, text, warnings);
  });
  for (const pattern of [FAR, NEAR, light(), heavy(), surfaces(), TONE_WORDS]) words.takeAll(pattern);
  if (layers.length > LAYERS_MAX)
    warnings.push(`A soundscape has at most ${LAYERS_MAX} layers; the others were left out.`);
  return { layers: withoutDoubles(layers).slice(0, LAYERS_MAX), warnings };
}

/** The words of the same phrase. */
function promptClause(text: string, side: 'start' | 'end'): string {
  const parts = text.split(/[,.;:\u2013\u2014]|\b(?:and|with|over|then|while|under)\b/i);
  const part = (side === 'end' ? parts.at(-1) : parts[0]) ?? '';
  return side === 'end' ? part.slice(-REACH_CHARS) : part.slice(0, REACH_CHARS);
}

/** "Waves on a beach" is one sea; "water" is a stream only where nothing else flows. */
function withoutDoubles(layers: readonly SceneLayer[]): SceneLayer[] {
  const names = new Set(layers.map(({ scene }) => scene));
  const flows = names.has('rain') || names.has('sea') || names.has('waterfall');
  return layers.filter(({ scene }) => scene !== 'stream' || !flows || layers.length > 2);
}

const surfaces = lazyValue(() => anyPhrasePattern(WORDS.surfaces));

const TONE_WORDS =
  /\b(?:\d+(?:\.\d+)?\s*k?hz|binaural|delta|theta|alpha|beta|gamma|square|sawtooth|saw|triangle|sine|pure)\b/i;

function sceneLayerOf(scene: string, near: string, text: string, warnings: string[]): SceneLayer {
  const distance = FAR.test(near) ? DISTANCE.far : NEAR.test(near) ? DISTANCE.near : DISTANCE.usual;
  const intensity = heavy().test(near) ? INTENSITY.heavy : light().test(near) ? INTENSITY.light : INTENSITY.usual;
  const surface = surfaces().exec(near)?.[0].toLowerCase() ?? '';
  const wave = /\bsquare\b/i.test(text)
    ? 'square'
    : /\bsaw/i.test(text)
      ? 'sawtooth'
      : /\btriangle\b/i.test(text)
        ? 'triangle'
        : 'sine';
  const tones = scene === 'tone' || scene === 'binaural beat' ? promptFrequencies(text, warnings) : [];
  return {
    scene,
    distance,
    intensity,
    hertz:
      scene === 'tone'
        ? (tones[0] ?? TONE_HERTZ)
        : scene === 'binaural beat'
          ? (tones.find((hertz) => hertz > 60) ?? BINAURAL.carrier)
          : null,
    beatHertz: scene === 'binaural beat' ? beatOf(text, tones) : null,
    wave,
    surface: /tin|metal|iron|roof/.test(surface)
      ? 'tin'
      : /window|glass/.test(surface)
        ? 'window'
        : /leaves|foliage|trees/.test(surface)
          ? 'leaves'
          : surface === ''
            ? 'open'
            : 'tent',
  };
}

function promptFrequencies(text: string, warnings: string[]): number[] {
  return [...text.matchAll(/(\d+(?:\.\d+)?)\s*(k?)hz\b/gi)].flatMap(([shown, value, kilo]) => {
    const hertz = Number(value) * (kilo === '' ? 1 : 1000);
    if (hertz >= HERTZ_MIN && hertz <= HERTZ_MAX) return hertz;
    // A beat may be slower than any audible tone.
    if (/binaural|isochronic/i.test(text) && hertz > 0 && hertz < HERTZ_MIN) return hertz;
    warnings.push(`A tone of ${shown.trim()} is not possible: give ${HERTZ_MIN} Hz to ${HERTZ_MAX / 1000} kHz.`);
    return [];
  });
}

function beatOf(text: string, tones: readonly number[]): number {
  const slow = tones.find((hertz) => hertz <= 60);
  if (slow !== undefined) return slow;
  const [wave] = Object.entries(BRAIN_WAVES).filter(([name]) => new RegExp(`\\b${name}\\b`, 'i').test(text));
  return wave?.[1] ?? BINAURAL.beat;
}

/** Whether a text names a sound that can be rendered. */
export function namesScene(prompt: string): boolean {
  return readScene(new PromptWords(prompt)).layers.length > 0;
}

/** Names of musical genres never stand for a place. */
export const anyScene = lazyValue(() => anyPhrasePattern(SCENES.flatMap(({ words }) => words)));
