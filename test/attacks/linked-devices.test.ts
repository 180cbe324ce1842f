/**
 * The listener for phones and other computers: off by default; a stranger of the network gets the window's files and
 * nothing else; a code links one device, once; a device does what a creator does and nothing of the owner's; signing it
 * out ends it at once.
 */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { OPERATIONS, OWNER_ROUTES, PUBLIC_ROUTES, SCOPED_ADDRESSES } from '../../src-server/features.ts';
import { type Appliance, type Client, startAppliance } from '../harness/appliance.ts';
import { freePort } from '../harness/broker.ts';
import { fileForm, finished } from '../harness/jobs.ts';
import {
  DEVICE_HOST,
  type LinkedDevice,
  linkDevice,
  newCode,
  openDeviceDoor,
  sendCode,
} from '../harness/linked-device.ts';
import { serveWith } from '../harness/local-site.ts';
import { openSession, statusOf } from '../harness/owner-session.ts';
import { postJson } from '../harness/text-models.ts';

const MINUTE_MS = 60_000;

let appliance: Appliance;
let door: string;
let phone: LinkedDevice;
/** Stands for the built window. */
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'window-'));
  await writeFile(join(folder, 'index.html'), '<title>Quarry</title>');
  appliance = await startAppliance({ joined: false, rendererFolder: pathToFileURL(`${folder}/`) });
  door = await openDeviceDoor(appliance);
  phone = await linkDevice(appliance, door);
});
afterAll(async () => {
  await appliance.close();
  await rm(folder, { recursive: true });
});

const patch = (client: Client, path: string, body: object) => client(path, { ...postJson(body), method: 'PATCH' });

interface Access {
  on: boolean;
  listening: boolean;
  problem: string | null;
  urls: string[];
  devices: { deviceId: string; name: string; lastUsedAt: string }[];
}

const accessOf = async (of: Appliance): Promise<Access> => (await (await of.owner('/admin/devices')).json()) as Access;

/** Whether anything accepts a connection there. */
const isOpen = (host: string, port: number) =>
  new Promise<boolean>((resolve) => {
    const socket = connect({ host, port }, () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });

test('nothing listens by default, and no code is given out', async () => {
  await using other = await startAppliance({ joined: false });
  expect(await accessOf(other)).toEqual({
    ...{ on: false, address: null, port: 8403, listening: false, problem: null, devices: [] },
    urls: expect.any(Array),
    addresses: expect.any(Array),
  });
  expect((await other.owner('/admin/devices/codes', { method: 'POST' })).status).toBe(409);
  expect(await isOpen('127.0.0.1', 8403)).toBe(false);
});

test('a stranger gets the files of the window and the page that links, and nothing else', async () => {
  const paths = ['/admin/overview', '/admin/jobs', '/admin/events', '/admin/devices', '/v1/jobs', '/v1/voices'];
  const others = ['/health', '/ready', '/openapi.json', '/login', '/mcp', '/metrics', '/reference', '/inbox/a'];
  const tools = [
    '/openai/v1/models',
    '/ollama/api/tags',
    '/tika',
    '/facilitator/supported',
    '/v1/voices/samples/a.wav',
  ];
  const { body } = await fileJob(appliance.owner, 'The tide turned.');
  const own = [`/v1/jobs/${body.jobId}`, `/v1/jobs/${body.jobId}/events`, `/admin/jobs/${body.jobId}/source`];
  for (const path of [...paths, ...others, ...tools, ...own]) expect((await fetch(door + path)).status, path).toBe(401);
  for (const path of ['/v1/crawl', '/v1/extract/doc', '/staging/v1/crawl', '/mcp', '/login', '/openai/v1/responses']) {
    expect((await fetch(door + path, postJson({ url: 'https://a.example/' }))).status, path).toBe(401);
  }
  for (const path of ['/', '/jobs', '/link']) expect((await fetch(door + path)).status, path).toBe(200);
});

test('neither the owner token, nor a key, nor a session of the owner opens anything there', async () => {
  const made = await appliance.owner('/admin/keys', postJson({ name: 'all', scopes: ['admin'] }));
  const { key } = (await made.json()) as { key: string };
  const session = await openSession(appliance.url, appliance.ownerToken);
  const name = session.cookie.split('=')[1] ?? '';
  const tries = [
    { authorization: `Bearer ${appliance.ownerToken}` },
    { authorization: `Bearer ${key}` },
    { 'x-api-key': key },
    session.headers,
    { ...session.headers, cookie: `${phone.cookie.split('=')[0]}=${name}` },
    { cookie: phone.cookie },
    { 'x-quarry-session': phone.secret },
    { cookie: phone.cookie, 'x-quarry-session': session.secret },
    { cookie: phone.cookie, 'x-quarry-session': phone.secret, 'sec-fetch-site': 'cross-site' },
  ];
  for (const headers of tries) expect(await statusOf(`${door}/admin/overview`, headers as never)).toBe(401);
  expect((await sendCode(door, appliance.ownerToken)).status).toBe(401);
  // And the other way round: a device is nobody at the appliance's own address.
  const there = await fetch(`${appliance.url}/admin/overview`, {
    headers: {
      cookie: phone.cookie.replace(/^\w+=/, `${session.cookie.split('=')[0]}=`),
      'x-quarry-session': phone.secret,
    },
  });
  expect(there.status).toBe(401);
});

test('a code links once, within two minutes, and ends with the door', async () => {
  const { code, links } = await newCode(appliance);
  expect(Buffer.from(code, 'base64url').length * 8).toBeGreaterThanOrEqual(128);
  expect(links).toEqual([`${door}/link#${code}`]);
  const first = await sendCode(door, code);
  expect(first.status).toBe(200);
  expect(first.headers.get('set-cookie')).toMatch(/HttpOnly/);
  expect(first.headers.get('set-cookie')).toMatch(/SameSite=Strict/);
  expect((await sendCode(door, code)).status).toBe(401);
  const late = await newCode(appliance);
  appliance.clock.advance(2 * MINUTE_MS);
  expect((await sendCode(door, late.code)).status).toBe(401);
  const { code: ended } = await newCode(appliance);
  await patch(appliance.owner, '/admin/devices', { on: false });
  await patch(appliance.owner, '/admin/devices', { on: true });
  expect((await sendCode(door, ended)).status).toBe(401);
  // A code for devices is no sign-in code of the owner.
  const { code: other } = await newCode(appliance);
  expect((await fetch(`${appliance.url}/login`, postJson({ token: other }))).status).toBe(401);
});

test('guesses are bounded by address, with a true wait, also while a code is valid', async () => {
  await using other = await startAppliance({ joined: false });
  const url = await openDeviceDoor(other);
  const { code } = await newCode(other);
  other.clock.stand();
  const statuses: number[] = [];
  for (let count = 0; count < 12; count += 1) statuses.push((await sendCode(url, `${count}${'A'.repeat(42)}`)).status);
  expect(statuses).toEqual([...Array(10).fill(401), 429, 429]);
  const refused = await sendCode(url, code);
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '60']);
  other.clock.advance(MINUTE_MS);
  expect((await sendCode(url, code)).status).toBe(200);
});

test('a foreign Host and a foreign Origin are refused, linked or not', async () => {
  const own = { cookie: phone.cookie, 'x-quarry-session': phone.secret };
  const { port } = new URL(door);
  const from = (headers: Record<string, string>) => statusOf(`${door}/admin/overview`, { ...own, ...headers });
  expect(await from({})).toBe(200);
  expect(await from({ host: `evil.example:${port}` })).toBe(403);
  expect(await from({ host: `${DEVICE_HOST}.evil.example:${port}` })).toBe(403);
  expect(await from({ host: `${DEVICE_HOST}:${Number(port) - 1}` })).toBe(403);
  expect(await from({ origin: 'http://evil.example' })).toBe(403);
  expect(await from({ origin: `http://192.0.2.7:${port}` })).toBe(403);
  expect(await from({ origin: appliance.url })).toBe(403);
  expect(await from({ origin: door })).toBe(200);
  expect(await statusOf(`${door}/link`, { host: `evil.example:${port}` })).toBe(403);
});

/** What a device may call besides the operations. Everything else that is declared is refused. */
const DEVICE_ROUTES = [
  ...['listJobs', 'changeJobs', 'getJob', 'deleteJob', 'followJob', 'getJobFile', 'rechunkJob'],
  ...['createBatch', 'listBatches', 'getBatch', 'downloadBatch', 'deleteBatch', 'retryBatch'],
  ...['listWebhooks', 'getWebhook', 'contribute', 'listContributions', 'getContribution', 'reportContribution'],
  ...['listVoices', 'getVoiceSample', 'getHealth', 'getReadiness', 'getOpenApi', 'getOverview', 'followChanges'],
  ...['listAllJobs', 'getJobRecord', 'cancelJob', 'getJobSource', 'drawJobPage', 'getJobPeaks', 'getCrawlSoFar'],
  ...[
    'listModels',
    'listNeeds',
    'findWords',
    'hearPiece',
    'nameSpeakers',
    'makeDigest',
    'rememberVoice',
    'listRememberedVoices',
    'writeSubtitles',
  ],
  ...['makeSubtitledVideo', 'getSubtitledVideo', 'cancelSubtitledVideo', 'listNotes'],
  ...['beginReading', 'getReading', 'moveReading', 'removeReading', 'getSpokenPart', 'getPartSound', 'getReadingFile'],
  ...[
    'listItems',
    'countItems',
    'searchItems',
    'answerFromItems',
    'lookUpItem',
    'getItem',
    'getItemCover',
    'changeItem',
  ],
  ...['deleteItem', 'removeOriginals'],
  ...[
    'changeItems',
    'exportItems',
    'listVersions',
    'listRelatedItems',
    'listItemNotes',
    'addNote',
    'changeNote',
    'deleteNote',
  ],
  ...['listCollections', 'addCollection', 'changeCollection', 'deleteCollection'],
];

test('a device calls what a creator needs, and nothing else that is declared', async () => {
  const reached: string[] = [];
  for (const { method, path, scope, operationId } of [...PUBLIC_ROUTES, ...OWNER_ROUTES]) {
    const base = { environment: '/v1', owner: '/admin', origin: '' }[scope];
    const at = base + path.replaceAll(/\{\w+\}/g, 'unknown');
    const body =
      method === 'get' || method === 'delete' ? {} : { body: '{}', headers: { 'content-type': 'text/plain' } };
    const aborter = new AbortController();
    const answer = await phone.as(at, { method: method.toUpperCase(), ...body, signal: aborter.signal });
    const isStream = answer.headers.get('content-type')?.startsWith('text/event-stream') === true;
    const said = isStream ? '' : await answer.text();
    aborter.abort();
    if (path === '/login') continue;
    if (answer.status === 403) continue;
    reached.push(operationId);
    expect(said, at).not.toContain('nothing at this address');
  }
  expect(reached.sort()).toEqual([...DEVICE_ROUTES].sort());
  const refused = OPERATIONS.map(async ({ id }) => [id, (await phone.as(`/v1/${id}`, { method: 'POST' })).status]);
  const byId = Object.fromEntries(await Promise.all(refused)) as Record<string, number>;
  expect(Object.keys(byId).filter((id) => byId[id] === 403)).toEqual(['webhooks']);
  for (const { method, path } of SCOPED_ADDRESSES) {
    const at = path.replaceAll(/:\w+(\{[^}]*\})?/g, 'x');
    expect((await phone.as(at, { method })).status, path).toBe(403);
  }
});

interface Made {
  status: number;
  body: { jobId: string; code?: string };
}

async function fileJob(client: Client, words: string, fields: Record<string, string> = {}): Promise<Made> {
  const answer = await client('/v1/extract/doc', { method: 'POST', body: fileForm(words, 'notes.txt', fields) });
  return { status: answer.status, body: (await answer.json()) as Made['body'] };
}

test('a device makes, reads, lists and deletes jobs of the owner, which name it', async () => {
  const own = await fileJob(phone.as, 'From the phone.');
  await finished(phone.as, own.body.jobId);
  const ofOwner = await fileJob(appliance.owner, 'From the computer.');
  await finished(phone.as, ofOwner.body.jobId);
  const record = (await (await phone.as(`/admin/jobs/${own.body.jobId}`)).json()) as Record<string, string>;
  expect(record).toMatchObject({ keyName: 'Unknown browser', accountId: 'owner' });
  // A page shows files by their address, with the cookie and a ticket.
  const source = `/admin/jobs/${own.body.jobId}/source?ticket=${record.fileTicket}`;
  expect(await (await fetch(door + source, { headers: { cookie: phone.cookie } })).text()).toBe('From the phone.');
  expect((await fetch(door + source)).status).toBe(401);
  expect((await phone.as(`/v1/jobs/${ofOwner.body.jobId}`, { method: 'DELETE' })).status).toBe(204);
  const overview = (await (await phone.as('/admin/overview')).json()) as Record<string, object>;
  expect(JSON.stringify(overview)).not.toContain(appliance.dataDir);
});

test('a device reaches no private host, installs nothing, and sends nothing elsewhere', async () => {
  const hits: string[] = [];
  await using site = await serveWith((request, response) => {
    hits.push(request.url ?? '');
    response.end('inside');
  });
  const failed = async (path: string, body: object, more: Record<string, string> = {}) => {
    const init = postJson(body);
    const answer = await phone.as(path, { ...init, headers: { ...(init.headers as object), ...more } });
    if (answer.status >= 400) return answer.status;
    const { jobId } = (await answer.json()) as { jobId: string };
    return (await finished(phone.as, jobId)).status;
  };
  expect(await failed('/v1/crawl', { url: site.url })).not.toBe('completed');
  expect(await failed('/v1/extract/doc', { sourceUrl: `${site.url}/a.txt` })).not.toBe('completed');
  const file = `data:text/plain;base64,${Buffer.from('a').toString('base64')}`;
  expect(await failed('/v1/extract/doc', { file, webhookUrl: `${site.url}/hook` })).toBe(403);
  const batch = { operation: 'extract/doc', items: [{ sourceUrl: 'https://a.example/a.txt' }], webhookUrl: site.url };
  expect(await failed('/v1/batches', batch)).toBe(403);
  expect(hits).toEqual([]);
});

test('signing a device out ends its requests and its streams at once', async () => {
  const other = await linkDevice(appliance, door, 'Mozilla/5.0 (Linux; Android 14) Chrome/130 Mobile Safari/537');
  const { devices } = await accessOf(appliance);
  const listed = devices.find(({ name }) => name === 'Chrome on Android');
  const stream = await other.as('/admin/events');
  expect(stream.status).toBe(200);
  const ended = (async () => {
    for await (const _ of stream.body ?? []);
  })().catch(() => undefined);
  expect((await appliance.owner(`/admin/devices/${listed?.deviceId}`, { method: 'DELETE' })).status).toBe(204);
  await ended;
  expect((await other.as('/admin/overview')).status).toBe(401);
  expect((await phone.as('/admin/overview')).status).toBe(200);
  expect((await appliance.owner(`/admin/devices/${listed?.deviceId}`, { method: 'DELETE' })).status).toBe(404);
});

test('a device signs itself out, and nobody else', async () => {
  const other = await linkDevice(appliance, door);
  expect((await other.as('/link', { method: 'DELETE' })).status).toBe(204);
  expect((await other.as('/admin/overview')).status).toBe(401);
  expect((await phone.as('/admin/overview')).status).toBe(200);
});

test('no key opens the door, links a device or lists them', async () => {
  const made = await appliance.owner('/admin/keys', postJson({ name: 'admin', scopes: ['admin', 'read', 'run'] }));
  const { key } = (await made.json()) as { key: string };
  const as: Client = (path, init = {}) => {
    const headers = new Headers(init.headers);
    headers.set('authorization', `Bearer ${key}`);
    return appliance.anonymous(path, { ...init, headers });
  };
  expect((await as('/admin/devices')).status).toBe(403);
  expect((await patch(as, '/admin/devices', { on: false })).status).toBe(403);
  expect((await as('/admin/devices/codes', { method: 'POST' })).status).toBe(403);
  // The mark of devices is no scope that a key can have.
  const marked = await appliance.owner('/admin/keys', postJson({ name: 'marked', scopes: ['device'] }));
  expect(marked.status).toBe(400);
});

test('switched off, nothing listens and streams end; the devices stay linked, over a restart too', async () => {
  await using other = await startAppliance({ joined: false });
  const url = await openDeviceDoor(other);
  const device = await linkDevice(other, url);
  const stream = await device.as('/admin/events');
  const ended = (async () => {
    for await (const _ of stream.body ?? []);
  })().catch(() => undefined);
  await patch(other.owner, '/admin/devices', { on: false });
  await ended;
  expect(await isOpen(DEVICE_HOST, Number(new URL(url).port))).toBe(false);
  await other.restart();
  expect(await isOpen(DEVICE_HOST, Number(new URL(url).port))).toBe(false);
  await patch(other.owner, '/admin/devices', { on: true });
  expect((await device.as('/admin/overview')).status).toBe(200);
  await other.restart();
  expect((await device.as('/admin/overview')).status).toBe(200);
  other.clock.advance(31 * 24 * 60 * MINUTE_MS);
  expect((await device.as('/admin/overview')).status).toBe(401);
});

test('what cannot be opened is said in one sentence with the remedy, and changes nothing', async () => {
  await using other = await startAppliance({ joined: false });
  const url = await openDeviceDoor(other);
  const taken = createServer().listen(0, DEVICE_HOST);
  await new Promise((resolve) => taken.once('listening', resolve));
  const { port } = taken.address() as { port: number };
  const detailOf = async (body: object) => {
    const answer = await patch(other.owner, '/admin/devices', body);
    expect(answer.status).toBe(409);
    return ((await answer.json()) as { detail: string }).detail;
  };
  expect(await detailOf({ port })).toBe(`Another program uses port ${port}. Choose another port.`);
  expect(await detailOf({ address: '192.0.2.1' })).toContain('does not have the address 192.0.2.1');
  const own = Number(new URL(other.url).port);
  expect(await detailOf({ port: own })).toBe(`Port ${own} is that of Quarry itself. Choose another one.`);
  expect(await accessOf(other)).toMatchObject({ on: true, listening: true, urls: [url] });
  expect((await fetch(`${url}/link`)).status).toBe(200);
  // A port that is taken at a start stops no start.
  await patch(other.owner, '/admin/devices', { on: false });
  taken.close();
  const free = await freePort();
  await patch(other.owner, '/admin/devices', { on: true, port: free });
  const blocker = createServer();
  await other.restart(() => new Promise((resolve) => blocker.listen(free, DEVICE_HOST, () => resolve())));
  expect(await accessOf(other)).toMatchObject({
    on: true,
    listening: false,
    problem: `Another program uses port ${free}. Choose another port.`,
  });
  blocker.close();
  await patch(other.owner, '/admin/devices', { on: true });
  expect(await accessOf(other)).toMatchObject({ listening: true, problem: null });
});

test('without a network the door stays shut and says so, and opens when the network is there', async () => {
  let addresses: string[] = [];
  await using other = await startAppliance({ joined: false, networkAddresses: () => addresses });
  const refused = await patch(other.owner, '/admin/devices', { on: true, port: await freePort() });
  expect([refused.status, await refused.text()]).toEqual([409, expect.stringContaining('is in no network')]);
  expect(await accessOf(other)).toMatchObject({ on: false, listening: false, problem: null });
  addresses = ['192.0.2.7', '192.0.2.8'];
  expect((await accessOf(other)).urls).toEqual(addresses.map((address) => `http://${address}:8403`));
});
