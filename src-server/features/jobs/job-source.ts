import { setTimeout as sleep } from 'node:timers/promises';
import { type FindKey, type KeyIdentity, OWNER, type Principal } from '../../context.ts';
import { type Clock, toIsoTime } from '../../platform/clock.ts';
import { yieldToEventLoop } from '../../platform/concurrency.ts';
import { type Db, type Storage, storageError, type Tx } from '../../platform/db/database.ts';
import { ERRORS, isJobErrorCode } from '../../platform/error-codes.ts';
import { QuarryError } from '../../platform/errors.ts';
import type { KeyScope } from '../../platform/http/route.ts';
import { type IdPrefix, newId } from '../../platform/ids.ts';
import { Listeners } from '../../platform/listeners.ts';
import type { Logger } from '../../platform/log.ts';
import { parseOwnJson } from '../../platform/own-json.ts';
import { say } from '../../platform/text/say.ts';
import { SECOND_MS } from '../../platform/units.ts';
import { allowsAnyScope, checkOwnMade, keyEndedNotice, madeBy, makerOf } from '../accounts/service.ts';
import { isOutOfReach, nextRunAt, scheduleColumns, scheduleOf } from './schedule.ts';
import type { JobError, JobStatus, Schedule } from './schema.ts';
import type { SourcePage } from './source-routes.ts';
import type { Change, EntryRow, SourceRow, SourceStore } from './source-store.ts';
import { isKept } from './store.ts';

const TICK_MS = 250;

/** After a full disk and the like; the first pause of an entry that could not be submitted, which doubles. */
const REST_MS = 30 * SECOND_MS;

/** While a key has as many unfinished jobs as it may have. */
const SHORT_REST_MS = SECOND_MS;

/** A quarter of an hour from the first try to the last. */
const MAX_TRIES = 6;

const CLOSE_LIMIT_MS = 3 * SECOND_MS;

const SLICE = 500;

export interface JobSourceDeps {
  storage: Storage;
  clock: Clock;
  log: Logger;
  keyOf: FindKey;
}

interface SourceKind<Source extends SourceRow, Entry extends EntryRow> {
  store: SourceStore<Source, Entry>;
  prefix: IdPrefix;
  /** As messages name it. */
  one: string;
  many: string;
  /** The most of an environment. */
  most: number;
  /** Unfinished jobs of a source. Further entries wait, so other requests have their turn. */
  maxOpenJobs: number;
  /** Sources that submit at a time. */
  lanes: number;
  /** Entries that a source submits before the next source has its turn. */
  turn: number;
}

/** A pause, in a time that may be set back. */
interface Pause {
  since: number;
  until: number;
  message: string | null;
}

/**
 * What submits jobs by itself: a durable list of sources, each with entries that become jobs. Each feature says what an
 * entry is; this class says when it is submitted, what an error means, and who waits. An entry and its job are one
 * transaction: whenever the process dies, none is lost or submitted twice. See decisions/057.
 */
export abstract class JobSource<Source extends SourceRow, Entry extends EntryRow, Shown extends object, Pending> {
  readonly changed = new Listeners<string>();
  protected readonly store: SourceStore<Source, Entry>;
  readonly #deps: JobSourceDeps;
  readonly #kind: SourceKind<Source, Entry>;
  /** Sources that may have something to submit, by their turn. */
  readonly #awake = new Set<number>();
  /** Sources that wait for a time: they are awake at the next tick. */
  readonly #dozing = new Set<number>();
  readonly #passes = new Map<number, Promise<void>>();
  readonly #rests = new Map<number, Pause>();
  /** By source and entry: how often it was tried, and when it is tried again. */
  readonly #tries = new Map<number, Map<unknown, Pause & { tries: number }>>();
  readonly #ending = new AbortController();
  #orphans: number[] = [];
  /** Runs while there is a source, or what is left of one. */
  #timer: NodeJS.Timeout | null = null;
  #isOpen = false;
  /** A source was woken, or is new, since the last look. */
  #isAsked = false;
  #looking: Promise<void> | null = null;

  constructor(deps: JobSourceDeps, kind: SourceKind<Source, Entry>) {
    this.#deps = deps;
    this.#kind = kind;
    this.store = kind.store;
  }

  /** A source as its object shows it. */
  protected abstract presentSource(row: Source): Shown;

  /** The next entry that is not held. */
  protected abstract nextPendingEntry(
    source: Source,
    isHeld: (key: unknown) => boolean,
    held: number,
  ): Pending | undefined;

  /** What an entry is known by while it waits. */
  protected abstract pendingEntryKey(pending: Pending): unknown;

  /** Turns an entry into a job: the row of the entry changes in the transaction that inserts the job. */
  protected abstract submitSourceEntry(source: Source, pending: Pending): Promise<void>;

  /** The entry became no job. */
  protected abstract failSourceEntry(source: Source, pending: Pending, error: QuarryError): Promise<void> | void;

  /** What the feature does beside submitting, such as reading a feed. It never overlaps itself. */
  protected runChores(_now: number): Promise<void> | void {}

  /** Runs before the entries of a source are submitted. */
  protected prepareSource(_source: Source): Promise<void> | void {}

  protected isActive({ status }: Source): boolean {
    return status === 'active';
  }

  /** False when the entry was cancelled meanwhile. */
  protected isEntryPending(_source: Source, _pending: Pending): boolean {
    return true;
  }

  protected roomOf({ processing = 0 }: Source): number {
    return this.#kind.maxOpenJobs - processing;
  }

  /** Scopes of which the key of a source needs one. */
  protected neededScopesOf(_source: Source): readonly KeyScope[] {
    return ['admin'];
  }

  /** When a source that has a schedule last ran; null: never. */
  protected lastSourceRunOf(_source: Source): number | null {
    return null;
  }

  /** Ends an entry with its job, in the same transaction. */
  protected endSourceEntry(tx: Tx, entry: Entry, job: EndedJob): void {
    this.store.changeEntry(tx, entry, entryEndOf(job, this.#deps.clock.now()));
  }

  protected onEntriesDeleted(_tx: Tx, _seqs: readonly number[]): void {}

  /** Call it before jobs start. */
  startJobSource(): void {
    this.#isOpen = true;
    for (const { seq } of this.store.listSources(this.sourceDatabase)) this.wakeSource(seq);
    this.#orphans = this.store.findOrphans(this.sourceDatabase);
    this.keepTicking();
  }

  async closeJobSource(): Promise<void> {
    this.#isOpen = false;
    this.#stopTicking();
    this.#ending.abort(new QuarryError('shutting_down', 'The server is stopping.'));
    // A dead network drive answers no question.
    const limit = sleep(CLOSE_LIMIT_MS, undefined, { ref: false });
    await Promise.race([Promise.all([this.#looking, ...this.#passes.values()]), limit]);
  }

  list(): Shown[] {
    return this.store.listSources(this.sourceDatabase).map((row) => this.presentSource(row));
  }

  /** Errors: `not_found`. */
  get(id: string): Shown {
    return this.presentSource(this.rowOf(id));
  }

  /** Its jobs stay. Errors: `not_found`. */
  async delete(id: string): Promise<void> {
    const { seq } = this.rowOf(id);
    this.#deps.storage.transaction((tx) => this.store.deleteSource(tx, seq));
    this.forgetPauses(seq);
    await this.deleteSourceEntries(seq, null);
    this.changed.notifyListeners(id);
  }

  endEntriesOfJob(tx: Tx, job: EndedJob): void {
    for (const entry of this.store.entriesOfJob(tx, job.id)) {
      this.endSourceEntry(tx, entry, job);
      this.wakeSource(this.store.ownerOf(entry));
    }
  }

  protected get sourceDatabase(): Db {
    return this.#deps.storage.db;
  }

  /** Aborted when the server stops. */
  protected get sourceStopSignal(): AbortSignal {
    return this.#ending.signal;
  }

  /** Errors: `not_found`. */
  protected rowOf(id: string): Source {
    const row = this.store.sourceById(this.sourceDatabase, id);
    if (row === undefined) throw new QuarryError('not_found', `There is no ${this.#kind.one} with this id.`);
    return row;
  }

  /** Errors: `conflict` at the limit. @param key absent for the owner */
  protected insertSource(
    { name = null, schedule }: { name?: string | undefined | null; schedule?: Schedule },
    columns: Change<Source>,
    key?: KeyIdentity,
  ): Source {
    const { most, many, prefix } = this.#kind;
    const now = this.#deps.clock.now();
    const row = {
      id: newId(prefix),
      name,
      status: 'active',
      created_at: now,
      updated_at: now,
      ...(schedule && { ...scheduleColumns(schedule), next_run_at: now }),
      ...(key && madeBy(key)),
      ...columns,
    };
    const { inserted } = this.#deps.storage.transaction((tx) => {
      if (this.store.countSources(tx) < most) return { inserted: this.store.insertSource(tx, row) };
      throw new QuarryError('conflict', `There are ${most} ${many}. Delete one first.`);
    });
    this.wakeSource(inserted.seq);
    this.tickSources();
    this.changed.notifyListeners(inserted.id);
    return inserted;
  }

  /**
   * Changes a source. The owner resumes one whose key has ended as their own. Errors: `not_found`, `forbidden`.
   *
   * @param key absent for the owner
   */
  protected updateSource(
    id: string,
    { schedule, status }: { schedule?: Schedule | undefined; status?: string | undefined },
    columns: (tx: Tx, before: Source) => Change<Source>,
    key?: KeyIdentity,
  ): Source {
    const now = this.#deps.clock.now();
    const { row } = this.#deps.storage.transaction((tx) => {
      const before = this.rowOf(id);
      const isFreed = key === undefined && status === 'active' && this.hasSourceKeyEnded(before);
      const freed = isFreed ? madeBy(undefined) : undefined;
      const change = {
        ...columns(tx, before),
        ...(schedule && scheduleColumns(schedule)),
        ...freed,
        status,
        updated_at: now,
      };
      const changed = this.#changeSourceRow(tx, before.seq, change);
      if (changed.every_minutes === undefined) return { row: changed };
      if (schedule === undefined && changed.status === before.status && !isFreed) return { row: changed };
      const next = changed.status === 'paused' ? null : this.#nextOf(changed, now);
      return { row: this.#changeSourceRow(tx, before.seq, { next_run_at: next }) };
    });
    this.wakeSource(row.seq);
    this.changed.notifyListeners(id);
    return row;
  }

  #changeSourceRow(tx: Tx, seq: number, change: object): Source {
    const row = this.store.changeSource(tx, seq, change);
    if (row === undefined) throw new QuarryError('not_found', `There is no ${this.#kind.one} with this id.`);
    return row;
  }

  /** The next time after a change: by the last run, and at once where that is long ago. */
  #nextOf(row: Source, now: number): number {
    const last = this.lastSourceRunOf(row);
    return last === null ? now : Math.max(now, nextRunAt(scheduleOf(row), last, last));
  }

  /** Errors: `forbidden`. @param key absent for the owner */
  protected checkOwn(key: KeyIdentity | undefined, { key_id = null }: Source, change: object): void {
    checkOwnMade(key, { key_id }, change);
  }

  /** One page of entries, newest first. Errors: `not_found`. */
  protected sourceEntryPage<Row>(id: string, page: SourcePage, present: (entry: Entry) => Row) {
    const { seq } = this.rowOf(id);
    const limit = page.limit + 1;
    const found = this.store.listEntryRows(this.sourceDatabase, seq, { ...page, limit });
    const rows = found.slice(0, page.limit);
    return { rows: rows.map(present), next: found.length === limit ? (rows.at(-1)?.seq ?? null) : null };
  }

  /** Whether the key of a source was revoked, has expired, or lost a scope that it needs: then the source pauses. */
  protected hasSourceKeyEnded(source: Source): boolean {
    const { key_id: keyId = null } = source;
    if (keyId === null) return false;
    const key = this.#deps.keyOf(keyId);
    return key === null || !allowsAnyScope(key, this.neededScopesOf(source));
  }

  /** Whose the jobs of a source are. Errors: `rate_limited` when its key has ended just now: the entry waits. */
  protected sourcePrincipalOf({ key_id: keyId = null }: Source): Principal {
    if (keyId === null) return OWNER;
    const key = this.#deps.keyOf(keyId);
    if (key !== null) return asPrincipal(key);
    throw new QuarryError('rate_limited', `The key that made the ${this.#kind.one} has ended.`);
  }

  /** Who made a source, and why it pauses. */
  protected presentMaker(row: Source): { keyId?: string; keyName?: string; notice?: string } {
    const { key_id = null, key_name = null } = row;
    const maker = makerOf({ key_id, key_name });
    return this.hasSourceKeyEnded(row) ? { ...maker, notice: keyEndedNotice({ key_id, key_name }) } : maker;
  }

  /** What all sources with a schedule show. */
  protected presentTimes(row: Source) {
    const isPaused = row.status === 'paused' || this.hasSourceKeyEnded(row);
    const { next_run_at: next = null } = row;
    return {
      schedule: scheduleOf(row),
      status: isPaused ? ('paused' as const) : ('active' as const),
      ...this.presentMaker(row),
      nextRunAt: isPaused ? null : nullableIsoTime(next),
    };
  }

  /** What an entry shows of its job. */
  protected presentJob({ job_id: jobId, error, ended_at: endedAt }: EntryRow) {
    const { attempts: _, ...shown } = parseOwnJson<JobError>(error ?? '{}');
    return {
      jobKept: jobId !== null && isKept(this.sourceDatabase, jobId),
      error: error === null ? null : shown,
      endedAt: nullableIsoTime(endedAt),
    };
  }

  /** Why a source waits; null while it does not. */
  protected troubleOf(seq: number): string | null {
    return this.#isPast(this.#rests.get(seq)) ? null : (this.#rests.get(seq)?.message ?? null);
  }

  /** Sources whose time has come, the longest waiting first. Those whose key has ended pass over it. */
  protected dueSources(now: number, limit: number): Source[] {
    const last = this.store.lastDueSource(this.sourceDatabase);
    // After the clock was set back, it would be due only when that has caught up.
    if (last !== undefined && isOutOfReach(scheduleOf(last), last.next_run_at ?? 0, now))
      this.passOverMissedTime(last, now, now);
    return this.store.dueSources(this.sourceDatabase, now, limit).filter((source) => {
      if (!this.hasSourceKeyEnded(source)) return true;
      this.passOverMissedTime(source, source.next_run_at ?? now, now);
      return false;
    });
  }

  protected nextTime(source: SourceRow, last: number, now: number): number {
    return nextRunAt(scheduleOf(source), last, now);
  }

  /** Moves a source on to its next time. */
  protected passOverMissedTime(source: Source, last: number, now: number): void {
    const next_run_at = this.nextTime(source, last, now);
    this.#deps.storage.transaction((tx) => void this.store.changeSource(tx, source.seq, { next_run_at }));
  }

  protected async deleteSourceEntries(seq: number, status: string | null): Promise<void> {
    const deleteEntrySlice = () =>
      this.#deps.storage.transaction((tx) => {
        const deleted = this.store.deleteEntryRows(tx, seq, status, SLICE);
        this.onEntriesDeleted(tx, deleted);
        return deleted.length;
      });
    while (deleteEntrySlice() > 0) await yieldToEventLoop();
  }

  /** The source may have something to submit. */
  protected wakeSource(seq: number): void {
    this.#awake.add(seq);
    this.keepTicking();
  }

  /** There may be something to do, now or later. */
  protected keepTicking(): void {
    this.#isAsked = true;
    if (this.#isOpen) this.#timer ??= setInterval(() => this.tickSources(), TICK_MS);
  }

  #stopTicking(): void {
    if (this.#timer !== null) clearInterval(this.#timer);
    this.#timer = null;
  }

  /** Nothing of the source waits any more for its time. */
  protected forgetPauses(seq: number): void {
    this.#rests.delete(seq);
    this.#tries.delete(seq);
  }

  protected tickSources(): void {
    if (!this.#isOpen) return;
    this.#looking ??= this.#lookAround()
      .catch((error: unknown) => this.#deps.log.error({ err: error }, `The ${this.#kind.many} could not be looked at.`))
      .finally(() => {
        this.#looking = null;
      });
    for (const seq of this.#dozing) this.wakeSource(seq);
    this.#dozing.clear();
    this.#fillLanes();
  }

  async #lookAround(): Promise<void> {
    this.#isAsked = false;
    for (const seq of this.#orphans.splice(0)) await this.deleteSourceEntries(seq, null);
    await this.runChores(this.#deps.clock.now());
    if (!this.#isAsked && !this.store.hasSources(this.sourceDatabase)) this.#stopTicking();
  }

  /** Each source has its turn, and a source that hangs holds up no other. */
  #fillLanes(): void {
    for (const seq of this.#awake) {
      if (this.#passes.size >= this.#kind.lanes) return;
      if (this.#passes.has(seq)) continue;
      this.#awake.delete(seq);
      const pass = this.#runSourcePass(seq)
        .catch((error: unknown) => {
          this.#deps.log.error({ err: error }, `A ${this.#kind.one} could not be looked at.`);
          this.#restSource(seq, REST_MS, null);
          this.#dozing.add(seq);
        })
        .then(() => {
          this.#passes.delete(seq);
          if (this.#isOpen) this.#fillLanes();
        });
      this.#passes.set(seq, pass);
    }
  }

  /** Submits some entries of a source. */
  async #runSourcePass(seq: number): Promise<void> {
    const first = this.store.sourceBySeq(this.sourceDatabase, seq);
    if (first !== undefined && this.isActive(first)) await this.prepareSource(first);
    for (let turn = 0; turn < this.#kind.turn; turn += 1) {
      const source = this.store.sourceBySeq(this.sourceDatabase, seq);
      if (source === undefined) this.forgetPauses(seq);
      if (source === undefined || !this.isActive(source) || this.sourceStopSignal.aborted || this.roomOf(source) <= 0)
        return;
      const held = this.#tries.get(seq);
      const pending = this.nextPendingEntry(source, (key) => !this.#isPast(held?.get(key)), held?.size ?? 0);
      if (pending === undefined && held === undefined) return;
      if (pending === undefined || !this.#isPast(this.#rests.get(seq)) || this.hasSourceKeyEnded(source)) {
        this.#dozing.add(seq);
        return;
      }
      await this.#submitPendingEntry(source, pending);
    }
    this.wakeSource(seq);
  }

  async #submitPendingEntry(source: Source, pending: Pending): Promise<void> {
    const { seq, id } = source;
    try {
      await this.submitSourceEntry(source, pending);
      this.#rests.delete(seq);
      this.#letGo(seq, pending);
    } catch (error) {
      if (this.sourceStopSignal.aborted) return;
      if (this.isEntryPending(source, pending)) await this.#refusePendingEntry(source, pending, error);
      else this.#letGo(seq, pending);
    }
    this.changed.notifyListeners(id);
  }

  async #refusePendingEntry(source: Source, pending: Pending, cause: unknown): Promise<void> {
    const { seq, id } = source;
    const error = knownError(cause);
    const fate = fateOf(error);
    const held = this.#tries.get(seq) ?? new Map<unknown, Pause & { tries: number }>();
    const key = this.pendingEntryKey(pending);
    const tries = (held.get(key)?.tries ?? 0) + 1;
    const isLimited = error.code === 'rate_limited';
    // A disk that cannot be read would otherwise fill the log: of many entries the first try, and each last one.
    const isLogged = fate === 'rest' ? !isLimited : fate === 'retry' && (held.size === 0 || tries === MAX_TRIES);
    if (isLogged) {
      this.#deps.log.warn({ err: cause, sourceId: id }, `An entry of a ${this.#kind.one} could not be submitted now.`);
    }
    if (fate === 'rest') return this.#restSource(seq, isLimited ? SHORT_REST_MS : REST_MS, error.message);
    if (fate === 'retry' && tries < MAX_TRIES) {
      held.set(key, { ...this.#pauseFor(REST_MS * 2 ** (tries - 1), error.message), tries });
      this.#tries.set(seq, held);
      return;
    }
    await this.failSourceEntry(source, pending, error);
    this.#letGo(seq, pending);
  }

  #letGo(seq: number, pending: Pending): void {
    const held = this.#tries.get(seq);
    held?.delete(this.pendingEntryKey(pending));
    if (held?.size === 0) this.#tries.delete(seq);
  }

  #restSource(seq: number, milliseconds: number, message: string | null): void {
    this.#rests.set(seq, this.#pauseFor(milliseconds, message));
  }

  #pauseFor(milliseconds: number, message: string | null): Pause {
    const since = this.#deps.clock.now();
    return { since, until: since + milliseconds, message };
  }

  #isPast(pause: Pause | undefined): boolean {
    const now = this.#deps.clock.now();
    return pause === undefined || now >= pause.until || now < pause.since;
  }
}

/** A job that has ended, or just been accepted. */
export interface EndedJob {
  id: string;
  status: JobStatus;
  error: string | null;
}

/** What an entry is once its job has this status. */
export function entryEndOf({ status, error }: Pick<EndedJob, 'status' | 'error'>, now: number) {
  const hasEnded = status === 'completed' || status === 'failed';
  return { status: hasEnded ? status : ('processing' as const), error, ended_at: hasEnded ? now : null };
}

/** The error of an entry that became no job, as an error of a job. */
export function asJobError({ code, message, retryable }: QuarryError): string {
  const known = isJobErrorCode(code) ? code : 'source_forbidden';
  return JSON.stringify({ code: known, message, retryable, attempts: 0 } satisfies JobError);
}

/** The owner, or a key that acts for them. */
export function asPrincipal(key: KeyIdentity | undefined): Principal {
  return key === undefined ? OWNER : { kind: 'owner', accountId: 'owner', key };
}

/**
 * What a refused submission means, by the code of its error. `rest`: the entry is not to blame, and nothing of its
 * source is submitted for a while (full disk, limit of a key, shutdown). `retry`: the entry is tried again ever later,
 * beside the others, and has failed after some tries. `end`: it has failed.
 */
function fateOf({ code, retryable }: QuarryError): 'rest' | 'retry' | 'end' {
  const { fault, retryable: mayPass = false } = ERRORS[code];
  if (fault === 'nothing' && mayPass) return 'rest';
  return retryable || fault === 'appliance' ? 'retry' : 'end';
}

function knownError(error: unknown): QuarryError {
  if (error instanceof QuarryError) return error;
  const message = say`Something went wrong in Quarry. See its log.`;
  return storageError(error) ?? new QuarryError('internal', message, { cause: error });
}

export function nullableIsoTime(milliseconds: number | null): string | null {
  return milliseconds === null ? null : toIsoTime(milliseconds);
}

/** A source whose entries wait as rows. */
export abstract class ListedSource<
  Source extends SourceRow,
  Entry extends EntryRow,
  Shown extends object,
> extends JobSource<Source, Entry, Shown, Entry> {
  protected override nextPendingEntry(
    { seq }: Source,
    isHeld: (key: unknown) => boolean,
    held: number,
  ): Entry | undefined {
    return this.store.waitingEntries(this.sourceDatabase, seq, held + 1).find((entry) => !isHeld(entry.seq));
  }

  protected override pendingEntryKey({ seq }: Entry): number {
    return seq;
  }

  protected override isEntryPending(_source: Source, { seq }: Entry): boolean {
    return this.store.entryBySeq(this.sourceDatabase, seq)?.status === 'waiting';
  }
}
