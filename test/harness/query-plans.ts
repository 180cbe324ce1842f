import SqliteDatabase from 'better-sqlite3';
import { compileQuery, Db, type Query, type Storage, storageOn } from '../../src-server/platform/db/database.ts';

export interface PlannedStatement {
  sql: string;
  plan: string[];
}

/** A connection that notes each query it runs. */
export class ObservedDb extends Db {
  readonly #onQuery: (sql: string) => void;

  constructor(sqlite: SqliteDatabase.Database, onQuery: (sql: string) => void) {
    super(sqlite);
    this.#onQuery = onQuery;
  }

  override queryAll<Row>(query: Query<Row>): Row[] {
    this.#onQuery(compileQuery(query).sql);
    return super.queryAll(query);
  }

  override queryFirst<Row>(query: Query<Row>): Row | undefined {
    this.#onQuery(compileQuery(query).sql);
    return super.queryFirst(query);
  }

  override runStatement(query: Query<unknown>): number {
    this.#onQuery(compileQuery(query).sql);
    return super.runStatement(query);
  }
}

/** Each statement that `work` runs on the database at `path` and that matches, with the plan SQLite makes for it. */
export function plansOf(path: string, matching: RegExp, work: (storage: Storage) => unknown): PlannedStatement[] {
  const sqlite = new SqliteDatabase(path);
  const texts: string[] = [];
  try {
    work(storageOn(sqlite, new ObservedDb(sqlite, (sql) => void texts.push(sql))));
    return texts.filter((sql) => matching.test(sql)).map((sql) => ({ sql, plan: planOf(sqlite, sql) }));
  } finally {
    sqlite.close();
  }
}

/** No plan depends on a value, so nulls are bound. */
function planOf(sqlite: SqliteDatabase.Database, text: string): string[] {
  const values = text.match(/\?/g)?.map(() => null) ?? [];
  const lines = sqlite.prepare(`explain query plan ${text}`).all(...values) as { detail: string }[];
  return lines.map(({ detail }) => detail);
}
