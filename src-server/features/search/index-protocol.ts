/** Messages between the server and its thread that writes the index. */
export interface IndexThreadData {
  databasePath: string;
  /** Folder of the jobs' folders, for the files of chunks. */
  jobsRoot: string;
}

export type IndexOrder = 'kick' | 'close';

export type IndexNotice =
  | { kind: 'indexed' }
  | { kind: 'failed'; error: unknown; jobId: string | null; message: string };
