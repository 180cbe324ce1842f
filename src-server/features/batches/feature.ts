import { join } from 'node:path';
import { defineFeature } from '../../feature.ts';
import { accounts } from '../accounts/feature.ts';
import { jobs } from '../jobs/feature.ts';
import { payments } from '../payments/feature.ts';
import { isBatchId } from '../payments/schema.ts';
import { webhooks } from '../webhooks/feature.ts';
import { addPaidBatches, createBatches, nameKeysOfBatches } from './migrations.ts';
import { orderOfRequest } from './order.ts';
import { BATCH_ROUTES } from './routes.ts';
import { Batches } from './service.ts';

/** Many sources with one request, each of which becomes a job. */
export const batches = defineFeature({
  name: 'batches',
  uses: { accounts, jobs, payments, webhooks },
  migrations: {
    '032-batches': { up: createBatches },
    '042-paid-batches': { up: addPaidBatches },
    '048-keys-of-makers': { up: nameKeysOfBatches },
  },
  async open(environment, { accounts: { keyOf }, jobs, payments: { payments, buyers }, webhooks: room }) {
    const { storage, clock, log, folder, operations, retentionMs } = environment;
    const { events, service, paid } = jobs;
    const { webhooks, listeners } = room;
    const batches = new Batches({
      storage,
      clock,
      log,
      root: join(folder, 'batches'),
      service,
      webhooks,
      payments,
      keyOf,
      retentionMs,
    });
    await batches.recoverBatches();
    events.on('ended', (tx, job) => batches.endEntriesOfJob(tx, job));
    events.on('retried', (tx, jobId) => batches.onJobRetried(tx, jobId));
    buyers.push({
      owns: isBatchId,
      insertPaid: (tx, draft, paymentId) => batches.insertPaid(tx, draft, paymentId),
      announce: () => undefined,
    });
    listeners.presenters.push((ids) => batches.presentBatchBodies(ids));
    paid.push({ path: '/batches', orderOf: orderOfRequest(operations) });
    return { service: { batches }, start: () => batches.startJobSource(), stop: () => batches.closeJobSource() };
  },
  routes: { environment: BATCH_ROUTES },
});
