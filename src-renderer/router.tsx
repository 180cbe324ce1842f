import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  redirect,
  retainSearchParams,
} from '@tanstack/react-router';
import type { ComponentType } from 'react';
import { PAGES_PATH } from './api/base-path.ts';
import { checkServer } from './api/client.ts';
import type { ItemKind, ItemOrder, ItemSourceName } from './api/library.ts';
import type { ContributionStatus, DeliveryStatus, EnvironmentName, JobStatus } from './api/names.ts';
import { Home } from './features/home/home.tsx';
import { NotFound, PageFailure, Shell } from './shell.tsx';

/** A search parameter, if it has one of the allowed values. */
function oneOf<Value extends string>(values: readonly Value[], value: unknown): Value | undefined {
  return values.find((candidate) => candidate === value);
}

function nonEmptyTextParam(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** A day, `2026-11-22`. */
function dayParam(value: unknown): string | undefined {
  return typeof value === 'string' && /^\d{4}-\d\d-\d\d$/.test(value) && !Number.isNaN(Date.parse(value))
    ? value
    : undefined;
}

/** Removes search parameters without a value. */
function presentSearchParams<Fields extends Record<string, unknown>>(fields: Fields) {
  const kept = Object.entries(fields).filter(([, value]) => value !== undefined);
  return Object.fromEntries(kept) as { [Name in keyof Fields]?: Exclude<Fields[Name], undefined> };
}

const search = createRoute({
  getParentRoute: () => rootRoute,
  path: '/search',
  validateSearch: ({ q, mode, ask, kind, tag, collection, language, speaker, ...rest }: Record<string, unknown>) =>
    presentSearchParams({
      q: nonEmptyTextParam(q),
      mode: oneOf(SEARCH_MODES, mode),
      ask: ask === 1 ? ask : undefined,
      kind: oneOf(ITEM_KINDS, kind),
      tag: nonEmptyTextParam(tag),
      collection: nonEmptyTextParam(collection),
      language: nonEmptyTextParam(language),
      speaker: nonEmptyTextParam(speaker),
      source: oneOf(ITEM_SOURCES, rest.source),
      from: dayParam(rest.from),
      to: dayParam(rest.to),
    }),
  component: lazyPage(() => import('./features/search/search.tsx'), 'Search'),
});

const rootRoute = createRootRoute({
  component: Shell,
  notFoundComponent: NotFound,
  validateSearch: (search: Record<string, unknown>): { environment?: EnvironmentName } =>
    search.environment === 'staging' ? { environment: 'staging' } : {},
  search: { middlewares: [retainSearchParams(['environment'])] },
});

const home = createRoute({ getParentRoute: () => rootRoute, path: '/', component: Home });

const activity = createRoute({
  getParentRoute: () => rootRoute,
  path: '/service',
  component: lazyPage(() => import('./features/overview/overview.tsx'), 'ActivityPage'),
});

const STATUSES: readonly JobStatus[] = ['queued', 'processing', 'completed', 'failed'];

const jobs = createRoute({
  getParentRoute: () => rootRoute,
  path: '/jobs',
  validateSearch: ({ status, jobType, tag, text: words, period, from, to, order }: Record<string, unknown>) =>
    presentSearchParams({
      status: oneOf(STATUSES, status),
      jobType: nonEmptyTextParam(jobType),
      tag: nonEmptyTextParam(tag),
      text: nonEmptyTextParam(words),
      period: oneOf(['today', 'week', 'month'] as const, period),
      from: dayParam(from),
      to: dayParam(to),
      order: oneOf(['oldest'] as const, order),
    }),
  component: lazyPage(() => import('./features/jobs/jobs.tsx'), 'Jobs'),
});

const ITEM_KINDS: readonly ItemKind[] = ['document', 'talk', 'site', 'page', 'sound', 'text'];

const ITEM_SOURCES: readonly ItemSourceName[] = ['file', 'web', 'made'];

const ITEM_ORDERS: readonly ItemOrder[] = ['added', 'updated', 'title', 'size'];

/** The filters, the order and the look of a list of items. */
function librarySearch(given: Record<string, unknown>) {
  const { kind, tag, collection, language, speaker, source, q, from, to, sort, view } = given;
  return presentSearchParams({
    kind: oneOf(ITEM_KINDS, kind),
    tag: nonEmptyTextParam(tag),
    collection: nonEmptyTextParam(collection),
    language: nonEmptyTextParam(language),
    speaker: nonEmptyTextParam(speaker),
    source: oneOf(ITEM_SOURCES, source),
    q: nonEmptyTextParam(q),
    from: dayParam(from),
    to: dayParam(to),
    sort: oneOf(ITEM_ORDERS, sort),
    view: oneOf(['grid', 'list'] as const, view),
  });
}

const library = createRoute({
  getParentRoute: () => rootRoute,
  path: '/library',
  validateSearch: librarySearch,
  component: lazyPage(() => import('./features/library/library.tsx'), 'Library'),
});

const collection = createRoute({
  getParentRoute: () => rootRoute,
  path: '/library/c/$collectionId',
  validateSearch: librarySearch,
  component: lazyPage(() => import('./features/library/library.tsx'), 'CollectionPage'),
});

/** A version: 1 and more. */
function versionParam(value: unknown): number | undefined {
  const version = Number(value);
  return Number.isSafeInteger(version) && version > 0 ? version : undefined;
}

const item = createRoute({
  getParentRoute: () => rootRoute,
  path: '/items/$itemId',
  validateSearch: ({ v, pane, chunk, listen }: Record<string, unknown>) =>
    presentSearchParams({
      listen: listen === true ? listen : undefined,
      v: versionParam(v),
      pane: oneOf(['page', 'notes', 'about'] as const, pane),
      chunk: nonEmptyTextParam(chunk),
    }),
  component: lazyPage(() => import('./features/library/item.tsx'), 'ItemPage'),
});

/** The item of a job, for links that know the job alone. */
const itemOfJob = createRoute({
  getParentRoute: () => rootRoute,
  path: '/items/of/$jobId',
  validateSearch: ({ chunk, listen }: Record<string, unknown>) =>
    presentSearchParams({ chunk: nonEmptyTextParam(chunk), listen: listen === true ? listen : undefined }),
  component: lazyPage(() => import('./features/library/item-of-job.tsx'), 'ItemOfJob'),
});

const compare = createRoute({
  getParentRoute: () => rootRoute,
  path: '/items/$itemId/compare',
  validateSearch: ({ a, b }: Record<string, unknown>) =>
    presentSearchParams({ a: versionParam(a), b: versionParam(b) }),
  component: lazyPage(() => import('./features/library/compare.tsx'), 'Compare'),
});

const deleted = createRoute({
  getParentRoute: () => rootRoute,
  path: '/library/deleted',
  component: lazyPage(() => import('./features/library/deleted.tsx'), 'Deleted'),
});

const watches = createRoute({
  getParentRoute: () => rootRoute,
  path: '/watches',
  validateSearch: ({ from }: Record<string, unknown>) => presentSearchParams({ from: nonEmptyTextParam(from) }),
  component: lazyPage(() => import('./features/watches/watches.tsx'), 'Watches'),
});

const siteWatch = createRoute({
  getParentRoute: () => rootRoute,
  path: '/watches/$watchId',
  validateSearch: ({ run: jobId, page }: Record<string, unknown>) =>
    presentSearchParams({ run: nonEmptyTextParam(jobId), page: nonEmptyTextParam(page) }),
  component: lazyPage(() => import('./features/watches/site-watch.tsx'), 'SiteWatchPage'),
});

const folderWatch = createRoute({
  getParentRoute: () => rootRoute,
  path: '/watches/folders/$watchId',
  component: lazyPage(() => import('./features/watches/folders.tsx'), 'FolderPage'),
});

const feed = createRoute({
  getParentRoute: () => rootRoute,
  path: '/watches/feeds/$feedId',
  component: lazyPage(() => import('./features/watches/feeds.tsx'), 'FeedPage'),
});

const batches = createRoute({
  getParentRoute: () => rootRoute,
  path: '/jobs/batches',
  component: lazyPage(() => import('./features/jobs/batches.tsx'), 'Batches'),
});

const batch = createRoute({
  getParentRoute: () => rootRoute,
  path: '/jobs/batches/$batchId',
  component: lazyPage(() => import('./features/jobs/batch.tsx'), 'BatchPage'),
});

const JOB_TABS = ['timeline', 'payment', 'webhooks', 'request', 'json'] as const;

const job = createRoute({
  getParentRoute: () => rootRoute,
  path: '/jobs/$jobId',
  validateSearch: ({ tab, chunk }: Record<string, unknown>) =>
    presentSearchParams({ tab: oneOf(JOB_TABS, tab), chunk: nonEmptyTextParam(chunk) }),
  component: lazyPage(() => import('./features/jobs/job.tsx'), 'JobPage'),
});

const api = createRoute({
  getParentRoute: () => rootRoute,
  path: '/service/api',
  component: lazyPage(() => import('./features/run/run.tsx'), 'Run'),
});

const apiOperation = createRoute({
  getParentRoute: () => rootRoute,
  path: '/service/api/$',
  validateSearch: ({ from, intent }: Record<string, unknown>) =>
    presentSearchParams({ from: nonEmptyTextParam(from), intent: oneOf(['compose'] as const, intent) }),
  component: lazyPage(() => import('./features/run/run.tsx'), 'Run'),
});

const add = createRoute({
  getParentRoute: () => rootRoute,
  path: '/add',
  validateSearch: ({ from, other }: Record<string, unknown>) =>
    presentSearchParams({ from: nonEmptyTextParam(from), other: other === true ? true : undefined }),
  component: lazyPage(() => import('./features/home/add-page.tsx'), 'AddPage'),
});

const anyMake = createRoute({
  getParentRoute: () => rootRoute,
  path: '/make',
  beforeLoad: () => {
    throw redirect({ to: '/make/$kind', params: { kind: 'speak' }, replace: true });
  },
});

const make = createRoute({
  getParentRoute: () => rootRoute,
  path: '/make/$kind',
  validateSearch: ({ from }: Record<string, unknown>) => presentSearchParams({ from: nonEmptyTextParam(from) }),
  component: lazyPage(() => import('./features/make/make.tsx'), 'Make'),
});

const makeListen = createRoute({
  getParentRoute: () => rootRoute,
  path: '/make/listen',
  component: lazyPage(() => import('./features/make/listen.tsx'), 'MakeListen'),
});

/** Old addresses of the API form. */
const oldRun = createRoute({
  getParentRoute: () => rootRoute,
  path: '/run',
  beforeLoad: () => {
    throw redirect({ to: '/service/api', replace: true });
  },
});

const oldRunOperation = createRoute({
  getParentRoute: () => rootRoute,
  path: '/run/$',
  validateSearch: ({ from, intent }: Record<string, unknown>) =>
    presentSearchParams({ from: nonEmptyTextParam(from), intent: oneOf(['compose'] as const, intent) }),
  beforeLoad: ({ params, search }) => {
    throw redirect({ to: '/service/api/$', params, search, replace: true });
  },
});

const WEBHOOK_TABS = ['endpoints', 'deliveries', 'signatures', 'inbox'] as const;

const DELIVERY_STATUSES: readonly DeliveryStatus[] = ['pending', 'delivered', 'exhausted', 'cancelled'];

const webhooks = createRoute({
  getParentRoute: () => rootRoute,
  path: '/webhooks',
  validateSearch: ({ tab, status, webhookId, delivery }: Record<string, unknown>) =>
    presentSearchParams({
      tab: oneOf(WEBHOOK_TABS, tab),
      status: oneOf(DELIVERY_STATUSES, status),
      webhookId: nonEmptyTextParam(webhookId),
      delivery: nonEmptyTextParam(delivery),
    }),
  component: lazyPage(() => import('./features/webhooks/webhooks.tsx'), 'Webhooks'),
});

const PAYMENT_TABS = ['ledger', 'prices', 'settlement', 'sandbox'] as const;

const payments = createRoute({
  getParentRoute: () => rootRoute,
  path: '/payments',
  validateSearch: ({ tab, money, status, operationId }: Record<string, unknown>) =>
    presentSearchParams({
      tab: oneOf(PAYMENT_TABS, tab),
      money: oneOf(['play', 'real'] as const, money),
      status: oneOf(['reserved', 'settled', 'failed'] as const, status),
      operationId: nonEmptyTextParam(operationId),
    }),
  component: lazyPage(() => import('./features/payments/payments.tsx'), 'Payments'),
});

const SEARCH_MODES = ['hybrid', 'lexical', 'semantic'] as const;

const CONTRIBUTION_STATUSES: readonly ContributionStatus[] = ['pending', 'approved', 'rejected'];

const contributions = createRoute({
  getParentRoute: () => rootRoute,
  path: '/contributions',
  validateSearch: ({ status, id }: Record<string, unknown>) =>
    presentSearchParams({ status: oneOf(CONTRIBUTION_STATUSES, status), id: nonEmptyTextParam(id) }),
  component: lazyPage(() => import('./features/contributions/contributions.tsx'), 'Contributions'),
});

const limits = createRoute({
  getParentRoute: () => rootRoute,
  path: '/limits',
  component: lazyPage(() => import('./features/limits/limits.tsx'), 'Limits'),
});

const models = createRoute({
  getParentRoute: () => rootRoute,
  path: '/models',
  component: lazyPage(() => import('./features/models/models.tsx'), 'Models'),
});

const settings = createRoute({
  getParentRoute: () => rootRoute,
  path: '/settings',
  component: lazyPage(() => import('./features/settings/settings.tsx'), 'SettingsPage'),
});

const settingsSection = createRoute({
  getParentRoute: () => rootRoute,
  path: '/settings/$section',
  component: lazyPage(() => import('./features/settings/settings.tsx'), 'SettingsPage'),
});

export const router = createRouter({
  routeTree: rootRoute.addChildren([
    home,
    activity,
    jobs,
    batches,
    batch,
    job,
    api,
    apiOperation,
    add,
    anyMake,
    makeListen,
    make,
    oldRun,
    oldRunOperation,
    search,
    library,
    collection,
    deleted,
    item,
    itemOfJob,
    compare,
    contributions,
    watches,
    siteWatch,
    folderWatch,
    feed,
    webhooks,
    payments,
    limits,
    models,
    settings,
    settingsSection,
  ]),
  basepath: PAGES_PATH === '' ? '/' : PAGES_PATH,
  defaultPreload: 'intent',
  defaultErrorComponent: PageFailure,
  scrollRestoration: true,
});

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}

/**
 * A lazily loaded page. If the server has a newer build without this code, the router reloads the window. Without a
 * server, a reload would show the browser's error page, so `PageFailure` is shown instead.
 */
function lazyPage<Name extends string>(read: () => Promise<Record<Name, ComponentType>>, name: Name) {
  const readOrSay = async () => {
    try {
      return await read();
    } catch (error) {
      await checkServer();
      throw error;
    }
  };
  return lazyRouteComponent(readOrSay, name);
}
