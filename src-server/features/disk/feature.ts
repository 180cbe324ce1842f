import { defineFeature } from '../../feature.ts';
import { jobs } from '../jobs/feature.ts';
import { library } from '../library/feature.ts';
import { Places } from './places.ts';
import { DISK_ROUTES, type DiskDeps, PLACE_ROUTES } from './routes.ts';
import { Disk } from './service.ts';

/** What takes room on the disk, and where data and models live. */
export const disk = defineFeature({
  name: 'disk',
  uses: { jobs, library },
  openShared({ dataDir, pool, options: { modelsDir }, freeDiskOf }) {
    const shared = new Disk({ dataDir, runTask: pool.run });
    const places = new Places({ dataDir, modelsDir, freeDiskOf, bytesOf: (folder) => shared.bytesOf(folder) });
    return { service: { disk: shared, places } };
  },
  open(_environment, { jobs: { jobs }, library: { library } }, shared) {
    const service: DiskDeps = { disk: shared.disk, jobs, library };
    return { service };
  },
  routes: { owner: DISK_ROUTES, shared: PLACE_ROUTES },
});
