/**
 * The frame stage beside plain ffmpeg on the same video: 2 minutes of 720p at 25 pictures a second with a key frame
 * every 2 seconds. CPU seconds of the ffmpeg processes are compared, which another load does not change much.
 */
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { createFfmpegLocator } from '../src-server/features/media/ffmpeg.ts';
import { extractFrames } from '../src-server/features/media/frames.ts';
import { createMediaReader } from '../src-server/features/media/media-reader.ts';
import { forkChildPrograms } from '../src-server/platform/rpc/child-process.ts';
import { expectTarget, measured, median, printTable } from './figures.ts';

const run = promisify(execFile);
const DURATION_SECONDS = 120;
const RATE = 25;
const ROUNDS = 3;
/** Taking pictures decodes all of it once: what scaling and writing add is little. */
const FULL_RATIO_MAX = 1.2;

const folder = await mkdtemp(join(tmpdir(), 'quarry bench '));
const ffmpeg = await createFfmpegLocator({ setting: undefined, dataDir: folder }).locate();
const path = join(folder, 'video.mp4');
const media = createMediaReader(forkChildPrograms(new URL('../workers/entry.ts', import.meta.url)));

async function stage(intervalSeconds: number): Promise<number> {
  const target = { folder: join(folder, 'frames'), intervalSeconds };
  await mkdir(target.folder, { recursive: true });
  const watch = { signal: new AbortController().signal, onProgress: () => undefined };
  const { names } = await extractFrames(
    media,
    { path, clockRunsOn: false, durationSeconds: DURATION_SECONDS },
    target,
    watch,
  );
  await rm(target.folder, { recursive: true });
  return names.length;
}

const plain = (...args: string[]) =>
  run(ffmpeg.path, ['-v', 'error', '-nostdin', '-i', path, ...args, '-f', 'null', '-']);

try {
  const source = ['-f', 'lavfi', '-i', `testsrc2=size=1280x720:rate=${RATE}:duration=${DURATION_SECONDS}`];
  const codec = ['-c:v', 'libx264', '-preset', 'ultrafast', '-pix_fmt', 'yuv420p', '-g', String(2 * RATE)];
  await run('ffmpeg', ['-v', 'error', '-nostdin', ...source, ...codec, '-y', path]);
  const subjects: Record<string, () => Promise<unknown>> = {
    'plain ffmpeg, decoding alone': () => plain(),
    'plain ffmpeg, fps=1/5': () => plain('-vf', 'fps=1/5'),
    'frame stage, every 5 s': () => stage(5),
    'frame stage, every 30 s': () => stage(30),
  };
  const cpu: Record<string, number[]> = Object.fromEntries(Object.keys(subjects).map((name) => [name, []]));
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const [name, work] of Object.entries(subjects)) cpu[name]?.push((await measured(work)).cpuSeconds);
  }
  const pictures = DURATION_SECONDS * RATE;
  const rows = Object.entries(cpu).map(([subject, samples]) => ({
    subject,
    'CPU s': median(samples),
    'pictures of the video a CPU second': pictures / median(samples),
  }));
  process.stdout.write(`${availableParallelism()} cores, ffmpeg ${ffmpeg.version}\n`);
  printTable(rows);
  const of = (name: string) => median(cpu[name] ?? []);
  const ratio = of('frame stage, every 5 s') / of('plain ffmpeg, fps=1/5');
  expectTarget(
    `every 5 s costs at most ${FULL_RATIO_MAX} of plain ffmpeg (${ratio.toFixed(2)})`,
    ratio <= FULL_RATIO_MAX,
  );
  const quick = of('frame stage, every 30 s') / of('plain ffmpeg, decoding alone');
  expectTarget(`every 30 s costs less than decoding (${quick.toFixed(2)})`, quick < 1);
} finally {
  await rm(folder, { recursive: true, force: true });
}
