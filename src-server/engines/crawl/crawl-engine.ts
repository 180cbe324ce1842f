import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { finished } from 'node:stream/promises';
import type { CrawlResult, CrawlSkipped, CrawlStats } from '../../contract/crawl.ts';
import { type ErrorCode, QuarryError } from '../../contract/errors.ts';
import type { JobProgress } from '../../contract/job.ts';
import { type Clock, toIsoTime } from '../../lib/clock.ts';
import { HOUR_MS, MIB } from '../../lib/units.ts';
import type { CrawlPort } from '../../operations/operation.ts';
import type { FetchPolicy } from '../../sources/fetch-policy.ts';
import type { GuardedClient } from '../../sources/guarded-client.ts';
import type { RunTask } from '../worker-pool.ts';
import { CrawlRun, type EndedBy } from './crawl-run.ts';
import type { CrawlLedger } from './ledger.ts';
import { loadHostRules } from './site-robots.ts';

/** Share of the progress that crawling is; putting the outputs together is the rest. */
const CRAWL_PERCENT = 90;
const SEGMENT_LENGTH = 1000;
/** The result is one JSON object that is polled and posted: it holds this much, the files hold all. */
const MAX_RESULT_PAGES = 1000;
const MAX_RESULT_CHUNK_CHARS = 8 * MIB;
const MAX_RESULT_SKIPPED = 2000;
const FINISH_LIMIT_MS = HOUR_MS;
const FILES = ['pages.jsonl', 'chunks.jsonl', 'llms.txt', 'graph.json', 'ledger.jsonl'];

export interface CrawlLimits {
  maxPages: number;
  timeLimitMs: number;
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
}

/** The crawl port of one job. */
export function crawlPort(job: CrawlJob): CrawlPort {
  return {
    async crawl({ rootUrl, depth }, signal) {
      const batchFolder = join(job.workFolder, 'pages');
      await mkdir(batchFolder, { recursive: true });
      const ledger = await openOwnLedger(job);
      const earlierFolder = await job.earlierFolder(rootUrl);
      const earlier =
        earlierFolder === null
          ? null
          : {
              ledger: job.openLedger(join(earlierFolder, 'ledger.db'), { readOnly: true }),
              batchFolder: join(earlierFolder, 'pages'),
            };
      try {
        const { client, runTask, clock, accountId, policy, limits } = job;
        const onProgress = (pages: number, found: number) => showProgress(job, pages, found);
        const parts = { client, runTask, clock, accountId, policy, ledger, batchFolder, earlier, rootUrl, depth };
        const run = new CrawlRun({ ...parts, ...limits, onProgress });
        const endedBy = await run.run(signal);
        settleRest(ledger, endedBy, limits);
        if (ledger.figures().pages === 0) throw rootFailure(ledger, rootUrl);
        return await finish(job, ledger, { rootUrl, endedBy, batchFolder, urlsNotKept: run.urlsDropped }, signal);
      } finally {
        ledger.close();
        earlier?.ledger.close();
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

function showProgress(job: CrawlJob, pages: number, found: number): void {
  const goal = Math.max(1, Math.min(found, job.limits.maxPages));
  const percent = Math.min(1, pages / goal) * CRAWL_PERCENT;
  job.progress({ percent, stage: 'crawling', message: `${pages} pages read, ${found} found.` });
}

function settleRest(ledger: CrawlLedger, endedBy: EndedBy, { maxPages, timeLimitMs }: CrawlLimits): void {
  if (endedBy === 'time') ledger.settleRest('time', `The crawl ended after ${timeLimitMs / 60_000} minutes.`);
  else ledger.settleRest('limit', `The crawl ended after ${maxPages} pages.`);
  ledger.settleCanonical();
}

/** Nothing was read: what became of the root says why. */
function rootFailure(ledger: CrawlLedger, rootUrl: string): QuarryError {
  let row = ledger.find(rootUrl);
  for (let hops = 0; hops < 10 && row?.target != null; hops += 1) row = ledger.find(row.target);
  const verdict = row?.verdict ?? null;
  const status = Number(/^Status (\d+)/.exec(row?.reason ?? '')?.[1] ?? 0);
  const why = `No page could be crawled: ${row?.reason ?? 'the address leads nowhere.'}`;
  const is = (code: ErrorCode, retryable = false) => new QuarryError(code, why, { retryable });
  switch (verdict) {
    case 'robots':
    case 'noindex':
      return is('robots_disallowed');
    case 'forbidden':
      return is('source_forbidden');
    case 'too-large':
      return is('source_too_large');
    case 'type':
    case 'asset':
      return is('unsupported_media');
    case 'unreadable':
      return is('corrupt_input');
    case 'status':
      return status === 401 || status === 403 ? is('source_forbidden') : is('source_unreachable', status >= 500);
    default:
      return is('source_unreachable', verdict === 'unreachable' || verdict === 'time');
  }
}

interface CrawlEnd {
  rootUrl: string;
  endedBy: EndedBy;
  batchFolder: string;
  urlsNotKept: number;
}

async function finish(
  job: CrawlJob,
  ledger: CrawlLedger,
  { rootUrl, endedBy, batchFolder, urlsNotKept }: CrawlEnd,
  signal: AbortSignal,
): Promise<CrawlResult> {
  const pagesPath = join(job.workFolder, 'pages.jsonl');
  await writeLines(pagesPath, crawledPages(ledger));
  const skipped: CrawlSkipped[] = [];
  await writeLines(join(job.filesFolder, 'ledger.jsonl'), ledgerLines(ledger, skipped));
  const { counts, guardrails, ...outputs } = await job.runTask(
    'finish-crawl',
    {
      rootUrl,
      pagesPath,
      batchFolder,
      outputFolder: job.filesFolder,
      segmentLength: SEGMENT_LENGTH,
      maxResultPages: MAX_RESULT_PAGES,
      maxResultChunkChars: MAX_RESULT_CHUNK_CHARS,
    },
    {
      accountId: job.accountId,
      heavy: true,
      timeLimitMs: FINISH_LIMIT_MS,
      signal,
      onProgress: ({ percent, ...shown }) =>
        job.progress({ ...shown, percent: CRAWL_PERCENT + (percent * (100 - CRAWL_PERCENT)) / 100 }),
    },
  );
  const rules = await loadHostRules(rootUrl, job, signal);
  const { host } = new URL(rootUrl);
  const { seen, bytes } = ledger.figures();
  const verdicts = ledger.verdicts();
  const stats: CrawlStats = {
    pages: counts.pages,
    urlsSeen: seen,
    urlsNotKept,
    bytes,
    chunks: counts.chunks,
    endedBy,
    verdicts,
    notInResult: {
      pages: counts.pages - outputs.pages.length,
      chunks: counts.chunks - outputs.chunks.length,
      skipped: seen - counts.pages - skipped.length,
    },
    boilerplateBlocks: counts.boilerplateBlocks,
  };
  return {
    rootUrl,
    ...outputs,
    guardrails: { ...guardrails, aiAgents: rules.aiAgents(rootUrl).map((rule) => ({ host, ...rule })) },
    skipped,
    stats,
    files: FILES.map((name) => ({ name, url: job.urlOf(name) })),
  };
}

function* crawledPages(ledger: CrawlLedger): Generator<unknown> {
  const aliases = new Map<string, string[]>();
  for (const { url, target } of ledger.rows()) {
    if (target === null) continue;
    let end = target;
    for (let hops = 0, next = ledger.find(end)?.target; hops < 10 && next != null; hops += 1) {
      end = next;
      next = ledger.find(end)?.target;
    }
    aliases.set(end, [...(aliases.get(end) ?? []), url]);
  }
  for (const { id, batch, url, status, depth, contentType, bytes, fetchedAt, unchanged } of ledger.pages()) {
    const page = { id, batch, url, status, depth, contentType, bytes, fetchedAt: toIsoTime(fetchedAt), unchanged };
    yield { ...page, aliases: aliases.get(url) ?? [] };
  }
}

/** Every URL with its verdict; the first of those that are no pages are put into `skipped` too. */
function* ledgerLines(ledger: CrawlLedger, skipped: CrawlSkipped[]): Generator<unknown> {
  for (const { url, depth, verdict, reason } of ledger.rows()) {
    if (verdict === null) continue;
    yield { url, depth, verdict, reason };
    if (verdict !== 'page' && skipped.length < MAX_RESULT_SKIPPED) skipped.push({ url, verdict, reason });
  }
}

async function writeLines(path: string, lines: Iterable<unknown>): Promise<void> {
  const stream = createWriteStream(path);
  for (const line of lines) {
    if (stream.write(`${JSON.stringify(line)}\n`)) continue;
    await once(stream, 'drain');
  }
  stream.end();
  await finished(stream);
}
