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
  const all = { 'content-type': 'application/json', ...headers };
  const answer = await appliance.owner(path, { method: 'POST', headers: all, body: JSON.stringify(body) });
  return { status: answer.status, body: (await answer.json()) as Record<string, unknown> };
}

const text = (words: string) => ({ file: `data:text/plain;base64,${Buffer.from(words).toString('base64')}` });

async function made(path: string, body: object, tag: string): Promise<string> {
  return String((await post(path, body, { 'quarry-tags': tag, prefer: 'wait=30' })).body.jobId);
}

test('jobs are deleted, cancelled and retried by ids or by a filter, each with its result', async () => {
  let isUp = false;
  const site = createServer((request, response) => {
    if (isUp) response.setHeader('content-type', 'text/html').end('<title>Noon</title><p>It opens.</p>');
    else if (request.url === '/slow') return;
    else request.socket.destroy();
  }).listen(0, '127.0.0.1');
  await new Promise((resolve) => site.once('listening', resolve));
  const url = `http://127.0.0.1:${(site.address() as AddressInfo).port}`;
  const headers = { 'quarry-tags': 'slow' };
  const slow = await post('/v1/extract/doc', { sourceUrl: `${url}/slow` }, { ...headers, prefer: 'wait=0' });
  const done = await made('/v1/extract/doc', text('One.'), 'done');
  const bulk = (request: object) => post('/v1/jobs/bulk', request);

  const mixed = await bulk({ action: 'cancel', jobIds: [slow.body.jobId, done, 'job_none'] });
  expect(mixed).toMatchObject({
    status: 200,
    body: {
      results: [
        { jobId: slow.body.jobId, done: true },
        { jobId: done, done: false, error: { code: 'conflict' } },
        { jobId: 'job_none', done: false, error: { code: 'not_found' } },
      ],
      nextCursor: null,
    },
  });
  isUp = true;
  const again = await bulk({ action: 'retry', filter: { tag: 'slow', status: 'failed' } });
  expect(again.body).toEqual({ results: [{ jobId: slow.body.jobId, done: true }], nextCursor: null });
  await expect
    .poll(
      async () =>
        ((await (await appliance.anonymous(`/v1/jobs/${slow.body.jobId}`)).json()) as { status: string }).status,
      {
        timeout: 60_000,
      },
    )
    .toBe('completed');
  site.close();

  const others = await Promise.all(['a', 'b', 'c'].map((words) => made('/v1/extract/doc', text(words), 'old')));
  const first = await bulk({ action: 'delete', filter: { tag: 'old' }, limit: 2 });
  expect(first.body.results).toHaveLength(2);
  const rest = await bulk({ action: 'delete', filter: { tag: 'old' }, limit: 2, cursor: first.body.nextCursor });
  expect(rest.body).toMatchObject({ results: [{ done: true }], nextCursor: null });
  for (const jobId of others) expect((await appliance.anonymous(`/v1/jobs/${jobId}`)).status).toBe(404);
});

test('a request without exactly one choice, or with too many jobs, is refused, and so is a caller without account', async () => {
  const refused = await Promise.all([
    post('/v1/jobs/bulk', { action: 'cancel' }),
    post('/v1/jobs/bulk', { action: 'cancel', jobIds: ['a'], filter: { tag: 'x' } }),
    post('/v1/jobs/bulk', { action: 'cancel', filter: {} }),
    post('/v1/jobs/bulk', { action: 'delete', jobIds: Array.from({ length: 101 }, (_, n) => `job_${n}`) }),
    post('/v1/jobs/bulk', { action: 'delete', filter: { jobType: 'extract/none' } }),
  ]);
  expect(refused.map(({ status }) => status)).toEqual([400, 400, 400, 400, 400]);
  const headers = { 'content-type': 'application/json' };
  const body = JSON.stringify({ action: 'cancel', jobIds: ['a'] });
  expect((await appliance.anonymous('/v1/jobs/bulk', { method: 'POST', headers, body })).status).toBe(401);
});

test('a key changes only the jobs that it made', async () => {
  const { body } = await post('/admin/keys', { name: 'Bulk', scopes: ['run:extract/doc'] });
  const foreign = await made('/v1/extract/doc', text('Mine.'), 'owned');
  const headers = { authorization: `Bearer ${body.key}`, 'content-type': 'application/json' };
  const request = JSON.stringify({ action: 'delete', jobIds: [foreign] });
  const answer = await appliance.anonymous('/v1/jobs/bulk', { method: 'POST', headers, body: request });
  expect(await answer.json()).toMatchObject({ results: [{ done: false, error: { code: 'forbidden' } }] });
});
