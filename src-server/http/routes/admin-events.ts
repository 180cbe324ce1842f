import { setTimeout as wait } from 'node:timers/promises';
import type { Context } from 'hono';
import { Hono } from 'hono';
import { type SSEStreamingApi, streamSSE } from 'hono/streaming';
import type { EnvironmentName } from '../../contract/index.ts';
import type { Jobs } from '../../jobs/jobs.ts';
import { toIsoTime } from '../../lib/clock.ts';
import { SECOND_MS } from '../../lib/units.ts';
import type { HttpEnv } from '../context.ts';

/** At most five messages a second, however busy the queue is: a window that is looked at needs no more. */
const SEND_INTERVAL_MS = 200;
const KEEP_ALIVE_MS = 15 * SECOND_MS;
/** Jobs in one message. When more have changed, the message says so, and whoever listens reads its list anew. */
const MAX_JOBS = 100;

export interface AdminEventParts {
  environments: readonly { name: EnvironmentName; jobs: Jobs }[];
}

/**
 * `GET /events`: what changes in both environments, as server-sent events. Mounted under `/admin`, behind the owner
 * check.
 *
 * `event: time` `{now}`, at the start and as a keep-alive. `event: jobs` `{environment, jobs, removed, more}`: the jobs
 * (without results, with their labels) that changed since the last message, ids of those that are gone, and whether
 * there were too many to name.
 */
export function adminEventRoutes(parts: AdminEventParts): Hono<HttpEnv> {
  const routes = new Hono<HttpEnv>();
  routes.get('/events', (context) => streamChanges(context, parts));
  return routes;
}

function streamChanges(context: Context<HttpEnv>, { environments }: AdminEventParts): Response {
  context.header('Cache-Control', 'no-store');
  context.header('X-Accel-Buffering', 'no');
  return streamSSE(context, async (stream) => {
    let wake = (): void => {};
    const changed = new Map(environments.map(({ name }) => [name, new Set<string>()]));
    const stops = environments.map(({ name, jobs }) =>
      jobs.watchAll((jobId) => {
        changed.get(name)?.add(jobId);
        wake();
      }),
    );
    stream.onAbort(() => wake());
    const sayTime = async () => {
      const now = toIsoTime(environments[0]?.jobs.now() ?? 0);
      await stream.writeSSE({ event: 'time', data: JSON.stringify({ now }) });
    };
    const keepAlive = setInterval(() => void sayTime(), KEEP_ALIVE_MS);
    try {
      await sayTime();
      while (!stream.aborted) {
        const quiet = [...changed.values()].every(({ size }) => size === 0);
        if (quiet) await new Promise<void>((resolve) => (wake = resolve));
        for (const { name, jobs } of environments) await sayChanges(stream, name, jobs, changed.get(name));
        await wait(SEND_INTERVAL_MS);
      }
    } finally {
      clearInterval(keepAlive);
      for (const stop of stops) stop();
    }
  });
}

async function sayChanges(
  stream: SSEStreamingApi,
  environment: EnvironmentName,
  jobs: Jobs,
  changed: Set<string> | undefined,
): Promise<void> {
  if (changed === undefined || changed.size === 0) return;
  const ids = [...changed];
  changed.clear();
  const shown: string[] = [];
  const removed: string[] = [];
  for (const id of ids.slice(0, MAX_JOBS)) {
    const job = await jobs.listed(id);
    if (job === null) removed.push(id);
    else shown.push(job);
  }
  const head = JSON.stringify({ environment, removed, more: ids.length > MAX_JOBS });
  await stream.writeSSE({ event: 'jobs', data: `${head.slice(0, -1)},"jobs":[${shown.join(',')}]}` });
}
