/**
 * What a long transcription asks of the server: its memory with 20 minutes and with 3 hours of sound (one minute of
 * speech in ten), and how long `GET /jobs/{id}` takes while the recogniser listens to dense speech.
 */
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { startApplianceProcess } from '../test/harness/appliance-process.ts';
import { CLIPS, installSpeechModel, ONNX_MODEL } from '../test/harness/speech.ts';
import { expectTarget, percentile, printTable } from './figures.ts';
import { begin, memoryOf, read } from './memory.ts';

const run = promisify(execFile);
const ROUND_SECONDS = 600;
const SHORT_ROUNDS = 2;
const LONG_ROUNDS = 18;
const DENSE_LOOPS = 9;
const FLAT_RATIO = 1.3;
/** The recogniser keeps something of each window, up to a hundred of them: then a new process takes over. */
const STARTED_RATIO = 2;
const POLL_MS = 100;
const SAMPLES = 800;
const PAUSE_MS = 4;
const P99_MAX_MS = 50;

const folder = await mkdtemp(join(tmpdir(), 'quarry bench '));
const server = await startApplianceProcess();

/** A minute of speech and nine of silence, so many times. */
async function sparse(name: string, rounds: number): Promise<Buffer> {
  const [once, path] = [join(folder, 'once.wav'), join(folder, name)];
  const padded = ['-af', `apad=whole_dur=${ROUND_SECONDS}`, '-ac', '1', '-ar', '16000'];
  await run('ffmpeg', ['-v', 'error', '-nostdin', '-i', join(CLIPS, '08-long.mp3'), ...padded, '-y', once]);
  const args = ['-stream_loop', String(rounds - 1), '-i', once, '-c:a', 'flac', '-compression_level', '0', '-y', path];
  await run('ffmpeg', ['-v', 'error', '-nostdin', ...args]);
  return readFile(path);
}

async function dense(): Promise<Buffer> {
  const path = join(folder, 'dense.flac');
  const loop = ['-stream_loop', String(DENSE_LOOPS - 1), '-i', join(CLIPS, '08-long.mp3')];
  await run('ffmpeg', ['-v', 'error', '-nostdin', ...loop, '-ac', '1', '-ar', '16000', '-y', path]);
  return readFile(path);
}

async function latencies(jobId: string): Promise<number[]> {
  const samples: number[] = [];
  for (let n = 0; n < SAMPLES; n += 1) {
    const startedAt = performance.now();
    await (await server.owner(`/v1/jobs/${jobId}`)).arrayBuffer();
    samples.push(performance.now() - startedAt);
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  }
  return samples;
}

try {
  await installSpeechModel(server, ONNX_MODEL);
  const short = await memoryOf(server, await sparse('short.flac', SHORT_ROUNDS), 'short.flac');
  const long = await memoryOf(server, await sparse('long.flac', LONG_ROUNDS), 'long.flac');
  printTable([short, long]);
  for (const [whose, most] of [
    ['server at most, MB', FLAT_RATIO],
    ['what it started, MB', STARTED_RATIO],
  ] as const) {
    const ratio = long[whose] / short[whose];
    const claim = `memory with 3 hours is at most ${most} times that with 20 minutes: ${whose}`;
    expectTarget(`${claim} (${ratio.toFixed(2)})`, ratio <= most);
  }

  const sound = await dense();
  const finishedId = await begin(server, await readFile(join(CLIPS, '02-fox.wav')), 'fox.wav');
  await latencies(finishedId);
  const idle = await latencies(finishedId);
  const busyId = await begin(server, sound, 'dense.flac');
  while ((await read(server, busyId)).progress.stage !== 'transcribing')
    await new Promise((done) => setTimeout(done, POLL_MS));
  const busy = await latencies(finishedId);
  const stage = (await read(server, busyId)).progress.stage;
  const row = (state: string, samples: number[]) => ({
    state,
    'p50 ms': percentile(samples, 0.5),
    'p99 ms': percentile(samples, 0.99),
  });
  // The figure is of a recogniser that listens from the first sample to the last.
  if (stage !== 'transcribing') throw new Error(`The sound is too short: at the last sample the stage was ${stage}.`);
  printTable([row('idle', idle), row('transcribing', busy)]);
  expectTarget(`p99 while transcribing is under ${P99_MAX_MS} ms`, percentile(busy, 0.99) < P99_MAX_MS);
} finally {
  await server[Symbol.asyncDispose]();
  await rm(folder, { recursive: true, force: true });
}
