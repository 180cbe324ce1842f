import { defineFeature } from '../../feature.ts';
import { jobs } from '../jobs/feature.ts';
import { earlierCrawl, fetchPolicyOf } from '../jobs/service.ts';
import { models } from '../models/feature.ts';
import { browserNeed } from './browser.ts';
import { browserInstallOf } from './browser-install.ts';
import { BrowserPlaces } from './browser-places.ts';
import { ADMIN_BROWSER_ROUTES } from './browser-routes.ts';
import type { FirstScreens } from './first-screen.ts';
import { crawl as crawlSite } from './operation.ts';
import { ADMIN_CRAWL_ROUTES } from './routes.ts';
import type { CrawlBaseline, CrawlSoFar } from './schema.ts';

type BaselineOf = (jobId: string) => CrawlBaseline | null;

/** Crawls. Their browsers are shared by both environments. */
export const crawl = defineFeature({
  name: 'crawl',
  uses: { jobs, models },
  operations: [crawlSite],
  openShared(server, { models: { needs } }) {
    const { dataDir } = server;
    const browsers = new BrowserPlaces(dataDir);
    const browserInstall = browserInstallOf(server);
    needs.addTools([browserNeed(dataDir, browsers, browserInstall.installable)]);
    return { service: { browsers, browserInstall, dataDir } };
  },
  open({ context, log, storage }, { jobs: { jobs, folders, services } }, { browsers }) {
    let baselineOf: BaselineOf = () => null;
    services.provideService('crawler', async () =>
      (await import('./service.ts')).createCrawls({
        context,
        log,
        folders,
        browsers,
        earlierCrawl: (accountId, rootUrl, jobId) => earlierCrawl(storage.db, accountId, rootUrl, jobId),
        baselineOf: (jobId) => baselineOf(jobId),
      }),
    );
    return {
      service: {
        crawlSoFar: async (jobId: string): Promise<CrawlSoFar> => {
          const workFolder = folders.workFolderPath(jobs.row(jobId).id);
          return (await import('./service.ts')).crawlSoFar(workFolder);
        },
        /** Shows sites, with files in a folder of the caller. */
        openFirstScreens: async (folder: string): Promise<FirstScreens> => {
          const policyOf = (jobId: string) => fetchPolicyOf(jobs.row(jobId), context.settings());
          const deps = { context, log, folders, policyOf };
          return new (await import('./first-screen.ts')).FirstScreens(deps, folder);
        },
        /** Gives what the crawl of a watched site is compared with. */
        showBaselines: (shown: BaselineOf) => {
          baselineOf = shown;
        },
      },
    };
  },
  routes: { owner: ADMIN_CRAWL_ROUTES, shared: ADMIN_BROWSER_ROUTES },
});
