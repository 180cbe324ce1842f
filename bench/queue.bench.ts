/**
 * What the queue's questions cost with a million jobs in the database, beside a thousand: each is a seek in an index,
 * so the cost grows with the logarithm. The plan of every statement is printed.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import SqliteDatabase from 'better-sqlite3';
import { claimNext } from '../src-server/features/jobs/queue.ts';
import { expiredJobs, jobById, listJobs } from '../src-server/features/jobs/store.ts';
import { completeJobRow } from '../src-server/features/jobs/transition.ts';
import { MIGRATIONS } from '../src-server/features.ts';
import { openStorage, type Storage } from '../src-server/platform/db/database.ts';
import { newId } from '../src-server/platform/ids.ts';
import { plansOf } from '../test/harness/query-plans.ts';
import { expectTarget, percentile, printTable } from './figures.ts';

const SIZES = [1000, 1_000_000];
const SAMPLES = 400;
const ACCOUNTS = 50;
/** One job in so many waits, one is due to expire; the others have ended. */
const QUEUED_EVERY = 2;
const NOW = 10_000_000_000;
const RATIO_MAX = 5;
const PAGE = 50;

/** Rows are written as the table has them, in one transaction: a million accepts would take an hour. */
function fill(path: string, rows: number): string[] {
  const database = new SqliteDatabase(path);
  const insert = database.prepare(`
    insert into jobs (id, account_id, operation_id, status, priority, queue_class, request, events, attempts, crashes, ready,
      progress_percent, progress_stage, progress_message, revision, created_at, updated_at, expires_at)
    values (?, ?, 'extract/doc', ?, ?, 'light', '{}', '[]', 0, 0, ?, 0, 'queued', 'Waiting.', 1, ?, ?, ?)`);
  const ids: string[] = [];
  database.exec('begin');
  for (let n = 0; n < rows; n++) {
    const queued = n % QUEUED_EVERY === 0;
    const id = newId('job');
    if (n % (rows / 1000) === 0) ids.push(id);
    insert.run(
      id,
      `ip:${n % ACCOUNTS}`,
      queued ? 'queued' : 'completed',
      n % 3,
      queued ? 1 : 0,
      n,
      n,
      queued ? null : NOW + n - rows / 2,
    );
  }
  database.exec(
    `insert into turns select 'light', account_id, min(seq) from jobs where status = 'queued' group by account_id`,
  );
  database.exec('commit');
  database.close();
  return ids;
}

function sample(work: () => unknown): number[] {
  const samples: number[] = [];
  for (let n = 0; n < SAMPLES; n++) {
    const startedAt = performance.now();
    work();
    samples.push(performance.now() - startedAt);
  }
  return samples;
}

function questions(storage: Storage, ids: string[]): Record<string, () => unknown> {
  let turn = 0;
  const lease = { owner: 'run_bench', expiresAt: NOW };
  return {
    claim: () => {
      const job = claimNext(storage, 'light', () => 10, lease, NOW);
      if (!job) throw new Error('There was nothing to claim.');
      // Ended at once, so that no account reaches its limit.
      storage.transaction((tx) =>
        completeJobRow(
          tx,
          job,
          { body: '{}', chunksBytes: null },
          { now: NOW, onTerminal: () => {}, retentionMs: NOW },
        ),
      );
    },
    get: () => jobById(storage.db, ids[turn++ % ids.length] ?? ''),
    'list of an account': () => listJobs(storage.db, { accountId: `ip:${turn++ % ACCOUNTS}` }, null, PAGE),
    'list by status': () => listJobs(storage.db, { status: 'completed' }, null, PAGE),
    expire: () => expiredJobs(storage.db, NOW, PAGE),
  };
}

async function measure(path: string, rows: number): Promise<Record<string, number[]>> {
  (await openStorage(path, { migrations: MIGRATIONS })).close();
  const ids = fill(path, rows);
  const storage = await openStorage(path, { migrations: MIGRATIONS });
  const found: Record<string, number[]> = {};
  for (const [name, ask] of Object.entries(questions(storage, ids))) {
    ask();
    found[name] = sample(ask);
  }
  storage.close();
  return found;
}

function printPlans(path: string): void {
  const plans = plansOf(path, /^(select|update|delete)/, (storage) => {
    for (const ask of Object.values(questions(storage, ['job_x']))) ask();
  });
  for (const { sql, plan } of plans) process.stdout.write(`${sql.slice(0, 110)}\n    ${plan.join('; ')}\n`);
}

const folder = mkdtempSync(join(tmpdir(), 'quarry bench '));
try {
  const [few = 0, many = 0] = SIZES;
  const small = await measure(join(folder, 'few.db'), few);
  const large = await measure(join(folder, 'many.db'), many);
  printPlans(join(folder, 'many.db'));
  const ratios: [string, number][] = [];
  printTable(
    Object.keys(small).map((name) => {
      const [a, b] = [small[name] ?? [], large[name] ?? []];
      const ratio = percentile(b, 0.5) / percentile(a, 0.5);
      ratios.push([name, ratio]);
      return {
        question: name,
        [`p50 ms at ${few}`]: percentile(a, 0.5),
        [`p50 ms at ${many}`]: percentile(b, 0.5),
        ratio,
        [`p99 ms at ${few}`]: percentile(a, 0.99),
        [`p99 ms at ${many}`]: percentile(b, 0.99),
      };
    }),
  );
  for (const [name, ratio] of ratios)
    expectTarget(`${name}: at most ${RATIO_MAX} times as slow with ${many / few} times the jobs`, ratio <= RATIO_MAX);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
