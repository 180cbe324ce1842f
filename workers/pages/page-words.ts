/** The words of a page, counted once for keywords, rarity across the site, and topics. */

import { codeUnits, HASH_SEED, HashNumbers, hashStep, hashText, mixBits } from '../../src-server/platform/text/hash.ts';
import {
  BEGINS_WORD,
  classAt,
  DIGIT,
  JOINER,
  MARK,
  PAIR,
  SPACE,
  unitsOf,
  wordsInRun,
} from '../../src-server/platform/text/words.ts';
import { mayOpen, type Place } from './injection-patterns.ts';
import { isSmallWord } from './language.ts';

const MIN_WORD_CHARS = 2;

/** Longer runs are cut: text without spaces is no word. The last character may be a surrogate pair. */
const MAX_WORD_CHARS = 40;

/** Characters that continue a word. */
const IN_WORD = BEGINS_WORD | MARK | JOINER;

/** Flag of stop words in any language, which are ignored. */
const SMALL = 1;

/** Flag of words by which pages of the site are compared. */
const COMPARED = 2;

/** Flag of words in which a wording for models may start. */
const OPENS = 4;

const TEXT_WEIGHT = 1;

const FIRST_WORDS = 1 << 10;

const FIRST_LETTERS = FIRST_WORDS << 3;

/** Memory of a page with more words is released before the next page. */
const KEPT_WORDS = 1 << 14;

/** The distinct words of a page, by number, in typed arrays; stop words are left out. */
export interface WordList {
  hashes: Int32Array;
  /** Frequency in the page's text plus the weight of titles and headings; 0 for words used only for comparison. */
  counts: Int32Array;
  /** 1 for words by which the site's pages are compared; words of titles alone are not. */
  compared: Uint8Array;
  /** Code units of each word in `letters`. */
  lengths: Uint8Array;
  letters: Uint16Array;
}

/** Counts the words of pages in sequence, in the same memory. */
export class PageWords {
  readonly #numbers = new HashNumbers();
  // Indexed by word number.
  #counts = new Int32Array(FIRST_WORDS);
  #flags = new Uint8Array(FIRST_WORDS);
  #lengths = new Uint8Array(FIRST_WORDS);
  #letters = new Uint16Array(FIRST_LETTERS);
  #lettersUsed = 0;
  #wordsInAll = 0;
  #openers: Place[] = [];

  /** Resets and counts the words of a page's lower-case text; numbers are skipped. */
  read(lowerText: string): void {
    this.#numbers.clear();
    if (this.#counts.length > KEPT_WORDS) this.#giveBack();
    this.#lettersUsed = 0;
    this.#openers = [];
    this.#wordsInAll = this.#count(lowerText, TEXT_WEIGHT, COMPARED);
  }

  /** Word count of the text, as in countWords. */
  get wordsInAll(): number {
    return this.#wordsInAll;
  }

  /** Places of the words in which a wording for models may start. */
  get openers(): readonly Place[] {
    return this.#openers;
  }

  /** Adds `weight` per word of a title or heading. */
  addWeight(text: string, weight: number): void {
    this.#count(text.toLowerCase(), weight, 0);
  }

  /** Adds words for comparison that are not in the page's text. */
  addCompared(text: string): void {
    this.#count(text.toLowerCase(), 0, COMPARED);
  }

  /** Frequency in the text of a word given by its hash. */
  often(hash: number): number {
    const number = this.#numbers.find(hash);
    return number === null ? 0 : (this.#counts[number] ?? 0);
  }

  /** All words so far, in order of first occurrence. */
  list(): WordList {
    const { size } = this.#numbers;
    const hashes = this.#numbers.hashes();
    const kept: WordList = {
      hashes: new Int32Array(size),
      counts: new Int32Array(size),
      compared: new Uint8Array(size),
      lengths: new Uint8Array(size),
      letters: this.#letters.subarray(0, this.#lettersUsed),
    };
    let at = 0;
    for (let number = 0; number < size; number += 1) {
      const flags = this.#flags[number] ?? 0;
      if ((flags & SMALL) !== 0) continue;
      kept.hashes[at] = hashes[number] ?? 0;
      kept.counts[at] = this.#counts[number] ?? 0;
      kept.compared[at] = (flags & COMPARED) === 0 ? 0 : 1;
      kept.lengths[at] = this.#lengths[number] ?? 0;
      at += 1;
    }
    for (const name of ['hashes', 'counts'] as const) kept[name] = kept[name].subarray(0, at);
    for (const name of ['compared', 'lengths'] as const) kept[name] = kept[name].subarray(0, at);
    return kept;
  }

  /** Counts the distinct words of a text and returns the number of words separated by spaces. */
  #count(text: string, weight: number, flag: number): number {
    const units = codeUnits(text);
    const numbers = this.#numbers;
    const { length } = text;
    let words = 0;
    let seen = 0;
    let runStart = 0;
    let at = 0;
    while (at < length) {
      const start = at;
      let flags = classAt(units, at);
      seen |= flags;
      if ((flags & BEGINS_WORD) === 0) {
        at += unitsOf(flags);
        if ((flags & SPACE) === 0) continue;
        if ((seen & BEGINS_WORD) !== 0) words += wordsInRun(text, runStart, start, seen);
        seen = 0;
        runStart = at;
        continue;
      }
      let hash = HASH_SEED;
      let inAll = DIGIT;
      do {
        inAll &= flags;
        seen |= flags;
        hash = hashStep(hash, units[at] ?? 0);
        at += 1;
        if ((flags & PAIR) !== 0) {
          hash = hashStep(hash, units[at] ?? 0);
          at += 1;
        }
        flags = at < length ? classAt(units, at) : 0;
      } while ((flags & IN_WORD) !== 0 && at - start < MAX_WORD_CHARS);
      if (at - start < MIN_WORD_CHARS || inAll !== 0) continue;
      hash = mixBits(hash);
      const size = numbers.size;
      const number = numbers.add(hash);
      if (number === size) this.#begin(number, hash, text, start, at);
      this.#counts[number] = (this.#counts[number] ?? 0) + weight;
      const known = (this.#flags[number] ?? 0) | flag;
      this.#flags[number] = known;
      if ((known & OPENS) !== 0 && weight === TEXT_WEIGHT && flag === COMPARED) this.#openers.push({ start, end: at });
    }
    return (seen & BEGINS_WORD) === 0 ? words : words + wordsInRun(text, runStart, length, seen);
  }

  #begin(number: number, hash: number, text: string, start: number, end: number): void {
    if (number === this.#counts.length) this.#grow();
    this.#counts[number] = 0;
    // A cut word may contain the start of a word whose end is missing.
    const opens = end - start >= MAX_WORD_CHARS || mayOpen(text.slice(start, end)) ? OPENS : 0;
    if (isSmallWord(hash)) {
      this.#flags[number] = opens | SMALL;
      return;
    }
    this.#flags[number] = opens;
    this.#lengths[number] = end - start;
    if (this.#lettersUsed + end - start > this.#letters.length) this.#growLetters();
    for (let at = start; at < end; at += 1) this.#letters[this.#lettersUsed + at - start] = text.charCodeAt(at);
    this.#lettersUsed += end - start;
  }

  #grow(): void {
    const { length } = this.#counts;
    const [counts, flags, lengths] = [this.#counts, this.#flags, this.#lengths];
    this.#counts = new Int32Array(length * 2);
    this.#counts.set(counts);
    this.#flags = new Uint8Array(length * 2);
    this.#flags.set(flags);
    this.#lengths = new Uint8Array(length * 2);
    this.#lengths.set(lengths);
  }

  #growLetters(): void {
    const letters = this.#letters;
    this.#letters = new Uint16Array(letters.length * 2);
    this.#letters.set(letters);
  }

  #giveBack(): void {
    this.#counts = new Int32Array(FIRST_WORDS);
    this.#flags = new Uint8Array(FIRST_WORDS);
    this.#lengths = new Uint8Array(FIRST_WORDS);
    this.#letters = new Uint16Array(FIRST_LETTERS);
  }
}

/** The `limit` heaviest words, by frequency here and rarity elsewhere; the heaviest has weight 1. */
export function keywordsOf(
  { hashes, counts, lengths, letters }: Omit<WordList, 'compared'>,
  limit: number,
  rarityOf: (hash: number) => number,
): { term: string; weight: number }[] {
  const weighed: { start: number; length: number; weight: number }[] = [];
  let start = 0;
  for (let number = 0; number < hashes.length; number += 1) {
    const length = lengths[number] ?? 0;
    const count = counts[number] ?? 0;
    if (count > 0) weighed.push({ start, length, weight: (1 + Math.log(count)) * rarityOf(hashes[number] ?? 0) });
    start += length;
  }
  const best = weighed.sort((one, other) => other.weight - one.weight).slice(0, limit);
  const heaviest = best[0]?.weight ?? 1;
  return best.map(({ start: from, length, weight }) => ({
    term: String.fromCharCode(...letters.subarray(from, from + length)),
    weight: Math.round((weight / heaviest) * 1000) / 1000,
  }));
}

/** The hash that identifies a word. */
export function wordHash(lowerWord: string): number {
  return hashText(lowerWord);
}
