import { type InfiniteData, type Query, type QueryClient, type QueryKey, useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { recordOf } from '../../src-server/platform/records.ts';
import { workOfOperation } from '../components/work.ts';
import { followEventStream, setConnected, throttleRuns } from './event-stream.ts';
import type { ListedJob, ListedJobPage } from './generated/owner.ts';
import type { Job } from './generated/public.ts';
import type { EnvironmentName } from './names.ts';
import {
  activityKey,
  alertsKey,
  hasEnded,
  isSettledJob,
  type JobFilter,
  jobsKey,
  ONLY_ASKED,
  overviewKey,
} from './queries.ts';
import { noteServerTime } from './server-time.ts';

/** Throttles the figures of the overview. */
const FIGURES_INTERVAL_MS = 2000;

const FIGURES: readonly QueryKey[] = [overviewKey, activityKey, ['money']];

const CONTRIBUTIONS: QueryKey = ['contributions'];

/** The end of a job changes the watch that submitted it. */
const WATCHES: QueryKey = ['watches'];

/** A job may be that of a batch. */
const BATCHES: QueryKey = ['batches'];

/** A job may be a version of an item. */
const LIBRARY: QueryKey = ['library'];

/** A decision about a contribution changes the chunks of jobs. */
const CORRECTED: readonly QueryKey[] = [CONTRIBUTIONS, ['job']];

/** Queries that the stream keeps up to date. */
const LISTS: readonly QueryKey[] = [
  ...[alertsKey, CONTRIBUTIONS, WATCHES, BATCHES, LIBRARY],
  ...[['jobs'], ['endpoints'], ['deliveries'], ['inboxes']],
];

interface JobsMessage {
  environment: EnvironmentName;
  jobs: ListedJob[];
  removed: string[];
  more: boolean;
}

/** Keeps all lists and figures up to date with one stream instead of polling. */
export function useLiveChanges(enabled: boolean): void {
  const client = useQueryClient();
  useEffect(() => {
    if (!enabled) return;
    const figures = throttleRuns(() => invalidateQueryKeys(client, FIGURES), FIGURES_INTERVAL_MS);
    const deliveryChanges = new DeliveryChanges(client);
    const alerts = throttleRuns(() => invalidateQueryKeys(client, [alertsKey]), DELIVERIES_INTERVAL_MS);
    const watches = throttleRuns(() => invalidateQueryKeys(client, [WATCHES]), DELIVERIES_INTERVAL_MS);
    const batches = throttleRuns(() => invalidateQueryKeys(client, [BATCHES]), DELIVERIES_INTERVAL_MS);
    const contributions = throttleRuns(() => invalidateQueryKeys(client, CORRECTED), FIGURES_INTERVAL_MS);
    const library = throttleRuns(() => invalidateQueryKeys(client, [LIBRARY]), FIGURES_INTERVAL_MS);
    const stop = followEventStream('/admin/events', {
      onOpen: (again) => {
        setConnected(true);
        // Events were missed while the stream was closed, or before it first opened, so refetch. No later event would
        // report a job that ended in between.
        if (again) void client.invalidateQueries({ predicate: mayHaveMoved });
        else void invalidateQueryKeys(client, LISTS);
      },
      onAway: () => {
        setConnected(false);
        // All is read when the stream opens again.
        for (const one of [figures, deliveryChanges, alerts, watches, batches, contributions, library]) one.forget();
      },
      handlers: {
        time: ({ now }: { now: string }) => noteServerTime(Date.parse(now)),
        jobs: (message: JobsMessage) => {
          takeJobs(client, message);
          renewEnded(client, message);
          figures.soon();
          batches.soon();
          library.soon();
          if (message.more || message.jobs.some(({ watchId }) => watchId !== null)) watches.soon();
          deliveryChanges.jobsEnded(message);
        },
        deliveries: (message: DeliveriesMessage) => deliveryChanges.takeMovedDeliveries(message),
        inboxes: (message: InboxesMessage) => deliveryChanges.takeArrivedMessages(message),
        contributions: () => contributions.soon(),
        watches: () => watches.soon(),
        library: () => library.soon(),
        alerts: () => alerts.soon(),
      },
    });
    return () => {
      stop();
      for (const one of [figures, deliveryChanges, alerts, watches, batches, contributions, library]) one.stop();
    };
  }, [client, enabled]);
}

/** Refetches active queries and marks the rest as stale. */
function invalidateQueryKeys(client: QueryClient, keys: readonly QueryKey[]): Promise<unknown> {
  return Promise.all(keys.map((queryKey) => client.invalidateQueries({ queryKey })));
}

/** Updates changed jobs in the cached lists, without refetching or moving rows. */
function takeJobs(client: QueryClient, message: JobsMessage): void {
  const lists = client.getQueriesData<InfiniteData<ListedJobPage>>({ queryKey: jobsKey(message.environment) });
  for (const [key, data] of lists) {
    if (data === undefined) continue;
    if (message.more) void client.invalidateQueries({ queryKey: key });
    else client.setQueryData(key, patchJobPages(data, message, key[2] as JobFilter));
  }
}

/**
 * Refetches jobs that changed after their end: they were deleted, or are kept longer. Running jobs on the page have
 * their own stream.
 */
function renewEnded(client: QueryClient, { environment, jobs, removed, more }: JobsMessage): void {
  const changedJobs = new Map(jobs.map((job) => [job.jobId, job]));
  const all = client.getQueriesData<Job>({ predicate: ({ queryKey }) => isJobKey(queryKey, environment) });
  for (const [queryKey, job] of all) {
    if (job === undefined || !hasEnded(job)) continue;
    const now = changedJobs.get(job.jobId);
    const changed = now !== undefined && (now.updatedAt !== job.updatedAt || now.expiresAt !== job.expiresAt);
    if (changed || removed.includes(job.jobId)) void client.invalidateQueries({ queryKey });
    // A result can have megabytes and a busy queue sends five events a second, so refetch on the next focus.
    else if (more) void client.invalidateQueries({ queryKey, refetchType: 'none' });
  }
}

/**
 * Whether a query may be stale after an interruption. Ended jobs are excluded: their results can have megabytes, and
 * their record reports changes, see `useLiveJob`.
 */
function mayHaveMoved({ queryKey, meta, state: { data } }: Query): boolean {
  if (meta === ONLY_ASKED) return false;
  return !(queryKey.length === 3 && queryKey[0] === 'job' && data !== undefined && isSettledJob(data as Job));
}

function isJobKey(queryKey: QueryKey, environment: EnvironmentName): boolean {
  return queryKey.length === 3 && queryKey[0] === 'job' && queryKey[1] === environment;
}

function patchJobPages(
  data: InfiniteData<ListedJobPage>,
  message: JobsMessage,
  filter: JobFilter,
): InfiniteData<ListedJobPage> {
  const changed = new Map(message.jobs.map((job) => [job.jobId, job]));
  const gone = new Set(message.removed);
  const pages = data.pages.map((page) => {
    // Keep the same object for an unchanged page, so that a long list does not render again.
    if (!page.jobs.some(({ jobId }) => gone.has(jobId) || changed.has(jobId))) return page;
    const jobs = page.jobs.flatMap((job) => {
      if (gone.has(job.jobId)) return [];
      const newer = changed.get(job.jobId);
      changed.delete(job.jobId);
      if (newer === undefined) return [job];
      return isMatchedByJobFilter(newer, filter) ? [newer] : [];
    });
    return { ...page, jobs };
  });
  for (const job of changed.values()) if (isMatchedByJobFilter(job, filter)) insertJobInOrder(pages, job, filter);
  return { ...data, pages };
}

/**
 * Inserts a job at its place by time: a new job, or one that now matches the filter. Jobs beyond the
 * list belong to a later page.
 */
function insertJobInOrder(pages: ListedJobPage[], job: ListedJob, { order }: JobFilter): void {
  const isAfter = ({ createdAt }: ListedJob) =>
    order === 'oldest' ? createdAt >= job.createdAt : createdAt <= job.createdAt;
  const isLast = (index: number) => index === pages.length - 1;
  const index = pages.findIndex(({ jobs, nextCursor }, at) => {
    const last = jobs.at(-1);
    return (last !== undefined && isAfter(last)) || (isLast(at) && nextCursor === null);
  });
  const page = pages[index];
  if (page === undefined) return;
  const before = page.jobs.findIndex(isAfter);
  pages[index] = { ...page, jobs: page.jobs.toSpliced(before < 0 ? page.jobs.length : before, 0, job) };
}

/** Whether a job matches a filter, by the server's rules. */
function isMatchedByJobFilter(job: ListedJob, { status, jobType, tag, text = '', from, to }: JobFilter): boolean {
  if (from !== undefined && job.createdAt < from) return false;
  if (to !== undefined && job.createdAt >= to) return false;
  if (status !== undefined && job.status !== status) return false;
  if (jobType !== undefined && job.jobType !== jobType) return false;
  if (tag !== undefined && !job.tags?.includes(tag)) return false;
  if (jobType === undefined && workOfOperation(job.jobType).group === 'search' && job.accountId === 'owner')
    return false;
  const { label, jobId, error, tags = [], metadata = {} } = job;
  const labels = [...tags, ...Object.entries(metadata).flat()].join(' ');
  const own = `${label} ${jobId} ${job.jobType} ${job.status} ${error?.code} ${error?.message}`;
  const haystack = `${own} ${labels}`.toLowerCase();
  const words = text.toLowerCase().split(/\s+/);
  return words.every((word) => haystack.includes(word));
}

/** A slow receiver causes thousands of changes, so refetch a visible list at most once a second. */
const DELIVERIES_INTERVAL_MS = 1000;

interface DeliveriesMessage {
  environment: EnvironmentName;
  deliveries: { deliveryId: string; jobId: string; webhookId: string }[];
  more: boolean;
}

interface InboxesMessage {
  environment: EnvironmentName;
  inboxes: string[];
}

/**
 * Changes since the last refetch. `ended`: jobs ended, so there may be new deliveries without an event. `all`: too many
 * changes to list.
 */
interface Changes {
  deliveryIds: Set<string>;
  jobIds: Set<string>;
  webhookIds: Set<string>;
  inboxes: Set<string>;
  ended: boolean;
  all: boolean;
}

/** Refetches changed deliveries only. */
class DeliveryChanges {
  readonly #client: QueryClient;
  readonly #changes = new Map<EnvironmentName, Changes>();
  readonly #reading = throttleRuns(() => this.#refetchDeliveryChanges(), DELIVERIES_INTERVAL_MS);

  constructor(client: QueryClient) {
    this.#client = client;
  }

  forget(): void {
    this.#reading.forget();
    this.#changes.clear();
  }

  stop(): void {
    this.#reading.stop();
  }

  takeMovedDeliveries({ environment, deliveries, more }: DeliveriesMessage): void {
    const changes = this.#pendingDeliveryChanges(environment);
    for (const { deliveryId, jobId, webhookId } of deliveries) {
      changes.deliveryIds.add(deliveryId);
      changes.jobIds.add(jobId);
      changes.webhookIds.add(webhookId);
    }
    changes.all ||= more;
    this.#reading.soon();
  }

  /** The end of a job creates deliveries. Those of a paused endpoint do not change for now. */
  jobsEnded({ environment, jobs, more }: { environment: EnvironmentName; jobs: ListedJob[]; more: boolean }): void {
    const ended = jobs.filter(hasEnded);
    if (ended.length === 0 && !more) return;
    const changes = this.#pendingDeliveryChanges(environment);
    for (const { jobId } of ended) changes.jobIds.add(jobId);
    changes.ended = true;
    changes.all ||= more;
    this.#reading.soon();
  }

  takeArrivedMessages({ environment, inboxes }: InboxesMessage): void {
    const changes = this.#pendingDeliveryChanges(environment);
    for (const name of inboxes) changes.inboxes.add(name);
    this.#reading.soon();
  }

  #pendingDeliveryChanges(environment: EnvironmentName): Changes {
    const known = this.#changes.get(environment);
    if (known !== undefined) return known;
    const emptyIdSet = () => new Set<string>();
    const changes = {
      deliveryIds: emptyIdSet(),
      jobIds: emptyIdSet(),
      webhookIds: emptyIdSet(),
      inboxes: emptyIdSet(),
    };
    const empty: Changes = { ...changes, ended: false, all: false };
    this.#changes.set(environment, empty);
    return empty;
  }

  async #refetchDeliveryChanges(): Promise<void> {
    const pending = new Map<unknown, Changes>(this.#changes);
    this.#changes.clear();
    await this.#client.invalidateQueries({
      predicate: ({ queryKey }) => {
        const changes = pending.get(queryKey[1]);
        return changes !== undefined && isConcerned(queryKey, changes);
      },
    });
  }
}

/** Whether the data of a query key may have changed. Keys are those of `queries.ts`. */
function isConcerned([room, , filter, deliveryId]: QueryKey, changes: Changes): boolean {
  const { ended, all } = changes;
  const isIn = (ids: ReadonlySet<unknown>, id: unknown) => ids.has(id);
  if (room === 'inboxes') return changes.inboxes.size > 0 && (filter === undefined || isIn(changes.inboxes, filter));
  // Adding an endpoint is a job.
  if (room === 'endpoints') return all || ended || changes.deliveryIds.size > 0;
  if (room !== 'deliveries') return false;
  if (all) return true;
  if (filter === 'one') return isIn(changes.deliveryIds, deliveryId);
  const { jobId, webhookId } = recordOf(filter);
  if (jobId !== undefined) return isIn(changes.jobIds, jobId);
  return webhookId === undefined || ended || isIn(changes.webhookIds, webhookId);
}
