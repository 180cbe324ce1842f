import type { Selectable } from 'kysely';
import type { Db, Tx } from '../../platform/db/schema.ts';
import type { ContributionEventsTable, ContributionsTable, CorrectedFilesTable } from './contributions-tables.ts';
import type { ContributionStatus } from './schema.ts';

export type ContributionRow = Selectable<ContributionsTable>;
export type ContributionEventRow = Selectable<ContributionEventsTable>;

export async function contributionById(db: Db | Tx, id: string): Promise<ContributionRow | undefined> {
  return db.selectFrom('contributions').selectAll().where('id', '=', id).executeTakeFirst();
}

/** Approved remarks and sources, which are everybody's, and all of one's own; newest first. */
export async function visibleContributions(
  db: Db,
  accountId: string,
  before: number,
  limit: number,
): Promise<ContributionRow[]> {
  return db
    .selectFrom('contributions')
    .selectAll()
    .where((is) =>
      is.or([
        is('account_id', '=', accountId),
        is.and([is('status', '=', 'approved'), is('kind', '!=', 'correction')]),
      ]),
    )
    .where('seq', '<', before)
    .orderBy('seq', 'desc')
    .limit(limit)
    .execute();
}

/** The queue of one status, oldest first: who waits longest is seen first. */
export async function contributionsByStatus(
  db: Db,
  status: ContributionStatus,
  after: number,
  limit: number,
): Promise<ContributionRow[]> {
  return db
    .selectFrom('contributions')
    .selectAll()
    .where('status', '=', status)
    .where('seq', '>', after)
    .orderBy('seq')
    .limit(limit)
    .execute();
}

export async function eventsOf(db: Db | Tx, contributionId: string): Promise<ContributionEventRow[]> {
  return db
    .selectFrom('contribution_events')
    .selectAll()
    .where('contribution_id', '=', contributionId)
    .orderBy('seq')
    .execute();
}

/** How many contributions of an account there are by status, and how many came in since a time. */
export async function countsOfAccount(
  db: Db | Tx,
  accountId: string,
  since: number,
): Promise<Record<ContributionStatus | 'recent', number>> {
  const of = db.selectFrom('contributions').where('account_id', '=', accountId);
  const rows = await of
    .select((is) => ['status', is.fn.countAll<number>().as('count')])
    .groupBy('status')
    .execute();
  const { recent } = await of
    .select((is) => is.fn.countAll<number>().as('recent'))
    .where('created_at', '>=', since)
    .executeTakeFirstOrThrow();
  const count = (status: ContributionStatus) => rows.find((row) => row.status === status)?.count ?? 0;
  return { pending: count('pending'), approved: count('approved'), rejected: count('rejected'), recent };
}

/** The same thing said by the same account about the same place, still waiting. */
export async function pendingTwin(
  db: Db | Tx,
  like: Pick<ContributionRow, 'account_id' | 'kind' | 'job_id' | 'chunk_id' | 'text' | 'url'>,
): Promise<ContributionRow | undefined> {
  return db
    .selectFrom('contributions')
    .selectAll()
    .where('account_id', '=', like.account_id)
    .where('status', '=', 'pending')
    .where('kind', '=', like.kind)
    .where('text', '=', like.text)
    .where('job_id', 'is', like.job_id)
    .where('chunk_id', 'is', like.chunk_id)
    .where('url', 'is', like.url)
    .executeTakeFirst();
}

/** Approved corrections of a chunk, the last decided first: that one is shown. */
export async function correctionsOf(db: Db | Tx, jobId: string, chunkId: string): Promise<ContributionRow[]> {
  return db
    .selectFrom('contributions')
    .selectAll()
    .where('job_id', '=', jobId)
    .where('chunk_id', '=', chunkId)
    .where('kind', '=', 'correction')
    .where('status', '=', 'approved')
    .orderBy('decided_at', 'desc')
    .orderBy('seq', 'desc')
    .execute();
}

/** What the corrected chunks of a job say, by chunk. */
export async function shownCorrections(db: Db, jobId: string): Promise<Map<string, string>> {
  const rows = await db
    .selectFrom('contributions')
    .select(['chunk_id', 'text'])
    .where('job_id', '=', jobId)
    .where('chunk_id', 'is not', null)
    .where('kind', '=', 'correction')
    .where('status', '=', 'approved')
    .orderBy('decided_at')
    .orderBy('seq')
    .execute();
  // The last decided one stays.
  return new Map(rows.map(({ chunk_id, text }) => [chunk_id ?? '', text]));
}

export async function filesToCorrect(db: Db): Promise<Selectable<CorrectedFilesTable>[]> {
  return db.selectFrom('corrected_files').selectAll().execute();
}
