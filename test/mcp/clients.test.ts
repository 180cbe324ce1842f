import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { OPERATIONS } from '../../src-server/features.ts';
import { type Appliance, startAppliance } from '../harness/appliance.ts';

const ROOT = join(import.meta.dirname, '../..');
const CLI = join(ROOT, 'src-server/cli.ts');
const JOB_TOOLS = ['get_job', 'get_text', 'list_jobs', 'cancel_job', 'list_items', 'search_items', 'change_item'];

let appliance: Appliance;
let report: string;
beforeAll(async () => {
  appliance = await startAppliance();
  const bytes = await readFile(join(ROOT, 'resources/examples/harbour-report.docx'));
  report = `data:application/octet-stream;base64,${bytes.toString('base64')}`;
});
afterAll(() => appliance.close());

type Mode = 'legacy' | 'auto';

async function overHttp(token: string, mode: Mode = 'legacy'): Promise<Client> {
  const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode } });
  const requestInit = { headers: { authorization: `Bearer ${token}` } };
  await client.connect(new StreamableHTTPClientTransport(new URL(`${appliance.url}/mcp`), { requestInit }));
  return client;
}

async function overStdio(flags: string[] = [], mode: Mode = 'legacy'): Promise<Client> {
  const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode } });
  const args = [CLI, 'mcp', '--data-dir', appliance.dataDir, ...flags];
  await client.connect(new StdioClientTransport({ command: process.execPath, args, stderr: 'pipe' }));
  return client;
}

async function keyWith(...scopes: string[]): Promise<string> {
  const body = JSON.stringify({ name: scopes.join(' '), scopes });
  const headers = { 'content-type': 'application/json' };
  const answer = await appliance.owner('/admin/keys', { method: 'POST', headers, body });
  return ((await answer.json()) as { key: string }).key;
}

async function call(client: Client, name: string, given: Record<string, unknown>) {
  const { content, isError } = await client.callTool({ name, arguments: given });
  return { isError: isError === true, texts: (content as { text: string }[]).map(({ text }) => text) };
}

async function ask(client: Client, name: string, given: Record<string, unknown>): Promise<Record<string, unknown>> {
  const { isError, texts } = await call(client, name, given);
  expect(isError, texts[0]).toBe(false);
  return JSON.parse(texts[0] ?? '') as Record<string, unknown>;
}

describe.each<[string, string, () => Promise<Client>]>([
  ['HTTP', '2025-11-25', () => overHttp(appliance.ownerToken)],
  ['HTTP', '2026-07-28', () => overHttp(appliance.ownerToken, 'auto')],
  ['stdio', '2025-11-25', () => overStdio()],
  ['stdio', '2026-07-28', () => overStdio([], 'auto')],
])('the official client over %s in version %s', (_, version, connect) => {
  test('finds the tools, extracts a document, reads it in pages and as a resource, and searches it', async () => {
    const client = await connect();
    expect(client.getNegotiatedProtocolVersion()).toBe(version);
    expect(client.getServerVersion()?.name).toBe('quarry');
    expect(client.getInstructions()).toContain('get_job');
    const { tools } = await client.listTools();
    const operations = OPERATIONS.map(({ id }) => id.replaceAll('/', '_'));
    expect(tools.map(({ name }) => name)).toEqual([...operations, ...JOB_TOOLS]);
    const extract = tools.find(({ name }) => name === 'extract_doc');
    expect(extract?.inputSchema).toMatchObject({
      type: 'object',
      properties: { file: {}, waitSeconds: { maximum: 50 } },
    });

    const started = await ask(client, 'extract_doc', { file: report, sourceName: 'Harbour' });
    expect(started).toMatchObject({ jobType: 'extract/doc', statusUrl: `${appliance.url}/v1/jobs/${started.jobId}` });
    const { jobId } = started;
    const job = await ask(client, 'get_job', { jobId, waitSeconds: 50 });
    expect(job.status).toBe('completed');
    const whole = await (await appliance.owner(`/v1/jobs/${jobId}/files/document.txt`)).text();
    let text = '';
    for (let offset: number | null = 0; offset !== null; ) {
      const { texts } = await call(client, 'get_text', { jobId, offset, limit: 500 });
      text += texts[0];
      offset = (JSON.parse(texts[1] ?? '') as { nextOffset: number | null }).nextOffset;
    }
    expect(text).toBe(whole);
    const [markdown] = (await call(client, 'get_text', { jobId, format: 'markdown' })).texts;
    expect(markdown).toMatch(/^#/m);

    const { resources } = await client.listResources();
    expect(resources[0]).toMatchObject({ uri: `quarry://jobs/${jobId}`, name: 'Harbour' });
    const { contents } = await client.readResource({ uri: `quarry://jobs/${jobId}` });
    expect(contents[0]).toMatchObject({ text: whole });
    expect((await client.listResourceTemplates()).resourceTemplates[0]?.uriTemplate).toBe('quarry://jobs/{id}');
    await expect(client.readResource({ uri: 'quarry://jobs/none' })).rejects.toThrow('There is no job with this id.');

    await expect
      .poll(async () => JSON.stringify(await ask(client, 'search', { query: 'harbour' })), { timeout: 30_000 })
      .toContain(jobId);
    await expect(client.callTool({ name: 'teleport', arguments: {} })).rejects.toThrow('There is no tool teleport.');
    await client.close();
  });
});

describe('a tool', () => {
  test('explains its refusals', async () => {
    const client = await overHttp(appliance.ownerToken);
    const refused = async (name: string, given: Record<string, unknown>) => {
      const { isError, texts } = await call(client, name, given);
      expect(isError).toBe(true);
      return JSON.parse(texts[0] ?? '') as unknown;
    };
    expect(await refused('extract_doc', { file: report, options: { segmentLength: 1 } })).toMatchObject({
      code: 'invalid_request',
      errors: [{ path: 'options.segmentLength' }],
    });
    expect(await refused('extract_doc', { file: report, waitSeconds: 900 })).toMatchObject({
      code: 'invalid_request',
      errors: [{ path: 'waitSeconds' }],
    });
    expect(await refused('extract_doc', { file: 'data:application/octet-stream;base64,AAAA' })).toMatchObject({
      code: 'unsupported_media',
    });
    expect(await refused('generate_text', { prompt: 'Hello' })).toMatchObject({
      code: 'model_not_installed',
      choices: expect.arrayContaining([expect.objectContaining({ name: expect.any(String) })]),
    });
    expect(await refused('get_job', { jobId: 'job_none' })).toMatchObject({ code: 'not_found' });
    expect(await refused('get_text', { jobId: 'job_none', limit: 1e9 })).toMatchObject({ errors: [{ path: 'limit' }] });
  });

  test('stands alone as a schema, and takes arguments as language models write them', async () => {
    const client = await overHttp(appliance.ownerToken);
    const schemas = (await client.listTools()).tools.map(({ inputSchema }) => inputSchema);
    const keys = new Set<string>();
    JSON.stringify(schemas, (key, value: unknown) => {
      keys.add(key);
      return value;
    });
    const stumbled = ['$ref', '$defs', '$schema', 'oneOf', 'propertyNames', 'const', 'exclusiveMinimum'];
    expect(stumbled.filter((key) => keys.has(key))).toEqual([]);
    const given = { file: report, sourceName: null, options: '{"segmentLength": "800"}', waitSeconds: '50' };
    const { jobId, status } = await ask(client, 'extract_doc', given);
    expect(status).toBe('completed');
    const { texts } = await call(client, 'get_text', { jobId, offset: null, limit: '120', format: 'text' });
    expect(Buffer.byteLength(texts[0] ?? '')).toBeLessThanOrEqual(120);
    for (const limit of ['three', '1.5', '[120]', {}]) {
      expect(await call(client, 'get_text', { jobId, limit }), String(limit)).toMatchObject({ isError: true });
    }
    // A text that looks like a number stays a text where a text is declared.
    const named = await ask(client, 'extract_doc', { file: report, sourceName: '42', waitSeconds: 50 });
    expect(named).toMatchObject({ status: 'completed' });
    await client.close();
  });

  test('is listed and called with its scope only, and runs under the name of the key', async () => {
    const reader = await overStdio(['--key', await keyWith('read')]);
    const { tools } = await reader.listTools();
    expect(tools.map(({ name }) => name)).toEqual([
      'search',
      'get_job',
      'get_text',
      'list_jobs',
      'list_items',
      'search_items',
    ]);
    const { isError, texts } = await call(reader, 'extract_doc', { file: report });
    expect(isError).toBe(true);
    expect(texts[0]).toContain('run:extract/doc');
    await reader.close();

    const runner = await overHttp(await keyWith('run:extract/doc'));
    expect((await runner.listTools()).tools.map(({ name }) => name)).toEqual([
      ...['extract_doc', 'get_job', 'get_text', 'cancel_job'],
    ]);
    expect((await runner.listResources()).resources).toEqual([]);
    const { jobId, status } = await ask(runner, 'extract_doc', { file: report, waitSeconds: 50 });
    expect(status).toBe('completed');
    const record = await (await appliance.owner(`/admin/jobs/${jobId}`)).json();
    expect(record).toMatchObject({ keyName: 'run:extract/doc' });
    expect((await call(runner, 'cancel_job', { jobId })).texts[0]).toContain('conflict');
    await runner.close();
  });
});

describe('the bridge and local files', () => {
  let folder: string;
  let outside: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'quarry allowed '));
    outside = await mkdtemp(join(tmpdir(), 'quarry outside '));
    await mkdir(join(folder, 'deep'));
    await writeFile(join(folder, 'deep', 'tide "table".md'), '# Tides\n\nHigh water is at noon.');
    await writeFile(join(outside, 'secret.txt'), 'The secret of the cellar.');
    await symlink(outside, join(folder, 'away'));
    await symlink(join(outside, 'secret.txt'), join(folder, 'secret.txt'));
    await symlink(join(folder, 'deep', 'tide "table".md'), join(folder, 'inside.md'));
  });
  afterAll(async () => {
    for (const path of [folder, outside]) await rm(path, { recursive: true });
  });

  test.each<[string, Mode]>([
    ['2025-11-25', 'legacy'],
    ['2026-07-28', 'auto'],
  ])('a tool reads a file below an allowed folder, and no other (%s)', async (_, mode) => {
    const client = await overStdio(['--allow', folder, `--allow=${join(folder, 'deep')}`], mode);
    const { tools } = await client.listTools();
    const told = (name: string) => JSON.stringify(tools.find((tool) => tool.name === name)?.inputSchema.properties);
    expect(told('extract_doc')).toContain('the absolute path of a file on this computer');
    expect(told('crawl')).not.toContain('path of a file on this computer');

    const path = join(folder, 'deep', 'tide "table".md');
    const given = { sourceName: 'Tides', options: { segmentLength: 500 }, waitSeconds: 50 };
    for (const file of [path, pathToFileURL(path).href, join(folder, 'inside.md')]) {
      const job = await ask(client, 'extract_doc', { file, ...given });
      expect(job).toMatchObject({ jobType: 'extract/doc', status: 'completed' });
      const { texts } = await call(client, 'get_text', { jobId: job.jobId });
      expect(texts[0]).toContain('High water is at noon.');
    }
    const refused = async (file: string, more: object = {}) => {
      const { isError, texts } = await call(client, 'extract_doc', { file, ...more });
      expect(isError, file).toBe(true);
      return texts[0] ?? '';
    };
    const elsewhere = [
      ...[join(outside, 'secret.txt'), join(folder, 'secret.txt'), join(folder, 'away', 'secret.txt')],
      ...[join(folder, '..', 'none.txt'), join(folder, 'none.txt'), folder, pathToFileURL(join(outside, 'x')).href],
    ];
    for (const file of elsewhere) expect(await refused(file)).toContain('There is no file');
    expect(await refused('deep/tide.md')).toContain('absolute path');
    expect(await refused(path, { waitSeconds: 900 })).toContain('waitSeconds');
    expect(await refused(path, { options: { segmentLength: 1 } })).toContain('options.segmentLength');
    await client.close();
  });

  test('the roots of the client are allowed; without them no folder is', async () => {
    const path = join(outside, 'secret.txt');
    const without = await overStdio();
    expect((await call(without, 'extract_doc', { file: path })).texts[0]).toContain('No folder is allowed.');
    await without.close();

    const client = new Client({ name: 'test', version: '1' }, { capabilities: { roots: {} } });
    client.setRequestHandler('roots/list', () => ({ roots: [{ uri: pathToFileURL(outside).href }] }));
    const args = [CLI, 'mcp', '--data-dir', appliance.dataDir, '--key', await keyWith('run:extract/doc', 'read')];
    await client.connect(new StdioClientTransport({ command: process.execPath, args, stderr: 'pipe' }));
    expect(await ask(client, 'extract_doc', { file: path, waitSeconds: 50 })).toMatchObject({ status: 'completed' });
    const { isError } = await call(client, 'extract_doc', { file: join(folder, 'inside.md') });
    expect(isError).toBe(true);
    await client.close();
  });
});

test('a job goes on after the answer, and cancel_job ends it', async () => {
  await using silent = await startSilentServer();
  const client = await overHttp(appliance.ownerToken);
  const { jobId, status } = await ask(client, 'extract_doc', { sourceUrl: silent.url });
  expect(['queued', 'processing']).toContain(status);
  expect((await call(client, 'get_text', { jobId })).texts[0]).toContain('conflict');
  const { jobs } = await ask(client, 'list_jobs', { limit: 1 });
  expect(jobs).toMatchObject([{ jobId }]);
  expect(await ask(client, 'cancel_job', { jobId })).toMatchObject({ jobId, error: { code: 'cancelled' } });
  await client.close();
});

/** Takes requests and never answers. */
async function startSilentServer() {
  const server = createServer(() => undefined);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const close = async () => {
    server.closeAllConnections();
    server.close();
  };
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/report.docx`;
  return { url, [Symbol.asyncDispose]: close };
}

describe('the address', () => {
  const post = (body: string, headers: Record<string, string> = {}) =>
    appliance.owner('/mcp', {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream', ...headers },
      body,
    });
  const list = { jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} };

  test.each<[string, string, Record<string, string>, number, number]>([
    ['malformed JSON', '{"jsonrpc": ', {}, 400, -32700],
    ['a list', '[]', {}, 400, -32600],
    ['10 MB', JSON.stringify({ ...list, params: { pad: 'x'.repeat(10 << 20) } }), {}, 413, -32000],
    ['another type', JSON.stringify(list), { 'content-type': 'text/plain' }, 415, -32000],
    ['an unknown version', JSON.stringify(list), { 'mcp-protocol-version': '1999-01-01' }, 400, -32000],
  ])('refuses %s with a JSON-RPC error', async (_, body, headers, status, code) => {
    const answer = await post(body, headers);
    expect(answer.status).toBe(status);
    expect(await answer.json()).toMatchObject({ jsonrpc: '2.0', error: { code, message: expect.any(String) } });
  });

  test('refuses other methods, and wrong credentials', async () => {
    for (const method of ['GET', 'DELETE']) {
      const answer = await appliance.owner('/mcp', { method });
      expect([answer.status, answer.headers.get('allow')]).toEqual([405, 'POST']);
      expect(await answer.json()).toMatchObject({ jsonrpc: '2.0', error: { data: { code: 'method_not_allowed' } } });
    }
    const headers = { authorization: 'Bearer qk_wrong' };
    const wrong = await appliance.anonymous('/mcp', { method: 'POST', body: '{}', headers });
    expect([wrong.status, wrong.headers.get('www-authenticate')]).toEqual([401, 'Bearer']);
    expect(await wrong.json()).toMatchObject({ jsonrpc: '2.0', error: { data: { code: 'unauthorized' } } });
  });
});

test.each([
  ['no server runs', ['--data-dir', join(tmpdir(), 'no quarry here')], /no quarry here/],
  ['the key is wrong', ['--key=qk_wrong'], /neither the owner token nor a valid key/],
  ['the key is no key', ['--key', 'token'], /begins with qk_/],
  ['a folder is missing', ['--allow', join(tmpdir(), 'no folder here')], /no folder here/],
])('the bridge says on standard error that %s', async (_, flags, message) => {
  const all = [CLI, 'mcp', '--data-dir', appliance.dataDir, ...flags];
  const said = await new Promise<{ code: unknown; stdout: string; stderr: string }>((resolve) => {
    execFile(process.execPath, all, (error, stdout, stderr) => resolve({ code: error?.code, stdout, stderr }));
  });
  expect(said).toMatchObject({ code: 1, stdout: '', stderr: expect.stringMatching(message) });
});

test('the library is listed, searched and changed', async () => {
  const client = await overHttp(appliance.ownerToken);
  const { jobId } = await ask(client, 'extract_doc', { file: report, waitSeconds: 50 });
  const { items, total } = await ask(client, 'list_items', { kind: 'document', limit: 50 });
  expect(total).toBeGreaterThan(0);
  const { itemId } = (items as { itemId: string; jobId: string }[]).find((item) => item.jobId === jobId) ?? {};
  expect(await ask(client, 'change_item', { itemId, addTags: ['port'] })).toMatchObject({ itemId, tags: ['port'] });
  expect(await ask(client, 'search_items', { query: 'harbour', mode: 'lexical', tag: 'port' })).toMatchObject({
    total: 1,
    items: [{ item: { itemId } }],
  });
  await client.close();
});
