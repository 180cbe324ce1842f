import type SqliteDatabase from 'better-sqlite3';

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
