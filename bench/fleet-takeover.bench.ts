/**
 * A standby takes over as `resources/reference/nodes.md` describes: the data folder is copied while jobs run, the
 * machine dies (control node and broker are killed), and Quarry starts on the copy. The nodes must find it, and each
 * job that the copy knows ends once there, with one webhook, and none for a job whose webhook was sent before the copy.
 * There is no peer. `QUARRY_ROUNDS` changes the number of rounds.
 */
import { spawnSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { until } from '../test/harness/until.ts';
import { expectTarget, printTable } from './figures.ts';
import { FleetBed } from './fleet-bed.ts';

const ROUNDS = Number(process.env.QUARRY_ROUNDS ?? 3);
const NODES = 3;
/** One ends before the copy, one between copy and death, others later; the last ones wait for a node. */
const WAITS_MS = [500, 4000, 15_000, 15_000, 1000, 1000];
const AFTER_COPY_MS = 3000;
/** A second webhook would follow within this time. */
const QUIET_MS = 5000;

/** Webhooks of the present round: job and, for those of the standby, true. */
const posts: { jobId: string; ofStandby: boolean }[] = [];
let isStandby = false;
const sink = createServer((request, response) => {
  const pieces: Buffer[] = [];
  request.on('data', (piece: Buffer) => pieces.push(piece));
  request.on('end', () => {
    const { jobId } = JSON.parse(Buffer.concat(pieces).toString()) as { jobId: string };
    posts.push({ jobId, ofStandby: isStandby });
    response.writeHead(204).end();
  });
});
await new Promise<void>((resolve) => sink.listen(0, '127.0.0.1', resolve));
const hook = `http://127.0.0.1:${(sink.address() as AddressInfo).port}/`;

/** As in `resources/docs/settings.md`. */
const COPY = `
mkdir -p backup/production backup/staging
for file in {production,staging}/{quarry,search}.db; do sqlite3 "$DATA/$file" "vacuum into 'backup/$file'"; done
tar -C "$DATA" --exclude='quarry.db*' --exclude='search.db*' --exclude='fleet/broker' -cf - . | tar -C backup -xf -
`;

interface Outcome {
  'until all nodes are back, s': number;
  'until all jobs end, s': number;
  'ended before the copy': number;
  'on the node that had it': number;
  'run again': number;
  'webhooks of the standby': number;
  'sent before too': number;
}

function checkWebhooks(jobs: readonly string[], sentBefore: readonly string[]) {
  const ofStandby = posts.filter((post) => post.ofStandby).map(({ jobId }) => jobId);
  const wanted = jobs.filter((jobId) => !sentBefore.includes(jobId));
  const isOnce = ofStandby.length === wanted.length && wanted.every((jobId) => ofStandby.includes(jobId));
  expectTarget(`${wanted.length} jobs that ended after the copy have one webhook of the standby each`, isOnce);
  const twice = posts.filter((post) => !post.ofStandby && ofStandby.includes(post.jobId));
  return { 'webhooks of the standby': ofStandby.length, 'sent before too': twice.length };
}

async function round(): Promise<Outcome> {
  const bed = await FleetBed.open();
  try {
    await bed.addWorkers(NODES);
    posts.length = 0;
    isStandby = false;
    const labels = WAITS_MS.map((wait, index) => `wait${wait}-${index}`);
    const jobs: string[] = [];
    for (const label of labels) jobs.push(await bed.submit(label, hook));
    await bed.allDone(jobs.slice(0, 1));
    await until(() => bed.begins(labels[2] as string).length > 0);
    await until(() => posts.length > 0);
    // Its record of the delivery follows the answer.
    await sleep(500);
    const sentBefore = posts.map(({ jobId }) => jobId);
    const folder = join(bed.folder, 'standby');
    mkdirSync(folder);
    const env = { ...process.env, DATA: bed.dataDir };
    const copied = spawnSync('bash', ['-euo', 'pipefail', '-c', COPY], { cwd: folder, env, encoding: 'utf8' });
    if (copied.status !== 0) throw new Error(copied.stderr);
    const later = await bed.submit('wait500-later');
    await sleep(AFTER_COPY_MS);
    const begunBefore = labels.map((label) => bed.begins(label).length);
    process.kill(bed.control.child.pid as number, 'SIGKILL');
    process.kill(bed.brokerPid(), 'SIGKILL');
    await bed.control.ended;
    isStandby = true;
    bed.dataDir = join(folder, 'backup');
    const endsInCopy = bed.ends().completed;
    const startedAt = performance.now();
    await bed.startControl();
    await bed.allJoined();
    const joined = performance.now();
    await bed.allDone(jobs);
    await bed.allOnline();
    const done = performance.now();
    await sleep(QUIET_MS);
    const { completed, failed } = bed.ends();
    expectTarget(
      `${jobs.length} jobs: ${completed} completed, ${failed} failed`,
      completed === jobs.length && failed === 0,
    );
    const lost = await bed.call(`/v1/jobs/${later}`).then(
      () => false,
      (error: Error) => error.message.includes('404'),
    );
    expectTarget('the job that was accepted after the copy is not there', lost);
    const again = labels.filter((label, index) => bed.begins(label).length > Math.max(1, begunBefore[index] ?? 0));
    return {
      'until all nodes are back, s': (joined - startedAt) / 1000,
      'until all jobs end, s': (done - startedAt) / 1000,
      'ended before the copy': endsInCopy,
      'on the node that had it': labels.length - endsInCopy - again.length,
      'run again': again.length,
      ...checkWebhooks(jobs, sentBefore),
    };
  } finally {
    await bed.close();
  }
}

const outcomes: Outcome[] = [];
for (let number = 0; number < ROUNDS; number += 1) outcomes.push(await round());
sink.close();
printTable(outcomes.map((outcome) => ({ ...outcome })));
