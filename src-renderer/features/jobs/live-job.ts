import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { ApiError, apiPath } from '../../api/client.ts';
import { follow } from '../../api/event-stream.ts';
import type { Job } from '../../api/generated/public.ts';
import type { EnvironmentName } from '../../api/names.ts';
import { hasEnded, jobKey, jobQuery, jobRecordQuery } from '../../api/queries.ts';

const GONE = [404, 410];

/** Whether the server says that there is no such job, or none any more. */
export function isGone(error: Error | null): boolean {
  return error instanceof ApiError && GONE.includes(error.status);
}

/**
 * A job, renewed by its own stream until it has ended. Its record is read again when it enters another stage. Once it
 * has ended the record, which is small, tells whether something happened to it that no stream told of.
 */
export function useLiveJob(environment: EnvironmentName, jobId: string) {
  const client = useQueryClient();
  const job = useQuery(jobQuery(environment, jobId));
  const record = useQuery(jobRecordQuery(environment, jobId));
  const known = job.data !== undefined && hasEnded(job.data) ? job.data.updatedAt : undefined;
  const isOlder = known !== undefined && (isGone(record.error) || (record.data?.updatedAt ?? '') > known);
  useEffect(() => {
    if (isOlder) void client.invalidateQueries({ queryKey: jobKey(environment, jobId), exact: true });
  }, [client, environment, jobId, isOlder]);
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
