import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Job } from '../../../src-server/features/jobs/schema.ts';
import { type Appliance, startAppliance } from '../../harness/appliance.ts';
import { wordDocument } from '../../harness/documents.ts';
import { fileForm, finished } from '../../harness/jobs.ts';
import { serveFiles } from '../../harness/local-site.ts';

let appliance: Appliance;
beforeAll(async () => {
  appliance = await startAppliance();
});
afterAll(() => appliance.close());

const PARAGRAPHS = ['The first paragraph says one thing.', 'The second paragraph says another.'];
/** Waits as long as it takes: what a small document's 202 carries is one guarantee, how fast it comes another. */
const post = (body: FormData | string, headers: Record<string, string> = {}) =>
  appliance.owner('/v1/extract/doc', { method: 'POST', body, headers: { prefer: 'wait=60', ...headers } });

interface DocumentJob extends Job {
  result: {
    chunks: { text: string; page: number; segmentIndex: number }[];
    files: { name: string; url: string }[];
  } | null;
}

describe('POST /extract/doc', () => {
  test('answers a small Word document with its chunks in the 202', async () => {
    const answer = await post(fileForm(wordDocument(PARAGRAPHS), 'report.docx', { sourceName: 'My report' }));
    expect(answer.status).toBe(202);
    const job = (await answer.json()) as DocumentJob;
    expect(job).toMatchObject({ jobType: 'extract/doc', status: 'completed', sourceName: 'My report' });
    expect(job.jobId).toMatch(/^job_/);
    expect(job.statusUrl).toBe(`${appliance.baseUrl}/jobs/${job.jobId}`);
    expect(answer.headers.get('location')).toBe(job.statusUrl);
    expect(job.result?.chunks.map((chunk) => chunk.text).join('\n')).toContain('The first paragraph says one thing.');
    expect(job.result?.chunks[0]).toMatchObject({ page: 1, segmentIndex: 0 });
  });

  test('gives the same object by GET, so that polling and acceptance cannot disagree', async () => {
    const accepted = (await (await post(fileForm(wordDocument(PARAGRAPHS), 'a.docx'))).json()) as DocumentJob;
    const read = await appliance.anonymous(`/v1/jobs/${accepted.jobId}`);
    expect(read.status).toBe(200);
    expect(await read.json()).toEqual(accepted);
  });

  test('takes the same document as a data URI in JSON', async () => {
    const file = `data:application/octet-stream;base64,${Buffer.from(wordDocument(PARAGRAPHS)).toString('base64')}`;
    const answer = await post(JSON.stringify({ file, options: { segmentLength: 100 } }), {
      'content-type': 'application/json',
    });
    const job = (await answer.json()) as DocumentJob;
    expect(job.status).toBe('completed');
    expect(job.result?.chunks.length).toBeGreaterThan(0);
  });

  test('fetches a sourceUrl of the owner, also from this machine', async () => {
    await using site = await serveFiles({ '/report.docx': wordDocument(PARAGRAPHS) });
    const answer = await post(JSON.stringify({ sourceUrl: `${site.url}/report.docx` }), {
      'content-type': 'application/json',
    });
    expect(answer.headers.get('preference-applied')).toBe('wait=60');
    const job = (await answer.json()) as DocumentJob;
    expect(job.status).toBe('completed');
    expect(job.result?.chunks[0]?.text).toContain('The first paragraph');
  });

  test.each([
    ['no longer than a minute', 'wait=61', 'wait=60'],
    ['no longer than a minute, however many digits it has', 'wait=9999999999', 'wait=60'],
    ['as the first of two says', 'respond-async, Wait = "50"; x=1, wait=1', 'wait=50'],
    ['not, where the first of two makes no sense', 'wait=soon, wait=50', null],
    ['not for what another preference quotes', 'note="a, wait=50"', null],
    ['not for less than nothing', 'wait=-1', null],
  ])('waits %s: Prefer: %s', async (_how, prefer, applied) => {
    const answer = await post(fileForm(wordDocument(PARAGRAPHS), 'a.docx'), { prefer });
    expect([answer.status, answer.headers.get('preference-applied')]).toEqual([202, applied]);
  });

  test('judges a source by its bytes: a Word document called .txt is read as one', async () => {
    const job = (await (await post(fileForm(wordDocument(PARAGRAPHS), 'notes.txt'))).json()) as DocumentJob;
    expect(job.result?.chunks[0]?.text).toContain('The first paragraph');
  });

  test('cuts by segmentLength, whichever way the option is sent', async () => {
    const text = wordDocument(
      Array.from({ length: 40 }, (_, n) => `Sentence number ${n} stands in a paragraph of its own.`),
    );
    const counts: number[] = [];
    for (const fields of [{ options: '{"segmentLength":100}' }, { 'options.segmentLength': '100' }]) {
      const job = (await (
        await post(fileForm(text, 'a.docx', fields as Record<string, string>))
      ).json()) as DocumentJob;
      counts.push(job.result?.chunks.length ?? 0);
    }
    const [asJson, dotted] = counts;
    expect(asJson).toBeGreaterThan(10);
    expect(dotted).toBe(asJson);
  });

  test('serves the result files with type, ETag and ranges', async () => {
    const accepted = (await (await post(fileForm(wordDocument(PARAGRAPHS), 'a.docx'))).json()) as DocumentJob;
    const job = (await finished(appliance.owner, accepted.jobId)) as DocumentJob;
    const url = job.result?.files.find(({ name }) => name === 'document.txt')?.url ?? '';
    const whole = await fetch(url);
    expect(whole.headers.get('content-type')).toBe('text/plain; charset=utf-8');
    const text = await whole.text();
    expect(text).toContain('The second paragraph says another.');
    const part = await fetch(url, { headers: { range: 'bytes=4-8' } });
    expect(part.status).toBe(206);
    expect(part.headers.get('content-range')).toBe(`bytes 4-8/${Buffer.byteLength(text)}`);
    expect(await part.text()).toBe(text.slice(4, 9));
    const known = await fetch(url, { headers: { 'if-none-match': whole.headers.get('etag') ?? '' } });
    expect(known.status).toBe(304);
    const beyond = await fetch(url, { headers: { range: 'bytes=99999-' } });
    expect(beyond.status).toBe(416);
    // What is sent is a problem: nobody is to keep it under the name of the file.
    expect(beyond.headers.get('content-disposition')).toBeNull();
    expect((await fetch(`${url}x`)).status).toBe(404);
  });
});
