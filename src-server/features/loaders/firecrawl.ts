/** The part of Firecrawl's versions 1 and 2 that its clients use most, on the operations crawl and search. */

import { createReadStream } from 'node:fs';
import { type Context, Hono, type MiddlewareHandler } from 'hono';
import { z } from 'zod';
import type { ScopedAddress } from '../../feature.ts';
import { toIsoTime } from '../../platform/clock.ts';
import { QuarryError } from '../../platform/errors.ts';
import type { HttpEnv } from '../../platform/http/env.ts';
import { ignoreField } from '../../platform/http/ignored-fields.ts';
import { logFailure, problemOf, publicError, setErrorHeaders } from '../../platform/http/problem.ts';
import { parseQuery, parseWithSchema, queryOf } from '../../platform/http/validate.ts';
import { parseOwnJson } from '../../platform/own-json.ts';
import { jsonLines } from '../../platform/text/json.ts';
import { tell } from '../../platform/text/say.ts';
import { SECOND_MS } from '../../platform/units.ts';
import { checkOwnJob, onlyDeclared } from '../accounts/service.ts';
import type { CrawlResult, CrawlSoFar } from '../crawl/schema.ts';
import { acceptCall, type JobService } from '../jobs/service.ts';
import type { SearchAnswer } from '../search/schema.ts';
import {
  CRAWL_FORMATS,
  type CrawlFormat,
  type FirecrawlVersion,
  type Format,
  ignoredHints,
  REQUESTS,
} from './firecrawl-requests.ts';

const VERSIONS = ['v1', 'v2'] as const satisfies readonly FirecrawlVersion[];

export const FIRECRAWL_ADDRESSES: readonly ScopedAddress[] = VERSIONS.flatMap((version) =>
  (
    [
      ['POST', 'scrape', 'run:crawl'],
      ['POST', 'crawl', 'run:crawl'],
      ['GET', 'crawl/:id', 'none'],
      ['GET', 'crawl/:id/errors', 'none'],
      ['DELETE', 'crawl/:id', 'own-job'],
      ['POST', 'map', 'run:crawl'],
      ['POST', 'search', 'read'],
    ] as const
  ).map(([method, path, keyScope]) => ({ method, path: `/firecrawl/${version}/${path}`, keyScope })),
);

export interface FirecrawlDeps {
  service: JobService;
  ownerOnly: MiddlewareHandler<HttpEnv>;
  crawlSoFar(jobId: string): Promise<CrawlSoFar>;
}

const PAGE_MAX = 100;

const StatusQuery = z.object({
  skip: z.coerce.number().int().min(0).default(0),
  limit: z.coerce.number().int().min(1).max(PAGE_MAX).default(PAGE_MAX),
});

/** A longer answer is parted: the client follows `next`. */
const PAGE_CHARS_MAX = 4_000_000;

const NOT_HERE =
  "Of Firecrawl's interface there are scrape, crawl, map and search here, below /v1 and /v2. " +
  '/reference/guides/other-tools says what they take.';

export function firecrawlRoutes(deps: FirecrawlDeps): Hono<HttpEnv> {
  const routes = new Hono<HttpEnv>();
  routes.onError((error, context) => firecrawlErrorResponse(context, error));
  routes.use('*', onlyDeclared(FIRECRAWL_ADDRESSES, NOT_HERE), deps.ownerOnly);
  for (const version of VERSIONS) routes.route(`/${version}`, versionRoutes(deps, version));
  return routes;
}

function versionRoutes(deps: FirecrawlDeps, version: FirecrawlVersion): Hono<HttpEnv> {
  const { service } = deps;
  const routes = new Hono<HttpEnv>();
  routes.post('/scrape', async (context) => scrapeFirecrawl(service, context, version));
  routes.post('/map', async (context) => mapFirecrawl(service, context, version));
  routes.post('/search', async (context) => searchFirecrawl(service, context, version));
  routes.post('/crawl', async (context) => startCrawl(service, context, version));
  routes.get('/crawl/:id', async (context) => crawlStatus(deps, context, version));
  routes.get('/crawl/:id/errors', async (context) => {
    const { jobId } = crawlOf(context.req.param('id'));
    return context.json(await errorsOf(service, service.jobs.row(jobId).id));
  });
  routes.delete('/crawl/:id', async (context) => {
    const job = service.jobs.row(crawlOf(context.req.param('id')).jobId);
    const principal = context.get('principal');
    checkOwnJob(principal.kind === 'owner' ? principal.key : undefined, job);
    await service.jobs.cancelOpenJob(job);
    return context.json({ success: true, status: 'cancelled' });
  });
  return routes;
}

/** Errors as Firecrawl's clients read them. */
export function firecrawlErrorResponse(context: Context<HttpEnv>, error: unknown): Response {
  const shown = publicError(error);
  logFailure(context, shown);
  setErrorHeaders(context, shown);
  const { status, detail, code } = problemOf(shown);
  return context.json({ success: false, error: detail, code }, status);
}

async function readFirecrawlBody<Schema extends z.ZodType>(
  service: JobService,
  context: Context<HttpEnv>,
  schema: Schema,
) {
  const body = await service.readSmallJson(context);
  const request = parseWithSchema(schema, body);
  for (const name of ignoredHints(body)) ignoreField(context, name);
  return request;
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
    return { jobId: accepted.jobId, result: await accepted.result<CrawlResult>() };
  } catch (error) {
    if (!late.aborted) throw error;
    throw new QuarryError('timeout', tell`The page was not read in time. Give a longer timeout.`, { cause: error });
  }
}

async function scrapeFirecrawl(
  service: JobService,
  context: Context<HttpEnv>,
  version: FirecrawlVersion,
): Promise<Response> {
  const {
    url,
    formats,
    timeout: timeoutMs,
    maxAge,
  } = await readFirecrawlBody(service, context, REQUESTS[version].scrape);
  const value = { url, depth: 0, maxAge: Math.floor(maxAge / SECOND_MS), ...screenshotIn(formats) };
  const { jobId, result } = await crawlNow(service, context, value, timeoutMs);
  for await (const page of pagesOf(service, jobId)) {
    const links = formats.includes('links') ? { links: await linksOf(service, jobId) } : {};
    const document = { ...documentOf(page, formats), ...links };
    const warning = result.warnings.length === 0 ? {} : { warning: result.warnings.join(' ') };
    if (version === 'v2') return context.json({ success: true, data: { ...document, ...warning } });
    return context.json({ success: true, data: document, ...warning });
  }
  const reason = result.skipped[0]?.reason ?? 'The page has no text.';
  throw new QuarryError('corrupt_input', tell`The page could not be read: ${reason}`);
}

function screenshotIn(formats: readonly Format[]): { screenshot?: true } {
  return formats.includes('screenshot@fullPage') ? { screenshot: true } : {};
}

async function mapFirecrawl(
  service: JobService,
  context: Context<HttpEnv>,
  version: FirecrawlVersion,
): Promise<Response> {
  const { url, limit, sitemap, timeout: timeoutMs } = await readFirecrawlBody(service, context, REQUESTS[version].map);
  const value = { url, map: true, maxPages: limit, sitemap, maxAge: 0 };
  const { result } = await crawlNow(service, context, value, timeoutMs);
  const urls = (result.addresses ?? []).map((address) => address.url);
  return context.json({ success: true, links: version === 'v1' ? urls : urls.map((one) => ({ url: one })) });
}

/** What was crawled here is searched, not the web. */
async function searchFirecrawl(
  service: JobService,
  context: Context<HttpEnv>,
  version: FirecrawlVersion,
): Promise<Response> {
  const { query, limit, timeout: timeoutMs } = await readFirecrawlBody(service, context, REQUESTS[version].search);
  const signal = AbortSignal.any([AbortSignal.timeout(timeoutMs), context.req.raw.signal]);
  // Several chunks of a page are one result.
  const value = { query, limit: Math.min(50, limit * 4), filter: { jobType: 'crawl' } };
  const accepted = await acceptCall(service, {
    operationId: 'search',
    principal: context.get('principal'),
    value,
    signal,
  });
  const { results } = await accepted.result<SearchAnswer>();
  const pages = new Map<string, object>();
  for (const { url, heading, sourceName, snippet } of results) {
    if (url === null || pages.has(url) || pages.size === limit) continue;
    pages.set(url, { url, title: heading ?? sourceName ?? url, description: snippet });
  }
  const data = [...pages.values()];
  return context.json({ success: true, data: version === 'v1' ? data : { web: data } });
}

async function startCrawl(
  service: JobService,
  context: Context<HttpEnv>,
  version: FirecrawlVersion,
): Promise<Response> {
  const { value: asked, formats } = await readFirecrawlBody(service, context, REQUESTS[version].crawl);
  const value = { ...asked, ...screenshotIn(formats) };
  const accepted = await acceptCall(service, {
    operationId: 'crawl',
    principal: context.get('principal'),
    value,
    signal: GOES_ON,
  });
  accepted.leave();
  context.header('X-Quarry-Job-Id', accepted.jobId);
  const id = [accepted.jobId, ...formats.map((format) => CRAWL_FORMATS.indexOf(format))].join('.');
  return context.json({ success: true, id, url: firecrawlJobAddress(service, version, id) });
}

const GOES_ON = new AbortController().signal;

function firecrawlJobAddress(service: JobService, version: FirecrawlVersion, id: string): string {
  return `${new URL(service.baseUrl()).origin}/firecrawl/${version}/crawl/${id}`;
}

/** The id of a crawl is its job and the formats that its pages have. */
function crawlOf(id: string): { jobId: string; formats: CrawlFormat[] } {
  const [jobId = '', ...places] = id.split('.');
  const formats = places.map((place) => CRAWL_FORMATS[Number(place)]);
  if (formats.length > 0 && formats.every((format) => format !== undefined)) return { jobId, formats };
  throw new QuarryError('not_found', 'There is no crawl with this id.');
}

const STATUSES = { queued: 'scraping', processing: 'scraping', completed: 'completed', failed: 'failed' } as const;

async function crawlStatus(
  { service, crawlSoFar }: FirecrawlDeps,
  context: Context<HttpEnv, '/crawl/:id'>,
  version: FirecrawlVersion,
) {
  const { skip, limit } = parseQuery(StatusQuery, queryOf(context));
  const id = context.req.param('id');
  const { jobId, formats } = crawlOf(id);
  const job = service.jobs.row(jobId);
  const error = job.error === null ? null : parseOwnJson<{ code: string; message: string }>(job.error);
  const head = {
    // Clients of version 2 read the status of an answer that is a success only.
    success: version === 'v2' || error === null,
    status: error?.code === 'cancelled' ? 'cancelled' : STATUSES[job.status],
    creditsUsed: 0,
    expiresAt: job.expires_at === null ? null : toIsoTime(job.expires_at),
    error: error?.message,
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
  const next = end < total ? { next: `${firecrawlJobAddress(service, version, id)}?skip=${end}&limit=${limit}` } : {};
  return context.json({ ...head, completed: total, total, ...next, data });
}

type Page = CrawlResult['pages'][number] & { markdown: string };

/** The pages of a crawl, one after another, so that a large one fills no memory. */
async function* pagesOf(service: JobService, jobId: string): AsyncGenerator<Page> {
  const path = service.filePathOf(jobId, 'pages.jsonl');
  if (path === null) return;
  for await (const line of jsonLines(createReadStream(path, 'utf8'))) {
    yield parseOwnJson<Page>(line);
  }
}

function documentOf(page: Page, formats: readonly Format[]): object {
  const { title, description, language, url, status, image, siteName, published, modified, contentType } = page;
  const facts = { title, description, language, ogImage: image, ogSiteName: siteName, publishedTime: published };
  const known = { ...facts, modifiedTime: modified, sourceURL: url, url, statusCode: status, contentType };
  return {
    markdown: formats.includes('markdown') ? page.markdown : undefined,
    screenshot: formats.includes('screenshot@fullPage') && page.screenshot !== null ? page.screenshot : undefined,
    metadata: Object.fromEntries(Object.entries(known).filter(([, value]) => value !== null)),
  };
}

/** Outcomes of what the only page of a crawl links to. It embeds the others. */
const LINKED = new Set(['depth', 'scope', 'nofollow']);

async function linksOf(service: JobService, jobId: string): Promise<string[]> {
  const links: string[] = [];
  for await (const { url, verdict } of ledgerOf(service, jobId)) if (LINKED.has(verdict)) links.push(url);
  return links;
}

interface Outcome {
  url: string;
  verdict: string;
  reason: string;
}

async function* ledgerOf(service: JobService, jobId: string): AsyncGenerator<Outcome> {
  const path = service.filePathOf(jobId, 'ledger.jsonl');
  if (path === null) return;
  for await (const line of jsonLines(createReadStream(path, 'utf8'))) {
    yield parseOwnJson<Outcome>(line);
  }
}

const ERRORS_MAX = 1000;

/** Outcomes of addresses that could not be read. */
const FAILED = new Set(['status', 'forbidden', 'unreachable', 'unreadable', 'too-large', 'script-failed']);

async function errorsOf(service: JobService, jobId: string) {
  const errors: object[] = [];
  const robotsBlocked: string[] = [];
  for await (const { url, verdict, reason } of ledgerOf(service, jobId)) {
    if (errors.length + robotsBlocked.length >= ERRORS_MAX) break;
    if (verdict === 'robots') robotsBlocked.push(url);
    else if (FAILED.has(verdict)) errors.push({ id: String(errors.length), url, error: reason });
  }
  return { errors, robotsBlocked };
}
