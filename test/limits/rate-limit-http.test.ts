import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Hono } from 'hono';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { OWNER, type Principal } from '../../src-server/context.ts';
import { rateLimit } from '../../src-server/features/limits/rate-limit.ts';
import { ADMIN_LIMIT_ROUTES } from '../../src-server/features/limits/routes.ts';
import { Limits } from '../../src-server/features/limits/service.ts';
import { MIGRATIONS } from '../../src-server/features.ts';
import { openStorage, type Storage } from '../../src-server/platform/db/database.ts';
import { QuarryError } from '../../src-server/platform/errors.ts';
import type { HttpEnv } from '../../src-server/platform/http/env.ts';
import { mountRoutes } from '../../src-server/platform/http/route.ts';

const WALLET = `0x${'c3'.repeat(20)}` as const;

let folder: string;
let storage: Storage;
let limits: Limits;
let staging: Limits;
let now: number;
let app: Hono<HttpEnv>;

beforeEach(async () => {
  now = 1_700_000_000_000;
  const clock = { now: () => now };
  const log = { error: () => undefined };
  const open = (inlineOperationIds: string[] = []) => new Limits({ storage, clock, log, inlineOperationIds });
  folder = mkdtempSync(join(tmpdir(), 'quarry limits '));
  storage = await openStorage(join(folder, 'quarry.db'), { migrations: MIGRATIONS });
  limits = open();
  staging = open();
  app = new Hono<HttpEnv>();
  app.onError((error, context) => {
    if (!(error instanceof QuarryError)) throw error;
    const retryAfter = error.retryAfterSeconds;
    if (retryAfter !== undefined) context.header('Retry-After', String(retryAfter));
    return context.json({ code: error.code, detail: error.message }, error.code === 'rate_limited' ? 429 : 400);
  });
  app.use('/v1/*', async (context, next) => {
    const principal: Principal = context.req.header('x-owner') ? OWNER : { kind: 'payer', accountId: WALLET };
    context.set('principal', principal);
    await next();
  });
  app.use('/v1/*', rateLimit(limits));
  app.get('/v1/own-response', () => new Response('made by hand', { status: 201 }));
  app.get('/v1/fails', () => {
    throw new QuarryError('invalid_request', 'This always fails.');
  });
  const payments = { paidBy: () => new Map() };
  app.route(
    '/admin',
    mountRoutes(
      ADMIN_LIMIT_ROUTES,
      { production: { limits, payments }, staging: { limits: staging, payments } },
      async (context) => context.req.json(),
    ),
  );
});

afterEach(async () => {
  limits.accounts.closeAccounts();
  staging.accounts.closeAccounts();
  storage.close();
  rmSync(folder, { recursive: true });
});

function putPlan(accountId: string, body: unknown, query = '') {
  return app.request(`/admin/accounts/${accountId}/plan${query}`, { method: 'PUT', body: JSON.stringify(body) });
}

test('every answer says what is left, whoever made it, errors and unknown routes included', async () => {
  for (const [index, path] of ['own-response', 'fails', 'nowhere'].entries()) {
    const answer = await app.request(`/v1/${path}`);
    expect(answer.headers.get('RateLimit-Policy')).toBe('"default";q=600;w=60');
    expect(answer.headers.get('RateLimit')).toBe(`"default";r=${599 - index};t=60`);
  }
});

test('the request over the limit gets 429 with a Retry-After after which the next one passes', async () => {
  await putPlan(WALLET, { plan: 'enterprise', requestsPerMinute: 2, concurrency: 1 });
  expect((await app.request('/v1/own-response')).status).toBe(201);
  now += 10_250;
  expect((await app.request('/v1/own-response')).status).toBe(201);
  const refused = await app.request('/v1/own-response');
  expect(refused.status).toBe(429);
  expect(refused.headers.get('Retry-After')).toBe('50');
  expect(refused.headers.get('RateLimit')).toBe('"default";r=0;t=60');
  expect(await refused.json()).toMatchObject({ code: 'rate_limited', detail: expect.stringContaining('50 seconds') });
  now += 50_000;
  expect((await app.request('/v1/own-response')).status).toBe(201);
});

test('the owner gets no limit and no limit fields', async () => {
  const answer = await app.request('/v1/own-response', { headers: { 'x-owner': 'yes' } });
  expect(answer.status).toBe(201);
  expect(answer.headers.has('RateLimit')).toBe(false);
});

test('the owner gives a plan to a wallet in any letter case, and sees the account with it', async () => {
  const answer = await putPlan(WALLET.toUpperCase().replace('0X', '0x'), { plan: 'production' });
  expect(await answer.json()).toEqual({
    accountId: WALLET,
    plan: { plan: 'production' },
    allowance: { requestsPerMinute: 2400, concurrency: 30 },
  });
  const listed = (await (await app.request('/admin/accounts')).json()) as { accounts: object[]; nextCursor: null };
  expect(listed.accounts).toEqual([
    {
      accountId: WALLET,
      plan: { plan: 'production' },
      allowance: { requestsPerMinute: 2400, concurrency: 30 },
      firstSeen: '2023-11-14T22:13:20.000Z',
      lastSeen: '2023-11-14T22:13:20.000Z',
      paid: { play: '0', real: '0' },
    },
  ]);
});

test('pages of accounts follow one another without gap or repetition', async () => {
  const wallets = Array.from({ length: 5 }, (_, index) => `0x${String(index).repeat(40)}`);
  for (const wallet of wallets) await putPlan(wallet, { plan: 'production' });
  const seen: string[] = [];
  let cursor: string | null = null;
  do {
    const query: string = cursor === null ? '' : `&cursor=${encodeURIComponent(cursor)}`;
    const page = (await (await app.request(`/admin/accounts?limit=2${query}`)).json()) as {
      accounts: { accountId: string }[];
      nextCursor: string | null;
    };
    seen.push(...page.accounts.map(({ accountId }) => accountId));
    cursor = page.nextCursor;
  } while (cursor !== null);
  expect(seen).toEqual(wallets.toReversed());
});

test('a plan that makes no sense is refused with the field named', async () => {
  expect((await putPlan(WALLET, { plan: 'gold' })).status).toBe(400);
  expect((await putPlan(WALLET, { plan: 'studio', concurrency: 5 })).status).toBe(400);
  expect((await putPlan(WALLET, { plan: 'enterprise', requestsPerMinute: 0, concurrency: 5 })).status).toBe(400);
  expect((await putPlan('somebody', { plan: 'studio' })).status).toBe(400);
  expect((await app.request('/admin/accounts?cursor=junk')).status).toBe(400);
});

test('a blocked account is refused until it has another plan, and keeps no window', async () => {
  expect(await (await putPlan(WALLET, { plan: 'blocked' })).json()).toMatchObject({
    plan: { plan: 'blocked' },
    allowance: { requestsPerMinute: 0, concurrency: 0 },
  });
  const refused = await app.request('/v1/own-response');
  expect(refused.headers.has('RateLimit')).toBe(false);
  expect(await refused.json()).toMatchObject({ code: 'forbidden', detail: expect.stringContaining('blocked') });
  const listed = (await (await app.request('/admin/accounts')).json()) as { accounts: object[] };
  expect(listed.accounts[0]).toMatchObject({ accountId: WALLET, plan: { plan: 'blocked' } });
  expect((await putPlan(WALLET, { plan: 'studio' })).status).toBe(200);
  expect((await app.request('/v1/own-response')).status).toBe(201);
});

test('what another plan would have refused is told without changing anything', async () => {
  for (let sent = 0; sent < 7; sent += 1) await app.request('/v1/own-response');
  const query = 'plan=enterprise&requestsPerMinute=5&concurrency=1';
  const answer = await app.request(`/admin/accounts/${WALLET}/what-if?${query}`);
  expect(await answer.json()).toMatchObject({ requests: 7, refused: 2, slotsOver: 0 });
  expect(limits.accounts.assignedPlanOf(WALLET).plan).toBe('studio');
});

test('the two environments share no window', async () => {
  await app.request('/v1/own-response');
  const usageOf = async (query: string) => {
    const answer = (await (await app.request(`/admin/limits${query}`)).json()) as { usage: unknown[] };
    return answer.usage.length;
  };
  expect(await usageOf('')).toBe(1);
  expect(await usageOf('?environment=staging')).toBe(0);
});
