import SqliteDatabase from 'better-sqlite3';
import { Kysely, SqliteDialect } from 'kysely';
import { expect, test } from 'vitest';
import { claimNext } from '../../src-server/jobs/claim.ts';
import {
  countByStatus,
  dueJobs,
  expiredJobs,
  forgottenJobs,
  jobById,
  listJobs,
  resultOf,
  reusableJob,
} from '../../src-server/storage/jobs-reader.ts';
import { renewLeases } from '../../src-server/storage/jobs-writer.ts';
import type { Database, Db } from '../../src-server/storage/schema.ts';
import { queueJob, temporaryStorage } from '../harness/queue.ts';

/** Every statement the queue and the lists run, with the plan SQLite makes for it. */
async function plansOf(work: (db: Db) => Promise<unknown>): Promise<{ sql: string; plan: string[] }[]> {
  await using database = await temporaryStorage();
  for (let n = 0; n < 3; n++) await queueJob(database.storage, { accountId: `a${n}`, priority: n });
  const sqlite = new SqliteDatabase(database.path);
  const statements: { sql: string; parameters: readonly unknown[] }[] = [];
  const db = new Kysely<Database>({
    dialect: new SqliteDialect({ database: sqlite }),
    log: ({ query }) => {
      statements.push({ sql: query.sql, parameters: query.parameters });
    },
  });
  await work(db);
  const plans = statements
    .filter(({ sql }) => /^(select|update|delete)/.test(sql))
    .map(({ sql, parameters }) => ({
      sql,
      plan: (sqlite.prepare(`explain query plan ${sql}`).all(...parameters) as { detail: string }[]).map(
        ({ detail }) => detail,
      ),
    }));
  await db.destroy();
  return plans;
}

function expectSeeks(plans: { sql: string; plan: string[] }[]): void {
  expect(plans.length).toBeGreaterThan(0);
  for (const { sql, plan } of plans) {
    const scans = plan.filter(
      (line) => /^SCAN (?!CONSTANT|some)/.test(line) && !/USING (COVERING )?INDEX|rowid/i.test(line),
    );
    expect(scans, sql).toEqual([]);
    const sorts = plan.filter((line) => line.includes('TEMP B-TREE'));
    expect(sorts, sql).toEqual([]);
  }
}

test('a claim seeks in indexes and sorts nothing, so that its cost is logarithmic in the number of jobs', async () => {
  const plans = await plansOf((db) =>
    claimNext(
      { db, transaction: (work) => db.transaction().execute(work), lend: (work) => work(), close: async () => {} },
      'light',
      () => 10,
      { owner: 'run_plan', expiresAt: 1 },
      2_000_000,
    ),
  );
  expect(plans.some(({ sql }) => sql.includes('"turns"'))).toBe(true);
  expectSeeks(plans);
});

test('reading, listing, expiring and renewing seek in indexes', async () => {
  const plans = await plansOf(async (db) => {
    await jobById(db, 'job_x');
    await resultOf(db, 'job_x');
    await reusableJob(db, 'key', 1);
    await listJobs(db, {}, null, 10);
    await listJobs(db, {}, 5, 10);
    await listJobs(db, { accountId: 'a1' }, 5, 10);
    await listJobs(db, { accountId: 'a1', status: 'queued' }, null, 10);
    await listJobs(db, { status: 'failed' }, 5, 10);
    await listJobs(db, { operationId: 'extract/doc' }, 5, 10);
    await dueJobs(db, 1, 10);
    await expiredJobs(db, 1, 10);
    await forgottenJobs(db, 1, 10);
    await countByStatus(db, 100);
    await db.transaction().execute((tx) => renewLeases(tx, 'run_x', 1));
  });
  expectSeeks(plans.filter(({ sql }) => sql !== PAGE_OF_ALL));
  const all = plans.find(({ sql }) => sql === PAGE_OF_ALL);
  // Newest first over everything walks the table's own key from its end and stops after a page.
  expect(all?.plan).toEqual(['SCAN jobs']);
});

const PAGE_OF_ALL = 'select * from "jobs" where "purged_at" is null order by "seq" desc limit ?';
