/** The words of one page, counted once for all who ask: keywords, rarity across the site, topics. */

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

/** A longer run is cut: what stands without spaces is no word. The last character may be a pair of code units. */
const MAX_WORD_CHARS = 40;

/** What a word goes on with. */
const IN_WORD = BEGINS_WORD | MARK | JOINER;

/** A word is passed over by everybody: one of the small words of some language. */
const SMALL = 1;

/** It stands in what the site is compared by. */
const COMPARED = 2;

/** A wording that addresses a model may begin in it. */
const OPENS = 4;

const TEXT_WEIGHT = 1;

const FIRST_WORDS = 1 << 10;

const FIRST_LETTERS = FIRST_WORDS << 3;

/** What a page of more words took is given back with the next page. */
const KEPT_WORDS = 1 << 14;

/** The different words of a page, by number, in plain memory; small words are left out. */
export interface WordList {
  hashes: Int32Array;
  /** How often each is in the page's text, with what titles and headings add; 0 for those that are only compared. */
  counts: Int32Array;
  /** 1 for the words by which the site's pages are compared, which those of its titles need not be. */
  compared: Uint8Array;
  /** Code units of each word in `letters`. */
  lengths: Uint8Array;
  letters: Uint16Array;
}

/** Counts the words of one page after the other in the same memory. */
export class PageWords {
  readonly #numbers = new HashNumbers();
  // By the word's number.
  #counts = new Int32Array(FIRST_WORDS);
  #flags = new Uint8Array(FIRST_WORDS);
  #lengths = new Uint8Array(FIRST_WORDS);
  #letters = new Uint16Array(FIRST_LETTERS);
  #lettersUsed = 0;
  #wordsInAll = 0;
  #openers: Place[] = [];

  /** Begins anew with the words of a page's text, in lower case; numbers are passed over. */
  read(lowerText: string): void {
    this.#numbers.clear();
    if (this.#counts.length > KEPT_WORDS) this.#giveBack();
    this.#lettersUsed = 0;
    this.#openers = [];
    this.#wordsInAll = this.#count(lowerText, TEXT_WEIGHT, COMPARED);
  }

  /** All words of the text, as countWords counts them. */
  get wordsInAll(): number {
    return this.#wordsInAll;
  }

  /** Where the words stand in the text in which a wording that addresses a model may begin. */
  get openers(): readonly Place[] {
    return this.#openers;
  }

  /** Words of a title or heading count `weight` times more. */
  addWeight(text: string, weight: number): void {
    this.#count(text.toLowerCase(), weight, 0);
  }

  /** Words that the page's text does not have, and that the site's pages are compared by nevertheless. */
  addCompared(text: string): void {
    this.#count(text.toLowerCase(), 0, COMPARED);
  }

  /** Occurrences of a word, given by its hash, in the text. */
  often(hash: number): number {
    const number = this.#numbers.find(hash);
    return number === null ? 0 : (this.#counts[number] ?? 0);
  }

  /** All words so far, in the order in which they first came. */
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

  /** Counts the different words of a text, and gives how many there are between its spaces. */
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
    // What was cut may hold the beginning of a word that its end is missing from.
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

/** The `limit` heaviest words, by how often they are here and how rare elsewhere; the heaviest weighs 1. */
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

/** The hash by which a word is known. */
export function wordHash(lowerWord: string): number {
  return hashText(lowerWord);
}
