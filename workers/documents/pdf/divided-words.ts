/** Hyphenation: whether the hyphen at a line's end divides a word or belongs to a compound. */

import type { IsWord } from '../ocr/word-list.ts';

/** Words of the document that are remembered. */
const WORDS_MAX = 300_000;

const WORD_CHARS_MAX = 60;

const WORD = /[\p{L}\p{M}]+(?:[-\u2010][\p{L}\p{M}]+)*/gu;

/** Words after a hyphen that stands for the end of a later word, as in `pre- and post-war`. */
const CONJUNCTION = /^(?:and|or|to|und|oder|bzw|sowie|et|ou|y|o|e)$/;

/** Particles and endings of Korean that are no words of their own. */
const KOREAN_ENDING = new RegExp(
  `^(?:${[
    '은|는|을|를|의|에|에서|에게|에는|으로|로|으로서|으로써|로서|로써|와|과|까지|부터|보다|처럼|만큼|조차|마저',
    '라도|이며|이고|이나|이라|이다|입니다|습니다|니다|었다|았다|였다',
  ].join('|')})$`,
);

/** A shorter end is seldom a word of a compound. */
const SECOND_CHARS_MIN = 3;

/** Endings of English words, which the list has as words of their own. */
const ENDING = new RegExp(
  `^(?:${[
    'ations?|itions?|tions?|sions?|ions?|ments?|ings?|ness|ably|able|ibly|ible|ary|aries|ory|ories|ally|ality|ity',
    'ities|ively|ive|ives|izes?|ises?|ized|ised|izing|ising|ances?|ences?|ants?|ents?|ures?|ously|ous',
    'isms?|ists?|ics?|tics?|ical|ically|als?|ers?|ors?|ed|est|ric|rics|ization|isation|ological|ology|ologies|ogy|omy',
    'urement|urements|ting|ted',
  ].join('|')})$`,
);

/** Prefixes that English writes together with their words; the others only in words that are known so. */
const BOUND_PREFIX = /^(?:inter|mis|un|dis|re|over|under|hyper|super|sub|trans|out|fore|micro|bi|de|en)$/;

const PREFIX = /^(?:pre|post|non|semi|anti|multi|co)$/;

export type Joint = 'joined' | 'hyphenated' | 'apart';

export interface DividedWord {
  /** What stands before the first part without a space, with its hyphen, as `state-` in `state-of-` and `the`. */
  before: string;
  first: string;
  second: string;
  /** A hyphen follows the second part. */
  goesOn: boolean;
}

export class DividedWords {
  /** Counts of the words inside lines, with their hyphens. */
  readonly #counts = new Map<string, number>();
  /** First parts of compounds. */
  readonly #firsts = new Set<string>();
  readonly #isWord: IsWord | null;

  /** `lines` are those of the document; `isWord` knows its language. */
  constructor(lines: Iterable<{ text: string }>, isWord: IsWord | null = null) {
    this.#isWord = isWord;
    for (const { text } of lines) {
      for (const [found] of text.matchAll(WORD)) if (found.length <= WORD_CHARS_MAX) this.#countWord(found);
      if (this.#counts.size >= WORDS_MAX) return;
    }
  }

  /** By the words of the document, then by the dictionary, then by compounds that begin alike. */
  jointOf({ before, first, second, goesOn }: DividedWord): Joint {
    const joined = wordKey(first + second);
    const hyphenated = `${wordKey(first)}-${wordKey(second)}`;
    const start = wordKey(before);
    const whole = this.#countOf(start + joined);
    const compound = this.#countOf(hyphenated) + (start === '' ? 0 : this.#countOf(start + hyphenated));
    if (whole > 0 || compound > 0) return compound >= whole ? 'hyphenated' : 'joined';
    if (CONJUNCTION.test(second) && !goesOn) return this.#isKnown(joined) ? 'joined' : 'apart';
    if (this.#isWord === null) {
      return start !== '' || goesOn || this.#firsts.has(wordKey(first)) ? 'hyphenated' : 'joined';
    }
    if (start !== '' && this.#isKnown(start + joined)) return 'joined';
    const areWords = !ENDING.test(second) && this.#isKnown(wordKey(first)) && this.#isKnown(wordKey(second));
    const prefix = wordKey(first);
    if (BOUND_PREFIX.test(prefix) || (PREFIX.test(prefix) && this.#isKnown(joined))) return 'joined';
    if (this.#isKnown(hyphenated) || (areWords && (start !== '' || goesOn))) return 'hyphenated';
    if (this.#isKnown(joined)) return 'joined';
    const isCompound = areWords && second.length >= SECOND_CHARS_MIN;
    return isCompound || this.#firsts.has(wordKey(first)) ? 'hyphenated' : 'joined';
  }

  /**
   * Whether the Korean syllables at a line's end and at the next one's start are one word: Korean divides words there
   * without a hyphen. True where the document has the whole, or where the second part stands in no text by itself.
   */
  isOneKoreanWord(first: string, second: string): boolean {
    return this.#countOf(first + second) > 0 || KOREAN_ENDING.test(second);
  }

  /** Whether a word that goes on with a capital, as `Sun-` and `Spider`, is written as one in the document. */
  isOneName(first: string, second: string): boolean {
    const name = wordKey(first + second);
    return this.#countOf(name) > this.#countOf(`${wordKey(first)}-${wordKey(second)}`);
  }

  #countWord(found: string): void {
    const word = wordKey(found);
    this.#counts.set(word, (this.#counts.get(word) ?? 0) + 1);
    const end = word.indexOf('-');
    if (end > 0) this.#firsts.add(word.slice(0, end));
  }

  #countOf(word: string): number {
    return this.#counts.get(word) ?? 0;
  }

  #isKnown(word: string): boolean {
    const isWord = this.#isWord;
    return isWord !== null && (isWord(word) || isWord(word.charAt(0).toUpperCase() + word.slice(1)));
  }
}

function wordKey(text: string): string {
  return text.toLowerCase().replaceAll('\u2010', '-');
}
