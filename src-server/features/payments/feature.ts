import { defineFeature, type Environment } from '../../feature.ts';
import type { Tx } from '../../platform/db/database.ts';
import { SecretFile } from '../../platform/files/private-files.ts';
import {
  addReplacedTransactions,
  createPayments as createTables,
  indexPaymentsByTime,
  indexSettledByMode,
  sumEarnings,
} from './migrations.ts';
import { ADMIN_PAYMENT_ROUTES, FACILITATOR_ROUTES, guardFacilitator, mountFacilitator } from './routes.ts';
import type { FixedPaymentSettings } from './schema.ts';
import { createPayments, type PaidDraft, type Payments } from './service.ts';

export { guardFacilitator };

declare module '../../context.ts' {
  interface FeatureOptions {
    /** Payment settings fixed by flags and environment variables. The owner can set the others. */
    payment?: FixedPaymentSettings;
  }
}

/** Turns the draft of a settled payment into what it bought. */
export interface DraftBuyer {
  owns(draftId: string): boolean;
  insertPaid(tx: Tx, draft: PaidDraft, paymentId: string): string;
  announce(id: string): void;
}

export interface PaymentRoom {
  payments: Payments;
  /** Features add what payments buy. */
  buyers: DraftBuyer[];
}

export const payments = defineFeature({
  name: 'payments',
  migrations: {
    '002-payments': { up: createTables },
    '012-replaced-transactions': { up: addReplacedTransactions },
    '015-payments-by-time': { up: indexPaymentsByTime },
    '022-settled-by-mode': { up: indexSettledByMode },
    '024-earnings': { up: sumEarnings },
  },
  async open(environment) {
    const payments = await openPayments(environment);
    const buyers: DraftBuyer[] = [];
    const buyerOf = (draftId: string) => {
      const buyer = buyers.find(({ owns }) => owns(draftId));
      if (buyer === undefined) throw new Error(`No feature sells ${draftId}.`);
      return buyer;
    };
    const service: PaymentRoom = { payments, buyers };
    return {
      service,
      recover: () =>
        payments.reconcilePayments(
          (tx, draft, paymentId) => buyerOf(draft.jobId).insertPaid(tx, draft, paymentId),
          (id) => buyerOf(id).announce(id),
        ),
      close: () => payments.closePayments(),
    };
  },
  routes: { owner: ADMIN_PAYMENT_ROUTES, described: { public: FACILITATOR_ROUTES } },
  mount: ({ server, environments: { production, staging } }) => [
    { path: '/', routes: mountFacilitator(production.payments, server.readBody) },
    { path: '/staging', routes: mountFacilitator(staging.payments, server.readBody) },
  ],
});

function openPayments({ name, context, folder, storage, clock, log, operations, baseUrl }: Environment) {
  return createPayments({
    storage,
    environment: name,
    clock,
    fixed: context.options.payment ?? {},
    keyFile: new SecretFile(`${folder}/settlement-key`),
    offerKeyFile: new SecretFile(`${folder}/offer-key`),
    operations: operations.flatMap(({ id, summary, price, example }) =>
      price === null ? [] : [{ operationId: id, summary, price, example: example.request }],
    ),
    baseUrl,
    log,
  });
}
