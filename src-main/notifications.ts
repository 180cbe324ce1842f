/** Which ended jobs a person is told of, and how many in one notice. Knows nothing of Electron. */
import type { Job } from '../src-server/features/jobs/schema.ts';
import type { JobsMessage } from './job-events.ts';
import { texts } from './texts.ts';

/**
 * How long ended jobs are gathered before they are told. Each notice that follows close upon another gathers for
 * longer, so that a thousand jobs are a handful of notices; a quiet span as long as the last one starts anew.
 */
const GATHER_MS = [1000, 10_000, 60_000, 300_000] as const;
/** Whoever asked for these waits for the answer and has it. */
const ANSWERED_AT_ONCE = new Set(['generate/text', 'webhooks']);
/** Ids kept so that nothing is told twice. */
const TOLD_MAX = 5000;

export interface Notice {
  title: string;
  body: string;
  /** Page of the dashboard that shows what the notice is about. */
  path: string;
}

interface Ended {
  job: Job;
  path: string;
}

export class JobNews {
  readonly #tell: (notice: Notice) => void;
  readonly #told = new Set<string>();
  #since: string | null = null;
  /** What to add to this process's running time for the server's. */
  #aheadMs: number | null = null;
  #gathered: Ended[] = [];
  #andMore = false;
  #level = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(tell: (notice: Notice) => void) {
    this.#tell = tell;
  }

  /** The server said what time it is. Only what ends after the first such moment is news. */
  startAt(time: string): void {
    this.#aheadMs = Date.parse(time) - performance.now();
    this.#since ??= time;
  }

  take({ environment, jobs, more }: JobsMessage): void {
    const query = environment === 'staging' ? '?environment=staging' : '';
    const ended = jobs.filter((job) => this.#isNews(job));
    for (const job of ended) this.#remember(job.jobId);
    this.#gathered.push(...ended.map((job) => ({ job, path: `/jobs/${job.jobId}${query}` })));
    if (ended.length === 0) return;
    this.#andMore ||= more;
    this.#timer ??= setTimeout(() => this.#flush(), GATHER_MS[this.#level]);
  }

  /**
   * News is wanted again, and only what ends from now on is news: the server tells of an end some time after it, so
   * that what ended before would still be taken for it.
   */
  startAnew(): void {
    if (this.#aheadMs !== null) this.#since = new Date(this.#aheadMs + performance.now()).toISOString();
  }

  /** Forgets what was gathered; nothing is told after this until more is taken. */
  stop(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#gathered = [];
    this.#andMore = false;
    this.#level = 0;
  }

  #isNews({ jobId, jobType, status, updatedAt }: Job): boolean {
    if (status !== 'completed' && status !== 'failed') return false;
    if (ANSWERED_AT_ONCE.has(jobType) || this.#told.has(jobId)) return false;
    return this.#since !== null && updatedAt >= this.#since;
  }

  #remember(jobId: string): void {
    this.#told.add(jobId);
    const [oldest] = this.#told;
    if (this.#told.size > TOLD_MAX && oldest !== undefined) this.#told.delete(oldest);
  }

  #flush(): void {
    const gathered = this.#gathered;
    const more = this.#andMore;
    this.#gathered = [];
    this.#andMore = false;
    this.#timer = undefined;
    if (gathered.length === 0) {
      this.#level = 0;
      return;
    }
    this.#level = Math.min(this.#level + 1, GATHER_MS.length - 1);
    // Runs on even when nothing comes: an empty span is what makes the next notice prompt again.
    this.#timer = setTimeout(() => this.#flush(), GATHER_MS[this.#level]);
    this.#tell(noticeOf(gathered, more));
  }
}

function noticeOf(ended: readonly Ended[], more: boolean): Notice {
  const [first] = ended;
  if (first !== undefined && ended.length === 1 && !more) {
    const { job, path } = first;
    const name = job.sourceName ?? job.jobType;
    if (job.status === 'completed') return { title: texts.finished, body: name, path };
    return { title: texts.failed, body: `${name}: ${job.error?.message ?? ''}`, path };
  }
  const failed = ended.filter(({ job }) => job.status === 'failed').length;
  return { title: texts.ended(ended.length, more), body: texts.outcome(ended.length - failed, failed), path: '/jobs' };
}
