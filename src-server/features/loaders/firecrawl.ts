/** The part of Firecrawl's version 1 that its clients use most, on the operations crawl and search. */
import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { type Context, Hono, type MiddlewareHandler } from 'hono';
import type { ContentfulStatusCode } from 'hono/utils/http-status';
import { z } from 'zod';
import { httpUrl } from '../../operation.ts';
import { toIsoTime } from '../../platform/clock.ts';
import { QuarryError } from '../../platform/errors.ts';
import type { HttpEnv } from '../../platform/http/env.ts';
import { logFailure, problemOf, publicError, setErrorHeaders } from '../../platform/http/problem.ts';
import { parseWithSchema, queryOf } from '../../platform/http/validate.ts';
import { SECOND_MS } from '../../platform/units.ts';
import { checkOwnJob, type ScopedAddress } from '../accounts/service.ts';
import type { CrawlResult, CrawlSoFar } from '../crawl/schema.ts';
import { acceptCall, type JobService } from '../jobs/service.ts';
import type { SearchAnswer } from '../search/schema.ts';
import { crawlPaths } from './firecrawl-paths.ts';

export const FIRECRAWL_ADDRESSES: readonly ScopedAddress[] = (
  [
    ['POST', 'scrape', 'run:crawl'],
    ['POST', 'crawl', 'run:crawl'],
    ['GET', 'crawl/:id', 'none'],
    ['GET', 'crawl/:id/errors', 'none'],
    ['DELETE', 'crawl/:id', 'own-job'],
    ['POST', 'map', 'run:crawl'],
    ['POST', 'search', 'read'],
  ] as const
).map(([method, path, keyScope]) => ({ method, path: `/firecrawl/v1/${path}`, keyScope }));

export interface FirecrawlDeps {
  service: JobService;
  ownerOnly: MiddlewareHandler<HttpEnv>;
  crawlSoFar(jobId: string): Promise<CrawlSoFar>;
}

const FORMATS = ['markdown', 'screenshot@fullPage'] as const;

type Format = (typeof FORMATS)[number];

const isAlways = <Value extends boolean | string | number>(value: Value, what: string) =>
  z.literal(value, `${what} Leave it out.`).optional();

const Formats = z
  .array(z.enum(FORMATS, `Only ${FORMATS.join(', ')} are supported.`))
  .min(1)
  .default(['markdown']);

/** What changes the pages is done or refused. */
const SCRAPE_OPTIONS = {
  formats: Formats,
  onlyMainContent: isAlways(true, 'The text is always that of the main content.'),
  waitFor: isAlways(0, 'Pages are read once they are quiet.'),
  mobile: isAlways(false, 'Pages are read as on a desktop.'),
  skipTlsVerification: isAlways(false, 'Certificates are always verified.'),
  removeBase64Images: isAlways(true, 'Pictures are not embedded.'),
  proxy: isAlways('basic', 'No proxy is used.'),
};

const TIMEOUT_MS_MAX = 300_000;

const timeout = z.int().min(1000).max(TIMEOUT_MS_MAX).default(60_000);

/** Which library sends the request. */
const origin = z.string().optional();

const ScrapeRequest = z.strictObject({
  ...SCRAPE_OPTIONS,
  url: httpUrl(2048),
  timeout,
  maxAge: z.int().min(0).default(0),
  origin,
});

const DEPTH_MAX = 3;

const PAGES_MAX = 100_000;

const CrawlRequest = z.strictObject({
  url: httpUrl(2048),
  limit: z.int().min(1).max(PAGES_MAX).optional(),
  maxDiscoveryDepth: z.int().min(0).max(DEPTH_MAX).default(DEPTH_MAX),
  includePaths: z.array(z.string()).max(20).optional(),
  excludePaths: z.array(z.string()).max(20).optional(),
  ignoreSitemap: z.boolean().default(false),
  allowBackwardLinks: z.boolean().default(false),
  allowExternalLinks: isAlways(false, 'A crawl stays on its site.'),
  deduplicateSimilarURLs: isAlways(true, 'Addresses of the same page are always one.'),
  ignoreQueryParameters: isAlways(false, 'Addresses with other queries are other pages.'),
  regexOnFullURL: isAlways(false, 'Patterns are about paths.'),
  scrapeOptions: z.strictObject(SCRAPE_OPTIONS).prefault({}),
  origin,
});

const MapRequest = z.strictObject({
  url: httpUrl(2048),
  limit: z.int().min(1).max(PAGES_MAX).default(5000),
  ignoreSitemap: z.boolean().default(false),
  sitemapOnly: z.boolean().default(false),
  includeSubdomains: isAlways(true, 'Subdomains are part of the site.'),
  timeout,
  origin,
});

const SearchRequest = z.strictObject({
  query: z.string(),
  limit: z.int().min(1).max(50).default(5),
  /** The stock clients always send these two. */
  lang: isAlways('en', 'Pages of all languages are searched.'),
  country: isAlways('us', 'Pages of all countries are searched.'),
  timeout,
  scrapeOptions: z
    .strictObject({ formats: z.array(z.never('Results have no further formats.')).default([]) })
    .optional(),
  origin,
});

const PAGE_MAX = 100;

const StatusQuery = z.object({
  skip: z.coerce.number().int().min(0).default(0),
  limit: z.coerce.number().int().min(1).max(PAGE_MAX).default(PAGE_MAX),
});

/** A longer answer is parted: the client follows `next`. */
const PAGE_CHARS_MAX = 4_000_000;

const NOT_HERE =
  "Of Firecrawl's interface there are v1/scrape, v1/crawl, v1/map and v1/search here. " +
  '/reference/guides/other-tools says what they take.';

export function firecrawlRoutes(deps: FirecrawlDeps): Hono<HttpEnv> {
  const { service, ownerOnly } = deps;
  const routes = new Hono<HttpEnv>();
  routes.onError((error, context) => firecrawlErrorResponse(context, error));
  routes.use('*', ownerOnly);
  routes.post('/v1/scrape', async (context) => scrape(service, context));
  routes.post('/v1/map', async (context) => map(service, context));
  routes.post('/v1/search', async (context) => search(service, context));
  routes.post('/v1/crawl', async (context) => startCrawl(service, context));
  routes.get('/v1/crawl/:id', async (context) => crawlStatus(deps, context, context.req.param('id')));
  routes.get('/v1/crawl/:id/errors', async (context) => {
    const { jobId } = crawlOf(context.req.param('id'));
    return context.json(await errorsOf(service, service.jobs.row(jobId).id));
  });
  routes.delete('/v1/crawl/:id', async (context) => {
    const job = service.jobs.row(crawlOf(context.req.param('id')).jobId);
    const principal = context.get('principal');
    checkOwnJob(principal.kind === 'owner' ? principal.key : undefined, job);
    await service.jobs.cancel(job);
    return context.json({ success: true, status: 'cancelled' });
  });
  routes.all('*', () => {
    throw new QuarryError('not_found', NOT_HERE);
  });
  return routes;
}

/** Errors as Firecrawl's clients read them. */
export function firecrawlErrorResponse(context: Context<HttpEnv>, error: unknown): Response {
  const shown = publicError(error);
  logFailure(context, shown);
  setErrorHeaders(context, shown);
  const { status, detail, code } = problemOf(shown);
  return context.json({ success: false, error: detail, code }, status as ContentfulStatusCode);
}

async function read<Schema extends z.ZodType>(service: JobService, context: Context<HttpEnv>, schema: Schema) {
  return parseWithSchema(schema, await service.readSmallJson(context));
}

/** A crawl of which the client waits for the end. Errors: those of the crawl; `timeout`, which cancels it. */
async function crawlNow(
  service: JobService,
  context: Context<HttpEnv>,
  value: Record<string, unknown>,
  timeoutMs: number,
): Promise<{ jobId: string; result: CrawlResult }> {
  const late = AbortSignal.timeout(timeoutMs);
  const signal = AbortSignal.any([late, context.req.raw.signal]);
  const call = { operationId: 'crawl', principal: context.get('principal'), value, signal };
  const accepted = await acceptCall(service, call);
  context.header('X-Quarry-Job-Id', accepted.jobId);
  try {
    return { jobId: accepted.jobId, result: (await accepted.result()) as unknown as CrawlResult };
  } catch (error) {
    if (!late.aborted) throw error;
    throw new QuarryError('timeout', 'The page was not read in time. Give a longer timeout.', { cause: error });
  }
}

async function scrape(service: JobService, context: Context<HttpEnv>): Promise<Response> {
  const { url, formats, timeout: timeoutMs, maxAge } = await read(service, context, ScrapeRequest);
  const value = { url, depth: 0, maxAge: Math.floor(maxAge / SECOND_MS), ...screenshotIn(formats) };
  const { jobId, result } = await crawlNow(service, context, value, timeoutMs);
  for await (const page of pagesOf(service, jobId)) {
    const warning = result.warnings.length === 0 ? {} : { warning: result.warnings.join(' ') };
    return context.json({ success: true, data: documentOf(page, formats), ...warning });
  }
  const reason = result.skipped[0]?.reason ?? 'The page has no text.';
  throw new QuarryError('corrupt_input', `The page could not be read: ${reason}`);
}

function screenshotIn(formats: readonly Format[]): { screenshot?: true } {
  return formats.includes('screenshot@fullPage') ? { screenshot: true } : {};
}

async function map(service: JobService, context: Context<HttpEnv>): Promise<Response> {
  const request = await read(service, context, MapRequest);
  const { url, limit, ignoreSitemap, sitemapOnly, timeout: timeoutMs } = request;
  const sitemap = sitemapOnly ? 'only' : ignoreSitemap ? 'skip' : 'include';
  const value = { url, map: true, maxPages: limit, sitemap, maxAge: 0 };
  const { result } = await crawlNow(service, context, value, timeoutMs);
  return context.json({ success: true, links: (result.addresses ?? []).map((address) => address.url) });
}

/** What was crawled here is searched, not the web. */
async function search(service: JobService, context: Context<HttpEnv>): Promise<Response> {
  const { query, limit, timeout: timeoutMs } = await read(service, context, SearchRequest);
  const signal = AbortSignal.any([AbortSignal.timeout(timeoutMs), context.req.raw.signal]);
  // Several chunks of a page are one result.
  const value = { query, limit: Math.min(50, limit * 4), filter: { jobType: 'crawl' } };
  const accepted = await acceptCall(service, {
    operationId: 'search',
    principal: context.get('principal'),
    value,
    signal,
  });
  const { results } = (await accepted.result()) as unknown as SearchAnswer;
  const pages = new Map<string, object>();
  for (const { url, heading, sourceName, snippet } of results) {
    if (url === null || pages.has(url) || pages.size === limit) continue;
    pages.set(url, { url, title: heading ?? sourceName ?? url, description: snippet });
  }
  return context.json({ success: true, data: [...pages.values()] });
}

async function startCrawl(service: JobService, context: Context<HttpEnv>): Promise<Response> {
  const request = await read(service, context, CrawlRequest);
  const { formats } = request.scrapeOptions;
  const value = {
    ...{ url: request.url, depth: request.maxDiscoveryDepth, maxAge: 0 },
    ...(request.limit === undefined ? {} : { maxPages: request.limit }),
    sitemap: request.ignoreSitemap ? 'skip' : 'include',
    ...crawlPaths(request),
    ...screenshotIn(formats),
  };
  const accepted = await acceptCall(service, {
    operationId: 'crawl',
    principal: context.get('principal'),
    value,
    signal: GOES_ON,
  });
  accepted.leave();
  context.header('X-Quarry-Job-Id', accepted.jobId);
  const id = [accepted.jobId, ...formats.map((format) => FORMATS.indexOf(format))].join('.');
  return context.json({ success: true, id, url: addressOf(service, id) });
}

const GOES_ON = new AbortController().signal;

function addressOf(service: JobService, id: string): string {
  return `${new URL(service.baseUrl()).origin}/firecrawl/v1/crawl/${id}`;
}

/** The id of a crawl is its job and the formats that its pages have. */
function crawlOf(id: string): { jobId: string; formats: Format[] } {
  const [jobId = '', ...places] = id.split('.');
  const formats = places.map((place) => FORMATS[Number(place)]);
  if (formats.length > 0 && formats.every((format) => format !== undefined)) return { jobId, formats };
  throw new QuarryError('not_found', 'There is no crawl with this id.');
}

const STATUSES = { queued: 'scraping', processing: 'scraping', completed: 'completed', failed: 'failed' } as const;

async function crawlStatus({ service, crawlSoFar }: FirecrawlDeps, context: Context<HttpEnv>, id: string) {
  const { skip, limit } = parseWithSchema(StatusQuery, queryOf(context));
  const { jobId, formats } = crawlOf(id);
  const job = service.jobs.row(jobId);
  const error = job.error === null ? null : (JSON.parse(job.error) as { code: string; message: string });
  const head = {
    success: error === null,
    status: error?.code === 'cancelled' ? 'cancelled' : STATUSES[job.status],
    creditsUsed: 0,
    expiresAt: job.expires_at === null ? null : toIsoTime(job.expires_at),
    ...(error === null ? {} : { error: error.message }),
  };
  if (job.status !== 'completed') {
    const { pages, waiting } = await crawlSoFar(job.id);
    return context.json({ ...head, completed: pages, total: pages + waiting, data: [] });
  }
  const data: object[] = [];
  let total = 0;
  let characters = 0;
  for await (const page of pagesOf(service, job.id)) {
    total += 1;
    if (total <= skip || data.length >= limit || characters > PAGE_CHARS_MAX) continue;
    data.push(documentOf(page, formats));
    characters += page.markdown.length;
  }
  const end = skip + data.length;
  const next = end < total ? { next: `${addressOf(service, id)}?skip=${end}&limit=${limit}` } : {};
  return context.json({ ...head, completed: total, total, ...next, data });
}

type Page = CrawlResult['pages'][number] & { markdown: string };

/** The pages of a crawl, one after another, so that a large one fills no memory. */
async function* pagesOf(service: JobService, jobId: string): AsyncGenerator<Page> {
  const path = service.filePathOf(jobId, 'pages.jsonl');
  if (path === null) return;
  for await (const line of createInterface({ input: createReadStream(path), crlfDelay: Number.POSITIVE_INFINITY })) {
    if (line !== '') yield JSON.parse(line) as Page;
  }
}

function documentOf(page: Page, formats: readonly Format[]): object {
  const { title, description, language, url, status, image, siteName, published, modified, contentType } = page;
  const facts = { title, description, language, ogImage: image, ogSiteName: siteName, publishedTime: published };
  const known = { ...facts, modifiedTime: modified, sourceURL: url, url, statusCode: status, contentType };
  return {
    ...(formats.includes('markdown') ? { markdown: page.markdown } : {}),
    ...(formats.includes('screenshot@fullPage') && page.screenshot !== null ? { screenshot: page.screenshot } : {}),
    metadata: Object.fromEntries(Object.entries(known).filter(([, value]) => value !== null)),
  };
}

const ERRORS_MAX = 1000;

/** Outcomes of addresses that could not be read. */
const FAILED = new Set(['status', 'forbidden', 'unreachable', 'unreadable', 'too-large', 'script-failed']);

async function errorsOf(service: JobService, jobId: string) {
  const errors: object[] = [];
  const robotsBlocked: string[] = [];
  const path = service.filePathOf(jobId, 'ledger.jsonl');
  if (path === null) return { errors, robotsBlocked };
  for await (const line of createInterface({ input: createReadStream(path), crlfDelay: Number.POSITIVE_INFINITY })) {
    if (line === '' || errors.length + robotsBlocked.length >= ERRORS_MAX) continue;
    const { url, verdict, reason } = JSON.parse(line) as { url: string; verdict: string; reason: string };
    if (verdict === 'robots') robotsBlocked.push(url);
    else if (FAILED.has(verdict)) errors.push({ id: String(errors.length), url, error: reason });
  }
  return { errors, robotsBlocked };
}
