/** The words of a page, counted once for keywords, rarity across the site, and topics. */

import { classAt, DIGIT, PAIR, WORD_PART, WORD_START } from '../../src-server/platform/text/character-classes.ts';
import { hashRange, hashText } from '../../src-server/platform/text/hash.ts';
import { isSmallWord } from './language.ts';

const MIN_WORD_CHARS = 2;

/** Longer runs are cut: text without spaces is no word. */
const MAX_WORD_CHARS = 40;

/** The distinct words of a page in lower case, in order of first occurrence. Numbers and stop words are left out. */
export interface WordList {
  /** Joined by blanks. */
  terms: string;
  /** By hashText. */
  hashes: Int32Array;
  /** Frequency in the page's text plus the weight of titles and headings; 0 for words used only for comparison. */
  counts: Int32Array;
  /** 1 for words by which the site's pages are compared; words of titles alone are not. */
  compared: Uint8Array;
}

interface CountedWord {
  term: string;
  hash: number;
  count: number;
  isCompared: boolean;
  isSmall: boolean;
}

export class PageWords {
  /** By hash, or by the next free number after it. */
  readonly #words = new Map<number, CountedWord>();

  constructor(text: string) {
    this.#countPageWords(text, 1, true);
  }

  /** Adds `weight` per word of a title or heading. */
  addWeight(text: string, weight: number): void {
    this.#countPageWords(text, weight, false);
  }

  /** Adds words for comparison that are not in the page's text. */
  addCompared(text: string): void {
    this.#countPageWords(text, 0, true);
  }

  /** Frequency of a word in lower case; 0 for numbers and stop words. */
  wordFrequency(word: string): number {
    const known = this.#words.get(this.#keyOf(word, 0, word.length));
    return known === undefined || known.isSmall ? 0 : known.count;
  }

  listPageWords(): WordList {
    const words = Array.from(this.#words.values()).filter(({ isSmall }) => !isSmall);
    return {
      terms: words.map(({ term }) => term).join(' '),
      hashes: Int32Array.from(words, ({ hash }) => hash),
      counts: Int32Array.from(words, ({ count }) => count),
      compared: Uint8Array.from(words, ({ isCompared }) => (isCompared ? 1 : 0)),
    };
  }

  #countPageWords(text: string, weight: number, isCompared: boolean): void {
    const lower = text.toLowerCase();
    let at = 0;
    while (at < lower.length) {
      const start = at;
      let flags = classAt(lower, at);
      at += (flags & PAIR) === 0 ? 1 : 2;
      if ((flags & WORD_START) === 0) continue;
      let inAll = flags;
      let chars = 1;
      for (; at < lower.length && chars < MAX_WORD_CHARS; chars += 1) {
        flags = classAt(lower, at);
        if ((flags & (WORD_START | WORD_PART)) === 0) break;
        inAll &= flags;
        at += (flags & PAIR) === 0 ? 1 : 2;
      }
      const isNumber = (inAll & DIGIT) !== 0;
      if (chars < MIN_WORD_CHARS || isNumber) continue;
      const word = this.#wordAt(lower, start, at);
      word.count += weight;
      word.isCompared ||= isCompared;
    }
  }

  #wordAt(lower: string, start: number, end: number): CountedWord {
    const key = this.#keyOf(lower, start, end);
    const known = this.#words.get(key);
    if (known !== undefined) return known;
    const term = lower.slice(start, end);
    const word = { term, hash: hashText(term), count: 0, isCompared: false, isSmall: isSmallWord(term) };
    this.#words.set(key, word);
    return word;
  }

  /** The number of a word in the map, or a free one. */
  #keyOf(text: string, start: number, end: number): number {
    let key = hashRange(text, start, end);
    for (;;) {
      const term = this.#words.get(key)?.term;
      if (term === undefined || (term.length === end - start && text.startsWith(term, start))) return key;
      key = (key + 1) | 0;
    }
  }
}

/** The `limit` heaviest words, by frequency here and rarity elsewhere; the heaviest has weight 1. */
export function keywordsOf(
  { terms, hashes, counts }: WordList,
  limit: number,
  rarityOf: (hash: number) => number,
): { term: string; weight: number }[] {
  const weighed: { place: number; weight: number }[] = [];
  for (const [place, hash] of hashes.entries()) {
    const count = counts[place] ?? 0;
    if (count > 0) weighed.push({ place, weight: (1 + Math.log(count)) * rarityOf(hash) });
  }
  const best = weighed.sort((one, other) => other.weight - one.weight).slice(0, limit);
  const heaviest = best[0]?.weight ?? 1;
  const all = terms.split(' ');
  return best.map(({ place, weight }) => ({
    term: all[place] ?? '',
    weight: Math.round((weight / heaviest) * 1000) / 1000,
  }));
}
