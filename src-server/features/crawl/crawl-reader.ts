import type { Db } from '../../platform/db/schema.ts';
import type { JobRow } from '../jobs/store.ts';

/** How many of an account's newest crawls are looked at. */
const LOOKED_AT = 200;

/** The newest kept crawl of the same root by the same account, of whatever depth: its pages need not be sent again. */
export async function earlierCrawl(
  db: Db,
  job: Pick<JobRow, 'id' | 'account_id'>,
  rootUrl: string,
): Promise<string | null> {
  const rows = await db
    .selectFrom('jobs')
    .select(['id', 'dedupe_key as key'])
    .where('account_id', '=', job.account_id)
    .where('operation_id', '=', 'crawl')
    .where('status', '=', 'completed')
    .where('purged_at', 'is', null)
    .where('id', '!=', job.id)
    .orderBy('seq', 'desc')
    .limit(LOOKED_AT)
    .execute();
  return rows.find(({ key }) => key?.endsWith(` ${rootUrl}`))?.id ?? null;
}
