import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import type { StageSpan } from '../components/job-timeline.tsx';
import { apiPath } from './client.ts';
import { jobKey, jobQuery, jobRecordQuery } from './queries.ts';
import { serverNow } from './server-time.ts';
import type { EnvironmentName, Job } from './types.ts';

const hasEnded = (job: Job) => job.status === 'completed' || job.status === 'failed';

/** A job, renewed by its own stream until it has ended, and the stages that were seen to pass meanwhile. */
export function useLiveJob(environment: EnvironmentName, jobId: string) {
  const client = useQueryClient();
  const job = useQuery(jobQuery(environment, jobId));
  const [stages, setStages] = useState<StageSpan[]>([]);
  const ended = job.data === undefined || hasEnded(job.data);
  useEffect(() => {
    if (ended) return;
    const source = new EventSource(apiPath(environment, `/jobs/${jobId}/events`));
    source.addEventListener('job', (event) => {
      const next = JSON.parse(event.data) as Job;
      client.setQueryData(jobKey(environment, jobId), next);
      setStages((seen) => withStage(seen, next, serverNow()));
      if (hasEnded(next)) source.close();
      if (next.status !== 'queued') {
        void client.invalidateQueries({ queryKey: jobRecordQuery(environment, jobId).queryKey });
      }
    });
    return () => source.close();
  }, [client, environment, jobId, ended]);
  return { job, stages };
}

function withStage(seen: StageSpan[], job: Job, now: number): StageSpan[] {
  const last = seen.at(-1);
  const closed = (to: number) => (last?.to === null ? [...seen.slice(0, -1), { ...last, to }] : seen);
  if (job.status !== 'processing' || job.progress.stage === '') return hasEnded(job) ? closed(now) : seen;
  if (last?.to === null && last.stage === job.progress.stage) return seen;
  return [...closed(now), { stage: job.progress.stage, from: now, to: null }];
}
