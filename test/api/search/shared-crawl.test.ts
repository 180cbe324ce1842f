/** A crawl that several payers asked for is crawled once, and searched by each of them. */
import { connect } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { PaymentChallenge, SearchAnswer } from '../../../src-server/contract/index.ts';
import { type Appliance, startAppliance } from '../../harness/appliance.ts';
import { finished } from '../../harness/jobs.ts';
import { type LocalSite, serveWith } from '../../harness/local-site.ts';
import { postJson } from '../../harness/text-models.ts';
import { until } from '../../harness/until.ts';
import { authorizationFor, header, newWallet, sign } from '../../payments/proofs.ts';

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

  expect((await appliance.owner(`/v1/jobs/${crawlId}`, { method: 'DELETE' })).status).toBe(204);
  expect(await found(second)).toEqual([]);
});
