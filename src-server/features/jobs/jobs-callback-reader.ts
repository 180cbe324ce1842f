import { sql } from 'kysely';
import { entriesOf, prepared } from '../../platform/db/prepared.ts';
import type { Db } from '../../platform/db/schema.ts';
import { othersTurn } from '../../platform/others-turn.ts';
import { MIB } from '../../platform/units.ts';
import type { JobRow } from './store.ts';

/** What of a job is shown, and whether it is there to be shown. */
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
  'expires_at',
  'purged_at',
] as const satisfies readonly (keyof JobRow)[];

/** A job as a callback tells of it. */
export type JobWithResult = Pick<JobRow, (typeof SHOWN_COLUMNS)[number]> & {
  /** JSON text; null when there is none, when it is longer than was asked for, and when a file has its chunks. */
  result: string | null;
  /** Null when there is none. */
  result_bytes: number | null;
};

/** Takes four to ten milliseconds to read: SQLite goes through all of the text for each slice. */
const SLICE_BYTES = 4 * MIB;

const JOBS_WITH_RESULTS = prepared<{ ids: string; maxResultBytes: number }>()((db, value) =>
  db
    .selectFrom('jobs as j')
    .leftJoin('job_results as r', 'r.job_id', 'j.id')
    .select(SHOWN_COLUMNS)
    .select([
      sql<number | null>`octet_length(r.body) + coalesce(r.chunks_bytes, 0)`.as('result_bytes'),
      sql<string | null>`case when r.chunks_bytes is null and octet_length(r.body) <= ${value('maxResultBytes')}
        then r.body end`.as('result'),
    ])
    .where('j.id', 'in', entriesOf<string>(value('ids'))),
);

/** Many jobs with their results, but for results of over `maxResultBytes`: SQLite then does not read them either. */
export async function jobsWithResults(
  db: Db,
  jobIds: readonly string[],
  maxResultBytes: number,
): Promise<JobWithResult[]> {
  return (await JOBS_WITH_RESULTS(db, { ids: JSON.stringify(jobIds), maxResultBytes })).rows;
}

/**
 * The stored result as UTF-8 bytes, in memory that threads share, so that handing it over copies nothing. Read a slice
 * at a time, since thirty megabytes at once would stop this thread for longer than a request should wait. Null when it
 * is gone, also half-way.
 */
export async function resultBytesOf(
  db: Db,
  jobId: string,
): Promise<{ body: Uint8Array; chunksBytes: number | null } | null> {
  const found = await db
    .selectFrom('job_results')
    .select([sql<number>`octet_length(body)`.as('size_bytes'), 'chunks_bytes'])
    .where('job_id', '=', jobId)
    .executeTakeFirst();
  if (found === undefined) return null;
  const bytes = new Uint8Array(new SharedArrayBuffer(found.size_bytes));
  await othersTurn();
  for (let start = 0; start < bytes.length; start += SLICE_BYTES) {
    const row = await db
      .selectFrom('job_results')
      .select(sql<Uint8Array>`substr(cast(body as blob), ${start + 1}, ${SLICE_BYTES})`.as('slice'))
      .where('job_id', '=', jobId)
      .executeTakeFirst();
    if (row?.slice.length !== Math.min(SLICE_BYTES, bytes.length - start)) return null;
    bytes.set(row.slice, start);
    await othersTurn();
  }
  return { body: bytes, chunksBytes: found.chunks_bytes };
}
