import { afterAll, beforeAll, expect, test } from 'vitest';
import { nameAfterSource } from '../../src-server/platform/files/file-names.ts';
import { type Appliance, startAppliance } from '../harness/appliance.ts';
import { fileForm, finished } from '../harness/jobs.ts';

let appliance: Appliance;
beforeAll(async () => {
  appliance = await startAppliance();
});
afterAll(() => appliance.close());

async function disposition(fileName: string, resultFile: string): Promise<string | null> {
  const body = fileForm(Buffer.from('# Notes\n\nA harbour.\n'), fileName);
  const answer = await appliance.owner('/v1/extract/doc', { method: 'POST', body });
  const { jobId } = (await answer.json()) as { jobId: string };
  expect((await finished(appliance.owner, jobId)).status).toBe('completed');
  const file = await appliance.anonymous(`/v1/jobs/${jobId}/files/${resultFile}`);
  expect(file.status).toBe(200);
  return file.headers.get('content-disposition');
}

test('a result is saved under the name of its source', async () => {
  expect(await disposition('Harbour plan.md', 'document.txt')).toBe('inline; filename="Harbour plan.txt"');
  expect(await disposition('Harbour plan 2.md', 'chunks.jsonl')).toBe('inline; filename="Harbour plan 2 chunks.jsonl"');
});

test('letters beyond ASCII come whole, and no name ends the header or the folder', async () => {
  expect(await disposition('Größe – 港.md', 'document.md')).toBe(
    `inline; filename="Gr__e _ _.md"; filename*=UTF-8''Gr%C3%B6%C3%9Fe%20%E2%80%93%20%E6%B8%AF.md`,
  );
  expect(await disposition(`it's (1).md`, 'document.txt')).toBe('inline; filename="it\'s (1).txt"');
});

test.each([
  ['transcript.srt', 'Talk.mp3', 'Talk.srt'],
  ['transcript.de.vtt', 'Talk.mp3', 'Talk.de.vtt'],
  ['audio.mp3', 'Chapter 1.', 'Chapter 1.mp3'],
  ['page-3.png', 'a:b|c?.pdf', 'a_b_c_ page-3.png'],
  ['document.md', '.hidden', '.hidden.md'],
  ['document.md', '../..', '.._.md'],
  ['document.md', '', 'document.md'],
  ['document.md', 'https://127.0.0.1/papers/Tide%20tables.pdf?v=2', 'Tide tables.md'],
  ['llms.txt', 'https://docs.quarry.local/', 'docs.quarry.local llms.txt'],
  ['audio.wav', 'Either/or: a song', 'Either_or_ a song.wav'],
  ['document.md', 'v1.2.3', 'v1.2.3.md'],
])('%s of %s is %s', (name, source, saved) => {
  expect(nameAfterSource(name, source)).toBe(saved);
});
