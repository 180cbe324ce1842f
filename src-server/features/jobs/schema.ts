import { z } from 'zod';
import { JobProgress, languageHint, segmentLength } from '../../operation.ts';
import { ERROR_CODES, JOB_ERROR_CODES } from '../../platform/error-codes.ts';
import type { Upload } from '../../platform/files/uploads.ts';
import { ORIGIN } from '../../platform/http/examples.ts';
import { CHOICES_MAX, InstallChoice, NEEDS } from '../../platform/install-choice.ts';
import type { KeyIdentity } from '../../platform/named-key.ts';
import { say, tell } from '../../platform/text/say.ts';
import { LedgerEntry } from '../payments/schema.ts';
import { type Labels, Tag } from './labels.ts';

export const JOB_STATUSES = ['queued', 'processing', 'completed', 'failed'] as const;

export type JobStatus = (typeof JOB_STATUSES)[number];

const Timestamp = z.iso.datetime({ precision: 3 });

export const JobError = z
  .object({
    code: z.enum(JOB_ERROR_CODES),
    message: z.string().describe('What to do next, in one sentence.'),
    retryable: z.boolean().describe('Whether the same request may succeed later.'),
    attempts: z.int().min(0).describe('Number of attempts.'),
  })
  .meta({ id: 'JobError' });

export type JobError = z.infer<typeof JobError>;

const WAIT_KINDS = ['model', 'program', 'node', 'thread', 'payment'] as const;

/** It has no field `status`: a script that looks for the job's own finds one only. */
const WaitingFor = z
  .object({
    kind: z.enum(WAIT_KINDS).describe('`thread`: its turn, or a free thread of this machine or a node.'),
    name: z.string().describe('Name of the model, program or node; of a model, the one that is or can be installed.'),
    title: z.string(),
    reason: z.string().describe('Why it waits, in one sentence.'),
    sizeBytes: z.int().min(0).optional().describe('Size of the download.'),
    percent: z.number().min(0).max(100).optional().describe('Of the download; present only while it is installed.'),
    problem: z
      .object({ code: z.enum(ERROR_CODES), message: z.string() })
      .optional()
      .describe('Nothing ends the wait by itself: what does, in a sentence or two.'),
    need: z.enum(NEEDS).optional().describe('What the work needs; absent while it waits for a thread.'),
    language: z.string().nullable().optional().describe('ISO code of the language that the work needs.'),
    choices: z.array(InstallChoice).max(CHOICES_MAX).describe('What can be installed, the recommended one first.'),
    nodes: z
      .array(z.string())
      .describe('Names of the nodes that have it and are away: the job runs once one is back. Empty without any.'),
  })
  .meta({ id: 'WaitingFor' });

export type WaitingFor = z.infer<typeof WaitingFor>;

/** The job object: the answer of `GET /jobs/{jobId}`, the callback's body and the dashboard's row. */
export const Job = z
  .object({
    jobId: z.string().describe('Identifier of the job. It grants access to the job.'),
    jobType: z.string().describe('The operation, for example extract/pdf.'),
    status: z.enum(JOB_STATUSES),
    createdAt: Timestamp,
    updatedAt: Timestamp,
    statusUrl: z.url().describe('The URL of GET /jobs/{jobId}.'),
    result: z.record(z.string(), z.unknown()).nullable().describe('Null until the job is completed.'),
    events: z.array(z.string()).describe('Events with a subscription on this job.'),
    progress: JobProgress,
    expiresAt: Timestamp.nullable().describe(
      'When result and files are removed; null until the job has ended, and for what the owner keeps in the library.',
    ),
    error: JobError.optional().describe('Present only when the status is failed.'),
    sourceName: z.string().optional(),
    tags: z.array(z.string()).optional().describe('From `Quarry-Tags`; absent without any.'),
    metadata: z.record(z.string(), z.string()).optional().describe('From `Quarry-Metadata`; absent without any.'),
    etaSeconds: z
      .number()
      .min(1)
      .optional()
      .describe('Estimated seconds left, while queued or processing; absent where no estimate is better than a guess.'),
    waitingFor: WaitingFor.optional().describe('Present only while the job waits: what for, and what ends the wait.'),
    node: z.string().optional().describe('The node of the fleet that runs it, or ran it last; absent on this machine.'),
  })
  .meta({ id: 'Job' });

export type Job = z.infer<typeof Job>;

export function isTerminal(status: JobStatus): boolean {
  return status === 'completed' || status === 'failed';
}

/** An `Idempotency-Key` and the request that it was sent with. */
export interface Idempotency {
  /** The account, and the named key of the owner: tools do not meet each other's keys. */
  scope: string;
  key: string;
  /** The same request has the same hash. */
  requestHash: string;
}

/** Who gives the address of a webhook: an account, or a named key that acts for it. */
export interface WebhookMaker {
  accountId: string;
  key?: Pick<KeyIdentity, 'id'> | undefined;
}

/** A webhook target of a request. */
export interface SubscriptionDraft {
  url: string;
  events: string[];
  secret: string | null;
  name?: string | undefined;
}

/**
 * A validated request before it becomes a job. It is stored with a payment's reservation, so that the payer gets the
 * job even if the process dies between settlement and insertion (decisions 4).
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
  /** Oldest completed job that the key may name; absent for any. */
  maxAgeSeconds?: number;
  /** Webhook targets named in the request (`webhookUrl`, `notify`). */
  subscriptions: SubscriptionDraft[];
  /** The watch that submits the job. */
  watchId?: string;
  labels?: Labels;
  idempotency?: Idempotency;
  /** The named key of the request, with the unfinished jobs that it may have; null for no limit. */
  key?: Pick<KeyIdentity, 'id' | 'name' | 'openJobs'> & { isDevice: boolean };
  /** The host that the owner named, as `PrivateHost.host`; null for public hosts only. */
  privateHost: string | null;
  /** The header of the request, as it came. */
  traceparent?: string | undefined;
  /** Set when the job may wait for an installation; `wait` when it does so from the start. */
  install?: { onMissing: string; wait?: { onMissing: string; waitingFor: string; message: string } };
}

/** Work to repeat with many sources: an operation, and what its requests have in common. */
export const Recipe = z
  .strictObject({
    operation: z.string().min(1).max(100).describe('The operation: `extract/doc`, `extract/video`, …'),
    request: z
      .record(z.string(), z.unknown())
      .default({})
      .describe('The body of each request, without the source: `{"options": {…}, "webhookUrl": "https://…"}`.'),
  })
  .meta({ id: 'Recipe', example: { operation: 'extract/doc', request: { options: { segmentLength: 800 } } } });

export type Recipe = z.output<typeof Recipe>;

const DAY_MINUTES = 24 * 60;

/** When a watched site or feed is read. */
export const Schedule = z.strictObject({
  everyMinutes: z
    .int()
    .min(5)
    .max(366 * DAY_MINUTES)
    .describe('Minutes from one run to the next: 60 is an hour, 1440 a day, 10080 a week.'),
  timeOfDay: z
    .string()
    .regex(/^(?:[01]\d|2[0-3]):[0-5]\d$/, say`Give hours and minutes, such as 06:30.`)
    .nullable()
    .default(null)
    .describe('In the time zone of this computer. Only with an interval of whole days.'),
});

export type Schedule = z.output<typeof Schedule>;

export const SOURCE_STATUSES = ['active', 'paused'] as const;

/** The name of a watched site, folder or feed. */
export const sourceName = () => z.string().trim().min(1).max(120);

export const ShownSchedule = z.object({ everyMinutes: z.int(), timeOfDay: z.string().nullable() });

/** What watched sites and feeds show of their maker and their times. */
export const SCHEDULED_FIELDS = {
  status: z.enum(SOURCE_STATUSES),
  keyId: z.string().optional().describe('The named key that made it. It pauses when the key ends.'),
  keyName: z.string().optional(),
  notice: z.string().optional().describe('Why it pauses, when its key has ended.'),
  nextRunAt: Timestamp.nullable().describe('Null while it is paused.'),
};

/** When a job ran, in milliseconds. */
export interface JobTimes {
  operationId: string;
  status: JobStatus;
  createdAt: number;
  startedAt: number | null;
  endedAt: number | null;
}

/** Orders of the owner's list, by the time of acceptance. */
export const JOB_ORDERS = ['newest', 'oldest'] as const;

export type JobOrder = (typeof JOB_ORDERS)[number];

const PAGE_MAX = 200;

/** Query of `GET /jobs`. */
export const JobListQuery = z.strictObject({
  status: z.enum(JOB_STATUSES).optional().describe('Only jobs in this status.'),
  jobType: z.string().max(100).optional().describe('Only jobs of this operation.').meta({ example: 'extract/doc' }),
  tag: Tag.optional().describe('Only jobs with this tag.').meta({ example: 'invoices' }),
  cursor: z
    .string()
    .regex(/^\d{1,15}$/, tell`Give the nextCursor of the page before.`)
    .optional()
    .describe('The `nextCursor` of the page before.'),
  limit: z.coerce.number().int().min(1).max(PAGE_MAX).default(50).describe('Jobs per page.'),
});

/** A page of `GET /jobs`. */
export const JobPage = z.object({
  jobs: z.array(Job),
  nextCursor: z.string().nullable().describe('Give it as `cursor` for the next page; null on the last.'),
});

/** A job in the owner's lists: without its result, with what the lists show. */
const ListedJob = Job.extend({
  label: z.string().describe('Its name in lists.'),
  accountId: z.string().describe("The account that made it; `owner` for the owner's jobs."),
  startedAt: z.iso.datetime({ precision: 3 }).nullable().describe('When its first run began.'),
  endedAt: z.iso.datetime({ precision: 3 }).nullable(),
  variant: z.string().nullable().describe('What the request makes, where results of the operation differ: music.'),
  watchId: z.string().nullable().describe('The watch of a site, folder or feed that submitted it.'),
  siteChanged: z.boolean().describe('Whether that watch found changes.'),
  keyName: z.string().nullable().describe('The key that made it; null without one.'),
  paid: LedgerEntry.pick({ amount: true, mode: true, status: true }).nullable().describe('Null for a job without one.'),
}).meta({ id: 'ListedJob' });

export const ListedJobPage = z
  .object({ jobs: z.array(ListedJob), nextCursor: z.string().nullable() })
  .meta({ id: 'ListedJobPage' });

/** Body of `POST /jobs/{jobId}/chunks`: other chunks of the document, without another extraction. */
export const RechunkRequest = z.strictObject({
  segmentLength: segmentLength(1000),
  language: languageHint().optional(),
});

export type RechunkRequest = z.output<typeof RechunkRequest>;

const EXAMPLE_JOB_ID = 'job_3v1cQm0pXbJ2nT8yLk5sWd7RfGh';

const EXAMPLE_STATUS_URL = `${ORIGIN}/v1/jobs/${EXAMPLE_JOB_ID}`;

const EXAMPLE_TEXTS = [
  'The year began quietly, and sales were flat until March.',
  'Sales rose in the second quarter and stayed there.',
] as const;

const EXAMPLE_TEXT = EXAMPLE_TEXTS.join('\n\n');

const EXAMPLE_LETTERS = EXAMPLE_TEXT.match(/[\p{L}\p{N}]/gu)?.length ?? 0;

/** The finished job of all examples. */
export const EXAMPLE_JOB: Job = {
  jobId: EXAMPLE_JOB_ID,
  jobType: 'extract/doc',
  status: 'completed',
  createdAt: '2026-03-02T09:30:00.000Z',
  updatedAt: '2026-03-02T09:30:00.412Z',
  statusUrl: EXAMPLE_STATUS_URL,
  result: {
    chunks: [
      {
        id: 'chk_cbecfc0e7834fa06c9d7040951bd1cfb',
        text: EXAMPLE_TEXT,
        page: 1,
        segmentIndex: 0,
        kind: 'text',
        pageEnd: 1,
        startOffset: 0,
        endOffset: EXAMPLE_TEXT.length,
        tokens: 28,
      },
    ],
    document: {
      format: 'docx',
      title: 'Annual report',
      author: null,
      pages: 1,
      words: 19,
      characters: EXAMPLE_TEXT.length,
      language: 'en',
      revisions: 'none',
      tokenizer: 'quarry-estimate-1',
    },
    files: ['document.md', 'document.txt', 'chunks.jsonl', 'docling.json'].map((name) => {
      return { name, url: `${EXAMPLE_STATUS_URL}/files/${name}` };
    }),
    account: { unit: 'letters', source: EXAMPLE_LETTERS, delivered: EXAMPLE_LETTERS, leftOut: [], unexplained: 0 },
    warnings: [],
  },
  events: ['job.completed'],
  progress: { percent: 100, stage: 'completed', message: 'Done.' },
  expiresAt: '2026-03-05T09:30:00.412Z',
  sourceName: 'Annual report',
};

/** The chunks of that job, cut at 50 characters. */
export const EXAMPLE_CHUNKS = EXAMPLE_TEXTS.map((text, segmentIndex) => {
  const startOffset = EXAMPLE_TEXT.indexOf(text);
  const id = ['chk_550bfffc5ccf3bfeaa92ca9ab7574358', 'chk_7b4226f88f7e5f624eec5fb467c68794'][segmentIndex] ?? '';
  return { id, text, page: 1, segmentIndex, kind: 'text' as const, startOffset, endOffset: startOffset + text.length };
});
