import { type Generated, type Insertable, type Selectable, sql } from 'kysely';
import type { Db, Tx } from '../../platform/db/database.ts';
import { type EntryTable, type ScheduledTable, SourceStore } from '../jobs/service.ts';
import type { RUN_STATUSES, SitePageVersion } from './schema.ts';

export type WatchRow = Selectable<SiteWatchesTable>;

export type RunRow = Selectable<SiteWatchRunsTable>;

export type PageVersionRow = Selectable<SitePageVersionsTable>;

export const SITE_WATCHES = new SourceStore<WatchRow, RunRow>({
  sources: 'site_watches',
  entries: 'site_watch_runs',
  owner: 'watch_seq',
  counted: [],
});

export function runByJob(db: Db, jobId: string): RunRow | undefined {
  return SITE_WATCHES.entriesOfJob(db, jobId)[0];
}

export function runBySeq(db: Db, seq: number): RunRow | undefined {
  return SITE_WATCHES.entryBySeq(db, seq);
}

/** A literal: SQLite cannot match a parameter with the condition of a partial index. */
const RUNNING = sql.lit('running' as const);

export function openRuns(db: Db): RunRow[] {
  return db.queryAll(db.selectFrom('site_watch_runs').selectAll().where('status', '=', RUNNING).orderBy('seq'));
}

export function openRunOf(db: Db, watchSeq: number): RunRow | undefined {
  return db.queryFirst(
    db.selectFrom('site_watch_runs').selectAll().where('status', '=', RUNNING).where('watch_seq', '=', watchSeq),
  );
}

export function deleteRun(tx: Tx, seq: number): void {
  tx.runStatement(tx.deleteFrom('site_watch_runs').where('seq', '=', seq));
}

export function insertVersions(tx: Tx, rows: readonly Insertable<SitePageVersionsTable>[]): void {
  for (const row of rows) {
    tx.runStatement(
      tx
        .insertInto('site_page_versions')
        .values(row)
        .onConflict((conflict) => conflict.doNothing()),
    );
  }
}

/** Versions of a run that is not completed are no part of the history. */
const isHistory = sql<boolean>`run_seq not in (
  select seq from site_watch_runs runs where runs.watch_seq = site_page_versions.watch_seq and status <> 'completed'
)`;

/** The history of a page, newest first. */
export function versionsOfPage(db: Db, watchSeq: number, url: string, limit: number): PageVersionRow[] {
  return db.queryAll(
    db
      .selectFrom('site_page_versions')
      .selectAll()
      .where('watch_seq', '=', watchSeq)
      .where('url', '=', url)
      .where(isHistory)
      .orderBy('run_seq', 'desc')
      .limit(limit),
  );
}

/** The changes of a run, by address. `after` is the last address of the page before. */
export function versionsOfRun(db: Db, run: RunRow, after: string, limit: number): PageVersionRow[] {
  return db.queryAll(
    db
      .selectFrom('site_page_versions')
      .selectAll()
      .where('watch_seq', '=', run.watch_seq)
      .where('run_seq', '=', run.seq)
      .where('change', '<>', 'first')
      .where('url', '>', after)
      .orderBy('url')
      .limit(limit),
  );
}

export function countVersions(db: Db, watchSeq: number): number {
  const some = db.selectFrom('site_page_versions').where('watch_seq', '=', watchSeq);
  return db.queryOne(some.select((is) => is.fn.countAll<number>().as('n'))).n;
}

/** Deletes versions in a slice. Returns how many. */
export function deleteVersions(tx: Tx, watchSeq: number, runSeq: number | null, limit: number): number {
  let some = tx.selectFrom('site_page_versions').select('url').distinct().where('watch_seq', '=', watchSeq);
  if (runSeq !== null) some = some.where('run_seq', '=', runSeq);
  const urls = tx.queryAll(some.limit(limit)).map(({ url }) => url);
  if (urls.length === 0) return 0;
  let doomed = tx.deleteFrom('site_page_versions').where('watch_seq', '=', watchSeq).where('url', 'in', urls);
  if (runSeq !== null) doomed = doomed.where('run_seq', '=', runSeq);
  tx.runStatement(doomed);
  return urls.length;
}

/** Deletes the versions of a run that later ones of the same page follow, in a slice. Returns how many. */
export function deleteFollowedVersions(tx: Tx, { watch_seq, seq }: RunRow, limit: number): number {
  const followed = tx
    .selectFrom('site_page_versions as old')
    .select('old.url')
    .where('old.watch_seq', '=', watch_seq)
    .where('old.run_seq', '=', seq)
    .where((is) =>
      is.exists(
        is
          .selectFrom('site_page_versions as later')
          .select('later.url')
          .where('later.watch_seq', '=', watch_seq)
          .whereRef('later.url', '=', 'old.url')
          .where('later.run_seq', '>', seq),
      ),
    );
  const urls = tx.queryAll(followed.limit(limit)).map(({ url }) => url);
  if (urls.length === 0) return 0;
  const doomed = tx.deleteFrom('site_page_versions').where('watch_seq', '=', watch_seq).where('run_seq', '=', seq);
  tx.runStatement(doomed.where('url', 'in', urls));
  return urls.length;
}

interface SiteWatchesTable extends ScheduledTable {
  /** WatchedCrawl as JSON. */
  crawl: string;
  /** SubscriptionDraft as JSON. */
  webhook: string | null;
  /** The run that the next one is compared with. */
  baseline_run: number | null;
  last_run: number | null;
  /** End of the last run that found changes. */
  last_change_at: number | null;
}

interface SiteWatchRunsTable extends EntryTable {
  watch_seq: number;
  job_id: string;
  cause: 'schedule' | 'owner';
  status: (typeof RUN_STATUSES)[number];
  /** The run that this one is compared with. */
  baseline_run: number | null;
  /** 1 when it had nothing to compare with. Null until it has compared. */
  is_first: number | null;
  /** SiteChangeCounts as JSON, once the crawl has compared its pages. */
  counts: string | null;
  /** Number of changes. */
  changes: Generated<number>;
  /** Size of the diffs that are kept. */
  diff_bytes: Generated<number>;
  begun_at: number;
}

interface SitePageVersionsTable {
  watch_seq: number;
  url: string;
  run_seq: number;
  change: SitePageVersion['change'];
  title: string | null;
  moved_to: string | null;
  /** PageVersion as JSON. */
  before: string | null;
  after: string | null;
  added_lines: number | null;
  removed_lines: number | null;
  changed_share: number | null;
  /** Place of the diff in the run's file. */
  diff_at: number;
  diff_bytes: number;
  diff_truncated: number;
}

declare module '../../platform/db/database.ts' {
  interface Database {
    site_watches: SiteWatchesTable;
    site_watch_runs: SiteWatchRunsTable;
    site_page_versions: SitePageVersionsTable;
  }
}
