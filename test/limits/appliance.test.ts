import { afterEach, beforeEach, expect, test } from 'vitest';
import { type Appliance, startAppliance } from '../harness/appliance.ts';

const BATCH = 50;

interface Hour {
  passed: number[];
  refused: number[];
  accounts: object[];
}

let appliance: Appliance;

beforeEach(async () => {
  appliance = await startAppliance();
  // A window lasts a minute, which hundreds of requests may take.
  appliance.clock.stand();
});

afterEach(async () => {
  await appliance.close();
});

/** Statuses of many requests by somebody who proved nothing, by how often each came. */
async function knock(times: number, path = '/v1/jobs/unknown', method = 'GET'): Promise<Record<number, number>> {
  const seen: Record<number, number> = {};
  for (let sent = 0; sent < times; sent += BATCH) {
    const length = Math.min(BATCH, times - sent);
    for (const answer of await Promise.all(Array.from({ length }, () => appliance.anonymous(path, { method })))) {
      await answer.arrayBuffer();
      seen[answer.status] = (seen[answer.status] ?? 0) + 1;
    }
  }
  return seen;
}

test('600 requests in a minute pass, the 601st gets 429, and after Retry-After the next one passes', async () => {
  expect(await knock(600)).toEqual({ 404: 600 });
  const refused = await appliance.anonymous('/v1/jobs/unknown');
  expect(refused.status).toBe(429);
  expect(refused.headers.get('content-type')).toBe('application/problem+json');
  expect(refused.headers.get('ratelimit')).toMatch(/^"default";r=0;t=\d+$/);
  const waitSeconds = Number(refused.headers.get('retry-after'));
  expect(waitSeconds).toBeGreaterThan(0);
  appliance.clock.advance(waitSeconds * 1000);
  expect((await appliance.anonymous('/v1/jobs/unknown')).status).toBe(404);
});

test('unpaid and refused requests count, staging and the owner do not', async () => {
  expect(await knock(300, '/v1/nowhere')).toEqual({ 404: 300 });
  expect(await knock(300, '/v1/extract/doc', 'POST')).toEqual({ 402: 300 });
  expect(await knock(1)).toEqual({ 429: 1 });
  expect(await knock(1, '/staging/v1/jobs/unknown')).toEqual({ 404: 1 });
  expect((await appliance.owner('/v1/jobs/unknown')).status).toBe(404);
});

test('a plan that the owner gives counts from the next request on, and shows among the accounts', async () => {
  await knock(601);
  const given = await appliance.owner(`/admin/accounts/${encodeURIComponent('ip:127.0.0.1')}/plan`, {
    method: 'PUT',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ plan: 'production' }),
  });
  expect(await given.json()).toMatchObject({ plan: { plan: 'production' } });
  const passed = await appliance.anonymous('/v1/jobs/unknown');
  expect([passed.status, passed.headers.get('ratelimit-policy')]).toEqual([404, '"default";q=2400;w=60']);
  const limits = (await (await appliance.owner('/admin/limits')).json()) as { usage: object[]; lastHour: Hour };
  expect(limits.usage).toMatchObject([{ accountId: 'ip:127.0.0.1', requestsPassed: 601, requestsRefused: 1 }]);
  expect(limits.lastHour.accounts).toMatchObject([{ accountId: 'ip:127.0.0.1', refusedToday: 1 }]);
  expect([limits.lastHour.passed.at(-1), limits.lastHour.refused.at(-1)]).toEqual([601, 1]);
  // Two minutes on, it is two bars further left.
  appliance.clock.advance(120_000);
  const hour = async () => ((await (await appliance.owner('/admin/limits')).json()) as { lastHour: Hour }).lastHour;
  expect([(await hour()).passed.at(-3), (await hour()).passed.at(-1)]).toEqual([601, 0]);
  const accounts = (await (await appliance.owner('/admin/accounts')).json()) as { accounts: object[] };
  expect(accounts.accounts).toMatchObject([{ accountId: 'ip:127.0.0.1', plan: { plan: 'production' } }]);
  expect((await appliance.anonymous('/admin/accounts')).status).toBe(401);
});

test('who has just called for the first time stands in the list of accounts at once', async () => {
  expect(await knock(1)).toEqual({ 404: 1 });
  const accounts = (await (await appliance.owner('/admin/accounts')).json()) as { accounts: object[] };
  expect(accounts.accounts).toMatchObject([{ accountId: 'ip:127.0.0.1', plan: { plan: 'studio' } }]);
});
