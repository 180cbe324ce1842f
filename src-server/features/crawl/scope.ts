/**
 * Decides which URLs a crawl fetches and which it skips before fetching, with the skip reason: other site, depth,
 * pattern, asset, limit. Reasons that need the response are in fetch-page.ts (status, type, size) and read-pages.ts
 * (noindex, duplicate).
 */

import { parse } from 'tldts';
import type { PageFacts, ReadSiteFileOutput } from '../../../workers/pages/tasks.ts';
import { endingOf, endingsOf, kindsWhere } from '../../platform/files/kinds.ts';
import { normalUrl } from '../../platform/net/normal-url.ts';
import { omitUndefined } from '../../platform/omit-undefined.ts';
import { pagesSaid, saidTogether, say, sitemapsSaid } from '../../platform/text/say.ts';
import type { CrawlLedger, Expected, LedgerRow, TakenUrl } from './frontier.ts';
import { isNamedAsDocument, LINKED_KINDS } from './linked-documents.ts';
import { matchesPath, type PathPattern, pathPattern, pathSegments } from './path-patterns.ts';
import type { CrawlChoice, CrawlVerdict } from './schema.ts';

/** Redirects from a page. */
export const MAX_HOPS = 10;

/** Of nested sitemaps, with their redirects. */
const MAX_SITEMAP_LEVELS = 5;

/** Sitemaps that are taken from a robots.txt. */
const MAX_NAMED_SITEMAPS = 20;

/** Feeds that are taken from a page. */
const MAX_FEEDS = 5;

/** URLs beyond this limit are counted but not stored. */
const MAX_LEDGER_URLS = 250_000;

/** Sitemap URLs entered in one step: a few milliseconds without yielding. */
const ENTERED_AT_ONCE = 250;

/** Recently entered URLs: a few megabytes, and more than the menus of a site contain. */
const MAX_LATELY = 10_000;

const ASSET_VERDICTS = {
  asset: { verdict: 'asset', reason: say`It is part of a page, not a page.` },
  script: { verdict: 'script', reason: say`Scripts are not run, so they are not fetched.` },
  pixel: { verdict: 'pixel', reason: say`It is an image of one pixel: it counts readers. Its query is left out.` },
} as const;

/** Skip reasons that depend on how a URL was found. A followable link to it overrides them. */
const PASSED_OVER: ReadonlySet<CrawlVerdict> = new Set([
  'depth',
  'nofollow',
  'asset',
  'script',
  'pixel',
  'excluded',
  'listed',
]);

const LISTED: Judgement = { verdict: 'listed', reason: say`The map lists it. It was not requested.` };

const NOT_LISTED: Judgement = {
  verdict: 'excluded',
  reason: say`No sitemap lists it: the request asks for those only.`,
};

/** A URL before the scope check. */
interface FoundUrl {
  url: string;
  depth: number;
  /** Number of redirects or nested sitemaps. */
  hops: number;
  expects: Expected;
  /** Number of the page or sitemap that names it. */
  source: number | null;
  /** A sitemap lists it. */
  isListed?: boolean;
  /** A page that is taken leads to it. */
  isRedirect?: boolean;
  /** The skip reason, if the way it was found decides. */
  refused?: Judgement;
}

interface Judgement {
  verdict: CrawlVerdict;
  reason: string;
}

/** Adds URLs to the ledger. Each is checked once, by its target and by how it was found. */
export class UrlEntry {
  readonly #ledger: CrawlLedger;
  readonly #rootUrl: string;
  readonly #maxDepth: number;
  readonly #scope: SiteScope;
  readonly #choice: CrawlChoice;
  readonly #paths: ChosenPaths;
  readonly #onWaiting: (host: string) => void;
  /**
   * Recently entered URLs with their depth: entering one again at the same depth has no effect, so the ledger lookup is
   * skipped. Menus repeat their links on every page.
   */
  readonly #lately = new Map<string, number>();
  #seen: number;
  #dropped = 0;

  /** `onWaiting` is called with each host that has URLs to fetch. */
  constructor(
    parts: { ledger: CrawlLedger; rootUrl: string; depth: number; maxPages: number; choice: CrawlChoice },
    onWaiting: (host: string) => void,
  ) {
    this.#ledger = parts.ledger;
    this.#rootUrl = parts.rootUrl;
    this.#maxDepth = parts.depth;
    this.#scope = new SiteScope(parts.rootUrl, parts.maxPages, parts.choice.documents);
    this.#choice = parts.choice;
    this.#paths = new ChosenPaths(parts.choice);
    this.#onWaiting = onWaiting;
    this.#seen = parts.ledger.ledgerFigures().seen;
  }

  get seenUrlCount(): number {
    return this.#seen;
  }

  /** URLs dropped because the ledger was full, or their page had too many. */
  get droppedUrlCount(): number {
    return this.#dropped;
  }

  /** Enters a URL, with a verdict when it is skipped. Known URLs remain unchanged unless the new way allows them. */
  enterFoundUrl(found: FoundUrl): void {
    const { refused = null } = found;
    if ((this.#lately.get(found.url) ?? Number.POSITIVE_INFINITY) <= found.depth) return;
    const old = this.#ledger.findLedgerUrl(found.url);
    if (old === null && this.#seen >= MAX_LEDGER_URLS) {
      this.#dropped += 1;
      return;
    }
    if (refused === null) this.#rememberEnteredUrl(found);
    if (old !== null && (refused !== null || !mayComeIn(old, found))) return;
    const url = new URL(found.url);
    const judged = refused ?? this.#judgeFoundUrl(found, url);
    if (old !== null && judged !== null) return;
    const { verdict = null, reason = '' } = judged ?? {};
    this.#ledger.addLedgerUrl({ ...found, host: url.host, verdict, reason });
    if (old === null) this.#seen += 1;
    if (judged === null) this.#onWaiting(url.host);
  }

  /** Has an address requested again that a redirect leads back to. */
  reopenRedirect(id: number, host: string, hops: number): void {
    this.#ledger.reopenUrl(id, hops);
    this.#onWaiting(host);
  }

  enterRoot(): void {
    this.enterFoundUrl({ url: this.#rootUrl, depth: 0, hops: 0, expects: 'either', source: null });
  }

  /** Enters the sitemaps that a robots.txt names, else the one at the usual place. Their pages count as its links. */
  enterSitemaps(named: readonly string[], host: URL): void {
    const addresses = named.length > 0 ? named.slice(0, MAX_NAMED_SITEMAPS) : ['/sitemap.xml'];
    for (const address of addresses) {
      const url = normalUrl(address, host.href);
      if (url !== null) this.#enterList(url, null);
    }
  }

  #enterList(url: string, source: number | null): void {
    const depth = this.#choice.map ? this.#maxDepth : Math.min(1, this.#maxDepth);
    this.enterFoundUrl({ url, depth, hops: 0, expects: 'sitemap', source });
  }

  /**
   * Yields short steps that enter a sitemap's URLs, and settles the sitemap last: a crawl killed in between reads it
   * again. The pages get the sitemap's own depth, so that their links are followed.
   */
  *sitemapSteps(taken: TakenUrl, read: ReadSiteFileOutput & { kind: 'sitemap' }): Generator<() => void> {
    const { urls, sitemaps, dropped } = read;
    const { id: source } = taken;
    const depth = this.#choice.map ? this.#maxDepth : taken.depth;
    const hops = taken.hops + 1;
    const tooDeep = {
      verdict: 'limit',
      reason: say`Sitemaps are followed ${MAX_SITEMAP_LEVELS} levels deep.`,
    } as const;
    const found: FoundUrl[] = [
      ...urls.map((url): FoundUrl => ({ url, depth, hops: 0, expects: 'page', source, isListed: true })),
      ...sitemaps.map(
        (url): FoundUrl => ({
          url,
          depth,
          hops,
          expects: 'sitemap',
          source,
          ...omitUndefined({ refused: hops > MAX_SITEMAP_LEVELS ? tooDeep : undefined }),
        }),
      ),
    ];
    for (let at = 0; at < found.length; at += ENTERED_AT_ONCE) {
      yield () =>
        this.#ledger.runTogether(() =>
          found.slice(at, at + ENTERED_AT_ONCE).forEach((one) => void this.enterFoundUrl(one)),
        );
    }
    const listed = say`It lists ${pagesSaid(urls.length)} and ${sitemapsSaid(sitemaps.length)}.`;
    const reason = dropped === 0 ? listed : saidTogether([listed, say`${dropped} more are not read.`]);
    yield () => this.#ledger.settleLedgerUrl(taken.id, 'sitemap', reason);
  }

  enterLinks(page: Exclude<PageFacts, { problem: string }>, taken: TakenUrl, pageNofollow: boolean): void {
    const place = { depth: taken.depth + 1, hops: 0, expects: 'page', source: taken.id } as const;
    if (page.canonicalUrl !== null) this.enterFoundUrl({ ...place, url: page.canonicalUrl, depth: taken.depth });
    const nofollowed = { verdict: 'nofollow', reason: say`It is linked with nofollow from ${taken.url}` } as const;
    for (const { url, nofollow } of page.links) {
      this.enterFoundUrl({
        ...place,
        url,
        ...omitUndefined({ refused: nofollow || pageNofollow ? nofollowed : undefined }),
      });
    }
    for (const { kind, url } of page.assets) this.enterFoundUrl({ ...place, url, refused: ASSET_VERDICTS[kind] });
    this.#dropped += page.leftOut;
    if (this.#choice.sitemap === 'skip') return;
    for (const url of page.translations) this.enterFoundUrl({ ...place, url });
    // The feeds of other pages are parts of these, or comments.
    if (taken.depth === 0) for (const url of page.feeds.slice(0, MAX_FEEDS)) this.#enterList(url, taken.id);
  }

  #rememberEnteredUrl({ url, depth }: FoundUrl): void {
    if (this.#lately.size >= MAX_LATELY) this.#lately.clear();
    this.#lately.set(url, depth);
  }

  #judgeFoundUrl(found: FoundUrl, url: URL): Judgement | null {
    if (found.url === this.#rootUrl) return null;
    if (found.depth > this.#maxDepth && this.#scope.isSameSite(url)) {
      const reason =
        found.depth === 1
          ? say`It is 1 link away from the root; the crawl goes ${this.#maxDepth} deep.`
          : say`It is ${found.depth} links away from the root; the crawl goes ${this.#maxDepth} deep.`;
      return { verdict: 'depth', reason };
    }
    const outside = this.#scope.judgeSiteUrl(url, found.isListed);
    if (found.expects === 'sitemap') return outside?.verdict === 'asset' ? null : outside;
    if (outside !== null) return outside.verdict === 'asset' && found.expects === 'either' ? null : outside;
    const isChosen = found.isListed === true || found.isRedirect === true || found.expects === 'either';
    if (this.#choice.sitemap === 'only' && !isChosen) return NOT_LISTED;
    // The root is always read, also where it redirects.
    if (found.expects === 'either') return null;
    const leadsOn = found.depth < this.#maxDepth || found.isRedirect === true;
    return this.#paths.judgePathname(url.pathname) ?? (this.#choice.map && !leadsOn ? LISTED : null);
  }
}

/** Judges paths by the patterns of the request. */
class ChosenPaths {
  readonly #include: PathPattern[];
  readonly #exclude: PathPattern[];

  constructor({ include, exclude }: CrawlChoice) {
    this.#include = include.map(pathPattern);
    this.#exclude = exclude.map(pathPattern);
  }

  judgePathname(pathname: string): Judgement | null {
    if (this.#include.length === 0 && this.#exclude.length === 0) return null;
    const path = pathSegments(pathname);
    if (path === null) return { verdict: 'excluded', reason: say`Its path has too many segments to be compared.` };
    const refusing = this.#exclude.find((pattern) => matchesPath(pattern, path));
    if (refusing !== undefined) return { verdict: 'excluded', reason: say`exclude has ${refusing.text}.` };
    if (this.#include.length === 0 || this.#include.some((pattern) => matchesPath(pattern, path))) return null;
    return { verdict: 'excluded', reason: say`Its path matches no pattern of include.` };
  }
}

/** A skipped URL may be accepted another way, and a waiting one may get a smaller depth. */
function mayComeIn(old: LedgerRow, found: FoundUrl): boolean {
  if (old.verdict === null) return found.depth < old.depth;
  return PASSED_OVER.has(old.verdict);
}

/** Kinds of assets, which are skipped without a request. Pages show tables, notebooks and sources under their names. */
const ASSET_KINDS = kindsWhere(({ reader }) => reader === 'recording').concat(
  ...(['image', 'other-image', 'archive', 'zip'] as const),
  ...[...LINKED_KINDS].filter((kind) => kind !== 'csv' && kind !== 'ipynb' && kind !== 'rtf'),
);

const ASSET_ENDINGS: ReadonlySet<string> = new Set([
  ...ASSET_KINDS.flatMap((kind) => Object.keys(endingsOf(kind))),
  ...['wasm', 'ico', 'woff', 'woff2', 'ttf', 'otf', 'eot', 'exe', 'msi', 'dmg', 'deb', 'rpm', 'apk', 'iso', 'bin'],
  'whl',
]);

/** Code extensions that also end page names (`/wiki/Node.js`, `/docs/package.json`). The content type decides. */
const CODE_ENDING = /\.(?:m?js|css|map|json)$/i;

/** A wiki page about a file, as in `File:Harbour.jpg`. */
const FILE_PAGE = /:[^/]*$/;

/** Limit of pages that differ only in values of view parameters, such as a calendar or a search. */
const MAX_VIEWS = 50;

/**
 * For parameters that may also identify pages (`?title=`, `?id=`), the limit is at least this share of the crawl's
 * pages.
 */
const SHARE_OF_PAGES = 0.5;

/** A URL with more parameters is a view: a page needs no more to be identified. */
const MAX_NAMING_PARAMETERS = 2;

/** Parameters of calendars, searches, sort orders and page actions. */
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

/** A path that repeats a segment this often is a loop. */
const MAX_REPEATED_STEPS = 3;

const MAX_PATTERNS = 10_000;

type OutOfScope = { verdict: 'scope' | 'asset' | 'pattern'; reason: string };

/** Decides which URLs belong to a crawl. */
class SiteScope {
  readonly #site: string;
  readonly #port: string;
  readonly #maxNamed: number;
  readonly #documents: boolean;
  readonly #patterns = new Map<string, number>();

  constructor(rootUrl: string, maxPages: number, documents: boolean) {
    this.#documents = documents;
    const root = new URL(rootUrl);
    this.#maxNamed = Math.max(MAX_VIEWS, Math.ceil(maxPages * SHARE_OF_PAGES));
    this.#site = siteOf(root.hostname);
    this.#port = root.port;
  }

  /**
   * Returns null for a URL within the scope. Call it only for new URLs: it counts patterns.
   *
   * @param isListed a sitemap lists the URL, so it is a page of its own, unless it is a view.
   */
  judgeSiteUrl(url: URL, isListed = false): OutOfScope | null {
    if (!this.isSameSite(url)) return { verdict: 'scope', reason: say`It is on another site: ${url.host}.` };
    const mayBePage = FILE_PAGE.test(url.pathname) || (this.#documents && isNamedAsDocument(url));
    const ending = endingOf(url.pathname);
    if (!mayBePage && ASSET_ENDINGS.has(ending)) {
      return { verdict: 'asset', reason: say`It is a file, not a page: .${ending}.` };
    }
    const steps = url.pathname.split('/').filter((step) => step !== '');
    const most = Math.max(0, ...steps.map((step) => steps.filter((other) => other === step).length));
    if (most > MAX_REPEATED_STEPS) return { verdict: 'pattern', reason: say`Its path repeats itself.` };
    return this.#countPattern(url, isListed);
  }

  isSameSite(url: URL): boolean {
    return siteOf(url.hostname) === this.#site && url.port === this.#port;
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
    return count <= most
      ? null
      : {
          verdict: 'pattern',
          reason:
            most === 1
              ? say`1 page of this form was taken: ${pattern}`
              : say`${most} pages of this form were taken: ${pattern}`,
        };
  }
}

/** Whether a URL has the extension of an asset but may be a page. Its content type decides. */
export function isNamedAsAsset(url: string): boolean {
  const { pathname } = new URL(url);
  return CODE_ENDING.test(pathname) || ASSET_ENDINGS.has(endingOf(pathname));
}

/** The registrable domain, or the host when there is none (an IP address, an internal name). */
export function siteOf(hostname: string): string {
  return parse(hostname, { allowPrivateDomains: true }).domain ?? hostname;
}
