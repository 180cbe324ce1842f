import { setTimeout as wait } from 'node:timers/promises';
import type { Context } from 'hono';
import type { SSEStreamingApi } from 'hono/streaming';
import type { EnvironmentName } from '../../operation.ts';
import { toIsoTime } from '../../platform/clock.ts';
import type { HttpEnv } from '../../platform/http/env.ts';
import { eventStream } from '../../platform/http/event-stream.ts';
import { routesOf } from '../../platform/http/route.ts';
import type { Listeners } from '../../platform/listeners.ts';
import { SECOND_MS } from '../../platform/units.ts';
import type { Alerts } from '../alerts/service.ts';
import type { Contributions } from '../contributions/service.ts';
import type { Feeds } from '../feeds/service.ts';
import type { Folders } from '../folders/service.ts';
import type { Jobs } from '../jobs/service.ts';
import type { Inboxes, Webhooks } from '../webhooks/service.ts';

/** At most five messages per second: a page needs no more. */
const SEND_INTERVAL_MS = 200;

const KEEP_ALIVE_MS = 15 * SECOND_MS;

/** Limit of jobs or deliveries per message. Beyond it the message sets `more`, and the client reloads its list. */
const MAX_NAMED = 100;

interface WatchedEnvironment {
  name: EnvironmentName;
  jobs: Jobs;
  webhooks: Webhooks;
  inboxes: Inboxes;
  contributions: Contributions;
  folders: Pick<Folders, 'changed'>;
  feeds: Pick<Feeds, 'changed'>;
  alerts: Pick<Alerts, 'changed'>;
  library: { changed: Listeners<void> };
}

type WatchedEnvironments = Record<EnvironmentName, WatchedEnvironment>;

const route = routesOf<WatchedEnvironments>();

/** What changes in both environments. Mounted under `/admin`, behind the owner check. */
export const ADMIN_EVENT_ROUTES = [
  route(
    {
      method: 'get',
      path: '/events',
      scope: 'owner',
      forDevices: true,
      operationId: 'followChanges',
      tag: 'Overview',
      summary: 'Follow all changes',
      description: `Server-sent events of both environments. \`time\` \`{now}\`: at the start and as a keep-alive.
\`jobs\` \`{environment, jobs, removed, more}\`: the jobs (without results, with their labels) that changed since the
last message, ids of those that are gone, and whether there were too many to name. \`deliveries\`
\`{environment, deliveries: [{deliveryId, jobId, webhookId}], more}\`: deliveries that began or ended an attempt.
\`inboxes\` \`{environment, inboxes}\`: names of the inboxes that took a message or were changed. \`contributions\`
\`{environment}\`: one came in, was reported or decided. \`watches\` \`{environment}\`: a watched folder or feed changed
its state. \`library\` \`{environment}\`: titles, figures or sizes of items were read from their results.
\`alerts\` \`{environment}\`: at the start, and when alerts were raised, changed or cleared.`,
      auth: 'owner',
      answers: { 200: { description: 'The stream.', content: { mediaType: 'text/event-stream', schema: null } } },
      errors: [],
    },
    (environments, { context }) => streamChanges(context, Object.values(environments)),
  ),
];

function streamChanges(context: Context<HttpEnv>, environments: readonly WatchedEnvironment[]): Response {
  return eventStream(context, async (stream) => {
    let wakeChangeStream = (): void => {};
    const watches = environments.map((environment) => new Watch(environment, () => wakeChangeStream()));
    stream.onAbort(() => wakeChangeStream());
    const sayTime = async () => {
      const now = toIsoTime(environments[0]?.jobs.currentJobsTime() ?? 0);
      await stream.writeSSE({ event: 'time', data: JSON.stringify({ now }) });
    };
    const keepAlive = setInterval(() => void sayTime(), KEEP_ALIVE_MS);
    try {
      await sayTime();
      while (!stream.aborted) {
        const quiet = watches.every((watch) => watch.hasNothingToSay);
        if (quiet) await new Promise<void>((resolve) => (wakeChangeStream = resolve));
        for (const watch of watches) await watch.sayChanges(stream);
        await wait(SEND_INTERVAL_MS);
      }
    } finally {
      clearInterval(keepAlive);
      for (const watch of watches) watch.stopEnvironmentWatch();
    }
  });
}

/** Changes of one environment since the last message. Bounded, for a client that stops reading. */
class Watch {
  readonly #environment: WatchedEnvironment;
  readonly #stops: readonly (() => void)[];
  readonly #jobs = new Set<string>();
  readonly #deliveries = new Map<string, { deliveryId: string; jobId: string; webhookId: string }>();
  readonly #inboxes = new Set<string>();
  #moreDeliveries = false;
  #contributions = false;
  #watches = false;
  #library = false;
  /** Also at the start, for a client that was away. */
  #alerts = true;

  constructor(environment: WatchedEnvironment, wake: () => void) {
    this.#environment = environment;
    const { jobs, webhooks, inboxes, contributions, folders, feeds, alerts, library } = environment;
    this.#stops = [
      jobs.watchAll((jobId) => {
        // One more than the limit shows that there are more.
        if (this.#jobs.size <= MAX_NAMED) this.#jobs.add(jobId);
        wake();
      }),
      webhooks.moved.addListener((deliveries) => {
        for (const { id, job_id: jobId, webhook_id: webhookId } of deliveries) {
          if (this.#deliveries.size < MAX_NAMED) this.#deliveries.set(id, { deliveryId: id, jobId, webhookId });
          else this.#moreDeliveries ||= !this.#deliveries.has(id);
        }
        wake();
      }),
      inboxes.changed.addListener((name) => {
        this.#inboxes.add(name);
        wake();
      }),
      contributions.changed.addListener(() => {
        this.#contributions = true;
        wake();
      }),
      alerts.changed.addListener(() => {
        this.#alerts = true;
        wake();
      }),
      library.changed.addListener(() => {
        this.#library = true;
        wake();
      }),
      ...[folders, feeds].map(({ changed }) =>
        changed.addListener(() => {
          this.#watches = true;
          wake();
        }),
      ),
    ];
  }

  stopEnvironmentWatch(): void {
    for (const stop of this.#stops) stop();
  }

  get hasNothingToSay(): boolean {
    const quiet = this.#jobs.size === 0 && this.#deliveries.size === 0 && this.#inboxes.size === 0;
    return quiet && !this.#contributions && !this.#watches && !this.#alerts && !this.#library;
  }

  async sayChanges(stream: SSEStreamingApi): Promise<void> {
    const { name: environment } = this.#environment;
    if (this.#jobs.size > 0) await this.#sayJobs(stream);
    if (this.#deliveries.size > 0) {
      const message = { environment, deliveries: [...this.#deliveries.values()], more: this.#moreDeliveries };
      this.#deliveries.clear();
      this.#moreDeliveries = false;
      await stream.writeSSE({ event: 'deliveries', data: JSON.stringify(message) });
    }
    if (this.#inboxes.size > 0) {
      const message = { environment, inboxes: [...this.#inboxes] };
      this.#inboxes.clear();
      await stream.writeSSE({ event: 'inboxes', data: JSON.stringify(message) });
    }
    if (this.#contributions) {
      this.#contributions = false;
      await stream.writeSSE({ event: 'contributions', data: JSON.stringify({ environment }) });
    }
    if (this.#watches) {
      this.#watches = false;
      await stream.writeSSE({ event: 'watches', data: JSON.stringify({ environment }) });
    }
    if (this.#library) {
      this.#library = false;
      await stream.writeSSE({ event: 'library', data: JSON.stringify({ environment }) });
    }
    if (this.#alerts) {
      this.#alerts = false;
      await stream.writeSSE({ event: 'alerts', data: JSON.stringify({ environment }) });
    }
  }

  async #sayJobs(stream: SSEStreamingApi): Promise<void> {
    const { name: environment, jobs } = this.#environment;
    const ids = [...this.#jobs];
    this.#jobs.clear();
    const shown: string[] = [];
    const removed: string[] = [];
    for (const id of ids.slice(0, MAX_NAMED)) {
      const job = jobs.listedJobJson(id);
      if (job === null) removed.push(id);
      else shown.push(job);
    }
    const head = JSON.stringify({ environment, removed, more: ids.length > MAX_NAMED });
    await stream.writeSSE({ event: 'jobs', data: `${head.slice(0, -1)},"jobs":[${shown.join(',')}]}` });
  }
}
