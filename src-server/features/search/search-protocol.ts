import type { Ranked, SearchLeg, SearchRequest } from './rank.ts';
import type { SearchHit } from './schema.ts';

/** What the server and a thread that searches say to each other. */
export interface ThreadData {
  databasePath: string;
}

export type ThreadQuestion =
  | { kind: 'rank'; leg: SearchLeg; request: SearchRequest }
  | { kind: 'show'; query: string; ranked: readonly Ranked[] };

/** Each by the kind of its question. */
export interface ThreadAnswers {
  rank: number[];
  show: SearchHit[];
}

export type ThreadMessage = { id: number; question: ThreadQuestion } | 'close';

/** `error` is one that `reviveTaskError` reads. */
export type ThreadReply = { id: number; answer: ThreadAnswers[keyof ThreadAnswers] } | { id: number; error: Error };
