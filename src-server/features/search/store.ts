import { type Selectable, sql } from 'kysely';
import { prepared } from '../../platform/db/prepared.ts';
import type { Db, Tx } from '../../platform/db/schema.ts';
import { REMOVED, type SearchChunksTable, type SearchJobsTable } from './search-tables.ts';

export type SearchChunkRow = Selectable<SearchChunksTable>;

/** Literal, not a parameter: SQLite uses a partial index only where it can read its condition in the statement. */
const WAITING = sql.lit('waiting' as const);

/**
 * The best matches of a full-text expression by bm25, best first, among the newest `ranked` ones. The rank is asked for
 * row by row from the newest on: `order by rank` would rank all matches, whatever limits stand beside it.
 */
export async function matchText(db: Db, expression: string, ranked: number, limit: number): Promise<number[]> {
  const { rows } = await sql<{ seq: number }>`
    select seq from (
      select rowid as seq, rank as score from search_text where search_text match ${expression}
      order by rowid desc limit ${ranked}
    ) order by score, seq desc limit ${limit}
  `.execute(db);
  return rows.map(({ seq }) => seq);
}

/** How many chunks match, counted from the oldest up to `most`, and the last that was counted. */
export async function countMatches(
  db: Db,
  expression: string,
  most: number,
): Promise<{ chunks: number; lastSeq: number | null }> {
  const { rows } = await sql<{ chunks: number; lastSeq: number | null }>`
    select count(*) as chunks, max(seq) as lastSeq from (
      select rowid as seq from search_text where search_text match ${expression} order by rowid limit ${most}
    )
  `.execute(db);
  return rows[0] ?? { chunks: 0, lastSeq: null };
}

/** First and last chunk; zeros where there are none. */
export async function seqRange(db: Db): Promise<{ first: number; last: number }> {
  const chunks = db.selectFrom('search_chunks');
  const first = await chunks.select('seq').orderBy('seq').limit(1).executeTakeFirst();
  const last = await chunks.select('seq').orderBy('seq', 'desc').limit(1).executeTakeFirst();
  return { first: first?.seq ?? 0, last: last?.seq ?? 0 };
}

/** Chunks by their numbers, but for those of jobs that are removed. */
export async function chunksBySeq(db: Db, seqs: readonly number[]): Promise<SearchChunkRow[]> {
  if (seqs.length === 0) return [];
  return db
    .selectFrom('search_chunks')
    .selectAll()
    .where('seq', 'in', seqs)
    .where(({ exists, not, selectFrom }) => {
      const ofJob = selectFrom('search_jobs').whereRef('search_jobs.job_id', '=', 'search_chunks.job_id');
      return not(exists(ofJob.select('search_jobs.job_id').where('indexed_chunks', '=', REMOVED)));
    })
    .execute();
}

/** Jobs whose chunks are still in the index and must not be found, up to `most`. */
export async function removedJobs(db: Db, most: number): Promise<string[]> {
  const jobs = db.selectFrom('search_jobs').select('job_id').where('state', '=', WAITING);
  const rows = await jobs.where('indexed_chunks', '=', REMOVED).limit(most).execute();
  return rows.map(({ job_id }) => job_id);
}

/** The indexed chunks of a job with this id: one, unless the job's text repeats itself. */
export async function chunksById(db: Db | Tx, jobId: string, chunkId: string): Promise<SearchChunkRow[]> {
  return db
    .selectFrom('search_chunks')
    .selectAll()
    .where('job_id', '=', jobId)
    .where('chunk_id', '=', chunkId)
    .execute();
}

/** What the index says of each chunk of a job, read by SQLite: a result of megabytes is not parsed for it here. */
export async function resultFacts(db: Db, jobId: string): Promise<{ title: string | null; language: string | null }> {
  const { rows } = await sql<{ title: string | null; language: string | null }>`
    select json_extract(body, '$.document.title') as title, json_extract(body, '$.document.language') as language
    from job_results where job_id = ${jobId}
  `.execute(db);
  return rows[0] ?? { title: null, language: null };
}

/** The languages of a crawl's pages, by their URLs. */
export async function pageLanguages(db: Db, jobId: string): Promise<Map<string, string | null>> {
  const { rows } = await sql<{ url: string; language: string | null }>`
    select json_extract(page.value, '$.url') as url, json_extract(page.value, '$.language') as language
    from job_results, json_each(body, '$.pages') as page where job_id = ${jobId}
  `.execute(db);
  return new Map(rows.map(({ url, language }) => [url, language]));
}

export async function nextToIndex(db: Db): Promise<Selectable<SearchJobsTable> | undefined> {
  return db.selectFrom('search_jobs').selectAll().where('state', '=', WAITING).limit(1).executeTakeFirst();
}

/** How many jobs that an account may search are not in the index whole, up to `most`: they wait, or are being read. */
export async function countToIndex(
  db: Db,
  accountId: string,
  only: { jobId?: string | undefined; jobType?: string | undefined },
  most: number,
): Promise<number> {
  let jobs = db
    .selectFrom('search_jobs as s')
    .innerJoin('jobs as j', 'j.id', 's.job_id')
    .select('s.job_id')
    .where('s.state', '=', WAITING)
    .where('s.indexed_chunks', '!=', REMOVED)
    .where(({ eb, exists, or, selectFrom }) => {
      const share = selectFrom('search_shares').select('job_id').where('account_id', '=', accountId);
      return or([eb('j.account_id', '=', accountId), exists(share.whereRef('search_shares.job_id', '=', 's.job_id'))]);
    });
  if (only.jobId !== undefined) jobs = jobs.where('j.id', '=', only.jobId);
  if (only.jobType !== undefined) jobs = jobs.where('j.operation_id', '=', only.jobType);
  return (await jobs.limit(most).execute()).length;
}

const indexingById = prepared<{ jobId: string }>()((db, of) =>
  db.selectFrom('search_jobs').selectAll().where('job_id', '=', of('jobId')),
);

export async function indexingOf(db: Db | Tx, jobId: string): Promise<Selectable<SearchJobsTable> | undefined> {
  return (await indexingById(db, { jobId })).rows[0];
}
