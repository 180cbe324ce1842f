/** Jobs that wait for the model of one node run as soon as any place can run them. */
import { copyFile, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Job } from '../../src-server/features/jobs/schema.ts';
import { type Appliance, startAppliance } from '../harness/appliance.ts';
import { brokerMissing, TIMING } from '../harness/fleet.ts';
import { fileForm, finished } from '../harness/jobs.ts';
import { nodeOf, nodeProcess, placeOf, turnFleetOn } from '../harness/node-process.ts';
import { TINY_MODEL_PATH } from '../harness/text-models.ts';
import { until } from '../harness/until.ts';

const missing = brokerMissing();

const SCHEMA = { type: 'object', properties: { topic: { type: 'string' } } };

type Node = Awaited<ReturnType<typeof nodeProcess>>;

describe.skipIf(missing !== null)(`another place${missing === null ? '' : ` (skipped: ${missing})`}`, () => {
  let appliance: Appliance;
  let folder: string;
  const nodes: Node[] = [];

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'quarry places '));
  });
  afterEach(async () => {
    for (const node of nodes.splice(0)) {
      node.signal('SIGCONT');
      await node.stop();
    }
    await appliance.close();
    await rm(folder, { recursive: true, force: true });
  });

  /** The first node is `tower`, which has the text model one. */
  async function begin(leaseMs = TIMING.leaseMs): Promise<Node> {
    const fleetTiming = { ...TIMING, leaseMs };
    appliance = await startAppliance({ knownTextServers: [], fleetTiming, joined: false });
    await turnFleetOn(appliance);
    return nodeWith('tower', 'one');
  }
  async function nodeWith(name: string, model: string): Promise<Node> {
    await mkdir(join(folder, name));
    await copyFile(TINY_MODEL_PATH, join(folder, name, `${model}.gguf`));
    const node = await nodeProcess(appliance, name, join(folder, name));
    nodes.push(node);
    return node;
  }
  const jobOf = async (jobId: string) => (await (await appliance.owner(`/v1/jobs/${jobId}`)).json()) as Job;
  const read = async () => {
    const form = fileForm('The meeting is about the harbour.', 'note.txt', {
      options: JSON.stringify({ schema: SCHEMA }),
    });
    const sent = await appliance.owner('/v1/extract/doc', { method: 'POST', body: form });
    return ((await sent.json()) as Job).jobId;
  };
  async function readWhileAway(): Promise<string> {
    const tower = await begin();
    await tower.stop();
    await until(async () => (await nodeOf(appliance, 'tower'))?.status === 'offline');
    const jobId = await read();
    await until(async () => (await jobOf(jobId)).waitingFor?.nodes[0] === 'tower');
    return jobId;
  }
  const installHere = () => copyFile(TINY_MODEL_PATH, join(appliance.dataDir, 'models', 'here.gguf'));

  test('a node with another model that would do joins while the only one is away', async () => {
    const jobId = await readWhileAway();
    await nodeWith('shed', 'two');
    expect(await finished(appliance.owner, jobId)).toMatchObject({ result: { extracted: { model: 'two' } } });
    expect(await placeOf(appliance, jobId)).toBe('shed');
  });

  test('a model is put into the folder of this machine while the only node is away', async () => {
    const jobId = await readWhileAway();
    await installHere();
    expect(await finished(appliance.owner, jobId)).toMatchObject({ result: { extracted: { model: 'here' } } });
    expect(await placeOf(appliance, jobId)).toBeNull();
  });

  test('a model is put into the folder of this machine while the only node is busy', async () => {
    const tower = await begin(600_000);
    tower.signal('SIGSTOP');
    const [first, second] = [await read(), await read()];
    await until(async () => (await placeOf(appliance, first)) === 'tower');
    await until(async () => (await jobOf(second)).progress.message.includes('free slot'));
    await installHere();
    expect(await finished(appliance.owner, second)).toMatchObject({ result: { extracted: { model: 'here' } } });
    expect(await jobOf(first)).toMatchObject({ status: 'processing' });
    tower.signal('SIGCONT');
    expect(await finished(appliance.owner, first)).toMatchObject({ result: { extracted: { model: 'one' } } });
  });
});
