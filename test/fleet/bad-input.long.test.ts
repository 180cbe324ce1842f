import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { DiscardPolicy, type JetStreamManager, jetstreamManager } from '@nats-io/jetstream';
import { connect, nkeyAuthenticator } from '@nats-io/transport-node';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { SAY_STREAM, WORK_STREAM } from '../../src-server/features/fleet/messages.ts';
import { brokerMissing, type FleetBed, spawnWorker, startFleet, TIMING, type Worker } from '../harness/fleet.ts';
import { finished } from '../harness/jobs.ts';
import { until } from '../harness/until.ts';

const missing = brokerMissing();

const HOUR_MS = 3_600_000;

describe.skipIf(missing !== null)(`a fleet with bad parts${missing === null ? '' : ` (skipped: ${missing})`}`, () => {
  let bed: FleetBed;
  let ahead: Worker;
  let behind: Worker;
  beforeAll(async () => {
    bed = await startFleet();
    ahead = await bed.worker('ahead', { skewMs: HOUR_MS });
    behind = await bed.worker('behind', { skewMs: -HOUR_MS });
  });
  afterAll(() => bed[Symbol.asyncDispose]());

  const done = (jobId: string) => finished(bed.appliance.owner, jobId);
  const messageOf = async (jobId: string) => (await bed.job(jobId)).progress.message;
  const statusOf = async (name: string) => (await bed.fleet()).nodes.find((node) => node.name === name)?.status;

  /** Changes the broker as its owner could. */
  async function withBroker(change: (manager: JetStreamManager) => Promise<unknown>): Promise<void> {
    const read = (name: string) => readFileSync(join(bed.appliance.dataDir, 'fleet', name), 'utf8');
    const { certificate } = JSON.parse(read('certificate')) as { certificate: string };
    const connection = await connect({
      servers: `127.0.0.1:${(await bed.fleet()).choices.brokerPort}`,
      authenticator: nkeyAuthenticator(new TextEncoder().encode(read('control-key').trim())),
      tls: { ca: certificate, checkServerIdentity: () => undefined } as object,
    });
    await change(await jetstreamManager(connection));
    await connection.close();
  }

  const limit = (stream: string, bytes: number) =>
    withBroker((manager) => manager.streams.update(stream, { max_bytes: bytes, discard: DiscardPolicy.New }));

  test('nodes whose clocks are an hour wrong keep their jobs for longer than a lease', async () => {
    const labels = ['one', 'two'].map((name) => `wait${TIMING.leaseMs * 1.5}-${name}`);
    const jobs = await Promise.all(labels.map((label) => bed.submit(label)));
    for (const jobId of jobs) expect(await done(jobId)).toMatchObject({ status: 'completed' });
    const pids = labels.flatMap((label) => bed.runs(label));
    expect(pids.sort()).toEqual([ahead.child.pid, behind.child.pid].sort());
  });

  test('work that a full broker refuses is given out once there is room', async () => {
    await limit(WORK_STREAM, 1);
    const jobId = await bed.submit('full-work');
    await until(async () => (await messageOf(jobId)).includes('free slot'));
    expect(bed.runs('full-work')).toEqual([]);
    await limit(WORK_STREAM, -1);
    bed.release('full-work');
    expect(await done(jobId)).toMatchObject({ status: 'completed' });
    expect(bed.runs('full-work')).toHaveLength(1);
  });

  test('an end that a full broker refuses waits on its node', async () => {
    const jobId = await bed.submit('full-say');
    await bed.begun('full-say');
    await limit(SAY_STREAM, 1);
    bed.release('full-say');
    // Longer than a lease: the node still names the run.
    await new Promise((resolve) => setTimeout(resolve, TIMING.leaseMs * 1.5));
    expect(await bed.job(jobId)).toMatchObject({ status: 'processing' });
    await limit(SAY_STREAM, -1);
    expect(await done(jobId)).toMatchObject({ status: 'completed' });
    expect(bed.runs('full-say')).toHaveLength(1);
  });

  test('a broker that comes back without all that it stored gets its streams again', async () => {
    const jobId = await bed.submit('lost-state');
    await bed.begun('lost-state');
    process.kill(bed.brokerPid(), 'SIGKILL');
    // At once, so that the broker is not yet started again.
    rmSync(join(bed.appliance.dataDir, 'fleet/broker'), { recursive: true, force: true });
    bed.release('lost-state');
    expect(await done(jobId)).toMatchObject({ status: 'completed' });
    expect(bed.runs('lost-state')).toHaveLength(1);
    const next = await bed.submit('wait0-next');
    expect(await done(next)).toMatchObject({ status: 'completed' });
    expect([ahead.child.pid, behind.child.pid]).toContain(bed.runs('wait0-next')[0]);
  });

  test('a key that two processes use gets no work, and the job of the first one runs elsewhere', async () => {
    const jobId = await bed.submit('stolen');
    const pid = await bed.begun('stolen');
    const [owner, other] = pid === ahead.child.pid ? [ahead, behind] : [behind, ahead];
    const thief = spawnWorker(bed.folder, owner.join, join(bed.folder, 'thief'));
    await until(async () => (await statusOf(owner.name)) === 'contested');
    bed.release('stolen');
    expect(await done(jobId)).toMatchObject({ status: 'completed', result: { pid: other.child.pid } });
    const later = await Promise.all(['wait0-1', 'wait0-2', 'wait0-3'].map((label) => bed.submit(label)));
    for (const id of later) expect(await done(id)).toMatchObject({ result: { pid: other.child.pid } });
    await bed.appliance.owner(`/admin/fleet/nodes/${owner.nodeId}`, { method: 'DELETE' });
    for (const { ended } of [owner, thief]) {
      expect(await ended).toMatchObject({ code: 1, said: expect.stringContaining('removed') });
    }
  });
});
