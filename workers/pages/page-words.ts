/** The words of a page, counted once for keywords, rarity across the site, and topics. */

import { isSmallWord } from './language.ts';

/** At least two characters. Longer runs are cut: text without spaces is no word. */
const WORD = /[\p{L}\p{N}][\p{L}\p{N}\p{M}'\-_\u2019]{1,39}/gu;

const NUMBER = /^[0-9]+$/;

export interface PageWord {
  term: string;
  /** Frequency in the page's text plus the weight of titles and headings; 0 for words used only for comparison. */
  count: number;
  /** True for words by which the site's pages are compared; words of titles alone are not. */
  isCompared: boolean;
}

/** The distinct words of a page in lower case, in order of first occurrence. Numbers and stop words are left out. */
export class PageWords {
  readonly #words = new Map<string, PageWord>();

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

  wordFrequency(word: string): number {
    return this.#words.get(word)?.count ?? 0;
  }

  listPageWords(): PageWord[] {
    return [...this.#words.values()];
  }

  #countPageWords(text: string, weight: number, isCompared: boolean): void {
    for (const [term] of text.toLowerCase().matchAll(WORD)) {
      let word = this.#words.get(term);
      if (word === undefined) {
        if (NUMBER.test(term) || isSmallWord(term)) continue;
        word = { term, count: 0, isCompared: false };
        this.#words.set(term, word);
      }
      word.count += weight;
      word.isCompared ||= isCompared;
    }
  }
}

/** The `limit` heaviest words, by frequency here and rarity elsewhere; the heaviest has weight 1. */
export function keywordsOf(
  words: readonly PageWord[],
  limit: number,
  rarityOf: (word: string) => number,
): { term: string; weight: number }[] {
  const best = words
    .filter(({ count }) => count > 0)
    .map(({ term, count }) => ({ term, weight: (1 + Math.log(count)) * rarityOf(term) }))
    .sort((one, other) => other.weight - one.weight)
    .slice(0, limit);
  const heaviest = best[0]?.weight ?? 1;
  return best.map(({ term, weight }) => ({ term, weight: Math.round((weight / heaviest) * 1000) / 1000 }));
}
