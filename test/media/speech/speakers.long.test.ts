/** Who says what, with real engines on small models and conversations whose truth is known. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Job } from '../../../src-server/features/jobs/schema.ts';
import type { Problem } from '../../../src-server/platform/http/problem.ts';
import type { Appliance } from '../../harness/appliance.ts';
import { errorSeconds, type Turn } from '../../harness/diarization.ts';
import { fileForm, finished } from '../../harness/jobs.ts';
import {
  installSpeakerModel,
  startWithSpeech,
  submit,
  type TranscriptJob,
  transcribed,
  wordErrorRate,
} from '../../harness/speech.ts';

const CONVERSATIONS = join(import.meta.dirname, '../../fixtures/media/conversations');
const TWO = '01-two-speakers.wav';
const sendJson = (value: object) => ({
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(value),
});
let appliance: Appliance;
let truth: { file: string; speakers: string[]; turns: Turn[] }[];

beforeAll(async () => {
  truth = JSON.parse(await readFile(join(CONVERSATIONS, 'truth.json'), 'utf8'));
  appliance = await startWithSpeech();
});
afterAll(() => appliance.close());

async function heard(file: string, options: object): Promise<NonNullable<TranscriptJob['result']>> {
  const job = await transcribed(appliance, await readFile(join(CONVERSATIONS, file)), file, options);
  if (job.result === null) throw new Error(JSON.stringify(job.error));
  return job.result;
}

test('without a speaker model the request says what to install', async () => {
  const refused = await submit(appliance, await readFile(join(CONVERSATIONS, TWO)), TWO, { speakers: true });
  expect(refused.status).toBe(503);
  const { code, detail } = (await refused.json()) as Problem;
  expect(code).toBe('model_not_installed');
  expect(detail).toContain('POST /admin/models/speakers-resnet34/install');
  const { needs } = (await (await appliance.owner('/admin/needs')).json()) as {
    needs: { need: string; ready: boolean; choices: { name: string }[] }[];
  };
  expect(needs.find(({ need }) => need === 'speakers')).toMatchObject({
    ready: false,
    choices: [{ name: 'speakers-resnet34' }, {}, {}],
  });
});

test('a job that may wait for an installation waits for a speaker model, and goes on when one is there', async () => {
  const body = fileForm(await readFile(join(CONVERSATIONS, TWO)), TWO, { options: JSON.stringify({ speakers: true }) });
  const headers = { prefer: 'install=ask' };
  const answer = await appliance.owner('/v1/extract/video', { method: 'POST', body, headers });
  const { jobId } = (await answer.json()) as { jobId: string };
  const { waitingFor } = (await (await appliance.owner(`/v1/jobs/${jobId}`)).json()) as Job;
  const [recommended] = waitingFor?.choices ?? [];
  expect(waitingFor).toMatchObject({ need: 'speakers', language: null, reason: 'No speaker model is installed.' });
  expect(recommended).toMatchObject({ name: 'speakers-resnet34', recommended: true, sizeBytes: 32_523_463 });
  await installSpeakerModel(appliance);
  const { result } = (await finished(appliance.owner, jobId)) as TranscriptJob;
  expect(result?.speakers).toHaveLength(2);
});

describe('with a speaker model', () => {
  beforeAll(() => installSpeakerModel(appliance));

  test.each([
    [TWO, true],
    ['02-three-speakers.flac', 3],
  ])('each sentence of %s has its speaker, for %o', async (file, speakers) => {
    const { turns = [], speakers: names = [] } = truth.find((one) => one.file === file) ?? {};
    const result = await heard(file, { speakers, segmentLength: 200 });
    expect(result.speakers?.map(({ name }) => name)).toEqual(names.map((_, index) => `Speaker ${index + 1}`));
    const found = result.segments.map((segment) => ({ ...segment, speaker: segment.speaker ?? '' }));
    const { missed, wrong, confused, spoken } = errorSeconds(turns, found);
    expect((missed + wrong + confused) / spoken).toBeLessThan(0.15);
    expect(confused / spoken).toBeLessThan(0.02);
    for (const [index, name] of names.entries()) {
      const own = found.filter(({ speaker }) => speaker === `Speaker ${index + 1}`);
      const said = turns.filter(({ speaker }) => speaker === name).map(({ text }) => text);
      // The recogniser itself misses a sentence of these.
      expect(wordErrorRate(said.join(' '), own.map(({ text }) => text).join(' '))).toBeLessThan(0.2);
    }
    for (const { words = [], speaker } of result.segments) {
      expect(words.length).toBeGreaterThan(0);
      expect(words.every((word) => word.speaker === speaker)).toBe(true);
    }
    const mixed = result.chunks.filter(({ speaker }) => speaker === undefined);
    expect(mixed.every(({ text }) => text.length < 200)).toBe(true);
  });

  test('more speakers than there are voices give a warning, numbers that cannot be are refused', async () => {
    const { speakers, warnings } = await heard(TWO, { speakers: 9 });
    expect(speakers).toHaveLength(2);
    expect(warnings).toContain('You asked for 9 speakers, but only 2 voices could be distinguished.');
    for (const impossible of [0, 1000, 1.5, 'two']) {
      const refused = await submit(appliance, Buffer.from('RIFF'), TWO, { speakers: impossible });
      expect(refused.status).toBe(400);
      expect(await refused.text()).toContain('options.speakers');
    }
  });

  test('a name goes into result, files and search; two speakers with one name become one', async () => {
    const sound = await readFile(join(CONVERSATIONS, TWO));
    const job = await transcribed(appliance, sound, TWO, { speakers: 2, segmentLength: 50 });
    const rename = (names: object) =>
      appliance.owner(`/admin/jobs/${job.jobId}/speakers`, { ...sendJson({ names }), method: 'PATCH' });
    const file = async (name: string) => (await appliance.owner(`/v1/jobs/${job.jobId}/files/${name}`)).text();
    expect(await file('transcript.vtt')).toContain('<v Speaker 1>The weather');
    const named = await rename({ 'Speaker 1': 'Ann </v><b>', 'Speaker 2': 'constructor' });
    expect(await named.json()).toMatchObject({ speakers: [{ name: 'Ann </v><b>' }, { name: 'constructor' }] });
    expect(await file('transcript.vtt')).toContain('<v Ann &lt;/v&gt;&lt;b&gt;>The weather');
    expect(await file('transcript.srt')).toContain('\nAnn </v><b>: The weather');
    expect(await file('transcript.txt')).toMatch(/^Ann <\/v><b>: The weather/);
    const chunks = (await file('chunks.jsonl'))
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { speaker?: string });
    expect(chunks.some(({ speaker }) => speaker === 'constructor')).toBe(true);
    const { result } = (await (await appliance.owner(`/v1/jobs/${job.jobId}`)).json()) as TranscriptJob;
    expect(new Set(result?.segments.map(({ speaker }) => speaker))).toEqual(new Set(['Ann </v><b>', 'constructor']));
    expect(result?.segments[0]?.words?.[0]?.speaker).toBe('Ann </v><b>');
    const found = await appliance.owner('/v1/search', sendJson({ query: 'constructor', mode: 'lexical' }));
    expect(((await found.json()) as { results: { jobId: string }[] }).results[0]?.jobId).toBe(job.jobId);

    const unknown = await rename({ 'Speaker 1': 'Ann' });
    expect([unknown.status, ((await unknown.json()) as Problem).errors?.[0]?.path]).toEqual([400, 'names.Speaker 1']);
    const merged = await rename({ 'Ann </v><b>': 'Ann', constructor: 'Ann' });
    expect(await merged.json()).toMatchObject({ speakers: [{ name: 'Ann', words: result?.transcript.words }] });
    const without = await transcribed(appliance, sound, TWO, {});
    const refused = await appliance.owner(`/admin/jobs/${without.jobId}/speakers`, {
      ...sendJson({ names: { 'Speaker 1': 'Ann' } }),
      method: 'PATCH',
    });
    expect(refused.status).toBe(409);
  });
});
