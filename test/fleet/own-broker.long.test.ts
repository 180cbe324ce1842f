/** A broker that the owner runs, with its own certificate authority: each login. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { findBroker } from '../../src-server/features/fleet/broker.ts';
import type { FleetView } from '../../src-server/features/fleet/schema.ts';
import { type Appliance, startAppliance } from '../harness/appliance.ts';
import { brokerMissing, freePort, spawnWorker, TIMING } from '../harness/fleet.ts';
import { farOperation } from '../harness/fleet-operation.ts';
import { finished } from '../harness/jobs.ts';
import { jwtAccounts } from '../harness/nats-jwt.ts';
import { fleetOf, nodeOf, placeOf, sendJson } from '../harness/node-process.ts';
import { until } from '../harness/until.ts';

function opensslMissing(): string | null {
  try {
    execFileSync('openssl', ['version'], { stdio: 'ignore' });
    return null;
  } catch {
    return 'openssl is not installed.';
  }
}

const missing = brokerMissing() ?? opensslMissing();

const KEY_OPTIONS = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes'];

const answersOn = (port: number) =>
  new Promise<boolean>((resolve) => {
    const socket = connect(port, '127.0.0.1', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });

describe.skipIf(missing !== null)(`your own broker${missing === null ? '' : ` (skipped: ${missing})`}`, () => {
  let appliance: Appliance;
  let folder: string;
  let ca: string;
  let port: number;
  let broker: ChildProcess | null = null;
  const workers: ReturnType<typeof spawnWorker>[] = [];

  const serve = (users: string) => serveWith([`authorization { users: [\n${users}\n] }`]);

  /** Starts the broker with these lines in its configuration, or lets it read them. */
  async function serveWith(access: readonly string[]): Promise<void> {
    const path = (name: string) => JSON.stringify(join(folder, name));
    await writeFile(
      join(folder, 'nats.conf'),
      [
        `listen: "127.0.0.1:${port}"`,
        `jetstream { store_dir: ${path('store')} }`,
        `tls { cert_file: ${path('cert.pem')}, key_file: ${path('key.pem')} }`,
        ...access,
      ].join('\n'),
    );
    if (broker !== null) return void broker.kill('SIGHUP');
    broker = spawn(findBroker(), ['-c', join(folder, 'nats.conf')], { stdio: 'ignore' });
    await until(() => answersOn(port));
  }
  async function stopBroker(): Promise<void> {
    const ended = new Promise((resolve) => broker?.once('close', resolve));
    broker?.kill('SIGTERM');
    await ended;
    broker = null;
  }
  const change = (body: object) => sendJson(appliance, '/admin/fleet', 'PATCH', body) as Promise<FleetView>;
  const add = async (name: string) =>
    ((await sendJson(appliance, '/admin/fleet/nodes', 'POST', { name })) as { join: string }).join;
  const online = (name: string) => until(async () => (await nodeOf(appliance, name))?.status === 'online');
  async function runsOn(name: string, label: string): Promise<void> {
    await writeFile(join(folder, `go-${label}`), '');
    const { jobId } = (await sendJson(appliance, '/v1/test/far', 'POST', { label })) as { jobId: string };
    expect((await finished(appliance.owner, jobId)).status).toBe('completed');
    expect(await placeOf(appliance, jobId)).toBe(name);
  }

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'quarry own broker '));
    port = await freePort();
    const names = ['-subj', '/CN=broker', '-addext', 'subjectAltName=IP:127.0.0.1', '-days', '2'];
    const files = ['-keyout', join(folder, 'key.pem'), '-out', join(folder, 'cert.pem')];
    execFileSync('openssl', ['req', '-x509', ...KEY_OPTIONS, ...names, ...files], { stdio: 'ignore' });
    ca = await readFile(join(folder, 'cert.pem'), 'utf8');
    appliance = await startAppliance({ operations: [farOperation(folder)], fleetTiming: TIMING });
  });
  afterAll(async () => {
    for (const { child } of workers) child.kill('SIGKILL');
    await Promise.all(workers.map(({ ended }) => ended));
    await appliance.close();
    if (broker !== null) await stopBroker();
    await rm(folder, { recursive: true, force: true });
  });

  test('with keys: the users are shown before the broker lets this machine in, and each node has its own', async () => {
    const brokerUrl = `tls://127.0.0.1:${port}`;
    const view = await change({ brokerUrl, brokerCa: ca, port: await freePort(), localSlots: 0 });
    expect(view).toMatchObject({ state: 'off', brokerLogin: 'nkeys' });
    expect(view.brokerConfig).toMatch(/^ {2}\{ nkey: U[A-Z2-7]{55} \}\n$/);
    await serve(view.brokerConfig ?? '');
    expect(await change({ enabled: true })).toMatchObject({ state: 'on' });
    const join = await add('tower');
    const { brokerConfig } = await fleetOf(appliance);
    expect(brokerConfig?.split('\n').filter((line) => line.includes('nkey'))).toHaveLength(2);
    await serve(brokerConfig ?? '');
    workers.push(spawnWorker(folder, join, `${folder}/tower`));
    await online('tower');
    await runsOn('tower', 'keys');
  });

  test('without the authority, or with a key that the broker does not know, the fleet stays as it was', async () => {
    const refused = await appliance.owner('/admin/fleet', {
      method: 'PATCH',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ brokerCa: null }),
    });
    expect(refused.status).toBe(503);
    expect(await fleetOf(appliance)).toMatchObject({ state: 'on', choices: { brokerCa: ca } });
    const odd = await appliance.owner('/admin/fleet', {
      method: 'PATCH',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ brokerCa: 'no certificate' }),
    });
    expect(odd.status).toBe(400);
  });

  test('with user and password: it is kept in a private file, shown nowhere, and given to nodes', async () => {
    await change({ enabled: false });
    await stopBroker();
    await serve('{ user: "quarry", password: "a secret of the test" }');
    const brokerLogin = { kind: 'password', user: 'quarry', password: 'a secret of the test' };
    const wrong = await appliance.owner('/admin/fleet', {
      method: 'PATCH',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ enabled: true, brokerLogin: { ...brokerLogin, password: 'wrong' } }),
    });
    expect(wrong.status).toBe(503);
    expect(await fleetOf(appliance)).toMatchObject({ state: 'off', brokerLogin: 'nkeys' });
    const view = await change({ enabled: true, brokerLogin });
    expect(view).toMatchObject({ state: 'on', brokerLogin: 'password', brokerConfig: null });
    expect(JSON.stringify(view)).not.toContain('a secret of the test');
    expect((await stat(join(appliance.dataDir, 'fleet/broker-login'))).mode & 0o077).toBe(0);
    const address = await add('attic');
    expect(address).not.toContain('secret');
    workers.push(spawnWorker(folder, address, `${folder}/attic`));
    await online('attic');
    await runsOn('attic', 'password');
  });

  test('with a credentials file, at a broker with JWT accounts: one of another operator is refused', async () => {
    await change({ enabled: false });
    await stopBroker();
    const { config, creds } = jwtAccounts();
    await serveWith(config);
    const refused = await appliance.owner('/admin/fleet', {
      method: 'PATCH',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ enabled: true, brokerLogin: { kind: 'creds', creds: jwtAccounts().creds } }),
    });
    expect(refused.status).toBe(503);
    expect(await fleetOf(appliance)).toMatchObject({ state: 'off', brokerLogin: 'password' });
    const view = await change({ enabled: true, brokerLogin: { kind: 'creds', creds } });
    expect(view).toMatchObject({ state: 'on', brokerLogin: 'creds', brokerConfig: null });
    expect(JSON.stringify(view)).not.toContain('SEED');
    const address = await add('shed');
    workers.push(spawnWorker(folder, address, `${folder}/shed`));
    await online('shed');
    await runsOn('shed', 'creds');
  });
});
