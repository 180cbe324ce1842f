import { defineFeature } from '../../feature.ts';
import { accounts } from '../accounts/feature.ts';
import { jobs } from '../jobs/feature.ts';
import { createFolderWatches } from './migrations.ts';
import { ADMIN_FOLDER_ROUTES } from './routes.ts';
import { Folders } from './service.ts';

/** Folders whose new files become jobs. */
export const folders = defineFeature({
  name: 'folders',
  uses: { accounts, jobs },
  migrations: { '031-folders-and-feeds': { up: createFolderWatches } },
  open({ storage, clock, log, context }, { accounts: { keyOf }, jobs: { service, events } }) {
    const folders = new Folders({ storage, clock, log, keyOf, service, dataFolder: context.dataDir });
    events.on('ended', (tx, job) => folders.endEntriesOfJob(tx, job));
    events.on('changed', (jobId) => folders.onResultChanged(jobId));
    return { service: { folders }, start: () => folders.startJobSource(), stop: () => folders.closeJobSource() };
  },
  routes: { owner: ADMIN_FOLDER_ROUTES },
});
