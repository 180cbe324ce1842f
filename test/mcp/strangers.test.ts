import { join } from 'node:path';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { registerExactEvmScheme } from '@x402/evm/exact/client';
import { validateDiscoveryExtension, validateDiscoveryExtensionSpec } from '@x402/extensions/bazaar';
import { type JWSSignedOffer, verifyOfferSignatureJWS } from '@x402/extensions/offer-receipt';
import { appendPaymentIdentifierToExtensions, generatePaymentId } from '@x402/extensions/payment-identifier';
import { x402Client } from '@x402/fetch';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Appliance, startAppliance } from '../harness/appliance.ts';

const CLI = join(import.meta.dirname, '../../src-server/cli.ts');

let appliance: Appliance;
beforeAll(async () => {
  appliance = await startAppliance();
});
afterAll(() => appliance.close());

type Mode = 'legacy' | 'auto';

async function connect(mode: Mode, headers: Record<string, string> = {}): Promise<Client> {
  const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode } });
  await client.connect(
    new StreamableHTTPClientTransport(new URL(`${appliance.url}/mcp`), { requestInit: { headers } }),
  );
  return client;
}

interface Result {
  isError?: boolean;
  structuredContent?: never;
  content: { text: string }[];
  _meta?: Record<string, unknown>;
}

const call = async (client: Client, name: string, given: object, meta: Record<string, unknown> = {}) =>
  (await client.callTool({ name, arguments: { ...given }, _meta: meta } as never)) as unknown as Result;

const report = (text: string) => ({
  file: `data:text/plain;base64,${Buffer.from(text).toString('base64')}`,
  waitSeconds: 50,
});

async function wallet(filled = true) {
  const account = privateKeyToAccount(generatePrivateKey());
  const init = {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ address: account.address }),
  };
  if (filled) expect((await appliance.anonymous('/facilitator/faucet', init)).status).toBe(200);
  return {
    payer: account.address.toLowerCase(),
    wallet: registerExactEvmScheme(new x402Client(), { signer: account }),
  };
}

describe.each<Mode>(['legacy', 'auto'])('a stranger with the stock clients of MCP (%s) and x402', (mode) => {
  test('is told the price, pays the call, and gets the receipt and the result', async () => {
    const client = await connect(mode);
    const names = (await client.listTools()).tools.map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining(['extract_doc', 'get_job', 'get_text']));
    expect(names).not.toContain('list_jobs');
    expect(names).not.toContain('cancel_job');
    expect((await client.listResources()).resources).toEqual([]);

    const asked = await call(client, 'extract_doc', report(`paid ${mode}`));
    expect(asked).toMatchObject({
      isError: true,
      structuredContent: {
        x402Version: 2,
        resource: { url: 'mcp://tool/extract_doc' },
        accepts: [{ scheme: 'exact', amount: expect.stringMatching(/^[1-9]/) }],
      },
    });
    const text = JSON.parse(asked.content[0]?.text ?? '') as object;
    expect(text).toEqual({ 'x402/error': { code: 402, message: expect.any(String), data: asked.structuredContent } });

    const rich = await wallet();
    const payment = await rich.wallet.createPaymentPayload(asked.structuredContent as never);
    const bought = await call(client, 'extract_doc', report(`paid ${mode}`), { 'x402/payment': payment });
    expect(bought._meta?.['x402/payment-response']).toMatchObject({ success: true, payer: rich.payer });
    const job = JSON.parse(bought.content[0]?.text ?? '') as { jobId: string; status: string };
    expect(job.status).toBe('completed');
    expect((await call(client, 'get_text', { jobId: job.jobId })).content[0]?.text).toContain(`paid ${mode}`);
    const record = (await (await appliance.owner(`/admin/jobs/${job.jobId}`)).json()) as { accountId: string };
    expect(record.accountId).toBe(rich.payer);

    // The same proof buys the same job once, and no other.
    const again = await call(client, 'extract_doc', report(`paid ${mode}`), { 'x402/payment': payment });
    expect(JSON.parse(again.content[0]?.text ?? '')).toMatchObject({ jobId: job.jobId });
    const other = await call(client, 'extract_doc', report('another'), { 'x402/payment': payment });
    expect(other).toMatchObject({ isError: true, structuredContent: { accepts: [{}], error: expect.any(String) } });
    await client.close();
  });

  test("is refused with a wrong proof, an empty wallet, and for what is the owner's", async () => {
    const client = await connect(mode);
    const wrong = await call(client, 'extract_doc', report('wrong'), { 'x402/payment': { x402Version: 2 } });
    expect(wrong).toMatchObject({ isError: true, structuredContent: { error: 'invalid_payload' } });
    const asked = await call(client, 'extract_doc', report('poor'));
    const poor = await wallet(false);
    const payment = await poor.wallet.createPaymentPayload(asked.structuredContent as never);
    const unpaid = await call(client, 'extract_doc', report('poor'), { 'x402/payment': payment });
    expect(unpaid).toMatchObject({ isError: true, structuredContent: { error: 'insufficient_funds' } });
    await expect(call(client, 'list_jobs', {})).rejects.toThrow('There is no tool list_jobs.');
    await client.close();
  });
});

async function overStdio(): Promise<Client> {
  const client = new Client({ name: 'test', version: '1' });
  const args = [CLI, 'mcp', '--data-dir', appliance.dataDir];
  await client.connect(new StdioClientTransport({ command: process.execPath, args, stderr: 'pipe' }));
  return client;
}

const owner = () => ({ authorization: `Bearer ${appliance.ownerToken}` });

test('the challenge of a tool has what catalogues and wallets read, and its identifier buys once', async () => {
  const client = await connect('auto');
  interface Required {
    extensions: Record<'bazaar' | 'offer-receipt', { info: Record<string, unknown> }>;
  }
  const ask = async () => (await call(client, 'extract_doc', {})).structuredContent as unknown as Required;
  const { bazaar, 'offer-receipt': offered } = (await ask()).extensions;
  expect(validateDiscoveryExtension(bazaar as never)).toEqual({ valid: true });
  expect(validateDiscoveryExtensionSpec(bazaar as never)).toEqual({ valid: true });
  expect(bazaar.info.input).toMatchObject({ type: 'mcp', toolName: 'extract_doc', example: expect.any(Object) });
  const [offer] = offered.info.offers as [JWSSignedOffer];
  expect(await verifyOfferSignatureJWS(offer)).toMatchObject({ resourceUrl: 'mcp://tool/extract_doc' });

  const { wallet: rich } = await wallet();
  const id = generatePaymentId();
  const buy = async (text: string) => {
    const required = await ask();
    appendPaymentIdentifierToExtensions(required.extensions, id);
    const payment = await rich.createPaymentPayload(required as never);
    return call(client, 'extract_doc', report(text), { 'x402/payment': payment });
  };
  const first = await buy('identified');
  expect(first._meta?.['x402/payment-response']).toMatchObject({ extensions: { 'offer-receipt': { info: {} } } });
  const { jobId } = JSON.parse(first.content[0]?.text ?? '') as { jobId: string };
  const second = await buy('identified');
  expect(JSON.parse(second.content[0]?.text ?? '')).toMatchObject({ jobId });
  expect(second._meta?.['x402/payment-response']).toBeUndefined();
  const other = await buy('another');
  expect(other).toMatchObject({ isError: true });
  expect(other.content[0]?.text).toContain('idempotency_key_reused');
  await client.close();
});

describe.each<[string, () => Promise<Client>]>([
  ['HTTP, older version', () => connect('legacy', owner())],
  ['HTTP', () => connect('auto', owner())],
  ['stdio', overStdio],
])('progress over %s', (_, open) => {
  test('comes while a tool waits, and grows', async () => {
    const client = await open();
    const seen: { progress: number; total?: number | undefined }[] = [];
    const given = { name: 'extract_doc', arguments: report('progress') };
    await client.callTool(given, { onprogress: (progress) => void seen.push(progress) });
    await client.close();
    expect(seen.length).toBeGreaterThan(0);
    expect(seen.every(({ total }) => total === 100)).toBe(true);
    const steps = seen.map(({ progress }) => progress);
    expect(steps).toEqual([...new Set(steps)].sort((one, other) => one - other));
  });
});
