import type { Db } from '../../platform/db/database.ts';
import { correctQuery } from './corrections.ts';
import { countFacets } from './facets.ts';
import { expandQuery, queryWords } from './query-words.ts';
import type { SearchedJobs } from './queue.ts';
import type { Corrected, SearchAnswer, SearchFacets, SearchFilter, SearchHit } from './schema.ts';
import { type HighlightedWords, snippetOf } from './snippet.ts';
import {
  chunksBySeq,
  countByJob,
  countMatches,
  documentsOfChunks,
  type FactsFilter,
  factsFilter,
  type Matches,
  matchText,
  newestMatches,
  type SearchChunkRow,
  seqRange,
  withoutCopies,
} from './store.ts';
import { countVotes, movedTopics, nearestTopics } from './topic-search.ts';
import { filtersOf, nearestChunks, type VectorQuery, type VectorReach } from './vectors.ts';
import {
  type Alternatives,
  baseLanguage,
  expressionOf,
  meetsRequirements,
  PUBLIC_ACCOUNT,
  phraseOf,
  phrasesSaid,
  type Requirements,
  requirementsOf,
  type Scopes,
  scopeWord,
} from './words.ts';

/**
 * Dampens the difference between the first ranks (reciprocal rank fusion). The usual 60 lets two middling places
 * outweigh a first one.
 */
const RANK_CONSTANT = 5;

/** Factor by which more neighbours are read when the query requires or excludes words. */
const BEYOND_REQUIREMENTS = 4;

/** Results of each leg that are fused: the first of one may be a late one of the other. */
const FUSED_MIN = 50;

export type SearchLeg = SearchAnswer['legs'][number];

export interface SearchRequest {
  accountId: string;
  jobs: SearchedJobs;
  query: string;
  limit: number;
  filter: SearchFilter;
  lexical: boolean;
  /** Results to skip. */
  offset?: number;
  /** The query's vector; null without an embedding model. */
  vector: VectorQuery | null;
  /** Whether topics take part. */
  topics?: boolean | undefined;
  /** Whether a text that several places have is found at each of them; otherwise at the best alone. */
  keepCopies?: boolean | undefined;
}

/** A chunk and its score, a share of the best possible one. */
export type Ranked = readonly [seq: number, score: number];

/** What one way of searching finds, best first. */
export interface RankedLeg {
  seqs: readonly number[];
  /** How much its places count; 1 for words. */
  weight: number;
}

/** The best chunks by words, or by an embedding model, that the account may see. */
export function rankChunks(db: Db, request: SearchRequest, leg: Exclude<SearchLeg, 'topics'>): number[] {
  const { query, limit, vector } = request;
  const depth = fusionDepth(request);
  const required = requirementsOf(query);
  const facts = factsFilter(db, request.filter, request.jobs.tagged);
  if (leg === 'lexical') return lexicalLeg(db, request, required, { scopes: searchScopes(request), facts }, depth);
  if (vector === null) return [];
  const isFree = required.phrases.length + required.excluded.length === 0;
  const wanted = Math.max(limit, depth);
  const nearest = nearestChunks(
    db,
    vector,
    vectorReach(request, facts),
    isFree ? wanted : wanted * BEYOND_REQUIREMENTS,
  );
  return foldedUnless(request, db, meetingRequirements(db, nearest, required)).slice(0, wanted);
}

/** A text once, at its first place, unless the request asks for all. */
function foldedUnless({ keepCopies = false }: SearchRequest, db: Db, seqs: readonly number[]): number[] {
  return keepCopies ? [...seqs] : withoutCopies(db, seqs);
}

/** How many results of a leg are fused. */
export function fusionDepth({ limit, lexical, vector, topics }: SearchRequest): number {
  const legs = [lexical, vector !== null, topics].filter(Boolean).length;
  return legs > 1 ? Math.max(limit, FUSED_MIN) : limit;
}

/**
 * The best chunks by topics, more than are fused, for `refineByTopics`.
 *
 * @param voters the best chunks by words
 */
export function rankByTopics(db: Db, request: SearchRequest, voters: readonly number[]): number[] {
  const required = requirementsOf(request.query);
  const facts = factsFilter(db, request.filter, request.jobs.tagged);
  const { accountIds, jobId, ...reach } = vectorReach(request, facts);
  const votes = countVotes(db, voters, accountIds);
  const nearest = nearestTopics(db, required.rest, { accountIds, jobId, filters: filtersOf(reach) }, votes);
  return foldedUnless(request, db, meetingRequirements(db, nearest, required));
}

/** Those of the chunks that have what the query requires. */
function meetingRequirements(db: Db, seqs: readonly number[], required: Requirements): number[] {
  if (required.phrases.length + required.excluded.length === 0) return [...seqs];
  const texts = new Map(chunksBySeq(db, seqs).map(({ seq, text }) => [seq, text]));
  return seqs.filter((seq) => meetsRequirements(texts.get(seq) ?? '', required));
}

/** First results of all legs that topics learn more from. */
const FEEDBACK_RESULTS = 5;

/**
 * The results of the topics again, after the first results of all legs, and how much they count. A chunk that topics do
 * not know yet keeps the place that words give it.
 */
export function refineByTopics(
  db: Db,
  { accountId, query }: SearchRequest,
  candidates: readonly number[],
  { first, voters }: { first: readonly number[]; voters: readonly number[] },
): RankedLeg {
  const votes = countVotes(db, voters, [accountId, PUBLIC_ACCOUNT]);
  const moved = movedTopics(db, requirementsOf(query).rest, votes, candidates, first.slice(0, FEEDBACK_RESULTS));
  const unknown = new Set(votes.unknown);
  const seqs = [...moved];
  for (const [place, seq] of voters.entries()) if (unknown.has(seq)) seqs.splice(place, 0, seq);
  return { seqs, weight: votes.worth };
}

/** Matches that are counted for facets, the newest. */
const COUNTED_MAX = 10_000;

/** Counts the chunks with the query's words, and those that other legs have found. */
export function facetsOfRequest(db: Db, request: SearchRequest, ranked: readonly number[]): SearchFacets {
  const { seqs, isComplete } = countedChunks(db, request, ranked);
  return countFacets(db, seqs, isComplete);
}

/** The same chunks by job. */
export function jobCountsOfRequest(db: Db, request: SearchRequest, ranked: readonly number[]): JobCounts {
  const { seqs, isComplete } = countedChunks(db, request, ranked);
  return { jobs: countByJob(db, [...seqs]), isComplete };
}

export interface JobCounts {
  jobs: { jobId: string; chunks: number }[];
  /** False if more chunks match: then the newest 10,000 were counted. */
  isComplete: boolean;
}

/** All chunks that paging through the results would come to, copies of a text among them. */
function countedChunks(db: Db, request: SearchRequest, ranked: readonly number[]) {
  const facts = factsFilter(db, request.filter, request.jobs.tagged);
  const expression = request.lexical ? matchedBy(db, requirementsOf(request.query), searchScopes(request)) : null;
  const matches = expression === null ? [] : newestMatches(db, expression, COUNTED_MAX, facts);
  const all = [...new Set([...ranked, ...matches])];
  return { seqs: new Set(foldedUnless(request, db, all)), isComplete: matches.length < COUNTED_MAX };
}

/** The words that the lexical leg looks for at last: any of them. */
function matchedBy(db: Db, { rest, phrases, excluded }: Requirements, bounds: Scopes): string | null {
  const { asked, known } = askedTerms(db, rest);
  const some = [...new Set([...rarestTerms(asked), ...known.slice(0, ANY_ASKED)])];
  return some.length === 0 ? null : expressionOf(some.map(widePhrases), 'or', { ...bounds, phrases, excluded });
}

/** The query with its misspelt words corrected, by words of the chunks that it may find. */
export function correctRequest(db: Db, request: SearchRequest): { query: string; corrected: Corrected[] } {
  const facts = factsFilter(db, request.filter, request.jobs.tagged);
  return correctQuery(db, request.query, { scopes: searchScopes(request), facts });
}

/** What the best other chunk of the same document adds to the score of a chunk, as a share of its own. */
const DOCUMENT_SHARE = 0.3;

/**
 * The best chunks in the order of their documents: what is told in two chunks is told by neither alone. A document is a
 * file, a recording, or a page of a site.
 */
export function rankWithDocuments(db: Db, ranked: readonly Ranked[], limit: number): Ranked[] {
  const documents = documentsOfChunks(db, seqsOf(ranked));
  const best = new Map<string, Ranked[]>();
  for (const one of ranked) {
    const document = documents.get(one[0]) ?? '';
    best.set(document, [...(best.get(document) ?? []), one].slice(0, 2));
  }
  const scores = ranked.map(([seq, score]): Ranked => {
    const other = best.get(documents.get(seq) ?? '')?.find(([one]) => one !== seq)?.[1] ?? 0;
    return [seq, score + DOCUMENT_SHARE * other];
  });
  const first = scores.sort(([, one], [, other]) => other - one).slice(0, limit);
  return first.map(([seq, score]) => [seq, Math.min(1, score)]);
}

function seqsOf(ranked: readonly Ranked[]): number[] {
  return ranked.map(([seq]) => seq);
}

/** Weighted reciprocal rank fusion, as a share of what first place in every list would give. */
export function fuseRankings(legs: readonly RankedLeg[], limit: number): Ranked[] {
  const counting = legs.filter(({ weight }) => weight > 0);
  const total = counting.reduce((sum, { weight }) => sum + weight, 0);
  const scores = new Map<number, number>();
  for (const { seqs, weight } of counting) {
    for (const [index, seq] of seqs.entries()) {
      scores.set(seq, (scores.get(seq) ?? 0) + ((weight / total) * RANK_CONSTANT) / (RANK_CONSTANT + index));
    }
  }
  return [...scores].sort(([, one], [, other]) => other - one).slice(0, limit);
}

/** Ranked chunks as results, without those removed meanwhile. */
export function presentHits(db: Db, query: string, ranked: readonly Ranked[]): SearchHit[] {
  const { rest } = requirementsOf(query);
  const forms = new Set(expandQuery(db, rest).flatMap((word) => word.forms));
  const words = { words: queryWords(rest), forms };
  const seqs = seqsOf(ranked);
  const rows = new Map(chunksBySeq(db, seqs).map((row) => [row.seq, row]));
  return ranked.flatMap(([seq, score]) => {
    const row = rows.get(seq);
    return row === undefined ? [] : [presentHit(row, words, score)];
  });
}

function searchScopes({ accountId, jobs: { shared, removed }, filter }: SearchRequest): Scopes {
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

function vectorReach({ accountId, jobs: { shared, removed }, filter }: SearchRequest, facts: FactsFilter): VectorReach {
  const { jobId, language, jobType, kind } = filter;
  return {
    accountIds: [accountId, PUBLIC_ACCOUNT],
    sharedJobIds: shared,
    removedJobIds: removed,
    jobId,
    jobType,
    kind,
    language: language === undefined ? undefined : baseLanguage(language),
    facts,
  };
}

function presentHit(row: SearchChunkRow, words: HighlightedWords, score: number): SearchHit {
  const { text, highlights } = snippetOf(row.text, words);
  return {
    chunkId: row.chunk_id,
    jobId: row.job_id,
    text: row.text,
    originalText: row.original_text ?? undefined,
    score: Math.round(score * 10_000) / 10_000,
    snippet: text,
    highlights,
    page: row.page,
    heading: row.heading,
    startSeconds: row.start_seconds ?? undefined,
    sourceName: row.source_name,
    url: row.url,
    kind: row.kind,
  };
}

/**
 * Bound on the matches that are ranked, newest first. Ranking reads the length of every match, so this bounds a search;
 * finding matches is cheap.
 */
const RANKED_MAX = 20_000;

/** A word in more than this share of the index is not searched beside others. */
const COMMON_SHARE = 1 / 3;

/** Words that are searched if all of a query are that common: ranking counts the chunks of each. */
const COMMON_ASKED = 2;

/** The same for chunks with any of the words. */
const ANY_ASKED = 8;

/** Best chunks with all words whose text is searched for the phrases. */
const READ_FOR_PHRASES = 100;

interface Term {
  phrases: Alternatives;
  /** Phrases that may be meant too. */
  wider: Alternatives;
  /** Chunks with any of the phrases; an estimate if they are many. */
  chunks: number;
  /** Whether it is a part of another term. */
  isPart: boolean;
}

function widePhrases({ phrases, wider }: Term): Alternatives {
  return [...phrases, ...wider];
}

/** Copies of one text may fill the best matches: so many times as many are read then. */
const BEYOND_COPIES = 4;

const READ_MAX = 5000;

/** The best chunks by their words, as `seq`s, best first, each text once. */
function lexicalLeg(db: Db, request: SearchRequest, required: Requirements, within: Matches, limit: number): number[] {
  for (let depth = limit; ; depth *= BEYOND_COPIES) {
    const found = lexicalMatches(db, required, within, depth);
    const different = foldedUnless(request, db, found);
    if (different.length >= limit || found.length < depth || depth >= READ_MAX) return different.slice(0, limit);
  }
}

/**
 * Chunks with all words that are not too common come first, those with the query's phrases before the others, then
 * those with words that may be meant too. If they are too few, chunks with any of the rarer words follow, then chunks
 * with any word.
 */
function lexicalMatches(db: Db, required: Requirements, { scopes, facts }: Matches, limit: number): number[] {
  const { rest: query, phrases: quoted, excluded } = required;
  const { asked, known } = askedTerms(db, query);
  if (known.length === 0) return [];
  const phrases = phrasesSaid(query);
  const matches: Matches = { scopes: { ...scopes, phrases: quoted, excluded }, facts };
  const whole = asked.filter(({ isPart }) => !isPart);
  const words = whole.map((term) => term.phrases);
  const withAll = bestMatches(db, words, 'and', matches, phrases === null ? limit : Math.max(limit, READ_FOR_PHRASES));
  const found = new Set(byPhrases(db, withAll, phrases).slice(0, limit));
  const addMatches = (some: readonly Alternatives[], how: 'and' | 'or') => {
    if (found.size >= limit) return;
    for (const seq of bestMatches(db, some, how, matches, limit)) found.add(seq);
  };
  if (whole.some(({ wider }) => wider.length > 0)) addMatches(whole.map(widePhrases), 'and');
  if (known.length > 1) {
    addMatches(
      rarestTerms(asked).map((term) => term.phrases),
      'or',
    );
    // A common word may be the only one in the chunks of this account.
    addMatches(known.slice(0, ANY_ASKED).map(widePhrases), 'or');
  }
  return [...found].slice(0, limit);
}

/** The words of a query that the index has, rarest first, and those of them that are asked for together. */
function askedTerms(db: Db, query: string): { asked: readonly Term[]; known: readonly Term[] } {
  const { terms, total } = weighTerms(db, query);
  const known = terms.filter(({ chunks }) => chunks > 0);
  const telling = known.filter(({ chunks }) => chunks <= Math.max(RANKED_MAX, total * COMMON_SHARE));
  return { asked: telling.length === 0 ? known.slice(0, COMMON_ASKED) : telling, known };
}

type PhrasesSaid = ReturnType<typeof phrasesSaid>;

/** Sorted by the number of phrases; otherwise in the same order. */
function byPhrases(db: Db, seqs: readonly number[], phrases: PhrasesSaid): readonly number[] {
  if (phrases === null || seqs.length < 2) return seqs;
  const said = new Map<number, number>();
  for (const { seq, text } of chunksBySeq(db, seqs)) {
    said.set(seq, phrases(text));
  }
  return seqs.toSorted((one, other) => (said.get(other) ?? 0) - (said.get(one) ?? 0));
}

/** The words with all that they may stand for, rarest first. What no chunk has gives way to what may be meant. */
function weighTerms(db: Db, query: string): { terms: Term[]; total: number } {
  const { first, last } = seqRange(db);
  const total = last - first + 1;
  const chunksWith = (phrases: Alternatives) => {
    if (phrases.length === 0) return 0;
    const { chunks, lastSeq } = countMatches(db, expressionOf([phrases], 'and'), RANKED_MAX);
    // Assumes the same density in the rest of the index.
    const share = lastSeq === null ? 0 : chunks / (lastSeq - first + 1);
    return chunks < RANKED_MAX ? chunks : Math.max(RANKED_MAX, Math.round(share * total));
  };
  const terms = expandQuery(db, query).flatMap(({ phrases, wider, parts }): Term[] => {
    const chunks = chunksWith(phrases);
    const termOf = (some: Alternatives, isPart = false) => ({
      phrases: some,
      wider: [],
      chunks: chunksWith(some),
      isPart,
    });
    if (chunks === 0 && wider.length > 0) return [termOf(wider)];
    const alone = parts.map((part) => termOf([phraseOf(part)], chunks > 0));
    return chunks === 0 ? alone : [{ phrases, wider, chunks, isPart: false }, ...alone];
  });
  return { terms: terms.sort((one, other) => one.chunks - other.chunks), total };
}

/** The rarest words that can be ranked together, at least one: newer chunks with common words would hide them. */
function rarestTerms(terms: readonly Term[]): Term[] {
  const kept: Term[] = [];
  let chunks = 0;
  for (const term of terms) {
    chunks += term.chunks;
    if (kept.length > 0 && chunks > RANKED_MAX) break;
    kept.push(term);
  }
  return kept;
}

function bestMatches(
  db: Db,
  words: readonly Alternatives[],
  how: 'and' | 'or',
  { scopes, facts }: Matches,
  limit: number,
): number[] {
  return words.length === 0 ? [] : matchText(db, expressionOf(words, how, scopes), RANKED_MAX, limit, facts);
}
