import { readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { JobProgress } from '../../operation.ts';

/**
 * Answers that a job's work folder keeps: a stage that was done before the process died is not done again. A value
 * appears whole or not at all.
 */
export async function kept<Value>(folder: string, name: string, make: () => Promise<Value>): Promise<Value> {
  const path = join(folder, `${name}.json`);
  const known = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null;
    throw error;
  });
  if (known !== null) return JSON.parse(known) as Value;
  const value = await make();
  await writeFile(`${path}.part`, JSON.stringify(value));
  await rename(`${path}.part`, path);
  return value;
}

/** What each transcript is written as. */
export const TRANSCRIPT_FILES = [
  'transcript.srt',
  'transcript.vtt',
  'transcript.txt',
  'transcript.json',
  'chunks.jsonl',
] as const;

/** A job as the engines of media see it. */
export interface MediaJob {
  accountId: string;
  filesFolder: string;
  /** Folder of the job that is not served. */
  workFolder: string;
  /** What the run took before: fetching the file. */
  spentSeconds: number;
  urlOf(name: string): string;
  progress(progress: JobProgress): void;
}
