import { randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, renameSync } from 'node:fs';
import { mkdir, readdir, rename, rm, rmdir } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { isDiskFull, storageUnavailable } from '../errors.ts';

/** Name of the source file in a job's folder. */
const SOURCE = 'source';

/** Folder of the served files in a job's folder. */
const FILES = 'files';

/** Folder of checkpoints. */
const WORK = 'work';

/** File with one chunk per line. */
const CHUNKS = 'chunks.jsonl';

const ACCEPTING = '.accepting';

/** Name of a folder of job folders: two characters of the job id. */
const SHARD = /^[a-z0-9_-]{2}$/;

/** Folder for job folders that are being removed. */
const ASIDE = '.removing';

/** Valid names of served files: no separators, no leading dot. */
const FILE_NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,120}$/;

/**
 * The files of jobs: `<root>/<two characters>/<jobId>/{source,files/…}`. The two-character folders keep every folder
 * small.
 */
export class JobFolders {
  /** Folder of all jobs. */
  readonly root: string;

  constructor(root: string) {
    this.root = root;
    mkdirSync(root, { recursive: true });
  }

  jobFolderPath(jobId: string): string {
    return join(this.root, jobId.slice(4, 6).toLowerCase(), jobId);
  }

  sourceFolderPath(jobId: string): string {
    return join(this.jobFolderPath(jobId), SOURCE);
  }

  filesFolderPath(jobId: string): string {
    return join(this.jobFolderPath(jobId), FILES);
  }

  /** Private folder for the checkpoints of a run. */
  workFolderPath(jobId: string): string {
    return join(this.jobFolderPath(jobId), WORK);
  }

  /** Path of a served file; null for an invalid name. */
  servedJobFilePath(jobId: string, name: string): string | null {
    return FILE_NAME.test(name) ? join(this.filesFolderPath(jobId), name) : null;
  }

  /** Names of all served files; none where the job has no folder. */
  async fileNames(jobId: string): Promise<string[]> {
    const names = await readdir(this.filesFolderPath(jobId)).catch(ignoreMissingFolder);
    return (names ?? []).filter((name) => FILE_NAME.test(name)).sort();
  }

  chunksFolderPath(jobId: string): string {
    return join(this.filesFolderPath(jobId), CHUNKS);
  }

  /** Creates the folder for a run. */
  async prepareJobFolder(jobId: string): Promise<void> {
    await makeFolder(this.filesFolderPath(jobId));
  }

  /**
   * Moves an upload into the folder of a job that is about to be inserted. A mark shows that the job may not exist yet:
   * a process that dies before `clearAcceptingMark` leaves it, and `recover` removes folders without a job.
   */
  async claimUpload(jobId: string, uploadPath: string): Promise<void> {
    // A folder, since it is created in one step. A file would be opened and closed.
    await mkdir(join(this.root, jobId + ACCEPTING)).catch(throwStorageError);
    await makeFolder(this.jobFolderPath(jobId));
    await rename(uploadPath, this.sourceFolderPath(jobId)).catch(throwStorageError);
  }

  /** Removes the mark: the job's row is committed, or was refused and its folder removed. */
  async clearAcceptingMark(jobId: string): Promise<void> {
    await rmdir(join(this.root, jobId + ACCEPTING)).catch(ignoreMissingFolder);
  }

  /** The file that a job was made from goes; what it made stays. */
  async removeSource(jobId: string): Promise<void> {
    await rm(this.sourceFolderPath(jobId), { force: true });
  }

  async removeJobFolder(jobId: string): Promise<void> {
    await rm(this.jobFolderPath(jobId), { recursive: true, force: true });
  }

  /** Moves the upload of one job to another, whose own was removed. */
  moveSource(from: string, to: string): void {
    try {
      mkdirSync(this.filesFolderPath(to), { recursive: true });
      renameSync(this.sourceFolderPath(from), this.sourceFolderPath(to));
    } catch (error) {
      throwStorageError(error);
    }
  }

  /**
   * Takes a job's folder away by one rename, synchronously: a transaction that follows at once removes the job before
   * anything can ask for it again. Null where there is no folder.
   */
  setJobFolderAside(jobId: string): string | null {
    mkdirSync(join(this.root, ASIDE), { recursive: true });
    const aside = join(this.root, ASIDE, `${jobId}.${randomUUID()}`);
    try {
      renameSync(this.jobFolderPath(jobId), aside);
      return aside;
    } catch (error) {
      ignoreMissingFolder(error as NodeJS.ErrnoException);
      return null;
    }
  }

  /** Undoes `setJobFolderAside`, when the transaction failed. */
  putBack(jobId: string, aside: string): void {
    renameSync(aside, this.jobFolderPath(jobId));
  }

  /** Deletes one folder that was set aside, or all of them. */
  async clearAside(aside: string = join(this.root, ASIDE)): Promise<void> {
    await rm(aside, { recursive: true, force: true });
  }

  /**
   * Runs at start-up. Deletes the folders of submissions that never became jobs. A pending one (its payment is being
   * settled) keeps folder and mark. Folders that were set aside for jobs that still exist are restored.
   */
  async recoverJobFolders(fateOf: (jobId: string) => 'job' | 'pending' | 'nobody'): Promise<void> {
    for (const name of await readdir(join(this.root, ASIDE)).catch(() => [])) {
      const [jobId = ''] = name.split('.');
      if (fateOf(jobId) === 'job') this.putBack(jobId, join(this.root, ASIDE, name));
    }
    await this.clearAside();
    const marks = (await readdir(this.root)).filter((name) => name.endsWith(ACCEPTING));
    for (const mark of marks) {
      const jobId = mark.slice(0, -ACCEPTING.length);
      const fate = fateOf(jobId);
      if (fate === 'nobody') await this.removeJobFolder(jobId);
      if (fate !== 'pending') await this.clearAcceptingMark(jobId);
    }
  }
}

/** Makes a folder, and those around it where they are missing. Each folder made is a step of another thread. */
async function makeFolder(path: string): Promise<void> {
  try {
    await mkdir(path);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EEXIST') return;
    if (code !== 'ENOENT') throwStorageError(error);
    await mkdir(path, { recursive: true }).catch(throwStorageError);
  }
}

/** Whether a folder of job folders contains one of an accepted job, without a submission mark. */
export function hasJobFolders(root: string): boolean {
  if (!existsSync(root)) return false;
  const entries = readdirSync(root, { withFileTypes: true });
  const names = entries.map(({ name }) => name);
  const accepting = new Set(names.filter((name) => name.endsWith(ACCEPTING)).map((name) => basename(name, ACCEPTING)));
  const folders = entries.filter((entry) => entry.isDirectory() && SHARD.test(entry.name));
  return folders.some(({ name }) => readdirSync(join(root, name)).some((jobId) => !accepting.has(jobId)));
}

/** Maps file system errors to `storage_unavailable`. A full disk has its own error. */
function throwStorageError(error: unknown): never {
  throw isDiskFull(error) ? error : storageUnavailable(error);
}

function ignoreMissingFolder(error: NodeJS.ErrnoException): void {
  if (error.code !== 'ENOENT') throw error;
}
