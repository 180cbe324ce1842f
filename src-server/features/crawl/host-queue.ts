import { MINUTE_MS, SECOND_MS } from '../../platform/units.ts';
import type { CrawlLedger, TakenUrl } from './frontier.ts';
import type { HostRules } from './robots.ts';

/** Concurrent requests to a host without a crawl delay in robots.txt. */
const MAX_ACTIVE = 6;
/** URLs taken from the ledger at once: single queries would cost more than reading a small page. */
const TAKEN_AT_ONCE = 16;
/** Minimum delay after a host throttles (429, or 503 with Retry-After). Each further time doubles the delay. */
const LEAST_OWN_DELAY_MS = 100;
const MOST_OWN_DELAY_MS = 10 * SECOND_MS;
/** After this many answers without throttling the delay is halved. */
const ANSWERS_TO_SPEED_UP = 20;
/** A host that answered before and then only throttles for this long is not asked again. */
const PATIENCE_MS = 2 * MINUTE_MS;

/** The queue of one host: its rules, and the time of its next request. */
export class HostQueue {
  readonly host: string;
  rules: HostRules | null = null;
  active = 0;
  #loading = false;
  #nextAt = 0;
  #taken: TakenUrl[] = [];
  #mayHaveMore = true;
  #hasAnswered = false;
  /** Delay that this crawl has learned from throttling, in addition to robots.txt. */
  #ownDelayMs = 0;
  #delayMs = 0;
  #slowedAt = Number.NEGATIVE_INFINITY;
  #answersSince = 0;
  #refusedSince: number | null = null;

  constructor(host: string) {
    this.host = host;
  }

  /** Loads the rules once, then calls `done`. */
  loadQueueRules(loader: () => Promise<HostRules>, done: () => void, failed: (error: unknown) => void): void {
    if (this.#loading) return;
    this.#loading = true;
    loader().then((rules) => {
      this.rules = rules;
      done();
    }, failed);
  }

  /** The next URL of the host up to a depth, by depth and then age. A few prefetched ones may be out of order. */
  dequeueHostUrl(ledger: CrawlLedger, maxDepth: number): TakenUrl | null {
    if (this.#taken.length === 0 && this.#mayHaveMore) {
      this.#taken = ledger.takeLedgerUrls(this.host, maxDepth, TAKEN_AT_ONCE).reverse();
      this.#mayHaveMore = this.#taken.length > 0;
    }
    return this.#taken.pop() ?? null;
  }

  /** URLs of the host were added, or may be taken now. */
  refillHostQueue(): void {
    this.#mayHaveMore = true;
  }

  isHostQueueEmpty(ledger: CrawlLedger, maxDepth: number): boolean {
    const next = this.dequeueHostUrl(ledger, maxDepth);
    if (next !== null) this.#taken.push(next);
    return next === null;
  }

  /** Milliseconds until the next request; null while the host has its maximum of running requests. */
  waitMs(now: number): number | null {
    const most = Math.max(this.rules?.delayMs ?? 0, this.#ownDelayMs) > 0 ? 1 : MAX_ACTIVE;
    return this.active >= most ? null : Math.max(0, this.#nextAt - now);
  }

  beginHostRequest(now: number, delayMs: number): void {
    this.active += 1;
    this.#delayMs = Math.max(delayMs, this.rules?.delayMs ?? 0, this.#ownDelayMs);
    this.#nextAt = now + this.#delayMs;
  }

  /** The host asked for a pause. */
  pauseHost(now: number, milliseconds: number): void {
    this.#nextAt = Math.max(this.#nextAt, now + milliseconds);
  }

  /** Whether the host has sent any answer other than throttling. */
  get hasAnswered(): boolean {
    return this.#hasAnswered;
  }

  /** The host has sent an answer of any other status. */
  noteHostAnswer(): void {
    this.#hasAnswered = true;
    this.#refusedSince = null;
    if (this.#ownDelayMs === 0) return;
    this.#answersSince += 1;
    if (this.#answersSince < ANSWERS_TO_SPEED_UP) return;
    this.#answersSince = 0;
    this.#ownDelayMs = this.#ownDelayMs > LEAST_OWN_DELAY_MS ? this.#ownDelayMs / 2 : 0;
  }

  /**
   * The host throttled a request of `begunAt`. It gets a pause, then half the request rate and one request at a time.
   * After too long with nothing else, its remaining URLs are skipped.
   */
  slowDown(begunAt: number, now: number, pauseMs: number): void {
    this.pauseHost(now, pauseMs);
    this.#answersSince = 0;
    this.#refusedSince ??= now;
    if (this.#hasAnswered && now - this.#refusedSince > PATIENCE_MS && this.rules !== null) {
      const reason = 'The host refused all requests as too many for several minutes.';
      this.rules = { ...this.rules, refusal: () => ({ verdict: 'status', reason }) };
    }
    // Requests sent before the last slowdown do not reflect the new rate.
    if (begunAt < this.#slowedAt) return;
    this.#slowedAt = now;
    this.#ownDelayMs = Math.min(Math.max(2 * this.#delayMs, LEAST_OWN_DELAY_MS), MOST_OWN_DELAY_MS);
  }
}
