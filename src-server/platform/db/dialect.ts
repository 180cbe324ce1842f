import type SqliteDatabase from 'better-sqlite3';
import {
  type DatabaseConnection,
  type DialectAdapter,
  type Driver,
  type QueryCompiler,
  SqliteAdapter,
  SqliteDialect,
  type SqliteDialectConfig,
  SqliteDriver,
} from 'kysely';
import { OneConnection } from './held-connection.ts';
import { SteadyQueryCompiler } from './statement-compiler.ts';

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
