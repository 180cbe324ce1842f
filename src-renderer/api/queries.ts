import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { omitUndefined } from '../../src-server/platform/omit-undefined.ts';
import { parseOwnJson } from '../../src-server/platform/own-json.ts';
import { adminPath, api, dataOf, fetchApi, filledQuery, owner, queryIn, requestJson } from './client.ts';
import type { Alert, operations as OwnerOperations, Payment, WebhookEndpoint } from './generated/owner.ts';
import type { Job, operations } from './generated/public.ts';
import type { ContributionStatus, DeliveryStatus, EnvironmentName, JobStatus, MoneyKind } from './names.ts';
import { type OpenApi, operationsOf } from './operations.ts';
import { readersTimeZone } from './reader-days.ts';
import { serverNow } from './server-time.ts';
import { IS_DEVICE } from './session.ts';

const JOBS_PAGE = 100;

const LEDGER_PAGE = 50;

const AUDIT_PAGE = 20;

/** Each may have 64 KB of diff. */
const CHANGES_PAGE = 20;

/** Data this fresh is not refetched on focus. */
export const FRESH_MS = 2000;

/** Meta of queries with side effects. They run only on a user action. */
export const ONLY_ASKED = { onlyAsked: true };

/** No event reports readiness and disk changes. */
const HEALTH_INTERVAL_MS = 15_000;

/** Reads that a linked device may not do. Its pages leave out what they show. */
const OWNER_ONLY = { enabled: !IS_DEVICE };

export interface JobFilter {
  status?: JobStatus | undefined;
  jobType?: string | undefined;
  tag?: string | undefined;
  /** Words that must all occur in the name, ID, operation, status, error, node, tags or metadata. */
  text?: string | undefined;
  /** Times of acceptance: from the first on, before the second. */
  from?: string | undefined;
  to?: string | undefined;
  order?: 'oldest' | undefined;
}

export interface DeliveryFilter {
  status?: DeliveryStatus | undefined;
  webhookId?: string | undefined;
  jobId?: string | undefined;
}

export type AuditFilter = Pick<
  NonNullable<OwnerOperations['listAuditEntries']['parameters']['query']>,
  'kind' | 'outcome'
>;

type Readiness = operations['getReadiness']['responses'][200]['content']['application/json'];

export type LedgerFilter = Partial<Record<'operationId' | 'payer', string | undefined>> & {
  status?: Payment['status'] | undefined;
  money: MoneyKind;
};

/** The query of a page of a list whose cursors are numbers. */
function pageIn<Filter extends object>(environment: EnvironmentName, filter: Filter, cursor: string | null) {
  return queryIn(environment, { ...filter, limit: LEDGER_PAGE, cursor: cursor === null ? null : Number(cursor) });
}

export const overviewKey = ['overview'];

export const jobsKey = (environment: EnvironmentName) => ['jobs', environment];

export const jobKey = (environment: EnvironmentName, jobId: string) => ['job', environment, jobId];

export const overviewQuery = () =>
  queryOptions({
    queryKey: overviewKey,
    queryFn: ({ signal }) => dataOf(owner.GET('/admin/overview', { signal })),
    refetchInterval: HEALTH_INTERVAL_MS,
  });

export const alertsKey = ['alerts'];

/** What the owner must mend, in both environments. */
export const alertsQuery = () =>
  queryOptions({
    ...OWNER_ONLY,
    queryKey: alertsKey,
    queryFn: ({ signal }) => dataOf(owner.GET('/admin/alerts', { signal })),
  });

const OF_BOTH: readonly Alert['kind'][] = ['disk-low', 'backup-failed'];

/** The alerts of an environment. Disk and backup are those of both. */
export function alertsIn(environment: EnvironmentName, alerts: readonly Alert[] = []): Alert[] {
  return alerts.filter((alert) => alert.environment === environment || OF_BOTH.includes(alert.kind));
}

export const activityKey = ['activity'];

/** Time passes without an event, too. */
const ACTIVITY_INTERVAL_MS = 60_000;

export const activityQuery = (environment: EnvironmentName, range: 'day' | 'month') =>
  queryOptions({
    ...OWNER_ONLY,
    queryKey: [...activityKey, environment, range],
    queryFn: ({ signal }) =>
      dataOf(
        owner.GET('/admin/activity', {
          params: { query: queryIn(environment, { range, timeZone: readersTimeZone() }) },
          signal,
        }),
      ),
    refetchInterval: ACTIVITY_INTERVAL_MS,
  });

export const readinessQuery = () =>
  queryOptions({
    queryKey: ['readiness'],
    queryFn: async ({ signal }) => {
      // Not ready is also a valid response.
      const answer = await fetchApi('/ready', { signal });
      return parseOwnJson<Readiness>(await answer.text());
    },
    refetchInterval: HEALTH_INTERVAL_MS,
  });

export const jobsQuery = (environment: EnvironmentName, filter: JobFilter) =>
  infiniteQueryOptions({
    queryKey: [...jobsKey(environment), filter],
    queryFn: ({ pageParam, signal }) =>
      dataOf(
        owner.GET('/admin/jobs', {
          params: { query: queryIn(environment, { ...filter, limit: JOBS_PAGE, cursor: pageParam }) },
          signal,
        }),
      ),
    initialPageParam: firstPage(),
    getNextPageParam: (page) => page.nextCursor,
  });

export const jobQuery = (environment: EnvironmentName, jobId: string) =>
  queryOptions({
    queryKey: jobKey(environment, jobId),
    queryFn: ({ signal }) => dataOf(api[environment].GET('/jobs/{jobId}', { params: { path: { jobId } }, signal })),
    // Its result may be large, and what still becomes of it is told by the stream of all changes, see `renewEnded`.
    staleTime: ({ state: { data } }) =>
      data !== undefined && isSettledJob(data) ? Number.POSITIVE_INFINITY : FRESH_MS,
  });

export const hasEnded = ({ status }: Pick<Job, 'status'>) => status === 'completed' || status === 'failed';

/** The job has ended and is not due for deletion. */
export function isSettledJob(job: Job): boolean {
  return hasEnded(job) && (job.expiresAt === null || Date.parse(job.expiresAt) > serverNow());
}

export const jobRecordQuery = (environment: EnvironmentName, jobId: string) =>
  queryOptions({
    queryKey: [...jobKey(environment, jobId), 'record'],
    queryFn: ({ signal }) =>
      dataOf(
        owner.GET('/admin/jobs/{jobId}', { params: { path: { jobId }, query: queryIn(environment, {}) }, signal }),
      ),
  });

export const documentQuery = () =>
  queryOptions({
    queryKey: ['openapi'],
    queryFn: ({ signal }) => requestJson<OpenApi>('/openapi.json', { signal }),
    staleTime: Number.POSITIVE_INFINITY,
  });

export const operationsQuery = () => ({ ...documentQuery(), select: operationsOf });

export const ledgerQuery = (environment: EnvironmentName, filter: LedgerFilter) =>
  infiniteQueryOptions({
    queryKey: ['money', environment, 'ledger', filter],
    queryFn: ({ pageParam, signal }) =>
      dataOf(owner.GET('/admin/payments', { params: { query: pageIn(environment, filter, pageParam) }, signal })),
    initialPageParam: firstPage(),
    getNextPageParam: (page) => page.nextCursor,
  });

/** @param money without it, that of the settlement in use */
export const sumsQuery = (environment: EnvironmentName, money?: MoneyKind) =>
  queryOptions({
    queryKey: ['money', environment, 'sums', money],
    queryFn: ({ signal }) =>
      dataOf(
        owner.GET('/admin/payments/summary', {
          params: { query: queryIn(environment, { money, timeZone: readersTimeZone() }) },
          signal,
        }),
      ),
  });

export const pricesQuery = (environment: EnvironmentName) =>
  queryOptions({
    ...OWNER_ONLY,
    queryKey: ['prices', environment],
    queryFn: async ({ signal }) =>
      (await dataOf(owner.GET('/admin/prices', { params: { query: queryIn(environment, {}) }, signal }))).prices,
  });

export const settlementQuery = (environment: EnvironmentName) =>
  queryOptions({
    ...OWNER_ONLY,
    queryKey: ['settlement', environment],
    queryFn: ({ signal }) =>
      dataOf(owner.GET('/admin/settlement', { params: { query: queryIn(environment, {}) }, signal })),
  });

export const walletsQuery = (environment: EnvironmentName) =>
  queryOptions({
    queryKey: ['money', environment, 'wallets'],
    queryFn: async ({ signal }) =>
      (await dataOf(owner.GET('/admin/sandbox', { params: { query: queryIn(environment, {}) }, signal }))).wallets,
  });

export const endpointsQuery = (environment: EnvironmentName) =>
  infiniteQueryOptions({
    ...OWNER_ONLY,
    queryKey: ['endpoints', environment],
    queryFn: ({ pageParam, signal }) =>
      dataOf(owner.GET('/admin/webhooks', { params: { query: pageIn(environment, {}, pageParam) }, signal })),
    initialPageParam: firstPage(),
    getNextPageParam: (page) => page.nextCursor,
  });

/** Whether an active endpoint fails: since its last success, or in its last delivery, also while it is retried. */
export function isFailing({ status, failingSince, lastDelivery }: WebhookEndpoint): boolean {
  if (status !== 'active') return false;
  if (failingSince !== null) return true;
  if (lastDelivery === null) return false;
  return lastDelivery.status === 'exhausted' || lastDelivery.status === 'pending';
}

export const deliveriesQuery = (environment: EnvironmentName, filter: DeliveryFilter) =>
  infiniteQueryOptions({
    ...OWNER_ONLY,
    queryKey: ['deliveries', environment, filter],
    queryFn: ({ pageParam, signal }) =>
      dataOf(owner.GET('/admin/deliveries', { params: { query: pageIn(environment, filter, pageParam) }, signal })),
    initialPageParam: firstPage(),
    getNextPageParam: (page) => page.nextCursor,
  });

export const deliveryQuery = (environment: EnvironmentName, deliveryId: string) =>
  queryOptions({
    queryKey: ['deliveries', environment, 'one', deliveryId],
    queryFn: ({ signal }) =>
      dataOf(
        owner.GET('/admin/deliveries/{deliveryId}', {
          params: { path: { deliveryId }, query: queryIn(environment, {}) },
          signal,
        }),
      ),
  });

export const inboxesQuery = (environment: EnvironmentName) =>
  queryOptions({
    queryKey: ['inboxes', environment],
    queryFn: async ({ signal }) =>
      (await dataOf(owner.GET('/admin/inboxes', { params: { query: queryIn(environment, {}) }, signal }))).inboxes,
  });

export const messagesQuery = (environment: EnvironmentName, name: string) =>
  queryOptions({
    queryKey: ['inboxes', environment, name, 'messages'],
    queryFn: async ({ signal }) => {
      const params = { path: { name }, query: queryIn(environment, {}) };
      return (await dataOf(owner.GET('/admin/inboxes/{name}/messages', { params, signal }))).messages;
    },
  });

/** The plots of the last hour have a bar for each minute. */
const LAST_HOUR_INTERVAL_MS = 15_000;

export const limitsQuery = (environment: EnvironmentName) =>
  queryOptions({
    queryKey: ['limits', environment],
    queryFn: ({ signal }) =>
      dataOf(
        owner.GET('/admin/limits', {
          params: { query: queryIn(environment, { timeZone: readersTimeZone() }) },
          signal,
        }),
      ),
    // Events bring the usage, but not the last hour.
    refetchInterval: LAST_HOUR_INTERVAL_MS,
  });

export const accountsKey = (environment: EnvironmentName) => ['accounts', environment];

export const accountsQuery = (environment: EnvironmentName) =>
  infiniteQueryOptions({
    queryKey: accountsKey(environment),
    queryFn: ({ pageParam, signal }) =>
      dataOf(
        owner.GET('/admin/accounts', {
          params: { query: queryIn(environment, { limit: LEDGER_PAGE, cursor: pageParam }) },
          signal,
        }),
      ),
    initialPageParam: firstPage(),
    getNextPageParam: (page) => page.nextCursor,
  });

export const modelsQuery = () =>
  queryOptions({
    queryKey: ['models'],
    queryFn: ({ signal }) => dataOf(owner.GET('/admin/models', { signal })),
  });

export const needsQuery = () =>
  queryOptions({
    queryKey: ['needs'],
    queryFn: ({ signal }) => dataOf(owner.GET('/admin/needs', { signal })),
  });

export const VOICE_OFFER = 'voice-offer';

/** Natural voices to install for a text. */
export const voiceOfferQuery = (text: string) =>
  queryOptions({
    queryKey: [VOICE_OFFER, text],
    queryFn: ({ signal }) => dataOf(owner.POST('/admin/voices/offer', { body: { text }, signal })),
  });

export const voicesQuery = (environment: EnvironmentName) =>
  queryOptions({
    queryKey: ['voices', environment],
    queryFn: ({ signal }) => dataOf(api[environment].GET('/voices', { signal })),
  });

export const settingsQuery = () =>
  queryOptions({
    ...OWNER_ONLY,
    queryKey: ['settings'],
    queryFn: ({ signal }) => dataOf(owner.GET('/admin/settings', { signal })),
  });

/** The door for phones and other computers. Devices link and expire without an event. */
export const devicesQuery = () =>
  queryOptions({
    queryKey: ['devices'],
    queryFn: ({ signal }) => dataOf(owner.GET('/admin/devices', { signal })),
    refetchInterval: DEVICES_INTERVAL_MS,
  });

const DEVICES_INTERVAL_MS = 2000;

export const sessionsQuery = () =>
  queryOptions({
    queryKey: ['sessions'],
    queryFn: async ({ signal }) => (await dataOf(owner.GET('/admin/sessions', { signal }))).sessions,
  });

/** Nodes come and go by themselves. */
export const fleetQuery = () =>
  queryOptions({
    queryKey: ['fleet'],
    queryFn: ({ signal }) => dataOf(owner.GET('/admin/fleet', { signal })),
    refetchInterval: FLEET_INTERVAL_MS,
  });

const FLEET_INTERVAL_MS = 5000;

export const keysQuery = () =>
  queryOptions({
    queryKey: ['keys'],
    queryFn: async ({ signal }) => (await dataOf(owner.GET('/admin/keys', { signal }))).keys,
  });

export const auditQuery = (filter: AuditFilter) =>
  infiniteQueryOptions({
    queryKey: ['audit', filter],
    queryFn: ({ pageParam, signal }) => {
      const query = {
        ...filter,
        limit: AUDIT_PAGE,
        ...omitUndefined({ cursor: pageParam === null ? undefined : Number(pageParam) }),
      };
      return dataOf(owner.GET('/admin/audit', { params: { query }, signal }));
    },
    initialPageParam: firstPage(),
    getNextPageParam: (page) => page.nextCursor,
  });

export const contributionsQuery = (environment: EnvironmentName, status: ContributionStatus) =>
  infiniteQueryOptions({
    ...OWNER_ONLY,
    queryKey: ['contributions', environment, status],
    queryFn: ({ pageParam, signal }) =>
      dataOf(
        owner.GET('/admin/contributions', { params: { query: pageIn(environment, { status }, pageParam) }, signal }),
      ),
    initialPageParam: firstPage(),
    getNextPageParam: (page) => page.nextCursor,
  });

export const batchesKey = (environment: EnvironmentName) => ['batches', environment];

export const batchesQuery = (environment: EnvironmentName) =>
  infiniteQueryOptions({
    queryKey: [...batchesKey(environment), 'list'],
    queryFn: ({ pageParam, signal }) => {
      const params = { query: filledQuery({ limit: LEDGER_PAGE, cursor: pageParam }) };
      return dataOf(api[environment].GET('/batches', { params, signal }));
    },
    initialPageParam: firstPage(),
    getNextPageParam: ({ nextCursor }) => nextCursor,
  });

/** A batch, with a page of its items in each page of the query. */
export const batchQuery = (environment: EnvironmentName, batchId: string) =>
  infiniteQueryOptions({
    queryKey: [...batchesKey(environment), 'one', batchId],
    queryFn: ({ pageParam, signal }) => {
      const params = { path: { batchId }, query: filledQuery({ limit: JOBS_PAGE, cursor: pageParam }) };
      return dataOf(api[environment].GET('/batches/{batchId}', { params, signal }));
    },
    initialPageParam: firstPage(),
    getNextPageParam: ({ nextCursor }) => nextCursor,
  });

export const watchesKey = (environment: EnvironmentName) => ['watches', environment];

/** The kinds of watches, as the addresses of their routes name them. */
export type SourcePath = 'watches' | 'folders' | 'feeds';

/** All watched sites, folders or feeds. */
export const sourcesQuery = <Source>(environment: EnvironmentName, path: SourcePath) =>
  queryOptions({
    queryKey: [...watchesKey(environment), path],
    queryFn: async ({ signal }) => {
      const answer = await requestJson<Record<SourcePath, Source[]>>(adminPath(environment, `/${path}`), { signal });
      return answer[path];
    },
  });

export const sourceQuery = <Source>(environment: EnvironmentName, path: SourcePath, id: string) =>
  queryOptions({
    queryKey: [...watchesKey(environment), path, id],
    queryFn: ({ signal }) => requestJson<Source>(adminPath(environment, `/${path}/${id}`), { signal }),
  });

/** What was read of a watched site, folder or feed, newest first. @param list its name in the address and the answer */
export const historyQuery = <Entry>(environment: EnvironmentName, path: SourcePath, id: string, list: string) =>
  infiniteQueryOptions({
    queryKey: [...watchesKey(environment), path, id, list],
    queryFn: async ({ pageParam: cursor, signal }) => {
      const place = adminPath(environment, `/${path}/${id}/${list}`, { limit: LEDGER_PAGE, cursor });
      const answer = await requestJson<{ nextCursor: string | null } & Record<string, Entry[]>>(place, { signal });
      return { rows: answer[list] ?? [], nextCursor: answer.nextCursor };
    },
    initialPageParam: firstPage(),
    getNextPageParam: ({ nextCursor }) => nextCursor,
  });

/** What a run of a watched site found. It does not change once the run has ended. */
export const siteChangesQuery = (
  environment: EnvironmentName,
  watchId: string,
  { jobId, status }: { jobId: string; status: string },
) =>
  infiniteQueryOptions({
    queryKey: ['site-changes', environment, watchId, jobId, status],
    queryFn: ({ pageParam, signal }) => {
      const query = queryIn(environment, { limit: CHANGES_PAGE, cursor: pageParam });
      const params = { path: { watchId, jobId }, query };
      return dataOf(owner.GET('/admin/watches/{watchId}/runs/{jobId}/changes', { params, signal }));
    },
    initialPageParam: firstPage(),
    getNextPageParam: ({ nextCursor }) => nextCursor,
    staleTime: Number.POSITIVE_INFINITY,
  });

export const pageVersionsQuery = (environment: EnvironmentName, watchId: string, url: string) =>
  queryOptions({
    queryKey: [...watchesKey(environment), 'page', watchId, url],
    queryFn: ({ signal }) => {
      const params = { path: { watchId }, query: { ...queryIn(environment, {}), url } };
      return dataOf(owner.GET('/admin/watches/{watchId}/pages', { params, signal }));
    },
  });

/** The cursor of a list's first page. */
function firstPage(): string | null {
  return null;
}
