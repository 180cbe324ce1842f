/**
 * Unpacks the archive of a browser. Threat: an archive that writes outside its folder, or unpacks without end. Only
 * plain files are written, below the given folder; their checksums and sizes are compared with its directory.
 */

import { createWriteStream } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { crc32 } from 'node:zlib';
import yauzl from 'yauzl';
import { QuarryError, systemCodeOf } from '../../src-server/platform/errors.ts';
import type { TaskFunction } from '../../src-server/platform/pool/worker-pool.ts';
import { say } from '../../src-server/platform/text/say.ts';

const FILES_MAX = 2000;

const BYTES_MAX = 1.5 * 2 ** 30;

const EXECUTABLE = 0o755;

const PLAIN = 0o644;

const KIND_BITS = 0o170000;

const PLAIN_FILE = 0o100000;

export const unpackBrowser: TaskFunction<'unpack-browser'> = async ({ archivePath, folder }, { signal }) => {
  try {
    const zip = await yauzl.openPromise(archivePath, { validateEntrySizes: true });
    let files = 0;
    let bytes = 0;
    for await (const entry of zip.eachEntry()) {
      signal.throwIfAborted();
      files += 1;
      bytes += entry.uncompressedSize;
      if (files > FILES_MAX || bytes > BYTES_MAX) throw corruptBrowserError('The archive is larger than any browser.');
      await unpackBrowserEntry(zip, entry, folder, signal);
    }
    if (files === 0) throw corruptBrowserError('The archive is empty.');
    return null;
  } catch (error) {
    signal.throwIfAborted();
    const isOfDisk = ['ENOSPC', 'EDQUOT', 'EACCES', 'EROFS'].includes(systemCodeOf(error));
    throw error instanceof QuarryError || isOfDisk ? error : corruptBrowserError(error);
  }
};

/** Without the one folder at the top of the archive. */
async function unpackBrowserEntry(
  zip: yauzl.ZipFile,
  entry: yauzl.Entry,
  folder: string,
  signal: AbortSignal,
): Promise<void> {
  const name = entry.fileName.split('/').slice(1).join('/');
  if (name === '' || name.endsWith('/')) return;
  const mode = entry.externalFileAttributes >>> 16;
  const kind = mode & KIND_BITS;
  if (kind !== 0 && kind !== PLAIN_FILE) throw corruptBrowserError(`${name} is no plain file.`);
  const path = join(folder, name);
  await mkdir(dirname(path), { recursive: true });
  let sum = 0;
  const counted = new Transform({
    transform(piece: Buffer, _encoding, done) {
      sum = crc32(piece, sum);
      done(null, piece);
    },
  });
  const isProgram = (mode & 0o111) !== 0;
  const file = createWriteStream(path, { mode: isProgram ? EXECUTABLE : PLAIN, flags: 'wx' });
  await pipeline(await zip.openReadStreamPromise(entry), counted, file, { signal });
  if (sum !== entry.crc32) throw corruptBrowserError(`The checksum of ${name} differs.`);
}

function corruptBrowserError(cause: unknown): QuarryError {
  return new QuarryError('corrupt_input', say`The archive of the browser is damaged. Fetch it again.`, { cause });
}
