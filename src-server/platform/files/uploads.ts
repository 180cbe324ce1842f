import { createHash } from 'node:crypto';
import { type FileHandle, mkdir, open, rm, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { isDiskFull, QuarryError, storageUnavailable } from '../errors.ts';
import { newId } from '../ids.ts';
import { describeBytes, MIB } from '../units.ts';
import type { FileKind } from './sniff.ts';

/**
 * A file received with a request, already on disk. It stands in the stored request's `file` as `upload:<sha256>`, so
 * that a request can be fingerprinted and parsed again without its bytes.
 */
export interface Upload {
  /** Absolute path; never shown. */
  path: string;
  /** The client's own name for it, for display and as a hint between formats whose bytes look alike (.md and .txt). */
  fileName: string | null;
  sizeBytes: number;
  sha256: string;
  kind: FileKind;
}

/** A source ready to be read by an engine: uploaded, or fetched from `sourceUrl`. */
export interface LocalSource {
  path: string;
  fileName: string | null;
  sizeBytes: number;
  kind: FileKind;
}

/**
 * Files that arrive with requests. Each gets a name of its own in one folder; a job that takes the file moves it
 * away, so that what is still in the folder is unclaimed by definition and a crash can leave nothing behind for good.
 */

/** Free disk that uploads leave alone, so that what is accepted can still be worked on. */
const RESERVE_BYTES = 200 * MIB;

/** The same, as a share of a small disk. */
const RESERVE_SHARE = 0.05;

/** How much of an upload is written between two looks at the disk. */
const LOOK_EVERY_BYTES = 4 * MIB;

/** What the disk of the data folder holds. */
export type FreeDisk = () => Promise<{ freeBytes: number; totalBytes: number }>;

export interface ReceivedFile extends WrittenFile {
  /** Absolute path; never shown. */
  path: string;
}

interface ReceiveOptions {
  maxBytes: number;
  /** The error for one byte too many; by default `body_too_large`, naming the limit. */
  tooLarge?: (() => QuarryError) | undefined;
}

export interface Uploads {
  /**
   * Streams chunks to a new file, with back-pressure. Errors: `body_too_large`, `storage_full`, and whatever the source
   * throws; after an error no file is left.
   */
  receive(chunks: AsyncIterable<Uint8Array>, options: ReceiveOptions): Promise<ReceivedFile>;
  /** A path in the folder for a file that somebody else will write. */
  reserve(): string;
  /** Removes a file that is not wanted after all. Safe to call twice. */
  discard(file: { path: string }): Promise<void>;
}

/** Opens the folder, empty: it belongs to one process at a time, so what lies in it is of requests that died. */
export async function createUploads(parts: {
  folder: string;
  freeDisk: FreeDisk;
  openFile?: OpenFile;
}): Promise<Uploads> {
  const { folder, freeDisk, openFile } = parts;
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const reserve = () => join(folder, newId('upl'));

  return {
    reserve,
    async receive(chunks, { maxBytes, tooLarge = () => fileTooLarge(maxBytes) }) {
      const path = reserve();
      return { path, ...(await writeChunks(leavingReserve(chunks, freeDisk), path, { maxBytes, tooLarge, openFile })) };
    },
    // `rm` with force looks at a file before it removes it, on this very thread; this asks once.
    discard: (file) => unlink(file.path).catch(ignoreMissing),
  };
}

/** The same chunks, for as long as the disk has more room than the reserve. Errors: `storage_full`. */
async function* leavingReserve(chunks: AsyncIterable<Uint8Array>, freeDisk: FreeDisk): AsyncGenerator<Uint8Array> {
  let unseenBytes = LOOK_EVERY_BYTES;
  for await (const chunk of chunks) {
    unseenBytes += chunk.byteLength;
    if (unseenBytes >= LOOK_EVERY_BYTES) {
      unseenBytes = 0;
      const { freeBytes, totalBytes } = await freeDisk();
      if (freeBytes < Math.min(RESERVE_BYTES, totalBytes * RESERVE_SHARE)) throw almostFull();
    }
    yield chunk;
  }
}

function almostFull(): QuarryError {
  const message = 'The disk of this appliance is almost full. Free some space and send the request again.';
  return new QuarryError('storage_full', message, { retryable: true });
}

function ignoreMissing(error: NodeJS.ErrnoException): void {
  if (error.code !== 'ENOENT') throw error;
}

/** The 413 of a file that is over its limit. */
export function fileTooLarge(maxBytes: number): QuarryError {
  const message = `The file is larger than the ${describeBytes(maxBytes)} this operation takes.`;
  return new QuarryError('body_too_large', message, { fields: [{ path: 'file', message }] });
}

/**
 * Foreign bytes on their way to disk. The threat is a sender that never stops, so the cap is checked before each write,
 * and the next chunk is asked for only when the last one is written: memory stays flat whatever the size.
 */

/** Opens a file that must not exist yet. A parameter, so that a full disk can be tried. */
type OpenFile = (path: string) => Promise<FileHandle>;

const openNewFile: OpenFile = (path) => open(path, 'wx', 0o600);

interface WriteRules {
  maxBytes: number;
  /** The error to throw when one byte more than `maxBytes` arrives. */
  tooLarge(): QuarryError;
  onProgress?: ((writtenBytes: number) => void) | undefined;
  openFile?: OpenFile | undefined;
}

interface WrittenFile {
  sizeBytes: number;
  sha256: string;
}

/**
 * Writes all chunks to a new file at `path`. When anything fails, the source's own error included, no file is left.
 * Errors: `rules.tooLarge()`, `storage_full`, `storage_unavailable`, and whatever the source throws.
 */
export async function writeChunks(
  chunks: AsyncIterable<Uint8Array>,
  path: string,
  rules: WriteRules,
): Promise<WrittenFile> {
  const file = await (rules.openFile ?? openNewFile)(path).catch(explainDisk);
  const hash = createHash('sha256');
  let sizeBytes = 0;
  try {
    for await (const chunk of chunks) {
      sizeBytes += chunk.byteLength;
      if (sizeBytes > rules.maxBytes) throw rules.tooLarge();
      hash.update(chunk);
      await file.writeFile(chunk).catch(explainDisk);
      rules.onProgress?.(sizeBytes);
    }
    await file.close().catch(explainDisk);
  } catch (error) {
    await file.close().catch(() => undefined);
    await rm(path, { force: true });
    throw error;
  }
  return { sizeBytes, sha256: hash.digest('hex') };
}

function explainDisk(error: unknown): never {
  if (!isDiskFull(error)) throw storageUnavailable(error);
  const message = 'The storage of this appliance is full; free some space and send the request again.';
  throw new QuarryError('storage_full', message, { cause: error, retryable: true });
}
