import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Job } from '../../../src-server/features/jobs/schema.ts';
import { encryptPdf, scanPdf, text, writePdf } from '../../documents/pdf-writer.ts';
import { type Appliance, startAppliance } from '../../harness/appliance.ts';
import { wordDocument } from '../../harness/documents.ts';
import { fileForm } from '../../harness/jobs.ts';

let appliance: Appliance;
beforeAll(async () => {
  appliance = await startAppliance();
});
afterAll(() => appliance.close());

interface PdfJob extends Job {
  result: {
    chunks: { text: string; page: number; segmentIndex: number }[];
    document: { format: string; pages: number; ocr?: { pages: number[]; language: string } };
    files: { name: string; url: string }[];
  } | null;
}

const SENTENCES = ['The first page says one thing.', 'The second page says another.'];
const pdf = writePdf({ pages: SENTENCES.map((sentence) => text(60, 100, [sentence])) });
const post = (path: string, file: Uint8Array, name: string, fields: Record<string, string> = {}) =>
  appliance.owner(path, { method: 'POST', body: fileForm(file, name, fields), headers: { prefer: 'wait=60' } });
const postPdf = async (file: Buffer, path = '/v1/extract/pdf') => {
  const answer = await post(path, file, 'report.pdf');
  expect(answer.status).toBe(202);
  return (await answer.json()) as PdfJob;
};

describe('POST /extract/pdf', () => {
  test('gives the text in chunks that begin on their true pages', async () => {
    const job = await postPdf(pdf);
    expect(job).toMatchObject({ jobType: 'extract/pdf', status: 'completed' });
    expect(job.result?.document).toMatchObject({ format: 'pdf', pages: 2 });
    expect(job.result?.chunks.map((chunk) => chunk.text).join('\n\n')).toBe(SENTENCES.join('\n\n'));
    expect(job.result?.chunks[0]).toMatchObject({ page: 1, segmentIndex: 0 });
  });

  test('is where a PDF goes that is sent to /extract/doc', async () => {
    expect(await postPdf(pdf, '/v1/extract/doc')).toMatchObject({ jobType: 'extract/pdf', status: 'completed' });
  });

  test('reads a scan from its picture and serves what was recognised', async () => {
    const job = await postPdf(scanPdf(writePdf({ pages: [text(60, 100, ['The harbour was quiet today.'], 14)] })));
    expect(job.result?.document.ocr).toMatchObject({ pages: [1], language: 'eng' });
    expect(job.result?.chunks[0]?.text).toBe('The harbour was quiet today.');
    const file = job.result?.files.find(({ name }) => name === 'ocr.jsonl');
    const served = await appliance.anonymous(new URL(file?.url ?? '').pathname);
    expect(JSON.parse((await served.text()).trim())).toMatchObject({ number: 1, text: 'The harbour was quiet today.' });
  });

  test('fails a file under a password with what to do about it', async () => {
    const job = await postPdf(encryptPdf(pdf, { user: 'secret', owner: 'boss' }));
    expect(job).toMatchObject({ status: 'failed', error: { code: 'encrypted_input', retryable: false } });
    expect(job.error?.message).toContain('password');
  });

  test('refuses what is no PDF before a job is made', async () => {
    const answer = await post('/v1/extract/pdf', wordDocument(['Words.']), 'report.pdf');
    expect(answer.status).toBeGreaterThanOrEqual(400);
    expect(answer.status).toBeLessThan(500);
  });
});

test('the owner sees the models of the catalogue', async () => {
  const answer = await appliance.owner('/admin/models');
  const { models } = (await answer.json()) as { models: { name: string; installed: boolean }[] };
  expect(models.find((model) => model.name === 'ocr-deu')).toMatchObject({ installed: false });
});
