/**
 * The cookies of one crawl: RFC 6265 by tough-cookie. They are kept in memory, sent only to the hosts that they belong
 * to, and end with the crawl. Requests bring them only to sites that show their text to nobody else: elsewhere a cookie
 * alters what comes later (a language that one address chose, a count of pages that were read). Threats: a cookie for a
 * whole public suffix or for another site, one that fills the memory, and one that breaks the header it is sent in.
 */

import { Cookie, MemoryCookieStore, CookieJar as StandardJar } from 'tough-cookie';
import type { PageCookie } from '../../../workers/pages/tasks.ts';
import type { Clock } from '../../platform/clock.ts';
import { KIB, SECOND_MS } from '../../platform/units.ts';
import { siteOf } from './scope.ts';

/** Of the name and the value of a cookie. */
const MAX_COOKIE_BYTES = 4 * KIB;

const MAX_COOKIES_OF_DOMAIN = 50;

const MAX_COOKIES = 500;

const MAX_JAR_BYTES = 256 * KIB;

const MAX_HEADER_BYTES = 16 * KIB;

/** Headers of one answer that are looked at. */
const MAX_SET_COOKIES = 100;

// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what a header may not contain
const CONTROL = /[\u0000-\u0008\u000a-\u001f\u007f]/;

/** What an address answered without cookies: little text that leads nowhere, or little text. */
export type CookieTry = 'wall' | 'short';

/** Of a site. */
const MAX_TRIES: Record<CookieTry, number> = { short: 3, wall: 20 };

interface Kept {
  cookie: Cookie;
  bytes: number;
  /** Milliseconds since 1970 by the clock of the crawl; `Infinity`: the crawl. */
  expiresAt: number;
}

export class CookieJar {
  readonly #clock: Pick<Clock, 'now'>;
  readonly #store = new MemoryCookieStore();
  readonly #jar = new StandardJar(this.#store, {
    looseMode: true,
    prefixSecurity: 'silent',
    allowSecureOnLocal: false,
    enforceSecureOriginOnStorage: true,
  });
  /** By domain, path and name, the oldest first. */
  readonly #kept = new Map<string, Kept>();
  #bytes = 0;
  readonly #openSites = new Set<string>();
  /** Addresses that are requested with cookies, to see whether their site asks for them. */
  readonly #tried = new Map<string, CookieTry>();
  readonly #triesOfSites = new Map<string, number>();

  constructor(clock: Pick<Clock, 'now'>) {
    this.#clock = clock;
  }

  /** Keeps what an answer of `url` sets. Cookies that break a rule are ignored, as in browsers. */
  storeSetCookies(url: string, headers: readonly string[]): void {
    for (const header of headers.slice(0, MAX_SET_COOKIES)) {
      const cookie = CONTROL.test(header) ? undefined : Cookie.parse(header, { loose: true });
      if (cookie !== undefined && !this.#isKeptSafely(cookie.key, url)) this.#storeCookie(cookie, url);
    }
  }

  /** Keeps what a browser has set while it showed the page `url`: cookies of its site only. */
  storePageCookies(url: string, cookies: readonly PageCookie[]): void {
    const site = siteOf(new URL(url).hostname);
    for (const { name, value, domain, path, expires, httpOnly, secure, sameSite } of cookies) {
      const host = domain.replace(/^\./, '').toLowerCase();
      if (siteOf(host) !== site || CONTROL.test(name + value)) continue;
      const cookie = new Cookie({
        key: name,
        value: headerText(value),
        domain: domain.startsWith('.') ? host : null,
        path,
        secure,
        httpOnly,
        sameSite: sameSite.toLowerCase(),
        expires: expires < 0 ? 'Infinity' : new Date(expires * SECOND_MS),
      });
      this.#storeCookie(cookie, `https://${host}/`);
    }
  }

  /** From now on requests bring the site of `url` its cookies. */
  openSite(url: string): void {
    this.#openSites.add(siteOf(new URL(url).hostname));
  }

  /** Whether the next request of `url` alone brings its cookies. Pages that are merely short are tried a few times. */
  tryWithCookies(url: string, why: CookieTry): boolean {
    const site = siteOf(new URL(url).hostname);
    if (this.#openSites.has(site)) return true;
    const tries = this.#triesOfSites.get(site) ?? 0;
    if (tries >= MAX_TRIES[why]) return false;
    this.#triesOfSites.set(site, tries + 1);
    this.#tried.set(url, why);
    return true;
  }

  /** Why `url` was requested with cookies to try it; undefined if it was not. It is not any more. */
  endTry(url: string): CookieTry | undefined {
    const why = this.#tried.get(url);
    this.#tried.delete(url);
    return why;
  }

  /** The value of the header `Cookie` that a request for `url` brings; null when it brings none. */
  sentHeaderFor(url: string): string | null {
    const brings = this.#tried.has(url) || this.#openSites.has(siteOf(new URL(url).hostname));
    return brings ? this.cookieHeaderFor(url) : null;
  }

  /** The value of the header `Cookie` by the cookies that are kept; null when there is none for `url`. */
  cookieHeaderFor(url: string): string | null {
    if (this.#kept.size === 0) return null;
    const pairs = this.#cookiesFor(url, {}).map(({ cookie }) => cookie.cookieString());
    while (pairs.join('; ').length > MAX_HEADER_BYTES) pairs.pop();
    return pairs.length === 0 ? null : pairs.join('; ');
  }

  /** The cookies of the host of a page on any path, for the browser that shows it. */
  cookiesOfHost(url: string): PageCookie[] {
    return this.#cookiesFor(url, { allPaths: true }).map(({ cookie, expiresAt }) => ({
      name: cookie.key,
      value: cookie.value,
      domain: `${cookie.hostOnly ? '' : '.'}${cookie.domain}`,
      path: cookie.path ?? '/',
      httpOnly: cookie.httpOnly,
      secure: cookie.secure,
      sameSite: sameSiteOf(cookie),
      expires: Number.isFinite(expiresAt) ? expiresAt / SECOND_MS : -1,
    }));
  }

  /** By length of their paths and age, as they are sent. */
  #cookiesFor(url: string, options: { allPaths?: boolean }): Kept[] {
    const now = this.#clock.now();
    const found = this.#jar.getCookiesSync(url, { ...options, sort: true, expire: false });
    return found.flatMap((cookie) => this.#kept.get(keyOf(cookie)) ?? []).filter(({ expiresAt }) => expiresAt > now);
  }

  /** A page that came in the clear does not replace what came safely. */
  #isKeptSafely(name: string, url: string): boolean {
    if (!url.startsWith('http:')) return false;
    const kept = this.#cookiesFor(url.replace(/^http:/, 'https:'), { allPaths: true });
    return kept.some(({ cookie }) => cookie.secure && cookie.key === name);
  }

  #storeCookie(parsed: Cookie, url: string): void {
    const bytes = parsed.key.length + parsed.value.length;
    if (bytes === 0 || bytes > MAX_COOKIE_BYTES) return;
    const now = new Date(this.#clock.now());
    const cookie = this.#jar.setCookieSync(parsed, url, { now, ignoreError: true });
    if (cookie === undefined) return;
    const key = keyOf(cookie);
    this.#bytes += bytes - (this.#kept.get(key)?.bytes ?? 0);
    this.#kept.delete(key);
    this.#kept.set(key, { cookie, bytes, expiresAt: cookie.expiryTime(now) ?? Number.POSITIVE_INFINITY });
    const ofDomain = [...this.#kept.values()].filter((kept) => kept.cookie.domain === cookie.domain);
    for (const oldest of ofDomain.slice(0, Math.max(0, ofDomain.length - MAX_COOKIES_OF_DOMAIN))) {
      this.#dropCookie(oldest);
    }
    for (const oldest of this.#kept.values()) {
      if (this.#kept.size <= MAX_COOKIES && this.#bytes <= MAX_JAR_BYTES) break;
      this.#dropCookie(oldest);
    }
  }

  #dropCookie({ cookie, bytes }: Kept): void {
    this.#kept.delete(keyOf(cookie));
    this.#bytes -= bytes;
    // The store is one in memory: it is done when the call returns.
    this.#store.removeCookie(cookie.domain ?? '', cookie.path ?? '', cookie.key, () => undefined);
  }
}

function keyOf({ domain, path, key }: Cookie): string {
  return JSON.stringify([domain, path, key]);
}

/** Bytes of UTF-8 as the characters of a header. */
function headerText(text: string): string {
  return Buffer.from(text, 'latin1').toString('latin1') === text ? text : Buffer.from(text, 'utf8').toString('latin1');
}

/** Browsers without a statement take `Lax`; `None` without `Secure` is none of theirs. */
function sameSiteOf({ sameSite, secure }: Cookie): PageCookie['sameSite'] {
  if (sameSite === 'strict') return 'Strict';
  return sameSite === 'none' && secure ? 'None' : 'Lax';
}
