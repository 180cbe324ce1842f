import { defineFeature } from '../../feature.ts';
import { jobs } from '../jobs/feature.ts';
import { library } from '../library/feature.ts';
import { DISK_ROUTES, type DiskDeps } from './routes.ts';
import { Disk } from './service.ts';

/** What takes room on the disk. */
export const disk = defineFeature({
  name: 'disk',
  uses: { jobs, library },
  openShared: ({ dataDir, pool }) => ({ service: new Disk({ dataDir, runTask: pool.run }) }),
  open(_environment, { jobs: { jobs }, library: { library } }, shared) {
    const service: DiskDeps = { disk: shared, jobs, library };
    return { service };
  },
  routes: { owner: DISK_ROUTES },
});
