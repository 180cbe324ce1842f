/** The search index is derived from the main database: without its file, or with a damaged one, it is made again. */
import { closeSync, openSync, rmSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import SqliteDatabase from 'better-sqlite3';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Job } from '../../src-server/features/jobs/schema.ts';
import type { SearchAnswer } from '../../src-server/features/search/schema.ts';
import type { Chunk } from '../../src-server/operation.ts';
import { type Appliance, startAppliance } from '../harness/appliance.ts';
import { wordDocument } from '../harness/documents.ts';
import { fileForm, finished } from '../harness/jobs.ts';
import { postJson } from '../harness/text-models.ts';
import { until } from '../harness/until.ts';

const RIGHT = 'The lighthouse was built in eighteen hundred and twenty.';
const PARAGRAPHS = 700;

let appliance: Appliance;
let corrected: Job;
let large: Job;

async function extract(content: string | Uint8Array, name: string): Promise<Job & { result: { chunks: Chunk[] } }> {
  const answer = await appliance.owner('/v1/extract/doc', { method: 'POST', body: fileForm(content, name) });
  const job = await finished(appliance.owner, ((await answer.json()) as Job).jobId);
  return job as Job & { result: { chunks: Chunk[] } };
}

async function search(query: string): Promise<SearchAnswer> {
  const answer = await appliance.owner('/v1/search', postJson({ query, mode: 'lexical', limit: 50 }));
  expect(answer.status, await answer.clone().text()).toBe(200);
  return (await answer.json()) as SearchAnswer;
}

async function publish(body: object, decision = 'approve'): Promise<void> {
  const answer = await appliance.owner('/v1/contributions', postJson(body));
  const { contributionId } = (await answer.json()) as { contributionId: string };
  for (const how of new Set(['approve', decision])) {
    const decided = await appliance.owner(`/admin/contributions/${contributionId}/${how}`, postJson({ reason: 'So.' }));
    expect(decided.status).toBe(200);
  }
}

/** What a search shows of everything that the test has made. */
async function everything(): Promise<unknown> {
  const answers: unknown[] = [];
  for (const query of ['lighthouse', 'zeppelin', 'keeper diaries', 'umbrellas', 'ledger 699']) {
    const { results, warnings } = await search(query);
    // Which of equal chunks comes first depends on when each was indexed.
    const shown = results.map(({ text, jobId, originalText }) => JSON.stringify([text, jobId, originalText])).sort();
    answers.push({ query, shown, warnings });
  }
  return answers;
}

async function rebuiltPercent(): Promise<number | null | undefined> {
  const answer = await appliance.owner('/admin/overview');
  const { search: figures } = (await answer.json()) as {
    search: { environment: string; rebuiltPercent: number | null }[];
  };
  return figures.find(({ environment }) => environment === 'production')?.rebuiltPercent;
}

function file(name: string): string {
  return join(appliance.dataDir, 'production', name);
}

function removeIndex(): void {
  for (const suffix of ['', '-wal', '-shm']) rmSync(file(`search.db${suffix}`), { force: true });
}

/** While a damaged file is replaced, searches answer 503; then they warn. */
async function untilRebuilt(): Promise<void> {
  await until(async () => {
    const answer = await appliance.owner('/v1/search', postJson({ query: 'lighthouse', mode: 'lexical' }));
    return answer.ok && ((await answer.json()) as SearchAnswer).warnings.length === 0;
  });
  expect(await rebuiltPercent()).toBeNull();
}

let before: unknown;

beforeAll(async () => {
  appliance = await startAppliance();
  const light = await extract('The lighthouse was built in eighteen hundred and two.', 'light.txt');
  corrected = light;
  const removed = await extract('A zeppelin was moored here for one night.', 'zeppelin.txt');
  const paragraphs = Array.from({ length: PARAGRAPHS }, (_, n) =>
    `Paragraph ${n} of the ledger lists goods. `.repeat(10),
  );
  large = await extract(wordDocument(paragraphs), 'ledger.docx');
  await until(async () => (await search('ledger 699')).warnings.length === 0);
  await publish({ kind: 'correction', jobId: light.jobId, chunkId: light.result.chunks[0]?.id, text: RIGHT });
  await publish({ kind: 'source', text: 'The archive of lamps keeps keeper diaries.', url: 'https://example.com/' });
  await publish({ kind: 'source', text: 'Nobody counts umbrellas.', url: 'https://example.com/' }, 'reject');
  expect((await appliance.owner(`/v1/jobs/${removed.jobId}`, { method: 'DELETE' })).status).toBe(204);
  before = await everything();
});
afterAll(() => appliance.close());

test('what there is to find is a corrected chunk, a large result and a source, and nothing that was taken back', () => {
  expect(before).toEqual([
    {
      query: 'lighthouse',
      shown: [JSON.stringify([RIGHT, corrected.jobId, 'The lighthouse was built in eighteen hundred and two.'])],
      warnings: [],
    },
    { query: 'zeppelin', shown: [], warnings: [] },
    { query: 'keeper diaries', shown: [expect.stringContaining('keeper diaries')], warnings: [] },
    { query: 'umbrellas', shown: [], warnings: [] },
    { query: 'ledger 699', shown: expect.arrayContaining([expect.stringContaining(large.jobId)]), warnings: [] },
  ]);
});

test.each([
  ['is missing', removeIndex],
  [
    'is no database',
    () => {
      removeIndex();
      writeFileSync(file('search.db'), 'Not a database. '.repeat(10_000));
    },
  ],
])('an index that %s at the start is rebuilt, and finds the same', async (_, damage) => {
  await appliance.restart(damage);
  await untilRebuilt();
  expect(await everything()).toEqual(before);
});

test('an index that is damaged inside is rebuilt when a search meets the damage, and finds the same', async () => {
  await appliance.restart(() => {
    const database = new SqliteDatabase(file('search.db'));
    const page = (name: string) =>
      database.prepare('select rootpage from sqlite_master where name = ?').pluck().get(name) as number;
    const size = database.pragma('page_size', { simple: true }) as number;
    const pages = [page('search_chunks'), page('search_text_data')];
    database.pragma('wal_checkpoint(TRUNCATE)');
    database.close();
    const descriptor = openSync(file('search.db'), 'r+');
    for (const number of pages) writeSync(descriptor, Buffer.alloc(size, 0xa5), 0, size, (number - 1) * size);
    closeSync(descriptor);
  });
  const answer = await appliance.owner('/v1/search', postJson({ query: 'lighthouse', mode: 'lexical' }));
  expect([answer.status, await answer.json()]).toMatchObject([503, { code: 'engine_unavailable' }]);
  await untilRebuilt();
  expect(await everything()).toEqual(before);
});

test('a search says how far a rebuild is, and so does the overview', async () => {
  const change = (statements: string) => {
    const database = new SqliteDatabase(file('quarry.db'));
    database.exec(statements);
    database.close();
  };
  // Nothing looks for what waits until another job is indexed: as it is while the thread is busy.
  change(`
    insert into search_queue (kind, subject, job_id, priority)
      values ('job', '${corrected.jobId}', '${corrected.jobId}', 2);
    update search_source set (first_seq, last_seq) = (select seq - 3, seq from search_queue);
  `);
  expect(await rebuiltPercent()).toBe(75);
  const warning = 'The search index is being rebuilt (75 %): results are incomplete until then.';
  expect((await search('lighthouse')).warnings).toEqual([warning]);
  change('delete from search_queue');
  expect(await rebuiltPercent()).toBeNull();
  expect((await search('lighthouse')).warnings).toEqual([]);
});
