/**
 * Who speaks when and what: the diarization error rate (missed, false and confused speech over all speech, overlaps
 * counted) and the words that got the wrong speaker, beside the engine alone on the same models. The sound is a folder of
 * recordings, each with its truth in RTTM of the same name, or all in one `truth.json` with the words of each turn:
 * `SPEAKER_SOUND=<folder> SPEAKER_MODEL=<folder> npm run bench speakers`. Without them, the small models and the made
 * conversations of the tests.
 */
import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, parse } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import sherpa from 'sherpa-onnx-node';
import { createWorkerPool } from '../src-server/platform/pool/worker-pool.ts';
import { GIB } from '../src-server/platform/units.ts';
import { type ErrorSeconds, errorSeconds, type Turn } from '../test/harness/diarization.ts';
import { expectTarget, measured, printTable } from './figures.ts';

const run = promisify(execFile);
const SAMPLE_RATE = 16_000;
const FIXTURES = fileURLToPath(new URL('../test/fixtures/', import.meta.url));
const SOUND = process.env.SPEAKER_SOUND ?? join(FIXTURES, 'media/conversations');
const MODEL = process.env.SPEAKER_MODEL ?? join(FIXTURES, 'models/tiny-speakers');
const model = { segmentation: join(MODEL, 'segmentation.onnx'), embedding: join(MODEL, 'embedding.onnx') };

const folder = await mkdtemp(join(tmpdir(), 'quarry bench '));
const pool = createWorkerPool({ entry: new URL('../workers/entry.ts', import.meta.url), memoryLimitBytes: 16 * GIB });

interface Recording {
  name: string;
  pcmPath: string;
  samples: number;
  turns: Turn[];
}

async function recordings(): Promise<Recording[]> {
  const names = (await readdir(SOUND)).sort();
  const listed = names.includes('truth.json')
    ? (JSON.parse(await readFile(join(SOUND, 'truth.json'), 'utf8')) as { file: string; turns: Turn[] }[])
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
    found.push({ name, pcmPath, samples: (await readFile(pcmPath)).length / 2, turns });
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
await pool.close();
await rm(folder, { recursive: true, force: true });
