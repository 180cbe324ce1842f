import { type Insertable, type RawBuilder, sql, type Updateable } from 'kysely';
import { assertTransaction } from '../../platform/db/database.ts';
import { prepared, preparedForColumns } from '../../platform/db/prepared.ts';
import type { Db, JobsTable, Tx } from '../../platform/db/schema.ts';
import type { JobRow, RunTime, StoredResult } from './store.ts';

export type NewJobRow = Omit<Insertable<JobsTable>, 'seq'>;
/** `revision` and `updated_at` are the writer's business: no change can forget them. */
export type JobChange = Omit<Updateable<JobsTable>, 'seq' | 'id' | 'revision' | 'updated_at'>;

const insert = preparedForColumns<NewJobRow>()((db, row) =>
  db
    .insertInto('jobs')
    .values(row as never)
    .returningAll(),
);

export async function insertJob(tx: Tx, row: NewJobRow): Promise<JobRow> {
  assertTransaction(tx);
  return theOne((await insert(tx, row, {})).rows);
}

const update = preparedForColumns<JobChange, { seq: number; now: number }>()((db, change, take) =>
  db
    .updateTable('jobs')
    .set((is) => ({ ...change, updated_at: take('now'), revision: is('revision', '+', 1) }))
    .where('seq', '=', take('seq'))
    .returningAll(),
);

export async function changeJob(tx: Tx, seq: number, change: JobChange, now: number): Promise<JobRow> {
  assertTransaction(tx);
  return theOne((await update(tx, change, { seq, now })).rows);
}

function theOne(rows: JobRow[]): JobRow {
  const [row] = rows;
  if (row === undefined) throw new Error('The job to be changed is gone.');
  return row;
}

const putResult = prepared<StoredResult & { jobId: string }>()((db, take) =>
  db
    .insertInto('job_results')
    .values({ job_id: take('jobId'), body: take('body'), chunks_bytes: take('chunksBytes') })
    .onConflict((conflict) =>
      conflict.column('job_id').doUpdateSet((is) => ({
        body: is.ref('excluded.body'),
        chunks_bytes: is.ref('excluded.chunks_bytes'),
      })),
    ),
);

export async function writeResult(tx: Tx, jobId: string, result: StoredResult): Promise<void> {
  assertTransaction(tx);
  await putResult(tx, { jobId, ...result });
}

export async function deleteResult(tx: Tx, jobId: string): Promise<void> {
  assertTransaction(tx);
  await tx.deleteFrom('job_results').where('job_id', '=', jobId).execute();
}

export async function deleteJob(tx: Tx, seq: number): Promise<void> {
  assertTransaction(tx);
  await tx.deleteFrom('jobs').where('seq', '=', seq).execute();
}

const join = prepared<{ lane: string; accountId: string }>()((db, of) =>
  db
    .insertInto('turns')
    .values({ lane: of('lane'), account_id: of('accountId'), last_turn: turnFromNewest(db, of('lane'), -1) })
    .onConflict((conflict) => conflict.columns(['lane', 'account_id']).doNothing()),
);

/**
 * Puts an account into a lane's round. A newcomer starts one turn behind the newest, so it is served before an account
 * that was served last, and after those that have waited longer.
 */
export async function joinTurns(tx: Tx, lane: string, accountId: string): Promise<void> {
  assertTransaction(tx);
  await join(tx, { lane, accountId });
}

const take = prepared<{ lane: string; accountId: string }>()((db, of) =>
  db
    .updateTable('turns')
    .set({ last_turn: turnFromNewest(db, of('lane'), 1) })
    .where('lane', '=', of('lane'))
    .where('account_id', '=', of('accountId')),
);

export async function takeTurn(tx: Tx, lane: string, accountId: string): Promise<void> {
  assertTransaction(tx);
  await take(tx, { lane, accountId });
}

const leave = prepared<{ lane: string; accountId: string }>()((db, of) =>
  db.deleteFrom('turns').where('lane', '=', of('lane')).where('account_id', '=', of('accountId')),
);

export async function leaveTurns(tx: Tx, lane: string, accountId: string): Promise<void> {
  assertTransaction(tx);
  await leave(tx, { lane, accountId });
}

/** A turn's number, so many after the newest one of a lane. */
function turnFromNewest(db: Db, lane: RawBuilder<string>, after: number) {
  return db
    .selectFrom('turns')
    .select((is) => is(is.fn.coalesce(is.fn.max('last_turn'), is.lit(0)), '+', after).as('turn'))
    .where('lane', '=', lane);
}

/** Says that this process still works on its jobs. Progress of a lease is not a change of the job. */
export async function renewLeases(tx: Tx, owner: string, expiresAt: number): Promise<void> {
  assertTransaction(tx);
  await tx
    .updateTable('jobs')
    .set({ lease_expires_at: expiresAt })
    .where('status', '=', sql.lit('processing' as const))
    .where('lease_owner', '=', owner)
    .execute();
}

const blendRunTime = prepared<RunTime & { operationId: string; weight: number }>()((db, of) =>
  db
    .insertInto('run_times')
    .values({ operation_id: of('operationId'), run_ms: of('runMs'), run_ms_per_mb: of('runMsPerMb'), runs: 1 })
    .onConflict((conflict) =>
      conflict.column('operation_id').doUpdateSet({
        run_ms: sql<number>`run_ms + (excluded.run_ms - run_ms) * ${of('weight')}`,
        run_ms_per_mb: sql<number>`case when excluded.run_ms_per_mb = 0 then run_ms_per_mb
          when run_ms_per_mb = 0 then excluded.run_ms_per_mb
          else run_ms_per_mb + (excluded.run_ms_per_mb - run_ms_per_mb) * ${of('weight')} end`,
        runs: sql<number>`runs + 1`,
      }),
    ),
);

/** Blends a run into the moving average. A time per megabyte of 0 says nothing and changes none. */
export async function learnRun(
  tx: Tx,
  operationId: string,
  run: Pick<RunTime, 'runMs' | 'runMsPerMb'>,
  weight: number,
): Promise<void> {
  assertTransaction(tx);
  await blendRunTime(tx, { ...run, runs: 1, operationId, weight });
}
