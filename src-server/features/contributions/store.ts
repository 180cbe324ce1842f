import type { Generated, Insertable, Selectable } from 'kysely';
import type { Db, Tx } from '../../platform/db/database.ts';
import { prepareQuery } from '../../platform/db/prepared.ts';
import type { ContributionStatus } from './schema.ts';

export type ContributionRow = Selectable<ContributionsTable>;

type ContributionEventRow = Selectable<ContributionEventsTable>;

export function contributionById(db: Db, id: string): ContributionRow | undefined {
  return db.queryFirst(db.selectFrom('contributions').selectAll().where('id', '=', id));
}

/** Approved remarks and sources, which are public, and all of the account; newest first. */
export function visibleContributions(db: Db, accountId: string, before: number, limit: number): ContributionRow[] {
  return db.queryAll(
    db
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
      .limit(limit),
  );
}

/** The queue of one status, oldest first. */
export function contributionsByStatus(
  db: Db,
  status: ContributionStatus,
  after: number,
  limit: number,
): ContributionRow[] {
  return db.queryAll(
    db
      .selectFrom('contributions')
      .selectAll()
      .where('status', '=', status)
      .where('seq', '>', after)
      .orderBy('seq')
      .limit(limit),
  );
}

/** Notes and sources about a job that were not rejected, oldest first. */
export function notesAbout(db: Db, jobId: string, limit: number): ContributionRow[] {
  return db.queryAll(
    db
      .selectFrom('contributions')
      .selectAll()
      .where('job_id', '=', jobId)
      .where('kind', '!=', 'correction')
      .where('status', '!=', 'rejected')
      .orderBy('seq')
      .limit(limit),
  );
}

export function approvedContributions(db: Db): ContributionRow[] {
  return db.queryAll(db.selectFrom('contributions').selectAll().where('status', '=', 'approved').orderBy('seq'));
}

export function publishedAmong(db: Db, ids: readonly string[]): Set<string> {
  const approved = db.selectFrom('contributions').select('id').where('id', 'in', ids).where('status', '=', 'approved');
  return new Set(db.queryAll(approved.where('kind', '!=', 'correction')).map(({ id }) => id));
}

export function contributionEventsOf(db: Db, contributionId: string): ContributionEventRow[] {
  return db.queryAll(
    db.selectFrom('contribution_events').selectAll().where('contribution_id', '=', contributionId).orderBy('seq'),
  );
}

/** How many contributions of an account there are by status, and how many came in since a time. */
export function countsOfAccount(
  db: Db,
  accountId: string,
  since: number,
): Record<ContributionStatus | 'recent', number> {
  const of = db.selectFrom('contributions').where('account_id', '=', accountId);
  const rows = db.queryAll(of.select((is) => ['status', is.fn.countAll<number>().as('count')]).groupBy('status'));
  const { recent } = db.queryOne(
    of.select((is) => is.fn.countAll<number>().as('recent')).where('created_at', '>=', since),
  );
  const countOfStatus = (status: ContributionStatus) => rows.find((row) => row.status === status)?.count ?? 0;
  return {
    pending: countOfStatus('pending'),
    approved: countOfStatus('approved'),
    rejected: countOfStatus('rejected'),
    recent,
  };
}

/** The same thing said by the same account about the same place, still waiting. */
export function pendingTwin(
  db: Db,
  like: Pick<ContributionRow, 'account_id' | 'kind' | 'job_id' | 'chunk_id' | 'text' | 'url' | 'quote'>,
): ContributionRow | undefined {
  return db.queryFirst(
    db
      .selectFrom('contributions')
      .selectAll()
      .where('account_id', '=', like.account_id)
      .where('status', '=', 'pending')
      .where('kind', '=', like.kind)
      .where('text', '=', like.text)
      .where('job_id', 'is', like.job_id)
      .where('chunk_id', 'is', like.chunk_id)
      .where('url', 'is', like.url)
      .where('quote', 'is', like.quote),
  );
}

/** Approved corrections of a chunk, the last decided first: that one is shown. */
export function correctionsOf(db: Db, jobId: string, chunkId: string): ContributionRow[] {
  return db.queryAll(
    db
      .selectFrom('contributions')
      .selectAll()
      .where('job_id', '=', jobId)
      .where('chunk_id', '=', chunkId)
      .where('kind', '=', 'correction')
      .where('status', '=', 'approved')
      .orderBy('decided_at', 'desc')
      .orderBy('seq', 'desc'),
  );
}

/** What the corrected chunks of a job say, by chunk. */
export function shownCorrections(db: Db, jobId: string): Map<string, string> {
  const rows = db.queryAll(
    db
      .selectFrom('contributions')
      .select(['chunk_id', 'text'])
      .where('job_id', '=', jobId)
      .where('chunk_id', 'is not', null)
      .where('kind', '=', 'correction')
      .where('status', '=', 'approved')
      .orderBy('decided_at')
      .orderBy('seq'),
  );
  // The last decided one stays.
  return new Map(rows.map(({ chunk_id, text }) => [chunk_id ?? '', text]));
}

/** Approved annotations and sources about a job, in the order in which they came. */
export function shownAnnotations(db: Db, jobId: string): ContributionRow[] {
  return db.queryAll(
    db
      .selectFrom('contributions')
      .selectAll()
      .where('job_id', '=', jobId)
      .where('kind', '!=', 'correction')
      .where('status', '=', 'approved')
      .orderBy('seq'),
  );
}

export function filesToCorrect(db: Db): Selectable<CorrectedFilesTable>[] {
  return db.queryAll(db.selectFrom('corrected_files').selectAll());
}

const dueCorrection = prepareQuery<{ jobId: string }>()((db, of) =>
  db.selectFrom('corrected_files').select('job_id').where('job_id', '=', of('jobId')),
);

/** Whether the files of a job do not have its corrections and annotations yet. */
export function isCorrectionDue(db: Db, jobId: string): boolean {
  return db.queryFirst(dueCorrection({ jobId })) !== undefined;
}

export function insertContribution(
  tx: Tx,
  row: Omit<Insertable<ContributionsTable>, 'seq' | 'reports'>,
): ContributionRow {
  return tx.queryOne(tx.insertInto('contributions').values(row).returningAll());
}

export function decideContribution(
  tx: Tx,
  id: string,
  decision: { status: 'approved' | 'rejected'; reason: string | null; now: number },
): ContributionRow {
  const { status, reason, now } = decision;
  return tx.queryOne(
    tx
      .updateTable('contributions')
      .set({ status, reason, decided_at: now, updated_at: now })
      .where('id', '=', id)
      .returningAll(),
  );
}

export function countReport(tx: Tx, id: string): void {
  tx.runStatement(
    tx
      .updateTable('contributions')
      .set((is) => ({ reports: is('reports', '+', 1) }))
      .where('id', '=', id),
  );
}

export function insertEvent(tx: Tx, event: Omit<Insertable<ContributionEventsTable>, 'seq'>): void {
  tx.runStatement(tx.insertInto('contribution_events').values(event));
}

/** The files of the job no longer say what they should. */
export function awaitCorrectedFile(tx: Tx, jobId: string): void {
  tx.runStatement(
    tx
      .insertInto('corrected_files')
      .values({ job_id: jobId, revision: 1 })
      .onConflict((conflict) =>
        conflict.column('job_id').doUpdateSet((is) => ({ revision: is('corrected_files.revision', '+', 1) })),
      ),
  );
}

/** The files were written as of that revision. */
export function noteCorrectedFile(tx: Tx, jobId: string, revision: number): void {
  tx.runStatement(tx.deleteFrom('corrected_files').where('job_id', '=', jobId).where('revision', '=', revision));
}

/** A removed job takes the corrections of its text with it; other contributions only lose the place they were about. */
export function forgetJob(tx: Tx, jobId: string): void {
  const corrections = tx
    .selectFrom('contributions')
    .select('id')
    .where('job_id', '=', jobId)
    .where('kind', '=', 'correction');
  tx.runStatement(tx.deleteFrom('contribution_events').where('contribution_id', 'in', corrections));
  tx.runStatement(tx.deleteFrom('contributions').where('job_id', '=', jobId).where('kind', '=', 'correction'));
  tx.runStatement(tx.deleteFrom('corrected_files').where('job_id', '=', jobId));
  tx.runStatement(
    tx
      .updateTable('contributions')
      .set({ job_id: null, chunk_id: null, quote: null, quote_start: null })
      .where('job_id', '=', jobId),
  );
}

interface ContributionsTable {
  seq: Generated<number>;
  id: string;
  account_id: string;
  kind: 'correction' | 'annotation' | 'source';
  status: ContributionStatus;
  job_id: string | null;
  chunk_id: string | null;
  /** Words of the chunk; null for all of it. */
  quote: string | null;
  quote_start: number | null;
  text: string;
  url: string | null;
  author: string | null;
  license: string | null;
  /** What the moderator said last. */
  reason: string | null;
  reports: Generated<number>;
  created_at: number;
  updated_at: number;
  decided_at: number | null;
}

/** Everything that happened to a contribution; nothing in it is ever changed. */
interface ContributionEventsTable {
  seq: Generated<number>;
  contribution_id: string;
  action: 'submitted' | 'approved' | 'rejected' | 'reported';
  actor: string;
  reason: string | null;
  created_at: number;
}

/** Jobs whose files have to be rewritten. */
interface CorrectedFilesTable {
  job_id: string;
  /** Grows with every decision, so that one which comes while the file is written is not lost. */
  revision: number;
}

declare module '../../platform/db/database.ts' {
  interface Database {
    corrected_files: CorrectedFilesTable;
    contributions: ContributionsTable;
    contribution_events: ContributionEventsTable;
  }
}
