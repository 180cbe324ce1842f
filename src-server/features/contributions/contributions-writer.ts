import type { Insertable } from 'kysely';
import { assertTransaction } from '../../platform/db/database.ts';
import type { Tx } from '../../platform/db/schema.ts';
import type { ContributionEventsTable, ContributionsTable } from './contributions-tables.ts';
import type { ContributionRow } from './store.ts';

export async function insertContribution(
  tx: Tx,
  row: Omit<Insertable<ContributionsTable>, 'seq' | 'reports'>,
): Promise<ContributionRow> {
  assertTransaction(tx);
  return tx.insertInto('contributions').values(row).returningAll().executeTakeFirstOrThrow();
}

export async function decideContribution(
  tx: Tx,
  id: string,
  decision: { status: 'approved' | 'rejected'; reason: string | null; now: number },
): Promise<ContributionRow> {
  assertTransaction(tx);
  const { status, reason, now } = decision;
  return tx
    .updateTable('contributions')
    .set({ status, reason, decided_at: now, updated_at: now })
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow();
}

export async function countReport(tx: Tx, id: string): Promise<void> {
  assertTransaction(tx);
  await tx
    .updateTable('contributions')
    .set((is) => ({ reports: is('reports', '+', 1) }))
    .where('id', '=', id)
    .execute();
}

export async function insertEvent(tx: Tx, event: Omit<Insertable<ContributionEventsTable>, 'seq'>): Promise<void> {
  assertTransaction(tx);
  await tx.insertInto('contribution_events').values(event).execute();
}

/** The job's file of chunks no longer says what it should. */
export async function awaitCorrectedFile(tx: Tx, jobId: string): Promise<void> {
  assertTransaction(tx);
  await tx
    .insertInto('corrected_files')
    .values({ job_id: jobId, revision: 1 })
    .onConflict((conflict) =>
      conflict.column('job_id').doUpdateSet((is) => ({ revision: is('corrected_files.revision', '+', 1) })),
    )
    .execute();
}

/** The file was written as of that revision. */
export async function noteCorrectedFile(tx: Tx, jobId: string, revision: number): Promise<void> {
  assertTransaction(tx);
  await tx.deleteFrom('corrected_files').where('job_id', '=', jobId).where('revision', '=', revision).execute();
}

/** A removed job takes the corrections of its text with it; other contributions only lose the place they were about. */
export async function forgetJob(tx: Tx, jobId: string): Promise<void> {
  assertTransaction(tx);
  const corrections = tx
    .selectFrom('contributions')
    .select('id')
    .where('job_id', '=', jobId)
    .where('kind', '=', 'correction');
  await tx.deleteFrom('contribution_events').where('contribution_id', 'in', corrections).execute();
  await tx.deleteFrom('contributions').where('job_id', '=', jobId).where('kind', '=', 'correction').execute();
  await tx.deleteFrom('corrected_files').where('job_id', '=', jobId).execute();
  await tx.updateTable('contributions').set({ job_id: null, chunk_id: null }).where('job_id', '=', jobId).execute();
}
