import { once } from 'node:events';
import { createWriteStream, type WriteStream } from 'node:fs';
import { rename } from 'node:fs/promises';
import { join } from 'node:path';
import { finished } from 'node:stream/promises';

/** Writes a file piece by piece, waiting where the disk is slower. The file appears under its name when it is whole. */
export class LineWriter {
  readonly #path: string;
  readonly #stream: WriteStream;

  constructor(folder: string, name: string) {
    this.#path = join(folder, name);
    this.#stream = createWriteStream(`${this.#path}.part`);
  }

  write(value: unknown): Promise<void> {
    return this.writeText(`${JSON.stringify(value)}\n`);
  }

  async writeText(text: string): Promise<void> {
    if (this.#stream.write(text)) return;
    // `once` rejects when the disk fails instead.
    await once(this.#stream, 'drain');
  }

  async close(): Promise<void> {
    this.#stream.end();
    await finished(this.#stream);
    await rename(`${this.#path}.part`, this.#path);
  }
}
