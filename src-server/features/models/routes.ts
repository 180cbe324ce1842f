import { Hono } from 'hono';
import { QuarryError } from '../../platform/errors.ts';
import type { HttpEnv } from '../../platform/http/env.ts';
import { streamProgress, wantsEvents } from '../../platform/http/event-stream.ts';
import type { DownloadProgress } from '../../platform/net/download.ts';
import type { Models } from './service.ts';

/**
 * Model management. Mounted under `/admin`, behind the owner check.
 *
 * `GET /models`; `POST /models/:name/install` (202 with the progress; one download at a time per model); `GET
 * /models/:name/progress` (JSON, or server-sent events named `progress` when the client accepts them); `POST
 * /models/:name/cancel`; `DELETE /models/:name`.
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
    if (!wantsEvents(context)) return context.json(progress);
    return streamProgress(context, {
      progress: () => models.progress(name),
      watch: (onChange) => models.watch(name, onChange),
    });
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
  if (progress === null) throw new QuarryError('not_found', 'No download of this model was started. Start one.');
  return progress;
}
