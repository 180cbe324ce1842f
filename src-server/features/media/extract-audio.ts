import { createReadStream, createWriteStream } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { QuarryError } from '../../platform/errors.ts';
import { runTool } from '../../platform/process/run-tool.ts';
import { MINUTE_MS, SECOND_MS } from '../../platform/units.ts';
import { type Decoded, DecodeReport, joined, REPORTING } from './covered-span.ts';
import { type ByteRange, type Ffmpeg, failureOfReading, oggLinks, QUIET, untrustedInput } from './ffmpeg.ts';
import { DURATION_MAX_SECONDS, type ListedTrack, mixFilters, type Probe } from './probe.ts';

/** Input format of the recognisers: one channel of 16-bit samples. */
export const SAMPLE_RATE = 16_000;

const LIMIT_MIN_MS = 5 * MINUTE_MS;

/** Decoding is a thousand times faster than real time. A file that takes half its duration is hostile. */
const LIMIT_SHARE = 0.5;

/** Containers round their duration. Beyond this slack, a gap in the timestamps must not become hours of silence. */
const SLACK_SECONDS = 30;

interface Source {
  path: string;
  probe: Probe;
  trackNumber: number;
  /** Byte range of the recording, when the file holds several. */
  range?: ByteRange;
}

interface ExtractedAudio {
  decoded: Decoded;
  /** Recordings within the file that could not be read. */
  unreadParts: number;
}

interface Watch {
  signal: AbortSignal;
  onProgress(share: number): void;
}

/**
 * Writes an audio track as samples, aligned with the file's timestamps. The output file is written atomically. Errors:
 * `corrupt_input`, `out_of_memory`, `timeout`, and the signal's reason.
 */
export async function extractAudio(
  ffmpeg: Ffmpeg,
  source: Source,
  targetPath: string,
  watch: Watch,
): Promise<ExtractedAudio> {
  const part = `${targetPath}.part`;
  const { isOgg, videoCodec, audioTracks } = source.probe;
  const isPlain = isOgg && videoCodec === null && audioTracks.length === 1;
  const ranges = isPlain ? await oggLinks(source.path, watch.signal) : [];
  const extracted =
    ranges.length > 1
      ? await extractParts(ffmpeg, source, ranges, part, watch)
      : { unreadParts: 0, decoded: await extractOne(ffmpeg, source, part, watch) };
  await rename(part, targetPath);
  return extracted;
}

/**
 * Extracts the recordings of a file one after the other. Unreadable ones are skipped: a recording may end right after
 * its header.
 */
async function extractParts(
  ffmpeg: Ffmpeg,
  source: Source,
  ranges: readonly ByteRange[],
  target: string,
  { signal, onProgress }: Watch,
): Promise<ExtractedAudio> {
  const piece = `${target}-piece`;
  const total = ranges.at(-1)?.end ?? 0;
  let failure: unknown = null;
  const decoded: Decoded[] = [];
  await rm(target, { force: true });
  for (const range of ranges) {
    try {
      // The stated duration and channels belong to the first recording, not to this part.
      const probe = { ...source.probe, durationSeconds: null };
      const quiet = { signal, onProgress: () => undefined };
      const one = await extractOne(ffmpeg, { ...source, probe, range }, piece, quiet);
      await pipeline(createReadStream(piece), createWriteStream(target, { flags: 'a' }), { signal });
      decoded.push(one);
    } catch (error) {
      signal.throwIfAborted();
      failure = error;
    }
    onProgress(range.end / total);
  }
  await rm(piece, { force: true });
  if (decoded.length === 0) throw failure;
  return { unreadParts: ranges.length - decoded.length, decoded: joined(decoded) };
}

async function extractOne(ffmpeg: Ffmpeg, source: Source, part: string, watch: Watch): Promise<Decoded> {
  const track = trackOf(source);
  if (source.range === undefined && (track.isMono || track.unplacedChannels > 0)) {
    return decode(ffmpeg, source, part, { ...watch, filters: [] });
  }
  const levels = new StereoLevels();
  const onErrorLine = (line: string) => levels.read(line);
  const filters = StereoLevels.filters(SAMPLE_RATE);
  const decoded = await decode(ffmpeg, source, part, { ...watch, onErrorLine, filters });
  const side = levels.sideToHear();
  // The second pass reports no progress: it would restart at zero.
  const quiet = { signal: watch.signal, onProgress: () => undefined };
  if (side !== null) await decode(ffmpeg, source, part, { ...quiet, filters: StereoLevels.sideFilters(side) });
  return decoded;
}

function trackOf({ probe, trackNumber }: Source): ListedTrack {
  const track = probe.audioTracks[trackNumber - 1];
  if (track === undefined) throw new Error(`There is no sound track ${trackNumber}.`);
  return track;
}

async function decode(
  ffmpeg: Ffmpeg,
  source: Source,
  part: string,
  how: Watch & { filters: readonly string[]; onErrorLine?(line: string): void },
): Promise<Decoded> {
  const { durationSeconds: stated, durationIsGuessed, width, format } = source.probe;
  const track = trackOf(source);
  const report = new DecodeReport({ format, codec: track.codec });
  const mostSeconds = stated === null || durationIsGuessed ? DURATION_MAX_SECONDS : stated + SLACK_SECONDS;
  const inStep = `aresample=${SAMPLE_RATE}:async=1:first_pts=0`;
  const filters = [...mixFilters(track), DecodeReport.filters(SAMPLE_RATE), inStep, ...how.filters];
  const args = [
    ...[...QUIET, ...REPORTING],
    ...untrustedInput(source.path, source.range),
    ...['-map', `0:a:${source.trackNumber - 1}`, '-vn', '-sn', '-dn', '-af', filters.join(',')],
    ...['-ac', '1', '-ar', String(SAMPLE_RATE), '-t', String(mostSeconds), '-f', 's16le', '-y', `file:${part}`],
    // ffmpeg starts a transport stream at the first requested track. Decode the video as well, and discard it.
    ...(width === null ? [] : ['-map', '0:V:0', '-c', 'copy', '-t', String(mostSeconds), '-f', 'null', '-']),
  ];
  const { code, said, timedOut } = await runTool({
    path: ffmpeg.path,
    args,
    signal: how.signal,
    timeLimitMs: Math.max(LIMIT_MIN_MS, mostSeconds * LIMIT_SHARE * SECOND_MS),
    onLine: (line) => {
      const seconds = report.readProgress(line);
      if (seconds !== null && stated !== null && stated > 0) how.onProgress(Math.min(1, seconds / stated));
    },
    onErrorLine: (line) => {
      report.readError(line);
      how.onErrorLine?.(line);
    },
  });
  if (timedOut) throw new QuarryError('timeout', 'The sound could not be read in time. Send a simpler file.');
  if (code !== 0) {
    throw failureOfReading(said, 'The sound of the file could not be read: it is damaged. Send an intact copy.');
  }
  return report.decoded(SAMPLE_RATE);
}

/**
 * Detects whether the two channels of a track cancel each other out in the mix. A cable with reversed polarity inverts
 * one channel: listeners hear it, but the mean of both is silence. Tracks with more channels are mixed to stereo first.
 */

/** A channel below this level is silent. */
const SOUNDING_DB = -50;

/** Uncorrelated channels lose 3 dB in their mean, a single sounding channel loses 6. */
const CANCELLED_DB = 12;

/** Share of the seconds with sound. */
const CANCELLED_SHARE = 0.1;

const DECIBELS_PER_TENFOLD = 10;

const SIDES = 'aformat=channel_layouts=stereo';

const LEVELS = 'astats=metadata=1:reset=1:measure_overall=none:measure_perchannel=RMS_level';

const LEVEL_LINE = /ametadata@(sides|mix)\S* @ \w+\] \[info\] lavfi\.astats\.([12])\.RMS_level=(-?[\d.]+|-inf)$/;

class StereoLevels {
  /** Levels of the current second: left and right. */
  #sides: [number, number] = [Number.NEGATIVE_INFINITY, Number.NEGATIVE_INFINITY];
  #sounding = 0;
  #cancelled = 0;
  /** Loudness each channel loses in the seconds where both cancel each other out. */
  readonly #lost: [number, number] = [0, 0];

  /** Filters that make ffmpeg report the loudness of both channels and of their mean, for a track at `sampleRate`. */
  static filters(sampleRate: number): string[] {
    return [
      ...[SIDES, `asetnsamples=n=${sampleRate}:p=0`, LEVELS, 'ametadata@sides=mode=print'],
      ...['pan=mono|c0=0.5*c0+0.5*c1', LEVELS, 'ametadata@mix=mode=print'],
    ];
  }

  /** Filters that keep one channel alone. */
  static sideFilters(side: 0 | 1): string[] {
    return [SIDES, `pan=mono|c0=c${side}`];
  }

  /** Reads one line of ffmpeg's output. */
  read(line: string): void {
    const [, which, channel, level] = LEVEL_LINE.exec(line) ?? [];
    if (level === undefined) return;
    const decibels = level === '-inf' ? Number.NEGATIVE_INFINITY : Number(level);
    if (which === 'sides') this.#sides[channel === '1' ? 0 : 1] = decibels;
    // The mean has one channel. Its line closes the second that the channel lines opened.
    else if (channel === '1') this.#close(decibels);
  }

  /** The channel to use instead of the mean; null when the mean loses nothing. */
  sideToHear(): 0 | 1 | null {
    if (this.#sounding === 0 || this.#cancelled / this.#sounding < CANCELLED_SHARE) return null;
    return this.#lost[1] > this.#lost[0] ? 1 : 0;
  }

  #close(mix: number): void {
    const loudest = Math.max(...this.#sides);
    if (loudest < SOUNDING_DB) return;
    this.#sounding += 1;
    if (mix >= loudest - CANCELLED_DB) return;
    this.#cancelled += 1;
    for (const side of [0, 1] as const) this.#lost[side] += 10 ** (this.#sides[side] / DECIBELS_PER_TENFOLD);
  }
}
