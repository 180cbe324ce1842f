import { queryOptions, skipToken, useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { ApiError, apiPath } from './client.ts';
import { followEventStream } from './event-stream.ts';
import type { Job } from './generated/public.ts';
import type { EnvironmentName } from './names.ts';
import { hasEnded, jobKey, jobQuery, jobRecordQuery } from './queries.ts';

const GONE = [404, 410];

/** Whether the server reports that the job does not exist. */
export function isGone(error: Error | null): boolean {
  return error instanceof ApiError && GONE.includes(error.status);
}

/** Words of a talk that is being transcribed. */
export interface LiveWords {
  index: number;
  start: number;
  end: number;
  text: string;
}

/** The words that the stream of a job sent so far. */
export const liveWordsQuery = (environment: EnvironmentName, jobId: string) =>
  queryOptions<LiveWords[]>({
    queryKey: ['live-words', environment, jobId],
    queryFn: skipToken,
    staleTime: Number.POSITIVE_INFINITY,
  });

/** A stream that begins again sends the words again. */
function withWords(known: readonly LiveWords[] = [], segments: readonly LiveWords[]): LiveWords[] {
  const first = segments[0]?.index ?? Number.POSITIVE_INFINITY;
  return [...known.filter(({ index }) => index < first), ...segments];
}

/**
 * A job with live updates from its own stream until it ends. Refetches its record when the stage changes. After the
 * end, the small record reports changes that no stream sent.
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
  // The server sends no events about a deleted job.
  const ended = job.data === undefined || hasEnded(job.data) || job.isError;
  useEffect(() => {
    if (ended) return;
    let known = '';
    const stop = followEventStream(apiPath(environment, `/jobs/${jobId}/events`), {
      handlers: {
        segments: ({ segments }: { segments: LiveWords[] }) => {
          const { queryKey } = liveWordsQuery(environment, jobId);
          client.setQueryData(queryKey, (known) => withWords(known, segments));
        },
        job: (next: Job) => {
          client.setQueryData(jobKey(environment, jobId), next);
          const stage = `${next.status} ${next.progress.stage}`;
          if (stage !== known) void client.invalidateQueries({ queryKey: jobRecordQuery(environment, jobId).queryKey });
          known = stage;
          // The server ends the stream with the job, which is not an interruption.
          if (hasEnded(next)) stop();
        },
      },
      // The job may have been deleted. Only a request shows this.
      onRefused: () => void client.invalidateQueries({ queryKey: jobKey(environment, jobId), exact: true }),
    });
    return stop;
  }, [client, environment, jobId, ended]);
  return job;
}
