/** Pictures of a video for reading: one at each interval, and a small grey one beside it for telling them apart. */
import { readdir } from 'node:fs/promises';
import { QuarryError } from '../../contract/index.ts';
import { MINUTE_MS, SECOND_MS } from '../../lib/units.ts';
import type { Ffmpeg } from './ffmpeg.ts';
import { DURATION_MAX_SECONDS } from './probe.ts';
import { runTool } from './run-tool.ts';
import { QUIET, untrustedInput } from './untrusted-input.ts';

/** Pictures of one video. */
const FRAMES_MAX = 2000;
/** Larger ones are read no better. */
const WIDTH_MAX = 1280;
const THUMBNAIL = { width: 32, height: 18 };
const LIMIT_MIN_MS = 10 * MINUTE_MS;
const LIMIT_SHARE = 1.5;

export interface ExtractedFrames {
  /** File names in the folder, in order. */
  names: string[];
  seconds: number[];
  thumbnailsName: string;
  thumbnailBytes: number;
}

/** Errors: `corrupt_input`, `timeout`, and the signal's reason. */
export async function extractFrames(
  ffmpeg: Ffmpeg,
  source: { path: string; durationSeconds: number },
  target: { folder: string; intervalSeconds: number },
  watch: { signal: AbortSignal; onProgress(share: number): void },
): Promise<ExtractedFrames> {
  const { width, height } = THUMBNAIL;
  const thumbnailsName = 'thumbnails.gray';
  const select = `select='isnan(prev_selected_t)+gte(t-prev_selected_t,${target.intervalSeconds})',showinfo`;
  const large = `scale='min(${WIDTH_MAX},iw)':-2`;
  const small = `scale=${width}:${height}:flags=area,format=gray`;
  const seconds: number[] = [];
  const args = [
    ...QUIET,
    ...['-v', 'info', '-nostats', '-progress', 'pipe:1', '-t', String(DURATION_MAX_SECONDS)],
    ...untrustedInput(source.path),
    ...['-filter_complex', `[0:v:0]${select},split[a][b];[a]${large}[large];[b]${small}[small]`],
    ...['-map', '[large]', '-vsync', 'vfr', '-frames:v', String(FRAMES_MAX), '-q:v', '3', '-y'],
    `file:${target.folder}/frame-%04d.jpg`,
    ...['-map', '[small]', '-vsync', 'vfr', '-frames:v', String(FRAMES_MAX), '-f', 'rawvideo', '-y'],
    `file:${target.folder}/${thumbnailsName}`,
  ];
  const { code, said, timedOut } = await runTool({
    path: ffmpeg.path,
    args,
    signal: watch.signal,
    timeLimitMs: Math.max(LIMIT_MIN_MS, source.durationSeconds * LIMIT_SHARE * SECOND_MS),
    onLine: (line) => {
      const micros = /^out_time_us=(\d+)/.exec(line);
      if (micros !== null && source.durationSeconds > 0) {
        watch.onProgress(Number(micros[1]) / 1e6 / source.durationSeconds);
      }
    },
    onErrorLine: (line) => {
      const time = /Parsed_showinfo.* n: *\d+ .*pts_time:(-?[\d.]+)/.exec(line)?.[1];
      if (time !== undefined) seconds.push(Math.max(0, Number(time)));
    },
  });
  if (timedOut) throw new QuarryError('timeout', 'The pictures could not be read in time. Send a simpler file.');
  const names = (await readdir(target.folder)).filter((name) => /^frame-\d+\.jpg$/.test(name)).sort();
  if (names.length === 0) {
    throw new QuarryError('corrupt_input', 'No picture of the video could be read. Send an intact copy.', {
      cause: `${code}: ${said}`,
    });
  }
  return { names, seconds: seconds.slice(0, names.length), thumbnailsName, thumbnailBytes: width * height };
}
