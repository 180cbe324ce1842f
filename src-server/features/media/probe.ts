import { open } from 'node:fs/promises';
import { QuarryError } from '../../platform/errors.ts';
import { runTool } from '../../platform/process/run-tool.ts';
import { HOUR_MS, MINUTE_MS } from '../../platform/units.ts';
import { type Ffmpeg, failureOfReading, oversizeIn, PICTURE_PIXELS_MAX, QUIET, untrustedInput } from './ffmpeg.ts';
import type { AudioTrack } from './schema.ts';

const OGG = /^Input #0, ogg\b/m;

const RIFF_HEADER_BYTES = 8;

/** Programs that write to a pipe do not know the length. They state the largest number, or half of it. */
const RIFF_UNKNOWN_BYTES = 0x7fff_0000;

const PROBE_LIMIT_MS = MINUTE_MS;

/** A clock that starts further from zero than this means the file was cut out of a longer one. */
const START_SECONDS_MAX = 0.5;

/** Longest accepted source. A day-long stream would occupy the machine for days. */
export const DURATION_MAX_SECONDS = (12 * HOUR_MS) / 1000;

export interface Probe {
  /** Container format, as ffmpeg names it. */
  format: string;
  /** Null when the container does not state it. */
  durationSeconds: number | null;
  /** The duration is an estimate and may be off by any factor. Only decoding gives the real one. */
  durationIsGuessed: boolean;
  /** An Ogg file may be a chain of several. */
  isOgg: boolean;
  audioTracks: ListedTrack[];
  /** Codec of the video track. Cover art does not count. */
  videoCodec: string | null;
  /** Dimensions of a video too large to decode, such as `12000x12000`. */
  oversize: string | null;
  /**
   * Width as displayed, in pixels: rotation is applied. Null when ffmpeg does not know it. Such a track cannot be
   * copied.
   */
  width: number | null;
  height: number | null;
}

/**
 * Reads the facts of a media file. Errors: `corrupt_input`, `unsupported_media`, `source_too_large`, `out_of_memory`,
 * `timeout`.
 */
export async function probeMedia(ffmpeg: Ffmpeg, path: string, signal: AbortSignal): Promise<Probe> {
  const args = [...QUIET, ...untrustedInput(path)];
  const { said, timedOut } = await runTool({ path: ffmpeg.path, args, signal, timeLimitMs: PROBE_LIMIT_MS });
  if (timedOut) throw new QuarryError('timeout', 'The file could not be read in time. Send a simpler one.');
  if (/Format not on whitelist|Protocol .* not on whitelist/i.test(said)) {
    const message = 'The file is a playlist or an unsupported format. Send the video itself, such as MP4.';
    throw new QuarryError('unsupported_media', message, { cause: said });
  }
  const probe = readProbe(said, await missingRatio(path));
  if (probe === null) {
    throw failureOfReading(said, 'The file is damaged or incomplete. Send an intact copy.');
  }
  if (!probe.durationIsGuessed && (probe.durationSeconds ?? 0) > DURATION_MAX_SECONDS) {
    throw new QuarryError('source_too_large', 'The file is longer than 12 hours. Split it into parts.');
  }
  return probe;
}

/**
 * Ratio of the length that a RIFF header (WAV, AVI) states to the actual length: 1 for a complete file. ffmpeg does not
 * report truncation and treats a cut file as a short one.
 */
async function missingRatio(path: string): Promise<number> {
  const file = await open(path);
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(RIFF_HEADER_BYTES), 0, RIFF_HEADER_BYTES, 0);
    if (bytesRead < RIFF_HEADER_BYTES || buffer.toString('latin1', 0, 4) !== 'RIFF') return 1;
    const stated = buffer.readUInt32LE(4);
    const { size } = await file.stat();
    return stated >= RIFF_UNKNOWN_BYTES ? 1 : Math.max(1, (stated + RIFF_HEADER_BYTES) / size);
  } finally {
    await file.close();
  }
}

/** Returns null when ffmpeg found no input. `lengthRatio` is the stated length divided by the actual one. */
function readProbe(said: string, lengthRatio = 1): Probe | null {
  const format = /^Input #0, (.*?), from /m.exec(said)?.[1];
  if (format === undefined) return null;
  const lines = said.split('\n').filter((line) => /^\s*Stream #0:\d+.*?: Video: /.test(line));
  const video = lines.find((line) => !line.includes('(attached pic)'));
  const size = video === undefined ? null : / (\d{1,6})x(\d{1,6})[ ,]/.exec(`${video} `);
  const turned = /rotation of -?(90|270)(\.\d+)? degrees/.test(said);
  const [width, height] = size === null ? [null, null] : [Number(size[1]), Number(size[2])];
  const isOversize = (width ?? 0) * (height ?? 0) > PICTURE_PIXELS_MAX;
  const shift = shiftOf(said);
  const stated = statedSeconds(said, lengthRatio);
  const isCut = stated !== null && lengthRatio > 1;
  return {
    format,
    // Many programs state the end of the clock as the length. Others leave out the start.
    durationSeconds: stated !== null && stated > shift ? rounded(stated - shift) : stated,
    durationIsGuessed: !isCut && (shift !== 0 || isGuessed(said)),
    isOgg: OGG.test(said),
    audioTracks: listAudioTracks(said),
    videoCodec: video === undefined ? null : (/: Video: (\w+)/.exec(video)?.[1] ?? null),
    // ffmpeg does not report the dimensions of frames that it refused.
    oversize: isOversize ? `${width}x${height}` : video !== undefined && size === null ? oversizeIn(said) : null,
    width: turned ? height : width,
    height: turned ? width : height,
  };
}

/** Ignores a header whose stated length exceeds the accepted maximum. */
function statedSeconds(said: string, lengthRatio: number): number | null {
  const seconds = durationOf(said);
  if (seconds === null || seconds * lengthRatio > DURATION_MAX_SECONDS) return seconds;
  return rounded(seconds * lengthRatio);
}

function durationOf(said: string): number | null {
  const match = /^\s*Duration: (\d+):(\d\d):(\d\d(?:\.\d+)?)/m.exec(said);
  if (match === null) return null;
  // Works in whole hundredths: a sum of seconds would show floating-point errors.
  return rounded((Number(match[1]) * 60 + Number(match[2])) * 60 + Number(match[3]));
}

function rounded(seconds: number): number {
  return Math.round(seconds * 100) / 100;
}

/**
 * Start of the file's clock. Returns 0 when it is close to zero, and for MPEG streams, whose length ffmpeg derives from
 * their clock.
 */
function shiftOf(said: string): number {
  const start = Number(/^\s*Duration: .*?, start: (-?\d+(?:\.\d+)?)/m.exec(said)?.[1] ?? 0);
  return Math.abs(start) <= START_SECONDS_MAX || /^Input #0, mpeg/m.test(said) ? 0 : start;
}

/**
 * For sound without an index (MP3, AAC) ffmpeg extrapolates the bit rate of the beginning. For a chained Ogg file, as
 * radio recordings are, it reports the length of the last link.
 */
function isGuessed(said: string): boolean {
  return /Estimating duration from bitrate/.test(said) || OGG.test(said);
}

/** Duration of a source after its sound was decoded (null when it has none). */
export function durationOnceHeard(probe: Probe, heardSeconds: number | null): number {
  const stated = probe.durationSeconds ?? 0;
  if (heardSeconds === null || (probe.durationSeconds !== null && !probe.durationIsGuessed)) return stated;
  return probe.videoCodec === null ? heardSeconds : Math.max(stated, heardSeconds);
}

/** Lists the audio tracks of a file as ffmpeg reports them, and chooses one. */

export interface ListedTrack {
  codec: string;
  /** As the file states it; null when it states none, or an undetermined one. */
  language: string | null;
  isDefault: boolean;
  /** A single channel, which nothing can cancel out. */
  isMono: boolean;
  /** Number of channels without a layout, if more than two; otherwise 0. */
  unplacedChannels: number;
}

const STEREO_CHANNELS = 2;

const AUDIO_LINE = /^\s*Stream #0:\d+(?:\[0x[0-9a-f]+\])?(?:\(([^)]*)\))?: Audio: (\w+)(.*)$/gm;

/** ISO 639-2 codes for undetermined, multiple, non-linguistic and uncoded. */
const NO_LANGUAGE = new Set(['', 'und', 'mul', 'zxx', 'mis']);

function listAudioTracks(said: string): ListedTrack[] {
  return [...said.matchAll(AUDIO_LINE)].map(([, language = '', codec = '', rest = '']) => ({
    codec,
    language: NO_LANGUAGE.has(language) ? null : language,
    isDefault: rest.includes('(default)'),
    isMono: /, (?:mono|1 channels)(?:,|$)/.test(rest),
    unplacedChannels: unplacedIn(rest),
  }));
}

function unplacedIn(rest: string): number {
  const channels = Number(/, (\d{1,3}) channels(?:,|$)/.exec(rest)?.[1] ?? 0);
  return channels > STEREO_CHANNELS ? channels : 0;
}

/**
 * Filters that mix channels without a layout, each with the same weight. A single sounding channel keeps more of its
 * loudness than in the mean, and three identical ones are not too loud.
 */
export function mixFilters({ unplacedChannels: channels }: ListedTrack): string[] {
  if (channels === 0) return [];
  const share = (1 / Math.sqrt(channels)).toFixed(3);
  return [`pan=mono|c0=${Array.from({ length: channels }, (_, index) => `${share}*c${index}`).join('+')}`];
}

/** Returns null when there is no audio track. */
export function chooseAudioTrack(tracks: readonly ListedTrack[], language: string | undefined): AudioTrack | null {
  const [only] = tracks;
  if (only === undefined) return null;
  const choose = (track: ListedTrack, chosenBy: AudioTrack['chosenBy']): AudioTrack => {
    return { number: tracks.indexOf(track) + 1, of: tracks.length, language: track.language, chosenBy };
  };
  if (tracks.length === 1) return choose(only, 'only');
  const asked = language === undefined ? null : shortCode(language);
  const spoken = tracks.filter((track) => asked !== null && shortCode(track.language ?? '') === asked);
  const right = spoken.find(({ isDefault }) => isDefault) ?? spoken[0];
  if (right !== undefined) return choose(right, 'language');
  const marked = tracks.find(({ isDefault }) => isDefault);
  return marked === undefined ? choose(only, 'first') : choose(marked, 'default');
}

/** Maps `ger`, `deu`, `de-AT` and `de` to `de`. Returns null for anything that is no language. */
function shortCode(language: string): string | null {
  try {
    return Intl.getCanonicalLocales(language)[0]?.split('-')[0] ?? null;
  } catch {
    // Files contain arbitrary text here.
    return null;
  }
}
