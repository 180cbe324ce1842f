import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Appliance, startAppliance } from '../harness/appliance.ts';

interface Entry {
  entryId: string;
  at: string;
  kind: string;
  keyId: string | null;
  keyName: string | null;
  method: string;
  route: string;
  target: string | null;
  status: number;
  code: string | null;
  requestId: string;
}

let appliance: Appliance;
beforeAll(async () => {
  appliance = await startAppliance();
});
afterAll(() => appliance.close());

const json = (method: string, body: unknown): RequestInit => ({
  method,
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(body),
});

const as =
  (key: string) =>
  (path: string, init: RequestInit = {}) => {
    const headers = new Headers(init.headers);
    headers.set('authorization', `Bearer ${key}`);
    return appliance.anonymous(path, { ...init, headers });
  };

async function page(query = ''): Promise<{ entries: Entry[]; nextCursor: string | null }> {
  const answer = await appliance.owner(`/admin/audit?${query}`);
  expect(answer.status, await answer.clone().text()).toBe(200);
  return (await answer.json()) as { entries: Entry[]; nextCursor: string | null };
}

const entries = async (query = '') => (await page(query)).entries;

async function make(name: string, scopes: string[]): Promise<{ keyId: string; key: string }> {
  return (await (await appliance.owner('/admin/keys', json('POST', { name, scopes }))).json()) as never;
}

describe('the audit log', () => {
  test('records who did what with which outcome, and no secret or body', async () => {
    const { keyId, key } = await make('Narrator', ['run:extract/doc']);
    await appliance.owner('/admin/settings', json('PATCH', { crawlDelayMs: 1234, retentionHours: 77 }));
    await appliance.owner('/admin/settings');
    const tool = as(key);
    const file = `data:text/plain;base64,${Buffer.from('The secret tide turns.').toString('base64')}`;
    const made = await tool('/v1/extract/doc', json('POST', { file, sourceName: 'tide' }));
    const { jobId } = (await made.json()) as { jobId: string };
    await tool('/v1/crawl', json('POST', { url: 'https://harbour.example/' }));
    await tool(`/v1/jobs/${jobId}`, { method: 'DELETE' });
    const inbox = (await (await appliance.owner('/admin/inboxes', json('POST', {}))).json()) as { name: string };
    await appliance.owner(`/admin/inboxes/${inbox.name}`, { method: 'DELETE' });
    await appliance.owner(`/admin/keys/${keyId}`, { method: 'DELETE' });

    const all = await entries();
    const who = { keyId, keyName: 'Narrator' };
    const owner = { keyId: null, keyName: null };
    const done = { code: null };
    expect(all.slice(0, 8)).toMatchObject([
      { kind: 'change', ...owner, method: 'DELETE', route: '/admin/keys/{keyId}', target: keyId, status: 204, ...done },
      { ...owner, method: 'DELETE', route: '/admin/inboxes/{name}', target: null },
      { ...owner, method: 'POST', route: '/admin/inboxes', target: null, status: 201 },
      { kind: 'change', ...who, method: 'DELETE', route: '/v1/jobs/{jobId}', target: jobId, status: 204 },
      { kind: 'run', ...who, method: 'POST', route: '/v1/crawl', target: null, status: 403, code: 'forbidden' },
      { kind: 'run', ...who, method: 'POST', route: '/v1/extract/doc', target: jobId, status: 202, ...done },
      { ...owner, method: 'PATCH', route: '/admin/settings', target: 'retentionHours crawlDelayMs', status: 200 },
      { ...owner, method: 'POST', route: '/admin/keys', target: keyId, status: 201 },
    ]);
    const text = JSON.stringify(all);
    for (const secret of [key, inbox.name, appliance.ownerToken, 'tide', '1234', 'harbour']) {
      expect(text).not.toContain(secret);
    }
  });

  test('is read in pages and by filters, and survives a restart', async () => {
    const { keyId, key } = await make('Filtered', ['run']);
    await as(key)('/v1/crawl', json('POST', { url: 'nonsense' }));
    await as(key)('/v1/search', json('POST', { query: 'tide' }));
    const first = await page('limit=1');
    expect(first.entries).toMatchObject([{ kind: 'run', keyId, code: 'invalid_request', status: 400 }]);
    const second = await page(`limit=1&cursor=${first.nextCursor}`);
    expect(second.entries).toMatchObject([{ route: '/admin/keys' }]);
    await appliance.restart();
    expect(await entries(`actor=${keyId}`)).toHaveLength(1);
    expect((await entries('actor=owner')).every((one) => one.keyId === null)).toBe(true);
    expect((await entries('kind=run')).every(({ kind }) => kind === 'run')).toBe(true);
    expect((await entries('outcome=refused')).every(({ code }) => code !== null)).toBe(true);
    const at = first.entries[0]?.at ?? '';
    expect((await entries(`to=${at}`)).every((one) => one.at < at)).toBe(true);
    const wrong = await appliance.owner('/admin/audit?kind=all');
    expect(await wrong.json()).toMatchObject({ errors: [{ path: 'kind' }] });
  });

  test('names the tool of an MCP call, and leaves out what only reads', async () => {
    const { keyId, key } = await make('Assistant', ['run:extract/doc', 'read']);
    const client = new Client({ name: 'test', version: '1' });
    const requestInit = { headers: { authorization: `Bearer ${key}` } };
    await client.connect(new StreamableHTTPClientTransport(new URL(`${appliance.url}/mcp`), { requestInit }));
    await client.listTools();
    await client.callTool({ name: 'list_jobs', arguments: {} });
    await client.callTool({ name: 'crawl', arguments: { url: 'https://harbour.example/' } });
    await client.callTool({ name: 'extract_doc', arguments: { file: 'data:text/plain;base64,VGlkZS4=' } });
    await client.close();
    expect(await entries(`actor=${keyId}`)).toMatchObject([
      { kind: 'run', route: '/mcp', target: 'extract_doc', code: null },
      { kind: 'run', route: '/mcp', target: 'crawl', code: 'forbidden' },
    ]);
  });

  test('forgets entries after 90 days', async () => {
    await appliance.owner('/admin/settings', json('PATCH', { crawlDelayMs: 1 }));
    const [old] = await entries('limit=1');
    appliance.clock.advance(91 * 86_400_000);
    await appliance.restart();
    await appliance.owner('/admin/settings', json('PATCH', { crawlDelayMs: 2 }));
    const now = await entries();
    expect(now).toHaveLength(1);
    expect(now[0]?.entryId).not.toBe(old?.entryId);
  });
});
