/**
 * A thread that searches, over a connection of its own: a search among a million chunks takes tens of milliseconds,
 * which the server's thread cannot spare. Threat: queries are text of strangers; the connection can only read.
 */

import { workerData } from 'node:worker_threads';
import { QuarryError } from '../../platform/errors.ts';
import { ownerLine } from '../../platform/rpc/lines.ts';
import { serveMethods } from '../../platform/rpc/rpc.ts';
import { say } from '../../platform/text/say.ts';
import { catchDamage, type Found } from './found.ts';
import {
  correctRequest,
  facetsOfRequest,
  type JobCounts,
  jobCountsOfRequest,
  presentHits,
  type Ranked,
  type RankedLeg,
  rankByTopics,
  rankChunks,
  rankWithDocuments,
  refineByTopics,
  type SearchRequest,
} from './rank.ts';
import type { Corrected, SearchFacets, SearchHit } from './schema.ts';
import { openSearchConnection } from './search-connection.ts';

export interface SearchThreadData {
  indexPath: string;
}

export interface SearchApi {
  understand(request: SearchRequest): Found<{ query: string; corrected: Corrected[] }>;
  rank(leg: 'lexical' | 'semantic', request: SearchRequest): Found<number[]>;
  rankByTopics(request: SearchRequest, voters: readonly number[]): Found<number[]>;
  refine(
    request: SearchRequest,
    candidates: readonly number[],
    found: { first: readonly number[]; voters: readonly number[] },
  ): Found<RankedLeg>;
  rankWithDocuments(ranked: readonly Ranked[], limit: number): Found<Ranked[]>;
  facets(request: SearchRequest, ranked: readonly number[]): Found<SearchFacets>;
  jobCounts(request: SearchRequest, ranked: readonly number[]): Found<JobCounts>;
  show(query: string, ranked: readonly Ranked[]): Found<SearchHit[]>;
}

const { db, vectorsMissing, close } = openSearchConnection((workerData as SearchThreadData).indexPath);

function requireVectors(): void {
  if (vectorsMissing === null) return;
  const message = say`Vectors cannot be compared on this kind of machine. Search with mode lexical.`;
  throw new QuarryError('engine_unavailable', message, { cause: vectorsMissing });
}

serveMethods<SearchApi>(
  {
    rank: (leg, request) => {
      if (leg === 'semantic') requireVectors();
      return catchDamage(() => rankChunks(db, request, leg));
    },
    rankByTopics: (request, voters) => {
      requireVectors();
      return catchDamage(() => rankByTopics(db, request, voters));
    },
    understand: (request) => catchDamage(() => correctRequest(db, request)),
    rankWithDocuments: (ranked, limit) => catchDamage(() => rankWithDocuments(db, ranked, limit)),
    refine: (request, candidates, found) => catchDamage(() => refineByTopics(db, request, candidates, found)),
    facets: (request, ranked) => catchDamage(() => facetsOfRequest(db, request, ranked)),
    jobCounts: (request, ranked) => catchDamage(() => jobCountsOfRequest(db, request, ranked)),
    show: (query, ranked) => catchDamage(() => presentHits(db, query, ranked)),
  },
  ownerLine,
  close,
);
