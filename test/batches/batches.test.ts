/** Batches: many files or addresses in one request, a job for each, and one webhook at the end. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { strFromU8, unzipSync } from 'fflate';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { z } from 'zod';
import type { Batch, BatchPage } from '../../src-server/features/batches/schema.ts';
import { type Appliance, type Client, startAppliance } from '../harness/appliance.ts';
import { startApplianceProcess } from '../harness/appliance-process.ts';
import { finished } from '../harness/jobs.ts';
import { type LocalSite, serveWith } from '../harness/local-site.ts';
import { postJson } from '../harness/text-models.ts';
import { until } from '../harness/until.ts';

type Page = z.infer<typeof BatchPage>;

let appliance: Appliance;
let site: LocalSite;
/** Bodies of callbacks, by path. */
const calls: { path: string; event: string; body: Record<string, unknown> }[] = [];

beforeAll(async () => {
  appliance = await startAppliance();
  site = await serveWith(async (request, response) => {
    const path = request.url ?? '';
    if (request.method === 'POST') {
      let text = '';
      for await (const piece of request) text += String(piece);
      calls.push({ path, event: String(request.headers['x-service-event']), body: JSON.parse(text) });
      return void response.end();
    }
    // Never answered: its job runs until it is cancelled.
    if (path.startsWith('/held')) return;
    response.writeHead(200, { 'content-type': 'text/html' });
    response.end(`<title>T</title><main><p>The text of ${path}.</p></main>`);
  });
});
afterAll(async () => {
  await appliance.close();
  await site[Symbol.asyncDispose]();
});

const send = (body: object, client: Client = appliance.owner) => client('/v1/batches', postJson(body));

async function made(answer: Response): Promise<Batch> {
  const batch = (await answer.json()) as Batch;
  expect(answer.status, JSON.stringify(batch)).toBe(202);
  return batch;
}

const read = async (batchId: string, query = '?limit=200', client: Client = appliance.owner) =>
  (await (await client(`/v1/batches/${batchId}${query}`)).json()) as Page;

async function ended(batchId: string, client: Client = appliance.owner): Promise<Page> {
  const page = () => read(batchId, '?limit=200', client);
  await until(async () => (await page()).status !== 'processing');
  return page();
}

function form(batch: object, files: [name: string, content: string | Uint8Array<ArrayBuffer>][]): RequestInit {
  const body = new FormData();
  for (const [name, content] of files) body.append('file', new Blob([content]), name);
  body.set('batch', JSON.stringify(batch));
  return { method: 'POST', body };
}

const files = ({ dataDir }: { dataDir: string } = appliance) => readdirSync(join(dataDir, 'production', 'batches'));

/** The header with a proof of the demo wallet for a batch, by its query. */
async function proofFor(client: Client, query: string): Promise<Record<string, string>> {
  const unpaid = await client(`/v1/batches?${query}`, { method: 'POST' });
  expect(unpaid.status).toBe(402);
  const { accepts } = (await unpaid.json()) as { accepts: object[] };
  const paid = await client('/facilitator/pay', postJson(accepts[0] ?? {}));
  return { 'X-PAYMENT': ((await paid.json()) as { payload: string }).payload };
}

async function keyWith(name: string, scopes: string[], more: object = {}): Promise<Client> {
  const answer = await appliance.owner('/admin/keys', postJson({ name, scopes, ...more }));
  const { key } = (await answer.json()) as { key: string };
  return (path, init = {}) => {
    const headers = new Headers(init.headers);
    headers.set('authorization', `Bearer ${key}`);
    return appliance.anonymous(path, { ...init, headers });
  };
}

test('files and addresses become jobs; a broken one fails alone; one webhook tells the end', async () => {
  const answer = await appliance.owner(
    '/v1/batches',
    form(
      {
        operation: 'extract/doc',
        request: { options: { segmentLength: 500 } },
        items: [{ sourceUrl: `${site.url}/page`, sourceName: 'A page' }],
        webhookUrl: `${site.url}/hook`,
      },
      [
        ['one.txt', 'The first file.'],
        ['broken.docx', new Uint8Array([0x50, 0x4b, 3, 4, 0, 0, 0, 0])],
        ['two.md', '# Two\n\nThe second file.'],
      ],
    ),
  );
  const { batchId, statusUrl } = await made(answer);
  expect(answer.headers.get('location')).toBe(statusUrl);
  const batch = await ended(batchId);
  expect(batch).toMatchObject({ status: 'completed', counts: { completed: 3, failed: 1, waiting: 0, processing: 0 } });
  expect(batch.items.map(({ fileName, status }) => [fileName, status])).toEqual([
    [null, 'completed'],
    ['one.txt', 'completed'],
    ['broken.docx', 'failed'],
    ['two.md', 'completed'],
  ]);
  const [page, , broken, last] = batch.items;
  expect(broken?.error?.message).toBeTruthy();
  expect(await finished(appliance.owner, page?.jobId ?? '')).toMatchObject({ sourceName: 'A page' });
  const job = await finished(appliance.owner, last?.jobId ?? '');
  expect(JSON.stringify(job.result)).toContain('The second file.');
  const isOurs = ({ path }: { path: string }) => path === '/hook';
  await until(async () => calls.some(isOurs));
  expect(calls.filter(isOurs)).toMatchObject([
    { event: 'batch.completed', body: { batchId, counts: { completed: 3, failed: 1 }, failures: [{ index: 2 }] } },
  ]);
  expect(files()).toEqual([]);
  const zip = await appliance.anonymous(`/v1/batches/${batchId}/results.zip`);
  expect(zip.headers.get('content-type')).toBe('application/zip');
  const unzipped = unzipSync(new Uint8Array(await zip.arrayBuffer()));
  const folders = Object.keys(unzipped).map((name) => name.split('/')[0]);
  expect([...new Set(folders)]).toEqual(['001 page', '002 one.txt', '004 two.md']);
  expect(JSON.parse(strFromU8(unzipped['004 two.md/job.json'] ?? new Uint8Array()))).toMatchObject({
    jobId: last?.jobId,
  });
  const first = await read(batchId, '?limit=3');
  expect(first.nextCursor).toBe('2');
  expect((await read(batchId, '?limit=3&cursor=2')).items.map(({ index }) => index)).toEqual([3]);
  expect((await read(batchId, '?status=failed')).items.map(({ index }) => index)).toEqual([2]);
  const listed = (await (await appliance.owner('/v1/batches')).json()) as { batches: Batch[] };
  expect(listed.batches.map((one) => one.batchId)).toContain(batchId);
  expect((await appliance.owner(`/v1/batches/${batchId}`, { method: 'DELETE' })).status).toBe(204);
  expect((await appliance.anonymous(`/v1/batches/${batchId}`)).status).toBe(404);
  expect((await appliance.anonymous(`/v1/jobs/${last?.jobId}`)).status).toBe(200);
});

test('a cancelled batch cancels its jobs and what waits, and says so once', { tags: ['long'] }, async () => {
  const items = Array.from({ length: 30 }, (_, n) => ({ sourceUrl: `${site.url}/held/${n}` }));
  const webhookUrl = `${site.url}/cancelled`;
  const { batchId } = await made(await send({ operation: 'extract/doc', items, webhookUrl }));
  await until(async () => (await read(batchId)).counts.processing === 20);
  expect((await read(batchId)).counts.waiting).toBe(10);
  expect((await appliance.owner(`/v1/batches/${batchId}`, { method: 'DELETE' })).status).toBe(204);
  expect(await ended(batchId)).toMatchObject({ status: 'cancelled', counts: { cancelled: 30, processing: 0 } });
  await until(async () => calls.some(({ path }) => path === '/cancelled'));
  expect(calls.filter(({ path }) => path === '/cancelled')).toMatchObject([
    { body: { status: 'cancelled', failures: [] } },
  ]);
});

test('a server that is killed in the middle loses no item and submits none twice', async () => {
  await using server = await startApplianceProcess();
  const documents = Array.from({ length: 22 }, (_, n): [string, string] => [`${n}.txt`, `File number ${n}.`]);
  const items = Array.from({ length: 4 }, (_, n) => ({ sourceUrl: `${site.url}/again/${n}` }));
  const sent = form({ operation: 'extract/doc', items, webhookUrl: `${site.url}/again` }, documents);
  const bought = () =>
    form({ operation: 'extract/doc' }, [
      ['a.txt', 'The first one.'],
      ['b.txt', 'The second one.'],
    ]);
  const anonymous: Client = (path, init) => fetch(server.url + path, init);
  const proof = await proofFor(anonymous, 'operation=extract/doc&items=2');
  const buy = () => anonymous('/v1/batches?operation=extract/doc&items=2', { ...bought(), headers: proof });
  const { batchId: paidId } = await made(await buy());
  const { batchId } = await made(await server.owner('/v1/batches', sent));
  await until(async () => (await read(batchId, '', server.owner)).counts.waiting < 26);
  await server.kill('SIGKILL');
  expect(files(server)).toContain(batchId);
  await server.restart();
  expect((await made(await buy())).batchId).toBe(paidId);
  expect(await ended(paidId, server.owner)).toMatchObject({ counts: { completed: 2 }, paid: { amount: '280000' } });
  const { payments } = (await (await server.owner('/admin/payments')).json()) as { payments: object[] };
  expect(payments).toMatchObject([{ status: 'settled', amount: '280000', batchId: paidId, jobId: null }]);
  const batch = await ended(batchId, server.owner);
  expect(batch).toMatchObject({ status: 'completed', counts: { completed: 26, failed: 0 } });
  expect(new Set(batch.items.map(({ jobId }) => jobId)).size).toBe(26);
  const listed = (await (await server.owner('/v1/jobs?limit=200')).json()) as { jobs: unknown[] };
  expect(listed.jobs.length).toBe(28);
  const isOurs = ({ path }: { path: string }) => path === '/again';
  await until(async () => calls.some(isOurs));
  expect(calls.filter(isOurs).length).toBe(1);
  expect(files(server)).toEqual([]);
});

test('strangers buy a batch with one proof, and are refused before they pay for what cannot work', async () => {
  const query = 'operation=extract/doc&items=2';
  const good: [string, string][] = [
    ['a.txt', 'The first one.'],
    ['b.txt', 'The second one.'],
  ];
  const buy = (headers: Record<string, string>, sent = form({ operation: 'extract/doc' }, good), asked = query) =>
    appliance.anonymous(`/v1/batches?${asked}`, { ...sent, headers });
  const unpaid = await buy({});
  expect([unpaid.status, await unpaid.json()]).toMatchObject([
    402,
    { accepts: [{ maxAmountRequired: '280000', resource: expect.stringContaining('items=2') }] },
  ]);
  for (const asked of ['items=2', 'operation=extract/doc', 'operation=webhooks&items=2', 'operation=search&items=2']) {
    expect((await buy({}, undefined, asked)).status, asked).toBe(400);
  }
  const proof = await proofFor(appliance.anonymous, query);
  const three: [string, string][] = [...good, ['c.txt', 'The third one.']];
  expect((await buy(proof, form({ operation: 'extract/doc' }, three))).status).toBe(400);
  expect((await buy(proof, undefined, 'operation=extract/doc&items=3')).status).toBe(402);
  const broken = form({ operation: 'extract/doc' }, [...good.slice(1), ['empty.txt', '']]);
  const refused = await buy(proof, broken);
  expect([refused.status, await refused.text()]).toEqual([422, expect.stringContaining('empty.txt')]);
  expect(files()).toEqual([]);
  const answers = await Promise.all([buy(proof), buy(proof)]);
  const batches = await Promise.all(answers.map(made));
  const { batchId = '' } = batches[0] ?? {};
  expect(batches.map((batch) => batch.batchId)).toEqual([batchId, batchId]);
  expect(answers[0]?.headers.get('x-payment-response')).toBeTruthy();
  const batch = await ended(batchId);
  expect(batch).toMatchObject({ counts: { completed: 2 }, paid: { amount: '280000', mode: 'sandbox' } });
  expect((await made(await buy(proof))).batchId).toBe(batchId);
  const other = form({ operation: 'extract/doc' }, [...good.slice(1), ['z.txt', 'Another one.']]);
  expect((await buy(proof, other)).status).toBe(402);
  expect(files()).toEqual([]);
  expect((await appliance.anonymous(`/v1/batches/${batchId}`, { method: 'DELETE' })).status).toBe(401);
});

test('a request that cannot work names its field, and leaves no file', async () => {
  const good = { operation: 'extract/doc', items: [{ sourceUrl: `${site.url}/page` }] };
  const many = Array.from({ length: 201 }, () => ({ sourceUrl: `${site.url}/page` }));
  const cases: [field: string, body: object][] = [
    ['operation', { ...good, operation: 'generate/text' }],
    ['operation', { items: good.items }],
    ['items', { ...good, items: [] }],
    ['items', { ...good, items: many }],
    ['items.0.sourceUrl', { ...good, items: [{ sourceUrl: 'ftp://a.example/' }] }],
    ['items.1.sourceUrl', { ...good, items: [...good.items, { sourceUrl: 'https://me:pass@a.example/' }] }],
    ['request.sourceUrl', { ...good, request: { sourceUrl: 'https://a.example/' } }],
    ['request.options.segmentLength', { ...good, request: { options: { segmentLength: 'x' } } }],
    ['webhookUrl', { ...good, webhookUrl: 'ftp://a.example/' }],
  ];
  for (const [field, body] of cases) {
    const answer = await send(body);
    const problem = JSON.stringify(await answer.json());
    expect([answer.status, problem], field).toEqual([400, expect.stringContaining(`"${field}"`)]);
  }
  const forms: [field: string, init: RequestInit][] = [
    ['operation', form({ operation: 'search' }, [['a.txt', 'A']])],
    ['items', form({ operation: 'extract/doc' }, [])],
  ];
  const text = new FormData();
  text.set('batch', 'no JSON');
  forms.push(['batch', { method: 'POST', body: text }]);
  const without = new FormData();
  without.append('file', new Blob(['A']), 'a.txt');
  forms.push(['batch', { method: 'POST', body: without }]);
  for (const [field, init] of forms) {
    const answer = await appliance.owner('/v1/batches', init);
    const problem = JSON.stringify(await answer.json());
    expect([answer.status, problem], field).toEqual([400, expect.stringContaining(`"${field}"`)]);
  }
  expect(files()).toEqual([]);
  expect(readdirSync(join(appliance.dataDir, 'production', 'uploads'))).toEqual([]);
});

test('labels, the key of the request and the secret of the webhook are those of single jobs', async () => {
  const body = {
    operation: 'extract/doc',
    items: [{ sourceUrl: `${site.url}/page` }],
    webhookUrl: `${site.url}/signed`,
    webhookSecret: 'a secret of at least 24 characters',
  };
  const headers = {
    'content-type': 'application/json',
    'idempotency-key': 'batch-1',
    'quarry-tags': 'minutes',
    'quarry-metadata': '{"customer":"42"}',
    prefer: 'install=ask',
  };
  const ask = (more: object = {}) =>
    appliance.owner('/v1/batches', { method: 'POST', headers, body: JSON.stringify({ ...body, ...more }) });
  const answer = await ask();
  expect(answer.headers.get('preference-applied')).toBe('install=ask');
  const labels = { tags: ['minutes'], metadata: { customer: '42' } };
  const batch = await made(answer);
  expect(batch).toMatchObject(labels);
  const again = await ask();
  expect([again.headers.get('idempotency-replayed'), (await made(again)).batchId]).toEqual(['true', batch.batchId]);
  expect((await ask({ items: [] })).status).toBe(400);
  expect((await ask({ request: { options: { segmentLength: 300 } } })).status).toBe(422);
  const { items } = await ended(batch.batchId);
  expect(await finished(appliance.owner, items[0]?.jobId ?? '')).toMatchObject(labels);
  await until(async () => calls.some(({ path }) => path === '/signed'));
  const signed = calls.filter(({ path }) => path === '/signed');
  expect(signed).toMatchObject([{ body: { ...labels, signature: expect.stringMatching(/^[0-9a-f]{64}$/) } }]);
});

test('a failed item runs again, alone or with its batch, and the webhook tells the end again', async () => {
  let isBroken = true;
  await using flaky = await serveWith(async (request, response) => {
    response.writeHead(isBroken && request.url === '/broken' ? 500 : 200, { 'content-type': 'text/plain' });
    response.end('The text.');
  });
  const items = [{ sourceUrl: `${flaky.url}/good` }, { sourceUrl: `${flaky.url}/broken` }];
  const webhookUrl = `${site.url}/retried`;
  const { batchId } = await made(await send({ operation: 'extract/doc', items, webhookUrl }));
  expect(await ended(batchId)).toMatchObject({ counts: { completed: 1, failed: 1 } });
  const retry = (client: Client = appliance.owner) => client(`/v1/batches/${batchId}/retry`, { method: 'POST' });
  isBroken = false;
  expect((await retry(appliance.anonymous)).status).toBe(401);
  const [, before] = (await read(batchId)).items;
  expect(await made(await retry())).toMatchObject({ status: 'processing', endedAt: null });
  const batch = await ended(batchId);
  expect(batch).toMatchObject({ status: 'completed', counts: { completed: 2, failed: 0 } });
  expect(batch.items[1]).toMatchObject({ jobId: before?.jobId, error: null });
  expect((await retry()).status).toBe(409);
  await until(async () => calls.filter(({ path }) => path === '/retried').length === 2);
});

test('a key without the scope is refused; a key that was revoked submits no more', async () => {
  const body = { operation: 'extract/doc', items: [{ sourceUrl: `${site.url}/page` }] };
  const crawler = await keyWith('crawler', ['run:crawl']);
  const other = await send(body, crawler);
  expect([other.status, await other.text()]).toEqual([403, expect.stringContaining('run:extract/doc')]);
  expect((await send(body, await keyWith('reader', ['read']))).status).toBe(403);

  const one = await keyWith('one at a time', ['run:extract/doc', 'read', 'private-network'], { openJobs: 1 });
  const items = [{ sourceUrl: `${site.url}/held/key` }, { sourceUrl: `${site.url}/page` }];
  const { batchId } = await made(await send({ ...body, items }, one));
  await until(async () => (await read(batchId)).counts.processing === 1);
  expect((await crawler(`/v1/batches/${batchId}`, { method: 'DELETE' })).status).toBe(403);
  const { keys } = (await (await appliance.owner('/admin/keys')).json()) as { keys: { keyId: string; name: string }[] };
  const { keyId } = keys.find(({ name }) => name === 'one at a time') ?? {};
  await appliance.owner(`/admin/keys/${keyId}`, { method: 'DELETE' });
  appliance.clock.advance(2000);
  expect(await read(batchId)).toMatchObject({
    keyName: 'one at a time',
    notice: expect.stringContaining('one at a time'),
    counts: { waiting: 1, processing: 1 },
  });
  expect((await appliance.owner(`/v1/batches/${batchId}/retry`, { method: 'POST' })).status).toBe(202);
  await until(async () => (await read(batchId)).counts.completed === 1);
  expect(await read(batchId)).not.toHaveProperty('keyName');
  expect((await appliance.owner(`/v1/batches/${batchId}`, { method: 'DELETE' })).status).toBe(204);
  expect(await ended(batchId)).toMatchObject({ status: 'cancelled', counts: { cancelled: 1, completed: 1 } });
});
