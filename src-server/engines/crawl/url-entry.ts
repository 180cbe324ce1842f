import type { PageFacts, ReadSiteFileOutput } from '../../../workers/tasks.ts';
import type { CrawlLedger, LedgerRow, NewUrl, TakenUrl } from './ledger.ts';
import { SiteScope } from './site-scope.ts';

/** Redirects that are followed from a page, and levels of sitemaps within sitemaps. */
export const MAX_HOPS = 5;
/** Addresses beyond this are counted and not kept. */
const MAX_LEDGER_URLS = 250_000;

const ASSET_VERDICTS = {
  asset: { verdict: 'asset', reason: 'It is part of a page, not a page.' },
  script: { verdict: 'script', reason: 'Scripts are not run, so they are not fetched.' },
  pixel: { verdict: 'pixel', reason: 'It is an image of one pixel: it counts readers.' },
} as const;

export function newUrl(url: string, { depth, hops, isSitemap }: Pick<NewUrl, 'depth' | 'hops' | 'isSitemap'>): NewUrl {
  return { url, host: new URL(url).host, depth, hops, isSitemap, verdict: null, reason: '' };
}

/** Where addresses enter the ledger: each is judged once, by where it leads and how it was found. */
export class UrlEntry {
  readonly #ledger: CrawlLedger;
  readonly #rootUrl: string;
  readonly #maxDepth: number;
  readonly #scope: SiteScope;
  readonly #onWaiting: (host: string) => void;
  #seen: number;
  #dropped = 0;

  /** `onWaiting` hears of each host that has something to fetch. */
  constructor(parts: { ledger: CrawlLedger; rootUrl: string; depth: number }, onWaiting: (host: string) => void) {
    this.#ledger = parts.ledger;
    this.#rootUrl = parts.rootUrl;
    this.#maxDepth = parts.depth;
    this.#scope = new SiteScope(parts.rootUrl);
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
  enter(entry: NewUrl): void {
    const old = this.#ledger.find(entry.url);
    if (old !== null && (entry.verdict !== null || !mayComeIn(old, entry))) return;
    if (old === null && this.#seen >= MAX_LEDGER_URLS) {
      this.#dropped += 1;
      return;
    }
    const judged = entry.verdict === null ? this.#judge(entry) : entry;
    if (old !== null && judged.verdict !== null) return;
    this.#ledger.add(judged);
    if (old === null) this.#seen += 1;
    if (judged.verdict === null) this.#onWaiting(entry.host);
  }

  /** The pages of a sitemap stand at the depth of the sitemap: links are followed from them. */
  enterSitemap(taken: TakenUrl, { urls, sitemaps, dropped }: ReadSiteFileOutput & { kind: 'sitemap' }): void {
    this.#ledger.together(() => {
      const rest = dropped === 0 ? '' : ` ${dropped} more are not read.`;
      const reason = `It lists ${urls.length} pages and ${sitemaps.length} sitemaps.${rest}`;
      this.#ledger.settle(taken.id, 'sitemap', reason);
      for (const url of urls) this.enter(newUrl(url, { depth: taken.depth, hops: 0, isSitemap: false }));
      for (const url of sitemaps) {
        const found = newUrl(url, { depth: taken.depth, hops: taken.hops + 1, isSitemap: true });
        const tooDeep = { verdict: 'limit', reason: `Sitemaps are followed ${MAX_HOPS} levels deep.` } as const;
        this.enter({ ...found, ...(found.hops > MAX_HOPS ? tooDeep : {}) });
      }
    });
  }

  enterLinks(page: Exclude<PageFacts, { problem: string }>, taken: TakenUrl, pageNofollow: boolean): void {
    const place = { depth: taken.depth + 1, hops: 0, isSitemap: false };
    if (page.canonicalUrl !== null) this.enter(newUrl(page.canonicalUrl, { ...place, depth: taken.depth }));
    const refused = { verdict: 'nofollow', reason: `It is linked with nofollow from ${taken.url}` } as const;
    for (const { url, nofollow } of page.links) {
      this.enter({ ...newUrl(url, place), ...(nofollow || pageNofollow ? refused : {}) });
    }
    for (const { kind, url } of page.assets) this.enter({ ...newUrl(url, place), ...ASSET_VERDICTS[kind] });
  }

  #judge(entry: NewUrl): NewUrl {
    if (entry.url === this.#rootUrl) return entry;
    if (entry.depth > this.#maxDepth && this.#scope.isSameSite(new URL(entry.url))) {
      const reason = `It is ${entry.depth} links away from the root; the crawl goes ${this.#maxDepth} deep.`;
      return { ...entry, verdict: 'depth', reason };
    }
    const outside = this.#scope.judge(entry.url);
    if (outside === null || (entry.isSitemap && outside.verdict === 'asset')) return entry;
    return { ...entry, ...outside };
  }
}

/** What was passed over may come in by another way, and what waits may be nearer than it seemed. */
function mayComeIn(old: LedgerRow, entry: NewUrl): boolean {
  if (old.verdict === null) return entry.depth < old.depth;
  return old.verdict === 'depth' || old.verdict === 'nofollow';
}
