import { execFile } from 'node:child_process';
import { copyFile, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { WindowTranscript } from '../../../workers/media/listener.ts';
import { openWhisperCli } from '../../../workers/media/whisper-cli.ts';
import type { Appliance } from '../../harness/appliance.ts';
import {
  CLIPS,
  clips,
  GGML_MODEL,
  ONNX_MODEL,
  startWithSpeech,
  submit,
  type TranscriptJob,
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

const jobs = new Map<string, Promise<TranscriptJob>>();
/** The job of a clip, which runs once for all tests. */
async function jobOf(file: string, model = GGML_MODEL): Promise<TranscriptJob> {
  const key = `${model} ${file}`;
  const job =
    jobs.get(key) ??
    readFile(join(CLIPS, file)).then((clip) => transcribed(appliance, clip, file, { transcriptionModel: model }));
  jobs.set(key, job);
  return job;
}

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
    const [job, alone] = [await jobOf(file), await bare(file)];
    expect(job.error).toBeUndefined();
    expect(job.result?.transcript).toMatchObject({ engine: 'whisper.cpp', model: GGML_MODEL, language: 'en' });
    const heard = job.result?.segments.map((segment) => segment.text).join(' ') ?? '';
    // The program states a probability of each token.
    expect(job.result?.transcript.confidence).toBeGreaterThan(0.5);
    expect(job.result?.segments.every(({ words = [] }) => words.every(({ confidence = -1 }) => confidence > 0))).toBe(
      true,
    );
    expect(wordErrorRate(text, heard), `${file}: ${heard}`).toBeLessThanOrEqual(wordErrorRate(text, alone));
  }
});

test('times of a ggml model are those of the file, also where silence was left out', async () => {
  const truth = (await clips()).find(({ file }) => file === '08-long.mp3');
  const job = await jobOf('08-long.mp3');
  const heard = job.result?.segments.map((segment) => segment.text).join(' ') ?? '';
  expect(wordErrorRate(truth?.text ?? '', heard), heard).toBe(0);
  const last = truth?.segments.at(-1);
  expect(Math.abs((job.result?.segments.at(-1)?.end ?? 0) - (last?.end ?? 0))).toBeLessThan(1.5);
});

/** What no engine may do, however it times its words: stand still, or go back. */
function expectOrder(spans: readonly { start: number; end: number }[], from: number, to: number): void {
  let before = from;
  for (const { start, end } of spans) {
    expect(start).toBeGreaterThanOrEqual(before);
    expect(end).toBeGreaterThan(start);
    before = end;
  }
  expect(before).toBeLessThanOrEqual(to);
}

const SEVERAL_SENTENCES = ['03-report.wav', '05-door-noisy.wav', '06-class.wav', '08-long.mp3'];

test.each([GGML_MODEL, ONNX_MODEL])('segments of %s start where their first word is said', async (model) => {
  const errors: number[] = [];
  for (const { file, duration, segments: truth } of await clips()) {
    if (!SEVERAL_SENTENCES.includes(file)) continue;
    const segments = (await jobOf(file, model)).result?.segments ?? [];
    expect(segments.map(({ text }) => text)).toEqual(truth.map(({ text }) => text));
    errors.push(...segments.map(({ start }, index) => Math.abs(start - (truth[index]?.start ?? Number.NaN))));
    expectOrder(segments, 0, duration + 0.1);
    for (const { start, end, words = [] } of segments) expectOrder(words, start, end);
  }
  const mean = errors.reduce((sum, error) => sum + error, 0) / errors.length;
  expect(mean, JSON.stringify(errors)).toBeLessThanOrEqual(0.1);
});

test('each word of a ggml model has its time, within its segment, in the answer and in transcript.json', async () => {
  const truth = (await clips()).find(({ file }) => file === '06-class.wav');
  const job = await jobOf('06-class.wav');
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

test('vocabulary and translation reach the program, and the certainty of a detected language comes back', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'quarry whisper '));
  const programPath = join(folder, 'program');
  const token = { text: ' Ja', offsets: { from: 0, to: 400 }, p: 0.25 };
  const said = { offsets: { from: 0, to: 900 }, text: ' Ja.', tokens: [token, { ...token, text: '.', p: 0.01 }] };
  const output = JSON.stringify({ result: { language: 'de' }, transcription: [said] });
  const lines = [
    ...['#!/bin/sh', `printf '%s\\n' "$@" > "${folder}/arguments"`],
    `echo 'whisper_full_with_state: auto-detected language: de (p = 0.812500)' >&2`,
    `for argument; do case "$argument" in *.wav) echo '${output}' > "$argument.json";; esac; done`,
  ];
  await writeFile(programPath, `${lines.join('\n')}\n`, { mode: 0o755 });
  await writeFile(join(folder, 'model.bin'), 'model');
  await writeFile(join(folder, 'sound.pcm'), Buffer.alloc(32_000));
  const listener = openWhisperCli({
    ...{ programPath, modelPath: join(folder, 'model.bin'), pcmPath: join(folder, 'sound.pcm'), folder },
    ...{ sampleRate: 16_000, language: null, threads: 1, vocabulary: ['Llanfair', 'Ysbyty'], toEnglish: true },
    signal: new AbortController().signal,
  });
  const heard: WindowTranscript[] = [];
  await listener.listen([{ index: 0, window: { pieces: [[0, 16_000]] } }], {
    onHeard: async (_index, transcript) => void heard.push(transcript),
    onProgress: () => undefined,
  });
  const given = (await readFile(join(folder, 'arguments'), 'utf8')).split('\n');
  expect(given[given.indexOf('--prompt') + 1]).toBe('Llanfair, Ysbyty.');
  expect(given).toContain('-tr');
  expect(heard).toMatchObject([
    {
      ...{ language: 'de', languageConfidence: 0.8125 },
      segments: [{ confidence: 0.25, words: [{ text: 'Ja.', confidence: 0.25 }] }],
    },
  ]);
  await rm(folder, { recursive: true });
});

test('an engine that takes no vocabulary says so, and a model of one language translates nothing', async () => {
  const clip = await readFile(join(CLIPS, '01-meeting.wav'));
  const options = { transcriptionModel: ONNX_MODEL, vocabulary: ['Ysbyty'] };
  const { result } = await transcribed(appliance, clip, '01-meeting.wav', options);
  expect(result?.warnings).toEqual([expect.stringContaining(`${ONNX_MODEL} takes none`)]);
  expect(result?.transcript).toMatchObject({ confidence: null, languageConfidence: null });
  for (const transcriptionModel of [ONNX_MODEL, GGML_MODEL]) {
    const refused = await submit(appliance, clip, '01-meeting.wav', { transcriptionModel, translate: 'en' });
    expect([refused.status, await refused.text()]).toEqual([400, expect.stringContaining('options.translate')]);
  }
});
