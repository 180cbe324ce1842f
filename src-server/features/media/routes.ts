import { Hono } from 'hono';
import { QuarryError } from '../../platform/errors.ts';
import type { HttpEnv } from '../../platform/http/env.ts';
import { streamProgress, wantsEvents } from '../../platform/http/event-stream.ts';
import type { YtDlpRelease } from './yt-dlp-release.ts';

export interface AdminMediaDeps {
  /** The state of each program that media work needs. */
  tools(): Promise<readonly { name: string; state: string }[]>;
  ytDlp: YtDlpRelease;
}

/**
 * Programs that media work needs. Mounted under `/admin`, behind the owner check.
 *
 * `GET /media`; `POST /media/yt-dlp/install` (202 with the progress: fetches the newest release, replacing an older
 * one); `GET /media/yt-dlp/progress` (JSON, or server-sent events named `progress` when the client accepts them);
 * `DELETE /media/yt-dlp` (removes the fetched program).
 */
export function adminMediaRoutes({ tools, ytDlp }: AdminMediaDeps): Hono<HttpEnv> {
  const routes = new Hono<HttpEnv>();

  routes.get('/media', async (context) => context.json({ tools: await tools(), ytDlp: await ytDlp.view() }));

  routes.post('/media/yt-dlp/install', (context) => context.json(ytDlp.install(), 202));

  routes.get('/media/yt-dlp/progress', (context) => {
    const progress = ytDlp.progress();
    if (progress === null) throw new QuarryError('not_found', 'No download of yt-dlp was started. Start one.');
    if (!wantsEvents(context)) return context.json(progress);
    return streamProgress(context, {
      progress: () => ytDlp.progress(),
      watch: (onChange) => ytDlp.watch(onChange),
    });
  });

  routes.delete('/media/yt-dlp', async (context) => {
    await ytDlp.remove();
    return context.body(null, 204);
  });

  return routes;
}
