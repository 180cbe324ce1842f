import type { Tx } from '../../platform/db/schema.ts';
import type { ContributionRow } from './store.ts';

/** A chunk as the index has it: what a moderator compares with. */
export interface ChunkEvidence {
  text: string;
  originalText: string | null;
  heading: string | null;
  page: number;
  url: string | null;
  jobType: string;
}

/** What a contribution changes elsewhere, within the decision's transaction. */
export interface ContributionEffects {
  chunkOf(tx: Tx | null, jobId: string, chunkId: string): Promise<ChunkEvidence | null>;
  /** Whether chunks of the job are still to come. */
  awaitsChunks(tx: Tx, jobId: string): Promise<boolean>;
  /** The chunk says `text` from now on; null gives it its own text back. */
  correct(tx: Tx, jobId: string, chunkId: string, text: string | null): Promise<void>;
  /** All of the job says what it should from now on: whoever watches it is told. */
  corrected(jobId: string): void;
  publish(tx: Tx, contribution: ContributionRow): Promise<void>;
  withdraw(tx: Tx, contributionId: string): Promise<void>;
}
