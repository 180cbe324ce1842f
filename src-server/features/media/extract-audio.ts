import { createReadStream, createWriteStream } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { QuarryError } from '../../platform/errors.ts';
import { runTool } from '../../platform/process/run-tool.ts';
import { MINUTE_MS, SECOND_MS } from '../../platform/units.ts';
import { type Decoded, DecodeReport, joined, REPORTING } from './covered-span.ts';
import { type ByteRange, type Ffmpeg, failureOfReading, oggLinks, QUIET, untrustedInput } from './ffmpeg.ts';
import { DURATION_MAX_SECONDS, type ListedTrack, mixFilters, type Probe } from './probe.ts';

/** What the recognisers hear: one channel of 16-bit samples. */
export const SAMPLE_RATE = 16_000;

const LIMIT_MIN_MS = 5 * MINUTE_MS;

/** Decoding is a thousand times faster than listening; a file that takes half its own time is made to burn time. */
const LIMIT_SHARE = 0.5;

/** Containers round their duration; a gap in the time stamps must not become hours of silence. */
const SLACK_SECONDS = 30;

interface Source {
  path: string;
  probe: Probe;
  trackNumber: number;
  /** Of the file, where it is several. */
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
 * Writes a sound track as samples, in step with the file's own clock. The file appears whole or not at all. Errors:
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

/** One behind the other. Some may not be readable: a recording ends anywhere, also where a part has only begun. */
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
      // How long each is, and how many channels it has, is its own affair.
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
  // The progress of a second pass is not shown: it would begin at zero again.
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
    // ffmpeg lets a transport stream begin with the first track that is asked for. So pictures are, and go nowhere.
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
 * Whether the two sides of a track cancel each other out in one. A cable that is soldered the wrong way round turns one
 * side upside down: listeners hear it, and the mean of both is silence. More channels are two sides first, as they are
 * for whoever has two ears.
 */

/** Below it a side holds nothing that could be lost. */
const SOUNDING_DB = -50;

/** Sides that have nothing in common lose 3 dB in their mean; a side that is alone loses 6. */
const CANCELLED_DB = 12;

/** Of the seconds that sound. */
const CANCELLED_SHARE = 0.1;

const DECIBELS_PER_TENFOLD = 10;

const SIDES = 'aformat=channel_layouts=stereo';

const LEVELS = 'astats=metadata=1:reset=1:measure_overall=none:measure_perchannel=RMS_level';

const LEVEL_LINE = /ametadata@(sides|mix)\S* @ \w+\] \[info\] lavfi\.astats\.([12])\.RMS_level=(-?[\d.]+|-inf)$/;

class StereoLevels {
  /** Of the second that is being read: left and right. */
  #sides: [number, number] = [Number.NEGATIVE_INFINITY, Number.NEGATIVE_INFINITY];
  #sounding = 0;
  #cancelled = 0;
  /** What each side holds of the seconds in which they cancel each other out. */
  readonly #lost: [number, number] = [0, 0];

  /** The mean of both sides, for a track at `sampleRate`; ffmpeg says how loud both and their mean are. */
  static filters(sampleRate: number): string[] {
    return [
      ...[SIDES, `asetnsamples=n=${sampleRate}:p=0`, LEVELS, 'ametadata@sides=mode=print'],
      ...['pan=mono|c0=0.5*c0+0.5*c1', LEVELS, 'ametadata@mix=mode=print'],
    ];
  }

  /** One side alone. */
  static sideFilters(side: 0 | 1): string[] {
    return [SIDES, `pan=mono|c0=c${side}`];
  }

  /** A line that ffmpeg said. */
  read(line: string): void {
    const [, which, channel, level] = LEVEL_LINE.exec(line) ?? [];
    if (level === undefined) return;
    const decibels = level === '-inf' ? Number.NEGATIVE_INFINITY : Number(level);
    if (which === 'sides') this.#sides[channel === '1' ? 0 : 1] = decibels;
    // Of the mean there is one channel; what is told of a second was left by the sides.
    else if (channel === '1') this.#close(decibels);
  }

  /** The side to listen to instead of the mean; null where the mean has everything. */
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
