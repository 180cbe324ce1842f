import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { api, dataOf, filledQuery } from '../../api/client.ts';
import type { ItemFilter } from '../../api/library.ts';
import type { EnvironmentName } from '../../api/names.ts';
import { ONLY_ASKED } from '../../api/queries.ts';

export type SearchMode = 'hybrid' | 'lexical' | 'semantic';

export interface FoundQuery {
  q: string;
  mode: SearchMode;
  filter: ItemFilter;
}

/** Items of one page. */
const PAGE = 20;

/** Places of an item that are shown on demand. */
const PLACES = 50;

/** Searched when it is asked for, and never again by itself: what was found stays in its place. */
const ONCE = { staleTime: Number.POSITIVE_INFINITY, meta: ONLY_ASKED };

/** The items of a search, page by page. */
export const foundQuery = (environment: EnvironmentName, { q, mode, filter }: FoundQuery) =>
  infiniteQueryOptions({
    queryKey: ['search', environment, q, mode, filter],
    enabled: q !== '',
    ...ONCE,
    queryFn: ({ pageParam, signal }) => {
      const query = { ...filledQuery(filter), query: q, mode, limit: PAGE, offset: pageParam };
      return dataOf(api[environment].GET('/library/search', { params: { query }, signal }));
    },
    initialPageParam: 0,
    getNextPageParam: ({ total }, pages) => (pages.length * PAGE < total ? pages.length * PAGE : null),
  });

/** All places of one item, as many as are shown. */
export const placesQuery = (environment: EnvironmentName, { q, mode }: FoundQuery, itemId: string) =>
  queryOptions({
    queryKey: ['search', environment, q, mode, 'places', itemId],
    ...ONCE,
    queryFn: async ({ signal }) => {
      const query = { query: q, mode, item: itemId, limit: 1, places: PLACES };
      const { items } = await dataOf(api[environment].GET('/library/search', { params: { query }, signal }));
      return items[0]?.places ?? [];
    },
  });
