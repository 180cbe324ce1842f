/** A process that is killed while it writes a correction writes it when it starts again. */
import { expect, test } from 'vitest';
import type { Job } from '../../src-server/features/jobs/schema.ts';
import type { Chunk } from '../../src-server/operation.ts';
import { type ApplianceProcess, startApplianceProcess } from '../harness/appliance-process.ts';
import { wordDocument } from '../harness/documents.ts';
import { fileForm, finished } from '../harness/jobs.ts';
import { postJson } from '../harness/text-models.ts';
import { until } from '../harness/until.ts';

const PARAGRAPHS = 3000;

const NAMES = ['document.txt', 'document.md', 'document.json', 'docling.json', 'chunks.jsonl'];

async function filesOf({ owner }: ApplianceProcess, jobId: string): Promise<string[]> {
  return Promise.all(NAMES.map(async (name) => (await owner(`/v1/jobs/${jobId}/files/${name}`)).text()));
}

test('killed at any moment after the decision, all files have it after the start, or get their bytes back', async () => {
  await using server = await startApplianceProcess();
  const words = Array.from({ length: PARAGRAPHS }, (_, n) => `Paragraph ${n} says the same. `.repeat(4));
  const body = fileForm(wordDocument(words), 'large.docx');
  const { jobId } = (await (await server.owner('/v1/extract/doc', { method: 'POST', body })).json()) as Job;
  const job = (await finished(server.owner, jobId)) as Job & { result: { chunks: Chunk[] } };
  const before = await filesOf(server, jobId);
  const [chunk] = job.result.chunks as [Chunk];
  const correction = { kind: 'correction', jobId, chunkId: chunk.id, text: chunk.text.replace('says', 'whispers') };
  let id = '';
  await until(async () => {
    const answer = await server.owner('/v1/contributions', postJson(correction));
    id = ((await answer.json()) as { contributionId: string }).contributionId;
    return answer.status === 202;
  });
  const status = async () => {
    const answer = await server.owner(`/v1/contributions/${id}`);
    return ((await answer.json()) as { status: string }).status;
  };
  for (const [how, decided, delayMs] of [
    ['approve', 'approved', 0],
    ['reject', 'rejected', 60],
    ['approve', 'approved', 120],
    ['reject', 'rejected', 0],
  ] as const) {
    const decision = server
      .owner(`/admin/contributions/${id}/${how}`, postJson({ reason: 'So it is.' }))
      .catch(() => null);
    await until(async () => (await status()) === decided);
    await new Promise((resolve) => setTimeout(resolve, delayMs));
    await server.kill('SIGKILL');
    await decision;
    await server.restart();
    const after = await filesOf(server, jobId);
    if (how === 'reject') expect(after).toEqual(before);
    else for (const [index, text] of after.entries()) expect(text, NAMES[index]).toContain('whispers');
  }
});
