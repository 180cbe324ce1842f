import type {
  CrawlAction,
  CrawlResult,
  CrawlVerdict,
  SiteChange,
  SiteChanges,
} from '../../src-server/features/crawl/schema.ts';
import type { RobotsFile } from '../../src-server/platform/net/robots-txt.ts';
import type { UrlIndexData } from '../../src-server/platform/net/url-index.ts';
import type { SourceAccount } from '../../src-server/platform/source-account.ts';
import type { Said } from '../../src-server/platform/text/say.ts';

/** A fetched page of a crawl; or, with `copyFrom`, an unchanged page of an earlier crawl. */
export interface ReadPageTarget {
  /** Number in the crawl's ledger. */
  id: number;
  url: string;
  body: Uint8Array;
  contentType: string;
  robotsHeader: string;
  copyFrom: { batchFolder: string; batch: number; id: number } | null;
  /** What could not be fetched or read of it, as public sentences. */
  warnings: Said[];
  /** Its scripts have run: what still seems to wait for them does so for its readers too. */
  isRendered?: boolean;
}
export interface ReadPagesInput {
  pages: ReadPageTarget[];
  /** Number of the records and drafts in `batchFolder` (workers/pages/site-parts.ts). */
  batch: number;
  batchFolder: string;
  /** Pages read so far in this attempt. */
  soFar: PagesSoFar;
}
/** Memory shared by all readings of an attempt; initially zero. */
export interface PagesSoFar {
  /** Page count: a 32-bit number. */
  pages: SharedArrayBuffer;
  /** A CountSketch of their blocks, by which a reading guesses what repeats across the site. */
  blocks: SharedArrayBuffer;
}
export interface ReadPagesOutput {
  pages: PageFacts[];
}
/** Facts that the crawl continues with; for an unreadable page, a public sentence with the reason. */
export type PageFacts =
  | { id: number; problem: string; isNoText: boolean }
  | {
      id: number;
      links: { url: string; nofollow: boolean }[];
      assets: { kind: 'asset' | 'script' | 'pixel'; url: string }[];
      robots: string[];
      canonicalUrl: string | null;
      /** Addresses of its translations. */
      translations: string[];
      feeds: string[];
      /** Number of addresses that only links beyond the bound have. */
      leftOut: number;
      /** Target of an immediate redirect. */
      movedTo: string | null;
      contentHash: string;
      /** Hashes of some of its blocks, to compare texts by. */
      sketch: number[];
      isEmpty: boolean;
      /** Its text is as short as that of a notice. */
      isBrief: boolean;
      needsScript: boolean;
      /** It shows only a placeholder until its scripts run. */
      isPlaceholder: boolean;
    };

/** A robots.txt or possible sitemap: index or list, XML or text, optionally compressed. */
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

/** Consecutive pages of a crawl, whose outputs are assembled in parts. */
export interface SitePart {
  part: number;
  /** Crawl number of its first page. */
  firstPage: number;
  /** Pages of the whole crawl. */
  totalPages: number;
  /** The part's own files (workers/pages/site-parts.ts). Its list, one CrawledPage per line, exists already. */
  folder: string;
  /** The records and drafts (workers/pages/site-parts.ts). */
  batchFolder: string;
  /** Memory shared by all parts. */
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
  /** Receives graph.json and llms.txt. */
  outputFolder: string;
}
export interface RankSiteOutput {
  /** Rank of each page, as 64-bit floating-point numbers. */
  ranks: SharedArrayBuffer;
  digest: string;
  /** Description of the detectors, for the outputs. */
  detectors: CrawlResult['guardrails']['detectors'];
  tokenCounting: string;
}
export interface WritePagesInput extends SitePart {
  ranks: SharedArrayBuffer;
  /** Receive the part's lines of pages.jsonl and chunks.jsonl. */
  pagesPath: string;
  chunksPath: string;
  /** Remaining room for each list in the result. */
  keepPages: number;
  keepChunkChars: number;
  keepMarkdownChars: number;
}
/** A counted page, from the ledger. */
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
  rendered: boolean;
  /** URLs. */
  screenshot: string | null;
  pdf: string | null;
}
export interface WritePagesOutput {
  pages: CrawlResult['pages'];
  chunks: CrawlResult['chunks'];
  search: CrawlResult['search']['pages'];
  context: CrawlResult['context']['pages'];
  guardrails: CrawlResult['guardrails']['pages'];
  /** Totals of the part. */
  counts: { pages: number; chunks: number; tokens: number; boilerplateBlocks: number };
  letters: SourceAccount;
  /** Of pages whose letters are missing, or that show only a placeholder. */
  warnings: Said[];
  /** Warnings beyond the bound. */
  moreWarnings: number;
}

/** A crawl to compare with the pages that earlier crawls of the same watch left. */
export interface CompareSiteInput {
  rootUrl: string;
  comparedWith: SiteChanges['comparedWith'];
  /** The crawl's pages.jsonl. */
  pagesPath: string;
  /** One PageFate per line. */
  fatesPath: string;
  /** What the comparison before left; null for the first crawl. */
  beforeFolder: string | null;
  /** Receives what the next comparison needs, and the versions of pages with their diffs. */
  afterFolder: string;
  /** Receives changes.json, changes.md and changes.diff. */
  outputFolder: string;
  /** No limit ended the crawl: a page that nothing names any more is removed. */
  isComplete: boolean;
}
export interface CompareSiteOutput {
  changes: SiteChanges;
}
/** The outcome of an address that gave no page. */
export interface PageFate {
  url: string;
  verdict: CrawlVerdict;
  reason: string;
  status: number | null;
  /** Of a redirect or duplicate. */
  target: string | null;
  /** Content hash of the target, if it is a page. */
  targetHash: string | null;
  isSitemap: boolean;
}
/** A version of a page. `first`: the first crawl of a watch read it. */
export interface SiteVersionLine extends Omit<SiteChange, 'change' | 'diff'> {
  change: SiteChange['change'] | 'first';
  /** Place of its diff in diffs.txt. */
  diffAt: number;
  diffBytes: number;
}
/** The program that runs the scripts of pages, with one browser (workers/pages/render-program.ts). */
export interface RenderProgram extends BrowserCalls {
  /** Starts the browser. Errors: any, where it does not start. */
  open(setup: RenderSetup, host: BrowserHost): Promise<RenderedWith>;
}
/** What a crawl asks of its browser, wherever that is. */
export interface BrowserOfCrawl extends BrowserCalls {
  /** Starts the browser. Errors: any, where it does not start. */
  open(setup: RenderSetup): Promise<RenderedWith>;
}
interface BrowserCalls {
  /** Never rejects for what a page does. An abort ends the page. */
  render(page: RenderInput, signal: AbortSignal): Promise<Rendered>;
  close(): Promise<void>;
}
export interface RenderSetup {
  /** Address of the guarded proxy on its machine, with the password. All of the browser's connections go through it. */
  proxyUrl: string;
  userAgent: string;
  /** Pages open at the same time. */
  tabs: number;
  /** Whether pictures, fonts and media are loaded. */
  loadsPictures: boolean;
  pageLimitMs: number;
}
/** What only the machine of the browser knows. */
export interface BrowserHost {
  /** Path of the browser. */
  executablePath: string;
  /** Folder for temporary files. It exists. */
  folder: string;
  /** Where the browser reaches the proxy: host and port. */
  proxyHost: string;
}
export interface RenderedWith {
  version: string;
  /** False where the system offers no sandbox to this user. */
  isSandboxed: boolean;
}
/** Unpacks the archive of a browser into a folder, which exists. */
export interface UnpackBrowserInput {
  /** A .zip with one folder at its top, whose name is left out. */
  archivePath: string;
  folder: string;
}
/** Finds the icon that the first page of a site states. */
export interface PageIconInput {
  /** Of its HTML. */
  path: string;
  /** Address of the page. */
  url: string;
}

export interface FoundIcon {
  url: string | null;
  /** Of an icon that the page holds itself. */
  bytes: Uint8Array | null;
}

/** A page as the crawl fetched it. The browser does not fetch it again. */
export interface RenderInput {
  url: string;
  body: Uint8Array;
  headers: [name: string, value: string][];
  /** Those of its host in the crawl; null: the browser forgets what pages before have set. */
  cookies: PageCookie[] | null;
  screenshot: boolean;
  /** Only what is shown at first is wanted: nothing is scrolled, and the page is not read. */
  isFirstScreen?: boolean | undefined;
  pdf: boolean;
  actions: CrawlAction[];
}
/** As browsers tell it. */
export interface PageCookie {
  name: string;
  value: string;
  /** With a leading dot: of the hosts below it too. */
  domain: string;
  path: string;
  /** Seconds since 1970; -1: when the browser ends. */
  expires: number;
  httpOnly: boolean;
  secure: boolean;
  sameSite: 'Strict' | 'Lax' | 'None';
}
export type Rendered =
  | {
      kind: 'page';
      /** UTF-8. */
      html: Uint8Array;
      /** Requests for parts of the page. */
      requests: number;
      /** JPEG. */
      screenshot: Uint8Array | null;
      pdf: Uint8Array | null;
      /** What was asked for and could not be done, as public sentences. */
      problems: string[];
      /** That were set or removed meanwhile; a removed one has expired. */
      cookies: PageCookie[];
    }
  /** Its scripts lead to another address. */
  | { kind: 'moved'; url: string; cookies: PageCookie[] }
  /** A public sentence. */
  | { kind: 'failed'; reason: string };

declare module '../../src-server/platform/pool/worker-pool.ts' {
  interface TaskMap {
    'read-page-icon': { input: PageIconInput; output: FoundIcon };
    'unpack-browser': { input: UnpackBrowserInput; output: null };
    'read-pages': { input: ReadPagesInput; output: ReadPagesOutput };
    'read-site-file': { input: ReadSiteFileInput; output: ReadSiteFileOutput };
    'survey-pages': { input: SurveyPagesInput; output: null };
    'rank-site': { input: RankSiteInput; output: RankSiteOutput };
    'compare-site': { input: CompareSiteInput; output: CompareSiteOutput };
    'write-pages': { input: WritePagesInput; output: WritePagesOutput };
  }
}
