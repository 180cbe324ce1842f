/**
 * Addresses of feeds. A podcast app sends no header, so its address lets it in: the identifier of the feed, signed with
 * a secret of this data folder. A signature is checked without the database; a feed that is removed is refused at once.
 */

import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { type Clock, toIsoTime } from '../../platform/clock.ts';
import type { Storage } from '../../platform/db/database.ts';
import { QuarryError } from '../../platform/errors.ts';
import { newId } from '../../platform/ids.ts';
import { MINUTE_MS } from '../../platform/units.ts';
import type { ListenFeed } from './schema.ts';
import * as store from './store.ts';

const SECRET_BYTES = 32;

/** Apps ask for ranges many times; their use is noted this often. */
const NOTE_EVERY_MS = 5 * MINUTE_MS;

const FEEDS_MAX = 50;

interface FeedKeysDeps {
  storage: Storage;
  clock: Clock;
  /** Origins at which this computer is reached, this computer's own first. */
  origins(): readonly string[];
}

export class FeedKeys {
  readonly #deps: FeedKeysDeps;
  readonly #secret: string;
  readonly #feeds: Map<string, store.FeedRow>;

  constructor(deps: FeedKeysDeps) {
    this.#deps = deps;
    const fresh = randomBytes(SECRET_BYTES).toString('base64url');
    this.#secret = deps.storage.transaction((tx) => store.feedSecret(tx, fresh));
    this.#feeds = new Map(store.allFeeds(deps.storage.db).map((row) => [row.id, row]));
  }

  listFeeds(): ListenFeed[] {
    return [...this.#feeds.values()].map((row) => this.#present(row));
  }

  /** Errors: `conflict` for too many. */
  createFeed(name: string): ListenFeed {
    if (this.#feeds.size >= FEEDS_MAX) throw new QuarryError('conflict', `There are ${FEEDS_MAX} feeds. Remove one.`);
    const row = { id: newId('lsf'), name, created_at: this.#deps.clock.now(), used_at: null };
    this.#deps.storage.transaction((tx) => store.insertFeed(tx, row));
    this.#feeds.set(row.id, row);
    return this.#present(row);
  }

  /** Its address leads nowhere from now on. Errors: `not_found`. */
  removeFeed(id: string): void {
    if (!this.#feeds.delete(id)) throw new QuarryError('not_found', 'There is no such feed.');
    this.#deps.storage.transaction((tx) => store.deleteFeed(tx, id));
  }

  /** Whether the key is signed and its feed is there. */
  isFeedKey(key: string): boolean {
    const [id = '', signature = ''] = key.split('~');
    const given = Buffer.from(signature);
    const wanted = Buffer.from(this.#signatureOf(id));
    const row = this.#feeds.get(id);
    if (given.length !== wanted.length || !timingSafeEqual(given, wanted) || row === undefined) return false;
    this.#noteUse(row);
    return true;
  }

  #noteUse(row: store.FeedRow): void {
    const now = this.#deps.clock.now();
    if (row.used_at !== null && now - row.used_at < NOTE_EVERY_MS) return;
    row.used_at = now;
    this.#deps.storage.transaction((tx) => store.noteFeedUse(tx, row.id, now));
  }

  #present({ id, name, created_at, used_at }: store.FeedRow): ListenFeed {
    const path = `/feed/${id}~${this.#signatureOf(id)}/podcast.xml`;
    return {
      feedId: id,
      name,
      urls: this.#deps.origins().map((origin) => origin + path),
      createdAt: toIsoTime(created_at),
      lastUsedAt: used_at === null ? null : toIsoTime(used_at),
    };
  }

  #signatureOf(id: string): string {
    return createHmac('sha256', this.#secret).update(`feed ${id}`).digest('base64url');
  }
}
