import { defineFeature } from '../../feature.ts';
import { jobs } from '../jobs/feature.ts';
import { search } from '../search/feature.ts';
import { correctAllFiles, createContributions, quoteWords } from './migrations.ts';
import { ADMIN_CONTRIBUTION_ROUTES, CONTRIBUTION_ROUTES } from './routes.ts';
import { Contributions } from './service.ts';

/** Corrections, annotations and sources of the community, shown once the owner approves them. */
export const contributions = defineFeature({
  name: 'contributions',
  uses: { jobs, search },
  migrations: {
    '006-contributions': { up: createContributions },
    '046-corrected-files': { up: correctAllFiles },
    '049-quoted-words': { up: quoteWords },
  },
  open(environment, { jobs: { events, finished }, search: { search } }) {
    const contributions = new Contributions({ ...environment, ...finished, search });
    search.show(contributions);
    events.on('ended', (tx, job) => contributions.correctEndedJob(tx, job));
    events.on('removed', (tx, jobId) => contributions.onJobRemoved(tx, jobId));
    return {
      service: { contributions },
      start: () => contributions.startContributions(),
      close: () => contributions.closeContributions(),
    };
  },
  routes: { environment: CONTRIBUTION_ROUTES, owner: ADMIN_CONTRIBUTION_ROUTES },
});
