/** Clients that send jobs of every kind to a server that is killed again and again, and note what they are told. */
import { setTimeout as sleep } from 'node:timers/promises';
import { text, writePdf } from '../documents/pdf-writer.ts';
import type { ApplianceProcess } from './appliance-process.ts';
import { wordDocument } from './documents.ts';
import { fileForm } from './jobs.ts';
import { serveWith } from './local-site.ts';
import { postJson } from './text-models.ts';
import { startTextServer } from './text-server.ts';
import { until } from './until.ts';

const CLIENTS = 6;
const RETRY_MS = 50;
const PARAGRAPHS_MAX = 40;

export interface MixedWork extends AsyncDisposable {
  /** Every job that an answer named, and what was said of it. */
  accepted: Map<string, { status: string; updatedAt: string | undefined }>;
  /** Proofs of payment that were spent, and the job that each was answered with. */
  proofs: Map<string, string>;
  /** Answers that were no acceptance. */
  refused: string[];
  /** Lets clients send jobs until so many were sent since the beginning. */
  allow(jobs: number): void;
  /** Resolves when so many jobs as there are were accepted, however often each had to be sent. */
  sent: Promise<void>;
}

interface Sender {
  server: ApplianceProcess;
  siteUrl: string;
  work: Pick<MixedWork, 'proofs'>;
  random: () => number;
}

type Send = (sender: Sender, n: number) => Promise<Response>;

const paragraphs = (n: number, random: () => number) =>
  Array.from({ length: 1 + Math.floor(random() * PARAGRAPHS_MAX) }, (_, line) => `Paragraph ${line} of document ${n}.`);

const document =
  (base: string): Send =>
  ({ server, random }, n) => {
    const headers = { prefer: random() < 0.5 ? 'wait=0' : 'wait=5' };
    const body = fileForm(wordDocument(paragraphs(n, random)), `${n}.docx`);
    return server.owner(`${base}/extract/doc`, { method: 'POST', body, headers });
  };

const pdf: Send = ({ server, random }, n) => {
  const pages = paragraphs(n, random).map((line) => text(60, 100, [line]));
  return server.owner('/v1/extract/pdf', { method: 'POST', body: fileForm(writePdf({ pages }), `${n}.pdf`) });
};

const crawl: Send = ({ server, siteUrl }, n) =>
  server.owner('/v1/crawl', postJson({ url: `${siteUrl}/${n}/`, depth: 1 }));

const audio: Send = ({ server }, n) =>
  server.owner('/v1/generate/audio', postJson({ prompt: `This is recording number ${n}. It is short.` }));

const answer: Send = ({ server }, n) => server.owner('/v1/generate/text', postJson({ prompt: `Say ${n} again.` }));

/** One proof is sent with one request until that is answered: it buys one job, however many answers are lost. */
const paid: Send = async ({ server, work }, n) => {
  const anonymous = (path: string, init: RequestInit) => fetch(server.url + path, init);
  const file = `data:text/plain;base64,${Buffer.from(`This is the paid text ${n}.`).toString('base64')}`;
  const challenge = await persist(() => anonymous('/v1/extract/doc', postJson({ file })));
  const [entry] = ((await challenge.json()) as { accepts: object[] }).accepts;
  const signed = await persist(() => anonymous('/facilitator/pay', postJson(entry)));
  const { payload } = (await signed.json()) as { payload: string };
  const headers = { 'content-type': 'application/json', 'X-PAYMENT': payload, prefer: 'wait=0' };
  const accepted = await persist(() => anonymous('/v1/extract/doc', { ...postJson({ file }), headers }));
  const told = (await accepted.clone().json()) as { jobId?: string };
  work.proofs.set(payload, told.jobId ?? `none: ${accepted.status}`);
  return accepted;
};

const KINDS: readonly Send[] = [document('/v1'), paid, pdf, crawl, document('/staging/v1'), audio, paid, answer];

/** @param jobs how many are sent in all; the clients begin once they are allowed to */
export async function startMixedWork(server: ApplianceProcess, jobs: number, random: () => number): Promise<MixedWork> {
  const [site, texts] = await Promise.all([serveSite(), startTextServer()]);
  const settings = { textServerUrl: texts.url, crawlDelayMs: 0 };
  await server.owner('/admin/settings', { ...postJson(settings), method: 'PATCH' });
  const work: Pick<MixedWork, 'accepted' | 'proofs' | 'refused'> = {
    accepted: new Map(),
    proofs: new Map(),
    refused: [],
  };
  const sender = { server, siteUrl: site.url, work, random };
  let [next, allowed] = [0, 0];
  const client = async () => {
    while (next < jobs) {
      const n = next;
      next += 1;
      await until(() => n < allowed);
      const kind = KINDS[n % KINDS.length] as Send;
      await note(work, await persist(() => kind(sender, n)));
    }
  };
  return {
    ...work,
    allow: (count) => {
      allowed = count;
    },
    sent: Promise.all(Array.from({ length: CLIENTS }, client)).then(() => undefined),
    [Symbol.asyncDispose]: async () => {
      await site[Symbol.asyncDispose]();
      await texts[Symbol.asyncDispose]();
    },
  };
}

async function note(work: Pick<MixedWork, 'accepted' | 'refused'>, response: Response): Promise<void> {
  const told = (await response.json()) as { jobId?: string; status?: string; updatedAt?: string };
  if (!response.ok || told.jobId === undefined) work.refused.push(`${response.status} ${JSON.stringify(told)}`);
  // A text's answer is its result: its job has ended.
  else work.accepted.set(told.jobId, { status: told.status ?? 'completed', updatedAt: told.updatedAt });
}

/** Sends again for as long as the connection breaks; the answer is there as a whole. */
async function persist(send: () => Promise<Response>): Promise<Response> {
  for (;;) {
    try {
      const response = await send();
      const body = await response.text();
      return new Response(body, { status: response.status, headers: response.headers });
    } catch (error) {
      if (!(error instanceof TypeError)) throw error;
      await sleep(RETRY_MS);
    }
  }
}

/** Each folder is a site of two pages. */
function serveSite() {
  return serveWith((request, response) => {
    const path = request.url ?? '';
    if (path === '/robots.txt') {
      response.writeHead(404).end();
      return;
    }
    const link = path.endsWith('/') ? `<a href="${path}next">Next</a>` : '';
    response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' });
    response.end(`<!doctype html><title>Page ${path}</title><main><p>This is the page ${path}.</p>${link}</main>`);
  });
}
