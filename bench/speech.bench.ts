/**
 * A transcription from file to captions, beside the bare engines on the same model, sound and threads: whisper-cli as a
 * program, and sherpa-onnx in windows of 29 seconds. Dense speech shows what everything around the engine costs; sparse
 * speech (one part in five) what skipping silence saves. The model is the small one of the tests, so the share of what
 * stands around the engine is as large as it can be.
 */
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import sherpa from 'sherpa-onnx-node';
import { createFfmpegLocator } from '../src-server/engines/media/ffmpeg.ts';
import { createVideoEngine } from '../src-server/engines/media/video-engine.ts';
import { createWhisperCliLocator } from '../src-server/engines/speech/whisper-cli.ts';
import { createWorkerPool } from '../src-server/engines/worker-pool.ts';
import { GIB } from '../src-server/lib/units.ts';
import { builtWhisperCli } from '../test/harness/whisper-cli.ts';
import { expectTarget, median, printTable } from './figures.ts';

const run = promisify(execFile);
const ROUNDS = 2;
const OVERHEAD_MAX = 1.05;
const SAMPLE_RATE = 16_000;
const WINDOW_SAMPLES = 29 * SAMPLE_RATE;
const WAV_HEADER_BYTES = 44;
const FIXTURES = fileURLToPath(new URL('../test/fixtures/', import.meta.url));
const ONNX = join(FIXTURES, 'models/tiny-closed-vocab.en-onnx');
const GGML = join(FIXTURES, 'models/tiny-closed-vocab.en.ggml.bin');
const SOUNDS = {
  dense: ['-stream_loop', '2'],
  sparse: ['-stream_loop', '0'],
};

const folder = await mkdtemp(join(tmpdir(), 'quarry bench '));
const program = await builtWhisperCli();
const pool = createWorkerPool({ entry: new URL('../workers/entry.ts', import.meta.url), memoryLimitBytes: 16 * GIB });
const signal = new AbortController().signal;

async function makeSound(kind: keyof typeof SOUNDS): Promise<string> {
  const path = join(folder, `${kind}.wav`);
  const clip = join(FIXTURES, 'media/clips/08-long.mp3');
  const silence = kind === 'sparse' ? ['-af', 'apad=whole_dur=240'] : [];
  const args = [...SOUNDS[kind], '-i', clip, ...silence, '-ac', '1', '-ar', String(SAMPLE_RATE), '-y', path];
  await run('ffmpeg', ['-v', 'error', '-nostdin', '-bitexact', ...args]);
  return path;
}

async function product(path: string, model: { name: string; format: string; path: string; sizeBytes: number }) {
  const files = { list: async () => [model], require: async () => model };
  const engine = createVideoEngine({
    runTask: pool.run,
    threads: 2,
    ffmpeg: createFfmpegLocator({ setting: undefined, dataDir: folder }),
    whisperCli: createWhisperCliLocator({ setting: program, dataDir: folder }),
    models: files,
    detector: async () => null,
    ocr: { modelFor: () => Promise.reject(new Error('No picture is read here.')) },
  });
  const job = {
    accountId: 'bench',
    filesFolder: join(folder, 'files'),
    workFolder: join(folder, 'work'),
    urlOf: (name: string) => name,
    progress: () => undefined,
  };
  await mkdir(job.filesFolder, { recursive: true });
  const source = { path, fileName: null, sizeBytes: 0, kind: 'audio' } as const;
  const options = { segmentLength: 900, captureFrames: false, frameIntervalSeconds: 30 };
  const { segments } = await engine.extract(source, options, job, signal);
  if (segments.length === 0) throw new Error('Nothing was heard.');
}

async function bareSherpa(path: string): Promise<void> {
  const whisper = { encoder: join(ONNX, 'encoder.onnx'), decoder: join(ONNX, 'decoder.onnx'), language: 'en' };
  const recognizer = new sherpa.OfflineRecognizer({
    featConfig: { sampleRate: SAMPLE_RATE, featureDim: 80 },
    modelConfig: {
      whisper: { ...whisper, task: 'transcribe', tailPaddings: -1 },
      tokens: join(ONNX, 'tokens.txt'),
      numThreads: 1,
    },
  });
  const bytes = (await readFile(path)).subarray(WAV_HEADER_BYTES);
  const samples = Float32Array.from(new Int16Array(new Uint8Array(bytes).buffer), (sample) => sample / 32768);
  for (let from = 0; from < samples.length; from += WINDOW_SAMPLES) {
    const stream = recognizer.createStream();
    stream.acceptWaveform({ sampleRate: SAMPLE_RATE, samples: samples.slice(from, from + WINDOW_SAMPLES) });
    recognizer.decode(stream);
  }
}

async function bareWhisper(path: string): Promise<void> {
  await run(program, ['-m', GGML, '-f', path, '-l', 'en', '-t', '1', '-oj', '-of', join(folder, 'bare')]);
}

async function seconds(work: () => Promise<void>): Promise<number> {
  const startedAt = performance.now();
  await work();
  return (performance.now() - startedAt) / 1000;
}

const onnxModel = { name: 'tiny.en', format: 'onnx-folder', path: ONNX, sizeBytes: 1 };
const ggmlModel = { name: 'tiny.en', format: 'ggml', path: GGML, sizeBytes: 1 };
const subjects = [
  ['sherpa-onnx', (path: string) => product(path, onnxModel), bareSherpa],
  ['whisper.cpp', (path: string) => product(path, ggmlModel), bareWhisper],
] as const;

const rows: Record<string, string | number>[] = [];
for (const kind of ['dense', 'sparse'] as const) {
  const path = await makeSound(kind);
  for (const [engine, ours, bare] of subjects) {
    const times: { ours: number[]; bare: number[] } = { ours: [], bare: [] };
    // In turns, so that whatever else the machine does meets both.
    for (let round = 0; round < ROUNDS; round += 1) {
      times.ours.push(await seconds(() => ours(path)));
      times.bare.push(await seconds(() => bare(path)));
    }
    const [own, alone] = [median(times.ours), median(times.bare)];
    rows.push({ speech: kind, engine, 'Quarry, s': own, 'engine alone, s': alone, ratio: own / alone });
  }
}
printTable(rows);
for (const { speech, engine, ratio } of rows) {
  const most = speech === 'dense' ? OVERHEAD_MAX : 1;
  expectTarget(`${speech} speech with ${engine}: at most ${most} of the engine's own time`, Number(ratio) <= most);
}
await pool.close();
await rm(folder, { recursive: true, force: true });
