/** The stock facilitator of x402 judges the same proofs on the same chain: where it says no, so do we, and the reverse. */

import { serve } from '@hono/node-server';
import { toFacilitatorEvmSigner } from '@x402/evm';
import { ExactEvmSchemeV1 } from '@x402/evm/exact/v1/facilitator';
import { type Context, Hono } from 'hono';
import { createWalletClient, type Hex, http, publicActions } from 'viem';
import { baseSepolia } from 'viem/chains';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { chainMissing, type LocalChain, startChain } from '../harness/chain/chain.ts';
import {
  authorizationFor,
  challengeOf,
  decode,
  type Entry,
  header,
  newWallet,
  proofFor,
  type SignedProof,
  send,
  sign,
} from './proofs.ts';
import { type Relay, startRelay } from './relay.ts';
import { openShop, type Shop } from './shop.ts';

describe.skipIf(chainMissing !== null)('our verdict and that of the stock facilitator', () => {
  let chain: LocalChain;
  let shop: Shop;
  let entry: Entry;
  let stock: ExactEvmSchemeV1;

  beforeAll(async () => {
    chain = await startChain({ domain: { name: 'USDC', version: '2' } });
    const signer = await chain.wallet({ coin: true });
    const payTo = newWallet().address;
    shop = await openShop({
      fixed: { mode: 'onchain', payTo, rpcUrl: chain.rpcUrl, privateKey: signer.key },
    });
    entry = await challengeOf(shop);
    const transport = http(chain.rpcUrl);
    const wallet = createWalletClient({ account: signer, chain: baseSepolia, transport }).extend(publicActions);
    const client = { ...wallet, address: signer.address };
    stock = new ExactEvmSchemeV1(toFacilitatorEvmSigner(client as never));
  });
  afterAll(async () => {
    await shop[Symbol.asyncDispose]();
    await chain.stop();
  });

  const rich = () => chain.wallet({ dollars: 10_000_000n });
  const seconds = () => BigInt(Math.floor(shop.clock.now() / 1000));
  /** Without Multicall3 on the chain, it cannot say that money is lacking, only that the transfer failed. */
  const vague = 'invalid_exact_evm_transaction_simulation_failed';
  const cases: [string, () => Promise<SignedProof>][] = [
    ['a good proof', async () => proofFor(shop, await rich(), entry)],
    ['too little', async () => proofFor(shop, await rich(), entry, { value: 299_999n })],
    ['another receiver', async () => proofFor(shop, await rich(), entry, { to: newWallet().address })],
    ['expired', async () => proofFor(shop, await rich(), entry, { validBefore: seconds() - 10n })],
    ['not valid yet', async () => proofFor(shop, await rich(), entry, { validAfter: seconds() + 100n })],
    ['no money', async () => proofFor(shop, newWallet(), entry)],
    [
      'another key',
      async () => sign(newWallet(), entry, authorizationFor(entry, (await rich()).address, shop.clock.now())),
    ],
    [
      'another domain',
      async () => {
        const payer = await rich();
        return sign(payer, entry, authorizationFor(entry, payer.address, shop.clock.now()), { version: '1' });
      },
    ],
  ];

  test.each(cases)('agree on %s', async (_name, make) => {
    const proof = await make();
    const payload = JSON.parse(Buffer.from(header(proof), 'base64').toString()) as object;
    const theirs = await stock.verify(payload as never, entry as never);
    const ours = await send(shop, header(proof));
    expect(ours.status === 202).toBe(theirs.isValid);
    if (theirs.isValid || theirs.invalidReason === vague) return;
    // The newer list of codes leaves the word out.
    expect(theirs.invalidReason?.replace('payload_', '')).toBe(ours.body.error?.replace('payload_', ''));
  });

  describe('the stock facilitator settles for us on the chain', () => {
    let relay: Relay;
    let served: { url: string; close(): void };
    let client: Shop;

    beforeAll(async () => {
      served = await serveFacilitator(stock);
      relay = await startRelay(served.url);
      const { payTo } = entry;
      client = await openShop({
        fixed: { mode: 'facilitator', payTo, facilitatorUrl: relay.url, rpcUrl: chain.rpcUrl },
      });
    });
    afterAll(async () => {
      await client[Symbol.asyncDispose]();
      await relay.close();
      served.close();
    });

    test('and the money arrives', async () => {
      expect(await client.payments.settlementStatus()).toMatchObject({ mode: 'facilitator', ready: true });
      const before = await chain.dollarsOf(entry.payTo as Hex);
      const answer = await send(client, header(await proofFor(client, await rich(), await challengeOf(client))));
      expect(answer.status).toBe(202);
      expect((await chain.dollarsOf(entry.payTo as Hex)) - before).toBe(300_000n);
    });

    test('and when its answer is lost, the chain says that the money has arrived', async () => {
      const payment = header(await proofFor(client, await rich(), await challengeOf(client)));
      const before = await chain.dollarsOf(entry.payTo as Hex);
      relay.after = ({ method }) => (method === '/settle' ? 'lose' : 'forward');
      expect((await send(client, payment)).status).toBe(503);
      relay.after = () => 'forward';
      const answer = await send(client, payment);
      expect(answer.status).toBe(202);
      const { transaction } = decode(answer.headers.get('x-payment-response'));
      expect((await chain.client.getTransactionReceipt({ hash: transaction as Hex })).status).toBe('success');
      expect((await chain.dollarsOf(entry.payTo as Hex)) - before).toBe(300_000n);
    });

    test('and when it claims a settlement that is none, there is no job', async () => {
      const proof = await proofFor(client, await rich(), await challengeOf(client));
      const jobs = client.jobs().length;
      const { hash } = await chain.client.getBlock();
      const lying = await serveFacilitator({
        verify: async () => ({ isValid: true }),
        settle: async () => ({
          success: true,
          transaction: (await chain.client.getBlock({ blockHash: hash })).transactions[0],
        }),
      } as never);
      await using naive = await openShop({
        fixed: { mode: 'facilitator', payTo: entry.payTo, facilitatorUrl: lying.url, rpcUrl: chain.rpcUrl },
      });
      const answer = await send(naive, header(proof));
      expect(answer).toMatchObject({ status: 402, body: { error: 'invalid_transaction_state' } });
      expect(naive.jobs()).toHaveLength(0);
      expect(client.jobs()).toHaveLength(jobs);
      lying.close();
    });
  });
});

/** The three routes of a facilitator, as its operators write them. */
async function serveFacilitator(scheme: Pick<ExactEvmSchemeV1, 'verify' | 'settle'>) {
  const app = new Hono();
  const bodyOf = async (context: Context) =>
    (await context.req.json()) as { paymentPayload: never; paymentRequirements: never };
  app.get('/supported', (context) =>
    context.json({
      kinds: [{ x402Version: 1, scheme: 'exact', network: 'base-sepolia' }],
      extensions: [],
      signers: {},
    }),
  );
  app.post('/verify', async (context) => {
    const { paymentPayload, paymentRequirements } = await bodyOf(context);
    return context.json(await scheme.verify(paymentPayload, paymentRequirements));
  });
  app.post('/settle', async (context) => {
    const { paymentPayload, paymentRequirements } = await bodyOf(context);
    return context.json(await scheme.settle(paymentPayload, paymentRequirements));
  });
  return new Promise<{ url: string; close(): void }>((resolve) => {
    const server = serve({ fetch: app.fetch, port: 0, hostname: '127.0.0.1' }, ({ port }) => {
      resolve({ url: `http://127.0.0.1:${port}`, close: () => void server.close() });
    });
  });
}
