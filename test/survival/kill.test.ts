import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import SqliteDatabase from 'better-sqlite3';
import { expect, test } from 'vitest';
import { type ApplianceProcess, startApplianceProcess } from '../harness/appliance-process.ts';
import { type MixedWork, startMixedWork } from '../harness/mixed-work.ts';
import { seededRandom } from '../harness/seeded-random.ts';
import { until } from '../harness/until.ts';

/**
 * The server is killed again and again while clients send jobs of every kind; afterwards its folder is compared with
 * what the clients were told. The seed is printed, and `QUARRY_SEED` runs the same one again. `npm run soak` is the long
 * one, with more kills and jobs.
 */
const KILLS = Number(process.env.QUARRY_KILLS ?? 8);
const JOBS = Number(process.env.QUARRY_JOBS ?? 32);
/**
 * The moments of the kills lie within this span after the start, which reaches from the boot into steady work: one is
 * drawn from each of as many equal parts, so that no stretch of it is left out, as some are by twice as many drawn from
 * the whole.
 */
const KILL_WITHIN_MS = 1500;
/** Bounds that end a test that would hang: on a slow machine each start takes seconds. */
const MINUTES_PER_KILL = 2;
const DRAIN_LIMIT_MS = 1_800_000;
const ENVIRONMENTS = ['production', 'staging'] as const;

test(`after ${KILLS} kills under load, all ${JOBS} jobs have completed exactly once and nothing is left over`, {
  timeout: KILLS * MINUTES_PER_KILL * 60_000 + DRAIN_LIMIT_MS,
}, async () => {
  const seed = Number(process.env.QUARRY_SEED ?? Math.floor(performance.timeOrigin) % 1_000_000);
  process.stdout.write(`QUARRY_SEED=${seed}\n`);
  const random = seededRandom(seed);
  await using server = await startApplianceProcess();
  await using work = await startMixedWork(server, JOBS, seededRandom(seed + 1));
  const share = JOBS / KILLS;

  for (const [kill, part] of shuffled(KILLS, random).entries()) {
    work.allow(Math.ceil(share * (kill + 1)));
    await sleep(((part + random()) / KILLS) * KILL_WITHIN_MS);
    // On a slow machine a start alone takes longer than that: without work there would be nothing to lose.
    if (kill % 2 === 1) {
      await until(() => work.accepted.size >= Math.floor(share * kill));
      await changeSetting(server);
    }
    await server.kill('SIGKILL');
    await server.restart();
  }
  await work.sent;
  await drained(server);
  await indexed(server.dataDir);
  const stopped = await server.kill('SIGTERM');

  expect(stopped.code).toBe(0);
  expect(work.refused).toEqual([]);
  expect(work.accepted.size).toBe(JOBS);
  const rows = ENVIRONMENTS.flatMap((name) => checkDatabase(join(server.dataDir, name)));
  checkAccepted(rows, work);
  checkPayments(server.dataDir, work);
  checkAudit(server.dataDir);
  for (const name of ENVIRONMENTS) {
    checkFolders(join(server.dataDir, name));
    checkIndex(join(server.dataDir, name));
  }
  process.stdout.write(`${KILLS} kills, ${rows.length} jobs: ${figures(rows)}.\n`);
});

/** The numbers below `count` in any order. */
function shuffled(count: number, random: () => number): number[] {
  const drawn = Array.from({ length: count }, (_, number) => ({ number, rank: random() }));
  return drawn.sort((one, other) => one.rank - other.rank).map(({ number }) => number);
}

/** A change whose answer came right before a kill. */
async function changeSetting(server: ApplianceProcess): Promise<void> {
  const headers = { 'content-type': 'application/json' };
  const body = JSON.stringify({ crawlDelayMs: 100 });
  expect((await server.owner('/admin/settings', { method: 'PATCH', headers, body })).status).toBe(200);
}

async function drained(server: ApplianceProcess): Promise<void> {
  await until(async () => {
    const overview = (await (await server.owner('/admin/overview')).json()) as {
      queues: { byStatus: { queued: number; processing: number } }[];
    };
    return overview.queues.every(({ byStatus }) => byStatus.queued + byStatus.processing === 0);
  }, DRAIN_LIMIT_MS);
}

/** Waits until the search index has all that is queued for it. */
async function indexed(dataDir: string): Promise<void> {
  const isDone = (name: string) => {
    const database = new SqliteDatabase(join(dataDir, name, 'quarry.db'), { readonly: true });
    const waiting = database.prepare('select count(*) from search_queue').pluck().get();
    database.close();
    return waiting === 0;
  };
  await until(() => ENVIRONMENTS.every(isDone), DRAIN_LIMIT_MS);
}

interface JobLine {
  id: string;
  operation_id: string;
  status: string;
  updated_at: number;
  crashes: number;
  attempts: number;
  error: string | null;
  payment_id: string | null;
}

function checkDatabase(folder: string): JobLine[] {
  const database = new SqliteDatabase(join(folder, 'quarry.db'), { readonly: true });
  try {
    expect(database.pragma('integrity_check', { simple: true })).toBe('ok');
    const rows = database.prepare('select * from jobs').all() as JobLine[];
    // Nothing is wrong with any of them, and all deaths came from outside: none may fail.
    expect(rows.filter(({ status }) => status !== 'completed')).toEqual([]);
    const results = database.prepare('select job_id from job_results order by job_id').pluck().all();
    expect(results).toEqual(rows.map(({ id }) => id).sort());
    expect(database.prepare('select count(*) from turns').pluck().get()).toBe(0);
    return rows;
  } finally {
    database.close();
  }
}

function checkAccepted(rows: readonly JobLine[], { accepted }: MixedWork): void {
  const byId = new Map(rows.map((row) => [row.id, row]));
  expect([...accepted.keys()].filter((id) => !byId.has(id))).toEqual([]);
  for (const [id, told] of accepted) {
    if (told.status !== 'completed' || told.updatedAt === undefined) continue;
    // A job that a client saw ended is the very same job afterwards: it did not end a second time.
    expect({ id, ...told }).toEqual({
      id,
      status: 'completed',
      updatedAt: new Date(byId.get(id)?.updated_at ?? 0).toISOString(),
    });
  }
}

/** Each proof bought the one job that its client was told of, and no job was made without one. */
function checkPayments(dataDir: string, { proofs }: MixedWork): void {
  const database = new SqliteDatabase(join(dataDir, 'production', 'quarry.db'), { readonly: true });
  const payments = database.prepare('select id, status, job_id from payments').all() as {
    id: string;
    status: string;
    job_id: string;
  }[];
  const jobs = database.prepare('select id, payment_id from jobs where payment_id is not null').all();
  database.close();
  expect(payments.filter(({ status }) => status !== 'settled')).toEqual([]);
  expect(payments.map((payment) => payment.job_id).sort()).toEqual([...proofs.values()].sort());
  expect(new Set(proofs.values()).size).toBe(proofs.size);
  expect(new Set(jobs)).toEqual(new Set(payments.map(({ id, job_id }) => ({ id: job_id, payment_id: id }))));
}

/** Each change that was answered is in the audit log. */
function checkAudit(dataDir: string): void {
  const database = new SqliteDatabase(join(dataDir, 'production', 'quarry.db'), { readonly: true });
  const changes = database.prepare("select count(*) from audit where target = 'crawlDelayMs'").pluck().get();
  database.close();
  expect(changes).toBe(Math.floor(KILLS / 2));
}

/** No file of an upload, no mark of an acceptance, and no folder of a job that does not exist. */
function checkFolders(root: string): void {
  expect(readdirSync(join(root, 'uploads'))).toEqual([]);
  const entries = readdirSync(join(root, 'jobs'), { withFileTypes: true });
  expect(entries.filter((entry) => !entry.isDirectory() || entry.name.length > 2).map(({ name }) => name)).toEqual([]);
  const database = new SqliteDatabase(join(root, 'quarry.db'), { readonly: true });
  const known = new Set(database.prepare('select id from jobs').pluck().all());
  database.close();
  const folders = entries.flatMap(({ name }) => readdirSync(join(root, 'jobs', name)));
  expect(folders.filter((jobId) => !known.has(jobId))).toEqual([]);
}

/** Each chunk of each result is in the search index once. */
function checkIndex(root: string): void {
  const main = new SqliteDatabase(join(root, 'quarry.db'), { readonly: true });
  const results = main.prepare('select job_id as jobId, body from job_results').all() as {
    jobId: string;
    body: string;
  }[];
  main.close();
  const expected = results.flatMap(({ jobId, body }) => chunkIdsOf(root, jobId, body).map((id) => `${jobId} ${id}`));
  const index = new SqliteDatabase(join(root, 'search.db'), { readonly: true });
  expect(index.pragma('integrity_check', { simple: true })).toBe('ok');
  const chunks = index.prepare("select job_id || ' ' || chunk_id from search_chunks").pluck().all() as string[];
  index.close();
  expect(chunks.sort()).toEqual(expected.sort());
}

function chunkIdsOf(root: string, jobId: string, body: string): string[] {
  const path = join(root, 'jobs', jobId.slice(4, 6).toLowerCase(), jobId, 'files/chunks.jsonl');
  const { chunks = [] } = JSON.parse(body) as { chunks?: { id: string }[] };
  if (!existsSync(path)) return chunks.map(({ id }) => id);
  const lines = readFileSync(path, 'utf8').trimEnd().split('\n');
  return lines.filter((line) => line !== '').map((line) => (JSON.parse(line) as { id: string }).id);
}

/** How many jobs were in work in so many deaths of the server. */
function figures(rows: readonly JobLine[]): string {
  const counts = new Map<number, number>();
  for (const { crashes } of rows) counts.set(crashes, (counts.get(crashes) ?? 0) + 1);
  const deaths = [...counts].sort(([one], [other]) => one - other).map(([crashes, count]) => `${count} × ${crashes}`);
  return `deaths while they ran ${deaths.join(', ')}`;
}
