/**
 * Named keys of local tools. They act for the owner within their scopes. All are held in memory, because each request
 * of a tool asks for one. Only the SHA-256 of a key is kept: its 256 random bits need no slow hash, and a copy of the
 * database grants no access.
 */
import { createHash, randomBytes } from 'node:crypto';
import type { KeyIdentity } from '../../context.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Storage } from '../../platform/db/database.ts';
import { QuarryError } from '../../platform/errors.ts';
import { newId } from '../../platform/ids.ts';
import { parseOwnJson } from '../../platform/own-json.ts';
import { MINUTE_MS } from '../../platform/units.ts';

export const KEY_PREFIX = 'qk_';

/** A write for every request would cost more than the request. */
const USE_RECORDED_EVERY_MS = 5 * MINUTE_MS;

const KEYS_MAX = 1000;

const SECRET_BYTES = 32;

/** First characters of a key that the owner sees in lists. */
const SHOWN_CHARS = 9;

/** An answer that is being sent, like Node's `ServerResponse`. */
interface Answer {
  destroy(): unknown;
}

export interface NamedKey extends KeyIdentity {
  /** The first characters, to recognise it by. */
  readonly shown: string;
  readonly createdAt: number;
  /** Null: it does not expire. */
  expiresAt: number | null;
  lastUsedAt: number | null;
  /** Answers that are being sent: revoking the key ends them. */
  readonly answers: Set<Answer>;
}

/** What the owner chooses. */
export type KeyChoice = Pick<NamedKey, 'name' | 'scopes' | 'requestsPerMinute' | 'openJobs' | 'expiresAt'>;

export class KeyStore {
  readonly #storage: Storage;
  readonly #clock: Clock;
  readonly #byHash = new Map<string, NamedKey>();

  private constructor(storage: Storage, clock: Clock, rows: readonly KeysTable[]) {
    this.#storage = storage;
    this.#clock = clock;
    for (const row of rows) this.#byHash.set(row.hash, namedKeyOfRow(row));
  }

  static openKeyStore(storage: Storage, clock: Clock): KeyStore {
    return new KeyStore(storage, clock, storage.db.queryAll(storage.db.selectFrom('keys').selectAll()));
  }

  /** Newest first, expired ones too. */
  listNamedKeys(): NamedKey[] {
    return [...this.#byHash.values()].sort((one, other) => other.createdAt - one.createdAt);
  }

  /** The key of a request; null for an unknown, revoked or expired one. */
  findKeyBySecret(secret: string): NamedKey | null {
    const key = this.#byHash.get(hashKeySecret(secret));
    return key === undefined || this.#isKeyPastExpiry(key) ? null : key;
  }

  /** A key by its id; null for a revoked or expired one. */
  currentKeyById(id: string): NamedKey | null {
    for (const key of this.#byHash.values()) if (key.id === id) return this.#isKeyPastExpiry(key) ? null : key;
    return null;
  }

  /** Returns the key with its secret, which cannot be read again. Errors: `conflict` for a name in use or too many. */
  createNamedKey(choice: KeyChoice): { key: NamedKey; secret: string } {
    this.#checkName(choice.name);
    if (this.#byHash.size >= KEYS_MAX) {
      throw new QuarryError('conflict', `There are ${KEYS_MAX} keys already: revoke those that are not used.`);
    }
    const secret = KEY_PREFIX + randomBytes(SECRET_BYTES).toString('base64url');
    const row: KeysTable = {
      id: newId('key'),
      hash: hashKeySecret(secret),
      shown: secret.slice(0, SHOWN_CHARS),
      ...keyChoiceColumns(choice),
      created_at: this.#clock.now(),
      last_used_at: null,
    };
    this.#storage.transaction((tx) => tx.runStatement(tx.insertInto('keys').values(row)));
    const key = namedKeyOfRow(row);
    this.#byHash.set(row.hash, key);
    return { key, secret };
  }

  /** Takes effect with the next request. Errors: `not_found`, `conflict` for a name in use. */
  changeNamedKey(id: string, change: Partial<KeyChoice>): NamedKey {
    const key = this.#requireNamedKey(id);
    if (change.name !== undefined && change.name !== key.name) this.#checkName(change.name);
    const choice = { ...key, ...change };
    this.#storage.transaction((tx) =>
      tx.runStatement(tx.updateTable('keys').set(keyChoiceColumns(choice)).where('id', '=', id)),
    );
    const { name, scopes, requestsPerMinute, openJobs, expiresAt } = choice;
    return Object.assign(key, { name, scopes, requestsPerMinute, openJobs, expiresAt });
  }

  /** Ends the key at once, with every answer that is being sent to it. Errors: `not_found`. */
  revokeNamedKey(id: string): NamedKey {
    const key = this.#requireNamedKey(id);
    // Memory first: a database that cannot be written keeps no key alive.
    for (const [hash, one] of this.#byHash) if (one === key) this.#byHash.delete(hash);
    for (const answer of key.answers) answer.destroy();
    this.#storage.transaction((tx) => tx.runStatement(tx.deleteFrom('keys').where('id', '=', id)));
    return key;
  }

  /** Whether a use of the key is due to be recorded. A clock that was set back counts too. */
  isUseDue({ lastUsedAt }: NamedKey): boolean {
    return lastUsedAt === null || Math.abs(this.#clock.now() - lastUsedAt) >= USE_RECORDED_EVERY_MS;
  }

  recordKeyUse(key: NamedKey): void {
    key.lastUsedAt = this.#clock.now();
    const change = { last_used_at: key.lastUsedAt };
    this.#storage.transaction((tx) => tx.runStatement(tx.updateTable('keys').set(change).where('id', '=', key.id)));
  }

  hasKeyExpired(key: NamedKey): boolean {
    return this.#isKeyPastExpiry(key);
  }

  #isKeyPastExpiry({ expiresAt }: NamedKey): boolean {
    return expiresAt !== null && expiresAt <= this.#clock.now();
  }

  #requireNamedKey(id: string): NamedKey {
    const key = this.listNamedKeys().find((one) => one.id === id);
    if (key === undefined) throw new QuarryError('not_found', 'There is no such key. GET /admin/keys lists them.');
    return key;
  }

  #checkName(name: string): void {
    if (!this.listNamedKeys().some((key) => key.name === name)) return;
    throw new QuarryError('conflict', `Another key is named ${name}: give a name of its own.`);
  }
}

function keyChoiceColumns({ name, scopes, requestsPerMinute, openJobs, expiresAt }: KeyChoice) {
  return {
    name,
    scopes: JSON.stringify(scopes),
    requests_per_minute: requestsPerMinute,
    open_jobs: openJobs,
    expires_at: expiresAt,
  };
}

function namedKeyOfRow(row: KeysTable): NamedKey {
  return {
    id: row.id,
    name: row.name,
    shown: row.shown,
    scopes: parseOwnJson<string[]>(row.scopes),
    requestsPerMinute: row.requests_per_minute,
    openJobs: row.open_jobs,
    createdAt: row.created_at,
    expiresAt: row.expires_at,
    lastUsedAt: row.last_used_at,
    answers: new Set(),
  };
}

function hashKeySecret(secret: string): string {
  return createHash('sha256').update(secret).digest('hex');
}

/** In the production database, like sessions: keys hold for both environments. */
interface KeysTable {
  id: string;
  /** SHA-256 of the key, as hex. */
  hash: string;
  shown: string;
  name: string;
  /** JSON array. */
  scopes: string;
  requests_per_minute: number | null;
  open_jobs: number | null;
  created_at: number;
  expires_at: number | null;
  /** Written at most once every few minutes. */
  last_used_at: number | null;
}

declare module '../../platform/db/database.ts' {
  interface Database {
    keys: KeysTable;
  }
}
