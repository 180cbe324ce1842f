/**
 * Restores a backup into a data folder. Everything is checked before anything of the folder is touched, and the copies
 * once more before they take their place: at once where no server uses the folder, else at the next start. What was
 * there is kept beside, never deleted.
 */

import { mkdir, rm } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import { lockDataFolder } from '../../platform/files/data-folder.ts';
import { commitStagedData, replacedEntries, STAGE, takeStagedData } from '../../platform/files/staged-data.ts';
import { say, tell } from '../../platform/text/say.ts';
import { checkFiles, copyFile } from './copy-files.ts';
import { readManifest } from './create.ts';
import { checkDatabase } from './databases.ts';
import { BackupError, type Manifest } from './schema.ts';

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
  try {
    takeStagedData(dataDir);
    if (!force && replacedEntries(dataDir, staysOf(manifest)).length > 0) {
      throw new BackupError(
        tell`${dataDir} holds data already. Give --force to replace it; the old data is kept beside.`,
      );
    }
    await stageBackup({ from, dataDir, manifest, now });
    return { manifest, keptIn: takeStagedData(dataDir) };
  } finally {
    lock.close();
  }
}

/** Copies and checks a backup beside the data that a server uses: it takes its place when that starts again. */
export async function prepareRestore({ folder, dataDir, now }: Omit<RestoreRequest, 'force'>): Promise<void> {
  const from = resolve(folder);
  const manifest = await readManifest(from);
  await checkFiles(from, manifest.files);
  await stageBackup({ from, dataDir, manifest, now });
}

/** Models stay where the backup has none. */
function staysOf({ withModels }: Manifest): string[] {
  return withModels ? [] : ['models', 'tools'];
}

interface Staging {
  from: string;
  dataDir: string;
  manifest: Manifest;
  now: number;
}

async function stageBackup({ from, dataDir, manifest, now }: Staging): Promise<void> {
  const stage = join(dataDir, STAGE);
  await rm(stage, { recursive: true, force: true });
  try {
    await mkdir(stage, { mode: 0o700 });
    await copyChecked(from, stage, manifest);
    commitStagedData(dataDir, { from: basename(from), stays: staysOf(manifest), now });
  } catch (error) {
    await rm(stage, { recursive: true, force: true });
    throw error;
  }
}

async function copyChecked(from: string, stage: string, { files, databases }: Manifest): Promise<void> {
  for (const { path, mode } of files) {
    if ((await copyFile(join(from, ...path.split('/')), stage, path, mode)) === null) {
      throw new BackupError(say`The backup is incomplete: ${path} is missing.`);
    }
  }
  await checkFiles(stage, files);
  for (const { path, rows } of databases) checkDatabase(join(stage, ...path.split('/')), rows);
}
