/** What podcast apps ask for. Strangers get nothing, and nobody more than a device needs. */

import { type Context, Hono } from 'hono';
import type { Clock } from '../../platform/clock.ts';
import { QuarryError } from '../../platform/errors.ts';
import type { HttpEnv } from '../../platform/http/env.ts';
import { sendFile } from '../../platform/http/file-response.ts';
import { SECOND_MS } from '../../platform/units.ts';
import type { FeedKeys } from './feed-keys.ts';
import type { FeedLimit } from './feed-limit.ts';
import { podcastChapters, podcastOf } from './podcast.ts';
import { BookFile } from './schema.ts';
import type { Listening } from './service.ts';

export interface FeedPlace {
  keys: FeedKeys;
  listening: Listening;
}

interface FeedDeps {
  places: readonly FeedPlace[];
  limit: FeedLimit;
  clock: Clock;
  /** Where this listener is reached. */
  originOf(context: Context<HttpEnv>): string;
}

/** Apps ask for the list again and again. */
const LIST_MS = 10 * SECOND_MS;

const NO_FEED = 'There is no such feed.';

export function feedRoutes({ places, limit, clock, originOf }: FeedDeps): Hono<HttpEnv> {
  const app = new Hono<HttpEnv>();
  const lists = new Map<string, { text: string; changes: number; at: number }>();
  app.get('/feed/:key/:file', async (context) => {
    const { key, file } = context.req.param();
    const address = context.get('clientAddress') ?? '';
    context.header('Referrer-Policy', 'no-referrer');
    if (!limit.takeFeedTurn(address, clock.now())) return context.body(null, 429, { 'Retry-After': '1' });
    const place = places.find(({ keys }) => keys.isFeedKey(key));
    if (place === undefined) throw new QuarryError('not_found', NO_FEED);
    const { listening } = place;
    if (file !== 'podcast.xml') return sendBookFile(context, listening, file);
    const base = `${originOf(context)}/feed/${key}`;
    const known = lists.get(base);
    const isFresh = known !== undefined && known.changes === listening.changes && clock.now() - known.at < LIST_MS;
    const text = isFresh ? known.text : podcastOf(await listening.finishedBooks(), base);
    if (!isFresh) {
      lists.clear();
      lists.set(base, { text, changes: listening.changes, at: clock.now() });
    }
    return context.body(text, 200, {
      'Content-Type': 'application/rss+xml; charset=utf-8',
      'Cache-Control': 'private, max-age=60',
      'X-Content-Type-Options': 'nosniff',
    });
  });
  return app;
}

async function sendBookFile(context: Context<HttpEnv>, listening: Listening, file: string): Promise<Response> {
  const [, itemId = '', ending = ''] = /^([\w-]{1,60})\.([a-z0-9]{2,4})$/.exec(file) ?? [];
  if (ending === 'json') {
    const chapters = podcastChapters(await listening.readingOf(itemId));
    return context.body(chapters, 200, { 'Content-Type': 'application/json+chapters' });
  }
  const form = BookFile.safeParse(ending);
  if (!form.success) throw new QuarryError('not_found', NO_FEED);
  const { path, title } = listening.bookFile(itemId, form.data);
  return sendFile(context, path, `book.${form.data}`, `${title}.${form.data}`);
}
