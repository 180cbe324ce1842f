/** Nodes that turn out not to have the models that a run was sent there for. */
import { copyFile, mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Job } from '../../src-server/features/jobs/schema.ts';
import { type Appliance, startAppliance } from '../harness/appliance.ts';
import { brokerMissing, TIMING } from '../harness/fleet.ts';
import { fileForm, finished } from '../harness/jobs.ts';
import { nodeOf, nodeProcess, placeOf, turnFleetOn } from '../harness/node-process.ts';
import { postJson, TINY_MODEL, TINY_MODEL_PATH } from '../harness/text-models.ts';
import { until } from '../harness/until.ts';

const missing = brokerMissing();

/**
 * A node that is frozen here keeps its lease: a busy machine takes long to send a job there. What the node's connection
 * drops after that comes again when a lease is over, within the time that tests wait.
 */
const LONG_LEASE = { ...TIMING, leaseMs: 60_000 };

const SCHEMA = { type: 'object', properties: { topic: { type: 'string' } } };

describe.skipIf(missing !== null)(`models that a node lost${missing === null ? '' : ` (skipped: ${missing})`}`, () => {
  let appliance: Appliance;
  let folder: string;
  let tower: Awaited<ReturnType<typeof nodeProcess>>;
  let shed: Awaited<ReturnType<typeof nodeProcess>> | null = null;

  const fileOf = (name: string) => join(folder, name, `${TINY_MODEL}.gguf`);
  const node = async (name: string) => {
    await mkdir(join(folder, name));
    await copyFile(TINY_MODEL_PATH, fileOf(name));
    return nodeProcess(appliance, name, join(folder, name));
  };
  const has = async (name: string) =>
    (await nodeOf(appliance, name))?.models.some((model) => model.name === TINY_MODEL) === true;
  const listed = async (status: string) => {
    const answer = await appliance.owner(`/v1/jobs?status=${status}`);
    return ((await answer.json()) as { jobs: Job[] }).jobs;
  };
  const jobOf = async (jobId: string) => (await (await appliance.owner(`/v1/jobs/${jobId}`)).json()) as Job;

  /** Sends a request while the node is frozen and has lost its model, which this machine cannot know. */
  async function whileLost<Answer>(send: () => Promise<Answer>): Promise<Answer> {
    tower.signal('SIGSTOP');
    await rm(fileOf('tower'));
    const answer = send();
    await until(async () => {
      const [job] = await listed('processing');
      return job !== undefined && (await placeOf(appliance, job.jobId)) === 'tower';
    });
    tower.signal('SIGCONT');
    return answer;
  }
  async function giveBack(): Promise<void> {
    await copyFile(TINY_MODEL_PATH, fileOf('tower'));
    await until(() => has('tower'));
  }
  const write = (request: object = {}) =>
    appliance.owner('/v1/generate/text', postJson({ prompt: 'Once', maxTokens: 4, ...request }));
  const read = async (headers: Record<string, string> = {}) => {
    const form = fileForm('The meeting is about the harbour.', 'note.txt', {
      options: JSON.stringify({ schema: SCHEMA }),
    });
    const sent = await appliance.owner('/v1/extract/doc', { method: 'POST', body: form, headers });
    return ((await sent.json()) as Job).jobId;
  };

  beforeAll(async () => {
    appliance = await startAppliance({ knownTextServers: [], fleetTiming: LONG_LEASE, joined: false });
    folder = await mkdtemp(join(tmpdir(), 'quarry lost '));
    await turnFleetOn(appliance);
    tower = await node('tower');
    await until(() => has('tower'));
  });
  afterAll(async () => {
    tower?.signal('SIGCONT');
    await tower?.stop();
    await shed?.stop();
    await appliance.close();
    await rm(folder, { recursive: true, force: true });
  });

  test('an answer at once says that the model is not installed, also where the request names it', async () => {
    for (const request of [{}, { model: TINY_MODEL }]) {
      const answer = await whileLost(() => write(request));
      expect(answer.status).toBe(503);
      expect(await answer.json()).toMatchObject({ code: 'model_not_installed' });
      await giveBack();
    }
    expect((await write()).status).toBe(200);
  });

  test('a job waits as without the node, and runs when a node has the model', async () => {
    const jobId = await whileLost(() => read({ prefer: 'install=ask' }));
    await until(async () => (await jobOf(jobId)).waitingFor?.need !== undefined);
    expect(await jobOf(jobId)).toMatchObject({ status: 'queued', waitingFor: { need: 'text', nodes: [] } });
    expect(await placeOf(appliance, jobId)).toBeNull();
    await giveBack();
    expect(await finished(appliance.owner, jobId)).toMatchObject({ status: 'completed' });
    expect(await placeOf(appliance, jobId)).toBe('tower');
  });

  test('a job runs on another node that has the model', async () => {
    shed = await node('shed');
    await until(() => has('shed'));
    const jobId = await whileLost(() => read());
    expect(await finished(appliance.owner, jobId)).toMatchObject({ status: 'completed' });
    expect(await placeOf(appliance, jobId)).toBe('shed');
    const stages = (await (await appliance.owner(`/admin/jobs/${jobId}`)).json()) as { attempts: number };
    expect(stages.attempts).toBe(1);
  });
});

describe.skipIf(missing !== null)('a node whose next heartbeat is far', () => {
  test('says at once that it has lost or got a model', async () => {
    const fleetTiming = { beatMs: 3_600_000, leaseMs: 36_000_000 };
    await using appliance = await startAppliance({ knownTextServers: [], fleetTiming, joined: false });
    const folder = await mkdtemp(join(tmpdir(), 'quarry lost '));
    const names = async () => (await nodeOf(appliance, 'tower'))?.models.map(({ name }) => name);
    await copyFile(TINY_MODEL_PATH, join(folder, 'one.gguf'));
    await turnFleetOn(appliance);
    const tower = await nodeProcess(appliance, 'tower', folder);
    try {
      expect(await names()).toEqual(['one']);
      await rename(join(folder, 'one.gguf'), join(folder, 'two.gguf'));
      await until(async () => (await names())?.[0] === 'two');
      await rm(join(folder, 'two.gguf'));
      await until(async () => (await names())?.length === 0);
    } finally {
      await tower.stop();
      await rm(folder, { recursive: true, force: true });
    }
  });
});
