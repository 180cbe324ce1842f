/** Chunks of a large result stand in a file alone: a correction reaches them there. */
import { expect, test } from 'vitest';
import type { Job } from '../../../src-server/features/jobs/schema.ts';
import type { Chunk } from '../../../src-server/operation.ts';
import { startAppliance } from '../../harness/appliance.ts';
import { wordDocument } from '../../harness/documents.ts';
import { readEvents } from '../../harness/events.ts';
import { fileForm } from '../../harness/jobs.ts';
import { postJson } from '../../harness/text-models.ts';
import { until } from '../../harness/until.ts';

const PARAGRAPHS = 1500;
const RIGHT = 'What it should say, with a line\u2028of its own.';

test('a correction of a chunk of a large result is seen by whoever reads the job, and can be taken back', async () => {
  await using appliance = await startAppliance();
  const { owner } = appliance;
  const words = Array.from({ length: PARAGRAPHS }, (_, n) => `Paragraph ${n} says the same thing again. `.repeat(8));
  const body = fileForm(wordDocument(words), 'large.docx');
  const answer = await owner('/v1/extract/doc', { method: 'POST', body, headers: { prefer: 'wait=60' } });
  const { jobId } = (await answer.json()) as Job;
  const read = async () => (await (await owner(`/v1/jobs/${jobId}`)).json()) as Job & { result: { chunks: Chunk[] } };
  const before = (await read()).result.chunks;
  const chunk = before.at(-1) as Chunk;
  const contribute = () =>
    owner('/v1/contributions', postJson({ kind: 'correction', jobId, chunkId: chunk.id, text: RIGHT }));
  // A chunk can be corrected once it is in the index, whose last one this is; nobody is told before that it is none.
  const statuses = new Set<number>();
  await until(async () => statuses.add((await contribute()).status).has(202));
  expect([...statuses].filter((status) => status !== 503)).toEqual([202]);
  const { contributionId } = (await (await contribute()).json()) as { contributionId: string };
  const decide = (how: string, reason: object) =>
    owner(`/admin/contributions/${contributionId}/${how}`, postJson(reason));

  expect((await decide('approve', {})).status).toBe(200);
  const job = await read();
  const { tokens = 0, endOffset = 0 } = job.result.chunks.at(-1) ?? {};
  expect(endOffset - (chunk.startOffset ?? 0)).toBe(RIGHT.length);
  const corrected = [...before.slice(0, -1), { ...chunk, text: RIGHT, originalText: chunk.text, tokens, endOffset }];
  expect(job.result.chunks).toEqual(corrected);
  const events = await readEvents(await owner(`/v1/jobs/${jobId}/events`));
  expect(JSON.parse(events.at(-1)?.data ?? '')).toEqual(job);
  const found = await owner('/v1/search', postJson({ query: 'what it should say', limit: 1 }));
  expect(await found.json()).toMatchObject({ results: [{ chunkId: chunk.id, text: RIGHT }] });

  expect((await decide('reject', { reason: 'It was right before.' })).status).toBe(200);
  expect((await read()).result.chunks).toEqual(before);
});
