import { type Compilable, type RawBuilder, type Selectable, sql } from 'kysely';
import { type JobStatus, LANES, type Lane } from '../../contract/index.ts';
import { prepared } from '../../platform/db/prepared.ts';
import type { Db, JobsTable, Tx } from '../../platform/db/schema.ts';
import { MINUTE_MS } from '../../platform/units.ts';

export type JobRow = Selectable<JobsTable>;

/** Literals, not parameters: SQLite uses a partial index only where it can read its condition in the statement. */
const QUEUED = sql.lit('queued' as const);
const PROCESSING = sql.lit('processing' as const);
const READY = sql.lit(1);
const NOT_READY = sql.lit(0);

/** Longer than a back-off mostly is, so that few rows are looked at for a clock that was set back. */
const LONG_PAUSE_MS = 2 * MINUTE_MS;

export interface JobFilter {
  accountId?: string | undefined;
  status?: JobStatus | undefined;
  operationId?: string | undefined;
}

const byId = prepared<{ id: string }>()((db, take) => db.selectFrom('jobs').selectAll().where('id', '=', take('id')));
const bySeq = prepared<{ seq: number }>()((db, take) =>
  db.selectFrom('jobs').selectAll().where('seq', '=', take('seq')),
);

export async function jobById(db: Db | Tx, id: string): Promise<JobRow | undefined> {
  return (await byId(db, { id })).rows[0];
}

export async function jobBySeq(db: Db | Tx, seq: number): Promise<JobRow | undefined> {
  return (await bySeq(db, { seq })).rows[0];
}

/** A result as it is stored: where its chunks stand in a file, that is to be read with it. */
export interface StoredResult {
  /** JSON text. */
  body: string;
  /** Size of the file that has the chunks; null where `body` has them. */
  chunksBytes: number | null;
}

const resultById = prepared<{ jobId: string }>()((db, take) =>
  db.selectFrom('job_results').select(['body', 'chunks_bytes as chunksBytes']).where('job_id', '=', take('jobId')),
);

/** The stored result: it is spliced into answers as it is, never parsed on the server's thread. */
export async function resultOf(db: Db | Tx, jobId: string): Promise<StoredResult | null> {
  return (await resultById(db, { jobId })).rows[0] ?? null;
}

export async function hasResult(db: Db | Tx, jobId: string): Promise<boolean> {
  const row = await db.selectFrom('job_results').select('job_id').where('job_id', '=', jobId).executeTakeFirst();
  return row !== undefined;
}

/** The newest job of a dedupe key that is queued, processing, or completed and unexpired. */
export async function reusableJob(db: Db | Tx, dedupeKey: string, now: number): Promise<JobRow | undefined> {
  return db
    .selectFrom('jobs')
    .selectAll()
    .where('dedupe_key', '=', dedupeKey)
    .where('status', '!=', 'failed')
    .where('purged_at', 'is', null)
    .where((or) => or.or([or('expires_at', 'is', null), or('expires_at', '>', now)]))
    .orderBy('seq', 'desc')
    .limit(1)
    .executeTakeFirst();
}

/** One page, newest first. `before` is the `seq` of the last row of the page before. */
export async function listJobs(db: Db, filter: JobFilter, before: number | null, limit: number): Promise<JobRow[]> {
  let query = db.selectFrom('jobs').selectAll().where('purged_at', 'is', null);
  if (filter.accountId !== undefined) query = query.where('account_id', '=', filter.accountId);
  if (filter.status !== undefined) query = query.where('status', '=', filter.status);
  if (filter.operationId !== undefined) query = query.where(operationOf(filter), '=', filter.operationId);
  if (before !== null) query = query.where('seq', '<', before);
  return query.orderBy('seq', 'desc').limit(limit).execute();
}

/**
 * SQLite takes the index of operations where a status is asked for too, and knows nothing of how many rows are in each:
 * but for completed jobs there are few of any status. The plus sign keeps it from that index.
 */
function operationOf({ status }: JobFilter): RawBuilder<string> {
  return status === undefined || status === 'completed' ? sql.ref('operation_id') : sql`+${sql.ref('operation_id')}`;
}

/**
 * Jobs in which every word stands somewhere in their label, id, operation, status or error, newest first. Looks at no
 * more than `look` jobs before `before`, so that no search holds the server up, however many jobs there are.
 *
 * @param words in lower case
 * @returns what was found, at most `limit`, and where to look on; null at the beginning of the list
 */
export async function findJobs(
  db: Db,
  filter: JobFilter,
  words: readonly string[],
  { before, limit, look }: { before: number | null; limit: number; look: number },
): Promise<{ rows: JobRow[]; next: number | null }> {
  const end = before ?? (await seqAfterAll(db));
  const start = Math.max(0, end - look);
  let query = db.selectFrom('jobs').selectAll().where('purged_at', 'is', null);
  if (filter.status !== undefined) query = query.where('status', '=', filter.status);
  if (filter.operationId !== undefined) query = query.where('operation_id', '=', filter.operationId);
  query = query.where('seq', '>=', start).where('seq', '<', end);
  for (const word of words) query = query.where(tells(word));
  const rows = await query.orderBy('seq', 'desc').limit(limit).execute();
  if (rows.length === limit) return { rows, next: rows.at(-1)?.seq ?? null };
  return { rows, next: start === 0 ? null : start };
}

function tells(word: string): RawBuilder<boolean> {
  const told = sql`(label || ' ' || id || ' ' || operation_id || ' ' || status || ' ' || coalesce(error, ''))`;
  if (/^[\x20-\x7e]*$/.test(word)) return sql`${told} like ${`%${word.replace(/[\\%_]/g, '\\$&')}%`} escape '\\'`;
  // SQLite knows no capitals but those of ASCII, so each letter is sought in its own two forms.
  return sql`${told} glob ${`*${Array.from(word, eitherCase).join('')}*`}`;
}

/** Part of a pattern for `glob`. What has other than two forms of one character (ß, a sign) is sought as it is. */
function eitherCase(letter: string): string {
  const [small, capital] = [letter.toLowerCase(), letter.toUpperCase()];
  if (small !== capital && small.length === capital.length) return `[${small}${capital}]`;
  return '*?['.includes(letter) ? `[${letter}]` : letter;
}

async function seqAfterAll(db: Db): Promise<number> {
  const row = await db.selectFrom('jobs').select('seq').orderBy('seq', 'desc').limit(1).executeTakeFirst();
  return (row?.seq ?? 0) + 1;
}

const processing = prepared<object>()((db) =>
  db
    .selectFrom('jobs')
    .select((is) => ['account_id as accountId', 'lane', is.fn.countAll<number>().as('running')])
    .where('status', '=', PROCESSING)
    .groupBy(['account_id', 'lane']),
);

/** Jobs being processed, per account: bounded by the number of slots. */
export async function processingByAccount(
  db: Db | Tx,
): Promise<{ accountId: string; lane: string; running: number }[]> {
  return (await processing(db, {})).rows;
}

export async function processingJobs(db: Db | Tx): Promise<JobRow[]> {
  return db.selectFrom('jobs').selectAll().where('status', '=', PROCESSING).execute();
}

const lanesWithTurns = prepared<object>()(
  (db) =>
    db.selectNoFrom((is) =>
      LANES.map((lane) => is.exists(is.selectFrom('turns').select('lane').where('lane', '=', lane)).as(lane)),
    ) as Compilable<Record<Lane, number>>,
);

/** The lanes in which somebody may have a job ready. */
export async function lanesWithWork(db: Db): Promise<Lane[]> {
  const [found] = (await lanesWithTurns(db, {})).rows;
  return LANES.filter((lane) => found?.[lane] === 1);
}

const firstTurn = prepared<{ lane: string }>()((db, take) =>
  db.selectFrom('turns').select('account_id').where('lane', '=', take('lane')).orderBy('last_turn').limit(1),
);

/** The account whose turn it is in a lane, leaving out those at their limit. */
export async function nextTurn(db: Db | Tx, lane: string, without: readonly string[]): Promise<string | undefined> {
  if (without.length === 0) return (await firstTurn(db, { lane })).rows[0]?.account_id;
  const row = await db
    .selectFrom('turns')
    .select('account_id')
    .where('lane', '=', lane)
    .where('account_id', 'not in', without)
    .orderBy('last_turn')
    .limit(1)
    .executeTakeFirst();
  return row?.account_id;
}

const PRIORITY_NUMBERS = [0, 1, 2];

export type ReadyJob = Pick<JobRow, 'seq' | 'priority' | 'created_at'>;

const oldestByPriority = prepared<{ lane: string; accountId: string }>()((db, take) => {
  const [first, ...others] = PRIORITY_NUMBERS.map((priority) =>
    db
      .selectFrom((from) =>
        from
          .selectFrom('jobs')
          .select(['seq', 'priority', 'created_at'])
          .where('status', '=', QUEUED)
          .where('ready', '=', READY)
          .where('lane', '=', take('lane'))
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

/** The two oldest ready jobs of each priority of an account in a lane: the best to run, and whether more wait. */
export async function oldestReady(tx: Tx, lane: string, accountId: string): Promise<ReadyJob[]> {
  return (await oldestByPriority(tx, { lane, accountId })).rows;
}

const anyReady = prepared<{ lane: string; accountId: string }>()((db, take) =>
  db
    .selectFrom('jobs')
    .select('seq')
    .where('status', '=', QUEUED)
    .where('ready', '=', READY)
    .where('lane', '=', take('lane'))
    .where('account_id', '=', take('accountId'))
    .limit(1),
);

export async function hasReady(tx: Tx, lane: string, accountId: string): Promise<boolean> {
  return (await anyReady(tx, { lane, accountId })).rows.length > 0;
}

/** Jobs, or else suspects, whose back-off is over; else those told to wait in the future: the clock was set back. */
export async function dueJobs(db: Db, now: number, limit: number, suspects = false): Promise<JobRow[]> {
  const waiting = db.selectFrom('jobs').selectAll().where('status', '=', QUEUED).where('ready', '=', NOT_READY);
  const some = waiting
    .where('crashes', suspects ? '>' : '=', 0)
    .orderBy('run_after_at')
    .limit(limit);
  const due = await some.where('run_after_at', '<=', now).execute();
  if (due.length > 0) return due;
  return some
    .where('run_after_at', '>', now + LONG_PAUSE_MS)
    .where('updated_at', '>', now)
    .execute();
}

export async function expiredJobs(db: Db, now: number, limit: number): Promise<JobRow[]> {
  return db
    .selectFrom('jobs')
    .selectAll()
    .where('expires_at', '<=', now)
    .where('purged_at', 'is', null)
    .orderBy('expires_at')
    .limit(limit)
    .execute();
}

export async function forgottenJobs(db: Db, purgedBefore: number, limit: number): Promise<JobRow[]> {
  return db
    .selectFrom('jobs')
    .selectAll()
    .where('purged_at', '<=', purgedBefore)
    .orderBy('purged_at')
    .limit(limit)
    .execute();
}

/** How many jobs are in each status; terminal ones are counted up to `ceiling`, so that the answer stays cheap. */
export async function countByStatus(db: Db, ceiling: number): Promise<Record<JobStatus, number>> {
  const count = async (status: JobStatus): Promise<number> => {
    const some = db.selectFrom('jobs').select('seq').where('status', '=', status).limit(ceiling).as('some');
    const row = await db
      .selectFrom(some)
      .select((is) => is.fn.countAll<number>().as('n'))
      .executeTakeFirstOrThrow();
    return row.n;
  };
  return {
    queued: await count('queued'),
    processing: await count('processing'),
    completed: await count('completed'),
    failed: await count('failed'),
  };
}

export interface RunTime {
  runMs: number;
  runMsPerMb: number;
  runs: number;
}

const runTime = prepared<{ operationId: string }>()((db, take) =>
  db
    .selectFrom('run_times')
    .select(['run_ms as runMs', 'run_ms_per_mb as runMsPerMb', 'runs'])
    .where('operation_id', '=', take('operationId')),
);

export async function runTimeOf(db: Db | Tx, operationId: string): Promise<RunTime | undefined> {
  return (await runTime(db, { operationId })).rows[0];
}
