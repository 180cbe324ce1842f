import { defineFeature } from '../../feature.ts';
import { makeFolder } from '../../platform/files/make-folder.ts';
import type { Need } from '../../platform/install-choice.ts';
import { findGpu } from '../../platform/process/gpu.ts';
import { withModelsFolder } from '../../start-errors.ts';
import { InstallNeeds } from './needs.ts';
import { ADMIN_MODEL_ROUTES, ADMIN_NEED_ROUTES } from './routes.ts';
import { modelsFolder, modelsOf } from './service.ts';

declare module '../../context.ts' {
  interface FeatureOptions {
    /** Test hook: the name of the graphics processor. */
    gpu?: () => Promise<string | null>;
  }
}

interface WaitingJobs {
  look(): Promise<unknown>;
  countFor(need: Need): number;
}

/** The models of this machine, and what work needs. Other features add their programs and waiting jobs. */
export const models = defineFeature({
  name: 'models',
  async openShared(server) {
    const folder = modelsFolder(server);
    withModelsFolder(folder, () => makeFolder(folder));
    const models = await modelsOf(server);
    let found: Promise<string | null> | null = null;
    const needs = new InstallNeeds({
      models,
      folder,
      freeDiskBytes: async () => (await server.freeDiskOf(folder)()).freeBytes,
      gpu: () => {
        // It does not change while the machine runs.
        found ??= (server.options.gpu ?? findGpu)();
        return found;
      },
      onWatchFailed: (error) => {
        server.log.warn(
          { err: error },
          'The models folder cannot be watched. Open the Models page after adding a file.',
        );
      },
    });
    const waiting: WaitingJobs[] = [];
    return { service: { models, needs, waiting } };
  },
  routes: { shared: [...ADMIN_MODEL_ROUTES, ...ADMIN_NEED_ROUTES] },
});
