import { type Insertable, sql, type Updateable } from 'kysely';
import { assertTransaction } from './connection.ts';
import type { JobRow, RunTime } from './jobs-reader.ts';
import type { Db, JobsTable, Tx } from './schema.ts';

export type NewJobRow = Omit<Insertable<JobsTable>, 'seq'>;
/** `revision` and `updated_at` are the writer's business: no change can forget them. */
export type JobChange = Omit<Updateable<JobsTable>, 'seq' | 'id' | 'revision' | 'updated_at'>;

export async function insertJob(tx: Tx, row: NewJobRow): Promise<JobRow> {
  assertTransaction(tx);
  return tx.insertInto('jobs').values(row).returningAll().executeTakeFirstOrThrow();
}

export async function changeJob(tx: Tx, seq: number, change: JobChange, now: number): Promise<JobRow> {
  assertTransaction(tx);
  return tx
    .updateTable('jobs')
    .set((is) => ({ ...change, updated_at: now, revision: is('revision', '+', 1) }))
    .where('seq', '=', seq)
    .returningAll()
    .executeTakeFirstOrThrow();
}

export async function writeResult(tx: Tx, jobId: string, body: string): Promise<void> {
  assertTransaction(tx);
  await tx
    .insertInto('job_results')
    .values({ job_id: jobId, body })
    .onConflict((conflict) => conflict.column('job_id').doUpdateSet({ body }))
    .execute();
}

export async function deleteResult(tx: Tx, jobId: string): Promise<void> {
  assertTransaction(tx);
  await tx.deleteFrom('job_results').where('job_id', '=', jobId).execute();
}

export async function deleteJob(tx: Tx, seq: number): Promise<void> {
  assertTransaction(tx);
  await tx.deleteFrom('jobs').where('seq', '=', seq).execute();
}

/**
 * Puts an account into a lane's round. A newcomer starts one turn behind the newest, so it is served before an account
 * that was served last, and after those that have waited longer.
 */
export async function joinTurns(tx: Tx, lane: string, accountId: string): Promise<void> {
  assertTransaction(tx);
  await tx
    .insertInto('turns')
    .values({ lane, account_id: accountId, last_turn: (await newestTurn(tx, lane)) - 1 })
    .onConflict((conflict) => conflict.columns(['lane', 'account_id']).doNothing())
    .execute();
}

export async function takeTurn(tx: Tx, lane: string, accountId: string): Promise<void> {
  assertTransaction(tx);
  await tx
    .updateTable('turns')
    .set({ last_turn: (await newestTurn(tx, lane)) + 1 })
    .where('lane', '=', lane)
    .where('account_id', '=', accountId)
    .execute();
}

export async function leaveTurns(tx: Tx, lane: string, accountId: string): Promise<void> {
  assertTransaction(tx);
  await tx.deleteFrom('turns').where('lane', '=', lane).where('account_id', '=', accountId).execute();
}

async function newestTurn(tx: Tx, lane: string): Promise<number> {
  const row = await tx
    .selectFrom('turns')
    .select('last_turn')
    .where('lane', '=', lane)
    .orderBy('last_turn', 'desc')
    .limit(1)
    .executeTakeFirst();
  return row?.last_turn ?? 0;
}

/** Says that this process still works on its jobs. Progress of a lease is not a change of the job. */
export async function renewLeases(db: Db, owner: string, expiresAt: number): Promise<void> {
  await db
    .updateTable('jobs')
    .set({ lease_expires_at: expiresAt })
    .where('status', '=', sql.lit('processing' as const))
    .where('lease_owner', '=', owner)
    .execute();
}

export async function writeRunTime(tx: Tx, operationId: string, time: RunTime): Promise<void> {
  assertTransaction(tx);
  const row = { run_ms: time.runMs, run_ms_per_mb: time.runMsPerMb, runs: time.runs };
  await tx
    .insertInto('run_times')
    .values({ operation_id: operationId, ...row })
    .onConflict((conflict) => conflict.column('operation_id').doUpdateSet(row))
    .execute();
}
