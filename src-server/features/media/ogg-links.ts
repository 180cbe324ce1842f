/**
 * An Ogg file may be several, one behind the other, as recordings of radio streams are. ffmpeg goes on from one into
 * the next only where both have the same codec, and takes the sample rate of the first for that of all: what it gives
 * then is too slow or too fast, and a recogniser makes up words for it. So each is read by itself.
 */
import { open } from 'node:fs/promises';

/** Bytes of a file, the last one not included. */
export interface ByteRange {
  start: number;
  end: number;
}

const MARK = 'OggS';
const FLAGS_AT = 5;
const BEGINS_STREAM = 2;
const SEGMENTS_AT = 26;
const HEADER_BYTES = 27;
/** With the lengths of 255 segments. */
const HEADER_BYTES_MAX = HEADER_BYTES + 255;
const WINDOW_BYTES = 1 << 20;
/** A day of a station that begins anew with each song. A file of more is made to burn time, and is read as one. */
const LINKS_MAX = 500;

/** Where each begins and ends; none where there are too many. Errors: the signal's reason. */
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
        // Something was lost or put in between: the next page says where it is.
        const next = page.indexOf(MARK, 1, 'latin1');
        at += next === -1 ? Math.max(1, page.length - MARK.length) : next;
        continue;
      }
      // The streams of one begin together, before anything else of them.
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
