import { z } from 'zod';
import { httpUrl } from '../../operation.ts';
import {
  JobError,
  Recipe,
  SCHEDULED_FIELDS,
  Schedule,
  ShownSchedule,
  SOURCE_STATUSES,
  sourceName,
} from '../jobs/schema.ts';

/** Feeds of one environment. */
export const MAX_FEEDS = 500;

const MAX_URL_CHARS = 2048;

/** Entries of one reading that become jobs. A feed could otherwise fill the queue. */
export const MAX_NEW_ENTRIES = 100;

const DEFAULT_FIRST = 3;

const Timestamp = z.iso.datetime({ precision: 3 });

const entryPartField = () =>
  z
    .enum(['auto', 'enclosure', 'link'])
    .describe('What of an entry is read. `auto`: its attachment that is no picture, else its page.');

export const FeedRequest = z.strictObject({
  url: httpUrl(MAX_URL_CHARS).describe('Address of an RSS, Atom or JSON feed.'),
  name: sourceName().optional().describe('The title of the feed when omitted.'),
  recipe: Recipe.describe('What becomes of each entry. The operation reads addresses.'),
  takes: entryPartField().default('auto'),
  first: z
    .int()
    .min(0)
    .max(MAX_NEW_ENTRIES)
    .default(DEFAULT_FIRST)
    .describe('Number of entries that the first reading takes, the newest. Older ones are never taken.'),
  schedule: Schedule.describe('When the feed is read.'),
});

export type FeedRequest = z.output<typeof FeedRequest>;

export const FeedUpdate = z.strictObject({
  name: sourceName().nullable().optional().describe('Null for the title of the feed.'),
  recipe: Recipe.optional().describe('For entries that come from now on.'),
  takes: entryPartField().optional(),
  schedule: Schedule.optional(),
  status: z.enum(SOURCE_STATUSES).optional(),
});

export type FeedUpdate = z.output<typeof FeedUpdate>;

export const ENTRY_STATUSES = ['waiting', 'processing', 'completed', 'failed', 'skipped'] as const;

export type EntryStatus = (typeof ENTRY_STATUSES)[number];

export const Feed = z
  .object({
    feedId: z.string(),
    name: z.string().nullable(),
    title: z.string().nullable().describe('As the feed says; null until it has been read.'),
    url: z.string(),
    recipe: Recipe,
    takes: entryPartField(),
    first: z.int(),
    schedule: ShownSchedule,
    ...SCHEDULED_FIELDS,
    checkedAt: Timestamp.nullable().describe('When the feed was last asked for.'),
    error: z.string().nullable().describe('Why it could not be read then; null when it was, or has not changed.'),
    counts: z.object({
      waiting: z.int(),
      processing: z.int(),
      completed: z.int(),
      failed: z.int(),
      skipped: z.int(),
    }),
    createdAt: Timestamp,
    updatedAt: Timestamp,
  })
  .meta({ id: 'Feed' });

export type Feed = z.infer<typeof Feed>;

export const FeedEntry = z
  .object({
    entryId: z.string(),
    title: z.string().nullable(),
    url: z.string().nullable().describe('The address that is read.'),
    publishedAt: Timestamp.nullable(),
    jobId: z.string().nullable(),
    jobKept: z.boolean().describe('Whether the job still has its result.'),
    status: z
      .enum(ENTRY_STATUSES)
      .describe(
        '`waiting`: becomes a job soon. `skipped`: older than the first entries, beyond the limit, or without address.',
      ),
    error: JobError.omit({ attempts: true }).nullable(),
    foundAt: Timestamp,
    endedAt: Timestamp.nullable(),
  })
  .meta({ id: 'FeedEntry' });

export type FeedEntry = z.infer<typeof FeedEntry>;
