/** Every paid operation from its challenge to its completion, by somebody who has nothing but a wallet and HTTP. */
import { copyFile, readFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { OPERATIONS } from '../../src-server/features.ts';
import { text, writePdf } from '../documents/pdf-writer.ts';
import type { Appliance } from '../harness/appliance.ts';
import { wordDocument } from '../harness/documents.ts';
import { fileForm, finished } from '../harness/jobs.ts';
import type { LocalSite } from '../harness/local-site.ts';
import { CLIPS, startWithSpeech } from '../harness/speech.ts';
import { postJson, TINY_MODEL, TINY_MODEL_PATH } from '../harness/text-models.ts';
import { serveVideoSite } from '../harness/video-site.ts';
import { decode } from './proofs.ts';

const PUBLIC = '93.184.216.34';
const PAGE =
  '<!doctype html><html lang="en"><title>Harbour</title><main><h1>Harbour</h1><p>It opens at seven.</p></main>';

let appliance: Appliance;
let site: LocalSite;
let clip: Buffer;

// Payers may name public https addresses only; every connection to one ends at a site on loopback.
beforeAll(async () => {
  clip = await readFile(join(CLIPS, '02-fox.wav'));
  site = await serveVideoSite(() => ({
    '/': { type: 'text/html', body: PAGE },
    '/fox.wav': { type: 'audio/wav', body: clip },
  }));
  appliance = await startWithSpeech({
    knownTextServers: [],
    network: {
      resolver: async () => [{ address: PUBLIC, family: 4 }],
      connector: (_target, _addresses, callback) => {
        const socket = connect(Number(new URL(site.url).port), '127.0.0.1');
        socket.once('connect', () => callback(null, socket));
        socket.once('error', (error) => callback(error, null));
      },
    },
  });
  await copyFile(TINY_MODEL_PATH, join(appliance.dataDir, 'models', `${TINY_MODEL}.gguf`));
});
afterAll(async () => {
  await appliance.close();
  await site[Symbol.asyncDispose]();
});

interface Case {
  price: string;
  success: 200 | 202;
  request(): RequestInit;
}

const json = (price: string, body: object, success: 200 | 202 = 202): Case => ({
  price,
  success,
  request: () => postJson(body),
});
const file = (price: string, content: () => Uint8Array, name: string): Case => ({
  price,
  success: 202,
  request: () => ({ method: 'POST', body: fileForm(content(), name) }),
});
// Made once: an archive knows when it was made, and the same request is the same bytes.
const [docx, pdf] = [wordDocument(['A paid document.']), writePdf({ pages: [text(60, 100, ['A paid page.'])] })];

const CASES: Record<string, Case> = {
  crawl: json('300000', { url: 'https://site.example/', depth: 0 }),
  'extract/hosted-video': json('240000', { sourceUrl: 'https://video.example/fox.wav' }),
  'extract/video': file('280000', () => clip, 'fox.wav'),
  'extract/doc': file('140000', () => docx, 'paid.docx'),
  'extract/pdf': file('140000', () => pdf, 'paid.pdf'),
  'generate/audio': json('150000', { prompt: 'Welcome.', voice: 'clara', durationSeconds: 2 }),
  'generate/text': json('10000', { prompt: 'Once upon a time', maxTokens: 4, model: TINY_MODEL }, 200),
  webhooks: json('10000', { url: 'https://hook.example/', events: ['job.completed'], secret: 'a strong secret' }),
  search: json('1000', { query: 'harbour' }, 200),
};

interface Challenge {
  accepts: [{ resource: string; maxAmountRequired: string }];
  error: string | null;
}

const ledger = async () => {
  const answer = await appliance.owner('/admin/payments?limit=200');
  return ((await answer.json()) as { payments: { jobId: string | null }[] }).payments;
};

test('no paid operation is left out here', () => {
  const paid = OPERATIONS.filter(({ price }) => price !== null).map(({ id }) => id);
  expect(Object.keys(CASES).sort()).toEqual(paid.sort());
});

test.each(Object.entries(CASES))('%s: challenge, payment, job completed, one line in the ledger', async (id, one) => {
  const unpaid = await appliance.anonymous(`/v1/${id}`, one.request());
  expect(unpaid.status).toBe(402);
  const { accepts, error } = (await unpaid.json()) as Challenge;
  expect([error, accepts[0]]).toMatchObject([null, { resource: `POST /${id}`, maxAmountRequired: one.price }]);
  const payment = await appliance.anonymous('/facilitator/pay', postJson(accepts[0]));
  const { payload } = (await payment.json()) as { payload: string };
  const send = (path = id, request = one.request()) =>
    appliance.anonymous(`/v1/${path}`, {
      ...request,
      headers: { ...(request.headers as Record<string, string>), 'X-PAYMENT': payload },
    });

  const before = (await ledger()).length;
  const paid = await send();
  expect(paid.status, await paid.clone().text()).toBe(one.success);
  const record = decode(paid.headers.get('x-payment-response'));
  expect(record).toMatchObject({ success: true, network: 'base-sepolia' });
  const { jobId } = (await paid.json()) as { jobId: string };
  const job = await finished(appliance.anonymous, jobId);
  expect(job, JSON.stringify(job.error)).toMatchObject({ status: 'completed', jobType: id });

  const again = await send();
  expect([again.status, ((await again.json()) as { jobId: string }).jobId]).toEqual([one.success, jobId]);
  const elsewhere = id === 'extract/doc' ? 'extract/pdf' : 'extract/doc';
  const other = await send(elsewhere, (CASES[elsewhere] as Case).request());
  expect([other.status, ((await other.json()) as Challenge).error]).toEqual([402, 'duplicate_settlement']);

  const payments = await ledger();
  expect(payments).toHaveLength(before + 1);
  expect(payments.find((line) => line.jobId === jobId)).toMatchObject({
    status: 'settled',
    operationId: id,
    amount: one.price,
    payer: record.payer,
    transaction: record.transaction,
  });
});
