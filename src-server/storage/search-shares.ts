import { assertTransaction } from './connection.ts';
import type { Db, Tx } from './schema.ts';

/** Jobs of others that an account may search; a site that is crawled for many is crawled once. */
const SHARED_JOBS_MAX = 200;

/** The account was given a job of somebody else, and may search it as long as it is kept. */
export async function shareJob(tx: Tx, accountId: string, jobId: string): Promise<void> {
  assertTransaction(tx);
  await tx
    .insertInto('search_shares')
    .values({ account_id: accountId, job_id: jobId })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

/** Whether anybody but its maker was given the job. */
export async function isShared(db: Db, jobId: string): Promise<boolean> {
  const share = db.selectFrom('search_shares').select('job_id').where('job_id', '=', jobId).limit(1);
  return (await share.executeTakeFirst()) !== undefined;
}

/** With the job's removal. */
export async function endSharing(tx: Tx, jobId: string): Promise<void> {
  assertTransaction(tx);
  await tx.deleteFrom('search_shares').where('job_id', '=', jobId).execute();
}

export async function sharedJobs(db: Db, accountId: string): Promise<string[]> {
  const rows = await db
    .selectFrom('search_shares')
    .select('job_id')
    .where('account_id', '=', accountId)
    .limit(SHARED_JOBS_MAX)
    .execute();
  return rows.map(({ job_id }) => job_id);
}
