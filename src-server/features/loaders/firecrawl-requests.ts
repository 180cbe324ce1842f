/** Requests of both versions of Firecrawl's interface, in one form. What changes the answer is done or refused. */

import { z } from 'zod';
import { httpUrl } from '../../operation.ts';
import { byName, recordOf } from '../../platform/records.ts';
import { tell } from '../../platform/text/say.ts';
import { crawlPaths } from './firecrawl-paths.ts';
import { isAlways, refusedOption } from './load.ts';

export type FirecrawlVersion = 'v1' | 'v2';

/** Of the pages of a crawl, by their names in version 1. Ids of crawls hold their places. */
export const CRAWL_FORMATS = ['markdown', 'screenshot@fullPage'] as const;

export type CrawlFormat = (typeof CRAWL_FORMATS)[number];

const SCRAPE_FORMATS = [...CRAWL_FORMATS, 'links'] as const;

export type Format = (typeof SCRAPE_FORMATS)[number];

type Sitemap = 'include' | 'only' | 'skip';

interface ScrapeAsked {
  url: string;
  formats: Format[];
  timeout: number;
  /** Milliseconds. */
  maxAge: number;
}

interface CrawlAsked {
  formats: CrawlFormat[];
  /** The body for the operation, without what the formats need. */
  value: Record<string, unknown>;
}

interface MapAsked {
  url: string;
  limit: number;
  sitemap: Sitemap;
  timeout: number;
}

interface SearchAsked {
  query: string;
  limit: number;
  timeout: number;
}

interface Requests {
  scrape: z.ZodType<ScrapeAsked>;
  crawl: z.ZodType<CrawlAsked>;
  map: z.ZodType<MapAsked>;
  search: z.ZodType<SearchAsked>;
}

/** Why a format of Firecrawl's is not here. */
const MISSING: Readonly<Record<string, string>> = byName({
  html: 'Pages are kept as Markdown, not as HTML.',
  rawHtml: 'Pages are kept as Markdown, not as HTML.',
  summary: 'Pages are not summarised here. Ask a text model, with POST /openai/v1/chat/completions.',
  json: 'Values are read with POST /v1/crawl and its option fields.',
  extract: 'Values are read with POST /v1/crawl and its option fields.',
  changeTracking: 'Changes are followed by the watches of a site.',
});

/** Refuses a format by its name. */
function unknownFormat(given: unknown, names: readonly string[]): string {
  const name = String(given).slice(0, 50);
  const why = Object.hasOwn(MISSING, name) ? `${MISSING[name]} ` : '';
  return `The format ${name} is not supported. ${why}Only ${names.join(', ')} are.`;
}

/** Formats of version 1 are names. */
function formatsV1<Name extends Format>(names: readonly [Name, ...Name[]]) {
  const unknownFormatError = ({ input }: { input: unknown }) => unknownFormat(input, names);
  const format = z.enum(names, { error: unknownFormatError }) as unknown as z.ZodType<Name>;
  return formatsField<Name>(format);
}

/** A format of version 2 is its name, or an object with its name as type. */
function formatsV2<Name extends Format>(names: readonly Name[]) {
  const plain = names.filter((name) => name !== 'screenshot@fullPage');
  const choice = [...plain, '{"type":"screenshot","fullPage":true}'];
  const format = z.unknown().transform((value, context): Name => {
    const { type, fullPage, ...others } = typeof value === 'string' ? { type: value } : recordOf(value);
    const name = type === 'screenshot' && fullPage === true ? 'screenshot@fullPage' : type;
    const known = names.find((one) => one === name);
    const isPicture = known === 'screenshot@fullPage';
    if (known !== undefined && isPicture === (fullPage === true) && Object.keys(others).length === 0) return known;
    context.addIssue({ code: 'custom', message: unknownFormat(type, choice) });
    return z.NEVER;
  });
  return formatsField<Name>(format);
}

function formatsField<Name extends Format>(format: z.ZodType<Name>) {
  return z
    .array(format)
    .min(1)
    .default((): Name[] => ['markdown' as Name]);
}

/** A hint of how to fetch, which changes nothing of what is promised: taken, and named as ignored. */
const hint = z.unknown().optional();

const PAGE_OPTIONS = {
  onlyMainContent: isAlways(true, 'The text is always that of the main content.'),
  waitFor: hint,
  mobile: isAlways(false, 'Pages are read as on a desktop.'),
  skipTlsVerification: isAlways(false, 'Certificates are always verified.'),
  removeBase64Images: isAlways(true, 'Pictures are not embedded.'),
  blockAds: hint,
  fastMode: hint,
  minAge: hint,
  proxy: hint,
  storeInCache: hint,
  actions: refusedOption('A page is read as it loads. The owner can give actions to POST /v1/crawl.'),
  headers: refusedOption('Pages are read without headers of the caller.'),
  location: refusedOption('Pages are read from where this server is.'),
};

/** The library that sends the request. */
const CALLER = { origin: z.string().optional(), integration: z.string().optional() };

const TIMEOUT_MS_MAX = 300_000;

const timeout = z.int().min(1000).max(TIMEOUT_MS_MAX).default(60_000);

const url = httpUrl(2048);

const PAGES_MAX = 100_000;

const SCRAPE = {
  ...PAGE_OPTIONS,
  ...CALLER,
  url,
  timeout,
  maxAge: z.int().min(0).default(0),
};

const DEPTH_MAX = 3;

/** A crawl takes 20, of which `maxDepth` needs one. */
const PATHS_MAX = 19;

const CRAWL = {
  ...CALLER,
  url,
  limit: z.int().min(1).max(PAGES_MAX).optional(),
  maxDiscoveryDepth: z.int().min(0).max(DEPTH_MAX).default(DEPTH_MAX),
  includePaths: z.array(z.string()).max(PATHS_MAX).optional(),
  excludePaths: z.array(z.string()).max(PATHS_MAX).optional(),
  allowExternalLinks: isAlways(false, 'A crawl stays on its site.'),
  allowSubdomains: isAlways(true, 'Subdomains are part of the site.'),
  deduplicateSimilarURLs: isAlways(true, 'Addresses of the same page are always one.'),
  ignoreQueryParameters: isAlways(false, 'Addresses with other queries are other pages.'),
  ignoreRobotsTxt: isAlways(false, 'robots.txt is always respected.'),
  regexOnFullURL: isAlways(false, 'Patterns are about paths.'),
  zeroDataRetention: isAlways(false, 'Results are kept as jobs until they expire or are deleted.'),
  delay: hint,
  maxConcurrency: hint,
  prompt: refusedOption('Options are not made from a text.'),
  webhook: refusedOption("Events have another form than Firecrawl's. Register a webhook with POST /v1/webhooks."),
};

interface CrawlFields {
  url: string;
  limit?: number | undefined;
  maxDiscoveryDepth: number;
  includePaths?: string[] | undefined;
  excludePaths?: string[] | undefined;
  scrapeOptions: { formats: CrawlFormat[] };
}

function crawlAsked(
  asked: CrawlFields,
  { sitemap, ...paths }: { sitemap: Sitemap; isWhole: boolean; wholeName: string; maxDepth?: number | undefined },
): CrawlAsked {
  const value = {
    url: asked.url,
    depth: asked.maxDiscoveryDepth,
    maxAge: 0,
    sitemap,
    maxPages: asked.limit,
    ...crawlPaths({ ...asked, ...paths }),
  };
  return { value, formats: asked.scrapeOptions.formats };
}

const MAP = {
  ...CALLER,
  url,
  limit: z.int().min(1).max(PAGES_MAX).default(5000),
  includeSubdomains: isAlways(true, 'Subdomains are part of the site.'),
  ignoreQueryParameters: isAlways(false, 'Addresses with other queries are other pages.'),
  search: refusedOption('Addresses are not searched.'),
  location: refusedOption('Pages are read from where this server is.'),
  timeout,
};

const SEARCH = {
  ...CALLER,
  query: z.string(),
  limit: z.int().min(1).max(50).default(5),
  timeout,
  scrapeOptions: z
    .strictObject({ formats: z.array(z.never('Results have no further formats.')).default([]) })
    .optional(),
};

const SITEMAPS = z.enum(['include', 'only', 'skip']).default('include');

const WebSource = z.union([z.literal('web'), z.strictObject({ type: z.literal('web') })]);

const isWeb = (source: unknown) => WebSource.safeParse(source).success;

export const REQUESTS: Readonly<Record<FirecrawlVersion, Requests>> = {
  v1: {
    scrape: z.strictObject({ ...SCRAPE, formats: formatsV1(SCRAPE_FORMATS) }),
    crawl: z
      .strictObject({
        ...CRAWL,
        scrapeOptions: z.strictObject({ ...PAGE_OPTIONS, formats: formatsV1(CRAWL_FORMATS) }).prefault({}),
        maxDepth: z.int().min(0).optional(),
        ignoreSitemap: z.boolean().default(false),
        allowBackwardLinks: z.boolean().default(false),
      })
      .transform(({ maxDepth, ignoreSitemap, allowBackwardLinks: isWhole, ...asked }) => {
        const sitemap = ignoreSitemap ? 'skip' : 'include';
        return crawlAsked(asked, { sitemap, isWhole, wholeName: 'allowBackwardLinks', maxDepth });
      }),
    map: z
      .strictObject({ ...MAP, ignoreSitemap: z.boolean().default(false), sitemapOnly: z.boolean().default(false) })
      .transform(({ ignoreSitemap, sitemapOnly, ...asked }) => {
        return { ...asked, sitemap: sitemapOnly ? 'only' : ignoreSitemap ? 'skip' : 'include' };
      }),
    search: z.strictObject({
      ...SEARCH,
      /** The stock clients of version 1 always send these two. */
      lang: isAlways('en', 'Pages of all languages are searched.'),
      country: isAlways('us', 'Pages of all countries are searched.'),
    }),
  },
  v2: {
    scrape: z.strictObject({ ...SCRAPE, formats: formatsV2(SCRAPE_FORMATS) }),
    crawl: z
      .strictObject({
        ...CRAWL,
        scrapeOptions: z.strictObject({ ...PAGE_OPTIONS, formats: formatsV2(CRAWL_FORMATS) }).prefault({}),
        sitemap: SITEMAPS,
        crawlEntireDomain: z.boolean().default(false),
      })
      .transform(({ sitemap, crawlEntireDomain: isWhole, ...asked }) => {
        return crawlAsked(asked, { sitemap, isWhole, wholeName: 'crawlEntireDomain' });
      }),
    map: z.strictObject({ ...MAP, sitemap: SITEMAPS }),
    search: z.strictObject({
      ...SEARCH,
      sources: z
        .array(z.unknown().refine(isWeb, tell`Only web is searched: the pages that were crawled here.`))
        .optional(),
    }),
  },
};

const HINTS = Object.entries({ ...PAGE_OPTIONS, ...CRAWL }).flatMap(([name, schema]) =>
  schema === hint ? [name] : [],
);

/** The hints of a request that ask for something: the answer does not depend on them. */
export function ignoredHints(body: unknown): string[] {
  if (typeof body !== 'object' || body === null) return [];
  const asksForOption = (value: unknown) => value !== undefined && value !== null && value !== false && value !== 0;
  const own = Object.entries(body).filter(([name, value]) => HINTS.includes(name) && asksForOption(value));
  const { scrapeOptions } = recordOf(body);
  return [...own.map(([name]) => name), ...ignoredHints(scrapeOptions).map((name) => `scrapeOptions.${name}`)];
}
