/**
 * Rights of a key are judged by what comes of a request: `Prefer: install` installs, and a changed server address would
 * receive the key of that server.
 */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { type Appliance, type Client, startAppliance } from '../harness/appliance.ts';
import { postJson } from '../harness/text-models.ts';
import { until } from '../harness/until.ts';

const SECRETS = { text: 'sk-text-secret', speech: 'sk-speech-secret' };

let appliance: Appliance;
/** The server of the owner, and one that somebody else puts in its place. */
let good: Server;
let evil: Server;
const asked: { host: 'good' | 'evil'; path: string; authorization: string | undefined }[] = [];

const urlOf = (server: Server) => `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

async function listen(host: 'good' | 'evil'): Promise<Server> {
  const server = createServer((request, response) => {
    const path = request.url ?? '';
    asked.push({ host, path, authorization: request.headers.authorization });
    if (!path.endsWith('/models')) return void response.writeHead(404).end();
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ object: 'list', data: [{ id: `model-of-${host}`, object: 'model' }] }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return server;
}

beforeAll(async () => {
  good = await listen('good');
  evil = await listen('evil');
  appliance = await startAppliance({
    knownTextServers: [],
    textServerKey: SECRETS.text,
    speechServerKey: SECRETS.speech,
  });
});
beforeEach(() => {
  asked.length = 0;
});
afterAll(async () => {
  await appliance.close();
  good.close();
  evil.close();
});

async function keyWith(name: string, scopes: string[]): Promise<Client> {
  const answer = await appliance.owner('/admin/keys', postJson({ name, scopes }));
  const { key } = (await answer.json()) as { key: string };
  return (path, init = {}) => {
    const headers = new Headers(init.headers);
    headers.set('authorization', `Bearer ${key}`);
    return appliance.anonymous(path, { ...init, headers });
  };
}

async function name(client: Client, server: Server): Promise<void> {
  const url = `${urlOf(server)}/v1`;
  const change = { textServerUrl: url, speechServerUrl: url, speechServerVoices: ['Ember'] };
  expect((await client('/admin/settings', { ...postJson(change), method: 'PATCH' })).status).toBe(200);
  appliance.clock.advance(600_000);
}

/** Asks both servers, and returns what they were sent as keys. */
async function keysSent(): Promise<string[]> {
  asked.length = 0;
  await appliance.owner('/v1/generate/text', postJson({ prompt: 'The words of the owner.' }));
  // The answer waits for the first sound, which never comes.
  const leaving = new AbortController();
  const speech = { ...postJson({ prompt: 'Hello.', voice: 'server-ember' }), signal: leaving.signal };
  const left = appliance.owner('/v1/generate/audio', speech).catch(() => undefined);
  await until(() => asked.some(({ path }) => path.includes('speech')));
  leaving.abort();
  await left;
  const { jobs } = (await (await appliance.owner('/v1/jobs')).json()) as { jobs: { jobId: string }[] };
  for (const { jobId } of jobs) await appliance.owner(`/v1/jobs/${jobId}`, { method: 'DELETE' });
  return [
    ...new Set(asked.map(({ host, authorization = 'none' }) => `${host} ${authorization.replace('Bearer ', '')}`)),
  ];
}

test('the keys of servers go only to the address that they were given for', async () => {
  const admin = await keyWith('admin', ['admin', 'private-network']);
  // Nobody has said yet whose keys these are: an address that a tool names is no answer.
  await name(admin, evil);
  expect(await keysSent()).toEqual(['evil none']);
  await appliance.restart();
  expect(await keysSent()).toEqual(['evil none']);

  await name(appliance.owner, good);
  expect((await keysSent()).sort()).toEqual([`good ${SECRETS.speech}`, `good ${SECRETS.text}`]);
  for (const client of [admin, appliance.owner]) {
    await name(client, evil);
    expect(await keysSent()).toEqual(['evil none']);
    await appliance.restart();
    expect(await keysSent()).toEqual(['evil none']);
  }
  await name(appliance.owner, good);
  expect((await keysSent()).sort()).toEqual([`good ${SECRETS.speech}`, `good ${SECRETS.text}`]);
});

test.for(['textServerUrl', 'speechServerUrl', 'modelMirrorUrl'])(
  'a key that may not name private hosts does not set %s',
  async (field) => {
    const admin = await keyWith(`admin for ${field}`, ['admin']);
    const before = await (await appliance.owner('/admin/settings')).json();
    const change = { [field]: `${urlOf(evil)}/v1`, retentionHours: 99 };
    const answer = await admin('/admin/settings', { ...postJson(change), method: 'PATCH' });
    expect(answer.status).toBe(403);
    expect(await answer.json()).toMatchObject({ code: 'forbidden', detail: expect.stringContaining(field) });
    expect(await (await appliance.owner('/admin/settings')).json()).toEqual(before);
    const harmless = { ...postJson({ retentionHours: 98 }), method: 'PATCH' };
    expect((await admin('/admin/settings', harmless)).status).toBe(200);
  },
);

test('Prefer: install of a key installs only what its scopes may install', async () => {
  await using bare = await startAppliance({ knownTextServers: [] });
  const change = { modelMirrorUrl: urlOf(evil) };
  await bare.owner('/admin/settings', { ...postJson(change), method: 'PATCH' });
  const send = async (scopes: string[], path: string, body: object, prefer: string) => {
    const made = await bare.owner('/admin/keys', postJson({ name: `${scopes} ${path} ${prefer}`, scopes }));
    const { key } = (await made.json()) as { key: string };
    const headers = { 'content-type': 'application/json', authorization: `Bearer ${key}`, prefer };
    return bare.anonymous(path, { ...postJson(body), headers });
  };
  const text = { prompt: 'Words.' };
  const ignored = await send(['run:generate/text'], '/v1/generate/text', text, 'install');
  expect(ignored.status).toBe(503);
  expect(await ignored.json()).toMatchObject({ code: 'model_not_installed', choices: expect.anything() });
  expect(ignored.headers.get('preference-applied')).toBeNull();
  const batch = { operation: 'extract/doc', items: [{ sourceUrl: urlOf(good) }] };
  const paused = await send(['run'], '/v1/batches', batch, 'install');
  expect(paused.headers.get('preference-applied')).toBeNull();
  expect((await send(['run'], '/v1/generate/text', text, 'install=ask')).status).toBe(202);
  expect(asked.filter(({ host }) => host === 'evil')).toEqual([]);
});
