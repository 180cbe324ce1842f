/**
 * The main loop of a crawl: takes URLs from the ledger by host, fetches them politely, sends responses to workers, and
 * enters the links that they find. It keeps no list that grows with the site, so memory is constant, and an interrupted
 * crawl resumes from its ledger.
 */

import type { ProgressReport } from '../../operation.ts';
import type { Clock } from '../../platform/clock.ts';
import type { ErrorCode } from '../../platform/error-codes.ts';
import { QuarryError } from '../../platform/errors.ts';
import type { FetchPolicy } from '../../platform/net/fetch-policy.ts';
import type { GuardedClient } from '../../platform/net/guarded-client.ts';
import type { RunTask } from '../../platform/pool/worker-pool.ts';
import { say, tell } from '../../platform/text/say.ts';
import { SECOND_MS } from '../../platform/units.ts';
import { CookieJar } from './cookies.ts';
import type { EarlierCrawl } from './earlier-crawl.ts';
import { fetchPage, type Later } from './fetch-page.ts';
import type { FirstPage } from './first-page.ts';
import type { CrawlLedger, LedgerRow, TakenUrl } from './frontier.ts';
import { HostQueue } from './host-queue.ts';
import type { ReadDocument } from './linked-documents.ts';
import { PageReader } from './read-pages.ts';
import type { PageRenderer } from './render.ts';
import { type HostRules, loadHostRules } from './robots.ts';
import type { CrawlBaseline, CrawlChoice } from './schema.ts';
import { UrlEntry } from './scope.ts';

const MAX_ACTIVE = 16;

const MAX_ATTEMPTS = 3;

/** Attempts for a page whose host throttles. The request rate drops with each. */
const MAX_ATTEMPTS_TOO_OFTEN = 8;

/** Limit of requests per page of the crawl, which stops at sites with endless duplicates or errors. */
const REQUESTS_PER_PAGE = 5;

/** Additional requests, so that a crawl of one page can follow redirects and sitemaps. */
const MORE_REQUESTS = 100;

const RETRY_BASE_MS = 1 * SECOND_MS;

const PROGRESS_MS = 300;

/**
 * Links of one depth are read before the next, so that every page gets its true depth. A few slow pages do not delay
 * the others longer than this.
 */
const LEVEL_PATIENCE_MS = 2 * SECOND_MS;

interface CrawlRunDeps {
  client: GuardedClient;
  runTask: RunTask;
  clock: Clock;
  accountId: string;
  policy: FetchPolicy;
  ledger: CrawlLedger;
  batchFolder: string;
  earlier: EarlierCrawl | null;
  rootUrl: string;
  depth: number;
  choice: CrawlChoice;
  maxPages: number;
  timeLimitMs: number;
  pageLimitMs: number;
  delayMs: number;
  readDocument: ReadDocument;
  renderer: PageRenderer | null;
  onProgress(pages: number, found: number): void;
  onFirstPage(page: FirstPage | 'unchanged'): void;
}

export type EndedBy = 'done' | 'pages' | 'time';

export class CrawlRun {
  readonly #deps: CrawlRunDeps;
  readonly #entry: UrlEntry;
  readonly #hostQueues = new Map<string, HostQueue>();
  readonly #reader: PageReader;
  readonly #stop = new AbortController();
  readonly #cookies: CookieJar;
  readonly #finished = Promise.withResolvers<EndedBy>();
  #active = 0;
  #requests = 0;
  #retrying = 0;
  #timer: NodeJS.Timeout | null = null;
  #shownAt = 0;
  /** Current depth. Deeper URLs wait. */
  #level: number;
  #levelTimer: NodeJS.Timeout | null = null;
  #ended = false;

  constructor(deps: CrawlRunDeps) {
    this.#deps = deps;
    this.#cookies = new CookieJar(deps.clock);
    const { pages, lastBatch } = deps.ledger.ledgerFigures();
    this.#level = deps.ledger.leastDepthWaiting() ?? 0;
    this.#entry = new UrlEntry(deps, (host) => {
      const hostQueue = this.#hostQueues.get(host);
      if (hostQueue === undefined) this.#hostQueues.set(host, new HostQueue(host));
      else hostQueue.refillHostQueue();
    });
    for (const host of deps.ledger.hostsWaiting()) this.#hostQueues.set(host, new HostQueue(host));
    this.#reader = new PageReader({
      ...deps,
      render: deps.renderer === null ? 'never' : (deps.choice.render ?? 'never'),
      firstBatch: lastBatch + 1,
      pages,
      entry: this.#entry,
      cookies: this.#cookies,
      signal: this.#stop.signal,
      settled: (work) => this.#guardCrawlStep(work),
      again: (taken) => this.#askAgain(taken, this.#hostQueues.get(taken.host)),
      onFailed: (error) => this.#failCrawlRun(error),
    });
  }

  get urlsDropped(): number {
    return this.#entry.droppedUrlCount;
  }

  /** The robots.txt rules of a host; null when they were not fetched in this attempt. */
  rulesOfHost(host: string): HostRules | null {
    return this.#hostQueues.get(host)?.rules ?? null;
  }

  /** Crawls until no URL is left or a limit is reached. Errors: `cancelled`, `interrupted`, `internal`. */
  async runCrawl(signal: AbortSignal): Promise<EndedBy> {
    const cancelCrawlRun = () => this.#failCrawlRun(signal.reason);
    signal.addEventListener('abort', cancelCrawlRun, { once: true });
    const limit = setTimeout(() => this.#endCrawlRun('time'), this.#deps.timeLimitMs);
    try {
      signal.throwIfAborted();
      if (this.#entry.seenUrlCount === 0) this.#entry.enterRoot();
      this.#pumpHostQueues();
      return await this.#finished.promise;
    } finally {
      this.#ended = true;
      clearTimeout(limit);
      if (this.#timer) clearTimeout(this.#timer);
      if (this.#levelTimer) clearTimeout(this.#levelTimer);
      this.#reader.closePageReader();
      this.#stop.abort(new QuarryError('cancelled', tell`The crawl has ended.`));
      signal.removeEventListener('abort', cancelCrawlRun);
    }
  }

  /**
   * Starts all requests that may start now, and detects the end. Timers and responses call it, where a rejection would
   * be lost, so a failing ledger (on a full disk) is caught here and ends the crawl.
   */
  #pumpHostQueues(): void {
    if (this.#ended) return;
    try {
      this.#beginWhatMay();
      this.#endIfDone();
    } catch (error) {
      this.#failCrawlRun(error);
    }
  }

  #beginWhatMay(): void {
    if (this.#timer) clearTimeout(this.#timer);
    this.#timer = null;
    const now = performance.now();
    let soonest = Number.POSITIVE_INFINITY;
    for (const hostQueue of this.#hostQueues.values()) {
      if (hostQueue.rules === null) {
        this.#loadRules(hostQueue);
        continue;
      }
      for (;;) {
        if (this.#active >= MAX_ACTIVE || this.#reader.isReaderFull || this.#hasEnough()) break;
        const waitMs = hostQueue.waitMs(now);
        if (waitMs === null) break;
        if (waitMs > 0) {
          soonest = Math.min(soonest, waitMs);
          break;
        }
        if (!this.#beginNext(hostQueue, now)) break;
      }
    }
    if (Number.isFinite(soonest)) this.#timer = setTimeout(() => this.#pumpHostQueues(), soonest);
  }

  /** Counts the running requests too: each may return a page. */
  #hasEnough(): boolean {
    if (this.#requests >= this.#deps.maxPages * REQUESTS_PER_PAGE + MORE_REQUESTS) return true;
    return this.#reader.readPageCount + this.#active + this.#reader.inReading >= this.#deps.maxPages;
  }

  /** Ends the current depth, or the crawl, when its work is done. */
  #endIfDone(): void {
    if (this.#ended || [...this.#hostQueues.values()].some(({ rules }) => rules === null)) return;
    const isBusy = this.#active > 0 || this.#retrying > 0 || !this.#reader.isIdle;
    if (!isBusy && this.#hasEnough())
      this.#endCrawlRun(this.#hasNothingTo(Number.POSITIVE_INFINITY) ? 'done' : 'pages');
    else if (!this.#hasNothingTo(this.#level)) return;
    else if (isBusy)
      this.#levelTimer ??= setTimeout(() => this.#guardCrawlStep(() => void this.#leaveLevel()), LEVEL_PATIENCE_MS);
    else if (!this.#leaveLevel()) this.#endCrawlRun('done');
  }

  #hasNothingTo(depth: number): boolean {
    return [...this.#hostQueues.values()].every((hostQueue) => hostQueue.isHostQueueEmpty(this.#deps.ledger, depth));
  }

  /** Moves on to the next depth. Returns whether there is one. */
  #leaveLevel(): boolean {
    if (this.#levelTimer) clearTimeout(this.#levelTimer);
    this.#levelTimer = null;
    const next = this.#hasNothingTo(this.#level) ? this.#deps.ledger.leastDepthWaiting() : null;
    if (next === null) return false;
    this.#level = next;
    for (const hostQueue of this.#hostQueues.values()) hostQueue.refillHostQueue();
    this.#pumpHostQueues();
    return true;
  }

  #loadRules(hostQueue: HostQueue): void {
    const { protocol } = new URL(this.#deps.rootUrl);
    hostQueue.loadQueueRules(
      () => loadHostRules(`${protocol}//${hostQueue.host}/`, this.#deps, this.#stop.signal),
      () => this.#guardCrawlStep(() => this.#enterHostSitemaps(hostQueue)),
      (error) => this.#failCrawlRun(error),
    );
  }

  /** Enters the sitemaps of the root's host, or of the host that the root leads to. */
  #enterHostSitemaps({ host, rules }: HostQueue): void {
    const { ledger, rootUrl, choice } = this.#deps;
    if (choice.sitemap === 'skip' || rules === null) return;
    const ends = [rootUrl, rootRedirectEnd(ledger, rootUrl)?.url ?? rootUrl].map((url) => new URL(url));
    const end = ends.find((url) => url.host === host);
    if (end !== undefined) this.#entry.enterSitemaps(rules.sitemaps, end);
  }

  /** Returns whether a request was started. */
  #beginNext(hostQueue: HostQueue, now: number): boolean {
    const taken = hostQueue.dequeueHostUrl(this.#deps.ledger, this.#level);
    if (taken === null) return false;
    const refusal = hostQueue.rules?.refusal(taken.url) ?? null;
    if (refusal !== null) {
      this.#deps.ledger.settleLedgerUrl(taken.id, refusal.verdict, refusal.reason);
      return true;
    }
    hostQueue.beginHostRequest(now, this.#deps.delayMs);
    this.#active += 1;
    this.#requests += 1;
    const { earlier, choice } = this.#deps;
    const known = choice.render === 'always' ? null : (earlier?.knownPage(taken.url) ?? null);
    const documents = this.#reader.documentCount;
    fetchPage(taken, known, { ...this.#deps, cookies: this.#cookies, documents }, this.#stop.signal).then(
      (fetched) => {
        hostQueue.active -= 1;
        this.#active -= 1;
        this.#guardCrawlStep(() => {
          if (fetched.kind === 'later') this.#retryTakenUrl(taken, fetched, hostQueue, now);
          else {
            hostQueue.noteHostAnswer();
            this.#reader.receiveFetched(taken, fetched, known);
          }
        });
      },
      (error: unknown) => this.#failCrawlRun(error),
    );
    return true;
  }

  #retryTakenUrl(taken: TakenUrl, later: Later, hostQueue: HostQueue, begunAt: number): void {
    const { afterMs, tooOften } = later;
    const waitMs = afterMs ?? RETRY_BASE_MS * 2 ** taken.attempts;
    if (tooOften) hostQueue.slowDown(begunAt, performance.now(), waitMs);
    const most = tooOften && hostQueue.hasAnswered ? MAX_ATTEMPTS_TOO_OFTEN : MAX_ATTEMPTS;
    if (taken.attempts + 1 >= most && later.part !== undefined) {
      this.#reader.receiveFetched(taken, later.part, null);
      return;
    }
    if (taken.attempts + 1 >= most) {
      this.#deps.ledger.settleLedgerUrl(taken.id, later.verdict, later.reason, later);
      return;
    }
    this.#retrying += 1;
    setTimeout(() => {
      this.#retrying -= 1;
      this.#guardCrawlStep(() => this.#askAgain(taken, hostQueue));
    }, waitMs).unref();
  }

  #askAgain(taken: TakenUrl, hostQueue: HostQueue | undefined): void {
    this.#deps.ledger.giveBackUrl(taken.id);
    hostQueue?.refillHostQueue();
  }

  #guardCrawlStep(work: () => void): void {
    if (this.#ended) return;
    try {
      work();
      this.#showProgress();
    } catch (error) {
      this.#failCrawlRun(error);
      return;
    }
    this.#pumpHostQueues();
  }

  #showProgress(): void {
    const now = performance.now();
    if (now - this.#shownAt < PROGRESS_MS) return;
    this.#shownAt = now;
    const { readPageCount: pages } = this.#reader;
    this.#deps.onProgress(pages, pages + this.#deps.ledger.countWaitingUrls() + this.#active);
  }

  #endCrawlRun(how: EndedBy): void {
    this.#ended = true;
    this.#finished.resolve(how);
  }

  #failCrawlRun(error: unknown): void {
    this.#ended = true;
    this.#finished.reject(error);
  }
}

// The error of a crawl without pages: what happened to its root, and what to do.

/** Statuses of temporary failures. */
const PASSING_STATUSES = new Set([408, 425, 429]);

/** The error of a crawl that read no page. */
export function rootFailure(ledger: CrawlLedger, rootUrl: string): QuarryError {
  const end = rootRedirectEnd(ledger, rootUrl);
  if (end?.verdict !== 'sitemap') return rootFailureOf(end, end?.url === rootUrl ? '' : (end?.url ?? ''));
  const listed = firstListed(ledger);
  if (listed !== null) return rootFailureOf(listed, listed.url);
  return crawlFailure(
    'source_unreachable',
    'The sitemap lists no page; give the address of a page or of another sitemap.',
  );
}

/** The last URL of the root's redirects; null for a loop or a dead end. */
function rootRedirectEnd(ledger: CrawlLedger, rootUrl: string): LedgerRow | null {
  const passed = new Set<string>();
  let row = ledger.findLedgerUrl(rootUrl);
  while (row?.target != null) {
    if (passed.has(row.url)) return null;
    passed.add(row.url);
    row = ledger.findLedgerUrl(row.target);
  }
  return row;
}

/** The first URL from the sitemaps. Its skip reason usually applies to all. */
function firstListed(ledger: CrawlLedger): LedgerRow | null {
  for (const row of ledger.ledgerRows()) {
    if (row.verdict !== 'sitemap') return row;
  }
  return null;
}

function rootFailureOf(row: LedgerRow | null, at: string): QuarryError {
  if (row === null) return crawlFailure('source_unreachable', 'It redirects in a circle; give the final address.');
  const why = at === '' ? row.reason : `${at}: ${row.reason}`;
  switch (row.verdict) {
    case 'robots':
    case 'noindex':
      return crawlFailure('robots_disallowed', why);
    case 'forbidden':
      return crawlFailure('source_forbidden', why);
    case 'too-large':
      return crawlFailure('source_too_large', why);
    case 'type':
    case 'asset':
    case 'needs-script':
      return crawlFailure('unsupported_media', why);
    // The browser ended, or had not enough memory or time.
    case 'script-failed':
      return crawlFailure('engine_failed', why);
    case 'unreadable':
      return crawlFailure('corrupt_input', why);
    case 'scope':
      return crawlFailure('source_unreachable', `${why} Crawl that address itself.`);
    case 'status':
      return statusFailure(row.status ?? 0, why);
    default:
      return crawlFailure('source_unreachable', why, row.verdict === 'unreachable' || row.verdict === 'time');
  }
}

function statusFailure(status: number, why: string): QuarryError {
  if (status === 401 || status === 403) {
    return crawlFailure('source_forbidden', say`${why} Give an address that is open to everybody.`);
  }
  const passes = status >= 500 || PASSING_STATUSES.has(status);
  return crawlFailure(
    'source_unreachable',
    passes ? say`${why} Try again later.` : say`${why} Check the address.`,
    passes,
  );
}

function crawlFailure(code: ErrorCode, why: string, retryable = false): QuarryError {
  return new QuarryError(code, say`No page could be crawled: ${why}`, { retryable });
}

export interface CrawlLimits {
  maxPages: number;
  timeLimitMs: number;
  /** From sending a request to the end of the body. */
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
  progress(progress: ProgressReport): void;
  readDocument: ReadDocument;
  /** Opens the browser of the crawl. Absent where none is used. */
  openRenderer?(choice: CrawlChoice, made: { screenshots: number; pdfs: number }): PageRenderer;
  openLedger(path: string, options?: { readOnly?: boolean }): CrawlLedger;
  /** Set for a crawl of a watched site. */
  baseline: CrawlBaseline | null;
  /** Work folder of a kept crawl with the same root. */
  earlierFolder(rootUrl: string): string | null;
  /** That crawl cannot be read; the new one goes on without it. */
  onEarlierLost(error: unknown): void;
}
