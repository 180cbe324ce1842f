import { z } from 'zod';
import { JobProgress, languageHint, segmentLength } from '../../operation.ts';
import { JOB_ERROR_CODES } from '../../platform/errors.ts';
import type { Upload } from '../../platform/files/uploads.ts';
import type { SubscriptionDraft } from '../webhooks/schema.ts';

export const JOB_STATUSES = ['queued', 'processing', 'completed', 'failed'] as const;

export type JobStatus = (typeof JOB_STATUSES)[number];

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

export function isTerminal(status: JobStatus): boolean {
  return status === 'completed' || status === 'failed';
}

/**
 * A validated request that is about to become a job. It is stored with a payment's reservation, so that a process that
 * dies between settlement and insertion can still give the payer the job (decisions 4).
 */
export interface JobDraft {
  jobId: string;
  operationId: string;
  accountId: string;
  /** The request as `operation.request` parsed it. */
  request: Record<string, unknown>;
  /** Already moved into the job's folder. */
  upload: Upload | null;
  priority: number;
  dedupeKey: string | null;
  /** Webhook targets named in the request (`webhookUrl`, `notify`). */
  subscriptions: SubscriptionDraft[];
}

const PAGE_MAX = 200;

/** Query of `GET /jobs`. */
export const JobListQuery = z.strictObject({
  status: z.enum(JOB_STATUSES).optional(),
  jobType: z.string().max(100).optional(),
  cursor: z
    .string()
    .regex(/^\d{1,15}$/, 'Give the nextCursor of the page before.')
    .optional(),
  limit: z.coerce.number().int().min(1).max(PAGE_MAX).default(50),
});

/** Body of `POST /jobs/{jobId}/chunks`: new chunks of the document, which is not extracted again. */
export const RechunkRequest = z.strictObject({
  segmentLength: segmentLength(1000),
  language: languageHint().optional(),
});

export type RechunkRequest = z.output<typeof RechunkRequest>;
