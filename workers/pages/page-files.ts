import { closeSync, openSync, renameSync, writeFileSync } from 'node:fs';
import { KIB } from '../../src-server/platform/units.ts';

/** Bytes or characters collected before a write: a call per line would cost more than its content. */
const GATHERED_MAX = 128 * KIB;

/** Writes a file in pieces; the file gets its name when complete. Synchronous: the thread has no other work. */
export class LineWriter {
  readonly #path: string;
  #file: number | null = null;
  #text = '';
  /** What comes before the text. */
  #pieces: Uint8Array[] = [];
  #gathered = 0;

  constructor(path: string) {
    this.#path = path;
  }

  writeJsonLine(value: unknown): void {
    this.writeText(`${JSON.stringify(value)}\n`);
  }

  writeText(text: string): void {
    this.#text += text;
    this.#countGathered(text.length);
  }

  /** The bytes must not change until the file is closed. */
  writeBytes(bytes: Uint8Array): void {
    this.#endText();
    this.#pieces.push(bytes);
    this.#countGathered(bytes.length);
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

  #countGathered(size: number): void {
    this.#gathered += size;
    if (this.#gathered >= GATHERED_MAX) this.#flushGatheredLines();
  }

  #endText(): void {
    if (this.#text !== '') this.#pieces.push(Buffer.from(this.#text));
    this.#text = '';
  }

  #flushGatheredLines(): void {
    this.#file ??= openSync(this.#partFilePath, 'w');
    this.#endText();
    const [first] = this.#pieces;
    writeFileSync(this.#file, first !== undefined && this.#pieces.length === 1 ? first : Buffer.concat(this.#pieces));
    this.#pieces = [];
    this.#gathered = 0;
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
