/**
 * Sessions of the owner's browsers, and of linked devices in a store of their own. All are held in memory, because
 * every request of the dashboard asks for one. Each has two secrets: the cookie's value, which a browser sends to every
 * port of its host, and one that only the storage of the dashboard's origin holds. Both are kept as hashes only, so a
 * copy of the database does not grant access.
 */

import { createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import type { Clock } from '../../platform/clock.ts';
import type { Storage } from '../../platform/db/database.ts';
import { newId } from '../../platform/ids.ts';
import { DAY_MS, MINUTE_MS } from '../../platform/units.ts';

/** A session ends this long after its last use. */
export const SESSION_DAYS = 30;

/** How exact the time of the last use is: a write for every request would cost more than the request. */
const USE_RECORDED_EVERY_MS = 5 * MINUTE_MS;

/** A new session beyond this many ends the one that was not used for the longest time. */
const SESSIONS_MAX = 100;

const USER_AGENT_CHARS_MAX = 300;

const SECRET_BYTES = 32;

/** An answer that is being sent, like Node's `ServerResponse`. */
interface Answer {
  destroy(): unknown;
}

export interface Session {
  readonly id: string;
  readonly cookieHash: string;
  readonly secretHash: string;
  readonly userAgent: string;
  /** Name of the linked device; null for a browser of the owner. */
  readonly device: string | null;
  readonly createdAt: number;
  lastUsedAt: number;
  /** Answers that are being sent: revoking the session ends them. */
  readonly answers: Set<Answer>;
}

/** The secrets of a new session. They are not kept and cannot be read again. */
interface NewSession {
  session: Session;
  cookie: string;
  secret: string;
}

export class SessionStore {
  readonly #storage: Storage;
  readonly #clock: Clock;
  readonly #byCookieHash = new Map<string, Session>();

  private constructor(storage: Storage, clock: Clock, rows: readonly SessionsTable[]) {
    this.#storage = storage;
    this.#clock = clock;
    for (const row of rows) this.#byCookieHash.set(row.cookie_hash, sessionOfRow(row));
  }

  /** @param of whose sessions it holds: neither store finds a session of the other. */
  static openSessionStore(storage: Storage, clock: Clock, of: 'owner' | 'devices' = 'owner'): SessionStore {
    const isOfDevice = of === 'devices' ? 'is not' : 'is';
    const query = storage.db.selectFrom('sessions').selectAll().where('device_name', isOfDevice, null);
    const store = new SessionStore(storage, clock, storage.db.queryAll(query));
    store.#endUserSessions(store.#readAllSessions().filter((session) => store.#hasSessionExpired(session)));
    return store;
  }

  /** @param device name of a linked device, for the store of these */
  createUserSession(userAgent: string, device: string | null = null): NewSession {
    const now = this.#clock.now();
    const [cookie, secret] = [newSecret(), newSecret()];
    const row = {
      id: newId('ses'),
      cookie_hash: hashSessionSecret(cookie),
      secret_hash: hashSessionSecret(secret),
      user_agent: userAgent.slice(0, USER_AGENT_CHARS_MAX),
      device_name: device,
      created_at: now,
      last_used_at: now,
    };
    this.#storage.transaction((tx) => tx.runStatement(tx.insertInto('sessions').values(row)));
    const session = sessionOfRow(row);
    this.#byCookieHash.set(row.cookie_hash, session);
    const others = this.#readAllSessions().filter((one) => one !== session);
    const leastUsed = others.sort((one, other) => other.lastUsedAt - one.lastUsedAt).slice(SESSIONS_MAX - 1);
    this.#endUserSessions([...leastUsed, ...others.filter((one) => this.#hasSessionExpired(one))]);
    return { session, cookie, secret };
  }

  /** The session of a cookie; null for an unknown, expired or revoked one. */
  findSessionByCookie(cookie: string): Session | null {
    const session = this.#byCookieHash.get(hashSessionSecret(cookie));
    return session === undefined || this.#hasSessionExpired(session) ? null : session;
  }

  /** Newest use first. */
  listUserSessions(): Session[] {
    const live = this.#readAllSessions().filter((session) => !this.#hasSessionExpired(session));
    return live.sort((one, other) => other.lastUsedAt - one.lastUsedAt);
  }

  expiresAt({ lastUsedAt }: Session): number {
    return lastUsedAt + SESSION_DAYS * DAY_MS;
  }

  /** Whether a use of the session is due to be recorded, which moves its end. A clock that was set back counts too. */
  isUseDue({ lastUsedAt }: Session): boolean {
    return Math.abs(this.#clock.now() - lastUsedAt) >= USE_RECORDED_EVERY_MS;
  }

  recordSessionUse(session: Session): void {
    session.lastUsedAt = this.#clock.now();
    const change = { last_used_at: session.lastUsedAt };
    this.#storage.transaction((tx) =>
      tx.runStatement(tx.updateTable('sessions').set(change).where('id', '=', session.id)),
    );
  }

  /**
   * Ends sessions at once, with every answer that is being sent to them but `keep`. Gives back how many there were.
   */
  revokeSessions(isMeant: (session: Session) => boolean, keep?: Answer): number {
    const meant = this.listUserSessions().filter(isMeant);
    this.#endUserSessions(meant, keep);
    return meant.length;
  }

  #readAllSessions(): Session[] {
    return [...this.#byCookieHash.values()];
  }

  #hasSessionExpired(session: Session): boolean {
    return this.expiresAt(session) <= this.#clock.now();
  }

  /** Memory first: a database that cannot be written keeps no session open. */
  #endUserSessions(sessions: readonly Session[], keep?: Answer): void {
    if (sessions.length === 0) return;
    for (const { cookieHash, answers } of sessions) {
      this.#byCookieHash.delete(cookieHash);
      for (const answer of answers) if (answer !== keep) answer.destroy();
    }
    const ids = sessions.map(({ id }) => id);
    this.#storage.transaction((tx) => tx.runStatement(tx.deleteFrom('sessions').where('id', 'in', ids)));
  }
}

/** Whether `secret` is the second secret of the session. */
export function isSecretOf({ secretHash }: Session, secret: string): boolean {
  return timingSafeEqual(Buffer.from(hashSessionSecret(secret), 'hex'), Buffer.from(secretHash, 'hex'));
}

/** Stands for the second secret in the addresses of one job's files, which carry no header. */
export function fileTicket({ secretHash }: Session, jobId: string): string {
  return createHmac('sha256', Buffer.from(secretHash, 'hex')).update(`files of ${jobId}`).digest('base64url');
}

export function isFileTicket(session: Session, jobId: string, ticket: string): boolean {
  const wanted = Buffer.from(fileTicket(session, jobId));
  const given = Buffer.from(ticket);
  return given.length === wanted.length && timingSafeEqual(given, wanted);
}

function sessionOfRow(row: SessionsTable): Session {
  return {
    id: row.id,
    cookieHash: row.cookie_hash,
    secretHash: row.secret_hash,
    userAgent: row.user_agent,
    device: row.device_name,
    createdAt: row.created_at,
    lastUsedAt: row.last_used_at,
    answers: new Set(),
  };
}

function newSecret(): string {
  return randomBytes(SECRET_BYTES).toString('base64url');
}

function hashSessionSecret(secret: string): string {
  return createHash('sha256').update(secret).digest('hex');
}

/** A browser that is signed in as the owner, or a linked device. */
export interface SessionsTable {
  id: string;
  /** SHA-256 of the cookie's value, as hex. */
  cookie_hash: string;
  /** SHA-256 of the secret that the dashboard's origin stores, as hex. */
  secret_hash: string;
  user_agent: string;
  /** Null for a browser of the owner. */
  device_name: string | null;
  created_at: number;
  /** Written at most once every few minutes. */
  last_used_at: number;
}

/** The desktop shell passes a code to its page, which exchanges it at once. */
const CODE_LIFE_MS = MINUTE_MS;

const CODES_MAX = 100;

const CODE_BYTES = 32;

/**
 * Codes that open one session each: 256 random bits, used once, gone with a restart. The desktop shell holds the
 * owner's token and signs its page in with a code, so that the page never sees the token. A phone gets one from the QR
 * code.
 */
export class SignInCodes {
  readonly #clock: Clock;
  readonly #lifeMs: number;
  /** When each expires, by its hash, oldest first. */
  readonly #expiries = new Map<string, number>();

  constructor(clock: Clock, lifeMs = CODE_LIFE_MS) {
    this.#clock = clock;
    this.#lifeMs = lifeMs;
  }

  issueSignInCode(): { code: string; expiresAt: number } {
    const oldest = this.#expiries.keys().next().value;
    if (this.#expiries.size >= CODES_MAX && oldest !== undefined) this.#expiries.delete(oldest);
    const code = randomBytes(CODE_BYTES).toString('base64url');
    const expiresAt = this.#clock.now() + this.#lifeMs;
    this.#expiries.set(hashOfCode(code), expiresAt);
    return { code, expiresAt };
  }

  /** Whether the code was given out and is neither used nor expired. It counts as used from now on. */
  redeemSignInCode(code: string): boolean {
    const hash = hashOfCode(code);
    const expiresAt = this.#expiries.get(hash);
    this.#expiries.delete(hash);
    return expiresAt !== undefined && expiresAt > this.#clock.now();
  }

  /** Ends all codes. */
  clearSignInCodes(): void {
    this.#expiries.clear();
  }
}

function hashOfCode(code: string): string {
  return createHash('sha256').update(code).digest('hex');
}

declare module '../../platform/db/database.ts' {
  interface Database {
    sessions: SessionsTable;
  }
}
