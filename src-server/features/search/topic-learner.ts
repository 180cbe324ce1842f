import { setTimeout as delay } from 'node:timers/promises';
import type { FitTopicsInput, FitTopicsOutput } from '../../../workers/text/tasks.ts';
import type { RunTask } from '../../platform/pool/worker-pool.ts';
import { MINUTE_MS, SECOND_MS } from '../../platform/units.ts';
import type { TopicStep } from './topic-writer.ts';

/** Learning from the largest sample takes about 15 seconds. */
const LEARN_LIMIT_MS = 5 * MINUTE_MS;

/**
 * How long the index is left alone before topics follow it: to learn and fold costs more than to index. A search does
 * not wait for it.
 */
const QUIET_MS = MINUTE_MS;

/** The same for an index that is never quiet. */
const BUSY_MS = 10 * MINUTE_MS;

/** How long chunks gather before they are folded: one transaction for many. */
const GATHER_MS = 2 * SECOND_MS;

const RETRY_MIN_MS = SECOND_MS;
const RETRY_MAX_MS = 5 * MINUTE_MS;

interface TopicLearnerDeps {
  index: {
    /** Null while there is no index. */
    topicStep(): Promise<TopicStep | null>;
    sampleTerms(accountId: string): Promise<FitTopicsInput>;
    keepTopics(learned: FitTopicsOutput): Promise<void>;
  };
  runTask: RunTask;
  log: { error(fields: object, message: string): void };
}

/**
 * Keeps topics up with the index, in the background, once it is quiet or a search asks for them: new chunks get a
 * vector, and topics of an account are learned again once it has grown enough. The thread of the index reads and
 * writes, a thread of the pool learns.
 */
export class TopicLearner {
  readonly #deps: TopicLearnerDeps;
  readonly #closing = new AbortController();
  #working: Promise<void> | null = null;
  #isKicked = false;
  /** When the first change came that topics do not follow yet; null where they follow all. */
  #changedAt: number | null = null;
  #quiet: NodeJS.Timeout | null = null;

  constructor(deps: TopicLearnerDeps) {
    this.#deps = deps;
  }

  /** Chunks came, changed or went. */
  noteChangedChunks(): void {
    if (this.#closing.signal.aborted) return;
    const now = performance.now();
    this.#changedAt ??= now;
    this.#stopWaiting();
    const waitMs = Math.min(QUIET_MS, Math.max(0, this.#changedAt + BUSY_MS - now));
    this.#quiet = setTimeout(() => this.followChanges(), waitMs);
  }

  /** Topics follow what has changed: somebody searches by them. */
  followChanges(): void {
    if (this.#changedAt === null) return;
    this.#changedAt = null;
    this.#stopWaiting();
    this.#kickTopicLearner();
  }

  async closeTopicLearner(): Promise<void> {
    this.#closing.abort();
    this.#stopWaiting();
    await this.#working;
  }

  #stopWaiting(): void {
    if (this.#quiet !== null) clearTimeout(this.#quiet);
    this.#quiet = null;
  }

  #kickTopicLearner(): void {
    if (this.#closing.signal.aborted) return;
    this.#isKicked = true;
    this.#working ??= this.#learnWithRetries().finally(() => {
      this.#working = null;
      // Kicked after the last look.
      if (this.#isKicked) this.#kickTopicLearner();
    });
  }

  /** Tries again after a failure: no other event may follow that starts it. */
  async #learnWithRetries(): Promise<void> {
    for (let waitMs = RETRY_MIN_MS; ; waitMs = Math.min(2 * waitMs, RETRY_MAX_MS)) {
      try {
        return await this.#drainTopicSteps();
      } catch (error) {
        if (this.#closing.signal.aborted) return;
        this.#deps.log.error({ err: error }, 'Topics of chunks wait.');
        this.#isKicked = true;
        await delay(waitMs, undefined, { signal: this.#closing.signal, ref: false }).catch(() => undefined);
      }
    }
  }

  async #drainTopicSteps(): Promise<void> {
    const { index } = this.#deps;
    while (this.#isKicked) {
      await delay(GATHER_MS, undefined, { signal: this.#closing.signal, ref: false });
      this.#isKicked = false;
      for (;;) {
        if (this.#closing.signal.aborted) return;
        const step = await index.topicStep();
        if (step === null || step === 'done') break;
        if (step !== 'more') await this.#learnAccountTopics(step.fit);
      }
    }
  }

  async #learnAccountTopics(accountId: string): Promise<void> {
    const { index, runTask } = this.#deps;
    const sample = await index.sampleTerms(accountId);
    const options = { signal: this.#closing.signal, accountId, heavy: true, timeLimitMs: LEARN_LIMIT_MS };
    await index.keepTopics(await runTask('fit-topics', sample, options));
  }
}
