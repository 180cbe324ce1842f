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
  /** Which embedder made its vector; 0 while none has. */
  embedded_by: Generated<number>;
}

/** In the place of how many chunks of a job are indexed: it is removed, and they wait to be. */
export const REMOVED = -1;

/** Which jobs are in the index, and how far. */
export interface SearchJobsTable {
  job_id: string;
  /** `REMOVED`, or how many. */
  indexed_chunks: number;
  state: 'waiting' | 'indexed' | 'failed';
}

/** Models that made vectors. */
export interface SearchEmbeddersTable {
  id: Generated<number>;
  /** Name and fingerprint of the model's file: another file under an old name makes other vectors. */
  model: string;
}

/** What a search by meaning reads of every chunk: one bit for each dimension, and what filters ask for. */
export interface SearchSignaturesTable {
  account_id: string;
  seq: number;
  embedder: number;
  job_type: string;
  kind: string;
  language: string | null;
  bits: Uint8Array;
}

/** What it reads of the nearest ones: a signed byte for each dimension. */
export interface SearchVectorsTable {
  seq: number;
  embedder: number;
  vector: Uint8Array;
}

/** Accounts that were given somebody else's job (a crawl that is reused), and so may search it. */
export interface SearchSharesTable {
  account_id: string;
  job_id: string;
}

export interface SearchDatabase {
  search_chunks: SearchChunksTable;
  search_jobs: SearchJobsTable;
  search_embedders: SearchEmbeddersTable;
  search_signatures: SearchSignaturesTable;
  search_vectors: SearchVectorsTable;
  search_shares: SearchSharesTable;
}
