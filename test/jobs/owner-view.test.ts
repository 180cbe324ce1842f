import { join } from 'node:path';
import SqliteDatabase from 'better-sqlite3';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { HOUR_MS } from '../../src-server/platform/units.ts';
import { text, writePdf } from '../documents/pdf-writer.ts';
import { type Appliance, startAppliance } from '../harness/appliance.ts';
import { wordDocument } from '../harness/documents.ts';
import { fileForm, finished } from '../harness/jobs.ts';
import { steeredOperations } from '../harness/sample-operations.ts';
import { until } from '../harness/until.ts';
import { entryOf, newCustomer, paid } from '../harness/wallets.ts';

interface Listed {
  jobs: { jobId: string; label: string; result: unknown }[];
  nextCursor: string | null;
}

interface OwnRecord {
  label: string;
  startedAt: string;
  endedAt: string;
  stages: { stage: string; startedAt: string }[];
  source: { fileName: string | null; sizeBytes: number; kind: string } | null;
}

/** Where a PNG holds its width. */
const PNG_WIDTH_AT = 16;

const json = async <Value>(answer: Promise<Response>): Promise<Value> => (await (await answer).json()) as Value;

describe('what only the owner sees of jobs', () => {
  let appliance: Appliance;
  const ids: Record<string, string> = {};

  beforeAll(async () => {
    appliance = await startAppliance();
    for (const name of ['Harbour report.docx', 'tide_table.docx', 'tidetable.docx']) {
      const form = fileForm(wordDocument([`This is ${name}.`]), name);
      const accepted = appliance.owner('/v1/extract/doc', { method: 'POST', body: form });
      ids[name] = (await json<{ jobId: string }>(accepted)).jobId;
      await finished(appliance.owner, ids[name]);
    }
  });
  afterAll(() => appliance.close());

  const found = async (words: string, more = '') => {
    const page = await json<Listed>(appliance.owner(`/admin/jobs?text=${encodeURIComponent(words)}${more}`));
    return page.jobs.map(({ label }) => label);
  };

  test('a job is called what its file is called, and has no result in a list', async () => {
    const { jobs, nextCursor } = await json<Listed>(appliance.owner('/admin/jobs'));
    expect(jobs.map(({ label }) => label)).toEqual(['tidetable.docx', 'tide_table.docx', 'Harbour report.docx']);
    expect(jobs.every(({ result }) => result === null)).toBe(true);
    expect(nextCursor).toBeNull();
  });

  test('words are found in any order and case, in names, ids, operations and states', async () => {
    expect(await found('REPORT harbour')).toEqual(['Harbour report.docx']);
    expect(await found('report tide')).toEqual([]);
    expect(await found(ids['tidetable.docx'] ?? '')).toEqual(['tidetable.docx']);
    expect(await found('extract/doc completed table')).toEqual(['tidetable.docx', 'tide_table.docx']);
    expect(await found('tide', '&status=failed')).toEqual([]);
  });

  test('letters of any script are found in any case, beside signs that a database takes for patterns', async () => {
    const name = 'Договор ÜBERSICHT [2*].docx';
    const form = fileForm(wordDocument(['A contract.']), name);
    const { jobId } = await json<{ jobId: string }>(appliance.owner('/v1/extract/doc', { method: 'POST', body: form }));
    await finished(appliance.owner, jobId);
    for (const words of ['договор', 'ДОГОВОР', 'übersicht', 'Übersicht', 'ÜBERSICHT [2*]']) {
      expect(await found(words), words).toEqual([name]);
    }
    for (const words of ['говар', 'übersicht[', 'ü?er', '[2ü]']) expect(await found(words), words).toEqual([]);
    expect((await appliance.owner(`/v1/jobs/${jobId}`, { method: 'DELETE' })).status).toBe(204);
  });

  test('signs that a database takes for patterns are what they look like', async () => {
    expect(await found('e_t')).toEqual(['tide_table.docx']);
    expect(await found('%')).toEqual([]);
  });

  test('a search goes on where its last page ended', async () => {
    const first = await json<Listed>(appliance.owner('/admin/jobs?text=docx&limit=2'));
    expect(first.jobs).toHaveLength(2);
    const rest = await json<Listed>(appliance.owner(`/admin/jobs?text=docx&limit=2&cursor=${first.nextCursor}`));
    expect(rest.jobs.map(({ label }) => label)).toEqual(['Harbour report.docx']);
    expect(rest.nextCursor).toBeNull();
  });

  test('a list of a time starts and ends with its jobs, in either order', async () => {
    const { jobs } = await json<{ jobs: { createdAt: string }[] }>(appliance.owner('/admin/jobs'));
    const [newest = '', , oldest = ''] = jobs.map(({ createdAt }) => createdAt);
    const past = (time: string, by: number) => new Date(Date.parse(time) + by).toISOString();
    expect(await found('', `&to=${oldest}`)).toEqual([]);
    expect(await found('', `&from=${past(newest, 1)}`)).toEqual([]);
    expect(await found('', `&from=${oldest}&to=${past(newest, 1)}&order=oldest`)).toEqual(Object.keys(ids));
    const first = await json<Listed>(appliance.owner('/admin/jobs?order=oldest&limit=2'));
    expect(first.jobs.map(({ label }) => label)).toEqual(Object.keys(ids).slice(0, 2));
    expect(await found('', `&order=oldest&limit=2&cursor=${first.nextCursor}`)).toEqual(['tidetable.docx']);
    expect((await appliance.owner('/admin/jobs?from=yesterday')).status).toBe(400);
  });

  test('words are found in results without a job, by the owner only', async () => {
    type Found = { results: { jobId: string; snippet: string }[] };
    const { results } = await json<Found>(appliance.owner('/admin/search?query=harbour'));
    expect(results.map(({ jobId }) => jobId)).toEqual([ids['Harbour report.docx']]);
    expect(await json<Listed>(appliance.owner('/admin/jobs?jobType=search'))).toMatchObject({ jobs: [] });
    expect((await appliance.owner('/admin/search?query=')).status).toBe(400);
    expect((await appliance.anonymous('/admin/search?query=harbour')).status).toBe(401);
  });

  test("the owner's own searches are in the list of searches only, those of others in both", async () => {
    const headers = { 'content-type': 'application/json' };
    const search = { method: 'POST', headers, body: JSON.stringify({ query: 'nothing like it', limit: 1 }) };
    const { jobId: own } = await json<{ jobId: string }>(appliance.owner('/v1/search', search));
    await finished(appliance.owner, own);
    expect(await found('')).toEqual(['tidetable.docx', 'tide_table.docx', 'Harbour report.docx']);
    expect(await found('nothing')).toEqual([]);
    const customer = await newCustomer(appliance);
    const proof = await customer.proofOf(await entryOf(appliance, 'search'));
    const sent = appliance.anonymous('/v1/search', paid({ query: 'nothing too', limit: 1 }, proof));
    const { jobId: other } = await json<{ jobId: string }>(sent);
    await finished(appliance.owner, other);
    expect(await found('nothing')).toEqual(['nothing too']);
    const { jobs } = await json<{ jobs: object[] }>(appliance.owner('/admin/jobs?jobType=search'));
    expect(jobs).toMatchObject([
      { jobId: other, accountId: customer.accountId },
      { jobId: own, accountId: 'owner', startedAt: expect.any(String), endedAt: expect.any(String) },
    ]);
    for (const jobId of [own, other]) {
      expect((await appliance.owner(`/v1/jobs/${jobId}`, { method: 'DELETE' })).status).toBe(204);
    }
  });

  test('the file that a job was made from can be had again, in parts too, by nobody else', async () => {
    const jobId = ids['Harbour report.docx'] ?? '';
    const { source } = await json<OwnRecord>(appliance.owner(`/admin/jobs/${jobId}`));
    expect(source).toMatchObject({ fileName: 'Harbour report.docx', kind: 'docx' });
    const part = await appliance.owner(`/admin/jobs/${jobId}/source`, { headers: { range: 'bytes=0-1' } });
    expect([part.status, await part.text()]).toEqual([206, 'PK']);
    const whole = await appliance.owner(`/admin/jobs/${jobId}/source`);
    expect((await whole.arrayBuffer()).byteLength).toBe(source?.sizeBytes);
    expect((await appliance.anonymous(`/admin/jobs/${jobId}/source`)).status).toBe(401);
    // A document has no sound to draw.
    expect((await appliance.owner(`/admin/jobs/${jobId}/peaks`)).status).toBe(404);
    expect((await appliance.anonymous(`/admin/jobs/${jobId}/peaks`)).status).toBe(401);
  });

  test('a page of a PDF is drawn, and one that is not there, or of something else, is not', async () => {
    const pdf = writePdf({ pages: [text(60, 100, ['One.']), text(60, 100, ['Two.'])] });
    const accepted = appliance.owner('/v1/extract/pdf', { method: 'POST', body: fileForm(pdf, 'two.pdf') });
    const { jobId } = await json<{ jobId: string }>(accepted);
    const page = (number: number | string, job = jobId) => appliance.owner(`/admin/jobs/${job}/pages/${number}`);
    const drawn = await page(2);
    expect(drawn.headers.get('x-pages')).toBe('2');
    expect(
      Buffer.from(await drawn.arrayBuffer())
        .subarray(1, 4)
        .toString(),
    ).toBe('PNG');
    const picture = Buffer.from(await (await page('1?width=88')).arrayBuffer());
    expect(picture.readUInt32BE(PNG_WIDTH_AT)).toBe(88);
    expect((await page('1?width=100000')).status).toBe(400);
    expect((await page(3)).status).toBe(404);
    expect((await page(1, ids['tidetable.docx'])).status).toBe(404);
    expect((await appliance.anonymous(`/admin/jobs/${jobId}/pages/1`)).status).toBe(401);
    await finished(appliance.owner, jobId);
  });

  test('a word too many or a wrong cursor is refused by field', async () => {
    expect((await appliance.owner(`/admin/jobs?text=${'a'.repeat(201)}`)).status).toBe(400);
    expect((await appliance.owner('/admin/jobs?cursor=x')).status).toBe(400);
  });
});

test('when a job has expired, nothing is left that its request or its file was called', async () => {
  await using appliance = await startAppliance();
  const form = fileForm(wordDocument(['Anything.']), 'secret-plan.docx', { sourceName: 'Project Nightfall' });
  // What the owner asked for stays; what a key asked for goes.
  const made = { method: 'POST', headers: { 'content-type': 'application/json' } };
  const scopes = JSON.stringify({ name: 'Reader', scopes: ['run'] });
  const { key } = await json<{ key: string }>(appliance.owner('/admin/keys', { ...made, body: scopes }));
  const headers = { authorization: `Bearer ${key}` };
  const accepted = appliance.anonymous('/v1/extract/doc', { method: 'POST', headers, body: form });
  const { jobId } = await json<{ jobId: string }>(accepted);
  await finished(appliance.owner, jobId);
  appliance.clock.advance(72 * HOUR_MS + 1);
  await appliance.restart();
  await until(async () => (await appliance.owner(`/v1/jobs/${jobId}`)).status === 410);
  const database = new SqliteDatabase(join(appliance.dataDir, 'production', 'quarry.db'), { readonly: true });
  const row = JSON.stringify(database.prepare('select * from jobs where id = ?').get(jobId));
  database.close();
  expect(row).not.toMatch(/secret-plan|Nightfall/);
});

test('stages are kept over attempts and the waits between them, in order, within the job’s life', async () => {
  const steered = steeredOperations();
  await using appliance = await startAppliance({ operations: steered.operations });
  const headers = { 'content-type': 'application/json' };
  const body = JSON.stringify({ label: 'a' });
  const { jobId } = await json<{ jobId: string }>(
    appliance.owner('/v1/test/patient', { method: 'POST', headers, body }),
  );
  for (const attempt of [1, 2]) {
    await until(async () => {
      const begun = steered.runs.length;
      const { status } = await json<{ status: string }>(appliance.owner(`/v1/jobs/${jobId}`));
      return begun === attempt && status === 'queued';
    });
    appliance.clock.advance(attempt * HOUR_MS);
  }
  await finished(appliance.owner, jobId);
  const record = await json<OwnRecord>(appliance.owner(`/admin/jobs/${jobId}`));
  expect(record.stages.map(({ stage }) => stage)).toEqual(['starting', 'queued', 'starting', 'queued', 'starting']);
  const times = record.stages.map(({ startedAt }) => Date.parse(startedAt));
  expect(times).toEqual([...times].sort((one, other) => one - other));
  expect((times[2] ?? 0) - (times[1] ?? 0)).toBeGreaterThanOrEqual(HOUR_MS);
  expect(Date.parse(record.endedAt)).toBeGreaterThanOrEqual(times.at(-1) ?? 0);
});

test('a job is cancelled by the owner’s own route only while it has not ended: what has come out of it is kept', async () => {
  const steered = steeredOperations();
  await using appliance = await startAppliance({ operations: steered.operations });
  const headers = { 'content-type': 'application/json' };
  const start = async (label: string) => {
    const body = JSON.stringify({ label });
    const accepted = appliance.owner('/v1/test/held', { method: 'POST', headers, body });
    await until(() => steered.runs.includes(label));
    return (await json<{ jobId: string }>(accepted)).jobId;
  };
  const [stopped, ended] = [await start('stopped'), await start('ended')];
  const cancel = (jobId: string) => appliance.owner(`/admin/jobs/${jobId}/cancel`, { method: 'POST' });
  expect((await cancel(stopped)).status).toBe(204);
  expect(await finished(appliance.owner, stopped)).toMatchObject({ error: { code: 'cancelled' } });
  steered.release('ended');
  await finished(appliance.owner, ended);
  for (const jobId of [stopped, ended]) {
    const refused = await cancel(jobId);
    expect([refused.status, await refused.json()]).toMatchObject([409, { code: 'conflict' }]);
  }
  expect(await finished(appliance.owner, ended)).toMatchObject({ status: 'completed', result: { label: 'ended' } });
  expect((await appliance.anonymous(`/admin/jobs/${ended}/cancel`, { method: 'POST' })).status).toBe(401);
});
