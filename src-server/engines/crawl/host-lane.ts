import type { CrawlLedger, TakenUrl } from './ledger.ts';
import type { HostRules } from './site-robots.ts';

/** Requests to one host at a time where its robots.txt does not ask for a delay. */
const MAX_ACTIVE = 6;
/** Addresses taken from the ledger at once: asking for each alone would cost more than reading a small page. */
const TAKEN_AT_ONCE = 16;

/** What is known of one host during a crawl: its rules, and when it may be asked next. */
export class HostLane {
  readonly host: string;
  rules: HostRules | null = null;
  active = 0;
  #loading = false;
  #nextAt = 0;
  #taken: TakenUrl[] = [];
  #mayHaveMore = true;

  constructor(host: string) {
    this.host = host;
  }

  /** Loads the rules once; `done` is called when they are there. */
  load(loader: () => Promise<HostRules>, done: () => void, failed: (error: unknown) => void): void {
    if (this.#loading) return;
    this.#loading = true;
    loader().then((rules) => {
      this.rules = rules;
      done();
    }, failed);
  }

  /** The next address of the host that is no deeper, by depth and then age, but for a few that were taken before. */
  next(ledger: CrawlLedger, maxDepth: number): TakenUrl | null {
    if (this.#taken.length === 0 && this.#mayHaveMore) {
      this.#taken = ledger.take(this.host, maxDepth, TAKEN_AT_ONCE).reverse();
      this.#mayHaveMore = this.#taken.length > 0;
    }
    return this.#taken.pop() ?? null;
  }

  /** Something of the host has entered the ledger, or may be taken now. */
  refill(): void {
    this.#mayHaveMore = true;
  }

  isEmpty(ledger: CrawlLedger, maxDepth: number): boolean {
    const next = this.next(ledger, maxDepth);
    if (next !== null) this.#taken.push(next);
    return next === null;
  }

  /** Milliseconds until the host may be asked again; null while it has all it may have. */
  waitMs(now: number): number | null {
    const most = this.rules !== null && this.rules.delayMs > 0 ? 1 : MAX_ACTIVE;
    return this.active >= most ? null : Math.max(0, this.#nextAt - now);
  }

  begin(now: number, delayMs: number): void {
    this.active += 1;
    this.#nextAt = now + Math.max(delayMs, this.rules?.delayMs ?? 0);
  }

  /** The host asked for a pause. */
  pause(now: number, milliseconds: number): void {
    this.#nextAt = Math.max(this.#nextAt, now + milliseconds);
  }
}
