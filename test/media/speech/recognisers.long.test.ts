/** Each family of recognisers in the shape that its publishers use, in the engine itself. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { ModelView } from '../../../src-server/features/models/schema.ts';
import type { Problem } from '../../../src-server/platform/http/problem.ts';
import type { Appliance } from '../../harness/appliance.ts';
import {
  CLIPS,
  clips,
  ONNX_MODEL,
  startWithSpeech,
  submit,
  type TranscriptJob,
  transcribed,
} from '../../harness/speech.ts';
import {
  installMoonshine,
  installParakeet,
  installSenseVoice,
  installZipformer,
} from '../../harness/speech-families.ts';

const FILE = 'three-sentences.wav';
const SAMPLE_RATE = 16_000;
const HEADER_BYTES = 44;
const PAUSE_SECONDS = 1;
let appliance: Appliance;
let clip: Buffer;
/** When each sentence starts. */
let starts: number[];
beforeAll(async () => {
  appliance = await startWithSpeech();
  await makeRecording();
  await installParakeet(appliance, 'parakeet-tdt-0.6b-v3');
  await installSenseVoice(appliance, 'sense-voice-small');
  await installMoonshine(appliance, 'moonshine-base.en');
  await installZipformer(appliance, 'zipformer-small.en');
});
afterAll(() => appliance.close());

/** Three clips of one sentence, with pauses between them. */
async function makeRecording(): Promise<void> {
  const truth = await clips();
  const pause = Buffer.alloc(PAUSE_SECONDS * SAMPLE_RATE * 2);
  const sound: Buffer[] = [];
  starts = [];
  for (const name of ['01-meeting.wav', '02-fox.wav', '01-meeting.wav']) {
    const before = sound.reduce((sum, part) => sum + part.length, 0) / 2 / SAMPLE_RATE;
    starts.push(before + (truth.find(({ file }) => file === name)?.segments[0]?.start ?? Number.NaN));
    sound.push((await readFile(join(CLIPS, name))).subarray(HEADER_BYTES), pause);
  }
  const header = (await readFile(join(CLIPS, '01-meeting.wav'))).subarray(0, HEADER_BYTES);
  clip = Buffer.concat([header, ...sound]);
  clip.writeUInt32LE(clip.length - 8, 4);
  clip.writeUInt32LE(clip.length - HEADER_BYTES, HEADER_BYTES - 4);
}

async function heardBy(options: object): Promise<TranscriptJob> {
  const job = await transcribed(appliance, clip, FILE, options);
  expect(job.error, JSON.stringify(job.error)).toBeUndefined();
  return job;
}

const models: [string, object, boolean][] = [
  ['parakeet-tdt-0.6b-v3', { language: 'cs-CZ' }, true],
  ['sense-voice-small', { language: 'yue' }, true],
  ['moonshine-base.en', { transcriptionModel: 'moonshine-base.en' }, false],
];

test.each(models)(
  '%s is chosen for %o, loaded from its folder, and times each sentence',
  async (model, options, timesWords) => {
    const { result } = await heardBy(options);
    const wordTimesEstimated = !timesWords;
    expect(result?.transcript).toMatchObject({ model, engine: 'sherpa-onnx', wordTimes: true, wordTimesEstimated });
    expect(result?.segments).toHaveLength(starts.length);
    for (const [index, { start, end, text, words = [] }] of (result?.segments ?? []).entries()) {
      expect(Math.abs(start - (starts[index] ?? Number.NaN))).toBeLessThanOrEqual(0.1);
      expect(end).toBeGreaterThan(start);
      expect(words.map(({ text }) => text).join(' ')).toBe(text);
    }
  },
);

test('a transducer hears a name of the vocabulary, and names the terms that it cannot write', async () => {
  const transcriptionModel = 'zipformer-small.en';
  const without = await heardBy({ transcriptionModel });
  expect(without.result?.segments[0]?.text).toBe('MAJA');
  const named = await heardBy({ transcriptionModel, vocabulary: ['Maya', 'Ysbyty', ':9'] });
  expect(named.result?.segments[0]?.text).toBe('MAYA');
  expect(named.result?.warnings).toEqual([
    expect.stringMatching(/cannot write, and that were not used: Ysbyty, :9\.$/),
    // This model writes one word, whatever is said.
    expect.stringContaining('no words were recognised'),
  ]);
  const parakeet = await heardBy({ transcriptionModel: 'parakeet-tdt-0.6b-v3', vocabulary: ['Maya'] });
  expect(parakeet.result?.warnings).toContainEqual(expect.stringContaining('takes none of it'));
});

/** The sentences again and again, quiet for the first three quarters; the model takes loud ones for Chinese. */
function mixedRecording(): Buffer {
  const [times, quiet] = [12, 9];
  const sound = clip.subarray(HEADER_BYTES);
  const parts = Array.from({ length: times }, (_, part) => {
    const samples = new Int16Array(new Uint8Array(sound).buffer);
    return Buffer.from(samples.map((sample) => (part < quiet ? sample / 4 : sample)).buffer);
  });
  const mixed = Buffer.concat([clip.subarray(0, HEADER_BYTES), ...parts]);
  mixed.writeUInt32LE(mixed.length - 8, 4);
  mixed.writeUInt32LE(mixed.length - HEADER_BYTES, HEADER_BYTES - 4);
  return mixed;
}

test('the language has a certainty where windows agree, and a second language is named with its seconds', async () => {
  const mixed = mixedRecording();
  const options = { transcriptionModel: 'sense-voice-small' };
  const { result } = await transcribed(appliance, mixed, 'mixed.wav', options);
  const { language, languageConfidence = null } = result?.transcript ?? {};
  expect(language).toBe('en');
  expect(languageConfidence).toBeGreaterThan(0.5);
  expect(languageConfidence).toBeLessThan(0.9);
  const [warning = '', ...more] = result?.warnings ?? [];
  const [, from = '', to = ''] = /is in English\. .* detected: Chinese \((\d+)–(\d+) s\)\.$/.exec(warning) ?? [];
  const { durationSeconds = 0 } = result?.media ?? {};
  expect(Math.abs(Number(from) - durationSeconds * 0.75)).toBeLessThan(30);
  expect(Math.abs(Number(to) - durationSeconds)).toBeLessThan(3);
  // Each window is the same sentence, said again. What follows it in a window has no words.
  expect(more).toEqual([expect.stringContaining('no words were recognised')]);
  // One window is no agreement, and a stated language is no finding.
  expect((await heardBy(options)).result?.transcript.languageConfidence).toBeNull();
  const stated = await transcribed(appliance, mixed, 'mixed.wav', { ...options, language: 'en' });
  expect(stated.result?.transcript).toMatchObject({ language: 'en', languageConfidence: null });
  expect(stated.result?.warnings.join()).not.toContain('detected');
});

test('for an unknown language a model of many languages comes first', async () => {
  expect((await heardBy({})).result?.transcript.model).toBe(ONNX_MODEL);
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
