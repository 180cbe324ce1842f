import { type Context, Hono } from 'hono';
import { z } from 'zod';
import { JOB_STATUSES, languageHint, type Principal, QuarryError, segmentLength } from '../../contract/index.ts';
import { checkOperationId } from '../../known-operation.ts';
import type { HttpEnv } from '../../platform/http/env.ts';
import { sendFile } from '../../platform/http/file-response.ts';
import { queryOf } from '../../platform/http/query.ts';
import { parseWithSchema } from '../../platform/http/validate.ts';
import { jobBody } from './job-body.ts';
import { streamJob } from './job-stream.ts';
import type { Service } from './service-ports.ts';
import type { JobRow } from './store.ts';

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

/** Body of `POST /jobs/{jobId}/chunks`: the document is cut anew, without being extracted again. */
export const RechunkRequest = z.strictObject({
  segmentLength: segmentLength(1000),
  language: languageHint().optional(),
});
export type RechunkRequest = z.output<typeof RechunkRequest>;

/** Reading, watching, cancelling and removing jobs. Free; knowing a jobId is the right to read that job. */
export function jobRoutes(service: Service): Hono<HttpEnv> {
  const { jobs } = service;
  const routes = new Hono<HttpEnv>();

  routes.get('/jobs', async (context) => {
    const query = parseWithSchema(JobListQuery, queryOf(context));
    const principal = signedIn(context.get('principal'));
    checkOperationId(service.operations, 'jobType', query.jobType);
    const filter = {
      ...(principal.kind === 'owner' ? {} : { accountId: principal.accountId }),
      ...(query.status === undefined ? {} : { status: query.status }),
      ...(query.jobType === undefined ? {} : { operationId: query.jobType }),
    };
    const before = query.cursor === undefined ? null : Number(query.cursor);
    const page = await jobs.list(filter, before, query.limit);
    const next = page.next === null ? 'null' : `"${page.next}"`;
    return json(context, `{"jobs":[${page.jobs.join(',')}],"nextCursor":${next}}`);
  });

  routes.get('/jobs/:jobId', async (context) => {
    const job = await jobs.row(context.req.param('jobId'));
    return jobBody(context, await jobs.body(job), 200);
  });

  routes.delete('/jobs/:jobId', async (context) => {
    const job = await jobs.row(context.req.param('jobId'));
    const principal = context.get('principal');
    mayChange(principal, job);
    await (principal.kind === 'owner' ? jobs.cancelOrRemove(job) : jobs.endByMaker(job));
    return context.body(null, 204);
  });

  routes.get('/jobs/:jobId/events', async (context) => {
    const job = await jobs.row(context.req.param('jobId'));
    return streamJob(context, jobs, job);
  });

  routes.post('/jobs/:jobId/chunks', async (context) => {
    const job = await jobs.row(context.req.param('jobId'));
    const request = parseWithSchema(RechunkRequest, await service.readSmallJson(context));
    return context.json(await service.rechunk(job.id, context.get('principal').accountId, request));
  });

  routes.on(['GET', 'HEAD'], '/jobs/:jobId/files/:name', async (context) => {
    const job = await jobs.row(context.req.param('jobId'));
    const name = context.req.param('name');
    context.header('Cross-Origin-Resource-Policy', 'cross-origin');
    return sendFile(context, service.filePathOf(job.id, name), name);
  });

  return routes;
}

function json(context: Context<HttpEnv>, text: string): Response {
  context.header('Content-Type', 'application/json');
  context.header('Cache-Control', 'no-store');
  return context.body(text);
}

/** Lists belong to an account, so somebody must have proved to be one. */
function signedIn(principal: Principal): Exclude<Principal, { kind: 'anonymous' }> {
  if (principal.kind !== 'anonymous') return principal;
  throw new QuarryError(
    'unauthorized',
    'Sign in with your wallet (header SIGN-IN-WITH-X), or send the owner token, to see your jobs.',
  );
}

function mayChange(principal: Principal, job: JobRow): void {
  if (principal.kind === 'owner' || principal.accountId === job.account_id) return;
  const code = principal.kind === 'anonymous' ? 'unauthorized' : 'forbidden';
  throw new QuarryError(code, 'Only the owner, or the account that made this job, may cancel or remove it.');
}
