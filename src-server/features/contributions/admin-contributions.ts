import { type Context, Hono } from 'hono';
import { z } from 'zod';
import { CONTRIBUTION_STATUSES, ENVIRONMENTS, type EnvironmentName, visibleText } from '../../contract/index.ts';
import type { HttpEnv } from '../../platform/http/env.ts';
import { queryOf } from '../../platform/http/query.ts';
import { parseWithSchema } from '../../platform/http/validate.ts';
import type { Contributions } from './service.ts';

const MAX_PAGE = 200;
const DEFAULT_PAGE = 50;
const MAX_REASON_CHARS = 1000;

const Environment = z.enum(ENVIRONMENTS).default('production').describe('Whose contributions.');
const QueueQuery = z.strictObject({
  environment: Environment,
  status: z.enum(CONTRIBUTION_STATUSES).default('pending'),
  limit: z.coerce.number().pipe(z.int().min(1).max(MAX_PAGE)).default(DEFAULT_PAGE),
  cursor: z.coerce.number().pipe(z.int().min(1)).optional(),
});
const Reason = visibleText(MAX_REASON_CHARS);
const Approval = z.strictObject({ reason: Reason.optional() });
const Rejection = z.strictObject({ reason: Reason.describe('Shown to whoever contributed.') });

export interface AdminContributionParts {
  environments: Record<EnvironmentName, { contributions: Contributions }>;
  /** A request's JSON body, unparsed by any schema. */
  readBody(context: Context<HttpEnv>): Promise<unknown>;
}

/**
 * The owner's moderation. Mounted under `/admin`, behind the owner check: `GET /contributions`,
 * `POST /contributions/:contributionId/approve`, `POST /contributions/:contributionId/reject`; all take
 * `?environment=staging`.
 */
export function adminContributionRoutes({ environments, readBody }: AdminContributionParts): Hono<HttpEnv> {
  const routes = new Hono<HttpEnv>();
  const chosen = (context: Context<HttpEnv>): Contributions => {
    const { environment } = parseWithSchema(z.strictObject({ environment: Environment }), queryOf(context));
    return environments[environment].contributions;
  };

  routes.get('/contributions', async (context) => {
    const { environment, status, limit, cursor } = parseWithSchema(QueueQuery, queryOf(context));
    return context.json(await environments[environment].contributions.queue(status, cursor ?? null, limit));
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
