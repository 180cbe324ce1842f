import type { Generated } from 'kysely';

/** What search can find: chunks of completed jobs, and approved contributions. */
export interface SearchChunksTable {
  seq: Generated<number>;
  /** Whose it is; `public` for contributions. */
  account_id: string;
  job_id: string | null;
  job_type: string;
  contribution_id: string | null;
  chunk_id: string;
  kind: string;
  language: string | null;
  page: number;
  heading: string | null;
  url: string | null;
  source_name: string | null;
  start_seconds: number | null;
  text: string;
  /** The text before an approved correction. */
  original_text: string | null;
}

/** Which jobs are in the index, and how far. */
export interface SearchJobsTable {
  job_id: string;
  indexed_chunks: number;
  state: 'waiting' | 'indexed' | 'failed';
}

export interface SearchDatabase {
  search_chunks: SearchChunksTable;
  search_jobs: SearchJobsTable;
}
