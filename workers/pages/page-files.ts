/**
 * Batches of pages in one file, by number, with an index beside it. A file for each would be simpler; but creating one
 * costs a tenth of reading a page, and on a file system without a journal, where many were deleted lately, twice that
 * reading. Whoever deletes them deletes the index first: without it the other holds nothing.
 */

import { closeSync, constants, fstatSync, openSync, readSync, renameSync, writeSync } from 'node:fs';
import { KIB, MIB } from '../../src-server/platform/units.ts';

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

/** What something large made longer than this is given back. */
const KEPT_BYTES = 2 * MIB;

/** Bytes that a unit of UTF-16 takes at most in UTF-8. */
const BYTES_PER_UNIT = 3;

/** Puts bytes together in one buffer that grows as it must, and is used again. */
export class ByteWriter {
  size = 0;
  #buffer = Buffer.allocUnsafeSlow(FIRST_BYTES);

  /** Appends a text as UTF-8 and gives its bytes. */
  text(text: string): number {
    this.#reserve(text.length * BYTES_PER_UNIT);
    const bytes = this.#buffer.write(text, this.size, 'utf8');
    this.size += bytes;
    return bytes;
  }

  bytes(bytes: Uint8Array): void {
    this.#reserve(bytes.length);
    this.#buffer.set(bytes, this.size);
    this.size += bytes.length;
  }

  /** The memory of a view as it lies there; what follows begins at a multiple of four again. */
  view({ buffer, byteOffset, byteLength }: ArrayBufferView): void {
    this.bytes(new Uint8Array(buffer, byteOffset, byteLength));
    this.align();
  }

  align(): void {
    const rest = -this.size & 3;
    this.#reserve(rest);
    this.#buffer.fill(0, this.size, this.size + rest);
    this.size += rest;
  }

  /** All that was put together. Valid until something is added. */
  get written(): Buffer {
    return this.#buffer.subarray(0, this.size);
  }

  clear(): void {
    this.size = 0;
    if (this.#buffer.length > KEPT_BYTES) this.#buffer = Buffer.allocUnsafeSlow(FIRST_BYTES);
  }

  #reserve(bytes: number): void {
    const needed = this.size + bytes;
    if (needed <= this.#buffer.length) return;
    const larger = Buffer.allocUnsafeSlow(Math.max(needed, 2 * this.#buffer.length));
    this.#buffer.copy(larger, 0, 0, this.size);
    this.#buffer = larger;
  }
}

/** Bytes are gathered up to here: a call for every line would cost more than what is in it. */
const GATHERED_BYTES = 128 * KIB;

/**
 * Writes a file piece by piece. The file appears under its name when it is whole. The thread waits for the disk: it has
 * nothing else to do, and having another thread wait for it costs more than most of these writes do.
 */
export class LineWriter {
  readonly #path: string;
  #file: number | null = null;
  readonly #gathered = new ByteWriter();

  constructor(path: string) {
    this.#path = path;
  }

  write(value: unknown): void {
    this.writeText(`${JSON.stringify(value)}\n`);
  }

  writeText(text: string): void {
    this.#gathered.text(text);
    if (this.#gathered.size >= GATHERED_BYTES) this.#flush();
  }

  writeBytes(bytes: Uint8Array): void {
    this.#gathered.bytes(bytes);
    if (this.#gathered.size >= GATHERED_BYTES) this.#flush();
  }

  close(): void {
    this.#flush();
    this.abandon();
    renameSync(this.#part, this.#path);
  }

  /** Leaves the file unfinished, for when something failed. Nothing happens to one that is closed. */
  abandon(): void {
    const file = this.#file;
    this.#file = null;
    if (file !== null) closeSync(file);
  }

  get #part(): string {
    return `${this.#path}.part`;
  }

  #flush(): void {
    const bytes = this.#gathered.written;
    this.#file ??= openSync(this.#part, 'w');
    for (let at = 0; at < bytes.length; ) at += writeSync(this.#file, bytes, at);
    this.#gathered.clear();
  }
}

/** Runs the work with a writer for each path; the files appear when all of it is done, and none before. */
export function writingFiles<Result>(paths: readonly string[], work: (...writers: LineWriter[]) => Result): Result {
  const writers = paths.map((path) => new LineWriter(path));
  try {
    const result = work(...writers);
    for (const writer of writers) writer.close();
    return result;
  } finally {
    for (const writer of writers) writer.abandon();
  }
}
