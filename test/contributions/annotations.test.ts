/** An annotation is in every form of a result that has a place for it, and changes no text; taking it back restores all. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Contribution, ModeratedContribution } from '../../src-server/features/contributions/schema.ts';
import type { Job } from '../../src-server/features/jobs/schema.ts';
import type { Annotation, Chunk } from '../../src-server/operation.ts';
import { type Appliance, startAppliance } from '../harness/appliance.ts';
import { fileForm, finished } from '../harness/jobs.ts';
import { serveFiles, serveWith } from '../harness/local-site.ts';
import { postJson } from '../harness/text-models.ts';
import { until } from '../harness/until.ts';

let appliance: Appliance;
beforeAll(async () => {
  appliance = await startAppliance();
});
afterAll(() => appliance.close());

type Annotated = Job & { result: Record<string, unknown> & { chunks: Chunk[]; annotations?: Annotation[] } };

async function see(jobId: string): Promise<{ job: Annotated; files: Record<string, string> }> {
  const job = (await (await appliance.owner(`/v1/jobs/${jobId}`)).json()) as Annotated;
  const names = new Set(JSON.stringify(job.result).match(new RegExp(`(?<=${jobId}/files/)[\\w.-]+`, 'g')) ?? []);
  if (names.has('document.txt')) names.add('document.json');
  const read = async (name: string) => (await appliance.owner(`/v1/jobs/${jobId}/files/${name}`)).text();
  const files = await Promise.all([...names].sort().map(async (name) => [name, await read(name)] as const));
  return { job, files: Object.fromEntries(files) };
}

async function read(content: string, options = {}): Promise<string> {
  const body = fileForm(content, 'lamps.html', { options: JSON.stringify(options) });
  const answer = await appliance.owner('/v1/extract/doc', { method: 'POST', body });
  const { jobId } = (await answer.json()) as Job;
  expect((await finished(appliance.owner, jobId)).status).toBe('completed');
  return jobId;
}

/** Sends it again while the chunks are not indexed. */
async function contribute(body: object): Promise<Contribution> {
  let sent: Contribution | undefined;
  await until(async () => {
    const answer = await appliance.owner('/v1/contributions', postJson(body));
    sent = (await answer.json()) as Contribution;
    return answer.status !== 503;
  });
  return sent as Contribution;
}

async function decide(id: string, how: 'approve' | 'reject'): Promise<ModeratedContribution> {
  const body = postJson(how === 'reject' ? { reason: 'No.' } : {});
  const answer = await appliance.owner(`/admin/contributions/${id}/${how}`, body);
  expect(answer.status).toBe(200);
  return (await answer.json()) as ModeratedContribution;
}

const PAGE = `<h1>Lamps</h1><p>The keeper counted ninety lamps.</p><h2>Watch</h2><p>The keeper counted ninety lamps.</p>
<ul><li>Oil from Bergen</li></ul><table><tr><th>Port</th><th>Lamps</th></tr><tr><td>Vardo</td><td>seven</td></tr></table>`;

const REMARK = 'Quokkas *were*\n\nnot counted --> yet | <b>';

test('of a document: each file has it with its place, plain texts stay, and all bytes come back', async () => {
  const jobId = await read(PAGE, { segmentLength: 50 });
  const before = await see(jobId);
  const chunk = before.job.result.chunks.findLast(({ text }) => text.includes('ninety')) as Chunk;
  const start = chunk.text.indexOf('ninety');
  // Cut words are widened.
  const about = { jobId, chunkId: chunk.id, quote: 'inety lam', quoteStart: start + 1 };
  const sent = await contribute({ kind: 'annotation', text: REMARK, author: 'A. Pilot', ...about });
  expect(sent).toMatchObject({ status: 'pending', quote: 'ninety lamps', quoteStart: start });
  expect(await see(jobId)).toEqual(before);
  const { correction } = await decide(sent.contributionId, 'approve');
  expect(correction).toMatchObject({ isWritten: true, notCorrected: [{ name: 'document.txt' }] });

  const after = await see(jobId);
  const annotation = {
    ...{ annotationId: sent.contributionId, kind: 'annotation', text: REMARK, author: 'A. Pilot', chunkId: chunk.id },
    ...{ quote: 'ninety lamps', start, end: start + 'ninety lamps'.length, page: 1, url: null, license: null },
  };
  expect(after.job.result.annotations).toEqual([{ ...annotation, createdAt: sent.createdAt }]);
  const bare = after.job.result.chunks.map(({ annotations: _, ...one }) => one);
  expect(bare).toEqual(before.job.result.chunks);
  expect(after.job.result.chunks.find(({ id }) => id === chunk.id)?.annotations).toMatchObject([annotation]);
  expect(after.files['document.txt']).toBe(before.files['document.txt']);
  expect(after.files['document.md']).toBe(
    `${before.files['document.md']}\n---\n\n**Annotations**\n\n1. Page 1, “ninety lamps”: Quokkas \\*were\\*\\\n` +
      '   not counted --> yet | \\<b> (A. Pilot)\n',
  );
  const lines = after.files['chunks.jsonl']?.trim().split('\n');
  expect(lines?.map((line) => JSON.parse(line) as Chunk)).toEqual(after.job.result.chunks);
  expect(JSON.parse(after.files['document.json'] ?? '')).toMatchObject({ annotations: [annotation] });
  const docling = JSON.parse(after.files['docling.json'] ?? '') as {
    texts: { self_ref: string; text: string; content_layer: string; comments?: object[] }[];
  };
  const note = docling.texts.at(-1);
  expect(note).toMatchObject({ content_layer: 'notes', text: expect.stringContaining('Quokkas') });
  const commented = docling.texts.filter(({ comments }) => comments !== undefined);
  expect(commented).toMatchObject([
    { text: 'The keeper counted ninety lamps.', comments: [{ $ref: note?.self_ref, range: [19, 31] }] },
  ]);
  expect(docling.texts.findLast(({ text }) => text.includes('ninety') && text.startsWith('The'))).toBe(commented[0]);

  await decide(sent.contributionId, 'reject');
  expect(await see(jobId)).toEqual({ ...before, job: { ...before.job, updatedAt: expect.any(String) } });
});

test('beside a correction, each keeps its place and goes alone', async () => {
  const jobId = await read(PAGE);
  const chunk = (await see(jobId)).job.result.chunks.find(({ text }) => text.includes('Bergen')) as Chunk;
  const about = { jobId, chunkId: chunk.id };
  const whole = await contribute({ kind: 'source', text: 'A survey.', url: 'https://harbour.example/s', jobId });
  const cell = await contribute({ kind: 'annotation', text: 'Which oil?', ...about, quote: 'Oil' });
  const gone = await contribute({ kind: 'annotation', text: 'From where?', ...about, quote: 'Bergen' });
  for (const { contributionId } of [whole, cell, gone]) await decide(contributionId, 'approve');
  const annotated = await see(jobId);
  expect(annotated.job.result.annotations).toMatchObject([
    { kind: 'source', url: 'https://harbour.example/s', chunkId: null, quote: null, start: null, page: null },
    { text: 'Which oil?', start: chunk.text.indexOf('Oil') },
    { text: 'From where?', start: chunk.text.indexOf('Bergen') },
  ]);
  const text = chunk.text.replace('keeper counted', 'old keeper of the light counted').replace(' from Bergen', '');
  const correction = await contribute({ kind: 'correction', ...about, text });
  await decide(correction.contributionId, 'approve');
  const both = await see(jobId);
  expect(both.job.result.annotations).toMatchObject([
    { kind: 'source' },
    { text: 'Which oil?', start: text.indexOf('Oil') },
    { text: 'From where?', quote: 'Bergen', start: null, end: null },
  ]);
  expect(both.files['document.md']).toContain('old keeper of the light');
  expect(both.files['document.md']).toContain('3. Page 1, “Bergen”: From where?');
  await decide(correction.contributionId, 'reject');
  expect(await see(jobId)).toEqual({ ...annotated, job: { ...annotated.job, updatedAt: expect.any(String) } });
});

test('of a crawl: the line of the page has it, and its Markdown stays', async () => {
  const page = (body: string) => `<html><head><title>T</title></head><body><main>${body}</main></body></html>`;
  await using site = await serveFiles({
    '/': page('<h1>Lamps</h1><p>The keeper counted ninety lamps on the quay. <a href="/two">Two</a></p>'),
    '/two': page('<h1>Two</h1><p>It opens at nine every day of the week but Sunday.</p>'),
  });
  const answer = await appliance.owner('/v1/crawl', postJson({ url: `${site.url}/`, depth: 1 }));
  const { crawlId: jobId } = (await answer.json()) as { crawlId: string };
  await finished(appliance.owner, jobId);
  const before = await see(jobId);
  const chunk = before.job.result.chunks.find(({ text }) => text.includes('nine every')) as Chunk;
  const sent = await contribute({ kind: 'annotation', text: 'Ten now.', jobId, chunkId: chunk.id, quote: 'nine' });
  await decide(sent.contributionId, 'approve');
  const after = await see(jobId);
  const [now, then] = [after, before].map(({ files }) =>
    (files['pages.jsonl'] ?? '')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>),
  );
  expect(now).toEqual(
    then?.map((line) =>
      line.url === chunk.url ? { ...line, annotations: [expect.objectContaining({ text: 'Ten now.' })] } : line,
    ),
  );
  expect(after.job.result.annotations).toMatchObject([{ text: 'Ten now.', pageUrl: chunk.url, quote: 'nine' }]);
  await decide(sent.contributionId, 'reject');
  expect(await see(jobId)).toEqual({ ...before, job: { ...before.job, updatedAt: expect.any(String) } });
});

test('of a job that is still working: it comes with the result', async () => {
  let release = () => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  await using site = await serveWith(async (_request, response) => {
    await held;
    response.writeHead(200, { 'content-type': 'text/html' }).end(PAGE);
  });
  const answer = await appliance.owner('/v1/extract/doc', postJson({ sourceUrl: `${site.url}/` }));
  const { jobId } = (await answer.json()) as Job;
  const sent = await contribute({ kind: 'annotation', text: 'It is long.', jobId });
  expect((await decide(sent.contributionId, 'approve')).correction).toEqual({ isWritten: false, notCorrected: [] });
  release();
  expect((await finished(appliance.owner, jobId)).status).toBe('completed');
  // Files that are written again while they are read break off: they are read once the result says that it is done.
  await until(async () => {
    const { result } = (await (await appliance.owner(`/v1/jobs/${jobId}`)).json()) as {
      result: { annotations?: unknown };
    };
    return result.annotations !== undefined;
  });
  const { job, files } = await see(jobId);
  expect(job.result.annotations).toMatchObject([{ text: 'It is long.', chunkId: null }]);
  expect(files['document.md']).toContain('1. It is long.');
});

test.each([
  ['of Chinese', '我们在北京大学读书。', '京大', '北京大学'],
  ['of Thai', 'สวัสดีครับผมชื่อสมชาย', 'วัสด', 'สวัสดี'],
  ['of Arabic with vowel marks', 'ذَهَبَ الوَلَدُ إلى المَدْرَسَةِ', 'وَلَ', 'الوَلَدُ'],
  ['with a combining mark', 'Das Ma\u0308dchen am Bx\u030cro', 'x', 'Bx\u030cro'],
  ['of an emoji of several signs', 'Hello 👩‍👩‍👧 there', '\u200d👩', '👩‍👩‍👧'],
  ['with an apostrophe and spaces', 'The keeper’s lamp was out', ' eeper’s la ', 'keeper’s lamp'],
])('a quotation %s is widened to whole words', async (_name, text, quote, widened) => {
  const jobId = await read(`<p>${text}</p>`);
  const [chunk] = (await see(jobId)).job.result.chunks as [Chunk];
  const cut = chunk.text.includes(quote) ? quote : quote.trim().replace('eeper', 'keeper');
  const near = chunk.text.lastIndexOf(cut);
  const about = { jobId, chunkId: chunk.id, quote: cut, quoteStart: near };
  expect(await contribute({ kind: 'annotation', text: 'x', ...about })).toMatchObject({
    quote: widened,
    quoteStart: chunk.text.indexOf(widened),
  });
});

test('others learn neither the job nor the words that an annotation is about, and words must be there', async () => {
  const jobId = await read(PAGE);
  const chunk = (await see(jobId)).job.result.chunks.find(({ text }) => text.includes('Bergen')) as Chunk;
  const about = { kind: 'annotation', text: 'Marsupials.', jobId, chunkId: chunk.id };
  const sent = await contribute({ ...about, quote: 'Bergen' });
  await decide(sent.contributionId, 'approve');
  const shown = await appliance.anonymous(`/v1/contributions/${sent.contributionId}`);
  expect(await shown.json()).toMatchObject({ text: 'Marsupials.', jobId: null, chunkId: null, quote: null });
  const hits = await appliance.anonymous('/v1/search', postJson({ query: 'marsupials', mode: 'lexical' }));
  expect([200, 402]).toContain(hits.status);
  const found = await appliance.owner('/v1/search', postJson({ query: 'marsupials', mode: 'lexical' }));
  expect(await found.json()).toMatchObject({ results: [{ kind: 'annotation', jobId: null, text: 'Marsupials.' }] });
  const refused = async (body: object) => (await appliance.owner('/v1/contributions', postJson(body))).json();
  expect(await refused({ ...about, quote: 'Oslo' })).toMatchObject({
    code: 'invalid_request',
    errors: [{ path: 'quote' }],
  });
  expect(await refused({ kind: 'correction', jobId, chunkId: chunk.id, text: 'x', quote: 'Port' })).toMatchObject({
    errors: [{ path: 'quote' }],
  });
  expect(await refused({ ...about, quoteStart: 3 })).toMatchObject({ errors: [{ path: 'quote' }] });
});
