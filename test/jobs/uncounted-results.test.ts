/** Results of versions that kept no account of their sources say so, and keep their bytes. */
import SqliteDatabase from 'better-sqlite3';
import { Kysely, SqliteDialect } from 'kysely';
import { expect, test } from 'vitest';
import { MIGRATIONS } from '../../src-server/features.ts';

test('only results of sources get the member, at their end', async () => {
  const sqlite = new SqliteDatabase(':memory:');
  sqlite.exec('create table jobs (id text, operation_id text); create table job_results (job_id text, body text)');
  const rows = [
    ['old', 'extract/doc', '{"chunks":[],"document":{"account":"Müller 🛢"},"warnings":[]}'],
    ['new', 'crawl', '{"pages":[],"account":{"unit":"addresses"}}'],
    ['known', 'extract/video', '{"chunks":[],"account":{"unit":"seconds"}}'],
    ['text', 'generate/text', '{"content":"x"}'],
    ['torn', 'extract/pdf', '{"chunks":['],
  ] as const;
  for (const [id, operation, body] of rows) {
    sqlite.prepare('insert into jobs values (?, ?)').run(id, operation);
    sqlite.prepare('insert into job_results values (?, ?)').run(id, body);
  }
  const db = new Kysely<never>({ dialect: new SqliteDialect({ database: sqlite }) });
  await MIGRATIONS['050-uncounted-results']?.up(db);
  const after = sqlite.prepare('select body from job_results').pluck().all();
  const [old, ...others] = rows.map(([, , body]) => body);
  expect(after).toEqual([`${old?.slice(0, -1)},"account":null}`, ...others]);
});
