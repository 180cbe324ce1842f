import { defineFeature } from '../../feature.ts';
import { VERSION } from '../../platform/version.ts';
import { crawl } from '../crawl/feature.ts';
import { jobs } from '../jobs/feature.ts';
import { models } from '../models/feature.ts';
import { addNodeAbilities, createCopies, createFleet } from './migrations.ts';
import { ADMIN_FLEET_ROUTES } from './routes.ts';
import { FleetService } from './service.ts';

declare module '../../context.ts' {
  interface FeatureOptions {
    /** Test hook: heartbeats of nodes, and how long one may miss. */
    fleetTiming?: { beatMs: number; leaseMs: number };
  }
}

/** The owner's nodes, which run jobs and browsers of both environments. */
export const fleet = defineFeature({
  name: 'fleet',
  uses: { crawl, jobs, models },
  migrations: {
    '037-fleet': { up: createFleet },
    '044-node-abilities': { up: addNodeAbilities },
    '045-model-copies': { up: createCopies },
  },
  openShared(server, { crawl: { browsers }, models: { models, needs } }) {
    const { storage, dataDir, clock, log, pool, options } = server;
    const fleet = new FleetService({
      storage,
      dataDir,
      clock,
      log,
      models,
      timing: options.fleetTiming,
      version: VERSION,
      watchModels: (onChange) => needs.watchFolder(onChange),
      threads: () => pool.figures().threads,
    });
    browsers.lendFrom(fleet.browsers);
    return {
      service: { fleet },
      start: () => fleet.startFleet(),
      stopping: () => fleet.onFleetStopping(),
      stop: () => fleet.closeFleet(),
    };
  },
  open({ name, storage, operations }, { jobs }, { fleet }) {
    const { folders, services, ports, fleet: joined } = jobs;
    const { use } = services;
    joined.joinFleet(fleet.fleetOf({ name, storage, folders, operations, use, local: joined.local }));
    ports.onNodes = fleet.onNodesIn(name);
    return { service: { fleet } };
  },
  routes: { shared: ADMIN_FLEET_ROUTES },
});
