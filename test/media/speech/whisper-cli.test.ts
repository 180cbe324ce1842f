import { execFile } from 'node:child_process';
import { copyFile, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Appliance } from '../../harness/appliance.ts';
import {
  CLIPS,
  clips,
  GGML_MODEL,
  ONNX_MODEL,
  startWithSpeech,
  transcribed,
  wordErrorRate,
} from '../../harness/speech.ts';
import { BUILD_TIMEOUT_MS, builtWhisperCli } from '../../harness/whisper-cli.ts';

const run = promisify(execFile);
let program: string;
let appliance: Appliance;
beforeAll(async () => {
  program = await builtWhisperCli();
  appliance = await startWithSpeech({}, [GGML_MODEL, ONNX_MODEL]);
  await mkdir(join(appliance.dataDir, 'tools'), { recursive: true });
  await copyFile(program, join(appliance.dataDir, 'tools/whisper-cli'));
}, BUILD_TIMEOUT_MS);
afterAll(() => appliance.close());

const MODEL_PATH = join(import.meta.dirname, `../../fixtures/models/${GGML_MODEL}.ggml.bin`);
/** What the program says by itself, on the same file and without anything of ours. */
async function bare(file: string): Promise<string> {
  const args = ['-m', MODEL_PATH, '-f', join(CLIPS, file), '-l', 'en', '-nt', '-t', '1'];
  return (await run(program, args)).stdout.replace(/\s+/g, ' ').trim();
}

test('a ggml model hears the held-out clips through the API no worse than whisper-cli by itself', {
  timeout: BUILD_TIMEOUT_MS,
}, async () => {
  for (const { file, text } of (await clips()).filter((clip) => clip.file.endsWith('.wav'))) {
    const [job, alone] = [
      await transcribed(appliance, await readFile(join(CLIPS, file)), file, { transcriptionModel: GGML_MODEL }),
      await bare(file),
    ];
    expect(job.error).toBeUndefined();
    expect(job.result?.transcript).toMatchObject({ engine: 'whisper.cpp', model: GGML_MODEL, language: 'en' });
    const heard = job.result?.segments.map((segment) => segment.text).join(' ') ?? '';
    expect(wordErrorRate(text, heard), `${file}: ${heard}`).toBeLessThanOrEqual(wordErrorRate(text, alone));
  }
});

test('times of a ggml model are those of the file, also where silence was left out', async () => {
  const truth = (await clips()).find(({ file }) => file === '08-long.mp3');
  const job = await transcribed(appliance, await readFile(join(CLIPS, '08-long.mp3')), 'long.mp3', {
    transcriptionModel: GGML_MODEL,
  });
  const heard = job.result?.segments.map((segment) => segment.text).join(' ') ?? '';
  expect(wordErrorRate(truth?.text ?? '', heard), heard).toBe(0);
  const last = truth?.segments.at(-1);
  expect(Math.abs((job.result?.segments.at(-1)?.end ?? 0) - (last?.end ?? 0))).toBeLessThan(1.5);
});

test('each word of a ggml model has its time, within its segment, in the answer and in transcript.json', async () => {
  const truth = (await clips()).find(({ file }) => file === '06-class.wav');
  const job = await transcribed(appliance, await readFile(join(CLIPS, '06-class.wav')), 'class.wav', {
    transcriptionModel: GGML_MODEL,
  });
  expect(job.result?.transcript.wordTimes).toBe(true);
  expect(job.result?.segments.length).toBe(truth?.segments.length);
  for (const [index, { start, end, text, words = [] }] of (job.result?.segments ?? []).entries()) {
    expect(words.map((word) => word.text).join(' ')).toBe(text);
    const times = words.flatMap((word) => [word.start, word.end]);
    expect(times.every((time) => time >= start && time <= end)).toBe(true);
    expect(words.map((word) => word.start)).toEqual(words.map((word) => word.start).sort((a, b) => a - b));
    expect(Math.abs((words.at(-1)?.end ?? 0) - (truth?.segments[index]?.end ?? 0))).toBeLessThan(0.8);
  }
  const file = job.result?.files.find(({ name }) => name === 'transcript.json');
  const kept = await (await appliance.anonymous(new URL(file?.url ?? '').pathname)).json();
  expect((kept as { segments: unknown }).segments).toEqual(job.result?.segments);
});

test('a model file that was cut off fails the job once, and the sentence names the model, not the sound', async () => {
  const whole = await readFile(MODEL_PATH);
  await writeFile(join(appliance.dataDir, 'models/cut-off.bin'), whole.subarray(0, 1_000_000));
  const file = '02-fox.wav';
  const job = await transcribed(appliance, await readFile(join(CLIPS, file)), file, { transcriptionModel: 'cut-off' });
  expect(job.error).toMatchObject({ code: 'engine_failed', retryable: false });
  expect(job.error?.message).toMatch(/The speech model cannot be loaded/);
});
