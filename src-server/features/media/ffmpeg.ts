/**
 * Locates a working ffmpeg. Each candidate is run once for its version, so a broken binary is skipped before it fails a
 * job.
 */

import { open } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { availableParallelism } from 'node:os';
import { join, sep } from 'node:path';
import { QuarryError } from '../../platform/errors.ts';
import { askTool } from '../../platform/process/run-tool.ts';
import { MIB, SECOND_MS } from '../../platform/units.ts';

const PROBE_LIMIT_MS = 20 * SECOND_MS;

/** Older versions lack the options for reading untrusted files. */
const VERSION_MIN: readonly [number, number] = [4, 3];

const ADVICE =
  'Install ffmpeg 4.3 or newer (apt install ffmpeg, brew install ffmpeg), fetch it with npm run ffmpeg, or set ' +
  'QUARRY_FFMPEG.';

export interface Ffmpeg {
  path: string;
  version: string;
  from: 'setting' | 'data-folder' | 'ffmpeg-static' | 'path';
}

export interface FfmpegLocator {
  /** Errors: `engine_unavailable`, with install instructions. */
  locate(): Promise<Ffmpeg>;
}

/** Order: `setting` (QUARRY_FFMPEG), the data folder, the bundled binary, PATH. */
export function createFfmpegLocator(parts: { setting: string | undefined; dataDir: string }): FfmpegLocator {
  let found: Promise<Ffmpeg> | null = null;
  return {
    locate() {
      found ??= firstThatWorks(candidates(parts));
      // Do not cache a failure: the program may be installed before the next job.
      found.catch(() => {
        found = null;
      });
      return found;
    },
  };
}

type Candidate = Pick<Ffmpeg, 'path' | 'from'>;

function candidates({ setting, dataDir }: { setting: string | undefined; dataDir: string }): Candidate[] {
  // A broken setting is reported. It is not silently replaced by another program.
  if (setting !== undefined && setting !== '') return [{ path: setting, from: 'setting' }];
  const name = process.platform === 'win32' ? 'ffmpeg.exe' : 'ffmpeg';
  const bundled = bundledPath();
  return [
    { path: join(dataDir, 'tools', name), from: 'data-folder' },
    ...(bundled === null ? [] : [{ path: bundled, from: 'ffmpeg-static' } as const]),
    { path: name, from: 'path' },
  ];
}

/**
 * The package names a path even when its binary was not downloaded. In the packaged app, programs run only from the
 * unpacked folder beside the archive. This process may already run from there.
 */
function bundledPath(): string | null {
  try {
    const path = createRequire(import.meta.url)('ffmpeg-static') as unknown;
    return typeof path === 'string' ? path.replace(`app.asar${sep}`, `app.asar.unpacked${sep}`) : null;
  } catch {
    // An optional dependency. When it is missing, the next candidate is tried.
    return null;
  }
}

async function firstThatWorks(all: readonly Candidate[]): Promise<Ffmpeg> {
  const reasons: string[] = [];
  for (const candidate of all) {
    try {
      const said = await askTool(candidate.path, ['-hide_banner', '-version'], PROBE_LIMIT_MS);
      const version = /^ffmpeg version (\S+)/m.exec(said)?.[1];
      if (version !== undefined && isRecent(version)) return { ...candidate, version };
      reasons.push(`${candidate.from}: ${version ?? 'no version'}`);
    } catch (error) {
      reasons.push(`${candidate.from}: ${(error as Error).message}`);
    }
  }
  throw new QuarryError('engine_unavailable', `ffmpeg is not on this machine. ${ADVICE}`, {
    cause: reasons.join('\n'),
    missing: { need: 'ffmpeg', language: null },
  });
}

/** Git builds carry no version number and count as newer than any required release. */
function isRecent(version: string): boolean {
  const match = /^n?(\d+)\.(\d+)/.exec(version);
  if (match === null) return true;
  const [major, minor] = [Number(match[1]), Number(match[2])];
  return major > VERSION_MIN[0] || (major === VERSION_MIN[0] && minor >= VERSION_MIN[1]);
}

/**
 * Options for opening an untrusted file with ffmpeg. Threats: a playlist named as a video that makes ffmpeg open local
 * files or URLs, and a small file with huge frames that exhausts memory. Only local files in self-contained containers
 * are opened. Frame size and single allocations are bounded on every platform.
 */

const FORMATS = [
  'mov,matroska,avi,mpegts,mpeg,mpegvideo,ogg,flv,asf,mp3,wav,flac,aac,aiff,w64,amr,caf,au,wv,m4v,h264,hevc',
];

export const QUIET = ['-hide_banner', '-nostdin'];

/** 8192 × 4352, the largest frame in the levels of H.264, HEVC and AV1 that players support. */
export const PICTURE_PIXELS_MAX = 8192 * 4352;

/** A frame of that size with 16 bits and four channels takes 272 MB. */
const ALLOCATION_BYTES_MAX = 512 * MIB;

/** Each decoder thread holds its own frames, so memory must not grow with the number of cores. */
const DECODER_THREADS_MAX = 4;

/** @param range reads only these bytes of the file, as a file of their own. */
export function untrustedInput(path: string, range?: ByteRange): string[] {
  const part = range === undefined ? '' : `subfile,,start,${range.start},end,${range.end},,:`;
  const protocols = range === undefined ? 'file,pipe' : 'file,pipe,subfile';
  return [
    ...['-max_alloc', String(ALLOCATION_BYTES_MAX), '-max_pixels', String(PICTURE_PIXELS_MAX)],
    ...['-threads', String(Math.min(DECODER_THREADS_MAX, availableParallelism()))],
    ...['-protocol_whitelist', protocols, '-format_whitelist', FORMATS.join(',')],
    // Multi-speaker recordings use one channel per speaker. Without this limit ffmpeg treats the third of three as LFE.
    ...['-guess_layout_max', '2', '-i', `${part}file:${path}`],
  ];
}

/** Dimensions of frames that ffmpeg refused to decode; null when it refused none. */
export function oversizeIn(said: string): string | null {
  return /Picture size (\d+x\d+) exceeds specified max pixel count/.exec(said)?.[1] ?? null;
}

/** @param size such as `12000x12000` */
export function picturesTooLarge(size: string, cause?: string): QuarryError {
  const message = `The pictures are too large (${size}). Send a version with pictures of at most 8192 × 4352 pixels.`;
  return new QuarryError('source_too_large', message, { cause });
}

/** Maps ffmpeg's output for an unreadable file to an error. @param damaged message for all other cases */
export function failureOfReading(said: string, damaged: string): QuarryError {
  const size = oversizeIn(said);
  if (size !== null) return picturesTooLarge(size, said);
  if (/Cannot allocate memory|Could not allocate memory/.test(said)) {
    const message = 'Reading the file exceeded the memory limit. Send a version with smaller pictures.';
    return new QuarryError('out_of_memory', message, { cause: said });
  }
  return new QuarryError('corrupt_input', damaged, { cause: said });
}

/**
 * An Ogg file may be a chain of several streams, as radio recordings are. ffmpeg continues into the next link only when
 * both use the same codec, and keeps the sample rate of the first: the sound is then too slow or too fast, and the
 * recogniser invents words. So each link is read separately.
 */

/** Byte range of a file; the end is exclusive. */
export interface ByteRange {
  start: number;
  end: number;
}

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
export async function oggLinks(path: string, signal: AbortSignal): Promise<ByteRange[]> {
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
