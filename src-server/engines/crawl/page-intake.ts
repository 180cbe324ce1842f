import { join } from 'node:path';
import type { PageFacts } from '../../../workers/tasks.ts';
import { isJobErrorCode, QuarryError } from '../../contract/errors.ts';
import type { Clock } from '../../lib/clock.ts';
import { normalUrl } from '../../lib/normal-url.ts';
import { SECOND_MS } from '../../lib/units.ts';
import type { RunTask } from '../worker-pool.ts';
import type { Fetched, PageResponse } from './fetch-page.ts';
import type { CrawlLedger, KnownPage, TakenUrl } from './ledger.ts';
import { PageBatches } from './page-batches.ts';
import { MAX_HOPS, newUrl, type UrlEntry } from './url-entry.ts';

const MAX_SITEMAP_URLS = 50_000;
const SITEMAP_LIMIT_MS = 60 * SECOND_MS;

interface InReading {
  taken: TakenUrl;
  response: PageResponse;
  bytes: number;
  unchanged: boolean;
}

export interface PageIntakeParts {
  ledger: CrawlLedger;
  runTask: RunTask;
  clock: Clock;
  accountId: string;
  batchFolder: string;
  earlier: { ledger: CrawlLedger; batchFolder: string } | null;
  entry: UrlEntry;
  firstBatch: number;
  /** Pages that an interrupted attempt has read already. */
  pages: number;
  signal: AbortSignal;
  /** Runs what enters something into the ledger; the crawl then looks what there is to do. */
  settled(work: () => void): void;
  onFailed(error: unknown): void;
}

/** From a response to a verdict: what a crawl makes of what it has fetched. */
export class PageIntake {
  readonly #parts: PageIntakeParts;
  readonly #batches: PageBatches;
  readonly #reading = new Map<number, InReading>();
  #sitemaps = 0;
  #pages: number;

  constructor(parts: PageIntakeParts) {
    this.#parts = parts;
    this.#pages = parts.pages;
    this.#batches = new PageBatches({
      runTask: parts.runTask,
      accountId: parts.accountId,
      folder: parts.batchFolder,
      firstBatch: parts.firstBatch,
      signal: parts.signal,
      onRead: (batch, pages) => parts.settled(() => this.#enterPages(batch, pages)),
      onFailed: parts.onFailed,
    });
  }

  /** Pages that count so far. */
  get pages(): number {
    return this.#pages;
  }

  get inReading(): number {
    return this.#reading.size;
  }

  get isFull(): boolean {
    return this.#batches.isFull;
  }

  get isIdle(): boolean {
    return this.#sitemaps === 0 && this.#reading.size === 0 && this.#batches.isIdle;
  }

  close(): void {
    this.#batches.close();
  }

  /** What was fetched for an address, unless it is to be asked for again. */
  receive(taken: TakenUrl, fetched: Exclude<Fetched, { kind: 'later' }>, known: KnownPage | null): void {
    const { ledger } = this.#parts;
    switch (fetched.kind) {
      case 'verdict':
        ledger.settle(taken.id, fetched.verdict, fetched.reason);
        break;
      case 'redirect':
        this.#redirect(taken, fetched);
        break;
      case 'unchanged':
        this.#readAgain(taken, fetched.response, known);
        break;
      case 'body':
        if (taken.isSitemap && !fetched.response.contentType.includes('html')) this.#readSitemap(taken, fetched);
        else this.#readPage(taken, fetched.response, fetched.body);
    }
  }

  #redirect(taken: TakenUrl, { location, status }: { location: string; status: number }): void {
    const { ledger } = this.#parts;
    const target = normalUrl(location, taken.url);
    if (target === null) {
      ledger.settle(taken.id, 'status', `Status ${status} leads to no web address.`);
    } else if (target === taken.url || taken.hops >= MAX_HOPS) {
      ledger.settle(taken.id, 'status', 'It redirects in a circle, or too often.');
    } else {
      ledger.together(() => {
        ledger.settle(taken.id, 'redirect', `It leads to ${target}`, target);
        this.#parts.entry.enter(newUrl(target, { ...taken, hops: taken.hops + 1 }));
      });
    }
  }

  #readPage(taken: TakenUrl, response: PageResponse, body: Buffer): void {
    this.#reading.set(taken.id, { taken, response, bytes: body.length, unchanged: false });
    const { contentType, robotsHeader } = response;
    this.#batches.add({ id: taken.id, url: taken.url, body, contentType, robotsHeader, copyFrom: null });
  }

  #readAgain(taken: TakenUrl, response: PageResponse, known: KnownPage | null): void {
    const { earlier, ledger } = this.#parts;
    if (known === null || earlier === null) {
      ledger.settle(taken.id, 'status', 'Status 304 without having been asked for changes.');
      return;
    }
    const { etag, lastModified, contentType, bytes } = known;
    const kept = { ...response, status: 200, contentType, etag, lastModified };
    this.#reading.set(taken.id, { taken, response: kept, bytes, unchanged: true });
    const copyFrom = { path: join(earlier.batchFolder, `${known.batch}.jsonl`), id: known.id };
    const nothing = Buffer.alloc(0);
    this.#batches.add({ id: taken.id, url: taken.url, body: nothing, contentType, robotsHeader: '', copyFrom });
  }

  #readSitemap(taken: TakenUrl, { response, body }: { response: PageResponse; body: Buffer }): void {
    const { runTask, accountId, ledger, signal, entry } = this.#parts;
    const options = { accountId, timeLimitMs: SITEMAP_LIMIT_MS, signal };
    const input = { kind: 'sitemap', url: taken.url, body, maxUrls: MAX_SITEMAP_URLS } as const;
    this.#sitemaps += 1;
    runTask('read-site-file', input, options)
      .then(
        (read) => () => {
          if (read.kind === 'sitemap') entry.enterSitemap(taken, read);
          else if (/xml|gzip|octet/.test(response.contentType) && !response.contentType.includes('xhtml')) {
            ledger.settle(taken.id, 'type', 'It is neither a page nor a sitemap.');
          } else this.#readPage(taken, response, body);
        },
        (error: unknown) => () => {
          if (!(error instanceof QuarryError) || !isJobErrorCode(error.code) || error.code === 'cancelled') throw error;
          ledger.settle(taken.id, 'unreadable', error.message);
        },
      )
      .then((report) => {
        this.#sitemaps -= 1;
        this.#parts.settled(report);
      }, this.#parts.onFailed);
  }

  #enterPages(batch: number, pages: PageFacts[]): void {
    this.#parts.ledger.together(() => {
      for (const page of pages) {
        const reading = this.#reading.get(page.id);
        if (reading === undefined) continue;
        this.#reading.delete(page.id);
        if ('problem' in page) this.#parts.ledger.settle(page.id, 'unreadable', page.problem);
        else this.#enterPage(batch, page, reading);
      }
    });
  }

  #enterPage(batch: number, page: Exclude<PageFacts, { problem: string }>, reading: InReading): void {
    const { ledger, clock } = this.#parts;
    const { taken, response, bytes, unchanged } = reading;
    const says = (directive: string) => page.robots.includes(directive) || page.robots.includes('none');
    const twin = page.isEmpty ? null : ledger.pageWithHash(page.contentHash);
    if (says('noindex')) {
      ledger.settle(taken.id, 'noindex', 'The page asks not to be indexed.');
    } else if (twin !== null) {
      ledger.settle(taken.id, 'duplicate', `It has the same text as ${twin}`, twin);
    } else {
      const { status, contentType, etag, lastModified } = response;
      const { contentHash, canonicalUrl } = page;
      const facts = { status, contentType, etag, lastModified, contentHash, canonicalUrl };
      ledger.settlePage({ id: taken.id, batch, bytes, fetchedAt: clock.now(), unchanged, ...facts });
      this.#pages += 1;
    }
    this.#parts.entry.enterLinks(page, taken, says('nofollow'));
  }
}
