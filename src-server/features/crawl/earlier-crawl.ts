import type { CrawlLedger, KnownPage } from './frontier.ts';

export interface EarlierCrawlDeps {
  ledger: CrawlLedger;
  batchFolder: string;
  /** Called once, with the reason. */
  onLost(error: unknown): void;
}

/**
 * A kept crawl of the same root, so that unchanged pages are not fetched again. It is optional: when it is damaged, or
 * deleted during the crawl, the crawl continues without it.
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

  /** Also null once the earlier crawl is lost. The page is then requested in full. */
  knownPage(url: string): KnownPage | null {
    if (this.#isLost) return null;
    try {
      return this.#deps.ledger.knownPage(url);
    } catch (error) {
      this.loseEarlierCrawl(error);
      return null;
    }
  }

  /** Its files cannot be read. */
  loseEarlierCrawl(error: unknown): void {
    if (this.#isLost) return;
    this.#isLost = true;
    this.#deps.onLost(error);
  }

  closeEarlierCrawl(): void {
    this.#deps.ledger.closeCrawlLedger();
  }
}
