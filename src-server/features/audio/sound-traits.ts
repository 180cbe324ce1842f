/** What a description says of its sounds: where they are, how big, how many, how they move. */

import WORDS from '../../../resources/music/words.json' with { type: 'json' };
import type { SceneLayer, SceneMotion } from '../../../workers/audio/tasks.ts';
import { byName } from '../../platform/records.ts';
import { anyPhrasePattern, lazyValue, type PromptWords } from './prompt-words.ts';

/** A sound that a text names. */
export interface Described {
  /** Place in the text. */
  at: number;
  /** The words around it, of the same phrase. */
  near: string;
  /** The text before it. */
  before: string;
  word: string;
  group: string;
  /** Whether a number before it counts sounds; else it counts what makes them. */
  isCall: boolean;
}

export interface Traits
  extends Pick<
    SceneLayer,
    'distance' | 'intensity' | 'rate' | 'scale' | 'many' | 'count' | 'motion' | 'space' | 'startShare'
  > {
  /** "A gunshot", not "gunshots". */
  isOne: boolean;
}

/** Any of the words, each a regular expression. */
function wordsPattern(words: readonly string[]): RegExp {
  return new RegExp(`(?<!\\p{L})(?:${words.join('|')})(?!\\p{L})`, 'iu');
}

const FAR = wordsPattern(WORDS.far);

const NEAR = /\b(?:near|nearby|close|close-up|overhead|right above|up close)\b/i;

const light = lazyValue(() => anyPhrasePattern(WORDS.light));

const heavy = lazyValue(() => anyPhrasePattern(WORDS.heavy));

const SLOW = /\b(?:slow|slowly|lazy|unhurried|sluggish)\b/i;

const FAST = wordsPattern(WORDS.fast);

const BIG = /\b(?:big|large|huge|giant|massive|enormous|gigantic)\b/i;

const SMALL = /\b(?:small|tiny|little|mini|toy|miniature)\b/i;

const LOW = /\b(?:low|deep|low-pitched|lower|bassy)\b/i;

const HIGH = /\b(?:high|high-pitched|shrill|squeaky|higher)\b(?!\s+(?:quality|heel|heels|street|school))/i;

const MANY = /\b(?:many|several|multiple|dozens|hundreds|lots|group|flock|herd|pack|flocks|lot)\b/i;

const DISTANCE = { near: 0.05, usual: 0.3, far: 0.8 };

const INTENSITY = { light: 0.25, usual: 0.55, heavy: 0.9 };

const RATE = { slow: 0.65, usual: 1, fast: 1.6 };

const SCALE = { big: 1.35, small: 0.72, low: 1.3, high: 0.76 };

const MANY_COUNT = 4;

const MANY_MAX = 6;

const PLURAL_COUNT = 3;

const COUNT_MAX = 50;

const NUMBERS: Readonly<Record<string, number>> = byName({
  single: 1,
  ...Object.fromEntries(
    'one two three four five six seven eight nine ten eleven twelve'.split(' ').map((word, index) => [word, index + 1]),
  ),
});

const NUMBER = `(\\d{1,2}|${Object.keys(NUMBERS).join('|')})`;

const NUMBER_BEFORE = new RegExp(`\\b${NUMBER}\\s+(?:[\\p{L}-]+\\s+)?$`, 'iu');

const TIMES = new RegExp(`\\b(?:(once|twice|thrice)|${NUMBER} times)\\b`, 'i');

const ONE_BEFORE = /(?:^|\s)(?:an?|single|one)\s+(?:(?!of\b)[\p{L}-]+\s+){0,3}$/iu;

/** In the order of which decides. */
const MOTION_NAMES: readonly SceneMotion[] = [
  'leaving',
  'approaching',
  'passing',
  'starting',
  'stopping',
  'rising',
  'fading',
];

const MOTIONS = MOTION_NAMES.map((motion): [SceneMotion, RegExp] => [motion, wordsPattern(WORDS.motions[motion])]);

/** What can start like a machine, and what can come and go. */
const MACHINES = new Set(['machines', 'vehicles']);

const STAYS = new Set(['noise', 'bells', 'film']);

/** Shares of reverberation, and what asks for them. */
const SPACES = [0, 0.9, 0.7, 0.5, 0.25].map((share, index): [number, RegExp] => {
  return [share, wordsPattern(WORDS.spaces[index] ?? [])];
});

/** How each sound is described, in their order. Takes the words that say so. */
export function takeTraits(words: PromptWords, text: string, found: readonly Described[]): Traits[] {
  const [space = null] = SPACES.filter(([, pattern]) => pattern.test(text)).map(([share]) => share);
  const breaks = [...text.matchAll(/\b(?:and then|then|followed by|afterwards)\b/gi)].map(({ index }) => index);
  const all = found.map((one) => traitsOf(one, space, breaks));
  const takeIf = (is: boolean, ...patterns: readonly RegExp[]) => {
    if (is) for (const pattern of patterns) words.takeAll(pattern);
  };
  takeIf(true, FAR, NEAR, light(), heavy(), /\b(?:followed by|afterwards)\b/i);
  takeIf(
    all.some(({ rate }) => rate !== 1),
    SLOW,
    FAST,
  );
  takeIf(
    all.some(({ scale }) => scale !== 1),
    BIG,
    SMALL,
    LOW,
    HIGH,
  );
  takeIf(
    all.some(({ many }) => many !== 1),
    MANY,
    new RegExp(`\\b${NUMBER}\\b`, 'i'),
  );
  takeIf(
    all.some(({ count }) => count !== null),
    TIMES,
    new RegExp(`\\b${NUMBER}\\b`, 'i'),
  );
  for (const [motion, pattern] of MOTIONS) {
    takeIf(
      all.some((one) => one.motion === motion || one.motion === FADES[motion]),
      pattern,
    );
  }
  takeIf(space !== null, ...SPACES.map(([, pattern]) => pattern));
  return all;
}

/** What a motion of a machine is for something else. */
const FADES: Readonly<Partial<Record<SceneMotion, SceneMotion>>> = { starting: 'rising', stopping: 'fading' };

function traitsOf(one: Described, space: number | null, breaks: readonly number[]): Traits {
  const { near, at } = one;
  const scale =
    (BIG.test(near) ? SCALE.big : SMALL.test(near) ? SCALE.small : 1) *
    (LOW.test(near) ? SCALE.low : HIGH.test(near) ? SCALE.high : 1);
  const number = numberBefore(one);
  const times = timesIn(near);
  const isPlural = /(?<!s)s$/i.test(one.word) || /^(?:wolves|geese|mice|people|children)$/i.test(one.word);
  return {
    distance: FAR.test(near) ? DISTANCE.far : NEAR.test(near) ? DISTANCE.near : DISTANCE.usual,
    intensity: heavy().test(near) ? INTENSITY.heavy : light().test(near) ? INTENSITY.light : INTENSITY.usual,
    rate: FAST.test(near) ? RATE.fast : SLOW.test(near) ? RATE.slow : RATE.usual,
    scale,
    many: one.isCall ? 1 : manyOf(number, MANY.test(near), isPlural),
    count: times ?? (one.isCall && number !== null ? number : null),
    motion: motionOf(one),
    space,
    startShare: breaks.length === 0 ? 0 : breaks.filter((end) => end < at).length / (breaks.length + 1),
    isOne: ONE_BEFORE.test(one.before) || (!isPlural && breaks.length > 0),
  };
}

function manyOf(number: number | null, isMany: boolean, isPlural: boolean): number {
  if (number !== null) return Math.min(MANY_MAX, number);
  if (isMany) return MANY_COUNT;
  return isPlural ? PLURAL_COUNT : 1;
}

function numberBefore({ before }: Described): number | null {
  const text = NUMBER_BEFORE.exec(before)?.[1];
  return text === undefined ? null : numberOf(text);
}

function timesIn(near: string): number | null {
  const found = TIMES.exec(near);
  if (found === null) return null;
  const [, word, number] = found;
  if (number !== undefined) return numberOf(number);
  return { once: 1, twice: 2, thrice: 3 }[word?.toLowerCase() ?? ''] ?? null;
}

function numberOf(text: string): number | null {
  const number = NUMBERS[text.toLowerCase()] ?? Number(text);
  return number >= 1 && number <= COUNT_MAX ? number : null;
}

function motionOf({ near, group }: Described): SceneMotion | null {
  if (STAYS.has(group)) return null;
  const [found] = MOTIONS.filter(([, pattern]) => pattern.test(near));
  if (found === undefined) return null;
  const [motion] = found;
  return MACHINES.has(group) ? motion : (FADES[motion] ?? motion);
}

export interface Ground {
  at: number;
  name: string;
}

const GROUNDS = Object.entries(WORDS.grounds);

/** What goes before the ground. */
const ON = '\\b(?:on|in|over|across|through|along|down|up|onto|into) (?:an? |the |some )?(?:[\\p{L}-]+ )?';

const STEPPING = wordsPattern(WORDS.stepping);

/** Takes what is stepped on: "on gravel", "through dry leaves". */
export function takeGrounds(words: PromptWords): Ground[] {
  if (!STEPPING.test(words.remainingText)) return [];
  return GROUNDS.flatMap(([name, grounds]) => {
    const found = words.takeAll(new RegExp(`${ON}(?:${grounds.join('|')})(?!\\p{L})`, 'iu'));
    return found.map(({ index }) => ({ at: index, name }));
  });
}

/** The ground named next after a place of the text, or else the last one before it. */
export function groundAt(grounds: readonly Ground[], at: number): string | null {
  const after = grounds.filter((one) => one.at >= at).sort((one, other) => one.at - other.at);
  return (after[0] ?? grounds.at(-1))?.name ?? null;
}

/** What a layer has beside distance and strength, in words. */
export function layerTraits({ rate, scale, many, count, ground, motion, space, startShare }: SceneLayer): string[] {
  const said: (string | false | null)[] = [
    rate > 1 && 'fast',
    rate < 1 && 'slow',
    scale > 1 && 'big or low',
    scale < 1 && 'small or high',
    many > 1 && `${many} at once`,
    count !== null && (count === 1 ? 'once' : `${count} times`),
    ground !== null && `on ${ground}`,
    motion,
    space !== null && (space === 0 ? 'without echo' : 'with echo'),
    startShare > 0 && 'later',
  ];
  return said.filter((words) => typeof words === 'string');
}
