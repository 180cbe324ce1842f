import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { FleetView } from '../../src-server/features/fleet/schema.ts';
import { freePort } from './broker.ts';
import { until } from './until.ts';

/** Set by `npm run test:fleet`: servers of the harness start with the fleet on and a node, which runs what travels. */
export const IS_FLEET_ON = process.env.QUARRY_TEST_FLEET === '1';

const CLI = join(import.meta.dirname, '../../src-server/cli.ts');

interface Joined {
  /** Ends the node, and a broker that a killed server left behind. */
  end(): Promise<void>;
}

/** Turns the fleet of a server on, and starts `quarry work`. The default models folder is that of the server. */
export async function joinNode(
  owner: (path: string, init?: RequestInit) => Promise<Response>,
  dataDir: string,
  modelsDir = join(dataDir, 'models'),
): Promise<Joined> {
  const send = async <Answer>(path: string, method: string, body: unknown): Promise<Answer> => {
    const headers = { 'content-type': 'application/json' };
    const answer = await owner(path, { method, headers, body: JSON.stringify(body) });
    if (!answer.ok) throw new Error(`${path}: ${await answer.text()}`);
    return (await answer.json()) as Answer;
  };
  const ports = { port: await freePort(), brokerPort: await freePort() };
  await send('/admin/fleet', 'PATCH', { enabled: true, localSlots: 0, ...ports });
  const { join: address } = await send<{ join: string }>('/admin/fleet/nodes', 'POST', { name: 'tower' });
  const folder = `${dataDir} of tower`;
  const args = [CLI, 'work', '--join', address, '--data-dir', folder, '--models-dir', modelsDir, '--slots', '4'];
  const child = spawn(process.execPath, args, { stdio: 'ignore' });
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()));
  await until(async () => {
    if (child.exitCode !== null) throw new Error('The node ended before it was online.');
    const { nodes } = (await (await owner('/admin/fleet')).json()) as FleetView;
    return nodes.some(({ status }) => status === 'online');
  });
  return {
    end: async () => {
      child.kill('SIGKILL');
      await ended;
      await rm(folder, { recursive: true, force: true });
      const pidFile = join(dataDir, 'fleet/broker.pid');
      if (!existsSync(pidFile)) return;
      try {
        process.kill(Number(readFileSync(pidFile, 'utf8')), 'SIGKILL');
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
      }
    },
  };
}
