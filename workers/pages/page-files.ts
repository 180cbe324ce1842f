import { closeSync, openSync, renameSync, writeFileSync } from 'node:fs';
import { KIB } from '../../src-server/platform/units.ts';

/** Characters collected before a write: a call per line would cost more than its content. */
const GATHERED_CHARS = 128 * KIB;

/** Writes a file in pieces; the file gets its name when complete. Synchronous: the thread has no other work. */
export class LineWriter {
  readonly #path: string;
  #file: number | null = null;
  #gathered = '';

  constructor(path: string) {
    this.#path = path;
  }

  writeJsonLine(value: unknown): void {
    this.writeText(`${JSON.stringify(value)}\n`);
  }

  writeText(text: string): void {
    this.#gathered += text;
    if (this.#gathered.length >= GATHERED_CHARS) this.#flushGatheredLines();
  }

  closeLineFile(): void {
    this.#flushGatheredLines();
    this.abandonLineFile();
    renameSync(this.#partFilePath, this.#path);
  }

  /** Discards the unfinished file after a failure; no effect on a closed one. */
  abandonLineFile(): void {
    if (this.#file !== null) closeSync(this.#file);
    this.#file = null;
  }

  get #partFilePath(): string {
    return `${this.#path}.part`;
  }

  #flushGatheredLines(): void {
    this.#file ??= openSync(this.#partFilePath, 'w');
    writeFileSync(this.#file, this.#gathered);
    this.#gathered = '';
  }
}

/** Runs `work` with one writer per path; all files appear when it has finished, or none. */
export function writingFiles<Result>(paths: readonly string[], work: (...writers: LineWriter[]) => Result): Result {
  const writers = paths.map((path) => new LineWriter(path));
  try {
    const result = work(...writers);
    for (const writer of writers) writer.closeLineFile();
    return result;
  } finally {
    for (const writer of writers) writer.abandonLineFile();
  }
}
