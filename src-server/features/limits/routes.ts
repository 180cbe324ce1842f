import type { Context } from 'hono';
import { z } from 'zod';
import { type EnvironmentName, EnvironmentQuery } from '../../operation.ts';
import { toIsoTime } from '../../platform/clock.ts';
import type { HttpEnv } from '../../platform/http/env.ts';
import { followChanges } from '../../platform/http/event-stream.ts';
import { BODY_ERRORS, jsonAnswer, routesOf } from '../../platform/http/route.ts';
import { parseWithSchema } from '../../platform/http/validate.ts';
import { TimeZone, UTC } from '../../platform/time-zone.ts';
import { SECOND_MS } from '../../platform/units.ts';
import {
  ACCOUNT_KINDS,
  type AccountCursor,
  Allowance,
  allowanceOf,
  FIXED_ALLOWANCES,
  MAX_CONCURRENCY,
  MAX_REQUESTS_PER_MINUTE,
  PLAN_NAMES,
  Plan,
} from '../accounts/schema.ts';
import type { Account } from '../accounts/service.ts';
import type { Jobs } from '../jobs/service.ts';
import { Paid } from '../payments/schema.ts';
import type { Payments } from '../payments/service.ts';
import { HOUR_MINUTES } from './last-hour.ts';
import { type Limits, WINDOW_SECONDS } from './service.ts';

const MAX_PAGE = 200;

const DEFAULT_PAGE = 50;

/** A plan as a query, where every value arrives as text. */
const WhatIfQuery = EnvironmentQuery.extend({
  plan: z.enum(PLAN_NAMES),
  requestsPerMinute: z.coerce.number().int().min(1).max(MAX_REQUESTS_PER_MINUTE).optional(),
  concurrency: z.coerce.number().int().min(1).max(MAX_CONCURRENCY).optional(),
});

const AccountsQuery = EnvironmentQuery.extend({
  kind: z.enum(ACCOUNT_KINDS).optional(),
  limit: z.coerce.number().int().min(1).max(MAX_PAGE).default(DEFAULT_PAGE),
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

const Count = z.int().min(0);

const Time = z.iso.datetime({ precision: 3 });

const AccountUsage = z
  .object({
    accountId: z.string(),
    plan: Plan,
    allowance: Allowance,
    requestsPassed: Count,
    requestsRefused: Count,
    inlineOpen: Count.describe('Open requests to operations that answer at once.'),
    jobsProcessing: Count,
  })
  .meta({ id: 'AccountUsage' });

const Minutes = z.array(Count).length(HOUR_MINUTES);

const ByMinute = {
  passed: Minutes.describe('Requests by minute, oldest first; the current minute is the last one.'),
  refused: Minutes,
};

const LastHour = z.object({
  ...ByMinute,
  accounts: z
    .array(
      z.object({
        accountId: z.string(),
        ...ByMinute,
        refusedToday: Count.describe('Since midnight in the time zone, to the hour, or since the start of the server.'),
      }),
    )
    .describe('Most recently active first.'),
});

const LimitsView = z
  .object({
    windowSeconds: Count,
    plans: z.object({ studio: Allowance, production: Allowance }),
    bounds: Allowance.describe('Of the enterprise plan.'),
    usage: z.array(AccountUsage).describe('Accounts of the last minute, busiest first.'),
    lastHour: LastHour.describe("Requests of the last hour, without the owner's."),
  })
  .meta({ id: 'LimitsView' });

const AccountView = z
  .object({
    accountId: z.string(),
    plan: Plan,
    allowance: Allowance,
    firstSeen: Time,
    lastSeen: Time,
    paid: Paid.describe('In total, in the 6-decimal unit. Play money and real money are never added.'),
  })
  .meta({ id: 'Account' });

const WhatIf = z
  .object({
    accountId: z.string(),
    plan: Plan,
    allowance: Allowance,
    requests: Count.describe('Of the last minute.'),
    refused: Count,
    slotsOver: Count.describe('Slots in use beyond the allowance.'),
  })
  .meta({ id: 'WhatIf' });

interface LimitDeps {
  limits: Limits;
  payments: Pick<Payments, 'paidBy'>;
}

const route = routesOf<Record<EnvironmentName, LimitDeps>>();

const common = { scope: 'owner', tag: 'Limits', auth: 'owner' } as const;

const params = { accountId: z.string().describe('Address of a wallet, or `ip:` and a network address.') };

/** The owner's view of accounts, plans and live windows. Mounted under `/admin`, behind the owner check. */
export const ADMIN_LIMIT_ROUTES = [
  route(
    {
      ...common,
      method: 'get',
      path: '/limits',
      operationId: 'getLimits',
      summary: 'Plans and usage',
      description: 'What the plans allow, and the accounts of the last minute.',
      query: EnvironmentQuery.extend({
        timeZone: TimeZone.default(UTC).describe('Whose day is today, such as `Europe/Berlin`.'),
      }),
      answers: { 200: jsonAnswer('Plans and usage.', LimitsView) },
    },
    async (environments, { query, reply }) => {
      const { environment, timeZone } = query();
      const { limits } = environments[environment];
      return reply(200, {
        windowSeconds: WINDOW_SECONDS,
        plans: { studio: FIXED_ALLOWANCES.studio, production: FIXED_ALLOWANCES.production },
        bounds: { requestsPerMinute: MAX_REQUESTS_PER_MINUTE, concurrency: MAX_CONCURRENCY },
        usage: limits.limitsUsage(),
        lastHour: limits.lastHour(timeZone),
      });
    },
  ),
  route(
    {
      ...common,
      method: 'get',
      path: '/accounts',
      operationId: 'listAccounts',
      summary: 'List accounts',
      description: 'Last seen first: wallets that paid or signed in, and network addresses.',
      query: AccountsQuery,
      answers: {
        200: jsonAnswer('One page.', z.object({ accounts: z.array(AccountView), nextCursor: z.string().nullable() })),
      },
    },
    async (environments, { query, reply }) => {
      const { environment, kind, limit, cursor } = query();
      const { limits, payments } = environments[environment];
      const page = limits.accounts.listAccountPage(parseCursor(cursor), limit, kind);
      const paid = payments.paidBy(page.map(({ accountId }) => accountId));
      const last = page.length === limit ? page.at(-1) : undefined;
      return reply(200, {
        accounts: page.map((account) => ({
          ...presentAccount(account),
          paid: paid.get(account.accountId) ?? NOTHING_PAID,
        })),
        nextCursor: last ? `${last.lastSeen}~${last.accountId}` : null,
      });
    },
  ),
  route(
    {
      ...common,
      method: 'put',
      path: '/accounts/{accountId}/plan',
      operationId: 'setPlan',
      summary: 'Assign a plan',
      description: `Takes effect with the next request. The requests of a \`blocked\` account are answered 403, and its
queued jobs wait until it has another plan.`,
      params,
      query: EnvironmentQuery,
      request: { schema: Plan },
      answers: {
        200: jsonAnswer('The plan.', z.object({ accountId: z.string(), plan: Plan, allowance: Allowance })),
      },
      errors: [...BODY_ERRORS, 'conflict'],
    },
    async (environments, { param, query, body, reply }) => {
      const { limits } = environments[query().environment];
      const accountId = parseAccountId(param('accountId'));
      const plan = await body();
      limits.setPlan(accountId, plan);
      return reply(200, { accountId, plan, allowance: allowanceOf(plan) });
    },
  ),
  route(
    {
      ...common,
      method: 'get',
      path: '/accounts/{accountId}/what-if',
      operationId: 'simulatePlan',
      summary: 'Simulate a plan',
      description: 'Replays the last minute of an account under another plan.',
      params,
      query: WhatIfQuery,
      answers: { 200: jsonAnswer('The outcome.', WhatIf) },
    },
    async (environments, { param, query, reply }) => {
      const { environment, ...choice } = query();
      const plan = parseWithSchema(Plan, choice);
      const accountId = parseAccountId(param('accountId'));
      const allowance = allowanceOf(plan);
      return reply(200, {
        accountId,
        plan,
        allowance,
        ...environments[environment].limits.simulateAllowance(accountId, allowance),
      });
    },
  ),
];

const NOTHING_PAID: Paid = { play: '0', real: '0' };

function parseAccountId(accountId: string): string {
  return parseWithSchema(z.object({ accountId: AccountId }), { accountId }).accountId;
}

function parseCursor(cursor: string | undefined): AccountCursor | null {
  if (cursor === undefined) return null;
  const [lastSeen = '', ...rest] = cursor.split('~');
  return { lastSeen: Number(lastSeen), accountId: rest.join('~') };
}

function presentAccount({ firstSeen, lastSeen, ...account }: Account) {
  return { ...account, firstSeen: toIsoTime(firstSeen), lastSeen: toIsoTime(lastSeen) };
}

/** Each count reads all accounts of the last minute. */
const SEND_INTERVAL_MS = SECOND_MS;

interface LimitEventDeps {
  limits: Limits;
  jobs: Jobs;
}

const eventRoute = routesOf<Record<EnvironmentName, LimitEventDeps>>();

/** A separate stream: usage is only counted while a page shows it. */
export const ADMIN_LIMIT_EVENT_ROUTES = [
  eventRoute(
    {
      ...common,
      method: 'get',
      path: '/limits/events',
      operationId: 'followUsage',
      summary: 'Follow the usage',
      description:
        'Server-sent events: `usage` `{usage}`, as in `GET /admin/limits`, at the start and at most once a second ' +
        'while it changes.',
      query: EnvironmentQuery,
      answers: { 200: { description: 'The stream.', content: { mediaType: 'text/event-stream', schema: null } } },
    },
    (environments, { context, query }) => streamUsage(context, environments[query().environment]),
  ),
];

function streamUsage(context: Context<HttpEnv>, { limits, jobs }: LimitEventDeps): Response {
  let sent = '';
  return followChanges(context, {
    watch: (onChange) => {
      const stops = [limits.changed.addListener(onChange), jobs.watchAll(onChange)];
      return () => {
        for (const stop of stops) stop();
      };
    },
    intervalMs: SEND_INTERVAL_MS,
    send: async (stream) => {
      const usage = limits.limitsUsage();
      const data = JSON.stringify({ usage });
      if (data !== sent) await stream.writeSSE({ event: 'usage', data });
      sent = data;
      // The counts of a minute also change as time passes. An empty table changes only with the next request.
      return usage.length === 0 ? 'wait' : 'repeat';
    },
  });
}
