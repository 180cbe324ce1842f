import { type Context, Hono, type MiddlewareHandler } from 'hono';
import { z } from 'zod';
import { ENVIRONMENTS, type EnvironmentName } from '../../operation.ts';
import { toIsoTime } from '../../platform/clock.ts';
import type { HttpEnv } from '../../platform/http/env.ts';
import { invalidRequest, parseWithSchema, queryOf } from '../../platform/http/validate.ts';
import { newId } from '../../platform/ids.ts';
import type { FacilitatorAnswer } from './facilitator.ts';
import { ledgerCsv, ledgerPage, ledgerSummary } from './ledger.ts';
import type { PriceChange } from './prices.ts';
import type { DemoHolder } from './sandbox-wallets.ts';
import { DEMO_WALLET_HEADER, FaucetRequest, SettingsChange } from './schema.ts';
import type { Payments } from './service.ts';

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
    return context.json(ledgerPage(environments[environment].storage, filter, cursor ?? null, limit));
  });
  routes.get('/payments/summary', async (context) => {
    const { environment, from, to } = parseWithSchema(SpanQuery, queryOf(context));
    const { storage, clock } = environments[environment];
    environments[environment].flush();
    const span = { ...(from === undefined ? {} : { from }), ...(to === undefined ? {} : { to }) };
    return context.json(ledgerSummary(storage, clock, span));
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
    payments.prices.change(operationId, parseWithSchema(NewPrice, await readBody(context)));
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

/**
 * The local facilitator (decisions 4), outside `/v1`: for whoever wants to verify, settle or, in the sandbox, pay with
 * nothing but curl. Threat: anybody may call it, and settling on a chain costs gas; so every call but `GET` passes the
 * caller's rate limit first, bodies are small, and the facilitator itself knows only our own receiver and asset.
 */
const SupportedQuery = z.strictObject({ version: z.enum(['1', '2']).optional() });

interface FacilitatorRouteDeps {
  payments: Payments;
  /** Sets `principal`: the owner has a demo wallet that is known to the dashboard. */
  identify: MiddlewareHandler<HttpEnv>;
  /** A request's JSON body, unparsed by any schema; a bounded one. Errors: `invalid_request`, `body_too_large`. */
  readBody(context: Context<HttpEnv>): Promise<unknown>;
  /** Counts the request against its caller's limit. Errors: `rate_limited`. */
  limit(context: Context<HttpEnv>): Promise<void>;
}

/** `GET /supported`, `POST /verify`, `POST /settle`; in the sandbox `POST /pay`, `POST /faucet`. */
export function facilitatorRoutes({ payments, identify, readBody, limit }: FacilitatorRouteDeps): Hono<HttpEnv> {
  const routes = new Hono<HttpEnv>();
  const { facilitator, wallets } = payments;
  const answer = (context: Context<HttpEnv>, { status, body }: FacilitatorAnswer) => context.json(body, status);

  // Only here: clients send credentials of other facilitators to verify and settle.
  for (const path of ['/pay', '/faucet']) routes.use(path, identify);
  routes.use(async (context, next) => {
    if (context.req.method !== 'GET') await limit(context);
    context.header('Cache-Control', 'no-store');
    await next();
  });
  routes.get('/supported', async (context) => {
    const { version } = parseWithSchema(SupportedQuery, queryOf(context));
    return context.json(await facilitator.supported(version === undefined ? null : version === '1' ? 1 : 2));
  });
  routes.post('/verify', async (context) => answer(context, await facilitator.verify(await bodyOrNull(context))));
  routes.post('/settle', async (context) => answer(context, await facilitator.settle(await bodyOrNull(context))));
  routes.post('/pay', async (context) => {
    const payable = facilitator.payable(await readBody(context));
    const holder = demoHolder(context);
    return context.json({ payload: await wallets.pay(payable, holder), ...nameOf(holder) });
  });
  routes.post('/faucet', async (context) => {
    const request = parseWithSchema(FaucetRequest, (await readBody(context)) ?? {});
    const holder = demoHolder(context);
    const account = await wallets.faucet(request, holder);
    return context.json({ ...account, ...(request.address === undefined ? nameOf(holder) : {}) });
  });
  return routes;

  /** A body that is no JSON is `invalid_payload` in the facilitator's own shape, as its clients expect. */
  async function bodyOrNull(context: Context<HttpEnv>): Promise<unknown> {
    try {
      return await readBody(context);
    } catch (error) {
      if ((error as { code?: unknown }).code === 'invalid_request') return null;
      throw error;
    }
  }
}

const DEMO_WALLET_NAME = /^dwl_[A-Za-z0-9_-]{27}$/;

/** A caller that names no wallet gets a new one. Errors: `invalid_request`. */
function demoHolder(context: Context<HttpEnv>): DemoHolder {
  if (context.get('principal').kind === 'owner') return 'owner';
  const name = context.req.header(DEMO_WALLET_HEADER);
  if (name === undefined) return newId('dwl') as DemoHolder;
  if (DEMO_WALLET_NAME.test(name)) return name as DemoHolder;
  const message = 'Send the value of wallet that an earlier answer gave, or leave the header out for a new wallet.';
  throw invalidRequest([{ path: DEMO_WALLET_HEADER, message }]);
}

function nameOf(holder: DemoHolder): { wallet?: string } {
  return holder === 'owner' ? {} : { wallet: holder };
}
