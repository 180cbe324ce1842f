import type { SearchAnswer } from '../contract/search.ts';
import type { SearchRequest } from './search.ts';

/** What the server and the thread that searches say to each other. */
export interface ThreadData {
  databasePath: string;
}

export type ThreadRequest = { kind: 'search'; id: number; request: SearchRequest } | { kind: 'close' };

export type ThreadAnswer =
  | {
      id: number;
      answer: Pick<SearchAnswer, 'results' | 'legs'>;
      /** Why vectors cannot be compared on this machine, and so were not; null where they can. */
      vectorsMissing: string | null;
    }
  /** `error` is one that `reviveTaskError` reads. */
  | { id: number; error: Error };
