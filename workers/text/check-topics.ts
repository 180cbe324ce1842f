/**
 * Whether topics help a search, and how much they may count: from some chunks a few words in a row are held out before
 * topics are learned. Asked by these words, a search should find the rest of the chunk; words alone find it at some
 * place, and words with topics at a better or worse one.
 */

import { type ChunkTerms, type Dense, denseRow } from './matrix.ts';
import type { TopicSpace } from './tasks.ts';

/** Weights of topics beside that of words, which is 1: topics never outweigh them. */
const WEIGHTS: readonly number[] = [0.125, 0.25, 0.5, 1];

/** What topics count where too few chunks can be asked for: they only add to what words find. */
const UNCHECKED_WORTH = 0.25;

const HELD_MAX = 250;

/** Of fewer answers chance decides. */
const HELD_MIN = 100;

/** Standard errors by which the mean has to be above 0. */
const SURE_ERRORS = 2;

/** Share of the chunks from which words are held out. */
const HELD_SHARE = 0.15;

const SPAN_TERMS = 6;

/** A chunk with fewer terms tells nothing without the words that are held out. */
const TERMS_MIN = 12;

/** First results of words and of topics that are fused, as a search does. */
const DEPTH = 100;

const RANK_CONSTANT = 5;

/** BM25, as the full-text index ranks. */
const SATURATION = 1.2;

const LENGTH_SHARE = 0.75;

interface Span {
  row: number;
  terms: readonly number[];
}

/** Takes a few words in a row from some chunks. */
export function holdOutSpans(all: ChunkTerms, random: () => number): { kept: ChunkTerms; spans: Span[] } {
  const counts = all.counts.slice();
  const spans: Span[] = [];
  const rows = all.starts.length - 1;
  const wanted = Math.min(HELD_MAX, Math.floor(rows * HELD_SHARE));
  const stride = rows / Math.max(1, wanted);
  const fraction = () => (random() + 1) / 2;
  for (let held = 0; held < wanted; held += 1) {
    const row = Math.min(rows - 1, Math.floor((held + fraction()) * stride));
    const [from = 0, to = 0] = [all.starts[row], all.starts[row + 1]];
    if (to - from < TERMS_MIN || spans.at(-1)?.row === row) continue;
    const first = from + Math.floor(fraction() * (to - from - SPAN_TERMS));
    const places = Array.from({ length: SPAN_TERMS }, (_, at) => first + at);
    for (const at of places) counts[at] = (counts[at] ?? 1) - 1;
    spans.push({ row, terms: places.map((at) => all.indexes[at] ?? 0) });
  }
  return { kept: { ...all, counts }, spans };
}

/**
 * The largest weight with which a search finds better than by words alone, by more than chance; 0 where none does.
 */
export function worthOfTopics(
  kept: ChunkTerms,
  spans: readonly Span[],
  space: Omit<TopicSpace, 'cells'>,
  chunks: Dense,
): number {
  if (spans.length < HELD_MIN) return UNCHECKED_WORTH;
  const ranker = new WordRanker(kept);
  const gains = WEIGHTS.map((): number[] => []);
  for (const { row, terms } of spans) {
    const byWords = firstRows(ranker.scoreRows(terms));
    const byTopics = firstRows(nearnessToTerms(terms, space, chunks));
    const alone = gradeOf(row, byWords, byTopics, 0);
    for (const [at, weight] of WEIGHTS.entries()) gains[at]?.push(gradeOf(row, byWords, byTopics, weight) - alone);
  }
  return WEIGHTS.findLast((_, at) => isGain(gains[at] ?? [])) ?? 0;
}

/** Whether the mean is above 0 by more than chance. */
function isGain(gains: readonly number[]): boolean {
  const mean = gains.reduce((sum, gain) => sum + gain, 0) / gains.length;
  const variance = gains.reduce((sum, gain) => sum + (gain - mean) ** 2, 0) / gains.length;
  return mean > 0 && mean >= SURE_ERRORS * Math.sqrt(variance / gains.length);
}

/** 1 where the row is the first of the fused results, less the later it comes, 0 where it is none. */
function gradeOf(
  row: number,
  byWords: ReadonlyMap<number, number>,
  byTopics: ReadonlyMap<number, number>,
  weight: number,
): number {
  const scoreOf = (one: number) => {
    const [words, topics] = [byWords.get(one), byTopics.get(one)];
    const share = (place: number | undefined) => (place === undefined ? 0 : RANK_CONSTANT / (RANK_CONSTANT + place));
    return share(words) + weight * share(topics);
  };
  const own = scoreOf(row);
  if (own === 0) return 0;
  let place = 0;
  for (const other of new Set([...byWords.keys(), ...byTopics.keys()]))
    if (other !== row && scoreOf(other) >= own) place += 1;
  return 1 / Math.log2(place + 2);
}

/** The rows with the largest scores above 0, with their places. */
function firstRows(scores: Float64Array): Map<number, number> {
  const rows = Array.from(scores.keys()).filter((row) => (scores[row] ?? 0) > 0);
  rows.sort((one, other) => (scores[other] ?? 0) - (scores[one] ?? 0));
  return new Map(rows.slice(0, DEPTH).map((row, place) => [row, place]));
}

function nearnessToTerms(terms: readonly number[], space: Omit<TopicSpace, 'cells'>, chunks: Dense): Float64Array {
  const { dimensions, weights, vectors } = space;
  const query = new Float64Array(dimensions);
  for (const term of terms) {
    for (let at = 0; at < dimensions; at += 1) {
      query[at] = (query[at] ?? 0) + Math.LN2 * (weights[term] ?? 0) * (vectors[term * dimensions + at] ?? 0);
    }
  }
  return Float64Array.from({ length: chunks.rows }, (_, row) => {
    let sum = 0;
    for (const [at, value] of denseRow(chunks, row).entries()) sum += value * (query[at] ?? 0);
    return sum;
  });
}

/** Ranks rows by their terms with BM25. */
class WordRanker {
  readonly #rows: number;
  readonly #lengths: Float64Array;
  readonly #meanLength: number;
  /** Of each term, the rows that have it and how often. */
  readonly #places: (readonly [row: number, count: number])[][];

  constructor({ terms, starts, indexes, counts }: ChunkTerms) {
    this.#rows = starts.length - 1;
    this.#lengths = new Float64Array(this.#rows);
    this.#places = Array.from({ length: terms }, () => []);
    let total = 0;
    for (let row = 0; row < this.#rows; row += 1) {
      for (let at = starts[row] ?? 0; at < (starts[row + 1] ?? 0); at += 1) {
        const count = counts[at] ?? 0;
        if (count === 0) continue;
        this.#lengths[row] = (this.#lengths[row] ?? 0) + count;
        this.#places[indexes[at] ?? 0]?.push([row, count]);
        total += count;
      }
    }
    this.#meanLength = total / Math.max(1, this.#rows);
  }

  scoreRows(terms: readonly number[]): Float64Array {
    const scores = new Float64Array(this.#rows);
    for (const term of terms) {
      const places = this.#places[term] ?? [];
      const rarity = Math.log(1 + (this.#rows - places.length + 0.5) / (places.length + 0.5));
      for (const [row, count] of places) {
        const length = 1 - LENGTH_SHARE + (LENGTH_SHARE * (this.#lengths[row] ?? 0)) / this.#meanLength;
        scores[row] = (scores[row] ?? 0) + (rarity * count * (SATURATION + 1)) / (count + SATURATION * length);
      }
    }
    return scores;
  }
}
