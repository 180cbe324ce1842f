import { join } from 'node:path';
import { defineFeature } from '../../feature.ts';
import { accounts } from '../accounts/feature.ts';
import { crawl } from '../crawl/feature.ts';
import { jobs } from '../jobs/feature.ts';
import { webhooks } from '../webhooks/feature.ts';
import { createSiteWatches, nameKeysOfWatches } from './migrations.ts';
import { ADMIN_WATCH_ROUTES } from './routes.ts';
import { SiteWatches } from './service.ts';

/** Sites that are crawled again and again, with what has changed. */
export const watches = defineFeature({
  name: 'watches',
  uses: { accounts, crawl, jobs, webhooks },
  migrations: {
    '028-watched-sites': { up: createSiteWatches },
    '048-keys-of-makers': { up: nameKeysOfWatches },
  },
  open({ storage, clock, log, folder, settings }, { accounts: { keyOf }, crawl, jobs: { events, service } }) {
    const siteWatches = new SiteWatches({
      storage,
      clock,
      log,
      keyOf,
      service,
      settings,
      root: join(folder, 'watches'),
    });
    events.on('ended', (tx, job) => siteWatches.endEntriesOfJob(tx, job));
    crawl.showBaselines((jobId) => siteWatches.baselineOf(jobId));
    return {
      service: { siteWatches },
      // Before jobs start: runs whose job was never submitted are due again.
      recover: () => siteWatches.startJobSource(),
      stop: () => siteWatches.closeJobSource(),
    };
  },
  routes: { owner: ADMIN_WATCH_ROUTES },
});
