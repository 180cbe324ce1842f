import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { ExactEvmScheme } from '@x402/evm';
import { registerExactEvmScheme } from '@x402/evm/exact/client';
import { ExactEvmSchemeV1 } from '@x402/evm/v1';
import { wrapFetchWithPayment, x402Client } from '@x402/fetch';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { decode } from './proofs.ts';
import { openShop, type Shop } from './shop.ts';

const STOCK_V1 = new URL('stock-v1/', import.meta.url);
const V1_CLIENT = new URL('node_modules/x402-fetch/package.json', STOCK_V1);
/** Without it, `node test/payments/stock-v1/install.mjs` could not reach a registry. */
const v1Missing = !existsSync(V1_CLIENT);

let shop: Shop;
beforeAll(async () => {
  shop = await openShop();
});
afterAll(async () => {
  await shop[Symbol.asyncDispose]();
});

const richKey = async () => {
  const key = generatePrivateKey();
  const account = privateKeyToAccount(key);
  await shop.payments.wallets.faucet({ address: account.address, amount: 1_000_000 });
  return { key, account };
};
const request = (body: object, headers: Record<string, string> = {}) => ({
  method: 'POST',
  headers: { 'content-type': 'application/json', ...headers },
  body: JSON.stringify(body),
});

describe('stock @x402/fetch, unmodified, with its own spend controls, pays', () => {
  test.each([
    [
      'registered for both versions',
      'payment-response',
      (account: ReturnType<typeof privateKeyToAccount>) => {
        const client = new x402Client();
        registerExactEvmScheme(client, { signer: account });
        return client;
      },
    ],
    [
      'registered for version 2 only',
      'payment-response',
      (account: ReturnType<typeof privateKeyToAccount>) =>
        new x402Client().register('eip155:*', new ExactEvmScheme(account)),
    ],
  ])('%s', async (name, receipt, clientOf) => {
    const { account } = await richKey();
    const pay = wrapFetchWithPayment(fetch, clientOf(account));
    const response = await pay(`${shop.url}/v1/crawl`, request({ name }));
    expect(response.status).toBe(202);
    expect(decode(response.headers.get(receipt))).toMatchObject({
      success: true,
      payer: account.address.toLowerCase(),
    });
  });

  test('registered for version 1 only, where the version 2 header is off', async () => {
    await using literal = await openShop({ fixed: { v2Header: false } });
    const { key, account } = await richKey();
    await literal.payments.wallets.faucet({ address: account.address, amount: 1_000_000 });
    const client = new x402Client().registerV1('base-sepolia', new ExactEvmSchemeV1(privateKeyToAccount(key)));
    const pay = wrapFetchWithPayment(fetch, client);
    const response = await pay(`${literal.url}/v1/crawl`, request({ only: 1 }));
    expect(response.status).toBe(202);
    expect(decode(response.headers.get('x-payment-response'))).toMatchObject({ network: 'base-sepolia' });
  });
});

describe.skipIf(v1Missing)('stock x402-fetch 1.2', () => {
  const pay = async (preference: string) => {
    const { key, account } = await richKey();
    const args = [`${shop.url}/v1/crawl`, key, JSON.stringify({ preference }), preference];
    const child = spawn(process.execPath, [new URL('pay.mjs', STOCK_V1).pathname, ...args]);
    let out = '';
    let errors = '';
    child.stdout.on('data', (part: Buffer) => {
      out += part.toString();
    });
    child.stderr.on('data', (part: Buffer) => {
      errors += part.toString();
    });
    await new Promise((resolve) => child.once('exit', resolve));
    return { out, errors, payer: account.address.toLowerCase() };
  };

  test('pays when it asks for a URL as resource', async () => {
    const { out, errors, payer } = await pay('x402-resource=url');
    expect(errors).toBe('');
    const answer = JSON.parse(out) as { status: number; receipt: string };
    expect(answer.status).toBe(202);
    expect(decode(answer.receipt)).toMatchObject({ success: true, network: 'base-sepolia', payer });
  });

  test('refuses the literal challenge, which is why the preference exists', async () => {
    const { errors } = await pay('');
    expect(errors).toContain('ZodError');
  });
});
