/**
 * Search by meaning with a real model in its process. The model is a tiny one that writes stories, so what is near to
 * what says nothing; what is held here is that the same text is nearest to itself, and who is told what.
 */
import { copyFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Job } from '../../../src-server/features/jobs/schema.ts';
import type { SearchAnswer } from '../../../src-server/features/search/schema.ts';
import { type Appliance, startAppliance } from '../../harness/appliance.ts';
import { fileForm, finished } from '../../harness/jobs.ts';
import { postJson, TINY_MODEL_PATH } from '../../harness/text-models.ts';
import { until } from '../../harness/until.ts';

const SENTENCES = [
  'The cat sat on the mat and slept all day long.',
  'Ships leave the harbour when the tide is high.',
  'Bread is baked before the sun comes up over the village.',
];

let appliance: Appliance;
let modelPath: string;

beforeAll(async () => {
  appliance = await startAppliance({ knownTextServers: [] });
  modelPath = join(appliance.dataDir, 'models', 'stories-embed.gguf');
});
afterAll(() => appliance.close());

function search(body: object): Promise<Response> {
  return appliance.owner('/v1/search', postJson(body));
}

async function found(body: object): Promise<SearchAnswer> {
  const answer = await search(body);
  expect(answer.status, await answer.clone().text()).toBe(200);
  return (await answer.json()) as SearchAnswer;
}

async function extract(text: string): Promise<Job & { result: { chunks: { id: string; text: string }[] } }> {
  const answer = await appliance.owner('/v1/extract/doc', { method: 'POST', body: fileForm(text, 'one.txt') });
  const job = await finished(appliance.owner, ((await answer.json()) as Job).jobId);
  return job as Job & { result: { chunks: { id: string; text: string }[] } };
}

/** Waits until the model is loaded, however busy the machine is, and every chunk has its vector, as answers say. */
async function untilPrepared(): Promise<void> {
  await until(async () => {
    const answer = await search({ query: 'tide', mode: 'semantic' });
    if (!answer.ok) return false;
    const { legs, warnings } = (await answer.json()) as SearchAnswer;
    return legs.includes('semantic') && warnings.length === 0;
  });
}

async function waitingChunks(): Promise<{ model: string | null; waitingChunks: number }> {
  const answer = await appliance.owner('/admin/overview');
  const { search: figures } = (await answer.json()) as {
    search: { environment: string; model: string | null; waitingChunks: number }[];
  };
  const { model, waitingChunks: waiting } = figures.find(({ environment }) => environment === 'production') ?? {
    model: null,
    waitingChunks: Number.NaN,
  };
  return { model, waitingChunks: waiting };
}

describe('search by meaning', () => {
  const jobs: string[] = [];

  test('searches by topics while no model is there', async () => {
    for (const sentence of SENTENCES) jobs.push((await extract(sentence)).jobId);
    await until(async () => (await found({ query: 'village', mode: 'lexical' })).results.length === 1);
    await until(async () => (await found({ query: 'village', mode: 'semantic' })).results.length === 1);
    expect(await found({ query: 'village', mode: 'semantic' })).toMatchObject({ legs: ['topics'], meaning: 'lsi' });
    expect((await found({ query: 'tide', mode: 'lexical' })).warnings).toEqual([]);
    expect(await waitingChunks()).toEqual({ model: null, waitingChunks: 0 });
  });

  test('embeds what was extracted before the model came, without a restart, and finds each text by itself', async () => {
    await copyFile(TINY_MODEL_PATH, modelPath);
    await untilPrepared();
    expect(await waitingChunks()).toEqual({ model: 'stories-embed', waitingChunks: 0 });
    for (const [index, sentence] of SENTENCES.entries()) {
      const answer = await found({ query: sentence, mode: 'semantic' });
      expect(answer).toMatchObject({ legs: ['semantic'], warnings: [] });
      expect(answer.results).toHaveLength(SENTENCES.length);
      expect(answer.results[0]).toMatchObject({ jobId: jobs[index], text: sentence, score: 1 });
    }
  });

  test('is fused with words: what is first in both is first, and both legs are named', async () => {
    const [, tide = ''] = SENTENCES;
    // Topics are learned again beside the searches.
    await until(async () => (await found({ query: tide })).legs.includes('topics'));
    const answer = await found({ query: tide });
    expect(answer).toMatchObject({ legs: ['lexical', 'semantic', 'topics'], meaning: 'stories-embed' });
    expect(answer.results[0]).toMatchObject({ text: tide, score: 1 });
    // Words that no chunk has leave the order to meaning.
    const strange = await found({ query: 'qwertz zxcvb', limit: 2 });
    expect(strange.results).toHaveLength(2);
    expect(strange.results[0]?.highlights).toEqual([]);
  });

  test('keeps to the filters', async () => {
    const semantic = (filter: object) => found({ query: 'tide', mode: 'semantic', filter });
    expect((await semantic({ jobId: jobs[2] })).results.map(({ jobId }) => jobId)).toEqual([jobs[2]]);
    expect((await semantic({ jobId: 'job_other' })).results).toEqual([]);
    expect((await semantic({ jobType: 'crawl' })).results).toEqual([]);
    expect((await semantic({ kind: 'table' })).results).toEqual([]);
    expect((await semantic({ jobType: 'extract/doc', kind: 'text' })).results).toHaveLength(SENTENCES.length);
  });

  test('embeds a new job by itself, follows a correction, and forgets a removed job', async () => {
    const job = await extract('Wool is spun in winter.');
    await until(async () => (await found({ query: 'wool', mode: 'lexical' })).results.length === 1);
    await untilPrepared();
    const text = 'A correction says something else entirely.';
    const [chunk] = job.result.chunks;
    const correction = { kind: 'correction', jobId: job.jobId, chunkId: chunk?.id, text };
    const sent = await appliance.owner('/v1/contributions', postJson(correction));
    const { contributionId } = (await sent.json()) as { contributionId: string };
    await appliance.owner(`/admin/contributions/${contributionId}/approve`, postJson({}));
    await untilPrepared();
    const corrected = await found({ query: text, mode: 'semantic' });
    expect(corrected.results[0]).toMatchObject({ text, originalText: 'Wool is spun in winter.', score: 1 });
    await appliance.owner(`/v1/jobs/${job.jobId}`, { method: 'DELETE' });
    const after = await found({ query: text, mode: 'semantic' });
    expect(after.results.map(({ text: shown }) => shown).sort()).toEqual([...SENTENCES].sort());
  });

  test('keeps its vectors over a restart', { tags: ['long'] }, async () => {
    await appliance.restart();
    await untilPrepared();
    const answer = await found({ query: SENTENCES[0], mode: 'semantic' });
    expect(answer).toMatchObject({ warnings: [], legs: ['semantic'] });
    expect(answer.results[0]).toMatchObject({ jobId: jobs[0] });
  });

  test('searches by topics once the model is removed, and says that a damaged one was not used', async () => {
    await rm(modelPath);
    expect(await found({ query: 'tide', mode: 'semantic' })).toMatchObject({ legs: ['topics'], meaning: 'lsi' });
    expect((await found({ query: 'tide' })).legs).toEqual(['lexical', 'topics']);
    await writeFile(modelPath, 'No model at all. '.repeat(100));
    const damaged = await search({ query: 'tide', mode: 'semantic' });
    expect(damaged.status).toBe(503);
    expect(await damaged.json()).toMatchObject({ code: 'engine_unavailable' });
    const answer = await found({ query: 'tide' });
    expect(answer).toMatchObject({ legs: ['lexical', 'topics'], meaning: 'lsi' });
    expect(answer.warnings).toEqual([expect.stringMatching(/^The embedding model was not used\. /)]);
    expect(answer.results[0]?.text).toMatch(/tide/);
  });
});
