/**
 * Restores a backup into a data folder that no server uses. Everything is checked before anything of the folder is
 * touched, and the copies once more before they take their place. What was there is kept beside, never deleted.
 */

import { mkdir, readdir, rename, rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { lockDataFolder } from '../../platform/files/data-folder.ts';
import { checkFiles, copyFile } from './copy-files.ts';
import { readManifest } from './create.ts';
import { checkDatabase } from './databases.ts';
import { BackupError, type Manifest } from './schema.ts';

const STAGE = '.restoring';

/** What a folder holds while a restore has its lock, and what models and earlier restores leave there. */
const NOT_DATA = /^(?:lock\.db.*|server\.json|compiled|before-restore-.*|\.restoring)$/;

export interface RestoreRequest {
  folder: string;
  dataDir: string;
  /** Whether a data folder in use before is replaced; its content is kept. */
  force: boolean;
  now: number;
}

export interface Restored {
  manifest: Manifest;
  /** Where the replaced data lies; null where the folder was empty. */
  keptIn: string | null;
}

/** @throws BackupError, and DataFolderInUseError while a server uses the data folder */
export async function restoreBackup({ folder, dataDir, force, now }: RestoreRequest): Promise<Restored> {
  const from = resolve(folder);
  const manifest = await readManifest(from);
  await checkFiles(from, manifest.files);
  const lock = lockDataFolder(dataDir);
  const stage = join(dataDir, STAGE);
  try {
    const present = await toReplace(dataDir, manifest);
    if (present.length > 0 && !force) {
      throw new BackupError(`${dataDir} holds data already. Give --force to replace it; the old data is kept beside.`);
    }
    await rm(stage, { recursive: true, force: true });
    await mkdir(stage, { mode: 0o700 });
    await copyChecked(from, stage, manifest);
    const keptIn = present.length === 0 ? null : await setAsideDataFiles(dataDir, present, now);
    for (const name of await readdir(stage)) await rename(join(stage, name), join(dataDir, name));
    return { manifest, keptIn };
  } finally {
    await rm(stage, { recursive: true, force: true });
    lock.close();
  }
}

/** Entries of the data folder that the backup replaces. Models stay where the backup has none. */
async function toReplace(dataDir: string, { withModels }: Manifest): Promise<string[]> {
  const names = await readdir(dataDir);
  return names.filter((name) => !NOT_DATA.test(name) && (withModels || (name !== 'models' && name !== 'tools')));
}

async function copyChecked(from: string, stage: string, { files, databases }: Manifest): Promise<void> {
  for (const { path, mode } of files) {
    if ((await copyFile(join(from, ...path.split('/')), stage, path, mode)) === null) {
      throw new BackupError(`The backup is incomplete: ${path} is missing.`);
    }
  }
  await checkFiles(stage, files);
  for (const { path, rows } of databases) checkDatabase(join(stage, ...path.split('/')), rows);
}

async function setAsideDataFiles(dataDir: string, names: readonly string[], now: number): Promise<string> {
  const aside = join(dataDir, `before-restore-${new Date(now).toISOString().replace(/[:.]/g, '-')}`);
  await mkdir(aside, { mode: 0o700 });
  for (const name of names) await rename(join(dataDir, name), join(aside, name));
  return aside;
}
