/** Batches: many files or addresses in one request, a job for each, and one webhook at the end. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
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

test('a cancelled batch cancels its jobs and what waits, and says so once', async () => {
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
  const { batchId } = await made(await server.owner('/v1/batches', sent));
  await until(async () => (await read(batchId, '', server.owner)).counts.waiting < 26);
  await server.kill('SIGKILL');
  expect(files(server)).toEqual([batchId]);
  await server.restart();
  const batch = await ended(batchId, server.owner);
  expect(batch).toMatchObject({ status: 'completed', counts: { completed: 26, failed: 0 } });
  expect(new Set(batch.items.map(({ jobId }) => jobId)).size).toBe(26);
  const listed = (await (await server.owner('/v1/jobs?limit=200')).json()) as { jobs: unknown[] };
  expect(listed.jobs.length).toBe(26);
  const isOurs = ({ path }: { path: string }) => path === '/again';
  await until(async () => calls.some(isOurs));
  expect(calls.filter(isOurs).length).toBe(1);
  expect(files(server)).toEqual([]);
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

test('who pays, and a key without the scope, are refused; a key that was revoked submits no more', async () => {
  const body = { operation: 'extract/doc', items: [{ sourceUrl: `${site.url}/page` }] };
  const refused = await send(body, appliance.anonymous);
  const sentence = 'Send the requests one by one.';
  expect([refused.status, await refused.text()]).toEqual([403, expect.stringContaining(sentence)]);
  const crawler = await keyWith('crawler', ['run:crawl']);
  const other = await send(body, crawler);
  expect([other.status, await other.text()]).toEqual([403, expect.stringContaining('run:extract/doc')]);
  expect((await send(body, await keyWith('reader', ['read']))).status).toBe(403);

  const one = await keyWith('one at a time', ['run:extract/doc', 'read'], { openJobs: 1 });
  const items = [{ sourceUrl: `${site.url}/held/key` }, { sourceUrl: `${site.url}/page` }];
  const { batchId } = await made(await send({ ...body, items }, one));
  await until(async () => (await read(batchId)).counts.processing === 1);
  expect((await crawler(`/v1/batches/${batchId}`, { method: 'DELETE' })).status).toBe(403);
  const { keys } = (await (await appliance.owner('/admin/keys')).json()) as { keys: { keyId: string; name: string }[] };
  const { keyId } = keys.find(({ name }) => name === 'one at a time') ?? {};
  await appliance.owner(`/admin/keys/${keyId}`, { method: 'DELETE' });
  appliance.clock.advance(2000);
  await until(async () => (await read(batchId)).counts.waiting === 0);
  const [, second] = (await read(batchId)).items;
  expect(second).toMatchObject({ status: 'failed', jobId: null, error: { code: 'forbidden' } });
  expect((await appliance.owner(`/v1/batches/${batchId}`, { method: 'DELETE' })).status).toBe(204);
  expect(await ended(batchId)).toMatchObject({ status: 'cancelled', counts: { cancelled: 1, failed: 1 } });
});
