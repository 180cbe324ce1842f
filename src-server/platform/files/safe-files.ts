/**
 * Files of a folder that others write. Threat: a link, placed before or while a file is read, that leads to a file
 * outside the folder.
 */

import { constants } from 'node:fs';
import { type FileHandle, lstat, mkdir, open, realpath } from 'node:fs/promises';
import { dirname, join, sep } from 'node:path';
import { systemCodeOf } from '../errors.ts';

/** What a file was like. Two equal ones: it has not been written between. */
export interface FileFacts {
  sizeBytes: number;
  modifiedNs: string;
  /** Device and inode. */
  inode: string;
}

/** Facts of a regular file; null for a link, a folder, a device, and what is gone. */
export async function readFileFacts(path: string): Promise<FileFacts | null> {
  try {
    const stats = await lstat(path, { bigint: true });
    return stats.isFile() ? factsFromStats(stats) : null;
  } catch (error) {
    if (isMissing(error)) return null;
    throw error;
  }
}

function factsFromStats(stats: { size: bigint; mtimeNs: bigint; dev: bigint; ino: bigint }): FileFacts {
  return { sizeBytes: Number(stats.size), modifiedNs: String(stats.mtimeNs), inode: `${stats.dev}:${stats.ino}` };
}

export function areSame(one: FileFacts, other: FileFacts): boolean {
  return one.sizeBytes === other.sizeBytes && one.modifiedNs === other.modifiedNs && one.inode === other.inode;
}

interface OpenFile {
  facts: FileFacts;
  chunks(): AsyncIterable<Uint8Array>;
  /** The facts after reading. */
  now(): Promise<FileFacts>;
  close(): Promise<void>;
}

/** Windows has neither: links are found by the real path alone there. */
const READ = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

const CHUNK_BYTES = 256 * 1024;

/**
 * Opens a regular file; null when there is none. The path has no links, and the open file is the one at that path, so
 * no folder of the path was replaced by a link meanwhile.
 *
 * @param root without links
 * @param path within it, with slashes
 */
export async function openWithin(root: string, path: string): Promise<OpenFile | null> {
  const full = join(root, ...path.split('/'));
  let file: FileHandle;
  try {
    file = await open(full, READ);
  } catch (error) {
    // ELOOP, and EMLINK on some systems: the last part is a link.
    if (isMissing(error) || ['ELOOP', 'EMLINK', 'ENXIO', 'EISDIR'].includes(systemCodeOf(error))) return null;
    throw error;
  }
  try {
    const stats = await file.stat({ bigint: true });
    const there =
      stats.isFile() && (await realpath(full).catch(() => null)) === full ? await readFileFacts(full) : null;
    if (there === null || there.inode !== factsFromStats(stats).inode) {
      await file.close();
      return null;
    }
    return {
      facts: factsFromStats(stats),
      chunks: () => file.createReadStream({ autoClose: false, highWaterMark: CHUNK_BYTES }),
      now: async () => factsFromStats(await file.stat({ bigint: true })),
      close: () => file.close(),
    };
  } catch (error) {
    await file.close();
    throw error;
  }
}

/**
 * Creates the folders of a path, one by one. Errors: one when a part of it is a link or a file.
 *
 * @param root without links
 */
export async function makeFolders(root: string, path: string): Promise<string> {
  let full = root;
  for (const part of path === '' ? [] : path.split('/')) {
    full = join(full, part);
    await mkdir(full).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error;
    });
    if (!(await lstat(full)).isDirectory()) throw new Error('A part of the path is no folder.');
  }
  return full;
}

export function isMissing(error: unknown): boolean {
  return ['ENOENT', 'ENOTDIR'].includes(systemCodeOf(error));
}

/** Whether one path lies in the other, or is the same. */
export function isPathWithin(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder.endsWith(sep) ? folder : folder + sep);
}

/** Folder of the results of a watched folder: beside it, so that results are never read as files. */
export function besideOf(path: string): string {
  return join(dirname(path), `${path.slice(dirname(path).length).replace(/^[\\/]/, '')} (Quarry)`);
}
