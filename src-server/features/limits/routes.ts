import { setTimeout as wait } from 'node:timers/promises';
import { type Context, Hono } from 'hono';
import { z } from 'zod';
import { ENVIRONMENTS, type EnvironmentName } from '../../operation.ts';
import { toIsoTime } from '../../platform/clock.ts';
import type { HttpEnv } from '../../platform/http/env.ts';
import { eventStream } from '../../platform/http/event-stream.ts';
import { parseWithSchema, queryOf } from '../../platform/http/validate.ts';
import { SECOND_MS } from '../../platform/units.ts';
import {
  type AccountCursor,
  allowanceOf,
  FIXED_ALLOWANCES,
  MAX_CONCURRENCY,
  MAX_REQUESTS_PER_MINUTE,
  PLAN_NAMES,
  type Plan,
} from '../accounts/schema.ts';
import type { Account } from '../accounts/service.ts';
import type { Jobs } from '../jobs/service.ts';
import { type Limits, WINDOW_SECONDS } from './service.ts';

const MAX_PAGE = 200;

const DEFAULT_PAGE = 50;

const Environment = z.enum(ENVIRONMENTS).default('production').describe('Whose limits: the two share nothing.');

const RequestsPerMinute = z.coerce.number().pipe(z.int().min(1).max(MAX_REQUESTS_PER_MINUTE));

const Concurrency = z.coerce.number().pipe(z.int().min(1).max(MAX_CONCURRENCY));

/** A plan for an account. The numbers belong to the enterprise plan, and only to it. */
const PlanChoice = z.discriminatedUnion('plan', [
  z.strictObject({ plan: z.literal('studio') }),
  z.strictObject({ plan: z.literal('production') }),
  z.strictObject({
    plan: z.literal('enterprise'),
    requestsPerMinute: z.int().min(1).max(MAX_REQUESTS_PER_MINUTE),
    concurrency: z.int().min(1).max(MAX_CONCURRENCY),
  }),
]);

/** The same as a query, where every value arrives as text. */
const WhatIfQuery = z.strictObject({
  environment: Environment,
  plan: z.enum(PLAN_NAMES),
  requestsPerMinute: RequestsPerMinute.optional(),
  concurrency: Concurrency.optional(),
});

const AccountsQuery = z.strictObject({
  environment: Environment,
  kind: z.enum(['wallet', 'address']).optional(),
  limit: z.coerce.number().pipe(z.int().min(1).max(MAX_PAGE)).default(DEFAULT_PAGE),
  cursor: z
    .string()
    .regex(/^\d{1,16}~.{1,200}$/)
    .optional(),
});

/** A wallet address or a client address. The owner has no plan. */
const AccountId = z
  .string()
  .transform((id) => id.toLowerCase())
  .pipe(z.string().regex(/^(0x[0-9a-f]{40}|ip:[0-9a-f.:/]{2,60}|ip:unknown)$/));

/**
 * The owner's view of accounts, plans and live windows. Mounted under `/admin`, behind the owner check.
 *
 * `GET /limits`, `GET /accounts`, `PUT /accounts/:accountId/plan`, `GET /accounts/:accountId/what-if`; all take
 * `?environment=staging`, and `GET /accounts` takes `kind`. `readBody` gives a request's JSON body, unparsed by any
 * schema.
 */
export function adminLimitRoutes(
  environments: Record<EnvironmentName, Limits>,
  readBody: (context: Context<HttpEnv>) => Promise<unknown>,
): Hono<HttpEnv> {
  const routes = new Hono<HttpEnv>();
  const limitsOf = (context: Context<HttpEnv>): Limits => {
    const { environment } = parseWithSchema(z.strictObject({ environment: Environment }), queryOf(context));
    return environments[environment];
  };
  routes.get('/limits', async (context) =>
    context.json({
      windowSeconds: WINDOW_SECONDS,
      plans: FIXED_ALLOWANCES,
      bounds: { requestsPerMinute: MAX_REQUESTS_PER_MINUTE, concurrency: MAX_CONCURRENCY },
      usage: limitsOf(context).usage(),
    }),
  );
  routes.get('/accounts', async (context) => {
    const { environment, kind, limit, cursor } = parseWithSchema(AccountsQuery, queryOf(context));
    const page = await environments[environment].accounts(parseCursor(cursor), limit, kind);
    const last = page.length === limit ? page.at(-1) : undefined;
    return context.json({
      accounts: page.map(present),
      nextCursor: last ? `${last.lastSeen}~${last.accountId}` : null,
    });
  });
  routes.put('/accounts/:accountId/plan', async (context) => {
    const limits = limitsOf(context);
    const accountId = parseAccountId(context.req.param('accountId'));
    const plan = parseWithSchema(PlanChoice, await readBody(context));
    limits.setPlan(accountId, plan);
    return context.json({ accountId, plan, allowance: allowanceOf(plan) });
  });
  routes.get('/accounts/:accountId/what-if', async (context) => {
    const { environment, ...choice } = parseWithSchema(WhatIfQuery, queryOf(context));
    const plan: Plan = parseWithSchema(PlanChoice, choice);
    const accountId = parseAccountId(context.req.param('accountId'));
    const allowance = allowanceOf(plan);
    return context.json({
      accountId,
      plan,
      allowance,
      ...environments[environment].simulate(accountId, allowance),
    });
  });
  return routes;
}

function parseAccountId(accountId: string): string {
  return parseWithSchema(z.object({ accountId: AccountId }), { accountId }).accountId;
}

function parseCursor(cursor: string | undefined): AccountCursor | null {
  if (cursor === undefined) return null;
  const [lastSeen = '', ...rest] = cursor.split('~');
  return { lastSeen: Number(lastSeen), accountId: rest.join('~') };
}

function present({ firstSeen, lastSeen, ...account }: Account) {
  return { ...account, firstSeen: toIsoTime(firstSeen), lastSeen: toIsoTime(lastSeen) };
}

/** Counting takes a look at every account of the last minute: once a second is as live as a person can read. */
const SEND_INTERVAL_MS = SECOND_MS;

const KEEP_ALIVE_MS = 15 * SECOND_MS;

const Query = z.strictObject({ environment: z.enum(ENVIRONMENTS).default('production') });

interface LimitEventDeps {
  limits: Limits;
  jobs: Jobs;
}

/**
 * `GET /limits/events`: who uses how much, as server-sent events; takes `?environment=staging`. Mounted under `/admin`,
 * behind the owner check. It is a stream of its own, since counting is only worth its price while somebody looks.
 *
 * `event: usage` `{usage}`, as in `GET /limits`: at the start, and at most once a second while it changes. Windows are
 * left by requests that are a minute old, so it also changes when nothing is sent.
 */
export function adminLimitEventRoutes(environments: Record<EnvironmentName, LimitEventDeps>): Hono<HttpEnv> {
  const routes = new Hono<HttpEnv>();
  routes.get('/limits/events', (context) => {
    const { environment } = parseWithSchema(Query, queryOf(context));
    return streamUsage(context, environments[environment]);
  });
  return routes;
}

function streamUsage(context: Context<HttpEnv>, { limits, jobs }: LimitEventDeps): Response {
  return eventStream(context, async (stream) => {
    let wake = (): void => {};
    let changed = false;
    const onChange = () => {
      changed = true;
      wake();
    };
    const stops = [limits.changed.add(onChange), jobs.watchAll(onChange)];
    stream.onAbort(() => wake());
    const keepAlive = setInterval(() => void stream.write(': still here\n\n'), KEEP_ALIVE_MS);
    let said = '';
    try {
      while (!stream.aborted) {
        changed = false;
        const usage = limits.usage();
        const data = JSON.stringify({ usage });
        if (data !== said) await stream.writeSSE({ event: 'usage', data });
        said = data;
        await wait(SEND_INTERVAL_MS);
        // An empty window stays empty until somebody calls.
        if (usage.length === 0 && !changed && !stream.aborted) await new Promise<void>((resolve) => (wake = resolve));
      }
    } finally {
      clearInterval(keepAlive);
      for (const stop of stops) stop();
    }
  });
}
