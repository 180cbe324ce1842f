/**
 * The audit log: what the owner and named keys changed and ran, without secrets and bodies. A change is written before
 * its answer, so that a killed server loses no change that a client knows of. Runs may be many: they are gathered in
 * memory and written once a second.
 */
import type { Context, MiddlewareHandler } from 'hono';
import type { Generated, Selectable } from 'kysely';
import type { KeyIdentity } from '../../context.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Db, Storage, Tx } from '../../platform/db/database.ts';
import type { HttpEnv } from '../../platform/http/env.ts';
import { publicError } from '../../platform/http/problem.ts';
import type { KeyScope } from '../../platform/http/route.ts';
import type { Logger } from '../../platform/log.ts';
import { DAY_MS, SECOND_MS } from '../../platform/units.ts';
import type { FindAddresses, KnownAddress } from './scopes.ts';

/** `run`: an operation was called; `change`: everything else. Each has room of its own: runs displace no changes. */
export const AUDIT_KINDS = ['change', 'run'] as const;

type AuditKind = (typeof AUDIT_KINDS)[number];

/** Entries kept of each kind. */
const KEPT_MAX = 50_000;

export const AUDIT_DAYS = 90;

const WRITE_EVERY_MS = SECOND_MS;

/** Entries per transaction, to bound its time. SQLite takes 32766 values per statement. */
const MAX_ROWS_PER_WRITE = 500;

/** Entries that wait while the database cannot be written. */
const MAX_WAITING = 10_000;

/** Entries written before old ones are deleted again. */
const DELETE_AFTER = 1000;

const TARGET_MAX_CHARS = 200;

const READING = ['GET', 'HEAD', 'OPTIONS'];

export type AuditEntry = Selectable<AuditTable>;

type NewEntry = Omit<AuditEntry, 'seq'>;

export interface AuditFilter {
  kind?: AuditKind | undefined;
  /** Id of a key, or `owner`. */
  actor?: string | undefined;
  outcome?: 'done' | 'refused' | undefined;
  from?: number | undefined;
  to?: number | undefined;
}

export class AuditLog {
  readonly #storage: Storage;
  readonly #clock: Clock;
  readonly #log: Pick<Logger, 'error'>;
  readonly #timer: NodeJS.Timeout;
  #waiting: NewEntry[] = [];
  #lost = 0;
  #writtenSinceDelete = DELETE_AFTER;

  constructor(storage: Storage, clock: Clock, log: Pick<Logger, 'error'>) {
    this.#storage = storage;
    this.#clock = clock;
    this.#log = log;
    this.#timer = setInterval(() => this.#writeWaitingEntries(1), WRITE_EVERY_MS).unref();
  }

  /**
   * Writes a change at once, after the runs before it. Keeps what came first when too many wait, and counts the others.
   */
  appendAuditEntry(entry: Omit<NewEntry, 'at'>): void {
    if (this.#waiting.length < MAX_WAITING) this.#waiting.push({ at: this.#clock.now(), ...entry });
    else this.#lost += 1;
    if (entry.kind === 'change') this.#writeWaitingEntries(Number.POSITIVE_INFINITY);
  }

  /** One page, newest first; `before` is the `seq` of the last entry of the page before. */
  auditEntryPage(filter: AuditFilter, before: number | null, limit: number): AuditEntry[] {
    this.#writeWaitingEntries(Number.POSITIVE_INFINITY);
    return selectAuditEntries(this.#storage.db, filter, before, limit);
  }

  closeAuditLog(): void {
    clearInterval(this.#timer);
    this.#writeWaitingEntries(Number.POSITIVE_INFINITY);
  }

  #writeWaitingEntries(transactions: number): void {
    try {
      for (let done = 0; done < transactions && this.#waiting.length > 0; done += 1) this.#writeSome();
    } catch (error) {
      // The entries keep waiting.
      this.#log.error({ err: error, lost: this.#lost }, 'The audit log could not be written.');
    }
  }

  #writeSome(): void {
    const batch = this.#waiting.slice(0, MAX_ROWS_PER_WRITE);
    const deletes = this.#writtenSinceDelete + batch.length >= DELETE_AFTER;
    this.#storage.transaction((tx) => {
      tx.runStatement(tx.insertInto('audit').values(batch));
      if (deletes) deleteOld(tx, this.#clock.now());
    });
    this.#waiting = this.#waiting.slice(batch.length);
    this.#writtenSinceDelete = deletes ? 0 : this.#writtenSinceDelete + batch.length;
    if (this.#lost === 0) return;
    this.#log.error({ lost: this.#lost }, 'The audit log lost entries while it could not be written.');
    this.#lost = 0;
  }
}

/** Records each request that changes or runs something for the owner or a key, once it is answered. */
export function auditRequests(log: AuditLog, find: FindAddresses): MiddlewareHandler<HttpEnv> {
  return async (context, next) => {
    if (READING.includes(context.req.method)) return next();
    const recordNotedRequest = (noted: Noted) => recordIn(log, find, context, noted);
    context.set('audit', recordNotedRequest);
    await next();
    const noted = context.get('audited') ?? {};
    if (noted !== 'elsewhere') recordNotedRequest(noted);
  };
}

function recordIn(log: AuditLog, find: FindAddresses, context: Context<HttpEnv>, noted: Noted): void {
  const { method, path } = context.req;
  const actor = context.get('actor');
  if (actor === undefined) return;
  const addresses = find(method, path);
  const address = addresses[0];
  const kind = noted.kind ?? auditKindOf(addresses);
  if (address === undefined || kind === null) return;
  log.appendAuditEntry({
    kind,
    key_id: actor.key?.id ?? null,
    key_name: actor.key?.name ?? null,
    method,
    route: address.pattern,
    target: noted.target?.slice(0, TARGET_MAX_CHARS) ?? targetOf(context, address),
    status: context.res.status,
    code: noted.code ?? (context.error === undefined ? null : publicError(context.error).code),
    request_id: context.get('requestId'),
  });
}

/** What a handler knows better than the address. */
export interface Noted {
  kind?: AuditKind;
  target?: string;
  code?: string;
}

/** Null for an address that only reads. */
function auditKindOf(addresses: readonly KnownAddress[]): AuditKind | null {
  const scopes = new Set<KeyScope>(addresses.flatMap((address) => address.scopes));
  if (scopes.has('read')) return null;
  // A registered webhook acts on, which is more than a run.
  return [...scopes].some((scope) => scope.startsWith('run:') && scope !== 'run:webhooks') ? 'run' : 'change';
}

/** The name of an inbox is the credential to post to it. */
const SECRET_NAMES = /\/inboxes\/\{name\}/;

/** What the request named, else the job that it made. */
function targetOf({ res }: Context<HttpEnv>, { pattern, params }: KnownAddress): string | null {
  if (SECRET_NAMES.test(pattern)) return null;
  const named = params.join(' ').slice(0, TARGET_MAX_CHARS);
  if (named !== '') return named;
  const made = res.headers.get('x-quarry-job-id') ?? res.headers.get('location')?.split('/').at(-1);
  return made?.slice(0, TARGET_MAX_CHARS) ?? null;
}

function selectAuditEntries(db: Db, filter: AuditFilter, before: number | null, limit: number): AuditEntry[] {
  const { kind, actor, outcome, from, to } = filter;
  let query = db.selectFrom('audit').selectAll();
  if (before !== null) query = query.where('seq', '<', before);
  if (kind !== undefined) query = query.where('kind', '=', kind);
  if (actor === 'owner') query = query.where('key_id', 'is', null);
  else if (actor !== undefined) query = query.where('key_id', '=', actor);
  if (outcome === 'done') query = query.where('code', 'is', null).where('status', '<', 400);
  if (outcome === 'refused') query = query.where((or) => or.or([or('code', 'is not', null), or('status', '>=', 400)]));
  if (from !== undefined) query = query.where('at', '>=', from);
  if (to !== undefined) query = query.where('at', '<', to);
  return db.queryAll(query.orderBy('seq', 'desc').limit(limit));
}

function deleteOld(tx: Tx, now: number): void {
  tx.runStatement(tx.deleteFrom('audit').where('at', '<', now - AUDIT_DAYS * DAY_MS));
  for (const kind of AUDIT_KINDS) {
    const ofKind = tx.selectFrom('audit').select('seq').where('kind', '=', kind).orderBy('seq', 'desc');
    const last = tx.queryFirst(ofKind.limit(1).offset(KEPT_MAX));
    if (last === undefined) continue;
    tx.runStatement(tx.deleteFrom('audit').where('kind', '=', kind).where('seq', '<=', last.seq));
  }
}

/** In the production database, like keys: it is of both environments. */
interface AuditTable {
  seq: Generated<number>;
  at: number;
  kind: AuditKind;
  /** Null for the owner. */
  key_id: string | null;
  key_name: string | null;
  method: string;
  /** The declared path, with parameters in braces. */
  route: string;
  target: string | null;
  status: number;
  /** Code of the error, if there was one. */
  code: string | null;
  request_id: string;
}

declare module '../../platform/db/database.ts' {
  interface Database {
    audit: AuditTable;
  }
}

declare module '../../platform/http/env.ts' {
  interface HttpVariables {
    /** Set for requests of the owner or a key, refused ones too. */
    actor?: { key?: KeyIdentity };
    /** For the entry of the request; `elsewhere`: the handler calls `audit` itself, if there is anything to record. */
    audited?: Noted | 'elsewhere';
    /** Records an action in the audit log. Set for all methods that do not read. */
    audit?: (noted: Noted) => void;
  }
}
