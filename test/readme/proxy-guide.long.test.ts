import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type Appliance, startAppliance } from '../harness/appliance.ts';
import { until } from '../harness/until.ts';

const GUIDE = join(import.meta.dirname, '../../resources/docs/proxy.md');

/** Path of an installed program; null where there is none. */
function programOf(name: string): string | null {
  const folders = [...(process.env.PATH ?? '').split(delimiter), '/usr/sbin'];
  return folders.map((folder) => join(folder, name)).find((path) => existsSync(path)) ?? null;
}

/** The blocks of the guide in one language, as printed. */
async function blocksOf(language: string): Promise<string[]> {
  const text = await readFile(GUIDE, 'utf8');
  return [...text.matchAll(/^```(\w+)\n([\s\S]*?)^```$/gm)].flatMap(([, name, block]) =>
    name === language && block !== undefined ? [block] : [],
  );
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  return typeof address === 'object' && address !== null ? address.port : 0;
}

let folder: string;
let proxy: ChildProcess | null = null;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'quarry-proxy-'));
});
afterEach(async () => {
  const running = proxy;
  proxy = null;
  if (running !== null && running.exitCode === null) {
    const ended = new Promise((resolve) => running.once('exit', resolve));
    running.kill('SIGTERM');
    await ended;
  }
  await rm(folder, { recursive: true, force: true });
});

/** What a client behind the proxy does: health, an upload over 1 MB, live events, and limits by address. */
async function useThrough(url: string, { ownerToken, owner }: Appliance): Promise<void> {
  const headers = { 'content-type': 'application/json' };
  const body = JSON.stringify({ publicUrl: url, trustedProxies: ['127.0.0.1'] });
  expect((await owner('/admin/settings', { method: 'PATCH', headers, body })).status).toBe(200);
  await until(() =>
    fetch(`${url}/health`).then(
      ({ ok }) => ok,
      () => false,
    ),
  );
  const form = new FormData();
  form.append('file', new Blob(['The tide turned at noon.\n'.repeat(80_000)]), 'tide.txt');
  const asOwner = { authorization: `Bearer ${ownerToken}` };
  const made = await fetch(`${url}/v1/extract/doc`, { method: 'POST', headers: asOwner, body: form });
  expect(made.status).toBe(202);
  const { statusUrl } = (await made.json()) as { statusUrl: string };
  expect(statusUrl).toContain(`${url}/v1/jobs/`);
  const events = await fetch(`${statusUrl}/events`, { headers: asOwner });
  expect(await events.text()).toContain('completed');
  const page = await fetch(`${url}/login`);
  expect(await page.text()).toContain('Sign in to Quarry');
}

describe.skipIf(programOf('nginx') === null)('nginx', () => {
  test.each([
    ['', (block: string) => block],
    ['/quarry', (block: string) => block.replace('location / {', 'location /quarry/ {')],
    ['/quarry', (block: string) => stripped(block)],
  ])('as the guide has it, below %j', async (path, edit) => {
    await using appliance = await startAppliance({ joined: false });
    const port = await freePort();
    const [block = ''] = await blocksOf('nginx');
    const server = edit(block)
      .replace('listen 443 ssl;', `listen 127.0.0.1:${port};`)
      .replace(/^ *ssl_.*\n/gm, '')
      .replace('127.0.0.1:8402', new URL(appliance.url).host);
    const at = (name: string) => `${name}_temp_path ${join(folder, name)};`;
    const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(at).join('\n');
    const config = `daemon off;\nmaster_process off;\npid ${join(folder, 'pid')};\nerror_log ${join(folder, 'errors')};
events {}
http {
${temporary}
access_log off;
${server}}
`;
    await writeFile(join(folder, 'nginx.conf'), config);
    proxy = spawn(programOf('nginx') ?? '', ['-p', folder, '-c', join(folder, 'nginx.conf')], { stdio: 'ignore' });
    await useThrough(`http://127.0.0.1:${port}${path}`, appliance);
  });
});

function stripped(block: string): string {
  return block.replace('location / {', 'location /quarry/ {').replace('127.0.0.1:8402;', '127.0.0.1:8402/;');
}

describe.skipIf(programOf('caddy') === null)('Caddy', () => {
  test.each([
    [0, ''],
    [1, '/quarry'],
  ])('block %i of the guide', async (number, path) => {
    await using appliance = await startAppliance({ joined: false });
    const port = await freePort();
    const block = (await blocksOf('caddy'))[number] ?? '';
    const site = block
      .replace('home.lan', `http://127.0.0.1:${port}`)
      .replace('127.0.0.1:8402', new URL(appliance.url).host);
    const file = join(folder, 'Caddyfile');
    await writeFile(file, `{\n  admin off\n}\n${site}`);
    const env = { ...process.env, HOME: folder, XDG_CONFIG_HOME: folder, XDG_DATA_HOME: folder };
    proxy = spawn(programOf('caddy') ?? '', ['run', '--config', file, '--adapter', 'caddyfile'], {
      stdio: 'ignore',
      env,
    });
    await useThrough(`http://127.0.0.1:${port}${path}`, appliance);
  });
});
