import { z } from 'zod';
import { JOB_ERROR_CODES } from '../../platform/errors.ts';

export const JOB_STATUSES = ['queued', 'processing', 'completed', 'failed'] as const;
export type JobStatus = (typeof JOB_STATUSES)[number];

export const JOB_EVENTS = ['job.completed', 'job.failed'] as const;
export type JobEvent = (typeof JOB_EVENTS)[number];

/** Priorities in the order of their stored number: low 0, normal 1, high 2. */
export const PRIORITIES = ['low', 'normal', 'high'] as const;
export type Priority = (typeof PRIORITIES)[number];

/** Classes of work: a lane that is full never delays a job of another lane. */
export const LANES = ['light', 'heavy', 'network'] as const;
export type Lane = (typeof LANES)[number];

const Timestamp = z.iso.datetime({ precision: 3 });

export const JobError = z
  .object({
    code: z.enum(JOB_ERROR_CODES),
    message: z.string().describe('What to do next, in one sentence.'),
    retryable: z.boolean().describe('Whether the same request may succeed later.'),
    attempts: z.int().min(0).describe('How often the work was begun.'),
  })
  .meta({ id: 'JobError' });
export type JobError = z.infer<typeof JobError>;

export const JobProgress = z
  .object({
    percent: z.number().min(0).max(100),
    stage: z.string(),
    message: z.string(),
  })
  .meta({ id: 'JobProgress' });
export type JobProgress = z.infer<typeof JobProgress>;

/** The job object: the answer of `GET /jobs/{jobId}`, the callback's body and the dashboard's row. */
export const Job = z
  .object({
    jobId: z.string(),
    jobType: z.string().describe('The operation, for example extract/pdf.'),
    status: z.enum(JOB_STATUSES),
    createdAt: Timestamp,
    updatedAt: Timestamp,
    statusUrl: z.url(),
    result: z.record(z.string(), z.unknown()).nullable().describe('Null until the job is completed.'),
    events: z.array(z.string()).describe('Events somebody subscribed to on this job.'),
    progress: JobProgress,
    expiresAt: Timestamp.nullable().describe('When result and files go; null until the job has ended.'),
    error: JobError.optional().describe('Present only when the status is failed.'),
    sourceName: z.string().optional(),
    etaSeconds: z.number().min(0).optional().describe('Estimated seconds left, while queued or processing.'),
  })
  .meta({ id: 'Job' });
export type Job = z.infer<typeof Job>;

/** What a run of an operation is expected to take before this machine has run one. */
export interface RunGuess {
  seconds: number;
  /** Counts where the file came with the request. */
  secondsPerMegabyte: number;
}

export function isTerminal(status: JobStatus): boolean {
  return status === 'completed' || status === 'failed';
}
