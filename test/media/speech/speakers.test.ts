/** Who says what, with real engines on small models and conversations whose truth is known. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Problem } from '../../../src-server/platform/http/problem.ts';
import type { Appliance } from '../../harness/appliance.ts';
import { errorSeconds, type Turn } from '../../harness/diarization.ts';
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
      expect(wordErrorRate(said.join(' '), own.map(({ text }) => text).join(' '))).toBeLessThan(0.05);
    }
    for (const { words = [], speaker } of result.segments) {
      expect(words.length).toBeGreaterThan(0);
      expect(words.every((word) => word.speaker === speaker)).toBe(true);
    }
    const mixed = result.chunks.filter(({ speaker }) => speaker === undefined);
    expect(mixed.every(({ text }) => text.length < 200)).toBe(true);
  });
});
