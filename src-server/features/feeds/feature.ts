import { defineFeature } from '../../feature.ts';
import { accounts } from '../accounts/feature.ts';
import { jobs } from '../jobs/feature.ts';
import { createFeeds, forgetEntries, nameKeysOfFeeds } from './migrations.ts';
import { ADMIN_FEED_ROUTES } from './routes.ts';
import { Feeds } from './service.ts';

/** Feeds whose new entries become jobs. */
export const feeds = defineFeature({
  name: 'feeds',
  uses: { accounts, jobs },
  migrations: {
    '031-folders-and-feeds': { up: createFeeds },
    '043-forgotten-entries': { up: forgetEntries },
    '048-keys-of-makers': { up: nameKeysOfFeeds },
  },
  open({ storage, clock, log, context }, { accounts: { keyOf }, jobs: { service, events } }) {
    const { client, pool } = context;
    const feeds = new Feeds({ storage, clock, log, service, client, runTask: pool.run, keyOf });
    events.on('ended', (tx, job) => feeds.endEntriesOfJob(tx, job));
    return { service: { feeds }, start: () => feeds.startJobSource(), stop: () => feeds.closeJobSource() };
  },
  routes: { owner: ADMIN_FEED_ROUTES },
});
