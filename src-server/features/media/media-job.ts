import type { JobProgress } from '../../contract/index.ts';

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
