import { copyFile, link, mkdir, readdir, rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { say } from '../../platform/text/say.ts';
import { MINUTE_MS } from '../../platform/units.ts';
import { CRAWL_PERCENT, writeLines } from './finish.ts';
import { type CrawlLedger, LEDGER } from './frontier.ts';
import type { CrawlJob } from './run.ts';
import type { CrawlBaseline, CrawlResult } from './schema.ts';

const COMPARE_LIMIT_MS = 20 * MINUTE_MS;

const FILES = ['changes.json', 'changes.md', 'changes.diff'];

interface Compared {
  ledger: CrawlLedger;
  baseline: CrawlBaseline;
  batchFolder: string;
}

/**
 * Compares a finished crawl with the one before of the same watch. Its ledger and page records are kept for the next
 * one: they outlive the job. Errors: `cancelled`, `interrupted`.
 */
export async function addChanges(
  job: CrawlJob,
  { ledger, baseline, batchFolder }: Compared,
  { result, urlsNotKept }: { result: CrawlResult; urlsNotKept: number },
  signal: AbortSignal,
): Promise<CrawlResult> {
  job.progress({ percent: (CRAWL_PERCENT + 100) / 2, stage: 'finishing', message: say`Comparing pages` });
  await rm(baseline.after, { recursive: true, force: true });
  await mkdir(baseline.after, { recursive: true });
  const comparable = isComparable(job, baseline.before);
  const fatesPath = join(job.workFolder, 'fates.jsonl');
  await writeLines(fatesPath, ledger.addressFates());
  const input = {
    rootUrl: result.rootUrl,
    comparedWith: comparable ? baseline.comparedWith : null,
    pagesPath: join(job.filesFolder, 'pages.jsonl'),
    fatesPath,
    beforeFolder: comparable ? baseline.before : null,
    afterFolder: baseline.after,
    outputFolder: job.filesFolder,
    isComplete: result.stats.endedBy === 'done' && urlsNotKept === 0,
  };
  const options = { accountId: job.accountId, timeLimitMs: COMPARE_LIMIT_MS, signal };
  const { changes } = await job.runTask('compare-site', input, options);
  await rm(fatesPath);
  ledger.checkpointLedger();
  await keepFile(join(job.workFolder, LEDGER), baseline.after);
  await keepFolder(batchFolder, baseline.after);
  await baseline.onCompared(changes);
  return { ...result, changes, files: [...result.files, ...FILES.map((name) => ({ name, url: job.urlOf(name) }))] };
}

/** Another version of the page reader reads the same page differently, so the site is then compared from now on. */
function isComparable(job: CrawlJob, before: string | null): before is string {
  if (before === null) return false;
  try {
    const ledger = job.openLedger(join(before, LEDGER), { readOnly: true });
    const isReadAsNow = ledger.isReadAsNow;
    ledger.closeCrawlLedger();
    return isReadAsNow;
  } catch (error) {
    job.onEarlierLost(error);
    return false;
  }
}

async function keepFolder(folder: string, into: string): Promise<void> {
  const kept = join(into, basename(folder));
  await mkdir(kept, { recursive: true });
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    if (entry.isFile()) await keepFile(join(folder, entry.name), kept);
  }
}

/** A second name for a file that nothing changes any more, or a copy where the disk knows no such names. */
async function keepFile(path: string, into: string): Promise<void> {
  const kept = join(into, basename(path));
  await link(path, kept).catch(() => copyFile(path, kept));
}
