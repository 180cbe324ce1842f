import { fuse, type SearchLeg, type SearchRequest } from './rank.ts';
import type { SearchAnswer, SearchHit } from './schema.ts';
import { SearchWorker, type SearchWorkerParts } from './search-worker.ts';

/** How much further a search looks where copies of one page take places in its answer. */
const BEYOND_COPIES = 4;

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
    const { limit } = request;
    const found = await this.#find(request, legs);
    const results = withoutCopies(found);
    if (results.length === found.length || found.length < limit) return { results, legs };
    const more = await this.#find({ ...request, limit: limit * BEYOND_COPIES }, legs);
    return { results: withoutCopies(more).slice(0, limit), legs };
  }

  async #find(request: SearchRequest, legs: readonly SearchLeg[]): Promise<SearchHit[]> {
    const lists = await Promise.all(legs.map((leg) => this.#workers[leg].ask({ kind: 'rank', leg, request })));
    const ranked = fuse(lists, request.limit);
    return this.#workers[legs[0] ?? 'lexical'].ask({ kind: 'show', query: request.query, ranked });
  }

  async close(): Promise<void> {
    await Promise.all(Object.values(this.#workers).map((worker) => worker.close()));
  }
}

/** A page that several crawls have read, with the same text, is one result: the best, and so the newest, of them. */
function withoutCopies(hits: readonly SearchHit[]): SearchHit[] {
  const seen = new Set<string>();
  return hits.filter(({ url, text, kind }) => {
    if (url === null) return true;
    const copy = JSON.stringify([url, kind, text]);
    const isNew = !seen.has(copy);
    seen.add(copy);
    return isNew;
  });
}
