import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import SqliteDatabase from 'better-sqlite3';
import { expect, test } from 'vitest';
import { type ApplianceProcess, startApplianceProcess } from '../harness/appliance-process.ts';
import { wordDocument } from '../harness/documents.ts';
import { fileForm } from '../harness/jobs.ts';
import { seededRandom } from '../harness/seeded-random.ts';
import { until } from '../harness/until.ts';

/**
 * The server is killed again and again while clients send documents; afterwards its folder is held against what the
 * clients were told. The seed is printed, and `QUARRY_SEED` runs the same one again.
 */
const KILLS = 15;
const CLIENTS = 3;
/**
 * The moments of the kills lie within this span after the start, which reaches from the boot into steady work: one is
 * drawn from each of as many equal parts, so that no stretch of it is left out, as some are by twice as many drawn from
 * the whole.
 */
const KILL_WITHIN_MS = 500;
/** Ends a test that would hang: fifteen starts take minutes where each takes seconds. */
const TEST_LIMIT_MS = 1_200_000;
const DRAIN_LIMIT_MS = 600_000;
const PAUSE_MS = 100;
const PARAGRAPHS_MAX = 40;

interface Seen {
  /** Every job that a 202 named. */
  accepted: Map<string, { status: string; updatedAt: string | undefined }>;
  /** Answers other than 202. */
  refused: string[];
}

test(`after ${KILLS} kills under load, every accepted job has ended exactly once and nothing is left over`, {
  timeout: TEST_LIMIT_MS,
}, async () => {
  const seed = Number(process.env.QUARRY_SEED ?? Math.floor(performance.timeOrigin) % 1_000_000);
  process.stdout.write(`QUARRY_SEED=${seed}\n`);
  const random = seededRandom(seed);
  await using server = await startApplianceProcess();
  const seen: Seen = { accepted: new Map(), refused: [] };
  const over = new AbortController();
  const clients = Array.from({ length: CLIENTS }, (_, n) =>
    sendDocuments(server, seen, seededRandom(seed + n + 1), over.signal),
  );

  for (const [kill, part] of shuffled(KILLS, random).entries()) {
    await pause(((part + random()) / KILLS) * KILL_WITHIN_MS);
    // On a slow machine a start alone takes longer than that: without work there would be nothing to lose.
    if (kill % 2 === 1) await until(() => seen.accepted.size > kill);
    await server.kill('SIGKILL');
    await server.restart();
  }
  // After the last start too there is time for what was meant to be sent.
  await until(() => seen.accepted.size >= KILLS);
  over.abort();
  await Promise.all(clients);
  await drained(server);
  const stopped = await server.kill('SIGTERM');

  expect(stopped.code).toBe(0);
  expect(seen.refused).toEqual([]);
  expect(seen.accepted.size).toBeGreaterThanOrEqual(KILLS);
  checkDatabase(server.dataDir, seen);
  checkFolders(server.dataDir);
});

/** The numbers below `count` in any order. */
function shuffled(count: number, random: () => number): number[] {
  const drawn = Array.from({ length: count }, (_, number) => ({ number, rank: random() }));
  return drawn.sort((one, other) => one.rank - other.rank).map(({ number }) => number);
}

/** Sends documents one after another, and notes what it is told; a connection that breaks is no answer. */
async function sendDocuments(server: ApplianceProcess, seen: Seen, random: () => number, over: AbortSignal) {
  while (!over.aborted) {
    const paragraphs = Array.from(
      { length: 1 + Math.floor(random() * PARAGRAPHS_MAX) },
      (_, n) => `Paragraph ${n} of a document.`,
    );
    const headers = { prefer: random() < 0.5 ? 'wait=0' : 'wait=5' };
    try {
      const body = fileForm(wordDocument(paragraphs), 'a.docx');
      const answer = await server.owner('/v1/extract/doc', { method: 'POST', body, headers });
      if (answer.status !== 202) seen.refused.push(`${answer.status} ${await answer.text()}`);
      const job = (await answer.json()) as { jobId: string; status: string; updatedAt?: string };
      seen.accepted.set(job.jobId, { status: job.status, updatedAt: job.updatedAt });
    } catch (error) {
      if (!(error instanceof TypeError)) throw error;
      await pause(random() * PAUSE_MS);
    }
  }
}

async function drained(server: ApplianceProcess): Promise<void> {
  await until(async () => {
    const overview = (await (await server.owner('/admin/overview')).json()) as {
      queues: { byStatus: { queued: number; processing: number } }[];
    };
    return overview.queues.every(({ byStatus }) => byStatus.queued + byStatus.processing === 0);
  }, DRAIN_LIMIT_MS);
}

function checkDatabase(dataDir: string, seen: Seen): void {
  const database = new SqliteDatabase(join(dataDir, 'production', 'quarry.db'), { readonly: true });
  try {
    expect(database.pragma('integrity_check', { simple: true })).toBe('ok');
    const rows = database.prepare('select id, status, updated_at, attempts, error from jobs').all() as JobLine[];
    const byId = new Map(rows.map((row) => [row.id, row]));
    expect([...seen.accepted.keys()].filter((id) => !byId.has(id))).toEqual([]);
    expect(rows.filter(({ status }) => status !== 'completed' && status !== 'failed')).toEqual([]);
    for (const [id, told] of seen.accepted) {
      if (told.status !== 'completed' && told.status !== 'failed') continue;
      // A job that a client saw ended is the very same job afterwards: it did not end a second time.
      const row = byId.get(id) as JobLine;
      expect({ id, ...told }).toEqual({ id, status: row.status, updatedAt: new Date(row.updated_at).toISOString() });
    }
    const results = database.prepare('select job_id from job_results order by job_id').pluck().all();
    const completed = rows.filter(({ status }) => status === 'completed').map(({ id }) => id);
    expect(results).toEqual(completed.sort());
    // Nothing is wrong with any of the documents, so only having been in work in several kills can fail one.
    const codes = rows.filter(({ status }) => status === 'failed').map(({ error }) => JSON.parse(error ?? '{}').code);
    expect(codes.filter((code) => code !== 'engine_failed' && code !== 'interrupted')).toEqual([]);
    expect(completed.length).toBeGreaterThan(0);
    expect(database.prepare('select count(*) from turns').pluck().get()).toBe(0);
  } finally {
    database.close();
  }
}

interface JobLine {
  id: string;
  status: string;
  updated_at: number;
  error: string | null;
}

/** No file of an upload, no mark of an acceptance, and no folder of a job that does not exist. */
function checkFolders(dataDir: string): void {
  const root = join(dataDir, 'production');
  expect(readdirSync(join(root, 'uploads'))).toEqual([]);
  const entries = readdirSync(join(root, 'jobs'), { withFileTypes: true });
  expect(entries.filter((entry) => !entry.isDirectory() || entry.name.length > 2).map(({ name }) => name)).toEqual([]);
  const database = new SqliteDatabase(join(root, 'quarry.db'), { readonly: true });
  const known = new Set(database.prepare('select id from jobs').pluck().all());
  database.close();
  const folders = entries.flatMap(({ name }) => readdirSync(join(root, 'jobs', name)));
  expect(folders.filter((jobId) => !known.has(jobId))).toEqual([]);
}

function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}
