/** A wallet as an account of the whole appliance: what it paid for is its own, and nobody else's. */
import { connect } from 'node:net';
import { createSIWxClientHook } from '@x402/extensions/sign-in-with-x';
import { wrapFetchWithPayment, x402Client, x402HTTPClient } from '@x402/fetch';
import type { PrivateKeyAccount } from 'viem/accounts';
import { createSiweMessage } from 'viem/siwe';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Appliance, startAppliance } from '../harness/appliance.ts';
import { finished } from '../harness/jobs.ts';
import { type LocalSite, serveFiles } from '../harness/local-site.ts';
import { postJson } from '../harness/text-models.ts';
import { authorizationFor, base64, decode, type Entry, header, newWallet, sign } from './proofs.ts';
import { startRelay } from './relay.ts';

let appliance: Appliance;
let hooks: LocalSite;
const [owner, stranger] = [newWallet(), newWallet()];
const jobIds: string[] = [];

beforeAll(async () => {
  hooks = await serveFiles({ '/': '' });
  // Webhooks go to public addresses only; every connection to one ends on loopback.
  appliance = await startAppliance({
    network: {
      resolver: async () => [{ address: '93.184.216.34', family: 4 }],
      connector: (_target, _addresses, callback) => {
        const socket = connect(Number(new URL(hooks.url).port), '127.0.0.1');
        socket.once('connect', () => callback(null, socket));
        socket.once('error', (error) => callback(error, null));
      },
    },
  });
  for (const wallet of [owner, stranger]) {
    await appliance.anonymous('/facilitator/faucet', postJson({ address: wallet.address }));
  }
  for (const name of ['first', 'second', 'third']) jobIds.push(await buy(owner, 'extract/doc', document(name)));
  jobIds.push(await buy(owner, 'generate/audio', { prompt: 'Welcome.', durationSeconds: 1 }));
  await buy(stranger, 'extract/doc', document('of somebody else'));
});
afterAll(async () => {
  await appliance.close();
  await hooks[Symbol.asyncDispose]();
});

const document = (text: string) => ({ file: `data:text/plain;base64,${Buffer.from(text).toString('base64')}` });

/** Pays with a wallet's own signature; gives back the job's id once it has ended. */
async function buy(wallet: PrivateKeyAccount, operationId: string, body: object): Promise<string> {
  const unpaid = await appliance.anonymous(`/v1/${operationId}`, postJson(body));
  const [entry] = ((await unpaid.json()) as { accepts: [Entry] }).accepts;
  const proof = await sign(wallet, entry, authorizationFor(entry, wallet.address, appliance.clock.now()));
  const headers = { 'content-type': 'application/json', 'X-PAYMENT': header(proof) };
  const paid = await appliance.anonymous(`/v1/${operationId}`, { ...postJson(body), headers });
  expect(paid.status).toBe(202);
  const { jobId } = (await paid.json()) as { jobId: string };
  expect((await finished(appliance.anonymous, jobId)).status).toBe('completed');
  return jobId;
}

/** A request signed in for: with what the 401 of the same request says is to be signed. */
async function as(wallet: PrivateKeyAccount, path: string, init: RequestInit = {}): Promise<Response> {
  const refused = await appliance.anonymous(path, init);
  expect([refused.status, refused.headers.get('content-type')]).toEqual([401, 'application/problem+json']);
  const { extensions } = decode(refused.headers.get('payment-required')) as {
    extensions: { 'sign-in-with-x': { info: Record<string, string>; supportedChains: [{ chainId: string }] } };
  };
  const { info, supportedChains } = extensions['sign-in-with-x'];
  const message = createSiweMessage({
    ...(info as unknown as Parameters<typeof createSiweMessage>[0]),
    address: wallet.address,
    chainId: Number(supportedChains[0].chainId.split(':')[1]),
    issuedAt: new Date(info.issuedAt as string),
    expirationTime: new Date(info.expirationTime as string),
  });
  const signature = await wallet.signMessage({ message });
  const fields = { ...info, address: wallet.address, chainId: supportedChains[0].chainId, type: 'eip191', signature };
  return appliance.anonymous(path, {
    ...init,
    headers: { ...(init.headers as Record<string, string>), 'SIGN-IN-WITH-X': base64(fields) },
  });
}

const listed = async (answer: Response) => {
  expect(answer.status).toBe(200);
  return (await answer.json()) as { jobs: { jobId: string }[]; nextCursor: string | null };
};
const ids = ({ jobs }: { jobs: { jobId: string }[] }) => jobs.map(({ jobId }) => jobId);

test('lists its own jobs, newest first, and nobody else’s', async () => {
  expect(ids(await listed(await as(owner, '/v1/jobs')))).toEqual(jobIds.toReversed());
  const others = ids(await listed(await as(stranger, '/v1/jobs')));
  expect(others).toHaveLength(1);
  expect(jobIds).not.toContain(others[0]);
  expect(ids(await listed(await as(newWallet(), '/v1/jobs')))).toEqual([]);
});

test('filters them by status and type, and reads them in pages without gap or repetition', async () => {
  const audio = await listed(await as(owner, '/v1/jobs?jobType=generate%2Faudio&status=completed'));
  expect(ids(audio)).toEqual(jobIds.slice(-1));
  expect(ids(await listed(await as(owner, '/v1/jobs?status=failed')))).toEqual([]);
  const seen: string[] = [];
  let cursor: string | null = null;
  do {
    const query: string = cursor === null ? '' : `&cursor=${cursor}`;
    const page = await listed(await as(owner, `/v1/jobs?limit=3${query}`));
    seen.push(...ids(page));
    cursor = page.nextCursor;
  } while (cursor !== null);
  expect(seen).toEqual(jobIds.toReversed());
});

test('may remove its own job, and not one of another wallet', async () => {
  const jobId = await buy(owner, 'extract/doc', document('to be removed'));
  const foreign = await as(stranger, `/v1/jobs/${jobId}`, { method: 'DELETE' });
  expect([403, 404]).toContain(foreign.status);
  expect((await as(owner, `/v1/jobs/${jobId}`, { method: 'DELETE' })).status).toBe(204);
});

test('pays for a webhook, and alone sees, changes and removes it', async () => {
  await buy(owner, 'webhooks', { url: 'https://hook.example/', events: ['job.completed'] });
  const [webhook] = (await (await as(owner, '/v1/webhooks')).json()) as [{ webhookId: string }];
  expect(webhook).toMatchObject({ status: 'active', url: 'https://hook.example/' });
  expect(await (await as(stranger, '/v1/webhooks')).json()).toEqual([]);
  const path = `/v1/webhooks/${webhook.webhookId}`;
  expect((await as(stranger, path)).status).toBe(404);
  const pause = { ...postJson({ status: 'paused' }), method: 'PATCH' };
  expect((await as(stranger, path, pause)).status).toBe(404);
  expect(await (await as(owner, path, pause)).json()).toMatchObject({ status: 'paused' });
  expect((await as(owner, path, { method: 'DELETE' })).status).toBe(204);
});

test('the stock client signs in by itself where it asks for a 402', async () => {
  const client = new x402HTTPClient(new x402Client()).onPaymentRequired(createSIWxClientHook(owner));
  const headers = { prefer: 'x402-sign-in=402' };
  const answer = await wrapFetchWithPayment(fetch, client)(`${appliance.url}/v1/jobs`, { headers });
  expect(ids(await listed(answer))).toEqual(expect.arrayContaining(jobIds));
});

test('a wrong sign-in and the owner’s own routes are refused without an offer', async () => {
  const wrong = await appliance.anonymous('/v1/jobs', { headers: { 'SIGN-IN-WITH-X': base64({}) } });
  const admin = await appliance.anonymous('/admin/payments');
  for (const answer of [wrong, admin]) {
    expect([answer.status, answer.headers.has('payment-required')]).toEqual([401, false]);
  }
});

test('sign-ins that only a chain can judge ask it no more often than their address may ask anything', async () => {
  const chain = await startRelay('http://127.0.0.1:1');
  const claimed = newWallet().address;
  let asked = 0;
  // There is no contract at the address.
  chain.instead = ({ body }) => {
    if (body.toLowerCase().includes(claimed.toLowerCase())) asked += 1;
    return '0x';
  };
  const payTo = newWallet().address;
  const payment = { mode: 'onchain' as const, payTo, rpcUrl: chain.url, privateKey: `0x${'7c'.repeat(32)}` as const };
  await using onchain = await startAppliance({ payment });
  onchain.clock.stand();
  const plan = { plan: 'enterprise', requestsPerMinute: 10, concurrency: 1 };
  const put = await onchain.owner('/admin/accounts/ip:127.0.0.1/plan', { ...postJson(plan), method: 'PUT' });
  expect(put.status).toBe(200);
  const message = {
    domain: new URL(onchain.url).host,
    address: claimed,
    uri: `${onchain.url}/v1/jobs`,
    version: '1',
    chainId: 'eip155:84532',
    type: 'eip191',
    nonce: 'a'.repeat(20),
    issuedAt: new Date(onchain.clock.now()).toISOString(),
    signature: `0x${'11'.repeat(100)}`,
  };
  const headers = { 'SIGN-IN-WITH-X': base64(message) };
  const forge = async (path: string) => (await onchain.anonymous(path, { headers })).status;
  expect(await forge('/v1/jobs')).toBe(401);
  expect(asked).toBe(1);
  const paths = ['/v1/jobs', '/v1/jobs', '/admin/overview', '/openai/v1/models'];
  const statuses = await Promise.all(Array.from({ length: 32 }, (_, n) => forge(paths[n % paths.length] as string)));
  expect(statuses).toContain(429);
  expect(asked).toBeLessThanOrEqual(10);
  await chain.close();
});
