import { lstat, realpath } from 'node:fs/promises';
import { basename, dirname, isAbsolute, parse } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { OWNER } from '../../context.ts';
import { toIsoTime } from '../../platform/clock.ts';
import { yieldToEventLoop } from '../../platform/concurrency.ts';
import type { Tx } from '../../platform/db/database.ts';
import { QuarryError } from '../../platform/errors.ts';
import {
  areSame,
  besideOf,
  type FileFacts,
  isPathWithin,
  openWithin,
  readFileFacts,
} from '../../platform/files/safe-files.ts';
import type { Upload } from '../../platform/files/uploads.ts';
import { invalidRequest } from '../../platform/http/validate.ts';
import { newId } from '../../platform/ids.ts';
import { parseOwnJson } from '../../platform/own-json.ts';
import { canonicalHash } from '../../platform/text/canonical-json.ts';
import { type Said, say } from '../../platform/text/say.ts';
import { wholeSlice } from '../../platform/text/strings.ts';
import { describeBytes, SECOND_MS } from '../../platform/units.ts';
import type { Recipe } from '../jobs/schema.ts';
import {
  acceptCall,
  asJobError,
  callOf,
  checkRecipe,
  type EndedJob,
  entryEndOf,
  type JobService,
  JobSource,
  type JobSourceDeps,
  type SourcePage,
  uploadLimitBytes,
} from '../jobs/service.ts';
import { FolderEye, type SettledFile } from './folder-eye.ts';
import { writeResults } from './results-folder.ts';
import {
  type FolderWatch,
  type FolderWatchRequest,
  type FolderWatchUpdate,
  MAX_FOLDER_WATCHES,
  type WatchedFile,
} from './schema.ts';
import {
  deletePath,
  deletePathsOf,
  dueFiles,
  type FileRow,
  FOLDERS,
  type FolderRow,
  fileByHash,
  hasPaths,
  pathRow,
  pathsAfter,
  pathsOfInode,
  writePath,
} from './store.ts';

/** Files of a watch that are read in one pass. */
const FILES_PER_PASS = 25;

const CLOSE_LIMIT_MS = 3 * SECOND_MS;

const SLICE = 500;

export interface FolderDeps extends JobSourceDeps {
  /** Its own files are never watched. */
  dataFolder: string;
  service: JobService;
}

/**
 * Watched folders of one environment. Each new or changed file becomes a job of the owner, once: the row that says so
 * is unique by content and recipe, and is committed with the job. Until then the file waits where it is.
 */
export class Folders extends JobSource<FolderRow, FileRow, FolderWatch, SettledFile> {
  readonly #deps: FolderDeps;
  /** By the number of the watch; only active ones. */
  readonly #eyes = new Map<number, FolderEye>();
  /** Watches with results to write. */
  readonly #due = new Set<number>();

  constructor(deps: FolderDeps) {
    // The disk holds few copies, and a dead network drive holds up no other folder.
    const limits = { most: MAX_FOLDER_WATCHES, maxOpenJobs: 50, lanes: MAX_FOLDER_WATCHES, turn: FILES_PER_PASS };
    super(deps, { store: FOLDERS, prefix: 'fld', one: 'watched folder', many: 'watched folders', ...limits });
    this.#deps = deps;
  }

  override startJobSource(): void {
    for (const folder of this.store.listSources(this.sourceDatabase)) {
      if (folder.status === 'active') this.#openFolderEye(folder);
      if (folder.results === 'beside') this.#due.add(folder.seq);
    }
    super.startJobSource();
  }

  override async closeJobSource(): Promise<void> {
    const closed = Promise.all([...this.#eyes.values()].map((eye) => eye.closeFolderEye()));
    await Promise.all([
      super.closeJobSource(),
      Promise.race([closed, sleep(CLOSE_LIMIT_MS, undefined, { ref: false })]),
    ]);
  }

  /** Errors: `invalid_request`, `conflict` at the limit. */
  async create(request: FolderWatchRequest): Promise<FolderWatch> {
    const path = await this.#checkPath(request.path);
    await checkRecipe(this.#deps.service, request.recipe, 'file');
    const row = this.insertSource(request, {
      path,
      recipe: JSON.stringify(request.recipe),
      recipe_hash: canonicalHash(request.recipe),
      extensions: request.extensions && JSON.stringify(request.extensions),
      results: request.results,
      settle_seconds: request.settleSeconds,
    });
    this.#openFolderEye(row);
    return this.presentSource(row);
  }

  /** Errors: `not_found`, `invalid_request`. */
  async change(watchId: string, update: FolderWatchUpdate): Promise<FolderWatch> {
    const { name, recipe, results, settleSeconds: settle_seconds } = update;
    if (recipe !== undefined) await checkRecipe(this.#deps.service, recipe, 'file');
    const recipes = recipe && { recipe: JSON.stringify(recipe), recipe_hash: canonicalHash(recipe) };
    const row = this.updateSource(watchId, update, () => ({ name, ...recipes, results, settle_seconds }));
    if (row.status === 'paused') await this.#shutFolderEye(row.seq);
    else if (!this.#eyes.has(row.seq)) this.#openFolderEye(row);
    return this.presentSource(row);
  }

  /** The jobs of the watch stay, and so do written results. Errors: `not_found`. */
  override async delete(watchId: string): Promise<void> {
    await this.#shutFolderEye(this.rowOf(watchId).seq);
    await super.delete(watchId);
  }

  /** Compares all files with what is known. Errors: `not_found`, `conflict` while it is paused. */
  requestFolderLook(watchId: string): FolderWatch {
    const row = this.rowOf(watchId);
    const eye = this.#eyes.get(row.seq);
    if (eye === undefined) throw new QuarryError('conflict', 'The watch is paused. Resume it first.');
    this.forgetPauses(row.seq);
    eye.requestFolderSurvey();
    return this.presentSource(row);
  }

  /** Forgets the files that failed, so that those that are still there are read again. Errors: as `look`. */
  async retryFailedFiles(watchId: string): Promise<FolderWatch> {
    this.requestFolderLook(watchId);
    await this.deleteSourceEntries(this.rowOf(watchId).seq, 'failed');
    this.changed.notifyListeners(watchId);
    return this.requestFolderLook(watchId);
  }

  /** One page, newest first. Errors: `not_found`. */
  watchedFilePage(watchId: string, page: SourcePage) {
    return this.sourceEntryPage(watchId, page, (row) => this.#presentFile(row));
  }

  protected override endSourceEntry(tx: Tx, file: FileRow, job: EndedJob): void {
    const isDue = job.status === 'completed' && this.store.sourceBySeq(tx, file.watch_seq)?.results === 'beside';
    const results = isDue ? 'due' : 'none';
    this.store.changeEntry(tx, file, { ...entryEndOf(job, this.#deps.clock.now()), results, results_error: null });
    if (isDue) this.#due.add(file.watch_seq);
  }

  protected override onEntriesDeleted(tx: Tx, seqs: readonly number[]): void {
    deletePathsOf(tx, seqs);
  }

  /** The files or the result of a job changed after its end: they are written to the folder again. */
  onResultChanged(jobId: string): void {
    const seq = this.#deps.storage.transaction((tx) => {
      const [file] = this.store.entriesOfJob(tx, jobId);
      if (file === undefined || file.results === 'none') return null;
      this.store.changeEntry(tx, file, { results: 'due', results_error: null });
      return file.watch_seq;
    });
    if (seq !== null) this.#due.add(seq);
  }

  #openFolderEye(row: FolderRow): void {
    const { storage, clock } = this.#deps;
    const { seq } = row;
    const eye = new FolderEye({
      root: row.path,
      device: row.device,
      now: () => clock.now(),
      settleMs: () => (this.store.sourceBySeq(storage.db, seq)?.settle_seconds ?? 1) * SECOND_MS,
      extensions: row.extensions === null ? null : parseOwnJson(row.extensions),
      isKnown: (path, facts) => this.#isKnownFolderFile(seq, path, facts),
      hasKnown: () => hasPaths(storage.db, seq),
      onLooked: (paths, device) => this.#onLooked(seq, paths, device),
      onChanged: () => this.changed.notifyListeners(row.id),
    });
    this.#eyes.set(seq, eye);
  }

  async #shutFolderEye(seq: number): Promise<void> {
    const eye = this.#eyes.get(seq);
    this.#eyes.delete(seq);
    await Promise.race([eye?.closeFolderEye(), sleep(CLOSE_LIMIT_MS, undefined, { ref: false })]);
  }

  #isKnownFolderFile(seq: number, path: string, facts: FileFacts): boolean {
    const known = pathRow(this.sourceDatabase, seq, path);
    return known !== undefined && areSame(factsIn(known), facts);
  }

  async #onLooked(seq: number, paths: ReadonlySet<string>, device: string): Promise<void> {
    const { storage } = this.#deps;
    storage.transaction((tx) => void this.store.changeSource(tx, seq, { device }));
    let after = '';
    for (;;) {
      const some = pathsAfter(storage.db, seq, after, SLICE);
      const gone = some.filter((path) => !paths.has(path));
      // A file that was renamed is known by its inode until it has been looked at.
      if (gone.length > 0 && this.#eyes.get(seq)?.folderEyeState.settling === 0) {
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

  protected override tickSources(): void {
    for (const seq of this.#eyes.keys()) this.wakeSource(seq);
    super.tickSources();
  }

  protected override async runChores(): Promise<void> {
    for (const seq of this.#due) {
      this.#due.delete(seq);
      await this.#writeDue(seq);
    }
  }

  protected override async prepareSource({ seq }: FolderRow): Promise<void> {
    await this.#eyes.get(seq)?.tickFolderEye();
  }

  protected override nextPendingEntry({ seq }: FolderRow, isHeld: (key: unknown) => boolean): SettledFile | undefined {
    return this.#eyes.get(seq)?.nextSettledFile(isHeld);
  }

  protected override isEntryPending({ seq }: FolderRow): boolean {
    return this.store.sourceBySeq(this.sourceDatabase, seq) !== undefined;
  }

  protected override pendingEntryKey({ path }: SettledFile): string {
    return path;
  }

  protected override async submitSourceEntry(folder: FolderRow, file: SettledFile): Promise<void> {
    const eye = this.#eyes.get(folder.seq);
    if (eye === undefined) return;
    if ((await this.#readSettledFile(folder, file)) === 'changed') eye.unsettleFile(file.path);
    else eye.forgetSettledFile(file);
  }

  /** Turns a settled file into a job, or finds that it is known, gone or being written. */
  async #readSettledFile(folder: FolderRow, file: SettledFile): Promise<'changed' | 'read'> {
    if (await this.#isMoved(folder, file)) return 'read';
    const service = this.#deps.service;
    const recipe = parseOwnJson<Recipe>(folder.recipe);
    const operation = service.operations.find(({ id }) => id === recipe.operation);
    const maxBytes = operation === undefined ? 0 : uploadLimitBytes(operation, service.settings());
    if (file.facts.sizeBytes > maxBytes) {
      const limit = say`The file is larger than the ${describeBytes(maxBytes)} this operation takes.`;
      throw new QuarryError('source_too_large', say`${limit} Split it, or raise the limit in the settings.`);
    }
    const opened = await openWithin(folder.path, file.path);
    if (opened === null) return 'read';
    let upload: Upload | null = null;
    try {
      if (!areSame(opened.facts, file.facts)) return 'changed';
      const received = await service.body.uploads.receive(opened.chunks(), { maxBytes });
      upload = { ...received, fileName: basename(file.path), kind: 'unknown', label: '' };
      if (!areSame(await opened.now(), file.facts)) return 'changed';
      file.hash = upload.sha256;
      if (await this.#isCopy(folder, file, upload.sha256)) return 'read';
      Object.assign(upload, await service.body.sniff(upload.path, upload.fileName));
      await this.#acceptFolderFile(folder, recipe, file, upload);
      return 'read';
    } finally {
      await opened.close();
      // An accepted upload has moved to its job.
      if (upload !== null) await service.body.uploads.discard(upload);
    }
  }

  /** The same file under another name: it keeps its inode, size and time. */
  async #isMoved(folder: FolderRow, { path, facts }: SettledFile): Promise<boolean> {
    const { storage } = this.#deps;
    const known = pathsOfInode(storage.db, folder.seq, facts.inode).find((row) => areSame(factsIn(row), facts));
    if (known === undefined) return false;
    const moved = known.path !== path && (await readFileFacts(`${folder.path}/${known.path}`)) === null;
    this.#recordKnownPath(folder, { path, facts }, known.file_seq, moved ? known.path : null);
    return true;
  }

  /** Content that was read before: a copy, a file that was touched, or one that moved from another disk. */
  async #isCopy(folder: FolderRow, file: SettledFile, hash: string): Promise<boolean> {
    const known = fileByHash(this.sourceDatabase, folder, hash);
    if (known === undefined) return false;
    const isGone = known.path !== file.path && (await readFileFacts(`${folder.path}/${known.path}`)) === null;
    this.#recordKnownPath(folder, file, known.seq, isGone ? known.path : null);
    return true;
  }

  /** @param from the old path of a file that moved */
  #recordKnownPath(folder: FolderRow, { path, facts }: SettledFile, fileSeq: number, from: string | null): void {
    this.#deps.storage.transaction((tx) => {
      writePath(tx, { watch_seq: folder.seq, path, ...fileFactsColumns(facts), file_seq: fileSeq });
      if (from === null) return;
      deletePath(tx, folder.seq, from);
      const known = this.store.entryBySeq(tx, fileSeq);
      if (known !== undefined) this.store.changeEntry(tx, known, { path });
    });
    if (from !== null) this.changed.notifyListeners(folder.id);
  }

  async #acceptFolderFile(folder: FolderRow, recipe: Recipe, file: SettledFile, upload: Upload): Promise<void> {
    const service = this.#deps.service;
    const source = { file: `upload:${upload.sha256}`, name: sourceNameOf(file.path) };
    const call = await acceptCall(service, {
      ...callOf(service.operations, recipe, source),
      principal: OWNER,
      upload,
      signal: this.sourceStopSignal,
      install: 'ask',
      priority: 'low',
      watchId: folder.id,
      also: (tx, job) =>
        this.#enterFolderFile(tx, folder, file, {
          hash: upload.sha256,
          job_id: job.id,
          status: 'processing',
          error: null,
        }),
    });
    call.leave();
  }

  /** A file that cannot become a job. */
  protected override failSourceEntry(folder: FolderRow, file: SettledFile, error: QuarryError): void {
    const failed = { hash: file.hash ?? null, job_id: null, status: 'failed' as const, error: asJobError(error) };
    this.#deps.storage.transaction((tx) => this.#enterFolderFile(tx, folder, file, failed));
    this.#eyes.get(folder.seq)?.forgetSettledFile(file);
  }

  #enterFolderFile(
    tx: Tx,
    folder: FolderRow,
    { path, facts }: SettledFile,
    entry: Pick<FileRow, 'hash' | 'job_id' | 'status' | 'error'>,
  ): void {
    const now = this.#deps.clock.now();
    const file = this.store.insertEntry(tx, {
      id: newId('fle'),
      watch_seq: folder.seq,
      recipe_hash: folder.recipe_hash,
      ...entry,
      path,
      size_bytes: facts.sizeBytes,
      results: 'none',
      results_error: null,
      found_at: now,
      ended_at: entry.error === null ? null : now,
    });
    if (file === undefined || this.store.sourceBySeq(tx, folder.seq) === undefined) {
      throw new QuarryError('conflict', 'The watch was deleted, or has read this file.');
    }
    writePath(tx, { watch_seq: folder.seq, path, ...fileFactsColumns(facts), file_seq: file.seq });
  }

  async #writeDue(seq: number): Promise<void> {
    const { storage, log } = this.#deps;
    const folder = this.store.sourceBySeq(storage.db, seq);
    if (folder === undefined) return;
    for (const file of dueFiles(storage.db, seq, FILES_PER_PASS)) {
      if (this.sourceStopSignal.aborted) return;
      const failure = await this.#writeOne(folder, file).then(
        () => null,
        (error: unknown) => {
          log.warn({ err: error, watchId: folder.id }, 'Results could not be written beside a watched folder.');
          if (error instanceof QuarryError) return error.message;
          return `The result could not be written to ${besideOf(folder.path)}. Check its permissions and its disk.`;
        },
      );
      const results = failure === null ? 'written' : 'failed';
      storage.transaction((tx) => this.store.changeEntry(tx, file, { results, results_error: failure }));
      this.changed.notifyListeners(folder.id);
    }
    if (dueFiles(storage.db, seq, 1).length > 0) this.#due.add(seq);
  }

  async #writeOne(folder: FolderRow, file: FileRow): Promise<void> {
    const { jobs, filePathOf } = this.#deps.service;
    const job = jobs.row(file.job_id ?? '');
    const filesFolder = dirname(filePathOf(job.id, 'any') ?? '');
    await writeResults(besideOf(folder.path), file.path, { filesFolder, job: jobs.jobBodyText(job) });
  }

  /** The folder without links. Errors: `invalid_request`. */
  async #checkPath(given: string): Promise<string> {
    const refuseFolderPath = (message: Said) => invalidRequest([{ path: 'path', message }]);
    if (!isAbsolute(given)) throw refuseFolderPath(say`Give the absolute path of a folder.`);
    const path = await realpath(given).catch(() => null);
    if (path === null || !(await lstat(path)).isDirectory())
      throw refuseFolderPath(say`There is no folder at this path.`);
    if (parse(path).root === path) throw refuseFolderPath(say`Give a folder, not a whole disk.`);
    const own = await realpath(this.#deps.dataFolder);
    if (isPathWithin(path, own) || isPathWithin(own, path)) {
      throw refuseFolderPath(say`Give a folder apart from Quarry's own data folder.`);
    }
    return path;
  }

  protected override presentSource(row: FolderRow): FolderWatch {
    const eye = this.#eyes.get(row.seq);
    const seen = eye?.folderEyeState ?? { state: 'paused' as const, message: null, settling: 0 };
    const trouble = seen.state === 'watching' ? this.troubleOf(row.seq) : null;
    return {
      watchId: row.id,
      name: row.name,
      path: row.path,
      recipe: parseOwnJson(row.recipe),
      extensions: row.extensions === null ? null : parseOwnJson(row.extensions),
      results: row.results,
      resultsPath: row.results === 'beside' ? besideOf(row.path) : null,
      settleSeconds: row.settle_seconds,
      status: row.status,
      state: trouble === null ? seen.state : 'waiting',
      message: trouble ?? seen.message,
      settling: seen.settling,
      counts: { processing: row.processing, completed: row.completed, failed: row.failed },
      createdAt: toIsoTime(row.created_at),
      updatedAt: toIsoTime(row.updated_at),
    };
  }

  #presentFile(row: FileRow): WatchedFile {
    return {
      fileId: row.id,
      path: row.path,
      sizeBytes: row.size_bytes,
      jobId: row.job_id,
      status: row.status,
      ...this.presentJob(row),
      results: row.results,
      resultsError: row.results_error,
      foundAt: toIsoTime(row.found_at),
    };
  }
}

const MAX_SOURCE_NAME = 300;

/** The end of a long path says the most. */
function sourceNameOf(path: string): string {
  return wholeSlice(path, Math.max(0, path.length - MAX_SOURCE_NAME), path.length);
}

function factsIn(row: { size_bytes: number; modified_ns: string; inode: string }): FileFacts {
  return { sizeBytes: row.size_bytes, modifiedNs: row.modified_ns, inode: row.inode };
}

function fileFactsColumns({ sizeBytes, modifiedNs, inode }: FileFacts) {
  return { size_bytes: sizeBytes, modified_ns: modifiedNs, inode };
}
