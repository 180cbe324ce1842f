import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { CrawlPort } from '../../operation.ts';
import type { Clock } from '../../platform/clock.ts';
import type { FetchPolicy } from '../../platform/net/fetch-policy.ts';
import type { GuardedClient } from '../../platform/net/guarded-client.ts';
import type { RunTask } from '../../platform/pool/worker-pool.ts';
import type { JobProgress } from '../jobs/schema.ts';
import { EarlierCrawl } from './earlier-crawl.ts';
import { CRAWL_PERCENT, finishCrawl } from './finish.ts';
import type { CrawlLedger } from './frontier.ts';
import { rootFailure } from './root-failure.ts';
import { CrawlRun, type EndedBy } from './run.ts';

export interface CrawlLimits {
  maxPages: number;
  timeLimitMs: number;
  /** From asking for one page to having all of it. */
  pageLimitMs: number;
  delayMs: number;
}

export interface CrawlJob {
  client: GuardedClient;
  runTask: RunTask;
  clock: Clock;
  accountId: string;
  policy: FetchPolicy;
  limits: CrawlLimits;
  workFolder: string;
  filesFolder: string;
  urlOf(name: string): string;
  progress(progress: JobProgress): void;
  openLedger(path: string, options?: { readOnly?: boolean }): CrawlLedger;
  /** Work folder of a crawl of the same root that is still kept. */
  earlierFolder(rootUrl: string): Promise<string | null>;
  /** That crawl cannot be read; the new one goes on without it. */
  onEarlierLost(error: unknown): void;
}

/** The crawl port of one job. */
export function crawlPort(job: CrawlJob): CrawlPort {
  return {
    async crawl({ rootUrl, depth }, signal) {
      const batchFolder = join(job.workFolder, 'pages');
      await mkdir(batchFolder, { recursive: true });
      const ledger = await openOwnLedger(job);
      let earlier: EarlierCrawl | null = null;
      try {
        earlier = await openEarlier(job, rootUrl);
        const { client, runTask, clock, accountId, policy, limits } = job;
        const onProgress = (pages: number, found: number) => showProgress(job, pages, found);
        const parts = { client, runTask, clock, accountId, policy, ledger, batchFolder, earlier, rootUrl, depth };
        const run = new CrawlRun({ ...parts, ...limits, onProgress });
        const endedBy = await run.run(signal);
        settleRest(ledger, endedBy, limits);
        if (ledger.figures().pages === 0) throw rootFailure(ledger, rootUrl);
        const rules = run.rulesOf(new URL(rootUrl).host);
        const end = { rootUrl, endedBy, batchFolder, urlsNotKept: run.urlsDropped, rules };
        return await finishCrawl(job, ledger, end, signal);
      } finally {
        ledger.close();
        earlier?.close();
      }
    },
  };
}

/** A ledger without a page is of an attempt that came to nothing: the next one begins anew. */
async function openOwnLedger(job: CrawlJob): Promise<CrawlLedger> {
  const path = join(job.workFolder, 'ledger.db');
  const ledger = job.openLedger(path);
  if (ledger.figures().pages > 0) return ledger;
  ledger.close();
  for (const ending of ['', '-wal', '-shm']) await rm(path + ending, { force: true });
  return job.openLedger(path);
}

/** Null where none is kept, and where it is damaged. */
async function openEarlier(job: CrawlJob, rootUrl: string): Promise<EarlierCrawl | null> {
  const folder = await job.earlierFolder(rootUrl);
  if (folder === null) return null;
  try {
    const ledger = job.openLedger(join(folder, 'ledger.db'), { readOnly: true });
    return new EarlierCrawl({ ledger, batchFolder: join(folder, 'pages'), onLost: job.onEarlierLost });
  } catch (error) {
    job.onEarlierLost(error);
    return null;
  }
}

function showProgress(job: CrawlJob, pages: number, found: number): void {
  const goal = Math.max(1, Math.min(found, job.limits.maxPages));
  const percent = Math.min(1, pages / goal) * CRAWL_PERCENT;
  job.progress({ percent, stage: 'crawling', message: `${pages} pages read, ${found} found.` });
}

function settleRest(ledger: CrawlLedger, endedBy: EndedBy, { maxPages, timeLimitMs }: CrawlLimits): void {
  if (endedBy === 'time') ledger.settleRest('time', `The crawl ended after ${timeLimitMs / 60_000} minutes.`);
  else ledger.settleRest('limit', `The crawl ended: it may have ${maxPages} pages.`);
  ledger.settleCanonical();
}
