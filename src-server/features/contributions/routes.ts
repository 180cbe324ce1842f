import { type Context, Hono } from 'hono';
import { z } from 'zod';
import { ENVIRONMENTS, type EnvironmentName } from '../../operation.ts';
import type { HttpEnv } from '../../platform/http/env.ts';
import { invalidRequest, parseWithSchema, queryOf } from '../../platform/http/validate.ts';
import {
  CONTRIBUTION_STATUSES,
  ContributionListQuery,
  ContributionReport,
  ContributionRequest,
  visibleText,
} from './schema.ts';
import type { Contributions } from './service.ts';

interface ContributionRouteDeps {
  contributions: Contributions;
  /** A request's JSON body, unparsed by any schema. */
  readBody(context: Context<HttpEnv>): Promise<unknown>;
}

/** The free routes of contributions of one environment. Anybody may send some in, within bounds by account. */
export function contributionRoutes({ contributions, readBody }: ContributionRouteDeps): Hono<HttpEnv> {
  const routes = new Hono<HttpEnv>();

  routes.post('/contributions', async (context) => {
    const request = parseWithSchema(ContributionRequest, await readBody(context));
    checkFields(request);
    return context.json(await contributions.submit(context.get('principal'), request), 202);
  });

  routes.get('/contributions', (context) => {
    const { limit, cursor } = parseWithSchema(ContributionListQuery, queryOf(context));
    const before = cursor === undefined ? null : Number(cursor);
    return context.json(contributions.list(context.get('principal'), before, limit));
  });

  routes.get('/contributions/:contributionId', (context) =>
    context.json(contributions.get(context.get('principal'), context.req.param('contributionId'))),
  );

  routes.post('/contributions/:contributionId/report', async (context) => {
    const { reason } = parseWithSchema(ContributionReport, await readBody(context));
    contributions.report(context.get('principal'), context.req.param('contributionId'), reason);
    return context.body(null, 204);
  });

  return routes;
}

/** What a kind needs, which its schema cannot say. */
function checkFields({ kind, jobId, chunkId, url }: ContributionRequest): void {
  const missing = (path: string, message: string) => ({ path, message });
  const fields = [
    ...(kind === 'correction' && jobId === undefined ? [missing('jobId', 'A correction names the job.')] : []),
    ...(kind === 'correction' && chunkId === undefined ? [missing('chunkId', 'A correction names the chunk.')] : []),
    ...(chunkId !== undefined && jobId === undefined && kind !== 'correction'
      ? [missing('jobId', 'Name the job of the chunk.')]
      : []),
    ...(kind === 'source' && url === undefined ? [missing('url', 'A source has a URL.')] : []),
  ];
  if (fields.length > 0) throw invalidRequest(fields);
}

const MAX_REASON_CHARS = 1000;

const Environment = z.enum(ENVIRONMENTS).default('production').describe('Whose contributions.');

const QueueQuery = z.strictObject({
  environment: Environment,
  status: z.enum(CONTRIBUTION_STATUSES).default('pending'),
  limit: z.coerce.number().pipe(z.int().min(1).max(200)).default(50),
  cursor: z.coerce.number().pipe(z.int().min(1)).optional(),
});

const Reason = visibleText(MAX_REASON_CHARS);

const Approval = z.strictObject({ reason: Reason.optional() });

const Rejection = z.strictObject({ reason: Reason.describe('Shown to whoever contributed.') });

interface AdminContributionDeps {
  environments: Record<EnvironmentName, { contributions: Contributions }>;
  /** A request's JSON body, unparsed by any schema. */
  readBody(context: Context<HttpEnv>): Promise<unknown>;
}

/**
 * The owner's moderation. Mounted under `/admin`, behind the owner check: `GET /contributions`,
 * `POST /contributions/:contributionId/approve`, `POST /contributions/:contributionId/reject`; all take
 * `?environment=staging`.
 */
export function adminContributionRoutes({ environments, readBody }: AdminContributionDeps): Hono<HttpEnv> {
  const routes = new Hono<HttpEnv>();
  const chosen = (context: Context<HttpEnv>): Contributions => {
    const { environment } = parseWithSchema(z.strictObject({ environment: Environment }), queryOf(context));
    return environments[environment].contributions;
  };

  routes.get('/contributions', (context) => {
    const { environment, status, limit, cursor } = parseWithSchema(QueueQuery, queryOf(context));
    return context.json(environments[environment].contributions.queue(status, cursor ?? null, limit));
  });

  routes.post('/contributions/:contributionId/approve', async (context) => {
    const contributions = chosen(context);
    const { reason = null } = parseWithSchema(Approval, await readBody(context));
    const id = context.req.param('contributionId');
    return context.json(await contributions.decide(id, { status: 'approved', reason }));
  });

  routes.post('/contributions/:contributionId/reject', async (context) => {
    const contributions = chosen(context);
    const { reason } = parseWithSchema(Rejection, await readBody(context));
    const id = context.req.param('contributionId');
    return context.json(await contributions.decide(id, { status: 'rejected', reason }));
  });

  return routes;
}
