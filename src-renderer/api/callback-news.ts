import type { QueryClient, QueryKey } from '@tanstack/react-query';
import { throttled } from './event-stream.ts';
import { type DeliveryFilter, hasEnded } from './queries.ts';
import type { EnvironmentName, ListedJob } from './types.ts';

/** Deliveries move by the thousand while a receiver is slow: a list that is looked at is read once a second at most. */
const CALLBACKS_INTERVAL_MS = 1000;

export interface DeliveriesMessage {
  environment: EnvironmentName;
  deliveries: { deliveryId: string; jobId: string; webhookId: string }[];
  more: boolean;
}

export interface InboxesMessage {
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
export class CallbackNews {
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
