/**
 * Decides which URLs a crawl fetches and which it skips before fetching, with the skip reason: other site, depth,
 * pattern, asset, limit. Reasons that need the response are in fetch-page.ts (status, type, size) and read-pages.ts
 * (noindex, duplicate).
 */

import { parse } from 'tldts';
import type { PageFacts, ReadSiteFileOutput } from '../../../workers/pages/tasks.ts';
import type { CrawlLedger, LedgerRow, TakenUrl } from './frontier.ts';
import type { CrawlVerdict } from './schema.ts';

/** Redirects that are followed from a page, and levels of sitemaps within sitemaps. */
export const MAX_HOPS = 5;

/** Addresses beyond this are counted and not kept. */
const MAX_LEDGER_URLS = 250_000;

/** Addresses of a sitemap that enter in one go: some milliseconds, in which the thread does nothing else. */
const ENTERED_AT_ONCE = 250;

/** Addresses that are known without asking the ledger: some megabytes, and more than the menus of a site hold. */
const MAX_LATELY = 10_000;

const ASSET_VERDICTS = {
  asset: { verdict: 'asset', reason: 'It is part of a page, not a page.' },
  script: { verdict: 'script', reason: 'Scripts are not run, so they are not fetched.' },
  pixel: { verdict: 'pixel', reason: 'It is an image of one pixel: it counts readers.' },
} as const;

/** Verdicts on how an address was found: a link that may be followed asks for it all the same. */
const PASSED_OVER: ReadonlySet<CrawlVerdict> = new Set(['depth', 'nofollow', 'asset', 'script', 'pixel']);

/** An address that was found, before it is judged. */
interface FoundUrl {
  url: string;
  depth: number;
  /** Redirects, or sitemaps, that led here. */
  hops: number;
  isSitemap: boolean;
  /** A sitemap lists it. */
  isListed?: boolean;
  /** Why it is not to be fetched, where the way it was found says so. */
  refused?: Judgement;
}

interface Judgement {
  verdict: CrawlVerdict;
  reason: string;
}

/** Where addresses enter the ledger: each is judged once, by where it leads and how it was found. */
export class UrlEntry {
  readonly #ledger: CrawlLedger;
  readonly #rootUrl: string;
  readonly #maxDepth: number;
  readonly #scope: SiteScope;
  readonly #onWaiting: (host: string) => void;
  /**
   * Addresses that came lately, with their depth then: the same one can have no effect when it comes again from as far
   * away, and need not be looked for in the ledger. The links of a menu come with every page.
   */
  readonly #lately = new Map<string, number>();
  #seen: number;
  #dropped = 0;

  /** `onWaiting` hears of each host that has something to fetch. */
  constructor(
    parts: { ledger: CrawlLedger; rootUrl: string; depth: number; maxPages: number },
    onWaiting: (host: string) => void,
  ) {
    this.#ledger = parts.ledger;
    this.#rootUrl = parts.rootUrl;
    this.#maxDepth = parts.depth;
    this.#scope = new SiteScope(parts.rootUrl, parts.maxPages);
    this.#onWaiting = onWaiting;
    this.#seen = parts.ledger.figures().seen;
  }

  get seen(): number {
    return this.#seen;
  }

  /** Addresses that found the ledger full. */
  get dropped(): number {
    return this.#dropped;
  }

  /** Enters an address, with its verdict where it has one. Known ones are left alone, unless they may come in now. */
  enter(found: FoundUrl): void {
    const { refused = null, ...place } = found;
    if ((this.#lately.get(found.url) ?? Number.POSITIVE_INFINITY) <= found.depth) return;
    const old = this.#ledger.find(found.url);
    if (old === null && this.#seen >= MAX_LEDGER_URLS) {
      this.#dropped += 1;
      return;
    }
    if (refused === null) this.#remember(found);
    if (old !== null && (refused !== null || !mayComeIn(old, found))) return;
    const url = new URL(found.url);
    const judged = refused ?? this.#judge(found, url);
    if (old !== null && judged !== null) return;
    this.#ledger.add({ ...place, host: url.host, verdict: judged?.verdict ?? null, reason: judged?.reason ?? '' });
    if (old === null) this.#seen += 1;
    if (judged === null) this.#onWaiting(url.host);
  }

  /**
   * Steps that enter what a sitemap lists, each short, and at last settle the sitemap: a crawl that is killed between
   * them reads it again. Its pages stand at its own depth: links are followed from them.
   */
  *sitemapSteps(taken: TakenUrl, read: ReadSiteFileOutput & { kind: 'sitemap' }): Generator<() => void> {
    const { urls, sitemaps, dropped } = read;
    const { depth } = taken;
    const hops = taken.hops + 1;
    const tooDeep = { verdict: 'limit', reason: `Sitemaps are followed ${MAX_HOPS} levels deep.` } as const;
    const found: FoundUrl[] = [
      ...urls.map((url) => ({ url, depth, hops: 0, isSitemap: false, isListed: true })),
      ...sitemaps.map((url) => ({
        url,
        depth,
        hops,
        isSitemap: true,
        ...(hops > MAX_HOPS ? { refused: tooDeep } : {}),
      })),
    ];
    for (let at = 0; at < found.length; at += ENTERED_AT_ONCE) {
      yield () =>
        this.#ledger.together(() => found.slice(at, at + ENTERED_AT_ONCE).forEach((one) => void this.enter(one)));
    }
    const rest = dropped === 0 ? '' : ` ${dropped} more are not read.`;
    const reason = `It lists ${urls.length} pages and ${sitemaps.length} sitemaps.${rest}`;
    yield () => this.#ledger.settle(taken.id, 'sitemap', reason);
  }

  enterLinks(page: Exclude<PageFacts, { problem: string }>, taken: TakenUrl, pageNofollow: boolean): void {
    const place = { depth: taken.depth + 1, hops: 0, isSitemap: false };
    if (page.canonicalUrl !== null) this.enter({ ...place, url: page.canonicalUrl, depth: taken.depth });
    const nofollowed = { verdict: 'nofollow', reason: `It is linked with nofollow from ${taken.url}` } as const;
    for (const { url, nofollow } of page.links) {
      this.enter({ ...place, url, ...(nofollow || pageNofollow ? { refused: nofollowed } : {}) });
    }
    for (const { kind, url } of page.assets) this.enter({ ...place, url, refused: ASSET_VERDICTS[kind] });
  }

  #remember({ url, depth }: FoundUrl): void {
    if (this.#lately.size >= MAX_LATELY) this.#lately.clear();
    this.#lately.set(url, depth);
  }

  #judge(found: FoundUrl, url: URL): Judgement | null {
    if (found.url === this.#rootUrl) return null;
    if (found.depth > this.#maxDepth && this.#scope.isSameSite(url)) {
      const reason = `It is ${found.depth} links away from the root; the crawl goes ${this.#maxDepth} deep.`;
      return { verdict: 'depth', reason };
    }
    const outside = this.#scope.judge(url, found.isListed);
    return outside?.verdict === 'asset' && found.isSitemap ? null : outside;
  }
}

/** What was passed over may come in by another way, and what waits may be nearer than it seemed. */
function mayComeIn(old: LedgerRow, found: FoundUrl): boolean {
  if (old.verdict === null) return found.depth < old.depth;
  return PASSED_OVER.has(old.verdict);
}

/** Endings of what is no page: asking for it would only be to throw it away. */
const ASSET_ENDING = new RegExp(
  `\\.(?:${[
    ...['wasm', 'png', 'jpe?g', 'gif', 'svg', 'ico', 'webp', 'avif', 'bmp', 'tiff?'],
    ...['woff2?', 'ttf', 'otf', 'eot', 'mp[34]', 'm4[av]', 'avi', 'mov', 'mkv', 'webm', 'og[gv]', 'wav', 'flac'],
    ...['zip', 'tar', 'tgz', 'bz2', 'xz', '7z', 'rar', 'exe', 'msi', 'dmg', 'deb', 'rpm', 'apk', 'iso', 'bin', 'jar'],
    ...['pdf', 'docx?', 'xlsx?', 'pptx?', 'odt', 'epub', 'whl'],
  ].join('|')})$`,
  'i',
);

/** Endings of code that are names of things as well (`/wiki/Node.js`, `/docs/package.json`): the type decides. */
const CODE_ENDING = /\.(?:m?js|css|map|json)$/i;

/** A wiki's page about a file, as in `File:Harbour.jpg`. */
const FILE_PAGE = /:[^/]*$/;

/** Pages that differ only in the values of the same parameters, where these say how to look: a calendar, a search. */
const MAX_VIEWS = 50;

/** Where they may as well say what to look at (`?title=`, `?id=`), so much of what a crawl may have, at least. */
const SHARE_OF_PAGES = 0.5;

/** An address of more parameters is a view: what is a page of its own needs no more to be told from others. */
const MAX_NAMING_PARAMETERS = 2;

/** Parameters of calendars, searches, orders of columns, and of what can be done with a page. */
const VIEW_PARAMETER = new RegExp(
  `^(?:${[
    ...['.*(?:date|month|year|week|sort|order|filter|facet).*', 'days?', 'cal\\w*', 'ical', 'dir', 'direction', 'q'],
    ...['query', 'search', 's', 'keywords?', 'view', 'display', 'layout', 'limit', 'per_?page', 'size', 'print\\w*'],
    ...['format', 'action', 'do', 'oldid', 'diff', 'redlink', 'replytocom', 'share', 'return\\w*', 'redirect\\w*'],
    ...['next', 'back', 'token', 'nonce', 'rand(?:om)?', 'sid', 'session\\w*'],
  ].join('|')})$`,
  'i',
);

const DATE_VALUE = /^(?:(?:19|20)\d\d[-/.]?[01]\d(?:[-/.]?[0-3]\d)?)(?:T.*)?$/;

/** A path that says the same step so often goes round in circles. */
const MAX_REPEATED_STEPS = 3;

const MAX_PATTERNS = 10_000;

/** Hosts whose site is looked up once: nearly all links of a site lead to a few. */
const MAX_KEPT_HOSTS = 1000;

type OutOfScope = { verdict: 'scope' | 'asset' | 'pattern'; reason: string };

/** Which addresses belong to a crawl. */
class SiteScope {
  readonly #site: string;
  readonly #port: string;
  readonly #maxNamed: number;
  readonly #patterns = new Map<string, number>();
  readonly #sites = new Map<string, string>();

  constructor(rootUrl: string, maxPages: number) {
    const root = new URL(rootUrl);
    this.#maxNamed = Math.max(MAX_VIEWS, Math.ceil(maxPages * SHARE_OF_PAGES));
    this.#site = siteOf(root.hostname);
    this.#port = root.port;
  }

  /**
   * Null for an address that belongs to the crawl. Only new addresses are to be asked about: patterns are counted.
   * @param isListed a sitemap has it, and so it is a page of its own, unless it is a view.
   */
  judge(url: URL, isListed = false): OutOfScope | null {
    if (!this.isSameSite(url)) return { verdict: 'scope', reason: `It is on another site: ${url.host}.` };
    const ending = FILE_PAGE.test(url.pathname) ? null : ASSET_ENDING.exec(url.pathname);
    if (ending !== null) return { verdict: 'asset', reason: `By its name it is no page: ${ending[0].toLowerCase()}.` };
    const steps = url.pathname.split('/').filter((step) => step !== '');
    const most = Math.max(0, ...steps.map((step) => steps.filter((other) => other === step).length));
    if (most > MAX_REPEATED_STEPS) return { verdict: 'pattern', reason: 'Its path goes round in circles.' };
    return this.#countPattern(url, isListed);
  }

  isSameSite(url: URL): boolean {
    return this.#siteOf(url.hostname) === this.#site && url.port === this.#port;
  }

  #siteOf(hostname: string): string {
    const known = this.#sites.get(hostname);
    if (known !== undefined) return known;
    const site = siteOf(hostname);
    if (this.#sites.size < MAX_KEPT_HOSTS) this.#sites.set(hostname, site);
    return site;
  }

  #countPattern({ pathname, searchParams, search }: URL, isListed: boolean): OutOfScope | null {
    if (search === '') return null;
    const names = [...new Set(searchParams.keys())];
    const isView =
      names.length > MAX_NAMING_PARAMETERS ||
      names.some((name) => VIEW_PARAMETER.test(name)) ||
      [...searchParams.values()].some((value) => DATE_VALUE.test(value));
    if (isListed && !isView) return null;
    const pattern = `${pathname.replace(/\d+/g, '#')}?${names.join('&')}`;
    const count = (this.#patterns.get(pattern) ?? 0) + 1;
    if (count > 1 || this.#patterns.size < MAX_PATTERNS) this.#patterns.set(pattern, count);
    const most = isView ? MAX_VIEWS : this.#maxNamed;
    return count <= most ? null : { verdict: 'pattern', reason: `${most} pages of this form were taken: ${pattern}` };
  }
}

/** Whether an address has the name of something that is no page, and yet may be one: its type has to say so. */
export function isNamedAsAsset(url: string): boolean {
  const { pathname } = new URL(url);
  return CODE_ENDING.test(pathname) || ASSET_ENDING.test(pathname);
}

/** The registrable domain; the host itself where it has none (an address, a name within a network). */
function siteOf(hostname: string): string {
  return parse(hostname, { allowPrivateDomains: true }).domain ?? hostname;
}
