import { assertTransaction } from '../../platform/db/database.ts';
import type { Db, Tx } from '../../platform/db/schema.ts';
import type { JobFilter, JobRow } from '../jobs/store.ts';

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

/** One page, newest first, of what an account was given; as `listJobs` of what it made. */
export async function listSharedJobs(
  db: Db,
  accountId: string,
  filter: Omit<JobFilter, 'accountId'>,
  before: number | null,
  limit: number,
): Promise<JobRow[]> {
  let query = db
    .selectFrom('search_shares as s')
    .innerJoin('jobs as j', 'j.id', 's.job_id')
    .selectAll('j')
    .where('s.account_id', '=', accountId)
    .where('j.purged_at', 'is', null);
  if (filter.status !== undefined) query = query.where('j.status', '=', filter.status);
  if (filter.operationId !== undefined) query = query.where('j.operation_id', '=', filter.operationId);
  if (before !== null) query = query.where('j.seq', '<', before);
  return query.orderBy('j.seq', 'desc').limit(limit).execute();
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
