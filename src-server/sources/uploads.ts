/**
 * Files that arrive with requests. Each gets a name of its own in one folder; a job that takes the file moves it
 * away, so that what is still in the folder is unclaimed by definition and a crash can leave nothing behind for good.
 */
import { mkdir, rm, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { QuarryError } from '../contract/index.ts';
import { newId } from '../lib/ids.ts';
import { describeBytes } from '../lib/units.ts';
import { type OpenFile, type WrittenFile, writeChunks } from './file-writer.ts';

export interface ReceivedFile extends WrittenFile {
  /** Absolute path; never shown. */
  path: string;
}

export interface ReceiveOptions {
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
export async function createUploads(parts: { folder: string; openFile?: OpenFile }): Promise<Uploads> {
  const { folder, openFile } = parts;
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const reserve = () => join(folder, newId('upl'));

  return {
    reserve,
    async receive(chunks, { maxBytes, tooLarge = () => fileTooLarge(maxBytes) }) {
      const path = reserve();
      return { path, ...(await writeChunks(chunks, path, { maxBytes, tooLarge, openFile })) };
    },
    // `rm` with force looks at a file before it removes it, on this very thread; this asks once.
    discard: (file) => unlink(file.path).catch(ignoreMissing),
  };
}

function ignoreMissing(error: NodeJS.ErrnoException): void {
  if (error.code !== 'ENOENT') throw error;
}

/** The 413 of a file that is over its limit. */
export function fileTooLarge(maxBytes: number): QuarryError {
  const message = `The file is larger than the ${describeBytes(maxBytes)} this operation takes.`;
  return new QuarryError('body_too_large', message, { fields: [{ path: 'file', message }] });
}
