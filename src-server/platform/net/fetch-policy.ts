/**
 * Checks that apply to a URL before DNS, and to headers on a redirect. Threat: a redirect to a weaker scheme, or to a
 * host that must not receive what was meant for the first one.
 */

import { QuarryError } from '../errors.ts';
import { type Said, say } from '../text/say.ts';
import type { PrivateHost } from './private-host.ts';

const MAX_URL_CHARS = 8192;

const REDIRECTS = new Set([301, 302, 303, 307, 308]);

/** Redirects that preserve method and body (RFC 9110). */
const REPEATING_REDIRECTS = new Set([307, 308]);

/** Headers forwarded to a redirect target. Credentials and signatures stay with the first host. */
const FORWARDED_HEADERS = ['accept', 'accept-encoding', 'accept-language', 'content-type', 'range'];

/** What the requesting account may access. Only the owner, and keys with the scope for it, may have both. */
export interface FetchPolicy {
  allowHttp: boolean;
  /** The private host that the request names; null for public hosts only; `any` where no stranger gives an address. */
  privateHost: PrivateHost | 'any' | null;
}

/** Method, headers and body of one request. */
export interface Exchange {
  method: 'GET' | 'HEAD' | 'POST';
  headers: Readonly<Record<string, string>>;
  body: string | Buffer | null;
}

/** Runs `work` with a signal that ends on the caller's abort or after a time. */
export async function withDeadline<Result>(
  { timeoutMs, signal }: { timeoutMs: number; signal: AbortSignal | undefined },
  work: (end: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const end = new AbortController();
  const abortFetchDeadline = () => end.abort();
  const timer = setTimeout(abortFetchDeadline, timeoutMs);
  signal?.addEventListener('abort', abortFetchDeadline, { once: true });
  try {
    signal?.throwIfAborted();
    return await work(end.signal);
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', abortFetchDeadline);
  }
}

/** Parses a URL and applies the rules that need no DNS. Errors: `source_forbidden`. */
export function checkUrl(address: string, base: URL | undefined, policy: FetchPolicy): URL {
  const sourceForbidden = (message: Said) => new QuarryError('source_forbidden', message);
  if (address.length > MAX_URL_CHARS) throw sourceForbidden(say`The address is too long.`);
  const url = URL.parse(address, base?.href);
  if (url === null) throw sourceForbidden(say`The address is not an absolute URL.`);
  if (url.protocol !== 'https:' && !(url.protocol === 'http:' && policy.allowHttp)) {
    const wanted = policy.allowHttp ? say`http and https` : say`https`;
    throw sourceForbidden(
      base === undefined
        ? say`Only ${wanted} addresses are fetched.`
        : say`Only ${wanted} addresses are fetched, redirects included.`,
    );
  }
  if (url.username !== '' || url.password !== '') {
    throw sourceForbidden(say`The address contains a user name or password; give a public or signed URL instead.`);
  }
  return url;
}

/** The target of a redirect response; null for other responses. */
export function redirectTarget(status: number, location: string | undefined): string | null {
  if (location === undefined || !REDIRECTS.has(status)) return null;
  // Header bytes arrive as Latin-1. Servers that do not escape a Location mean UTF-8.
  return Buffer.from(location, 'latin1').toString('utf8');
}

/** Builds the request for a redirect target. */
export function redirectedExchange(exchange: Exchange, status: number): Exchange {
  const repeats = REPEATING_REDIRECTS.has(status) || exchange.method !== 'POST';
  const names = repeats ? FORWARDED_HEADERS : FORWARDED_HEADERS.filter((name) => name !== 'content-type');
  const headers = Object.fromEntries(Object.entries(exchange.headers).filter(([name]) => names.includes(name)));
  if (repeats) return { ...exchange, headers };
  return { ...exchange, headers, method: 'GET', body: null };
}
