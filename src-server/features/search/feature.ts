import { join } from 'node:path';
import { defineFeature } from '../../feature.ts';
import { jobs } from '../jobs/feature.ts';
import { models } from '../models/feature.ts';
import { embeddingsOf } from './embedding-model.ts';
import { addSearchByMeaning, createSearch, queueSearch } from './migrations.ts';
import { search as findChunks } from './operation.ts';
import { ADMIN_SEARCH_ROUTES } from './routes.ts';
import { openSearch } from './service.ts';

/** Search in the chunks of finished jobs and in what contributions publish. */
export const search = defineFeature({
  name: 'search',
  uses: { jobs, models },
  migrations: {
    '005-search': { up: createSearch },
    '009-search-by-meaning': { up: addSearchByMeaning },
    '019-search-queue': { up: queueSearch },
  },
  operations: [findChunks],
  async open(environment, { jobs: { folders, events, services }, models: { needs } }) {
    const { context } = environment;
    const search = await openSearch({
      ...environment,
      indexPath: join(environment.folder, 'search.db'),
      embeddings: await embeddingsOf(context),
      folders,
      needs,
      text: async () => (await (await import('../text/service.ts')).textOf(context)).service,
      runTask: context.pool.run,
    });
    events.on('ended', (tx, job, result) => search.onTerminal(tx, job, result));
    events.on('removed', (tx, jobId) => search.onRemoved(tx, jobId));
    events.on('committed', () => search.kick());
    services.provideService('search', async () => search.service);
    return {
      service: { search, service: search.service, embeddings: () => embeddingsOf(context) },
      recover: () => search.prepare(),
      start: () => search.start(),
      close: () => search.close(),
    };
  },
  routes: { owner: ADMIN_SEARCH_ROUTES },
});
