/**
 * Files that the user drops on the app's icon, opens with the app, or names on the command line. Each becomes a job of
 * the owner at once: it is free, local and cancellable. Threat: paths that are not plain files, and a folder dropped by
 * mistake.
 */
import { basename } from 'node:path';
import type { ShellSession } from '../src-server/platform/rpc/shell.ts';
import { type FileOutcome, sendFile } from './server-client.ts';
import { texts } from './texts.ts';

/** Maximum files per drop. The rest are reported to the user. */
const FILES_MAX = 20;
/** macOS reports the files of one drop one at a time. */
const GATHER_MS = 250;

export interface FileUploaderDeps {
  /** Null while no server answers. */
  session(): ShellSession | null;
  /** Shows a page of the dashboard. */
  open(path: string): void;
  report(outcomes: readonly FileOutcome[]): void;
}

export class FileUploader {
  readonly #deps: FileUploaderDeps;
  #waiting: string[] = [];
  #timer: NodeJS.Timeout | undefined;
  #sending = false;

  constructor(deps: FileUploaderDeps) {
    this.#deps = deps;
  }

  takeFilesToUpload(files: readonly string[]): void {
    this.#waiting.push(...files);
    this.sendSoon();
  }

  /** Also called when the server becomes ready; files wait until then. */
  sendSoon(): void {
    if (this.#waiting.length === 0) return;
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      void this.#sendWaitingFiles();
    }, GATHER_MS);
  }

  async #sendWaitingFiles(): Promise<void> {
    const session = this.#deps.session();
    if (session === null || this.#sending) return;
    this.#sending = true;
    const files = this.#waiting;
    this.#waiting = [];
    const outcomes: FileOutcome[] = [];
    // Sequential: parallel uploads would compete for the disk.
    for (const file of files.slice(0, FILES_MAX)) outcomes.push(await sendFile(session, file));
    for (const file of files.slice(FILES_MAX)) {
      outcomes.push({ file: basename(file), refused: texts.tooManyFiles({ most: FILES_MAX }) });
    }
    this.#sending = false;
    const jobs = outcomes.flatMap((outcome) => ('jobId' in outcome ? [outcome.jobId] : []));
    if (jobs.length > 0) this.#deps.open(jobs.length === 1 ? `/items/of/${jobs[0]}` : '/library');
    this.#deps.report(outcomes);
    // Files that arrived during the upload.
    this.sendSoon();
  }
}
