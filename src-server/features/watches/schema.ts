import { z } from 'zod';
import { webhookUrl } from '../../operation.ts';
import { CrawlRequest, SiteChange, SiteChangeCounts } from '../crawl/schema.ts';
import { JobError, SCHEDULED_FIELDS, Schedule, ShownSchedule, SOURCE_STATUSES, sourceName } from '../jobs/schema.ts';
import { JOB_EVENTS, webhookEvents, webhookSecret } from '../webhooks/schema.ts';

/** Watches of one environment: many times what one person looks after, and few enough to list. */
export const MAX_SITE_WATCHES = 500;

const Timestamp = z.iso.datetime({ precision: 3 });

/** What each run crawls: the request of `POST /crawl` without the fields of a single crawl. */
export const WatchedCrawl = CrawlRequest.omit({
  map: true,
  maxAge: true,
  priority: true,
  notify: true,
  webhookUrl: true,
});

export type WatchedCrawl = z.output<typeof WatchedCrawl>;

const WatchWebhook = z
  .strictObject({
    url: webhookUrl(),
    events: webhookEvents().optional().describe('crawl.changed alone when omitted.'),
    secret: webhookSecret().optional(),
  })
  .describe('A webhook for each run.');

export const SiteWatchRequest = z.strictObject({
  name: sourceName().optional().describe('The URL when omitted.'),
  crawl: WatchedCrawl,
  schedule: Schedule,
  webhook: WatchWebhook.optional(),
});

export type SiteWatchRequest = z.output<typeof SiteWatchRequest>;

export const SiteWatchUpdate = z.strictObject({
  name: sourceName().nullable().optional().describe('Null for the URL.'),
  crawl: WatchedCrawl.optional().describe('Replaces the request. The next run then has nothing to compare with.'),
  schedule: Schedule.optional(),
  webhook: WatchWebhook.nullable().optional().describe('Null removes it.'),
  status: z.enum(SOURCE_STATUSES).optional().describe('A paused watch runs only when asked to.'),
});

export type SiteWatchUpdate = z.output<typeof SiteWatchUpdate>;

export const RUN_STATUSES = ['running', 'completed', 'failed'] as const;

export const SiteWatchRun = z
  .object({
    jobId: z.string().describe('The crawl, which also names the run. Its result expires like that of other jobs.'),
    jobKept: z.boolean().describe('Whether the job still has its result.'),
    cause: z.enum(['schedule', 'owner']),
    status: z.enum(RUN_STATUSES),
    isFirst: z.boolean().describe('It had nothing to compare with.'),
    counts: SiteChangeCounts.nullable().describe('Null until the run is completed.'),
    error: JobError.omit({ attempts: true }).nullable(),
    startedAt: Timestamp,
    endedAt: Timestamp.nullable(),
  })
  .meta({ id: 'SiteWatchRun' });

export type SiteWatchRun = z.infer<typeof SiteWatchRun>;

export const SiteWatch = z
  .object({
    watchId: z.string(),
    name: z.string().nullable(),
    crawl: WatchedCrawl,
    schedule: ShownSchedule,
    webhook: z
      .object({ url: z.string(), events: z.array(z.enum(JOB_EVENTS)), hasSecret: z.boolean() })
      .nullable()
      .describe('Its secret is never shown.'),
    ...SCHEDULED_FIELDS,
    lastRun: SiteWatchRun.nullable(),
    lastChangeAt: Timestamp.nullable().describe('End of the last run that found changes.'),
    createdAt: Timestamp,
    updatedAt: Timestamp,
  })
  .meta({ id: 'SiteWatch' });

export type SiteWatch = z.infer<typeof SiteWatch>;

/** A version in the history of a page. `first`: the first run read it. */
const PageVersionChange = z.enum([...SiteChange.shape.change.options, 'first']);

export const SitePageVersion = SiteChange.omit({ change: true })
  .extend({
    change: PageVersionChange,
    jobId: z.string().nullable().describe('The run that found it; null when the run is no longer kept.'),
    at: Timestamp.describe('When the page was read, or found to be gone.'),
    diffKept: z.boolean().describe('False when the diff was removed to keep within the limits of the settings.'),
  })
  .meta({ id: 'SitePageVersion' });

export type SitePageVersion = z.infer<typeof SitePageVersion>;
