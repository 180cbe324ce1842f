/**
 * Runs yt-dlp, for sites whose markup does not name the video file. Threats: URLs that look like options, the user's
 * own configuration, endless playlists and live streams. The URL follows `--`, no user configuration is read, one video
 * is taken, and no shell parses the arguments.
 */

import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import type { ProgressReport } from '../../operation.ts';
import { QuarryError } from '../../platform/errors.ts';
import { askTool, runTool } from '../../platform/process/run-tool.ts';
import { type LimitReached, limitPhrase } from '../../platform/process/work-limit.ts';
import { type Said, say } from '../../platform/text/say.ts';
import { HOUR_MS, MIB, MINUTE_MS, SECOND_MS } from '../../platform/units.ts';
import { type Fetched, stillLive } from './fetch-stream.ts';
import { privateVideo, removedVideo } from './find-video.ts';

const PROBE_LIMIT_MS = 60 * SECOND_MS;

const LOOK_LIMIT_MS = 5 * MINUTE_MS;

const FETCH_LIMIT_MS = 4 * HOUR_MS;

const SOCKET_TIMEOUT_SECONDS = '30';

/**
 * A description is one line. Large sites list each format with its signed URL, and captions in a hundred
 * machine-translated languages: a million characters are usual.
 */
const DESCRIPTION_CHARS_MAX = 16 * MIB;

const MEDIA_NAME = 'media';

/** Progress fields of a download. Unknown values are not numbers. */
const COUNTED = ['downloaded_bytes', 'total_bytes', 'total_bytes_estimate', 'fragment_index', 'fragment_count'];

/** Releases are named by date. Nightly ones add a time. */
const VERSION = /^\d{4}\.\d{2}\.\d{2}(\.\d+)?$/;

const CAUSE_CHARS = 80;

/**
 * From this version on, yt-dlp runs site scripts in a JavaScript runtime given as an option. Older versions do not know
 * the option.
 */
const RUNTIMES_SINCE = '2025.11.12';

interface YtDlp {
  path: string;
  version: string;
  from: 'setting' | 'data-folder' | 'path';
}

export interface YtDlpLocator {
  /** Errors: `engine_unavailable`, with install instructions. */
  locate(): Promise<YtDlp>;
  /** Drops the cached location: the program has changed. */
  forget(): void;
}

/** Order: `setting` (QUARRY_YT_DLP), the data folder, PATH. */
export function createYtDlpLocator({
  setting,
  dataDir,
}: {
  setting: string | undefined;
  dataDir: string;
}): YtDlpLocator {
  let found: Promise<YtDlp> | null = null;
  const name = process.platform === 'win32' ? 'yt-dlp.exe' : 'yt-dlp';
  const candidates: Pick<YtDlp, 'path' | 'from'>[] =
    setting !== undefined && setting !== ''
      ? [{ path: setting, from: 'setting' }]
      : [
          { path: join(dataDir, 'tools', name), from: 'data-folder' },
          { path: name, from: 'path' },
        ];
  return {
    locate() {
      found ??= firstWorkingYtDlp(candidates);
      // Do not cache a failure: the program may be installed before the next job.
      found.catch(() => {
        found = null;
      });
      return found;
    },
    forget() {
      found = null;
    },
  };
}

/** Runs a program that should be yt-dlp and returns its version. Rejects when it does not run, or prints no version. */
export async function tryOutYtDlp(path: string): Promise<string> {
  const said = await askTool(path, ['--ignore-config', '--version'], PROBE_LIMIT_MS);
  const version = said.split('\n').find((line) => VERSION.test(line));
  if (version === undefined) throw new Error(`Its version is ${JSON.stringify(said.slice(0, CAUSE_CHARS))}.`);
  return version;
}

async function firstWorkingYtDlp(candidates: readonly Pick<YtDlp, 'path' | 'from'>[]): Promise<YtDlp> {
  const reasons: string[] = [];
  for (const candidate of candidates) {
    try {
      return { ...candidate, version: await tryOutYtDlp(candidate.path) };
    } catch (error) {
      reasons.push((error as Error).message);
    }
  }
  const message = say`The page does not say where its video is, and yt-dlp, which would find it, is not installed.
    Fetch it on the
      Models page, or with POST /admin/media/yt-dlp/install; or install it yourself, or set QUARRY_YT_DLP.`;
  const missing = { need: 'yt-dlp', language: null } as const;
  throw new QuarryError('engine_unavailable', message, { cause: reasons.join('\n'), missing });
}

const lenientNullish = <Schema extends z.ZodType>(schema: Schema) => schema.nullish().catch(null);

const CaptionFile = z.object({ url: z.string(), ext: z.string().optional() });

/** The fields used of yt-dlp's description. All values are untrusted. */
export const Described = z.object({
  title: lenientNullish(z.string()),
  channel: lenientNullish(z.string()),
  uploader: lenientNullish(z.string()),
  upload_date: lenientNullish(z.string()),
  duration: lenientNullish(z.number()),
  thumbnail: lenientNullish(z.string()),
  language: lenientNullish(z.string()),
  is_live: lenientNullish(z.boolean()),
  formats: lenientNullish(z.array(z.object({ url: lenientNullish(z.string()), protocol: lenientNullish(z.string()) }))),
  _type: lenientNullish(z.string()),
  subtitles: lenientNullish(z.record(z.string(), z.array(CaptionFile))),
  chapters: lenientNullish(
    z.array(
      z.object({ title: lenientNullish(z.string()), start_time: z.number(), end_time: lenientNullish(z.number()) }),
    ),
  ),
});

export type Described = z.infer<typeof Described>;

export interface YtDlpRun {
  tool: YtDlp;
  proxyUrl: string;
  /** Null when there is none. Only a few streams need it. */
  ffmpegPath: string | null;
  signal: AbortSignal;
}

/** Errors: `source_forbidden`, `source_unreachable`, `unsupported_media`, `engine_failed`, `timeout`. */
export async function describeVideo(options: YtDlpRun, url: string): Promise<Described> {
  const lines: string[] = [];
  const { code, said, ended } = await runTool({
    path: options.tool.path,
    args: [...sharedYtDlpArguments(options), '--write-subs', '--sub-langs', 'all', '-J', '--', url],
    signal: options.signal,
    startsOthers: true,
    timeLimitMs: LOOK_LIMIT_MS,
    onLine: (line) => lines.push(line),
    lineCharsMax: DESCRIPTION_CHARS_MAX,
  });
  if (ended !== null) throw ytDlpTookTooLong(ended);
  const json = lines.find((line) => line.startsWith('{'));
  // yt-dlp exits with success on a page without a video.
  if (code === 0 && json === undefined) throw noVideo(said);
  if (json === undefined || code !== 0) throw ytDlpFailure(said);
  const described = Described.parse(JSON.parse(json));
  if (described._type === 'playlist') {
    throw new QuarryError('unsupported_media', say`The address is a playlist. Give the address of one video.`);
  }
  if (described.is_live === true) throw stillLive();
  return described;
}

/**
 * URL of a playlist that has to be read to know whether the stream is live: it is live when it has no end. Null when a
 * file exists, or the site states that it is not live.
 */
export function undecidedStream({ is_live, formats }: Described): string | null {
  const streams = formats ?? [];
  if (is_live === false || streams.some(({ protocol }) => protocol?.startsWith('m3u8') !== true)) return null;
  return streams.at(-1)?.url ?? null;
}

/** Whether a playlist has no end, so that fetching it would never finish. */
export function isEndless(playlist: string): boolean {
  return playlist.includes('#EXTINF') && !/^#EXT-X-(ENDLIST|PLAYLIST-TYPE:\s*VOD)/m.test(playlist);
}

/** Fetches the audio alone if available. Returns the path of the file. Errors: as above, `source_too_large`. */
export async function fetchVideo(
  options: YtDlpRun,
  url: string,
  target: { folder: string; maxBytes: number; onProgress(fetched: Fetched): void },
): Promise<string> {
  const { code, said, ended } = await runTool({
    path: options.tool.path,
    args: [
      ...sharedYtDlpArguments(options),
      ...['-f', 'ba/b', '--max-filesize', String(target.maxBytes), '--fixup', 'never', '--no-mtime', '--newline'],
      ...['--progress-template', `download:PROG ${COUNTED.map((name) => `%(progress.${name})s`).join(' ')}`],
      ...['-o', join(target.folder, `${MEDIA_NAME}.%(ext)s`).replaceAll('%', '%%').replace('%%(ext)s', '%(ext)s')],
      ...['--', url],
    ],
    signal: options.signal,
    startsOthers: true,
    timeLimitMs: FETCH_LIMIT_MS,
    onLine: (line) => {
      const fetched = fetchedOf(line);
      if (fetched !== null) target.onProgress(fetched);
    },
  });
  if (ended !== null) throw ytDlpTookTooLong(ended);
  if (code !== 0) throw ytDlpFailure(said);
  // The folder may also contain fragments of a killed run.
  const name = (await readdir(target.folder)).find(
    (file) => file.startsWith(`${MEDIA_NAME}.`) && !/\.(part|ytdl)\b/.test(file),
  );
  if (name === undefined) throw new QuarryError('source_too_large', say`The video is larger than the upload limit.`);
  return join(target.folder, name);
}

/** Parses a progress line, in the order of `COUNTED`; null for any other line. */
export function fetchedOf(line: string): Fetched | null {
  if (!line.startsWith('PROG ')) return null;
  const [received = null, stated = null, guessed = null, pieces = null, ofPieces = null] = line
    .split(' ')
    .slice(1)
    .map((count) => (/^\d+(\.\d+)?$/.test(count) ? Math.round(Number(count)) : null));
  if (received === null) return null;
  const totalBytes = stated ?? guessed;
  // The size of a segmented stream is an estimate from the segments so far, so count segments instead.
  if (pieces !== null && ofPieces !== null && ofPieces > 0) {
    return { receivedBytes: received, totalBytes, share: pieces / ofPieces };
  }
  return {
    receivedBytes: received,
    totalBytes,
    share: totalBytes === null || totalBytes === 0 ? null : received / totalBytes,
  };
}

/**
 * Some sites require running their scripts. yt-dlp finds Deno by itself. The options name this Node as another runtime.
 */
export function runtimeOptions(version: string): string[] {
  if (version < RUNTIMES_SINCE) return [];
  // The packaged app cannot run as Node, so there Node must be on PATH.
  return ['--js-runtimes', process.versions.electron === undefined ? `node:${process.execPath}` : 'node'];
}

function sharedYtDlpArguments({ tool, proxyUrl, ffmpegPath }: YtDlpRun): string[] {
  return [
    ...runtimeOptions(tool.version),
    ...['--ignore-config', '--no-playlist', '-I', '1', '--no-exec', '--no-cache-dir', '--no-warnings', '--no-colors'],
    ...['--socket-timeout', SOCKET_TIMEOUT_SECONDS, '--retries', '3', '--match-filters', '!is_live'],
    ...['--proxy', proxyUrl, ...(ffmpegPath === null ? [] : ['--ffmpeg-location', ffmpegPath])],
  ];
}

const FAILURES: readonly [RegExp, (cause: string) => QuarryError][] = [
  [/not a bot|captcha|unusual traffic/i, forbiddenBecause('The site requires a check against bots')],
  [/confirm your age|age.restricted/i, forbiddenBecause('The video has an age limit and requires a sign-in')],
  [/available in your (country|location)|geo.?restrict/i, forbiddenBecause('The video is not shown in this country')],
  [/private|members.only|log ?in|sign in|password|HTTP Error 40[13]/i, privateVideo],
  [/removed|unavailable|no longer|does not exist|HTTP Error (404|410)/i, removedVideo],
  [/Unsupported URL/i, noVideo],
  [/ffmpeg (is )?not (installed|found)|ffmpeg could not be found|install ffmpeg/i, needsFfmpeg],
];

function needsFfmpeg(cause: string): QuarryError {
  const message = say`yt-dlp needs ffmpeg for this video. Fetch it on the Models page or with npm run ffmpeg, and try
    again.`;
  return new QuarryError('engine_unavailable', message, { cause, missing: { need: 'ffmpeg', language: null } });
}

/** A stream whose segments are local files. Each is refused, and the last line only reports an empty download. */
const FILES_AS_PIECES = /file:\/\/ URLs are (?:explicitly )?disabled/i;

/** Maps yt-dlp's output to an error. */
export function ytDlpFailure(said: string): QuarryError {
  if (FILES_AS_PIECES.test(said)) {
    const message = say`The stream names files instead of web addresses as its pieces; they are not read.`;
    return new QuarryError('source_forbidden', message, { cause: said });
  }
  const line = said.split('\n').findLast((text) => text.startsWith('ERROR')) ?? said;
  const known = FAILURES.find(([pattern]) => pattern.test(line));
  if (known !== undefined) return known[1](said);
  const message = say`yt-dlp could not fetch the video. Update yt-dlp, since sites change often, or try again later.`;
  return new QuarryError('engine_failed', message, { cause: said, retryable: true });
}

function forbiddenBecause(reason: string): (cause: string) => QuarryError {
  const message = say`${reason}. Try again later, or send the file to /extract/video.`;
  return (cause) => new QuarryError('source_forbidden', message, { cause });
}

function noVideo(cause: string): QuarryError {
  const message = say`No video was found at this address. Give the address of a video.`;
  return new QuarryError('unsupported_media', message, { cause });
}

function ytDlpTookTooLong(reached: LimitReached): QuarryError {
  const message = say`Fetching the video was stopped: ${limitPhrase(reached)}. Try again later.`;
  return new QuarryError('timeout', message, { retryable: true });
}

/** Below this share, the pace of a download is not reliable. */
const TRUSTED_SHARE = 0.01;

/** The last percent belongs to the stages after the download. */
const PERCENT_MAX = 99;

/**
 * Converts download progress to a share of the job's time, so that the time left can be derived: the download's own
 * pace, plus the expected time of the transcription.
 */
export class FetchProgress {
  readonly #startedAt: number;
  readonly #fetchStartedAt = performance.now();
  readonly #laterSeconds: number;
  readonly #say: (progress: ProgressReport) => void;

  /** `startedAt` is the start of the run, by `performance.now()`. */
  constructor(startedAt: number, laterSeconds: number, say: (progress: ProgressReport) => void) {
    this.#startedAt = startedAt;
    this.#laterSeconds = laterSeconds;
    this.#say = say;
    this.reportFetchProgress({ receivedBytes: 0, totalBytes: null, share: null });
  }

  reportFetchProgress({ receivedBytes, totalBytes, share }: Fetched): void {
    const now = performance.now();
    const fetching = (now - this.#fetchStartedAt) / SECOND_MS;
    // With an unknown length, assume that as much again is left.
    const left = share === null || share < TRUSTED_SHARE ? fetching : fetching * (1 / Math.min(1, share) - 1);
    const spent = (now - this.#startedAt) / SECOND_MS;
    const percent = (spent / (spent + left + this.#laterSeconds)) * PERCENT_MAX;
    this.#say({ percent, stage: 'fetching', message: fetchProgressMessage(receivedBytes, totalBytes) });
  }
}

function fetchProgressMessage(receivedBytes: number, totalBytes: number | null): Said {
  if (receivedBytes === 0) return say`Fetching the video`;
  const received = inMegabytes(receivedBytes);
  return totalBytes === null
    ? say`Fetching the video: ${received} MB`
    : say`Fetching the video: ${received} of ${inMegabytes(Math.max(receivedBytes, totalBytes))} MB`;
}

function inMegabytes(bytes: number): string {
  return (bytes / MIB).toFixed(bytes < 10 * MIB ? 1 : 0);
}
