import { extname } from 'node:path';
import { type Context, Hono } from 'hono';
import { z } from 'zod';
import { checkOperationId, ENVIRONMENTS, type EnvironmentName, PRIORITIES } from '../../operation.ts';
import { toIsoTime } from '../../platform/clock.ts';
import { QuarryError } from '../../platform/errors.ts';
import type { HttpEnv } from '../../platform/http/env.ts';
import { sendFile } from '../../platform/http/file-response.ts';
import { parseWithSchema, queryOf } from '../../platform/http/validate.ts';
import { fileTicket } from '../accounts/service.ts';
import type { Payments } from '../payments/service.ts';
import { ledgerEntryOfJob } from '../payments/service.ts';
import { stagesOf } from './progress.ts';
import { JOB_STATUSES } from './schema.ts';
import type { JobService } from './service.ts';
import type { JobRow, StoredSource } from './store.ts';

const PAGE_MAX = 200;

const SEARCH_MAX_CHARS = 200;

/** More pages than any PDF has that is taken. */
const PDF_PAGES_MAX = 100_000;

/** A page of a job never changes, nor does the shape of its sound. */
const KEPT_FOR = 'private, max-age=86400, immutable';

const environment = z.enum(ENVIRONMENTS).default('production');

const JobQuery = z.strictObject({ environment });

/** The ticket is judged where the caller is identified. */
const SourceQuery = JobQuery.extend({ ticket: z.string().optional() });

const PageNumber = z.strictObject({ page: z.coerce.number().int().min(1).max(PDF_PAGES_MAX) });

/** By which one of several sound tracks was chosen. */
const LanguageAsked = z.object({ options: z.object({ language: z.string() }) });

const ListQuery = z.strictObject({
  environment,
  status: z.enum(JOB_STATUSES).optional(),
  jobType: z.string().max(100).optional(),
  /** Words that all stand in a job's label, id, operation, status or error. */
  text: z.string().max(SEARCH_MAX_CHARS).default(''),
  cursor: z
    .string()
    .regex(/^\d{1,15}$/, 'Give the nextCursor of the page before.')
    .optional(),
  limit: z.coerce.number().int().min(1).max(PAGE_MAX).default(50),
});

export type AdminJobDeps = Record<
  EnvironmentName,
  { service: Pick<JobService, 'jobs' | 'operations' | 'sourcePathOf' | 'drawPage' | 'soundPeaks'>; payments: Payments }
>;

/**
 * What only the owner may know of jobs. Mounted under `/admin`, behind the owner check.
 *
 * `GET /jobs`: all jobs, newest first, without results, each with its `label`; a page may hold less than `limit`, or
 * nothing, and still have a `nextCursor`: then the search goes on there. `GET /jobs/:jobId`: whose it is, how it was
 * queued, when it and its stages ran, what was asked (secrets left out) and what was paid; for a session also
 * `fileTicket`, which its page puts into the addresses of the job's files (`?ticket=`). `GET /jobs/:jobId/source`:
 * the file it was made from, with Range; `not_found` where there is none. `GET /jobs/:jobId/pages/:page`: a page of the
 * PDF it was made from, as a PNG; the header `X-Pages` says how many there are. `GET /jobs/:jobId/peaks`: the shape of
 * the recording it was made from, `{peaks}`: at most 400 numbers from 0 to 1. `POST /jobs/:jobId/cancel`: ends it, 204;
 * `conflict` where it has ended by itself, since somebody who looks at a list may be behind: `DELETE` would remove it.
 */
export function adminJobRoutes(environments: AdminJobDeps): Hono<HttpEnv> {
  const routes = new Hono<HttpEnv>();
  const asked = (context: Context<HttpEnv>, schema: typeof JobQuery | typeof SourceQuery = JobQuery) => {
    const query = parseWithSchema(schema, queryOf(context));
    const room = environments[query.environment];
    return { ...room, job: room.service.jobs.row(context.req.param('jobId') ?? '') };
  };
  routes.get('/jobs', (context) => {
    const query = parseWithSchema(ListQuery, queryOf(context));
    const { jobs, operations } = environments[query.environment].service;
    checkOperationId(operations, 'jobType', query.jobType);
    const filter = { status: query.status, operationId: query.jobType };
    const before = query.cursor === undefined ? null : Number(query.cursor);
    const page = jobs.find(filter, wordsOf(query.text), before, query.limit);
    const next = page.next === null ? 'null' : `"${page.next}"`;
    context.header('Content-Type', 'application/json');
    return context.body(`{"jobs":[${page.jobs.join(',')}],"nextCursor":${next}}`);
  });
  routes.get('/jobs/:jobId', (context) => {
    const { job, payments } = asked(context);
    const session = context.get('session');
    const ticket = session === null ? {} : { fileTicket: fileTicket(session, job.id) };
    return context.json({ ...present(job), ...ticket, payment: ledgerEntryOfJob(payments.storage, job.id) });
  });
  routes.post('/jobs/:jobId/cancel', async (context) => {
    const { job, service } = asked(context);
    await service.jobs.cancel(job);
    return context.body(null, 204);
  });
  routes.on(['GET', 'HEAD'], '/jobs/:jobId/source', (context) => {
    const { job, service } = asked(context, SourceQuery);
    const source = sourceOf(job);
    if (source === null) throw new QuarryError('not_found', 'This job was not made from a file.');
    return sendFile(context, service.sourcePathOf(job.id), `source${extensionOf(source.fileName)}`);
  });
  routes.get('/jobs/:jobId/pages/:page', async (context) => {
    const { job, service } = asked(context);
    const { page } = parseWithSchema(PageNumber, { page: context.req.param('page') });
    if (sourceOf(job)?.kind !== 'pdf') throw new QuarryError('not_found', 'This job was not made from a PDF.');
    const { png, pages } = await service.drawPage(job.id, page);
    context.header('Content-Type', 'image/png');
    context.header('Cache-Control', KEPT_FOR);
    context.header('X-Pages', String(pages));
    return context.body(new Uint8Array(png));
  });
  routes.get('/jobs/:jobId/peaks', async (context) => {
    const { job, service } = asked(context);
    const kind = sourceOf(job)?.kind;
    if (kind !== 'audio' && kind !== 'video') {
      throw new QuarryError('not_found', 'This job was not made from a recording.');
    }
    const left = new AbortController();
    const onLeft = () => left.abort(new QuarryError('cancelled', 'Nobody waits for the shape any more.'));
    // Who left while the job was looked up is not told of again.
    if (context.req.raw.signal.aborted) onLeft();
    context.req.raw.signal.addEventListener('abort', onLeft, { once: true });
    const language = LanguageAsked.safeParse(JSON.parse(job.request)).data?.options.language;
    const shape = await service.soundPeaks(job.id, language, left.signal);
    context.header('Cache-Control', KEPT_FOR);
    return context.json(shape);
  });
  return routes;
}

function wordsOf(text: string): string[] {
  return text
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '');
}

function present(job: JobRow) {
  const source = sourceOf(job);
  return {
    jobId: job.id,
    label: job.label,
    accountId: job.account_id,
    priority: PRIORITIES[job.priority],
    lane: job.lane,
    attempts: job.attempts,
    acceptedAt: toIsoTime(job.created_at),
    startedAt: job.started_at === null ? null : toIsoTime(job.started_at),
    endedAt: job.ended_at === null ? null : toIsoTime(job.ended_at),
    updatedAt: toIsoTime(job.updated_at),
    stages: stagesOf(job.stages).map(([stage, startedAt]) => ({ stage, startedAt: toIsoTime(startedAt) })),
    source: source && { fileName: source.fileName, sizeBytes: source.sizeBytes, kind: source.kind },
    request: withoutSecrets(JSON.parse(job.request) as Record<string, unknown>),
  };
}

function sourceOf(job: JobRow): StoredSource | null {
  return job.source === null ? null : (JSON.parse(job.source) as StoredSource);
}

/** The ending of a name, by which a browser is told the kind of the file; foreign names may hold anything. */
function extensionOf(fileName: string | null): string {
  const extension = extname(fileName ?? '').toLowerCase();
  return /^\.[a-z0-9]{1,8}$/.test(extension) ? extension : '';
}

/** A webhook's secret is never shown, not even to the owner: screens are shared. */
function withoutSecrets(request: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(request).filter(([name]) => name !== 'secret'));
}
