/** Pictures of a video for reading: one at each interval, and a small grey one of each to compare them. */
import { mkdir, readdir, rm } from 'node:fs/promises';
import { QuarryError } from '../../contract/index.ts';
import { runTool } from '../../platform/process/run-tool.ts';
import { MINUTE_MS, SECOND_MS } from '../../platform/units.ts';
import { type Decoded, DecodeReport, REPORTING } from './decode-report.ts';
import type { Ffmpeg } from './ffmpeg.ts';
import { DURATION_MAX_SECONDS, type Probe } from './probe.ts';
import { failureOfReading, QUIET, untrustedInput } from './untrusted-input.ts';

/** Pictures of one video. */
export const FRAMES_MAX = 2000;
/** Larger ones are read no better. */
const WIDTH_MAX = 1280;
const THUMBNAIL = { width: 160, height: 90 };
/**
 * From this interval on only key frames are decoded at first, which costs a small part of decoding all: enough where
 * they lie close together.
 */
const KEYFRAMES_FROM_SECONDS = 10;
/** Of the time of both, where they turn out not to. */
const KEYFRAMES_SHARE = 0.1;
/** Two pictures may lie further apart than was asked for by this much. */
const GAP_SHARE = 1.5;
const LIMIT_MIN_MS = 10 * MINUTE_MS;
const LIMIT_SHARE = 1.5;

export interface ExtractedFrames {
  /** File names in the folder, in order. */
  names: string[];
  seconds: number[];
  thumbnailsName: string;
  thumbnail: { width: number; height: number };
  decoded: Decoded;
}

interface Source {
  path: string;
  probe: Pick<Probe, 'format' | 'videoCodec'>;
  durationSeconds: number;
}
interface Target {
  folder: string;
  intervalSeconds: number;
}
interface Watch {
  signal: AbortSignal;
  onProgress(share: number): void;
}

/** Errors: `corrupt_input`, `source_too_large`, `out_of_memory`, `timeout`, and the signal's reason. */
export async function extractFrames(
  ffmpeg: Ffmpeg,
  source: Source,
  target: Target,
  watch: Watch,
): Promise<ExtractedFrames> {
  const { signal } = watch;
  let shareDone = 0;
  if (target.intervalSeconds >= KEYFRAMES_FROM_SECONDS) {
    const onProgress = (share: number) => watch.onProgress(share * KEYFRAMES_SHARE);
    const quick = await takePictures(ffmpeg, source, target, { signal, onProgress }, ['-skip_frame', 'nokey']);
    if (areDense(quick.frames.seconds, source, target)) return quick.frames;
    await rm(target.folder, { recursive: true, force: true });
    await mkdir(target.folder, { recursive: true });
    shareDone = KEYFRAMES_SHARE;
  }
  const onProgress = (share: number) => watch.onProgress(shareDone + (1 - shareDone) * share);
  const { frames, said } = await takePictures(ffmpeg, source, target, { signal, onProgress }, []);
  if (frames.names.length === 0) {
    throw failureOfReading(said, 'No picture of the video could be read. Send an intact copy.');
  }
  return frames;
}

/** Whether the pictures lie about as far apart as was asked for, up to the end. */
function areDense(seconds: readonly number[], { durationSeconds }: Source, { intervalSeconds }: Target): boolean {
  const [first] = seconds;
  if (first === undefined || first > intervalSeconds * (GAP_SHARE - 1)) return false;
  const ends = seconds.length === FRAMES_MAX ? seconds : [...seconds, durationSeconds];
  return ends.every((end, index) => end - (ends[index - 1] ?? 0) <= intervalSeconds * GAP_SHARE);
}

async function takePictures(
  ffmpeg: Ffmpeg,
  source: Source,
  target: Target,
  watch: Watch,
  decoding: readonly string[],
): Promise<{ frames: ExtractedFrames; said: string }> {
  const { width, height } = THUMBNAIL;
  const thumbnailsName = 'thumbnails.gray';
  const select = `select='isnan(prev_selected_t)+gte(t-prev_selected_t,${target.intervalSeconds})',showinfo`;
  const large = `scale='min(${WIDTH_MAX},iw)':-2`;
  const small = `scale=${width}:${height}:flags=area,format=gray`;
  const seconds: number[] = [];
  const args = [
    ...QUIET,
    ...[...REPORTING, '-t', String(DURATION_MAX_SECONDS), ...decoding],
    ...untrustedInput(source.path),
    ...['-filter_complex', `[0:V:0]${select},split[a][b];[a]${large}[large];[b]${small}[small]`],
    ...['-map', '[large]', '-vsync', 'vfr', '-frames:v', String(FRAMES_MAX), '-q:v', '3', '-y'],
    `file:${target.folder}/frame-%04d.jpg`,
    ...['-map', '[small]', '-vsync', 'vfr', '-frames:v', String(FRAMES_MAX), '-f', 'rawvideo', '-y'],
    `file:${target.folder}/${thumbnailsName}`,
    // Copied to nowhere: how far the pictures go.
    ...['-map', '0:V:0', '-c', 'copy', '-f', 'null', '-'],
  ];
  const report = new DecodeReport({ format: source.probe.format, codec: source.probe.videoCodec });
  const { code, said, timedOut } = await runTool({
    path: ffmpeg.path,
    args,
    signal: watch.signal,
    timeLimitMs: Math.max(LIMIT_MIN_MS, source.durationSeconds * LIMIT_SHARE * SECOND_MS),
    onLine: (line) => {
      const done = report.readProgress(line);
      if (done !== null && source.durationSeconds > 0) watch.onProgress(Math.min(1, done / source.durationSeconds));
    },
    onErrorLine: (line) => {
      report.readError(line);
      const time = /Parsed_showinfo.* n: *\d+ .*pts_time:(-?[\d.]+)/.exec(line)?.[1];
      if (time !== undefined) seconds.push(Math.max(0, Number(time)));
    },
  });
  if (timedOut) throw new QuarryError('timeout', 'The pictures could not be read in time. Send a simpler file.');
  const names = (await readdir(target.folder)).filter((name) => /^frame-\d+\.jpg$/.test(name)).sort();
  const frames = {
    ...{ names, seconds: seconds.slice(0, names.length) },
    ...{ thumbnailsName, thumbnail: THUMBNAIL, decoded: report.decoded(1) },
  };
  return { frames, said: `${code}: ${said}` };
}
