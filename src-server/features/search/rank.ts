import type { Db } from '../../platform/db/schema.ts';
import { lexicalLeg } from './lexical-leg.ts';
import type { SearchAnswer, SearchFilter, SearchHit } from './schema.ts';
import { baseLanguage, PUBLIC_ACCOUNT } from './scope.ts';
import { sharedJobs } from './search-shares.ts';
import { snippetOf } from './snippet.ts';
import { chunksBySeq, removedJobs, type SearchChunkRow } from './store.ts';
import { nearestChunks, type VectorQuery, type VectorReach } from './vectors.ts';
import { queryWords, type Scopes, scopeWord } from './words.ts';

/** Dampens the difference between the first ranks (reciprocal rank fusion). */
const RANK_CONSTANT = 60;
/** How far down each leg is read where two are fused: what is first in one may be late in the other. */
const FUSED_MIN = 50;
/** Jobs being removed from the index that a search is told of; the chunks of more are left out when they are shown. */
const REMOVED_TOLD = 100;

export type SearchLeg = SearchAnswer['legs'][number];

export interface SearchRequest {
  accountId: string;
  query: string;
  limit: number;
  filter: SearchFilter;
  lexical: boolean;
  /** The query's vector; null where meaning takes no part. */
  vector: VectorQuery | null;
}

/** A chunk and its score, a share of the best there could be. */
export type Ranked = readonly [seq: number, score: number];

/** Jobs of others that may be seen too, and those that nobody may see any more. */
interface Jobs {
  shared: readonly string[];
  removed: readonly string[];
}

/** The best chunks of one way of searching that the account may see, best first. */
export async function rank(db: Db, request: SearchRequest, leg: SearchLeg): Promise<number[]> {
  const { accountId, query, limit, lexical, vector } = request;
  const jobs: Jobs = { shared: await sharedJobs(db, accountId), removed: await removedJobs(db, REMOVED_TOLD) };
  const depth = lexical && vector !== null ? Math.max(limit, FUSED_MIN) : limit;
  if (leg === 'semantic') return vector === null ? [] : nearestChunks(db, vector, reachOf(request, jobs), depth);
  return lexicalLeg(db, query, scopesOf(request, jobs), depth);
}

/** Reciprocal rank fusion, as a share of what first place in every list would give. */
export function fuse(lists: readonly (readonly number[])[], limit: number): Ranked[] {
  const scores = new Map<number, number>();
  for (const list of lists) {
    for (const [index, seq] of list.entries()) {
      scores.set(seq, (scores.get(seq) ?? 0) + RANK_CONSTANT / (RANK_CONSTANT + index) / lists.length);
    }
  }
  return [...scores].sort(([, one], [, other]) => other - one).slice(0, limit);
}

/** Ranked chunks as they are answered; one that was removed meanwhile is left out. */
export async function show(db: Db, query: string, ranked: readonly Ranked[]): Promise<SearchHit[]> {
  const words = queryWords(query);
  const seqs = ranked.map(([seq]) => seq);
  const rows = new Map((await chunksBySeq(db, seqs)).map((row) => [row.seq, row]));
  return ranked.flatMap(([seq, score]) => {
    const row = rows.get(seq);
    return row === undefined ? [] : [present(row, words, score)];
  });
}

function scopesOf({ accountId, filter }: SearchRequest, { shared, removed }: Jobs): Scopes {
  const { jobType, jobId, language, kind } = filter;
  const within = [
    [
      scopeWord('account', accountId),
      scopeWord('account', PUBLIC_ACCOUNT),
      ...shared.map((id) => scopeWord('job', id)),
    ],
  ];
  if (jobId !== undefined) within.push([scopeWord('job', jobId)]);
  if (jobType !== undefined) within.push([scopeWord('type', jobType)]);
  if (language !== undefined) within.push([scopeWord('language', baseLanguage(language))]);
  if (kind !== undefined) within.push([scopeWord('kind', kind)]);
  return { within, without: removed.map((id) => scopeWord('job', id)) };
}

function reachOf({ accountId, filter }: SearchRequest, { shared, removed }: Jobs): VectorReach {
  const { jobId, language, jobType, kind } = filter;
  return {
    accountIds: [accountId, PUBLIC_ACCOUNT],
    sharedJobIds: shared,
    removedJobIds: removed,
    jobId,
    jobType,
    kind,
    language: language === undefined ? undefined : baseLanguage(language),
  };
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
