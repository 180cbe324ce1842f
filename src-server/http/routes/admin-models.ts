import { setTimeout as wait } from 'node:timers/promises';
import { type Context, Hono } from 'hono';
import { streamSSE } from 'hono/streaming';
import { QuarryError } from '../../contract/index.ts';
import { type DownloadProgress, isUnderWay, type Models } from '../../models/models.ts';
import type { HttpEnv } from '../context.ts';

/** Progress is sent this often at most, and at least as often as KEEP_ALIVE_MS with nothing new. */
const SEND_INTERVAL_MS = 250;
const KEEP_ALIVE_MS = 15_000;

/**
 * The owner's models. Mounted under `/admin`, behind the owner check.
 *
 * `GET /models`; `POST /models/:name/install` (202 with the progress; one download at a time per model);
 * `GET /models/:name/progress` (JSON, or server-sent events named `progress` where those are accepted);
 * `POST /models/:name/cancel`; `DELETE /models/:name`.
 */
export function adminModelRoutes(models: Models): Hono<HttpEnv> {
  const routes = new Hono<HttpEnv>();

  routes.get('/models', async (context) =>
    context.json({ models: await models.list(), diskUseBytes: await models.diskUseBytes() }),
  );

  routes.post('/models/:name/install', async (context) => {
    return context.json(await models.install(context.req.param('name')), 202);
  });

  routes.get('/models/:name/progress', (context) => {
    const name = context.req.param('name');
    const progress = progressOf(models, name);
    const wantsStream = (context.req.header('accept') ?? '').includes('text/event-stream');
    return wantsStream ? streamProgress(context, models, name) : context.json(progress);
  });

  routes.post('/models/:name/cancel', async (context) => {
    await models.cancel(context.req.param('name'));
    return context.body(null, 204);
  });

  routes.delete('/models/:name', async (context) => {
    await models.remove(context.req.param('name'));
    return context.body(null, 204);
  });

  return routes;
}

function progressOf(models: Models, name: string): DownloadProgress {
  const progress = models.progress(name);
  if (progress === null) throw new QuarryError('not_found', 'No download of this model was begun. Begin one first.');
  return progress;
}

/** The newest progress whenever there is one, until the download has ended. */
function streamProgress(context: Context<HttpEnv>, models: Models, name: string): Response {
  context.header('Cache-Control', 'no-store');
  context.header('X-Accel-Buffering', 'no');
  return streamSSE(context, async (stream) => {
    let wake = (): void => {};
    let changed = false;
    const stop = models.watch(name, () => {
      changed = true;
      wake();
    });
    stream.onAbort(() => wake());
    const keepAlive = setInterval(() => void stream.write(': still here\n\n'), KEEP_ALIVE_MS);
    try {
      while (!stream.aborted) {
        changed = false;
        const progress = models.progress(name);
        if (progress === null) return;
        await stream.writeSSE({ event: 'progress', data: JSON.stringify(progress) });
        if (!isUnderWay(progress)) return;
        await wait(SEND_INTERVAL_MS);
        if (!changed) await new Promise<void>((resolve) => (wake = resolve));
      }
    } finally {
      clearInterval(keepAlive);
      stop();
    }
  });
}
