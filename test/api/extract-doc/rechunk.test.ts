import { readFile } from 'node:fs/promises';
import { zipSync } from 'fflate';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Job } from '../../../src-server/features/jobs/schema.ts';
import type { Chunk } from '../../../src-server/operation.ts';
import { type Appliance, startAppliance } from '../../harness/appliance.ts';
import { wordDocument } from '../../harness/documents.ts';
import { fileForm, finished } from '../../harness/jobs.ts';

let appliance: Appliance;
beforeAll(async () => {
  appliance = await startAppliance();
});
afterAll(() => appliance.close());

const SENTENCES = Array.from({ length: 30 }, (_, n) => `Sentence number ${n} stands in a paragraph of its own.`);

async function extracted(segmentLength: number): Promise<{ jobId: string; chunks: Chunk[] }> {
  const body = fileForm(wordDocument(SENTENCES), 'a.docx', { options: JSON.stringify({ segmentLength }) });
  const accepted = (await (await appliance.owner('/v1/extract/doc', { method: 'POST', body })).json()) as Job;
  const job = await finished(appliance.owner, accepted.jobId);
  return { jobId: job.jobId, chunks: job.result?.chunks as Chunk[] };
}

const rechunk = (jobId: string, body: unknown) =>
  appliance.anonymous(`/v1/jobs/${jobId}/chunks`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });

test('a document is cut anew, free and without its source, into exactly what extraction would give', async () => {
  const long = await extracted(2000);
  const short = await extracted(150);
  const answer = await rechunk(long.jobId, { segmentLength: 150 });
  expect(answer.status).toBe(200);
  const { chunks } = (await answer.json()) as { chunks: Chunk[] };
  expect(chunks.length).toBeGreaterThan(long.chunks.length);
  expect(chunks.map(({ text, startOffset, endOffset }) => ({ text, startOffset, endOffset }))).toEqual(
    short.chunks.map(({ text, startOffset, endOffset }) => ({ text, startOffset, endOffset })),
  );
});

test('a wrong length is refused by field, and an unknown job with 404', async () => {
  const { jobId } = await extracted(1000);
  const refused = await rechunk(jobId, { segmentLength: 1 });
  expect(refused.status).toBe(400);
  expect(await refused.json()).toMatchObject({ errors: [{ path: 'segmentLength' }] });
  expect((await rechunk('job_unknown', {})).status).toBe(404);
});

test('an archive is read file by file, and cut again the same', async () => {
  const heic = await readFile(new URL('../../fixtures/documents/images/harbour.heic', import.meta.url));
  const clip = new Uint8Array(Buffer.from('\0\0\0\x20ftypisom'.padEnd(600, '\0'), 'latin1'));
  const files = { 'a/report.docx': wordDocument(['One thing.']), 'photo.heic': new Uint8Array(heic), 'clip.mp4': clip };
  const body = fileForm(zipSync(files), 'batch.zip');
  const accepted = (await (await appliance.owner('/v1/extract/doc', { method: 'POST', body })).json()) as Job;
  const job = await finished(appliance.owner, accepted.jobId);
  const result = job.result as { chunks: Chunk[]; warnings: string[] };
  expect(job).toMatchObject({ jobType: 'extract/doc', status: 'completed' });
  expect(result.chunks.map(({ heading, text }) => [heading, text])).toEqual([
    ['a/report.docx', 'a/report.docx\n\nOne thing.'],
    ['photo.heic', expect.stringContaining('The harbour was quiet in the morning')],
  ]);
  expect(result.warnings).toEqual(['clip.mp4: It is an MP4 video and was not read.']);
  const again = (await (await rechunk(job.jobId, { segmentLength: 1000 })).json()) as { chunks: Chunk[] };
  expect(again.chunks).toEqual(result.chunks);
});
