import { randomUUID } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';

/**
 * A file of a form that is read while it is sent. Its bytes come from `chunks`: Node's own file blobs, and the bodies
 * that fetch makes of forms, throw out of turn when a server answers before it has read all, which ends the process. A
 * key without the right is refused at once.
 */
export class DiskFile extends File {
  readonly #path: string;

  constructor(path: string, name: string) {
    super([], name);
    this.#path = path;
  }

  readFileChunks(): AsyncIterable<Uint8Array> {
    return createReadStream(this.#path);
  }
}

/** Rejects if the file does not exist. */
export async function openDiskFile(path: string, name: string): Promise<DiskFile> {
  await stat(path);
  return new DiskFile(path, name);
}

/** The body of a form and its content type (RFC 7578). */
export function multipartBody(form: FormData): { body: ReadableStream; type: string } {
  const boundary = `quarry-${randomUUID()}`;
  return {
    body: ReadableStream.from(multipartBytes(form, boundary)),
    type: `multipart/form-data; boundary=${boundary}`,
  };
}

async function* multipartBytes(form: FormData, boundary: string): AsyncGenerator<Uint8Array> {
  for (const [name, value] of form) {
    const file = typeof value === 'string' ? '' : `; filename="${quotePartName(value.name)}"`;
    const type = typeof value === 'string' ? '' : 'content-type: application/octet-stream\r\n';
    const head = `--${boundary}\r\ncontent-disposition: form-data; name="${quotePartName(name)}"${file}\r\n${type}\r\n`;
    yield Buffer.from(head);
    if (typeof value === 'string') yield Buffer.from(value);
    else if (value instanceof DiskFile) yield* value.readFileChunks();
    else yield new Uint8Array(await value.arrayBuffer());
    yield Buffer.from('\r\n');
  }
  yield Buffer.from(`--${boundary}--\r\n`);
}

/** As browsers write names. */
function quotePartName(name: string): string {
  return name.replaceAll('"', '%22').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
}
