import type { Settings } from '../../config.ts';
import { type FindKey, type KeyIdentity, OWNER, PRIVATE_NETWORK_SCOPE } from '../../context.ts';
import { type Clock, toIsoTime } from '../../platform/clock.ts';
import type { Storage, Tx } from '../../platform/db/database.ts';
import { QuarryError } from '../../platform/errors.ts';
import { invalidRequest } from '../../platform/http/validate.ts';
import { newId } from '../../platform/ids.ts';
import type { Logger } from '../../platform/log.ts';
import { PrivateHost } from '../../platform/net/private-host.ts';
import { MIB, SECOND_MS } from '../../platform/units.ts';
import { checkOwnMade, hasKeyEnded, keyEndedNotice, madeBy, makerOf } from '../accounts/service.ts';
import { type CrawlBaseline, CrawlRequest, SITE_CHANGES, type SiteChanges } from '../crawl/schema.ts';
import type { JobDraft, JobError, JobStatus } from '../jobs/schema.ts';
import { isKept } from '../jobs/service.ts';
import { jobEventsOf, normalizeEvents, type SubscriptionDraft, type WebhookMaker } from '../webhooks/schema.ts';
import { isOutOfReach, nextRunAt } from './schedule.ts';
import {
  isWholeDays,
  MAX_SITE_WATCHES,
  type Schedule,
  type SitePageVersion,
  type SiteWatch,
  type SiteWatchRequest,
  type SiteWatchRun,
  type SiteWatchUpdate,
  type WatchedCrawl,
} from './schema.ts';
import { SiteHistory } from './site-history.ts';
import {
  changeRun,
  changeWatch,
  countWatches,
  deleteWatch,
  dueWatches,
  insertRun,
  insertWatch,
  lastDueWatches,
  listRuns,
  listWatches,
  openRunOf,
  openRuns,
  type PageVersionRow,
  type RunRow,
  runByJob,
  runBySeq,
  versionsOfPage,
  versionsOfRun,
  type WatchRow,
  watchById,
  watchBySeq,
} from './store.ts';

const TICK_MS = SECOND_MS;

/** Scheduled runs at a time: the owner's own crawls do not wait behind hundreds of watches. */
const MAX_OPEN_RUNS = 4;

/** The most versions of a page in one answer. */
const MAX_PAGE_VERSIONS = 100;

export interface SiteWatchDeps {
  storage: Storage;
  clock: Clock;
  log: Logger;
  /** Folder of the texts and diffs. */
  root: string;
  settings(): Readonly<Settings>;
  keyOf: FindKey;
  /** Refuses a crawl that a schema cannot check. Errors: those of the operation. */
  admit(request: Record<string, unknown>): Promise<void>;
  /** Submits a job that costs nothing. */
  accept(draft: JobDraft): Promise<unknown>;
  /** Errors: `invalid_request`, naming the field by its `path`. */
  checkTargets(maker: WebhookMaker, targets: readonly { path: string; url: string }[]): Promise<void>;
}

/**
 * Watched sites of one environment: crawls that run again at an interval. Each run is an ordinary job of the owner, so
 * limits, politeness, cancelling and the window treat it like any other.
 */
export class SiteWatches {
  readonly #deps: SiteWatchDeps;
  readonly #history: SiteHistory;
  /** Watches whose runs have ended since their files were put in order. */
  readonly #untidy = new Set<number>();
  #timer: NodeJS.Timeout | null = null;
  #work: Promise<void> | null = null;

  constructor(deps: SiteWatchDeps) {
    this.#deps = deps;
    this.#history = new SiteHistory(deps.root, deps.storage);
  }

  /** Call it before jobs start: runs whose job was never submitted are due again. */
  start(): void {
    this.#recover();
    for (const { seq } of listWatches(this.#deps.storage.db)) this.#untidy.add(seq);
    this.#workOn(() => this.#history.removeOthers(), TIDY_FAILED);
    this.#timer = setInterval(() => this.#tick(), TICK_MS);
  }

  async close(): Promise<void> {
    if (this.#timer) clearInterval(this.#timer);
    this.#timer = null;
    await this.#work;
  }

  list(): SiteWatch[] {
    return listWatches(this.#deps.storage.db).map((watch) => this.#present(watch));
  }

  /** Errors: `not_found`. */
  get(watchId: string): SiteWatch {
    return this.#present(this.#watch(watchId));
  }

  /** The first run is due at once. Errors: `invalid_request`, `conflict` at the limit. */
  async create(request: SiteWatchRequest, key?: KeyIdentity): Promise<SiteWatch> {
    await this.#check(request, key);
    const { storage, clock } = this.#deps;
    const now = clock.now();
    const { everyMinutes, timeOfDay } = request.schedule;
    const watch = storage.transaction((tx) => {
      if (countWatches(tx) >= MAX_SITE_WATCHES) {
        throw new QuarryError('conflict', `There are ${MAX_SITE_WATCHES} watches. Delete one first.`);
      }
      return insertWatch(tx, {
        id: newId('wch'),
        ...madeBy(key),
        name: request.name ?? null,
        crawl: JSON.stringify(request.crawl),
        every_minutes: everyMinutes,
        time_of_day: timeOfDay,
        webhook: webhookJson(request.webhook),
        status: 'active',
        next_run_at: now,
        baseline_run: null,
        last_run: null,
        last_change_at: null,
        created_at: now,
        updated_at: now,
      });
    });
    this.#tick();
    return this.#present(watch);
  }

  /**
   * Errors: `not_found`, `invalid_request`, `forbidden`, `conflict` when the crawl of a run under way would change.
   *
   * @param key absent for the owner, who resumes a watch whose key has ended as their own
   */
  async change(watchId: string, update: SiteWatchUpdate, key?: KeyIdentity): Promise<SiteWatch> {
    checkOwnMade(key, this.#watch(watchId), update);
    await this.#check(update, key);
    const { storage, clock } = this.#deps;
    const now = clock.now();
    const watch = storage.transaction((tx) => {
      const row = this.#watch(watchId);
      const crawl = update.crawl === undefined ? row.crawl : JSON.stringify(update.crawl);
      if (crawl !== row.crawl && openRunOf(tx, row.seq)) {
        throw new QuarryError('conflict', 'A run is under way. Cancel its job, or wait until it has ended.');
      }
      const isFreed = key === undefined && update.status === 'active' && this.#hasKeyEnded(row);
      const changed = changeWatch(tx, row.seq, {
        ...(isFreed ? madeBy(undefined) : {}),
        ...(update.name === undefined ? {} : { name: update.name }),
        ...(crawl === row.crawl ? {} : { crawl, baseline_run: null }),
        ...(update.schedule && {
          every_minutes: update.schedule.everyMinutes,
          time_of_day: update.schedule.timeOfDay,
        }),
        ...(update.webhook === undefined ? {} : { webhook: webhookJson(update.webhook ?? undefined) }),
        ...(update.status === undefined ? {} : { status: update.status }),
        updated_at: now,
      });
      const isRescheduled = update.schedule !== undefined || changed.status !== row.status || isFreed;
      if (!isRescheduled) return changed;
      const next = changed.status === 'paused' ? null : this.#nextOf(changed, now);
      return changeWatch(tx, row.seq, { next_run_at: next });
    });
    this.#untidy.add(watch.seq);
    return this.#present(watch);
  }

  /** The next time after a change: by the last run, and at once where that is long ago. */
  #nextOf(watch: WatchRow, now: number): number {
    const last = watch.last_run === null ? undefined : runBySeq(this.#deps.storage.db, watch.last_run);
    if (last === undefined) return now;
    return Math.max(now, nextRunAt(scheduleOf(watch), last.begun_at, last.begun_at));
  }

  /** A run under way goes on as an ordinary crawl. Errors: `not_found`. */
  async delete(watchId: string): Promise<void> {
    const watch = this.#watch(watchId);
    this.#deps.storage.transaction((tx) => deleteWatch(tx, watch.seq));
    await this.#history.remove(watch.seq, watch.id);
  }

  /** Runs now. The schedule stays. Errors: `not_found`, `conflict` while a run is under way. */
  async run(watchId: string): Promise<SiteWatchRun> {
    const watch = this.#watch(watchId);
    const run = this.#begin(watch, 'owner');
    if (run === null)
      throw new QuarryError('conflict', 'A run is under way. Wait until it has ended, or cancel its job.');
    await this.#submit(watch, run);
    return this.#presentRun(runBySeq(this.#deps.storage.db, run.seq) ?? run);
  }

  /** One page, newest first. Errors: `not_found`. */
  runs(watchId: string, before: number | null, limit: number): { runs: SiteWatchRun[]; next: number | null } {
    const rows = listRuns(this.#deps.storage.db, this.#watch(watchId).seq, before, limit + 1);
    const page = rows.slice(0, limit);
    const next = rows.length > limit ? (page.at(-1)?.seq ?? null) : null;
    return { runs: page.map((row) => this.#presentRun(row)), next };
  }

  /** One page of the changes of a run, by address. Errors: `not_found`. */
  async changesOf(watchId: string, jobId: string, after: string, limit: number) {
    const watch = this.#watch(watchId);
    const run = runByJob(this.#deps.storage.db, jobId);
    if (run?.watch_seq !== watch.seq) throw new QuarryError('not_found', 'This watch has no run with this id.');
    const rows = run.status === 'completed' ? versionsOfRun(this.#deps.storage.db, run, after, limit + 1) : [];
    const page = rows.slice(0, limit);
    const next = rows.length > limit ? (page.at(-1)?.url ?? null) : null;
    return { changes: await this.#presentVersions(watch, page), next };
  }

  /** The versions of a page, newest first. Errors: `not_found`. */
  async page(watchId: string, url: string): Promise<SitePageVersion[]> {
    const watch = this.#watch(watchId);
    const rows = versionsOfPage(this.#deps.storage.db, watch.seq, url, MAX_PAGE_VERSIONS);
    if (rows.length === 0) throw new QuarryError('not_found', 'No run of this watch has read a page at this address.');
    return this.#presentVersions(watch, rows);
  }

  /** What the crawl of a job is compared with; null when it is no run of a watch. */
  baselineOf(jobId: string): CrawlBaseline | null {
    const { db } = this.#deps.storage;
    const run = runByJob(db, jobId);
    const watch = run && watchBySeq(db, run.watch_seq);
    if (run === undefined || watch === undefined) return null;
    const last = run.baseline_run === null ? undefined : runBySeq(db, run.baseline_run);
    const before = last === undefined ? null : this.#history.existingFolderOf(watch.id, last.seq);
    const comparedWith =
      last === undefined ? null : { crawlId: last.job_id, crawledAt: toIsoTime(last.ended_at ?? last.begun_at) };
    return {
      comparedWith: before === null ? null : comparedWith,
      before,
      after: this.#history.folderOf(watch.id, run.seq),
      onCompared: (changes) => this.#enter(watch, run, changes),
    };
  }

  async #enter(watch: WatchRow, run: RunRow, { comparedWith, counts }: SiteChanges): Promise<void> {
    // The watch may have been deleted meanwhile.
    if (watchBySeq(this.#deps.storage.db, watch.seq) === undefined) return;
    await this.#history.enter(watch, run);
    const changes = SITE_CHANGES.reduce((sum, change) => sum + counts[change], 0);
    const found = { counts: JSON.stringify(counts), changes, is_first: comparedWith === null ? 1 : 0 };
    this.#deps.storage.transaction((tx) => changeRun(tx, run.seq, found));
  }

  /** Ends a run with its job, in the same transaction. The next run is compared with a completed one only. */
  onJobEnded(tx: Tx, job: { id: string; status: JobStatus; error: string | null }): void {
    const run = runByJob(tx, job.id);
    if (run === undefined) return;
    const status = job.status === 'completed' ? 'completed' : 'failed';
    const now = this.#deps.clock.now();
    changeRun(tx, run.seq, { status, error: job.error, ended_at: now });
    if (status === 'completed' && run.counts !== null) {
      changeWatch(tx, run.watch_seq, { baseline_run: run.seq, ...(run.changes > 0 ? { last_change_at: now } : {}) });
    }
    this.#untidy.add(run.watch_seq);
  }

  /** Starts due runs and tidies. A tick never overlaps another. */
  #tick(): void {
    if (this.#timer === null) return;
    this.#workOn(() => this.#pass(), 'Watched sites could not be looked at.');
  }

  #workOn(work: () => Promise<void>, failed: string): void {
    this.#work ??= work()
      .catch((error: unknown) => this.#deps.log.error({ err: error }, failed))
      .finally(() => {
        this.#work = null;
      });
  }

  async #pass(): Promise<void> {
    const { storage, clock } = this.#deps;
    const now = clock.now();
    this.#pullBack(now);
    const room = MAX_OPEN_RUNS - openRuns(storage.db).length;
    for (const watch of room > 0 ? dueWatches(storage.db, now, room) : []) {
      if (this.#hasKeyEnded(watch)) {
        this.#skip(watch, now);
        continue;
      }
      const run = this.#begin(watch, 'schedule');
      if (run !== null) await this.#submit(watch, run);
    }
    for (const seq of this.#untidy) {
      this.#untidy.delete(seq);
      const watch = watchBySeq(storage.db, seq);
      if (watch !== undefined) await this.#tidy(watch);
    }
  }

  /** The key that made it could make it no more. */
  #hasKeyEnded(watch: WatchRow): boolean {
    return hasKeyEnded(this.#deps.keyOf, watch, 'admin');
  }

  #skip(watch: WatchRow, now: number): void {
    const next = nextRunAt(scheduleOf(watch), watch.next_run_at ?? now, now);
    this.#deps.storage.transaction((tx) => changeWatch(tx, watch.seq, { next_run_at: next }));
  }

  async #tidy(watch: WatchRow): Promise<void> {
    const { watchRunsKept, watchDiffsMb } = this.#deps.settings();
    try {
      await this.#history.tidy(watch, { runs: watchRunsKept, diffBytes: watchDiffsMb * MIB });
    } catch (error) {
      this.#deps.log.error({ err: error, watchId: watch.id }, TIDY_FAILED);
    }
  }

  /** After the clock was set back, runs would be due only when it has caught up. */
  #pullBack(now: number): void {
    const { storage } = this.#deps;
    for (const watch of lastDueWatches(storage.db, MAX_OPEN_RUNS)) {
      if (!isOutOfReach(scheduleOf(watch), watch.next_run_at ?? 0, now)) return;
      const next = nextRunAt(scheduleOf(watch), now, now);
      storage.transaction((tx) => changeWatch(tx, watch.seq, { next_run_at: next }));
    }
  }

  /** Inserts a run; null while one is under way. Either way the scheduled time has passed. */
  #begin({ seq }: WatchRow, cause: RunRow['cause']): RunRow | null {
    const { storage, clock } = this.#deps;
    const now = clock.now();
    return storage.transaction((tx) => {
      const watch = watchBySeq(tx, seq);
      if (watch === undefined) return null;
      if (cause === 'schedule' && watch.next_run_at !== null) {
        changeWatch(tx, seq, { next_run_at: nextRunAt(scheduleOf(watch), watch.next_run_at, now) });
      }
      if (openRunOf(tx, seq)) return null;
      const run = insertRun(tx, {
        watch_seq: seq,
        job_id: newId('crl'),
        cause,
        status: 'running',
        baseline_run: watch.baseline_run,
        is_first: null,
        counts: null,
        error: null,
        begun_at: now,
        ended_at: null,
      });
      changeWatch(tx, seq, { last_run: run.seq });
      return run;
    });
  }

  /** Submits the crawl of a run. A run that cannot be submitted has failed. */
  async #submit(watch: WatchRow, run: RunRow): Promise<void> {
    const request = requestOf(JSON.parse(watch.crawl));
    const draft: JobDraft = {
      jobId: run.job_id,
      operationId: 'crawl',
      accountId: OWNER.accountId,
      request,
      upload: null,
      ...(watch.key_id === null ? {} : { key: { id: watch.key_id, name: watch.key_name ?? '', openJobs: null } }),
      privateHost: this.#mayReachPrivate(watch) ? (PrivateHost.of(String(request.url))?.host ?? null) : null,
      priority: LOW,
      // A reused crawl would be an old one.
      dedupeKey: null,
      subscriptions: watch.webhook === null ? [] : [JSON.parse(watch.webhook) as SubscriptionDraft],
      watchId: watch.id,
    };
    try {
      await this.#deps.accept(draft);
    } catch (error) {
      this.#deps.log.error({ err: error, watchId: watch.id }, 'A run of a watched site could not be submitted.');
      this.#failed(run, 'The crawl could not be started. Free disk space, or see the log.');
    }
  }

  #mayReachPrivate({ key_id: keyId }: WatchRow): boolean {
    return keyId === null || (this.#deps.keyOf(keyId)?.scopes.includes(PRIVATE_NETWORK_SCOPE) ?? false);
  }

  #failed(run: RunRow, message: string): void {
    const { storage, clock } = this.#deps;
    const error = { code: 'internal', message, retryable: true, attempts: 0 } satisfies JobError;
    storage.transaction((tx) =>
      changeRun(tx, run.seq, { status: 'failed', error: JSON.stringify(error), ended_at: clock.now() }),
    );
  }

  /** The process died between the start of a run and its job. */
  #recover(): void {
    const { storage, clock } = this.#deps;
    for (const run of openRuns(storage.db)) {
      if (isKept(storage.db, run.job_id)) continue;
      this.#failed(run, 'Quarry ended before the crawl was started. It is due again.');
      storage.transaction((tx) => {
        if (watchBySeq(tx, run.watch_seq)?.status === 'active') {
          changeWatch(tx, run.watch_seq, { next_run_at: clock.now() });
        }
      });
    }
  }

  /** Errors: `invalid_request`. */
  async #check({ crawl, schedule, webhook }: SiteWatchUpdate, key: KeyIdentity | undefined): Promise<void> {
    if (crawl !== undefined) await this.#deps.admit(requestOf(crawl)).catch(renameFields);
    if (schedule !== undefined) checkSchedule(schedule);
    if (!webhook) return;
    await this.#deps.checkTargets({ accountId: OWNER.accountId, key }, [{ path: 'webhook.url', url: webhook.url }]);
  }

  #watch(watchId: string): WatchRow {
    const watch = watchById(this.#deps.storage.db, watchId);
    if (watch === undefined) throw new QuarryError('not_found', 'There is no watch with this id.');
    return watch;
  }

  #present(row: WatchRow): SiteWatch {
    const { db } = this.#deps.storage;
    const last = row.last_run === null ? undefined : runBySeq(db, row.last_run);
    const webhook = row.webhook === null ? null : (JSON.parse(row.webhook) as SubscriptionDraft);
    const isPaused = row.status === 'paused' || this.#hasKeyEnded(row);
    return {
      watchId: row.id,
      name: row.name,
      crawl: JSON.parse(row.crawl),
      schedule: scheduleOf(row),
      webhook: webhook && {
        url: webhook.url,
        events: jobEventsOf(normalizeEvents(webhook.events)),
        hasSecret: webhook.secret !== null,
      },
      status: isPaused ? 'paused' : 'active',
      ...makerOf(row),
      ...(this.#hasKeyEnded(row) ? { notice: keyEndedNotice(row) } : {}),
      nextRunAt: isPaused || row.next_run_at === null ? null : toIsoTime(row.next_run_at),
      lastRun: last === undefined ? null : this.#presentRun(last),
      lastChangeAt: row.last_change_at === null ? null : toIsoTime(row.last_change_at),
      createdAt: toIsoTime(row.created_at),
      updatedAt: toIsoTime(row.updated_at),
    };
  }

  #presentRun(row: RunRow): SiteWatchRun {
    const { attempts: _, ...error } = JSON.parse(row.error ?? '{}') as JobError;
    return {
      jobId: row.job_id,
      jobKept: isKept(this.#deps.storage.db, row.job_id),
      cause: row.cause,
      status: row.status,
      isFirst: row.is_first === 1 || (row.is_first === null && row.baseline_run === null),
      counts: row.counts === null || row.status !== 'completed' ? null : JSON.parse(row.counts),
      error: row.error === null ? null : error,
      startedAt: toIsoTime(row.begun_at),
      endedAt: row.ended_at === null ? null : toIsoTime(row.ended_at),
    };
  }

  async #presentVersions(watch: WatchRow, rows: readonly PageVersionRow[]): Promise<SitePageVersion[]> {
    const diffs = await this.#history.diffsOf(watch.id, rows);
    const { db } = this.#deps.storage;
    return rows.map((row, index) => {
      const run = runBySeq(db, row.run_seq);
      const before = parsed(row.before);
      const after = parsed(row.after);
      const diff = diffs[index] ?? null;
      return {
        url: row.url,
        change: row.change,
        title: row.title,
        movedTo: row.moved_to,
        before,
        after,
        addedLines: row.added_lines,
        removedLines: row.removed_lines,
        changedShare: row.changed_share,
        diff,
        diffTruncated: row.diff_truncated === 1,
        diffKept: row.diff_bytes === 0 || diff !== null,
        jobId: run?.job_id ?? null,
        at:
          after?.fetchedAt ?? (run === undefined ? (before?.fetchedAt ?? '') : toIsoTime(run.ended_at ?? run.begun_at)),
      };
    });
  }
}

export { isOutOfReach, nextRunAt } from './schedule.ts';

/** Errors: `invalid_request`. */
export function checkSchedule(schedule: Schedule): void {
  if (schedule.timeOfDay === null || isWholeDays(schedule)) return;
  const message = 'Give an interval of whole days (1440 minutes or a multiple), or leave the time of day out.';
  throw invalidRequest([{ path: 'schedule.timeOfDay', message }]);
}

/** The request of a run's job. */
function requestOf(crawl: WatchedCrawl) {
  return CrawlRequest.parse({ ...crawl, priority: 'low' });
}

/** Names the fields of a crawl by their paths in the request of the watch. */
function renameFields(error: unknown): never {
  if (!(error instanceof QuarryError) || error.fields === undefined) throw error;
  throw invalidRequest(error.fields.map(({ path, message }) => ({ path: `crawl.${path}`, message })));
}

const TIDY_FAILED = 'The history of a watched site could not be put in order.';

const LOW = 0;

function parsed(version: string | null): SitePageVersion['after'] {
  return version === null ? null : JSON.parse(version);
}

function scheduleOf({ every_minutes, time_of_day }: WatchRow): Schedule {
  return { everyMinutes: every_minutes, timeOfDay: time_of_day };
}

function webhookJson(webhook: SiteWatchRequest['webhook']): string | null {
  if (webhook === undefined) return null;
  const { url, events = ['crawl.changed'], secret = null } = webhook;
  return JSON.stringify({ url, events, secret } satisfies SubscriptionDraft);
}
