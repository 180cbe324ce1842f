import { setImmediate } from 'node:timers/promises';
import type { PageFacts, PagesSoFar, ReadPageTarget } from '../../../workers/pages/tasks.ts';
import type { Clock } from '../../platform/clock.ts';
import { isJobErrorCode } from '../../platform/error-codes.ts';
import { QuarryError } from '../../platform/errors.ts';
import { normalUrl } from '../../platform/net/normal-url.ts';
import { opensSitemap } from '../../platform/net/robots-txt.ts';
import type { RunTask } from '../../platform/pool/worker-pool.ts';
import { CountSketch } from '../../platform/text/hash.ts';
import { say } from '../../platform/text/say.ts';
import { KIB, MIB, SECOND_MS } from '../../platform/units.ts';
import type { CookieJar } from './cookies.ts';
import type { EarlierCrawl } from './earlier-crawl.ts';
import type { Fetched, PageResponse, Redirect } from './fetch-page.ts';
import type { FirstPage } from './first-page.ts';
import { type CrawlLedger, type KnownPage, NOT_RENDERED, type RenderedFacts, type TakenUrl } from './frontier.ts';
import type { ReadDocument } from './linked-documents.ts';
import { MAX_TABS, type PageRenderer, type RenderedPage } from './render.ts';
import type { RenderChoice } from './schema.ts';
import { MAX_HOPS, type UrlEntry } from './scope.ts';

const MAX_SITEMAP_URLS = 50_000;

/** Links entered in one step: a few milliseconds. */
const LINKS_AT_ONCE = 1000;

/** Longest time that entering links may block the event loop. */
const TURN_MS = 5;

/** Where the first tag of a page may be. */
const FILE_START_BYTES = 16 * KIB;

/** Documents that wait with their bytes. Fetching pauses above it. */
const MAX_WAITING_DOCUMENTS = 2;

/** Pages that wait for the browser with their bytes. Fetching pauses above it. */
const MAX_RENDERING = 2 * MAX_TABS;

const SITEMAP_LIMIT_MS = 60 * SECOND_MS;

/** Requests of an address, as long as each brings cookies that its next one sends. */
const MAX_COOKIE_REQUESTS = 3;

interface InReading {
  taken: TakenUrl;
  response: PageResponse;
  bytes: number;
  unchanged: boolean;
  rendered: RenderedFacts;
  /** Kept while its reading decides whether its scripts are run; else null. */
  body: Buffer | null;
}

interface PageReaderDeps {
  ledger: CrawlLedger;
  runTask: RunTask;
  clock: Clock;
  accountId: string;
  batchFolder: string;
  earlier: EarlierCrawl | null;
  entry: UrlEntry;
  cookies: CookieJar;
  /** Depth of the crawl. */
  depth: number;
  readDocument: ReadDocument;
  /** Null when scripts are not run. */
  renderer: PageRenderer | null;
  render: RenderChoice;
  firstBatch: number;
  /** Pages read before an interruption. */
  pages: number;
  signal: AbortSignal;
  /** Runs a change of the ledger. The crawl then looks for new work. */
  settled(work: () => void): void;
  /** Queues a URL again. */
  again(taken: TakenUrl): void;
  /** The page of the root is fetched, or unchanged since the earlier crawl. */
  onFirstPage(page: FirstPage | 'unchanged'): void;
  onFailed(error: unknown): void;
}

/** Turns responses into verdicts: reads fetched pages, sitemaps and duplicates. */
export class PageReader {
  readonly #deps: PageReaderDeps;
  readonly #batches: PageBatches;
  readonly #reading = new Map<number, InReading>();
  #sitemaps = 0;
  #documents = 0;
  #waitingDocuments = 0;
  #rendering = 0;
  /** One document at a time: each may take several threads. */
  #documentQueue: Promise<void> = Promise.resolve();
  #pages: number;

  constructor(deps: PageReaderDeps) {
    this.#deps = deps;
    this.#pages = deps.pages;
    this.#batches = new PageBatches({
      runTask: deps.runTask,
      accountId: deps.accountId,
      batchFolder: deps.batchFolder,
      firstBatch: deps.firstBatch,
      gathers: deps.depth > 0,
      signal: deps.signal,
      onRead: (batch, pages) => {
        this.#enterPages(batch, pages).catch(deps.onFailed);
      },
      onFailed: deps.onFailed,
    });
  }

  /** Number of pages so far. */
  get readPageCount(): number {
    return this.#pages;
  }

  /** Documents so far. */
  get documentCount(): number {
    return this.#documents;
  }

  get inReading(): number {
    return this.#reading.size;
  }

  get isReaderFull(): boolean {
    const isRendering = this.#rendering >= MAX_RENDERING;
    return this.#batches.areBatchesFull || this.#waitingDocuments > MAX_WAITING_DOCUMENTS || isRendering;
  }

  get isIdle(): boolean {
    return this.#sitemaps === 0 && this.#rendering === 0 && this.#reading.size === 0 && this.#batches.isIdle;
  }

  closePageReader(): void {
    this.#batches.closePageBatches();
  }

  /** Handles the response for a URL, except for retries. */
  receiveFetched(taken: TakenUrl, fetched: Exclude<Fetched, { kind: 'later' }>, known: KnownPage | null): void {
    const { ledger, cookies } = this.#deps;
    if (fetched.kind !== 'body' && cookies.endTry(taken.url) !== undefined) {
      if (fetched.kind === 'redirect') cookies.openSite(taken.url);
      else if (this.#asksWithCookies(taken, true)) return;
    }
    switch (fetched.kind) {
      case 'verdict':
        ledger.settleLedgerUrl(taken.id, fetched.verdict, fetched.reason, fetched);
        break;
      case 'redirect':
        this.#followRedirect(taken, fetched);
        break;
      case 'unchanged':
        this.#readAgain(taken, fetched.response, known);
        break;
      case 'document':
        this.#readDocument(taken, fetched.response, fetched.body);
        break;
      case 'body':
        if (taken.expects !== 'page' && mayBeSitemap(fetched)) this.#readSitemap(taken, fetched);
        else this.#readAfterAll(taken, fetched);
    }
  }

  /** Whether the address is requested again, with the cookies that its last answer has set. */
  #asksWithCookies(taken: TakenUrl, hasNewCookies: boolean): boolean {
    if (!hasNewCookies || taken.attempts + 1 >= MAX_COOKIE_REQUESTS) return false;
    this.#deps.again(taken);
    return true;
  }

  #followRedirect(taken: TakenUrl, { location, status, hasNewCookies }: Redirect): void {
    const { ledger, entry, cookies } = this.#deps;
    const target = normalUrl(location, taken.url);
    if (target === null) {
      ledger.settleLedgerUrl(taken.id, 'status', say`Status ${status} without a valid redirect target.`, { status });
    } else if (target === taken.url && this.#asksWithCookies(taken, hasNewCookies)) {
      cookies.openSite(target);
      return;
    } else if (target === taken.url || taken.hops >= MAX_HOPS) {
      ledger.settleLedgerUrl(taken.id, 'status', say`It redirects in a circle, or too often.`);
    } else {
      ledger.runTogether(() => {
        // A site that asks for a cookie leads back to where it was asked from.
        const back = ledger.redirectLeadingTo(target, taken.url, MAX_COOKIE_REQUESTS);
        ledger.settleLedgerUrl(taken.id, 'redirect', say`It leads to ${target}`, { target });
        const { depth, hops, expects, id: source } = taken;
        if (back !== null && cookies.cookieHeaderFor(target) !== null) {
          cookies.openSite(target);
          entry.reopenRedirect(back, new URL(target).host, hops + 1);
          return;
        }
        entry.enterFoundUrl({ url: target, depth, hops: hops + 1, expects, source, isRedirect: true });
      });
    }
  }

  #readFetchedPage(taken: TakenUrl, { response, body, isCutOff = false }: FetchedBody): void {
    const { render } = this.#deps;
    const mayRender = render !== 'never' && response.contentType.includes('html');
    const kept = mayRender ? body : null;
    const isFirst = taken.depth === 0 && response.contentType.includes('html');
    if (isFirst) this.#deps.onFirstPage({ url: taken.url, headers: response.pageHeaders, body });
    const plain = { unchanged: false, rendered: NOT_RENDERED, body: kept };
    this.#reading.set(taken.id, { taken, response, bytes: body.length, ...plain });
    if (mayRender && render === 'always') {
      this.#renderFetchedPage({ taken, response, body }, null, null);
      return;
    }
    const { contentType, robotsHeader } = response;
    const warnings = isCutOff ? [say`The connection ended within the page: it is read as far as it came.`] : [];
    this.#batches.addPageToBatch({
      id: taken.id,
      url: taken.url,
      body,
      contentType,
      robotsHeader,
      copyFrom: null,
      warnings,
    });
  }

  /** The text of a document is read like a page in Markdown. */
  #readDocument(taken: TakenUrl, response: PageResponse, body: Buffer): void {
    const { ledger, readDocument, signal, settled } = this.#deps;
    const { id, url } = taken;
    this.#documents += 1;
    this.#waitingDocuments += 1;
    const plain = { unchanged: false, rendered: NOT_RENDERED, body: null };
    this.#reading.set(id, { taken, response, bytes: body.length, ...plain });
    const readDocumentText = async () => {
      const read = await readDocument({ url, body }, signal).catch(unreadableSiteFile);
      settled(() => {
        this.#waitingDocuments -= 1;
        if ('markdown' in read) {
          const { robotsHeader } = response;
          const text = { body: Buffer.from(read.markdown), contentType: 'text/markdown', warnings: read.warnings };
          this.#batches.addPageToBatch({ id, url, ...text, robotsHeader, copyFrom: null });
        } else {
          this.#reading.delete(id);
          ledger.settleLedgerUrl(id, 'unreadable', read.reason);
        }
      });
    };
    this.#documentQueue = this.#documentQueue.then(readDocumentText).catch(this.#deps.onFailed);
  }

  #readAgain(taken: TakenUrl, response: PageResponse, known: KnownPage | null): void {
    const { earlier, ledger } = this.#deps;
    if (known === null || earlier === null) {
      ledger.settleLedgerUrl(taken.id, 'status', say`Status 304 to a request without conditions.`, { status: 304 });
      return;
    }
    if (taken.depth === 0) this.#deps.onFirstPage('unchanged');
    const { etag, lastModified, contentType, bytes } = known;
    const kept = { ...response, status: 200, contentType, etag, lastModified };
    this.#reading.set(taken.id, { taken, response: kept, bytes, unchanged: true, rendered: NOT_RENDERED, body: null });
    const copyFrom = { batchFolder: earlier.batchFolder, batch: known.batch, id: known.id };
    const nothing = Buffer.alloc(0);
    const page = { id: taken.id, url: taken.url, body: nothing, contentType, robotsHeader: '' };
    this.#batches.addPageToBatch({ ...page, copyFrom, warnings: [] });
  }

  /**
   * Has the scripts of a page run, and reads it again. Without a result it keeps its plain form by `keep`, else the
   * links of that.
   */
  #renderFetchedPage({ taken, response, body }: FetchedPage, plain: ReadPage | null, keep: (() => void) | null): void {
    const { renderer, ledger, entry, cookies, settled, signal } = this.#deps;
    if (renderer === null) throw new Error('The crawl has no browser.');
    const { id, url } = taken;
    const settleRenderedPage = (rendered: RenderedPage) => {
      this.#rendering -= 1;
      if (rendered.kind === 'page') {
        const { hasScreenshot, hasPdf } = rendered;
        const facts = { isRendered: true, hasScreenshot, hasPdf };
        const reading = { taken, response, bytes: body.length, unchanged: false, rendered: facts, body: null };
        this.#reading.set(id, reading);
        const text = { body: rendered.body, contentType: 'text/html; charset=utf-8', warnings: [] };
        const { robotsHeader } = response;
        this.#batches.addPageToBatch({ id, url, ...text, robotsHeader, copyFrom: null, isRendered: true });
        return;
      }
      this.#reading.delete(id);
      if (rendered.kind === 'failed' && keep !== null) keep();
      else if (rendered.kind === 'moved')
        this.#followRedirect(taken, { ...rendered, location: rendered.url, status: response.status });
      else {
        ledger.settleLedgerUrl(id, 'script-failed', rendered.reason);
        if (plain !== null) entry.enterLinks(plain, taken, forbidsLinks(plain));
      }
    };
    this.#rendering += 1;
    renderer
      .renderCrawledPage({ id, url, body, headers: response.pageHeaders, cookies }, signal)
      .then((rendered) => settled(() => settleRenderedPage(rendered)))
      .catch((error: unknown) => {
        // With auto, the crawl continues without a browser: these pages are skipped like those of other crawls.
        if (this.#deps.render !== 'auto' || !isMissing(error)) this.#deps.onFailed(error);
        else settled(() => settleRenderedPage({ kind: 'failed', reason: say`It needs its scripts. ${error.message}` }));
      });
  }

  #readSitemap(taken: TakenUrl, fetched: FetchedBody): void {
    const { runTask, accountId, ledger, signal, entry } = this.#deps;
    const options = { accountId, timeLimitMs: SITEMAP_LIMIT_MS, signal };
    const input = { kind: 'sitemap', url: taken.url, body: fetched.body, maxUrls: MAX_SITEMAP_URLS } as const;
    this.#sitemaps += 1;
    const enterSitemap = async () => {
      const read = await runTask('read-site-file', input, options).catch(unreadableSiteFile);
      if (read.kind === 'unreadable')
        this.#deps.settled(() => ledger.settleLedgerUrl(taken.id, 'unreadable', read.reason));
      else if (read.kind === 'sitemap') await this.#inTurns(entry.sitemapSteps(taken, read));
      else this.#deps.settled(() => this.#readAfterAll(taken, fetched));
    };
    enterSitemap()
      .then(() => {
        this.#sitemaps -= 1;
        this.#deps.settled(() => {});
      })
      .catch(this.#deps.onFailed);
  }

  /** Handles a body that is no sitemap. */
  #readAfterAll(taken: TakenUrl, fetched: FetchedBody): void {
    const { contentType } = fetched.response;
    if (taken.expects === 'page') this.#readFetchedPage(taken, fetched);
    else if (taken.expects === 'sitemap') this.#deps.ledger.settleLedgerUrl(taken.id, 'type', say`It is no sitemap.`);
    else if (/xml|gzip|octet/.test(contentType) && !contentType.includes('xhtml')) {
      this.#deps.ledger.settleLedgerUrl(taken.id, 'type', say`It is neither a page nor a sitemap.`);
    } else this.#readFetchedPage(taken, fetched);
  }

  /** Runs the steps and yields to the event loop between long ones. */
  async #inTurns(steps: Iterable<() => void>): Promise<void> {
    let begun = performance.now();
    for (const step of steps) {
      this.#deps.settled(step);
      if (performance.now() - begun < TURN_MS) continue;
      await setImmediate();
      begun = performance.now();
    }
  }

  #enterPages(batch: number, pages: PageFacts[]): Promise<void> {
    const { ledger } = this.#deps;
    const enterPageFacts = (page: PageFacts) => {
      const reading = this.#reading.get(page.id);
      if (reading === undefined) return;
      this.#reading.delete(page.id);
      if ('problem' in page) this.#settleUnreadPage(reading, page);
      else this.#enterPage(batch, page, reading);
    };
    const groups = byLinks(pages);
    return this.#inTurns(groups.map((group) => () => ledger.runTogether(() => group.forEach(enterPageFacts))));
  }

  /** Requests a page in full when the earlier crawl no longer has it. The page itself has not been read. */
  #settleUnreadPage({ taken, unchanged }: InReading, { problem, isNoText }: UnreadPage): void {
    const { ledger, earlier, again } = this.#deps;
    if (unchanged) {
      earlier?.loseEarlierCrawl(new Error(problem));
      again(taken);
    } else ledger.settleLedgerUrl(taken.id, isNoText ? 'type' : 'unreadable', problem);
  }

  #enterPage(batch: number, page: ReadPage, reading: InReading): void {
    const { ledger, clock, cookies } = this.#deps;
    const { taken, response, bytes, unchanged, rendered, body } = reading;
    const hasRobotsDirective = (directive: string) => page.robots.includes(directive) || page.robots.includes('none');
    // Different pages wait with the same words.
    const twin = page.isEmpty || page.isPlaceholder ? null : ledger.pageWithHash(page.contentHash);
    const { movedTo } = page;
    const { hasNewCookies, status } = response;
    const leadsNowhere = page.isBrief && page.links.every(({ url }) => url === taken.url);
    const isWall = page.isPlaceholder || movedTo === taken.url || leadsNowhere;
    const tried = cookies.endTry(taken.url);
    const hasHelped = tried === 'wall' ? !isWall : !isWall && !page.isBrief;
    if (tried !== undefined && hasHelped) cookies.openSite(taken.url);
    // What cookies have altered is not the page.
    else if (tried !== undefined && this.#asksWithCookies(taken, true)) return;
    const mayTry = () => cookies.tryWithCookies(taken.url, isWall ? 'wall' : 'short');
    if (hasRobotsDirective('noindex')) {
      ledger.settleLedgerUrl(taken.id, 'noindex', say`The page asks not to be indexed.`);
    } else if (movedTo !== null && movedTo !== taken.url && !hasRobotsDirective('nofollow')) {
      this.#followRedirect(taken, { location: movedTo, status, hasNewCookies });
    } else if ((isWall || page.isBrief) && hasNewCookies && mayTry() && this.#asksWithCookies(taken, true)) {
      return;
    } else if ((page.needsScript || page.isPlaceholder) && body !== null && !rendered.isRendered) {
      const plain = { ...reading, body: null };
      this.#reading.set(taken.id, plain);
      const keep = page.needsScript ? null : () => this.#enterPage(batch, page, plain);
      this.#renderFetchedPage({ taken, response, body }, page, keep);
      return;
    } else if (page.needsScript) {
      const why = rendered.isRendered
        ? say`It has no text, also after its scripts were run.`
        : say`It has no text without its scripts, which are not run.`;
      ledger.settleLedgerUrl(taken.id, 'needs-script', why);
    } else if (twin !== null) {
      ledger.settleLedgerUrl(taken.id, 'duplicate', say`It has the same text as ${twin}`, { target: twin });
    } else {
      const { contentType, etag, lastModified } = response;
      const { contentHash, canonicalUrl, sketch } = page;
      const facts = { status, contentType, etag, lastModified, contentHash, canonicalUrl, sketch };
      ledger.settlePage({ id: taken.id, batch, bytes, fetchedAt: clock.now(), unchanged, rendered, ...facts });
      this.#pages += 1;
    }
    this.#deps.entry.enterLinks(page, taken, forbidsLinks(page));
  }
}

type FetchedBody = Omit<Extract<Fetched, { kind: 'body' }>, 'kind'>;

interface FetchedPage {
  taken: TakenUrl;
  response: PageResponse;
  body: Buffer;
}

type UnreadPage = Extract<PageFacts, { problem: string }>;

type ReadPage = Exclude<PageFacts, { problem: string }>;

function forbidsLinks({ robots }: ReadPage): boolean {
  return robots.includes('nofollow') || robots.includes('none');
}

function isMissing(error: unknown): error is QuarryError {
  return error instanceof QuarryError && (error.code === 'engine_unavailable' || error.code === 'engine_failed');
}

/** Generated sitemaps often have the content type of a page. */
function mayBeSitemap({ response, body }: { response: PageResponse; body: Buffer }): boolean {
  return !response.contentType.includes('html') || opensSitemap(body.toString('utf8', 0, FILE_START_BYTES));
}

/** An unreadable body ends its URL, not the crawl. */
function unreadableSiteFile(error: unknown): { kind: 'unreadable'; reason: string } {
  if (!(error instanceof QuarryError) || !isJobErrorCode(error.code) || error.code === 'cancelled') throw error;
  return { kind: 'unreadable', reason: error.message };
}

/** Groups the pages of a batch by the number of links that are entered in one step. */
function byLinks(pages: readonly PageFacts[]): PageFacts[][] {
  const groups: PageFacts[][] = [];
  let links = Number.POSITIVE_INFINITY;
  for (const page of pages) {
    const own = 'problem' in page ? 0 : page.links.length + page.assets.length;
    links += own;
    if (links > LINKS_AT_ONCE) {
      groups.push([]);
      links = own;
    }
    groups.at(-1)?.push(page);
  }
  return groups;
}

/** Pages are sent to workers in batches: a message costs as much as reading a small page. */
const MAX_BATCH_PAGES = 16;

const MAX_BATCH_BYTES = 1 * MIB;

/** Longest time a page waits for its batch. */
const GATHER_MS = 10;

/** Limit of unread bodies. Fetching pauses above it, so that memory stays constant when reading is slower. */
const MAX_BYTES_IN_WORK = 32 * MIB;

const MAX_BATCHES_IN_WORK = 6;

/** Repeated blocks are searched in a sample of this size, independent of the number of pages. */
const COUNTED_BLOCKS = 1 << 15;

const READ_LIMIT_MS = 60 * SECOND_MS;

interface BatchDeps {
  runTask: RunTask;
  accountId: string;
  batchFolder: string;
  firstBatch: number;
  /** False where no second page is expected. */
  gathers: boolean;
  signal: AbortSignal;
  /** Called with all pages of a batch. */
  onRead(batch: number, pages: PageFacts[]): void;
  /** Called when reading fails for a reason that ends the crawl. */
  onFailed(error: unknown): void;
}

/** Batches fetched pages and sends them to workers. */
class PageBatches {
  readonly #deps: BatchDeps;
  readonly #soFar: PagesSoFar = {
    pages: new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT),
    blocks: CountSketch.memoryFor(COUNTED_BLOCKS),
  };
  #next: number;
  #open: ReadPageTarget[] = [];
  #openBytes = 0;
  /** Memory of the batch being filled. */
  #memory: SharedArrayBuffer | null = null;
  /** Reusable memory, as much as there were parallel batches. */
  readonly #freeMemory: SharedArrayBuffer[] = [];
  #timer: NodeJS.Timeout | null = null;
  #bytesInWork = 0;
  #batchesInWork = 0;

  constructor(deps: BatchDeps) {
    this.#deps = deps;
    this.#next = deps.firstBatch;
  }

  get areBatchesFull(): boolean {
    return this.#bytesInWork + this.#openBytes > MAX_BYTES_IN_WORK || this.#batchesInWork >= MAX_BATCHES_IN_WORK;
  }

  get isIdle(): boolean {
    return this.#batchesInWork === 0 && this.#open.length === 0;
  }

  /** Adds a page. Its body is copied to shared memory, so the original can be freed. */
  addPageToBatch(target: ReadPageTarget): void {
    const { length } = target.body;
    if (this.#memory !== null && this.#openBytes + length > this.#memory.byteLength) this.#sendOpenBatch();
    this.#memory ??= this.#memoryFor(length);
    const body = new Uint8Array(this.#memory, this.#openBytes, length);
    body.set(target.body);
    this.#open.push({ ...target, body });
    this.#openBytes += length;
    const isFull = this.#open.length >= MAX_BATCH_PAGES || this.#openBytes >= MAX_BATCH_BYTES;
    if (isFull || !this.#deps.gathers) this.#sendOpenBatch();
    else this.#timer ??= setTimeout(() => this.#sendOpenBatch(), GATHER_MS);
  }

  closePageBatches(): void {
    if (this.#timer) clearTimeout(this.#timer);
  }

  #sendOpenBatch(): void {
    if (this.#timer) clearTimeout(this.#timer);
    this.#timer = null;
    const pages = this.#open;
    const bytes = this.#openBytes;
    const memory = this.#memory;
    this.#open = [];
    this.#openBytes = 0;
    this.#memory = null;
    this.#bytesInWork += bytes;
    this.#batchesInWork += 1;
    void this.#readPageBatch(pages)
      .catch((error: unknown) => () => this.#deps.onFailed(error))
      .then((report) => {
        this.#bytesInWork -= bytes;
        this.#batchesInWork -= 1;
        if (memory?.byteLength === MAX_BATCH_BYTES) this.#freeMemory.push(memory);
        report();
      });
  }

  #memoryFor(bytes: number): SharedArrayBuffer {
    if (bytes > MAX_BATCH_BYTES) return new SharedArrayBuffer(bytes);
    return this.#freeMemory.pop() ?? new SharedArrayBuffer(MAX_BATCH_BYTES);
  }

  /** Reads a batch. If its thread dies, each page is read alone to find the bad one without losing the others. */
  async #readPageBatch(pages: ReadPageTarget[]): Promise<() => void> {
    const { runTask, accountId, batchFolder, signal, onRead } = this.#deps;
    const batch = this.#next;
    this.#next += 1;
    try {
      const options = { accountId, timeLimitMs: READ_LIMIT_MS, signal };
      const read = await runTask('read-pages', { pages, batch, batchFolder, soFar: this.#soFar }, options);
      return () => onRead(batch, read.pages);
    } catch (error) {
      const failure = readingFailure(error);
      if (failure === null) throw error;
      const [first] = pages;
      if (first !== undefined && pages.length === 1)
        return () => onRead(batch, [{ id: first.id, problem: failure, isNoText: false }]);
      const reports: (() => void)[] = [];
      for (const page of pages) reports.push(await this.#readPageBatch([page]));
      return () => {
        for (const report of reports) report();
      };
    }
  }
}

/** The reason a page cannot be read, if the page is at fault; else null. */
function readingFailure(error: unknown): string | null {
  if (!(error instanceof QuarryError)) return null;
  switch (error.code) {
    case 'timeout':
      return error.message;
    case 'out_of_memory':
      return say`Reading the page took too much memory.`;
    case 'engine_failed':
    case 'internal':
      return say`The page could not be read.`;
    default:
      return null;
  }
}
