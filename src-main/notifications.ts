/** Which ended jobs a person is told of, and how many in one notice. Knows nothing of Electron. */

import { EventEmitter } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { Notification } from 'electron';
import type { ShellSession } from '../src-server/platform/rpc/shell.ts';
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

/** What the notices need of a job object of the API. */
interface Job {
  jobId: string;
  jobType: string;
  status: 'queued' | 'processing' | 'completed' | 'failed';
  updatedAt: string;
  sourceName?: string | undefined;
  error?: { message: string } | undefined;
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

/** The server's stream of changed jobs, read for as long as the server is there. */
const RECONNECT_DELAY_MS = 2000;

/** The server says something every 15 seconds; a connection that is silent for longer is dead. */
const SILENCE_LIMIT_MS = 45_000;

/** A hundred jobs in one message take a tenth of this. */
const MESSAGE_CHARS_MAX = 8_000_000;

/** Jobs that changed, without results. `more`: too many to name them all. */
interface JobsMessage {
  environment: 'production' | 'staging';
  jobs: Job[];
  removed: string[];
  more: boolean;
}

interface JobEventsEvents {
  /** The server's time as the stream began. */
  time: [string];
  jobs: [JobsMessage];
}

/** Emits what `GET /admin/events` tells; connects again when the stream ends. Changes in between are not told. */
export class JobEvents extends EventEmitter<JobEventsEvents> {
  #reading: AbortController | null = null;

  /** Reads from this server, and from no other any more. */
  start(session: ShellSession): void {
    this.stop();
    const reading = new AbortController();
    this.#reading = reading;
    void this.#keepReading(session, reading.signal);
  }

  stop(): void {
    this.#reading?.abort();
    this.#reading = null;
  }

  async #keepReading(session: ShellSession, stopped: AbortSignal): Promise<void> {
    while (!stopped.aborted) {
      try {
        await this.#read(session, stopped);
      } catch (error) {
        // A server that went away is the host's matter; what is worth a line is a stream that breaks by itself.
        if (!stopped.aborted) process.stderr.write(`The stream of jobs broke off: ${(error as Error).message}\n`);
      }
      // Rejects only when stopped, which the loop's condition sees.
      await sleep(RECONNECT_DELAY_MS, undefined, { signal: stopped }).catch(() => undefined);
    }
  }

  async #read({ baseUrl, ownerToken }: ShellSession, stopped: AbortSignal): Promise<void> {
    const silent = new AbortController();
    const silence = setTimeout(() => silent.abort(new Error('The server fell silent.')), SILENCE_LIMIT_MS);
    try {
      const answer = await fetch(`${baseUrl}/admin/events`, {
        headers: { authorization: `Bearer ${ownerToken}`, accept: 'text/event-stream' },
        signal: AbortSignal.any([stopped, silent.signal]),
      });
      if (!answer.ok || answer.body === null) throw new Error(`The server answered ${answer.status}.`);
      let text = '';
      for await (const part of answer.body.pipeThrough(new TextDecoderStream())) {
        silence.refresh();
        const messages = `${text}${part}`.split('\n\n');
        text = messages.pop() ?? '';
        if (text.length > MESSAGE_CHARS_MAX) throw new Error('A message was too long.');
        for (const message of messages) this.#hear(message);
      }
    } finally {
      clearTimeout(silence);
    }
  }

  #hear(message: string): void {
    const fields = message.split('\n').map((line) => line.split(/: ?(.*)/s));
    const data = fields.flatMap(([name, value = '']) => (name === 'data' ? [value] : [])).join('\n');
    const event = fields.find(([name]) => name === 'event')?.[1];
    if (event === 'time') this.emit('time', (JSON.parse(data) as { now: string }).now);
    if (event === 'jobs') this.emit('jobs', JSON.parse(data) as JobsMessage);
  }
}

/** Notices that can still be clicked. The system keeps no more in sight, and a collected object hears no click. */
const HELD_MAX = 20;

const held = new Set<Notification>();

/** Tells by the system's own means, where it has any. */
export function showNotice({ title, body, path }: Notice, open: (path: string) => void): void {
  if (!Notification.isSupported()) return;
  const notification = new Notification({ title, body });
  held.add(notification);
  const [oldest] = held;
  if (held.size > HELD_MAX && oldest !== undefined) held.delete(oldest);
  notification.on('click', () => {
    held.delete(notification);
    open(path);
  });
  notification.show();
}
