/** What the owner keeps: items, their counts, collections, versions and notes. */
import { keepPreviousData, type QueryKey, queryOptions } from '@tanstack/react-query';
import { omitUndefined } from '../../src-server/platform/omit-undefined.ts';
import { api, dataOf, filledQuery } from './client.ts';
import type { LibraryItem, operations } from './generated/public.ts';
import type { EnvironmentName } from './names.ts';
import { FRESH_MS } from './queries.ts';
import { inReadersDays, readersTimeZone } from './reader-days.ts';

type ListQuery = NonNullable<operations['listItems']['parameters']['query']>;

export type ItemKind = LibraryItem['kind'];

export type ItemSourceName = NonNullable<ListQuery['source']>;

export type ItemOrder = NonNullable<ListQuery['sort']>;

/** What narrows a list, its counts, an export or a smart collection. */
export type ItemFilter = {
  [Name in 'kind' | 'state' | 'tag' | 'collection' | 'language' | 'speaker' | 'source' | 'text' | 'from' | 'to']?:
    | ListQuery[Name]
    | undefined;
};

export interface ItemQuery {
  filter: ItemFilter;
  sort?: ItemOrder | undefined;
  /** The deleted ones only. */
  deleted?: boolean;
}

/** Items of one request. */
export const ITEMS_PAGE = 200;

/** An item that is being read changes without an event. */
const READING_INTERVAL_MS = 2000;

export const libraryKey = (environment: EnvironmentName): QueryKey => ['library', environment];

export const mirrorsKey = (environment: EnvironmentName): QueryKey => ['mirrors', environment];

const deletedOnly = (deleted = false) => (deleted ? { deleted: 'true' as const } : {});

/** A page of the list, from 0, with the number of all items that the filter leaves. */
export const itemsQuery = (environment: EnvironmentName, { filter, sort, deleted }: ItemQuery, page: number) =>
  queryOptions({
    queryKey: [...libraryKey(environment), 'items', filter, sort ?? 'added', deleted ?? false, page],
    queryFn: ({ signal }) => {
      const query = { ...filledQuery({ ...inReadersDays(filter), sort }), ...deletedOnly(deleted), limit: ITEMS_PAGE };
      return dataOf(
        api[environment].GET('/library/items', { params: { query: { ...query, offset: page * ITEMS_PAGE } }, signal }),
      );
    },
    refetchInterval: ({ state }) =>
      state.data?.items.some((item) => item.state === 'reading') === true ? READING_INTERVAL_MS : false,
    staleTime: FRESH_MS,
    ...omitUndefined({ placeholderData: page === 0 ? keepPreviousData : undefined }),
  });

export const itemCountsQuery = (environment: EnvironmentName, filter: ItemFilter, deleted = false) =>
  queryOptions({
    queryKey: [...libraryKey(environment), 'counts', filter, deleted],
    queryFn: ({ signal }) => {
      const query = { ...filledQuery({ ...filter, timeZone: readersTimeZone() }), ...deletedOnly(deleted) };
      return dataOf(api[environment].GET('/library/counts', { params: { query }, signal }));
    },
    placeholderData: keepPreviousData,
  });

export const itemQuery = (environment: EnvironmentName, itemId: string) =>
  queryOptions({
    queryKey: [...libraryKey(environment), 'item', itemId],
    queryFn: ({ signal }) =>
      dataOf(api[environment].GET('/library/items/{itemId}', { params: { path: { itemId } }, signal })),
    refetchInterval: ({ state }) => (state.data?.state === 'reading' ? READING_INTERVAL_MS : false),
  });

/** The item of a job, with its version if another one is shown; null for a job that belongs to none. */
export const itemOfJobQuery = (environment: EnvironmentName, jobId: string) =>
  queryOptions({
    queryKey: [...libraryKey(environment), 'of-job', jobId],
    queryFn: async ({ signal }) => {
      const query = { job: jobId };
      const [item] = (await dataOf(api[environment].GET('/library/lookup', { params: { query }, signal }))).items;
      if (item === undefined) return null;
      const { itemId } = item;
      if (item.jobId === jobId) return { itemId, version: null };
      const params = { path: { itemId } };
      const { versions } = await dataOf(api[environment].GET('/library/items/{itemId}/versions', { params, signal }));
      return { itemId, version: versions.find((one) => one.jobId === jobId)?.number ?? null };
    },
  });

export const itemVersionsQuery = (environment: EnvironmentName, itemId: string) =>
  queryOptions({
    queryKey: [...libraryKey(environment), 'versions', itemId],
    queryFn: async ({ signal }) => {
      const params = { path: { itemId } };
      return (await dataOf(api[environment].GET('/library/items/{itemId}/versions', { params, signal }))).versions;
    },
  });

export const itemNotesQuery = (environment: EnvironmentName, itemId: string) =>
  queryOptions({
    queryKey: [...libraryKey(environment), 'notes', itemId],
    queryFn: async ({ signal }) => {
      const params = { path: { itemId } };
      return (await dataOf(api[environment].GET('/library/items/{itemId}/notes', { params, signal }))).notes;
    },
  });

export const collectionsQuery = (environment: EnvironmentName) =>
  queryOptions({
    queryKey: [...libraryKey(environment), 'collections'],
    queryFn: async ({ signal }) => (await dataOf(api[environment].GET('/library/collections', { signal }))).collections,
  });
