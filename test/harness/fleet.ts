import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { FleetNode, FleetView } from '../../src-server/features/fleet/schema.ts';
import type { Job } from '../../src-server/features/jobs/schema.ts';
import { type Appliance, startAppliance } from './appliance.ts';
import { brokerMissing, freePort } from './broker.ts';
import { farOperation } from './fleet-operation.ts';
import { until } from './until.ts';

export { brokerMissing, freePort };

/** Short, so that lost nodes are noticed soon; long enough for a busy machine. */
export const TIMING = { beatMs: 200, leaseMs: 4000 };

const WORKER = join(import.meta.dirname, 'fleet-worker.ts');

/** An appliance whose fleet is on, and runs nothing that travels itself while a node can. */
export interface FleetBed extends AsyncDisposable {
  appliance: Appliance;
  /** Shared by all processes: see fleet-operation.ts. */
  folder: string;
  fleet(): Promise<FleetView>;
  addNode(name: string): Promise<{ node: FleetNode; join: string }>;
  /** Starts a node of that name and waits until it is online. */
  worker(name: string, options?: WorkerOptions): Promise<Worker>;
  submit(label: string, model?: string): Promise<string>;
  job(jobId: string): Promise<Job>;
  /** Process ids of the runs under a label, in the order in which they began. */
  runs(label: string): number[];
  begun(label: string, count?: number): Promise<number>;
  release(label: string): void;
  brokerPid(): number;
}

export interface Worker {
  child: ChildProcess;
  name: string;
  nodeId: string;
  /** Its secret address. */
  join: string;
  ended: Promise<{ code: number | null; said: string }>;
}

export interface WorkerOptions {
  version?: string;
  slots?: number;
  /** By how much its clock is wrong. */
  skewMs?: number;
  /** Name of its graphics processor. */
  gpu?: string;
  browsers?: number;
  /** Changes of its environment. */
  environment?: NodeJS.ProcessEnv;
}

/** @param beside an appliance with `fleetTiming: TIMING`; by default one that serves the operation of fleet-operation.ts */
export async function startFleet(beside?: Appliance): Promise<FleetBed> {
  const folder = await mkdtemp(join(tmpdir(), 'quarry fleet '));
  const own = { operations: [farOperation(folder)], fleetTiming: TIMING, joined: false };
  const appliance = beside ?? (await startAppliance(own));
  const [port, brokerPort] = [await freePort(), await freePort()];
  const send = (path: string, method: string, body: unknown) =>
    appliance.owner(path, { method, headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) });
  const turnedOn = await send('/admin/fleet', 'PATCH', { enabled: true, port, brokerPort, localSlots: 0 });
  if (!turnedOn.ok) throw new Error(await turnedOn.text());
  const workers: Worker[] = [];
  const fleet = async () => (await (await appliance.owner('/admin/fleet')).json()) as FleetView;
  const addNode = async (name: string) => {
    const answer = await send('/admin/fleet/nodes', 'POST', { name });
    if (!answer.ok) throw new Error(await answer.text());
    return (await answer.json()) as { node: FleetNode; join: string };
  };
  const runs = (label: string) => {
    const path = join(folder, 'runs');
    const lines = existsSync(path) ? readFileSync(path, 'utf8').split('\n') : [];
    return lines.filter((line) => line.startsWith(`${label} `)).map((line) => Number(line.split(' ')[1]));
  };
  return {
    appliance,
    folder,
    fleet,
    addNode,
    worker: async (name, options) => {
      const { node, join: address } = await addNode(name);
      const facts = { name, nodeId: node.nodeId, join: address };
      const worker = { ...spawnWorker(folder, address, `${folder}/${name}`, options), ...facts };
      workers.push(worker);
      await until(async () => (await fleet()).nodes.some((one) => one.name === name && one.status === 'online'));
      return worker;
    },
    submit: async (label, model) => {
      const answer = await send('/v1/test/far', 'POST', { label, ...(model === undefined ? {} : { model }) });
      return ((await answer.json()) as Job).jobId;
    },
    job: async (jobId) => (await (await appliance.owner(`/v1/jobs/${jobId}`)).json()) as Job,
    runs,
    begun: async (label, count = 1) => {
      await until(() => runs(label).length >= count);
      return runs(label).at(-1) as number;
    },
    release: (label) => writeFileSync(join(folder, `go-${label}`), ''),
    brokerPid: () => Number(readFileSync(join(appliance.dataDir, 'fleet/broker.pid'), 'utf8')),
    [Symbol.asyncDispose]: async () => {
      for (const { child } of workers) child.kill('SIGKILL');
      await Promise.all(workers.map(({ ended }) => ended));
      if (beside === undefined) await appliance.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

export function spawnWorker(
  folder: string,
  address: string,
  dataDir: string,
  { version = '', slots = 1, skewMs = 0, gpu = '', browsers = 0, environment = {} }: WorkerOptions = {},
) {
  const args = [
    WORKER,
    folder,
    version,
    String(skewMs),
    '--join',
    address,
    '--data-dir',
    dataDir,
    '--slots',
    String(slots),
    '--browsers',
    String(browsers),
  ];
  const env = { ...process.env, QUARRY_TEST_GPU: gpu, ...environment };
  const child = spawn(process.execPath, args, { env, stdio: ['ignore', 'pipe', 'pipe'] });
  let said = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      said += text;
    });
  }
  const ended = new Promise<{ code: number | null; said: string }>((resolve) => {
    child.once('close', (code) => resolve({ code, said }));
  });
  return { child, ended };
}
