/**
 * A fleet on loopback: rounds in which a node, the broker or the control node is killed with SIGKILL, or a node is
 * frozen for longer than its lease, while jobs run; then jobs a second for one and more nodes whose work is a wait of a
 * second. No job may be lost or end twice. There is no peer. `QUARRY_ROUNDS` and `QUARRY_NODES` change the numbers.
 */
import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import Database from 'better-sqlite3';
import { readOwnerToken } from '../src-server/platform/files/data-folder.ts';
import { freePort, spawnWorker, TIMING } from '../test/harness/fleet.ts';
import { until } from '../test/harness/until.ts';
import { expectTarget, printTable } from './figures.ts';

const ROUNDS = Number(process.env.QUARRY_ROUNDS ?? 32);
const NODES = (process.env.QUARRY_NODES ?? '1,2,4').split(',').map(Number);
const JOBS_A_ROUND = 3;
const JOBS_A_NODE = 12;
const FAULTS = ['node killed', 'node frozen', 'broker killed', 'control killed'] as const;
const FROZEN_MS = TIMING.leaseMs * 1.5;
const READY = /^listening (\S+)\n/;

const folder = await mkdtemp(join(tmpdir(), 'quarry fleet bench '));
const dataDir = join(folder, 'data');

/** The control node as a process, so that it can be killed. */
function startControl() {
  const child = spawn(process.execPath, [join(import.meta.dirname, 'fleet-control.ts'), folder, dataDir], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const url = new Promise<string>((resolve, reject) => {
    let said = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      said += text;
      const found = READY.exec(said)?.[1];
      if (found !== undefined) resolve(found);
    });
    child.once('exit', () => reject(new Error('The control node ended.')));
  });
  url.catch(() => undefined);
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  return { child, url, ended };
}

let control = startControl();

async function call<Answer>(path: string, method = 'GET', body?: unknown): Promise<Answer> {
  const headers = { 'content-type': 'application/json', authorization: `Bearer ${readOwnerToken(dataDir)}` };
  const init = { method, headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }) };
  const answer = await fetch((await control.url) + path, init);
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${path}: ${answer.status} ${text}`);
  return (text === '' ? null : JSON.parse(text)) as Answer;
}

interface Fleet {
  nodes: { name: string; status: string; busy: number }[];
}

const workers = new Map<string, ReturnType<typeof spawnWorker>>();
let named = 0;

async function addWorkers(count: number): Promise<void> {
  for (let one = 0; one < count; one += 1) {
    named += 1;
    const name = `node-${named}`;
    const { join: address } = await call<{ join: string }>('/admin/fleet/nodes', 'POST', { name });
    workers.set(name, spawnWorker(folder, address, join(folder, name)));
  }
  await allOnline();
}

const allOnline = () =>
  until(async () => {
    const { nodes } = await call<Fleet>('/admin/fleet').catch(() => ({ nodes: [] }));
    return [...workers.keys()].every((name) => nodes.some((node) => node.name === name && node.status === 'online'));
  });

async function submit(label: string): Promise<string> {
  return (await call<{ jobId: string }>('/v1/test/far', 'POST', { label })).jobId;
}

const statusOf = async (jobId: string) =>
  (await call<{ status: string }>(`/v1/jobs/${jobId}`).catch(() => ({ status: 'away' }))).status;

const allDone = (jobs: readonly string[]) =>
  until(async () => (await Promise.all(jobs.map(statusOf))).every((status) => /completed|failed/.test(status)));

/** Ends that were counted, which a job that ended twice would raise twice. */
function ends(): { completed: number; failed: number } {
  const database = new Database(join(dataDir, 'production', 'quarry.db'), { readonly: true });
  const sql = 'select coalesce(sum(completed), 0) as completed, coalesce(sum(failed), 0) as failed from ended_jobs';
  const row = database.prepare(sql).get() as { completed: number; failed: number };
  database.close();
  return row;
}

async function fault(kind: (typeof FAULTS)[number]): Promise<void> {
  const [name = '', worker] = [...workers][0] ?? [];
  if (kind === 'node killed') {
    worker?.child.kill('SIGKILL');
    workers.delete(name);
    await addWorkers(1);
  } else if (kind === 'node frozen') {
    worker?.child.kill('SIGSTOP');
    await sleep(FROZEN_MS);
    worker?.child.kill('SIGCONT');
  } else if (kind === 'broker killed') {
    process.kill(Number(readFileSync(join(dataDir, 'fleet/broker.pid'), 'utf8')), 'SIGKILL');
  } else {
    control.child.kill('SIGKILL');
    await control.ended;
    control = startControl();
    await control.url;
  }
}

async function nodeOf(name: string): Promise<{ nodeId: string }> {
  const { nodes } = await call<{ nodes: { name: string; nodeId: string }[] }>('/admin/fleet');
  return nodes.find((node) => node.name === name) ?? { nodeId: '' };
}

function beginsOf(label: string): number {
  const path = join(folder, 'runs');
  const lines = existsSync(path) ? readFileSync(path, 'utf8').split('\n') : [];
  return lines.filter((line) => line.startsWith(`${label} `)).length;
}

/** Each job of a round takes two seconds, so that the fault meets some in the middle. */
async function round(number: number): Promise<{ kind: string; seconds: number; repeated: number }> {
  const kind = FAULTS[number % FAULTS.length] as (typeof FAULTS)[number];
  const labels = Array.from({ length: JOBS_A_ROUND }, (_, index) => `wait2000-${number}-${index}`);
  const jobs = await Promise.all(labels.map(submit));
  await until(() => labels.some((label) => beginsOf(label) > 0));
  const startedAt = performance.now();
  await fault(kind);
  await allDone(jobs);
  const repeated = labels.reduce((sum, label) => sum + beginsOf(label) - 1, 0);
  await allOnline();
  return { kind, seconds: (performance.now() - startedAt) / 1000, repeated };
}

async function throughput(count: number): Promise<number> {
  await addWorkers(count - workers.size);
  const startedAt = performance.now();
  const labels = Array.from({ length: JOBS_A_NODE * count }, (_, index) => `wait1000-n${count}-${index}`);
  await allDone(await Promise.all(labels.map(submit)));
  return labels.length / ((performance.now() - startedAt) / 1000);
}

try {
  await control.url;
  const ports = { port: await freePort(), brokerPort: await freePort() };
  await call('/admin/fleet', 'PATCH', { enabled: true, localSlots: 0, ...ports });
  await addWorkers(2);
  const before = ends();
  const rounds: Awaited<ReturnType<typeof round>>[] = [];
  for (let number = 0; number < ROUNDS; number += 1) {
    rounds.push(await round(number));
    process.stdout.write(`${number + 1}/${ROUNDS} ${rounds.at(-1)?.kind} ${rounds.at(-1)?.seconds.toFixed(1)} s\n`);
  }
  const after = ends();
  printTable(
    FAULTS.map((kind) => {
      const of = rounds.filter((one) => one.kind === kind);
      const most = Math.max(...of.map(({ seconds }) => seconds));
      const repeated = of.reduce((sum, one) => sum + one.repeated, 0);
      return {
        fault: kind,
        rounds: of.length,
        jobs: of.length * JOBS_A_ROUND,
        'runs repeated': repeated,
        'at most, s': most,
      };
    }),
  );
  const jobs = ROUNDS * JOBS_A_ROUND;
  const [completed, failed] = [after.completed - before.completed, after.failed - before.failed];
  expectTarget(
    `${jobs} jobs end once each: ${completed} completed, ${failed} failed`,
    completed === jobs && failed === 0,
  );
  const rows: { nodes: number; 'jobs a second': number }[] = [];
  for (const count of NODES) {
    if (count < workers.size) {
      for (const [name, { child, ended }] of [...workers].slice(count)) {
        const { nodeId } = await nodeOf(name);
        workers.delete(name);
        child.kill('SIGTERM');
        await ended;
        await call(`/admin/fleet/nodes/${nodeId}`, 'DELETE');
      }
    }
    rows.push({ nodes: count, 'jobs a second': await throughput(count) });
  }
  printTable(rows);
} finally {
  for (const { child } of workers.values()) child.kill('SIGKILL');
  control.child.kill('SIGTERM');
  await control.ended;
  await rm(folder, { recursive: true, force: true });
}
