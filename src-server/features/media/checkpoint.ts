import { readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { JobProgress } from '../../operation.ts';

/**
 * Checkpoints of finished stages in the job's work folder. A resumed job does not repeat a finished stage. Files are
 * written atomically.
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

/** The formats each transcript is written in. */
export const TRANSCRIPT_FILES = [
  'transcript.srt',
  'transcript.vtt',
  'transcript.txt',
  'transcript.json',
  'chunks.jsonl',
] as const;

/** The job, as the media engines see it. */
export interface MediaJob {
  accountId: string;
  filesFolder: string;
  /** Private folder of the job. It is not served. */
  workFolder: string;
  /** Seconds this run has already spent on fetching the file. */
  spentSeconds: number;
  urlOf(name: string): string;
  progress(progress: JobProgress): void;
  /** Sends an event to the clients that follow the job. */
  emit(event: string, data: Record<string, unknown>): void;
}
