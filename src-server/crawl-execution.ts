import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { crawlPort } from './engines/crawl/crawl-engine.ts';
import type { ExecutionParts } from './job-execution.ts';
import { fileReference } from './jobs/present.ts';
import type { RunControl } from './jobs/run-control.ts';
import { MINUTE_MS, SECOND_MS } from './lib/units.ts';
import type { CrawlPort } from './operations/operation.ts';
import { openCrawlLedger } from './storage/crawl-ledger.ts';
import { earlierCrawl } from './storage/crawl-reader.ts';
import type { JobRow } from './storage/jobs-reader.ts';

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
