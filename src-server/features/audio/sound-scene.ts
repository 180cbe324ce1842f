/** Reads a description of sounds: the layers of a soundscape. */

import sceneData from '../../../resources/music/scenes.json' with { type: 'json' };
import WORDS from '../../../resources/music/words.json' with { type: 'json' };
import type { SceneLayer } from '../../../workers/audio/tasks.ts';
import { itemAt } from '../../platform/item-at.ts';
import { ownData } from '../../platform/own-json.ts';
import { byName } from '../../platform/records.ts';
import { type Said, say } from '../../platform/text/say.ts';
import { anyPhrasePattern, lazyValue, PromptWords, TAKEN } from './prompt-words.ts';
import { type Described, type Ground, groundAt, type Traits, takeGrounds, takeTraits } from './sound-traits.ts';

interface Scene {
  name: string;
  /** In lists for people. */
  group: string;
  words: string[];
  /** Further layers that a word brings along. */
  adds?: Record<string, string>;
  /** Words for a single sound: "three barks" is one dog. */
  calls?: string[];
  /** A single sound unless more are asked for: an explosion. */
  once?: boolean;
  /** Lasts, and fills a place. */
  bed?: boolean;
  /** Scenes beside which it is not meant: "a cat purring" is no meowing. */
  yields?: string[];
  /** Seconds between two that are counted, and after the last one. */
  gap?: number;
  tail?: number;
}

const SCENES = ownData<readonly Scene[]>(sceneData);

const scenesByName = new Map(SCENES.map((scene) => [scene.name, scene]));

const weakWords = new Set(WORDS.weakSounds);

interface SceneWord {
  word: string;
  scene: Scene;
  isWeak: boolean;
}

const plainWord = (word: string) => word.toLowerCase().replace(/-/g, ' ');

/** By their plain words. */
const sceneWords = lazyValue(
  () =>
    new Map(
      SCENES.flatMap((scene) =>
        scene.words.map((word): [string, SceneWord] => [plainWord(word), { word, scene, isWeak: weakWords.has(word) }]),
      ),
    ),
);

/** Not a sound: a subject, a genre, or an instrument. */
const NO_SCENE = {
  before: /\b(?:about|called|titled|named|inspired by|like|no|without(?: any)?|of the)\s+(?:an? |the |my )?$/i,
  after:
    /^[\s-]*(?:rock|shanty|song|songs|music|instruments?|section|ensemble|quartet|beats?|drums?|party|pop|folk)\b/i,
};

/** "The sound of the sea" has its subject after "of the", "the middle of the road" has not. */
const SOUND_OF_THE = /\b(?:sounds?|noises?|effects?|ambience|recording|hum|roar|ringing|ticking|crackle) of the $/i;

/** Words around a sound that describe it. */
const REACH_CHARS = 28;

const LAYERS_MAX = 8;

/** Seconds before the first of several counted sounds, between them and after them, where a scene does not say. */
const COUNTED = { before: 0.1, gap: 1.5, tail: 1.2 };

/** Limits of hearing and of the sample rate. */
const HERTZ_MIN = 20;

const HERTZ_MAX = 16_000;

const TONE_HERTZ = 440;

const BINAURAL = { carrier: 200, beat: 10 };

/** Names of brain waves, in beats per second. */
const BRAIN_WAVES: Readonly<Record<string, number>> = byName({ delta: 2, theta: 6, alpha: 10, beta: 20, gamma: 40 });

export interface ReadScene {
  layers: SceneLayer[];
  warnings: Said[];
}

interface FoundScene extends Described {
  scene: Scene;
  isWeak: boolean;
}

/**
 * @param words of the prompt, from which the scene takes its own
 * @param isStrict whether words that often mean something else do not count
 */
export function readScene(words: PromptWords, isStrict = false): ReadScene {
  const warnings: Said[] = [];
  const { remainingText: text } = words;
  const grounds = takeGrounds(words);
  const found = findScenes(words, text, isStrict);
  const traits = takeTraits(words, text, found);
  const seen = new Set<string>();
  const layers = found.flatMap((one, index) => {
    if (seen.has(one.scene.name)) return [];
    seen.add(one.scene.name);
    return sceneLayerOf(one, { text, traits: itemAt(traits, index), grounds, warnings });
  });
  words.takeAll(surfaces());
  words.takeAll(TONE_WORDS);
  if (layers.length > LAYERS_MAX)
    warnings.push(say`A soundscape has at most ${LAYERS_MAX} layers; the others were left out.`);
  return { layers: withoutDoubles(layers).slice(0, LAYERS_MAX), warnings };
}

function findScenes(words: PromptWords, text: string, isStrict: boolean): FoundScene[] {
  const found: FoundScene[] = [];
  for (const match of words.takeAll(isStrict ? anyStrictScene() : anyScene())) {
    const known = sceneWords().get(plainWord(match[0]));
    const before = text.slice(0, match.index);
    const after = text.slice(match.index + match[0].length);
    if (known === undefined || NO_SCENE.after.test(after)) continue;
    if (NO_SCENE.before.test(before) && !SOUND_OF_THE.test(before)) continue;
    const { scene, word, isWeak } = known;
    const near = `${promptClause(before, 'end')} ${match[0]} ${promptClause(after, 'start')}`;
    const isCall = scene.calls?.includes(word) ?? COUNTED_GROUPS.has(scene.group);
    const one = { at: match.index, near, before, word: match[0], group: scene.group, isCall, isWeak };
    found.push({ ...one, scene });
    const added = scene.adds?.[word];
    if (added !== undefined) found.push({ ...one, at: match.index + 0.5, scene: sceneNamed(added) });
  }
  return found.sort((one, other) => one.at - other.at);
}

/** Of these a number counts sounds, of the others what makes them. */
const COUNTED_GROUPS = new Set(['objects', 'people', 'bells', 'film', 'water', 'fire', 'weather', 'noise']);

function sceneNamed(name: string): Scene {
  const scene = scenesByName.get(name);
  if (scene === undefined) throw new Error(`There is no scene ${name}.`);
  return scene;
}

/** The words of the same phrase. */
function promptClause(text: string, side: 'start' | 'end'): string {
  const parts = text.split(/[,.;:\u2013\u2014]|\b(?:and|with|over|then|while|under|followed by)\b/i);
  const part = (side === 'end' ? parts.at(-1) : parts[0]) ?? '';
  return side === 'end' ? part.slice(-REACH_CHARS) : part.slice(0, REACH_CHARS);
}

/** "Waves on a beach" is one sea; "water" is a stream only where nothing else flows. */
function withoutDoubles(layers: readonly SceneLayer[]): SceneLayer[] {
  const names = new Set(layers.map(({ scene }) => scene));
  const flows = layers.some(({ scene }) => scene !== 'stream' && (FLOWING.has(scene) || groupOf(scene) === 'water'));
  const spare = (scene: string) => sceneNamed(scene).yields?.some((special) => names.has(special)) ?? false;
  return layers.filter(({ scene }) => (scene !== 'stream' || !flows || layers.length > 3) && !spare(scene));
}

const FLOWING = new Set(['rain', 'sea', 'waterfall']);

function groupOf(scene: string): string {
  return scenesByName.get(scene)?.group ?? '';
}

const surfaces = lazyValue(() => anyPhrasePattern(WORDS.surfaces));

const TONE_WORDS =
  /\b(?:\d+(?:\.\d+)?\s*k?hz|binaural|delta|theta|alpha|beta|gamma|square|sawtooth|saw|triangle|sine|pure)\b/i;

interface LayerFacts {
  text: string;
  traits: Traits;
  grounds: readonly Ground[];
  warnings: Said[];
}

/** Scenes that are stepped on something. */
const ON_GROUND = new Set(['footsteps', 'marching', 'hooves']);

/** Beds have the size of their place. */
const SIZED_BEDS = new Set([
  'birds',
  'train',
  'clock',
  'heartbeat',
  'wind chimes',
  'fan',
  'hum',
  'owl',
  'frogs',
  'seagulls',
]);

function sceneLayerOf({ scene, at, near }: FoundScene, { text, traits, grounds, warnings }: LayerFacts): SceneLayer {
  const surface = surfaces().exec(near)?.[0].toLowerCase() ?? '';
  const isTone = scene.name === 'tone';
  const isBeat = scene.name === 'binaural beat';
  const tones = isTone || isBeat ? promptFrequencies(text, warnings) : [];
  const isSized = scene.bed !== true || SIZED_BEDS.has(scene.name);
  return {
    scene: scene.name,
    distance: traits.distance,
    intensity: traits.intensity,
    hertz: isTone ? (tones[0] ?? TONE_HERTZ) : isBeat ? (tones.find((hertz) => hertz > 60) ?? BINAURAL.carrier) : null,
    beatHertz: isBeat ? beatOf(text, tones) : null,
    wave: waveIn(text),
    surface: surfaceOf(surface),
    ground: ON_GROUND.has(scene.name) ? groundAt(grounds, at) : null,
    rate: traits.rate,
    scale: isSized ? traits.scale : 1,
    many: scene.bed === true ? 1 : traits.many,
    count: scene.bed === true ? null : (traits.count ?? (scene.once === true && traits.isOne ? 1 : null)),
    gapSeconds: scene.gap ?? COUNTED.gap,
    motion: traits.motion,
    space: traits.space,
    startShare: traits.startShare,
  };
}

/** Seconds that counted sounds take; null where one of the layers lasts. */
export function countedSeconds(layers: readonly SceneLayer[]): number | null {
  const ends = layers.map(({ scene, count, gapSeconds, rate, scale }) => {
    if (count === null) return null;
    return COUNTED.before + ((count - 1) * gapSeconds) / rate + (scenesByName.get(scene)?.tail ?? COUNTED.tail) * scale;
  });
  if (ends.length === 0 || ends.includes(null)) return null;
  const stages = new Set(layers.map(({ startShare }) => startShare)).size;
  return Math.ceil(stages * Math.max(...ends.map((end) => end ?? 0)));
}

function waveIn(text: string): SceneLayer['wave'] {
  if (/\bsquare\b/i.test(text)) return 'square';
  if (/\bsaw/i.test(text)) return 'sawtooth';
  return /\btriangle\b/i.test(text) ? 'triangle' : 'sine';
}

function surfaceOf(surface: string): SceneLayer['surface'] {
  if (/tin|metal|iron|roof/.test(surface)) return 'tin';
  if (/window|glass/.test(surface)) return 'window';
  if (/leaves|foliage|trees/.test(surface)) return 'leaves';
  return surface === '' ? 'open' : 'tent';
}

function promptFrequencies(text: string, warnings: Said[]): number[] {
  return [...text.matchAll(/(\d+(?:\.\d+)?)\s*(k?)hz\b/gi)].flatMap(([shown, value, kilo]) => {
    const hertz = Number(value) * (kilo === '' ? 1 : 1000);
    if (hertz >= HERTZ_MIN && hertz <= HERTZ_MAX) return hertz;
    // A beat may be slower than any audible tone.
    if (/binaural|isochronic/i.test(text) && hertz > 0 && hertz < HERTZ_MIN) return hertz;
    warnings.push(say`A tone of ${shown.trim()} is not possible: give ${HERTZ_MIN} Hz to ${HERTZ_MAX / 1000} kHz.`);
    return [];
  });
}

function beatOf(text: string, tones: readonly number[]): number {
  const slow = tones.find((hertz) => hertz <= 60);
  if (slow !== undefined) return slow;
  const [wave] = Object.entries(BRAIN_WAVES).filter(([name]) => new RegExp(`\\b${name}\\b`, 'i').test(text));
  return wave?.[1] ?? BINAURAL.beat;
}

/** Whether a text names a sound that can be rendered, by words that hardly mean anything else if `isStrict`. */
export function namesScene(prompt: string, isStrict = false): boolean {
  return readScene(new PromptWords(prompt), isStrict).layers.length > 0;
}

/** Names of musical genres never stand for a place. */
export const anyScene = lazyValue(() => anyPhrasePattern(SCENES.flatMap(({ words }) => words)));

export const anyStrictScene = lazyValue(() =>
  anyPhrasePattern(SCENES.flatMap(({ words }) => words).filter((word) => !weakWords.has(word))),
);

const scenePhrases = lazyValue(() =>
  anyPhrasePattern(SCENES.flatMap(({ words }) => words).filter((word) => /[ -]/.test(word))),
);

/** "A metal gate" is no metal. */
const materials = lazyValue(() => new RegExp(`\\b(?:metal|brass)\\s+(?=${anyScene().source})`, 'giu'));

/** A text without phrases of several words that name sounds and grounds: "whale song" has no song. */
export function withoutSounds(text: string): string {
  const words = new PromptWords(text);
  takeGrounds(words);
  const phrases = words.remainingText.replace(new RegExp(scenePhrases().source, 'giu'), TAKEN);
  return phrases.replace(materials(), ' ').trim();
}

const NEAREST_MAX = 5;

/** Scenes whose words have most in common with the given ones, nearest first. */
export function nearestScenes(words: readonly string[]): string[] {
  const scored = SCENES.map(({ name, words: known }) => {
    return { name, score: Math.max(...known.flatMap((one) => words.map((word) => alikeness(one, word)))) };
  });
  scored.sort((one, other) => other.score - one.score);
  return scored.slice(0, NEAREST_MAX).map(({ name }) => name);
}

/** Share of pairs of letters that two words have in common. */
function alikeness(one: string, other: string): number {
  const pairs = (word: string) =>
    new Set(Array.from({ length: word.length + 1 }, (_, at) => ` ${word} `.slice(at, at + 2)));
  const [a, b] = [pairs(one), pairs(other)];
  return (2 * [...a].filter((pair) => b.has(pair)).length) / (a.size + b.size);
}
