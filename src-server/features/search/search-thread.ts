/**
 * A thread that searches, over a connection of its own: a search among a million chunks takes tens of milliseconds,
 * which the server's thread cannot spare. Threat: queries are text of strangers; the connection can only read.
 */

import { workerData } from 'node:worker_threads';
import { QuarryError } from '../../platform/errors.ts';
import { ownerLine } from '../../platform/rpc/lines.ts';
import { serve } from '../../platform/rpc/rpc.ts';
import { type Ranked, rank, type SearchLeg, type SearchRequest, show, understand } from './rank.ts';
import type { Corrected, SearchHit } from './schema.ts';
import { openSearchConnection } from './search-connection.ts';
import { isDamaged } from './store.ts';

export interface SearchThreadData {
  indexPath: string;
}

/** What a search found; or why the index cannot be read and has to be rebuilt. */
export type Found<Value> = { value: Value } | { damage: string };

export interface SearchApi {
  understand(request: SearchRequest): Found<{ query: string; corrected: Corrected[] }>;
  rank(leg: SearchLeg, request: SearchRequest): Found<number[]>;
  show(query: string, ranked: readonly Ranked[]): Found<SearchHit[]>;
}

const { db, vectorsMissing, close } = openSearchConnection((workerData as SearchThreadData).indexPath);

serve<SearchApi>(
  {
    rank: (leg, request) => {
      if (leg === 'semantic' && vectorsMissing !== null) {
        const message = 'Vectors cannot be compared on this kind of machine. Search with mode lexical.';
        throw new QuarryError('engine_unavailable', message, { cause: vectorsMissing });
      }
      return found(() => rank(db, request, leg));
    },
    understand: (request) => found(() => understand(db, request)),
    show: (query, ranked) => found(() => show(db, query, ranked)),
  },
  ownerLine,
  close,
);

function found<Value>(search: () => Value): Found<Value> {
  try {
    return { value: search() };
  } catch (error) {
    if (isDamaged(error)) return { damage: String(error) };
    throw error;
  }
}
