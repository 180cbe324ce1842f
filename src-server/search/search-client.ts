import type { SearchAnswer } from '../contract/search.ts';
import { fuse, type SearchLeg, type SearchRequest } from './search.ts';
import { SearchWorker, type SearchWorkerParts } from './search-worker.ts';

/** Searches in threads: one for words and one for meaning, which so are looked for at the same time. */
export class SearchClient {
  readonly #workers: Record<SearchLeg, SearchWorker>;

  constructor(parts: SearchWorkerParts) {
    this.#workers = { lexical: new SearchWorker(parts), semantic: new SearchWorker(parts) };
  }

  /**
   * Finds chunks an account may see, and approved contributions. `legs` are the ways of searching that took part.
   * Errors: `engine_unavailable` where vectors are asked for and cannot be compared here, `rate_limited`,
   * `engine_failed`.
   */
  async search(request: SearchRequest): Promise<Pick<SearchAnswer, 'results' | 'legs'>> {
    const legs: SearchLeg[] = request.lexical ? ['lexical'] : [];
    if (request.vector !== null) legs.push('semantic');
    const lists = await Promise.all(legs.map((leg) => this.#workers[leg].ask({ kind: 'rank', leg, request })));
    const ranked = fuse(lists, request.limit);
    const results = await this.#workers[legs[0] ?? 'lexical'].ask({ kind: 'show', query: request.query, ranked });
    return { results, legs };
  }

  async close(): Promise<void> {
    await Promise.all(Object.values(this.#workers).map((worker) => worker.close()));
  }
}
