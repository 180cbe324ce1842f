import { parse } from 'tldts';

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

export type OutOfScope = { verdict: 'scope' | 'asset' | 'pattern'; reason: string };

/** Which addresses belong to a crawl. */
export class SiteScope {
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
