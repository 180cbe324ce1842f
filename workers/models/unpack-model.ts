/**
 * Threat: an archive that writes outside its folder, or unpacks without end. Only plain files and folders are written,
 * below the given folder, and both are counted.
 */

import { createReadStream } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { extract } from 'tar';
import unbzip2 from 'unbzip2-stream';
import { QuarryError, systemCodeOf } from '../../src-server/platform/errors.ts';
import type { TaskFunction } from '../../src-server/platform/pool/worker-pool.ts';
import { say } from '../../src-server/platform/text/say.ts';

const FILES_MAX = 5000;

const BYTES_MAX = 4 * 2 ** 30;

const PLAIN = new Set(['File', 'OldFile', 'ContiguousFile', 'Directory']);

export const unpackModel: TaskFunction<'unpack-model'> = async ({ archivePath, folder }, { signal }) => {
  await mkdir(folder, { recursive: true });
  let files = 0;
  let bytes = 0;
  const unpacking = extract({
    cwd: folder,
    strip: 1,
    strict: true,
    filter: (_path, entry) => {
      files += 1;
      bytes += entry.size ?? 0;
      if (files > FILES_MAX || bytes > BYTES_MAX) throw corruptModelError('The archive is larger than any model.');
      return 'type' in entry && PLAIN.has(entry.type);
    },
  });
  try {
    await pipeline(createReadStream(archivePath), unbzip2(), unpacking, { signal });
  } catch (error) {
    signal.throwIfAborted();
    throw error instanceof QuarryError || isOfDisk(error) ? error : corruptModelError(error);
  }
  if (files === 0) throw corruptModelError('The archive is empty.');
  return null;
};

function isOfDisk(error: unknown): boolean {
  return ['ENOSPC', 'EDQUOT', 'EACCES', 'EROFS'].includes(systemCodeOf(error));
}

function corruptModelError(cause: unknown): QuarryError {
  const message = say`The archive of the model is damaged. Install the model again.`;
  return new QuarryError('corrupt_input', message, { cause });
}
