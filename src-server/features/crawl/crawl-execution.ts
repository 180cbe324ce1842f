import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { CrawlPort } from '../../operation.ts';
import { MINUTE_MS, SECOND_MS } from '../../platform/units.ts';
import type { ExecutionParts } from '../jobs/execute.ts';
import { fileReference } from '../jobs/present.ts';
import type { RunControl } from '../jobs/run-control.ts';
import type { JobRow } from '../jobs/store.ts';
import { openCrawlLedger } from './crawl-ledger.ts';
import { earlierCrawl } from './crawl-reader.ts';
import { crawlPort } from './service.ts';

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
