import { z } from 'zod';
import { type EnvironmentName, EnvironmentQuery } from '../../operation.ts';
import { BODY_ERRORS, json, routesOf } from '../../platform/http/route.ts';
import { keyOfPrincipal } from '../accounts/service.ts';
import {
  MAX_SITE_WATCHES,
  SitePageVersion,
  SiteWatch,
  SiteWatchRequest,
  SiteWatchRun,
  SiteWatchUpdate,
} from './schema.ts';
import type { SiteWatches } from './service.ts';

const MAX_URL_CHARS = 2048;

const DEFAULT_PAGE = 50;

const MAX_PAGE = 200;

const EXAMPLE = {
  name: 'Harbour office',
  crawl: { url: 'https://harbour.example/', depth: 2 },
  schedule: { everyMinutes: 1440, timeOfDay: '06:30' },
  webhook: { url: 'https://app.example/hooks/quarry' },
} satisfies z.input<typeof SiteWatchRequest>;

type WatchRouteDeps = Record<EnvironmentName, { siteWatches: SiteWatches }>;

const route = routesOf<WatchRouteDeps>();

const owner = { scope: 'owner', tag: 'Watched sites', auth: 'owner' } as const;

const params = { watchId: z.string().describe('Identifier of the watch.') };

const limit = z.coerce.number().int().min(1).max(MAX_PAGE).default(DEFAULT_PAGE);

const RunsQuery = EnvironmentQuery.extend({ limit, cursor: z.coerce.number().int().min(1).optional() });

const ChangesQuery = EnvironmentQuery.extend({ limit, cursor: z.string().max(MAX_URL_CHARS).optional() });

const PageQuery = EnvironmentQuery.extend({ url: z.string().min(1).max(MAX_URL_CHARS).describe('Of the page.') });

/** Watched sites. Mounted under `/admin`, behind the owner check. */
export const ADMIN_WATCH_ROUTES = [
  route(
    {
      ...owner,
      method: 'get',
      path: '/watches',
      operationId: 'listSiteWatches',
      summary: 'List the watched sites',
      description: `Newest first, each with its last run. At most ${MAX_SITE_WATCHES}.`,
      query: EnvironmentQuery,
      answers: { 200: json('All watches.', z.object({ watches: z.array(SiteWatch) })) },
    },
    async (environments, { query, reply }) =>
      reply(200, { watches: environments[query().environment].siteWatches.list() }),
  ),
  route(
    {
      ...owner,
      method: 'post',
      path: '/watches',
      operationId: 'watchSite',
      summary: 'Watch a site',
      description: `Crawls a site again and again and reports what changed. The first run starts at once; the next ones
are compared with the run before (\`result.changes\` of their jobs). Each run is an ordinary crawl of the owner.`,
      query: EnvironmentQuery,
      request: { schema: SiteWatchRequest, example: EXAMPLE },
      answers: { 201: json('The watch.', SiteWatch) },
      errors: [...BODY_ERRORS, 'conflict'],
    },
    async (environments, { context, query, body, reply }) => {
      const { siteWatches } = environments[query().environment];
      const watch = await siteWatches.create(await body(), keyOfPrincipal(context.get('principal')));
      context.set('audited', { target: watch.watchId });
      return reply(201, watch);
    },
  ),
  route(
    {
      ...owner,
      method: 'get',
      path: '/watches/{watchId}',
      operationId: 'getSiteWatch',
      summary: 'Read a watch',
      description: 'With its last run.',
      params,
      query: EnvironmentQuery,
      answers: { 200: json('The watch.', SiteWatch) },
      errors: ['not_found'],
    },
    async (environments, { query, param, reply }) =>
      reply(200, environments[query().environment].siteWatches.get(param('watchId'))),
  ),
  route(
    {
      ...owner,
      method: 'patch',
      path: '/watches/{watchId}',
      operationId: 'changeSiteWatch',
      summary: 'Change, pause or resume a watch',
      description:
        'Fields that are left out stay. Another `crawl` is a conflict while a run is under way. A key changes only ' +
        'what it made; it may pause and resume the rest. A watch whose key has ended goes on as the owner resumes it.',
      params,
      query: EnvironmentQuery,
      request: { schema: SiteWatchUpdate, example: { status: 'paused' } },
      answers: { 200: json('The watch.', SiteWatch) },
      errors: [...BODY_ERRORS, 'not_found', 'conflict'],
    },
    async (environments, { context, query, param, body, reply }) => {
      const { siteWatches } = environments[query().environment];
      const key = keyOfPrincipal(context.get('principal'));
      return reply(200, await siteWatches.change(param('watchId'), await body(), key));
    },
  ),
  route(
    {
      ...owner,
      method: 'delete',
      path: '/watches/{watchId}',
      operationId: 'deleteSiteWatch',
      summary: 'Delete a watch and its history',
      description: 'Its jobs stay. A run under way goes on as an ordinary crawl.',
      params,
      query: EnvironmentQuery,
      answers: { 204: { description: 'Deleted.' } },
      errors: ['not_found'],
    },
    async (environments, { query, param, end }) => {
      await environments[query().environment].siteWatches.delete(param('watchId'));
      return end(204);
    },
  ),
  route(
    {
      ...owner,
      method: 'post',
      path: '/watches/{watchId}/run',
      operationId: 'runSiteWatch',
      summary: 'Run a watch now',
      description: 'Also a paused one. The schedule stays. A conflict while a run is under way.',
      params,
      query: EnvironmentQuery,
      answers: { 202: json('The run.', SiteWatchRun) },
      errors: ['not_found', 'conflict'],
    },
    async (environments, { query, param, reply }) =>
      reply(202, await environments[query().environment].siteWatches.run(param('watchId'))),
  ),
  route(
    {
      ...owner,
      method: 'get',
      path: '/watches/{watchId}/runs',
      operationId: 'listSiteWatchRuns',
      summary: 'List the runs of a watch',
      description: 'Newest first, with the counts of their changes. The settings say how many are kept.',
      params,
      query: RunsQuery,
      answers: {
        200: json('One page.', z.object({ runs: z.array(SiteWatchRun), nextCursor: z.string().nullable() })),
      },
      errors: ['not_found'],
    },
    async (environments, { query, param, reply }) => {
      const { environment, cursor = null, limit: most } = query();
      const { runs, next } = environments[environment].siteWatches.runs(param('watchId'), cursor, most);
      return reply(200, { runs, nextCursor: next === null ? null : String(next) });
    },
  ),
  route(
    {
      ...owner,
      method: 'get',
      path: '/watches/{watchId}/runs/{jobId}/changes',
      operationId: 'listSiteChanges',
      summary: 'List the changes that a run found',
      description: 'By address, with their diffs. They outlive the result of the job.',
      params: { ...params, jobId: z.string().describe('The job of the run.') },
      query: ChangesQuery,
      answers: {
        200: json('One page.', z.object({ changes: z.array(SitePageVersion), nextCursor: z.string().nullable() })),
      },
      errors: ['not_found'],
    },
    async (environments, { query, param, reply }) => {
      const { environment, cursor = '', limit: most } = query();
      const { siteWatches } = environments[environment];
      const { changes, next } = await siteWatches.changesOf(param('watchId'), param('jobId'), cursor, most);
      return reply(200, { changes, nextCursor: next });
    },
  ),
  route(
    {
      ...owner,
      method: 'get',
      path: '/watches/{watchId}/pages',
      operationId: 'listPageVersions',
      summary: 'List the versions of a page',
      description: 'Newest first, at most 100, each with its diff to the version before.',
      params,
      query: PageQuery,
      answers: { 200: json('The versions.', z.object({ versions: z.array(SitePageVersion) })) },
      errors: ['not_found'],
    },
    async (environments, { query, param, reply }) => {
      const { environment, url } = query();
      return reply(200, { versions: await environments[environment].siteWatches.page(param('watchId'), url) });
    },
  ),
];
