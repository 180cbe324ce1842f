import type { Db } from '../../platform/db/schema.ts';
import { jobsWithResults } from './jobs-callback-reader.ts';
import { type JobPieces, presentPieces } from './present.ts';

/** The job objects that callbacks tell of, read together. Jobs that are gone are left out. */
export async function presentCallbacks(
  db: Db,
  jobIds: readonly string[],
  maxResultBytes: number,
  view: { baseUrl: string; now: number },
): Promise<ReadonlyMap<string, JobPieces>> {
  const pieces = new Map<string, JobPieces>();
  for (const job of await jobsWithResults(db, jobIds, maxResultBytes)) {
    if (job.purged_at !== null) continue;
    const { result, result_bytes: storedBytes } = job;
    const shown = result === null && storedBytes !== null ? { storedBytes } : result;
    pieces.set(job.id, presentPieces(job, shown, view.baseUrl, view.now));
  }
  return pieces;
}
