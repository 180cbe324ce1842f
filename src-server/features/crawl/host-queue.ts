import { MINUTE_MS, SECOND_MS } from '../../platform/units.ts';
import type { CrawlLedger, TakenUrl } from './frontier.ts';
import type { HostRules } from './robots.ts';

/** Requests to one host at a time where its robots.txt does not ask for a delay. */
const MAX_ACTIVE = 6;
/** Addresses taken from the ledger at once: asking for each alone would cost more than reading a small page. */
const TAKEN_AT_ONCE = 16;
/** Least time between two requests to a host that says it is asked too often; each further time doubles it. */
const LEAST_OWN_DELAY_MS = 100;
const MOST_OWN_DELAY_MS = 10 * SECOND_MS;
/** After so many answers without such a word the host is asked twice as often again. */
const ANSWERS_TO_SPEED_UP = 20;
/** A host that answered before and then says nothing else for so long wants to be left alone. */
const PATIENCE_MS = 2 * MINUTE_MS;

/** What is known of one host during a crawl: its rules, and when it may be asked next. */
export class HostQueue {
  readonly host: string;
  rules: HostRules | null = null;
  active = 0;
  #loading = false;
  #nextAt = 0;
  #taken: TakenUrl[] = [];
  #mayHaveMore = true;
  #hasAnswered = false;
  /** What this crawl has learnt about the host, beside what the host has written down. */
  #ownDelayMs = 0;
  #delayMs = 0;
  #slowedAt = Number.NEGATIVE_INFINITY;
  #answersSince = 0;
  #refusedSince: number | null = null;

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
    const most = Math.max(this.rules?.delayMs ?? 0, this.#ownDelayMs) > 0 ? 1 : MAX_ACTIVE;
    return this.active >= most ? null : Math.max(0, this.#nextAt - now);
  }

  begin(now: number, delayMs: number): void {
    this.active += 1;
    this.#delayMs = Math.max(delayMs, this.rules?.delayMs ?? 0, this.#ownDelayMs);
    this.#nextAt = now + this.#delayMs;
  }

  /** The host asked for a pause. */
  pause(now: number, milliseconds: number): void {
    this.#nextAt = Math.max(this.#nextAt, now + milliseconds);
  }

  /** Whether it has answered at all, other than that it is asked too often. */
  get hasAnswered(): boolean {
    return this.#hasAnswered;
  }

  /** The host has answered, whatever it said. */
  answered(): void {
    this.#hasAnswered = true;
    this.#refusedSince = null;
    if (this.#ownDelayMs === 0) return;
    this.#answersSince += 1;
    if (this.#answersSince < ANSWERS_TO_SPEED_UP) return;
    this.#answersSince = 0;
    this.#ownDelayMs = this.#ownDelayMs > LEAST_OWN_DELAY_MS ? this.#ownDelayMs / 2 : 0;
  }

  /**
   * The host said that it is asked too often (to a request of `begunAt`): it is left alone for a while, and asked half
   * as often from then on, one page at a time. Where it says nothing else for long, nothing more of it is asked for.
   */
  slowDown(begunAt: number, now: number, pauseMs: number): void {
    this.pause(now, pauseMs);
    this.#answersSince = 0;
    this.#refusedSince ??= now;
    if (this.#hasAnswered && now - this.#refusedSince > PATIENCE_MS && this.rules !== null) {
      const reason = 'Nothing more of the host is fetched: for minutes it only said that it is asked too often.';
      this.rules = { ...this.rules, refusal: () => ({ verdict: 'status', reason }) };
    }
    // What was under way when it was slowed down last says nothing about the pace since.
    if (begunAt < this.#slowedAt) return;
    this.#slowedAt = now;
    this.#ownDelayMs = Math.min(Math.max(2 * this.#delayMs, LEAST_OWN_DELAY_MS), MOST_OWN_DELAY_MS);
  }
}
