/**
 * Measures paid requests on one route with our gate and ledger, with the stock @x402/hono middleware, and without
 * payment; and the 402 answers per second of the whole server and of @x402/hono, in turns. Proofs are signed before the
 * measurement, and each server is a process of its own.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { Agent, request } from 'undici';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { startApplianceProcess } from '../test/harness/appliance-process.ts';
import { authorizationFor, type Entry, entryV2, header, headerV2, sign } from '../test/payments/proofs.ts';

const SEQUENTIAL = 150;
const PARALLEL = 300;
const AT_ONCE = 16;
const ROUNDS = 2;
const UNPAID = 4000;
const UNPAID_AT_ONCE = 32;
const UNPAID_ROUNDS = 4;

const agent = new Agent({ connections: 64 });
const say = (line: string) => process.stdout.write(`${line}\n`);

type Route = { name: string; path: string; headersOf(index: number): Record<string, string> };
interface Times {
  sequential: number[];
  perSecond: number[];
}

const children: ChildProcess[] = [];
try {
  const { url } = JSON.parse(await firstLine('payments-server.ts')) as { url: string };
  await measurePaid(url);
  await measureUnpaid(url);
} finally {
  for (const child of children) child.kill();
  await agent.close();
}

async function measurePaid(url: string): Promise<void> {
  const entry = await challengeOf(url);
  const wallet = privateKeyToAccount(generatePrivateKey());
  await post(`${url}/facilitator/faucet`, { address: wallet.address, amount: 10_000_000_000 }, {});
  const count = ROUNDS * (SEQUENTIAL + PARALLEL) + 20;
  const proofs = async () => {
    const signed = [];
    for (let index = 0; index < count; index += 1) {
      signed.push(
        await sign(wallet, entry, authorizationFor(entry, wallet.address, performance.timeOrigin + performance.now())),
      );
    }
    return signed;
  };
  const [ours, stock] = [await proofs(), await proofs()];
  const routes: Route[] = [
    { name: 'no payment', path: '/none', headersOf: () => ({}) },
    { name: 'quarry', path: '/v1/crawl', headersOf: (index) => ({ 'x-payment': header(ours[index] as never) }) },
    {
      name: '@x402/hono',
      path: '/stock',
      headersOf: (index) => ({ 'payment-signature': headerV2(stock[index] as never, entryV2(entry)) }),
    },
  ];
  const results = new Map<string, Times>(routes.map(({ name }) => [name, { sequential: [], perSecond: [] }]));
  for (const route of routes) for (let index = count - 20; index < count; index += 1) await paid(url, route, index);
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const route of routes) await measureRoute(url, route, round, results.get(route.name) as Times);
  }
  report(routes, results);
}

async function measureUnpaid(stockUrl: string): Promise<void> {
  await using server = await startApplianceProcess();
  await server.owner('/admin/accounts/ip:127.0.0.1/plan', {
    method: 'PUT',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ plan: 'enterprise', requestsPerMinute: 100_000, concurrency: 10 }),
  });
  const subjects = [
    { name: 'quarry', url: `${server.url}/v1/crawl`, rates: [] as number[] },
    { name: '@x402/hono', url: `${stockUrl}/stock`, rates: [] as number[] },
  ];
  for (let round = 0; round < UNPAID_ROUNDS; round += 1) {
    for (const { url, rates } of subjects) rates.push(await unpaidPerSecond(url));
  }
  for (const { name, rates } of subjects) say(`402 answers per second, ${name}: ${rates.join(', ')}`);
}

async function unpaidPerSecond(url: string): Promise<number> {
  const started = performance.now();
  await inParallel(UNPAID, UNPAID_AT_ONCE, async () => {
    const { statusCode, body } = await request(url, { method: 'POST', dispatcher: agent });
    await body.dump();
    if (statusCode !== 402) throw new Error(`An unpaid request was answered with ${statusCode}.`);
  });
  return perSecond(UNPAID, started);
}

async function measureRoute(url: string, route: Route, round: number, times: Times): Promise<void> {
  const first = round * (SEQUENTIAL + PARALLEL);
  for (let index = first; index < first + SEQUENTIAL; index += 1) {
    const started = performance.now();
    await paid(url, route, index);
    times.sequential.push(performance.now() - started);
  }
  const started = performance.now();
  await inParallel(PARALLEL, AT_ONCE, (index) => paid(url, route, first + SEQUENTIAL + index));
  times.perSecond.push(perSecond(PARALLEL, started));
}

async function paid(url: string, route: Route, index: number): Promise<void> {
  const status = await post(
    url + route.path,
    { url: `https://example.com/${route.name}/${index}` },
    route.headersOf(index),
  );
  if (status !== 202) throw new Error(`${route.name} answered ${status}.`);
}

function report(routes: Route[], results: Map<string, Times>): void {
  const base = results.get('no payment') as Times;
  say('route        p50 ms   p99 ms   added p50   added p99   paid/s (16 at once)');
  for (const { name } of routes) {
    const { sequential, perSecond: rates } = results.get(name) as Times;
    const [p50, p99] = [quantile(sequential, 0.5), quantile(sequential, 0.99)];
    const added = [p50 - quantile(base.sequential, 0.5), p99 - quantile(base.sequential, 0.99)];
    const cells = [p50, p99, ...added].map((value) => value.toFixed(2).padStart(8)).join('  ');
    say(`${name.padEnd(11)}${cells}   ${Math.max(...rates)}`);
  }
}

async function challengeOf(url: string): Promise<Entry> {
  const { body } = await request(`${url}/v1/crawl`, { method: 'POST', dispatcher: agent });
  return ((await body.json()) as { accepts: [Entry] }).accepts[0];
}

async function post(url: string, value: unknown, headers: Record<string, string>): Promise<number> {
  const { statusCode, body } = await request(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(value),
    dispatcher: agent,
  });
  await body.dump();
  return statusCode;
}

async function inParallel(count: number, atOnce: number, work: (index: number) => Promise<void>): Promise<void> {
  let next = 0;
  const one = async () => {
    while (next < count) {
      const index = next;
      next += 1;
      await work(index);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, one));
}

/** Starts a server and gives back the first line it prints. */
async function firstLine(script: string): Promise<string> {
  const child = spawn(process.execPath, [fileURLToPath(new URL(script, import.meta.url))], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  children.push(child);
  for await (const line of createInterface({ input: child.stdout })) return line;
  throw new Error(`${script} ended before it listened.`);
}

function quantile(values: number[], share: number): number {
  const sorted = values.toSorted((one, other) => one - other);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
}

function perSecond(count: number, started: number): number {
  return Math.round((count * 1000) / (performance.now() - started));
}
