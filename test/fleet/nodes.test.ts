import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { brokerMissing, type FleetBed, freePort, spawnWorker, startFleet, type Worker } from '../harness/fleet.ts';
import { finished } from '../harness/jobs.ts';
import { until } from '../harness/until.ts';

const missing = brokerMissing();

describe.skipIf(missing !== null)(`a fleet of two nodes${missing === null ? '' : ` (skipped: ${missing})`}`, () => {
  let bed: FleetBed;
  let workers: Worker[];
  beforeAll(async () => {
    bed = await startFleet();
    workers = await Promise.all(['tower', 'attic'].map((name) => bed.worker(name)));
  });
  afterAll(() => bed[Symbol.asyncDispose]());

  const done = (jobId: string) => finished(bed.appliance.owner, jobId);
  const workerOf = (pid: number) => workers.find(({ child }) => child.pid === pid) as Worker;
  const record = async (jobId: string) =>
    (await (await bed.appliance.owner(`/admin/jobs/${jobId}`)).json()) as { node: string | null; attempts: number };
  const ends = () => {
    const database = new Database(join(bed.appliance.dataDir, 'production', 'quarry.db'), { readonly: true });
    const row = database.prepare('select coalesce(sum(completed + failed), 0) as n from ended_jobs').get();
    database.close();
    return (row as { n: number }).n;
  };
  const replace = async (lost: Worker, name: string) => {
    workers = [...workers.filter((worker) => worker !== lost), await bed.worker(name)];
  };

  test('a job runs on a node, with what this machine chose, and its files are here', async () => {
    const jobId = await bed.submit('far');
    const pid = await bed.begun('far');
    await until(async () => (await bed.job(jobId)).progress.stage === 'holding');
    bed.release('far');
    expect(await done(jobId)).toMatchObject({ status: 'completed', result: { label: 'far', pid, chose: 'chosen' } });
    expect(await record(jobId)).toMatchObject({ node: workerOf(pid).name, attempts: 1 });
    for (const name of ['made.txt', 'same.txt']) {
      const file = await bed.appliance.owner(`/v1/jobs/${jobId}/files/${name}`);
      expect(await file.text()).toBe(`made by ${pid}`);
    }
  });

  test('a node without the model gets no job that needs it', { tags: ['long'] }, async () => {
    const jobId = await bed.submit('here', 'absent');
    bed.release('here');
    expect(await done(jobId)).toMatchObject({ status: 'completed', result: { pid: process.pid } });
    expect(await record(jobId)).toMatchObject({ node: null });
  });

  test('a draining node gets no job', { tags: ['long'] }, async () => {
    const drained = workers[0] as Worker;
    const drain = (draining: boolean) =>
      bed.appliance.owner(`/admin/fleet/nodes/${drained.nodeId}`, {
        method: 'PATCH',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ draining }),
      });
    expect((await drain(true)).status).toBe(204);
    const jobIds = [await bed.submit('drain-1'), await bed.submit('drain-2')];
    const other = (workers[1] as Worker).child.pid;
    // The node has one slot, and either job may be the first in it.
    for (const label of ['drain-1', 'drain-2']) bed.release(label);
    for (const label of ['drain-1', 'drain-2']) expect(await bed.begun(label)).toBe(other);
    for (const jobId of jobIds) await done(jobId);
    const listed = await bed.appliance.owner(`/admin/jobs?text=${(workers[1] as Worker).name}`);
    const { jobs } = (await listed.json()) as { jobs: { jobId: string }[] };
    expect(jobs.map(({ jobId }) => jobId)).toEqual(expect.arrayContaining(jobIds));
    expect((await drain(false)).status).toBe(204);
  });

  test('a job whose node is killed ends once, on the other node, from its checkpoint', async () => {
    const before = ends();
    const jobId = await bed.submit('killed');
    const pid = await bed.begun('killed');
    const { dataDir } = bed.appliance;
    const checkpoint = join(dataDir, 'production/jobs', jobId.slice(4, 6).toLowerCase(), jobId, 'work/begun.txt');
    await until(() => {
      try {
        return readFileSync(checkpoint, 'utf8') === String(pid);
      } catch {
        return false;
      }
    });
    const lost = workerOf(pid);
    lost.child.kill('SIGKILL');
    const next = await bed.begun('killed', 2);
    expect(next).not.toBe(pid);
    bed.release('killed');
    const result = { pid: next, began: String(pid) };
    expect(await done(jobId)).toMatchObject({ status: 'completed', result });
    expect(ends()).toBe(before + 1);
    expect(bed.runs('killed')).toHaveLength(2);
    await replace(lost, 'cellar');
  });

  test('a node that froze and goes on changes nothing: its job has ended elsewhere', async () => {
    const before = ends();
    const jobId = await bed.submit('frozen');
    const pid = await bed.begun('frozen');
    const frozen = workerOf(pid);
    frozen.child.kill('SIGSTOP');
    const next = await bed.begun('frozen', 2);
    expect(next).not.toBe(pid);
    bed.release('frozen');
    expect(await done(jobId)).toMatchObject({ result: { pid: next } });
    frozen.child.kill('SIGCONT');
    await until(async () => {
      const node = (await bed.fleet()).nodes.find(({ name }) => name === frozen.name);
      return node?.status === 'online' && node.busy === 0;
    });
    expect(await bed.job(jobId)).toMatchObject({ status: 'completed', result: { pid: next } });
    const made = await bed.appliance.owner(`/v1/jobs/${jobId}/files/made.txt`);
    expect(await made.text()).toBe(`made by ${next}`);
    expect(ends()).toBe(before + 1);
  });

  test('a job goes on while the broker is killed and started again', async () => {
    const jobId = await bed.submit('broker');
    const pid = await bed.begun('broker');
    const broker = bed.brokerPid();
    process.kill(broker, 'SIGKILL');
    bed.release('broker');
    expect(await done(jobId)).toMatchObject({ status: 'completed', result: { pid } });
    expect(bed.brokerPid()).not.toBe(broker);
    expect(bed.runs('broker')).toHaveLength(1);
  });

  test('a job goes on while this machine is started again', async () => {
    const before = ends();
    const jobId = await bed.submit('restart');
    const pid = await bed.begun('restart');
    await bed.appliance.restart(() => bed.release('restart'));
    expect(await done(jobId)).toMatchObject({ status: 'completed', result: { pid } });
    expect(await record(jobId)).toMatchObject({ attempts: 1 });
    expect(ends()).toBe(before + 1);
    expect(bed.runs('restart')).toHaveLength(1);
  });

  test('a cancelled job stops on its node', async () => {
    const jobId = await bed.submit('cancel');
    const pid = await bed.begun('cancel');
    const { nodeId } = workerOf(pid);
    await bed.appliance.owner(`/admin/jobs/${jobId}/cancel`, { method: 'POST' });
    expect(await bed.job(jobId)).toMatchObject({ status: 'failed', error: { code: 'cancelled' } });
    await until(async () => (await bed.fleet()).nodes.find((node) => node.nodeId === nodeId)?.busy === 0);
  });

  test('a node that is stopped gives its job back, which spends no attempt', async () => {
    const jobId = await bed.submit('returned');
    const pid = await bed.begun('returned');
    const stopped = workerOf(pid);
    stopped.child.kill('SIGTERM');
    expect((await stopped.ended).code).toBe(0);
    expect(await bed.begun('returned', 2)).not.toBe(pid);
    bed.release('returned');
    expect(await done(jobId)).toMatchObject({ status: 'completed' });
    expect(await record(jobId)).toMatchObject({ attempts: 1 });
  });

  test('a node of another version, with a key that is none, or that was removed is refused', {
    tags: ['long'],
  }, async () => {
    const { node, join: address } = await bed.addNode('old');
    const start = (join: string, version = '') => spawnWorker(bed.folder, join, `${bed.folder}/old`, { version }).ended;
    expect(await start(address, '0.0.1')).toMatchObject({ code: 1, said: expect.stringContaining('same version') });
    const other = await bed.addNode('other');
    const [, seed = ''] = other.join.split('#')[1]?.split('.') ?? [];
    const stolen = address.replace(/\.SU[A-Z2-7]+\./, `.${seed}.`);
    expect(await start(stolen)).toMatchObject({ code: 1, said: expect.stringContaining('refused') });
    const otherServer = address.replace(/[0-9a-f]{64}$/, '0'.repeat(64));
    expect(await start(otherServer)).toMatchObject({ code: 1, said: expect.stringContaining('certificate differs') });
    await bed.appliance.owner(`/admin/fleet/nodes/${node.nodeId}`, { method: 'DELETE' });
    expect(await start(address)).toMatchObject({ code: 1, said: expect.stringContaining('removed') });
  });

  test('without nats-server the answer says how to install it, and the fleet stays as it was', async () => {
    process.env.QUARRY_NATS_SERVER = '/nowhere/nats-server';
    const answer = await bed.appliance.owner('/admin/fleet', {
      method: 'PATCH',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ brokerPort: await freePort() }),
    });
    delete process.env.QUARRY_NATS_SERVER;
    expect(answer.status).toBe(503);
    expect(((await answer.json()) as { detail: string }).detail).toContain('apt install nats-server');
  });
});
