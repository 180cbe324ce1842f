import { copyFileSync, existsSync, statSync } from 'node:fs';
import { sql } from 'kysely';
import { afterEach, beforeEach, expect, test } from 'vitest';
import {
  insertAttempts,
  insertDeliveries,
  markOutcomes,
  type NewAttemptRow,
  type NewDeliveryRow,
} from '../../../src-server/features/webhooks/delivery-store.ts';
import { MIGRATIONS } from '../../../src-server/features.ts';
import {
  openSecondStorage,
  openStorage,
  type Storage,
  storageError,
  type Tx,
} from '../../../src-server/platform/db/database.ts';
import { MIB } from '../../../src-server/platform/units.ts';
import { queueJob, temporaryStorage } from '../../harness/queue.ts';

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
const DELIVERED = {
  seq: 1,
  dueAt: 1,
  status: 'delivered',
  nextAttemptAt: null,
  responseStatus: 200,
  errorClass: null,
  bodySha256: 'a',
} as const;
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
  storage.transaction((tx) => insertDeliveries(tx, [DELIVERY]));
});
afterEach(() => database[Symbol.asyncDispose]());

/** What recording an outcome writes, after a change of the same transaction that must not outlive it. */
function record(tx: Tx, attempt: NewAttemptRow): void {
  tx.runStatement(tx.updateTable('webhook_deliveries').set({ event: 'job.failed' }));
  markOutcomes(tx, [DELIVERED], 2);
  insertAttempts(tx, [ATTEMPT, attempt]);
}

function failureOf(work: () => unknown): unknown {
  try {
    work();
  } catch (error) {
    return error;
  }
  throw new Error('The work did not fail.');
}

const deliveries = () => {
  const { db } = storage;
  return db.queryAll(db.selectFrom('webhook_deliveries').select(['event', 'status', 'attempts']));
};
const attempts = () => storage.db.queryAll(storage.db.selectFrom('webhook_attempts').select('number').orderBy('seq'));
const markEvent = (tx: Tx, event: string) => tx.runStatement(tx.updateTable('webhook_deliveries').set({ event }));

/** SQLite ends a transaction itself when the disk is full. */
test('a disk that fills up while an outcome is recorded has its own error, keeps nothing of it, and is written again', () => {
  storage.db.queryAll(sql`pragma max_page_count = 300`);
  const large = { ...ATTEMPT, number: 2, request_body: Buffer.alloc(2 * MIB) };
  const error = failureOf(() => storage.transaction((tx) => record(tx, large)));
  expect(storageError(error)).toMatchObject({ code: 'storage_full' });
  expect(deliveries()).toEqual([{ event: 'job.completed', status: 'pending', attempts: 0 }]);
  expect(attempts()).toEqual([]);
  storage.transaction((tx) => record(tx, { ...ATTEMPT, number: 2 }));
  expect(deliveries()).toEqual([{ event: 'job.failed', status: 'delivered', attempts: 1 }]);
  expect(attempts()).toEqual([{ number: 1 }, { number: 2 }]);
});

test('an outcome that breaks a rule of its table fails with that rule, and those after it are recorded', () => {
  const broken = { ...ATTEMPT, url: null } as unknown as NewAttemptRow;
  const error = failureOf(() => storage.transaction((tx) => record(tx, broken)));
  expect(error).toMatchObject({ code: 'SQLITE_CONSTRAINT_NOTNULL', message: expect.stringContaining('url') });
  expect(deliveries()).toEqual([{ event: 'job.completed', status: 'pending', attempts: 0 }]);
  expect(attempts()).toEqual([]);
  storage.transaction((tx) => record(tx, ATTEMPT));
  expect(attempts()).toHaveLength(2);
});

test('a transaction within a transaction fails, and takes the outer one with it', () => {
  const error = failureOf(() =>
    storage.transaction((tx) => {
      markEvent(tx, 'outer');
      storage.transaction((inner) => markEvent(inner, 'inner'));
    }),
  );
  expect(error).toMatchObject({ message: expect.stringContaining('within a transaction') });
  expect(deliveries()).toMatchObject([{ event: 'job.completed' }]);
  storage.transaction((tx) => markEvent(tx, 'later'));
  expect(deliveries()).toMatchObject([{ event: 'later' }]);
});

test('a transaction that returns a promise fails, and keeps nothing', async () => {
  const later = Promise.withResolvers<void>();
  const work = (tx: Tx) => {
    markEvent(tx, 'begun');
    later.resolve(Promise.resolve().then(() => markOutcomes(tx, [DELIVERED], 2)));
    return later.promise;
  };
  const error = failureOf(() => storage.transaction(work as (tx: Tx) => never));
  expect(error).toMatchObject({ message: expect.stringContaining('synchronous') });
  await expect(later.promise).rejects.toThrow('outside a transaction');
  expect(deliveries()).toEqual([{ event: 'job.completed', status: 'pending', attempts: 0 }]);
});

test('a query of the builder runs through the database alone', async () => {
  await expect(storage.db.selectFrom('jobs').select('seq').execute()).rejects.toThrow('`all`');
});

test('a second writer waits for the first one, and both are kept', () => {
  const other = openSecondStorage(database.path, { synchronous: 'NORMAL' });
  try {
    other.transaction((tx) => markEvent(tx, 'second'));
    storage.transaction((tx) => markOutcomes(tx, [DELIVERED], 2));
    expect(deliveries()).toEqual([{ event: 'second', status: 'delivered', attempts: 1 }]);
  } finally {
    other.close();
  }
});

/** Bytes of the log. */
const logBytes = () => statSync(`${database.path}-wal`).size;

test('the log starts again instead of growing with everything that was ever written', () => {
  const text = 'x'.repeat(MIB);
  for (let n = 0; n < 40; n++) {
    storage.transaction((tx) =>
      tx.runStatement(tx.insertInto('settings').values({ name: `n${n}`, value: text, updated_at: n })),
    );
  }
  expect(logBytes()).toBeLessThan(6 * MIB);
});

test('what a killed process left in the log is there at the next start, and in the file after its end', async () => {
  queueJob(storage);
  const copy = `${database.path}.copy`;
  for (const ending of ['', '-wal']) copyFileSync(database.path + ending, copy + ending);
  expect(statSync(`${copy}-wal`).size).toBeGreaterThan(0);
  const reopened = await openStorage(copy, { migrations: MIGRATIONS });
  expect(reopened.db.queryAll(reopened.db.selectFrom('jobs').select('seq'))).toHaveLength(1);
  reopened.close();
  expect(existsSync(`${copy}-wal`)).toBe(false);
});
