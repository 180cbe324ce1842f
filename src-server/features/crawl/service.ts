import { existsSync } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { AppContext } from '../../context.ts';
import { engineJob } from '../../operation.ts';
import type { QuarryError } from '../../platform/errors.ts';
import type { JobFolders } from '../../platform/files/job-folders.ts';
import { invalidRequest } from '../../platform/http/validate.ts';
import type { Logger } from '../../platform/log.ts';
import { minutesSaid, pagesSaid, type Said, say, tell } from '../../platform/text/say.ts';
import { MINUTE_MS, SECOND_MS } from '../../platform/units.ts';
import { VERSION } from '../../platform/version.ts';
import type { BrowserPlaces } from './browser-places.ts';
import { EarlierCrawl } from './earlier-crawl.ts';
import { CRAWL_PERCENT, finishCrawl } from './finish.ts';
import { KeptFirstPage } from './first-page.ts';
import { type CrawlLedger, LEDGER, openCrawlLedger } from './frontier.ts';
import { documentReader } from './linked-documents.ts';
import { finishMap } from './map.ts';
import { PageRenderer } from './render.ts';
import { type CrawlJob, type CrawlLimits, CrawlRun, type EndedBy, rootFailure } from './run.ts';
import {
  type CrawlBaseline,
  type CrawlChoice,
  type CrawlResult,
  type CrawlService,
  type CrawlSoFar,
  SO_FAR_PAGES_MAX,
} from './schema.ts';
import { addChanges } from './site-changes.ts';

/** Runs the crawl of one job. */
export async function crawlSite(
  job: CrawlJob,
  { rootUrl, depth, choice }: { rootUrl: string; depth: number; choice: CrawlChoice },
  signal: AbortSignal,
): Promise<CrawlResult> {
  const batchFolder = join(job.workFolder, 'pages');
  await mkdir(batchFolder, { recursive: true });
  const ledger = await openOwnLedger(job);
  let earlier: EarlierCrawl | null = null;
  const runsScripts = choice.render !== null && choice.render !== 'never';
  const renderer = (runsScripts && job.openRenderer?.(choice, ledger.renderedFigures())) || null;
  try {
    earlier = openEarlier(job, rootUrl);
    const { client, runTask, clock, accountId, policy, readDocument } = job;
    // The limit of a map is one of its list.
    const maxPages = Math.min(job.limits.maxPages, (choice.map ? null : choice.maxPages) ?? Number.POSITIVE_INFINITY);
    const limits = { ...job.limits, maxPages };
    const first = new KeptFirstPage(job.workFolder, earlier?.batchFolder ?? null);
    const showCrawlProgress = (pages: number, found: number) => showProgress(job, { pages, found, maxPages });
    const parts = {
      readDocument,
      client,
      runTask,
      clock,
      accountId,
      policy,
      ledger,
      batchFolder,
      earlier,
      rootUrl,
      depth,
      choice,
      renderer,
    };
    const onFirstPage = first.keepFirstPage.bind(first);
    const run = new CrawlRun({ ...parts, ...limits, onProgress: showCrawlProgress, onFirstPage });
    const endedBy = await run.runCrawl(signal).finally(() => first.written);
    settleRest(ledger, endedBy, limits);
    const verdicts = ledger.countsByVerdict();
    if (verdicts.page === undefined && verdicts.listed === undefined) throw rootFailure(ledger, rootUrl);
    await renderer?.[Symbol.asyncDispose]();
    const rendered = { pages: ledger.renderedFigures().pages, ...(renderer?.figures ?? { requests: 0, bytes: 0 }) };
    const warnings = [...(renderer?.rendererWarnings ?? []), ...lossesOf(run.urlsDropped)];
    const facts = { endedBy, urlsNotKept: run.urlsDropped, rendered, warnings };
    if (choice.map) return await finishMap(job, ledger, { rootUrl, maxAddresses: choice.maxPages, ...facts });
    const rules = run.rulesOfHost(new URL(rootUrl).host);
    const end = { rootUrl, depth, batchFolder, rules, ...facts };
    const result = await finishCrawl(job, ledger, end, signal);
    if (job.baseline === null) return result;
    return await addChanges(job, { ledger, baseline: job.baseline, batchFolder }, { result, ...facts }, signal);
  } finally {
    await renderer?.[Symbol.asyncDispose]();
    ledger.closeCrawlLedger();
    earlier?.closeEarlierCrawl();
  }
}

/**
 * Opens the ledger of the job. A ledger without pages is from a failed attempt, and one of another version has pages
 * that cannot be read: they are replaced.
 */
async function openOwnLedger(job: CrawlJob): Promise<CrawlLedger> {
  const path = join(job.workFolder, LEDGER);
  if (existsSync(path)) {
    const ledger = job.openLedger(path);
    if (ledger.isReadAsNow && ledger.ledgerFigures().pages > 0) return ledger;
    ledger.closeCrawlLedger();
    for (const ending of ['', '-wal', '-shm']) await rm(path + ending, { force: true });
  }
  return job.openLedger(path);
}

/** Returns null when none is kept, or it is damaged. */
function openEarlier(job: CrawlJob, rootUrl: string): EarlierCrawl | null {
  const folder = job.earlierFolder(rootUrl);
  if (folder === null) return null;
  try {
    const ledger = job.openLedger(join(folder, LEDGER), { readOnly: true });
    return new EarlierCrawl({ ledger, batchFolder: join(folder, 'pages'), onLost: job.onEarlierLost });
  } catch (error) {
    job.onEarlierLost(error);
    return null;
  }
}

function lossesOf(urlsDropped: number): Said[] {
  if (urlsDropped === 0) return [];
  return urlsDropped === 1
    ? [say`1 address was found but not kept: their page has too many links, or the crawl too many URLs.`]
    : [
        say`${urlsDropped} addresses were found but not kept: their page has too many links,
          or the crawl too many URLs.`,
      ];
}

function showProgress(
  job: CrawlJob,
  { pages, found, maxPages }: { pages: number; found: number; maxPages: number },
): void {
  const goal = Math.max(1, Math.min(found, maxPages));
  const percent = Math.min(1, pages / goal) * CRAWL_PERCENT;
  job.progress({
    percent,
    stage: 'crawling',
    message: pages === 1 ? say`1 page read, ${found} found.` : say`${pages} pages read, ${found} found.`,
  });
}

function settleRest(ledger: CrawlLedger, endedBy: EndedBy, { maxPages, timeLimitMs }: CrawlLimits): void {
  if (endedBy === 'time')
    ledger.settleRest('time', say`The crawl reached its limit of ${minutesSaid(timeLimitMs / MINUTE_MS)}.`);
  else ledger.settleRest('limit', say`The crawl reached its limit of ${pagesSaid(maxPages)}.`);
  ledger.settleCanonical();
}

const PAGE_LIMIT_MS = 20 * SECOND_MS;

/** Files that a later crawl reuses: the ledger and the page records (workers/pages/site-parts.ts). */
const KEPT_FILES = [LEDGER, 'pages'];

function isKept(folder: string): boolean {
  return KEPT_FILES.every((name) => existsSync(join(folder, name)));
}

interface CrawlDeps {
  context: AppContext;
  log: Logger;
  folders: JobFolders;
  /** Shared by all environments. */
  browsers: BrowserPlaces;
  /** Job id of the newest kept crawl of the same root by the same account. */
  earlierCrawl(accountId: string, rootUrl: string, exceptJobId: string): string | null;
  /** What the crawl of a watched site is compared with; null for other jobs. */
  baselineOf(jobId: string): CrawlBaseline | null;
}

/** The crawls of one environment, each with the settings at its start. */
export function createCrawls(deps: CrawlDeps): CrawlService {
  const { context, log, folders, browsers, earlierCrawl, baselineOf } = deps;
  const { client, pool, clock } = context;
  const settledCrawlChoice = (choice: CrawlChoice) => ({
    ...choice,
    render: choice.render ?? context.settings().crawlRender,
  });
  return {
    settled: settledCrawlChoice,
    admit: (choice, isOwner) => {
      const { render } = settledCrawlChoice(choice);
      if (choice.actions.length > 0 && !isOwner)
        throw refusedCrawlField('actions', tell`Only the owner may act on pages.`);
      if (render === 'never') refuseWithoutRendering(choice);
      if (render === 'always') browsers.requireAnyBrowser();
    },
    crawl: (request, job, signal) => {
      const settings = context.settings();
      const baseline = baselineOf(job.id);
      const crawlJob = {
        ...engineJob(job),
        client,
        runTask: pool.run,
        clock,
        limits: {
          maxPages: settings.crawlMaxPages,
          timeLimitMs: settings.crawlMaxMinutes * MINUTE_MS,
          pageLimitMs: PAGE_LIMIT_MS,
          delayMs: settings.crawlDelayMs,
        },
        readDocument: documentReader(async () => (await import('../documents/service.ts')).documentsOf(context), job),
        openRenderer: (choice: CrawlChoice, made: { screenshots: number; pdfs: number }) => {
          const { privateHost } = job.fetchPolicy;
          const network = { ...context.options.network, privateHost };
          const parts = {
            start: context.startChild,
            places: browsers,
            userAgent: `Quarry/${VERSION}`,
            network,
            choice,
          };
          const ownLog = log.child({ jobId: job.id });
          return new PageRenderer({ ...parts, filesFolder: job.files.folder, log: ownLog }, made);
        },
        openLedger: openCrawlLedger,
        baseline,
        earlierFolder: (rootUrl: string) => {
          if (baseline?.before != null && isKept(baseline.before)) return baseline.before;
          const id = earlierCrawl(job.accountId, rootUrl, job.id);
          if (id === null) return null;
          const folder = folders.workFolderPath(id);
          return isKept(folder) ? folder : null;
        },
        onEarlierLost: (error: unknown) =>
          log.warn({ err: error, jobId: job.id }, 'An earlier crawl cannot be read. Its pages are fetched in full.'),
      };
      return crawlSite(crawlJob, { ...request, choice: settledCrawlChoice(request.choice) }, signal);
    },
  };
}

function refuseWithoutRendering({ screenshot, pdf, actions }: CrawlChoice): void {
  const needed = Object.entries({ screenshot, pdf, actions: actions.length > 0 }).find(([, is]) => is)?.[0];
  if (needed !== undefined) throw refusedCrawlField(needed, say`Give render as auto or always: it needs a browser.`);
}

function refusedCrawlField(path: string, message: Said): QuarryError {
  return invalidRequest([{ path, message }]);
}

/** What a crawl has read so far, from the ledger in its work folder. Nothing before the first run. */
export function crawlSoFar(workFolder: string): CrawlSoFar {
  const path = join(workFolder, LEDGER);
  if (!existsSync(path)) return { found: 0, pages: 0, waiting: 0, verdicts: {}, newest: [] };
  const ledger = openCrawlLedger(path, { readOnly: true });
  try {
    const { page: _, ...verdicts } = ledger.countsByVerdict();
    const { seen: found, pages } = ledger.ledgerFigures();
    return { found, pages, waiting: ledger.countWaitingUrls(), verdicts, newest: ledger.newestPages(SO_FAR_PAGES_MAX) };
  } finally {
    ledger.closeCrawlLedger();
  }
}
