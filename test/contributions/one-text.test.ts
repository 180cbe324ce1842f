/** A correction is in every file of its job, once; everything else stays, and taking it back restores all bytes. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ModeratedContribution } from '../../src-server/features/contributions/schema.ts';
import type { Job } from '../../src-server/features/jobs/schema.ts';
import type { Chunk } from '../../src-server/operation.ts';
import { text, writePdf } from '../documents/pdf-writer.ts';
import { type Appliance, startAppliance } from '../harness/appliance.ts';
import { fileForm, finished } from '../harness/jobs.ts';
import { serveFiles } from '../harness/local-site.ts';
import { postJson } from '../harness/text-models.ts';
import { until } from '../harness/until.ts';

let appliance: Appliance;
beforeAll(async () => {
  appliance = await startAppliance();
});
afterAll(() => appliance.close());

type ChunkedJob = Job & { result: Record<string, unknown> & { chunks: Chunk[]; warnings: string[] } };

interface Seen {
  job: ChunkedJob;
  /** Text of each served file, by name. */
  files: Record<string, string>;
}

async function see(jobId: string): Promise<Seen> {
  const job = (await (await appliance.owner(`/v1/jobs/${jobId}`)).json()) as ChunkedJob;
  const names = new Set(JSON.stringify(job.result).match(new RegExp(`(?<=${jobId}/files/)[\\w.-]+`, 'g')) ?? []);
  const files: Record<string, string> = {};
  const isDocument = names.has('document.txt');
  for (const name of [...names, 'chunks.jsonl', ...(isDocument ? ['document.json'] : [])].sort()) {
    const answer = await appliance.owner(`/v1/jobs/${jobId}/files/${name}`);
    expect(answer.status, name).toBe(200);
    files[name] = await answer.text();
  }
  return { job, files };
}

async function read(content: Uint8Array | string, name: string, fields: Record<string, string> = {}): Promise<string> {
  const path = name.endsWith('.pdf') ? '/v1/extract/pdf' : '/v1/extract/doc';
  const answer = await appliance.owner(path, { method: 'POST', body: fileForm(content, name, fields) });
  const job = await finished(appliance.owner, ((await answer.json()) as Job).jobId);
  expect(job.status).toBe('completed');
  return job.jobId;
}

function decide(id: string, how: 'approve' | 'reject', body: object = {}) {
  return appliance.owner(`/admin/contributions/${id}/${how}`, postJson(body));
}

async function correct(jobId: string, chunk: Chunk, text: string): Promise<ModeratedContribution> {
  const body = postJson({ kind: 'correction', jobId, chunkId: chunk.id, text });
  let id = '';
  await until(async () => {
    const answer = await appliance.owner('/v1/contributions', body);
    id = ((await answer.json()) as { contributionId: string }).contributionId;
    return answer.status === 202;
  });
  const answer = await decide(id, 'approve');
  expect(answer.status).toBe(200);
  return (await answer.json()) as ModeratedContribution;
}

function timesIn(text: string, words: string): number {
  return text.split(words).length - 1;
}

/** Replaces one place of a file's text, for the files that have nothing else of it. */
function withOne(text: string, place: number, from: string, to: string): string {
  let at = -1;
  for (let number = 0; number <= place; number += 1) at = text.indexOf(from, at + 1);
  return at < 0 ? text : text.slice(0, at) + to + text.slice(at + from.length);
}

const PLAIN_FILES = ['document.txt', 'document.md', 'document.json', 'docling.json'];

const REPEATED = 'The keeper counted ninety lamps.';

const PAGE = `<html><head><title>Lamps</title></head><body><h1>Lamps of the coast</h1>
<p>${REPEATED} It was <b>late</b> and the <a href="https://harbour.example/tide">tide tables</a> were wet.</p>
<h2>Second watch</h2><p>${REPEATED}</p><ul><li>Oil from Bergen</li><li>Wicks &amp; glass</li></ul>
<table><tr><th>Port</th><th>Lamps</th></tr><tr><td>Vardo</td><td>seventeen</td></tr><tr><td>Mandal</td><td>four</td></tr></table>
<h2>Third watch</h2><p>${REPEATED}</p></body></html>`;

describe('of a document', () => {
  test('of a text that occurs three times, the place of the chunk changes in every file', async () => {
    const jobId = await read(PAGE, 'lamps.html', { options: JSON.stringify({ segmentLength: 60 }) });
    const before = await see(jobId);
    const places = before.job.result.chunks.filter(({ text }) => text.includes('ninety'));
    expect(places).toHaveLength(3);
    const [, second] = places as [Chunk, Chunk, Chunk];
    const text = second.text.replace('ninety', 'ninety-one');
    const { correction } = await correct(jobId, second, text);
    expect(correction).toEqual({ isWritten: true, notCorrected: [] });
    const after = await see(jobId);
    for (const name of PLAIN_FILES) {
      const isTwice = name === 'docling.json';
      const once = withOne(before.files[name] ?? '', isTwice ? 2 : 1, 'ninety', 'ninety-one');
      // Docling items have their text twice.
      expect(after.files[name], name).toBe(isTwice ? withOne(once, 3, 'ninety', 'ninety-one') : once);
    }
    for (const { id, text: said, startOffset, endOffset } of after.job.result.chunks) {
      const former = before.job.result.chunks.find((chunk) => chunk.id === id);
      expect(said).toBe(id === second.id ? text : former?.text);
      expect(after.files['document.txt']?.slice(startOffset, endOffset)).toBe(said);
    }
    const lines = after.files['chunks.jsonl']?.trim().split('\n');
    expect(lines?.map((line) => JSON.parse(line) as Chunk)).toEqual(after.job.result.chunks);
    expect(after.job.result.chunks.find(({ id }) => id === second.id)).toMatchObject({ originalText: second.text });
    const answer = await appliance.owner(`/v1/jobs/${jobId}/chunks`, postJson({ segmentLength: 400 }));
    const { chunks } = (await answer.json()) as { chunks: Chunk[] };
    expect(timesIn(chunks.map((chunk) => chunk.text).join('\n'), 'ninety-one')).toBe(1);
  });

  test.each([
    ['a word of a heading', 'Second watch', 'Second shift'],
    ['a link', 'tide tables', 'tide charts'],
    ['a list item', 'Oil from Bergen', 'Oil from Båtsfjord 🛢'],
    ['a cell', 'seventeen', 'eighteen | or 19'],
    ['a sign that Markdown marks', 'Wicks & glass', 'Wicks * glass'],
    ['a long text', 'were wet', `were ${'very '.repeat(20_000)}wet`],
  ])('%s', async (_name, from, to) => {
    const jobId = await read(PAGE, 'lamps.html');
    const before = await see(jobId);
    const chunk = before.job.result.chunks.find(({ text }) => text.includes(from)) as Chunk;
    const sent = await correct(jobId, chunk, chunk.text.replace(from, to));
    expect(sent.correction).toEqual({ isWritten: true, notCorrected: [] });
    const after = await see(jobId);
    expect(after.files['document.txt']).toBe(before.files['document.txt']?.replace(from, to));
    const lines = (text = '') => text.split('\n').filter((line) => !line.includes(to.replace(' | ', ' \\| ')));
    const others = before.files['document.md']?.split('\n').filter((line) => !line.includes(from));
    expect(lines(after.files['document.md'])).toEqual(others);
    for (const name of ['document.json', 'docling.json']) {
      expect(after.files[name], name).not.toContain(`"${from}"`);
      expect(after.files[name], name).toContain(JSON.stringify(to).slice(1, -1));
    }
    const back = await decide(sent.contributionId, 'reject', { reason: 'It was right.' });
    expect(back.status).toBe(200);
    expect(await see(jobId)).toEqual({ ...before, job: { ...before.job, updatedAt: expect.any(String) } });
  });

  test('several chunks, a deletion, and taking back one of them', async () => {
    const jobId = await read(PAGE, 'lamps.html', { options: JSON.stringify({ segmentLength: 50 }) });
    const before = await see(jobId);
    const chunkWith = (words: string) => before.job.result.chunks.find(({ text }) => text.includes(words)) as Chunk;
    await correct(jobId, chunkWith('Mandal'), chunkWith('Mandal').text.replace('four', 'five'));
    const third = before.job.result.chunks.findLast(({ text }) => text.includes('ninety')) as Chunk;
    const deleted = await correct(jobId, third, '');
    expect(deleted.correction).toEqual({ isWritten: true, notCorrected: [] });
    const after = await see(jobId);
    expect(timesIn(after.files['document.txt'] ?? '', 'ninety')).toBe(2);
    for (const name of PLAIN_FILES) expect(after.files[name], name).toContain('five');
    for (const { text, startOffset, endOffset } of after.job.result.chunks) {
      const slice = after.files['document.txt']?.slice(startOffset, endOffset) ?? '';
      expect(text.endsWith(slice), text).toBe(true);
    }
    await decide(deleted.contributionId, 'reject', { reason: 'It was right.' });
    const again = await see(jobId);
    const [text] = [before.files['document.txt']?.replace('| four', '| five')];
    expect(again.files['document.txt']).toBe(text);
  });

  test('a PDF', async () => {
    const page = text(60, 80, ['Harbour lamps', REPEATED, 'They burn oil of the best kind.']);
    const jobId = await read(writePdf({ pages: [page, page] }), 'lamps.pdf');
    const before = await see(jobId);
    const last = before.job.result.chunks.findLast((chunk) => chunk.text.includes('best')) as Chunk;
    const at = last.text.lastIndexOf('best');
    const said = `${last.text.slice(0, at)}worst${last.text.slice(at + 'best'.length)}`;
    const { correction, contributionId } = await correct(jobId, last, said);
    expect(correction).toEqual({ isWritten: true, notCorrected: [] });
    const after = await see(jobId);
    for (const name of ['document.txt', 'document.md', 'document.json']) {
      const text = before.files[name] ?? '';
      const last = timesIn(text, 'best') - 1;
      expect(after.files[name], name).toBe(withOne(text, last, 'best', 'worst'));
    }
    expect(timesIn(after.files['docling.json'] ?? '', 'worst')).toBe(2);
    await decide(contributionId, 'reject', { reason: 'It was right.' });
    expect((await see(jobId)).files).toEqual(before.files);
  });
});

describe('of a crawl', () => {
  const page = (title: string, body: string) =>
    `<html><head><title>${title}</title></head><body><main>${body}</main></body></html>`;
  const TABLE = `<table><tr><th>Port of call</th><th>Lamps</th></tr>${Array.from(
    { length: 60 },
    (_, n) => `<tr><td>Harbour ${n} of the northern coast</td><td>${n} lamps | oil</td></tr>`,
  ).join('')}</table>`;

  test('the page, its Markdown, the chunks and the result change in one place', async () => {
    await using site = await serveFiles({
      '/': page(
        'Lamps',
        `<h1>Lamps</h1><p>${REPEATED} See <b>the tide tables</b> of <a href="/two">the office</a> here.</p>` +
          `<h2>Second watch</h2><p>${REPEATED}</p>${TABLE}<ul><li>Wicks &amp; glass</li><li>Oil</li></ul>`,
      ),
      '/two': page(
        'Office',
        `<h1>The office</h1><p>${REPEATED} It opens at nine every day of the week but Sunday.</p>`,
      ),
    });
    const body = postJson({ url: `${site.url}/`, depth: 1 });
    const { crawlId: jobId } = (await (await appliance.owner('/v1/crawl', body)).json()) as { crawlId: string };
    expect((await finished(appliance.owner, jobId)).status).toBe('completed');
    const before = await see(jobId);
    const { chunks } = before.job.result;
    const change = async (from: string, to: string, where: (chunk: Chunk) => boolean) => {
      const chunk = chunks.find((one) => where(one) && one.text.includes(from)) as Chunk;
      const { correction, contributionId } = await correct(
        jobId,
        chunk,
        withOne(chunk.text, timesIn(chunk.text, from) - 1, from, to),
      );
      expect(correction).toEqual({ isWritten: true, notCorrected: [] });
      const after = await see(jobId);
      const [now, then] = [after, before].map(({ files }) => {
        const lines = files['pages.jsonl']?.trim().split('\n') ?? [];
        return lines.map((line) => JSON.parse(line) as { url: string; text: string; markdown: string });
      });
      const changed = now?.filter(({ text, markdown }, index) => {
        const old = then?.[index];
        return old?.text !== text || old.markdown !== markdown;
      });
      expect(changed?.map(({ url }) => url)).toEqual([chunk.url]);
      const old = then?.find(({ url }) => url === chunk.url);
      const rejected = () => decide(contributionId, 'reject', { reason: 'It was right.' });
      return { old, page: changed?.[0], chunk, after, rejected };
    };
    const second = await change('ninety', 'ninety-one', ({ text }) => text.includes('Second watch'));
    expect(second.page?.text).toBe(withOne(second.old?.text ?? '', 1, 'ninety', 'ninety-one'));
    expect(second.page?.markdown).toBe(withOne(second.old?.markdown ?? '', 1, 'ninety', 'ninety-one'));
    const shown = second.after.job.result.chunks.filter(({ text }) => text.includes('ninety-one'));
    expect(shown).toMatchObject([{ id: second.chunk.id, originalText: second.chunk.text }]);
    await second.rejected();
    expect((await see(jobId)).files).toEqual(before.files);
    expect((await see(jobId)).job.result).toEqual(before.job.result);

    const link = await change('the tide tables of the office', 'a tide chart of an office', () => true);
    expect(link.page?.markdown).toContain('See **a tide chart** of [an office](http');
    await link.rejected();

    const row = await change('40 lamps', '41 * lamps', () => true);
    expect(row.page?.text).toBe(row.old?.text.replace('40 lamps', '41 * lamps'));
    expect(row.page?.markdown).toBe(row.old?.markdown.replace('40 lamps', '41 \\* lamps'));
    await row.rejected();

    const head = await change('Port of call', 'Port', ({ text }) => text.includes('Harbour 59'));
    expect(head.page?.text).toBe(head.old?.text.replace('Port of call', 'Port'));
    const parts = head.after.job.result.chunks.filter(({ kind }) => kind === 'table');
    expect(parts.length).toBeGreaterThan(1);
    for (const part of parts) expect(part.text.startsWith('| Port | Lamps |')).toBe(true);
    await head.rejected();
    expect(await see(jobId)).toEqual({ ...before, job: { ...before.job, updatedAt: expect.any(String) } });
  });
});
