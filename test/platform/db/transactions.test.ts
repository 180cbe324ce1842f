import { sql } from 'kysely';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import {
  insertAttempts,
  insertDeliveries,
  markDelivered,
  type NewAttemptRow,
  type NewDeliveryRow,
} from '../../../src-server/features/webhooks/delivery-store.ts';
import type { Tx } from '../../../src-server/platform/db/database.ts';
import { type Storage, storageError } from '../../../src-server/platform/db/database.ts';
import { MIB } from '../../../src-server/platform/units.ts';
import { temporaryStorage } from '../../harness/queue.ts';

const DELIVERY: NewDeliveryRow = {
  id: 'dlv_1',
  webhook_id: 'whk',
  lane_id: 'lane',
  account_id: 'owner',
  kind: 'job',
  job_id: 'job',
  event: 'job.completed',
  job_ended_at: 1,
  status: 'pending',
  attempts: 0,
  tries: 0,
  manual: 0,
  next_attempt_at: 1,
  last_response_status: null,
  last_error_class: null,
  body_sha256: null,
  created_at: 1,
  updated_at: 1,
};
const ATTEMPT: NewAttemptRow = {
  delivery_seq: 1,
  number: 1,
  manual: 0,
  url: 'https://receiver.example/hook',
  started_at: 1,
  duration_ms: 1,
  request_headers: '{}',
  request_body_sha256: 'a',
  request_body_bytes: 2,
  request_body: Buffer.from('{}'),
  request_body_encoding: 'identity',
  response_status: 200,
  response_headers: '{}',
  response_body: Buffer.from('ok'),
  response_truncated: 0,
  error_class: null,
  error_message: null,
  next_attempt_at: null,
};

let database: Awaited<ReturnType<typeof temporaryStorage>>;
let storage: Storage;
beforeEach(async () => {
  database = await temporaryStorage();
  storage = database.storage;
  await storage.transaction((tx) => insertDeliveries(tx, [DELIVERY]));
});
afterEach(() => database[Symbol.asyncDispose]());

/** What recording an outcome writes, after a change of the same transaction that must not outlive it. */
async function record(tx: Tx, attempt: NewAttemptRow): Promise<void> {
  await tx.updateTable('webhook_deliveries').set({ event: 'job.failed' }).execute();
  await markDelivered(tx, [1], 200, 2);
  await insertAttempts(tx, [ATTEMPT, attempt]);
}

const failureOf = (work: Promise<void>): Promise<unknown> => work.then(() => null).catch((error: unknown) => error);
const kept = () => storage.db.selectFrom('webhook_deliveries').select(['event', 'status', 'attempts']).execute();
const attempts = () => storage.db.selectFrom('webhook_attempts').select('number').orderBy('seq').execute();

/** SQLite ends these transactions by itself: what fails is a statement that it was told to end them with. */
test('a disk that fills up while an outcome is recorded is told as such, keeps nothing of it, and is written to again', async () => {
  await sql`pragma max_page_count = 300`.execute(storage.db);
  const error = await failureOf(
    storage.transaction((tx) => record(tx, { ...ATTEMPT, number: 2, request_body: Buffer.alloc(2 * MIB) })),
  );
  expect(storageError(error)).toMatchObject({ code: 'storage_full' });
  expect(await kept()).toEqual([{ event: 'job.completed', status: 'pending', attempts: 0 }]);
  expect(await attempts()).toEqual([]);
  await storage.transaction((tx) => record(tx, { ...ATTEMPT, number: 2 }));
  expect(await kept()).toEqual([{ event: 'job.failed', status: 'delivered', attempts: 1 }]);
  expect(await attempts()).toEqual([{ number: 1 }, { number: 2 }]);
});

test('an outcome that breaks a rule of its table is told by that rule, and those after it are recorded', async () => {
  const broken = { ...ATTEMPT, url: null } as unknown as NewAttemptRow;
  const error = await failureOf(storage.transaction((tx) => record(tx, broken)));
  expect(error).toMatchObject({ code: 'SQLITE_CONSTRAINT_NOTNULL', message: expect.stringContaining('url') });
  expect(await kept()).toEqual([{ event: 'job.completed', status: 'pending', attempts: 0 }]);
  expect(await attempts()).toEqual([]);
  await storage.transaction((tx) => record(tx, ATTEMPT));
  expect(await attempts()).toHaveLength(2);
});

test.each<[string, () => Promise<unknown>]>([
  ['a question to the database', () => storage.db.selectFrom('jobs').select('seq').execute()],
  ['another transaction', () => storage.transaction(async () => 'inner')],
])('%s within a transaction fails, and stops nobody else', async (_, ask) => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  try {
    const outer = storage.transaction(ask);
    const others = [storage.db.selectFrom('jobs').select('seq').execute(), storage.transaction(async () => 'other')];
    const ended = Promise.allSettled([outer, ...others]);
    while (vi.getTimerCount() === 0) await new Promise((resolve) => setImmediate(resolve));
    vi.advanceTimersByTime(60_000);
    expect((await ended).map(({ status }) => status)).toEqual(['rejected', 'fulfilled', 'fulfilled']);
    await expect(outer).rejects.toThrow('waited for that transaction to end');
  } finally {
    vi.useRealTimers();
  }
});

test('what a transaction starts and does not wait for is answered when that has ended', async () => {
  let started: Promise<unknown[]> = Promise.resolve([]);
  await storage.transaction(async (tx) => {
    started = Promise.all([storage.db.selectFrom('jobs').select('seq').execute(), storage.transaction(async () => 1)]);
    await tx.selectFrom('jobs').select('seq').execute();
  });
  expect(await started).toEqual([[], 1]);
});
