/** The video of a job with its subtitles: as a track that players can turn off, or drawn into the pictures. */

import { existsSync } from 'node:fs';
import { copyFile, mkdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { join, resolve, sep } from 'node:path';
import { z } from 'zod';
import { QuarryError } from '../../platform/errors.ts';
import { parseOwnJson } from '../../platform/own-json.ts';
import { runTool } from '../../platform/process/run-tool.ts';
import { type LimitReached, limitPhrase } from '../../platform/process/work-limit.ts';
import { say } from '../../platform/text/say.ts';
import { GIB, HOUR_MS, MIB } from '../../platform/units.ts';
import type { FfmpegLocator } from './ffmpeg.ts';
import type { MediaReader } from './media-reader.ts';
import { type Probe, probeMedia } from './probe.ts';

/** CPU time of all threads of ffmpeg. */
const RENDER_LIMIT_MS = 100 * HOUR_MS;

/** Encoded pictures may take more than those of the source. */
const BURNED_FACTOR = 4;

const BURNED_BYTES_MAX = 64 * GIB;

/** For headers, and for subtitles. */
const SPARE_BYTES = 64 * MIB;

const THREADS_MAX = 4;

/** A fixed name in the folder where ffmpeg runs: nothing of a client's is part of a filter. */
const SUBTITLES = 'subtitles.vtt';

const OUTPUT = 'video.part';

export const VideoForm = z.enum(['track-mp4', 'track-mkv', 'burned-in']);

export type VideoForm = z.infer<typeof VideoForm>;

/** Names of the files, which a job keeps like its others. */
export const VIDEO_FILES: Readonly<Record<VideoForm, string>> = {
  'track-mp4': 'video-with-subtitles.mp4',
  'track-mkv': 'video-with-subtitles.mkv',
  'burned-in': 'video-burned-in.mp4',
};

interface RenderFolders {
  sourcePath: string;
  filesFolder: string;
  /** Emptied before and after. */
  workFolder: string;
}

interface Watch {
  signal: AbortSignal;
  onShare(share: number): void;
}

/**
 * Writes the video into the job's files and returns its size. Errors: `conflict` without a kept video,
 * `unsupported_media`, `engine_unavailable`, `engine_failed`, `source_too_large`, `storage_full`, `timeout`, and the
 * signal's reason.
 */
export async function renderVideo(
  tools: { ffmpeg: FfmpegLocator; media: MediaReader },
  form: VideoForm,
  { sourcePath, filesFolder, workFolder }: RenderFolders,
  { signal, onShare }: Watch,
): Promise<number> {
  const ffmpeg = await tools.ffmpeg.locate();
  if (!existsSync(sourcePath)) throw noVideo();
  const probe = await probeMedia(tools.media, sourcePath, signal);
  if (probe.videoCodec === null) {
    throw new QuarryError('unsupported_media', say`The file has no pictures. Download its subtitles instead.`);
  }
  const maxBytes = mostBytes(form, (await stat(sourcePath)).size);
  await rm(workFolder, { recursive: true, force: true });
  await mkdir(workFolder, { recursive: true });
  try {
    await copyFile(join(filesFolder, 'transcript.vtt'), join(workFolder, SUBTITLES));
    const language = await readTranscriptLanguage(filesFolder);
    const outcome = await runTool({
      path: ffmpeg.path.includes(sep) ? resolve(ffmpeg.path) : ffmpeg.path,
      args: renderArguments(form, { sourcePath, probe, language, maxBytes }),
      cwd: workFolder,
      signal,
      timeLimitMs: RENDER_LIMIT_MS,
      onLine: (line) => {
        const at = /^out_time_us=(\d+)$/.exec(line)?.[1];
        if (at !== undefined && probe.durationSeconds) onShare(Math.min(1, Number(at) / 1e6 / probe.durationSeconds));
      },
    });
    const size = await renderedFileSize(join(workFolder, OUTPUT));
    checkRenderedVideo(outcome, { form, size, maxBytes });
    await rename(join(workFolder, OUTPUT), join(filesFolder, VIDEO_FILES[form]));
    return size;
  } finally {
    await rm(workFolder, { recursive: true, force: true });
  }
}

function noVideo(): QuarryError {
  const message = 'The job keeps no video. Send the video file itself to /extract/video, then make it from that job.';
  return new QuarryError('conflict', message);
}

function mostBytes(form: VideoForm, sourceBytes: number): number {
  if (form !== 'burned-in') return Math.ceil(sourceBytes * 1.1) + SPARE_BYTES;
  return Math.min(BURNED_BYTES_MAX, sourceBytes * BURNED_FACTOR + GIB);
}

/** Null where it is unknown, or no code. */
async function readTranscriptLanguage(filesFolder: string): Promise<string | null> {
  const { language } = parseOwnJson<{
    language?: unknown;
  }>(await readFile(join(filesFolder, 'transcript.json'), 'utf8'));
  return typeof language === 'string' && /^[a-z]{2,3}$/.test(language) ? language : null;
}

interface RenderInputs {
  sourcePath: string;
  probe: Probe;
  language: string | null;
  maxBytes: number;
}

function renderArguments(form: VideoForm, { sourcePath, probe, language, maxBytes }: RenderInputs): string[] {
  // A playlist in disguise could name other files: only the container that was found is read, and only from disk.
  const source = ['-protocol_whitelist', 'file', '-format_whitelist', probe.format, '-i', `file:${sourcePath}`];
  const common = ['-nostdin', '-hide_banner', '-v', 'error', '-progress', 'pipe:1', '-y', ...source];
  const end = ['-fs', String(maxBytes), '-f', form === 'track-mkv' ? 'matroska' : 'mp4'];
  const mp4 = form === 'track-mkv' ? [] : ['-movflags', '+faststart'];
  if (form === 'burned-in') {
    // The encoder takes even sizes only.
    const filter = `subtitles=filename=${SUBTITLES},scale=trunc(iw/2)*2:trunc(ih/2)*2`;
    const threads = String(Math.max(1, Math.min(THREADS_MAX, availableParallelism() - 1)));
    return [
      ...common,
      ...['-map', '0:V:0', '-map', '0:a:0?', '-sn', '-vf', filter],
      ...['-c:v', 'libx264', '-preset', 'veryfast', '-crf', '20', '-pix_fmt', 'yuv420p', '-threads', threads],
      ...['-c:a', 'aac', '-b:a', '160k', ...mp4, ...end, OUTPUT],
    ];
  }
  return [
    ...common,
    ...['-protocol_whitelist', 'file', '-f', 'webvtt', '-i', `file:${SUBTITLES}`],
    ...['-map', '0:V:0', '-map', '0:a?', '-map', '1:0', '-c', 'copy'],
    ...['-c:s', form === 'track-mkv' ? 'srt' : 'mov_text', '-disposition:s:0', 'default'],
    ...(language === null ? [] : ['-metadata:s:s:0', `language=${language}`]),
    ...[...mp4, ...end, OUTPUT],
  ];
}

/** 0 where there is none. */
async function renderedFileSize(path: string): Promise<number> {
  return existsSync(path) ? (await stat(path)).size : 0;
}

interface Rendered {
  form: VideoForm;
  size: number;
  maxBytes: number;
}

function checkRenderedVideo(
  { code, said, ended }: { code: number | null; said: string; ended: LimitReached | null },
  { form, size, maxBytes }: Rendered,
): void {
  if (ended !== null) {
    throw new QuarryError('timeout', say`Making the video was stopped: ${limitPhrase(ended)}. Send a shorter one.`);
  }
  if (/No space left on device/.test(said)) {
    throw new QuarryError('storage_full', 'The disk is full. Free some space and try again.', { cause: said });
  }
  // ffmpeg stops just below the limit, as if the video ended there.
  if (size > maxBytes * 0.99)
    throw new QuarryError('source_too_large', say`The video would be too large for this form.`);
  if (code === 0 && size > 0) return;
  const other =
    form === 'track-mp4'
      ? say`Its streams may not fit into .mp4: choose .mkv.`
      : say`The file may be damaged, or ffmpeg lacks what it needs for it.`;
  throw new QuarryError('engine_failed', say`ffmpeg could not write the video. ${other}`, { cause: said });
}
