/**
 * The server under payments.bench.ts: one route three times over the same job table, with our gate, with the stock
 * middleware, and with none. The stock middleware gets the sandbox's facilitator in its own process, without HTTP
 * between them: the best case it can have.
 */
import { HTTPFacilitatorClient } from '@x402/core/server';
import { ExactEvmScheme } from '@x402/evm/exact/server';
import { paymentMiddleware, x402ResourceServer } from '@x402/hono';
import type { Payments } from '../src-server/features/payments/service.ts';
import { draftOf, insertJob, openShop } from '../test/payments/shop.ts';

const OPERATION = 'crawl';
const STOCK_PATH = '/stock';

/** As stock clients see a facilitator, without the network. */
function facilitatorOf({ facilitator }: Payments): HTTPFacilitatorClient {
  const ask = (paymentPayload: unknown, paymentRequirements: unknown) => ({
    x402Version: 2,
    paymentPayload,
    paymentRequirements,
  });
  return Object.assign(new HTTPFacilitatorClient(), {
    getSupported: async () => facilitator.supportedKinds(2),
    verify: async (payload: unknown, entry: unknown) =>
      (await facilitator.verifyRequestedPayment(ask(payload, entry))).body,
    settle: async (payload: unknown, entry: unknown) =>
      (await facilitator.settleRequestedPayment(ask(payload, entry))).body,
  });
}

const shop = await openShop({
  routes: (app, payments, storage) => {
    const { terms } = payments.settlementSettings();
    const price = { amount: '300000', asset: terms.asset, extra: terms.extra };
    const accepts = {
      scheme: 'exact',
      price,
      network: 'eip155:84532',
      payTo: terms.payTo,
      maxTimeoutSeconds: 300,
    } as const;
    const resources = new x402ResourceServer(facilitatorOf(payments)).register('eip155:84532', new ExactEvmScheme());
    app.use(STOCK_PATH, paymentMiddleware({ [`POST ${STOCK_PATH}`]: { accepts, description: 'Crawl' } }, resources));
    for (const path of [STOCK_PATH, '/none']) {
      app.post(path, async (context) => {
        const request = (await context.req.json()) as Record<string, unknown>;
        const draft = draftOf(OPERATION, 'owner', request);
        const jobId = storage.transaction((tx) => insertJob(tx, draft, draft.jobId));
        return context.json({ jobId, status: 'queued' }, 202);
      });
    }
  },
});

process.stdout.write(`${JSON.stringify({ url: shop.url })}\n`);
