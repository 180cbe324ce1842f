/**
 * Batches of pages in one file, by number, with an index beside it. A file for each would be simpler; but creating one
 * costs a tenth of reading a page, and on a file system without a journal, where many were deleted lately, twice that
 * reading. Whoever deletes them deletes the index first: without it the other holds nothing.
 */
import { closeSync, constants, fstatSync, openSync, readSync, writeSync } from 'node:fs';
import { KIB } from '../../src-server/platform/units.ts';

/** Of each batch where it begins and how many bytes it has, as two 64-bit floating-point numbers. */
const ENTRY_BYTES = 2 * Float64Array.BYTES_PER_ELEMENT;
const FIRST_BYTES = 64 * KIB;

function indexPath(path: string): string {
  return `${path}.index`;
}

/**
 * Appends a batch. `taken` is memory that all who append share: how much of the file they have taken so far. The entry
 * in the index comes last, so that a batch that is found there is whole.
 */
export function appendBatch(path: string, batch: number, pieces: readonly Buffer[], taken: BigInt64Array): void {
  const bytes = pieces.reduce((sum, piece) => sum + piece.length, 0);
  let start = 0;
  withFile(path, constants.O_RDWR | constants.O_CREAT, (file) => {
    // The first to come finds what an interrupted attempt has left.
    if (Atomics.load(taken, 0) === 0n) Atomics.compareExchange(taken, 0, 0n, BigInt(fstatSync(file).size));
    start = Number(Atomics.add(taken, 0, BigInt(bytes)));
    let at = start;
    for (const piece of pieces) {
      writeAll(file, piece, at);
      at += piece.length;
    }
  });
  const entry = Buffer.alloc(ENTRY_BYTES);
  entry.writeDoubleLE(start, 0);
  entry.writeDoubleLE(bytes, Float64Array.BYTES_PER_ELEMENT);
  withFile(indexPath(path), constants.O_RDWR | constants.O_CREAT, (file) => writeAll(file, entry, batch * ENTRY_BYTES));
}

/** Reads batches, one after the other into the same memory. */
export class BatchReader {
  readonly #path: string;
  #files: { bytes: number; index: number } | null = null;
  #buffer = Buffer.allocUnsafeSlow(FIRST_BYTES);

  constructor(path: string) {
    this.#path = path;
  }

  /** A batch, or of a longer one the first bytes; null where it is not there. Valid until the next is read. */
  read(batch: number, maxBytes = Number.POSITIVE_INFINITY): Buffer | null {
    const files = this.#open();
    if (files === null) return null;
    const entry = this.#fill(files.index, batch * ENTRY_BYTES, ENTRY_BYTES);
    if (entry.length < ENTRY_BYTES) return null;
    const start = entry.readDoubleLE(0);
    const bytes = entry.readDoubleLE(Float64Array.BYTES_PER_ELEMENT);
    if (bytes === 0) return null;
    return this.#fill(files.bytes, start, Math.min(bytes, maxBytes));
  }

  close(): void {
    const files = this.#files;
    this.#files = null;
    for (const file of files === null ? [] : [files.bytes, files.index]) closeSync(file);
  }

  #open(): { bytes: number; index: number } | null {
    if (this.#files !== null) return this.#files;
    const index = openIfThere(indexPath(this.#path));
    if (index === null) return null;
    try {
      this.#files = { bytes: openSync(this.#path, 'r'), index };
    } finally {
      if (this.#files === null) closeSync(index);
    }
    return this.#files;
  }

  /** Up to so many bytes of a file, as many as it has. */
  #fill(file: number, position: number, bytes: number): Buffer {
    if (bytes > this.#buffer.length) this.#buffer = Buffer.allocUnsafeSlow(Math.max(bytes, 2 * this.#buffer.length));
    let read = 0;
    while (read < bytes) {
      const now = readSync(file, this.#buffer, read, bytes - read, position + read);
      if (now === 0) break;
      read += now;
    }
    return this.#buffer.subarray(0, read);
  }
}

function openIfThere(path: string): number | null {
  try {
    return openSync(path, 'r');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}

function withFile(path: string, flags: number, work: (file: number) => void): void {
  const file = openSync(path, flags);
  try {
    work(file);
  } finally {
    closeSync(file);
  }
}

function writeAll(file: number, bytes: Uint8Array, position: number): void {
  for (let at = 0; at < bytes.length; ) at += writeSync(file, bytes, at, bytes.length - at, position + at);
}
