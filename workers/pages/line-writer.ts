import { closeSync, openSync, renameSync, writeSync } from 'node:fs';
import { KIB } from '../../src-server/platform/units.ts';
import { ByteWriter } from './byte-writer.ts';

/** Bytes are gathered up to here: a call for every line would cost more than what is in it. */
const GATHERED_BYTES = 128 * KIB;

/**
 * Writes a file piece by piece. The file appears under its name when it is whole. The thread waits for the disk: it has
 * nothing else to do, and having another thread wait for it costs more than most of these writes do.
 */
export class LineWriter {
  readonly #path: string;
  #file: number | null = null;
  readonly #gathered = new ByteWriter();

  constructor(path: string) {
    this.#path = path;
  }

  write(value: unknown): void {
    this.writeText(`${JSON.stringify(value)}\n`);
  }

  writeText(text: string): void {
    this.#gathered.text(text);
    if (this.#gathered.size >= GATHERED_BYTES) this.#flush();
  }

  writeBytes(bytes: Uint8Array): void {
    this.#gathered.bytes(bytes);
    if (this.#gathered.size >= GATHERED_BYTES) this.#flush();
  }

  close(): void {
    this.#flush();
    this.abandon();
    renameSync(this.#part, this.#path);
  }

  /** Leaves the file unfinished, for when something failed. Nothing happens to one that is closed. */
  abandon(): void {
    const file = this.#file;
    this.#file = null;
    if (file !== null) closeSync(file);
  }

  get #part(): string {
    return `${this.#path}.part`;
  }

  #flush(): void {
    const bytes = this.#gathered.written;
    this.#file ??= openSync(this.#part, 'w');
    for (let at = 0; at < bytes.length; ) at += writeSync(this.#file, bytes, at);
    this.#gathered.clear();
  }
}

/** Runs the work with a writer for each path; the files appear when all of it is done, and none before. */
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
