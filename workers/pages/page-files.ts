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

  write(value: unknown): void {
    this.writeText(`${JSON.stringify(value)}\n`);
  }

  writeText(text: string): void {
    this.#gathered += text;
    if (this.#gathered.length >= GATHERED_CHARS) this.#flush();
  }

  close(): void {
    this.#flush();
    this.abandon();
    renameSync(this.#part, this.#path);
  }

  /** Discards the unfinished file after a failure; no effect on a closed one. */
  abandon(): void {
    if (this.#file !== null) closeSync(this.#file);
    this.#file = null;
  }

  get #part(): string {
    return `${this.#path}.part`;
  }

  #flush(): void {
    this.#file ??= openSync(this.#part, 'w');
    writeFileSync(this.#file, this.#gathered);
    this.#gathered = '';
  }
}

/** Runs `work` with one writer per path; all files appear when it has finished, or none. */
export function writingFiles<Result>(paths: readonly string[], work: (...writers: LineWriter[]) => Result): Result {
  const writers = paths.map((path) => new LineWriter(path));
  try {
    const result = work(...writers);
    for (const writer of writers) writer.close();
    return result;
  } finally {
    for (const writer of writers) writer.abandon();
  }
}
