/**
 * Which addresses may be asked for at all, before any look-up, and what may travel on when one redirects to another.
 * The threat is a redirect: to a weaker scheme, or to a host that must not see what was meant for the first one.
 */

import { QuarryError } from '../errors.ts';

const MAX_URL_CHARS = 8192;

const REDIRECTS = new Set([301, 302, 303, 307, 308]);

/** Redirects that keep method and body (RFC 9110). */
const REPEATING_REDIRECTS = new Set([307, 308]);

/** What may travel to the target of a redirect; credentials and signatures are for the first host only. */
const FORWARDED_HEADERS = ['accept', 'accept-language', 'content-type'];

/** What the account that asks may reach. Both true only for the owner. */
export interface FetchPolicy {
  allowHttp: boolean;
  allowPrivateNetworks: boolean;
}

/** What one request sends. */
export interface Exchange {
  method: 'GET' | 'HEAD' | 'POST';
  headers: Readonly<Record<string, string>>;
  body: string | Buffer | null;
}

/** Parses an address and applies the rules that need no look-up. Errors: `source_forbidden`. */
export function checkUrl(address: string, base: URL | undefined, policy: FetchPolicy): URL {
  const forbidden = (message: string) => new QuarryError('source_forbidden', message);
  if (address.length > MAX_URL_CHARS) throw forbidden('The address is too long.');
  const url = URL.parse(address, base?.href);
  if (url === null) throw forbidden('The address is not an absolute URL.');
  if (url.protocol !== 'https:' && !(url.protocol === 'http:' && policy.allowHttp)) {
    const wanted = policy.allowHttp ? 'http and https' : 'https';
    throw forbidden(`Only ${wanted} addresses are fetched${base === undefined ? '' : ', redirects included'}.`);
  }
  if (url.username !== '' || url.password !== '') {
    throw forbidden('The address holds a user name or password; give a public or signed URL instead.');
  }
  return url;
}

/** Whether a response sends its reader on, and where to. */
export function redirectTarget(status: number, location: string | undefined): string | null {
  if (location === undefined || !REDIRECTS.has(status)) return null;
  // Header bytes arrive as Latin-1; servers that do not escape a Location mean UTF-8.
  return Buffer.from(location, 'latin1').toString('utf8');
}

/** The request for the target of a redirect. */
export function redirected(exchange: Exchange, status: number): Exchange {
  const repeats = REPEATING_REDIRECTS.has(status) || exchange.method !== 'POST';
  const names = repeats ? FORWARDED_HEADERS : FORWARDED_HEADERS.filter((name) => name !== 'content-type');
  const headers = Object.fromEntries(Object.entries(exchange.headers).filter(([name]) => names.includes(name)));
  if (repeats) return { ...exchange, headers };
  return { ...exchange, headers, method: 'GET', body: null };
}
