/** Unpaid requests are answered as the app would, and cost neither a body nor a database access. */
import { Agent, request } from 'node:http';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { OPERATIONS } from '../../src-server/features.ts';
import { type Appliance, startAppliance } from '../harness/appliance.ts';
import { postJson } from '../harness/text-models.ts';

let appliance: Appliance;
beforeAll(async () => {
  appliance = await startAppliance();
  // Requests of the last minute count, and a slow machine may need longer than that for all of them.
  appliance.clock.stand();
});
afterAll(() => appliance.close());

const PAID = OPERATIONS.filter(({ price }) => price !== null).map(({ id }) => id);

async function ask(path: string, headers: Record<string, string> = {}) {
  const answer = await appliance.anonymous(path, { method: 'POST', headers });
  const fields = Object.fromEntries(answer.headers);
  expect(fields['x-request-id']).toMatch(/^req_[\w-]{27}$/);
  const remaining = Number(/r=(\d+)/.exec(fields.ratelimit ?? '')?.[1]);
  return { status: answer.status, fields, remaining, body: await answer.text() };
}

describe.each(['/v1', '/staging/v1'])('under %s', (base) => {
  test.each(PAID)('%s: each 402 counts against the window of its address', async (id) => {
    const [first, second] = [await ask(`${base}/${id}`), await ask(`${base}/${id}`)];
    expect(first.status).toBe(402);
    expect(first.fields['cache-control']).toBe('no-store');
    expect(second.body).toBe(first.body);
    expect(second.remaining).toBe(first.remaining - 1);
  });
});

/** A cookie that is no session: it changes nothing, and leads through the app. */
const THROUGH_THE_APP = { cookie: 'other=1' };

test.each(['/v1', '/staging/v1'])('under %s a plain request gets what the app answers', async (base) => {
  const changing = ['x-request-id', 'ratelimit', 'date'];
  const stable = ({ status, fields, body }: Awaited<ReturnType<typeof ask>>) => {
    return {
      status,
      body,
      fields: Object.entries(fields)
        .filter(([name]) => !changing.includes(name))
        .sort(),
    };
  };
  for (const id of PAID) {
    for (const headers of [{}, { prefer: 'x402-resource=url' }, { 'content-type': 'text/plain' }]) {
      const plain = await ask(`${base}/${id}`, headers);
      const throughApp = await ask(`${base}/${id}`, { ...headers, ...THROUGH_THE_APP });
      expect(stable(plain)).toEqual(stable(throughApp));
      expect(plain.remaining).toBe(throughApp.remaining + 1);
    }
  }
});

test('a connection takes its next request after one whose body was not read', async () => {
  const { port } = new URL(appliance.url);
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const post = (path: string, body: string) =>
    new Promise<number | undefined>((resolve, reject) => {
      request({ host: '127.0.0.1', port, path, method: 'POST', agent }, (response) => {
        response.resume().on('end', () => resolve(response.statusCode));
      })
        .on('error', reject)
        .end(body);
    });
  expect(await post('/v1/crawl', 'x'.repeat(60_000))).toBe(402);
  expect(await post('/v1/crawl', 'POST /v1/search HTTP/1.1\r\n\r\n')).toBe(402);
  expect(await post('/v1/nothing', '{}')).toBe(404);
  agent.destroy();
});

test('a stock version 1 client that asks for a URL gets it', async () => {
  const answer = await ask('/v1/crawl', { prefer: 'x402-resource=url' });
  expect(answer.body).toContain(`"resource":"${appliance.baseUrl}/crawl"`);
});

test('over the limit the answer is 429 with the wait', async () => {
  const set = (body: object) =>
    appliance.owner('/admin/accounts/ip:127.0.0.1/plan', { ...postJson(body), method: 'PUT' });
  await set({ plan: 'enterprise', requestsPerMinute: 1, concurrency: 1 });
  try {
    const answer = await ask('/v1/crawl');
    expect(answer.status).toBe(429);
    expect(answer.fields['retry-after']).toMatch(/^[1-9]\d*$/);
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

test('402 answers are counted per operation, for the owner to see', async () => {
  const count = async () => {
    const answer = await appliance.owner('/admin/payments/summary');
    const { challenges } = (await answer.json()) as { challenges: { operationId: string; answers: number }[] };
    return challenges.find(({ operationId }) => operationId === 'search')?.answers ?? 0;
  };
  const before = await count();
  await ask('/v1/search');
  expect(await count()).toBe(before + 1);
});
