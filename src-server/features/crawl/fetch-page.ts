/**
 * Sends one request for one URL. Threats: endless responses, content that is not a page, and redirects. A redirect is
 * never followed here; its target becomes a URL of the crawl, with its own checks. Unwanted bodies are not read. Sizes
 * are bounded on the wire and decompressed, and so are times.
 */

import type { IncomingHttpHeaders } from 'node:http';
import type { Clock } from '../../platform/clock.ts';
import { QuarryError } from '../../platform/errors.ts';
import type { FetchPolicy } from '../../platform/net/fetch-policy.ts';
import type { GuardedClient } from '../../platform/net/guarded-client.ts';
import { omitUndefined } from '../../platform/omit-undefined.ts';
import { say } from '../../platform/text/say.ts';
import { MIB, SECOND_MS } from '../../platform/units.ts';
import type { CookieJar } from './cookies.ts';
import type { KnownPage, TakenUrl } from './frontier.ts';
import { isDocument, MAX_DOCUMENTS } from './linked-documents.ts';
import type { CrawlChoice, CrawlVerdict } from './schema.ts';
import { isNamedAsAsset } from './scope.ts';

/** The interface's limit for assets. Pages have the same limit. */
const MAX_PAGE_BYTES = 10 * MIB;

const MAX_SITEMAP_BYTES = 50 * MIB;

const PAGE_TYPE = /^(?:text\/(?:html|plain|(?:x-)?markdown)|application\/xhtml\+xml)$/;

/** Servers with unknown script types label them as plain text. Only these types are certain to be pages. */
const CERTAIN_PAGE_TYPE = /^(?:text\/html|application\/xhtml\+xml)$/;

const SITEMAP_TYPE = /^(?:(?:application|text)\/(?:[\w.-]+\+)?xml|application\/(?:x-)?gzip|application\/octet-stream)$/;

const ACCEPT = 'text/html,application/xhtml+xml,text/plain;q=0.8,*/*;q=0.1';

const NAMES_TYPE = /^\s*[\w.+-]+\/[\w.+-]+\s*(?:;|$)/;

const PASSING_STATUSES = new Set([408, 425, 429, 500, 502, 503, 504]);

/** A body that comes more slowly is given up: a host sends at most six at a time. */
const LEAST_BYTES_PER_SECOND = 512;

const MAX_RETRY_AFTER_MS = 60 * SECOND_MS;

export type Fetched =
  | { kind: 'body'; response: PageResponse; body: Buffer; isCutOff?: boolean }
  | { kind: 'document'; response: PageResponse; body: Buffer }
  | { kind: 'unchanged'; response: PageResponse }
  | ({ kind: 'redirect' } & Redirect)
  | ({ kind: 'verdict' } & Refusal)
  | ({ kind: 'later' } & Later);

export interface Redirect {
  location: string;
  status: number;
  /** The address gets other cookies now than with this request. */
  hasNewCookies: boolean;
}

/** Why a URL is no page. */
interface Refusal {
  verdict: CrawlVerdict;
  reason: string;
  /** HTTP status, when it is the reason. */
  status?: number;
}

/** A retry may succeed. */
export interface Later extends Refusal {
  afterMs: number | null;
  /** The page as far as it came, if the connection ended within it. */
  part?: Extract<Fetched, { kind: 'body' }>;
  /** The host throttles: 429, or 503 with Retry-After. This applies to the host, not to the page. */
  tooOften: boolean;
}

export interface PageResponse {
  status: number;
  contentType: string;
  robotsHeader: string;
  etag: string | null;
  lastModified: string | null;
  /** The address gets cookies now, and had none with this request. */
  hasNewCookies: boolean;
  /** What a browser needs to show the page as its server means it. */
  pageHeaders: [name: string, value: string][];
}

/** Headers that decide what a page may do. */
const PAGE_HEADERS = [
  ...['content-type', 'content-language', 'content-security-policy', 'permissions-policy', 'referrer-policy'],
  ...['cross-origin-embedder-policy', 'cross-origin-opener-policy', 'origin-agent-cluster'],
];

export interface FetchDeps {
  client: GuardedClient;
  policy: FetchPolicy;
  clock: Clock;
  choice: CrawlChoice;
  cookies: CookieJar;
  /** From sending the request to the end of the body. */
  pageLimitMs: number;
}

/** Errors: `cancelled`, `interrupted`. All other failures are outcomes. */
export async function fetchPage(
  taken: TakenUrl,
  known: KnownPage | null,
  deps: FetchDeps & {
    /** Documents that were read. */
    documents: number;
  },
  signal: AbortSignal,
): Promise<Fetched> {
  const maxBytes = taken.expects !== 'page' ? MAX_SITEMAP_BYTES : MAX_PAGE_BYTES;
  let refused: Fetched | null = null;
  let hasBegun = false;
  const cookie = deps.cookies.sentHeaderFor(taken.url);
  try {
    const { status, headers, body, truncated, isCutOff } = await deps.client.request(taken.url, {
      policy: deps.policy,
      totalTimeoutMs: deps.pageLimitMs,
      maxResponseBytes: maxBytes,
      leastBytesPerSecond: LEAST_BYTES_PER_SECOND,
      takesPart: true,
      headers: { accept: ACCEPT, ...omitUndefined({ cookie: cookie ?? undefined }), ...conditionsOf(known) },
      signal,
      wantsBody: (response) => {
        // The dispatcher gives a single one as a string.
        deps.cookies.storeSetCookies(taken.url, [response.headers['set-cookie'] ?? []].flat());
        refused = responseRefusalOf(response, {
          taken,
          maxBytes,
          now: deps.clock.now(),
          documents: deps.choice.documents ? deps.documents : null,
        });
        hasBegun = refused === null && response.status === 200;
        return hasBegun;
      },
    });
    if (refused !== null) return refused;
    const location = headers.location;
    const hasNewCookies = deps.cookies.cookieHeaderFor(taken.url) !== cookie;
    if (status >= 300 && status < 400 && status !== 304) {
      if (location === undefined) return { kind: 'verdict', verdict: 'status', reason: say`Status ${status}.`, status };
      return { kind: 'redirect', location: Buffer.from(location, 'latin1').toString('utf8'), status, hasNewCookies };
    }
    if (truncated) return pageTooLarge(maxBytes);
    // Many pages set another value each time.
    const response = { ...responseOf(status, headers), hasNewCookies: hasNewCookies && cookie === null };
    if (status === 304) return { kind: 'unchanged', response };
    if (isCutOff) return cutOff(taken, response, body);
    const isOne = deps.choice.documents && isDocument(taken.url, mediaTypeOf(headers));
    return { kind: isOne ? 'document' : 'body', response, body };
  } catch (error) {
    return fetchFailureOf(error, hasBegun);
  }
}

/** Another attempt may get the whole page. */
function cutOff(taken: TakenUrl, response: PageResponse, body: Buffer): Fetched {
  const reason = say`The connection ended within the page.`;
  const later = { kind: 'later', verdict: 'unreachable', reason, afterMs: null, tooOften: false } as const;
  const isPage = taken.expects !== 'sitemap' && CERTAIN_PAGE_TYPE.test(response.contentType.split(';', 1)[0] ?? '');
  return isPage && body.length > 0 ? { ...later, part: { kind: 'body', response, body, isCutOff: true } } : later;
}

function conditionsOf(known: KnownPage | null): Record<string, string> {
  if (known === null) return {};
  return {
    ...omitUndefined({
      'if-none-match': known.etag ?? undefined,
      'if-modified-since': known.lastModified ?? undefined,
    }),
  };
}

type Answer = { status: number; headers: IncomingHttpHeaders };

interface Wanted {
  taken: TakenUrl;
  maxBytes: number;
  now: number;
  /** Documents that were read; null if none are. */
  documents: number | null;
}

function responseRefusalOf(response: Answer, { taken, maxBytes, now, documents }: Wanted): Fetched | null {
  const { status, headers } = response;
  if (PASSING_STATUSES.has(status)) {
    const verdict = { verdict: 'status', reason: say`Status ${status}, also after retries.`, status } as const;
    const afterMs = retryAfterMs(headers, now);
    return { kind: 'later', afterMs, tooOften: status === 429 || (status === 503 && afterMs !== null), ...verdict };
  }
  if (status >= 300 && status < 400) return null;
  if (status !== 200) return { kind: 'verdict', verdict: 'status', reason: say`Status ${status}.`, status };
  const type = mediaTypeOf(headers);
  const stated = Number(headers['content-length'] ?? 0);
  if (documents !== null && isDocument(taken.url, type)) {
    if (stated > maxBytes) return pageTooLarge(maxBytes);
    if (documents < MAX_DOCUMENTS) return null;
    return { kind: 'verdict', verdict: 'limit', reason: say`${MAX_DOCUMENTS} documents were read.` };
  }
  if (type !== '' && !PAGE_TYPE.test(type) && !(taken.expects !== 'page' && SITEMAP_TYPE.test(type))) {
    return { kind: 'verdict', verdict: 'type', reason: say`Its content type is ${type.slice(0, 100)}.` };
  }
  if (taken.expects === 'page' && isNamedAsAsset(taken.url) && !CERTAIN_PAGE_TYPE.test(type)) {
    return {
      kind: 'verdict',
      verdict: 'type',
      reason: say`Neither its file extension nor its content type is one of a page.`,
    };
  }
  return stated > maxBytes ? pageTooLarge(maxBytes) : null;
}

function pageTooLarge(maxBytes: number): Fetched {
  return { kind: 'verdict', verdict: 'too-large', reason: say`It is larger than ${maxBytes / MIB} MB.` };
}

function responseOf(status: number, headers: IncomingHttpHeaders): Omit<PageResponse, 'hasNewCookies'> {
  return {
    status,
    contentType: contentTypeOf(headers),
    robotsHeader: [headers['x-robots-tag'] ?? []].flat().join('\n'),
    etag: headers.etag ?? null,
    lastModified: headers['last-modified'] ?? null,
    pageHeaders: PAGE_HEADERS.flatMap((name) =>
      [headers[name] ?? []].flat().map((value): [string, string] => [name, value]),
    ),
  };
}

/** Without parameters. */
function mediaTypeOf(headers: IncomingHttpHeaders): string {
  return contentTypeOf(headers).split(';', 1)[0]?.trim() ?? '';
}

/** In lower case. When a proxy merged several, the last valid one counts, as in browsers. */
function contentTypeOf(headers: IncomingHttpHeaders): string {
  const types = (headers['content-type'] ?? '').toLowerCase().split(',');
  return types.findLast((type) => NAMES_TYPE.test(type))?.trim() ?? types[0]?.trim() ?? '';
}

/** A body that comes too slowly would do so again. */
function fetchFailureOf(error: unknown, hasBegun: boolean): Fetched {
  if (!(error instanceof QuarryError) || error.code === 'cancelled' || error.code === 'interrupted') throw error;
  if (error.code === 'source_forbidden') return { kind: 'verdict', verdict: 'forbidden', reason: error.message };
  const verdict = { verdict: 'unreachable', reason: error.message } as const;
  return error.retryable && !(hasBegun && error.code === 'timeout')
    ? { kind: 'later', afterMs: null, tooOften: false, ...verdict }
    : { kind: 'verdict', ...verdict };
}

/**
 * Milliseconds of Retry-After, from seconds or a date. A date is compared with the Date header of the response, so that
 * the clocks need not agree.
 */
export function retryAfterMs(headers: IncomingHttpHeaders, now: number): number | null {
  const asked = headers['retry-after']?.trim() ?? '';
  if (/^\d{1,6}$/.test(asked)) return Math.min(Number(asked) * SECOND_MS, MAX_RETRY_AFTER_MS);
  const until = /^[a-z]{3,9},? /i.test(asked) ? Date.parse(asked) : Number.NaN;
  if (Number.isNaN(until)) return null;
  const answeredAt = Date.parse(headers.date ?? '');
  const waitMs = until - (Number.isNaN(answeredAt) ? now : answeredAt);
  return Math.min(Math.max(0, waitMs), MAX_RETRY_AFTER_MS);
}
