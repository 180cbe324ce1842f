/**
 * Scores of extracted text. Articles: the metric of the public article-extraction benchmark (shingles of four tokens,
 * each page with the same weight). Manuals: the share of the words that were kept.
 */

const SHINGLE_TOKENS = 4;

/** Letters, digits and underscores, as `\w` of the benchmark's own script. */
const TOKEN = /[\p{L}\p{N}_]+/gu;

export interface Scores {
  f1: number;
  precision: number;
  recall: number;
}

interface PageScore {
  precision: number | null;
  recall: number | null;
}

/** Mean precision and recall over the pages, and the F1 of the two means. */
export function scoresOf(pages: readonly { truth: string; found: string }[]): Scores {
  const scores = pages.map(({ truth, found }) => pageScore(truth, found));
  const precision = mean(scores.flatMap((score) => score.precision ?? []));
  const recall = mean(scores.flatMap((score) => score.recall ?? []));
  return { precision, recall, f1: (2 * precision * recall) / (precision + recall) };
}

/** Null where the benchmark does not count the page: nothing was found, or there is nothing to find. */
export function pageScore(truth: string, found: string): PageScore {
  const expected = countsOf(shinglesOf(truth));
  const given = countsOf(shinglesOf(found));
  let common = 0;
  for (const [shingle, count] of expected) common += Math.min(count, given.get(shingle) ?? 0);
  const [all, chosen] = [sumOf(expected), sumOf(given)];
  return { precision: chosen === 0 ? null : common / chosen, recall: all === 0 ? null : common / all };
}

/** The share of the reference's words that the text has. */
export function wordsKept(reference: string, text: string): number {
  const expected = countsOf(tokensOf(reference));
  const given = countsOf(tokensOf(text));
  let kept = 0;
  for (const [word, count] of expected) kept += Math.min(count, given.get(word) ?? 0);
  const all = sumOf(expected);
  return all === 0 ? 1 : kept / all;
}

export function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

function tokensOf(text: string): string[] {
  return text.match(TOKEN) ?? [];
}

function shinglesOf(text: string): string[] {
  const tokens = tokensOf(text);
  if (tokens.length === 0) return [];
  const count = Math.max(1, tokens.length - SHINGLE_TOKENS + 1);
  return Array.from({ length: count }, (_, at) => tokens.slice(at, at + SHINGLE_TOKENS).join(' '));
}

function countsOf(values: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  return counts;
}

function sumOf(counts: ReadonlyMap<string, number>): number {
  return counts.values().reduce((sum, count) => sum + count, 0);
}
