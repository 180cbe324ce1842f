/** What podcast apps ask for. Strangers get nothing, and nobody more than a device needs. */

import { createHash } from 'node:crypto';
import { type Context, Hono } from 'hono';
import type { Clock } from '../../platform/clock.ts';
import { QuarryError } from '../../platform/errors.ts';
import type { HttpEnv } from '../../platform/http/env.ts';
import { matchesEntityTag, sendFile } from '../../platform/http/file-response.ts';
import { SECOND_MS } from '../../platform/units.ts';
import type { FeedKeys } from './feed-keys.ts';
import type { FeedLimit } from './feed-limit.ts';
import { podcastChapters, podcastOf } from './podcast.ts';
import { BookFile } from './schema.ts';
import type { Listening } from './service.ts';

export interface FeedPlace {
  keys: Pick<FeedKeys, 'isFeedKey'>;
  listening: Pick<Listening, 'changes' | 'finishedBooks' | 'readingOf' | 'bookFile'>;
}

interface FeedDeps {
  places: readonly FeedPlace[];
  limits: Record<'byDevice' | 'byFeed', FeedLimit>;
  clock: Clock;
  /** Where this listener is reached. */
  originOf(context: Context<HttpEnv>): string;
}

/** Apps ask for the list again and again. */
const LIST_MS = 10 * SECOND_MS;

const NO_FEED = 'There is no such feed.';

/** Ways to the same list: feeds, by the origins that they are asked at. */
const LISTS_MAX = 20;

interface FeedList {
  text: string;
  etag: string;
}

/** The list of a feed, made once for all that ask within some seconds. */
class FeedLists {
  readonly #clock: Clock;
  readonly #made = new Map<string, { list: Promise<FeedList>; changes: number; at: number }>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  listAt(base: string, listening: FeedPlace['listening']): Promise<FeedList> {
    const known = this.#made.get(base);
    const now = this.#clock.now();
    if (known !== undefined && known.changes === listening.changes && now - known.at < LIST_MS) return known.list;
    const list = makeFeedList(base, listening);
    // A failure is told to those who waited, and not kept.
    list.catch(() => this.#made.delete(base));
    this.#made.delete(base);
    this.#made.set(base, { list, changes: listening.changes, at: now });
    const [oldest] = this.#made.keys();
    if (this.#made.size > LISTS_MAX && oldest !== undefined) this.#made.delete(oldest);
    return list;
  }
}

async function makeFeedList(base: string, listening: FeedPlace['listening']): Promise<FeedList> {
  const text = podcastOf(await listening.finishedBooks(), base);
  return { text, etag: `"${createHash('sha256').update(text).digest('base64url').slice(0, ETAG_CHARS)}"` };
}

const ETAG_CHARS = 22;

export function feedRoutes({ places, limits, clock, originOf }: FeedDeps): Hono<HttpEnv> {
  const app = new Hono<HttpEnv>();
  const lists = new FeedLists(clock);
  app.get('/feed/:key/:file', async (context) => {
    const { key, file } = context.req.param();
    const address = context.get('clientAddress') ?? '';
    context.header('Referrer-Policy', 'no-referrer');
    const tooMany = () => context.body(null, 429, { 'Retry-After': '1' });
    if (!limits.byDevice.takeFeedTurn(address, clock.now())) return tooMany();
    const place = places.find(({ keys }) => keys.isFeedKey(key));
    if (place === undefined) throw new QuarryError('not_found', NO_FEED);
    if (!limits.byFeed.takeFeedTurn(key, clock.now())) return tooMany();
    const { listening } = place;
    if (file !== 'podcast.xml') return sendBookFile(context, listening, file);
    const { text, etag } = await lists.listAt(`${originOf(context)}/feed/${key}`, listening);
    context.header('ETag', etag);
    context.header('Cache-Control', 'private, max-age=60');
    if (matchesEntityTag(context.req.header('if-none-match'), etag)) return context.body(null, 304);
    return context.body(text, 200, {
      'Content-Type': 'application/rss+xml; charset=utf-8',
      'X-Content-Type-Options': 'nosniff',
    });
  });
  return app;
}

async function sendBookFile(
  context: Context<HttpEnv>,
  listening: FeedPlace['listening'],
  file: string,
): Promise<Response> {
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
