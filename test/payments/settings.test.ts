import { chmod, readFile, stat } from 'node:fs/promises';
import { describe, expect, test } from 'vitest';
import { createPayments } from '../../src-server/features/payments/service.ts';
import { writePaymentSetting } from '../../src-server/features/payments/store.ts';
import { SecretFile } from '../../src-server/platform/files/private-files.ts';
import { challengeOf, header, proofFor, richWallet, send } from './proofs.ts';
import { OPERATIONS, openShop, type Shop } from './shop.ts';

const KEY = `0x${'4b'.repeat(32)}` as const;
const PAY_TO = '0x1111111111111111111111111111111111111111';
const silent = { info: () => {}, warn: () => {}, error: () => {} };

/** What opens the payments of a shop anew. */
const partsOf = ({ storage, clock, keyPath }: Shop) => ({
  storage,
  clock,
  keyFile: new SecretFile(keyPath),
  offerKeyFile: new SecretFile(`${keyPath}.offers`),
  environment: 'production' as const,
  fixed: {},
  operations: OPERATIONS,
  baseUrl: () => 'http://127.0.0.1/v1',
  log: silent,
});

const put = (url: string, body: object) =>
  fetch(`${url}/admin/settlement`, { method: 'PUT', body: JSON.stringify(body) });

describe('settlement settings', () => {
  test('are the sandbox where nobody said otherwise', async () => {
    await using shop = await openShop();
    const shown = (await (await fetch(`${shop.url}/admin/settlement`)).json()) as object;
    expect(shown).toMatchObject({
      settings: { mode: 'sandbox', hasPrivateKey: false, fixedFields: [], terms: { extra: { version: '1' } } },
      status: { mode: 'sandbox', ready: true, open: 0 },
    });
  });

  test('change one field and keep the others, and are kept over a new start without showing the key', async () => {
    await using shop = await openShop();
    expect((await put(shop.url, { payTo: PAY_TO, privateKey: KEY })).status).toBe(200);
    expect((await put(shop.url, { rpcUrl: 'http://127.0.0.1:1/', confirmations: 3 })).status).toBe(200);
    const answer = await put(shop.url, { mode: 'onchain' });
    const text = await answer.text();
    expect(answer.status).toBe(200);
    expect(text).not.toContain(KEY.slice(2));
    expect(JSON.parse(text)).toMatchObject({
      settings: { mode: 'onchain', payTo: PAY_TO, confirmations: 3, hasPrivateKey: true, v2Header: true },
    });
    const reopened = await createPayments(partsOf(shop));
    expect(reopened.settlementSettings()).toMatchObject({ mode: 'onchain', confirmations: 3, hasPrivateKey: true });
    await reopened.closePayments();
  });

  test('show in the very next challenge, however often the former one was given', async () => {
    await using shop = await openShop();
    const ask = async () => {
      const response = await fetch(`${shop.url}/v1/crawl`, { method: 'POST' });
      const { accepts } = (await response.json()) as { accepts: [{ payTo: string }] };
      return { payTo: accepts[0].payTo, v2: response.headers.has('payment-required') };
    };
    const sandbox = await ask();
    expect(await ask()).toEqual(sandbox);
    await put(shop.url, { mode: 'facilitator', payTo: PAY_TO, facilitatorUrl: 'http://127.0.0.1:1/' });
    expect(await ask()).toEqual({ payTo: PAY_TO, v2: true });
    await put(shop.url, { v2Header: false });
    expect(await ask()).toEqual({ payTo: PAY_TO, v2: false });
    await put(shop.url, { mode: 'sandbox', v2Header: true });
    expect(await ask()).toEqual(sandbox);
  });

  test('that lack something for their mode are refused by field, and nothing changes', async () => {
    await using shop = await openShop();
    await expect(shop.payments.changeSettings({ mode: 'onchain' })).rejects.toMatchObject({
      code: 'invalid_request',
      fields: [{ path: 'payTo' }, { path: 'rpcUrl' }, { path: 'privateKey' }],
    });
    await expect(shop.payments.changeSettings({ mode: 'facilitator', payTo: PAY_TO })).rejects.toMatchObject({
      fields: [{ path: 'facilitatorUrl' }],
    });
    expect((await put(shop.url, { payTo: 'me' })).status).toBe(400);
    expect((await put(shop.url, { surprise: true })).status).toBe(400);
    expect(shop.payments.settlementSettings().mode).toBe('sandbox');
  });

  test.each(['payTo', 'asset'])('take no mistyped address as %s: wallets would not sign for it', async (name) => {
    const right = '0xF76A1F070812A0Fa71FC299fab3Acba3214FCb98';
    const extra = { name: 'USDC', version: '2' };
    await using shop = await openShop();
    for (const wrong of [right.replace('f76A', 'F76A').replace('CB98', 'cb98').replace('9fab', '9faB')]) {
      const answer = await put(shop.url, { [name]: wrong, extra });
      expect(answer.status).toBe(400);
      await expect(openShop({ fixed: { [name]: wrong } })).rejects.toMatchObject({ fields: [{ path: name }] });
    }
    for (const fine of [right, right.toLowerCase()]) {
      expect((await put(shop.url, { [name]: fine, extra })).status).toBe(200);
    }
  });

  test('fixed by the environment cannot be changed and are named', async () => {
    await using shop = await openShop({ fixed: { v2Header: false, privateKey: KEY } });
    expect(shop.payments.settlementSettings().fixedFields).toEqual(['v2Header', 'privateKey']);
    expect((await put(shop.url, { v2Header: true })).status).toBe(409);
    expect((await put(shop.url, { privateKey: null })).status).toBe(409);
  });

  test('of production do not reach staging: it is always the sandbox', async () => {
    await using shop = await openShop();
    const fixed = { mode: 'onchain' as const, payTo: PAY_TO, rpcUrl: 'http://127.0.0.1:1/', privateKey: KEY };
    const staging = await createPayments({ ...partsOf(shop), environment: 'staging', fixed });
    expect(staging.settlementSettings()).toMatchObject({
      mode: 'sandbox',
      hasPrivateKey: false,
      fixedFields: ['mode'],
    });
    await expect(staging.changeSettings({ mode: 'facilitator' })).rejects.toMatchObject({ code: 'conflict' });
    await staging.closePayments();
  });

  test('close faucet, demo wallet and payments of play money where real money is used', async () => {
    const fixed = { mode: 'facilitator' as const, payTo: PAY_TO, facilitatorUrl: 'http://127.0.0.1:1/' };
    await using shop = await openShop({ fixed });
    const entry = await challengeOf(shop);
    expect((await fetch(`${shop.url}/facilitator/faucet`, { method: 'POST', body: '{}' })).status).toBe(409);
    const pay = await fetch(`${shop.url}/facilitator/pay`, { method: 'POST', body: JSON.stringify(entry) });
    expect(pay.status).toBe(409);
    expect((await fetch(`${shop.url}/admin/sandbox`)).status).toBe(409);
  });

  test('of play money sign under another domain than the real asset: no play signature moves money', async () => {
    await using sandbox = await openShop();
    const fixed = { mode: 'facilitator' as const, payTo: PAY_TO, facilitatorUrl: 'http://127.0.0.1:1/' };
    await using real = await openShop({ fixed });
    const [play, realMoney] = [await challengeOf(sandbox), await challengeOf(real)];
    expect(play.asset).toBe(realMoney.asset);
    expect(play.extra).toEqual({ name: 'USDC', version: '1' });
    expect(realMoney.extra).toEqual({ name: 'USDC', version: '2' });
  });
});

describe('the key that the owner sets', () => {
  const rightsOf = async (path: string) => (await stat(path)).mode & 0o777;

  test('lies in a file that only its account may read, and not in the database', async () => {
    await using shop = await openShop();
    expect((await put(shop.url, { privateKey: KEY })).status).toBe(200);
    expect((await readFile(shop.keyPath, 'utf8')).trim()).toBe(KEY);
    expect(await rightsOf(shop.keyPath)).toBe(0o600);
    const rows = shop.storage.db.queryAll(shop.storage.db.selectFrom('settings').selectAll());
    expect(JSON.stringify(rows)).not.toContain(KEY.slice(2));

    await chmod(shop.keyPath, 0o644);
    const reopened = await createPayments(partsOf(shop));
    expect(reopened.settlementSettings().hasPrivateKey).toBe(true);
    expect(await rightsOf(shop.keyPath)).toBe(0o600);
    await reopened.closePayments();
  });

  test('goes with null, file and all', async () => {
    await using shop = await openShop();
    await put(shop.url, { privateKey: KEY });
    expect(await (await put(shop.url, { privateKey: null })).json()).toMatchObject({
      settings: { hasPrivateKey: false },
    });
    await expect(stat(shop.keyPath)).rejects.toMatchObject({ code: 'ENOENT' });
  });

  test('moves out of a database that still has it', async () => {
    await using shop = await openShop();
    shop.storage.transaction((tx) => writePaymentSetting(tx, 'payments.privateKey', KEY, 1));
    const reopened = await createPayments(partsOf(shop));
    expect(reopened.settlementSettings().hasPrivateKey).toBe(true);
    expect((await readFile(shop.keyPath, 'utf8')).trim()).toBe(KEY);
    expect(shop.storage.db.queryAll(shop.storage.db.selectFrom('settings').select('name'))).toEqual([]);
    await reopened.closePayments();
  });

  test('that is none stops the start without being repeated', async () => {
    await using shop = await openShop();
    new SecretFile(shop.keyPath).writeSecret('0xnot-a-key');
    const failure = await createPayments(partsOf(shop)).catch((error: Error) => error);
    expect(failure).toMatchObject({ message: expect.stringContaining('settlement-key') });
    expect(String(failure)).not.toContain('not-a-key');
  });
});

describe('the ledger', () => {
  test.each(['', '&from=2020-01-01T00:00:00Z'])(
    'is read in pages that neither miss nor repeat a payment%s',
    async (span) => {
      await using shop = await openShop();
      // Of payments at one moment none is missed either.
      shop.clock.stand();
      const wallet = await richWallet(shop);
      const entry = await challengeOf(shop);
      for (let index = 0; index < 5; index += 1) {
        await send(shop, header(await proofFor(shop, wallet, entry)), { body: { index } });
      }
      const seen: string[] = [];
      let cursor: string | null = null;
      do {
        const query: string = `limit=2${span}${cursor === null ? '' : `&cursor=${cursor}`}`;
        const page = (await (await fetch(`${shop.url}/admin/payments?${query}`)).json()) as {
          payments: { paymentId: string }[];
          nextCursor: string | null;
        };
        seen.push(...page.payments.map(({ paymentId }) => paymentId));
        cursor = page.nextCursor;
      } while (cursor !== null);
      expect(new Set(seen).size).toBe(5);
      expect(seen).toHaveLength(5);
    },
  );

  test('is filtered by status, operation, payer and time', async () => {
    await using shop = await openShop();
    const [one, other] = [await richWallet(shop), await richWallet(shop)];
    await send(shop, header(await proofFor(shop, one, await challengeOf(shop))));
    const doc = await challengeOf(shop, 'extract/doc');
    await send(shop, header(await proofFor(shop, other, doc)), { operationId: 'extract/doc' });
    const count = async (query: string) =>
      ((await (await fetch(`${shop.url}/admin/payments?${query}`)).json()) as { payments: unknown[] }).payments.length;
    expect(await count('')).toBe(2);
    expect(await count('status=settled')).toBe(2);
    expect(await count('status=failed')).toBe(0);
    expect(await count('operationId=extract%2Fdoc')).toBe(1);
    expect(await count(`payer=${one.address}`)).toBe(1);
    expect(await count('to=2020-01-01T00:00:00Z')).toBe(0);
    expect(await count('from=2020-01-01T00:00:00Z')).toBe(2);
    expect((await fetch(`${shop.url}/admin/payments?payer=me`)).status).toBe(400);
  });

  test('is exported as CSV with one line for each payment, and no proof in it', async () => {
    await using shop = await openShop();
    const wallet = await richWallet(shop);
    const proof = await proofFor(shop, wallet, await challengeOf(shop));
    await send(shop, header(proof));
    const response = await fetch(`${shop.url}/admin/payments.csv`);
    expect(response.headers.get('content-type')).toContain('text/csv');
    const lines = (await response.text()).split('\r\n');
    expect(lines).toHaveLength(3);
    const columns = lines[0]?.split(',') ?? [];
    const values = Object.fromEntries(columns.map((column, index) => [column, lines[1]?.split(',')[index]]));
    expect(values).toMatchObject({ status: 'settled', amount: '300000', payer: wallet.address.toLowerCase() });
    expect(lines[1]).not.toContain(proof.signature.slice(2));
  });
});
