import { expect, test } from 'vitest';
import { crawl } from '../../src-server/features/crawl/operation.ts';
import { JobEvents } from '../../src-server/features/jobs/events.ts';
import { type GatePurchase, paymentGate } from '../../src-server/features/jobs/payment-gate.ts';
import type { Jobs } from '../../src-server/features/jobs/service.ts';
import { Submission, type SubmissionDeps } from '../../src-server/features/jobs/submit.ts';
import type { CheckedProof, Payments } from '../../src-server/features/payments/service.ts';

/** A gate whose payments are settled for the job given: `told` is what was said once that was committed. */
function gateThatBuys(jobId: string) {
  const told: string[] = [];
  const jobs = { onJobSubmitted: (id: string) => told.push(`submitted ${id}`), row: (id: string) => ({ id }) };
  const events = new JobEvents();
  events.on('committed', () => told.push('outbox kicked'));
  const payments = { acceptPayment: async () => ({ kind: 'accepted', jobId, replayed: false, headers: {} }) };
  const intake = new Submission({ jobs, events } as unknown as SubmissionDeps);
  const gate = paymentGate(payments as unknown as Payments, intake, jobs as unknown as Jobs);
  return { gate, told };
}

const purchase: GatePurchase = {
  proof: {} as CheckedProof,
  operation: crawl,
  requestHash: 'hash',
  draft: {
    jobId: 'crl_new',
    operationId: 'crawl',
    accountId: '0xpayer',
    request: {},
    upload: null,
    privateHost: null,
    priority: 1,
    dedupeKey: 'key',
    subscriptions: [{ url: 'https://receiver.example/', events: [], secret: null }],
  },
  prefer: undefined,
};

test('a paid request that is answered by a crawl that ended has its callback sent at once, not at the next look', async () => {
  const { gate, told } = gateThatBuys('crl_known');
  expect(await gate.accept(purchase)).toMatchObject({ kind: 'accepted', job: { id: 'crl_known' } });
  expect(told).toEqual(['submitted crl_known', 'outbox kicked']);
});

test('a paid request that makes a job of its own leaves the outbox alone: there is nothing to send yet', async () => {
  const { gate, told } = gateThatBuys('crl_new');
  await gate.accept(purchase);
  expect(told).toEqual(['submitted crl_new']);
});
