/** Measures a built server from outside, as clients see it: any commit that has these routes can be measured. */
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Agent, request } from 'undici';
import type { PaymentChallenge } from '../src-server/features/payments/schema.ts';
import { type ApplianceProcess, startApplianceProcess } from '../test/harness/appliance-process.ts';
import { fileForm, finished } from '../test/harness/jobs.ts';
import { serveWith } from '../test/harness/local-site.ts';
import { authorizationFor, type Entry, header, newWallet, sign } from '../test/payments/proofs.ts';
import { writeDocument } from './document-inputs.ts';
import { median } from './figures.ts';
import { becomeQuiet, cpuMs, cpuOf, residentMib } from './gate-processes.ts';
import type { FigureName } from './gate-table.ts';
import { bookPdf } from './pdf-inputs.ts';

const WARM_UP = 150;
const SMALL = 100;
const MEDIUM = 15;
const LARGE = 3;
const PDF_PAGES = 500;
const CRAWL_PAGES = 2000;
const SINGLE_PAGES = 30;
const UNPAID = 4000;
const UNPAID_AT_ONCE = 32;
const PAID = 200;
const PAID_AT_ONCE = 16;
/** As many as the queue runs at once, and more: then paid jobs wait, and do not count. */
const HELD_JOBS = 64;
const SETTLE_MS = 2000;

const JSON_BODY = { 'content-type': 'application/json' };
/** Answers before the job has run. */
const AT_ONCE = { ...JSON_BODY, prefer: 'wait=0' };

export interface Inputs extends Disposable {
  small: Uint8Array;
  medium: Uint8Array;
  large: Uint8Array;
  pdf: Uint8Array;
}

type Figures = Partial<Record<FigureName, number>>;

type Measure = (server: ApplianceProcess, inputs: Inputs) => Promise<Figures>;

/** What is measured together, in this order. */
export const GROUPS: Record<string, Measure> = {
  docx: measureDocuments,
  pdf: measurePdf,
  crawl: measureCrawl,
  page: measureSinglePages,
  unpaid: measureUnpaid,
  paid: measurePaid,
};

export function makeInputs(): Inputs {
  const folder = mkdtempSync(join(tmpdir(), 'quarry gate '));
  const docx = (sections: number) => {
    const path = join(folder, `${sections}.docx`);
    writeDocument(path, sections);
    return readFileSync(path);
  };
  return {
    small: docx(3),
    medium: docx(60),
    large: docx(900),
    pdf: bookPdf(PDF_PAGES),
    [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }),
  };
}

/** Starts a server on a new data folder and ends it. */
export async function measureStart(entry: string): Promise<Figures> {
  const startedAt = performance.now();
  await using server = await startApplianceProcess({ entry });
  const [start, startCpu] = [performance.now() - startedAt, cpuMs(server.pid)];
  await sleep(SETTLE_MS);
  await becomeQuiet(server.pid);
  return { start, startCpu, memory: residentMib(server.pid) };
}

/** Starts the server whose figures are measured next. */
export async function startServer(entry: string): Promise<ApplianceProcess> {
  const server = await startApplianceProcess({ entry });
  try {
    const settings = JSON.stringify({ crawlDelayMs: 0, crawlMaxPages: 5000 });
    const patch = { method: 'PATCH', headers: JSON_BODY, body: settings };
    await answered(await server.owner('/admin/settings', patch), 200);
    return server;
  } catch (error) {
    await server[Symbol.asyncDispose]();
    throw error;
  }
}

async function answered(answer: Response, status: number): Promise<Response> {
  if (answer.status !== status) throw new Error(`${answer.url} answered ${answer.status}: ${await answer.text()}`);
  return answer;
}

async function complete(server: ApplianceProcess, answer: Response): Promise<Record<string, unknown>> {
  let job = (await answer.json()) as { jobId: string; status: string; result?: object | null };
  if (job.status === 'queued' || job.status === 'processing') job = await finished(server.owner, job.jobId);
  if (job.status !== 'completed') throw new Error(`A job was not completed: ${JSON.stringify(job).slice(0, 500)}`);
  return job.result as Record<string, unknown>;
}

/** Submits a file and waits for its job, `count` times, one after the other. Gives milliseconds of each. */
async function extractEach(
  server: ApplianceProcess,
  { path, bytes, count }: { path: string; bytes: Uint8Array; count: number },
): Promise<number[]> {
  const times: number[] = [];
  for (let n = 0; n < count; n += 1) {
    const startedAt = performance.now();
    const headers = { prefer: 'wait=60' };
    const body = fileForm(bytes, `${path.replace('/', '.')} ${n}`);
    await complete(server, await server.owner(`/v1/${path}`, { method: 'POST', body, headers }));
    times.push(performance.now() - startedAt);
  }
  return times;
}

async function measureDocuments(server: ApplianceProcess, { small, medium, large }: Inputs): Promise<Figures> {
  const path = 'extract/doc';
  // As a server that has been up for a while: code is compiled.
  await extractEach(server, { path, bytes: small, count: WARM_UP });
  await extractEach(server, { path, bytes: large, count: 2 });
  let p50 = Number.NaN;
  const cpu = async (bytes: Uint8Array, count: number) => {
    const spent = await cpuOf(server.pid, async () => {
      p50 = median(await extractEach(server, { path, bytes, count }));
    });
    return spent / count;
  };
  const figures: Figures = { large: await cpu(large, LARGE), medium: await cpu(medium, MEDIUM) };
  figures.small = await cpu(small, SMALL);
  return { ...figures, p50 };
}

async function measurePdf(server: ApplianceProcess, { pdf }: Inputs): Promise<Figures> {
  const work = { path: 'extract/pdf', bytes: pdf, count: 1 };
  await extractEach(server, work);
  return { pdf: (await cpuOf(server.pid, async () => void (await extractEach(server, work)))) / PDF_PAGES };
}

async function crawl(server: ApplianceProcess, url: string, depth: number): Promise<number> {
  const headers = { ...JSON_BODY, prefer: 'wait=60' };
  const answer = await server.owner('/v1/crawl', { method: 'POST', headers, body: JSON.stringify({ url, depth }) });
  const { stats } = (await complete(server, answer)) as { stats: { pages: number } };
  return stats.pages;
}

/** A site of its own for each crawl: the same request would be answered with the same job. */
async function openSite(): Promise<{ root: string } & Disposable> {
  const program = join(import.meta.dirname, 'crawl-site.ts');
  const child = spawn(process.execPath, [program, String(CRAWL_PAGES)], { stdio: ['ignore', 'pipe', 'inherit'] });
  const root = await new Promise<string>((done) => child.stdout.once('data', (data) => done(String(data).trim())));
  return { root, [Symbol.dispose]: () => void child.kill() };
}

async function measureCrawl(server: ApplianceProcess): Promise<Figures> {
  using site = await openSite();
  let pages = 0;
  const cpu = await cpuOf(server.pid, async () => {
    pages = await crawl(server, site.root, 3);
  });
  if (pages !== CRAWL_PAGES) throw new Error(`The crawl read ${pages} pages of ${CRAWL_PAGES}.`);
  return { crawl: cpu / pages };
}

async function measureSinglePages(server: ApplianceProcess): Promise<Figures> {
  using site = await openSite();
  const crawlFrom = async (first: number) => {
    for (let n = first; n < first + SINGLE_PAGES; n += 1) await crawl(server, new URL(`${n}.html`, site.root).href, 0);
  };
  await crawlFrom(0);
  return { page: (await cpuOf(server.pid, () => crawlFrom(SINGLE_PAGES))) / SINGLE_PAGES };
}

/** Strangers from this machine may ask as often as they like. */
async function liftLimit(server: ApplianceProcess): Promise<void> {
  const plan = { plan: 'enterprise', requestsPerMinute: 100_000, concurrency: 10 };
  const put = { method: 'PUT', headers: JSON_BODY, body: JSON.stringify(plan) };
  await answered(await server.owner('/admin/accounts/ip:127.0.0.1/plan', put), 200);
}

async function measureUnpaid(server: ApplianceProcess): Promise<Figures> {
  await liftLimit(server);
  await using opened = openAgent(UNPAID_AT_ONCE);
  const ask = async () => {
    const { statusCode, body } = await request(`${server.url}/v1/crawl`, { method: 'POST', dispatcher: opened.agent });
    await body.dump();
    if (statusCode !== 402) throw new Error(`An unpaid request was answered with ${statusCode}.`);
  };
  await inParallel(UNPAID, UNPAID_AT_ONCE, ask);
  return { unpaid: (await cpuOf(server.pid, () => inParallel(UNPAID, UNPAID_AT_ONCE, ask))) / UNPAID };
}

/** The jobs that are bought wait behind others, whose source never answers. Nothing is measured after it. */
async function measurePaid(server: ApplianceProcess): Promise<Figures> {
  await liftLimit(server);
  await using silent = await serveWith(() => {});
  for (let n = 0; n < HELD_JOBS; n += 1) {
    const body = JSON.stringify({ sourceUrl: `${silent.url}/${n}.docx` });
    await answered(await server.owner('/v1/extract/doc', { method: 'POST', headers: AT_ONCE, body }), 202);
  }
  const pay = await signPayments(server.url, 2 * PAID);
  await using opened = openAgent(PAID_AT_ONCE);
  const buy = async (index: number) => {
    const { headers, body: sent } = pay[index] as { headers: Record<string, string>; body: string };
    const options = { method: 'POST', headers, body: sent, dispatcher: opened.agent } as const;
    const { statusCode, body } = await request(`${server.url}/v1/extract/doc`, options);
    const said = await body.text();
    if (statusCode !== 202) throw new Error(`A paid request was answered with ${statusCode}: ${said}`);
  };
  await inParallel(PAID, PAID_AT_ONCE, buy);
  return { paid: (await cpuOf(server.pid, () => inParallel(PAID, PAID_AT_ONCE, (n) => buy(PAID + n)))) / PAID };
}

/** Signed before the measurement. */
async function signPayments(url: string, count: number): Promise<{ headers: Record<string, string>; body: string }[]> {
  const challenge = (await (await fetch(`${url}/v1/extract/doc`, { method: 'POST' })).json()) as PaymentChallenge;
  const entry = challenge.accepts[0] as Entry;
  const wallet = newWallet();
  const gift = { method: 'POST', headers: JSON_BODY, body: JSON.stringify({ address: wallet.address, amount: 1e9 }) };
  await answered(await fetch(`${url}/facilitator/faucet`, gift), 200);
  const now = performance.timeOrigin + performance.now();
  const requests: { headers: Record<string, string>; body: string }[] = [];
  for (let n = 0; n < count; n += 1) {
    const proof = header(await sign(wallet, entry, authorizationFor(entry, wallet.address, now)));
    const file = `data:text/plain;base64,${Buffer.from(`Text ${n}.`).toString('base64')}`;
    requests.push({ headers: { ...AT_ONCE, 'x-payment': proof }, body: JSON.stringify({ file }) });
  }
  return requests;
}

function openAgent(connections: number): { agent: Agent } & AsyncDisposable {
  const agent = new Agent({ connections });
  return { agent, [Symbol.asyncDispose]: () => agent.close() };
}

async function inParallel(count: number, atOnce: number, work: (index: number) => Promise<void>): Promise<void> {
  let next = 0;
  const lane = async () => {
    while (next < count) await work(next++);
  };
  await Promise.all(Array.from({ length: atOnce }, lane));
}
