import { createHash } from 'node:crypto';
import type { FeedItem } from '../../../workers/feeds/tasks.ts';
import { type KeyIdentity, OWNER, PRIVATE_NETWORK_SCOPE } from '../../context.ts';
import { toIsoTime } from '../../platform/clock.ts';
import type { Tx } from '../../platform/db/database.ts';
import { QuarryError } from '../../platform/errors.ts';
import { newId } from '../../platform/ids.ts';
import type { GuardedClient, GuardedResponse } from '../../platform/net/guarded-client.ts';
import { PrivateHost } from '../../platform/net/private-host.ts';
import { parseOwnJson } from '../../platform/own-json.ts';
import type { RunTask } from '../../platform/pool/worker-pool.ts';
import { type Said, say } from '../../platform/text/say.ts';
import { MIB, MINUTE_MS, SECOND_MS } from '../../platform/units.ts';
import type { Recipe } from '../jobs/schema.ts';
import {
  acceptCall,
  asJobError,
  asPrincipal,
  callOf,
  checkRecipe,
  checkSchedule,
  entryEndOf,
  type JobService,
  type JobSourceDeps,
  ListedSource,
  nullableIsoTime,
  type SourcePage,
} from '../jobs/service.ts';
import { type Feed, type FeedEntry, type FeedRequest, type FeedUpdate, MAX_FEEDS, MAX_NEW_ENTRIES } from './schema.ts';
import { type EntryRow, FEEDS, type FeedRow, forgetEntry, isKnownFeedEntry, oldEntries } from './store.ts';

const MAX_FEED_BYTES = 8 * MIB;

const FETCH_LIMIT_MS = MINUTE_MS;

const PARSE_LIMIT_MS = 20 * SECOND_MS;

const MAX_REDIRECTS = 5;

/** Feeds that are read at a time: one that answers slowly, or not at all, delays no other. */
const MAX_READINGS = 4;

const MAX_SOURCE_NAME = 300;

/** Entries of a feed that are kept after it no longer lists them. */
const KEPT_ENTRIES = 2000;

const FORGOTTEN_AT_ONCE = 10_000;

const ACCEPTED = 'application/rss+xml, application/atom+xml, application/feed+json, application/xml;q=0.9, */*;q=0.5';

export interface FeedDeps extends JobSourceDeps {
  client: GuardedClient;
  runTask: RunTask;
  service: JobService;
}

/**
 * Watched feeds of one environment. A reading stores its new entries with the state of the feed in one transaction, and
 * each becomes a job of the owner in one more.
 */
export class Feeds extends ListedSource<FeedRow, EntryRow, Feed> {
  readonly #deps: FeedDeps;
  /** By number of the feed. */
  readonly #readings = new Map<number, Promise<void>>();

  constructor(deps: FeedDeps) {
    const limits = { most: MAX_FEEDS, maxOpenJobs: 20, lanes: 4, turn: 5 };
    super(deps, { store: FEEDS, prefix: 'fed', one: 'feed', many: 'feeds', ...limits });
    this.#deps = deps;
  }

  override async closeJobSource(): Promise<void> {
    await super.closeJobSource();
    await Promise.all(this.#readings.values());
  }

  /** It is read at once. Errors: `invalid_request`, `conflict` at the limit. */
  async create(request: FeedRequest, key?: KeyIdentity): Promise<Feed> {
    const { schedule, recipe } = request;
    checkSchedule(schedule);
    await checkRecipe(this.#deps.service, recipe, 'address', asPrincipal(key));
    const columns = {
      url: request.url,
      recipe: JSON.stringify(recipe),
      takes: request.takes,
      first_entries: request.first,
    };
    return this.presentSource(this.insertSource(request, columns, key));
  }

  /** Errors: `not_found`, `invalid_request`, `forbidden`. @param key absent for the owner */
  async change(feedId: string, update: FeedUpdate, key?: KeyIdentity): Promise<Feed> {
    const { name, recipe, takes, schedule } = update;
    this.checkOwn(key, this.rowOf(feedId), update);
    if (schedule !== undefined) checkSchedule(schedule);
    if (recipe !== undefined) await checkRecipe(this.#deps.service, recipe, 'address', asPrincipal(key));
    return this.presentSource(
      this.updateSource(feedId, update, () => ({ name, recipe: recipe && JSON.stringify(recipe), takes }), key),
    );
  }

  /** Reads a feed now; the schedule stays. Errors: `not_found`, `conflict` while it is paused. */
  runFeedNow(feedId: string): Feed {
    const { storage, clock } = this.#deps;
    const row = this.rowOf(feedId);
    if (row.status === 'paused' || this.hasSourceKeyEnded(row)) {
      throw new QuarryError('conflict', 'The feed is paused. Resume it first.');
    }
    storage.transaction((tx) => void this.store.changeSource(tx, row.seq, { next_run_at: clock.now() }));
    this.tickSources();
    return this.get(feedId);
  }

  /** One page, newest first. Errors: `not_found`. */
  feedEntryPage(feedId: string, page: SourcePage) {
    return this.sourceEntryPage(feedId, page, (row) => this.#presentEntry(row));
  }

  protected override runChores(now: number): void {
    for (const feed of this.dueSources(now, MAX_READINGS + this.#readings.size)) {
      if (this.#readings.size >= MAX_READINGS) return;
      if (this.#readings.has(feed.seq)) continue;
      this.#readings.set(
        feed.seq,
        this.#readDueFeed(feed).finally(() => this.#readings.delete(feed.seq)),
      );
    }
  }

  /** Reads one feed and stores what is new with the state of the feed. */
  async #readDueFeed(feed: FeedRow): Promise<void> {
    const { storage, clock, log } = this.#deps;
    try {
      const { response, found } = await this.#fetchNamedFeed(feed);
      const now = clock.now();
      storage.transaction((tx) => {
        const changed = this.#recordFeedCheck(tx, feed, null);
        if (changed === undefined || found === null) return;
        this.#enterFeedEntries(tx, changed, found.entries, now);
        const { etag = null, 'last-modified': modified = null } = response.headers;
        this.store.changeSource(tx, feed.seq, { etag, last_modified: modified, read_at: now, title: found.title });
      });
      this.wakeSource(feed.seq);
    } catch (error) {
      if (this.sourceStopSignal.aborted) return;
      if (!(error instanceof QuarryError)) log.error({ err: error, feedId: feed.id }, 'A feed could not be read.');
      const message = error instanceof QuarryError ? error.message : say`The feed could not be read. See the log.`;
      storage.transaction((tx) => void this.#recordFeedCheck(tx, feed, message));
    }
    this.changed.notifyListeners(feed.id);
  }

  /** Notes that a feed was asked for. Undefined for one that was deleted meanwhile. */
  #recordFeedCheck(tx: Tx, feed: FeedRow, error: string | null): FeedRow | undefined {
    const now = this.#deps.clock.now();
    const current = this.store.sourceBySeq(tx, feed.seq) ?? feed;
    const next = current.status === 'paused' ? null : this.nextTime(current, feed.next_run_at ?? now, now);
    return this.store.changeSource(tx, feed.seq, { checked_at: now, next_run_at: next, error });
  }

  /** The feed, or the one that the page at its address names. `found` is null for a feed that has not changed. */
  async #fetchNamedFeed(feed: FeedRow) {
    const response = await this.#fetchFeed(feed, feed.url);
    if (response.status === 304) return { response, found: null };
    const found = await this.#parseFetchedFeed(response);
    if (found.feedUrl === null) return { response, found };
    const named = await this.#fetchFeed({ ...feed, etag: null, last_modified: null }, found.feedUrl);
    const ofNamed = await this.#parseFetchedFeed(named);
    if (ofNamed.feedUrl === null) {
      // The page may stay the same while its feed changes.
      return { response: { ...named, headers: {} }, found: ofNamed };
    }
    throw unreadableFeedError(say`The page names a feed that is a page too: ${found.feedUrl}.`);
  }

  /** Errors: those of the client, `source_unreachable` for other statuses. */
  async #fetchFeed(feed: FeedRow, url: string): Promise<GuardedResponse> {
    const { client } = this.#deps;
    const headers: Record<string, string> = { accept: ACCEPTED };
    if (feed.etag !== null) headers['if-none-match'] = feed.etag;
    if (feed.last_modified !== null) headers['if-modified-since'] = feed.last_modified;
    const isOpen = this.#deps.service.settings().allowPrivateNetworks && this.#mayReachPrivate(feed);
    const response = await client.request(url, {
      policy: { allowHttp: true, privateHost: isOpen ? PrivateHost.privateHostOf(feed.url) : null },
      totalTimeoutMs: FETCH_LIMIT_MS,
      maxResponseBytes: MAX_FEED_BYTES,
      followRedirects: MAX_REDIRECTS,
      headers,
      signal: this.sourceStopSignal,
    });
    const { status } = response;
    if (status === 304 && (feed.etag !== null || feed.last_modified !== null)) return response;
    if (status === 410) throw unreadableFeedError(say`The feed is gone (status 410). Delete it.`);
    if (status !== 200)
      throw unreadableFeedError(say`The server answers with status ${status}. Quarry tries again by the schedule.`);
    if (response.truncated) throw unreadableFeedError(say`The feed is larger than ${MAX_FEED_BYTES / MIB} MB.`);
    return response;
  }

  /** The feed's own host is the only private one that its entries are read from. */
  #mayReachPrivate({ key_id: keyId }: FeedRow): boolean {
    return keyId === null || (this.#deps.keyOf(keyId)?.scopes.includes(PRIVATE_NETWORK_SCOPE) ?? false);
  }

  #parseFetchedFeed({ body, finalUrl, headers }: GuardedResponse) {
    const charset = /charset\s*=\s*"?([\w-]+)/i.exec(headers['content-type'] ?? '')?.[1] ?? null;
    const options = { accountId: OWNER.accountId, timeLimitMs: PARSE_LIMIT_MS, signal: this.sourceStopSignal };
    return this.#deps.runTask('read-feed', { body, url: finalUrl, charset }, options);
  }

  /** Stores new entries, so that the oldest becomes a job first. */
  #enterFeedEntries(tx: Tx, feed: FeedRow, entries: readonly FeedItem[], now: number): void {
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
    const known = new Set([...listed].filter((hash) => isKnownFeedEntry(tx, feed.seq, hash)));
    const fresh = rows.filter(({ hash }) => !known.has(hash));
    const statuses = fresh.map(({ url, entry }): EntryRow['status'] => {
      const isForgotten = entry.publishedAt !== null && entry.publishedAt <= (feed.forgotten_until ?? -1);
      return url !== null && !isForgotten && taken++ < most ? 'waiting' : 'skipped';
    });
    for (const [index, { entry, url, hash }] of [...fresh.entries()].reverse()) {
      this.store.insertEntry(tx, {
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
    this.#forgetUnlistedEntries(tx, feed, listed);
  }

  /**
   * Bounds the entries of a feed: the newest stay, and all that the feed still lists. An entry that comes back after it
   * was forgotten is not taken again, by its time.
   */
  #forgetUnlistedEntries(tx: Tx, feed: FeedRow, listed: ReadonlySet<string>): void {
    let until = feed.forgotten_until;
    for (const entry of oldEntries(tx, feed.seq, KEPT_ENTRIES, FORGOTTEN_AT_ONCE)) {
      if (listed.has(entry.guid_hash)) continue;
      forgetEntry(tx, entry.seq);
      // A feed may date entries in the future.
      until = Math.max(until ?? 0, Math.min(entry.published_at ?? 0, entry.found_at));
    }
    if (until !== feed.forgotten_until) this.store.changeSource(tx, feed.seq, { forgotten_until: until });
  }

  protected override lastSourceRunOf({ checked_at: checkedAt }: FeedRow): number | null {
    return checkedAt;
  }

  protected override async submitSourceEntry(feed: FeedRow, entry: EntryRow): Promise<void> {
    const service = this.#deps.service;
    const name = entry.title?.slice(0, MAX_SOURCE_NAME).toWellFormed();
    const source = { address: entry.url ?? '', name };
    const call = await acceptCall(service, {
      ...callOf(service.operations, parseOwnJson<Recipe>(feed.recipe), source),
      principal: this.sourcePrincipalOf(feed),
      privateHost: this.#mayReachPrivate(feed) ? (PrivateHost.privateHostOf(feed.url)?.host ?? null) : null,
      signal: this.sourceStopSignal,
      install: 'ask',
      priority: 'low',
      watchId: feed.id,
      also: (tx, job) => {
        if (!this.isEntryPending(feed, entry)) throw new QuarryError('conflict', 'The entry has been taken.');
        this.store.changeEntry(tx, entry, { job_id: job.id, ...entryEndOf(job, this.#deps.clock.now()) });
      },
    });
    call.leave();
  }

  protected override failSourceEntry(_feed: FeedRow, entry: EntryRow, error: QuarryError): void {
    const { storage, clock } = this.#deps;
    const failed = { status: 'failed' as const, error: asJobError(error), ended_at: clock.now() };
    storage.transaction((tx) => this.store.changeEntry(tx, entry, failed));
  }

  protected override presentSource(row: FeedRow): Feed {
    const { waiting, processing, completed, failed, skipped } = row;
    return {
      feedId: row.id,
      name: row.name,
      title: row.title,
      url: row.url,
      recipe: parseOwnJson(row.recipe),
      takes: row.takes,
      first: row.first_entries,
      ...this.presentTimes(row),
      checkedAt: nullableIsoTime(row.checked_at),
      error: row.error,
      counts: { waiting, processing, completed, failed, skipped },
      createdAt: toIsoTime(row.created_at),
      updatedAt: toIsoTime(row.updated_at),
    };
  }

  #presentEntry(row: EntryRow): FeedEntry {
    return {
      entryId: row.id,
      title: row.title,
      url: row.url,
      publishedAt: nullableIsoTime(row.published_at),
      jobId: row.job_id,
      status: row.status,
      ...this.presentJob(row),
      foundAt: toIsoTime(row.found_at),
    };
  }
}

function unreadableFeedError(message: Said): QuarryError {
  return new QuarryError('source_unreachable', message);
}
