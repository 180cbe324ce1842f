import type { Settings } from '../../config.ts';
import type { KeyIdentity } from '../../context.ts';
import { toIsoTime } from '../../platform/clock.ts';
import type { Tx } from '../../platform/db/database.ts';
import { QuarryError } from '../../platform/errors.ts';
import { invalidRequest } from '../../platform/http/validate.ts';
import { newId } from '../../platform/ids.ts';
import { parseOwnJson } from '../../platform/own-json.ts';
import { say } from '../../platform/text/say.ts';
import { MIB } from '../../platform/units.ts';
import { type CrawlBaseline, SITE_CHANGES, type SiteChanges } from '../crawl/schema.ts';
import type { SubscriptionDraft } from '../jobs/schema.ts';
import {
  acceptCall,
  asJobError,
  asPrincipal,
  checkCall,
  checkSchedule,
  type EndedJob,
  isKept,
  type JobService,
  JobSource,
  type JobSourceDeps,
  nullableIsoTime,
  type SourcePage,
} from '../jobs/service.ts';
import { jobEventsOf, normalizeEvents } from '../webhooks/schema.ts';
import {
  MAX_SITE_WATCHES,
  type SitePageVersion,
  type SiteWatch,
  type SiteWatchRequest,
  type SiteWatchRun,
  type SiteWatchUpdate,
  type WatchedCrawl,
} from './schema.ts';
import { SiteHistory } from './site-history.ts';
import {
  openRunOf,
  openRuns,
  type PageVersionRow,
  type RunRow,
  runByJob,
  runBySeq,
  SITE_WATCHES,
  versionsOfPage,
  versionsOfRun,
  type WatchRow,
} from './store.ts';

/** Scheduled runs at a time: the owner's own crawls do not wait behind hundreds of watches. */
const MAX_OPEN_RUNS = 4;

/** The most versions of a page in one answer. */
const MAX_PAGE_VERSIONS = 100;

export interface SiteWatchDeps extends JobSourceDeps {
  /** Folder of the texts and diffs. */
  root: string;
  settings(): Readonly<Settings>;
  service: JobService;
}

/**
 * Watched sites of one environment: crawls that run again at an interval. Each run is an ordinary job of the owner, so
 * limits, politeness, cancelling and the window treat it like any other.
 */
export class SiteWatches extends JobSource<WatchRow, RunRow, SiteWatch, Pick<RunRow, 'cause'>> {
  readonly #deps: SiteWatchDeps;
  readonly #history: SiteHistory;
  /** Watches whose runs have ended since their files were put in order. */
  readonly #untidy = new Set<number>();
  #isSwept = false;

  constructor(deps: SiteWatchDeps) {
    const limits = { most: MAX_SITE_WATCHES, maxOpenJobs: MAX_OPEN_RUNS, lanes: 1, turn: 1 };
    super(deps, { store: SITE_WATCHES, prefix: 'wch', one: 'watch', many: 'watches', ...limits });
    this.#deps = deps;
    this.#history = new SiteHistory(deps.root, deps.storage);
  }

  /** Call it before jobs start: runs whose job was never submitted are due again. */
  override startJobSource(): void {
    this.#recoverLostRuns();
    for (const { seq } of this.store.listSources(this.sourceDatabase)) this.#untidy.add(seq);
    super.startJobSource();
  }

  /** The first run is due at once. Errors: `invalid_request`, `conflict` at the limit. */
  async create(request: SiteWatchRequest, key?: KeyIdentity): Promise<SiteWatch> {
    await this.#checkWatchUpdate(request, key);
    const columns = { crawl: JSON.stringify(request.crawl), webhook: webhookJson(request.webhook) };
    return this.presentSource(this.insertSource(request, columns, key));
  }

  /**
   * Errors: `not_found`, `invalid_request`, `forbidden`, `conflict` when the crawl of a run under way would change.
   *
   * @param key absent for the owner
   */
  async change(watchId: string, update: SiteWatchUpdate, key?: KeyIdentity): Promise<SiteWatch> {
    this.checkOwn(key, this.rowOf(watchId), update);
    await this.#checkWatchUpdate(update, key);
    const { name, webhook } = update;
    const crawl = update.crawl && JSON.stringify(update.crawl);
    const called = webhook === undefined ? undefined : webhookJson(webhook ?? undefined);
    const watchColumnsAfter = (tx: Tx, before: WatchRow) => {
      if (crawl === undefined || crawl === before.crawl) return { name, webhook: called };
      if (openRunOf(tx, before.seq) === undefined) return { name, webhook: called, crawl, baseline_run: null };
      throw new QuarryError('conflict', 'A run is under way. Cancel its job, or wait until it has ended.');
    };
    const watch = this.updateSource(watchId, update, watchColumnsAfter, key);
    this.#untidy.add(watch.seq);
    return this.presentSource(watch);
  }

  /** A run under way goes on as an ordinary crawl. Errors: `not_found`. */
  override async delete(watchId: string): Promise<void> {
    const { seq, id } = this.rowOf(watchId);
    await super.delete(watchId);
    await this.#history.removeWatchHistory(seq, id);
  }

  /** Runs now. The schedule stays. Errors: `not_found`, `conflict` while a run is under way, those of a crawl. */
  async runWatchNow(watchId: string): Promise<SiteWatchRun> {
    const watch = this.rowOf(watchId);
    if (openRunOf(this.sourceDatabase, watch.seq) !== undefined) throw underWay();
    if (this.hasSourceKeyEnded(watch)) {
      throw new QuarryError('conflict', 'The watch is paused, since its key has ended. Resume it first.');
    }
    const jobId = await this.#acceptWatchCrawl(watch, 'owner');
    const run = runByJob(this.sourceDatabase, jobId);
    if (run === undefined) throw new QuarryError('not_found', 'The watch has been deleted.');
    return this.#presentRun(run);
  }

  /** One page, newest first. Errors: `not_found`. */
  pageOfRuns(watchId: string, page: SourcePage) {
    return this.sourceEntryPage(watchId, page, (row) => this.#presentRun(row));
  }

  /** One page of the changes of a run, by address. Errors: `not_found`. */
  async pageOfRunChanges(watchId: string, jobId: string, after: string, limit: number) {
    const watch = this.rowOf(watchId);
    const run = runByJob(this.sourceDatabase, jobId);
    if (run?.watch_seq !== watch.seq) throw new QuarryError('not_found', 'This watch has no run with this id.');
    const rows = run.status === 'completed' ? versionsOfRun(this.sourceDatabase, run, after, limit + 1) : [];
    const page = rows.slice(0, limit);
    const next = rows.length > limit ? (page.at(-1)?.url ?? null) : null;
    return { changes: await this.#presentVersions(watch, page), next };
  }

  /** The versions of a page, newest first. Errors: `not_found`. */
  async versionsOfSitePage(watchId: string, url: string): Promise<SitePageVersion[]> {
    const watch = this.rowOf(watchId);
    const rows = versionsOfPage(this.sourceDatabase, watch.seq, url, MAX_PAGE_VERSIONS);
    if (rows.length === 0) throw new QuarryError('not_found', 'No run of this watch has read a page at this address.');
    return this.#presentVersions(watch, rows);
  }

  /** What the crawl of a job is compared with; null when it is no run of a watch. */
  baselineOf(jobId: string): CrawlBaseline | null {
    const { sourceDatabase: db } = this;
    const run = runByJob(db, jobId);
    const watch = run && this.store.sourceBySeq(db, run.watch_seq);
    if (run === undefined || watch === undefined) return null;
    const last = run.baseline_run === null ? undefined : runBySeq(db, run.baseline_run);
    const before = last === undefined ? null : this.#history.existingFolderOf(watch.id, last.seq);
    const comparedWith =
      last === undefined ? null : { crawlId: last.job_id, crawledAt: toIsoTime(last.ended_at ?? last.begun_at) };
    return {
      comparedWith: before === null ? null : comparedWith,
      before,
      after: this.#history.runFolderOf(watch.id, run.seq),
      onCompared: (changes) => this.#enterRunChanges(watch, run, changes),
    };
  }

  async #enterRunChanges(watch: WatchRow, run: RunRow, { comparedWith, counts }: SiteChanges): Promise<void> {
    // The watch may have been deleted meanwhile.
    if (this.store.sourceBySeq(this.sourceDatabase, watch.seq) === undefined) return;
    await this.#history.enterPageVersions(watch, run);
    const changes = SITE_CHANGES.reduce((sum, change) => sum + counts[change], 0);
    const found = { counts: JSON.stringify(counts), changes, is_first: comparedWith === null ? 1 : 0 };
    this.#deps.storage.transaction((tx) => this.store.changeEntry(tx, run, found));
  }

  /** The next run is compared with a completed one only. */
  protected override endSourceEntry(tx: Tx, run: RunRow, job: EndedJob): void {
    const status = job.status === 'completed' ? 'completed' : 'failed';
    const now = this.#deps.clock.now();
    this.store.changeEntry(tx, run, { status, error: job.error, ended_at: now });
    if (status === 'completed' && run.counts !== null) {
      const last_change_at = run.changes > 0 ? now : undefined;
      this.store.changeSource(tx, run.watch_seq, { baseline_run: run.seq, last_change_at });
    }
    this.#untidy.add(run.watch_seq);
  }

  protected override async runChores(now: number): Promise<void> {
    for (const { seq } of this.dueSources(now, MAX_SITE_WATCHES)) this.wakeSource(seq);
    if (!this.#isSwept) await this.#sweepHistories();
    for (const seq of this.#untidy) {
      this.#untidy.delete(seq);
      const watch = this.store.sourceBySeq(this.sourceDatabase, seq);
      if (watch !== undefined) await this.#tidyWatchHistory(watch);
    }
  }

  /** Of all watches: the owner's own crawls do not wait behind hundreds of them. */
  protected override roomOf(): number {
    return MAX_OPEN_RUNS - openRuns(this.sourceDatabase).length;
  }

  /** A time that comes while a run is under way is left out. */
  protected override nextPendingEntry(
    watch: WatchRow,
    isHeld: (key: unknown) => boolean,
  ): Pick<RunRow, 'cause'> | undefined {
    const now = this.#deps.clock.now();
    if (watch.next_run_at === null || watch.next_run_at > now || isHeld(RUN)) return undefined;
    if (openRunOf(this.sourceDatabase, watch.seq) === undefined) return { cause: 'schedule' };
    this.passOverMissedTime(watch, watch.next_run_at, now);
    return undefined;
  }

  protected override pendingEntryKey(): string {
    return RUN;
  }

  protected override isEntryPending({ seq }: WatchRow): boolean {
    const { sourceDatabase: db } = this;
    return this.store.sourceBySeq(db, seq) !== undefined && openRunOf(db, seq) === undefined;
  }

  protected override lastSourceRunOf({ last_run: last }: WatchRow): number | null {
    return last === null ? null : (runBySeq(this.sourceDatabase, last)?.begun_at ?? null);
  }

  protected override async submitSourceEntry(watch: WatchRow, { cause }: Pick<RunRow, 'cause'>): Promise<void> {
    await this.#acceptWatchCrawl(watch, cause);
  }

  /** Returns the id of the job. */
  async #acceptWatchCrawl(watch: WatchRow, cause: RunRow['cause']): Promise<string> {
    const call = await acceptCall(this.#deps.service, {
      operationId: 'crawl',
      value: requestOf(parseOwnJson(watch.crawl)),
      principal: this.sourcePrincipalOf(watch),
      signal: this.sourceStopSignal,
      install: 'ask',
      isFresh: true,
      subscriptions: watch.webhook === null ? [] : [parseOwnJson<SubscriptionDraft>(watch.webhook)],
      watchId: watch.id,
      also: (tx, job) => this.#enterRun(tx, watch.seq, { cause, job_id: job.id, status: 'running', error: null }),
    });
    call.leave();
    return call.jobId;
  }

  /** A run that cannot be submitted has failed. */
  protected override failSourceEntry(watch: WatchRow, { cause }: Pick<RunRow, 'cause'>, error: QuarryError): void {
    const failed = { cause, job_id: newId('crl'), status: 'failed' as const, error: asJobError(error) };
    this.#deps.storage.transaction((tx) => this.#enterRun(tx, watch.seq, failed));
  }

  /** Either way the scheduled time has passed. */
  #enterRun(tx: Tx, seq: number, entry: Pick<RunRow, 'cause' | 'job_id' | 'status' | 'error'>): void {
    const now = this.#deps.clock.now();
    const watch = this.store.sourceBySeq(tx, seq);
    if (watch === undefined) throw new QuarryError('conflict', 'The watch has been deleted.');
    const run = this.store.insertEntry(tx, {
      watch_seq: seq,
      ...entry,
      baseline_run: watch.baseline_run,
      is_first: null,
      counts: null,
      begun_at: now,
      ended_at: entry.error === null ? null : now,
    });
    if (run === undefined) throw underWay();
    const due = entry.cause === 'schedule' ? watch.next_run_at : null;
    const next_run_at = due === null ? undefined : this.nextTime(watch, due, now);
    this.store.changeSource(tx, seq, { last_run: run.seq, next_run_at });
  }

  async #sweepHistories(): Promise<void> {
    this.#isSwept = true;
    await this.#history.removeOthers().catch((error: unknown) => this.#deps.log.error({ err: error }, TIDY_FAILED));
  }

  async #tidyWatchHistory(watch: WatchRow): Promise<void> {
    const { watchRunsKept, watchDiffsMb } = this.#deps.settings();
    try {
      await this.#history.tidyRuns(watch, { runs: watchRunsKept, diffBytes: watchDiffsMb * MIB });
    } catch (error) {
      this.#deps.log.error({ err: error, watchId: watch.id }, TIDY_FAILED);
    }
  }

  /** A run whose job is gone: an earlier version inserted the run before the job, and died in between. */
  #recoverLostRuns(): void {
    const { storage, clock } = this.#deps;
    const message = say`Quarry ended before the crawl was started. It is due again.`;
    const error = asJobError(new QuarryError('internal', message, { retryable: true }));
    for (const run of openRuns(storage.db)) {
      if (isKept(storage.db, run.job_id)) continue;
      storage.transaction((tx) => {
        this.store.changeEntry(tx, run, { status: 'failed', error, ended_at: clock.now() });
        if (this.store.sourceBySeq(tx, run.watch_seq)?.status !== 'active') return;
        this.store.changeSource(tx, run.watch_seq, { next_run_at: clock.now() });
      });
    }
  }

  /** Errors: `invalid_request`. */
  async #checkWatchUpdate({ crawl, schedule, webhook }: SiteWatchUpdate, key: KeyIdentity | undefined): Promise<void> {
    const service = this.#deps.service;
    const principal = asPrincipal(key);
    if (crawl !== undefined) {
      await checkCall(service, { operationId: 'crawl', value: requestOf(crawl), principal }).catch(renameFields);
    }
    if (schedule !== undefined) checkSchedule(schedule);
    if (webhook) await service.checkTargets(principal, [{ path: 'webhook.url', url: webhook.url }]);
  }

  protected override presentSource(row: WatchRow): SiteWatch {
    const { sourceDatabase: db } = this;
    const last = row.last_run === null ? undefined : runBySeq(db, row.last_run);
    const webhook = row.webhook === null ? null : parseOwnJson<SubscriptionDraft>(row.webhook);
    return {
      watchId: row.id,
      name: row.name,
      crawl: parseOwnJson(row.crawl),
      webhook: webhook && {
        url: webhook.url,
        events: jobEventsOf(normalizeEvents(webhook.events)),
        hasSecret: webhook.secret !== null,
      },
      ...this.presentTimes(row),
      lastRun: last === undefined ? null : this.#presentRun(last),
      lastChangeAt: nullableIsoTime(row.last_change_at),
      createdAt: toIsoTime(row.created_at),
      updatedAt: toIsoTime(row.updated_at),
    };
  }

  #presentRun(row: RunRow): SiteWatchRun {
    return {
      jobId: row.job_id,
      cause: row.cause,
      status: row.status,
      isFirst: row.is_first === 1 || (row.is_first === null && row.baseline_run === null),
      counts: row.counts === null || row.status !== 'completed' ? null : parseOwnJson(row.counts),
      ...this.presentJob(row),
      startedAt: toIsoTime(row.begun_at),
    };
  }

  async #presentVersions(watch: WatchRow, rows: readonly PageVersionRow[]): Promise<SitePageVersion[]> {
    const diffs = await this.#history.diffsOf(watch.id, rows);
    const { sourceDatabase: db } = this;
    return rows.map((row, index) => {
      const run = runBySeq(db, row.run_seq);
      const before = parsePageVersion(row.before);
      const after = parsePageVersion(row.after);
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

/** Key of the only entry of a watch that may wait: its next run. */
const RUN = 'run';

function underWay(): QuarryError {
  return new QuarryError('conflict', 'A run is under way. Wait until it has ended, or cancel its job.');
}

/** The request of a run's job. */
function requestOf(crawl: WatchedCrawl): Record<string, unknown> {
  return { ...crawl, priority: 'low' };
}

/** Names the fields of a crawl by their paths in the request of the watch. */
function renameFields(error: unknown): never {
  if (!(error instanceof QuarryError) || error.fields === undefined) throw error;
  throw invalidRequest(error.fields.map(({ path, message }) => ({ path: `crawl.${path}`, message })));
}

const TIDY_FAILED = 'The history of a watched site could not be put in order.';

function parsePageVersion(version: string | null): SitePageVersion['after'] {
  return version === null ? null : parseOwnJson(version);
}

function webhookJson(webhook: SiteWatchRequest['webhook']): string | null {
  if (webhook === undefined) return null;
  const { url, events = ['crawl.changed'], secret = null } = webhook;
  return JSON.stringify({ url, events, secret } satisfies SubscriptionDraft);
}
