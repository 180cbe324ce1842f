/** Clients that nobody here wrote pay the whole appliance, unmodified and with their own spend controls. */
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { ExactEvmScheme } from '@x402/evm';
import { registerExactEvmScheme } from '@x402/evm/exact/client';
import { ExactEvmSchemeV1 } from '@x402/evm/v1';
import {
  type DiscoveryExtension,
  validateDiscoveryExtension,
  validateDiscoveryExtensionSpec,
} from '@x402/extensions/bazaar';
import {
  decodeSignedOffers,
  extractOffersFromPaymentRequired,
  extractReceiptFromResponse,
  type JWSSignedOffer,
  type JWSSignedReceipt,
  verifyOfferSignatureJWS,
  verifyReceiptMatchesOffer,
  verifyReceiptSignatureJWS,
} from '@x402/extensions/offer-receipt';
import {
  appendPaymentIdentifierToExtensions,
  declarePaymentIdentifierExtension,
  generatePaymentId,
} from '@x402/extensions/payment-identifier';
import { wrapFetchWithPayment, x402Client } from '@x402/fetch';
import { generatePrivateKey, type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { OPERATIONS } from '../../src-server/features.ts';
import { type Appliance, startAppliance } from '../harness/appliance.ts';
import { decode } from './proofs.ts';

const STOCK_V1 = new URL('stock-v1/', import.meta.url);
/** Where `node scripts/install-stock-clients.mjs` could not reach a registry, the client is not there to be tested. */
const v1Missing = !existsSync(new URL('node_modules/x402-fetch/package.json', STOCK_V1));
const PATH = '/v1/extract/doc';

let appliance: Appliance;
beforeAll(async () => {
  appliance = await startAppliance();
});
afterAll(async () => {
  await appliance.close();
});

const richKey = async (at = appliance) => {
  const key = generatePrivateKey();
  const account = privateKeyToAccount(key);
  const faucet = { method: 'POST', body: JSON.stringify({ address: account.address }) };
  const headers = { 'content-type': 'application/json' };
  expect((await at.anonymous('/facilitator/faucet', { ...faucet, headers })).status).toBe(200);
  return { key, account };
};
const bodyOf = (name: string) =>
  JSON.stringify({ file: `data:text/plain;base64,${Buffer.from(name).toString('base64')}`, sourceName: name });
const requestOf = (name: string) => ({
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: bodyOf(name),
});

describe('@x402/fetch 2.27 pays', () => {
  test.each<[string, (signer: PrivateKeyAccount) => x402Client]>([
    ['registered for both versions', (signer) => registerExactEvmScheme(new x402Client(), { signer })],
    ['registered for version 2 only', (signer) => new x402Client().register('eip155:*', new ExactEvmScheme(signer))],
  ])('%s', async (name, clientOf) => {
    const { account } = await richKey();
    const response = await wrapFetchWithPayment(fetch, clientOf(account))(appliance.url + PATH, requestOf(name));
    expect(response.status).toBe(202);
    const payer = account.address.toLowerCase();
    expect(decode(response.headers.get('payment-response'))).toMatchObject({ success: true, payer });
  });

  test('registered for version 1 only, where the owner has turned the version 2 header off', async () => {
    await using literal = await startAppliance({ payment: { v2Header: false } });
    const { account } = await richKey(literal);
    const client = new x402Client().registerV1('base-sepolia', new ExactEvmSchemeV1(account));
    const response = await wrapFetchWithPayment(fetch, client)(literal.url + PATH, requestOf('version 1'));
    expect(response.status).toBe(202);
    expect(decode(response.headers.get('x-payment-response'))).toMatchObject({ network: 'base-sepolia' });
  });

  test('for a batch, whose challenge names the sum', async () => {
    const { account } = await richKey();
    const client = registerExactEvmScheme(new x402Client(), { signer: account });
    const body = new FormData();
    for (const name of ['one', 'two', 'three']) body.append('file', new Blob([name]), `${name}.txt`);
    body.set('batch', JSON.stringify({ operation: 'extract/doc' }));
    const url = `${appliance.url}/v1/batches?operation=extract/doc&items=3`;
    const response = await wrapFetchWithPayment(fetch, client)(url, { method: 'POST', body });
    expect(await response.json()).toMatchObject({ paid: { amount: '420000', status: 'settled' } });
    expect(decode(response.headers.get('payment-response'))).toMatchObject({ success: true });
  });

  test('in staging, and production knows nothing of it', async () => {
    const account = privateKeyToAccount(generatePrivateKey());
    await appliance.anonymous('/staging/facilitator/faucet', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ address: account.address }),
    });
    const client = registerExactEvmScheme(new x402Client(), { signer: account });
    const pay = wrapFetchWithPayment(fetch, client);
    expect((await pay(`${appliance.url}/staging${PATH}`, requestOf('staging'))).status).toBe(202);
    const paymentsIn = async (environment: string) => {
      const query = `environment=${environment}&payer=${account.address}`;
      const page = await (await appliance.owner(`/admin/payments?${query}`)).json();
      return (page as { payments: unknown[] }).payments.length;
    };
    expect([await paymentsIn('staging'), await paymentsIn('production')]).toEqual([1, 0]);
  });
});

/** A fetch whose payments have this identifier. */
const identified = (account: PrivateKeyAccount, id: string) => {
  const client = registerExactEvmScheme(new x402Client(), { signer: account });
  client.onBeforePaymentCreation(async ({ paymentRequired }) => {
    appendPaymentIdentifierToExtensions(paymentRequired.extensions ?? {}, id);
  });
  return wrapFetchWithPayment(fetch, client);
};

test('a payment identifier buys once, whichever proof it comes with, and is the Idempotency-Key', async () => {
  const { account } = await richKey();
  const unpaid = await appliance.anonymous(PATH, { method: 'POST' });
  const { extensions } = decode(unpaid.headers.get('payment-required')) as { extensions: Record<string, object> };
  expect(extensions['payment-identifier']).toEqual(declarePaymentIdentifierExtension());
  const payments = async () => {
    const page = await (await appliance.owner(`/admin/payments?payer=${account.address}`)).json();
    return (page as { payments: unknown[] }).payments.length;
  };
  const id = generatePaymentId();
  const pay = identified(account, id);
  const ask = async (name: string, headers: Record<string, string> = {}, how = pay) => {
    const init = requestOf(name);
    const answer = await how(appliance.url + PATH, { ...init, headers: { ...init.headers, ...headers } });
    const body = (await answer.json()) as { jobId: string };
    return { ...body, status: answer.status, headers: answer.headers };
  };
  const first = await ask('identified');
  expect(first).toMatchObject({ status: 202, jobId: expect.stringMatching(/^job_/) });
  const second = await ask('identified');
  expect(second).toMatchObject({ status: 202, jobId: first.jobId });
  expect(second.headers.get('idempotency-replayed')).toBe('true');
  expect(await payments()).toBe(1);
  expect(await ask('identified', { 'idempotency-key': id })).toMatchObject({ status: 202, jobId: first.jobId });

  expect(await ask('another')).toMatchObject({ status: 422, code: 'idempotency_key_reused' });
  expect(await ask('identified', { 'idempotency-key': 'mine' })).toMatchObject({
    status: 400,
    errors: [{ path: 'Idempotency-Key' }],
  });
  expect(await payments()).toBe(1);
  const other = await ask('another', {}, identified(account, generatePaymentId()));
  expect(other).toMatchObject({ status: 202 });
  expect(other.jobId).not.toBe(first.jobId);
  expect(await payments()).toBe(2);
});

test('an offer and a receipt are signed by the same key, and fit each other', async () => {
  const { account } = await richKey();
  const unpaid = await appliance.anonymous(PATH, { method: 'POST' });
  const required = decode(unpaid.headers.get('payment-required')) as never;
  const [signed] = extractOffersFromPaymentRequired(required) as [JWSSignedOffer];
  const url = appliance.url + PATH;
  expect(await verifyOfferSignatureJWS(signed)).toMatchObject({ resourceUrl: url, scheme: 'exact', version: 1 });
  const client = registerExactEvmScheme(new x402Client(), { signer: account });
  const bought = await wrapFetchWithPayment(fetch, client)(url, requestOf('receipt'));
  const receipt = extractReceiptFromResponse(bought) as JWSSignedReceipt;
  const payer = account.address.toLowerCase();
  const { transaction } = decode(bought.headers.get('payment-response')) as { transaction: string };
  expect(await verifyReceiptSignatureJWS(receipt)).toMatchObject({ resourceUrl: url, payer, transaction });
  const [offer] = decodeSignedOffers([signed]);
  const now = Math.floor(Date.now() / 1000);
  expect(offer?.validUntil).toBeGreaterThan(now - 3600);
  expect(verifyReceiptMatchesOffer(receipt, offer as never, [account.address])).toBe(true);
  const keyOf = ({ signature }: { signature: string }) =>
    (JSON.parse(Buffer.from(signature.split('.')[0] ?? '', 'base64url').toString()) as { kid: string }).kid;
  expect(keyOf(receipt)).toBe(keyOf(signed));
  const forged = { ...receipt, signature: receipt.signature.replace(/.$/, (last) => (last === 'A' ? 'Q' : 'A')) };
  await expect(verifyReceiptSignatureJWS(forged)).rejects.toThrow();
});

test('catalogues read what each challenge says of its operation', async () => {
  const listed = OPERATIONS.filter(({ price }) => price !== null);
  for (const { id, example } of listed) {
    const unpaid = await appliance.anonymous(`/v1/${id}`, { method: 'POST' });
    const required = decode(unpaid.headers.get('payment-required')) as { extensions: { bazaar: DiscoveryExtension } };
    const { bazaar } = required.extensions;
    expect(validateDiscoveryExtension(bazaar), id).toEqual({ valid: true });
    expect(validateDiscoveryExtensionSpec(bazaar as never), id).toEqual({ valid: true });
    expect(bazaar.info.input).toMatchObject({ method: 'POST', body: example.request });
  }
});

describe.skipIf(v1Missing)('x402-fetch 1.2', () => {
  const pay = async (preference: string) => {
    const { key, account } = await richKey();
    const script = fileURLToPath(new URL('pay.mjs', STOCK_V1));
    const child = spawn(process.execPath, [script, appliance.url + PATH, key, bodyOf('stock'), preference]);
    const [out, errors] = [textOf(child.stdout), textOf(child.stderr)];
    return { out: await out, errors: await errors, payer: account.address.toLowerCase() };
  };

  test('pays when it asks for a URL as resource', async () => {
    const { out, errors, payer } = await pay('x402-resource=url');
    expect(errors).toBe('');
    const answer = JSON.parse(out) as { status: number; receipt: string };
    expect(answer.status).toBe(202);
    expect(decode(answer.receipt)).toMatchObject({ success: true, network: 'base-sepolia', payer });
  });

  test('refuses the literal challenge, which is why it may ask', async () => {
    expect((await pay('')).errors).toContain('ZodError');
  });
});

async function textOf(stream: NodeJS.ReadableStream): Promise<string> {
  let text = '';
  for await (const part of stream) text += String(part);
  return text;
}
