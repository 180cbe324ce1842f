import { type Context, Hono } from 'hono';
import { z } from 'zod';
import { ENVIRONMENTS, type EnvironmentName, PRIORITIES } from '../../contract/index.ts';
import type { Jobs } from '../../jobs/jobs.ts';
import { toIsoTime } from '../../lib/clock.ts';
import { ledgerEntryOfJob } from '../../payments/ledger.ts';
import type { Payments } from '../../payments/payments.ts';
import type { JobRow } from '../../storage/jobs-reader.ts';
import type { HttpEnv } from '../context.ts';
import { parseWithSchema } from '../validate.ts';

const Query = z.strictObject({ environment: z.enum(ENVIRONMENTS).default('production') });

export type AdminJobParts = Record<EnvironmentName, { jobs: Jobs; payments: Payments }>;

/**
 * `GET /jobs/:jobId`: what only the owner may know of a job beside its job object: whose it is, how it was queued, when
 * it ran, what was asked (secrets left out) and what was paid. Mounted under `/admin`, behind the owner check.
 */
export function adminJobRoutes(environments: AdminJobParts): Hono<HttpEnv> {
  const routes = new Hono<HttpEnv>();
  routes.get('/jobs/:jobId', async (context: Context<HttpEnv>) => {
    const { environment } = parseWithSchema(Query, context.req.query());
    const { jobs, payments } = environments[environment];
    const job = await jobs.row(context.req.param('jobId') ?? '');
    return context.json({ ...present(job), payment: await ledgerEntryOfJob(payments.storage, job.id) });
  });
  return routes;
}

function present(job: JobRow) {
  return {
    jobId: job.id,
    accountId: job.account_id,
    priority: PRIORITIES[job.priority],
    lane: job.lane,
    attempts: job.attempts,
    acceptedAt: toIsoTime(job.created_at),
    startedAt: job.started_at === null ? null : toIsoTime(job.started_at),
    endedAt: job.ended_at === null ? null : toIsoTime(job.ended_at),
    request: withoutSecrets(JSON.parse(job.request) as Record<string, unknown>),
  };
}

/** A webhook's secret is never shown, not even to the owner: screens are shared. */
function withoutSecrets(request: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(request).filter(([name]) => name !== 'secret'));
}
