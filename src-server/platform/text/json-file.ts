import { closeSync, openSync, readSync } from 'node:fs';
import { KIB } from '../units.ts';

const PIECE_BYTES = 64 * KIB;

/**
 * Yields the lines of a JSONL file in UTF-8, without empty ones, for threads that may wait for the disk. Reads a piece
 * at a time. Errors: of the file system.
 */
export function* jsonLinesOfFile(path: string): Generator<string> {
  const file = openSync(path, 'r');
  try {
    const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
    const piece = new Uint8Array(PIECE_BYTES);
    let begun = '';
    for (let read = readSync(file, piece); read > 0; read = readSync(file, piece)) {
      const lines = (begun + decoder.decode(piece.subarray(0, read), { stream: true })).split('\n');
      begun = lines.pop() ?? '';
      for (const line of lines) if (line !== '') yield line;
    }
    if (begun !== '') yield begun;
  } finally {
    closeSync(file);
  }
}
