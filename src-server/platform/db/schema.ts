import type { Generated, Kysely, Transaction } from 'kysely';
import type { AccountsTable } from '../../features/accounts/accounts-table.ts';
import type { SessionsTable } from '../../features/accounts/sessions-table.ts';
import type { ContributionsDatabase } from '../../features/contributions/contributions-tables.ts';
import type { PaymentsDatabase } from '../../features/payments/payments-tables.ts';
import type { SearchDatabase } from '../../features/search/search-tables.ts';
import type { WebhooksDatabase } from '../../features/webhooks/webhooks-tables.ts';

/**
 * Row types of the database. Times are integer milliseconds, structured values are JSON text, flags are 0 and 1: the
 * forms that SQLite and PostgreSQL share.
 */
export interface JobsTable {
  /** Order of acceptance; the queue's tie-breaker and the cursor of lists. */
  seq: Generated<number>;
  id: string;
  account_id: string;
  operation_id: string;
  status: 'queued' | 'processing' | 'completed' | 'failed';
  /** 0 low, 1 normal, 2 high. */
  priority: number;
  lane: string;
  request: string;
  source_name: string | null;
  /** LocalSource as JSON once the source lies in the job's folder. */
  source: string | null;
  dedupe_key: string | null;
  /** JSON array of event names. */
  events: string;
  attempts: number;
  /** How often the server died while this job ran: see `jobs/suspects.ts`. */
  crashes: number;
  /** 1 when the queue may hand it out; 0 while it waits for `run_after_at`. */
  ready: number;
  run_after_at: number | null;
  lease_owner: string | null;
  lease_expires_at: number | null;
  progress_percent: number;
  progress_stage: string;
  progress_message: string;
  /** Expected run time in milliseconds, learned from this machine's own runs. */
  estimated_ms: number | null;
  error: string | null;
  payment_id: string | null;
  /** Grows by one with every change: the event id of the job's stream. */
  revision: number;
  created_at: number;
  updated_at: number;
  started_at: number | null;
  ended_at: number | null;
  expires_at: number | null;
  /** When result and files were removed. */
  purged_at: number | null;
  /** What the job is called where its owner sees it; empty for one accepted before there were labels. */
  label: Generated<string>;
  /** JSON: see `jobs/stages.ts`. Null where no run was worth the writing. */
  stages: string | null;
}

/** Results live apart from their jobs: a list or a claim never drags megabytes of chunks along. */
export interface JobResultsTable {
  job_id: string;
  /** JSON. */
  body: string;
  /** Size of the job's file chunks.jsonl, where it has the result's chunks: `body` has an empty list then. */
  chunks_bytes: number | null;
}

/** Whose turn it is: a row for each account that may have a job ready in a lane. */
export interface TurnsTable {
  lane: string;
  account_id: string;
  /** Number of the last turn taken; the smallest is served next. */
  last_turn: number;
}

/** Run times learned per operation, for `etaSeconds`. */
export interface RunTimesTable {
  operation_id: string;
  /** Moving average of milliseconds per run and per megabyte of source. */
  run_ms: number;
  run_ms_per_mb: number;
  runs: number;
}

export interface SettingsTable {
  name: string;
  /** JSON. */
  value: string;
  updated_at: number;
}

/** Each domain's tables stand in a file beside this one; here they become one database. */
export interface Database extends ContributionsDatabase, PaymentsDatabase, SearchDatabase, WebhooksDatabase {
  accounts: AccountsTable;
  jobs: JobsTable;
  job_results: JobResultsTable;
  turns: TurnsTable;
  run_times: RunTimesTable;
  sessions: SessionsTable;
  settings: SettingsTable;
}

export type Db = Kysely<Database>;
export type Tx = Transaction<Database>;
