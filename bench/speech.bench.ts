/**
 * A transcription from file to captions, beside the bare engines on the same model, sound and threads: whisper-cli as a
 * program, and sherpa-onnx in windows of 29 seconds. Dense speech (clips on end) shows what everything
 * around the engine costs; sparse speech (one part in three) what skipping silence saves. The model is the small one of
 * the tests, so the share of what stands around the engine is as large as it can be. The share of wrong words stands
 * beside the time: whoever hears less is done sooner. The product's programs stand back for others, the bare ones do not:
 * on a busy machine only the CPU time can be compared.
 */
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import sherpa from 'sherpa-onnx-node';
import { openStagePace } from '../src-server/features/media/estimate.ts';
import { createMediaReader } from '../src-server/features/media/media-reader.ts';
import { createVideoEngine } from '../src-server/features/media/service.ts';
import type { SpeechModelFiles } from '../src-server/features/media/speech.ts';
import { createWhisperCliLocator } from '../src-server/features/media/whisper-cli.ts';
import { createWorkerPool } from '../src-server/platform/pool/worker-pool.ts';
import { forkChildPrograms } from '../src-server/platform/rpc/child-process.ts';
import { GIB } from '../src-server/platform/units.ts';
import { CLIPS, clips, wordErrorRate } from '../test/harness/speech.ts';
import { builtWhisperCli } from '../test/harness/whisper-cli.ts';
import { expectTarget, measured, median, printTable } from './figures.ts';

const run = promisify(execFile);
const ROUNDS = 3;
const OVERHEAD_MAX = 1.05;
const WITH_DETECTOR_MAX = 1.1;
const SAMPLE_RATE = 16_000;
const WINDOW_SAMPLES = 29 * SAMPLE_RATE;
const WAV_HEADER_BYTES = 44;
const FIXTURES = fileURLToPath(new URL('../test/fixtures/', import.meta.url));
const ONNX = join(FIXTURES, 'models/tiny-closed-vocab.en-onnx');
const GGML = join(FIXTURES, 'models/tiny-closed-vocab.en.ggml.bin');
/** Heard one after the other, and then the other way round; their true words are known. */
const CLIPS_ONCE = ['01-meeting.wav', '02-fox.wav', '03-report.wav', '04-numbers.wav', '06-class.wav', '08-long.mp3'];
const CLIP_NAMES = [...CLIPS_ONCE, ...CLIPS_ONCE.toReversed()];
const SPARSE_SECONDS = 480;

const folder = await mkdtemp(join(tmpdir(), 'quarry bench '));
const program = await builtWhisperCli();
const pool = createWorkerPool({ entry: new URL('../workers/entry.ts', import.meta.url), memoryLimitBytes: 16 * GIB });
const signal = new AbortController().signal;

async function makeSound(kind: 'dense' | 'sparse'): Promise<string> {
  const path = join(folder, `${kind}.wav`);
  const same = CLIP_NAMES.map((_, index) => `[${index}:a]aformat=sample_rates=16000:channel_layouts=mono[a${index}]`);
  const joined = `${CLIP_NAMES.map((_, index) => `[a${index}]`).join('')}concat=n=${CLIP_NAMES.length}:v=0:a=1`;
  const silence = kind === 'sparse' ? `,apad=whole_dur=${SPARSE_SECONDS}` : '';
  const inputs = CLIP_NAMES.flatMap((name) => ['-i', join(CLIPS, name)]);
  const filter = ['-filter_complex', `${same.join(';')};${joined}${silence}`];
  await run('ffmpeg', ['-v', 'error', '-nostdin', ...inputs, ...filter, '-bitexact', '-y', path]);
  return path;
}

const pace = openStagePace(join(folder, 'pace.json'), (error) => {
  throw error;
});
const media = createMediaReader(forkChildPrograms(new URL('../workers/entry.ts', import.meta.url)));
const whisperCli = createWhisperCliLocator({ setting: program, dataDir: folder });

const NO_SPEAKERS = () => Promise.reject(new Error('No speakers are looked for here.'));

type Model = Awaited<ReturnType<SpeechModelFiles['require']>>;

async function product(path: string, change: Pick<Model, 'name' | 'format' | 'path'>, detectorPath: string | null) {
  const parts = { encoder: 'encoder.onnx', decoder: 'decoder.onnx', tokens: 'tokens.txt' };
  const speech = change.format === 'onnx-folder' ? ({ family: 'whisper', files: parts } as const) : null;
  const model: Model = { sizeBytes: 0, languages: null, recommendedFor: [], speech, ...change };
  const files = { list: async () => [model], require: async () => model, recommended: () => null };
  const engine = createVideoEngine({
    runTask: pool.run,
    threads: 2,
    media,
    whisperCli,
    models: files,
    pace,
    detector: async () => detectorPath,
    speakers: { list: async () => [], require: NO_SPEAKERS, recommended: () => null },
    ocr: { modelFor: () => Promise.reject(new Error('No picture is read here.')) },
  });
  const job = {
    accountId: 'bench',
    filesFolder: join(folder, 'files'),
    workFolder: join(folder, 'work'),
    spentSeconds: 0,
    choices: {},
    urlOf: (name: string) => name,
    progress: () => undefined,
    emit: () => undefined,
  };
  await mkdir(job.filesFolder, { recursive: true });
  const source = { path, fileName: null, sizeBytes: 0, kind: 'audio' } as const;
  const options = { segmentLength: 900, captureFrames: false, frameIntervalSeconds: 30 };
  const { segments } = await engine.extract(source, options, job, signal);
  return segments.map(({ text }) => text).join(' ');
}

async function bareSherpa(path: string): Promise<string> {
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
  const heard: string[] = [];
  for (let from = 0; from < samples.length; from += WINDOW_SAMPLES) {
    const stream = recognizer.createStream();
    stream.acceptWaveform({ sampleRate: SAMPLE_RATE, samples: samples.slice(from, from + WINDOW_SAMPLES) });
    recognizer.decode(stream);
    heard.push(recognizer.getResult(stream).text);
  }
  return heard.join(' ');
}

/** Without carrying words from one step into the next, which loses a third of this sound's, and is then done sooner. */
async function bareWhisper(path: string): Promise<string> {
  const { stdout } = await run(program, ['-m', GGML, '-f', path, '-l', 'en', '-t', '1', '-mc', '0']);
  return stdout.replaceAll(/^\[.*?\]/gm, ' ');
}

const onnxModel = { name: 'tiny.en', format: 'onnx-folder', path: ONNX };
const ggmlModel = { name: 'tiny.en', format: 'ggml', path: GGML };
const WITH_MODEL = 'sherpa-onnx after Silero’s model';
const SILERO = fileURLToPath(new URL('../resources/vad/silero-vad.onnx', import.meta.url));
const subjects = [
  ['sherpa-onnx', (path: string) => product(path, onnxModel, null), bareSherpa],
  ['whisper.cpp', (path: string) => product(path, ggmlModel, null), bareWhisper],
  // What the voice activity model costs is the difference to the first row.
  [WITH_MODEL, (path: string) => product(path, onnxModel, SILERO), bareSherpa],
] as const;

const known = await clips();
const truth = CLIP_NAMES.map((name) => known.find(({ file }) => file === name)?.text).join(' ');
type Run = Awaited<ReturnType<typeof measured<string>>>;
const rows: Record<string, string | number>[] = [];
for (const kind of ['dense', 'sparse'] as const) {
  const path = await makeSound(kind);
  for (const [engine, ours, bare] of subjects) {
    const runs: { ours: Run[]; bare: Run[] } = { ours: [], bare: [] };
    // In turns, so that whatever else the machine does meets both.
    for (let round = 0; round < ROUNDS; round += 1) {
      runs.ours.push(await measured(() => ours(path)));
      runs.bare.push(await measured(() => bare(path)));
    }
    const of = (all: Run[], what: 'seconds' | 'cpuSeconds') => median(all.map((one) => one[what]));
    const wrong = (all: Run[]) => wordErrorRate(truth, all[0]?.value ?? '') * 100;
    rows.push({
      speech: kind,
      engine,
      'Quarry, s': of(runs.ours, 'seconds'),
      'engine alone, s': of(runs.bare, 'seconds'),
      ratio: of(runs.ours, 'seconds') / of(runs.bare, 'seconds'),
      'CPU, s': of(runs.ours, 'cpuSeconds'),
      'alone, CPU s': of(runs.bare, 'cpuSeconds'),
      'words wrong, %': wrong(runs.ours),
      'alone, %': wrong(runs.bare),
    });
  }
}
printTable(rows);
for (const row of rows) {
  const { speech, engine, ratio } = row;
  if (engine === WITH_MODEL) {
    const share = Number(row['CPU, s']) / Number(row['alone, CPU s']);
    const claim = `${speech} speech, with the detector: at most ${WITH_DETECTOR_MAX} of the CPU of the engine alone`;
    expectTarget(`${claim} (${share.toFixed(2)})`, share <= WITH_DETECTOR_MAX);
    continue;
  }
  const most = speech === 'dense' ? OVERHEAD_MAX : 1;
  expectTarget(`${speech} speech with ${engine}: at most ${most} of the engine's own time`, Number(ratio) <= most);
  const noWorse = Number(row['words wrong, %']) <= Number(row['alone, %']);
  expectTarget(`${speech} speech with ${engine}: no more wrong words than the engine's own`, noWorse);
}
await pool.close();
await rm(folder, { recursive: true, force: true });
