import { z } from 'zod';
import { ENVIRONMENTS } from '../../operation.ts';
import { InstallChoice, type Missing } from '../../platform/install-choice.ts';
import type { FailingEndpoint } from '../webhooks/schema.ts';

export const ALERT_KINDS = ['jobs-failing', 'endpoint-failing', 'disk-low', 'install-needed', 'backup-failed'] as const;

export type AlertKind = (typeof ALERT_KINDS)[number];

const Time = z.iso.datetime({ precision: 3 });

export const Alert = z
  .object({
    alertId: z.string(),
    environment: z.enum(ENVIRONMENTS),
    kind: z
      .enum(ALERT_KINDS)
      .describe(
        'jobs-failing: jobs of an operation failed. endpoint-failing: a webhook of the owner is not answering. ' +
          'disk-low: the disk of the data folder. install-needed: jobs lack a model or program. ' +
          'backup-failed: the scheduled backup.',
      ),
    subject: z
      .string()
      .describe('What it is about: an operation, a webhook, the disk, the backup, or a need and its language.'),
    status: z.enum(['open', 'cleared']),
    title: z.string(),
    message: z.string().describe('What is wrong, and what to do.'),
    page: z.string().describe('Page of the window that mends it, as path and query.'),
    waitingJobs: z.int().min(0).describe('Jobs that wait for the installation.'),
    jobId: z.string().nullable().describe('The newest job that it concerns.'),
    install: InstallChoice.nullable().describe('What to install.'),
    installing: z.boolean().describe('Whether that is being installed.'),
    raisedAt: Time,
    updatedAt: Time,
    clearedAt: Time.nullable(),
  })
  .meta({ id: 'Alert' });

export type Alert = z.infer<typeof Alert>;

export const AlertList = z
  .object({
    open: z.array(Alert).describe('Newest first.'),
    recent: z.array(Alert).describe('Cleared alerts, newest first.'),
  })
  .meta({ id: 'AlertList' });

export type AlertList = z.infer<typeof AlertList>;

/** What an alert says, as it is stored. */
export type AlertFacts = JobsFailing | EndpointFailing | DiskLow | InstallNeeded | BackupFailed;

export interface JobsFailing {
  kind: 'jobs-failing';
  operationId: string;
  failures: number;
  /** Of the newest failure. */
  jobId: string;
  jobName: string;
  reason: string;
  failedAt: number;
  /** A job of the operation completed after the newest failure. */
  isMended: boolean;
}

export interface EndpointFailing extends FailingEndpoint {
  kind: 'endpoint-failing';
}

export interface DiskLow {
  kind: 'disk-low';
  freeBytes: number;
  limitBytes: number;
}

export interface BackupFailed {
  kind: 'backup-failed';
  reason: string;
}

export interface InstallNeeded {
  kind: 'install-needed';
  reason: string;
  /** Jobs that wait for it; 0 when jobs only failed without it. */
  waitingJobs: number;
  /** All of them wait for a node that has it and is away. */
  forNode: boolean;
  jobId: string;
  jobName: string;
  /** What a failed job lacked; null when jobs only waited. */
  missing: Missing | null;
  choice: InstallChoice | null;
}

/** A job that has ended, as its alert needs to know it. */
export interface EndedJob {
  id: string;
  account_id: string;
  operation_id: string;
  status: string;
  /** JSON: see `JobError`. */
  error: string | null;
  label: string;
}
