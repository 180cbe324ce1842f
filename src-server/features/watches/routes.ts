import { z } from 'zod';
import { type EnvironmentName, EnvironmentQuery } from '../../operation.ts';
import { jsonAnswer, routesOf } from '../../platform/http/route.ts';
import { SourceRoutes } from '../jobs/service.ts';
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

const EXAMPLE = {
  name: 'Harbour office',
  crawl: { url: 'https://harbour.example/', depth: 2 },
  schedule: { everyMinutes: 1440, timeOfDay: '06:30' },
  webhook: { url: 'https://app.example/hooks/quarry' },
} satisfies z.input<typeof SiteWatchRequest>;

const route = routesOf<Record<EnvironmentName, { siteWatches: SiteWatches }>>();

const owner = { scope: 'owner', tag: 'Watched sites', auth: 'owner' } as const;

const params = { watchId: z.string().describe('Identifier of the watch.') };

const watches = new SourceRoutes<'siteWatches', SiteWatchRequest, SiteWatchUpdate, SiteWatches>({
  name: 'siteWatches',
  path: 'watches',
  idName: 'watchId',
  tag: 'Watched sites',
  one: 'watch',
  many: 'watches',
  shown: SiteWatch,
  request: { schema: SiteWatchRequest, example: EXAMPLE },
  update: SiteWatchUpdate,
  mayConflict: true,
  words: {
    list: [
      'listSiteWatches',
      'List the watched sites',
      `Newest first, each with its last run. At most ${MAX_SITE_WATCHES}.`,
    ],
    create: [
      'watchSite',
      'Watch a site',
      `Crawls a site again and again and reports what changed. The first run starts at once; the next ones
are compared with the run before (\`result.changes\` of their jobs). Each run is an ordinary crawl of the owner.`,
    ],
    get: ['getSiteWatch', 'Read a watch', 'With its last run.'],
    change: [
      'changeSiteWatch',
      'Change, pause or resume a watch',
      'Fields that are left out stay. Another `crawl` is a conflict while a run is under way. A key changes only ' +
        'what it made; it may pause and resume the rest. A watch whose key has ended goes on as the owner resumes it.',
    ],
    delete: [
      'deleteSiteWatch',
      'Delete a watch and its history',
      'Its jobs stay. A run under way goes on as an ordinary crawl.',
    ],
  },
});

const limit = z.coerce.number().int().min(1).max(200).default(50);

const ChangesQuery = EnvironmentQuery.extend({ limit, cursor: z.string().max(MAX_URL_CHARS).optional() });

const PageQuery = EnvironmentQuery.extend({ url: z.string().min(1).max(MAX_URL_CHARS).describe('Of the page.') });

/** Watched sites. Mounted under `/admin`, behind the owner check. */
export const ADMIN_WATCH_ROUTES = [
  ...watches.commonRoutes,
  watches.actionRoute(
    'run',
    ['runSiteWatch', 'Run a watch now', 'Also a paused one. The schedule stays. A conflict while a run is under way.'],
    (service, id) => service.runWatchNow(id),
    jsonAnswer('The run.', SiteWatchRun),
  ),
  watches.pageRoute(
    'runs',
    SiteWatchRun,
    [
      'listSiteWatchRuns',
      'List the runs of a watch',
      'Newest first, with the counts of their changes. The settings say how many are kept.',
    ],
    (service, id, wish) => service.pageOfRuns(id, wish),
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
        200: jsonAnswer(
          'One page.',
          z.object({ changes: z.array(SitePageVersion), nextCursor: z.string().nullable() }),
        ),
      },
      errors: ['not_found'],
    },
    async (environments, { query, param, reply }) => {
      const { environment, cursor = '', limit: most } = query();
      const { siteWatches } = environments[environment];
      const { changes, next } = await siteWatches.pageOfRunChanges(param('watchId'), param('jobId'), cursor, most);
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
      answers: { 200: jsonAnswer('The versions.', z.object({ versions: z.array(SitePageVersion) })) },
      errors: ['not_found'],
    },
    async (environments, { query, param, reply }) => {
      const { environment, url } = query();
      return reply(200, {
        versions: await environments[environment].siteWatches.versionsOfSitePage(param('watchId'), url),
      });
    },
  ),
];
