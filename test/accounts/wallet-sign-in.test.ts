import { createSIWxClientHook } from '@x402/extensions/sign-in-with-x';
import { wrapFetchWithPayment, x402Client, x402HTTPClient } from '@x402/fetch';
import { getAddress } from 'viem';
import { createSiweMessage } from 'viem/siwe';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { chainMissing, startChain } from '../harness/chain/chain.ts';
import { base64, newWallet } from '../payments/proofs.ts';
import { startRelay } from '../payments/relay.ts';
import { openShop, type Shop } from '../payments/shop.ts';

const MINUTE_MS = 60_000;

let shop: Shop;
beforeAll(async () => {
  shop = await openShop();
});
afterAll(async () => {
  await shop[Symbol.asyncDispose]();
});

type Wallet = ReturnType<typeof newWallet>;
type Fields = Record<string, unknown>;

const iso = (offsetMs = 0) => new Date(shop.clock.now() + offsetMs).toISOString();
const fieldsOf = (wallet: Wallet, changes: Fields = {}): Fields => ({
  domain: new URL(shop.url).host,
  address: wallet.address,
  uri: `${shop.url}/v1/webhooks`,
  version: '1',
  chainId: 'eip155:84532',
  type: 'eip191',
  nonce: crypto.randomUUID().replaceAll('-', ''),
  issuedAt: iso(),
  expirationTime: iso(4 * MINUTE_MS),
  ...changes,
});
/** The text as another implementation of EIP-4361 writes it. */
const textOf = (fields: Fields) =>
  createSiweMessage({
    ...(fields as unknown as Parameters<typeof createSiweMessage>[0]),
    chainId: Number(String(fields.chainId).split(':')[1]),
    issuedAt: new Date(String(fields.issuedAt)),
    ...(fields.expirationTime ? { expirationTime: new Date(String(fields.expirationTime)) } : {}),
  });
const signIn = async (wallet: Wallet, changes: Fields = {}) => {
  const fields = fieldsOf(wallet, changes);
  return base64({ ...fields, signature: await wallet.signMessage({ message: textOf(fields) }) });
};
const refused = { code: 'unauthorized' };

describe('a wallet signs in', () => {
  test('with a message of EIP-4361, and is the account of its address in lower case', async () => {
    const wallet = newWallet();
    expect(await shop.wallets.verifyWalletHeader(await signIn(wallet))).toBe(wallet.address.toLowerCase());
  });

  test('with every optional field', async () => {
    const wallet = newWallet();
    const header = await signIn(wallet, {
      statement: 'Read my jobs.',
      requestId: 'r-1',
      resources: [`${shop.url}/v1/webhooks`],
      uri: shop.url,
    });
    expect(await shop.wallets.verifyWalletHeader(header)).toBe(wallet.address.toLowerCase());
  });

  test('with a time that has no milliseconds: the text is verified as it was signed', async () => {
    const wallet = newWallet();
    const fields = fieldsOf(wallet, { issuedAt: iso().replace(/\.\d+Z$/, 'Z'), expirationTime: undefined });
    const text = textOf(fields).replace(/Issued At: .*/, `Issued At: ${String(fields.issuedAt)}`);
    const header = base64({ ...fields, signature: await wallet.signMessage({ message: text }) });
    expect(await shop.wallets.verifyWalletHeader(header)).toBe(wallet.address.toLowerCase());
  });

  test('by the stock client, from nothing but a 402 that asks for no money', async () => {
    const wallet = newWallet();
    const client = new x402HTTPClient(new x402Client()).onPaymentRequired(createSIWxClientHook(wallet));
    const response = await wrapFetchWithPayment(fetch, client)(`${shop.url}/v1/webhooks`);
    expect(response.status).toBe(200);
    expect(await response.json()).toEqual({ account: wallet.address.toLowerCase() });
  });
});

describe('a sign-in is refused', () => {
  test('when it was used before', async () => {
    const header = await signIn(newWallet());
    await shop.wallets.verifyWalletHeader(header);
    await expect(shop.wallets.verifyWalletHeader(header)).rejects.toMatchObject(refused);
  });

  test('when it is used by many at once: one gets in', async () => {
    const header = await signIn(newWallet());
    const results = await Promise.allSettled(Array.from({ length: 10 }, () => shop.wallets.verifyWalletHeader(header)));
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  });

  test('for another address than the key signs for', async () => {
    const wallet = newWallet();
    await expect(
      shop.wallets.verifyWalletHeader(await signIn(wallet, { address: newWallet().address })),
    ).rejects.toMatchObject(refused);
  });

  test.each<[string, Fields]>([
    ['another domain', { domain: 'evil.example' }],
    ['another origin', { uri: 'http://evil.example/v1/webhooks' }],
    ['another environment', { uri: 'STAGING' }],
    ['another chain', { chainId: 'eip155:1' }],
  ])('for %s', async (_name, changes) => {
    const change = changes.uri === 'STAGING' ? { uri: `${shop.url}/staging/v1/webhooks` } : changes;
    await expect(shop.wallets.verifyWalletHeader(await signIn(newWallet(), change))).rejects.toMatchObject(refused);
  });

  test('too early, too late, or after its own end', async () => {
    for (const changes of [
      { issuedAt: iso(-6 * MINUTE_MS) },
      { issuedAt: iso(6 * MINUTE_MS) },
      { expirationTime: iso(-1000) },
    ]) {
      await expect(shop.wallets.verifyWalletHeader(await signIn(newWallet(), changes))).rejects.toMatchObject(refused);
    }
  });

  test('when a field could be read as two lines', async () => {
    const wallet = newWallet();
    const statement = 'Hello\n\nURI: http://evil.example';
    const fields = fieldsOf(wallet, { statement });
    const header = base64({ ...fields, signature: await wallet.signMessage({ message: 'anything' }) });
    await expect(shop.wallets.verifyWalletHeader(header)).rejects.toMatchObject(refused);
  });

  test.each(['', 'nonsense!', base64('{}'), base64('[]'), base64('null'), 'A'.repeat(9000)])(
    'when it cannot be read: %s',
    async (header) => {
      await expect(shop.wallets.verifyWalletHeader(header)).rejects.toMatchObject(refused);
    },
  );
});

describe.skipIf(chainMissing !== null)('a contract wallet', () => {
  test.each(['onchain', 'facilitator'] as const)('signs in where there is a chain to ask: %s', async (mode) => {
    const chain = await startChain({ domain: { name: 'USDC', version: '2' } });
    const relay = await startRelay(chain.rpcUrl);
    try {
      const { address: payTo, key: privateKey } = await chain.wallet({ coin: true });
      const fixed = { mode, payTo, rpcUrl: relay.url, privateKey, facilitatorUrl: relay.url };
      await using real = await openShop({ fixed, clock: shop.clock });
      const owner = newWallet();
      const address = getAddress(await chain.contractWallet(owner.address));
      const fields = fieldsOf(owner, { address, domain: new URL(real.url).host, uri: `${real.url}/v1/jobs` });
      const signature = await owner.signMessage({ message: textOf(fields) });
      const header = base64({ ...fields, signature });
      relay.before = () => 'lose';
      const later = { code: 'settlement_unavailable', retryable: true };
      await expect(real.wallets.verifyWalletHeader(header)).rejects.toMatchObject(later);
      relay.before = () => 'forward';
      expect(await real.wallets.verifyWalletHeader(header)).toBe(address.toLowerCase());
      const forged = { ...fields, nonce: 'a'.repeat(20) };
      const other = await newWallet().signMessage({ message: textOf(forged) });
      await expect(real.wallets.verifyWalletHeader(base64({ ...forged, signature: other }))).rejects.toMatchObject(
        refused,
      );
    } finally {
      await relay.close();
      await chain.stop();
    }
  });
});
