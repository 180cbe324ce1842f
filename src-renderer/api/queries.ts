import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import type { Voice } from '../../src-server/features/audio/schema.ts';
import type { ContributionStatus } from '../../src-server/features/contributions/schema.ts';
import type { Settings } from '../../src-server/features/dashboard/schema.ts';
import type { Job, JobStatus } from '../../src-server/features/jobs/schema.ts';
import type { EnvironmentName } from '../../src-server/operation.ts';
import { adminPath, apiPath, ask, send } from './client.ts';
import { type OpenApi, operationsOf } from './operations.ts';
import { serverNow } from './server-time.ts';
import type {
  Account,
  AccountKind,
  Delivery,
  DeliveryDetail,
  DeliveryStatus,
  Endpoints,
  Inbox,
  InboxMessage,
  JobPage,
  JobRecord,
  LimitsView,
  ModelView,
  ModeratedContribution,
  Overview,
  OwnerSession,
  Payment,
  Price,
  Readiness,
  SandboxWallet,
  Settlement,
  Sums,
} from './types.ts';

const JOBS_PAGE = 100;

const LEDGER_PAGE = 50;

/** Data this fresh is not refetched on focus. */
export const FRESH_MS = 2000;

/** Meta of queries with side effects. They run only on a user action. */
export const ONLY_ASKED = { onlyAsked: true };

/** No event reports readiness and disk changes. */
const HEALTH_INTERVAL_MS = 15_000;

export interface JobFilter {
  status?: JobStatus | undefined;
  jobType?: string | undefined;
  /** Words that must all occur in the name, ID, operation, status or error. */
  text?: string | undefined;
}

export interface DeliveryFilter {
  status?: DeliveryStatus | undefined;
  webhookId?: string | undefined;
  jobId?: string | undefined;
}

export const overviewKey = ['overview'];

export const jobsKey = (environment: EnvironmentName) => ['jobs', environment];

export const jobKey = (environment: EnvironmentName, jobId: string) => ['job', environment, jobId];

export const overviewQuery = () =>
  queryOptions({
    queryKey: overviewKey,
    queryFn: ({ signal }) => ask<Overview>('/admin/overview', { signal }),
    refetchInterval: HEALTH_INTERVAL_MS,
  });

export const readinessQuery = () =>
  queryOptions({
    queryKey: ['readiness'],
    queryFn: async ({ signal }) => {
      // Not ready is also a valid response.
      return (await (await send('/ready', { signal })).json()) as Readiness;
    },
    refetchInterval: HEALTH_INTERVAL_MS,
  });

export const jobsQuery = (environment: EnvironmentName, filter: JobFilter) =>
  infiniteQueryOptions({
    queryKey: [...jobsKey(environment), filter],
    queryFn: ({ pageParam, signal }) =>
      ask<JobPage>(adminPath(environment, '/jobs', { ...filter, limit: JOBS_PAGE, cursor: pageParam }), { signal }),
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.nextCursor,
  });

export const jobQuery = (environment: EnvironmentName, jobId: string) =>
  queryOptions({
    queryKey: jobKey(environment, jobId),
    queryFn: ({ signal }) => ask<Job>(apiPath(environment, `/jobs/${jobId}`), { signal }),
    // Its result can be large. The stream of all changes reports later changes, see `renewEnded`.
    staleTime: ({ state: { data } }) => (data !== undefined && isSettled(data) ? Number.POSITIVE_INFINITY : FRESH_MS),
  });

export const hasEnded = ({ status }: Pick<Job, 'status'>) => status === 'completed' || status === 'failed';

/** The job has ended and is not due for deletion. */
export function isSettled(job: Job): boolean {
  return hasEnded(job) && (job.expiresAt === null || Date.parse(job.expiresAt) > serverNow());
}

export const jobRecordQuery = (environment: EnvironmentName, jobId: string) =>
  queryOptions({
    queryKey: [...jobKey(environment, jobId), 'record'],
    queryFn: ({ signal }) => ask<JobRecord>(adminPath(environment, `/jobs/${jobId}`), { signal }),
  });

export const documentQuery = () =>
  queryOptions({
    queryKey: ['openapi'],
    queryFn: ({ signal }) => ask<OpenApi>('/openapi.json', { signal }),
    staleTime: Number.POSITIVE_INFINITY,
  });

export const operationsQuery = () => ({ ...documentQuery(), select: operationsOf });

export const ledgerQuery = (environment: EnvironmentName, filter: Record<string, string | undefined>) =>
  infiniteQueryOptions({
    queryKey: ['money', environment, 'ledger', filter],
    queryFn: ({ pageParam, signal }) =>
      ask<{ payments: Payment[]; nextCursor: string | null }>(
        adminPath(environment, '/payments', { ...filter, limit: LEDGER_PAGE, cursor: pageParam }),
        { signal },
      ),
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.nextCursor,
  });

export const sumsQuery = (environment: EnvironmentName) =>
  queryOptions({
    queryKey: ['money', environment, 'sums'],
    queryFn: ({ signal }) => ask<Sums>(adminPath(environment, '/payments/summary'), { signal }),
  });

export const pricesQuery = (environment: EnvironmentName) =>
  queryOptions({
    queryKey: ['prices', environment],
    queryFn: async ({ signal }) =>
      (await ask<{ prices: Price[] }>(adminPath(environment, '/prices'), { signal })).prices,
  });

export const settlementQuery = (environment: EnvironmentName) =>
  queryOptions({
    queryKey: ['settlement', environment],
    queryFn: ({ signal }) => ask<Settlement>(adminPath(environment, '/settlement'), { signal }),
  });

export const walletsQuery = (environment: EnvironmentName) =>
  queryOptions({
    queryKey: ['money', environment, 'wallets'],
    queryFn: async ({ signal }) =>
      (await ask<{ wallets: SandboxWallet[] }>(adminPath(environment, '/sandbox'), { signal })).wallets,
  });

export const endpointsQuery = (environment: EnvironmentName) =>
  infiniteQueryOptions({
    queryKey: ['endpoints', environment],
    queryFn: ({ pageParam, signal }) =>
      ask<Endpoints>(adminPath(environment, '/webhooks', { limit: LEDGER_PAGE, cursor: pageParam }), { signal }),
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.nextCursor,
  });

export const deliveriesQuery = (environment: EnvironmentName, filter: DeliveryFilter) =>
  infiniteQueryOptions({
    queryKey: ['deliveries', environment, filter],
    queryFn: ({ pageParam, signal }) =>
      ask<{ deliveries: Delivery[]; nextCursor: string | null }>(
        adminPath(environment, '/deliveries', { ...filter, limit: LEDGER_PAGE, cursor: pageParam }),
        { signal },
      ),
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.nextCursor,
  });

export const deliveryQuery = (environment: EnvironmentName, deliveryId: string) =>
  queryOptions({
    queryKey: ['deliveries', environment, 'one', deliveryId],
    queryFn: ({ signal }) => ask<DeliveryDetail>(adminPath(environment, `/deliveries/${deliveryId}`), { signal }),
  });

export const inboxesQuery = (environment: EnvironmentName) =>
  queryOptions({
    queryKey: ['inboxes', environment],
    queryFn: async ({ signal }) =>
      (await ask<{ inboxes: Inbox[] }>(adminPath(environment, '/inboxes'), { signal })).inboxes,
  });

export const messagesQuery = (environment: EnvironmentName, name: string) =>
  queryOptions({
    queryKey: ['inboxes', environment, name, 'messages'],
    queryFn: async ({ signal }) => {
      const path = adminPath(environment, `/inboxes/${name}/messages`);
      return (await ask<{ messages: InboxMessage[] }>(path, { signal })).messages;
    },
  });

export const limitsQuery = (environment: EnvironmentName) =>
  queryOptions({
    queryKey: ['limits', environment],
    queryFn: ({ signal }) => ask<LimitsView>(adminPath(environment, '/limits'), { signal }),
  });

/** Common prefix of the account lists of an environment. */
export const accountsKey = (environment: EnvironmentName) => ['accounts', environment];

export const accountsQuery = (environment: EnvironmentName, kind?: AccountKind) =>
  infiniteQueryOptions({
    queryKey: [...accountsKey(environment), kind ?? 'all'],
    queryFn: ({ pageParam, signal }) =>
      ask<{ accounts: Account[]; nextCursor: string | null }>(
        adminPath(environment, '/accounts', { limit: LEDGER_PAGE, cursor: pageParam, kind }),
        { signal },
      ),
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.nextCursor,
  });

export const modelsQuery = () =>
  queryOptions({
    queryKey: ['models'],
    queryFn: ({ signal }) => ask<{ models: ModelView[]; diskUseBytes: number }>('/admin/models', { signal }),
  });

export const voicesQuery = (environment: EnvironmentName) =>
  queryOptions({
    queryKey: ['voices', environment],
    queryFn: ({ signal }) => ask<Voice[]>(apiPath(environment, '/voices'), { signal }),
  });

export const settingsQuery = () =>
  queryOptions({
    queryKey: ['settings'],
    queryFn: ({ signal }) => ask<Settings>('/admin/settings', { signal }),
  });

export const sessionsQuery = () =>
  queryOptions({
    queryKey: ['sessions'],
    queryFn: async ({ signal }) => (await ask<{ sessions: OwnerSession[] }>('/admin/sessions', { signal })).sessions,
  });

export const contributionsQuery = (environment: EnvironmentName, status: ContributionStatus) =>
  infiniteQueryOptions({
    queryKey: ['contributions', environment, status],
    queryFn: ({ pageParam, signal }) =>
      ask<{ contributions: ModeratedContribution[]; nextCursor: string | null }>(
        adminPath(environment, '/contributions', { status, limit: LEDGER_PAGE, cursor: pageParam }),
        { signal },
      ),
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.nextCursor,
  });
