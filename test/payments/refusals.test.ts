import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  authorizationFor,
  base64,
  challengeOf,
  type Entry,
  entryV2,
  header,
  headerV2,
  highTwin,
  newWallet,
  proofFor,
  richWallet,
  type SignedProof,
  send,
  sign,
} from './proofs.ts';
import { openShop, type Shop } from './shop.ts';

let shop: Shop;
let wallet: Awaited<ReturnType<typeof richWallet>>;
let entry: Entry;
beforeAll(async () => {
  shop = await openShop();
  wallet = await richWallet(shop);
  entry = await challengeOf(shop);
});
afterAll(async () => {
  await shop[Symbol.asyncDispose]();
});

const good = () => proofFor(shop, wallet, entry);
const nowSeconds = () => BigInt(Math.floor(shop.clock.now() / 1000));

/** Refused with the code, as a full challenge, without a job and without money moving. */
async function expectRefusal(payment: string, code: string, options: Parameters<typeof send>[2] = {}) {
  const jobs = shop.jobs().length;
  const answer = await send(shop, payment, options);
  expect(answer.status).toBe(402);
  expect(answer.body).toMatchObject({ x402Version: 1, accepts: [{ scheme: 'exact' }], error: code });
  expect(shop.jobs().length).toBe(jobs);
}

test('a header called as a part of every object is no second proof', async () => {
  const answer = await send(shop, header(await good()), { headers: { constructor: 'x' } });
  expect(answer.status).toBe(202);
});

describe('a header that is no proof is invalid_payload', () => {
  const cases: [string, (proof: SignedProof) => string][] = [
    ['not base64', () => 'not base64 at all!'],
    ['base64url', () => `${base64('{"a":"??>>"}').slice(0, -2)}-_`],
    ['empty', () => ' '],
    ['not UTF-8', () => Buffer.from([0xff, 0xfe, 0x7b]).toString('base64')],
    ['not JSON', () => base64('{"x402Version":1,')],
    ['a string', () => base64('"proof"')],
    ['null', () => base64('null')],
    ['a list', () => base64([1])],
    ['without a version', (proof) => base64({ scheme: 'exact', network: 'base-sepolia', payload: proof })],
    ['without a payload', () => base64({ x402Version: 1, scheme: 'exact', network: 'base-sepolia' })],
    ['without an authorization', ({ signature }) => header({ signature } as SignedProof)],
    ['with a negative value', (proof) => withField(proof, 'value', '-300000')],
    ['with a fraction', (proof) => withField(proof, 'value', '300000.5')],
    ['with a number that is not text', (proof) => withField(proof, 'value', 300_000)],
    ['with letters for a number', (proof) => withField(proof, 'value', 'abc')],
    ['with a hexadecimal number', (proof) => withField(proof, 'value', '0x493e0')],
    ['with 79 digits', (proof) => withField(proof, 'value', '9'.repeat(79))],
    ['with a number that no chain can hold', (proof) => withField(proof, 'validBefore', String(2n ** 256n))],
    ['with a short nonce', (proof) => withField(proof, 'nonce', '0x1234')],
    ['with an address that is none', (proof) => withField(proof, 'from', 'alice')],
    ['with a signature that is no hexadecimal', (proof) => header({ ...proof, signature: '0xzz' as `0x${string}` })],
    ['with a signature of half a byte', (proof) => header({ ...proof, signature: '0x123' })],
    ['deeply nested', () => base64(`${'['.repeat(2500)}${']'.repeat(2500)}`)],
  ];
  test.each(cases)('%s', async (_name, make) => {
    await expectRefusal(make(await good()), 'invalid_payload');
  });

  test('larger than 8 KiB', async () => {
    await expectRefusal(header(await good(), { padding: 'x'.repeat(7000) }), 'invalid_payload');
  });

  test('larger than Node takes ends the request before it reaches us', async () => {
    const response = await fetch(`${shop.url}/v1/crawl`, {
      method: 'POST',
      headers: { 'X-PAYMENT': 'a'.repeat(20_000) },
    });
    expect(response.status).toBe(431);
  });

  test('given twice', async () => {
    const payment = header(await good());
    const response = await fetch(`${shop.url}/v1/crawl`, {
      method: 'POST',
      headers: [
        ['X-PAYMENT', payment],
        ['X-PAYMENT', payment],
      ],
    });
    expect(((await response.json()) as { error: string }).error).toBe('invalid_payload');
  });

  test('of both versions at once', async () => {
    const proof = await good();
    await expectRefusal(header(proof), 'invalid_payload', {
      headers: { 'PAYMENT-SIGNATURE': headerV2(proof, entryV2(entry)) },
    });
  });

  function withField(proof: SignedProof, name: string, value: unknown): string {
    return base64({
      x402Version: 1,
      scheme: 'exact',
      network: 'base-sepolia',
      payload: { ...proof, authorization: { ...proof.authorization, [name]: value } },
    });
  }
});

describe('a proof for something else is refused with its own code', () => {
  test('version', async () => {
    await expectRefusal(header(await good(), { x402Version: 3 }), 'invalid_x402_version');
    await expectRefusal(header(await good(), { x402Version: 2 }), 'invalid_x402_version');
    const proof = await good();
    await expectRefusal(headerV2(proof, entryV2(entry), { x402Version: 1 }), 'invalid_x402_version', {
      name: 'PAYMENT-SIGNATURE',
    });
  });

  test('scheme', async () => {
    await expectRefusal(header(await good(), { scheme: 'upto' }), 'unsupported_scheme');
    const proof = await good();
    const other = { ...entryV2(entry), scheme: 'upto' };
    await expectRefusal(headerV2(proof, other), 'unsupported_scheme', { name: 'PAYMENT-SIGNATURE' });
  });

  test('network', async () => {
    await expectRefusal(header(await good(), { network: 'base' }), 'invalid_network');
    await expectRefusal(header(await good(), { network: 'eip155:84532' }), 'invalid_network');
    const other = { ...entryV2(entry), network: 'eip155:8453' };
    await expectRefusal(headerV2(await good(), other), 'invalid_network', { name: 'PAYMENT-SIGNATURE' });
  });

  test('receiver', async () => {
    const proof = await proofFor(shop, wallet, entry, { to: newWallet().address });
    await expectRefusal(header(proof), 'invalid_exact_evm_payload_recipient_mismatch');
  });

  test('a version 2 entry that is not ours', async () => {
    const proof = await good();
    for (const change of [
      { amount: '1' },
      { payTo: newWallet().address },
      { asset: newWallet().address },
      { maxTimeoutSeconds: 301 },
      { extra: { name: 'USDC', version: '2' } },
      { extra: {} },
    ]) {
      const accepted = { ...entryV2(entry), ...change };
      await expectRefusal(headerV2(proof, accepted), 'invalid_payment_requirements', { name: 'PAYMENT-SIGNATURE' });
    }
  });
});

describe('amounts', () => {
  const code = 'invalid_exact_evm_payload_authorization_value';

  test('one unit too little is refused in both versions', async () => {
    await expectRefusal(header(await proofFor(shop, wallet, entry, { value: 299_999n })), code);
    await expectRefusal(header(await proofFor(shop, wallet, entry, { value: 0n })), code);
    const proof = await proofFor(shop, wallet, entry, { value: 299_999n });
    await expectRefusal(headerV2(proof, entryV2(entry)), code, { name: 'PAYMENT-SIGNATURE' });
  });

  test('more than the price pays in version 1 and not in version 2', async () => {
    const more = await proofFor(shop, wallet, entry, { value: 300_001n });
    await expectRefusal(headerV2(more, entryV2(entry)), code, { name: 'PAYMENT-SIGNATURE' });
    expect((await send(shop, header(more))).status).toBe(202);
  });

  test('more than the ledger can count exactly is refused', async () => {
    await expectRefusal(header(await proofFor(shop, wallet, entry, { value: 2n ** 255n })), code);
  });

  test('more than the wallet has is insufficient_funds', async () => {
    const poor = await richWallet(shop, 299_999);
    await expectRefusal(header(await proofFor(shop, poor, entry)), 'insufficient_funds');
    await expectRefusal(header(await proofFor(shop, newWallet(), entry)), 'insufficient_funds');
  });
});

describe('the window', () => {
  const before = 'invalid_exact_evm_payload_authorization_valid_before';
  const after = 'invalid_exact_evm_payload_authorization_valid_after';

  test('a proof that has expired, or has fewer than six seconds left, is refused', async () => {
    for (const left of [-1000n, 0n, 1n, 4n]) {
      const proof = await proofFor(shop, wallet, entry, { validBefore: nowSeconds() + left });
      await expectRefusal(header(proof), before);
    }
  });

  test('the longest window an integer can name pays', async () => {
    const proof = await proofFor(shop, wallet, entry, { validBefore: 2n ** 256n - 1n });
    expect((await send(shop, header(proof))).status).toBe(202);
  });

  test('a proof that is not valid yet is refused, and pays once it is', async () => {
    const proof = await proofFor(shop, wallet, entry, {
      validAfter: nowSeconds() + 60n,
      validBefore: nowSeconds() + 600n,
    });
    await expectRefusal(header(proof), after);
    shop.clock.advance(62_000);
    expect((await send(shop, header(proof))).status).toBe(202);
  });
});

describe('signatures', () => {
  const code = 'invalid_exact_evm_payload_signature';

  test('of another key, or over another field, are refused', async () => {
    const proof = await good();
    const other = await sign(newWallet(), entry, proof.authorization);
    await expectRefusal(header(other), code);
    for (const change of [
      { value: 300_001n },
      { nonce: `0x${'11'.repeat(32)}` as const },
      { validBefore: proof.authorization.validBefore + 1n },
    ]) {
      await expectRefusal(header({ ...proof, authorization: { ...proof.authorization, ...change } }), code);
    }
  });

  test('over another domain are refused: name, version as a number, chain or asset', async () => {
    const authorization = () => authorizationFor(entry, wallet.address, shop.clock.now());
    for (const domain of [
      { name: 'USD Coin' },
      { version: '2' },
      { chainId: 8453 },
      { verifyingContract: newWallet().address },
    ]) {
      await expectRefusal(header(await sign(wallet, entry, authorization(), domain)), code);
    }
  });

  test('that are no point of the curve, too short or too long are refused', async () => {
    const proof = await good();
    for (const signature of ['0x', `0x${'00'.repeat(65)}`, `0x${'ff'.repeat(65)}`, `0x${'12'.repeat(64)}`]) {
      await expectRefusal(header({ ...proof, signature: signature as `0x${string}` }), code);
    }
  });

  test('with the high s are refused, as tokens refuse them', async () => {
    await expectRefusal(header(highTwin(await good())), code);
  });

  test('of a wallet that is not deployed are told apart', async () => {
    const proof = await good();
    const signature = `0x${'ab'.repeat(100)}${'6492'.repeat(16)}` as const;
    await expectRefusal(header({ ...proof, signature }), 'invalid_exact_evm_payload_undeployed_smart_wallet');
  });
});

test('an address in mixed case without a right checksum pays: only its bytes count', async () => {
  const proof = await good();
  const shuffled = proof.authorization.from
    .split('')
    .map((letter, index) => (index > 1 && index % 2 === 0 ? letter.toUpperCase() : letter.toLowerCase()))
    .join('') as `0x${string}`;
  const answer = await send(shop, header({ ...proof, authorization: { ...proof.authorization, from: shuffled } }));
  expect(answer.status).toBe(202);
});

test('a refused proof is not spent: the same one pays once its wallet has money', async () => {
  const poor = newWallet();
  const proof = await proofFor(shop, poor, entry);
  await expectRefusal(header(proof), 'insufficient_funds');
  await shop.payments.wallets.addPlayMoney({ address: poor.address, amount: 300_000 }, 'owner');
  expect((await send(shop, header(proof))).status).toBe(202);
});
