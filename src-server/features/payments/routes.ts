import { type Context, Hono } from 'hono';
import { z } from 'zod';
import { ENVIRONMENTS, type EnvironmentName } from '../../contract/index.ts';
import { toIsoTime } from '../../platform/clock.ts';
import type { HttpEnv } from '../../platform/http/env.ts';
import { queryOf } from '../../platform/http/query.ts';
import { parseWithSchema } from '../../platform/http/validate.ts';
import { ledgerCsv, ledgerPage, ledgerSummary } from './ledger.ts';
import type { PriceChange } from './prices.ts';
import { FaucetRequest } from './routes-facilitator.ts';
import type { Payments } from './service.ts';
import { SettingsChange } from './settings.ts';

const PAGE_MAX = 200;
const PAGE_BY_DEFAULT = 50;
/** 1,000 dollars: beyond it a price is a slip of the hand. */
const PRICE_MAX = 1_000_000_000;
/** A proof needs some seconds to settle, so a shorter window could not be paid in. */
const WINDOW_SECONDS_MIN = 30;
const WINDOW_SECONDS_MAX = 86_400;

const Environment = z.enum(ENVIRONMENTS).default('production').describe('Whose payments: the two share nothing.');
const Time = z.iso.datetime({ offset: true }).transform((text) => Date.parse(text));

const Filter = z.strictObject({
  environment: Environment,
  status: z.enum(['reserved', 'settled', 'failed']).optional(),
  operationId: z.string().max(100).optional(),
  payer: z
    .string()
    .regex(/^0x[0-9a-fA-F]{40}$/, 'Give an address: 0x and 40 hexadecimal digits.')
    .transform((address) => address.toLowerCase())
    .optional(),
  from: Time.optional().describe('Verified at or after.'),
  to: Time.optional().describe('Verified before.'),
});
const PageQuery = Filter.extend({
  limit: z.coerce.number().pipe(z.int().min(1).max(PAGE_MAX)).default(PAGE_BY_DEFAULT),
  cursor: z.coerce.number().pipe(z.int().min(1)).optional(),
});
const SpanQuery = z.strictObject({ environment: Environment, from: Time.optional(), to: Time.optional() });
const NewPrice = z.strictObject({
  amount: z.int().min(1).max(PRICE_MAX).describe('In the 6-decimal unit: 140000 is 0.14 USDC.'),
  timeoutSeconds: z.int().min(WINDOW_SECONDS_MIN).max(WINDOW_SECONDS_MAX).describe('How long a challenge can be paid.'),
});

type Ctx = Context<HttpEnv>;

/**
 * The owner's view of payments. Mounted under `/admin`, behind the owner check; all take `?environment=staging`.
 *
 * `GET /payments`, `GET /payments/summary`, `GET /payments.csv`; `GET /prices`, `GET` and `PUT /prices/:operationId`;
 * `GET` and `PUT /settlement`; `GET /sandbox`, `POST /sandbox/faucet`. `readBody` gives a request's JSON body, unparsed
 * by any schema.
 */
export function adminPaymentRoutes(
  environments: Record<EnvironmentName, Payments>,
  readBody: (context: Ctx) => Promise<unknown>,
): Hono<HttpEnv> {
  const routes = new Hono<HttpEnv>();
  addLedger(routes, environments);
  addPrices(routes, environments, readBody);
  addSettlement(routes, environments, readBody);
  return routes;
}

function addLedger(routes: Hono<HttpEnv>, environments: Record<EnvironmentName, Payments>): void {
  routes.get('/payments', async (context) => {
    const { environment, limit, cursor, ...filter } = parseWithSchema(PageQuery, queryOf(context));
    return context.json(await ledgerPage(environments[environment].storage, filter, cursor ?? null, limit));
  });
  routes.get('/payments/summary', async (context) => {
    const { environment, from, to } = parseWithSchema(SpanQuery, queryOf(context));
    const { storage, clock } = environments[environment];
    await environments[environment].flush();
    const span = { ...(from === undefined ? {} : { from }), ...(to === undefined ? {} : { to }) };
    return context.json(await ledgerSummary(storage, clock, span));
  });
  routes.get('/payments.csv', (context) => {
    const { environment, ...filter } = parseWithSchema(Filter, queryOf(context));
    context.header('Content-Type', 'text/csv; charset=utf-8; header=present');
    context.header('Content-Disposition', `attachment; filename="payments-${environment}.csv"`);
    // What cannot be read to its end breaks off: lines that are missing must not look like payments that were not.
    const lines = ReadableStream.from(ledgerCsv(environments[environment].storage, filter));
    return context.body(lines.pipeThrough(new TextEncoderStream()));
  });
}

function addPrices(
  routes: Hono<HttpEnv>,
  environments: Record<EnvironmentName, Payments>,
  readBody: (context: Ctx) => Promise<unknown>,
): void {
  routes.get('/prices', (context) => {
    const payments = paymentsOf(context, environments);
    return context.json({
      prices: payments.prices.operations.map((entry) => presentPrice(payments, entry.operationId)),
    });
  });
  // The ids hold slashes, so the parameter takes the rest of the path.
  routes.get('/prices/:operationId{.+}', (context) =>
    context.json(presentPrice(paymentsOf(context, environments), context.req.param('operationId'))),
  );
  routes.put('/prices/:operationId{.+}', async (context) => {
    const payments = paymentsOf(context, environments);
    const operationId = context.req.param('operationId');
    await payments.prices.change(operationId, parseWithSchema(NewPrice, await readBody(context)));
    return context.json(presentPrice(payments, operationId));
  });
}

function addSettlement(
  routes: Hono<HttpEnv>,
  environments: Record<EnvironmentName, Payments>,
  readBody: (context: Ctx) => Promise<unknown>,
): void {
  const present = async (payments: Payments) => ({ settings: payments.settings(), status: await payments.status() });
  routes.get('/settlement', async (context) => context.json(await present(paymentsOf(context, environments))));
  routes.put('/settlement', async (context) => {
    const payments = paymentsOf(context, environments);
    await payments.changeSettings(parseWithSchema(SettingsChange, await readBody(context)));
    return context.json(await present(payments));
  });
  routes.get('/sandbox', async (context) =>
    context.json({ wallets: await paymentsOf(context, environments).wallets.list() }),
  );
  routes.post('/sandbox/faucet', async (context) => {
    const { wallets } = paymentsOf(context, environments);
    const request = parseWithSchema(FaucetRequest, (await readBody(context)) ?? {});
    return context.json(await wallets.faucet(request, 'owner'));
  });
}

function paymentsOf(context: Ctx, environments: Record<EnvironmentName, Payments>): Payments {
  const { environment } = parseWithSchema(z.strictObject({ environment: Environment }), queryOf(context));
  return environments[environment];
}

function presentPrice({ prices }: Payments, operationId: string) {
  const { summary, price } = prices.operation(operationId);
  return {
    operationId,
    summary,
    ...prices.current(operationId),
    declared: price,
    history: prices.history(operationId).map(presentChange),
  };
}

function presentChange({ changedAt, ...change }: PriceChange) {
  return { ...change, changedAt: toIsoTime(changedAt) };
}
