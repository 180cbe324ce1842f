import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { OWNER, type Principal } from '../../src-server/context.ts';
import { recordLastSeen } from '../../src-server/features/accounts/store.ts';
import { Limits } from '../../src-server/features/limits/service.ts';
import { MAX_TRACKED_ACCOUNTS, WindowTable } from '../../src-server/features/limits/window.ts';
import { MIGRATIONS } from '../../src-server/features.ts';
import { openStorage, type Storage } from '../../src-server/platform/db/database.ts';
import { anonymousAccount } from '../../src-server/platform/net/client-address.ts';
import { queueJob } from '../harness/queue.ts';

const START = 1_700_000_000_000;
const PAYER: Principal = { kind: 'payer', accountId: `0x${'a1'.repeat(20)}` };
const NEWCOMER: Principal = { kind: 'payer', accountId: `0x${'c3'.repeat(20)}` };
const OTHER: Principal = { kind: 'payer', accountId: `0x${'b2'.repeat(20)}` };

let folder: string;
let storage: Storage;
let limits: Limits;
let now: number;
const clock = { now: () => now };
const log = { error: () => undefined };
const open = (inlineOperationIds: string[] = []) => new Limits({ storage, clock, log, inlineOperationIds });

beforeEach(async () => {
  now = START;
  folder = mkdtempSync(join(tmpdir(), 'quarry limits '));
  storage = await openStorage(join(folder, 'quarry.db'), { migrations: MIGRATIONS });
  limits = open(['generate/text']);
});

afterEach(async () => {
  limits.accounts.closeAccounts();
  storage.close();
  rmSync(folder, { recursive: true });
});

async function takeMany(principal: Principal, count: number): Promise<number> {
  const decisions = await Promise.all(Array.from({ length: count }, () => limits.takeRateToken(principal)));
  return decisions.filter(({ allowed }) => allowed).length;
}

function insertProcessing(operationId: string): void {
  const { seq } = queueJob(storage, { accountId: PAYER.accountId });
  const change = { status: 'processing', operation_id: operationId } as const;
  storage.transaction((tx) => tx.runStatement(tx.updateTable('jobs').set(change).where('seq', '=', seq)));
}

describe('requests per minute', () => {
  test('600 requests sent at once pass on the default plan, the 601st is refused, and its wait is true', async () => {
    expect(await takeMany(PAYER, 600)).toBe(600);
    now += 20_500;
    const refused = await limits.takeRateToken(PAYER);
    expect(refused).toEqual({ allowed: false, limit: 600, remaining: 0, resetSeconds: 40, retryAfterSeconds: 40 });
    now += (refused.retryAfterSeconds - 1) * 1000;
    expect((await limits.takeRateToken(PAYER)).allowed).toBe(false);
    now += 1000;
    expect((await limits.takeRateToken(PAYER)).allowed).toBe(true);
  });

  test('a refused request is not held against its sender', async () => {
    await takeMany(PAYER, 600);
    now += 59_999;
    expect(await takeMany(PAYER, 5000)).toBe(0);
    now += 1;
    expect(await takeMany(PAYER, 601)).toBe(600);
  });

  test('one account at its limit leaves all others alone', async () => {
    await takeMany(PAYER, 700);
    expect((await limits.takeRateToken(OTHER)).remaining).toBe(599);
  });

  test('the owner is never limited', async () => {
    expect(await takeMany(OWNER, 5000)).toBe(5000);
    expect(limits.concurrencyOf('owner')).toBe(Number.POSITIVE_INFINITY);
  });

  test('a plan takes effect with the next request and survives a restart', async () => {
    await takeMany(PAYER, 600);
    limits.setPlan(PAYER.accountId, { plan: 'production' });
    expect(await takeMany(PAYER, 2000)).toBe(1800);
    limits.setPlan(OTHER.accountId, { plan: 'enterprise', requestsPerMinute: 3, concurrency: 50 });
    expect(await takeMany(OTHER, 10)).toBe(3);
    const restarted = open();
    expect((await restarted.takeRateToken(PAYER)).limit).toBe(2400);
    expect((await restarted.takeRateToken(OTHER)).limit).toBe(3);
    expect(restarted.concurrencyOf(OTHER.accountId)).toBe(50);
    limits.setPlan(OTHER.accountId, { plan: 'studio' });
    expect((await limits.takeRateToken(OTHER)).limit).toBe(600);
    restarted.accounts.closeAccounts();
  });

  test('the owner can be given no plan', async () => {
    expect(() => limits.setPlan('owner', { plan: 'studio' })).toThrow(expect.objectContaining({ code: 'conflict' }));
  });

  test('counting a request reads and writes no database', async () => {
    storage.close();
    expect(await takeMany(OTHER, 1)).toBe(1);
    storage = await openStorage(join(folder, 'quarry.db'), { migrations: MIGRATIONS });
    limits = open();
  });
});

describe('what is remembered is bounded', () => {
  test('accounts whose minute has passed are forgotten as others come', () => {
    const table = new WindowTable(60_000);
    for (let index = 0; index < 1000; index += 1)
      table.windowsOfAccount(`ip:${index}`, START).window.takeWindowSlot(START, 600);
    for (let index = 0; index < 500; index += 1)
      table.windowsOfAccount('ip:new', START + 60_000).window.takeWindowSlot(START + 60_000, 600);
    expect(table.trackedAccountCount).toBe(1);
  });

  test('a flood of addresses evicts the account that was silent longest, not the one that is heard from', () => {
    const table = new WindowTable(60_000);
    for (let index = 0; index < MAX_TRACKED_ACCOUNTS + 100; index += 1) {
      table.windowsOfAccount(`ip:${index}`, START).window.takeWindowSlot(START, 600);
      if (index % 100 === 0) table.windowsOfAccount('busy', START).window.takeWindowSlot(START, 100_000);
    }
    expect(table.trackedAccountCount).toBe(MAX_TRACKED_ACCOUNTS);
    expect(table.accountTraffic('busy', START).passed).toBe((MAX_TRACKED_ACCOUNTS + 100) / 100);
    expect(table.accountTraffic('ip:0', START).passed).toBe(0);
  });
});

describe('requests answered at once', () => {
  test('take slots up to the concurrency, the next gets 429, and a freed slot is free once only', async () => {
    const releases = Array.from({ length: 10 }, () => limits.acquireInline(PAYER.accountId));
    expect(() => limits.acquireInline(PAYER.accountId)).toThrow(
      expect.objectContaining({
        code: 'rate_limited',
        retryAfterSeconds: 1,
      }),
    );
    releases[0]?.();
    releases[0]?.();
    limits.acquireInline(PAYER.accountId);
    expect(() => limits.acquireInline(PAYER.accountId)).toThrow(expect.objectContaining({ code: 'rate_limited' }));
    limits.acquireInline(OTHER.accountId);
  });

  test('share the concurrency with the jobs in work, and are not counted twice', async () => {
    for (let index = 0; index < 9; index += 1) insertProcessing('crawl');
    limits.acquireInline(PAYER.accountId);
    insertProcessing('generate/text');
    expect(() => limits.acquireInline(PAYER.accountId)).toThrow(expect.objectContaining({ code: 'rate_limited' }));
    const [row] = limits.limitsUsage();
    expect(row).toMatchObject({ accountId: PAYER.accountId, inlineOpen: 1, jobsProcessing: 9 });
  });

  test('the owner always gets a slot', async () => {
    for (let index = 0; index < 200; index += 1) limits.acquireInline('owner');
  });
});

describe('the dashboard', () => {
  test('shows no refusals of a minute that the clock, set back since, has yet to reach', async () => {
    await takeMany(PAYER, 650);
    now -= 3_590_000;
    await takeMany(PAYER, 1);
    now += 120_000;
    const [row] = limits.limitsUsage();
    expect(row?.requestsRefused ?? 0).toBe(0);
  });

  test('sees who sent what in the last minute, busiest first', async () => {
    await takeMany(PAYER, 650);
    await takeMany(OTHER, 5);
    const rows = limits.limitsUsage();
    expect(
      rows.map(({ accountId, requestsPassed, requestsRefused }) => [accountId, requestsPassed, requestsRefused]),
    ).toEqual([
      [PAYER.accountId, 600, 50],
      [OTHER.accountId, 5, 0],
    ]);
    now += 60_000;
    expect(limits.limitsUsage()).toEqual([]);
  });

  test('sees an account whose jobs are still in work when its last request is long ago', async () => {
    await limits.takeRateToken(PAYER);
    insertProcessing('crawl');
    now += 61_000;
    expect(limits.limitsUsage()).toMatchObject([{ accountId: PAYER.accountId, requestsPassed: 0, jobsProcessing: 1 }]);
  });

  test('learns what another plan would have refused', async () => {
    await takeMany(PAYER, 650);
    const simulate = (requestsPerMinute: number) =>
      limits.simulateAllowance(PAYER.accountId, { requestsPerMinute, concurrency: 1 });
    expect(simulate(2400)).toEqual({ requests: 650, refused: 0, slotsOver: 0 });
    expect(simulate(100)).toEqual({ requests: 650, refused: 550, slotsOver: 0 });
  });

  test('lists accounts with first and last sighting, written rarely', async () => {
    await limits.takeRateToken(PAYER);
    limits.accounts.flushLastSeenTimes();
    now += 60_000;
    await limits.takeRateToken(PAYER);
    limits.accounts.flushLastSeenTimes();
    expect(limits.accounts.listAccountPage(null, 10)[0]).toMatchObject({ firstSeen: START, lastSeen: START });
    now += 300_000;
    await limits.takeRateToken(PAYER);
    await limits.takeRateToken(OTHER);
    limits.accounts.flushLastSeenTimes();
    const [first, second] = limits.accounts.listAccountPage(null, 10);
    expect([first?.accountId, second?.accountId]).toEqual([OTHER.accountId, PAYER.accountId]);
    expect(second).toMatchObject({ firstSeen: START, lastSeen: START + 360_000 });
    const rest = limits.accounts.listAccountPage({ lastSeen: first?.lastSeen ?? 0, accountId: OTHER.accountId }, 10);
    expect(rest.map(({ accountId }) => accountId)).toEqual([PAYER.accountId]);
  });

  test('forgets callers known by address after a week, however many they are, and wallets after ninety days', async () => {
    const seen = { firstSeen: START, lastSeen: START };
    const many = Array.from({ length: 1100 }, (_, n) => ({ accountId: anonymousAccount(`10.0.${n >> 8}.${n & 255}`) }));
    storage.transaction((tx) =>
      recordLastSeen(
        tx,
        many.map((one) => ({ ...one, ...seen })),
      ),
    );
    await limits.takeRateToken({ kind: 'anonymous', accountId: anonymousAccount('203.0.113.9') });
    await limits.takeRateToken(PAYER);
    limits.accounts.flushLastSeenTimes();
    now += 8 * 86_400_000;
    await limits.takeRateToken(OTHER);
    limits.accounts.flushLastSeenTimes();
    const accounts = limits.accounts.listAccountPage(null, 10);
    expect(accounts.map(({ accountId }) => accountId)).toEqual([OTHER.accountId, PAYER.accountId]);
    limits.setPlan(OTHER.accountId, { plan: 'production' });
    now += 91 * 86_400_000;
    await limits.takeRateToken(NEWCOMER);
    limits.accounts.flushLastSeenTimes();
    const left = limits.accounts.listAccountPage(null, 10);
    expect(left.map(({ accountId }) => accountId)).toEqual([NEWCOMER.accountId, OTHER.accountId]);
  });
});

describe('a caller who proved nothing', () => {
  test.each([
    ['127.0.0.1', 'ip:127.0.0.1'],
    ['127.255.3.2', 'ip:127.0.0.1'],
    ['::1', 'ip:127.0.0.1'],
    ['::ffff:127.0.0.9', 'ip:127.0.0.1'],
    ['128.0.0.1', 'ip:128.0.0.1'],
    ['::ffff:203.0.113.9', 'ip:203.0.113.9'],
    ['2001:db8:1:2:aaaa::1', 'ip:2001:db8:1:2::/64'],
    ['2001:db8:1:2:bbbb::2', 'ip:2001:db8:1:2::/64'],
    ['fe80::1%eth0', 'ip:fe80:0:0:0::/64'],
    [undefined, 'ip:unknown'],
    ['nonsense', 'ip:unknown'],
  ])('at %s is %s', (address, accountId) => {
    expect(anonymousAccount(address)).toBe(accountId);
  });
});
