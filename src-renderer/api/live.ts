import { type InfiniteData, type Query, type QueryClient, type QueryKey, useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { follow, setConnected, throttled } from './event-stream.ts';
import type { ListedJob, ListedJobPage } from './generated/owner.ts';
import type { Job } from './generated/public.ts';
import type { EnvironmentName } from './names.ts';
import {
  type DeliveryFilter,
  hasEnded,
  isSettled,
  type JobFilter,
  jobsKey,
  ONLY_ASKED,
  overviewKey,
} from './queries.ts';
import { noteServerTime } from './server-time.ts';

/** The figures of the overview follow the jobs, but need not follow each. */
const FIGURES_INTERVAL_MS = 2000;

const FIGURES: readonly QueryKey[] = [overviewKey, ['money']];

const CONTRIBUTIONS: QueryKey = ['contributions'];

/** What somebody decides about corrections changes the chunks of jobs. */
const CORRECTED: readonly QueryKey[] = [CONTRIBUTIONS, ['job']];

/** What is kept up to date by the stream, and read once otherwise. */
const LISTS: readonly QueryKey[] = [['jobs'], ['endpoints'], ['deliveries'], ['inboxes'], CONTRIBUTIONS];

interface JobsMessage {
  environment: EnvironmentName;
  jobs: ListedJob[];
  removed: string[];
  more: boolean;
}

/** Keeps every list and figure of the window up to date by one stream, instead of asking again and again. */
export function useLiveChanges(enabled: boolean): void {
  const client = useQueryClient();
  useEffect(() => {
    if (!enabled) return;
    const figures = throttled(() => renew(client, FIGURES), FIGURES_INTERVAL_MS);
    const callbacks = new CallbackNews(client);
    const contributions = throttled(() => renew(client, CORRECTED), FIGURES_INTERVAL_MS);
    const stop = follow('/admin/events', {
      onOpen: (again) => {
        setConnected(true);
        // What happened while the stream was away is read, not guessed; so is what happened before it first came,
        // to lists that were read already: of a job that ended in between no word would come any more.
        if (again) void client.invalidateQueries({ predicate: mayHaveMoved });
        else void renew(client, LISTS);
      },
      onAway: () => setConnected(false),
      hear: {
        time: (data) => noteServerTime(Date.parse((data as { now: string }).now)),
        jobs: (data) => {
          const message = data as JobsMessage;
          takeJobs(client, message);
          renewEnded(client, message);
          figures.soon();
          callbacks.jobsEnded(message);
        },
        deliveries: (data) => callbacks.moved(data as DeliveriesMessage),
        inboxes: (data) => callbacks.arrived(data as InboxesMessage),
        contributions: () => contributions.soon(),
      },
    });
    return () => {
      stop();
      figures.stop();
      callbacks.stop();
      contributions.stop();
    };
  }, [client, enabled]);
}

/** Asks again for what is on the screen; the rest is asked for when it is opened. */
function renew(client: QueryClient, keys: readonly QueryKey[]): Promise<unknown> {
  return Promise.all(keys.map((queryKey) => client.invalidateQueries({ queryKey })));
}

/** Puts changed jobs into the lists that are open, in place: rows do not jump, and nothing is asked again. */
function takeJobs(client: QueryClient, message: JobsMessage): void {
  const lists = client.getQueriesData<InfiniteData<ListedJobPage>>({ queryKey: jobsKey(message.environment) });
  for (const [key, data] of lists) {
    if (data === undefined) continue;
    if (message.more) void client.invalidateQueries({ queryKey: key });
    else client.setQueryData(key, patched(data, message, key[2] as JobFilter));
  }
}

/**
 * Reads jobs anew that something has happened to since they ended: they were removed, or are kept longer. Until then a
 * job that is looked at has a stream of its own.
 */
function renewEnded(client: QueryClient, { environment, jobs, removed, more }: JobsMessage): void {
  const told = new Map(jobs.map((job) => [job.jobId, job]));
  const all = client.getQueriesData<Job>({ predicate: ({ queryKey }) => isJobKey(queryKey, environment) });
  for (const [queryKey, job] of all) {
    if (job === undefined || !hasEnded(job)) continue;
    const now = told.get(job.jobId);
    const changed = now !== undefined && (now.updatedAt !== job.updatedAt || now.expiresAt !== job.expiresAt);
    if (changed || removed.includes(job.jobId)) void client.invalidateQueries({ queryKey });
    // A busy queue has more to tell five times a second: a result of megabytes waits until the window is looked at.
    else if (more) void client.invalidateQueries({ queryKey, refetchType: 'none' });
  }
}

/**
 * Whether a query is asked anew once the stream was away. A job that has ended is when its record says that something
 * happened to it, see `useLiveJob`: its result may have megabytes.
 */
function mayHaveMoved({ queryKey, meta, state: { data } }: Query): boolean {
  if (meta === ONLY_ASKED) return false;
  return !(queryKey.length === 3 && queryKey[0] === 'job' && data !== undefined && isSettled(data as Job));
}

function isJobKey(queryKey: QueryKey, environment: EnvironmentName): boolean {
  return queryKey.length === 3 && queryKey[0] === 'job' && queryKey[1] === environment;
}

function patched(
  data: InfiniteData<ListedJobPage>,
  message: JobsMessage,
  filter: JobFilter,
): InfiniteData<ListedJobPage> {
  const changed = new Map(message.jobs.map((job) => [job.jobId, job]));
  const gone = new Set(message.removed);
  const pages = data.pages.map((page) => {
    // A page that nothing happened to stays the same object, so that a long list is not made anew for one job.
    if (!page.jobs.some(({ jobId }) => gone.has(jobId) || changed.has(jobId))) return page;
    const jobs = page.jobs.flatMap((job) => {
      if (gone.has(job.jobId)) return [];
      const newer = changed.get(job.jobId);
      changed.delete(job.jobId);
      if (newer === undefined) return [job];
      return fits(newer, filter) ? [newer] : [];
    });
    return { ...page, jobs };
  });
  for (const job of changed.values()) if (fits(job, filter)) putInPlace(pages, job);
  return { ...data, pages };
}

/**
 * Puts a job that the list has not shown among those that it shows, newest first: it is new, or has only now come to
 * fit the filter, as one does that ran longer than those accepted after it. What is older than all is on a page below.
 */
function putInPlace(pages: ListedJobPage[], job: ListedJob): void {
  const isLast = (index: number) => index === pages.length - 1;
  const index = pages.findIndex(({ jobs, nextCursor }, at) => {
    const oldest = jobs.at(-1)?.createdAt;
    return (oldest !== undefined && oldest <= job.createdAt) || (isLast(at) && nextCursor === null);
  });
  const page = pages[index];
  if (page === undefined) return;
  const before = page.jobs.findIndex(({ createdAt }) => createdAt <= job.createdAt);
  pages[index] = { ...page, jobs: page.jobs.toSpliced(before < 0 ? page.jobs.length : before, 0, job) };
}

/** Whether the server would give a job for a filter. */
function fits(job: ListedJob, { status, jobType, text = '' }: JobFilter): boolean {
  if (status !== undefined && job.status !== status) return false;
  if (jobType !== undefined && job.jobType !== jobType) return false;
  const { label, jobId, error } = job;
  const told = `${label} ${jobId} ${job.jobType} ${job.status} ${error?.code} ${error?.message}`.toLowerCase();
  const words = text.toLowerCase().split(/\s+/);
  return words.every((word) => told.includes(word));
}

/** Deliveries move by the thousand while a receiver is slow: a list that is looked at is read once a second at most. */
const CALLBACKS_INTERVAL_MS = 1000;

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
 * What moved since lists were last read. `ended`: jobs did, so that there are deliveries which no message has named.
 * `all`: too much to name.
 */
interface News {
  deliveryIds: Set<string>;
  jobIds: Set<string>;
  webhookIds: Set<string>;
  inboxes: Set<string>;
  ended: boolean;
  all: boolean;
}

/** Renews what is shown of callbacks when it has moved, and only that: a delivery that rests is not read again. */
class CallbackNews {
  readonly #client: QueryClient;
  readonly #news = new Map<EnvironmentName, News>();
  readonly #reading = throttled(() => this.#read(), CALLBACKS_INTERVAL_MS);

  constructor(client: QueryClient) {
    this.#client = client;
  }

  stop(): void {
    this.#reading.stop();
  }

  moved({ environment, deliveries, more }: DeliveriesMessage): void {
    const news = this.#newsOf(environment);
    for (const { deliveryId, jobId, webhookId } of deliveries) {
      news.deliveryIds.add(deliveryId);
      news.jobIds.add(jobId);
      news.webhookIds.add(webhookId);
    }
    news.all ||= more;
    this.#reading.soon();
  }

  /** With the end of a job its deliveries come to be; those of a paused endpoint do not move for now. */
  jobsEnded({ environment, jobs, more }: { environment: EnvironmentName; jobs: ListedJob[]; more: boolean }): void {
    const ended = jobs.filter(hasEnded);
    if (ended.length === 0 && !more) return;
    const news = this.#newsOf(environment);
    for (const { jobId } of ended) news.jobIds.add(jobId);
    news.ended = true;
    news.all ||= more;
    this.#reading.soon();
  }

  arrived({ environment, inboxes }: InboxesMessage): void {
    const news = this.#newsOf(environment);
    for (const name of inboxes) news.inboxes.add(name);
    this.#reading.soon();
  }

  #newsOf(environment: EnvironmentName): News {
    const known = this.#news.get(environment);
    if (known !== undefined) return known;
    const none = () => new Set<string>();
    const news = { deliveryIds: none(), jobIds: none(), webhookIds: none(), inboxes: none() };
    const quiet: News = { ...news, ended: false, all: false };
    this.#news.set(environment, quiet);
    return quiet;
  }

  async #read(): Promise<void> {
    const told = new Map(this.#news);
    this.#news.clear();
    await this.#client.invalidateQueries({
      predicate: ({ queryKey }) => {
        const news = told.get(queryKey[1] as EnvironmentName);
        return news !== undefined && isConcerned(queryKey, news);
      },
    });
  }
}

/** Whether what is shown under a key may read otherwise now. Keys are those of `queries.ts`. */
function isConcerned([room, , filter, deliveryId]: QueryKey, news: News): boolean {
  const { deliveryIds, jobIds, webhookIds, inboxes, ended, all } = news;
  if (room === 'inboxes') return inboxes.size > 0 && (filter === undefined || inboxes.has(filter as string));
  // To register one is a job of its own.
  if (room === 'endpoints') return all || ended || deliveryIds.size > 0;
  if (room !== 'deliveries') return false;
  if (all) return true;
  if (filter === 'one') return deliveryIds.has(deliveryId as string);
  const { jobId, webhookId } = filter as DeliveryFilter;
  if (jobId !== undefined) return jobIds.has(jobId);
  return webhookId === undefined || ended || webhookIds.has(webhookId);
}
