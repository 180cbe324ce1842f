import { createReadStream } from 'node:fs';
import type { Chunk } from '../../src-server/operation.ts';
import { itemAt } from '../../src-server/platform/item-at.ts';
import { parseOwnJson } from '../../src-server/platform/own-json.ts';
import type { TaskContext } from '../../src-server/platform/pool/worker-pool.ts';
import { jsonLines } from '../../src-server/platform/text/json.ts';
import { say } from '../../src-server/platform/text/say.ts';
import { isUnspaced } from '../../src-server/platform/text/words.ts';
import type { FieldQuery, Passage, RankPassagesInput, RankPassagesOutput } from './tasks.ts';

const STAGE = 'reading-fields';

/** Chunks between two checks for cancellation. */
const TICK_CHUNKS = 500;

/** A number raises a passage less than a word does. */
const DIGIT_SCORE = 0.2;

const WORD = /[\p{L}\p{N}]+/gu;

const DIGIT = /\p{N}/u;

interface Ranked {
  index: number;
  score: number;
  length: number;
}

/**
 * Selects the passages for each field: by the words of its name and description, rare words first. Reads the chunks
 * twice, because the weight of a word is known only at the end. Without any match the beginning of the text is read.
 */
export async function rankPassages(
  { chunksPath, queries, wholeCharactersMax }: RankPassagesInput,
  { signal, progress }: TaskContext,
): Promise<RankPassagesOutput> {
  const best = queries.map((query) => new Best(query));
  const wanted = new Set(best.flatMap(({ words }) => words));
  const withWord = new Map<string, number>();
  let count = 0;
  let characters = 0;
  const reportFieldSearch = () => {
    progress(0, STAGE, say`Looking for the fields`);
    signal.throwIfAborted();
  };
  for await (const { text, heading = '' } of readChunkLines(chunksPath)) {
    for (const word of comparableWords(`${heading} ${text}`)) {
      if (wanted.has(word)) withWord.set(word, (withWord.get(word) ?? 0) + 1);
    }
    count += 1;
    characters += text.length;
    if (count % TICK_CHUNKS === 0) reportFieldSearch();
  }
  const readsAll = characters <= wholeCharactersMax;
  const weightOf = (word: string) => Math.log(1 + count / (withWord.get(word) ?? count));
  let index = 0;
  for await (const chunk of readChunkLines(chunksPath)) {
    // A text that is read as a whole keeps its order.
    const words = readsAll ? new Set<string>() : comparableWords(`${chunk.heading ?? ''} ${chunk.text}`);
    for (const one of best) one.offerPassage(chunk.text, words, index, weightOf);
    index += 1;
    if (index % TICK_CHUNKS === 0) reportFieldSearch();
  }
  const kept = [...new Set(best.flatMap((one) => one.rankedPassageIndexes()))].sort((a, b) => a - b);
  const placeOf = new Map(kept.map((at, place) => [at, place]));
  return {
    passages: await passagesAt(chunksPath, placeOf),
    ranked: best.map((one) => one.rankedPassageIndexes().flatMap((at) => placeOf.get(at) ?? [])),
    left: best.map(({ left }) => left),
  };
}

/** The best passages of a query within a bound on their characters. */
class Best {
  left = 0;
  readonly words: readonly string[];
  readonly #hasDigits: boolean;
  readonly #charactersMax: number;
  #ranked: Ranked[] = [];
  #characters = 0;

  constructor({ about, hasDigits, charactersMax }: FieldQuery) {
    this.words = [...comparableWords(about)];
    this.#hasDigits = hasDigits;
    this.#charactersMax = charactersMax;
  }

  offerPassage(text: string, words: ReadonlySet<string>, index: number, weightOf: (word: string) => number): void {
    const score = words.size === 0 ? 0 : this.#scoreOf(text, words, weightOf);
    let at = this.#ranked.length;
    while (at > 0 && itemAt(this.#ranked, at - 1).score < score) at -= 1;
    if (at === this.#ranked.length && this.#characters >= this.#charactersMax) {
      if (score >= 1) this.left += 1;
      return;
    }
    this.#ranked.splice(at, 0, { index, score, length: text.length });
    this.#characters += text.length;
    for (let last = this.#ranked.at(-1); last !== undefined; last = this.#ranked.at(-1)) {
      if (this.#ranked.length === 1 || this.#characters - last.length < this.#charactersMax) return;
      this.#ranked.pop();
      this.#characters -= last.length;
      if (last.score >= 1) this.left += 1;
    }
  }

  rankedPassageIndexes(): number[] {
    return this.#ranked.map(({ index }) => index);
  }

  #scoreOf(text: string, words: ReadonlySet<string>, weightOf: (word: string) => number): number {
    let score = 0;
    for (const word of this.words) if (words.has(word)) score += 1 + weightOf(word);
    return score + (this.#hasDigits && DIGIT.test(text) ? DIGIT_SCORE : 0);
  }
}

async function* readChunkLines(path: string): AsyncGenerator<Chunk> {
  for await (const line of jsonLines(createReadStream(path, 'utf8'))) yield parseOwnJson<Chunk>(line);
}

async function passagesAt(path: string, placeOf: ReadonlyMap<number, number>): Promise<Passage[]> {
  const passages: Passage[] = [];
  let index = 0;
  for await (const { id, page, startSeconds, endSeconds, text, speaker } of readChunkLines(path)) {
    const seconds = startSeconds ?? null;
    if (placeOf.has(index)) passages.push({ chunkId: id, page, seconds, endSeconds, text, speaker });
    index += 1;
  }
  return passages;
}

/**
 * Words for comparison: lower case, without marks on letters and without the plural `s`; single characters in scripts
 * without spaces.
 */
function comparableWords(text: string): Set<string> {
  const plain = text
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')
    .toLowerCase();
  const words = new Set<string>();
  for (const [word] of plain.matchAll(WORD)) {
    if (isUnspaced(word)) for (const character of word) words.add(character);
    else words.add(word.length > 3 ? word.replace(/s$/, '') : word);
  }
  return words;
}
