import { randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, renameSync } from 'node:fs';
import { mkdir, readdir, rename, rm, rmdir } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { isDiskFull, storageUnavailable } from '../errors.ts';

/** Name of a job's source inside its folder. */
const SOURCE = 'source';

/** Folder, inside a job's folder, of the files that are served. */
const FILES = 'files';

/** Folder of checkpoints. */
const WORK = 'work';

/** Name of the file of a job's chunks, a line each. */
const CHUNKS = 'chunks.jsonl';

const ACCEPTING = '.accepting';

/** Name of a folder of job folders: two characters of a job's id. */
const SHARD = /^[a-z0-9_-]{2}$/;

/** Folder, beside those of the jobs, of what is being removed. */
const ASIDE = '.removing';

/** More waiting jobs than this are looked at again when they run. */
const PREPARED_MAX = 10_000;

/** What a served file may be called: no separators, no leading dot. */
const FILE_NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,120}$/;

/**
 * A job's files: `<root>/<two characters>/<jobId>/{source,files/…}`. The two characters keep any one folder small.
 */
export class JobFolders {
  /** Folder of all of them. */
  readonly root: string;
  /** Jobs whose folder was just made, and which have not run since. */
  readonly #prepared = new Set<string>();

  constructor(root: string) {
    this.root = root;
    mkdirSync(root, { recursive: true });
  }

  folderOf(jobId: string): string {
    return join(this.root, jobId.slice(4, 6).toLowerCase(), jobId);
  }

  sourceOf(jobId: string): string {
    return join(this.folderOf(jobId), SOURCE);
  }

  filesOf(jobId: string): string {
    return join(this.folderOf(jobId), FILES);
  }

  /** Folder for what an unfinished run keeps; it is not served. */
  workOf(jobId: string): string {
    return join(this.folderOf(jobId), WORK);
  }

  /** Path of a served file, or null when no such name can exist. */
  fileOf(jobId: string, name: string): string | null {
    return FILE_NAME.test(name) ? join(this.filesOf(jobId), name) : null;
  }

  /** The file of a job's chunks. */
  chunksOf(jobId: string): string {
    return join(this.filesOf(jobId), CHUNKS);
  }

  /** Makes the folder for a run. */
  async prepare(jobId: string): Promise<void> {
    if (this.#prepared.delete(jobId)) return;
    await mkdir(this.filesOf(jobId), { recursive: true }).catch(explain);
  }

  /**
   * Moves an upload into the folder of a job that is about to be inserted. The mark says that the job may not exist
   * yet: a process that dies before `settled` leaves it, and `recover` clears what belongs to no job.
   */
  async claimUpload(jobId: string, uploadPath: string): Promise<void> {
    // A folder, since it is made in one step, where a file is opened and closed.
    await mkdir(join(this.root, jobId + ACCEPTING)).catch(explain);
    await this.prepare(jobId);
    await rename(uploadPath, this.sourceOf(jobId)).catch(explain);
    if (this.#prepared.size < PREPARED_MAX) this.#prepared.add(jobId);
  }

  /** The job's row is committed (or was refused and its folder removed): the mark goes. */
  async settled(jobId: string): Promise<void> {
    await rmdir(join(this.root, jobId + ACCEPTING)).catch(ignoreMissing);
  }

  async remove(jobId: string): Promise<void> {
    this.#prepared.delete(jobId);
    await rm(this.folderOf(jobId), { recursive: true, force: true });
  }

  /** Moves the upload of one job to another, whose own was removed. */
  moveSource(from: string, to: string): void {
    try {
      mkdirSync(this.filesOf(to), { recursive: true });
      renameSync(this.sourceOf(from), this.sourceOf(to));
    } catch (error) {
      explain(error);
    }
  }

  /**
   * Takes a job's folder away by one rename, synchronously: a transaction that follows at once removes the job before
   * anything can ask for it again. Null where there is no folder.
   */
  setAside(jobId: string): string | null {
    this.#prepared.delete(jobId);
    mkdirSync(join(this.root, ASIDE), { recursive: true });
    const aside = join(this.root, ASIDE, `${jobId}.${randomUUID()}`);
    try {
      renameSync(this.folderOf(jobId), aside);
      return aside;
    } catch (error) {
      ignoreMissing(error as NodeJS.ErrnoException);
      return null;
    }
  }

  /** Undoes `setAside`, when the transaction failed. */
  putBack(jobId: string, aside: string): void {
    renameSync(aside, this.folderOf(jobId));
  }

  /** Removes what was set aside: this, or whatever is left of it. */
  async clearAside(aside: string = join(this.root, ASIDE)): Promise<void> {
    await rm(aside, { recursive: true, force: true });
  }

  /**
   * At start: removes the folders of acceptances that never became jobs. A pending one (its payment is being settled)
   * keeps folder and mark. What was set aside for a job whose time did not end goes back.
   */
  async recover(fateOf: (jobId: string) => 'job' | 'pending' | 'nobody'): Promise<void> {
    for (const name of await readdir(join(this.root, ASIDE)).catch(() => [])) {
      const [jobId = ''] = name.split('.');
      if (fateOf(jobId) === 'job') this.putBack(jobId, join(this.root, ASIDE, name));
    }
    await this.clearAside();
    const marks = (await readdir(this.root)).filter((name) => name.endsWith(ACCEPTING));
    for (const mark of marks) {
      const jobId = mark.slice(0, -ACCEPTING.length);
      const fate = fateOf(jobId);
      if (fate === 'nobody') await this.remove(jobId);
      if (fate !== 'pending') await this.settled(jobId);
    }
  }
}

/** Whether a folder of job folders holds one of a job that was accepted: no acceptance was under way. */
export function hasJobFolders(root: string): boolean {
  if (!existsSync(root)) return false;
  const entries = readdirSync(root, { withFileTypes: true });
  const names = entries.map(({ name }) => name);
  const accepting = new Set(names.filter((name) => name.endsWith(ACCEPTING)).map((name) => basename(name, ACCEPTING)));
  const folders = entries.filter((entry) => entry.isDirectory() && SHARD.test(entry.name));
  return folders.some(({ name }) => readdirSync(join(root, name)).some((jobId) => !accepting.has(jobId)));
}

/** A full disk keeps its own error, for which callers have an answer. */
function explain(error: unknown): never {
  throw isDiskFull(error) ? error : storageUnavailable(error);
}

function ignoreMissing(error: NodeJS.ErrnoException): void {
  if (error.code !== 'ENOENT') throw error;
}
