import SqliteDatabase from 'better-sqlite3';
import {
  type DatabaseConnection,
  type DialectAdapter,
  type Driver,
  Kysely,
  type QueryCompiler,
  SqliteAdapter,
  SqliteDialect,
  type SqliteDialectConfig,
  SqliteDriver,
  type Transaction,
} from 'kysely';
import { type Migration, Migrator } from 'kysely/migration';
import { Mutex } from '../concurrency.ts';
import { isDiskFull, isStorageTrouble, QuarryError, storageUnavailable } from '../errors.ts';
import { MIB } from '../units.ts';
import { Checkpoints } from './checkpoints.ts';
import { holding, OneConnection, passToWrite } from './held-connection.ts';
import { SteadyQueryCompiler } from './statement-compiler.ts';

/** How long a statement waits for another process (a backup, a reader) before it fails. */
const BUSY_TIMEOUT_MS = 5000;

/** Pages of 4 kB kept in memory: 16 MB, enough for the upper levels of every index at a million jobs. */
const CACHE_KB = 16_384;

/**
 * Pages of the log after which the writer itself carries them over, where a thread does that all the time: 64 MB, which
 * that thread lets no stream of small commits reach. What a peak made of the log's file is given back.
 */
export const LOG_PAGES_MAX = 16_384;

const LOG_BYTES_KEPT = 32 * MIB;

export interface Storage {
  db: Db;
  /**
   * Runs `work` in one write transaction: all of it is kept, or none. Within it only `tx` is asked: who asks `db`, or
   * for a transaction, waits for this one to end, and fails after ten seconds.
   */
  transaction<Result>(work: (tx: Tx) => Promise<Result>): Promise<Result>;
  /**
   * Lends the right to write to another connection until `work` is over. Transactions wait for it, as they wait for
   * each other; reading goes on. SQLite would let the second writer wait too, but on the server's thread.
   */
  lend<Result>(work: () => Promise<Result>): Promise<Result>;
  close(): Promise<void>;
}

/** Migrations by name. Data folders record the names of those that ran. */
export type Migrations = Readonly<Record<string, Migration>>;

export interface StorageOptions {
  /** Every step of the schema by its recorded name, in order. A released one is never edited. */
  migrations: Migrations;
  /** File of the thread `checkpoint-thread`; without one, checkpoints are made by whoever commits. */
  checkpointEntry?: URL;
}

/**
 * Opens (and makes, and migrates) the database at `path`.
 *
 * WAL with synchronous NORMAL: a commit survives the death of the process at any point; only a power cut can take the
 * last moments, and never the file's consistency (decisions/002).
 */
export async function openStorage(path: string, options: StorageOptions): Promise<Storage> {
  const sqlite = new SqliteDatabase(path, { timeout: BUSY_TIMEOUT_MS });
  sqlite.pragma('journal_mode = WAL');
  sqlite.pragma('synchronous = NORMAL');
  sqlite.pragma('foreign_keys = ON');
  sqlite.pragma(`cache_size = -${CACHE_KB}`);
  // Migrations change what a kept statement would answer, so they come before any is kept.
  await migrate(new Kysely<Database>({ dialect: new CarefulSqliteDialect(sqlite) }), options.migrations);
  const db = new Kysely<Database>({ dialect: new CarefulSqliteDialect(sqlite, keepStatements(sqlite)) });
  const writing = new Mutex();
  const { checkpointEntry: entry } = options;
  const checkpoints = entry && new Checkpoints(entry, path, (work) => writing.pass(work));
  if (checkpoints) {
    sqlite.pragma(`wal_autocheckpoint = ${LOG_PAGES_MAX}`);
    sqlite.pragma(`journal_size_limit = ${LOG_BYTES_KEPT}`);
  }
  /** One writer at a time; what it committed is due to be carried over. */
  const write = async <Result>(work: () => Promise<Result>): Promise<Result> => {
    const result = await passToWrite(writing, work);
    checkpoints?.due();
    return result;
  };
  return {
    db,
    transaction: (work) => write(() => db.transaction().execute((tx) => holding(() => work(tx)))),
    lend: (work) => write(() => holding(work)),
    close: async () => {
      await checkpoints?.close();
      await db.destroy();
    },
  };
}

async function migrate(db: Db, migrations: Migrations): Promise<void> {
  const migrator = new Migrator({ db, provider: { getMigrations: async () => ({ ...migrations }) } });
  const { error } = await migrator.migrateToLatest();
  if (error instanceof Error && UNKNOWN_MIGRATION.test(error.message)) throw new OtherVersionError(error);
  if (error) throw error;
}

/** How Kysely begins where a database has steps behind it that this version does not know. */
const UNKNOWN_MIGRATION = /^corrupted migrations/;

/** The database is of a version that goes other ways, mostly of a newer one. */
export class OtherVersionError extends Error {
  constructor(cause: Error) {
    super('The database was written by another version of Quarry.', { cause });
    this.name = 'OtherVersionError';
  }
}

/** Writers call this first: a write outside a transaction could be half of a change. */
export function assertTransaction(db: Db | Tx): asserts db is Tx {
  if (!db.isTransaction) throw new Error('A writer was called outside a transaction.');
}

/** The public error for a database that could not be used for a reason that lies outside, else null. */
export function storageError(error: unknown): QuarryError | null {
  if (!isDiskFull(error)) return isStorageTrouble(error) ? storageUnavailable(error) : null;
  return new QuarryError('storage_full', 'The disk is full: free some space, then send the request again.', {
    cause: error,
    retryAfterSeconds: 60,
    retryable: true,
  });
}

/**
 * Kysely's dialect, with two differences. It asks before it rolls back: SQLite ends a transaction by itself when the
 * disk is full; rolling back what is over then fails, and that failure would stand in for the reason. And it keeps the
 * line of those who wait for the connection itself, so that nobody stands in it for ever (held-connection.ts).
 */
export class CarefulSqliteDialect extends SqliteDialect {
  readonly #sqlite: SqliteDatabase.Database;
  readonly #config: SqliteDialectConfig;

  /** @param database what statements are prepared on; the database itself by default. */
  constructor(sqlite: SqliteDatabase.Database, database: SqliteDialectConfig['database'] = sqlite) {
    super({ database });
    this.#sqlite = sqlite;
    this.#config = { database };
  }

  override createAdapter(): DialectAdapter {
    return new UnlockedAdapter();
  }

  override createQueryCompiler(): QueryCompiler {
    return new SteadyQueryCompiler();
  }

  override createDriver(): Driver {
    return new CarefulSqliteDriver(this.#config, this.#sqlite);
  }
}

/** What Kysely is told so that it keeps no line of its own; there is one connection all the same. */
class UnlockedAdapter extends SqliteAdapter {
  override get supportsMultipleConnections(): boolean {
    return true;
  }
}

class CarefulSqliteDriver extends SqliteDriver {
  readonly #sqlite: SqliteDatabase.Database;
  readonly #connection = new OneConnection();

  constructor(config: SqliteDialectConfig, sqlite: SqliteDatabase.Database) {
    super(config);
    this.#sqlite = sqlite;
  }

  override async acquireConnection(): Promise<DatabaseConnection> {
    await this.#connection.take();
    return super.acquireConnection();
  }

  override async releaseConnection(): Promise<void> {
    this.#connection.giveBack();
  }

  override async rollbackTransaction(connection: DatabaseConnection): Promise<void> {
    if (this.#sqlite.inTransaction) await super.rollbackTransaction(connection);
  }
}

/** Statements kept ready: more than the house has, so only those with lists of varying length ever leave. */
const MAX_STATEMENTS = 256;

/**
 * The database as Kysely's dialect sees it, with its statements kept: preparing the same text again and again costs
 * more than most of them take to run.
 */
export function keepStatements(sqlite: SqliteDatabase.Database): { prepare: typeof sqlite.prepare; close(): void } {
  const kept = new Map<string, SqliteDatabase.Statement>();
  const prepare = (text: string): SqliteDatabase.Statement => {
    const statement = kept.get(text) ?? sqlite.prepare(text);
    // Taken out and put back, so that the Map's order is that of the last use.
    kept.delete(text);
    kept.set(text, statement);
    if (kept.size > MAX_STATEMENTS) kept.delete(kept.keys().next().value ?? '');
    return statement;
  };
  return { prepare: prepare as typeof sqlite.prepare, close: () => sqlite.close() };
}

/** The tables of the database. Each feature adds its own beside its queries (`declare module`). */
// biome-ignore lint/suspicious/noEmptyInterface: features add their tables.
export interface Database {}

export type Db = Kysely<Database>;

export type Tx = Transaction<Database>;
