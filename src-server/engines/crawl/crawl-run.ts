/**
 * The loop of a crawl: takes addresses from the ledger by host, politely, hands what comes to the workers, and enters
 * what they find. It keeps no list of its own that grows with the site, so memory is flat, and a crawl that is stopped
 * anywhere goes on from its ledger.
 */
import { join } from 'node:path';
import type { PageFacts, ReadSiteFileOutput } from '../../../workers/tasks.ts';
import { QuarryError } from '../../contract/errors.ts';
import { isJobErrorCode } from '../../contract/errors.ts';
import type { Clock } from '../../lib/clock.ts';
import { normalUrl } from '../../lib/normal-url.ts';
import { SECOND_MS } from '../../lib/units.ts';
import type { FetchPolicy } from '../../sources/fetch-policy.ts';
import type { GuardedClient } from '../../sources/guarded-client.ts';
import type { RunTask } from '../worker-pool.ts';
import { fetchPage, type Fetched, type PageResponse } from './fetch-page.ts';
import { HostLane } from './host-lane.ts';
import type { CrawlLedger, KnownPage, NewUrl, TakenUrl } from './ledger.ts';
import { PageBatches } from './page-batches.ts';
import { loadHostRules } from './site-robots.ts';
import { SiteScope } from './site-scope.ts';

const MAX_ACTIVE = 16;
const MAX_ATTEMPTS = 3;
const RETRY_BASE_MS = 1 * SECOND_MS;
const MAX_HOPS = 5;
/** Addresses beyond this are counted and not kept. */
const MAX_LEDGER_URLS = 250_000;
const MAX_SITEMAP_URLS = 50_000;
const SITEMAP_LIMIT_MS = 60 * SECOND_MS;
const PROGRESS_MS = 300;

export interface CrawlRunParts {
  client: GuardedClient;
  runTask: RunTask;
  clock: Clock;
  accountId: string;
  policy: FetchPolicy;
  ledger: CrawlLedger;
  batchFolder: string;
  /** A crawl of the same root that is still kept: what did not change since is not fetched again. */
  earlier: { ledger: CrawlLedger; batchFolder: string } | null;
  rootUrl: string;
  depth: number;
  maxPages: number;
  timeLimitMs: number;
  delayMs: number;
  onProgress(pages: number, found: number): void;
}

export type EndedBy = 'done' | 'pages' | 'time';

interface InReading {
  taken: TakenUrl;
  response: PageResponse;
  bytes: number;
  unchanged: boolean;
}

export class CrawlRun {
  readonly #parts: CrawlRunParts;
  readonly #scope: SiteScope;
  readonly #lanes = new Map<string, HostLane>();
  readonly #reading = new Map<number, InReading>();
  readonly #stop = new AbortController();
  readonly #batches: PageBatches;
  readonly #finished = Promise.withResolvers<EndedBy>();
  #active = 0;
  #retrying = 0;
  #pages: number;
  #seen: number;
  #dropped = 0;
  #timer: NodeJS.Timeout | null = null;
  #shownAt = 0;
  #ended = false;

  constructor(parts: CrawlRunParts) {
    this.#parts = parts;
    this.#scope = new SiteScope(parts.rootUrl);
    const { pages, seen, lastBatch } = parts.ledger.figures();
    this.#pages = pages;
    this.#seen = seen;
    for (const host of parts.ledger.hostsWaiting()) this.#lanes.set(host, new HostLane(host));
    this.#batches = new PageBatches({
      runTask: parts.runTask,
      accountId: parts.accountId,
      folder: parts.batchFolder,
      firstBatch: lastBatch + 1,
      signal: this.#stop.signal,
      onRead: (batch, pages) => this.#guard(() => this.#enterPages(batch, pages)),
      onFailed: (error) => this.#fail(error),
    });
  }

  get urlsDropped(): number {
    return this.#dropped;
  }

  /** Crawls until nothing is left or a limit is reached. Errors: `cancelled`, `interrupted`, `internal`. */
  async run(signal: AbortSignal): Promise<EndedBy> {
    const cancel = () => this.#fail(signal.reason);
    signal.addEventListener('abort', cancel, { once: true });
    const limit = setTimeout(() => this.#end('time'), this.#parts.timeLimitMs);
    try {
      signal.throwIfAborted();
      if (this.#seen === 0) this.#enter(this.#newUrl(this.#parts.rootUrl, { depth: 0, hops: 0, isSitemap: true }));
      this.#pump();
      return await this.#finished.promise;
    } finally {
      this.#ended = true;
      clearTimeout(limit);
      if (this.#timer) clearTimeout(this.#timer);
      this.#batches.close();
      this.#stop.abort(new QuarryError('cancelled', 'The crawl has ended.'));
      signal.removeEventListener('abort', cancel);
    }
  }

  /** Begins what may begin now, and sees when there is nothing more to come. */
  #pump(): void {
    if (this.#ended) return;
    if (this.#timer) clearTimeout(this.#timer);
    this.#timer = null;
    const now = performance.now();
    let soonest = Number.POSITIVE_INFINITY;
    for (const lane of this.#lanes.values()) {
      if (lane.rules === null) {
        this.#loadRules(lane);
        continue;
      }
      for (;;) {
        if (this.#active >= MAX_ACTIVE || this.#batches.isFull || this.#hasEnough()) break;
        const waitMs = lane.waitMs(now);
        if (waitMs === null) break;
        if (waitMs > 0) {
          soonest = Math.min(soonest, waitMs);
          break;
        }
        if (!this.#beginNext(lane, now)) break;
      }
    }
    if (Number.isFinite(soonest)) this.#timer = setTimeout(() => this.#pump(), soonest);
    this.#endIfDone();
  }

  /** Pages that count, with those under way: each of them may count too. */
  #hasEnough(): boolean {
    return this.#pages + this.#active + this.#reading.size >= this.#parts.maxPages;
  }

  #endIfDone(): void {
    if (this.#active > 0 || this.#retrying > 0 || this.#reading.size > 0 || !this.#batches.isIdle) return;
    if ([...this.#lanes.values()].some(({ rules }) => rules === null)) return;
    const { waiting } = this.#parts.ledger.figures();
    if (waiting === 0) this.#end('done');
    else if (this.#hasEnough()) this.#end('pages');
  }

  #loadRules(lane: HostLane): void {
    const { protocol } = new URL(this.#parts.rootUrl);
    lane.load(
      () => loadHostRules(`${protocol}//${lane.host}/`, this.#parts, this.#stop.signal),
      () => this.#pump(),
      (error) => this.#fail(error),
    );
  }

  /** Whether something of the host was begun. */
  #beginNext(lane: HostLane, now: number): boolean {
    const taken = this.#parts.ledger.take(lane.host);
    if (taken === null) return false;
    const refusal = lane.rules?.refusal(taken.url) ?? null;
    if (refusal !== null) {
      this.#parts.ledger.settle(taken.id, 'robots', refusal);
      return true;
    }
    lane.begin(now, this.#parts.delayMs);
    this.#active += 1;
    const known = this.#parts.earlier?.ledger.knownPage(taken.url) ?? null;
    fetchPage(taken, known, this.#parts, this.#stop.signal).then(
      (fetched) => {
        lane.active -= 1;
        this.#active -= 1;
        this.#guard(() => this.#receive(taken, fetched, known, lane));
      },
      (error: unknown) => this.#fail(error),
    );
    return true;
  }

  #receive(taken: TakenUrl, fetched: Fetched, known: KnownPage | null, lane: HostLane): void {
    if (this.#ended) return;
    const { ledger } = this.#parts;
    switch (fetched.kind) {
      case 'verdict':
        ledger.settle(taken.id, fetched.verdict, fetched.reason);
        break;
      case 'later':
        this.#retry(taken, fetched, lane);
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

  #retry(taken: TakenUrl, { afterMs, verdict, reason }: Fetched & { kind: 'later' }, lane: HostLane): void {
    if (taken.attempts + 1 >= MAX_ATTEMPTS) {
      this.#parts.ledger.settle(taken.id, verdict, reason);
      return;
    }
    const waitMs = afterMs ?? RETRY_BASE_MS * 2 ** taken.attempts;
    if (afterMs !== null) lane.pause(performance.now(), afterMs);
    this.#retrying += 1;
    setTimeout(() => {
      if (this.#ended) return;
      this.#retrying -= 1;
      this.#guard(() => this.#parts.ledger.giveBack(taken.id));
    }, waitMs);
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
        this.#enter(this.#newUrl(target, { ...taken, hops: taken.hops + 1 }));
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
    const { runTask, accountId, ledger } = this.#parts;
    const options = { accountId, timeLimitMs: SITEMAP_LIMIT_MS, signal: this.#stop.signal };
    const input = { kind: 'sitemap', url: taken.url, body, maxUrls: MAX_SITEMAP_URLS } as const;
    this.#active += 1;
    runTask('read-site-file', input, options)
      .then(
        (read) => () => {
          if (read.kind === 'sitemap') this.#enterSitemap(taken, read);
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
        this.#active -= 1;
        this.#guard(report);
      });
  }

  /** The pages of a sitemap stand at the depth of the sitemap: links are followed from them. */
  #enterSitemap(taken: TakenUrl, { urls, sitemaps, dropped }: ReadSiteFileOutput & { kind: 'sitemap' }): void {
    const { ledger } = this.#parts;
    ledger.together(() => {
      const rest = dropped === 0 ? '' : ` ${dropped} more are not read.`;
      ledger.settle(taken.id, 'sitemap', `It lists ${urls.length} pages and ${sitemaps.length} sitemaps.${rest}`);
      for (const url of urls) this.#enter(this.#newUrl(url, { depth: taken.depth, hops: 0, isSitemap: false }));
      for (const url of sitemaps) {
        const place = { depth: taken.depth, hops: taken.hops + 1, isSitemap: true };
        const isDeep = place.hops > MAX_HOPS;
        const reason = `Sitemaps are followed ${MAX_HOPS} levels deep.`;
        this.#enter({ ...this.#newUrl(url, place), ...(isDeep ? { verdict: 'limit', reason } : {}) });
      }
    });
  }

  #enterPages(batch: number, pages: PageFacts[]): void {
    if (this.#ended) return;
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
    this.#enterLinks(page, taken, says('nofollow'));
  }

  #enterLinks(page: Exclude<PageFacts, { problem: string }>, taken: TakenUrl, pageNofollow: boolean): void {
    const place = { depth: taken.depth + 1, hops: 0, isSitemap: false };
    if (page.canonicalUrl !== null) this.#enter(this.#newUrl(page.canonicalUrl, { ...place, depth: taken.depth }));
    for (const { url, nofollow } of page.links) {
      const refused = { verdict: 'nofollow', reason: `It is linked with nofollow from ${taken.url}` } as const;
      this.#enter({ ...this.#newUrl(url, place), ...(nofollow || pageNofollow ? refused : {}) });
    }
    for (const { kind, url } of page.assets) this.#enter({ ...this.#newUrl(url, place), ...ASSET_VERDICTS[kind] });
  }

  #newUrl(url: string, place: Pick<NewUrl, 'depth' | 'hops' | 'isSitemap'>): NewUrl {
    const { host } = new URL(url);
    return { url, host, ...place, verdict: null, reason: '' };
  }

  /** Enters an address with its verdict where it has one already, else to be fetched. Known ones are left alone. */
  #enter(entry: NewUrl): void {
    const { ledger, depth } = this.#parts;
    const old = ledger.find(entry.url);
    if (old !== null && (entry.verdict !== null || (old.verdict !== 'depth' && old.verdict !== 'nofollow'))) return;
    if (old === null && this.#seen >= MAX_LEDGER_URLS) {
      this.#dropped += 1;
      return;
    }
    const judged = entry.verdict === null ? this.#judge(entry, depth) : entry;
    if (old !== null && judged.verdict !== null) return;
    ledger.add(judged);
    if (old === null) this.#seen += 1;
    if (judged.verdict === null && !this.#lanes.has(entry.host)) this.#lanes.set(entry.host, new HostLane(entry.host));
  }

  #judge(entry: NewUrl, maxDepth: number): NewUrl {
    if (entry.depth > maxDepth) {
      const reason = `It is ${entry.depth} links away from the root; the crawl goes ${maxDepth} deep.`;
      return this.#scope.isSameSite(new URL(entry.url)) ? { ...entry, verdict: 'depth', reason } : this.#foreign(entry);
    }
    const isRoot = entry.url === this.#parts.rootUrl;
    const outside = isRoot ? null : this.#scope.judge(entry.url);
    if (outside === null || (entry.isSitemap && outside.verdict === 'asset')) return entry;
    return { ...entry, ...outside };
  }

  #foreign(entry: NewUrl): NewUrl {
    return { ...entry, verdict: 'scope', reason: `It is on another site: ${entry.host}.` };
  }

  #guard(work: () => void): void {
    try {
      work();
      this.#showProgress();
    } catch (error) {
      this.#fail(error);
      return;
    }
    this.#pump();
  }

  #showProgress(): void {
    const now = performance.now();
    if (now - this.#shownAt < PROGRESS_MS) return;
    this.#shownAt = now;
    this.#parts.onProgress(this.#pages, this.#pages + this.#parts.ledger.figures().waiting + this.#active);
  }

  #end(how: EndedBy): void {
    this.#ended = true;
    this.#finished.resolve(how);
  }

  #fail(error: unknown): void {
    this.#ended = true;
    this.#finished.reject(error);
  }
}

const ASSET_VERDICTS = {
  asset: { verdict: 'asset', reason: 'It is part of a page, not a page.' },
  script: { verdict: 'script', reason: 'Scripts are not run, so they are not fetched.' },
  pixel: { verdict: 'pixel', reason: 'It is an image of one pixel: it counts readers.' },
} as const;
