/**
 * Makes a backup of a data folder, also while a server uses it. The databases are copied first, each at one moment; the
 * files of jobs that ended later are copied too, and nothing names them. A backup is written beside its place and put
 * there when it is complete and checked, so an earlier one is never lost to a failure.
 */

import { mkdir, open, readdir, realpath, rename, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';
import { systemCodeOf } from '../../platform/errors.ts';
import { PLACE_FILE } from '../../platform/files/data-place.ts';
import { makeFolder } from '../../platform/files/make-folder.ts';
import { syncFolder } from '../../platform/files/replace-file.ts';
import { say, tell } from '../../platform/text/say.ts';
import { VERSION } from '../../platform/version.ts';
import { checkFiles, copyFile, describeFile, type ListedFile, listFiles, nullWhenMissing } from './copy-files.ts';
import { copyDatabase } from './databases.ts';
import { BackupError, MANIFEST_FILE, Manifest } from './schema.ts';

/** Both databases of each environment. The search index is in it, because its vectors take long to compute. */
const DATABASE = /^(?:production|staging)\/(?:quarry|search)\.db$/;

/** The logs of databases, locks of running processes, and what is built anew when it is missing. */
const NEVER = [
  /^(?:production|staging)\/(?:quarry|search)\.db-/,
  /^lock\.db/,
  /^server\.json/,
  /^compiled$/,
  /^fleet\/broker$/,
  /^before-restore-/,
  /^\.restoring$/,
  /^\.restore\.json/,
  // They belong to this folder, on this machine.
  PLACE_FILE,
];

/** Models and programs can be downloaded again. */
const MODELS = /^(?:models|tools)$/;

export interface BackupRequest {
  dataDir: string;
  /** Becomes the backup. */
  folder: string;
  /** Models outside of the data folder; undefined where they are in it. */
  modelsDir?: string | undefined;
  withModels: boolean;
  now: number;
}

/** @throws BackupError for a place that cannot be used or a copy that failed its check; errors of the file system */
export async function createBackup(request: BackupRequest): Promise<Manifest> {
  const folder = resolve(request.folder);
  await checkPlaces(request.dataDir, folder);
  makeFolder(dirname(folder));
  await putBackEarlier(folder);
  await removeLeftovers(folder);
  const part = `${folder}${PART}${process.pid}-${request.now}`;
  await mkdir(part, { mode: 0o700 });
  try {
    const manifest = await fillBackupFolder(part, request);
    await replaceBackup(folder, part);
    return manifest;
  } catch (error) {
    await rm(part, { recursive: true, force: true });
    throw error;
  }
}

/** A process that was killed between the two renames of a replacement left the earlier backup under its other name. */
async function putBackEarlier(folder: string): Promise<void> {
  const isThere = (await readdir(folder).catch(nullWhenMissing)) !== null;
  if (!isThere) await rename(folder + OLD, folder).catch(nullWhenMissing);
}

const PART = '.part-';

const OLD = '.old';

async function checkPlaces(dataDir: string, folder: string): Promise<void> {
  const root = await realpath(dataDir).catch(nullWhenMissing);
  if (root === null) throw new BackupError(tell`There is no data folder ${dataDir}. Give another with --data-dir.`);
  if (isWithinFolder(folder, resolve(dataDir)) || isWithinFolder(await realPathOf(folder), root)) {
    throw new BackupError(say`${folder} lies in the data folder. Choose a folder outside of it.`);
  }
  const names = await readdir(folder).catch(nullWhenMissing);
  if (names !== null && names.length > 0 && !names.includes(MANIFEST_FILE)) {
    throw new BackupError(
      say`${folder} holds other files. Choose a new or empty folder, or one with an earlier backup.`,
    );
  }
}

/** The real path of a folder that may not exist yet. */
async function realPathOf(folder: string): Promise<string> {
  const real = await realpath(folder).catch(nullWhenMissing);
  if (real !== null || dirname(folder) === folder) return real ?? folder;
  return join(await realPathOf(dirname(folder)), basename(folder));
}

function isWithinFolder(path: string, folder: string): boolean {
  const way = relative(folder, path);
  return way.split(sep)[0] !== '..' && !isAbsolute(way);
}

/** Parts of backups whose process was killed. */
async function removeLeftovers(folder: string): Promise<void> {
  const start = basename(folder) + PART;
  for (const name of await readdir(dirname(folder))) {
    const pid = name.startsWith(start) ? Number(/^\d+/.exec(name.slice(start.length))?.[0]) : Number.NaN;
    // In a container, the killed process had the same number.
    if (Number.isNaN(pid) || (pid !== process.pid && isRunning(pid))) continue;
    await rm(join(dirname(folder), name), { recursive: true, force: true });
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return systemCodeOf(error) !== 'ESRCH';
  }
}

async function fillBackupFolder(
  part: string,
  { dataDir, modelsDir, withModels, now }: BackupRequest,
): Promise<Manifest> {
  const isElsewhere = (path: string) => path === 'models' && modelsDir !== undefined;
  const isLeftOut = (path: string) =>
    NEVER.some((pattern) => pattern.test(path)) || (MODELS.test(path) && (!withModels || isElsewhere(path)));
  const paths = await listFiles(dataDir, isLeftOut);
  const databases: Manifest['databases'] = [];
  const files: ListedFile[] = [];
  for (const path of paths.filter((one) => DATABASE.test(one))) {
    await mkdir(dirname(join(part, path)), { recursive: true, mode: 0o700 });
    databases.push({ path, rows: await copyDatabase(join(dataDir, path), join(part, path)) });
    files.push(await describeFile(part, path));
  }
  if (!databases.some(({ path }) => path === 'production/quarry.db')) {
    throw new BackupError(tell`No server has used the data folder ${dataDir} yet. Give another with --data-dir.`);
  }
  const copyAll = async (root: string, names: readonly string[], below: string) => {
    for (const name of names) {
      const copied = await copyFile(join(root, ...name.split('/')), part, below + name);
      if (copied !== null) files.push(copied);
    }
  };
  // Listed again: jobs ended while the databases were copied.
  const plain = (await listFiles(dataDir, isLeftOut)).filter((one) => !DATABASE.test(one));
  await copyAll(dataDir, plain, '');
  if (withModels && modelsDir !== undefined)
    await copyAll(modelsDir, await listFiles(modelsDir, () => false), 'models/');
  await checkFiles(part, files);
  const createdAt = new Date(now).toISOString();
  const manifest: Manifest = { format: 1, version: VERSION, createdAt, withModels, databases, files };
  await writeFile(join(part, MANIFEST_FILE), `${JSON.stringify(manifest, null, 1)}\n`, { mode: 0o600, flush: true });
  syncFolder(part);
  return manifest;
}

/** The earlier backup stays until the new one is in its place. */
async function replaceBackup(folder: string, part: string): Promise<void> {
  await rm(folder + OLD, { recursive: true, force: true });
  const isReplacing = await rename(folder, folder + OLD).then(() => true, nullWhenMissing);
  try {
    await rename(part, folder);
  } catch (error) {
    if (isReplacing) await rename(folder + OLD, folder);
    throw error;
  }
  syncFolder(dirname(folder));
  await rm(folder + OLD, { recursive: true, force: true });
}

/** The manifest of a backup. @throws BackupError where there is none, or one of a later version */
export async function readManifest(folder: string): Promise<Manifest> {
  const file = await open(join(folder, MANIFEST_FILE), 'r').catch(nullWhenMissing);
  if (file === null) throw new BackupError(say`${folder} is no complete backup: it has no ${MANIFEST_FILE}.`);
  try {
    return Manifest.parse(JSON.parse(await file.readFile('utf8')));
  } catch (error) {
    throw new BackupError(say`${join(folder, MANIFEST_FILE)} is damaged, or of another version of Quarry.`, error);
  } finally {
    await file.close();
  }
}
