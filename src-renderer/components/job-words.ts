import type { Job } from '../api/generated/public.ts';
import { texts } from '../texts.ts';
import { duration, shortId } from './format.ts';

const SECOND_MS = 1000;

const MINUTE_S = 60;

/** Display name of a job: label, source name, or shortened ID. */
export function jobName(job: Pick<Job, 'jobId' | 'sourceName'> & { label?: string | undefined }): string {
  return job.label || job.sourceName || shortId(job.jobId);
}

/** The remaining time; empty if there is no estimate or it has elapsed. */
export function timeLeft({ etaSeconds = 0 }: Pick<Job, 'etaSeconds'>): string {
  if (etaSeconds === 0) return '';
  return texts.jobs.remaining(etaSeconds < MINUTE_S ? `${etaSeconds} s` : duration(etaSeconds * SECOND_MS));
}
