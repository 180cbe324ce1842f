import { existsSync } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Db } from '../../platform/db/database.ts';
import { MINUTE_MS, SECOND_MS } from '../../platform/units.ts';
import type { ExecutionParts, RunControl } from '../jobs/execute.ts';
import { fileReference } from '../jobs/present.ts';
import type { JobRow } from '../jobs/store.ts';
import { EarlierCrawl } from './earlier-crawl.ts';
import { CRAWL_PERCENT, finishCrawl } from './finish.ts';
import { type CrawlLedger, openCrawlLedger } from './frontier.ts';
import { type CrawlJob, type CrawlLimits, CrawlRun, type EndedBy, rootFailure } from './run.ts';
import type { CrawlPort } from './schema.ts';

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

const PAGE_LIMIT_MS = 20 * SECOND_MS;

/** What a later crawl asks an earlier one for: its ledger, and what its pages said (workers/pages/site-parts.ts). */
const KEPT_FILES = ['ledger.db', join('pages', 'records.index')];

/** The crawl port of one job, with the settings as they are when it begins. */
export function crawlPortOf(parts: ExecutionParts, job: JobRow, control: RunControl): CrawlPort {
  const { storage, folders, client, runTask, clock, log } = parts;
  const settings = parts.settings();
  const isOwner = job.account_id === 'owner';
  return crawlPort({
    client,
    runTask,
    clock,
    accountId: job.account_id,
    policy: { allowHttp: isOwner, allowPrivateNetworks: isOwner && settings.allowPrivateNetworks },
    limits: {
      maxPages: settings.crawlMaxPages,
      timeLimitMs: settings.crawlMaxMinutes * MINUTE_MS,
      pageLimitMs: PAGE_LIMIT_MS,
      delayMs: settings.crawlDelayMs,
    },
    workFolder: folders.workOf(job.id),
    filesFolder: folders.filesOf(job.id),
    urlOf: (name) => fileReference(job.id, name),
    progress: control.progress,
    openLedger: openCrawlLedger,
    earlierFolder: async (rootUrl) => {
      const id = await earlierCrawl(storage.db, job, rootUrl);
      if (id === null) return null;
      const folder = folders.workOf(id);
      return KEPT_FILES.every((name) => existsSync(join(folder, name))) ? folder : null;
    },
    onEarlierLost: (error) =>
      log.warn({ err: error, jobId: job.id }, 'An earlier crawl cannot be read; its pages are asked for whole.'),
  });
}

/** How many of an account's newest crawls are looked at. */
const LOOKED_AT = 200;

/** The newest kept crawl of the same root by the same account, of whatever depth: its pages need not be sent again. */
async function earlierCrawl(db: Db, job: Pick<JobRow, 'id' | 'account_id'>, rootUrl: string): Promise<string | null> {
  const rows = await db
    .selectFrom('jobs')
    .select(['id', 'dedupe_key as key'])
    .where('account_id', '=', job.account_id)
    .where('operation_id', '=', 'crawl')
    .where('status', '=', 'completed')
    .where('purged_at', 'is', null)
    .where('id', '!=', job.id)
    .orderBy('seq', 'desc')
    .limit(LOOKED_AT)
    .execute();
  return rows.find(({ key }) => key?.endsWith(` ${rootUrl}`))?.id ?? null;
}
