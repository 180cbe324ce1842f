import { defineFeature } from '../../feature.ts';
import { alerts } from '../alerts/feature.ts';
import { contributions } from '../contributions/feature.ts';
import { feeds } from '../feeds/feature.ts';
import { folders } from '../folders/feature.ts';
import { jobs } from '../jobs/feature.ts';
import { library } from '../library/feature.ts';
import { payments } from '../payments/feature.ts';
import { search } from '../search/feature.ts';
import { webhooks } from '../webhooks/feature.ts';
import { ADMIN_EVENT_ROUTES } from './events.ts';
import { ADMIN_ROUTES } from './routes.ts';
import { dashboardRoutes, unknownPage } from './static-files.ts';

export { dashboardRoutes };

/** The built window, its overview and settings, and what changes in both environments. */
export const dashboard = defineFeature({
  name: 'dashboard',
  uses: { alerts, contributions, feeds, folders, jobs, library, payments, search, webhooks },
  openShared: (server) => ({ service: { server } }),
  open: ({ name }, used, { server }) => ({
    service: {
      name,
      server,
      jobs: used.jobs.jobs,
      payments: used.payments.payments,
      search: used.search.search,
      webhooks: used.webhooks.webhooks,
      inboxes: used.webhooks.inboxes,
      contributions: used.contributions.contributions,
      folders: used.folders.folders,
      feeds: used.feeds.feeds,
      alerts: used.alerts.alerts,
      library: used.library,
    },
  }),
  routes: { owner: [...ADMIN_ROUTES, ...ADMIN_EVENT_ROUTES] },
  refuse: (context, error, { server: { rendererFolder, basePath } }) =>
    error.code === 'not_found' ? unknownPage(rendererFolder, basePath)(context) : null,
  mount: ({ server: { rendererFolder, basePath } }) => [
    { path: '/', routes: dashboardRoutes(rendererFolder, basePath) },
  ],
});
