/** The database: Kysely builds and types the SQL, better-sqlite3 runs it, a transaction is a synchronous function. */

import { isDeepStrictEqual } from 'node:util';
import SqliteDatabase from 'better-sqlite3';
import {
  type Compilable,
  type CompiledQuery,
  DummyDriver,
  Kysely,
  QueryCreator,
  type RawBuilder,
  SqliteAdapter,
  SqliteDialect,
  SqliteIntrospector,
} from 'kysely';
import type { Migration } from 'kysely/migration';
import { isDiskFull, isStorageTrouble, QuarryError, storageUnavailable } from '../errors.ts';
import { ownData } from '../own-json.ts';
import { MIB } from '../units.ts';
import { StableQueryCompiler } from './query-compiler.ts';

/** How long a statement waits for another connection before it fails. */
const BUSY_TIMEOUT_MS = 5000;

/** Pages of 4 kB kept in memory: 16 MB, enough for the upper levels of every index at a million jobs. */
const CACHE_KB = 16_384;

/** A log that a peak made longer is cut to this length once its pages are in the database's file. */
const LOG_BYTES_KEPT = 32 * MIB;

export interface Storage {
  db: Db;
  /**
   * Runs `work` in one write transaction: all of it is kept, or none. Transactions do not nest, and `work` is
   * synchronous: a promise rolls the transaction back.
   */
  transaction<Result>(work: (tx: Tx) => Result & Plain<Result>): Result;
  close(): void;
}

/** A result that is no promise. */
type Plain<Result> = Result extends PromiseLike<unknown> ? never : Result;

/** Migrations by name. Data folders record the names of those that ran. */
export type Migrations = Readonly<Record<string, Migration>>;

export interface StorageOptions {
  /** Every step of the schema by its recorded name, in order. A released one is never edited. */
  migrations: Migrations;
  /** The SQL that makes a new database what the first of the steps make of it (`first-schema.ts`). */
  firstSchema?: string;
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
  configureConnection(sqlite);
  if (options.firstSchema !== undefined && isNew(sqlite)) sqlite.exec(`begin;\n${options.firstSchema}\ncommit`);
  if (!hasRunAll(sqlite, options.migrations)) await migrateDatabase(sqlite, options.migrations);
  return storageOn(sqlite);
}

/**
 * Another connection to a database that `openStorage` has migrated, for a thread that writes.
 *
 * @param synchronous `FULL`: a commit survives a power cut too
 */
export function openSecondStorage(path: string, { synchronous }: { synchronous: 'NORMAL' | 'FULL' }): Storage {
  const sqlite = new SqliteDatabase(path, { fileMustExist: true, timeout: BUSY_TIMEOUT_MS });
  configureConnection(sqlite);
  sqlite.pragma(`synchronous = ${synchronous}`);
  return storageOn(sqlite);
}

export interface Reader {
  db: Db;
  close(): void;
}

/** A connection that only reads a database that `openStorage` has migrated. */
export function openReader(path: string): Reader {
  const sqlite = new SqliteDatabase(path, { readonly: true, fileMustExist: true, timeout: BUSY_TIMEOUT_MS });
  return { db: new Db(sqlite), close: () => sqlite.close() };
}

function configureConnection(sqlite: SqliteDatabase.Database): void {
  sqlite.pragma('synchronous = NORMAL');
  sqlite.pragma('foreign_keys = ON');
  sqlite.pragma(`cache_size = -${CACHE_KB}`);
  sqlite.pragma(`journal_size_limit = ${LOG_BYTES_KEPT}`);
}

/** A storage on a connection that is configured. */
export function storageOn(sqlite: SqliteDatabase.Database, db = new Db(sqlite)): Storage {
  // The right to write comes first: a transaction that reads and then finds another writer could not go on.
  const begin = sqlite.prepare('begin immediate');
  const commit = sqlite.prepare('commit');
  const rollback = sqlite.prepare('rollback');
  const transaction: Storage['transaction'] = (work) => {
    if (sqlite.inTransaction) throw new Error('A transaction was begun within a transaction.');
    begin.run();
    try {
      const result = work(db as Tx);
      if (result instanceof Promise) throw new Error('A transaction returned a promise: its work must be synchronous.');
      commit.run();
      return result;
    } catch (error) {
      // SQLite ends a transaction itself when the disk is full.
      if (sqlite.inTransaction) rollback.run();
      throw error;
    }
  };
  return { db, transaction, close: () => sqlite.close() };
}

function isNew(sqlite: SqliteDatabase.Database): boolean {
  return sqlite.prepare('select 1 from sqlite_master').get() === undefined;
}

/** Whether exactly these steps have run: the migrator asks much more to find nothing to do. */
function hasRunAll(sqlite: SqliteDatabase.Database, migrations: Migrations): boolean {
  const isTable = sqlite.prepare("select 1 from sqlite_master where name = 'kysely_migration'").get() !== undefined;
  if (!isTable) return false;
  const names = sqlite.prepare('select name from kysely_migration order by name').pluck().all();
  return isDeepStrictEqual(names, Object.keys(migrations).sort());
}

/** Kysely's migrator is asynchronous, and so is what it runs; nothing else uses the database meanwhile. */
async function migrateDatabase(sqlite: SqliteDatabase.Database, migrations: Migrations): Promise<void> {
  const { Migrator } = await import('kysely/migration');
  const db = new Kysely<Database>({ dialect: new SqliteDialect({ database: sqlite }) });
  const migrator = new Migrator({ db, provider: { getMigrations: async () => ({ ...migrations }) } });
  const { error } = await migrator.migrateToLatest();
  if (error instanceof Error && UNKNOWN_MIGRATION.test(error.message)) throw new OtherVersionError(error);
  if (error) throw error;
}

/** How the message of Kysely begins where a database has run steps that this version does not know. */
const UNKNOWN_MIGRATION = /^corrupted migrations/;

/** The database is of a version with other steps, mostly a newer one. */
export class OtherVersionError extends Error {
  constructor(cause: Error) {
    super('The database was written by another version of Quarry.', { cause });
    this.name = 'OtherVersionError';
  }
}

class CompileOnlyDriver extends DummyDriver {
  override async acquireConnection(): Promise<never> {
    throw new Error('A query runs by `all`, `first`, `one` or `run` of the database.');
  }
}

/** Builds queries; `all`, `first`, `one` and `run` of a `Db` run them. Their own `execute` throws. */
export const queryBuilder = new Kysely<Database>({
  dialect: {
    createAdapter: () => new SqliteAdapter(),
    createDriver: () => new CompileOnlyDriver(),
    createIntrospector: (db) => new SqliteIntrospector(db),
    createQueryCompiler: () => new StableQueryCompiler(),
  },
});

export type QueryBuilder = QueryCreator<Database>;

/** A query of the builder, or raw SQL. */
export type Query<Row> = Compilable<Row> | RawBuilder<Row>;

/** Statements kept: more than the program has, so that only those with lists of varying length are dropped. */
const MAX_STATEMENTS = 256;

/** One connection: builds queries and runs them at once. */
export class Db extends QueryCreator<Database> {
  readonly #sqlite: SqliteDatabase.Database;
  /** By SQL text, the least recently used first: to prepare a statement again costs more than most take to run. */
  readonly #statements = new Map<string, SqliteDatabase.Statement>();

  constructor(sqlite: SqliteDatabase.Database) {
    super({ executor: queryBuilder.getExecutor() });
    this.#sqlite = sqlite;
  }

  queryAll<Row>(query: Query<Row>): Row[] {
    const { sql, parameters } = compileQuery(query);
    return ownData(this.#prepareStatement(sql).all(parameters));
  }

  queryFirst<Row>(query: Query<Row>): Row | undefined {
    const { sql, parameters } = compileQuery(query);
    return ownData(this.#prepareStatement(sql).get(parameters));
  }

  /** The first row, which is there unless the program is wrong. */
  queryOne<Row>(query: Query<Row>): Row {
    const row = this.queryFirst(query);
    if (row === undefined) throw new Error('A row that must exist was not found.');
    return row;
  }

  /** Runs a statement that returns no rows, and gives back how many it changed. */
  runStatement(query: Query<unknown>): number {
    const { sql, parameters } = compileQuery(query);
    return this.#prepareStatement(sql).run(parameters).changes;
  }

  #prepareStatement(text: string): SqliteDatabase.Statement {
    const statement = this.#statements.get(text) ?? this.#sqlite.prepare(text);
    this.#statements.delete(text);
    this.#statements.set(text, statement);
    if (this.#statements.size > MAX_STATEMENTS) this.#statements.delete(this.#statements.keys().next().value ?? '');
    // A write outside a transaction could be half of a change.
    if (!statement.readonly && !this.#sqlite.inTransaction) throw new Error('A write ran outside a transaction.');
    return statement;
  }
}

/** The database within a transaction: what writers ask for, so that no call forgets one. */
export type Tx = Db & { readonly [WITHIN_TRANSACTION]: true };

declare const WITHIN_TRANSACTION: unique symbol;

/** Raw SQL brings no compiler of its own. */
export function compileQuery<Row>(query: Query<Row>): CompiledQuery<Row> {
  return query.compile(queryBuilder);
}

/** The public error for a database that could not be used for a reason that lies outside, else null. */
export function storageError(error: unknown): QuarryError | null {
  if (!isDiskFull(error)) return isStorageTrouble(error) ? storageUnavailable(error) : null;
  return new QuarryError('storage_full', 'The disk is full: free some space, then send the request again.', {
    cause: error,
    retryAfterSeconds: 60,
  });
}

/** The tables of the database. Each feature adds its own beside its queries (`declare module`). */
// biome-ignore lint/suspicious/noEmptyInterface: features add their tables.
export interface Database {}
