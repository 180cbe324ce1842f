/**
 * One paid request in a process of its own, or the look at open payments that a start begins with, which kills itself at
 * a chosen transaction of the database, or is killed from outside at a chosen call to the chain. Its task comes as JSON.
 */
import { flushCompileCache } from 'node:module';
import type { FixedPaymentSettings } from '../../src-server/features/payments/schema.ts';
import { createPayments } from '../../src-server/features/payments/service.ts';
import { MIGRATIONS } from '../../src-server/features.ts';
import { systemClock } from '../../src-server/platform/clock.ts';
import { openStorage, type Storage } from '../../src-server/platform/db/database.ts';
import { SecretFile } from '../../src-server/platform/files/private-files.ts';
import { batchDraftOf, draftOf, insertOwed, OPERATIONS } from './shop.ts';

export interface CrashTask {
  path: string;
  settings: FixedPaymentSettings;
  /** Value of X-PAYMENT. */
  payment: string;
  request: Record<string, unknown>;
  /** Buys a batch of so many items instead of a job. */
  items?: number;
  /** Number of the write transaction at which the process ends, before or after it is committed; null for never. */
  end: { transaction: number; when: 'before' | 'after' } | null;
  /** Nobody asks: what is open is looked at, by a clock that is so far ahead. */
  resumesAheadMs?: number;
}

// Who is killed keeps nothing for the next otherwise.
flushCompileCache();
const task = JSON.parse(process.argv[2] ?? '') as CrashTask;
const silent = { info: () => {}, warn: () => {}, error: () => {} };

function ending(storage: Storage): Storage {
  let count = 0;
  return {
    ...storage,
    transaction: (work) => {
      count += 1;
      const chosen = task.end?.transaction === count ? task.end.when : null;
      const result = storage.transaction((tx) => {
        const value = work(tx);
        if (chosen === 'before') process.kill(process.pid, 'SIGKILL');
        return value;
      });
      if (chosen === 'after') process.kill(process.pid, 'SIGKILL');
      return result;
    },
  };
}

const payments = await createPayments({
  storage: ending(await openStorage(task.path, { migrations: MIGRATIONS })),
  environment: 'production',
  clock: { now: () => systemClock.now() + (task.resumesAheadMs ?? 0) },
  fixed: task.settings,
  keyFile: new SecretFile(`${task.path}.key`),
  offerKeyFile: new SecretFile(`${task.path}.offer-key`),
  operations: OPERATIONS,
  baseUrl: () => 'http://127.0.0.1/v1',
  log: silent,
});
if (task.resumesAheadMs !== undefined) {
  await payments.reconcilePayments(insertOwed);
  // The look goes on until the process is killed.
  await new Promise(() => {});
}
const { items } = task;
const reading = await payments.readProof({ operationId: 'crawl', items }, ['X-PAYMENT', task.payment]);
if (reading.kind !== 'proof') throw new Error(JSON.stringify(reading));
const payer = payments.payerOf(reading.proof);
const result = await payments.acceptPayment(reading.proof, {
  requestHash: JSON.stringify(task.request),
  draft: items === undefined ? draftOf('crawl', payer, task.request) : batchDraftOf(payer, items),
  insertJob: insertOwed,
  replay: () => 'kept',
});
process.stdout.write(JSON.stringify(result));
process.exit(0);
