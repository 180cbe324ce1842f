/**
 * WAV files that state less sound than they hold: recorders that stopped before they wrote the size, and files over
 * 4 GB, whose size does not fit its field. FFmpeg stops at the stated end.
 */
import { readSync } from 'node:fs';

const RIFF_HEADER_BYTES = 12;

const CHUNK_HEADER_BYTES = 8;

/** Bound on the chunks before the sound and behind it. */
const CHUNKS_MAX = 1000;

/** Less than this behind the sound, and less than this share of it, is a remainder of a program. */
const REST_BYTES_MIN = 1024;

const REST_SHARE_MIN = 0.01;

const SIZE_MAX = 0xffff_ffff;

const SCAN_BYTES = 1 << 20;

/** A size as the file should state it, and where. */
export interface StatedSize {
  at: number;
  bytes: Buffer;
}

/** The right size of the sound of a WAV file that states too little; null for all other files. */
export function correctDataSize(descriptor: number, fileBytes: number): StatedSize | null {
  const riff = bytesAt(descriptor, 0, RIFF_HEADER_BYTES).toString('latin1');
  if (!riff.startsWith('RIFF') || !riff.endsWith('WAVE')) return null;
  let at = RIFF_HEADER_BYTES;
  for (let count = 0; count < CHUNKS_MAX; count += 1) {
    const chunk = chunkAt(descriptor, at);
    if (chunk === null) return null;
    if (chunk.id !== 'data') {
      at = chunk.end;
      continue;
    }
    const rest = fileBytes - chunk.end;
    // A size of 0 is read as unknown.
    if (chunk.size === 0 || rest < REST_BYTES_MIN || rest < chunk.size * REST_SHARE_MIN) return null;
    if (areChunks(descriptor, chunk.end, fileBytes) || areZeros(descriptor, chunk.end, fileBytes)) return null;
    const bytes = Buffer.alloc(4);
    bytes.writeUInt32LE(Math.min(SIZE_MAX, fileBytes - at - CHUNK_HEADER_BYTES));
    return { at: at + 4, bytes };
  }
  return null;
}

/** Whether these bytes are chunks with names, such as tags, up to the end. */
function areChunks(descriptor: number, start: number, end: number): boolean {
  let at = start;
  for (let count = 0; count < CHUNKS_MAX && at + CHUNK_HEADER_BYTES <= end; count += 1) {
    const chunk = chunkAt(descriptor, at);
    if (chunk?.id.startsWith('ID3')) return true;
    if (chunk === null || !/^[ -~]{4}$/.test(chunk.id) || chunk.end > end + 1) return false;
    at = chunk.end;
  }
  return true;
}

function areZeros(descriptor: number, start: number, end: number): boolean {
  for (let at = start; at < end; at += SCAN_BYTES) {
    if (bytesAt(descriptor, at, Math.min(SCAN_BYTES, end - at)).some((byte) => byte !== 0)) return false;
  }
  return true;
}

function chunkAt(descriptor: number, at: number): { id: string; size: number; end: number } | null {
  const header = bytesAt(descriptor, at, CHUNK_HEADER_BYTES);
  if (header.length < CHUNK_HEADER_BYTES) return null;
  const size = header.readUInt32LE(4);
  return { id: header.toString('latin1', 0, 4), size, end: at + CHUNK_HEADER_BYTES + size + (size % 2) };
}

function bytesAt(descriptor: number, at: number, length: number): Buffer {
  const buffer = Buffer.alloc(length);
  return buffer.subarray(0, readSync(descriptor, buffer, 0, length, at));
}
