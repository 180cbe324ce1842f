import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { parseOwnJson } from '../../../src-server/platform/own-json.ts';
import { ApiError, api, apiPath, dataOf, errorOf, fetchApi, filledQuery } from '../../api/client.ts';
import { serverSentEvents } from '../../api/event-stream.ts';
import type { Problem, SearchAnswer } from '../../api/generated/public.ts';
import type { ItemFilter } from '../../api/library.ts';
import type { EnvironmentName } from '../../api/names.ts';
import { ONLY_ASKED } from '../../api/queries.ts';
import { readersTimeZone } from '../../api/reader-days.ts';
import { search as t } from './texts.ts';

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
      const query = {
        ...filledQuery({ ...filter, timeZone: readersTimeZone() }),
        query: q,
        mode,
        limit: PAGE,
        offset: pageParam,
      };
      return dataOf(api[environment].GET('/library/search', { params: { query }, signal }));
    },
    initialPageParam: 0,
    getNextPageParam: ({ total, folded }, pages) => (pages.length * PAGE < total - folded ? pages.length * PAGE : null),
  });

/** The last event of an answer. */
export type LibraryAnswer = Pick<SearchAnswer, 'answerNeeds' | 'warnings'> & {
  answer: NonNullable<SearchAnswer['answer']> | null;
};

export type Citation = NonNullable<SearchAnswer['answer']>['citations'][number];

/** The answer of a text model. `onCitation` is called while it is written; a citation replaces that of its index. */
export const answerQuery = (
  environment: EnvironmentName,
  { q, mode, filter }: FoundQuery,
  onCitation: (citation: Citation & { index: number }) => void,
) =>
  queryOptions({
    queryKey: ['search', environment, q, mode, 'answer', filter],
    ...ONCE,
    retry: false,
    queryFn: async ({ signal }): Promise<LibraryAnswer> => {
      const path = apiPath(environment, '/library/answer', {
        ...filledQuery({ ...filter, timeZone: readersTimeZone() }),
        query: q,
        mode,
      });
      const answer = await fetchApi(path, { headers: { accept: 'text/event-stream' }, signal });
      if (!answer.ok) throw await errorOf(answer);
      for await (const { event, data } of serverSentEvents(answer)) {
        if (event === 'citation') onCitation(parseOwnJson(data));
        if (event === 'done') return parseOwnJson(data);
        if (event === 'error') {
          const problem = parseOwnJson<Partial<Problem>>(data);
          throw new ApiError(problem.status ?? 500, problem, t.brokenOff);
        }
      }
      throw new ApiError(0, {}, t.brokenOff);
    },
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
