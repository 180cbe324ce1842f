/** Small doors at the edge: types that are guessed, numbers in other notations, refusals that lock others out. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Client as McpClient } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { createSiweMessage } from 'viem/siwe';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Appliance, startAppliance } from '../harness/appliance.ts';
import { postJson } from '../harness/text-models.ts';

const CLI = fileURLToPath(new URL('../../src-server/cli.ts', import.meta.url));

let appliance: Appliance;
beforeAll(async () => {
  appliance = await startAppliance();
});
afterAll(() => appliance.close());

async function newKey(name: string, scopes: string[], more: object = {}): Promise<string> {
  const answer = await appliance.owner('/admin/keys', postJson({ name, scopes, ...more }));
  return ((await answer.json()) as { key: string }).key;
}

test.each([
  '/v1/jobs',
  '/v1/jobs/none',
  '/v1/openapi.json',
  '/health/live',
  '/admin/settings',
  '/mcp',
  '/tika',
  '/openai/v1/models',
  '/ollama/api/tags',
  '/nowhere',
])('no browser guesses the type of an answer: %s', async (path) => {
  for (const client of [appliance.owner, appliance.anonymous]) {
    const answer = await client(path);
    await answer.body?.cancel();
    expect(answer.headers.get('x-content-type-options')).toBe('nosniff');
  }
});

test.each(['1e1', '0x2', ' 2', '2 ', '+2', '0b1', '1_0', 'Infinity', ''])(
  'a query takes no number like %j',
  async (text) => {
    const value = encodeURIComponent(text);
    for (const path of [`/v1/jobs?limit=${value}`, `/admin/audit?limit=${value}`, `/v1/batches?limit=${value}`]) {
      expect((await appliance.owner(path)).status, path).toBe(400);
    }
    const order = await appliance.owner(`/v1/batches?operation=extract/doc&items=${value}`, postJson({}));
    expect([order.status, await order.text()]).toEqual([400, expect.stringContaining('items')]);
  },
);

test('refusals of a valid key count against the key, not against its address', async () => {
  const key = await newKey('reads', ['read'], { requestsPerMinute: 700 });
  const headers = { authorization: `Bearer ${key}` };
  const statuses = new Set<number>();
  for (let index = 0; index < 720; index += 1) {
    const answer = await appliance.anonymous('/admin/settings', { headers });
    await answer.body?.cancel();
    statuses.add(answer.status);
  }
  expect([...statuses]).toEqual([403, 429]);
  expect((await appliance.anonymous('/v1/jobs/none')).status).toBe(404);
});

test('a wallet signs in to one environment', async () => {
  const wallet = privateKeyToAccount(generatePrivateKey());
  const header = async (uri: string) => {
    const issuedAt = new Date(appliance.clock.now());
    const common = { domain: new URL(appliance.url).host, address: wallet.address, uri, version: '1' as const };
    const nonce = crypto.randomUUID().replaceAll('-', '');
    const message = createSiweMessage({ ...common, chainId: 84_532, nonce, issuedAt });
    const signature = await wallet.signMessage({ message });
    const times = { nonce, issuedAt: issuedAt.toISOString() };
    const sent = { ...common, chainId: 'eip155:84532', type: 'eip191', ...times, signature };
    return Buffer.from(JSON.stringify(sent)).toString('base64');
  };
  const status = async (path: string, signed: string) =>
    (await appliance.anonymous(path, { headers: { 'sign-in-with-x': signed } })).status;
  const atOrigin = await header(`${appliance.url}/`);
  expect(await status('/staging/v1/jobs', atOrigin)).toBe(401);
  expect(await status('/v1/jobs', atOrigin)).toBe(200);
  const staging = await header(`${appliance.url}/staging/v1/jobs`);
  expect(await status('/v1/jobs', staging)).toBe(401);
  expect(await status('/staging/v1/jobs', staging)).toBe(200);
});

test('the bridge sends a file to the tools that take one, and to no address that a name spells', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'quarry allowed '));
  const file = join(folder, 'note.txt');
  await writeFile(file, 'Words.');
  const client = new McpClient({ name: 'test', version: '1' });
  const args = [CLI, 'mcp', '--data-dir', appliance.dataDir, '--allow', folder];
  await client.connect(new StdioClientTransport({ command: process.execPath, args, stderr: 'pipe' }));
  const codes = async () =>
    ((await (await appliance.owner('/admin/audit')).json()) as { entries: object[] }).entries.length;
  const before = await codes();
  for (const name of ['../admin/sign-in-codes', 'extract/doc', 'get_job', '..%2fadmin%2fkeys', 'extract_doc?x']) {
    const answer = client.callTool({ name, arguments: { file } }).then(
      ({ isError }) => isError === true,
      () => true,
    );
    expect(await answer, name).toBe(true);
  }
  expect(await codes()).toBe(before);
  await client.close();
  await rm(folder, { recursive: true });
});
