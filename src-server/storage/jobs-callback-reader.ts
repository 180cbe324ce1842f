import { sql } from 'kysely';
import { MIB } from '../lib/units.ts';
import { asFixedList } from './fixed-list.ts';
import type { JobRow } from './jobs-reader.ts';
import type { Db } from './schema.ts';

/** A job as a callback tells of it. */
export interface JobWithResult {
  job: JobRow;
  /** JSON text; null when there is none, or when it is longer than was asked for. */
  result: string | null;
  /** Null when there is none. */
  resultBytes: number | null;
}

const JOBS_PER_STATEMENT = 256;
/** Takes four to eight milliseconds to read. */
const SLICE_BYTES = 4 * MIB;

/** Many jobs with their results, but for results of over `maxResultBytes`: SQLite then does not read them either. */
export async function jobsWithResults(
  db: Db,
  jobIds: readonly string[],
  maxResultBytes: number,
): Promise<JobWithResult[]> {
  const found: JobWithResult[] = [];
  for (let start = 0; start < jobIds.length; start += JOBS_PER_STATEMENT) {
    const part = asFixedList(jobIds.slice(start, start + JOBS_PER_STATEMENT));
    const rows = await db
      .selectFrom('jobs as j')
      .leftJoin('job_results as r', 'r.job_id', 'j.id')
      .selectAll('j')
      .select([
        sql<number | null>`octet_length(r.body)`.as('result_bytes'),
        sql<string | null>`case when octet_length(r.body) <= ${maxResultBytes} then r.body end`.as('result'),
      ])
      .where('j.id', 'in', part)
      .execute();
    for (const { result, result_bytes: resultBytes, ...job } of rows) found.push({ job, result, resultBytes });
  }
  return found;
}

/**
 * The stored result as UTF-8 bytes, in memory that threads share, so that handing it over copies nothing. Read a slice
 * at a time, since thirty megabytes at once would stop this thread for longer than a request should wait. Null when it
 * is gone, also half-way.
 */
export async function resultBytesOf(db: Db, jobId: string): Promise<Uint8Array | null> {
  const found = await db
    .selectFrom('job_results')
    .select(sql<number>`octet_length(body)`.as('size_bytes'))
    .where('job_id', '=', jobId)
    .executeTakeFirst();
  if (found === undefined) return null;
  const bytes = new Uint8Array(new SharedArrayBuffer(found.size_bytes));
  for (let start = 0; start < bytes.length; start += SLICE_BYTES) {
    const row = await db
      .selectFrom('job_results')
      .select(sql<Uint8Array>`substr(cast(body as blob), ${start + 1}, ${SLICE_BYTES})`.as('slice'))
      .where('job_id', '=', jobId)
      .executeTakeFirst();
    if (row?.slice.length !== Math.min(SLICE_BYTES, bytes.length - start)) return null;
    bytes.set(row.slice, start);
    await new Promise((resolve) => setImmediate(resolve));
  }
  return bytes;
}
