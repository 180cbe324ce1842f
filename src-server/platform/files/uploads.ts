import { createHash } from 'node:crypto';
import { type FileHandle, mkdir, open, rm, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { isDiskFull, QuarryError, storageUnavailable } from '../errors.ts';
import { newId } from '../ids.ts';
import { say } from '../text/say.ts';
import { describeBytes, KIB, MIB } from '../units.ts';
import type { FileKind } from './kinds.ts';

/**
 * A received file on disk. The stored request has `upload:<sha256>` in `file`, so that it can be fingerprinted and
 * parsed again without the bytes.
 */
export interface Upload {
  /** Absolute path. Never shown. */
  path: string;
  /** The client's file name, for display and as a hint between formats with similar bytes (.md and .txt). */
  fileName: string | null;
  sizeBytes: number;
  sha256: string;
  kind: FileKind;
  /** More specific than the kind, with its article. */
  label: string;
}

/** A source on disk: uploaded, or fetched from `sourceUrl`. */
export interface LocalSource {
  path: string;
  fileName: string | null;
  sizeBytes: number;
  kind: FileKind;
}

// Files of requests. Each has its own name in one folder, and a job moves its file away. Files in the folder are
// therefore unclaimed, and the next start deletes what a crash leaves.

/** Disk space that uploads leave free, so that accepted jobs can run. */
const RESERVE_BYTES = 200 * MIB;

/** The reserve as a share of a small disk. */
const RESERVE_SHARE = 0.05;

/** A larger file is not held in memory. */
const WHOLE_MAX_BYTES = 64 * KIB;

/** Bytes written between two checks of the disk. */
const LOOK_EVERY_BYTES = 4 * MIB;

/** Free and total space of the data folder's disk. */
export type FreeDisk = () => Promise<{ freeBytes: number; totalBytes: number }>;

export interface ReceivedFile extends WrittenFile {
  /** Absolute path. Never shown. */
  path: string;
}

interface ReceiveOptions {
  maxBytes: number;
  /** The error for exceeding the limit. Default: `body_too_large` with the limit. */
  tooLarge?: (() => QuarryError) | undefined;
}

export interface Uploads {
  /**
   * Streams chunks to a new file, with back-pressure. Errors: `body_too_large`, `storage_full`, and those of the
   * source. After an error the file is removed.
   */
  receive(chunks: AsyncIterable<Uint8Array>, options: ReceiveOptions): Promise<ReceivedFile>;
  /** A path in the folder for a file written by other code. */
  reserve(): string;
  /** Deletes an unneeded file. Calling it twice is safe. */
  discard(file: { path: string }): Promise<void>;
}

/** Opens the folder and empties it: one process uses it at a time, so its files belong to requests that died. */
export async function createUploads(parts: {
  folder: string;
  freeDisk: FreeDisk;
  openFile?: OpenFile;
}): Promise<Uploads> {
  const { folder, freeDisk, openFile } = parts;
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const reserveUploadPath = () => join(folder, newId('upl'));

  return {
    reserve: reserveUploadPath,
    async receive(chunks, { maxBytes, tooLarge = () => fileTooLarge(maxBytes) }) {
      const path = reserveUploadPath();
      return { path, ...(await writeChunks(leavingReserve(chunks, freeDisk), path, { maxBytes, tooLarge, openFile })) };
    },
    // `rm` with force does a synchronous lookup first. `unlink` does not.
    discard: (file) => unlink(file.path).catch(ignoreMissingUpload),
  };
}

/** Passes chunks on while the disk has more space than the reserve. Errors: `storage_full`. */
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
  return new QuarryError('storage_full', message);
}

function ignoreMissingUpload(error: NodeJS.ErrnoException): void {
  if (error.code !== 'ENOENT') throw error;
}

/** The 413 for a file over its limit. */
export function fileTooLarge(maxBytes: number): QuarryError {
  const message = say`The file is larger than the ${describeBytes(maxBytes)} this operation takes.`;
  return new QuarryError('body_too_large', message, { fields: [{ path: 'file', message }] });
}

// Writes foreign bytes to disk. Threat: a sender that never stops. The limit is checked before each write, and the next
// chunk is read after the last one is written, so memory stays constant.

/** Opens a file that must not exist yet. Tests replace it to simulate a full disk. */
type OpenFile = (path: string) => Promise<FileHandle>;

const openNewFile: OpenFile = (path) => open(path, 'wx', 0o600);

interface WriteRules {
  maxBytes: number;
  /** The error when `maxBytes` is exceeded. */
  tooLarge(): QuarryError;
  onProgress?: ((writtenBytes: number) => void) | undefined;
  openFile?: OpenFile | undefined;
}

interface WrittenFile {
  sizeBytes: number;
  sha256: string;
  /** The content of a small file that came in one piece. */
  whole?: Uint8Array | undefined;
}

/**
 * Writes all chunks to a new file at `path`. After any failure the file is removed. Errors: `rules.tooLarge()`,
 * `storage_full`, `storage_unavailable`, and those of the source.
 */
export async function writeChunks(
  chunks: AsyncIterable<Uint8Array>,
  path: string,
  rules: WriteRules,
): Promise<WrittenFile> {
  const file = await (rules.openFile ?? openNewFile)(path).catch(explainDisk);
  const hash = createHash('sha256');
  let sizeBytes = 0;
  let whole: Uint8Array | undefined;
  try {
    for await (const chunk of chunks) {
      whole = sizeBytes === 0 && chunk.byteLength <= WHOLE_MAX_BYTES ? chunk : undefined;
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
  return { sizeBytes, sha256: hash.digest('hex'), whole };
}

function explainDisk(error: unknown): never {
  if (!isDiskFull(error)) throw storageUnavailable(error);
  const message = 'The disk is full. Free some space and send the request again.';
  throw new QuarryError('storage_full', message, { cause: error });
}
