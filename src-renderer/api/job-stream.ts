import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { apiPath } from './client.ts';
import { follow } from './follow.ts';
import { hasEnded, jobKey, jobQuery, jobRecordQuery } from './queries.ts';
import type { EnvironmentName, Job } from './types.ts';

/** A job, renewed by its own stream until it has ended. Its record is read again when it enters another stage. */
export function useLiveJob(environment: EnvironmentName, jobId: string) {
  const client = useQueryClient();
  const job = useQuery(jobQuery(environment, jobId));
  // Of a job that is gone no word will come any more.
  const ended = job.data === undefined || hasEnded(job.data) || job.isError;
  useEffect(() => {
    if (ended) return;
    let known = '';
    const stop = follow(apiPath(environment, `/jobs/${jobId}/events`), {
      hear: {
        job: (data) => {
          const next = data as Job;
          client.setQueryData(jobKey(environment, jobId), next);
          const stage = `${next.status} ${next.progress.stage}`;
          if (stage !== known) void client.invalidateQueries({ queryKey: jobRecordQuery(environment, jobId).queryKey });
          known = stage;
          // The server ends the stream with the job, which is no interruption.
          if (hasEnded(next)) stop();
        },
      },
      // It may have been removed, which only an answer tells.
      onRefused: () => void client.invalidateQueries({ queryKey: jobKey(environment, jobId), exact: true }),
    });
    return stop;
  }, [client, environment, jobId, ended]);
  return job;
}
