/** Unpaid requests are answered on a short way of their own, and nobody can tell by the answer. */
import { request } from 'node:http';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { OPERATIONS } from '../../src-server/registry.ts';
import { type Appliance, startAppliance } from '../harness/appliance.ts';
import { postJson } from '../harness/text-models.ts';

let appliance: Appliance;
beforeAll(async () => {
  appliance = await startAppliance();
  // What was asked within the last minute counts, and a slow machine may need longer than that for all of it.
  appliance.clock.stand();
});
afterAll(() => appliance.close());

/** A cookie that means nothing is enough to be looked at by the whole app. */
const LONG_WAY = { cookie: 'nothing=1' };
const PAID = OPERATIONS.filter(({ price }) => price !== null).map(({ id }) => id);

async function ask(path: string, headers: Record<string, string> = {}) {
  const answer = await appliance.anonymous(path, { method: 'POST', headers });
  const { 'x-request-id': requestId, date: _, ratelimit, ...fields } = Object.fromEntries(answer.headers);
  expect(requestId).toMatch(/^req_[\w-]{27}$/);
  return {
    status: answer.status,
    fields,
    remaining: Number(/r=(\d+)/.exec(ratelimit ?? '')?.[1]),
    body: await answer.text(),
  };
}

describe.each(['/v1', '/staging/v1'])('under %s', (base) => {
  test.each(PAID)('%s: the 402 is the same on both ways, and counts against the same window', async (id) => {
    const [short, long] = [await ask(`${base}/${id}`), await ask(`${base}/${id}`, LONG_WAY)];
    expect(short.status).toBe(402);
    expect({ ...short, remaining: 0 }).toEqual({ ...long, remaining: 0 });
    expect(long.remaining).toBe(short.remaining - 1);
  });
});

test('a stock version 1 client that asks for a URL gets it on both ways', async () => {
  const prefer = { prefer: 'x402-resource=url' };
  const [short, long] = [await ask('/v1/crawl', prefer), await ask('/v1/crawl', { ...prefer, ...LONG_WAY })];
  expect(short.body).toContain(`"resource":"${appliance.baseUrl}/crawl"`);
  expect(short.body).toBe(long.body);
});

test('over the limit the 429 is the same on both ways', async () => {
  const plan = { plan: 'enterprise', requestsPerMinute: 1, concurrency: 1 };
  const set = (body: object) =>
    appliance.owner('/admin/accounts/ip:127.0.0.1/plan', { ...postJson(body), method: 'PUT' });
  await set(plan);
  try {
    const [short, long] = [await ask('/v1/crawl'), await ask('/v1/crawl', LONG_WAY)];
    expect(short.status).toBe(429);
    expect(short.fields['retry-after']).toMatch(/^[1-9]\d*$/);
    expect(short).toEqual(long);
  } finally {
    await set({ plan: 'production' });
  }
});

test('a foreign Host gets 403, a page of another origin gets 403, a wrong token 401: none of them a price', async () => {
  const { port } = new URL(appliance.url);
  const foreign = await new Promise<number | undefined>((resolve, reject) => {
    const options = { host: '127.0.0.1', port, path: '/v1/crawl', method: 'POST', headers: { host: 'evil.example' } };
    request(options, (response) => {
      response.resume();
      resolve(response.statusCode);
    })
      .on('error', reject)
      .end();
  });
  expect(foreign).toBe(403);
  expect((await ask('/v1/crawl', { origin: 'https://evil.example' })).status).toBe(403);
  expect((await ask('/v1/crawl', { authorization: 'Bearer wrong' })).status).toBe(401);
});

test('the body of an unpaid request is not waited for, whatever its size', async () => {
  for (const sizeBytes of [10, 1_000_000]) {
    const answer = await appliance.anonymous('/v1/crawl', { method: 'POST', body: 'x'.repeat(sizeBytes) });
    expect(answer.status).toBe(402);
  }
  expect((await appliance.anonymous('/v1/crawl', { method: 'POST' })).status).toBe(402);
});

test('answers on the short way are counted per operation, for the owner to see', async () => {
  const count = async () => {
    const answer = await appliance.owner('/admin/payments/summary');
    const { challenges } = (await answer.json()) as { challenges: { operationId: string; answers: number }[] };
    return challenges.find(({ operationId }) => operationId === 'search')?.answers ?? 0;
  };
  const before = await count();
  await ask('/v1/search');
  expect(await count()).toBe(before + 1);
});
