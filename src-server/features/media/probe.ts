import { open } from 'node:fs/promises';
import type { ByteRange, ListedTrack, MediaFacts } from '../../../workers/media/tasks.ts';
import { QuarryError } from '../../platform/errors.ts';
import { say } from '../../platform/text/say.ts';
import { HOUR_MS, MINUTE_MS } from '../../platform/units.ts';
import type { MediaReader } from './media-reader.ts';
import type { AudioTrack } from './schema.ts';

const RIFF_HEADER_BYTES = 8;

/** Programs that write to a pipe do not know the length. They state the largest number, or half of it. */
const RIFF_UNKNOWN_BYTES = 0x7fff_0000;

const PROBE_LIMIT_MS = MINUTE_MS;

/** A clock that starts further from zero than this means the file was cut out of a longer one. */
const START_SECONDS_MAX = 0.5;

/** Longest accepted source. A day-long stream would occupy the machine for days. */
export const DURATION_MAX_SECONDS = (12 * HOUR_MS) / 1000;

export interface Probe extends Pick<MediaFacts, 'format' | 'bitRate' | 'tags' | 'chapters' | 'subtitleTracks'> {
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
  /** Width as displayed, in pixels: rotation is applied. Null when unknown. */
  width: number | null;
  height: number | null;
}

/**
 * Reads the facts of a media file. Errors: `corrupt_input`, `unsupported_media`, `source_too_large`, `out_of_memory`,
 * `engine_failed`, `timeout`.
 */
export async function probeMedia(
  media: MediaReader,
  path: string,
  signal: AbortSignal,
  range: ByteRange | null = null,
): Promise<Probe> {
  const limits = { signal, timeLimitMs: PROBE_LIMIT_MS, what: 'Reading the file' };
  const facts = await media.use((program) => program.probe({ path, range }), limits);
  const probe = probeFromFacts(facts, range === null ? await missingRatio(path) : 1);
  if (!probe.durationIsGuessed && (probe.durationSeconds ?? 0) > DURATION_MAX_SECONDS) {
    throw new QuarryError('source_too_large', say`The file is longer than 12 hours. Split it into parts.`);
  }
  return probe;
}

/**
 * Ratio of the length that a RIFF header (WAV, AVI) states to the actual length: 1 for a complete file. FFmpeg does not
 * report truncation and treats a cut file as a short one.
 */
async function missingRatio(path: string): Promise<number> {
  const file = await open(path);
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(RIFF_HEADER_BYTES), 0, RIFF_HEADER_BYTES, 0);
    if (bytesRead < RIFF_HEADER_BYTES || buffer.toString('latin1', 0, 4) !== 'RIFF') return 1;
    const stated = buffer.readUInt32LE(4);
    const { size } = await file.stat();
    if (stated >= RIFF_UNKNOWN_BYTES) return 1;
    return Math.max(1, (stated + RIFF_HEADER_BYTES) / size);
  } finally {
    await file.close();
  }
}

/** `lengthRatio` is the stated length divided by the actual one. */
function probeFromFacts(facts: MediaFacts, lengthRatio: number): Probe {
  const { format, bitRate, tags, chapters, subtitleTracks, video, audioTracks } = facts;
  const isOgg = format === 'ogg';
  // FFmpeg derives the length of MPEG streams from their clock.
  const isShifted = Math.abs(facts.startSeconds) > START_SECONDS_MAX && !format.startsWith('mpeg');
  const shift = isShifted ? facts.startSeconds : 0;
  const stated = statedSeconds(facts.durationSeconds, lengthRatio);
  const isCut = stated !== null && lengthRatio > 1;
  return {
    format,
    bitRate,
    tags,
    chapters,
    subtitleTracks,
    // Many programs state the end of the clock as the length. Others leave out the start.
    durationSeconds: stated !== null && stated > shift ? roundedMediaSeconds(stated - shift) : stated,
    // For a chained Ogg file, as radio recordings are, FFmpeg reports the length of the last link.
    durationIsGuessed: !isCut && (isShifted || facts.durationIsEstimated || isOgg),
    isOgg,
    audioTracks,
    videoCodec: video?.codec ?? null,
    oversize: video?.oversize ?? null,
    width: video?.width ?? null,
    height: video?.height ?? null,
  };
}

/** Ignores a header whose stated length exceeds the accepted maximum. */
function statedSeconds(seconds: number | null, lengthRatio: number): number | null {
  if (seconds === null) return null;
  const whole = seconds * lengthRatio;
  return roundedMediaSeconds(whole > DURATION_MAX_SECONDS ? seconds : whole);
}

function roundedMediaSeconds(seconds: number): number {
  return Math.round(seconds * 100) / 100;
}

/** Duration of a source after its sound was decoded (null when it has none). */
export function durationOnceHeard(probe: Probe, heardSeconds: number | null): number {
  const stated = probe.durationSeconds ?? 0;
  if (heardSeconds === null || (probe.durationSeconds !== null && !probe.durationIsGuessed)) return stated;
  return probe.videoCodec === null ? heardSeconds : Math.max(stated, heardSeconds);
}

/** What the request says about the audio track. */
export interface TrackWish {
  language?: string | undefined;
  /** From 1. */
  audioTrack?: number | undefined;
}

/** Returns null when there is no audio track. Errors: `unsupported_media` when the file lacks the requested one. */
export function chooseAudioTrack(
  tracks: readonly ListedTrack[],
  { language, audioTrack: number }: TrackWish,
): AudioTrack | null {
  const [only] = tracks;
  if (only === undefined) return null;
  const chooseTrackBy = (track: ListedTrack, chosenBy: AudioTrack['chosenBy']): AudioTrack => {
    return { number: tracks.indexOf(track) + 1, of: tracks.length, language: track.language, chosenBy };
  };
  if (number !== undefined) {
    const named = tracks[number - 1];
    if (named === undefined) throw noSuchTrack(tracks.length);
    return chooseTrackBy(named, 'number');
  }
  if (tracks.length === 1) return chooseTrackBy(only, 'only');
  const asked = language === undefined ? null : shortCode(language);
  const spoken = tracks.filter((track) => asked !== null && shortCode(track.language ?? '') === asked);
  const right = spoken.find(({ isDefault }) => isDefault) ?? spoken[0];
  if (right !== undefined) return chooseTrackBy(right, 'language');
  const marked = tracks.find(({ isDefault }) => isDefault);
  return marked === undefined ? chooseTrackBy(only, 'first') : chooseTrackBy(marked, 'default');
}

function noSuchTrack(count: number): QuarryError {
  const most =
    count === 1 ? say`one sound track: leave audioTrack out` : say`${count} sound tracks: choose 1 to ${count}`;
  return new QuarryError('unsupported_media', say`The file has ${most}.`);
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
