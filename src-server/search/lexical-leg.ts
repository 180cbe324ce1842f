import type { Db } from '../storage/schema.ts';
import { countMatches, matchText, newestMatches, seqRange } from '../storage/search-reader.ts';
import { expressionOf } from './words.ts';

/**
 * Matches that are ranked: the newest ones, where there are more. Ranking reads the length of every match, so this is
 * what bounds a search; finding them costs next to nothing.
 */
const RANKED_MAX = 10_000;
/** A word that more than this share of the index has says too little to be asked for beside others, or to rank by. */
const COMMON_SHARE = 1 / 3;

/** Each scope is a list of alternatives. */
export type Scopes = readonly (readonly string[])[];

interface Term {
  word: string;
  /** Chunks that have it; an estimate where they are many. */
  chunks: number;
}

/**
 * The best chunks by their words, as `seq`s, best first. Chunks with all of the words that tell something come first;
 * only where there are too few follow those with some of the rarer ones. Where all of several words are common ones,
 * nothing ranks the chunks that have them, and the newest come first.
 */
export async function lexicalLeg(db: Db, words: readonly string[], scopes: Scopes, limit: number): Promise<number[]> {
  const { terms, total } = await weigh(db, words);
  const telling = terms.filter(({ chunks }) => chunks <= Math.max(RANKED_MAX, total * COMMON_SHARE));
  if (telling.length === 0 && terms.length > 1) {
    return newestMatches(db, expressionOf(words, 'and', scopes), limit);
  }
  const asked = telling.length === 0 ? terms : telling;
  const all = await best(db, asked, 'and', scopes, limit);
  if (all.length >= limit || asked.length === 1) return all;
  const some = await best(db, rarest(asked), 'or', scopes, limit);
  return [...new Set([...all, ...some])].slice(0, limit);
}

/** The words, rarest first. */
async function weigh(db: Db, words: readonly string[]): Promise<{ terms: Term[]; total: number }> {
  const { first, last } = await seqRange(db);
  const total = last - first + 1;
  const terms: Term[] = [];
  for (const word of words) {
    const { chunks, lastSeq } = await countMatches(db, expressionOf([word], 'and', []), RANKED_MAX);
    // As dense in the rest of the index as in what was counted.
    const share = lastSeq === null ? 0 : chunks / (lastSeq - first + 1);
    terms.push({ word, chunks: chunks < RANKED_MAX ? chunks : Math.max(RANKED_MAX, Math.round(share * total)) });
  }
  return { terms: terms.sort((one, other) => one.chunks - other.chunks), total };
}

/** As many of the rarest words as can be ranked together, one at least. */
function rarest(terms: readonly Term[]): Term[] {
  const kept: Term[] = [];
  let chunks = 0;
  for (const term of terms) {
    chunks += term.chunks;
    if (kept.length > 0 && chunks > RANKED_MAX) break;
    kept.push(term);
  }
  return kept;
}

async function best(
  db: Db,
  terms: readonly Term[],
  how: 'and' | 'or',
  scopes: Scopes,
  limit: number,
): Promise<number[]> {
  const counts = terms.map(({ chunks }) => chunks);
  const most = how === 'and' ? Math.min(...counts) : counts.reduce((sum, count) => sum + count, 0);
  if (most === 0) return [];
  const words = terms.map(({ word }) => word);
  const expression = expressionOf(words, how, scopes);
  const [from = 0] = most <= RANKED_MAX ? [] : await newestMatches(db, expression, 1, RANKED_MAX - 1);
  return matchText(db, expression, from, limit);
}
