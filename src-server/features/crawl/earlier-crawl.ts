import type { CrawlLedger, KnownPage } from './frontier.ts';

export interface EarlierCrawlDeps {
  ledger: CrawlLedger;
  batchFolder: string;
  /** Told once, with the reason. */
  onLost(error: unknown): void;
}

/**
 * A crawl of the same root that is still kept: what did not change since is not fetched again. It is a favour, and it
 * can be damaged, or be removed while it is read: then it is passed over, and the crawl goes on as if there were none.
 */
export class EarlierCrawl {
  readonly #deps: EarlierCrawlDeps;
  #isLost = false;

  constructor(deps: EarlierCrawlDeps) {
    this.#deps = deps;
  }

  get batchFolder(): string {
    return this.#deps.batchFolder;
  }

  /** Null too once it is lost: the page is then asked for whole. */
  knownPage(url: string): KnownPage | null {
    if (this.#isLost) return null;
    try {
      return this.#deps.ledger.knownPage(url);
    } catch (error) {
      this.lose(error);
      return null;
    }
  }

  /** What it kept cannot be read. */
  lose(error: unknown): void {
    if (this.#isLost) return;
    this.#isLost = true;
    this.#deps.onLost(error);
  }

  close(): void {
    this.#deps.ledger.close();
  }
}
