import { z } from 'zod';
import { type EnvironmentName, EnvironmentQuery } from '../../operation.ts';
import { BODY_ERRORS, json, routesOf } from '../../platform/http/route.ts';
import { keyOfPrincipal } from '../accounts/service.ts';
import { Feed, FeedEntry, FeedRequest, FeedUpdate, MAX_FEEDS, MAX_NEW_ENTRIES } from './schema.ts';
import type { Feeds } from './service.ts';

const DEFAULT_PAGE = 50;

const MAX_PAGE = 200;

const EXAMPLE = {
  url: 'https://harbour.example/podcast.xml',
  recipe: { operation: 'extract/video', request: {} },
  first: 3,
  schedule: { everyMinutes: 60 },
} satisfies z.input<typeof FeedRequest>;

type FeedRouteDeps = Record<EnvironmentName, { feeds: Feeds }>;

const route = routesOf<FeedRouteDeps>();

const owner = { scope: 'owner', tag: 'Feeds', auth: 'owner', keyScope: 'admin' } as const;

const params = { feedId: z.string().describe('Identifier of the feed.') };

const EntriesQuery = EnvironmentQuery.extend({
  limit: z.coerce.number().int().min(1).max(MAX_PAGE).default(DEFAULT_PAGE),
  cursor: z.coerce.number().int().min(1).optional(),
});

/** Watched feeds. Mounted under `/admin`, behind the owner check. */
export const ADMIN_FEED_ROUTES = [
  route(
    {
      ...owner,
      method: 'get',
      path: '/feeds',
      operationId: 'listFeeds',
      summary: 'List the feeds',
      description: `Newest first. At most ${MAX_FEEDS}.`,
      query: EnvironmentQuery,
      answers: { 200: json('All feeds.', z.object({ feeds: z.array(Feed) })) },
    },
    async (environments, { query, reply }) => reply(200, { feeds: environments[query().environment].feeds.list() }),
  ),
  route(
    {
      ...owner,
      method: 'post',
      path: '/feeds',
      operationId: 'watchFeed',
      summary: 'Follow a feed or podcast',
      description: `Reads a feed by a schedule. The attachment or page of each new entry becomes a job of the owner by
the recipe, once. The first reading takes the newest entries, a later one at most ${MAX_NEW_ENTRIES}.`,
      query: EnvironmentQuery,
      request: { schema: FeedRequest, example: EXAMPLE },
      answers: { 201: json('The feed.', Feed) },
      errors: [...BODY_ERRORS, 'conflict'],
    },
    async (environments, { context, query, body, reply }) => {
      const { feeds } = environments[query().environment];
      return reply(201, await feeds.create(await body(), keyOfPrincipal(context.get('principal'))));
    },
  ),
  route(
    {
      ...owner,
      method: 'get',
      path: '/feeds/{feedId}',
      operationId: 'getFeed',
      summary: 'Read a feed',
      description: 'With its counts.',
      params,
      query: EnvironmentQuery,
      answers: { 200: json('The feed.', Feed) },
      errors: ['not_found'],
    },
    async (environments, { query, param, reply }) =>
      reply(200, environments[query().environment].feeds.get(param('feedId'))),
  ),
  route(
    {
      ...owner,
      method: 'patch',
      path: '/feeds/{feedId}',
      operationId: 'changeFeed',
      summary: 'Change, pause or resume a feed',
      description:
        'Fields that are left out stay. For another address, add another feed. A key changes only what it ' +
        'made; it may pause and resume the rest. A feed whose key has ended goes on as the owner resumes it.',
      params,
      query: EnvironmentQuery,
      request: { schema: FeedUpdate, example: { status: 'paused' } },
      answers: { 200: json('The feed.', Feed) },
      errors: [...BODY_ERRORS, 'not_found'],
    },
    async (environments, { context, query, param, body, reply }) => {
      const { feeds } = environments[query().environment];
      const key = keyOfPrincipal(context.get('principal'));
      return reply(200, await feeds.change(param('feedId'), await body(), key));
    },
  ),
  route(
    {
      ...owner,
      method: 'delete',
      path: '/feeds/{feedId}',
      operationId: 'deleteFeed',
      summary: 'Delete a feed and its history',
      description: 'Its jobs stay.',
      params,
      query: EnvironmentQuery,
      answers: { 204: { description: 'Deleted.' } },
      errors: ['not_found'],
    },
    async (environments, { query, param, end }) => {
      await environments[query().environment].feeds.delete(param('feedId'));
      return end(204);
    },
  ),
  route(
    {
      ...owner,
      method: 'post',
      path: '/feeds/{feedId}/run',
      operationId: 'readFeedNow',
      summary: 'Read a feed now',
      description: 'A conflict while it is paused.',
      params,
      query: EnvironmentQuery,
      answers: { 202: json('The feed.', Feed) },
      errors: ['not_found', 'conflict'],
    },
    async (environments, { query, param, reply }) =>
      reply(202, environments[query().environment].feeds.run(param('feedId'))),
  ),
  route(
    {
      ...owner,
      method: 'get',
      path: '/feeds/{feedId}/entries',
      operationId: 'listFeedEntries',
      summary: 'List the entries of a feed',
      description: 'The history, newest first.',
      params,
      query: EntriesQuery,
      answers: {
        200: json('One page.', z.object({ entries: z.array(FeedEntry), nextCursor: z.string().nullable() })),
      },
      errors: ['not_found'],
    },
    async (environments, { query, param, reply }) => {
      const { environment, cursor = null, limit } = query();
      const { entries, next } = environments[environment].feeds.entries(param('feedId'), cursor, limit);
      return reply(200, { entries, nextCursor: next === null ? null : String(next) });
    },
  ),
];
