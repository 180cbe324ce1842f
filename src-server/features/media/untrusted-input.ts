/**
 * How ffmpeg is made to open a file that a stranger sent. The threat is a playlist under a video's name: it would have
 * ffmpeg open other files of this machine, or addresses. Only files are opened, and only as containers that hold their
 * own data. The other threat is a small file with giant pictures, or a size that makes ffmpeg take all memory: pictures
 * and single allocations have a bound, which holds on every platform.
 */
import { availableParallelism } from 'node:os';
import { QuarryError } from '../../contract/index.ts';
import { MIB } from '../../platform/units.ts';
import type { ByteRange } from './ogg-links.ts';

const FORMATS = [
  'mov,matroska,avi,mpegts,mpeg,mpegvideo,ogg,flv,asf,mp3,wav,flac,aac,aiff,w64,amr,caf,au,wv,m4v,h264,hevc',
];

export const QUIET = ['-hide_banner', '-nostdin'];
/** 8192 × 4352, the largest picture of the levels of H.264, HEVC and AV1 that players know. */
export const PICTURE_PIXELS_MAX = 8192 * 4352;
/** A picture of that size in 16 bits and four channels takes 272 MB. */
const ALLOCATION_BYTES_MAX = 512 * MIB;
/** Each thread of a decoder holds pictures of its own, so memory must not grow with the machine. */
const DECODER_THREADS_MAX = 4;

/** @param range the bytes of the file that are read as if they were one by themselves. */
export function untrustedInput(path: string, range?: ByteRange): string[] {
  const part = range === undefined ? '' : `subfile,,start,${range.start},end,${range.end},,:`;
  const protocols = range === undefined ? 'file,pipe' : 'file,pipe,subfile';
  return [
    ...['-max_alloc', String(ALLOCATION_BYTES_MAX), '-max_pixels', String(PICTURE_PIXELS_MAX)],
    ...['-threads', String(Math.min(DECODER_THREADS_MAX, availableParallelism()))],
    ...['-protocol_whitelist', protocols, '-format_whitelist', FORMATS.join(',')],
    // Who records several persons has a channel for each: ffmpeg would take the third of three for a bass speaker's.
    ...['-guess_layout_max', '2', '-i', `${part}file:${path}`],
  ];
}

/** Width and height of pictures that ffmpeg refused to decode; null where it refused none. */
export function oversizeIn(said: string): string | null {
  return /Picture size (\d+x\d+) exceeds specified max pixel count/.exec(said)?.[1] ?? null;
}

/** @param size such as `12000x12000` */
export function picturesTooLarge(size: string, cause?: string): QuarryError {
  const message = `The pictures are too large (${size}). Send a version with pictures of at most 8192 × 4352 pixels.`;
  return new QuarryError('source_too_large', message, { cause });
}

/** The error that fits what ffmpeg said of a file that it could not read. @param damaged the message for all others */
export function failureOfReading(said: string, damaged: string): QuarryError {
  const size = oversizeIn(said);
  if (size !== null) return picturesTooLarge(size, said);
  if (/Cannot allocate memory|Could not allocate memory/.test(said)) {
    const message = 'Reading the file took more memory than a file may take. Send a version with smaller pictures.';
    return new QuarryError('out_of_memory', message, { cause: said });
  }
  return new QuarryError('corrupt_input', damaged, { cause: said });
}
