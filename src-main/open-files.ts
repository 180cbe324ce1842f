/**
 * Files that a person drops on the app's icon, opens with the app, or names on its command line. Each becomes a job of
 * the owner at once, as dropping it says: it costs nothing, nothing leaves the computer, and the job can be cancelled.
 * The threat is a path that is no plain file, and a whole folder dropped by mistake.
 */
import { basename } from 'node:path';
import type { ShellSession } from '../src-server/platform/rpc/shell.ts';
import { type FileOutcome, sendFile } from './server-client.ts';
import { texts } from './texts.ts';

/** Files taken at once; of the others the person is told. */
const FILES_MAX = 20;
/** macOS names the files of one drop one by one. */
const GATHER_MS = 250;

export interface FileTakerDeps {
  /** Null while no server answers. */
  session(): ShellSession | null;
  /** Shows a page of the dashboard. */
  open(path: string): void;
  tell(outcomes: readonly FileOutcome[]): void;
}

export class FileTaker {
  readonly #deps: FileTakerDeps;
  #waiting: string[] = [];
  #timer: NodeJS.Timeout | undefined;
  #sending = false;

  constructor(deps: FileTakerDeps) {
    this.#deps = deps;
  }

  take(files: readonly string[]): void {
    this.#waiting.push(...files);
    this.sendSoon();
  }

  /** Called again when the server is there: until then files wait. */
  sendSoon(): void {
    if (this.#waiting.length === 0) return;
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      void this.#send();
    }, GATHER_MS);
  }

  async #send(): Promise<void> {
    const session = this.#deps.session();
    if (session === null || this.#sending) return;
    this.#sending = true;
    const files = this.#waiting;
    this.#waiting = [];
    const outcomes: FileOutcome[] = [];
    // One after the other: twenty at once would only fight for the disk.
    for (const file of files.slice(0, FILES_MAX)) outcomes.push(await sendFile(session, file));
    for (const file of files.slice(FILES_MAX)) {
      outcomes.push({ file: basename(file), refused: texts.tooManyFiles(FILES_MAX) });
    }
    this.#sending = false;
    const jobs = outcomes.flatMap((outcome) => ('jobId' in outcome ? [outcome.jobId] : []));
    if (jobs.length > 0) this.#deps.open(jobs.length === 1 ? `/jobs/${jobs[0]}` : '/jobs');
    this.#deps.tell(outcomes);
    // What came in the meantime.
    this.sendSoon();
  }
}
