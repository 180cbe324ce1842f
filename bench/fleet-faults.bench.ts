/**
 * Rounds of faults in a fleet on loopback: a node, the broker or the control node is killed with SIGKILL, or frozen
 * with SIGSTOP for longer than the lease, while jobs run. Every job must end once, with one webhook, from its
 * checkpoint where it runs again; what was lost with a node begins again within the lease and 5 s. There is no peer.
 * `QUARRY_ROUNDS` is the number of rounds of each fault, `QUARRY_PARTS` a list of `node`, `broker` and `control`.
 */
import { existsSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { until } from '../test/harness/until.ts';
import { expectTarget, median, printTable } from './figures.ts';
import { BENCH_TIMING, FleetBed } from './fleet-bed.ts';

const ROUNDS = Number(process.env.QUARRY_ROUNDS ?? 5);
const PARTS = (process.env.QUARRY_PARTS ?? 'node,broker,control').split(',');
const NODES = 3;
/** One ends before the fault is over, one meanwhile or afterwards, and one long after. */
const WAITS_MS = [1500, 3000, 6000];
const FROZEN_MS = BENCH_TIMING.leaseMs * 1.5;
const RESTART_MAX_MS = BENCH_TIMING.leaseMs + 5000;
/** A second webhook would follow within this time. */
const QUIET_MS = 5000;

interface Round {
  fault: string;
  seconds: number;
  /** Runs that began again. */
  repeated: number;
  /** From the fault to the begin of the next run of a job that was lost with its node. */
  restartMs: number[];
  problems: string[];
}

const posts = new Map<string, string[]>();
const sink = createServer((request, response) => {
  const pieces: Buffer[] = [];
  request.on('data', (piece: Buffer) => pieces.push(piece));
  request.on('end', () => {
    const { jobId } = JSON.parse(Buffer.concat(pieces).toString()) as { jobId: string };
    posts.set(jobId, [...(posts.get(jobId) ?? []), String(request.headers['webhook-id'])]);
    response.writeHead(204).end();
  });
});
await new Promise<void>((resolve) => sink.listen(0, '127.0.0.1', resolve));
const hook = `http://127.0.0.1:${(sink.address() as AddressInfo).port}/`;

const bed = await FleetBed.open();

/** Resolves when the part is as it was. @param victim name of a node that runs a job */
async function inflict(part: string, how: 'killed' | 'frozen', victim: string): Promise<() => Promise<void>> {
  const { child } = part === 'control' ? bed.control : (bed.workers.get(victim) ?? bed.control);
  const pid = part === 'broker' ? bed.brokerPid() : (child.pid as number);
  if (how === 'frozen') {
    process.kill(pid, 'SIGSTOP');
    await sleep(FROZEN_MS);
    process.kill(pid, 'SIGCONT');
    return async () => undefined;
  }
  const { ended } = part === 'control' ? bed.control : (bed.workers.get(victim) ?? bed.control);
  process.kill(pid, 'SIGKILL');
  if (part === 'broker') return async () => undefined;
  await ended;
  if (part === 'node') return async () => bed.startWorker(victim);
  await bed.startControl();
  return async () => undefined;
}

async function round(number: number, part: string, how: 'killed' | 'frozen'): Promise<Round> {
  const labels = WAITS_MS.map((wait) => `wait${wait}-${part}-${how}-${number}`);
  const jobs = await Promise.all(labels.map((label) => bed.submit(label, hook)));
  const pairs = labels.map((label, index) => ({ label, jobId: jobs[index] as string }));
  await until(() => pairs.some(({ jobId }) => existsSync(bed.checkpointOf(jobId))));
  const kept = new Set(pairs.filter(({ jobId }) => existsSync(bed.checkpointOf(jobId))).map(({ jobId }) => jobId));
  const begunBefore = new Map(pairs.map(({ label }) => [label, bed.begins(label).at(-1)?.pid]));
  // In turn the node of each job whose checkpoint is here.
  const chosen = pairs.filter(({ jobId }) => kept.has(jobId));
  const pid = begunBefore.get(chosen[number % chosen.length]?.label ?? '');
  const victim = [...bed.workers].find(([, { child }]) => child.pid === pid)?.[0] ?? '';
  const startedAt = Date.now();
  const restore = await inflict(part, how, victim);
  // Every second node comes back at once, the others when all is over.
  if (number % 2 === 0) await restore();
  await bed.allDone(jobs);
  if (number % 2 === 1) await restore();
  await bed.allOnline();
  const problems: string[] = [];
  const restartMs: number[] = [];
  let repeated = 0;
  for (const { label, jobId } of pairs) {
    await until(() => posts.has(jobId));
    const job = await bed.call<{ status: string; result: { began: string } | null }>(`/v1/jobs/${jobId}`);
    const begins = bed.begins(label);
    repeated += begins.length - 1;
    const isLost = part === 'node' && begunBefore.get(label) === pid && begins.length > 1;
    if (isLost) restartMs.push((begins[1]?.at ?? 0) - startedAt);
    if (job.status !== 'completed') problems.push(`${label}: ${JSON.stringify(job)}`);
    const isFromCheckpoint = job.result?.began === String(begins[0]?.pid);
    if (kept.has(jobId) && !isFromCheckpoint) problems.push(`${label} ran again without its checkpoint`);
  }
  if (restartMs.some((ms) => ms > RESTART_MAX_MS)) problems.push(`restarted after ${restartMs} ms`);
  return { fault: `${part} ${how}`, seconds: (Date.now() - startedAt) / 1000, repeated, restartMs, problems };
}

try {
  await bed.addWorkers(NODES);
  const rounds: Round[] = [];
  for (let number = 0; number < ROUNDS; number += 1) {
    for (const part of PARTS) {
      for (const how of ['killed', 'frozen'] as const) {
        const done = await round(number, part, how);
        rounds.push(done);
        const said = [`${number + 1}/${ROUNDS} ${done.fault} ${done.seconds.toFixed(1)} s`, `again ${done.repeated}`];
        process.stdout.write(`${[...said, `restart ${done.restartMs.join()}`, ...done.problems].join(', ')}\n`);
      }
    }
  }
  await sleep(QUIET_MS);
  printTable(
    [...new Set(rounds.map(({ fault }) => fault))].map((fault) => {
      const of = rounds.filter((one) => one.fault === fault);
      const restarts = of.flatMap(({ restartMs }) => restartMs);
      return {
        fault,
        rounds: of.length,
        jobs: of.length * WAITS_MS.length,
        'run again': of.reduce((sum, one) => sum + one.repeated, 0),
        'restart median, s': restarts.length === 0 ? '' : median(restarts) / 1000,
        'restart at most, s': restarts.length === 0 ? '' : Math.max(...restarts) / 1000,
        'all well median, s': median(of.map(({ seconds }) => seconds)),
        'at most, s': Math.max(...of.map(({ seconds }) => seconds)),
      };
    }),
  );
  const jobs = rounds.length * WAITS_MS.length;
  const { completed, failed } = bed.ends();
  const ended = `${jobs} jobs end once each: ${completed} completed, ${failed} failed`;
  expectTarget(ended, completed === jobs && failed === 0);
  const webhooks = [...posts.values()];
  const distinct = webhooks.map((ids) => new Set(ids).size);
  const sent = webhooks.flat().length;
  const isOnce = webhooks.length === jobs && distinct.every((count) => count === 1);
  expectTarget(`${jobs} jobs have one webhook each; ${sent - jobs} sent again under its id`, isOnce);
  const problems = rounds.flatMap((one) => one.problems);
  expectTarget(`${problems.length} problems: ${problems.join('; ')}`, problems.length === 0);
} finally {
  await bed.close();
  sink.closeAllConnections();
  sink.close();
}
