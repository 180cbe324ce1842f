import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openCrawlLedger } from '../../src-server/features/crawl/frontier.ts';
import type { CrawlJob, CrawlLimits } from '../../src-server/features/crawl/run.ts';
import { type CrawlResult, PLAIN_CHOICE } from '../../src-server/features/crawl/schema.ts';
import { crawlSite } from '../../src-server/features/crawl/service.ts';
import { systemClock } from '../../src-server/platform/clock.ts';
import { createGuardedClient } from '../../src-server/platform/net/guarded-client.ts';
import { createWorkerPool } from '../../src-server/platform/pool/worker-pool.ts';
import { GIB } from '../../src-server/platform/units.ts';

/** Crawls without a server around it: under limits that no setting gives, and for whom a test says. */
export interface Crawler extends AsyncDisposable {
  crawl(rootUrl: string, options?: CrawlOptions): Promise<CrawlResult>;
}

interface CrawlOptions {
  depth?: number;
  allowPrivateNetworks?: boolean;
  limits?: Partial<CrawlLimits>;
  openLedger?: CrawlJob['openLedger'];
  /** Where it keeps what a later crawl asks for; a folder of its own by default. */
  workFolder?: string;
  earlierFolder?: CrawlJob['earlierFolder'];
  onEarlierLost?: CrawlJob['onEarlierLost'];
}

const LIMITS: CrawlLimits = { maxPages: 10, timeLimitMs: 60_000, pageLimitMs: 20_000, delayMs: 0 };

export async function openCrawler(): Promise<Crawler> {
  const folder = await mkdtemp(join(tmpdir(), 'quarry crawl '));
  const pool = createWorkerPool({
    entry: new URL('../../workers/entry.ts', import.meta.url),
    memoryLimitBytes: 4 * GIB,
  });
  const client = createGuardedClient({ userAgent: 'Quarry/test' });
  return {
    crawl: async (rootUrl, options = {}) => {
      const { allowPrivateNetworks = true, limits = {}, openLedger = openCrawlLedger } = options;
      const { earlierFolder = () => null, onEarlierLost = () => {} } = options;
      const jobFolder = await mkdtemp(join(folder, 'job '));
      await mkdir(join(jobFolder, 'files'));
      const job = {
        client,
        runTask: pool.run,
        clock: systemClock,
        accountId: '0x1',
        policy: { allowHttp: true, privateHost: allowPrivateNetworks ? ('any' as const) : null },
        limits: { ...LIMITS, ...limits },
        workFolder: options.workFolder ?? join(jobFolder, 'work'),
        filesFolder: join(jobFolder, 'files'),
        urlOf: (name: string) => name,
        progress: () => {},
        readDocument: () => Promise.reject(new Error('These crawls read no documents.')),
        openLedger,
        baseline: null,
        earlierFolder,
        onEarlierLost,
      };
      return crawlSite(job, { rootUrl, depth: options.depth ?? 1, choice: PLAIN_CHOICE }, new AbortController().signal);
    },
    [Symbol.asyncDispose]: async () => {
      await client.close();
      await pool.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
