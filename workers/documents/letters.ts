/** Letters of a text, for counting and comparing. */

import { type Said, say } from '../../src-server/platform/text/say.ts';

/** Not seen yet, more than one letter, a surrogate: these take the slow way. */
const UNKNOWN = 0xffff;

const SEVERAL = 0xfffe;

/** No letter, and no end of a word: accents, soft hyphens, characters without width. */
const WITHIN_WORD = 0xfffd;

/** Entry of a code unit without letters. */
const NO_LETTERS = 0;

/** The letter of each code unit, found on first sight. */
const known = new Uint16Array(0x10000).fill(UNKNOWN);

const several = new Map<number, readonly number[]>();

const MARK = /[\p{M}\u00ad\u200b-\u200d\u2060\ufeff]/u;

const LETTER = /[\p{L}\p{N}]/u;

/** Code units folded at once, and the most letters of one: a ligature of Arabic has eighteen. */
const SLICE_UNITS = 8192;

const EXPANSION_MAX = 18;

const slice = new Uint16Array(SLICE_UNITS * EXPANSION_MAX);

/** 1 for the first letter of each word. */
const sliceStarts = new Uint8Array(SLICE_UNITS * EXPANSION_MAX);

/**
 * Calls with the letters of `text` between two offsets, in slices that are valid during the call, and returns their
 * number. Letters are in compatibility form without accents; those beyond the basic plane are folded into it.
 */
export function foldLetters(
  text: string,
  start: number,
  end: number,
  see: (letters: Uint16Array, count: number, wordStarts: Uint8Array) => void,
): number {
  let total = 0;
  for (let from = start; from < end; from += SLICE_UNITS) {
    const count = foldSlice(text, from, Math.min(end, from + SLICE_UNITS));
    if (count > 0) see(slice, count, sliceStarts);
    total += count;
  }
  return total;
}

function foldSlice(text: string, start: number, end: number): number {
  let count = 0;
  let isStart = 1;
  for (let at = start; at < end; at += 1) {
    const unit = text.charCodeAt(at);
    let letter = known[unit] ?? NO_LETTERS;
    if (letter === UNKNOWN) letter = learnLetterUnit(unit);
    if (letter === NO_LETTERS) isStart = 1;
    if (letter === NO_LETTERS || letter === WITHIN_WORD) continue;
    if (letter !== SEVERAL) {
      slice[count] = letter;
      sliceStarts[count] = isStart;
      isStart = 0;
      count += 1;
      continue;
    }
    // The second half of a pair counts as none.
    const point = text.codePointAt(at) ?? unit;
    for (const one of several.get(point) ?? learnSeveral(point)) {
      slice[count] = one;
      sliceStarts[count] = isStart;
      isStart = 0;
      count += 1;
    }
  }
  return count;
}

/** Weight of the code units that take the slow way. A letter of this weight would take it too, and count the same. */
const SLOW_WEIGHT = 1;

/** What a code unit adds to a sum: nothing without letters. */
const unitWeights = new Int32Array(0x10000).fill(SLOW_WEIGHT);

function letterWeight(letter: number): number {
  const mixed = Math.imul(letter + 1, 0x9e3779b1);
  return Math.imul(mixed ^ (mixed >>> 15), 0x85ebca6b);
}

/** A sum of letters that does not depend on their order: equal for the same letters, unequal otherwise. */
export class LetterSum {
  count = 0;
  #sum = 0;

  /** Returns the number of letters in the text. */
  addLetterText(text: string): number {
    let count = 0;
    let sum = this.#sum;
    for (let at = 0; at < text.length; at += 1) {
      const weight = unitWeights[text.charCodeAt(at)] ?? 0;
      if (weight !== SLOW_WEIGHT) {
        count += weight === 0 ? 0 : 1;
        sum = (sum + weight) | 0;
        continue;
      }
      for (const letter of lettersAt(text, at)) {
        count += 1;
        sum = (sum + letterWeight(letter)) | 0;
      }
    }
    this.count += count;
    this.#sum = sum;
    return count;
  }

  equalsLetterSum(other: LetterSum): boolean {
    return this.count === other.count && this.#sum === other.#sum;
  }
}

/** Offset of the letter with this index, counted from `start`. */
export function offsetOfLetter(text: string, start: number, index: number): number {
  let seen = 0;
  for (let at = start; at < text.length; at += 1) {
    seen += foldSlice(text, at, at + 1);
    if (seen > index) return at;
  }
  return start;
}

/** `1 letter`, `12 letters`. */
export function letterCountText(count: number): Said {
  return count === 1 ? say`1 letter` : say`${count} letters`;
}

/** The letters of the character at `at`. Remembers the weight of its code unit if that is one letter, or none. */
function lettersAt(text: string, at: number): readonly number[] {
  const unit = text.charCodeAt(at);
  const entry = known[unit] ?? NO_LETTERS;
  const letter = entry === UNKNOWN ? learnLetterUnit(unit) : entry;
  if (letter === SEVERAL) {
    const point = text.codePointAt(at) ?? unit;
    return several.get(point) ?? learnSeveral(point);
  }
  unitWeights[unit] = letter === NO_LETTERS ? 0 : letterWeight(letter);
  return letter === NO_LETTERS ? [] : [letter];
}

function learnLetterUnit(unit: number): number {
  const isSurrogate = unit >= 0xd800 && unit <= 0xdfff;
  const letters = isSurrogate ? [] : foldedLetters(unit);
  const none = MARK.test(String.fromCharCode(unit)) ? WITHIN_WORD : NO_LETTERS;
  const letter = isSurrogate || letters.length > 1 ? SEVERAL : (letters[0] ?? none);
  known[unit] = letter;
  return letter;
}

function learnSeveral(point: number): readonly number[] {
  const letters = foldedLetters(point);
  several.set(point, letters);
  return letters;
}

function foldedLetters(point: number): number[] {
  return [...String.fromCodePoint(point).normalize('NFKD')]
    .filter((character) => LETTER.test(character))
    .map((character) => (character.codePointAt(0) ?? 0) & 0xffff || 1);
}
