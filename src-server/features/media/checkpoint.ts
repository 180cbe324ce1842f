import { readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ProgressReport, TravelChoices } from '../../operation.ts';
import { parseOwnJson } from '../../platform/own-json.ts';
import type { TranscriptSegment } from './schema.ts';
import type { JobVoices } from './speakers.ts';

/**
 * Checkpoints of finished stages in the job's work folder. A resumed job does not repeat a finished stage. Files are
 * written atomically.
 */
export async function keepCheckpoint<Value>(folder: string, name: string, make: () => Promise<Value>): Promise<Value> {
  const path = join(folder, `${name}.json`);
  const known = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null;
    throw error;
  });
  if (known !== null) return parseOwnJson<Value>(known);
  const value = await make();
  await writeFile(`${path}.part`, JSON.stringify(value));
  await rename(`${path}.part`, path);
  return value;
}

/** The formats each transcript is written in. */
const TRANSCRIPT_FILES = [
  'transcript.srt',
  'transcript.vtt',
  'transcript.txt',
  'transcript.json',
  'chunks.jsonl',
] as const;

/** Subtitles with the time of each word, where words are timed. */
const WORDS_FILE = 'transcript.words.vtt';

type Segments = readonly Pick<TranscriptSegment, 'words'>[];

/** Names of the files of a transcript. */
export function transcriptFiles(segments: Segments): string[] {
  return [...TRANSCRIPT_FILES, ...(hasWords(segments) ? [WORDS_FILE] : [])];
}

export function captionsOf<File>(segments: Segments, file: (name: string) => File) {
  const captions = { srt: file('transcript.srt'), vtt: file('transcript.vtt') };
  return hasWords(segments) ? { ...captions, words: file(WORDS_FILE) } : captions;
}

function hasWords(segments: Segments): boolean {
  return segments.some(({ words = [] }) => words.length > 0);
}

/** The job, as the media engines see it. */
export interface MediaJob {
  accountId: string;
  filesFolder: string;
  /** Private folder of the job. It is not served. */
  workFolder: string;
  /** See `JobHandle`. */
  choices: TravelChoices;
  /** Seconds this run has already spent on fetching the file. */
  spentSeconds: number;
  /** The voices that it may recognise; none where it is absent. */
  voices?: JobVoices;
  urlOf(name: string): string;
  progress(progress: ProgressReport): void;
  /** Sends an event to the clients that follow the job. */
  emit(event: string, data: Record<string, unknown>): void;
}
