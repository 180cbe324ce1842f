import { useQueryClient } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { adminPath, apiPath, ask } from '../../api/client.ts';
import { type JobFilter, jobsKey } from '../../api/queries.ts';
import type { EnvironmentName, JobPage, JobRecord, ListedJob } from '../../api/types.ts';
import { runAgain } from '../run/run-again.ts';

/** More than anybody means by one click; the page says when it cuts. */
export const SELECTION_CEILING = 5000;
const PAGE = 200;
/** Requests under way at once: quick, and still polite to a busy server. */
const TOGETHER = 4;

/** Jobs as they were when they were chosen: what arrives later is not in it. */
export type Selection = ReadonlyMap<string, ListedJob>;

/** Reads everything that matches now, newest first. */
export async function gather(
  environment: EnvironmentName,
  filter: JobFilter,
  onCount: (count: number) => void,
): Promise<{ selection: Selection; cut: boolean }> {
  const selection = new Map<string, ListedJob>();
  let cursor: string | null = null;
  do {
    const path: string = adminPath(environment, '/jobs', { ...filter, limit: PAGE, cursor });
    const page: JobPage = await ask<JobPage>(path);
    for (const job of page.jobs) selection.set(job.jobId, job);
    cursor = page.nextCursor;
    onCount(selection.size);
  } while (cursor !== null && selection.size < SELECTION_CEILING);
  return { selection, cut: cursor !== null };
}

/** What can be done to many jobs: end those that wait or run, delete those that ended, send those that failed again. */
export type BulkKind = 'cancel' | 'remove' | 'retry';

export interface BulkProgress {
  done: number;
  all: number;
}

/** What came of it. */
interface BulkOutcome {
  done: number;
  /** Those that it was not done to, in the order in which they were chosen. */
  left: readonly ListedJob[];
  /** Why the first of them could not be changed; null where somebody stopped the work before any was refused. */
  why: Error | null;
}

async function applyTo(environment: EnvironmentName, kind: BulkKind, { jobId, jobType }: ListedJob): Promise<void> {
  if (kind === 'retry') {
    const record = await ask<JobRecord>(adminPath(environment, `/jobs/${jobId}`));
    await runAgain(environment, record, jobType);
  } else if (kind === 'cancel') {
    // Not DELETE, which would remove a job that has completed while somebody thought about it.
    await ask(adminPath(environment, `/jobs/${jobId}/cancel`), { method: 'POST' });
  } else {
    await ask(apiPath(environment, `/jobs/${jobId}`), { method: 'DELETE' });
  }
}

/** Does the same to exactly the named jobs, says how far it is, and can be stopped: what is done then stays done. */
export function useBulk(environment: EnvironmentName) {
  const client = useQueryClient();
  const [progress, setProgress] = useState<BulkProgress | null>(null);
  const stopped = useRef(false);
  const apply = async (kind: BulkKind, jobs: readonly ListedJob[]): Promise<BulkOutcome> => {
    const done = new Set<string>();
    let tried = 0;
    let why: Error | null = null;
    const waiting = [...jobs];
    stopped.current = false;
    setProgress({ done: 0, all: jobs.length });
    const work = async () => {
      for (let job = waiting.shift(); job !== undefined && !stopped.current; job = waiting.shift()) {
        try {
          await applyTo(environment, kind, job);
          done.add(job.jobId);
        } catch (error) {
          why ??= error as Error;
        }
        tried += 1;
        setProgress({ done: tried, all: jobs.length });
      }
    };
    await Promise.all(Array.from({ length: TOGETHER }, work));
    setProgress(null);
    await client.invalidateQueries({ queryKey: jobsKey(environment) });
    return { done: done.size, left: jobs.filter(({ jobId }) => !done.has(jobId)), why };
  };
  const stop = () => {
    stopped.current = true;
  };
  return { progress, apply, stop };
}
