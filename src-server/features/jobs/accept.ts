import { isTerminal, type JobDraft, type Lane, type RunGuess } from '../../contract/index.ts';
import type { Tx } from '../../platform/db/schema.ts';
import { estimateMs } from './estimate.ts';
import { changeJob } from './jobs-writer.ts';
import { labelOf, sourceNameOf } from './label.ts';
import { type JobRow, jobById, reusableJob } from './store.ts';
import { enqueue, restart } from './transition.ts';

export interface AcceptContext {
  now: number;
  lane: Lane;
  /** The request is answered at once: its job does not wait in the queue, and an older answer of it is replaced. */
  inline: boolean;
  /** Of the operation, until its runs on this machine say more. */
  firstRun: RunGuess;
  paymentId: string | null;
  retentionMs: number;
  /** Registers the draft's webhook targets in the same transaction; gives back the job's events. */
  subscribe(tx: Tx, jobId: string): Promise<string[]>;
}

/**
 * Inserts a job, or finds the one its dedupe key names: a repeated submission reuses it, extends its expiry and adds
 * its own webhook targets (interface: behaviour rule 2).
 */
export async function accept(
  tx: Tx,
  draft: JobDraft,
  context: AcceptContext,
): Promise<{ job: JobRow; reused: boolean }> {
  const existing = draft.dedupeKey === null ? undefined : await reusableJob(tx, draft.dedupeKey, context.now);
  if (existing) return { job: await extend(tx, existing, context), reused: true };
  const older = context.inline ? await jobById(tx, draft.jobId) : undefined;
  if (older) return { job: await replaceAnswer(tx, older, draft, context), reused: false };
  const row = await enqueue(
    tx,
    {
      id: draft.jobId,
      account_id: draft.accountId,
      operation_id: draft.operationId,
      priority: draft.priority,
      lane: context.lane,
      request: JSON.stringify(draft.request),
      source_name: sourceNameOf(draft),
      label: labelOf(draft),
      source: draft.upload === null ? null : storedSourceJson(draft.upload),
      dedupe_key: draft.dedupeKey,
      events: '[]',
      estimated_ms: await estimateMs(tx, draft.operationId, draft.upload?.sizeBytes ?? 0, context.firstRun),
      payment_id: context.paymentId,
    },
    context.now,
    context.inline,
  );
  const events = await context.subscribe(tx, row.id);
  const job = events.length === 0 ? row : await changeJob(tx, row.seq, { events: JSON.stringify(events) }, context.now);
  return { job, reused: false };
}

/** Somebody else may be computing the very same answer: then there is nothing to replace, only to wait for. */
async function replaceAnswer(tx: Tx, older: JobRow, draft: JobDraft, context: AcceptContext): Promise<JobRow> {
  if (!isTerminal(older.status)) return older;
  const change = { request: JSON.stringify(draft.request), payment_id: context.paymentId };
  return restart(tx, older, change, context.now);
}

async function extend(tx: Tx, job: JobRow, context: AcceptContext): Promise<JobRow> {
  const events = new Set([...(JSON.parse(job.events) as string[]), ...(await context.subscribe(tx, job.id))]);
  const expires = job.expires_at === null ? null : Math.max(job.expires_at, context.now + context.retentionMs);
  return changeJob(tx, job.seq, { events: JSON.stringify([...events]), expires_at: expires }, context.now);
}

/** What a job's row keeps of its source; the path follows from the job's id. */
export interface StoredSource {
  fileName: string | null;
  sizeBytes: number;
  kind: string;
}

export function storedSourceJson({ fileName, sizeBytes, kind }: StoredSource): string {
  return JSON.stringify({ fileName, sizeBytes, kind } satisfies StoredSource);
}
