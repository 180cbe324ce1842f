import { codeUnits } from './hash.ts';

/** Counts words as word processors do: between white space, or by dictionary in scripts without it. */
export function countWords(text: string): number {
  const units = codeUnits(text);
  const { length } = text;
  let words = 0;
  let at = 0;
  while (at < length) {
    const start = at;
    let seen = 0;
    for (let flags = 0; at < length; at += unitsOf(flags)) {
      flags = classAt(units, at);
      if ((flags & SPACE) !== 0) break;
      seen |= flags;
    }
    if ((seen & BEGINS_WORD) !== 0) words += wordsInRun(text, start, at, seen);
    at += 1;
  }
  return words;
}

/** Words in a run between white space, by the combined classes of its characters. */
export function wordsInRun(text: string, start: number, end: number, seen: number): number {
  return (seen & UNSPACED) === 0 ? 1 : countByDictionary(text.slice(start, end));
}

export function isUnspaced(text: string): boolean {
  const units = codeUnits(text);
  for (let at = 0, flags = 0; at < text.length; at += unitsOf(flags)) {
    flags = classAt(units, at);
    if ((flags & UNSPACED) !== 0) return true;
  }
  return false;
}

/** Created on first use: that takes longer than reading many pages, and most threads need none. */
let byWord: Intl.Segmenter | null = null;

function countByDictionary(text: string): number {
  byWord ??= new Intl.Segmenter(undefined, { granularity: 'word' });
  let words = 0;
  for (const segment of byWord.segment(text)) if (segment.isWordLike === true) words += 1;
  return words;
}

/**
 * Character classes in a lazily filled table. Counting words and tokens classifies every character, and Unicode regular
 * expressions are several times slower.
 */

/** A letter or digit of any script. Starts a word. */
export const BEGINS_WORD = 1;

export const LETTER = 2;

/** 0 to 9. */
export const DIGIT = 4;

export const SPACE = 8;

/** A combining mark on the preceding letter. */
export const MARK = 16;

/** A letter of a script without blanks between words. */
export const UNSPACED = 32;

export const HANGUL = 64;

/** Joins words: `don't`, `l’eau`, `snake_case`, `self-made`. */
export const JOINER = 128;

/** The character is a surrogate pair. */
export const PAIR = 256;

const KNOWN = 512;

/** All flags together. */
export const ALL_CLASSES = 2 * KNOWN - 1;

const TESTS: readonly [flag: number, pattern: RegExp][] = [
  [BEGINS_WORD, /[\p{L}\p{N}]/u],
  [LETTER, /\p{L}/u],
  [DIGIT, /[0-9]/],
  [SPACE, /\s/],
  [MARK, /\p{M}/u],
  [UNSPACED, /[\p{scx=Han}\p{scx=Hira}\p{scx=Kana}\p{scx=Thai}\p{scx=Lao}\p{scx=Khmer}\p{scx=Mymr}]/u],
  [HANGUL, /\p{scx=Hang}/u],
  [JOINER, /['\-_\u2019]/],
];

/** Mask that identifies surrogate halves. */
const SURROGATE_MASK = 0xfc00;

const HIGH_SURROGATES = 0xd800;

const LOW_SURROGATES = 0xdc00;

/**
 * Characters of most European texts, classified in advance: a loop without lookups compiles to code that takes two
 * thirds of the time.
 */
const KNOWN_FROM_START = [
  [0, 0x52f],
  [0x2000, 0x206f],
] as const;

const classes = new Uint16Array(1 << 16);

for (const [first, last] of KNOWN_FROM_START) {
  for (let unit = first; unit <= last; unit += 1) learnClass(Uint16Array.of(unit, 0), 0);
}

/** Flags of the character at a position. The second half of a pair has none. */
export function classAt(units: Uint16Array, at: number): number {
  const known = classes[units[at] ?? 0] ?? 0;
  return known === 0 ? learnClass(units, at) : known;
}

/** Number of code units of a character, by its flags. */
export function unitsOf(flags: number): number {
  return (flags & PAIR) === 0 ? 1 : 2;
}

function isPair(units: Uint16Array, at: number): boolean {
  return isHalf(units[at], HIGH_SURROGATES) && isHalf(units[at + 1], LOW_SURROGATES);
}

function isHalf(unit: number | undefined, half: number): boolean {
  return unit !== undefined && (unit & SURROGATE_MASK) === half;
}

function learnClass(units: Uint16Array, at: number): number {
  const unit = units[at] ?? 0;
  if (isPair(units, at)) return classify(String.fromCharCode(unit, units[at + 1] ?? 0)) | PAIR;
  const found = classify(String.fromCharCode(unit));
  // A half does not determine its pair, so pairs are not cached.
  if (!isHalf(unit, HIGH_SURROGATES)) classes[unit] = found;
  return found;
}

function classify(character: string): number {
  return TESTS.reduce((flags, [flag, pattern]) => (pattern.test(character) ? flags | flag : flags), KNOWN);
}
