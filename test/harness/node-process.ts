import { spawn } from 'node:child_process';
import { join } from 'node:path';
import type { FleetNode, FleetView } from '../../src-server/features/fleet/schema.ts';
import type { Appliance } from './appliance.ts';
import { freePort } from './fleet.ts';
import { until } from './until.ts';

const CLI = join(import.meta.dirname, '../../src-server/cli.ts');

/** Sends JSON as the owner. Errors: answers that are not 2xx. */
export async function sendJson(appliance: Appliance, path: string, method: string, body?: unknown): Promise<unknown> {
  const headers = { 'content-type': 'application/json' };
  const sent = body === undefined ? {} : { headers, body: JSON.stringify(body) };
  const answer = await appliance.owner(path, { method, ...sent });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${answer.status}: ${text}`);
  return text === '' ? null : JSON.parse(text);
}

/** Turns the fleet on. What travels does not run on this machine while a node can run it. */
export async function turnFleetOn(appliance: Appliance, further: object = {}): Promise<void> {
  const ports = { port: await freePort(), brokerPort: await freePort() };
  await sendJson(appliance, '/admin/fleet', 'PATCH', { enabled: true, localSlots: 0, ...ports, ...further });
}

export async function fleetOf(appliance: Appliance): Promise<FleetView> {
  return (await sendJson(appliance, '/admin/fleet', 'GET')) as FleetView;
}

export async function nodeOf(appliance: Appliance, name: string): Promise<FleetNode | undefined> {
  return (await fleetOf(appliance)).nodes.find((node) => node.name === name);
}

/** A node of that name by the command `quarry work`; started again under the same name by another call of `start`. */
export async function nodeProcess(appliance: Appliance, name: string, modelsDir: string) {
  const { join: address } = (await sendJson(appliance, '/admin/fleet/nodes', 'POST', { name })) as { join: string };
  let stop: () => Promise<void> = async () => undefined;
  let signal: (name: NodeJS.Signals) => void = () => undefined;
  const start = async () => {
    await until(async () => (await fleetOf(appliance)).state === 'on');
    const folders = ['--models-dir', modelsDir, '--data-dir', `${appliance.dataDir} of ${name}`];
    const child = spawn(process.execPath, [CLI, 'work', '--join', address, ...folders], { stdio: 'ignore' });
    const ended = new Promise((resolve) => child.once('close', resolve));
    signal = (name) => void child.kill(name);
    stop = async () => {
      child.kill('SIGTERM');
      await ended;
    };
    await until(async () => (await nodeOf(appliance, name))?.status === 'online');
  };
  await start();
  return { start, stop: () => stop(), signal: (name: NodeJS.Signals) => signal(name), modelsDir };
}

/** Name of the node that ran a job; null where this machine did. */
export async function placeOf(appliance: Appliance, jobId: string): Promise<string | null> {
  return ((await sendJson(appliance, `/admin/jobs/${jobId}`, 'GET')) as { node: string | null }).node;
}
