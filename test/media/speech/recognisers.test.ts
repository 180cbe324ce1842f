/** Each family of recognisers in the shape that its publishers use, in the engine itself. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { ModelView } from '../../../src-server/features/models/schema.ts';
import type { Problem } from '../../../src-server/platform/http/problem.ts';
import type { Appliance } from '../../harness/appliance.ts';
import { CLIPS, clips, startWithSpeech, submit, type TranscriptJob, transcribed } from '../../harness/speech.ts';
import { installMoonshine, installParakeet, installSenseVoice } from '../../harness/speech-families.ts';

const FILE = '06-class.wav';
const GENERAL = 'tiny-closed-vocab.en-onnx';
let appliance: Appliance;
let clip: Buffer;
beforeAll(async () => {
  appliance = await startWithSpeech();
  clip = await readFile(join(CLIPS, FILE));
  await installParakeet(appliance, 'parakeet-tdt-0.6b-v3');
  await installSenseVoice(appliance, 'sense-voice-small');
  await installMoonshine(appliance, 'moonshine-base.en');
});
afterAll(() => appliance.close());

async function heardBy(options: object): Promise<TranscriptJob> {
  const job = await transcribed(appliance, clip, FILE, options);
  expect(job.error, JSON.stringify(job.error)).toBeUndefined();
  return job;
}

const models: [string, string, boolean][] = [
  ['parakeet-tdt-0.6b-v3', 'de', true],
  ['sense-voice-small', 'ja', true],
  ['moonshine-base.en', 'en', false],
];

test.each(models)(
  '%s is loaded from its folder, and each sentence has its time',
  async (model, language, timesWords) => {
    const truth = (await clips()).find(({ file }) => file === FILE);
    const { result } = await heardBy({ transcriptionModel: model, language });
    expect(result?.transcript).toMatchObject({ model, engine: 'sherpa-onnx', wordTimes: timesWords });
    expect(result?.segments).toHaveLength(truth?.segments.length ?? 0);
    for (const [index, { start, end, words = [] }] of (result?.segments ?? []).entries()) {
      expect(Math.abs(start - (truth?.segments[index]?.start ?? Number.NaN))).toBeLessThanOrEqual(0.1);
      expect(end).toBeGreaterThan(start);
      expect(words.length > 0).toBe(timesWords);
    }
  },
);

test('a model for the language of the recording comes first; for an unknown one, a model of many languages', async () => {
  const chosen = async (options: object) => (await heardBy(options)).result?.transcript.model;
  expect(await chosen({ language: 'cs-CZ' })).toBe('parakeet-tdt-0.6b-v3');
  expect(await chosen({ language: 'yue' })).toBe('sense-voice-small');
  expect(await chosen({})).toBe(GENERAL);
});

test('a model is refused for a language that it does not know', async () => {
  const refused = await submit(appliance, clip, FILE, { transcriptionModel: 'sense-voice-small', language: 'de' });
  expect(refused.status).toBe(400);
  expect(((await refused.json()) as Problem).detail).toContain('does not support German');
});

test('a folder by its publisher’s name is offered; one that holds no known recogniser is not', async () => {
  await installSenseVoice(appliance, 'sherpa-onnx-sense-voice-zh-en-ja-ko-yue-2024-07-17');
  await installSenseVoice(appliance, 'sherpa-onnx-paraformer-zh-2024-03-09');
  const { models } = (await (await appliance.owner('/admin/models')).json()) as { models: ModelView[] };
  const names = models.flatMap(({ name, kind, installed }) => (installed && kind === 'speech' ? [name] : []));
  expect(names).toContain('sherpa-onnx-sense-voice-zh-en-ja-ko-yue-2024-07-17');
  expect(names).not.toContain('sherpa-onnx-paraformer-zh-2024-03-09');
});
