/**
 * The cookies of one crawl (RFC 6265, with the name prefixes of its successor). They are kept in memory, sent only to
 * the hosts that they belong to, and end with the crawl. Threats: a cookie for a whole public suffix or for another
 * site, one that fills the memory, and one that breaks the header it is sent in.
 */

import { getPublicSuffix } from 'tldts';
import type { PageCookie } from '../../../workers/pages/tasks.ts';
import type { Clock } from '../../platform/clock.ts';
import { KIB, SECOND_MS } from '../../platform/units.ts';
import { siteOf } from './scope.ts';

/** Of the name and the value of a cookie. */
const MAX_COOKIE_BYTES = 4 * KIB;

const MAX_ATTRIBUTE_CHARS = KIB;

const MAX_COOKIES_OF_DOMAIN = 50;

const MAX_COOKIES = 500;

const MAX_JAR_BYTES = 256 * KIB;

const MAX_HEADER_BYTES = 16 * KIB;

/** Headers of one answer that are looked at. */
const MAX_SET_COOKIES = 100;

/** A cookie is kept for at most as long, which is longer than any crawl. */
const MAX_AGE_MS = 400 * 24 * 60 * 60 * SECOND_MS;

// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what a header may not contain
const CONTROL = /[\u0000-\u0008\u000a-\u001f\u007f]/;

interface Kept {
  name: string;
  value: string;
  /** Without a leading dot. */
  domain: string;
  /** Only its own host, not those below it. */
  isHostOnly: boolean;
  path: string;
  /** Milliseconds since 1970; null: the crawl. */
  expiresAt: number | null;
  isSecure: boolean;
  isHttpOnly: boolean;
  sameSite: PageCookie['sameSite'];
}

export class CookieJar {
  readonly #clock: Pick<Clock, 'now'>;
  /** By domain, path and name, the oldest first. */
  readonly #kept = new Map<string, Kept>();
  #bytes = 0;

  constructor(clock: Pick<Clock, 'now'>) {
    this.#clock = clock;
  }

  /** Keeps what an answer of `url` sets. Cookies that break a rule are ignored, as in browsers. */
  storeSetCookies(url: string, headers: readonly string[]): void {
    const from = new URL(url);
    for (const header of headers.slice(0, MAX_SET_COOKIES)) {
      const cookie = parseSetCookie(header, from, this.#clock.now());
      if (cookie !== null) this.#keepCookie(cookie, from);
    }
  }

  /** Keeps what a browser has set while it showed the page `url`: cookies of its site only. */
  storePageCookies(url: string, cookies: readonly PageCookie[]): void {
    const site = siteOf(new URL(url).hostname);
    for (const { name, value, domain, path, expires, httpOnly, secure, sameSite } of cookies) {
      const host = domain.replace(/^\./, '').toLowerCase();
      if (siteOf(host) !== site || CONTROL.test(name + value) || !path.startsWith('/')) continue;
      const kept: Kept = {
        name,
        value: headerText(value),
        domain: host,
        isHostOnly: !domain.startsWith('.'),
        path,
        sameSite,
        isSecure: secure,
        isHttpOnly: httpOnly,
        expiresAt: expires < 0 ? null : expires * SECOND_MS,
      };
      if (kept.isHostOnly || mayCover(host)) this.#keepCookie(kept, null);
    }
  }

  /** The value of the header `Cookie` of a request for `url`; null when no cookie goes there. */
  cookieHeaderFor(url: string): string | null {
    if (this.#kept.size === 0) return null;
    const to = new URL(url);
    const pairs = [...this.#kept.values()]
      .filter((cookie) => this.#goesTo(cookie, to) && matchesCookiePath(to.pathname, cookie.path))
      // Sorting keeps the order of those with paths of one length: the older first.
      .sort((one, other) => other.path.length - one.path.length)
      .map(({ name, value }) => (name === '' ? value : `${name}=${value}`));
    while (pairs.join('; ').length > MAX_HEADER_BYTES) pairs.pop();
    return pairs.length === 0 ? null : pairs.join('; ');
  }

  /** The cookies of the host of a page on any path, for the browser that shows it. */
  cookiesOfHost(url: string): PageCookie[] {
    const to = new URL(url);
    return [...this.#kept.values()]
      .filter((cookie) => this.#goesTo(cookie, to))
      .map(({ name, value, domain, isHostOnly, path, expiresAt, isHttpOnly, isSecure, sameSite }) => ({
        name,
        value,
        domain: isHostOnly ? domain : `.${domain}`,
        path,
        httpOnly: isHttpOnly,
        secure: isSecure,
        sameSite,
        expires: expiresAt === null ? -1 : expiresAt / SECOND_MS,
      }));
  }

  #goesTo({ domain, isHostOnly, isSecure, expiresAt }: Kept, { hostname, protocol }: URL): boolean {
    if (expiresAt !== null && expiresAt <= this.#clock.now()) return false;
    if (isSecure && protocol !== 'https:') return false;
    return isHostOnly ? hostname === domain : belongsTo(hostname, domain);
  }

  /** @param from the address that set it; null for one that a browser has accepted */
  #keepCookie(cookie: Kept, from: URL | null): void {
    const key = JSON.stringify([cookie.domain, cookie.path, cookie.name]);
    const old = this.#kept.get(key);
    // A page that came in the clear neither reads nor replaces what came safely.
    if (old?.isSecure && from !== null && from.protocol !== 'https:') return;
    this.#dropCookie(key);
    if (cookie.expiresAt !== null && cookie.expiresAt <= this.#clock.now()) return;
    const bytes = bytesOf(cookie);
    if (bytes > MAX_COOKIE_BYTES) return;
    this.#kept.set(key, cookie);
    this.#bytes += bytes;
    const ofDomain = [...this.#kept].filter(([, { domain }]) => domain === cookie.domain);
    for (const [oldest] of ofDomain.slice(0, Math.max(0, ofDomain.length - MAX_COOKIES_OF_DOMAIN))) {
      this.#dropCookie(oldest);
    }
    for (const oldest of this.#kept.keys()) {
      if (this.#kept.size <= MAX_COOKIES && this.#bytes <= MAX_JAR_BYTES) break;
      this.#dropCookie(oldest);
    }
  }

  #dropCookie(key: string): void {
    const cookie = this.#kept.get(key);
    if (cookie === undefined) return;
    this.#kept.delete(key);
    this.#bytes -= bytesOf(cookie);
  }
}

function bytesOf({ name, value }: Kept): number {
  return name.length + value.length;
}

/** Bytes of UTF-8 as the characters of a header. */
function headerText(text: string): string {
  return Buffer.from(text, 'latin1').toString('latin1') === text ? text : Buffer.from(text, 'utf8').toString('latin1');
}

/** Null for a cookie that the address may not set. */
function parseSetCookie(header: string, from: URL, now: number): Kept | null {
  const [pair = '', ...rest] = header.split(';');
  if (CONTROL.test(header)) return null;
  const equals = pair.indexOf('=');
  const name = pair.slice(0, Math.max(0, equals)).trim();
  const value = pair.slice(equals + 1).trim();
  if (name === '' && value === '') return null;
  const attributes = attributesOf(rest);
  const isHttps = from.protocol === 'https:';
  const isSecure = attributes.has('secure');
  if (isSecure && !isHttps) return null;
  const scope = scopeOf(attributes.get('domain') ?? '', from.hostname);
  if (scope === null) return null;
  const stated = attributes.get('path') ?? '';
  const path = stated.startsWith('/') ? stated : defaultPath(from.pathname);
  if (/^__secure-/i.test(name) && !isSecure) return null;
  if (/^__host-/i.test(name) && !(isSecure && scope.isHostOnly && stated === '/')) return null;
  const expiresAt = expiryOf(attributes, now);
  const isHttpOnly = attributes.has('httponly');
  return { name, value, ...scope, path, expiresAt, isSecure, isHttpOnly, sameSite: sameSiteOf(attributes, isSecure) };
}

/** By names in lower case. Of several the last counts. */
function attributesOf(parts: readonly string[]): Map<string, string> {
  const attributes = new Map<string, string>();
  for (const part of parts) {
    const equals = part.indexOf('=');
    const name = (equals < 0 ? part : part.slice(0, equals)).trim().toLowerCase();
    const value = equals < 0 ? '' : part.slice(equals + 1).trim();
    if (value.length <= MAX_ATTRIBUTE_CHARS) attributes.set(name, value);
  }
  return attributes;
}

/** Browsers without a statement take `Lax`; `None` without `Secure` is none of theirs. */
function sameSiteOf(attributes: ReadonlyMap<string, string>, isSecure: boolean): PageCookie['sameSite'] {
  const stated = attributes.get('samesite')?.toLowerCase();
  if (stated === 'strict') return 'Strict';
  return stated === 'none' && isSecure ? 'None' : 'Lax';
}

function scopeOf(stated: string, host: string): Pick<Kept, 'domain' | 'isHostOnly'> | null {
  const own = { domain: host, isHostOnly: true };
  const domain = stated.replace(/^\./, '').toLowerCase();
  if (domain === '') return own;
  if (!mayCover(domain)) return domain === host ? own : null;
  return belongsTo(host, domain) ? { domain, isHostOnly: false } : null;
}

/** Whether a cookie may go to all hosts below the domain: not below a public suffix or an address. */
function mayCover(domain: string): boolean {
  if (/^[\d.]+$|:/.test(domain)) return false;
  return getPublicSuffix(domain, { allowPrivateDomains: true }) !== domain;
}

function belongsTo(host: string, domain: string): boolean {
  return host === domain || (host.endsWith(`.${domain}`) && !/^[\d.]+$|:/.test(host));
}

function defaultPath(pathname: string): string {
  return pathname.slice(0, Math.max(1, pathname.lastIndexOf('/')));
}

function matchesCookiePath(pathname: string, path: string): boolean {
  return pathname === path || (pathname.startsWith(path) && (path.endsWith('/') || pathname[path.length] === '/'));
}

function expiryOf(attributes: ReadonlyMap<string, string>, now: number): number | null {
  const maxAge = attributes.get('max-age') ?? '';
  if (/^-?\d+$/.test(maxAge)) return now + Math.min(Number(maxAge) * SECOND_MS, MAX_AGE_MS);
  const date = cookieDateOf(attributes.get('expires') ?? '');
  return date === null ? null : Math.min(date, now + MAX_AGE_MS);
}

const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];

/** The date of RFC 6265, 5.1.1: its parts in any order. Null when one is missing or impossible. */
function cookieDateOf(text: string): number | null {
  let time: number[] | null = null;
  let day: number | null = null;
  let month: number | null = null;
  let year: number | null = null;
  for (const token of text.split(/[^\w:]+/)) {
    const clock = /^(\d{1,2}):(\d{1,2}):(\d{1,2})(?:\D|$)/.exec(token);
    const [, number = ''] = /^(\d{1,4})(?:\D|$)/.exec(token) ?? [];
    const named = MONTHS.indexOf(token.slice(0, 3).toLowerCase());
    if (time === null && clock !== null) time = clock.slice(1).map(Number);
    else if (day === null && /^\d{1,2}$/.test(number)) day = Number(number);
    else if (month === null && named >= 0) month = named;
    else if (year === null && /^\d{2,4}$/.test(number)) year = Number(number);
  }
  if (time === null || day === null || month === null || year === null) return null;
  if (year < 100) year += year < 70 ? 2000 : 1900;
  const [hours = 0, minutes = 0, seconds = 0] = time;
  if (day < 1 || day > 31 || year < 1601 || hours > 23 || minutes > 59 || seconds > 59) return null;
  return Date.UTC(year, month, day, hours, minutes, seconds);
}
