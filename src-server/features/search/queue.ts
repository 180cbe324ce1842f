/**
 * The queue by which the search index follows the main database, in the transactions of the changes.
 *
 * An entry names what has changed (a job, a chunk's text, a contribution), never how: to apply one is to make the index
 * equal to what the main database says now. To apply it twice is the same as once, so an entry is deleted after it is
 * applied, and a process that dies in between applies it again. A new entry replaces an older one of the same subject.
 */

import { type Generated, type Selectable, sql } from 'kysely';
import type { Db, Tx } from '../../platform/db/database.ts';
import { jsonArrayEntries, prepareQuery } from '../../platform/db/prepared.ts';

export type QueueEntry = Selectable<SearchQueueTable>;

/** Small entries never wait for the others, and results of jobs never for a rebuild. */
const PRIORITY = { small: 0, large: 1, rebuild: 2 } as const;

const REBUILD = sql.lit(PRIORITY.rebuild);

/** The index does not have the job's present result. */
export function queueJob(tx: Tx, jobId: string, size: 'small' | 'large'): void {
  putQueueEntry(tx, { kind: 'job', subject: jobId, job_id: jobId, priority: PRIORITY[size], payload: null });
}

/** The job is removed. It is not found from now on, so its chunks may go later. */
export function queueRemoval(tx: Tx, jobId: string): void {
  putQueueEntry(tx, { kind: 'removal', subject: jobId, job_id: jobId, priority: PRIORITY.large, payload: null });
}

export interface QueuedCorrection {
  chunkId: string;
  /** Null restores the chunk's own. */
  text: string | null;
}

export function queueCorrection(tx: Tx, jobId: string, correction: QueuedCorrection): void {
  const subject = `${jobId} ${correction.chunkId}`;
  putQueueEntry(tx, {
    kind: 'correction',
    subject,
    job_id: jobId,
    priority: PRIORITY.small,
    payload: JSON.stringify(correction),
  });
}

/** What a search shows of a contribution. */
export interface QueuedContribution {
  id: string;
  kind: string;
  url: string | null;
  author: string | null;
  text: string;
}

/** @param shown null where it is no longer published */
export function queueContribution(tx: Tx, id: string, shown: QueuedContribution | null): void {
  const payload = shown === null ? null : JSON.stringify(shown);
  putQueueEntry(tx, { kind: 'contribution', subject: id, job_id: null, priority: PRIORITY.small, payload });
}

function putQueueEntry(tx: Tx, entry: Omit<QueueEntry, 'seq'>): void {
  // A new number: applying the entry that this one replaces does not delete it.
  tx.runStatement(replaceEntry(entry));
}

const replaceEntry = prepareQuery<Omit<QueueEntry, 'seq'>>()((db, of) =>
  db.replaceInto('search_queue').values({
    kind: of('kind'),
    subject: of('subject'),
    job_id: of('job_id'),
    priority: of('priority'),
    payload: of('payload'),
  }),
);

export const INDEX_QUEUES = ['small', 'background'] as const;

export type IndexQueue = (typeof INDEX_QUEUES)[number];

/** The oldest entries of a queue. A correction waits for the result that it corrects. */
export function nextEntries(db: Db, queue: IndexQueue, limit: number): QueueEntry[] {
  return db.queryAll(queue === 'background' ? nextInBackground({ limit }) : nextSmall({ limit }));
}

const nextInBackground = prepareQuery<{ limit: number }>()((db, of) =>
  db
    .selectFrom('search_queue as q')
    .selectAll('q')
    .where('q.priority', '>', PRIORITY.small)
    .orderBy('q.priority')
    .orderBy('q.seq')
    .limit(of('limit')),
);

const nextSmall = prepareQuery<{ limit: number }>()((db, of) =>
  db
    .selectFrom('search_queue as q')
    .selectAll('q')
    .where('q.priority', '=', PRIORITY.small)
    .where(({ exists, not, or, eb, selectFrom }) => {
      const job = selectFrom('search_queue as j').select('j.seq').whereRef('j.subject', '=', 'q.job_id');
      return or([eb('q.kind', '!=', 'correction'), not(exists(job))]);
    })
    .orderBy('q.seq')
    .limit(of('limit')),
);

/** The newest small entry; null where none waits. */
export function lastSmallEntry(db: Db): number | null {
  const entries = db.selectFrom('search_queue').select('seq').where('priority', '=', PRIORITY.small);
  return db.queryFirst(entries.orderBy('seq', 'desc').limit(1))?.seq ?? null;
}

/** They are applied. One that was replaced meanwhile has another number, and stays. */
export function deleteQueueEntries(tx: Tx, entries: readonly QueueEntry[]): void {
  tx.runStatement(deleteEntries({ seqs: JSON.stringify(entries.map(({ seq }) => seq)) }));
}

const deleteEntries = prepareQuery<{ seqs: string }>()((db, of) =>
  db.deleteFrom('search_queue').where('seq', 'in', jsonArrayEntries<number>(of('seqs'))),
);

export function isJobQueued(db: Db, jobId: string): boolean {
  return db.queryFirst(db.selectFrom('search_queue').select('seq').where('subject', '=', jobId)) !== undefined;
}

/** How many jobs that an account may search are not in the index whole, up to `most`. */
export function countQueuedJobs(
  db: Db,
  accountId: string,
  only: { jobId?: string | undefined; jobType?: string | undefined; tags?: readonly string[] | undefined },
  most: number,
): number {
  let jobs = db
    .selectFrom('search_queue as q')
    .innerJoin('jobs as j', 'j.id', 'q.job_id')
    .select('q.seq')
    .where('q.kind', '=', 'job')
    .where(({ eb, exists, or, selectFrom }) => {
      const share = selectFrom('search_shares').select('job_id').where('account_id', '=', accountId);
      return or([eb('j.account_id', '=', accountId), exists(share.whereRef('search_shares.job_id', '=', 'j.id'))]);
    });
  if (only.jobId !== undefined) jobs = jobs.where('j.id', '=', only.jobId);
  if (only.jobType !== undefined) jobs = jobs.where('j.operation_id', '=', only.jobType);
  for (const tag of only.tags ?? []) {
    jobs = jobs.where(({ exists, selectFrom }) => {
      const tagged = selectFrom('job_tags as t').select('t.seq').whereRef('t.seq', '=', 'j.seq');
      return exists(tagged.where('t.tag', '=', tag));
    });
  }
  return db.queryAll(jobs.limit(most)).length;
}

/** Jobs of others that an account may search; a site that is crawled for many is crawled once. */
const SHARED_JOBS_MAX = 200;

/** Removed jobs that a search leaves out; chunks of more are left out of its answer. */
const REMOVED_JOBS_MAX = 100;

/** What the main database says about the jobs that a search of an account may find. */
export interface SearchedJobs {
  /** Of others, that it may see too. */
  shared: readonly string[];
  /** Whose chunks may still be in the index. */
  removed: readonly string[];
  /** Those with the tags of the search, at most `TAGGED_JOBS_MAX`. Absent without tags. */
  tagged?: readonly string[];
}

/** Jobs with the tags of a search that are searched, the newest. */
export const TAGGED_JOBS_MAX = 10_000;

export function searchedJobs(db: Db, accountId: string): SearchedJobs {
  const shares = db.selectFrom('search_shares').select('job_id').where('account_id', '=', accountId);
  const removals = db
    .selectFrom('search_queue')
    .select('subject')
    .where('kind', '=', sql.lit('removal' as const));
  return {
    shared: db.queryAll(shares.limit(SHARED_JOBS_MAX)).map(({ job_id }) => job_id),
    removed: db.queryAll(removals.limit(REMOVED_JOBS_MAX)).map(({ subject }) => subject),
  };
}

/** The newest jobs of an account that have all of the tags, up to `most`. */
export function taggedJobs(db: Db, accountId: string, tags: readonly string[], most: number): string[] {
  const [first = '', ...others] = tags;
  let jobs = db
    .selectFrom('job_tags as t')
    .innerJoin('jobs as j', 'j.seq', 't.seq')
    .select('j.id')
    .where('t.account_id', '=', accountId)
    .where('t.tag', '=', first)
    .where('j.purged_at', 'is', null);
  for (const tag of others) {
    jobs = jobs.where(({ exists, selectFrom }) => {
      const also = selectFrom('job_tags as o').select('o.seq').whereRef('o.seq', '=', 't.seq');
      return exists(also.where('o.tag', '=', tag));
    });
  }
  return db.queryAll(jobs.orderBy('t.seq', 'desc').limit(most)).map(({ id }) => id);
}

/** Those of the jobs that an account may see now. */
export function visibleJobs(db: Db, accountId: string, jobIds: readonly string[]): Set<string> {
  const jobs = db
    .selectFrom('jobs as j')
    .select('j.id')
    .where('j.id', 'in', jobIds)
    .where('j.status', '=', 'completed')
    .where('j.purged_at', 'is', null)
    .where(({ eb, exists, or, selectFrom }) => {
      const share = selectFrom('search_shares').select('job_id').where('account_id', '=', accountId);
      return or([eb('j.account_id', '=', accountId), exists(share.whereRef('search_shares.job_id', '=', 'j.id'))]);
    });
  return new Set(db.queryAll(jobs).map(({ id }) => id));
}

/** Identity of the index that the queue belongs to; null before the first. */
export function queuedIndex(db: Db): string | null {
  return db.queryFirst(db.selectFrom('search_source').select('index_id'))?.index_id ?? null;
}

/** Queues everything for an empty index: all jobs with results here, and what `republish` queues. */
export function queueRebuild(tx: Tx, indexId: string, republish: (tx: Tx) => void): void {
  tx.runStatement(tx.deleteFrom('search_queue'));
  tx.runStatement(sql`
    insert into search_queue (kind, subject, job_id, priority)
    select 'job', id, id, ${REBUILD} from jobs where status = 'completed' and purged_at is null order by seq
  `);
  const { first, last } = tx.queryOne(
    tx
      .selectFrom('search_queue')
      .select(({ fn }) => [fn.min<number | null>('seq').as('first'), fn.max<number | null>('seq').as('last')]),
  );
  tx.runStatement(tx.deleteFrom('search_source'));
  const source = { index_id: indexId, first_seq: first ?? 0, last_seq: last ?? 0 };
  tx.runStatement(tx.insertInto('search_source').values(source));
  republish(tx);
}

/** Share of a rebuild that is done; null where none is under way. */
export function rebuildProgress(db: Db): number | null {
  const waiting = db.selectFrom('search_queue').select('seq').where('priority', '=', PRIORITY.rebuild);
  const next = db.queryFirst(waiting.orderBy('seq').limit(1));
  const source = db.queryFirst(db.selectFrom('search_source').selectAll());
  if (next === undefined || source === undefined) return null;
  return (next.seq - source.first_seq) / (source.last_seq - source.first_seq + 1);
}

/** What the index does not know yet. */
interface SearchQueueTable {
  seq: Generated<number>;
  kind: 'job' | 'removal' | 'correction' | 'contribution';
  /** A job, a chunk of one, or a contribution. */
  subject: string;
  job_id: string | null;
  priority: number;
  /** JSON: `QueuedCorrection` or `QueuedContribution`. */
  payload: string | null;
}

/** The index that the queue belongs to, and the entries that built it. */
interface SearchSourceTable {
  index_id: string;
  first_seq: number;
  last_seq: number;
}

declare module '../../platform/db/database.ts' {
  interface Database {
    search_queue: SearchQueueTable;
    search_source: SearchSourceTable;
  }
}
