import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { QuarryError } from '../../platform/errors.ts';
import { cleanFileName, fileNameOfResponse } from '../../platform/files/file-names.ts';
import { streamZip, ZIP_MAX_BYTES, type ZipEntry } from '../../platform/files/zip.ts';
import type { JobService } from '../jobs/service.ts';
import type { BatchItem } from './schema.ts';

const FOLDER_NAME_CHARS = 80;

/**
 * The results of completed items as a ZIP: a folder for each, with the job object and its files. It is written while it
 * is read, and stores its entries as they are. Errors: `conflict` when it would be too large.
 */
export async function zipOfResults(
  service: JobService,
  items: readonly BatchItem[],
): Promise<AsyncIterable<Uint8Array>> {
  const files: { folder: string; jobId: string; names: string[] }[] = [];
  let bytes = 0;
  for (const item of items) {
    if (item.jobId === null) continue;
    const names = await service.fileNamesOf(item.jobId);
    for (const name of names) bytes += (await stat(service.filePathOf(item.jobId, name) ?? '')).size;
    files.push({ folder: itemFolderName(item), jobId: item.jobId, names });
  }
  if (bytes > ZIP_MAX_BYTES) {
    throw new QuarryError('conflict', 'The results are larger than a ZIP may be: download those of each job.');
  }
  return streamZip(zipEntriesOf(service, files));
}

async function* zipEntriesOf(
  { jobs, filePathOf }: JobService,
  files: readonly { folder: string; jobId: string; names: readonly string[] }[],
): AsyncGenerator<ZipEntry> {
  for (const { folder, jobId, names } of files) {
    const body = jobs.jobBodyText(jobs.row(jobId));
    yield { name: `${folder}/job.json`, content: encodeZipPieces(typeof body === 'string' ? [body] : body) };
    for (const name of names) {
      yield { name: `${folder}/${name}`, content: createReadStream(filePathOf(jobId, name) ?? '') };
    }
  }
}

async function* encodeZipPieces(
  pieces: Iterable<string> | AsyncIterable<string | Uint8Array>,
): AsyncGenerator<Uint8Array> {
  for await (const piece of pieces) yield typeof piece === 'string' ? Buffer.from(piece) : piece;
}

/** `003 minutes.pdf`: unique by its number. */
function itemFolderName({ index, fileName, sourceUrl }: BatchItem): string {
  const url = sourceUrl === null ? null : new URL(sourceUrl);
  const name = cleanFileName(fileName) ?? (url === null ? null : (fileNameOfResponse(undefined, url) ?? url.hostname));
  const safe = (name ?? '')
    .replaceAll(/[<>:"|?*]/g, '_')
    .slice(0, FOLDER_NAME_CHARS)
    .toWellFormed();
  return `${String(index + 1).padStart(3, '0')} ${safe}`.replace(/[. ]+$/, '');
}
