import type { z } from 'zod';
import { SourceRoutes } from '../jobs/service.ts';
import { Feed, FeedEntry, FeedRequest, FeedUpdate, MAX_FEEDS, MAX_NEW_ENTRIES } from './schema.ts';
import type { Feeds } from './service.ts';

const EXAMPLE = {
  url: 'https://harbour.example/podcast.xml',
  recipe: { operation: 'extract/video', request: {} },
  first: 3,
  schedule: { everyMinutes: 60 },
} satisfies z.input<typeof FeedRequest>;

const feeds = new SourceRoutes<'feeds', FeedRequest, FeedUpdate, Feeds>({
  name: 'feeds',
  path: 'feeds',
  idName: 'feedId',
  tag: 'Feeds',
  keyScope: 'admin',
  one: 'feed',
  many: 'feeds',
  shown: Feed,
  request: { schema: FeedRequest, example: EXAMPLE },
  update: FeedUpdate,
  words: {
    list: ['listFeeds', 'List the feeds', `Newest first. At most ${MAX_FEEDS}.`],
    create: [
      'watchFeed',
      'Follow a feed or podcast',
      `Reads a feed by a schedule. The attachment or page of each new entry becomes a job of the owner by
the recipe, once. The first reading takes the newest entries, a later one at most ${MAX_NEW_ENTRIES}.`,
    ],
    get: ['getFeed', 'Read a feed', 'With its counts.'],
    change: [
      'changeFeed',
      'Change, pause or resume a feed',
      'Fields that are left out stay. For another address, add another feed. A key changes only what it ' +
        'made; it may pause and resume the rest. A feed whose key has ended goes on as the owner resumes it.',
    ],
    delete: ['deleteFeed', 'Delete a feed and its history', 'Its jobs stay.'],
  },
});

/** Watched feeds. Mounted under `/admin`, behind the owner check. */
export const ADMIN_FEED_ROUTES = [
  ...feeds.commonRoutes,
  feeds.actionRoute('run', ['readFeedNow', 'Read a feed now', 'A conflict while it is paused.'], (service, id) =>
    service.runFeedNow(id),
  ),
  feeds.pageRoute(
    'entries',
    FeedEntry,
    ['listFeedEntries', 'List the entries of a feed', 'The history, newest first.'],
    (service, id, wish) => service.feedEntryPage(id, wish),
  ),
];
