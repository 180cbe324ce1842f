import { createHash } from 'node:crypto';
import type { FeedItem } from '../../../workers/feeds/tasks.ts';
import { type FindKey, type KeyIdentity, OWNER, PRIVATE_NETWORK_SCOPE, type Principal } from '../../context.ts';
import { type Clock, toIsoTime } from '../../platform/clock.ts';
import { yieldToEventLoop } from '../../platform/concurrency.ts';
import type { Storage, Tx } from '../../platform/db/database.ts';
import { isJobErrorCode } from '../../platform/error-codes.ts';
import { QuarryError } from '../../platform/errors.ts';
import { newId } from '../../platform/ids.ts';
import { Listeners } from '../../platform/listeners.ts';
import type { Logger } from '../../platform/log.ts';
import type { GuardedClient, GuardedResponse } from '../../platform/net/guarded-client.ts';
import { PrivateHost } from '../../platform/net/private-host.ts';
import type { RunTask } from '../../platform/pool/worker-pool.ts';
import { MIB, MINUTE_MS, SECOND_MS } from '../../platform/units.ts';
import { checkOwnMade, hasKeyEnded, keyEndedNotice, madeBy, makerOf } from '../accounts/service.ts';
import type { JobError, JobStatus, Recipe } from '../jobs/schema.ts';
import { acceptCall, callOf, checkRecipe, isKept, type JobService } from '../jobs/service.ts';
import { checkSchedule, isOutOfReach, nextRunAt } from '../watches/service.ts';
import { type Feed, type FeedEntry, type FeedRequest, type FeedUpdate, MAX_FEEDS, MAX_NEW_ENTRIES } from './schema.ts';
import {
  changeEntry,
  changeFeed,
  deleteEntries,
  deleteFeed,
  dueFeed,
  type EntryRow,
  entriesOfJob,
  entryBySeq,
  type FeedRow,
  feedById,
  feedBySeq,
  forgetEntry,
  insertEntry,
  insertFeed,
  lastDueFeed,
  listEntries,
  listFeeds,
  oldEntries,
  orphans,
  waitingEntries,
} from './store.ts';

const TICK_MS = SECOND_MS;

const MAX_FEED_BYTES = 8 * MIB;

const FETCH_LIMIT_MS = MINUTE_MS;

const PARSE_LIMIT_MS = 20 * SECOND_MS;

const MAX_REDIRECTS = 5;

/** Unfinished jobs of a feed. */
const MAX_OPEN_JOBS = 20;

const MAX_SOURCE_NAME = 300;

/** After a full disk and the like. */
const REST_MS = 30 * SECOND_MS;

/** Entries of a feed that are kept after it no longer lists them. */
const KEPT_ENTRIES = 2000;

const FORGOTTEN_AT_ONCE = 10_000;

const SLICE = 500;

const ACCEPTED = 'application/rss+xml, application/atom+xml, application/feed+json, application/xml;q=0.9, */*;q=0.5';

export interface FeedDeps {
  storage: Storage;
  clock: Clock;
  log: Logger;
  client: GuardedClient;
  runTask: RunTask;
  keyOf: FindKey;
  /** A function, since it is opened later. */
  service(): JobService;
}

/**
 * Watched feeds of one environment. New entries are stored with the state of the feed in one transaction, and each
 * becomes a job of the owner in one more: whenever the process dies, no entry is lost or taken twice.
 */
export class Feeds {
  readonly #deps: FeedDeps;
  readonly changed = new Listeners<string>();
  /** Feeds that may have entries to submit. */
  readonly #unsubmitted = new Set<number>();
  readonly #ending = new AbortController();
  #orphans: number[] = [];
  #restsUntil = 0;
  #timer: NodeJS.Timeout | null = null;
  #work: Promise<void> | null = null;

  constructor(deps: FeedDeps) {
    this.#deps = deps;
  }

  start(): void {
    const { db } = this.#deps.storage;
    for (const { seq } of listFeeds(db)) this.#unsubmitted.add(seq);
    this.#orphans = orphans(db);
    this.#timer = setInterval(() => this.#tick(), TICK_MS);
  }

  async close(): Promise<void> {
    if (this.#timer) clearInterval(this.#timer);
    this.#timer = null;
    this.#ending.abort(new QuarryError('shutting_down', 'The server is stopping.'));
    await this.#work;
  }

  list(): Feed[] {
    return listFeeds(this.#deps.storage.db).map((row) => this.#present(row));
  }

  /** Errors: `not_found`. */
  get(feedId: string): Feed {
    return this.#present(this.#row(feedId));
  }

  /** It is read at once. Errors: `invalid_request`, `conflict` at the limit. */
  async create(request: FeedRequest, key?: KeyIdentity): Promise<Feed> {
    checkSchedule(request.schedule);
    await checkRecipe(this.#deps.service(), request.recipe, 'address', principalOf(key));
    const { storage, clock } = this.#deps;
    const now = clock.now();
    const row = storage.transaction((tx) => {
      if (listFeeds(tx).length >= MAX_FEEDS) {
        throw new QuarryError('conflict', `There are ${MAX_FEEDS} feeds. Delete one first.`);
      }
      return insertFeed(tx, {
        id: newId('fed'),
        ...madeBy(key),
        name: request.name ?? null,
        title: null,
        url: request.url,
        recipe: JSON.stringify(request.recipe),
        takes: request.takes,
        first_entries: request.first,
        every_minutes: request.schedule.everyMinutes,
        time_of_day: request.schedule.timeOfDay,
        status: 'active',
        next_run_at: now,
        etag: null,
        last_modified: null,
        read_at: null,
        checked_at: null,
        error: null,
        created_at: now,
        updated_at: now,
      });
    });
    this.#tick();
    this.changed.tell(row.id);
    return this.#present(row);
  }

  /**
   * Errors: `not_found`, `invalid_request`, `forbidden`.
   *
   * @param key absent for the owner, who resumes a feed whose key has ended as their own
   */
  async change(feedId: string, update: FeedUpdate, key?: KeyIdentity): Promise<Feed> {
    const { name, recipe, takes, schedule, status } = update;
    const before = this.#row(feedId);
    const { seq } = before;
    checkOwnMade(key, before, update);
    const isFreed = key === undefined && status === 'active' && this.#hasKeyEnded(before);
    if (schedule !== undefined) checkSchedule(schedule);
    if (recipe !== undefined) await checkRecipe(this.#deps.service(), recipe, 'address', principalOf(key));
    const { storage, clock } = this.#deps;
    const now = clock.now();
    const row = storage.transaction((tx) => {
      const changed = changeFeed(tx, seq, {
        ...(isFreed ? madeBy(undefined) : {}),
        ...(name === undefined ? {} : { name }),
        ...(recipe === undefined ? {} : { recipe: JSON.stringify(recipe) }),
        ...(takes === undefined ? {} : { takes }),
        ...(schedule === undefined ? {} : { every_minutes: schedule.everyMinutes, time_of_day: schedule.timeOfDay }),
        ...(status === undefined ? {} : { status }),
        updated_at: now,
      });
      if (changed === undefined || (schedule === undefined && status === undefined)) return changed;
      const last = changed.checked_at ?? now;
      const next = Math.max(now, nextRunAt(scheduleOf(changed), last, last));
      return changeFeed(tx, seq, { next_run_at: changed.status === 'paused' ? null : next });
    });
    if (row === undefined) throw notFound();
    this.#unsubmitted.add(seq);
    this.changed.tell(row.id);
    return this.#present(row);
  }

  /** Its jobs stay. Errors: `not_found`. */
  async delete(feedId: string): Promise<void> {
    const { seq } = this.#row(feedId);
    this.#deps.storage.transaction((tx) => deleteFeed(tx, seq));
    await this.#removeEntries(seq);
    this.changed.tell(feedId);
  }

  /** Reads a feed now; the schedule stays. Errors: `not_found`, `conflict` while it is paused. */
  run(feedId: string): Feed {
    const { storage, clock } = this.#deps;
    const { seq, status } = this.#row(feedId);
    if (status === 'paused' || this.#hasKeyEnded(this.#row(feedId))) {
      throw new QuarryError('conflict', 'The feed is paused. Resume it first.');
    }
    const row = storage.transaction((tx) => changeFeed(tx, seq, { next_run_at: clock.now() }));
    this.#tick();
    return this.#present(row ?? this.#row(feedId));
  }

  /** One page, newest first. Errors: `not_found`. */
  entries(feedId: string, before: number | null, limit: number): { entries: FeedEntry[]; next: number | null } {
    const { db } = this.#deps.storage;
    const rows = listEntries(db, this.#row(feedId).seq, before, limit + 1);
    const page = rows.slice(0, limit);
    const next = rows.length > limit ? (page.at(-1)?.seq ?? null) : null;
    return { entries: page.map((row) => this.#presentEntry(row)), next };
  }

  /** Ends entries with their job, in the same transaction. */
  onJobEnded(tx: Tx, job: { id: string; status: JobStatus; error: string | null }): void {
    for (const entry of entriesOfJob(tx, job.id)) {
      changeEntry(tx, entry, endOf(job, this.#deps.clock.now()));
      this.#unsubmitted.add(entry.feed_seq);
    }
  }

  #tick(): void {
    if (this.#timer === null) return;
    this.#work ??= this.#pass()
      .catch((error: unknown) => this.#deps.log.error({ err: error }, 'Feeds could not be looked at.'))
      .finally(() => {
        this.#work = null;
      });
  }

  async #pass(): Promise<void> {
    const { storage, clock } = this.#deps;
    for (const seq of this.#orphans.splice(0)) await this.#removeEntries(seq);
    this.#pullBack(clock.now());
    const due = dueFeed(storage.db, clock.now());
    if (due !== undefined && this.#hasKeyEnded(due)) this.#skip(due, clock.now());
    else if (due !== undefined) await this.#read(due);
    if (clock.now() < this.#restsUntil) return;
    for (const seq of this.#unsubmitted) {
      this.#unsubmitted.delete(seq);
      await this.#submitSome(seq);
    }
  }

  /** After the clock was set back, a feed would be due only when it has caught up. */
  #pullBack(now: number): void {
    const { storage } = this.#deps;
    const last = lastDueFeed(storage.db);
    if (last === undefined || !isOutOfReach(scheduleOf(last), last.next_run_at ?? 0, now)) return;
    const next = nextRunAt(scheduleOf(last), now, now);
    storage.transaction((tx) => changeFeed(tx, last.seq, { next_run_at: next }));
  }

  /** The key that made it could make it no more. */
  #hasKeyEnded(feed: FeedRow): boolean {
    return hasKeyEnded(this.#deps.keyOf, feed, 'admin');
  }

  #skip(feed: FeedRow, now: number): void {
    const next = nextRunAt(scheduleOf(feed), feed.next_run_at ?? now, now);
    this.#deps.storage.transaction((tx) => changeFeed(tx, feed.seq, { next_run_at: next }));
  }

  /** Reads one feed and stores what is new with the state of the feed. */
  async #read(feed: FeedRow): Promise<void> {
    const { storage, clock, log } = this.#deps;
    try {
      const response = await this.#fetch(feed);
      const found = response.status === 304 ? null : await this.#parse(response);
      const now = clock.now();
      storage.transaction((tx) => {
        const changed = changeFeed(tx, feed.seq, { ...this.#checked(feed, now), error: null });
        if (changed === undefined || found === null) return;
        this.#enter(tx, changed, found.entries, now);
        const { etag = null, 'last-modified': modified = null } = response.headers;
        const state = { etag: etag ?? null, last_modified: modified ?? null, read_at: now };
        changeFeed(tx, feed.seq, { ...state, title: found.title });
      });
      this.#unsubmitted.add(feed.seq);
    } catch (error) {
      if (this.#ending.signal.aborted) return;
      if (!(error instanceof QuarryError)) log.error({ err: error, feedId: feed.id }, 'A feed could not be read.');
      const message = error instanceof QuarryError ? error.message : 'The feed could not be read. See the log.';
      const failed = { ...this.#checked(feed, clock.now()), error: message };
      storage.transaction((tx) => changeFeed(tx, feed.seq, failed));
    }
    this.changed.tell(feed.id);
  }

  #checked(feed: FeedRow, now: number): { checked_at: number; next_run_at: number | null } {
    const isPaused = feedBySeq(this.#deps.storage.db, feed.seq)?.status === 'paused';
    return {
      checked_at: now,
      next_run_at: isPaused ? null : nextRunAt(scheduleOf(feed), feed.next_run_at ?? now, now),
    };
  }

  /** Errors: those of the client, `source_unreachable` for other statuses. */
  async #fetch(feed: FeedRow): Promise<GuardedResponse> {
    const { client } = this.#deps;
    const headers: Record<string, string> = { accept: ACCEPTED };
    if (feed.etag !== null) headers['if-none-match'] = feed.etag;
    if (feed.last_modified !== null) headers['if-modified-since'] = feed.last_modified;
    const response = await client.request(feed.url, {
      policy: { allowHttp: true, privateHost: this.#privateHostOf(feed) },
      totalTimeoutMs: FETCH_LIMIT_MS,
      maxResponseBytes: MAX_FEED_BYTES,
      followRedirects: MAX_REDIRECTS,
      headers,
      signal: this.#ending.signal,
    });
    const { status } = response;
    if (status === 304 && (feed.etag !== null || feed.last_modified !== null)) return response;
    if (status === 410) throw unreadable('The feed is gone (status 410). Delete it.');
    if (status !== 200)
      throw unreadable(`The server answers with status ${status}. Quarry tries again by the schedule.`);
    if (response.truncated) throw unreadable(`The feed is larger than ${MAX_FEED_BYTES / MIB} MB.`);
    return response;
  }

  /** The feed's own host, if its maker may name private hosts: its entries are read from there or from public hosts. */
  #privateHostOf(feed: FeedRow): PrivateHost | null {
    const isOpen = this.#deps.service().settings().allowPrivateNetworks && this.#mayReachPrivate(feed);
    return isOpen ? PrivateHost.of(feed.url) : null;
  }

  #mayReachPrivate({ key_id: keyId }: FeedRow): boolean {
    return keyId === null || (this.#deps.keyOf(keyId)?.scopes.includes(PRIVATE_NETWORK_SCOPE) ?? false);
  }

  #makerOf({ key_id: keyId }: FeedRow): Principal {
    if (keyId === null) return OWNER;
    const key = this.#deps.keyOf(keyId);
    // It has ended just now: the entry waits.
    if (key === null) throw new QuarryError('rate_limited', 'The key that made the feed has ended.');
    return principalOf(key);
  }

  #parse({ body, finalUrl, headers }: GuardedResponse) {
    const charset = /charset\s*=\s*"?([\w-]+)/i.exec(headers['content-type'] ?? '')?.[1] ?? null;
    const options = { accountId: OWNER.accountId, timeLimitMs: PARSE_LIMIT_MS, signal: this.#ending.signal };
    return this.#deps.runTask('read-feed', { body, url: finalUrl, charset }, options);
  }

  /** Stores new entries, so that the oldest becomes a job first. */
  #enter(tx: Tx, feed: FeedRow, entries: readonly FeedItem[], now: number): void {
    const isFirst = feed.read_at === null;
    const most = isFirst ? feed.first_entries : MAX_NEW_ENTRIES;
    let taken = 0;
    // The first reading takes the newest ones, and a later one as many as it may.
    const rows = entries.map((entry) => {
      const { enclosure, link } = entry;
      const url = feed.takes === 'link' ? link : feed.takes === 'enclosure' ? enclosure : (enclosure ?? link);
      return { entry, url, hash: createHash('sha256').update(entry.guid).digest('hex') };
    });
    const listed = new Set(rows.map(({ hash }) => hash));
    const known = new Set(rows.map(({ hash }) => hash).filter((hash) => this.#isKnown(tx, feed.seq, hash)));
    const fresh = rows.filter(({ hash }) => !known.has(hash));
    const statuses = fresh.map(({ url, entry }): EntryRow['status'] => {
      const isForgotten = entry.publishedAt !== null && entry.publishedAt <= (feed.forgotten_until ?? -1);
      return url !== null && !isForgotten && taken++ < most ? 'waiting' : 'skipped';
    });
    for (const [index, { entry, url, hash }] of [...fresh.entries()].reverse()) {
      insertEntry(tx, {
        id: newId('fle'),
        feed_seq: feed.seq,
        guid_hash: hash,
        title: entry.title,
        url,
        published_at: entry.publishedAt,
        job_id: null,
        status: statuses[index] ?? 'skipped',
        error: null,
        found_at: now,
        ended_at: null,
      });
    }
    this.#forget(tx, feed, listed);
  }

  /**
   * Bounds the entries of a feed: the newest stay, and all that the feed still lists. An entry that comes back after it
   * was forgotten is not taken again, by its time.
   */
  #forget(tx: Tx, feed: FeedRow, listed: ReadonlySet<string>): void {
    let until = feed.forgotten_until;
    for (const entry of oldEntries(tx, feed.seq, KEPT_ENTRIES, FORGOTTEN_AT_ONCE)) {
      if (listed.has(entry.guid_hash)) continue;
      forgetEntry(tx, entry.seq);
      // A feed may date entries in the future.
      until = Math.max(until ?? 0, Math.min(entry.published_at ?? 0, entry.found_at));
    }
    if (until !== feed.forgotten_until) changeFeed(tx, feed.seq, { forgotten_until: until });
  }

  #isKnown(tx: Tx, feedSeq: number, hash: string): boolean {
    const query = tx.selectFrom('feed_entries').select('seq').where('feed_seq', '=', feedSeq);
    return tx.first(query.where('guid_hash', '=', hash)) !== undefined;
  }

  async #submitSome(seq: number): Promise<void> {
    const { storage, clock, log } = this.#deps;
    const feed = feedBySeq(storage.db, seq);
    if (feed?.status !== 'active' || this.#hasKeyEnded(feed)) return;
    for (const entry of waitingEntries(storage.db, seq, Math.max(0, MAX_OPEN_JOBS - feed.processing))) {
      if (this.#timer === null) return;
      try {
        await this.#submit(feed, entry);
      } catch (error) {
        log.warn({ err: error, feedId: feed.id }, 'An entry of a feed could not be submitted now.');
        this.#restsUntil = clock.now() + REST_MS;
        this.#unsubmitted.add(seq);
        return;
      }
    }
    this.changed.tell(feed.id);
  }

  /** Errors: those that may pass. */
  async #submit(feed: FeedRow, entry: EntryRow): Promise<void> {
    const service = this.#deps.service();
    const now = this.#deps.clock.now();
    const name = entry.title === null ? {} : { name: entry.title.slice(0, MAX_SOURCE_NAME).toWellFormed() };
    try {
      const call = await acceptCall(service, {
        ...callOf(service.operations, JSON.parse(feed.recipe) as Recipe, { address: entry.url ?? '', ...name }),
        principal: this.#makerOf(feed),
        privateHost: this.#mayReachPrivate(feed) ? (PrivateHost.of(feed.url)?.host ?? null) : null,
        signal: this.#ending.signal,
        install: 'ask',
        priority: 'low',
        watchId: feed.id,
        also: (tx, job) => {
          const current = entryBySeq(tx, entry.seq);
          if (current?.status !== 'waiting') throw new QuarryError('conflict', 'The entry has been taken.');
          changeEntry(tx, current, { job_id: job.id, ...endOf(job, now) });
        },
      });
      call.leave();
    } catch (error) {
      // The feed was deleted meanwhile.
      if (entryBySeq(this.#deps.storage.db, entry.seq)?.status !== 'waiting') return;
      if (!(error instanceof QuarryError) || !isFinal(error)) throw error;
      const { code, message } = error;
      const known = isJobErrorCode(code) ? code : 'source_forbidden';
      const failure = { code: known, message, retryable: false, attempts: 0 } satisfies JobError;
      const change = { status: 'failed' as const, error: JSON.stringify(failure), ended_at: now };
      this.#deps.storage.transaction((tx) => changeEntry(tx, entry, change));
    }
  }

  async #removeEntries(seq: number): Promise<void> {
    while (this.#deps.storage.transaction((tx) => deleteEntries(tx, seq, SLICE)) > 0) await yieldToEventLoop();
  }

  #row(feedId: string): FeedRow {
    const row = feedById(this.#deps.storage.db, feedId);
    if (row === undefined) throw notFound();
    return row;
  }

  #present(row: FeedRow): Feed {
    const { waiting, processing, completed, failed, skipped } = row;
    const hasKeyEnded = this.#hasKeyEnded(row);
    const isPaused = hasKeyEnded || row.status === 'paused';
    return {
      feedId: row.id,
      name: row.name,
      title: row.title,
      url: row.url,
      recipe: JSON.parse(row.recipe),
      takes: row.takes,
      first: row.first_entries,
      schedule: scheduleOf(row),
      status: isPaused ? 'paused' : 'active',
      ...makerOf(row),
      ...(hasKeyEnded ? { notice: keyEndedNotice(row) } : {}),
      nextRunAt: isPaused || row.next_run_at === null ? null : toIsoTime(row.next_run_at),
      checkedAt: row.checked_at === null ? null : toIsoTime(row.checked_at),
      error: row.error,
      counts: { waiting, processing, completed, failed, skipped },
      createdAt: toIsoTime(row.created_at),
      updatedAt: toIsoTime(row.updated_at),
    };
  }

  #presentEntry(row: EntryRow): FeedEntry {
    const { attempts: _, ...error } = JSON.parse(row.error ?? '{}') as JobError;
    return {
      entryId: row.id,
      title: row.title,
      url: row.url,
      publishedAt: row.published_at === null ? null : toIsoTime(row.published_at),
      jobId: row.job_id,
      jobKept: row.job_id !== null && isKept(this.#deps.storage.db, row.job_id),
      status: row.status,
      error: row.error === null ? null : error,
      foundAt: toIsoTime(row.found_at),
      endedAt: row.ended_at === null ? null : toIsoTime(row.ended_at),
    };
  }
}

/** What an entry is once its job has this status. */
function endOf({ status, error }: { status: JobStatus; error: string | null }, now: number) {
  const hasEnded = status === 'completed' || status === 'failed';
  return { status: hasEnded ? status : ('processing' as const), error, ended_at: hasEnded ? now : null };
}

/** Whether the same request would be refused again. */
function isFinal({ code, retryable }: QuarryError): boolean {
  return !retryable && (isJobErrorCode(code) || code === 'invalid_request');
}

function unreadable(message: string): QuarryError {
  return new QuarryError('source_unreachable', message);
}

function notFound(): QuarryError {
  return new QuarryError('not_found', 'There is no feed with this id.');
}

function scheduleOf({ every_minutes, time_of_day }: FeedRow) {
  return { everyMinutes: every_minutes, timeOfDay: time_of_day };
}

/** The owner, or a key that acts for them. */
function principalOf(key: KeyIdentity | undefined): Principal {
  return key === undefined ? OWNER : { kind: 'owner', accountId: 'owner', key };
}
