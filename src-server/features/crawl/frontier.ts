import type { CrawlVerdict } from './schema.ts';

/** A URL that is about to enter the ledger: to be fetched, or with its verdict already. */
export interface NewUrl {
  url: string;
  host: string;
  depth: number;
  /** Redirects, or sitemaps, that led here from the last address that was asked for as a page. */
  hops: number;
  isSitemap: boolean;
  verdict: CrawlVerdict | null;
  reason: string;
}

/** A URL handed out to be fetched. */
export interface TakenUrl {
  id: number;
  url: string;
  host: string;
  depth: number;
  hops: number;
  isSitemap: boolean;
  attempts: number;
}

/** What is kept of a page that was read. */
export interface SettledPage {
  id: number;
  batch: number;
  status: number;
  contentType: string;
  bytes: number;
  fetchedAt: number;
  etag: string | null;
  lastModified: string | null;
  unchanged: boolean;
  contentHash: string;
  canonicalUrl: string | null;
}

export interface LedgerRow {
  id: number;
  url: string;
  depth: number;
  verdict: CrawlVerdict | null;
  reason: string;
  /** The address this one turned out to be. */
  target: string | null;
  status: number | null;
}

export interface LedgerPage extends LedgerRow {
  batch: number;
  status: number;
  contentType: string;
  bytes: number;
  fetchedAt: number;
  unchanged: boolean;
}

/** A page that an earlier crawl read, with what its server calls it by. */
export interface KnownPage {
  id: number;
  batch: number;
  etag: string | null;
  lastModified: string | null;
  contentType: string;
  bytes: number;
}

/**
 * Every URL a crawl has seen, once, with one verdict: the crawl's queue, its checkpoint and its account. It lies in the
 * job's folder, so that memory stays flat and a crawl that was interrupted goes on where it was.
 */
export interface CrawlLedger {
  /** All of it is kept, or none. */
  together<Result>(work: () => Result): Result;
  /**
   * Takes in what is new. What was passed over for its depth, for a nofollow or as part of a page may come in again by
   * another way, and what waits may come nearer.
   */
  add(url: NewUrl): void;
  /** The next URLs of a host that are no deeper, by depth and then age. */
  take(host: string, maxDepth: number, limit: number): TakenUrl[];
  giveBack(id: number): void;
  settle(id: number, verdict: CrawlVerdict, reason: string, target?: string): void;
  settlePage(page: SettledPage): void;
  /** Address of the page that has this text already. */
  pageWithHash(contentHash: string): string | null;
  countWithHash(contentHash: string): number;
  find(url: string): LedgerRow | null;
  /** Null too where pages were read otherwise than they are now. */
  knownPage(url: string): KnownPage | null;
  /** Null when nothing waits. */
  leastDepthWaiting(): number | null;
  hostsWaiting(): string[];
  /** Gives what is still waiting this verdict. */
  settleRest(verdict: CrawlVerdict, reason: string): void;
  /**
   * Pages that name another page of the crawl as the canonical one become duplicates of it, unless so many do that it
   * cannot be true: sites that give every page the front page's address are not one page.
   */
  settleCanonical(): void;
  waiting(): number;
  figures(): { seen: number; pages: number; bytes: number; lastBatch: number };
  verdicts(): Record<string, number>;
  rows(): IterableIterator<LedgerRow>;
  /** By batch, then number. */
  pages(): IterableIterator<LedgerPage>;
  /** Pages, addresses that turned out to be others, and the characters of the pages' addresses. */
  extent(): { pages: number; aliases: number; chars: number };
  /** Addresses that turned out to be another one: redirects and duplicates. */
  aliases(): IterableIterator<{ url: string; target: string }>;
  close(): void;
}
