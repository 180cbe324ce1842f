import type { Duplex } from 'node:stream';
import { z } from 'zod';
import { annotations, Chunk, httpUrl, JobFile, type JobHandle, PRIORITIES, webhookUrl } from '../../operation.ts';
import { DownloadProgress } from '../../platform/net/download.ts';
import type { OpenLine } from '../../platform/rpc/rpc.ts';
import { resultAccount, SourceAccount } from '../../platform/source-account.ts';
import { say } from '../../platform/text/say.ts';
import { Warnings } from '../../platform/warnings.ts';
import { webhookEvents } from '../webhooks/schema.ts';
import { MAX_PATTERN_SEGMENTS } from './path-patterns.ts';

const MAX_DEPTH = 3;

const MAX_URL_CHARS = 2048;

const MAX_PATTERNS = 20;

const MAX_PATTERN_CHARS = 200;

/** The most that the setting `crawlMaxPages` allows. */
const MAX_PAGES = 100_000;

const MAX_AGE_SECONDS = 366 * 86_400;

const RENDER_CHOICES = ['never', 'auto', 'always'] as const;

export type RenderChoice = (typeof RENDER_CHOICES)[number];

const MAX_ACTIONS = 20;

const MAX_SELECTOR_CHARS = 500;

const selector = z.string().min(1).max(MAX_SELECTOR_CHARS).describe('A CSS selector.');

/** What a visitor does on a page before it is read. */
const CrawlAction = z
  .discriminatedUnion('do', [
    z.strictObject({ do: z.literal('waitFor'), selector }),
    z.strictObject({ do: z.literal('click'), selector }),
    z.strictObject({ do: z.literal('type'), selector, text: z.string().max(1000) }),
    z.strictObject({ do: z.literal('scroll'), screens: z.int().min(1).max(20).default(1) }),
  ])
  .meta({ id: 'CrawlAction' });

export type CrawlAction = z.output<typeof CrawlAction>;

const SITEMAP_CHOICES = ['include', 'only', 'skip'] as const;

function pathPatterns() {
  const pattern = z
    .string()
    .max(MAX_PATTERN_CHARS)
    .regex(/^\/[^\s?#\\]*$/, say`Give a path that starts with /, such as /docs/**.`)
    .refine(
      (text) => text.split('/').length <= MAX_PATTERN_SEGMENTS,
      say`Use at most ${MAX_PATTERN_SEGMENTS - 1} segments.`,
    )
    .refine((text) => text.split('/').every((segment) => segment === '**' || !segment.includes('**')), {
      error: say`Use ** as a whole segment, such as /docs/**.`,
    });
  return z.array(pattern).min(1).max(MAX_PATTERNS).optional();
}

export const CrawlRequest = z.strictObject({
  url: httpUrl(MAX_URL_CHARS).describe(
    'A page, or a sitemap (index, list or plain text, compressed or not). https, except for the owner.',
  ),
  depth: z.int().min(0).max(MAX_DEPTH).default(1).describe('Levels of links to follow from the page.'),
  include: pathPatterns().describe(
    'Only paths that match one of these, such as /docs/**. The page at `url` is always read.',
  ),
  exclude: pathPatterns().describe('No paths that match one of these, such as /**/print.'),
  maxPages: z
    .int()
    .min(1)
    .max(MAX_PAGES)
    .optional()
    .describe('Most pages of this crawl, within the limit of the setting.'),
  sitemap: z
    .enum(SITEMAP_CHOICES)
    .optional()
    .describe(
      'include: also what its sitemaps, feeds and translations name. only: its sitemaps and feeds. Default: skip.',
    ),
  map: z
    .boolean()
    .default(false)
    .describe(
      'Only list the addresses that a crawl would read, `maxPages` at most. `sitemap` is then include by default.',
    ),
  documents: z
    .boolean()
    .default(false)
    .describe('Also read linked documents, such as PDF and Word files, as pages: at most 50, up to 10 MB each.'),
  render: z
    .enum(RENDER_CHOICES)
    .optional()
    .describe(
      'Whether a browser runs the scripts of pages. auto: of pages without text of their own, or with a placeholder ' +
        'such as Loading. Default: the setting.',
    ),
  screenshot: z
    .boolean()
    .default(false)
    .describe('A picture of each rendered page, at most 100. `render` is then always by default.'),
  pdf: z
    .boolean()
    .default(false)
    .describe('Each rendered page as PDF, at most 100. `render` is then always by default.'),
  actions: z
    .array(CrawlAction)
    .min(1)
    .max(MAX_ACTIONS)
    .optional()
    .describe('For the owner: what to do on each rendered page before it is read.'),
  maxAge: z
    .int()
    .min(0)
    .max(MAX_AGE_SECONDS)
    .optional()
    .describe('Seconds: a completed crawl that is older is not the answer, and the site is crawled again.'),
  priority: z.enum(PRIORITIES).default('normal').describe('Influences how long the crawl waits in the queue.'),
  notify: z
    .strictObject({
      url: webhookUrl(),
      events: webhookEvents().optional(),
    })
    .optional()
    .describe('A webhook for this crawl.'),
  webhookUrl: webhookUrl().optional(),
});

/** What a crawl takes of a site. */
export interface CrawlChoice {
  include: readonly string[];
  exclude: readonly string[];
  /** Null for the limit of the setting. */
  maxPages: number | null;
  sitemap: (typeof SITEMAP_CHOICES)[number];
  /** Reads linked documents as pages. */
  documents: boolean;
  /** Lists addresses, and fetches pages only for their links. */
  map: boolean;
  /** Null for the setting. */
  render: RenderChoice | null;
  screenshot: boolean;
  pdf: boolean;
  actions: readonly CrawlAction[];
}

export const PLAIN_CHOICE: CrawlChoice = {
  include: [],
  exclude: [],
  maxPages: null,
  sitemap: 'skip',
  documents: false,
  map: false,
  render: null,
  screenshot: false,
  pdf: false,
  actions: [],
};

/** The browsers of nodes, for crawls of this machine. */
export interface NodeBrowsers {
  /** Browsers of the nodes that are there, or were a moment ago; also those that are taken. */
  offered(): number;
  /** Takes one. Null when none is free. */
  takeNodeBrowser(): NodeBrowser | null;
  /** Hears that one may be free, or gone. Returns a function that unsubscribes. */
  watchNodeBrowsers(onChange: () => void): () => void;
}

/** A browser of a node that a crawl has taken. */
export interface NodeBrowser {
  node: string;
  /** Whether the connection to it broke. */
  readonly isLost: boolean;
  /**
   * Opens a line to its program, which serves `BrowserOfCrawl`. Errors: any, where the node does not take it.
   *
   * @param proxyPort on loopback of this machine: all that the browser can reach
   */
  open(proxyPort: number, signal: AbortSignal): Promise<OpenLine>;
  /** Ends it. @param isWell false: its node gets no other for a while */
  leave(isWell: boolean): void;
}

/**
 * Lends a browser of this machine to the crawl at the other end of a line. Resolves when the line has ended, and all of
 * the browser with it. @param dialProxy connects to the proxy of the crawl
 */
export type LendBrowser = (line: OpenLine, dialProxy: () => Promise<Duplex>) => Promise<void>;

export interface CrawlService {
  /** The choice with the settings for what it leaves open. */
  settled(choice: CrawlChoice): CrawlChoice;
  /**
   * Refuses what a schema cannot check. Errors: `invalid_request`, `engine_unavailable` where every page is to be
   * rendered and no browser is installed.
   */
  admit(choice: CrawlChoice, isOwner: boolean): void;
  /**
   * Crawls from a normalised root URL. Writes pages.jsonl, chunks.jsonl, llms.txt, graph.json and ledger.jsonl to the
   * job's folder. An interrupted crawl resumes. Errors, when no page could be read: `source_unreachable`,
   * `source_forbidden`, `source_too_large`, `robots_disallowed`, `unsupported_media`, `corrupt_input`.
   * Without a browser where every page is to be rendered: `engine_unavailable`.
   */
  crawl(
    request: { rootUrl: string; depth: number; choice: CrawlChoice },
    job: JobHandle,
    signal: AbortSignal,
  ): Promise<CrawlResult>;
}

/** The outcomes of a URL. Every URL of a crawl gets exactly one (decisions 9). */
const CRAWL_VERDICTS = [
  'page',
  'redirect',
  'duplicate',
  'noindex',
  'nofollow',
  'robots',
  'scope',
  'excluded',
  'listed',
  'depth',
  'pattern',
  'limit',
  'time',
  'asset',
  'script',
  'pixel',
  'too-large',
  'type',
  'status',
  'forbidden',
  'unreachable',
  'unreadable',
  'needs-script',
  'script-failed',
  'sitemap',
] as const;

export type CrawlVerdict = (typeof CRAWL_VERDICTS)[number];

const FactEvidence = z
  .object({
    certainty: z
      .enum(['stated', 'inferred', 'doubtful'])
      .describe(
        'stated: the page states it, and nothing says otherwise. inferred: a time without a label, the address or ' +
          'the text says it. doubtful: something else says otherwise.',
      ),
    by: z.array(z.enum(['json-ld', 'meta', 'html', 'time', 'url', 'text'])).describe('What says it.'),
    others: z.array(z.string()).describe('What else is said.'),
  })
  .meta({ id: 'CrawlFactEvidence' });

const CrawlPage = z
  .object({
    url: z.string(),
    status: z.int(),
    title: z.string().nullable(),
    description: z.string().nullable(),
    language: z.string().nullable().describe('A BCP 47 tag. Null if neither the page nor its text tells it.'),
    author: z.string().nullable(),
    published: z.string().nullable().describe('A date, or an instant in UTC.'),
    modified: z.string().nullable(),
    evidence: z
      .object({
        published: FactEvidence.nullable(),
        modified: FactEvidence.nullable(),
        language: FactEvidence.nullable(),
      })
      .describe('How certain these facts are; null for a fact that is null.'),
    siteName: z.string().nullable(),
    image: z.string().nullable().describe('The picture that the page states for itself.'),
    depth: z.int().min(0),
    contentType: z.string(),
    bytes: z.int().min(0).describe('After decoding.'),
    fetchedAt: z.iso.datetime({ precision: 3 }),
    contentHash: z.string().describe('SHA-256 of the main text.'),
    canonicalUrl: z.string().nullable().describe('The canonical address that the page states.'),
    links: z.array(z.string()).describe('Pages it links to, at most 100; all of them are in graph.json.'),
    markdown: z.string().optional().describe('With depth 0: the page as Markdown, as in pages.jsonl.'),
    truncated: z.boolean().describe('Only the first part of the page was read: it has too many elements.'),
    unchanged: z.boolean().describe('The page is unchanged since an earlier crawl (304).'),
    rendered: z.boolean().describe('A browser ran its scripts.'),
    screenshot: z.string().nullable().describe('URL of its picture (JPEG).'),
    pdf: z.string().nullable().describe('URL of it as PDF.'),
  })
  .meta({ id: 'CrawlPage' });

const CrawlAddress = z
  .object({
    url: z.string(),
    foundOn: z.string().nullable().describe('The first page or sitemap that names it; null for the root.'),
    by: z.enum(['request', 'link', 'sitemap', 'redirect']).describe('How it was found there. Feeds are sitemaps.'),
  })
  .meta({ id: 'CrawlAddress' });

export type CrawlAddress = z.infer<typeof CrawlAddress>;

const CrawlSearchPage = z
  .object({
    url: z.string(),
    title: z.string().nullable(),
    headings: z.array(z.string()),
    keywords: z.array(z.object({ term: z.string(), weight: z.number().min(0).max(1) })),
    anchors: z.array(z.string()).describe('Texts of links to this page from other pages of the crawl.'),
    linkRank: z.number().min(0).describe('PageRank within the crawl; over all pages the ranks sum to 1.'),
  })
  .meta({ id: 'CrawlSearchPage' });

/** A suspicious passage in a page. Offsets are UTF-16 code units of the page's text in pages.jsonl. */
export const GuardrailSign = z
  .object({
    kind: z.enum(['hidden-text', 'invisible-characters', 'instruction', 'exfiltrating-link']),
    where: z.enum(['text', 'hidden-text', 'attribute', 'comment', 'link']),
    start: z.int().min(0).nullable().describe('Null if the sign is not in the visible text.'),
    end: z.int().min(0).nullable(),
    excerpt: z.string().describe('At most 160 characters.'),
    confidence: z.enum(['low', 'medium', 'high']),
  })
  .meta({ id: 'GuardrailSign' });

export type GuardrailSign = z.infer<typeof GuardrailSign>;

export const CrawlGuardrailPage = z
  .object({
    url: z.string(),
    robots: z.array(z.string()).describe('Directives of meta robots and X-Robots-Tag.'),
    aiUse: z.array(z.string()).describe('Directives about training and mining: noai, noimageai, tdm-reservation.'),
    personalData: z.array(z.object({ kind: z.string(), count: z.int().min(1) })).describe('Never the data itself.'),
    signs: z.array(GuardrailSign),
    licence: z.string().nullable(),
    language: z.object({ code: z.string(), confidence: z.enum(['stated', 'guessed', 'doubtful']) }).nullable(),
    sensitiveTopics: z.array(z.object({ topic: z.string(), hits: z.int().min(1) })),
  })
  .meta({ id: 'CrawlGuardrailPage' });

export type CrawlGuardrailPage = z.infer<typeof CrawlGuardrailPage>;

/** Newest pages that a running crawl names. */
export const SO_FAR_PAGES_MAX = 1000;

export const CrawlSoFar = z
  .object({
    found: z.int().min(0).describe('Addresses found.'),
    pages: z.int().min(0).describe('Pages read.'),
    waiting: z.int().min(0).describe('Addresses to be fetched.'),
    verdicts: z.record(z.string(), z.int()).describe('Outcomes of the other addresses, with their counts.'),
    newest: z.array(z.string()).max(SO_FAR_PAGES_MAX).describe('Addresses of the pages read last, newest first.'),
  })
  .meta({ id: 'CrawlSoFar' });

export type CrawlSoFar = z.infer<typeof CrawlSoFar>;

export const CrawlSkipped = z
  .object({ url: z.string(), verdict: z.enum(CRAWL_VERDICTS), reason: z.string() })
  .meta({ id: 'CrawlSkipped' });

export type CrawlSkipped = z.infer<typeof CrawlSkipped>;

const CrawlStats = z
  .object({
    pages: z.int().min(0),
    withoutText: z.int().min(0).describe('Pages without text and so without chunks, such as pages of pictures.'),
    urlsSeen: z.int().min(0),
    urlsNotKept: z.int().min(0).describe('Found after the ledger or the link list of their page was full.'),
    bytes: z.int().min(0),
    chunks: z.int().min(0),
    endedBy: z
      .enum(['done', 'pages', 'time'])
      .describe('Why the crawl ended: no URL was left, or a limit was reached.'),
    verdicts: z.record(z.string(), z.int()),
    notInResult: z
      .object({ pages: z.int(), chunks: z.int(), skipped: z.int() })
      .describe('Omitted from this object for its size; the files have all.'),
    boilerplateBlocks: z.int().min(0).describe('Blocks removed because they repeat across pages.'),
    rendered: z
      .object({
        pages: z.int().min(0).describe('Pages that a browser rendered.'),
        requests: z.int().min(0).describe('Requests of the browser for parts of pages.'),
        bytes: z.int().min(0).describe('What they sent.'),
      })
      .describe('In this attempt of the job.'),
  })
  .meta({ id: 'CrawlStats' });

const AiAgentRule = z
  .object({ host: z.string(), agent: z.string(), allowed: z.boolean(), line: z.int().nullable() })
  .meta({ id: 'AiAgentRule' });

export const SITE_CHANGES = ['added', 'changed', 'removed', 'gone', 'moved'] as const;

const PageVersion = z
  .object({
    contentHash: z.string(),
    characters: z.int().min(0).describe('Of its Markdown.'),
    fetchedAt: z.iso.datetime({ precision: 3 }),
  })
  .meta({ id: 'PageVersion' });

export const SiteChange = z
  .object({
    url: z.string(),
    change: z
      .enum(SITE_CHANGES)
      .describe('removed: no page links to it any more. gone: status 404 or 410. moved: it leads elsewhere.'),
    title: z.string().nullable(),
    movedTo: z.string().nullable(),
    before: PageVersion.nullable().describe('Null for an added page.'),
    after: PageVersion.nullable().describe('Null for a page that is removed, gone or moved.'),
    addedLines: z
      .int()
      .min(0)
      .nullable()
      .describe('Lines of Markdown that only the new version has, without moved ones. Null unless compared.'),
    removedLines: z.int().min(0).nullable(),
    changedShare: z
      .number()
      .min(0)
      .max(1)
      .nullable()
      .describe('Of the characters of both versions. Null unless compared.'),
    diff: z.string().nullable().describe('Unified hunks over the Markdown; null without one.'),
    diffTruncated: z.boolean().describe('The diff is cut or left out for its size.'),
  })
  .meta({ id: 'SiteChange' });

export type SiteChange = z.infer<typeof SiteChange>;

const crawlCountField = () => z.int().min(0);

export const SiteChangeCounts = z
  .object({
    added: crawlCountField(),
    changed: crawlCountField(),
    removed: crawlCountField(),
    gone: crawlCountField(),
    moved: crawlCountField(),
    unchanged: crawlCountField().describe(
      'Also pages in which only timestamps, counters or the order of lines differ.',
    ),
    notRead: crawlCountField().describe(
      'Known pages that this crawl could not read or did not reach. They keep their version.',
    ),
  })
  .meta({ id: 'SiteChangeCounts' });

export type SiteChangeCounts = z.infer<typeof SiteChangeCounts>;

export const SiteChanges = z
  .object({
    comparedWith: z
      .object({ crawlId: z.string(), crawledAt: z.iso.datetime({ precision: 3 }) })
      .nullable()
      .describe('The crawl before. Null for the first of a watch: its pages are what the next is compared with.'),
    counts: SiteChangeCounts,
    pages: z.array(SiteChange).describe('At most 500, with 256 KB of diffs; changes.json has all.'),
    notInResult: crawlCountField().describe('Changes that only changes.json has.'),
    notRead: z
      .array(z.object({ url: z.string(), verdict: z.enum(CRAWL_VERDICTS).nullable(), reason: z.string() }))
      .describe('At most 200 of the known pages that were not read, with the reason. They are not called removed.'),
  })
  .meta({ id: 'SiteChanges' });

export type SiteChanges = z.infer<typeof SiteChanges>;

/** What a crawl of a watched site is compared with. */
export interface CrawlBaseline {
  comparedWith: SiteChanges['comparedWith'];
  /** Folder that the comparison before filled; null for the first. */
  before: string | null;
  /** Folder to fill. What an interrupted attempt left in it is replaced. */
  after: string;
  /** Takes the outcome before the job ends. */
  onCompared(changes: SiteChanges): Promise<void>;
}

export const CrawlResult = z.object({
  rootUrl: z.string(),
  addresses: z.array(CrawlAddress).optional().describe('With `map`, at most 10,000; addresses.jsonl has all.'),
  pages: z.array(CrawlPage),
  chunks: z.array(Chunk),
  search: z.object({ pages: z.array(CrawlSearchPage) }),
  context: z.object({
    tokens: z.int().min(0),
    tokenCounting: z.string().describe('How tokens are counted, and the accuracy.'),
    digest: z.string().describe('The site in the style of llms.txt, within a token budget.'),
    pages: z.array(z.object({ url: z.string(), tokens: z.int().min(0), chunks: z.int().min(0) })),
  }),
  guardrails: z.object({
    detectors: z.array(z.object({ name: z.string(), sureOf: z.string(), notSureOf: z.string() })),
    aiAgents: z.array(AiAgentRule).describe('The robots.txt rules of well-known AI crawlers for the root.'),
    pages: z.array(CrawlGuardrailPage),
  }),
  skipped: z.array(CrawlSkipped),
  changes: SiteChanges.optional().describe('Crawls of a watched site: the difference to the crawl before.'),
  stats: CrawlStats,
  account: resultAccount,
  letters: SourceAccount.optional().describe('Letters of all pages that were read.'),
  annotations,
  warnings: Warnings.describe('What could not be done, in sentences.'),
  files: z.array(JobFile),
});

export type CrawlResult = z.infer<typeof CrawlResult>;

/** A browser that the appliance has fetched. */
export const FetchedBrowser = z.object({
  version: z.string(),
  sizeBytes: z.int().min(0).describe('Of the archive.'),
  sha256: z.string().describe('Of the archive, as it arrived.'),
  md5Compared: z
    .boolean()
    .describe('The storage stated an MD5, and the archive has it. The publisher states no other.'),
  fetchedAt: z.string(),
});

export type FetchedBrowser = z.infer<typeof FetchedBrowser>;

/** The browser that runs the scripts of pages, as the owner sees it. */
export const BrowserView = z
  .object({
    from: z
      .enum(['setting', 'system', 'data-folder'])
      .nullable()
      .describe('Where the browser is from that crawls use; null: there is none on this machine.'),
    offered: z
      .object({
        title: z.string(),
        sizeBytes: z.int().min(0).describe('About; the download states it exactly.'),
        licence: z.string(),
        source: z.string().describe('Host of the publisher.'),
      })
      .nullable()
      .describe('What can be fetched; null where the publisher has no build for this machine.'),
    fetched: FetchedBrowser.nullable(),
    download: DownloadProgress.nullable(),
  })
  .meta({ id: 'BrowserView' });

declare module '../../operation.ts' {
  interface Services {
    crawler: CrawlService;
  }
}
