import type { CrawlResult } from '../../src-server/features/crawl/schema.ts';
import type { RobotsFile } from '../../src-server/platform/net/robots-txt.ts';
import type { UrlIndexData } from '../../src-server/platform/net/url-index.ts';

/** One fetched page of a crawl; or, with `copyFrom`, one that an earlier crawl has and that did not change since. */
export interface ReadPageTarget {
  /** Number in the crawl's ledger. */
  id: number;
  url: string;
  body: Uint8Array;
  contentType: string;
  robotsHeader: string;
  copyFrom: { batchFolder: string; batch: number; id: number } | null;
}
export interface ReadPagesInput {
  pages: ReadPageTarget[];
  /** Number under which records and drafts go into `batchFolder` (workers/pages/site-parts.ts). */
  batch: number;
  batchFolder: string;
  /** What was read before, in this attempt of the crawl. */
  soFar: PagesSoFar;
}
/** Memory that all readings of an attempt share; zeros at its beginning. */
export interface PagesSoFar {
  /** Bytes of the files of records and of drafts that are taken: two 64-bit numbers. */
  bytes: SharedArrayBuffer;
  /** A 32-bit number: the pages. */
  pages: SharedArrayBuffer;
  /** A CountSketch of their blocks: by it a reading guesses what repeats across the site. */
  blocks: SharedArrayBuffer;
}
export interface ReadPagesOutput {
  pages: PageFacts[];
}
/** What a crawl goes on with: or, for a page that could not be read, a public sentence that says why. */
export type PageFacts =
  | { id: number; problem: string }
  | {
      id: number;
      links: { url: string; nofollow: boolean }[];
      assets: { kind: 'asset' | 'script' | 'pixel'; url: string }[];
      robots: string[];
      canonicalUrl: string | null;
      /** Where its readers are sent at once. */
      movedTo: string | null;
      contentHash: string;
      isEmpty: boolean;
    };

/** A robots.txt, or what may be a sitemap: index or list, XML or text, compressed or not. */
export interface ReadSiteFileInput {
  kind: 'robots' | 'sitemap';
  url: string;
  body: Uint8Array;
  maxUrls: number;
}
export type ReadSiteFileOutput =
  | { kind: 'robots'; robots: RobotsFile }
  | { kind: 'sitemap'; urls: string[]; sitemaps: string[]; dropped: number }
  | { kind: 'none' };

/** Some pages of a crawl, next to one another: its outputs are put together part by part. */
export interface SitePart {
  part: number;
  /** Number of its first page in the crawl. */
  firstPage: number;
  /** Pages of the whole crawl. */
  totalPages: number;
  /** Holds the part's own files (workers/pages/site-parts.ts); its list, a CrawledPage a line, is there already. */
  folder: string;
  /** Holds the records and drafts (workers/pages/site-parts.ts). */
  batchFolder: string;
  /** Memory that all parts share. */
  index: UrlIndexData;
  counts: { blocks: SharedArrayBuffer; words: SharedArrayBuffer };
}
export interface SurveyPagesInput extends SitePart {
  /** Number of the first page of every part. */
  partStarts: number[];
}
export interface RankSiteInput {
  rootUrl: string;
  parts: number;
  totalPages: number;
  folder: string;
  index: UrlIndexData;
  /** Gets graph.json and llms.txt. */
  outputFolder: string;
}
export interface RankSiteOutput {
  /** Rank of each page, as 64-bit floating-point numbers. */
  ranks: SharedArrayBuffer;
  digest: string;
  /** What the outputs say about themselves. */
  detectors: CrawlResult['guardrails']['detectors'];
  tokenCounting: string;
}
export interface WritePagesInput extends SitePart {
  ranks: SharedArrayBuffer;
  /** Get the part's lines of pages.jsonl and chunks.jsonl. */
  pagesPath: string;
  chunksPath: string;
  /** How much of each list the result itself may still hold. */
  keepPages: number;
  keepChunkChars: number;
}
/** A page that counts, as the ledger has it. */
export interface CrawledPage {
  id: number;
  batch: number;
  url: string;
  status: number;
  depth: number;
  contentType: string;
  bytes: number;
  fetchedAt: string;
  unchanged: boolean;
}
export interface WritePagesOutput {
  pages: CrawlResult['pages'];
  chunks: CrawlResult['chunks'];
  search: CrawlResult['search']['pages'];
  context: CrawlResult['context']['pages'];
  guardrails: CrawlResult['guardrails']['pages'];
  /** Of the whole part. */
  counts: { pages: number; chunks: number; tokens: number; boilerplateBlocks: number };
}

declare module '../../src-server/platform/pool/worker-pool.ts' {
  interface TaskMap {
    'read-pages': { input: ReadPagesInput; output: ReadPagesOutput };
    'read-site-file': { input: ReadSiteFileInput; output: ReadSiteFileOutput };
    'survey-pages': { input: SurveyPagesInput; output: null };
    'rank-site': { input: RankSiteInput; output: RankSiteOutput };
    'write-pages': { input: WritePagesInput; output: WritePagesOutput };
  }
}
