import {
  type Compilable,
  type Generated,
  type Insertable,
  type RawBuilder,
  type Selectable,
  sql,
  type Updateable,
} from 'kysely';
import { OWNER } from '../../context.ts';
import { type FurtherEvent, QUEUE_CLASSES, type QueueClass } from '../../operation.ts';
import { yieldToEventLoop } from '../../platform/concurrency.ts';
import type { Db, QueryBuilder, Tx } from '../../platform/db/database.ts';
import { jsonArrayEntries, preparedForColumns, prepareQuery } from '../../platform/db/prepared.ts';
import { parseOwnJson } from '../../platform/own-json.ts';
import { HOUR_MS, MIB, MINUTE_MS } from '../../platform/units.ts';
import type { JobOrder, JobStatus } from './schema.ts';

/** Row types of the database. Times are integer milliseconds, structured values JSON text, flags 0 and 1. */
interface JobsTable {
  /** Order of acceptance. It breaks ties in the queue and is the cursor of lists. */
  seq: Generated<number>;
  id: string;
  account_id: string;
  operation_id: string;
  status: 'queued' | 'processing' | 'completed' | 'failed';
  /** 0 low, 1 normal, 2 high. */
  priority: number;
  queue_class: QueueClass;
  request: string;
  source_name: string | null;
  /** LocalSource as JSON, once the source is in the job's folder. */
  source: string | null;
  dedupe_key: string | null;
  /** JSON array of event names. */
  events: string;
  attempts: number;
  /** Runs that have begun, over all attempts. The number of the present run fences it: see `isRun`. */
  runs: Generated<number>;
  /** Deaths of the server while this job ran. See `suspects.ts`. */
  crashes: number;
  /** 1 when the job may be claimed; 0 while it waits for `run_after_at` or for an installation. */
  ready: number;
  run_after_at: number | null;
  lease_owner: string | null;
  lease_expires_at: number | null;
  progress_percent: number;
  progress_stage: string;
  progress_message: string;
  /** Expected run time in milliseconds, learned from runs on this machine. */
  estimated_ms: number | null;
  error: string | null;
  payment_id: string | null;
  /** Grows by one with each change. The event id of the job's stream. */
  revision: number;
  created_at: number;
  updated_at: number;
  started_at: number | null;
  ended_at: number | null;
  expires_at: number | null;
  /** When result and files were removed. */
  purged_at: number | null;
  /** Name of the job in the owner's lists; empty for jobs of early versions. */
  label: Generated<string>;
  /** JSON: see `StageLog` in progress.ts. Null before the first write. */
  stages: string | null;
  /** Name of the node that the present or last run was handed to; null when it ran on this machine. */
  node: Generated<string | null>;
  /** JSON: see `OnMissing` in waiting.ts. Null when the job fails where something is missing. */
  on_missing: string | null;
  /** The named key that made it, with the name it had. */
  key_id: string | null;
  key_name: string | null;
  /** JSON: see `Waiting` in waiting.ts. Null unless the job waits for an installation. */
  waiting_for: string | null;
  /** The watch that submitted the job. */
  watch_id: Generated<string | null>;
  /** JSON: see `Labels` in labels.ts. Null without any. Lists by tag read `job_tags`. */
  tags: Generated<string | null>;
  metadata: Generated<string | null>;
  /** W3C Trace Context: the header of the request that made the job. */
  traceparent: Generated<string | null>;
  private_host: Generated<string | null>;
  /** Event of the operation besides the end of the job. Null unless it occurred. */
  further_event: Generated<FurtherEvent | null>;
}

/** Results have their own table, so that lists and claims never read megabytes of chunks. */
interface JobResultsTable {
  job_id: string;
  /** JSON. */
  body: string;
  /** Size of the file chunks.jsonl when it contains the result's chunks; the list in `body` is empty then. */
  chunks_bytes: number | null;
}

/** A row for each tag of a job. */
interface JobTagsTable {
  tag: string;
  seq: number;
  account_id: string;
}

/** What an `Idempotency-Key` was first sent with. */
interface IdempotencyKeysTable {
  /** See `Idempotency` in idempotency.ts. */
  scope: string;
  key: string;
  request_hash: string;
  job_id: string;
  created_at: number;
}

/** Turns of accounts: a row for each account that may have a ready job in a queue class. */
interface TurnsTable {
  queue_class: QueueClass;
  account_id: string;
  /** Number of the last turn taken; the smallest is served next. */
  last_turn: number;
}

/**
 * Jobs that ended, by hour and operation. A plot over time reads these counts, so its cost does not grow with the jobs.
 */
interface EndedJobsTable {
  /** First millisecond of the hour in UTC. */
  hour: number;
  operation_id: string;
  completed: number;
  /** Without cancelled jobs. */
  failed: number;
}

/** Run times learned per operation, for `etaSeconds`. */
interface RunTimesTable {
  operation_id: string;
  /** Moving average of milliseconds per run and per megabyte of source. */
  run_ms: number;
  run_ms_per_mb: number;
  runs: number;
}

/** Gives an account a job of another account. It may search the job as long as it is kept. */
export function shareJob(tx: Tx, accountId: string, jobId: string): void {
  tx.runStatement(
    tx
      .insertInto('search_shares')
      .values({ account_id: accountId, job_id: jobId })
      .onConflict((conflict) => conflict.doNothing()),
  );
}

/** Whether another account was given the job. */
export function isShared(db: Db, jobId: string): boolean {
  const share = db.selectFrom('search_shares').select('job_id').where('job_id', '=', jobId).limit(1);
  return db.queryFirst(share) !== undefined;
}

/** Called when the job is removed. */
export function endSharing(tx: Tx, jobId: string): void {
  tx.runStatement(tx.deleteFrom('search_shares').where('job_id', '=', jobId));
}

/** One page of the jobs that an account was given, newest first. `listJobs` lists those that it made. */
export function listSharedJobs(
  db: Db,
  accountId: string,
  filter: Omit<JobFilter, 'accountId'>,
  before: number | null,
  limit: number,
): JobRow[] {
  let query = db
    .selectFrom('search_shares as s')
    .innerJoin('jobs as j', 'j.id', 's.job_id')
    .selectAll('j')
    .where('s.account_id', '=', accountId)
    .where('j.purged_at', 'is', null);
  if (filter.status !== undefined) query = query.where('j.status', '=', filter.status);
  if (filter.operationId !== undefined) query = query.where('j.operation_id', '=', filter.operationId);
  // A job with labels is never given to others.
  if (filter.tag !== undefined) return [];
  if (before !== null) query = query.where('j.seq', '<', before);
  return db.queryAll(query.orderBy('j.seq', 'desc').limit(limit));
}

/** Accounts with running jobs, without `except`; at most `limit`. */
export function accountsProcessing(db: Db, except: string, limit: number): string[] {
  const rows = db.queryAll(
    db
      .selectFrom('jobs')
      .select('account_id')
      .distinct()
      .where('status', '=', 'processing')
      .where('account_id', '!=', except)
      .limit(limit),
  );
  return rows.map((row) => row.account_id);
}

/** Running jobs of an account, without those of the given operations. */
export function countProcessing(db: Db, accountId: string, without: readonly string[]): number {
  let query = db
    .selectFrom('jobs')
    .select((is) => is.fn.countAll<number>().as('n'))
    .where('status', '=', 'processing')
    .where('account_id', '=', accountId);
  if (without.length > 0) query = query.where('operation_id', 'not in', without);
  return db.queryOne(query).n;
}

/** Unfinished jobs of a named key. */
export function countOpenOfKey(db: Db, keyId: string): number {
  const open = db
    .selectFrom('jobs')
    .select((is) => is.fn.countAll<number>().as('n'))
    .where('key_id', '=', keyId)
    .where('status', 'in', [QUEUED, PROCESSING]);
  return db.queryOne(open).n;
}

export type JobRow = Selectable<JobsTable>;

/** Literals instead of parameters: SQLite uses a partial index only if its condition is in the statement. */
const QUEUED = sql.lit('queued' as const);

const PROCESSING = sql.lit('processing' as const);

const READY = sql.lit(1);

const NOT_READY = sql.lit(0);

/** Longer than most backoffs, so that few rows are read for a clock that was set back. */
const LONG_PAUSE_MS = 2 * MINUTE_MS;

export interface JobFilter {
  accountId?: string | undefined;
  status?: JobStatus | undefined;
  operationId?: string | undefined;
  tag?: string | undefined;
  /** Leaves out the searches of this account. */
  withoutSearchesOf?: string | undefined;
  /** Accepted at this time or later. */
  from?: number | undefined;
  /** Accepted before this time. */
  to?: number | undefined;
  /** By default the newest first. */
  order?: JobOrder | undefined;
}

const byId = prepareQuery<{ id: string }>()((db, take) =>
  db.selectFrom('jobs').selectAll().where('id', '=', take('id')),
);

const bySeq = prepareQuery<{ seq: number }>()((db, take) =>
  db.selectFrom('jobs').selectAll().where('seq', '=', take('seq')),
);

export function jobById(db: Db, id: string): JobRow | undefined {
  return db.queryFirst(byId({ id }));
}

/** Whether a job exists and has not expired. */
export function isKept(db: Db, jobId: string): boolean {
  const job = jobById(db, jobId);
  return job !== undefined && job.purged_at === null;
}

export function jobBySeq(db: Db, seq: number): JobRow | undefined {
  return db.queryFirst(bySeq({ seq }));
}

/** A stored result. When its chunks are in a file, the file must be read too. */
export interface StoredResult {
  /** JSON text. */
  body: string;
  /** Size of the file with the chunks; null when they are in `body`. */
  chunksBytes: number | null;
}

const resultById = prepareQuery<{ jobId: string }>()((db, take) =>
  db.selectFrom('job_results').select(['body', 'chunks_bytes as chunksBytes']).where('job_id', '=', take('jobId')),
);

/** The stored result, for insertion into answers without parsing. */
export function storedResultOf(db: Db, jobId: string): StoredResult | null {
  return db.queryFirst(resultById({ jobId })) ?? null;
}

export function hasResult(db: Db, jobId: string): boolean {
  const row = db.queryFirst(db.selectFrom('job_results').select('job_id').where('job_id', '=', jobId));
  return row !== undefined;
}

/**
 * Deduplication: the newest job of a dedupe key that is queued, processing, or completed since a time and unexpired.
 * Labels are shown to everybody who has the job, so a job with labels is shared only within its account.
 */
export function reusableJob(
  db: Db,
  dedupeKey: string,
  sharing: { now: number; endedSince: number; completedSince: number; accountId?: string; isLabelled?: boolean },
): JobRow | undefined {
  const { now, endedSince, completedSince, accountId, isLabelled = false } = sharing;
  const own = sql<boolean>`account_id = ${accountId ?? ''}`;
  const mayShare = isLabelled
    ? sql<boolean>`${own} and not exists (select 1 from search_shares where job_id = jobs.id)`
    : sql<boolean>`(${own} or (tags is null and metadata is null))`;
  return db.queryFirst(
    db
      .selectFrom('jobs')
      .selectAll()
      .where('dedupe_key', '=', dedupeKey)
      .where(mayShare)
      .where('status', '!=', 'failed')
      .where('purged_at', 'is', null)
      .where((or) => or.or([or('expires_at', '>', now), or('ended_at', 'is', null), or('ended_at', '>', endedSince)]))
      .where((or) => or.or([or('ended_at', 'is', null), or('ended_at', '>=', completedSince)]))
      .orderBy('seq', 'desc')
      .limit(1),
  );
}

/** Those of some jobs that a watch made. */
export function watchedAmong(db: Db, jobIds: readonly string[]): ReadonlySet<string> {
  const among = jsonArrayEntries<string>(sql<string>`${JSON.stringify(jobIds)}`);
  const query = sql<{ id: string }>`select id from jobs where id in ${among} and watch_id is not null`;
  return new Set(db.queryAll(query).map(({ id }) => id));
}

/** One page, newest first. `before` is the `seq` of the last row of the page before. */
export function listJobs(db: Db, filter: JobFilter, before: number | null, limit: number): JobRow[] {
  if (filter.tag !== undefined) return listTagged(db, { ...filter, tag: filter.tag }, before, limit);
  let query = db.selectFrom('jobs').selectAll().where('purged_at', 'is', null);
  if (filter.accountId !== undefined) query = query.where('account_id', '=', filter.accountId);
  if (filter.status !== undefined) query = query.where('status', '=', filter.status);
  if (filter.operationId !== undefined) query = query.where(operationColumnFor(filter), '=', filter.operationId);
  if (before !== null) query = query.where('seq', '<', before);
  return db.queryAll(query.orderBy('seq', 'desc').limit(limit));
}

function listTagged(db: Db, filter: JobFilter & { tag: string }, before: number | null, limit: number): JobRow[] {
  let query = db
    .selectFrom('job_tags as t')
    .innerJoin('jobs as j', 'j.seq', 't.seq')
    .selectAll('j')
    .where('t.tag', '=', filter.tag)
    .where('j.purged_at', 'is', null);
  if (filter.accountId !== undefined) query = query.where('t.account_id', '=', filter.accountId);
  // The plus signs keep the tag first: few jobs have it.
  if (filter.status !== undefined) query = query.where(sql`+j.status`, '=', filter.status);
  if (filter.operationId !== undefined) query = query.where(sql`+j.operation_id`, '=', filter.operationId);
  if (before !== null) query = query.where('t.seq', '<', before);
  return db.queryAll(query.orderBy('t.seq', 'desc').limit(limit));
}

/** Replaces the tags of a job by those of its column. */
export function writeTags(tx: Tx, { seq, account_id, tags }: JobRow): void {
  tx.runStatement(tx.deleteFrom('job_tags').where('seq', '=', seq));
  const names = tags === null ? [] : parseOwnJson<string[]>(tags);
  if (names.length > 0)
    tx.runStatement(tx.insertInto('job_tags').values(names.map((tag) => ({ tag, seq, account_id }))));
}

/**
 * SQLite chooses the index of operations even when a status is given, because it does not know the row counts: except
 * for completed jobs, few have any one status. The plus sign prevents that index.
 */
function operationColumnFor({ status }: JobFilter): RawBuilder<string> {
  return status === undefined || status === 'completed' ? sql.ref('operation_id') : sql`+${sql.ref('operation_id')}`;
}

/**
 * Jobs that contain each word in their label, id, operation, status, error, node, tags or metadata. Reads at most
 * `look` jobs from the cursor, so that no search blocks the server.
 *
 * @param words in lower case
 * @returns at most `limit` jobs, and where to continue; null at the end of the list
 */
export function findJobs(
  db: Db,
  filter: JobFilter,
  words: readonly string[],
  { cursor, limit, look }: { cursor: number | null; limit: number; look: number },
): { rows: JobRow[]; next: number | null } {
  const range = rangeOf(db, filter);
  const isForward = filter.order === 'oldest';
  const after = Math.max(range.start, (cursor ?? 0) + 1);
  const before = Math.min(range.end, cursor ?? range.end);
  const start = isForward ? after : Math.max(range.start, before - look);
  const end = isForward ? Math.min(range.end, after + look) : before;
  let query = db.selectFrom('jobs').selectAll().where('purged_at', 'is', null);
  if (filter.status !== undefined) query = query.where('status', '=', filter.status);
  if (filter.operationId !== undefined) query = query.where('operation_id', '=', filter.operationId);
  const { withoutSearchesOf, tag } = filter;
  if (tag !== undefined) query = query.where(hasTag(tag));
  if (withoutSearchesOf !== undefined) query = query.where(isOtherThanSearchOf(withoutSearchesOf));
  if (filter.from !== undefined) query = query.where('created_at', '>=', filter.from);
  if (filter.to !== undefined) query = query.where('created_at', '<', filter.to);
  query = query.where('seq', '>=', start).where('seq', '<', end);
  for (const word of words) query = query.where(jobContainsWord(word));
  const rows = db.queryAll(query.orderBy('seq', isForward ? 'asc' : 'desc').limit(limit));
  if (rows.length === limit) return { rows, next: rows.at(-1)?.seq ?? null };
  if (isForward) return { rows, next: end < range.end ? end - 1 : null };
  return { rows, next: start > range.start ? start : null };
}

/**
 * Where the jobs of a time begin and end in the list, found by seeks. Without a time: the oldest and the newest kept
 * job. If the clock was set back meanwhile, jobs of that moment may lie outside.
 */
function rangeOf(db: Db, { from, to }: JobFilter): { start: number; end: number } {
  const kept = db.selectFrom('jobs').select('seq').where('purged_at', 'is', null).limit(1);
  const first =
    from === undefined
      ? kept.orderBy('seq')
      : kept.where('created_at', '>=', from).orderBy('created_at').orderBy('seq');
  const last =
    to === undefined
      ? kept.orderBy('seq', 'desc')
      : kept.where('created_at', '<', to).orderBy('created_at', 'desc').orderBy('seq', 'desc');
  const [start, newest] = [db.queryFirst(first)?.seq, db.queryFirst(last)?.seq];
  return start === undefined || newest === undefined ? { start: 0, end: 0 } : { start, end: newest + 1 };
}

function isOtherThanSearchOf(accountId: string): RawBuilder<boolean> {
  return sql`not (operation_id = 'search' and account_id = ${accountId})`;
}

function hasTag(tag: string): RawBuilder<boolean> {
  return sql`exists (select 1 from job_tags where job_tags.tag = ${tag} and job_tags.seq = jobs.seq)`;
}

function jobContainsWord(word: string): RawBuilder<boolean> {
  const searched = sql`(label || ' ' || id || ' ' || operation_id || ' ' || status || ' ' || coalesce(error, '')
    || ' ' || coalesce(node, '') || ' ' || coalesce(tags, '') || ' ' || coalesce(metadata, ''))`;
  if (/^[\x20-\x7e]*$/.test(word)) return sql`${searched} like ${`%${word.replace(/[\\%_]/g, '\\$&')}%`} escape '\\'`;
  // SQLite folds only the case of ASCII, so each letter is searched in both forms.
  return sql`${searched} glob ${`*${Array.from(word, eitherCase).join('')}*`}`;
}

/**
 * Part of a pattern for `glob`. A character without two forms of one character each (ß, a sign) is searched as it is.
 */
function eitherCase(letter: string): string {
  const [small, capital] = [letter.toLowerCase(), letter.toUpperCase()];
  if (small !== capital && small.length === capital.length) return `[${small}${capital}]`;
  return '*?['.includes(letter) ? `[${letter}]` : letter;
}

const processing = prepareQuery<object>()((db) =>
  db
    .selectFrom('jobs')
    .select((is) => ['account_id as accountId', 'queue_class as queueClass', is.fn.countAll<number>().as('running')])
    .where('status', '=', PROCESSING)
    .groupBy(['account_id', 'queue_class']),
);

/** Running jobs per account, bounded by the number of slots. */
export function processingByAccount(db: Db): { accountId: string; queueClass: QueueClass; running: number }[] {
  return db.queryAll(processing({}));
}

/** Jobs in work whose owner no longer renews its lease. */
export function expiredLeases(db: Db, now: number, limit: number): JobRow[] {
  const processing = db.selectFrom('jobs').selectAll().where('status', '=', PROCESSING);
  return db.queryAll(processing.where('lease_expires_at', '<=', now).limit(limit));
}

export function processingJobs(db: Db): JobRow[] {
  return db.queryAll(db.selectFrom('jobs').selectAll().where('status', '=', PROCESSING));
}

const classesWithTurns = prepareQuery<object>()(
  (db) =>
    db.selectNoFrom((is) =>
      QUEUE_CLASSES.map((name) =>
        is.exists(is.selectFrom('turns').select('queue_class').where('queue_class', '=', name)).as(name),
      ),
    ) as Compilable<Record<QueueClass, number>>,
);

/** The queue classes in which an account may have a job ready. */
export function classesWithWork(db: Db): QueueClass[] {
  const [found] = db.queryAll(classesWithTurns({}));
  return QUEUE_CLASSES.filter((name) => found?.[name] === 1);
}

const firstTurn = prepareQuery<{ queueClass: QueueClass }>()((db, take) =>
  db
    .selectFrom('turns')
    .select('account_id')
    .where('queue_class', '=', take('queueClass'))
    .orderBy('last_turn')
    .limit(1),
);

/** The account with the next turn in a queue class, without those at their limit. */
export function nextTurn(db: Db, queueClass: QueueClass, without: readonly string[]): string | undefined {
  if (without.length === 0) return db.queryFirst(firstTurn({ queueClass }))?.account_id;
  const row = db.queryFirst(
    db
      .selectFrom('turns')
      .select('account_id')
      .where('queue_class', '=', queueClass)
      .where('account_id', 'not in', without)
      .orderBy('last_turn')
      .limit(1),
  );
  return row?.account_id;
}

const PRIORITY_NUMBERS = [0, 1, 2];

export type ReadyJob = Pick<JobRow, 'seq' | 'priority' | 'created_at'>;

const oldestByPriority = prepareQuery<{ queueClass: QueueClass; accountId: string }>()((db, take) => {
  const [first, ...others] = PRIORITY_NUMBERS.map((priority) =>
    db
      .selectFrom((from) =>
        from
          .selectFrom('jobs')
          .select(['seq', 'priority', 'created_at'])
          .where('status', '=', QUEUED)
          .where('ready', '=', READY)
          .where('queue_class', '=', take('queueClass'))
          .where('account_id', '=', take('accountId'))
          .where('priority', '=', priority)
          .orderBy('seq')
          .limit(2)
          .as(`some_${priority}`),
      )
      .selectAll(),
  );
  if (first === undefined) throw new Error('There is no priority.');
  return others.reduce((all, one) => all.unionAll(one) as typeof all, first);
});

/** The two oldest ready jobs of each priority of an account: the best to run, and whether more are ready. */
export function oldestReady(tx: Tx, queueClass: QueueClass, accountId: string): ReadyJob[] {
  return tx.queryAll(oldestByPriority({ queueClass, accountId }));
}

const anyReady = prepareQuery<{ queueClass: QueueClass; accountId: string }>()((db, take) =>
  db
    .selectFrom('jobs')
    .select('seq')
    .where('status', '=', QUEUED)
    .where('ready', '=', READY)
    .where('queue_class', '=', take('queueClass'))
    .where('account_id', '=', take('accountId'))
    .limit(1),
);

export function hasReady(tx: Tx, queueClass: QueueClass, accountId: string): boolean {
  return tx.queryAll(anyReady({ queueClass, accountId })).length > 0;
}

/** Jobs that wait for an installation, oldest first. */
export function waitingJobs(db: Db): JobRow[] {
  return db.queryAll(db.selectFrom('jobs').selectAll().where('waiting_for', 'is not', null).orderBy('seq'));
}

/**
 * Jobs, or suspects, whose backoff is over; otherwise those scheduled far in the future because the clock was set back.
 */
export function dueJobs(db: Db, now: number, limit: number, suspects = false): JobRow[] {
  const waiting = db.selectFrom('jobs').selectAll().where('status', '=', QUEUED).where('ready', '=', NOT_READY);
  const some = waiting
    .where('crashes', suspects ? '>' : '=', 0)
    .orderBy('run_after_at')
    .limit(limit);
  const due = db.queryAll(some.where('run_after_at', '<=', now));
  if (due.length > 0) return due;
  return db.queryAll(some.where('run_after_at', '>', now + LONG_PAUSE_MS).where('updated_at', '>', now));
}

export function expiredJobs(db: Db, now: number, limit: number): JobRow[] {
  return db.queryAll(
    db
      .selectFrom('jobs')
      .selectAll()
      .where('expires_at', '<=', now)
      .where('purged_at', 'is', null)
      .orderBy('expires_at')
      .limit(limit),
  );
}

export function forgottenJobs(db: Db, purgedBefore: number, limit: number): JobRow[] {
  return db.queryAll(
    db.selectFrom('jobs').selectAll().where('purged_at', '<=', purgedBefore).orderBy('purged_at').limit(limit),
  );
}

/** Counts a job that ended in its hour. Like the list of jobs, it leaves out the owner's own searches. */
export function countEnded(tx: Tx, job: JobRow, now: number): void {
  const { operation_id, account_id, status, error } = job;
  if (operation_id === 'search' && account_id === OWNER.accountId) return;
  if (status === 'failed' && parseOwnJson<{ code?: string }>(error ?? '{}').code === 'cancelled') return;
  const one = { completed: status === 'completed' ? 1 : 0, failed: status === 'failed' ? 1 : 0 };
  tx.runStatement(addEnded({ hour: Math.floor(now / HOUR_MS) * HOUR_MS, operation_id, ...one }));
}

const addEnded = prepareQuery<EndedJobsTable>()((db, take) =>
  db
    .insertInto('ended_jobs')
    .values({
      hour: take('hour'),
      operation_id: take('operation_id'),
      completed: take('completed'),
      failed: take('failed'),
    })
    .onConflict((conflict) =>
      conflict.columns(['hour', 'operation_id']).doUpdateSet((is) => ({
        completed: is('ended_jobs.completed', '+', is.ref('excluded.completed')),
        failed: is('ended_jobs.failed', '+', is.ref('excluded.failed')),
      })),
    ),
);

/** Jobs that ended from `from` on, by operation and spans of `spanMs`, which is a whole number of hours. */
export function endedJobs(db: Db, from: number, spanMs: number) {
  // A literal, because a bound number would turn the division of integers into one of fractions.
  const start = sql<number>`(hour - ${sql.lit(from)}) / ${sql.lit(spanMs)} * ${sql.lit(spanMs)} + ${sql.lit(from)}`;
  return db.queryAll(
    db
      .selectFrom('ended_jobs')
      .select((is) => [
        start.as('start'),
        'operation_id as operationId',
        is.fn.sum<number>('completed').as('completed'),
        is.fn.sum<number>('failed').as('failed'),
      ])
      .where('hour', '>=', from)
      .groupBy([start, 'operation_id'])
      .orderBy('start')
      .orderBy('operation_id'),
  );
}

/** Number of jobs per status; terminal ones are counted up to `ceiling`, which keeps the query cheap. */
export function countByStatus(db: Db, ceiling: number): Record<JobStatus, number> {
  const countInStatus = (status: JobStatus): number => {
    const some = db.selectFrom('jobs').select('seq').where('status', '=', status).limit(ceiling).as('some');
    const row = db.queryOne(db.selectFrom(some).select((is) => is.fn.countAll<number>().as('n')));
    return row.n;
  };
  return {
    queued: countInStatus('queued'),
    processing: countInStatus('processing'),
    completed: countInStatus('completed'),
    failed: countInStatus('failed'),
  };
}

interface RunTime {
  runMs: number;
  runMsPerMb: number;
  runs: number;
}

const runTime = prepareQuery<{ operationId: string }>()((db, take) =>
  db
    .selectFrom('run_times')
    .select(['run_ms as runMs', 'run_ms_per_mb as runMsPerMb', 'runs'])
    .where('operation_id', '=', take('operationId')),
);

export function runTimeOf(db: Db, operationId: string): RunTime | undefined {
  return db.queryFirst(runTime({ operationId }));
}

export type NewJobRow = Omit<Insertable<JobsTable>, 'seq'>;

/** The writer sets `revision` and `updated_at`, so that no change forgets them. */
export type JobChange = Omit<Updateable<JobsTable>, 'seq' | 'id' | 'revision' | 'updated_at'>;

const insert = preparedForColumns<NewJobRow>()((db, row) =>
  db
    .insertInto('jobs')
    .values(row as never)
    .returningAll(),
);

export function insertJob(tx: Tx, row: NewJobRow): JobRow {
  return tx.queryOne(insert(row, {}));
}

const update = preparedForColumns<JobChange, { seq: number; now: number }>()((db, change, value) =>
  db
    .updateTable('jobs')
    .set((is) => ({ ...change, updated_at: value('now'), revision: is('revision', '+', 1) }))
    .where('seq', '=', value('seq'))
    .returningAll(),
);

export function changeJob(tx: Tx, seq: number, change: JobChange, now: number): JobRow {
  return tx.queryOne(update(change, { seq, now }));
}

const putResult = prepareQuery<StoredResult & { jobId: string }>()((db, take) =>
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

export function writeResult(tx: Tx, jobId: string, result: StoredResult): void {
  tx.runStatement(putResult({ jobId, ...result }));
}

export function deleteResult(tx: Tx, jobId: string): void {
  tx.runStatement(tx.deleteFrom('job_results').where('job_id', '=', jobId));
}

export function deleteJob(tx: Tx, seq: number): void {
  tx.runStatement(tx.deleteFrom('job_tags').where('seq', '=', seq));
  tx.runStatement(tx.deleteFrom('jobs').where('seq', '=', seq));
}

const join = prepareQuery<{ queueClass: QueueClass; accountId: string }>()((db, of) =>
  db
    .insertInto('turns')
    .values({
      queue_class: of('queueClass'),
      account_id: of('accountId'),
      last_turn: turnFromNewest(db, of('queueClass'), -1),
    })
    .onConflict((conflict) => conflict.columns(['queue_class', 'account_id']).doNothing()),
);

/**
 * Adds an account to the round of a queue class. It starts one turn behind the newest: before the account that was
 * served last, and after those that have waited longer.
 */
export function joinTurns(tx: Tx, queueClass: QueueClass, accountId: string): void {
  tx.runStatement(join({ queueClass, accountId }));
}

const take = prepareQuery<{ queueClass: QueueClass; accountId: string }>()((db, of) =>
  db
    .updateTable('turns')
    .set({ last_turn: turnFromNewest(db, of('queueClass'), 1) })
    .where('queue_class', '=', of('queueClass'))
    .where('account_id', '=', of('accountId')),
);

export function takeTurn(tx: Tx, queueClass: QueueClass, accountId: string): void {
  tx.runStatement(take({ queueClass, accountId }));
}

const leave = prepareQuery<{ queueClass: QueueClass; accountId: string }>()((db, of) =>
  db.deleteFrom('turns').where('queue_class', '=', of('queueClass')).where('account_id', '=', of('accountId')),
);

export function leaveTurns(tx: Tx, queueClass: QueueClass, accountId: string): void {
  tx.runStatement(leave({ queueClass, accountId }));
}

/** A turn number, `after` the newest one of a queue class. */
function turnFromNewest(db: QueryBuilder, queueClass: RawBuilder<QueueClass>, after: number) {
  return db
    .selectFrom('turns')
    .select((is) => is(is.fn.coalesce(is.fn.max('last_turn'), is.lit(0)), '+', after).as('turn'))
    .where('queue_class', '=', queueClass);
}

/** Renews the leases of this process. It does not count as a change of the jobs. */
export function renewLeases(tx: Tx, owner: string, expiresAt: number): void {
  tx.runStatement(
    tx
      .updateTable('jobs')
      .set({ lease_expires_at: expiresAt })
      .where('status', '=', sql.lit('processing' as const))
      .where('lease_owner', '=', owner),
  );
}

const blendRunTime = prepareQuery<RunTime & { operationId: string; weight: number }>()((db, of) =>
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

/** Adds a run to the moving average. A time per megabyte of 0 changes nothing. */
export function learnRun(
  tx: Tx,
  operationId: string,
  run: Pick<RunTime, 'runMs' | 'runMsPerMb'>,
  weight: number,
): void {
  tx.runStatement(blendRunTime({ ...run, runs: 1, operationId, weight }));
}

/** The columns of a job for callbacks. */
const SHOWN_COLUMNS = [
  'id',
  'operation_id',
  'status',
  'source_name',
  'events',
  'progress_percent',
  'progress_stage',
  'progress_message',
  'estimated_ms',
  'error',
  'created_at',
  'updated_at',
  'started_at',
  'stages',
  'expires_at',
  'purged_at',
  'waiting_for',
  'on_missing',
  'node',
  'tags',
  'metadata',
] as const satisfies readonly (keyof JobRow)[];

/** A job in a callback. */
type JobWithResult = Pick<JobRow, (typeof SHOWN_COLUMNS)[number]> & {
  /** JSON text; null without a result, above the requested length, and when a file has the chunks. */
  result: string | null;
  /** Null when there is none. */
  result_bytes: number | null;
};

/** A slice takes 4 to 10 ms: SQLite reads all of the text for each. */
const SLICE_BYTES = 4 * MIB;

const JOBS_WITH_RESULTS = prepareQuery<{ ids: string; maxResultBytes: number }>()((db, value) =>
  db
    .selectFrom('jobs as j')
    .leftJoin('job_results as r', 'r.job_id', 'j.id')
    .select(SHOWN_COLUMNS)
    .select([
      sql<number | null>`octet_length(r.body) + coalesce(r.chunks_bytes, 0)`.as('result_bytes'),
      sql<string | null>`case when r.chunks_bytes is null and octet_length(r.body) <= ${value('maxResultBytes')}
        then r.body end`.as('result'),
    ])
    .where('j.id', 'in', jsonArrayEntries<string>(value('ids'))),
);

/** Jobs with their results. Results over `maxResultBytes` are not read. */
export function jobsWithResults(db: Db, jobIds: readonly string[], maxResultBytes: number): JobWithResult[] {
  return db.queryAll(JOBS_WITH_RESULTS({ ids: JSON.stringify(jobIds), maxResultBytes }));
}

/**
 * The stored result as UTF-8 bytes in shared memory, which threads receive without a copy. It is read in slices: 30 MB
 * at once would block this thread too long. Null when it is gone, also halfway.
 */
export async function resultBytesOf(
  db: Db,
  jobId: string,
): Promise<{ body: Uint8Array; chunksBytes: number | null } | null> {
  const found = db.queryFirst(
    db
      .selectFrom('job_results')
      .select([sql<number>`octet_length(body)`.as('size_bytes'), 'chunks_bytes'])
      .where('job_id', '=', jobId),
  );
  if (found === undefined) return null;
  const bytes = new Uint8Array(new SharedArrayBuffer(found.size_bytes));
  await yieldToEventLoop();
  for (let start = 0; start < bytes.length; start += SLICE_BYTES) {
    const row = db.queryFirst(
      db
        .selectFrom('job_results')
        .select(sql<Uint8Array>`substr(cast(body as blob), ${start + 1}, ${SLICE_BYTES})`.as('slice'))
        .where('job_id', '=', jobId),
    );
    if (row?.slice.length !== Math.min(SLICE_BYTES, bytes.length - start)) return null;
    bytes.set(row.slice, start);
    await yieldToEventLoop();
  }
  return { body: bytes, chunksBytes: found.chunks_bytes };
}

/** The request of a key that was sent since a time. */
export function idempotencyOf(
  db: Db,
  scope: string,
  key: string,
  since: number,
): { requestHash: string; jobId: string } | undefined {
  return db.queryFirst(
    db
      .selectFrom('idempotency_keys')
      .select(['request_hash as requestHash', 'job_id as jobId'])
      .where('scope', '=', scope)
      .where('key', '=', key)
      .where('created_at', '>', since),
  );
}

/** Replaces an older request of the same key. */
export function writeIdempotency(
  tx: Tx,
  { scope, key, requestHash: request_hash }: { scope: string; key: string; requestHash: string },
  job_id: string,
  created_at: number,
): void {
  const request = { request_hash, job_id, created_at };
  tx.runStatement(
    tx
      .insertInto('idempotency_keys')
      .values({ scope, key, ...request })
      .onConflict((conflict) => conflict.columns(['scope', 'key']).doUpdateSet(request)),
  );
}

export function forgetIdempotency(tx: Tx, before: number): void {
  tx.runStatement(tx.deleteFrom('idempotency_keys').where('created_at', '<=', before));
}

/** Accounts that were given a job of another account (a reused crawl), and may search it. */
interface SearchSharesTable {
  account_id: string;
  job_id: string;
}

/** Newest crawls of an account that are read. */
const CRAWLS_LOOKED_AT = 200;

/**
 * The newest kept crawl of the same root by the same account, of any depth. Its unchanged pages need not be sent again.
 */
export function earlierCrawl(db: Db, accountId: string, rootUrl: string, exceptJobId: string): string | null {
  const rows = db.queryAll(
    db
      .selectFrom('jobs')
      .select(['id', 'dedupe_key as key'])
      .where('account_id', '=', accountId)
      .where('operation_id', '=', (own) => own.selectFrom('jobs').select('operation_id').where('id', '=', exceptJobId))
      .where('status', '=', 'completed')
      .where('purged_at', 'is', null)
      .where('id', '!=', exceptJobId)
      .orderBy('seq', 'desc')
      .limit(CRAWLS_LOOKED_AT),
  );
  return rows.find(({ key }) => key?.endsWith(` ${rootUrl}`))?.id ?? null;
}

declare module '../../platform/db/database.ts' {
  interface Database {
    jobs: JobsTable;
    ended_jobs: EndedJobsTable;
    search_shares: SearchSharesTable;
    idempotency_keys: IdempotencyKeysTable;
    job_results: JobResultsTable;
    job_tags: JobTagsTable;
    turns: TurnsTable;
    run_times: RunTimesTable;
  }
}

/** Number of open jobs of an operation and account. */
export function countOpenJobs(db: Db, accountId: string, operationId: string): number {
  const { jobs } = db.queryOne(
    db
      .selectFrom('jobs')
      .select((is) => is.fn.countAll<number>().as('jobs'))
      .where('account_id', '=', accountId)
      .where('status', 'in', ['queued', 'processing'])
      .where('operation_id', '=', operationId),
  );
  return Number(jobs);
}

/** Replaces the events (as JSON) of open jobs. */
export function changeEventsOfOpenJobs(tx: Tx, accountId: string, { from, to }: { from: string; to: string }): void {
  tx.runStatement(
    tx
      .updateTable('jobs')
      .set({ events: to })
      .where('account_id', '=', accountId)
      .where('status', 'in', ['queued', 'processing'])
      .where('events', '=', from),
  );
}

/** The source of a job. Its path follows from the job's id. */
export interface StoredSource {
  fileName: string | null;
  sizeBytes: number;
  kind: string;
}
