/** A crawl that several payers asked for is crawled once, and listed and searched by each of them. */
import { connect } from 'node:net';
import { createSiweMessage } from 'viem/siwe';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { PaymentChallenge } from '../../../src-server/features/payments/schema.ts';
import type { SearchAnswer } from '../../../src-server/features/search/schema.ts';
import { type Appliance, startAppliance } from '../../harness/appliance.ts';
import { finished } from '../../harness/jobs.ts';
import { type LocalSite, serveWith } from '../../harness/local-site.ts';
import { postJson } from '../../harness/text-models.ts';
import { until } from '../../harness/until.ts';
import { authorizationFor, base64, header, newWallet, sign } from '../../payments/proofs.ts';

const PAGE = `<!doctype html><html lang="en"><title>Tides</title><main><h1>Tides</h1>
  <p>High water comes about fifty minutes later every day.</p></main></html>`;
const CRAWL = { url: 'https://tides.example/', depth: 0 };

type Wallet = ReturnType<typeof newWallet>;

let appliance: Appliance;
let site: LocalSite;

// Payers may name public https addresses only; every connection to one ends at a site on loopback.
beforeAll(async () => {
  site = await serveWith((_, response) => {
    response.writeHead(200, { 'content-type': 'text/html' }).end(PAGE);
  });
  appliance = await startAppliance({
    network: {
      resolver: async () => [{ address: '93.184.216.34', family: 4 }],
      connector: (_target, _addresses, callback) => {
        const socket = connect(Number(new URL(site.url).port), '127.0.0.1');
        socket.once('connect', () => callback(null, socket));
        socket.once('error', (error) => callback(error, null));
      },
    },
  });
});
afterAll(async () => {
  await appliance.close();
  await site[Symbol.asyncDispose]();
});

async function richWallet(): Promise<Wallet> {
  const wallet = newWallet();
  const answer = await appliance.anonymous('/facilitator/faucet', postJson({ address: wallet.address, amount: 9e6 }));
  expect(answer.status, await answer.clone().text()).toBe(200);
  return wallet;
}

async function paid<Body>(wallet: Wallet, path: string, body: object): Promise<Body> {
  const unpaid = await appliance.anonymous(path, postJson(body));
  const [entry] = ((await unpaid.json()) as PaymentChallenge).accepts;
  if (entry === undefined) throw new Error('The challenge accepts nothing.');
  const proof = await sign(wallet, entry, authorizationFor(entry, wallet.address, appliance.clock.now()));
  const request = postJson(body);
  const headers = { ...(request.headers as Record<string, string>), 'X-PAYMENT': header(proof) };
  const answer = await appliance.anonymous(path, { ...request, headers });
  expect(answer.ok, await answer.clone().text()).toBe(true);
  return (await answer.json()) as Body;
}

async function found(wallet: Wallet, filter: object = {}): Promise<SearchAnswer['results']> {
  return (await paid<SearchAnswer>(wallet, '/v1/search', { query: 'high water', filter })).results;
}

/** A request with a wallet's sign-in. */
async function asWallet(wallet: Wallet, path: string, method: string): Promise<Response> {
  const fields = {
    domain: new URL(appliance.url).host,
    address: wallet.address,
    uri: `${appliance.url}${path}`,
    version: '1' as const,
    nonce: crypto.randomUUID().replaceAll('-', ''),
  };
  const issuedAt = new Date(appliance.clock.now());
  const signature = await wallet.signMessage({ message: createSiweMessage({ ...fields, chainId: 84_532, issuedAt }) });
  const chain = { chainId: 'eip155:84532', type: 'eip191', issuedAt: issuedAt.toISOString() };
  return appliance.anonymous(path, {
    method,
    headers: { 'SIGN-IN-WITH-X': base64({ ...fields, ...chain, signature }) },
  });
}

test('its maker, while nobody else was given it, may remove a crawl', async () => {
  const alone = await richWallet();
  const { crawlId } = await paid<{ crawlId: string }>(alone, '/v1/crawl', { ...CRAWL, url: 'https://alone.example/' });
  expect(
    await paid<{ crawlId: string }>(alone, '/v1/crawl', { ...CRAWL, url: 'https://alone.example/' }),
  ).toMatchObject({
    crawlId,
  });
  await finished(appliance.anonymous, crawlId);
  expect((await asWallet(alone, `/v1/jobs/${crawlId}`, 'DELETE')).status).toBe(204);
  expect((await appliance.anonymous(`/v1/jobs/${crawlId}`)).status).toBe(404);
});

test('whoever was given a crawl finds its sentences with their page, and nobody else does', async () => {
  const [first, second, stranger] = [await richWallet(), await richWallet(), await richWallet()];
  const { crawlId } = await paid<{ crawlId: string }>(first, '/v1/crawl', CRAWL);
  // The second comes while it runs or after it, which must make no difference.
  expect(await paid<{ crawlId: string }>(second, '/v1/crawl', CRAWL)).toMatchObject({ crawlId });
  expect((await finished(appliance.anonymous, crawlId)).status).toBe('completed');
  await until(async () => (await found(first)).length > 0);

  const place = { jobId: crawlId, url: CRAWL.url, heading: 'Tides' };
  const [hit] = await found(second);
  expect(hit).toMatchObject(place);
  expect(hit?.highlights.map(({ start, end }) => hit.snippet.slice(start, end))).toEqual(['High', 'water']);
  expect(await found(second, { jobId: crawlId })).toMatchObject([place]);
  expect(await found(second, { jobType: 'extract/doc' })).toEqual([]);
  expect(await found(stranger)).toEqual([]);
  expect(await found(stranger, { jobId: crawlId })).toEqual([]);

  const late = await richWallet();
  expect(await paid<{ crawlId: string }>(late, '/v1/crawl', CRAWL)).toMatchObject({ crawlId });
  expect(await found(late)).toMatchObject([place]);

  // Who came first tidies up after itself: what the others have paid for stays.
  const removal = await asWallet(first, `/v1/jobs/${crawlId}`, 'DELETE');
  expect([removal.status, await removal.json()]).toMatchObject([409, { code: 'conflict' }]);
  expect((await asWallet(second, `/v1/jobs/${crawlId}`, 'DELETE')).status).toBe(403);
  expect(await found(second)).toMatchObject([place]);

  expect((await appliance.owner(`/v1/jobs/${crawlId}`, { method: 'DELETE' })).status).toBe(204);
  expect(await found(second)).toEqual([]);
});

test('a crawl stands in the list of everybody who was given it, in its place among their own jobs', async () => {
  const [first, second, stranger] = [await richWallet(), await richWallet(), await richWallet()];
  const crawl = { ...CRAWL, url: 'https://listed.example/' };
  const older = await paid<{ jobId: string }>(second, '/v1/search', { query: 'ebb' });
  const { crawlId } = await paid<{ crawlId: string }>(first, '/v1/crawl', crawl);
  const newer = await paid<{ jobId: string }>(second, '/v1/search', { query: 'flood' });
  expect(await paid<{ crawlId: string }>(second, '/v1/crawl', crawl)).toMatchObject({ crawlId });
  await finished(appliance.anonymous, crawlId);
  const listed = async (wallet: Wallet, query = '') => {
    const answer = await asWallet(wallet, `/v1/jobs${query}`, 'GET');
    const page = (await answer.json()) as { jobs: { jobId: string }[]; nextCursor: string | null };
    return { ids: page.jobs.map(({ jobId }) => jobId), next: page.nextCursor };
  };
  expect((await listed(second)).ids).toEqual([newer.jobId, crawlId, older.jobId]);
  expect((await listed(first)).ids).toEqual([crawlId]);
  expect((await listed(stranger)).ids).toEqual([]);
  expect((await listed(second, '?jobType=crawl&status=completed')).ids).toEqual([crawlId]);
  expect((await listed(second, '?status=failed')).ids).toEqual([]);
  const two = await listed(second, '?limit=2');
  expect(two.ids).toEqual([newer.jobId, crawlId]);
  expect(await listed(second, `?limit=2&cursor=${two.next}`)).toEqual({ ids: [older.jobId], next: null });
});
