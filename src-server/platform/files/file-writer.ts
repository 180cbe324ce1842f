/**
 * Foreign bytes on their way to disk. The threat is a sender that never stops, so the cap is checked before each write,
 * and the next chunk is asked for only when the last one is written: memory stays flat whatever the size.
 */
import { createHash } from 'node:crypto';
import { type FileHandle, open, rm } from 'node:fs/promises';
import { QuarryError, storageUnavailable } from '../../contract/index.ts';
import { isDiskFull } from '../disk-full.ts';

/** Opens a file that must not exist yet. A parameter, so that a full disk can be tried. */
export type OpenFile = (path: string) => Promise<FileHandle>;

const openNewFile: OpenFile = (path) => open(path, 'wx', 0o600);

export interface WriteRules {
  maxBytes: number;
  /** The error to throw when one byte more than `maxBytes` arrives. */
  tooLarge(): QuarryError;
  onProgress?: ((writtenBytes: number) => void) | undefined;
  openFile?: OpenFile | undefined;
}

export interface WrittenFile {
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
