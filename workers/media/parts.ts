/** Results of the parts of a task, one file each, from which an interrupted task resumes. */

import { readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseOwnJson } from '../../src-server/platform/own-json.ts';

/** Null for a part that is not finished. */
export async function readFinishedPart<Part>(folder: string, index: number): Promise<Part | null> {
  const text = await readFile(partPath(folder, index), 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null;
    throw error;
  });
  return text === null ? null : parseOwnJson<Part>(text);
}

export async function writePart(folder: string, index: number, part: unknown): Promise<void> {
  const path = partPath(folder, index);
  await writeFile(`${path}.part`, JSON.stringify(part));
  await rename(`${path}.part`, path);
}

function partPath(folder: string, index: number): string {
  return join(folder, `${index}.json`);
}
