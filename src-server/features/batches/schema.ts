import { z } from 'zod';
import { httpUrl, webhookUrl } from '../../operation.ts';
import { ORIGIN } from '../../platform/http/examples.ts';
import { tell } from '../../platform/text/say.ts';
import { Recipe } from '../jobs/schema.ts';
import { LedgerEntry } from '../payments/schema.ts';
import { webhookSecret } from '../webhooks/schema.ts';

/** Items of one batch. */
export const MAX_ITEMS = 200;

/** Unfinished batches of one account. */
export const MAX_OPEN_BATCHES = 100;

const MAX_URL_CHARS = 2048;

const MAX_SOURCE_NAME = 300;

const DEFAULT_PAGE = 50;

const Timestamp = z.iso.datetime({ precision: 3 });

const BatchAddress = z.strictObject({
  sourceUrl: httpUrl(MAX_URL_CHARS).describe('Address of the source; for a crawl the page it starts at.'),
  sourceName: z.string().min(1).max(MAX_SOURCE_NAME).optional().describe('A label stored with the result.'),
});

/** The body of `POST /batches`, and the field `batch` of its form. */
export const BatchRequest = z
  .strictObject({
    operation: Recipe.shape.operation,
    request: z
      .record(z.string(), z.unknown())
      .default({})
      .describe('What all requests have in common, without the source: `{"options": {…}}`.'),
    items: z
      .array(BatchAddress)
      .max(MAX_ITEMS)
      .default([])
      .describe(`Addresses. Together with the files of the form at least 1 and at most ${MAX_ITEMS}.`),
    webhookUrl: webhookUrl()
      .optional()
      .describe('URL that is called once, with `batch.completed`, when the last job has ended.'),
    webhookSecret: webhookSecret().optional(),
  })
  .refine(({ webhookUrl, webhookSecret }) => webhookSecret === undefined || webhookUrl !== undefined, {
    error: tell`Give webhookUrl too.`,
    path: ['webhookSecret'],
  })
  .meta({ id: 'BatchRequest' });

export type BatchRequest = z.output<typeof BatchRequest>;

export const BATCH_STATUSES = ['processing', 'completed', 'cancelled'] as const;

export type BatchStatus = (typeof BATCH_STATUSES)[number];

export const ITEM_STATUSES = ['waiting', 'processing', 'completed', 'failed', 'cancelled'] as const;

export type ItemStatus = (typeof ITEM_STATUSES)[number];

export const Batch = z
  .object({
    batchId: z.string(),
    operation: z.string(),
    status: z
      .enum(BATCH_STATUSES)
      .describe('`completed`: all items have ended, also those that failed. `cancelled`: ended by DELETE.'),
    statusUrl: z.string(),
    counts: z.object({
      waiting: z.int().describe('Items that have no job yet.'),
      processing: z.int().describe('Items whose job has not ended.'),
      completed: z.int(),
      failed: z.int(),
      cancelled: z.int(),
    }),
    paid: LedgerEntry.pick({ amount: true, mode: true, status: true })
      .nullable()
      .describe('The payment that bought the whole batch; null for a batch of the owner.'),
    keyId: z.string().optional().describe('The named key that made it. When the key ends, its items wait.'),
    keyName: z.string().optional(),
    notice: z.string().optional().describe('Why its items wait, and what to do.'),
    tags: z.array(z.string()).optional().describe('Of the batch and all its jobs, from `Quarry-Tags`.'),
    metadata: z.record(z.string(), z.string()).optional().describe('From `Quarry-Metadata`.'),
    createdAt: Timestamp,
    endedAt: Timestamp.nullable(),
    expiresAt: Timestamp.nullable().describe('When the batch is forgotten; null until it has ended.'),
  })
  .meta({ id: 'Batch' });

export type Batch = z.infer<typeof Batch>;

export const BatchItem = z
  .object({
    index: z.int().describe('From 0: `items` in their order, then the files in theirs.'),
    sourceUrl: z.string().nullable().describe('Null for a file.'),
    fileName: z.string().nullable().describe('Null for an address, and for a file without a name.'),
    status: z.enum(ITEM_STATUSES).describe('`waiting`: becomes a job when earlier items have ended.'),
    jobId: z.string().nullable(),
    error: z
      .object({ code: z.string(), message: z.string(), retryable: z.boolean() })
      .nullable()
      .describe('Why it failed: the error of the job, or why there is no job.'),
    endedAt: Timestamp.nullable(),
  })
  .meta({ id: 'BatchItem' });

export type BatchItem = z.infer<typeof BatchItem>;

export const BatchPage = Batch.extend({
  items: z.array(BatchItem),
  nextCursor: z.string().nullable().describe('Give it as `cursor` for the next page; null on the last one.'),
}).meta({ id: 'BatchPage' });

/** The body of `batch.completed`. */
export const EndedBatch = Batch.extend({ failures: z.array(BatchItem) }).meta({ id: 'EndedBatch' });

const batchCursorParam = () =>
  z
    .string()
    .regex(/^\d{1,15}$/, tell`Give the nextCursor of the page before.`)
    .optional();

const batchLimitParam = () => z.coerce.number().int().min(1).max(MAX_ITEMS).default(DEFAULT_PAGE);

/** The query of `POST /batches`. */
export const BatchOrder = z.strictObject({
  operation: z.string().min(1).max(100).optional().describe('The operation of the batch. Callers who pay give it.'),
  items: z.coerce
    .number()
    .int()
    .min(1)
    .max(MAX_ITEMS)
    .optional()
    .describe('Addresses and files together. Callers who pay give it: the price is so many requests.'),
});

export const BatchListQuery = z.strictObject({ limit: batchLimitParam(), cursor: batchCursorParam() });

export const BatchQuery = z.strictObject({
  status: z.enum(ITEM_STATUSES).optional().describe('Only items in this status.'),
  limit: batchLimitParam(),
  cursor: batchCursorParam(),
});

export const EXAMPLE_BATCH = {
  batchId: 'bat_3hG7sKq0Xb2LwYc9VtZpRd',
  operation: 'extract/doc',
  status: 'processing',
  statusUrl: `${ORIGIN}/v1/batches/bat_3hG7sKq0Xb2LwYc9VtZpRd`,
  counts: { waiting: 1, processing: 1, completed: 0, failed: 0, cancelled: 0 },
  paid: null,
  createdAt: '2026-03-02T10:00:00.000Z',
  endedAt: null,
  expiresAt: null,
} satisfies Batch;
