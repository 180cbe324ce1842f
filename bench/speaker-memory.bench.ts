/**
 * Memory of a transcription with speakers: a conversation of two on end, for 5 minutes and for an hour, or for
 * `QUARRY_BENCH_SECONDS`.
 */
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { startApplianceProcess } from '../test/harness/appliance-process.ts';
import { installSpeakerModel, installSpeechModel, ONNX_MODEL } from '../test/harness/speech.ts';
import { expectTarget, printTable } from './figures.ts';
import { memoryOf } from './memory.ts';

const run = promisify(execFile);
const CONVERSATION = join(import.meta.dirname, '../test/fixtures/media/conversations/01-two-speakers.wav');
const SHORT_SECONDS = 300;
const LONG_SECONDS = Number(process.env.QUARRY_BENCH_SECONDS ?? 3600);
const GROWTH_MAX = 1.5;

const folder = await mkdtemp(join(tmpdir(), 'quarry bench '));
const server = await startApplianceProcess();

async function looped(name: string, seconds: number): Promise<Buffer> {
  const path = join(folder, name);
  const loop = ['-stream_loop', '-1', '-i', CONVERSATION, '-t', String(seconds), '-compression_level', '0'];
  await run('ffmpeg', ['-v', 'error', '-nostdin', ...loop, '-y', path]);
  return readFile(path);
}

try {
  await installSpeechModel(server, ONNX_MODEL);
  await installSpeakerModel(server);
  const options = { speakers: true };
  const short = await memoryOf(server, await looped('short.flac', SHORT_SECONDS), 'short.flac', options);
  printTable([short]);
  const long = await memoryOf(server, await looped('long.flac', LONG_SECONDS), 'long.flac', options);
  printTable([short, long]);
  for (const whose of ['server at most, MB', 'what it started, MB'] as const) {
    const ratio = long[whose] / short[whose];
    const claim = `memory with ${LONG_SECONDS / 60} minutes is at most ${GROWTH_MAX} times that with 5 minutes: ${whose}`;
    expectTarget(`${claim} (${ratio.toFixed(2)})`, ratio <= GROWTH_MAX);
  }
} finally {
  await server[Symbol.asyncDispose]();
  await rm(folder, { recursive: true, force: true });
}
