import { codeUnits } from './hash.ts';

/** Words as word processors count them: between white space, or by dictionary in scripts that are written without. */
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

/** Words of a run between white space that has some, by the classes of its characters together. */
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

/** Made for the first text that needs it: that takes longer than reading many pages, and most threads need none. */
let byWord: Intl.Segmenter | null = null;

function countByDictionary(text: string): number {
  byWord ??= new Intl.Segmenter(undefined, { granularity: 'word' });
  let words = 0;
  for (const segment of byWord.segment(text)) if (segment.isWordLike === true) words += 1;
  return words;
}

/**
 * What characters are, in a table that is filled as they occur: counting words and tokens looks at every character of a
 * text, and a regular expression with Unicode properties takes several times as long for each.
 */

/** A letter or digit of any script: begins a word. */
export const BEGINS_WORD = 1;

export const LETTER = 2;

/** 0 to 9. */
export const DIGIT = 4;

export const SPACE = 8;

/** A mark on the letter before it. */
export const MARK = 16;

/** Of a script whose words no white space shows. */
export const UNSPACED = 32;

export const HANGUL = 64;

/** Within words: `don't`, `l’eau`, `snake_case`, `self-made`. */
export const JOINER = 128;

/** The character is a pair of code units. */
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

/** The bits by which halves of pairs are told. */
const SURROGATE_MASK = 0xfc00;

const HIGH_SURROGATES = 0xd800;

const LOW_SURROGATES = 0xdc00;

/**
 * Characters of most European texts: known from the start, since a loop that has never had to look one up is compiled
 * to code that takes two thirds of the time.
 */
const KNOWN_FROM_START = [
  [0, 0x52f],
  [0x2000, 0x206f],
] as const;

const classes = new Uint16Array(1 << 16);

for (const [first, last] of KNOWN_FROM_START) {
  for (let unit = first; unit <= last; unit += 1) learnClass(Uint16Array.of(unit, 0), 0);
}

/** Flags of the character that begins at a place; of the second half of a pair, those of no character. */
export function classAt(units: Uint16Array, at: number): number {
  const known = classes[units[at] ?? 0] ?? 0;
  return known === 0 ? learnClass(units, at) : known;
}

/** Code units of a character, by its flags. */
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
  // A half says nothing of its pair, so pairs are looked at each time.
  if (!isHalf(unit, HIGH_SURROGATES)) classes[unit] = found;
  return found;
}

function classify(character: string): number {
  return TESTS.reduce((flags, [flag, pattern]) => (pattern.test(character) ? flags | flag : flags), KNOWN);
}
