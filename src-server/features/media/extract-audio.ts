import { createReadStream, createWriteStream } from 'node:fs';
import { open, rename, rm } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import type { ByteRange, ChannelSounds, Decoded, DecodedSound } from '../../../workers/media/tasks.ts';
import { MINUTE_MS, SECOND_MS } from '../../platform/units.ts';
import { mergeDecodedReports } from './covered-span.ts';
import type { MediaReader } from './media-reader.ts';
import { DURATION_MAX_SECONDS, type Probe } from './probe.ts';

/** Input format of the recognisers: one channel of 16-bit samples. */
export const SAMPLE_RATE = 16_000;

/** Assumed length of a file that states none, for its progress. */
const UNSTATED_SECONDS = 600;

const LIMIT_MIN_MS = 5 * MINUTE_MS;

/** Decoding is a thousand times faster than real time. A file that takes half its duration is hostile. */
const LIMIT_SHARE = 0.5;

/** Containers round their duration. Beyond this slack, a gap in the timestamps must not become hours of silence. */
const SLACK_SECONDS = 30;

interface Source {
  path: string;
  probe: Probe;
  trackNumber: number;
  /** As in `DecodeSoundInput`. */
  clockRunsOn: boolean;
  /** Byte range of the recording, when the file holds several. */
  range?: ByteRange;
}

interface ExtractedAudio {
  decoded: Decoded;
  /** The two channels hold different people. */
  channelsAreApart: boolean;
  /** Recordings within the file that could not be read. */
  unreadParts: number;
}

interface Watch {
  signal: AbortSignal;
  onProgress(share: number): void;
}

/**
 * Writes an audio track as samples, aligned with the file's timestamps. The output file is written atomically. Errors:
 * `corrupt_input`, `out_of_memory`, `storage_full`, `engine_failed`, `timeout`, and the signal's reason.
 */
export async function extractAudio(
  media: MediaReader,
  source: Source,
  targetPath: string,
  watch: Watch,
): Promise<ExtractedAudio> {
  const part = `${targetPath}.part`;
  const ranges = await linksOf(source, watch.signal);
  if (ranges.length > 1) {
    const parts = await extractParts(media, source, ranges, part, watch);
    await rename(part, targetPath);
    return { ...parts, channelsAreApart: false };
  }
  const { channelsAreApart, ...decoded } = await extractOne(media, source, part, watch);
  await rename(part, targetPath);
  return { unreadParts: 0, decoded, channelsAreApart };
}

interface ChannelSource extends Omit<Source, 'trackNumber' | 'range'> {
  trackNumbers: number[];
  channels: number;
  channelsMax: number;
  isAsked: boolean;
}

/**
 * Writes each channel of a track, or each of several tracks, as samples of its own, where they hold different people.
 * Null for a chain of recordings, which have channels of their own. Errors: those of `extractAudio`.
 */
export async function extractChannels(
  media: MediaReader,
  source: ChannelSource,
  targetFolder: string,
  watch: Watch,
): Promise<ChannelSounds | null> {
  const { probe, ...place } = source;
  if ((await linksOf(source, watch.signal)).length > 1) return null;
  const { mostSeconds, onSeconds, timeLimitMs } = readingOf(probe, watch);
  const input = { ...place, mostSeconds, targetFolder, sampleRate: SAMPLE_RATE };
  return media.use((program) => program.decodeChannels(input, onSeconds), {
    signal: watch.signal,
    timeLimitMs: timeLimitMs * source.trackNumbers.length,
    what: 'Reading the channels',
  });
}

/** The recordings of a chain; at most one for all other files. */
async function linksOf({ path, probe }: Pick<Source, 'path' | 'probe'>, signal: AbortSignal): Promise<ByteRange[]> {
  const isPlain = probe.isOgg && probe.videoCodec === null && probe.audioTracks.length === 1;
  return isPlain ? oggLinks(path, signal) : [];
}

/**
 * Extracts the recordings of a file one after the other. Unreadable ones are skipped: a recording may end right after
 * its header.
 */
async function extractParts(
  media: MediaReader,
  source: Source,
  ranges: readonly ByteRange[],
  target: string,
  { signal, onProgress }: Watch,
): Promise<Omit<ExtractedAudio, 'channelsAreApart'>> {
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
      const one = await extractOne(media, { ...source, probe, range }, piece, quiet);
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
  return { unreadParts: ranges.length - decoded.length, decoded: mergeDecodedReports(decoded) };
}

async function extractOne(media: MediaReader, source: Source, targetPath: string, watch: Watch): Promise<DecodedSound> {
  const { path, trackNumber, clockRunsOn, range = null } = source;
  const { mostSeconds, onSeconds, timeLimitMs } = readingOf(source.probe, watch);
  const place = { path, range, clockRunsOn, trackNumber, mostSeconds };
  const input = { ...place, targetPath, sampleRate: SAMPLE_RATE, isFiltered: true };
  return media.use((program) => program.decodeSound(input, onSeconds), {
    signal: watch.signal,
    timeLimitMs,
    what: 'Reading the sound',
  });
}

/** How much of a file to decode, its progress, and its limit. */
function readingOf({ durationSeconds: stated, durationIsGuessed }: Probe, watch: Pick<Watch, 'onProgress'>) {
  const mostSeconds = stated === null || durationIsGuessed ? DURATION_MAX_SECONDS : stated + SLACK_SECONDS;
  const onSeconds = (seconds: number) => {
    const isKnown = stated !== null && stated > 0;
    watch.onProgress(isKnown ? Math.min(1, seconds / stated) : seconds / (seconds + UNSTATED_SECONDS));
  };
  return { mostSeconds, onSeconds, timeLimitMs: Math.max(LIMIT_MIN_MS, mostSeconds * LIMIT_SHARE * SECOND_MS) };
}

// An Ogg file may be a chain of several streams, as radio recordings are. FFmpeg continues into the next link only when
// both use the same codec, and keeps the sample rate of the first: the sound is then too slow or too fast, and the
// recogniser invents words. So each link is read separately.

const MARK = 'OggS';

const FLAGS_AT = 5;

const BEGINS_STREAM = 2;

const SEGMENTS_AT = 26;

const HEADER_BYTES = 27;

/** Header with a full table of 255 segments. */
const HEADER_BYTES_MAX = HEADER_BYTES + 255;

const WINDOW_BYTES = 1 << 20;

/**
 * Enough for a day of a station that starts a new link per song. A file with more links is hostile and is read as one.
 */
const LINKS_MAX = 500;

/** Byte ranges of the links; empty when there are too many. Errors: the signal's reason. */
async function oggLinks(path: string, signal: AbortSignal): Promise<ByteRange[]> {
  const file = await open(path);
  try {
    const { size } = await file.stat();
    const window = Buffer.alloc(WINDOW_BYTES);
    const starts: number[] = [];
    let loaded: ByteRange = { start: 0, end: 0 };
    let isBeginning = false;
    for (let at = 0; at + HEADER_BYTES <= size; ) {
      if (Math.min(size, at + HEADER_BYTES_MAX) > loaded.end) {
        signal.throwIfAborted();
        const { bytesRead } = await file.read(window, 0, window.length, at);
        loaded = { start: at, end: at + bytesRead };
      }
      const page = window.subarray(at - loaded.start, loaded.end - loaded.start);
      if (page.length < HEADER_BYTES) break;
      if (page.toString('latin1', 0, MARK.length) !== MARK) {
        // Bytes are lost or inserted here. Search for the next page.
        const next = page.indexOf(MARK, 1, 'latin1');
        at += next === -1 ? Math.max(1, page.length - MARK.length) : next;
        continue;
      }
      // All streams of a link start together, before its other pages.
      const begins = ((page[FLAGS_AT] ?? 0) & BEGINS_STREAM) !== 0;
      if (begins && !isBeginning) starts.push(at);
      isBeginning = begins;
      if (starts.length > LINKS_MAX) return [];
      at += pageBytes(page);
    }
    return starts.map((start, index) => ({ start, end: starts[index + 1] ?? size }));
  } finally {
    await file.close();
  }
}

function pageBytes(page: Buffer): number {
  const segments = page[SEGMENTS_AT] ?? 0;
  const lengths = page.subarray(HEADER_BYTES, HEADER_BYTES + segments);
  return HEADER_BYTES + segments + lengths.reduce((sum, length) => sum + length, 0);
}
