/**
 * Who speaks when and what: the diarization error rate (missed, false and confused speech over all speech, overlaps
 * counted), beside the engine alone on the same models, and the wrong words by speaker, beside the engine alone on each of
 * its own turns. The sound is a folder of recordings, each with its truth in RTTM of the same name, or all in one
 * `truth.json`: `SPEAKER_SOUND=<folder> SPEAKER_MODEL=<folder> npm run bench speakers`. Without them, the small models and
 * the made conversations of the tests. Words are compared where the truth has them and the small recogniser knows them.
 */
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, parse } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import sherpa from 'sherpa-onnx-node';
import { openStagePace } from '../src-server/features/media/estimate.ts';
import { createMediaReader } from '../src-server/features/media/media-reader.ts';
import { createVideoEngine } from '../src-server/features/media/service.ts';
import { createWhisperCliLocator } from '../src-server/features/media/whisper-cli.ts';
import { createWorkerPool } from '../src-server/platform/pool/worker-pool.ts';
import { forkChildPrograms } from '../src-server/platform/rpc/child-process.ts';
import { GIB } from '../src-server/platform/units.ts';
import { type ErrorSeconds, errorSeconds, type Turn } from '../test/harness/diarization.ts';
import { wordErrorRate } from '../test/harness/speech.ts';
import { expectTarget, measured, printTable } from './figures.ts';

const run = promisify(execFile);
const SAMPLE_RATE = 16_000;
const FIXTURES = fileURLToPath(new URL('../test/fixtures/', import.meta.url));
const SOUND = process.env.SPEAKER_SOUND ?? join(FIXTURES, 'media/conversations');
const MODEL = process.env.SPEAKER_MODEL ?? join(FIXTURES, 'models/tiny-speakers');
const ONNX = join(FIXTURES, 'models/tiny-closed-vocab.en-onnx');
const model = { segmentation: join(MODEL, 'segmentation.onnx'), embedding: join(MODEL, 'embedding.onnx') };

const folder = await mkdtemp(join(tmpdir(), 'quarry bench '));
const pool = createWorkerPool({ entry: new URL('../workers/entry.ts', import.meta.url), memoryLimitBytes: 16 * GIB });

const pace = openStagePace(join(folder, 'pace.json'), (error) => {
  throw error;
});

interface Recording {
  name: string;
  path: string;
  /** The words of the turns are known, and the small recogniser knows them. */
  hasWords: boolean;
  pcmPath: string;
  samples: number;
  turns: Turn[];
}

interface Listed {
  file: string;
  closedVocabulary?: boolean;
  turns: Turn[];
}

async function recordings(): Promise<Recording[]> {
  const names = (await readdir(SOUND)).sort();
  const listed = names.includes('truth.json')
    ? (JSON.parse(await readFile(join(SOUND, 'truth.json'), 'utf8')) as Listed[])
    : [];
  const found: Recording[] = [];
  for (const file of names.filter((name) => /\.(wav|flac|mp3|m4a|ogg)$/i.test(name))) {
    const { name } = parse(file);
    const turns = names.includes(`${name}.rttm`)
      ? turnsOf(await readFile(join(SOUND, `${name}.rttm`), 'utf8'))
      : listed.find((one) => one.file === file)?.turns;
    if (turns === undefined) continue;
    const pcmPath = join(folder, `${name}.pcm`);
    const as = ['-f', 's16le', '-ac', '1', '-ar', String(SAMPLE_RATE)];
    await run('ffmpeg', ['-v', 'error', '-nostdin', '-i', join(SOUND, file), ...as, '-y', pcmPath]);
    const hasWords = listed.some((one) => one.file === file && one.closedVocabulary === true);
    found.push({
      name,
      path: join(SOUND, file),
      hasWords,
      pcmPath,
      samples: (await readFile(pcmPath)).length / 2,
      turns,
    });
  }
  return found;
}

/** `SPEAKER <file> <channel> <start> <duration> <NA> <NA> <speaker> …` */
function turnsOf(rttm: string): Turn[] {
  return rttm.split('\n').flatMap((line) => {
    const [kind, , , start, duration, , , speaker] = line.split(/\s+/);
    if (kind !== 'SPEAKER' || speaker === undefined) return [];
    return [{ start: Number(start), end: Number(start) + Number(duration), speaker }];
  });
}

async function product({ name, pcmPath, samples }: Recording, count: number | null): Promise<Turn[]> {
  const input = {
    ...{ model, pcmPath, sampleRate: SAMPLE_RATE, speech: [[0, samples] as [number, number]], count, threads: 1 },
    partsFolder: join(folder, `${name}-${count ?? 'auto'}`),
  };
  const { turns } = await pool.run('find-speakers', input, {
    signal: new AbortController().signal,
    accountId: 'bench',
    heavy: true,
    timeLimitMs: 3_600_000,
  });
  return turns.map((turn) => ({ ...turn, speaker: String(turn.speaker) }));
}

async function bare({ pcmPath }: Recording, count: number | null): Promise<Turn[]> {
  const diarizer = new sherpa.OfflineSpeakerDiarization({
    segmentation: { pyannote: { model: model.segmentation }, numThreads: 1 },
    embedding: { model: model.embedding, numThreads: 1 },
    clustering: { numClusters: count ?? -1, threshold: 0.5 },
    minDurationOn: 0.2,
    minDurationOff: 0.3,
  });
  const bytes = await readFile(pcmPath);
  const samples = Float32Array.from(new Int16Array(new Uint8Array(bytes).buffer), (sample) => sample / 32768);
  return diarizer.process(samples).map((turn) => ({ ...turn, speaker: String(turn.speaker) }));
}

/** The whole product: what each speaker says. */
async function productWords({ name, path }: Recording, count: number): Promise<Turn[]> {
  const files = { encoder: 'encoder.onnx', decoder: 'decoder.onnx', tokens: 'tokens.txt' };
  const speech = { family: 'whisper', files } as const;
  const recogniser = { name: 'tiny', format: 'onnx-folder', path: ONNX, sizeBytes: 0, speech };
  const installed = { ...recogniser, languages: null, recommendedFor: [] };
  const engine = createVideoEngine({
    ...{ runTask: pool.run, threads: 2, pace, detector: async () => null },
    media: createMediaReader(forkChildPrograms(new URL('../workers/entry.ts', import.meta.url))),
    whisperCli: createWhisperCliLocator({ setting: undefined, dataDir: folder }),
    models: { list: async () => [installed], require: async () => installed, recommended: () => null },
    speakers: {
      list: async () => [{ name: 'tiny', path: MODEL }],
      require: async () => ({ path: MODEL }),
      recommended: () => null,
    },
    ocr: { modelFor: () => Promise.reject(new Error('No picture is read here.')) },
  });
  const job = {
    ...{ accountId: 'bench', spentSeconds: 0, urlOf: (file: string) => file, progress: () => undefined, choices: {} },
    emit: () => undefined,
    filesFolder: join(folder, `${name}-files`),
    workFolder: join(folder, `${name}-work`),
  };
  await mkdir(job.filesFolder, { recursive: true });
  const source = { path, fileName: null, sizeBytes: 0, kind: 'audio' } as const;
  const options = { segmentLength: 900, captureFrames: false, frameIntervalSeconds: 30, speakers: count };
  const { segments } = await engine.extract(source, options, job, new AbortController().signal);
  return segments.map(({ speaker = '', ...segment }) => ({ ...segment, speaker }));
}

/** Each turn of the engine alone, transcribed by itself with a little more sound around it. */
async function bareWords(recording: Recording, count: number): Promise<Turn[]> {
  const whisper = { encoder: join(ONNX, 'encoder.onnx'), decoder: join(ONNX, 'decoder.onnx'), language: 'en' };
  const recognizer = new sherpa.OfflineRecognizer({
    featConfig: { sampleRate: SAMPLE_RATE, featureDim: 80 },
    modelConfig: { whisper: { ...whisper, task: 'transcribe' }, tokens: join(ONNX, 'tokens.txt'), numThreads: 1 },
  });
  const bytes = await readFile(recording.pcmPath);
  const samples = Float32Array.from(new Int16Array(new Uint8Array(bytes).buffer), (sample) => sample / 32768);
  return (await bare(recording, count)).map((turn) => {
    const stream = recognizer.createStream();
    const [from, to] = [Math.max(0, turn.start - 0.1), turn.end + 0.15];
    const part = samples.slice(Math.round(from * SAMPLE_RATE), Math.round(to * SAMPLE_RATE));
    stream.acceptWaveform({ sampleRate: SAMPLE_RATE, samples: part });
    recognizer.decode(stream);
    return { ...turn, text: recognizer.getResult(stream).text };
  });
}

/** Wrong words over all words, by speaker, with the assignment of speakers that has the least. */
function wrongWords(truth: readonly Turn[], heard: readonly Turn[]): number {
  const said = (turns: readonly Turn[], speaker: string | undefined) =>
    turns.flatMap((turn) => (turn.speaker === speaker ? (turn.text ?? '') : [])).join(' ');
  const names = [...new Set(truth.map(({ speaker }) => speaker))];
  const found = [...new Set(heard.map(({ speaker }) => speaker))];
  const words = (text: string) => text.split(/\s+/).length;
  const total = names.reduce((sum, name) => sum + words(said(truth, name)), 0);
  const wrong = (name: string, other: string | undefined) =>
    wordErrorRate(said(truth, name), said(heard, other)) * words(said(truth, name));
  const least = (rest: readonly string[], open: readonly string[]): number => {
    const [name, ...later] = rest;
    if (name === undefined) return 0;
    const choices = [...open.map((other) => [other, open.filter((one) => one !== other)] as const), [undefined, open]];
    return Math.min(
      ...choices.map(([other, left]) => wrong(name, other as string | undefined) + least(later, left as string[])),
    );
  };
  return (least(names, found) / total) * 100;
}

const rate = ({ missed, wrong, confused, spoken }: ErrorSeconds) => ((missed + wrong + confused) / spoken) * 100;

const all = await recordings();
const rows: Record<string, string | number>[] = [];
const totals = new Map<string, ErrorSeconds & { took: number; right: number }>();
for (const recording of all) {
  const speakers = new Set(recording.turns.map(({ speaker }) => speaker)).size;
  const row: Record<string, string | number> = { recording: recording.name, speakers };
  for (const [how, count] of [['given', speakers] as const, ['found', null] as const]) {
    for (const [who, work] of [['Quarry', product] as const, ['engine', bare] as const]) {
      const { value: turns, seconds } = await measured(() => work(recording, count));
      const errors = errorSeconds(recording.turns, turns);
      const key = `${who}, number ${how}`;
      const total = totals.get(key) ?? { missed: 0, wrong: 0, confused: 0, spoken: 0, took: 0, right: 0 };
      for (const part of ['missed', 'wrong', 'confused', 'spoken'] as const) total[part] += errors[part];
      total.took += seconds;
      total.right += new Set(turns.map(({ speaker }) => speaker)).size === speakers ? 1 : 0;
      totals.set(key, total);
      row[key] = rate(errors);
    }
  }
  rows.push(row);
}
printTable(rows);
printTable(
  [...totals].map(([who, total]) => ({
    'DER in %': who,
    all: rate(total),
    missed: (total.missed / total.spoken) * 100,
    false: (total.wrong / total.spoken) * 100,
    confused: (total.confused / total.spoken) * 100,
    'right number': `${total.right} of ${all.length}`,
    seconds: total.took,
  })),
);
for (const how of ['given', 'found']) {
  const [ours, theirs] = ['Quarry', 'engine'].map((who) => totals.get(`${who}, number ${how}`) as ErrorSeconds);
  expectTarget(
    `with the number ${how}, no more errors than the engine alone`,
    rate(ours as ErrorSeconds) <= rate(theirs as ErrorSeconds),
  );
}
const wordRows = [];
for (const recording of all.filter(({ hasWords }) => hasWords)) {
  const speakers = new Set(recording.turns.map(({ speaker }) => speaker)).size;
  wordRows.push({
    'wrong words by speaker in %': recording.name,
    Quarry: wrongWords(recording.turns, await productWords(recording, speakers)),
    'engine, turn by turn': wrongWords(recording.turns, await bareWords(recording, speakers)),
  });
}
if (wordRows.length > 0) printTable(wordRows);
await pool.close();
await rm(folder, { recursive: true, force: true });
