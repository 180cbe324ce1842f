import { type Address, encodeFunctionData, type Hex } from 'viem';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { chainMissing, DOLLAR_ABI, DOLLAR_ADDRESS, type LocalChain, startChain } from '../harness/chain/chain.ts';
import { until } from '../harness/until.ts';
import {
  authorizationFor,
  CHAIN_ID,
  callOf,
  challengeOf,
  decode,
  type Entry,
  header,
  highTwin,
  newWallet,
  proofFor,
  type SignedProof,
  send,
  sign,
} from './proofs.ts';
import { type Fate, type Relay, startRelay } from './relay.ts';
import { draftOf, insertJob, openShop, type Shop } from './shop.ts';

const PRICE = 300_000n;

describe.skipIf(chainMissing !== null)('on a real chain', () => {
  let chain: LocalChain;
  let relay: Relay;
  let shop: Shop;
  let entry: Entry;
  let signer: Awaited<ReturnType<LocalChain['wallet']>>;
  let payTo: Address;

  beforeAll(async () => {
    chain = await startChain({ domain: { name: 'USDC', version: '2' } });
  });
  afterAll(async () => {
    await chain.stop();
  });
  beforeEach(async () => {
    relay = await startRelay(chain.rpcUrl);
    signer = await chain.wallet({ coin: true });
    payTo = newWallet().address;
    shop = await openShop({ fixed: settings() });
    entry = await challengeOf(shop);
  });
  afterEach(async () => {
    await shop[Symbol.asyncDispose]();
    await relay.close();
  });

  const settings = () => ({ mode: 'onchain' as const, payTo, rpcUrl: relay.url, privateKey: signer.key });
  const rich = () => chain.wallet({ dollars: 10n * PRICE });
  const submit = async (data: Hex) => {
    const hash = await chain.client.sendTransaction({ to: DOLLAR_ADDRESS, data });
    await chain.client.waitForTransactionReceipt({ hash });
    return hash;
  };
  const transactions = () => chain.client.getTransactionCount({ address: signer.address });
  const read = async (proof: SignedProof) => {
    const reading = await shop.payments.readProof({ operationId: 'crawl' }, ['x-payment', header(proof)]);
    if (reading.kind !== 'proof') throw new Error(`The proof is good, and not ${JSON.stringify(reading)}.`);
    return reading.proof;
  };
  const accept = (checked: Awaited<ReturnType<typeof read>>, name = 'x') => {
    const draft = draftOf('crawl', shop.payments.payerOf(checked), { name });
    return shop.payments.acceptPayment(checked, { requestHash: name, draft, insertJob, replay: () => 'kept' });
  };

  describe('a payment', () => {
    test('moves the money on the chain, makes one job, and is ready to say so', async () => {
      expect(await shop.payments.settlementStatus()).toMatchObject({ mode: 'onchain', ready: true });
      expect(entry.extra).toEqual({ name: 'USDC', version: '2' });
      const payer = await rich();
      const answer = await send(shop, header(await proofFor(shop, payer, entry)));
      expect(answer.status).toBe(202);
      const record = decode(answer.headers.get('x-payment-response'));
      const receipt = await chain.client.getTransactionReceipt({ hash: record.transaction as Hex });
      expect(receipt).toMatchObject({ status: 'success', from: signer.address.toLowerCase() });
      expect(await chain.dollarsOf(payTo)).toBe(PRICE);
      expect(await chain.dollarsOf(payer.address)).toBe(9n * PRICE);
      expect(shop.jobs()).toHaveLength(1);
    });

    test('from a contract wallet pays', async () => {
      const owner = newWallet();
      const address = await chain.contractWallet(owner.address);
      await chain.mint(address, PRICE);
      const authorization = authorizationFor(entry, address, shop.clock.now());
      const answer = await send(shop, header(await sign(owner, entry, authorization)));
      expect(answer.status).toBe(202);
      expect(await chain.dollarsOf(payTo)).toBe(PRICE);
      const forged = authorizationFor(entry, address, shop.clock.now());
      const refused = await send(shop, header(await sign(newWallet(), entry, forged)));
      expect(refused.body.error).toBe('insufficient_funds');
      await chain.mint(address, PRICE);
      const again = await send(shop, header(await sign(newWallet(), entry, forged)));
      expect(again.body.error).toBe('invalid_exact_evm_payload_signature');
    });

    test('by a hundred requests with one proof is one transaction and one job', async () => {
      const payment = header(await proofFor(shop, await rich(), entry));
      const answers = await Promise.all(Array.from({ length: 100 }, () => send(shop, payment)));
      expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([202]));
      expect(new Set(answers.map((answer) => answer.body.jobId)).size).toBe(1);
      expect(await transactions()).toBe(1);
      expect(await chain.dollarsOf(payTo)).toBe(PRICE);
      expect(shop.jobs()).toHaveLength(1);
    });

    test('by twenty payers at once is twenty transactions in order', async () => {
      const payers = [];
      for (let index = 0; index < 20; index += 1) payers.push(await rich());
      const answers = await Promise.all(
        payers.map(async (payer, index) =>
          send(shop, header(await proofFor(shop, payer, entry)), { body: { url: `https://x.test/${index}` } }),
        ),
      );
      expect(answers.every(({ status }) => status === 202)).toBe(true);
      expect(await transactions()).toBe(20);
      expect(await chain.dollarsOf(payTo)).toBe(20n * PRICE);
      expect(shop.jobs()).toHaveLength(20);
    });

    test('waits for as many blocks as the setting says', async () => {
      await using patient = await openShop({ fixed: { ...settings(), confirmations: 3 } });
      let ended = false;
      const answer = send(patient, header(await proofFor(patient, await rich(), entry))).finally(() => {
        ended = true;
      });
      await until(async () => (await transactions()) === 1);
      await until(() => (relay.asked.get('eth_blockNumber') ?? 0) >= 2);
      expect(ended).toBe(false);
      await chain.client.mine({ blocks: 2 });
      expect((await answer).status).toBe(202);
    });
  });

  describe("is refused with x402's own code", () => {
    test.each([
      ['a wallet without the money', 'insufficient_funds', async () => proofFor(shop, newWallet(), entry)],
      [
        'a signature of another key',
        'invalid_exact_evm_payload_signature',
        async () => sign(newWallet(), entry, authorizationFor(entry, (await rich()).address, shop.clock.now())),
      ],
      [
        'the domain version of another token',
        'invalid_exact_evm_payload_signature',
        async () => {
          const payer = await rich();
          return sign(payer, entry, authorizationFor(entry, payer.address, shop.clock.now()), { version: '1' });
        },
      ],
      [
        'a high-s twin',
        'invalid_exact_evm_payload_signature',
        async () => highTwin(await proofFor(shop, await rich(), entry)),
      ],
      [
        'a wallet that is not deployed',
        'invalid_exact_evm_payload_undeployed_smart_wallet',
        async () => ({
          ...(await proofFor(shop, newWallet(), entry)),
          signature: `0x${'ab'.repeat(96)}${'6492'.repeat(16)}` as Hex,
        }),
      ],
    ])('%s', async (_name, code, make) => {
      const answer = await send(shop, header(await make()));
      expect(answer).toMatchObject({ status: 402, body: { error: code } });
      expect(await transactions()).toBe(0);
      expect(shop.jobs()).toHaveLength(0);
    });
  });

  describe('somebody else is faster', () => {
    test('and pays us with the same authorization before the request: the job is made, nothing is sent', async () => {
      const proof = await proofFor(shop, await rich(), entry);
      const hash = await submit(callOf(proof));
      const answer = await send(shop, header(proof));
      expect(answer.status).toBe(202);
      expect(decode(answer.headers.get('x-payment-response'))).toMatchObject({ transaction: hash });
      expect(await transactions()).toBe(0);
    });

    test('and does so between verification and settlement', async () => {
      const proof = await proofFor(shop, await rich(), entry);
      const checked = await read(proof);
      await submit(callOf(proof));
      expect(await accept(checked)).toMatchObject({ kind: 'accepted' });
      expect(await chain.dollarsOf(payTo)).toBe(PRICE);
    });

    test('and does so while our own transaction is on its way', async () => {
      const proof = await proofFor(shop, await rich(), entry);
      relay.before = async ({ method }): Promise<Fate> => {
        if (method === 'eth_sendRawTransaction') await submit(callOf(proof));
        return 'forward';
      };
      expect((await send(shop, header(proof))).status).toBe(202);
      expect(await chain.dollarsOf(payTo)).toBe(PRICE);
      expect(shop.jobs()).toHaveLength(1);
    });

    test('and burns the nonce on another transfer: no job', async () => {
      const payer = await rich();
      const proof = await proofFor(shop, payer, entry);
      const checked = await read(proof);
      const elsewhere = await sign(payer, entry, { ...proof.authorization, to: newWallet().address });
      await submit(callOf(elsewhere));
      expect(await accept(checked)).toEqual({ kind: 'refused', code: 'invalid_transaction_state' });
      expect((await send(shop, header(proof))).body.error).toBe('invalid_transaction_state');
      expect(shop.jobs()).toHaveLength(0);
    });

    test('and cancels the authorization: no job', async () => {
      const payer = await rich();
      const proof = await proofFor(shop, payer, entry);
      const checked = await read(proof);
      const { nonce } = proof.authorization;
      const signature = await payer.signTypedData({
        domain: { ...entry.extra, chainId: CHAIN_ID, verifyingContract: DOLLAR_ADDRESS },
        types: {
          CancelAuthorization: [
            { name: 'authorizer', type: 'address' },
            { name: 'nonce', type: 'bytes32' },
          ],
        },
        primaryType: 'CancelAuthorization',
        message: { authorizer: payer.address, nonce },
      });
      const args = [payer.address, nonce, signature] as const;
      await submit(encodeFunctionData({ abi: DOLLAR_ABI, functionName: 'cancelAuthorization', args }));
      expect(await accept(checked)).toEqual({ kind: 'refused', code: 'invalid_transaction_state' });
      expect(shop.jobs()).toHaveLength(0);
    });

    test('and hides a burned nonce beside a true payment in one transaction: one job, not two', async () => {
      const payer = await rich();
      const paying = await proofFor(shop, payer, entry);
      const burned = await proofFor(shop, payer, entry);
      const elsewhere = await sign(payer, entry, { ...burned.authorization, to: newWallet().address });
      await chain.batch([callOf(elsewhere), callOf(paying)]);
      const cheat = await send(shop, header(burned), { body: { url: 'https://example.com/cheat' } });
      expect(cheat.body.error).toBe('invalid_transaction_state');
      expect((await send(shop, header(paying))).status).toBe(202);
      expect(shop.jobs()).toHaveLength(1);
    });
  });

  test('two proofs with the balance for one: one job, and the other is invalid_transaction_state', async () => {
    const payer = await chain.wallet({ dollars: PRICE + 1n });
    const checked = [await read(await proofFor(shop, payer, entry)), await read(await proofFor(shop, payer, entry))];
    const results = await Promise.all(checked.map((proof, index) => accept(proof, `two-${index}`)));
    expect(results.map(({ kind }) => kind).sort()).toEqual(['accepted', 'refused']);
    expect(results).toContainEqual({ kind: 'refused', code: 'invalid_transaction_state' });
    expect(shop.jobs()).toHaveLength(1);
    expect(await chain.dollarsOf(payTo)).toBe(PRICE);
  });

  describe('when the chain cannot be asked', () => {
    test('at verification, the answer is 503 with Retry-After and the proof is not spent', async () => {
      const payment = header(await proofFor(shop, await rich(), entry));
      relay.before = () => 'lose';
      const away = await send(shop, payment);
      expect(away).toMatchObject({ status: 503, body: { code: 'unexpected_verify_error' } });
      expect(Number(away.headers.get('retry-after'))).toBeGreaterThan(0);
      expect(shop.storage.db.queryAll(shop.storage.db.selectFrom('payments').selectAll())).toEqual([]);
      relay.before = () => 'forward';
      expect((await send(shop, payment)).status).toBe(202);
    });

    test('at settlement, the reservation stays and the same request goes on with it', async () => {
      const proof = await proofFor(shop, await rich(), entry);
      relay.before = ({ method }) => (method === 'eth_sendRawTransaction' ? 'lose' : 'forward');
      const away = await send(shop, header(proof));
      expect(away).toMatchObject({ status: 503, body: { code: 'unexpected_settle_error' } });
      const other = await send(shop, header(proof), { body: { url: 'https://example.com/other' } });
      expect(other.body.error).toBe('duplicate_settlement');
      relay.before = () => 'forward';
      expect((await send(shop, header(proof))).status).toBe(202);
      expect(await transactions()).toBe(1);
      expect(shop.jobs()).toHaveLength(1);
    });

    test('for the answer to the broadcast, money moves once and the job is made once', async () => {
      const proof = await proofFor(shop, await rich(), entry);
      relay.after = ({ method }) => (method === 'eth_sendRawTransaction' ? 'lose' : 'forward');
      const answer = await send(shop, header(proof));
      expect([202, 503]).toContain(answer.status);
      relay.after = () => 'forward';
      expect((await send(shop, header(proof))).status).toBe(202);
      expect(await chain.dollarsOf(payTo)).toBe(PRICE);
      expect(shop.jobs()).toHaveLength(1);
    });
  });

  test('a payer who never asks again still gets the job once the chain can be asked', async () => {
    const proof = await proofFor(shop, await rich(), entry);
    relay.before = ({ method }) => (method === 'eth_sendRawTransaction' ? 'lose' : 'forward');
    await send(shop, header(proof));
    relay.before = () => 'forward';
    expect(shop.payments.openDraftJobIds()).toHaveLength(1);
    await shop.payments.reconcilePayments(insertJob);
    await until(async () => shop.jobs().length === 1);
    expect(shop.payments.openDraftJobIds()).toEqual([]);
    expect(await chain.dollarsOf(payTo)).toBe(PRICE);
  });

  test('a job that cannot be written after the money has moved is written later, from the same draft', async () => {
    const payer = await rich();
    const checked = await read(await proofFor(shop, payer, entry));
    const draft = draftOf('crawl', payer.address, { name: 'full disk' });
    const purchase = { requestHash: 'x', draft, replay: () => 'kept' as const };
    const failed = await shop.payments.acceptPayment(checked, {
      ...purchase,
      insertJob: () => {
        throw new Error('The disk is full.');
      },
    });
    expect(failed).toMatchObject({ kind: 'unavailable', code: 'unexpected_settle_error', keepsDraft: true });
    expect(shop.payments.openDraftJobIds()).toEqual([draft.jobId]);
    const newDraft = draftOf('crawl', payer.address, { name: 'full disk' });
    const again = await shop.payments.acceptPayment(checked, { ...purchase, draft: newDraft, insertJob });
    expect(again).toMatchObject({ kind: 'accepted', jobId: draft.jobId });
    expect(await chain.dollarsOf(payTo)).toBe(PRICE);
    expect(shop.jobs()).toHaveLength(1);
  });

  test('a receipt that does not come is settlement_pending with the hash, and a retry resumes', async () => {
    await chain.client.setAutomine(false);
    try {
      const payment = header(await proofFor(shop, await richWhilePaused(), entry));
      const pending = await send(shop, payment);
      expect(pending).toMatchObject({ status: 503, body: { code: 'settlement_pending' } });
      expect(Number(pending.headers.get('retry-after'))).toBeGreaterThan(0);
      const record = decode(pending.headers.get('x-payment-response'));
      expect(record).toMatchObject({ success: false, errorReason: 'settlement_pending' });
      expect(record.transaction).toMatch(/^0x[0-9a-f]{64}$/);
      await chain.client.mine({ blocks: 1 });
      const answer = await send(shop, payment);
      expect(answer.status).toBe(202);
      expect(decode(answer.headers.get('x-payment-response')).transaction).toBe(record.transaction);
      expect(await transactions()).toBe(1);
    } finally {
      await chain.client.setAutomine(true);
    }
  });

  test('a key without gas is 503, says so to the owner, and the payment goes on once it has some', async () => {
    await chain.client.setBalance({ address: signer.address, value: 0n });
    const status = await shop.payments.settlementStatus();
    expect(status.ready).toBe(false);
    expect(status.checks.find(({ name }) => name === 'gas')?.ok).toBe(false);
    const payment = header(await proofFor(shop, await rich(), entry));
    expect(await send(shop, payment)).toMatchObject({ status: 503, body: { code: 'unexpected_settle_error' } });
    await chain.client.setBalance({ address: signer.address, value: 10n ** 18n });
    expect((await send(shop, payment)).status).toBe(202);
    expect(await chain.dollarsOf(payTo)).toBe(PRICE);
  });

  test('an asset that signs under another version is found before anybody pays', async () => {
    const extra = { name: 'USDC', version: '1' };
    await using literal = await openShop({ fixed: { ...settings(), asset: DOLLAR_ADDRESS, extra } });
    const status = await literal.payments.settlementStatus();
    expect(status.ready).toBe(false);
    expect(status.checks.find(({ name }) => name === 'chain')?.detail).toContain('another name or version');
  });

  test('a chain that is another one, or none, is found before anybody pays', async () => {
    await using other = await openShop({ fixed: { ...settings(), network: 'base' } });
    expect((await other.payments.settlementStatus()).checks[0]?.detail).toContain('84532');
    relay.before = () => 'lose';
    expect((await shop.payments.settlementStatus()).ready).toBe(false);
  });

  test('the key is in no answer, no setting and no error', async () => {
    const answers = [
      await (await fetch(`${shop.url}/admin/settlement`)).text(),
      await (
        await fetch(`${shop.url}/admin/settlement`, {
          method: 'PUT',
          body: JSON.stringify({ privateKey: `${signer.key}00` }),
        })
      ).text(),
    ];
    for (const text of answers) expect(text).not.toContain(signer.key.slice(2, 20));
    expect(JSON.parse(answers[0] ?? '')).toMatchObject({ settings: { hasPrivateKey: true } });
  });

  /** A payer made before mining is stopped would not help: minting needs a block of its own. */
  async function richWhilePaused() {
    await chain.client.setAutomine(true);
    const payer = await rich();
    await chain.client.setAutomine(false);
    return payer;
  }
});
