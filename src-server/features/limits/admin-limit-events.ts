import { setTimeout as wait } from 'node:timers/promises';
import type { Context } from 'hono';
import { Hono } from 'hono';
import { z } from 'zod';
import { ENVIRONMENTS, type EnvironmentName } from '../../contract/index.ts';
import type { HttpEnv } from '../../platform/http/env.ts';
import { eventStream } from '../../platform/http/event-stream.ts';
import { queryOf } from '../../platform/http/query.ts';
import { parseWithSchema } from '../../platform/http/validate.ts';
import { SECOND_MS } from '../../platform/units.ts';
import type { Jobs } from '../jobs/service.ts';
import type { Limits } from './service.ts';

/** Counting takes a look at every account of the last minute: once a second is as live as a person can read. */
const SEND_INTERVAL_MS = SECOND_MS;
const KEEP_ALIVE_MS = 15 * SECOND_MS;

const Query = z.strictObject({ environment: z.enum(ENVIRONMENTS).default('production') });

interface LimitEventParts {
  limits: Limits;
  jobs: Jobs;
}

/**
 * `GET /limits/events`: who uses how much, as server-sent events; takes `?environment=staging`. Mounted under `/admin`,
 * behind the owner check. It is a stream of its own, since counting is only worth its price while somebody looks.
 *
 * `event: usage` `{usage}`, as in `GET /limits`: at the start, and at most once a second while it changes. Windows are
 * left by requests that are a minute old, so it also changes when nothing is sent.
 */
export function adminLimitEventRoutes(environments: Record<EnvironmentName, LimitEventParts>): Hono<HttpEnv> {
  const routes = new Hono<HttpEnv>();
  routes.get('/limits/events', (context) => {
    const { environment } = parseWithSchema(Query, queryOf(context));
    return streamUsage(context, environments[environment]);
  });
  return routes;
}

function streamUsage(context: Context<HttpEnv>, { limits, jobs }: LimitEventParts): Response {
  return eventStream(context, async (stream) => {
    let wake = (): void => {};
    let changed = false;
    const onChange = () => {
      changed = true;
      wake();
    };
    const stops = [limits.changed.add(onChange), jobs.watchAll(onChange)];
    stream.onAbort(() => wake());
    const keepAlive = setInterval(() => void stream.write(': still here\n\n'), KEEP_ALIVE_MS);
    let said = '';
    try {
      while (!stream.aborted) {
        changed = false;
        const usage = await limits.usage();
        const data = JSON.stringify({ usage });
        if (data !== said) await stream.writeSSE({ event: 'usage', data });
        said = data;
        await wait(SEND_INTERVAL_MS);
        // An empty window stays empty until somebody calls.
        if (usage.length === 0 && !changed && !stream.aborted) await new Promise<void>((resolve) => (wake = resolve));
      }
    } finally {
      clearInterval(keepAlive);
      for (const stop of stops) stop();
    }
  });
}
