/** What the server and its thread that writes the index say to each other. */
export interface IndexThreadData {
  databasePath: string;
  /** Folder of the jobs' folders, for the files of chunks. */
  jobsRoot: string;
}

/** `granted` lends the right to write, once for each `borrow`. */
export type IndexOrder = 'kick' | 'granted' | 'close';

export type IndexNotice =
  | { kind: 'borrow' }
  | { kind: 'give-back' }
  | { kind: 'indexed' }
  | { kind: 'failed'; error: unknown; jobId: string | null; message: string };
