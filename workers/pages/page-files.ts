/**
 * Batches of pages in one file, by number, with an index file. Creating a file per batch costs a tenth of reading a
 * page, and two pages' reading on a file system without a journal after recent deletions. Delete the index first:
 * without it the batches are unreachable.
 */

import { closeSync, constants, fstatSync, openSync, readSync, renameSync, writeSync } from 'node:fs';
import { KIB, MIB } from '../../src-server/platform/units.ts';

/** Offset and length of each batch, as two 64-bit floating-point numbers. */
const ENTRY_BYTES = 2 * Float64Array.BYTES_PER_ELEMENT;

const FIRST_BYTES = 64 * KIB;

function indexPath(path: string): string {
  return `${path}.index`;
}

/**
 * Appends a batch. `taken` is shared by all writers: the bytes of the file allocated so far. The index entry is written
 * last, so that every indexed batch is complete.
 */
export function appendBatch(path: string, batch: number, pieces: readonly Buffer[], taken: BigInt64Array): void {
  const bytes = pieces.reduce((sum, piece) => sum + piece.length, 0);
  let start = 0;
  withFile(path, constants.O_RDWR | constants.O_CREAT, (file) => {
    // The first writer starts after the data of an interrupted attempt.
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

/** Reads batches in sequence into the same memory. */
export class BatchReader {
  readonly #path: string;
  #files: { bytes: number; index: number } | null = null;
  #buffer = Buffer.allocUnsafeSlow(FIRST_BYTES);

  constructor(path: string) {
    this.#path = path;
  }

  /** A batch, or its first `maxBytes`; null if absent. Valid until the next read. */
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

  /** Reads up to `bytes` bytes of a file. */
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

/** A buffer that grew beyond this is released. */
const KEPT_BYTES = 2 * MIB;

/** Maximum UTF-8 bytes of a UTF-16 unit. */
const BYTES_PER_UNIT = 3;

/** Collects bytes in one growing, reusable buffer. */
export class ByteWriter {
  size = 0;
  #buffer = Buffer.allocUnsafeSlow(FIRST_BYTES);

  /** Appends a text as UTF-8 and returns its length in bytes. */
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

  /** Appends the memory of a view and pads to a multiple of four. */
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

  /** All bytes so far. Valid until the next append. */
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

/** Bytes collected before a write: a call per line would cost more than its content. */
const GATHERED_BYTES = 128 * KIB;

/**
 * Writes a file in pieces; the file gets its name when complete. Synchronous: the thread has no other work, and waiting
 * through libuv costs more than most of these writes.
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

  /** Discards the unfinished file after a failure; no effect on a closed one. */
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

/** Runs `work` with one writer per path; all files appear when it has finished, or none. */
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
