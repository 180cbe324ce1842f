import type { Generated } from 'kysely';
import type { ContributionStatus } from './schema.ts';

export interface ContributionsTable {
  seq: Generated<number>;
  id: string;
  account_id: string;
  kind: 'correction' | 'annotation' | 'source';
  status: ContributionStatus;
  job_id: string | null;
  chunk_id: string | null;
  text: string;
  url: string | null;
  author: string | null;
  license: string | null;
  /** What the moderator said last. */
  reason: string | null;
  reports: Generated<number>;
  created_at: number;
  updated_at: number;
  decided_at: number | null;
}

/** Everything that happened to a contribution; nothing in it is ever changed. */
export interface ContributionEventsTable {
  seq: Generated<number>;
  contribution_id: string;
  action: 'submitted' | 'approved' | 'rejected' | 'reported';
  actor: string;
  reason: string | null;
  created_at: number;
}

/** Jobs whose file of chunks is to be written anew. */
export interface CorrectedFilesTable {
  job_id: string;
  /** Grows with every decision, so that one which comes while the file is written is not lost. */
  revision: number;
}

export interface ContributionsDatabase {
  corrected_files: CorrectedFilesTable;
  contributions: ContributionsTable;
  contribution_events: ContributionEventsTable;
}
