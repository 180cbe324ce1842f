/** The words of one page, counted once for all who ask: keywords, rarity across the site, topics. */
import { codeUnits, HASH_SEED, hashStep, hashText, mixBits } from '../../src-server/lib/text-hash.ts';
import { BEGINS_WORD, classAt, DIGIT, JOINER, MARK, PAIR, unitsOf } from '../documents/character-classes.ts';
import { HashNumbers } from './hash-numbers.ts';
import { isSmallWord } from './language.ts';

const MIN_WORD_CHARS = 2;
/** A longer run is cut: what stands without spaces is no word. */
const MAX_WORD_CHARS = 40;
/** What a word goes on with. */
const IN_WORD = BEGINS_WORD | MARK | JOINER;

interface WordPlace {
  /** Where it stands: cut out only when somebody wants to read it. */
  source: string;
  start: number;
  end: number;
  /** In the page's text. */
  often: number;
  /** What titles and headings add. */
  weight: number;
}

export class PageWords {
  readonly #numbers = new HashNumbers();
  /** By the word's number. */
  readonly #words: WordPlace[] = [];

  /** Words of a text in lower case; small words of any language and numbers are passed over. */
  constructor(lowerText: string) {
    eachWord(lowerText, (hash, start, end) => {
      this.#at(hash, lowerText, start, end).often += 1;
    });
  }

  /** Words of a title or heading count `weight` times more. */
  addWeight(text: string, weight: number): void {
    const lower = text.toLowerCase();
    eachWord(lower, (hash, start, end) => {
      this.#at(hash, lower, start, end).weight += weight;
    });
  }

  /** Occurrences of a word, given by its hash, in the text. */
  often(hash: number): number {
    const number = this.#numbers.find(hash);
    return number === null ? 0 : (this.#words[number]?.often ?? 0);
  }

  /** The `limit` heaviest words, by how often they are here and how rare elsewhere; the heaviest weighs 1. */
  keywords(limit: number, rarityOf: (hash: number) => number): { term: string; weight: number }[] {
    const hashes = this.#numbers.hashes();
    const weighed = this.#words.map((word, number) => ({
      word,
      weight: (1 + Math.log(word.often + word.weight)) * rarityOf(hashes[number] ?? 0),
    }));
    const best = weighed.sort((one, other) => other.weight - one.weight).slice(0, limit);
    const heaviest = best[0]?.weight ?? 1;
    return best.map(({ word: { source, start, end }, weight }) => ({
      term: source.slice(start, end),
      weight: Math.round((weight / heaviest) * 1000) / 1000,
    }));
  }

  #at(hash: number, source: string, start: number, end: number): WordPlace {
    const number = this.#numbers.add(hash);
    const known = this.#words[number];
    if (known !== undefined) return known;
    const word = { source, start, end, often: 0, weight: 0 };
    this.#words.push(word);
    return word;
  }
}

/** Hashes of the different words of a text in lower case. */
export function wordHashes(lowerText: string): Int32Array {
  different.clear();
  eachWord(lowerText, addDifferent);
  return different.hashes().slice();
}

const different = new HashNumbers();
const addDifferent = (hash: number): void => {
  different.add(hash);
};

/** The hash `PageWords` knows a word by. */
export function wordHash(lowerWord: string): number {
  return hashText(lowerWord);
}

function eachWord(text: string, visit: (hash: number, start: number, end: number) => void): void {
  const units = codeUnits(text);
  const { length } = text;
  let at = 0;
  while (at < length) {
    const start = at;
    let flags = classAt(units, at);
    if ((flags & BEGINS_WORD) === 0) {
      at += unitsOf(flags);
      continue;
    }
    let hash = HASH_SEED;
    let inAll = DIGIT;
    do {
      inAll &= flags;
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
    if (!isSmallWord(hash)) visit(hash, start, at);
  }
}
