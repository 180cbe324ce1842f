import type { PageFacts, ReadSiteFileOutput } from '../../../workers/tasks.ts';
import type { CrawlLedger, LedgerRow, TakenUrl } from './frontier.ts';
import type { CrawlVerdict } from './schema.ts';
import { SiteScope } from './site-scope.ts';

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
export interface FoundUrl {
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
