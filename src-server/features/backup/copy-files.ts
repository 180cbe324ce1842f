/** Lists, copies and checks the plain files of a backup. */

import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { chmod, mkdir, open, readdir, realpath, stat } from 'node:fs/promises';
import { dirname, join, sep } from 'node:path';
import { streamBytes } from '../../platform/files/stream-bytes.ts';
import { say } from '../../platform/text/say.ts';
import { BackupError, type Manifest } from './schema.ts';

export type ListedFile = Manifest['files'][number];

const OWNER_ONLY_FOLDER = 0o700;

/**
 * The files below a folder, as relative paths with slashes, in order. Links are followed. What is neither file nor
 * folder (a socket) is left out: it holds no data.
 *
 * @param isLeftOut tells by relative path
 */
export async function listFiles(root: string, isLeftOut: (path: string) => boolean): Promise<string[]> {
  const found: string[] = [];
  const visitFolder = async (path: string, above: readonly string[]): Promise<void> => {
    const folder = join(root, path);
    const real = await realpath(folder).catch(nullWhenMissing);
    // A link to a folder above it would be listed without end.
    if (real === null || above.includes(real)) return;
    for (const name of (await readdir(folder).catch(nullWhenMissing)) ?? []) {
      const inner = path === '' ? name : `${path}/${name}`;
      if (isLeftOut(inner)) continue;
      const kind = await stat(join(root, inner)).catch(nullWhenMissing);
      if (kind?.isDirectory()) await visitFolder(inner, [...above, real]);
      else if (kind?.isFile()) found.push(inner);
    }
  };
  await visitFolder('', []);
  return found.sort();
}

/**
 * Copies one file and syncs it to the disk. Null when it is gone: a job was deleted meanwhile.
 * @param listedMode permissions of a listed file, which the disk of a backup may not keep
 */
export async function copyFile(
  from: string,
  root: string,
  path: string,
  listedMode?: number,
): Promise<ListedFile | null> {
  const source = await open(from, 'r').catch(nullWhenMissing);
  if (source === null) return null;
  try {
    const mode = (listedMode ?? (await source.stat()).mode) & 0o777;
    const to = join(root, ...path.split('/'));
    await mkdir(dirname(to), { recursive: true, mode: OWNER_ONLY_FOLDER });
    const target = await open(to, 'wx', mode);
    const hash = createHash('sha256');
    let size = 0;
    try {
      for await (const piece of streamBytes(source.createReadStream({ autoClose: false }))) {
        hash.update(piece);
        size += piece.length;
        await target.writeFile(piece);
      }
      await target.sync();
    } finally {
      await target.close();
    }
    await chmod(to, mode);
    return { path, size, mode, sha256: hash.digest('hex') };
  } finally {
    await source.close();
  }
}

/** Reads a file as it lies in a backup. */
export async function describeFile(root: string, path: string): Promise<ListedFile> {
  const full = join(root, ...path.split('/'));
  const { size, mode } = await stat(full);
  const hash = createHash('sha256');
  for await (const piece of streamBytes(createReadStream(full))) hash.update(piece);
  return { path, size, mode: mode & 0o777, sha256: hash.digest('hex') };
}

/** @throws BackupError for a listed file that is missing or differs, or whose path leads out of the folder */
export async function checkFiles(root: string, files: readonly ListedFile[]): Promise<void> {
  for (const { path, sha256 } of files) {
    if (path.startsWith('/') || path.includes(sep === '/' ? '\0' : sep) || path.split('/').includes('..')) {
      throw new BackupError(say`The backup lists a file outside of it: ${path}`);
    }
    const found = await describeFile(root, path).catch(nullWhenMissing);
    if (found === null) throw new BackupError(say`The backup is incomplete: ${path} is missing.`);
    if (found.sha256 !== sha256) throw new BackupError(say`The backup is damaged: ${path} has changed.`);
  }
}

export function nullWhenMissing(error: NodeJS.ErrnoException): null {
  if (error.code === 'ENOENT') return null;
  throw error;
}
