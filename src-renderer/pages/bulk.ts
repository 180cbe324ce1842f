import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { apiPath, ask } from '../api/client.ts';
import { type JobFilter, jobsKey } from '../api/queries.ts';
import type { EnvironmentName, Job, JobPage } from '../api/types.ts';

/** More than anybody means by one click; the page says when it cuts. */
export const SELECTION_CEILING = 5000;
const PAGE = 200;
/** Requests under way at once: quick, and still polite to a busy server. */
const TOGETHER = 4;

/** Jobs as they were when they were chosen: what arrives later is not in it. */
export type Selection = ReadonlyMap<string, Job['status']>;

/** Reads the ids of everything that matches now, newest first. */
export async function gather(
  environment: EnvironmentName,
  filter: JobFilter,
  onCount: (count: number) => void,
): Promise<{ selection: Selection; cut: boolean }> {
  const selection = new Map<string, Job['status']>();
  let cursor: string | null = null;
  do {
    const path: string = apiPath(environment, '/jobs', { ...filter, limit: PAGE, cursor });
    const page: JobPage = await ask<JobPage>(path);
    for (const job of page.jobs) selection.set(job.jobId, job.status);
    cursor = page.nextCursor;
    onCount(selection.size);
  } while (cursor !== null && selection.size < SELECTION_CEILING);
  return { selection, cut: cursor !== null };
}

export interface BulkProgress {
  done: number;
  failed: number;
  all: number;
}

/** Cancels or removes exactly the named jobs, and says how far it is. */
export function useBulk(environment: EnvironmentName) {
  const client = useQueryClient();
  const [progress, setProgress] = useState<BulkProgress | null>(null);
  const apply = async (jobIds: readonly string[]): Promise<BulkProgress> => {
    const state: BulkProgress = { done: 0, failed: 0, all: jobIds.length };
    const waiting = [...jobIds];
    setProgress({ ...state });
    const work = async () => {
      for (let jobId = waiting.shift(); jobId !== undefined; jobId = waiting.shift()) {
        try {
          await ask(apiPath(environment, `/jobs/${jobId}`), { method: 'DELETE' });
          state.done += 1;
        } catch {
          state.failed += 1;
        }
        setProgress({ ...state });
      }
    };
    await Promise.all(Array.from({ length: TOGETHER }, work));
    setProgress(null);
    await client.invalidateQueries({ queryKey: jobsKey(environment) });
    return state;
  };
  return { progress, apply };
}
