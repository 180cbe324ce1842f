import type SqliteDatabase from 'better-sqlite3';
import {
  type DatabaseConnection,
  type Driver,
  type QueryCompiler,
  SqliteDialect,
  type SqliteDialectConfig,
  SqliteDriver,
} from 'kysely';
import { SteadyQueryCompiler } from './statement-compiler.ts';

/**
 * Kysely's dialect, except that it asks before it rolls back. SQLite ends a transaction by itself when the disk is
 * full; rolling back what is over then fails, and that failure would stand in for the reason.
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

  override createQueryCompiler(): QueryCompiler {
    return new SteadyQueryCompiler();
  }

  override createDriver(): Driver {
    return new CarefulSqliteDriver(this.#config, this.#sqlite);
  }
}

class CarefulSqliteDriver extends SqliteDriver {
  readonly #sqlite: SqliteDatabase.Database;

  constructor(config: SqliteDialectConfig, sqlite: SqliteDatabase.Database) {
    super(config);
    this.#sqlite = sqlite;
  }

  override async rollbackTransaction(connection: DatabaseConnection): Promise<void> {
    if (this.#sqlite.inTransaction) await super.rollbackTransaction(connection);
  }
}
