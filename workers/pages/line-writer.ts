import { type FileHandle, open, rename } from 'node:fs/promises';
import { KIB } from '../../src-server/lib/units.ts';

/** Text is gathered up to here: a call for every line would cost more than what is in it. */
const GATHERED_CHARS = 64 * KIB;

/** Writes a file piece by piece, waiting for the disk. The file appears under its name when it is whole. */
export class LineWriter {
  readonly #path: string;
  #file: FileHandle | null = null;
  #pieces: string[] = [];
  #chars = 0;

  constructor(path: string) {
    this.#path = path;
  }

  write(value: unknown): Promise<void> {
    return this.writeText(`${JSON.stringify(value)}\n`);
  }

  async writeText(text: string): Promise<void> {
    this.#pieces.push(text);
    this.#chars += text.length;
    if (this.#chars >= GATHERED_CHARS) await this.#flush();
  }

  async close(): Promise<void> {
    await this.#flush();
    await this.abandon();
    await rename(this.#part, this.#path);
  }

  /** Leaves the file unfinished, for when something failed. Nothing happens to one that is closed. */
  async abandon(): Promise<void> {
    const file = this.#file;
    this.#file = null;
    await file?.close();
  }

  get #part(): string {
    return `${this.#path}.part`;
  }

  async #flush(): Promise<void> {
    const text = this.#pieces.join('');
    this.#pieces = [];
    this.#chars = 0;
    this.#file ??= await open(this.#part, 'w');
    await this.#file.write(text);
  }
}

/** Runs the work with a writer for each path; the files appear when all of it is done, and none before. */
export async function writingFiles<Result>(
  paths: readonly string[],
  work: (...writers: LineWriter[]) => Promise<Result>,
): Promise<Result> {
  const writers = paths.map((path) => new LineWriter(path));
  try {
    const result = await work(...writers);
    for (const writer of writers) await writer.close();
    return result;
  } finally {
    for (const writer of writers) await writer.abandon();
  }
}
