/** The log of the shell and its server: standard error, and a file that the user can open. */
import { appendFileSync, mkdirSync, renameSync, statSync } from 'node:fs';
import { dirname } from 'node:path';

/** A file is renamed to `.1` before it grows beyond this. */
const FILE_BYTES_MAX = 2 * 1024 * 1024;

/** Renamed files that are kept: `quarry.log.1` is newer than `quarry.log.2`. */
const OLD_FILES_MAX = 2;

/** Appends text to a file of bounded size. Errors (a full disk, a missing folder) lose text and nothing else. */
export class LogFile {
  readonly path: string;
  readonly #bytesMax: number;
  #bytes: number | null = null;

  constructor(path: string, bytesMax = FILE_BYTES_MAX) {
    this.path = path;
    this.#bytesMax = bytesMax;
  }

  writeLogText(text: string): void {
    try {
      this.#appendLogText(text);
    } catch {
      // The file may be back the next time. Standard error has the text.
      this.#bytes = null;
    }
  }

  #appendLogText(text: string): void {
    // What is longer than a file is cut, so that the bound holds.
    const bytes = Buffer.from(text).subarray(-this.#bytesMax);
    this.#bytes ??= this.#openLogOutput();
    if (this.#bytes > 0 && this.#bytes + bytes.length > this.#bytesMax) this.#rotateLogFiles();
    appendFileSync(this.path, bytes, { mode: 0o600 });
    this.#bytes = (this.#bytes ?? 0) + bytes.length;
  }

  #openLogOutput(): number {
    mkdirSync(dirname(this.path), { recursive: true });
    return statSync(this.path, { throwIfNoEntry: false })?.size ?? 0;
  }

  #rotateLogFiles(): void {
    for (let age = OLD_FILES_MAX; age > 0; age -= 1) {
      const from = age === 1 ? this.path : `${this.path}.${age - 1}`;
      if (statSync(from, { throwIfNoEntry: false }) !== undefined) renameSync(from, `${this.path}.${age}`);
    }
    this.#bytes = 0;
  }
}

let file: LogFile | null = null;

/** From now on, lines also go to this file. */
export function openLogFile(path: string): void {
  file = new LogFile(path);
  // Then there is something to show before anything goes wrong.
  file.writeLogText(`[${new Date().toISOString()}] Quarry starts on ${process.platform}, ${process.arch}.\n`);
  // A terminal that is closed takes nothing more, which must not end the app.
  process.stderr.on('error', () => undefined);
}

/** Logs a line of the shell, with its time. */
export function logLine(line: string): void {
  process.stderr.write(`${line}\n`);
  file?.writeLogText(`[${new Date().toISOString()}] ${line}\n`);
}

/** Passes on what a process of the app writes to its standard error. */
export function passOn(bytes: Buffer): void {
  process.stderr.write(bytes);
  file?.writeLogText(bytes.toString());
}
