/** The words of one page, counted once for all who ask: keywords, rarity across the site, topics. */
import { codeUnits, HASH_SEED, hashStep, hashText, mixBits } from '../../src-server/lib/text-hash.ts';
import { BEGINS_WORD, classAt, DIGIT, MARK, unitsAt } from '../documents/character-classes.ts';
import { isSmallWord } from './language.ts';

const MIN_WORD_CHARS = 2;
/** A longer run is cut: what stands without spaces is no word. */
const MAX_WORD_CHARS = 40;
interface WordCount {
  hash: number;
  /** In the page's text. */
  often: number;
  /** What titles and headings add. */
  weight: number;
  /** Where it stands: cut out only when somebody wants to read it. */
  source: string;
  start: number;
  end: number;
}

export class PageWords {
  readonly #counts = new Map<number, WordCount>();

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
    return this.#counts.get(hash)?.often ?? 0;
  }

  /** The `limit` heaviest words, by how often they are here and how rare elsewhere; the heaviest weighs 1. */
  keywords(limit: number, rarityOf: (hash: number) => number): { term: string; weight: number }[] {
    const weighed = [...this.#counts.values()].map((word) => ({
      word,
      weight: (1 + Math.log(word.often + word.weight)) * rarityOf(word.hash),
    }));
    const best = weighed.sort((one, other) => other.weight - one.weight).slice(0, limit);
    const heaviest = best[0]?.weight ?? 1;
    return best.map(({ word: { source, start, end }, weight }) => ({
      term: source.slice(start, end),
      weight: Math.round((weight / heaviest) * 1000) / 1000,
    }));
  }

  #at(hash: number, source: string, start: number, end: number): WordCount {
    const known = this.#counts.get(hash);
    if (known !== undefined) return known;
    const count = { hash, often: 0, weight: 0, source, start, end };
    this.#counts.set(hash, count);
    return count;
  }
}

/** The different words of a text in lower case, by their hashes. */
export function wordHashes(lowerText: string): Set<number> {
  const hashes = new Set<number>();
  eachWord(lowerText, (hash) => hashes.add(hash));
  return hashes;
}

/** The hash `PageWords` knows a word by. */
export function wordHash(lowerWord: string): number {
  return hashText(lowerWord);
}

function eachWord(text: string, visit: (hash: number, start: number, end: number) => void): void {
  const units = codeUnits(text);
  let at = 0;
  while (at < text.length) {
    const start = at;
    let flags = classAt(units, at);
    if ((flags & BEGINS_WORD) === 0) {
      at += unitsAt(units, at);
      continue;
    }
    let hash = HASH_SEED;
    let inAll = DIGIT;
    do {
      inAll &= flags;
      for (const end = at + unitsAt(units, at); at < end; at += 1) hash = hashStep(hash, units[at] ?? 0);
      flags = at < text.length ? classAt(units, at) : 0;
    } while (at - start < MAX_WORD_CHARS && ((flags & (BEGINS_WORD | MARK)) !== 0 || isJoiner(units[at] ?? 0)));
    if (at - start < MIN_WORD_CHARS || inAll !== 0) continue;
    hash = mixBits(hash);
    if (!isSmallWord(hash)) visit(hash, start, at);
  }
}

/** Within words: `don't`, `l’eau`, `snake_case`, `self-made`. */
function isJoiner(unit: number): boolean {
  return unit === 0x27 || unit === 0x2d || unit === 0x5f || unit === 0x2019;
}
