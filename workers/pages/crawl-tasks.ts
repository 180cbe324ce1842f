import type { CrawlResult } from '../../src-server/contract/crawl.ts';
import type { RobotsFile } from '../../src-server/lib/robots-rules.ts';

/** The tasks of a crawl; see tasks.ts. */
export interface CrawlTaskMap {
  'read-pages': { input: ReadPagesInput; output: ReadPagesOutput };
  'read-site-file': { input: ReadSiteFileInput; output: ReadSiteFileOutput };
  'finish-crawl': { input: FinishCrawlInput; output: FinishCrawlOutput };
}

/** One fetched page of a crawl; or, with `copyFrom`, one that an earlier crawl has and that did not change since. */
export interface ReadPageTarget {
  /** Number in the crawl's ledger. */
  id: number;
  url: string;
  body: Uint8Array;
  contentType: string;
  robotsHeader: string;
  copyFrom: { path: string; id: number } | null;
}
export interface ReadPagesInput {
  pages: ReadPageTarget[];
  /** Gets a PageRecord (workers/pages/page-record.ts) a line. */
  outputPath: string;
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

/** Makes a crawl's outputs of the records that read-pages wrote. */
export interface FinishCrawlInput {
  rootUrl: string;
  /** A CrawledPage a line, in the order of the outputs. */
  pagesPath: string;
  /** Files with records, by number of batch. */
  batchFolder: string;
  /** Gets pages.jsonl, chunks.jsonl, llms.txt and graph.json. */
  outputFolder: string;
  segmentLength: number;
  /** How much of each list the result itself may hold; the files have all. */
  maxResultPages: number;
  maxResultChunkChars: number;
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
  /** Addresses that turned out to be this page: redirects and duplicates. */
  aliases: string[];
}
export type FinishCrawlOutput = Pick<CrawlResult, 'pages' | 'chunks' | 'search' | 'context'> & {
  guardrails: Omit<CrawlResult['guardrails'], 'aiAgents'>;
  counts: { pages: number; chunks: number; boilerplateBlocks: number };
};
