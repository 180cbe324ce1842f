import { lstat, realpath } from 'node:fs/promises';
import { basename, dirname, isAbsolute, parse } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { OWNER } from '../../context.ts';
import { type Clock, toIsoTime } from '../../platform/clock.ts';
import { yieldToEventLoop } from '../../platform/concurrency.ts';
import type { Storage, Tx } from '../../platform/db/database.ts';
import { isErrorCode, isJobErrorCode } from '../../platform/error-codes.ts';
import { QuarryError } from '../../platform/errors.ts';
import { areSame, besideOf, type FileFacts, factsOf, isWithin, openWithin } from '../../platform/files/safe-files.ts';
import type { Upload } from '../../platform/files/uploads.ts';
import { invalidRequest } from '../../platform/http/validate.ts';
import { newId } from '../../platform/ids.ts';
import { Listeners } from '../../platform/listeners.ts';
import type { Logger } from '../../platform/log.ts';
import { canonicalHash } from '../../platform/text/canonical-json.ts';
import { wholeSlice } from '../../platform/text/strings.ts';
import { describeBytes, MIB, SECOND_MS } from '../../platform/units.ts';
import type { JobError, JobStatus, Recipe } from '../jobs/schema.ts';
import { acceptCall, callOf, checkRecipe, isKept, type JobService } from '../jobs/service.ts';
import { FolderEye, type SettledFile } from './folder-eye.ts';
import { writeResults } from './results-folder.ts';
import {
  type FolderState,
  type FolderWatch,
  type FolderWatchRequest,
  type FolderWatchUpdate,
  MAX_FOLDER_WATCHES,
  type WatchedFile,
} from './schema.ts';
import {
  changeFile,
  changeFolder,
  count,
  deleteFiles,
  deleteFolder,
  deletePath,
  dueFiles,
  type FileRow,
  type FolderRow,
  fileByHash,
  fileByJob,
  folderById,
  folderBySeq,
  hasPaths,
  insertFile,
  insertFolder,
  listFiles,
  listFolders,
  orphans,
  pathRow,
  pathsAfter,
  pathsOfInode,
  writePath,
} from './store.ts';

const TICK_MS = 250;

/** Unfinished jobs of a watch. Further files wait in their folder, so the disk holds few copies. */
const MAX_OPEN_JOBS = 50;

/** Files of a watch that are read in one pass: one large folder does not hold up the others. */
const FILES_PER_PASS = 25;

/** After a full disk and the like. */
const REST_MS = 30 * SECOND_MS;

const CLOSE_LIMIT_MS = 3 * SECOND_MS;

const SLICE = 500;

const FAILED = 'Watched folders could not be looked at.';

export interface FolderDeps {
  storage: Storage;
  clock: Clock;
  log: Logger;
  /** Its own files are never watched. */
  dataFolder: string;
  /** A function, since it is opened later. */
  service(): JobService;
}

interface Watched {
  eye: FolderEye;
  /** Until then no file is read. */
  restsUntil: number;
  trouble: string | null;
  /** The pass that runs. A dead network drive holds up no other folder. */
  pass: Promise<void> | null;
}

/**
 * Watched folders of one environment. Each new or changed file becomes a job of the owner, once: the row that says so
 * is unique by content and recipe, and is committed with the job.
 */
export class Folders {
  readonly #deps: FolderDeps;
  /** By the number of the watch; only active ones. */
  readonly #watched = new Map<number, Watched>();
  readonly changed = new Listeners<string>();
  #timer: NodeJS.Timeout | null = null;
  #work: Promise<void> | null = null;
  /** Watches with results to write. */
  readonly #due = new Set<number>();
  /** Watches that are gone and have left files. */
  #orphans: number[] = [];

  constructor(deps: FolderDeps) {
    this.#deps = deps;
  }

  start(): void {
    for (const folder of listFolders(this.#deps.storage.db)) {
      if (folder.status === 'active') this.#open(folder);
      if (folder.results === 'beside') this.#due.add(folder.seq);
    }
    this.#orphans = orphans(this.#deps.storage.db);
    this.#timer = setInterval(() => this.#tick(), TICK_MS);
  }

  async close(): Promise<void> {
    if (this.#timer) clearInterval(this.#timer);
    this.#timer = null;
    const watched = [...this.#watched.values()];
    const ended = Promise.all([this.#work, ...watched.flatMap(({ eye, pass }) => [eye.close(), pass])]);
    // A dead network drive answers no question.
    await Promise.race([ended, sleep(CLOSE_LIMIT_MS, undefined, { ref: false })]);
  }

  list(): FolderWatch[] {
    return listFolders(this.#deps.storage.db).map((row) => this.#present(row));
  }

  /** Errors: `not_found`. */
  get(watchId: string): FolderWatch {
    return this.#present(this.#row(watchId));
  }

  /** Errors: `invalid_request`, `conflict` at the limit. */
  async create(request: FolderWatchRequest): Promise<FolderWatch> {
    const path = await this.#checkPath(request.path);
    await checkRecipe(this.#deps.service(), request.recipe, 'file');
    const { storage, clock } = this.#deps;
    const now = clock.now();
    const row = storage.transaction((tx) => {
      if (listFolders(tx).length >= MAX_FOLDER_WATCHES) {
        throw new QuarryError('conflict', `There are ${MAX_FOLDER_WATCHES} watched folders. Delete one first.`);
      }
      return insertFolder(tx, {
        id: newId('fld'),
        name: request.name ?? null,
        path,
        recipe: JSON.stringify(request.recipe),
        recipe_hash: canonicalHash(request.recipe),
        extensions: request.extensions === undefined ? null : JSON.stringify(request.extensions),
        results: request.results,
        settle_seconds: request.settleSeconds,
        status: 'active',
        device: null,
        created_at: now,
        updated_at: now,
      });
    });
    this.#open(row);
    this.changed.tell(row.id);
    return this.#present(row);
  }

  /** Errors: `not_found`, `invalid_request`. */
  async change(watchId: string, update: FolderWatchUpdate): Promise<FolderWatch> {
    const { storage, clock } = this.#deps;
    const { seq } = this.#row(watchId);
    const { name, recipe, results, settleSeconds, status } = update;
    if (recipe !== undefined) await checkRecipe(this.#deps.service(), recipe, 'file');
    const row = storage.transaction((tx) =>
      changeFolder(tx, seq, {
        ...(name === undefined ? {} : { name }),
        ...(recipe === undefined ? {} : { recipe: JSON.stringify(recipe), recipe_hash: canonicalHash(recipe) }),
        ...(results === undefined ? {} : { results }),
        ...(settleSeconds === undefined ? {} : { settle_seconds: settleSeconds }),
        ...(status === undefined ? {} : { status }),
        updated_at: clock.now(),
      }),
    );
    if (row === undefined) throw notFound();
    if (row.status === 'paused') await this.#shut(seq);
    else if (!this.#watched.has(seq)) this.#open(row);
    this.changed.tell(row.id);
    return this.#present(row);
  }

  /** The jobs of the watch stay, and so do written results. Errors: `not_found`. */
  async delete(watchId: string): Promise<void> {
    const { seq } = this.#row(watchId);
    await this.#shut(seq);
    this.#deps.storage.transaction((tx) => deleteFolder(tx, seq));
    await this.#removeFiles(seq, null);
    this.changed.tell(watchId);
  }

  /** Compares all files with what is known. Errors: `not_found`, `conflict` while it is paused. */
  look(watchId: string): FolderWatch {
    const row = this.#row(watchId);
    const watched = this.#watched.get(row.seq);
    if (watched === undefined) throw new QuarryError('conflict', 'The watch is paused. Resume it first.');
    watched.restsUntil = 0;
    watched.trouble = null;
    watched.eye.look();
    return this.#present(row);
  }

  /** Forgets the files that failed, so that those that are still there are read again. Errors: as `look`. */
  async retry(watchId: string): Promise<FolderWatch> {
    this.look(watchId);
    await this.#removeFiles(this.#row(watchId).seq, 'failed');
    this.changed.tell(watchId);
    return this.look(watchId);
  }

  /** One page, newest first. Errors: `not_found`. */
  files(
    watchId: string,
    { status, before, limit }: { status: FileRow['status'] | undefined; before: number | null; limit: number },
  ): { files: WatchedFile[]; next: number | null } {
    const { db } = this.#deps.storage;
    const rows = listFiles(db, this.#row(watchId).seq, { status, before, limit: limit + 1 });
    const page = rows.slice(0, limit);
    const next = rows.length > limit ? (page.at(-1)?.seq ?? null) : null;
    return { files: page.map((row) => this.#presentFile(row)), next };
  }

  /** Ends a file with its job, in the same transaction. */
  onJobEnded(tx: Tx, job: { id: string; status: JobStatus; error: string | null }): void {
    const file = fileByJob(tx, job.id);
    if (file === undefined || (job.status !== 'completed' && job.status !== 'failed')) return;
    const folder = folderBySeq(tx, file.watch_seq);
    const results = job.status === 'completed' && folder?.results === 'beside' ? 'due' : 'none';
    const ended_at = this.#deps.clock.now();
    changeFile(tx, file.seq, { status: job.status, error: job.error, results, results_error: null, ended_at });
    if (file.status !== job.status) count(tx, file.watch_seq, { [file.status]: -1, [job.status]: 1 });
    if (results === 'due') this.#due.add(file.watch_seq);
  }

  /** The files or the result of a job changed after its end: they are written to the folder again. */
  onResultChanged(jobId: string): void {
    const seq = this.#deps.storage.transaction((tx) => {
      const file = fileByJob(tx, jobId);
      if (file === undefined || file.results === 'none') return null;
      changeFile(tx, file.seq, { results: 'due', results_error: null });
      return file.watch_seq;
    });
    if (seq !== null) this.#due.add(seq);
  }

  #open(row: FolderRow): void {
    const { storage, clock } = this.#deps;
    const { seq } = row;
    const eye = new FolderEye({
      root: row.path,
      device: row.device,
      now: () => clock.now(),
      settleMs: () => (folderBySeq(storage.db, seq)?.settle_seconds ?? 1) * SECOND_MS,
      extensions: row.extensions === null ? null : JSON.parse(row.extensions),
      isKnown: (path, facts) => this.#isKnown(seq, path, facts),
      hasKnown: () => hasPaths(storage.db, seq),
      onLooked: (paths, device) => this.#onLooked(seq, paths, device),
      onChanged: () => this.changed.tell(row.id),
    });
    this.#watched.set(seq, { eye, restsUntil: 0, trouble: null, pass: null });
  }

  async #shut(seq: number): Promise<void> {
    const watched = this.#watched.get(seq);
    this.#watched.delete(seq);
    await Promise.race([watched?.eye.close(), sleep(CLOSE_LIMIT_MS, undefined, { ref: false })]);
  }

  #isKnown(seq: number, path: string, facts: FileFacts): boolean {
    const known = pathRow(this.#deps.storage.db, seq, path);
    return known !== undefined && areSame(factsIn(known), facts);
  }

  async #onLooked(seq: number, paths: ReadonlySet<string>, device: string): Promise<void> {
    const { storage } = this.#deps;
    storage.transaction((tx) => changeFolder(tx, seq, { device }));
    let after = '';
    for (;;) {
      const some = pathsAfter(storage.db, seq, after, SLICE);
      const gone = some.filter((path) => !paths.has(path));
      // A file that was renamed is known by its inode until it has been looked at.
      if (gone.length > 0 && this.#watched.get(seq)?.eye.state.settling === 0) {
        storage.transaction((tx) => {
          for (const path of gone) deletePath(tx, seq, path);
        });
      }
      const last = some.at(-1);
      if (last === undefined) return;
      after = last;
      await yieldToEventLoop();
    }
  }

  #tick(): void {
    if (this.#timer === null) return;
    this.#work ??= this.#pass()
      .catch((error: unknown) => this.#deps.log.error({ err: error }, FAILED))
      .finally(() => {
        this.#work = null;
      });
    for (const [seq, watched] of this.#watched) {
      watched.pass ??= this.#passOf(seq, watched)
        .catch((error: unknown) => this.#deps.log.error({ err: error }, FAILED))
        .finally(() => {
          watched.pass = null;
        });
    }
  }

  async #passOf(seq: number, watched: Watched): Promise<void> {
    await watched.eye.tick();
    await this.#readSome(seq, watched);
  }

  async #pass(): Promise<void> {
    for (const seq of this.#orphans.splice(0)) await this.#removeFiles(seq, null);
    for (const seq of this.#due) {
      this.#due.delete(seq);
      await this.#writeDue(seq);
    }
  }

  async #readSome(seq: number, watched: Watched): Promise<void> {
    const { storage, clock, log } = this.#deps;
    if (clock.now() < watched.restsUntil) return;
    for (let read = 0; read < FILES_PER_PASS; read++) {
      const folder = folderBySeq(storage.db, seq);
      if (folder?.status !== 'active' || folder.processing >= MAX_OPEN_JOBS || this.#timer === null) return;
      const file = watched.eye.take();
      if (file === undefined) return;
      try {
        await this.#read(folder, file, watched.eye);
        this.#say(folder, watched, null);
      } catch (error) {
        watched.eye.giveBack(file.path);
        watched.restsUntil = clock.now() + REST_MS;
        log.warn({ err: error, watchId: folder.id }, 'A file of a watched folder could not be read now.');
        const told = error instanceof QuarryError && isErrorCode(error.code) ? error.message : null;
        this.#say(folder, watched, told ?? 'A file cannot be read now. Quarry tries again in half a minute.');
        return;
      }
    }
  }

  #say(folder: FolderRow, watched: Watched, trouble: string | null): void {
    if (watched.trouble === trouble) return;
    watched.trouble = trouble;
    this.changed.tell(folder.id);
  }

  /** Turns a settled file into a job, or finds that it is known. Errors: those that may pass. */
  async #read(folder: FolderRow, file: SettledFile, eye: FolderEye): Promise<void> {
    if (await this.#isMoved(folder, file)) return;
    const service = this.#deps.service();
    const recipe = JSON.parse(folder.recipe) as Recipe;
    const maxBytes = this.#maxBytes(recipe);
    if (file.facts.sizeBytes > maxBytes) {
      const limit = `The file is larger than the ${describeBytes(maxBytes)} this operation takes.`;
      const message = `${limit} Split it, or raise the limit in the settings.`;
      return this.#refuse(folder, file, null, new QuarryError('source_too_large', message));
    }
    const opened = await openWithin(folder.path, file.path);
    if (opened === null) return;
    let upload: Upload | null = null;
    try {
      if (!areSame(opened.facts, file.facts)) return eye.giveBack(file.path);
      const received = await service.body.uploads.receive(opened.chunks(), { maxBytes });
      upload = { ...received, fileName: basename(file.path), kind: 'unknown', label: '' };
      if (!areSame(await opened.now(), file.facts)) return eye.giveBack(file.path);
      if (await this.#isCopy(folder, file, upload.sha256)) return;
      Object.assign(upload, await service.body.sniff(upload.path, upload.fileName));
      await this.#submit(folder, recipe, file, upload);
    } finally {
      await opened.close();
      // An accepted upload has moved to its job.
      if (upload !== null) await service.body.uploads.discard(upload);
    }
  }

  #maxBytes({ operation }: Recipe): number {
    const service = this.#deps.service();
    const { documentLimitMb, videoLimitMb } = service.settings();
    const { source } = service.operations.find(({ id }) => id === operation) ?? {};
    return (source?.sizeLimit === 'video' ? videoLimitMb : documentLimitMb) * MIB;
  }

  /** The same file under another name: it keeps its inode, size and time. */
  async #isMoved(folder: FolderRow, { path, facts }: SettledFile): Promise<boolean> {
    const { storage } = this.#deps;
    const known = pathsOfInode(storage.db, folder.seq, facts.inode).find((row) => areSame(factsIn(row), facts));
    if (known === undefined) return false;
    const moved = known.path !== path && (await factsOf(`${folder.path}/${known.path}`)) === null;
    this.#know(folder, { path, facts }, known.file_seq, moved ? known.path : null);
    return true;
  }

  /** Content that was read before: a copy, a file that was touched, or one that moved from another disk. */
  async #isCopy(folder: FolderRow, file: SettledFile, hash: string): Promise<boolean> {
    const known = fileByHash(this.#deps.storage.db, folder, hash);
    if (known === undefined) return false;
    const isGone = known.path !== file.path && (await factsOf(`${folder.path}/${known.path}`)) === null;
    this.#know(folder, file, known.seq, isGone ? known.path : null);
    return true;
  }

  /** @param from the old path of a file that moved */
  #know(folder: FolderRow, { path, facts }: SettledFile, fileSeq: number, from: string | null): void {
    this.#deps.storage.transaction((tx) => {
      writePath(tx, { watch_seq: folder.seq, path, ...columnsOf(facts), file_seq: fileSeq });
      if (from === null) return;
      deletePath(tx, folder.seq, from);
      changeFile(tx, fileSeq, { path });
    });
    if (from !== null) this.changed.tell(folder.id);
  }

  async #submit(folder: FolderRow, recipe: Recipe, file: SettledFile, upload: Upload): Promise<void> {
    const service = this.#deps.service();
    const source = { file: `upload:${upload.sha256}`, name: sourceNameOf(file.path) };
    try {
      const call = await acceptCall(service, {
        ...callOf(service.operations, recipe, source),
        principal: OWNER,
        upload,
        signal: new AbortController().signal,
        install: 'ask',
        priority: 'low',
        watchId: folder.id,
        also: (tx, { id: jobId }) => this.#enter(tx, folder, file, { hash: upload.sha256, jobId, error: null }),
      });
      call.leave();
    } catch (error) {
      if (!(error instanceof QuarryError) || !isFinal(error)) throw error;
      this.#refuse(folder, file, upload.sha256, error);
    }
  }

  /** A file that cannot become a job. */
  #refuse(folder: FolderRow, file: SettledFile, hash: string | null, { code, message }: QuarryError): void {
    const known = isJobErrorCode(code) ? code : 'unsupported_media';
    const error = { code: known, message, retryable: false, attempts: 0 } satisfies JobError;
    this.#deps.storage.transaction((tx) => this.#enter(tx, folder, file, { hash, jobId: null, error }));
    this.changed.tell(folder.id);
  }

  #enter(
    tx: Tx,
    folder: FolderRow,
    { path, facts }: SettledFile,
    { hash, jobId, error }: { hash: string | null; jobId: string | null; error: JobError | null },
  ): void {
    if (folderBySeq(tx, folder.seq) === undefined) throw new QuarryError('conflict', 'The watch has been deleted.');
    const now = this.#deps.clock.now();
    const { seq } = insertFile(tx, {
      id: newId('fle'),
      watch_seq: folder.seq,
      recipe_hash: folder.recipe_hash,
      hash,
      path,
      size_bytes: facts.sizeBytes,
      job_id: jobId,
      status: error === null ? 'processing' : 'failed',
      error: error === null ? null : JSON.stringify(error),
      results: 'none',
      results_error: null,
      found_at: now,
      ended_at: error === null ? null : now,
    });
    writePath(tx, { watch_seq: folder.seq, path, ...columnsOf(facts), file_seq: seq });
  }

  async #writeDue(seq: number): Promise<void> {
    const { storage, log } = this.#deps;
    const folder = folderBySeq(storage.db, seq);
    if (folder === undefined) return;
    for (const file of dueFiles(storage.db, seq, FILES_PER_PASS)) {
      if (this.#timer === null) return;
      const failure = await this.#writeOne(folder, file).then(
        () => null,
        (error: unknown) => {
          log.warn({ err: error, watchId: folder.id }, 'Results could not be written beside a watched folder.');
          if (error instanceof QuarryError) return error.message;
          return `The result could not be written to ${besideOf(folder.path)}. Check its permissions and its disk.`;
        },
      );
      const results = failure === null ? 'written' : 'failed';
      storage.transaction((tx) => changeFile(tx, file.seq, { results, results_error: failure }));
      this.changed.tell(folder.id);
    }
    if (dueFiles(storage.db, seq, 1).length > 0) this.#due.add(seq);
  }

  async #writeOne(folder: FolderRow, file: FileRow): Promise<void> {
    const { jobs, filePathOf } = this.#deps.service();
    const job = jobs.row(file.job_id ?? '');
    const filesFolder = dirname(filePathOf(job.id, 'any') ?? '');
    await writeResults(besideOf(folder.path), file.path, { filesFolder, job: jobs.body(job) });
  }

  async #removeFiles(seq: number, status: FileRow['status'] | null): Promise<void> {
    while (this.#deps.storage.transaction((tx) => deleteFiles(tx, seq, status, SLICE)) > 0) await yieldToEventLoop();
  }

  /** The folder without links. Errors: `invalid_request`. */
  async #checkPath(given: string): Promise<string> {
    const refuse = (message: string) => invalidRequest([{ path: 'path', message }]);
    if (!isAbsolute(given)) throw refuse('Give the absolute path of a folder.');
    const path = await realpath(given).catch(() => null);
    if (path === null || !(await lstat(path)).isDirectory()) throw refuse('There is no folder at this path.');
    if (parse(path).root === path) throw refuse('Give a folder, not a whole disk.');
    const own = await realpath(this.#deps.dataFolder);
    if (isWithin(path, own) || isWithin(own, path)) {
      throw refuse("Give a folder apart from Quarry's own data folder.");
    }
    return path;
  }

  #row(watchId: string): FolderRow {
    const row = folderById(this.#deps.storage.db, watchId);
    if (row === undefined) throw notFound();
    return row;
  }

  #present(row: FolderRow): FolderWatch {
    const watched = this.#watched.get(row.seq);
    const seen = watched?.eye.state ?? { state: 'paused' as FolderState, message: null, settling: 0 };
    const rests = watched !== undefined && watched.trouble !== null && seen.state === 'watching';
    return {
      watchId: row.id,
      name: row.name,
      path: row.path,
      recipe: JSON.parse(row.recipe),
      extensions: row.extensions === null ? null : JSON.parse(row.extensions),
      results: row.results,
      resultsPath: row.results === 'beside' ? besideOf(row.path) : null,
      settleSeconds: row.settle_seconds,
      status: row.status,
      state: rests ? 'waiting' : seen.state,
      message: rests ? watched.trouble : seen.message,
      settling: seen.settling,
      counts: { processing: row.processing, completed: row.completed, failed: row.failed },
      createdAt: toIsoTime(row.created_at),
      updatedAt: toIsoTime(row.updated_at),
    };
  }

  #presentFile(row: FileRow): WatchedFile {
    const { attempts: _, ...error } = JSON.parse(row.error ?? '{}') as JobError;
    return {
      fileId: row.id,
      path: row.path,
      sizeBytes: row.size_bytes,
      jobId: row.job_id,
      jobKept: row.job_id !== null && isKept(this.#deps.storage.db, row.job_id),
      status: row.status,
      error: row.error === null ? null : error,
      results: row.results,
      resultsError: row.results_error,
      foundAt: toIsoTime(row.found_at),
      endedAt: row.ended_at === null ? null : toIsoTime(row.ended_at),
    };
  }
}

const MAX_SOURCE_NAME = 300;

/** The end of a long path says the most. */
function sourceNameOf(path: string): string {
  return wholeSlice(path, Math.max(0, path.length - MAX_SOURCE_NAME), path.length);
}

/** Whether the same file would be refused again. */
function isFinal({ code, retryable }: QuarryError): boolean {
  return !retryable && (isJobErrorCode(code) || code === 'invalid_request');
}

function notFound(): QuarryError {
  return new QuarryError('not_found', 'There is no watched folder with this id.');
}

function factsIn(row: { size_bytes: number; modified_ns: string; inode: string }): FileFacts {
  return { sizeBytes: row.size_bytes, modifiedNs: row.modified_ns, inode: row.inode };
}

function columnsOf({ sizeBytes, modifiedNs, inode }: FileFacts) {
  return { size_bytes: sizeBytes, modified_ns: modifiedNs, inode };
}
