import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Appliance, startAppliance } from '../harness/appliance.ts';

let appliance: Appliance;

beforeAll(async () => {
  appliance = await startAppliance();
});

afterAll(() => appliance.close());

async function post(path: string, body: object, headers: Record<string, string> = {}) {
  const init = { method: 'POST', headers: { 'content-type': 'application/json', ...headers } };
  const answer = await appliance.owner(path, { ...init, body: JSON.stringify(body) });
  return { status: answer.status, body: (await answer.json()) as Record<string, unknown> };
}

async function read(path: string) {
  return (await (await appliance.owner(path)).json()) as { jobs: { jobId: string }[]; nextCursor: string | null };
}

const text = (words: string) => ({ file: `data:text/plain;base64,${Buffer.from(words).toString('base64')}` });

test('tags and metadata are in the job, its callback and lists, which filter and search by them', async () => {
  const called: unknown[] = [];
  const sink = createServer(async (request, response) => {
    let body = '';
    for await (const part of request) body += part;
    called.push(JSON.parse(body));
    response.end();
  }).listen(0, '127.0.0.1');
  await new Promise((resolve) => sink.once('listening', resolve));
  const webhookUrl = `http://127.0.0.1:${(sink.address() as AddressInfo).port}/`;
  const headers = { 'quarry-tags': 'invoices, 2026-q3, invoices', 'quarry-metadata': '{"customer":"Zo\\u00eb"}' };
  const labels = { tags: ['invoices', '2026-q3'], metadata: { customer: 'Zoë' } };
  const wait = { ...headers, prefer: 'wait=30' };
  const { status, body } = await post('/v1/extract/doc', { ...text('One.'), webhookUrl }, wait);
  expect([status, body]).toEqual([202, expect.objectContaining({ status: 'completed', ...labels })]);
  await post('/v1/extract/doc', text('Two.'), { 'quarry-tags': 'invoices' });
  const plain = await post('/v1/extract/doc', text('Three.'));
  expect((await post('/v1/search', { query: 'one' }, { 'quarry-tags': 'asked' })).status).toBe(200);

  const first = await read('/v1/jobs?tag=invoices&limit=1');
  expect(first.jobs).toMatchObject([{ tags: ['invoices'] }]);
  const second = await read(`/v1/jobs?tag=invoices&limit=1&cursor=${first.nextCursor}`);
  expect(second).toMatchObject({ jobs: [{ jobId: body.jobId, ...labels }], nextCursor: null });
  expect(await read('/v1/jobs?tag=invoices&status=failed')).toMatchObject({ jobs: [] });
  expect(await read('/v1/jobs?tag=asked')).toMatchObject({ jobs: [{ jobType: 'search' }] });
  expect(await read('/admin/jobs?tag=2026-q3')).toMatchObject({ jobs: [{ jobId: body.jobId }] });
  expect(await read(`/admin/jobs?text=${encodeURIComponent('zoë invoices')}`)).toMatchObject({
    jobs: [{ jobId: body.jobId, ...labels }],
  });
  const { jobs } = await read('/v1/jobs');
  expect(jobs.find(({ jobId }) => jobId === plain.body.jobId)).not.toHaveProperty('tags');

  await expect.poll(() => called.length, { timeout: 30_000 }).toBe(1);
  expect(called[0]).toMatchObject({ jobId: body.jobId, ...labels });
  sink.close();
  expect((await appliance.owner(`/v1/jobs/${body.jobId}`, { method: 'DELETE' })).status).toBe(204);
  expect(await read('/v1/jobs?tag=2026-q3')).toMatchObject({ jobs: [] });
});

test.for([
  ['quarry-tags', 'two words', /^Quarry-Tags\.0: /],
  ['quarry-tags', Array.from({ length: 17 }, (_, n) => `t${n}`).join(), /^Quarry-Tags: /],
  ['quarry-metadata', 'customer=42', /^Quarry-Metadata: /],
  ['quarry-metadata', '{"customer":42}', /^Quarry-Metadata\.customer: /],
  ['quarry-metadata', JSON.stringify({ note: 'x'.repeat(513) }), /^Quarry-Metadata\.note: /],
])('%s: %s is refused', async ([name, value, message]) => {
  const { status, body } = await post('/v1/extract/doc', text('One.'), { [name as string]: value as string });
  expect([status, body.detail]).toEqual([400, expect.stringMatching(message as RegExp)]);
});

test('a crawl gets the tags of the same crawl again, and a job of its own where they are too many', async () => {
  const site = createServer((_, response) => response.end('<title>Noon</title>')).listen(0, '127.0.0.1');
  await new Promise((resolve) => site.once('listening', resolve));
  const url = `http://127.0.0.1:${(site.address() as AddressInfo).port}/`;
  const crawl = (tags: string) => post('/v1/crawl', { url }, { 'quarry-tags': tags });
  const one = await crawl('north');
  const other = await crawl('south');
  const many = await crawl(Array.from({ length: 16 }, (_, n) => `t${n}`).join());
  expect(other.body.crawlId).toBe(one.body.crawlId);
  expect(many.body.crawlId).not.toBe(one.body.crawlId);
  expect(await read('/v1/jobs?tag=south')).toMatchObject({
    jobs: [{ jobId: one.body.crawlId, tags: ['north', 'south'] }],
  });
  site.close();
});
