import type { SearchAnswer, SearchFilter, SearchHit } from '../contract/search.ts';
import type { Storage } from '../storage/connection.ts';
import { chunksBySeq, matchText, type SearchChunkRow } from '../storage/search-reader.ts';
import { baseLanguage, PUBLIC_ACCOUNT } from './scope.ts';
import { snippetOf } from './snippet.ts';
import { expressionOf, queryWords, scopeWord } from './words.ts';

/** Dampens the difference between the first ranks (reciprocal rank fusion). */
const RANK_CONSTANT = 60;

export interface SearchQuery {
  query: string;
  limit: number;
  filter: SearchFilter;
}

/** Finds chunks of an account, and approved contributions; `legs` says which ways of searching took part. */
export async function search(storage: Storage, accountId: string, query: SearchQuery): Promise<SearchAnswer> {
  const words = queryWords(query.query);
  if (words.length === 0) return { results: [], legs: ['lexical'] };
  const seqs = await lexicalLeg(storage, words, scopesOf(accountId, query.filter), query.limit);
  const rows = new Map((await chunksBySeq(storage.db, seqs)).map((row) => [row.seq, row]));
  const results = seqs.flatMap((seq, index) => {
    const row = rows.get(seq);
    return row === undefined ? [] : [present(row, words, RANK_CONSTANT / (RANK_CONSTANT + index))];
  });
  return { results, legs: ['lexical'] };
}

/** Chunks with all of the words come first; those with some of them only where there are too few. */
async function lexicalLeg(
  storage: Storage,
  words: readonly string[],
  scopes: readonly (readonly string[])[],
  limit: number,
): Promise<number[]> {
  const all = await matchText(storage.db, expressionOf(words, 'and', scopes), limit);
  if (all.length >= limit || words.length === 1) return all;
  const some = await matchText(storage.db, expressionOf(words, 'or', scopes), limit);
  return [...new Set([...all, ...some])].slice(0, limit);
}

function scopesOf(accountId: string, { jobType, jobId, language, kind }: SearchFilter): string[][] {
  const scopes = [[scopeWord('account', accountId), scopeWord('account', PUBLIC_ACCOUNT)]];
  if (jobId !== undefined) scopes.push([scopeWord('job', jobId)]);
  if (jobType !== undefined) scopes.push([scopeWord('type', jobType)]);
  if (language !== undefined) scopes.push([scopeWord('language', baseLanguage(language))]);
  if (kind !== undefined) scopes.push([scopeWord('kind', kind)]);
  return scopes;
}

function present(row: SearchChunkRow, words: readonly string[], score: number): SearchHit {
  const { text, highlights } = snippetOf(row.text, words);
  return {
    chunkId: row.chunk_id,
    jobId: row.job_id,
    text: row.text,
    ...(row.original_text === null ? {} : { originalText: row.original_text }),
    score: Math.round(score * 10_000) / 10_000,
    snippet: text,
    highlights,
    page: row.page,
    heading: row.heading,
    ...(row.start_seconds === null ? {} : { startSeconds: row.start_seconds }),
    sourceName: row.source_name,
    url: row.url,
    kind: row.kind,
  };
}
