import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';

/**
 * A file of a form that is read while it is sent. The streams of Node's own file blobs throw out of turn, which ends
 * the process, when a server answers before it has read all: a key without the right is refused at once.
 */
class DiskFile extends File {
  override readonly size: number;
  readonly #path: string;

  constructor(path: string, name: string, size: number) {
    super([], name);
    this.size = size;
    this.#path = path;
  }

  override stream(): ReturnType<File['stream']> {
    return ReadableStream.from(createReadStream(this.#path)) as ReturnType<File['stream']>;
  }
}

export async function openDiskFile(path: string, name: string): Promise<File> {
  return new DiskFile(path, name, (await stat(path)).size);
}
