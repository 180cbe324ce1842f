import type { Dirent } from 'node:fs';
import { lstat, opendir } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import type { FSWatcher } from 'chokidar';
import { yieldToEventLoop } from '../../platform/concurrency.ts';
import { systemCodeOf } from '../../platform/errors.ts';
import { areSame, type FileFacts, isMissing, readFileFacts } from '../../platform/files/safe-files.ts';
import { HOUR_MS, MINUTE_MS, SECOND_MS } from '../../platform/units.ts';
import { type FolderState, MAX_DEPTH, MAX_FILES } from './schema.ts';

/** Files that are looked at in one tick: with 10,000 new files the thread stays free for requests. */
const LOOKS_PER_TICK = 500;

const LOOKS_AT_ONCE = 16;

const ROOT_CHECK_MS = 2 * SECOND_MS;

/** Some network drives report no changes. */
const SURVEY_MS = HOUR_MS;

const BLIND_SURVEY_MS = 10 * MINUTE_MS;

/** More events than this at once: the system may have dropped some, so all files are looked at. */
const BURST = 2000;

/** Names of files that are being written, and of what editors and systems leave. */
const PASSING_NAME =
  /^(?:\.|~\$)|(?:\.(?:part|partial|crdownload|download|tmp|temp|swp)|~)$|^(?:thumbs\.db|desktop\.ini)$/i;

export interface SettledFile {
  /** Within the folder, with slashes. */
  path: string;
  facts: FileFacts;
  /** Once it was read. */
  hash?: string;
}

interface FolderEyeDeps {
  /** The folder, without links. */
  root: string;
  /** The disk of the folder when it was last read. */
  device: string | null;
  now(): number;
  settleMs(): number;
  /** In lower case; null for all. */
  extensions: readonly string[] | null;
  /** Whether a file is known as it is. */
  isKnown(path: string, facts: FileFacts): boolean;
  hasKnown(): boolean;
  /** All files were looked at. Others are gone. */
  onLooked(paths: ReadonlySet<string>, device: string): Promise<void>;
  onChanged(): void;
}

/**
 * Finds the files of one folder that are new or changed and are not being written any more. Events of the system say
 * which files to look at; a survey compares all files with what is known, at the start and when events may be missing.
 * Links are not followed.
 */
export class FolderEye {
  readonly #deps: FolderEyeDeps;
  /** In the order of their times. */
  readonly #unsettled = new Map<string, { facts: FileFacts | null; dueAt: number }>();
  /** Settled files, to be read in order. */
  readonly #settled = new Map<string, FileFacts>();
  #watcher: FSWatcher | null = null;
  #state: FolderState = 'looking';
  #message: string | null = null;
  #rootCheckAt = 0;
  #root: string | null = null;
  #surveyAt = 0;
  /** Events without a pause of a tick. */
  #events = 0;
  #eventsBefore = 0;
  /** Why events may be missing. */
  #blindness: string | null = null;
  /** Files and folders of the last survey whose names are not UTF-8. */
  #misnamed: string[] = [];
  #closed = false;

  constructor(deps: FolderEyeDeps) {
    this.#deps = deps;
  }

  get folderEyeState(): { state: FolderState; message: string | null; settling: number } {
    return { state: this.#state, message: this.#message, settling: this.#unsettled.size + this.#settled.size };
  }

  /** Compares all files with what is known, at the next tick. */
  requestFolderSurvey(): void {
    this.#surveyAt = 0;
  }

  /** The next settled file that is not held; undefined without one. */
  nextSettledFile(isHeld: (path: string) => boolean): SettledFile | undefined {
    for (const [path, facts] of this.#settled) if (!isHeld(path)) return { path, facts };
    return undefined;
  }

  /** The file is known, or has become no job. */
  forgetSettledFile({ path, facts }: SettledFile): void {
    if (this.#settled.get(path) === facts) this.#settled.delete(path);
  }

  /** The file changed while it was read. */
  unsettleFile(path: string): void {
    this.#touchUnsettledFile(path, null);
  }

  async closeFolderEye(): Promise<void> {
    this.#closed = true;
    await this.#unwatchFolder();
  }

  /** Looks at what is due. The caller awaits it before the next one. */
  async tickFolderEye(): Promise<void> {
    const now = this.#deps.now();
    if (now >= this.#rootCheckAt || this.#rootCheckAt > now + ROOT_CHECK_MS) {
      this.#rootCheckAt = now + ROOT_CHECK_MS;
      await this.#checkRoot();
    }
    if (this.#root === null) return;
    if (now >= this.#surveyAt) {
      this.#surveyAt = now + (this.#blindness === null ? SURVEY_MS : BLIND_SURVEY_MS);
      await this.#surveyFolder();
    }
    await this.#settleDueFiles();
    if (this.#events === this.#eventsBefore) this.#events = 0;
    this.#eventsBefore = this.#events;
  }

  async #checkRoot(): Promise<void> {
    const found = await this.#rootNow();
    if (found === this.#root || this.#closed) return;
    await this.#unwatchFolder();
    this.#root = found;
    if (found === null) return;
    await this.#watchFolderChanges();
    this.#surveyAt = 0;
  }

  /** Identity of the folder; null while it cannot be read, which becomes the state. */
  async #rootNow(): Promise<string | null> {
    const { root, device, hasKnown } = this.#deps;
    try {
      const stats = await lstat(root, { bigint: true });
      if (!stats.isDirectory())
        return this.#refuseFolder('missing', 'This is no folder any more. Put the folder back.');
      const folder = await opendir(root);
      const first = await folder.read();
      await folder.close();
      // An empty folder where a disk is mounted at other times.
      if (first === null && device !== null && device !== String(stats.dev) && this.#root === null && hasKnown()) {
        return this.#refuseFolder('missing', 'The folder is empty and on another disk than before. Mount its disk.');
      }
      return `${stats.dev}:${stats.ino}`;
    } catch (error) {
      if (isMissing(error)) {
        return this.#refuseFolder(
          'missing',
          'The folder is not there. Put it back, mount its disk, or delete the watch.',
        );
      }
      return this.#refuseFolder('unreadable', 'The folder cannot be read. Check its permissions.');
    }
  }

  #refuseFolder(state: FolderState, message: string): null {
    this.#unsettled.clear();
    this.#settled.clear();
    this.#setFolderState(state, message);
    return null;
  }

  #setFolderState(state: FolderState, message: string | null): void {
    if (this.#state === state && this.#message === message) return;
    this.#state = state;
    this.#message = message;
    this.#deps.onChanged();
  }

  async #watchFolderChanges(): Promise<void> {
    const { watch } = await import('chokidar');
    if (this.#closed) return;
    const watcher = watch(this.#deps.root, {
      followSymlinks: false,
      ignoreInitial: true,
      ignorePermissionErrors: true,
      atomic: false,
      depth: MAX_DEPTH,
      // A finite depth needs one watch for each folder.
      ignored: (path) => path !== this.#deps.root && isPassing(path.slice(path.lastIndexOf(sep) + 1)),
    });
    const onFile = (path: string) => {
      if (this.#watcher !== watcher) return;
      this.#events += 1;
      if (this.#events > BURST) this.#surveyAt = this.#deps.now() + this.#deps.settleMs();
      const inner = relative(this.#deps.root, path).split(sep).join('/');
      if (this.#isWantedFile(inner)) this.#touchUnsettledFile(inner, null);
    };
    watcher.on('add', onFile).on('change', onFile);
    watcher.on('error', (error) => {
      if (this.#watcher !== watcher || isMissing(error)) return;
      const full = ['ENOSPC', 'EMFILE'].includes(systemCodeOf(error));
      const message = full
        ? 'The system watches too many folders. Raise its limit (fs.inotify.max_user_watches), or watch fewer.'
        : 'The system does not report all changes here. Quarry looks through the folder every ten minutes.';
      this.#blindness = message;
      this.#setFolderState('unreadable', message);
    });
    this.#watcher = watcher;
  }

  async #unwatchFolder(): Promise<void> {
    const watcher = this.#watcher;
    this.#watcher = null;
    this.#blindness = null;
    await watcher?.close();
  }

  #isWantedFile(path: string): boolean {
    const { extensions } = this.#deps;
    const name = path.slice(path.lastIndexOf('/') + 1);
    if (isPassing(name)) return false;
    return extensions === null || extensions.includes(name.slice(name.lastIndexOf('.') + 1).toLowerCase());
  }

  #touchUnsettledFile(path: string, facts: FileFacts | null): void {
    this.#settled.delete(path);
    this.#unsettled.delete(path);
    if (this.#unsettled.size + this.#settled.size >= MAX_FILES) this.#tooMany();
    else this.#unsettled.set(path, { facts, dueAt: this.#deps.now() + this.#deps.settleMs() });
  }

  #tooMany(): void {
    const most = MAX_FILES.toLocaleString('en');
    this.#setFolderState(
      'too_many',
      `Quarry reads ${most} files of a folder. Watch its inner folders, each on its own.`,
    );
  }

  /** Compares all files with what is known. */
  async #surveyFolder(): Promise<void> {
    const { root } = this.#deps;
    this.#setFolderState('looking', null);
    this.#misnamed = [];
    const seen = new Set<string>();
    const whole = await this.#walkSurveyedFolder(root, '', 0, seen);
    if (this.#closed) return;
    if (whole === 'too_many') return this.#tooMany();
    const device = this.#root?.split(':')[0] ?? '';
    if (whole === 'whole') await this.#deps.onLooked(seen, device);
    if (this.#state !== 'looking') return;
    if (this.#blindness !== null) this.#setFolderState('unreadable', this.#blindness);
    else this.#setFolderState('watching', misnamedMessage(this.#misnamed));
  }

  /** A name that is not UTF-8 is decoded with replacements, and no file has the decoded name. */
  async #isMisnamed(path: string): Promise<boolean> {
    if (!path.includes('\ufffd') || (await this.#fileFactsWithin(path)) !== null) return false;
    this.#misnamed.push(path);
    return true;
  }

  async #walkSurveyedFolder(
    folder: string,
    prefix: string,
    depth: number,
    seen: Set<string>,
  ): Promise<'whole' | 'part' | 'too_many'> {
    if (depth > MAX_DEPTH) return 'whole';
    let entries: Dirent[];
    try {
      entries = await readFolder(folder);
    } catch {
      return 'part';
    }
    let outcome: 'whole' | 'part' = 'whole';
    const files = entries.filter((entry) => entry.isFile() && this.#isWantedFile(entry.name));
    for (let from = 0; from < files.length; from += LOOKS_AT_ONCE) {
      if (this.#closed) return 'part';
      const some = files.slice(from, from + LOOKS_AT_ONCE).map(({ name }) => prefix + name);
      if (seen.size + some.length > MAX_FILES) return 'too_many';
      for (const path of some) if (!(await this.#isMisnamed(path))) seen.add(path);
      await Promise.all(some.map((path) => this.#compareFileFacts(path)));
    }
    for (const { name } of entries.filter((entry) => entry.isDirectory() && !isPassing(entry.name))) {
      if (await this.#isMisnamed(prefix + name)) continue;
      const inner = await this.#walkSurveyedFolder(join(folder, name), `${prefix}${name}/`, depth + 1, seen);
      if (inner === 'too_many') return inner;
      if (inner === 'part') outcome = 'part';
    }
    return outcome;
  }

  async #compareFileFacts(path: string): Promise<void> {
    const facts = await this.#fileFactsWithin(path);
    if (facts === null || this.#settled.has(path) || this.#unsettled.has(path)) return;
    if (!this.#deps.isKnown(path, facts)) this.#touchUnsettledFile(path, facts);
  }

  async #fileFactsWithin(path: string): Promise<FileFacts | null> {
    return readFileFacts(join(this.#deps.root, ...path.split('/'))).catch(() => null);
  }

  /** A file has settled when it is twice the same, with the time to settle between. */
  async #settleDueFiles(): Promise<void> {
    const now = this.#deps.now();
    const due: [string, FileFacts | null][] = [];
    for (const [path, { facts, dueAt }] of this.#unsettled) {
      // After the clock was set back, none would be due for long.
      if ((dueAt > now && dueAt <= now + this.#deps.settleMs()) || due.length >= LOOKS_PER_TICK) break;
      due.push([path, facts]);
    }
    for (let from = 0; from < due.length; from += LOOKS_AT_ONCE) {
      if (this.#closed) return;
      await Promise.all(due.slice(from, from + LOOKS_AT_ONCE).map(([path, before]) => this.#lookAgain(path, before)));
      await yieldToEventLoop();
    }
  }

  async #lookAgain(path: string, before: FileFacts | null): Promise<void> {
    const entry = this.#unsettled.get(path);
    const facts = await this.#fileFactsWithin(path);
    // An event came meanwhile.
    if (entry === undefined || this.#unsettled.get(path) !== entry) return;
    if (facts === null || this.#deps.isKnown(path, facts)) {
      this.#unsettled.delete(path);
    } else if (before !== null && areSame(before, facts)) {
      this.#unsettled.delete(path);
      this.#settled.set(path, facts);
    } else {
      this.#touchUnsettledFile(path, facts);
    }
  }
}

function misnamedMessage(paths: readonly string[]): string | null {
  const [first] = paths;
  if (first === undefined) return null;
  if (paths.length === 1) return `The name of ${first} is not UTF-8, so it was not read. Rename it.`;
  return `The names of ${paths.length} files or folders are not UTF-8, so they were not read. Rename them: ${first} …`;
}

function isPassing(name: string): boolean {
  return PASSING_NAME.test(name);
}

async function readFolder(path: string): Promise<Dirent[]> {
  const entries: Dirent[] = [];
  for await (const entry of await opendir(path, { bufferSize: 256 })) {
    entries.push(entry);
    if (entries.length > MAX_FILES) break;
  }
  return entries;
}
