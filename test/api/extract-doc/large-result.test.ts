import { join } from 'node:path';
import SqliteDatabase from 'better-sqlite3';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Job } from '../../../src-server/features/jobs/schema.ts';
import type { Chunk } from '../../../src-server/operation.ts';
import { KIB } from '../../../src-server/platform/units.ts';
import { type Appliance, startAppliance } from '../../harness/appliance.ts';
import { wordDocument } from '../../harness/documents.ts';
import { readEvents } from '../../harness/events.ts';
import { fileForm } from '../../harness/jobs.ts';
import { until } from '../../harness/until.ts';

/** A result whose chunks weigh more than the server's thread takes over. */
const PARAGRAPHS = 1500;
const text = (n: number) => `Paragraph ${n} says "quoted", naïve and 日本 things.\u2028 `.repeat(8);

let appliance: Appliance;
let accepted: Job;
beforeAll(async () => {
  appliance = await startAppliance();
  const body = fileForm(wordDocument(Array.from({ length: PARAGRAPHS }, (_, n) => text(n))), 'a.docx');
  const answer = await appliance.owner('/v1/extract/doc', { method: 'POST', body, headers: { prefer: 'wait=60' } });
  expect(answer.status).toBe(202);
  accepted = (await answer.json()) as Job;
});
afterAll(() => appliance.close());

const chunksOf = (job: Job) => (job.result as { chunks: Chunk[] }).chunks;
const read = async () => (await (await appliance.owner(`/v1/jobs/${accepted.jobId}`)).json()) as Job;

function database<Result>(work: (database: SqliteDatabase.Database) => Result, name = 'quarry.db'): Result {
  const opened = new SqliteDatabase(join(appliance.dataDir, 'production', name), { readonly: true });
  try {
    return work(opened);
  } finally {
    opened.close();
  }
}

test('a large result is whole in the 202, in the job, in its events and in its file of chunks', async () => {
  expect(accepted.status).toBe('completed');
  const chunks = chunksOf(accepted);
  expect(chunks.map(({ segmentIndex }) => segmentIndex)).toEqual(chunks.map((_, index) => index));
  for (const n of [0, PARAGRAPHS >> 1, PARAGRAPHS - 1]) {
    expect(chunks.some((chunk) => chunk.text.includes(`Paragraph ${n} says "quoted", naïve and 日本 things.`))).toBe(
      true,
    );
  }
  const job = await read();
  expect(job).toEqual(accepted);
  const events = await readEvents(await appliance.owner(`/v1/jobs/${job.jobId}/events`));
  expect(JSON.parse(events.at(-1)?.data ?? '')).toEqual(job);
  const { files } = job.result as { files: { name: string; url: string }[] };
  const url = files.find(({ name }) => name === 'chunks.jsonl')?.url ?? '';
  expect(url).toBe(`${job.statusUrl}/files/chunks.jsonl`);
  const lines = (await (await appliance.owner(new URL(url).pathname)).text()).trimEnd().split('\n');
  expect(lines.map((line) => JSON.parse(line) as Chunk)).toEqual(chunks);
});

test('the database keeps what is said about a large result, and its chunks stand in their file alone', () => {
  const row = database((opened) =>
    opened.prepare('select length(body) as chars, chunks_bytes as chunksBytes from job_results').get(),
  ) as { chars: number; chunksBytes: number };
  expect(row.chars).toBeLessThan(4 * KIB);
  expect(row.chunksBytes).toBeGreaterThan(256 * KIB);
});

test('every chunk of a large result is found by search', async () => {
  await until(() => database((opened) => opened.prepare('select count(*) from search_queue').pluck().get() === 0));
  const count = (opened: SqliteDatabase.Database) => opened.prepare('select count(*) from search_chunks').pluck().get();
  expect(database(count, 'search.db')).toBe(chunksOf(accepted).length);
});
