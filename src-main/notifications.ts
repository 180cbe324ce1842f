/** Desktop notifications about ended jobs, batched, and about alerts. */

import { EventEmitter } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { Notification } from 'electron';
import { OPERATIONS } from '../src-renderer/api/generated/tables.ts';
import { messageOf } from '../src-server/platform/errors.ts';
import { parseOwnJson } from '../src-server/platform/own-json.ts';
import type { ShellSession } from '../src-server/platform/rpc/shell.ts';
import { logLine } from './log.ts';
import type { OpenAlert } from './server-client.ts';
import { nounOf, serverText, texts } from './texts.ts';

/**
 * Batching intervals. Each consecutive notification uses the next interval, so a thousand jobs cause few notifications.
 * An interval without jobs resets to the first.
 */
const GATHER_MS = [1000, 10_000, 60_000, 300_000] as const;

/** An operation in words; undefined for one that this version does not know. */
function workOf(jobType: string) {
  return Object.entries(OPERATIONS).find(([id]) => id === jobType)?.[1];
}

/** Job IDs kept for deduplication. */
const NOTIFIED_MAX = 5000;

export interface Notice {
  title: string;
  body: string;
  /** Dashboard page that the notification opens. */
  path: string;
}

/** Fields of a job that notifications use. */
interface Job {
  jobId: string;
  jobType: string;
  status: 'queued' | 'processing' | 'completed' | 'failed';
  updatedAt: string;
  sourceName?: string | undefined;
  error?: { message: string } | undefined;
  label?: string | undefined;
  /** Set for a run of a watched site. */
  watchId?: string | null | undefined;
  siteChanged?: boolean | undefined;
}

interface Ended {
  job: Job;
  path: string;
}

export class JobNotifier {
  readonly #notify: (notice: Notice) => void;
  readonly #notified = new Set<string>();
  /** Watches whose last run failed. */
  readonly #failing = new Set<string>();
  #since: string | null = null;
  /** Server time minus this process's monotonic clock. */
  #clockOffsetMs: number | null = null;
  #gathered: Ended[] = [];
  #truncated = false;
  #level = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(notify: (notice: Notice) => void) {
    this.#notify = notify;
  }

  /** Records the server's time. Only jobs that end after the first call cause notifications. */
  startAt(time: string): void {
    this.#clockOffsetMs = Date.parse(time) - performance.now();
    this.#since ??= time;
  }

  takeJobsMessage({ environment, jobs, more }: JobsMessage): void {
    const query = environment === 'staging' ? '?environment=staging' : '';
    const ended = jobs.filter((job) => this.#isNews(job));
    for (const job of ended) this.#rememberNotifiedJob(job.jobId);
    this.#gathered.push(...ended.map((job) => ({ job, path: `/items/of/${job.jobId}${query}` })));
    if (ended.length === 0) return;
    this.#truncated ||= more;
    this.#timer ??= setTimeout(() => this.#flushJobNotices(), GATHER_MS[this.#level]);
  }

  /**
   * Resumes notifications for jobs that end from now on. The server reports an end with a delay, so earlier ends are
   * filtered by time.
   */
  restartJobNotices(): void {
    if (this.#clockOffsetMs !== null) this.#since = new Date(this.#clockOffsetMs + performance.now()).toISOString();
  }

  /** Drops pending notifications. */
  stopJobNotices(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#gathered = [];
    this.#truncated = false;
    this.#level = 0;
  }

  #isNews(job: Job): boolean {
    const { jobId, jobType, status, updatedAt } = job;
    if (status !== 'completed' && status !== 'failed') return false;
    // Its caller waits for the response, so a notification repeats it.
    if (workOf(jobType)?.isAnswer === true || this.#notified.has(jobId)) return false;
    return this.#since !== null && updatedAt >= this.#since && this.#isNewsOfWatch(job);
  }

  /** A watched site is news when it has changed, or when it fails for the first time. */
  #isNewsOfWatch({ watchId, status, siteChanged }: Job): boolean {
    if (watchId == null) return true;
    if (status === 'completed') {
      this.#failing.delete(watchId);
      return siteChanged === true;
    }
    const isFirst = !this.#failing.has(watchId);
    this.#failing.add(watchId);
    return isFirst;
  }

  #rememberNotifiedJob(jobId: string): void {
    this.#notified.add(jobId);
    const [oldest] = this.#notified;
    if (this.#notified.size > NOTIFIED_MAX && oldest !== undefined) this.#notified.delete(oldest);
  }

  #flushJobNotices(): void {
    const gathered = this.#gathered;
    const more = this.#truncated;
    this.#gathered = [];
    this.#truncated = false;
    this.#timer = undefined;
    if (gathered.length === 0) {
      this.#level = 0;
      return;
    }
    this.#level = Math.min(this.#level + 1, GATHER_MS.length - 1);
    // Keep the timer running: an interval without jobs resets the batching level.
    this.#timer = setTimeout(() => this.#flushJobNotices(), GATHER_MS[this.#level]);
    this.#notify(noticeOf(gathered, more));
  }
}

function noticeOf(ended: readonly Ended[], more: boolean): Notice {
  const [first] = ended;
  if (first !== undefined && ended.length === 1 && !more) {
    const { job, path } = first;
    const name = job.sourceName ?? nounOf(job.jobType) ?? workOf(job.jobType)?.noun ?? job.jobType;
    if (job.siteChanged) return { title: texts.siteChanged, body: job.label ?? name, path };
    if (job.status === 'completed') return { title: texts.finished, body: name, path };
    return { title: texts.failed, body: `${name}: ${serverText(job.error?.message ?? '')}`, path };
  }
  const failed = ended.filter(({ job }) => job.status === 'failed').length;
  return {
    title: (more ? texts.endedMore : texts.ended)({ count: ended.length }),
    body: texts.outcome({ completed: ended.length - failed, failed }),
    path: '/library',
  };
}

/** Shows each alert once. Alerts from before the start of the shell are in the window. */
export class AlertNotifier {
  readonly #notify: (notice: Notice) => void;
  readonly #since: string;
  #told: ReadonlySet<string> = new Set();

  /** @param since ISO time of the start of the shell */
  constructor(notify: (notice: Notice) => void, since: string) {
    this.#notify = notify;
    this.#since = since;
  }

  /** @param open all open alerts @param silent remembers the alerts without a notification */
  takeOpenAlerts(open: readonly OpenAlert[], silent: boolean): void {
    // `JobNotifier` reports failed jobs.
    const isNews = ({ alertId, kind, raisedAt }: OpenAlert) =>
      kind !== 'jobs-failing' && raisedAt >= this.#since && !this.#told.has(alertId);
    const news = open.filter(isNews);
    this.#told = new Set(open.map(({ alertId }) => alertId));
    if (silent) return;
    for (const { title, message, page } of news) {
      this.#notify({ title: serverText(title), body: serverText(message), path: page });
    }
  }
}

/** Delay before the event stream reconnects. */
const RECONNECT_DELAY_MS = 2000;

/** The server sends a heartbeat every 15 seconds. A longer silence means a dead connection. */
const SILENCE_LIMIT_MS = 45_000;

/** Ten times the size of an event with a hundred jobs. */
const MESSAGE_CHARS_MAX = 8_000_000;

/** Changed jobs without results. `more`: too many to list. */
interface JobsMessage {
  environment: 'production' | 'staging';
  jobs: Job[];
  removed: string[];
  more: boolean;
}

interface JobEventsEvents {
  /** Server time when the stream opens. */
  time: [string];
  jobs: [JobsMessage];
  /** Alerts may have changed. Also emitted when the stream opens. */
  alerts: [];
}

/**
 * Emits the events of `GET /admin/events` and reconnects when the stream ends. Events between two connections are lost.
 */
export class JobEvents extends EventEmitter<JobEventsEvents> {
  #reading: AbortController | null = null;

  /** Reads from this server only. */
  startJobEvents(session: ShellSession): void {
    this.stopJobEvents();
    const reading = new AbortController();
    this.#reading = reading;
    void this.#keepReading(session, reading.signal);
  }

  stopJobEvents(): void {
    this.#reading?.abort();
    this.#reading = null;
  }

  async #keepReading(session: ShellSession, stopped: AbortSignal): Promise<void> {
    while (!stopped.aborted) {
      try {
        await this.#readJobEvents(session, stopped);
      } catch (error) {
        // The host reports a lost server. Log only a stream that fails by itself.
        if (!stopped.aborted) logLine(`The job event stream failed: ${messageOf(error)}`);
      }
      // Rejects only on abort, which ends the loop.
      await sleep(RECONNECT_DELAY_MS, undefined, { signal: stopped }).catch(() => undefined);
    }
  }

  async #readJobEvents({ baseUrl, ownerToken }: ShellSession, stopped: AbortSignal): Promise<void> {
    const silent = new AbortController();
    const silence = setTimeout(() => silent.abort(new Error('The server stopped sending events.')), SILENCE_LIMIT_MS);
    try {
      const answer = await fetch(`${baseUrl}/admin/events`, {
        headers: { authorization: `Bearer ${ownerToken}`, accept: 'text/event-stream' },
        signal: AbortSignal.any([stopped, silent.signal]),
      });
      if (!answer.ok || answer.body === null) throw new Error(`The server returned status ${answer.status}.`);
      let text = '';
      for await (const part of answer.body.pipeThrough(new TextDecoderStream())) {
        silence.refresh();
        const messages = `${text}${part}`.split('\n\n');
        text = messages.pop() ?? '';
        if (text.length > MESSAGE_CHARS_MAX) throw new Error('An event is too large.');
        for (const message of messages) this.#dispatchJobMessage(message);
      }
    } finally {
      clearTimeout(silence);
    }
  }

  #dispatchJobMessage(message: string): void {
    const fields = message.split('\n').map((line) => line.split(/: ?(.*)/s));
    const data = fields.flatMap(([name, value = '']) => (name === 'data' ? [value] : [])).join('\n');
    const event = fields.find(([name]) => name === 'event')?.[1];
    if (event === 'time') this.emit('time', parseOwnJson<{ now: string }>(data).now);
    if (event === 'jobs') this.emit('jobs', parseOwnJson<JobsMessage>(data));
    if (event === 'alerts') this.emit('alerts');
  }
}

/** Notifications that can still be clicked. A garbage-collected object emits no click event. */
const SHOWN_MAX = 20;

const shown = new Set<Notification>();

/** Shows a system notification, if the system supports them. */
export function showNotice({ title, body, path }: Notice, open: (path: string) => void): void {
  if (!Notification.isSupported()) return;
  const notification = new Notification({ title, body });
  shown.add(notification);
  const [oldest] = shown;
  if (shown.size > SHOWN_MAX && oldest !== undefined) shown.delete(oldest);
  notification.on('click', () => {
    shown.delete(notification);
    open(path);
  });
  notification.show();
}
