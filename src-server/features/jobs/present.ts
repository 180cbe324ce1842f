import type { JobProgress } from '../../contract/index.ts';
import { toIsoTime } from '../../platform/clock.ts';
import type { JobRow } from './store.ts';

/** What of a job's row is shown. */
type ShownJob = Pick<
  JobRow,
  | 'id'
  | 'operation_id'
  | 'status'
  | 'source_name'
  | 'events'
  | 'progress_percent'
  | 'progress_stage'
  | 'progress_message'
  | 'estimated_ms'
  | 'error'
  | 'created_at'
  | 'updated_at'
  | 'started_at'
  | 'expires_at'
>;

/** Below this share done, the share says too little about the time left. */
const TRUSTED_PERCENT = 5;

/**
 * The job object, as JSON text: the answer of `GET /jobs/{jobId}`, the callback's body and the dashboard's row are all
 * this. The stored result is spliced in as it is, so that a result of megabytes costs the server's thread no parsing.
 *
 * @param baseUrl absolute, ends with the version prefix: `http://127.0.0.1:8402/v1`
 */
export function presentJson(job: ShownJob, result: string | null, baseUrl: string, now: number): string {
  const { before, after } = presentAround(job, baseUrl, now);
  return (
    before + (job.status === 'completed' && result !== null ? presentResult(job.id, result, baseUrl) : 'null') + after
  );
}

/** The job object's text before and after its result. @param first fields that stand before the job's own */
export function presentAround(
  job: ShownJob,
  baseUrl: string,
  now: number,
  first: Record<string, unknown> = {},
): { before: string; after: string } {
  const head = JSON.stringify({ ...first, ...headOf(job, baseUrl) });
  return { before: `${head.slice(0, -1)},"result":`, after: `,${JSON.stringify(tailOf(job, now)).slice(1)}` };
}

/** A stored result's text, with the addresses of its files. */
export function presentResult(jobId: string, result: string, baseUrl: string): string {
  const { from, to } = fileUrlsOf(jobId, statusUrlOf(jobId, baseUrl));
  return result.replaceAll(from, to);
}

/** The job object in the pieces a callback is made of; `presentJson` is the same as one text. */
export interface JobPieces {
  /** All but the result. */
  head: Record<string, unknown>;
  /** JSON text of the result, `null` where a job has none. */
  result: string | { storedBytes: number };
  /** How a stored result names its files, and what stands there instead. */
  fileUrls: FileUrls;
}

export interface FileUrls {
  from: string;
  to: string;
}

/** @param result the stored text, or its length when it is too long to be had at once; null without one */
export function presentPieces(
  job: ShownJob,
  result: string | { storedBytes: number } | null,
  baseUrl: string,
  now: number,
): JobPieces {
  const head = headOf(job, baseUrl);
  const fileUrls = fileUrlsOf(job.id, head.statusUrl);
  const shown = job.status === 'completed' && result !== null ? result : 'null';
  return {
    head: { ...head, ...tailOf(job, now) },
    result: typeof shown === 'string' ? shown.replaceAll(fileUrls.from, fileUrls.to) : shown,
    fileUrls,
  };
}

function headOf(job: ShownJob, baseUrl: string) {
  return {
    jobId: job.id,
    jobType: job.operation_id,
    status: job.status,
    createdAt: toIsoTime(job.created_at),
    updatedAt: toIsoTime(job.updated_at),
    statusUrl: statusUrlOf(job.id, baseUrl),
  };
}

function statusUrlOf(jobId: string, baseUrl: string): string {
  return `${baseUrl}/jobs/${jobId}`;
}

function fileUrlsOf(jobId: string, statusUrl: string): FileUrls {
  return { from: `"urn:quarry:${jobId}:`, to: `"${statusUrl}/files/` };
}

function tailOf(job: ShownJob, now: number): Record<string, unknown> {
  return {
    events: JSON.parse(job.events) as string[],
    progress: progressOf(job),
    expiresAt: job.expires_at === null ? null : toIsoTime(job.expires_at),
    ...(job.error !== null && job.status === 'failed' ? { error: JSON.parse(job.error) as unknown } : {}),
    ...(job.source_name === null ? {} : { sourceName: job.source_name }),
    ...etaOf(job, now),
  };
}

export function progressOf(job: ShownJob): JobProgress {
  return { percent: job.progress_percent, stage: job.progress_stage, message: job.progress_message };
}

/** Seconds left: by the share done once that says something, before it by what such runs took on this machine. */
export function etaOf(job: ShownJob, now: number): { etaSeconds: number } | Record<string, never> {
  if (job.status === 'processing' && job.started_at !== null) {
    // A clock that was set back since has measured nothing.
    const elapsedMs = Math.max(0, now - job.started_at);
    if (job.progress_percent >= TRUSTED_PERCENT) {
      return seconds((elapsedMs * (100 - job.progress_percent)) / job.progress_percent);
    }
    if (job.estimated_ms !== null) return seconds(Math.max(0, job.estimated_ms - elapsedMs));
  }
  if (job.status === 'queued' && job.estimated_ms !== null) return seconds(job.estimated_ms);
  return {};
}

function seconds(milliseconds: number): { etaSeconds: number } {
  return { etaSeconds: Math.ceil(milliseconds / 1000) };
}

/**
 * A stored result names its files by this prefix, not by a URL: the address of the server may change between the run
 * and the reading. The job's id in it cannot be guessed, so no document can contain it by chance or on purpose.
 */
export function fileReference(jobId: string, name: string): string {
  return `urn:quarry:${jobId}:${encodeURIComponent(name)}`;
}
