import { randomUUID } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { copyFile, mkdir, readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { makeFolder } from '../../platform/files/make-folder.ts';
import { makeFolders } from '../../platform/files/safe-files.ts';

/** Folders that are being written or replaced. */
const ASIDE = '.quarry-';

/**
 * Writes the result of a file to its own folder, `<path of the file>/`. The folder appears whole, and replaces that of
 * an earlier version. Links are not followed.
 *
 * @param root folder of all results; it is created
 * @param path of the file in its folder, with slashes
 * @param filesFolder the files of the job
 * @param job the job object as JSON
 */
export async function writeResults(
  root: string,
  path: string,
  { filesFolder, job }: { filesFolder: string; job: string | AsyncIterable<string | Uint8Array> },
): Promise<void> {
  makeFolder(root);
  const cut = path.lastIndexOf('/');
  const folder = await makeFolders(root, cut === -1 ? '' : path.slice(0, cut));
  const target = join(folder, path.slice(cut + 1));
  const made = join(folder, ASIDE + randomUUID());
  await mkdir(made);
  try {
    for (const entry of await readdir(filesFolder, { withFileTypes: true }).catch(() => [])) {
      if (entry.isFile()) await copyFile(join(filesFolder, entry.name), join(made, entry.name));
    }
    const pieces = typeof job === 'string' ? [job] : job;
    await pipeline(Readable.from(pieces), createWriteStream(join(made, 'job.json')));
    await replaceResultsFolder(target, made, join(folder, ASIDE + randomUUID()));
  } catch (error) {
    await rm(made, { recursive: true, force: true });
    throw error;
  }
}

async function replaceResultsFolder(target: string, made: string, old: string): Promise<void> {
  const hadOne = await rename(target, old).then(
    () => true,
    () => false,
  );
  await rename(made, target);
  if (hadOne) await rm(old, { recursive: true, force: true });
}
