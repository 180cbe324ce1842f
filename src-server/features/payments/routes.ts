import type { Context, Hono, MiddlewareHandler } from 'hono';
import { z } from 'zod';
import { type EnvironmentName, EnvironmentQuery } from '../../operation.ts';
import { toIsoTime } from '../../platform/clock.ts';
import { systemCodeOf } from '../../platform/errors.ts';
import type { ReadSmallJson } from '../../platform/http/body.ts';
import type { HttpEnv } from '../../platform/http/env.ts';
import { BODY_ERRORS, jsonAnswer, mountRoutes, routesOf } from '../../platform/http/route.ts';
import { invalidRequest } from '../../platform/http/validate.ts';
import { newId } from '../../platform/ids.ts';
import { omitUndefined } from '../../platform/omit-undefined.ts';
import { say, tell } from '../../platform/text/say.ts';
import { TimeZone, UTC } from '../../platform/time-zone.ts';
import type { FacilitatorAnswer } from './facilitator.ts';
import { ledgerCsv, ledgerPage, ledgerSummary } from './ledger.ts';
import type { DemoHolder } from './sandbox-wallets.ts';
import {
  DEMO_WALLET_HEADER,
  FaucetRequest,
  LedgerPage,
  LedgerSummary,
  MoneyKind,
  PaymentRequirements,
  PriceView,
  SandboxAccount,
  SettingsChange,
  SettlementView,
} from './schema.ts';
import { type Payments, requirementsOf, SANDBOX_TERMS } from './service.ts';

const PAGE_MAX = 200;

const PAGE_BY_DEFAULT = 50;

/** 1,000 dollars: beyond it a price is a slip of the hand. */
const PRICE_MAX = 1_000_000_000;

/** A proof needs some seconds to settle, so a shorter window could not be paid in. */
const WINDOW_SECONDS_MIN = 30;

const WINDOW_SECONDS_MAX = 86_400;

const Time = z.iso.datetime({ offset: true }).transform((text) => Date.parse(text));

const Filter = EnvironmentQuery.extend({
  status: z.enum(['reserved', 'settled', 'failed']).optional(),
  operationId: z.string().max(100).optional(),
  payer: z
    .string()
    .regex(/^0x[0-9a-fA-F]{40}$/, say`Give an address: 0x and 40 hexadecimal digits.`)
    .transform((address) => address.toLowerCase())
    .optional(),
  money: MoneyKind.optional(),
  from: Time.optional().describe('Verified at or after.'),
  to: Time.optional().describe('Verified before.'),
});

const PageQuery = Filter.extend({
  limit: z.coerce.number().int().min(1).max(PAGE_MAX).default(PAGE_BY_DEFAULT),
  cursor: z.coerce.number().int().min(1).optional(),
});

const SpanQuery = EnvironmentQuery.extend({
  from: Time.optional(),
  to: Time.optional(),
  timeZone: TimeZone.default(UTC).describe('Whose days are summed, such as `Europe/Berlin`.'),
  money: MoneyKind.optional().describe('What to sum; without it the money of the settlement in use.'),
});

const NewPrice = z.strictObject({
  amount: z.int().min(1).max(PRICE_MAX).describe('In the 6-decimal unit: 140000 is 0.14 USDC.'),
  timeoutSeconds: z.int().min(WINDOW_SECONDS_MIN).max(WINDOW_SECONDS_MAX).describe('How long a challenge can be paid.'),
});

const route = routesOf<Record<EnvironmentName, { payments: Payments }>>();

const common = { scope: 'owner', tag: 'Payments', auth: 'owner' } as const;

const LEDGER_ROUTES = [
  route(
    {
      ...common,
      method: 'get',
      path: '/payments',
      operationId: 'listPayments',
      summary: 'List payments',
      description: 'Newest first.',
      query: PageQuery,
      answers: { 200: jsonAnswer('One page.', LedgerPage) },
    },
    async (environments, { query, reply }) => {
      const { environment, limit, cursor, ...filter } = query();
      return reply(200, await ledgerPage(environments[environment].payments.storage, filter, cursor ?? null, limit));
    },
  ),
  route(
    {
      ...common,
      method: 'get',
      path: '/payments/summary',
      operationId: 'sumPayments',
      summary: 'Sum payments',
      description: 'Settled payments and 402 answers of the last thirty days, or of a time span.',
      query: SpanQuery,
      answers: { 200: jsonAnswer('The sums.', LedgerSummary) },
    },
    async (environments, { query, reply }) => {
      const { environment, from, to, timeZone, money } = query();
      const { storage, clock, moneyKind: current } = environments[environment].payments;
      await environments[environment].payments.flushPaymentCounts();
      const span = { ...omitUndefined({ from, to }), timeZone };
      return reply(200, await ledgerSummary(storage, clock, money ?? current, span));
    },
  ),
  route(
    {
      ...common,
      method: 'get',
      path: '/payments.csv',
      operationId: 'exportPayments',
      summary: 'Export payments',
      description: 'One line per payment.',
      query: Filter,
      answers: {
        200: {
          description: 'The file.',
          content: { mediaType: 'text/csv', schema: null },
          headers: ['Content-Disposition'],
        },
      },
    },
    (environments, { context, query }) => {
      const { environment, ...filter } = query();
      context.header('Content-Type', 'text/csv; charset=utf-8; header=present');
      context.header('Content-Disposition', `attachment; filename="payments-${environment}.csv"`);
      // What cannot be read to its end breaks off: lines that are missing must not look like payments that were not.
      const lines = ReadableStream.from(ledgerCsv(environments[environment].payments.storage, filter));
      return context.body(lines.pipeThrough(new TextEncoderStream()));
    },
  ),
];

// Ids of operations hold slashes, so the parameter takes the rest of the path.
const onePrice = {
  ...common,
  path: '/prices/{operationId}',
  takesRest: true,
  params: { operationId: z.string().describe('Id of the operation, slashes included: `extract/doc`.') },
  query: EnvironmentQuery,
  answers: { 200: jsonAnswer('The price.', PriceView) },
} as const;

const PRICE_ROUTES = [
  route(
    {
      ...common,
      method: 'get',
      path: '/prices',
      operationId: 'listPrices',
      summary: 'List prices',
      description: 'Of every paid operation, with the changes that the owner made.',
      query: EnvironmentQuery,
      answers: { 200: jsonAnswer('All of them.', z.object({ prices: z.array(PriceView) })) },
    },
    (environments, { query, reply }) => {
      const payments = environments[query().environment].payments;
      return reply(200, {
        prices: payments.prices.pricedOperations.map((entry) => presentPrice(payments, entry.operationId)),
      });
    },
  ),
  route(
    {
      ...onePrice,
      method: 'get',
      operationId: 'getPrice',
      summary: 'Read a price',
      description: 'With the changes that the owner made.',
      errors: ['not_found'],
    },
    (environments, { param, query, reply }) =>
      reply(200, presentPrice(environments[query().environment].payments, param('operationId'))),
  ),
  route(
    {
      ...onePrice,
      method: 'put',
      operationId: 'changePrice',
      summary: 'Change a price',
      description: 'Challenges from before the change can be paid at their price until they expire.',
      request: { schema: NewPrice },
      errors: [...BODY_ERRORS, 'not_found'],
    },
    async (environments, { param, query, body, reply }) => {
      const payments = environments[query().environment].payments;
      const operationId = param('operationId');
      await payments.prices.changeOperationPrice(operationId, await body());
      return reply(200, presentPrice(payments, operationId));
    },
  ),
];

const presentSettlement = async (payments: Payments) => ({
  settings: payments.settlementSettings(),
  status: await payments.settlementStatus(),
});

const SETTLEMENT_ROUTES = [
  route(
    {
      ...common,
      method: 'get',
      path: '/settlement',
      operationId: 'getSettlement',
      summary: 'Read the settlement',
      description: 'Settings and readiness. The private key is never shown.',
      query: EnvironmentQuery,
      answers: { 200: jsonAnswer('The settlement.', SettlementView) },
    },
    async (environments, { query, reply }) =>
      reply(200, await presentSettlement(environments[query().environment].payments)),
  ),
  route(
    {
      ...common,
      keyScope: 'owner',
      method: 'put',
      path: '/settlement',
      operationId: 'changeSettlement',
      summary: 'Change the settlement',
      description: 'Omitted fields keep their values.',
      query: EnvironmentQuery,
      request: { schema: SettingsChange },
      answers: { 200: jsonAnswer('The settlement.', SettlementView) },
      errors: [...BODY_ERRORS, 'conflict', 'settlement_unavailable'],
    },
    async (environments, { query, body, reply }) => {
      const payments = environments[query().environment].payments;
      await payments.changeSettings(await body());
      return reply(200, await presentSettlement(payments));
    },
  ),
  route(
    {
      ...common,
      method: 'get',
      path: '/sandbox',
      operationId: 'listSandboxWallets',
      summary: 'List the wallets of the sandbox',
      description: 'With their play money.',
      query: EnvironmentQuery,
      answers: { 200: jsonAnswer('All of them.', z.object({ wallets: z.array(SandboxAccount) })) },
      errors: ['conflict'],
    },
    async (environments, { query, reply }) =>
      reply(200, { wallets: await environments[query().environment].payments.wallets.richestSandboxWallets() }),
  ),
  route(
    {
      ...common,
      method: 'post',
      path: '/sandbox/faucet',
      operationId: 'fillWallet',
      summary: 'Fill a wallet of the sandbox',
      description: "The wallet named, or the owner's demo wallet.",
      query: EnvironmentQuery,
      request: { schema: FaucetRequest },
      answers: { 200: jsonAnswer('The wallet with its new balance.', SandboxAccount) },
      errors: [...BODY_ERRORS, 'conflict'],
    },
    async (environments, { query, body, reply }) => {
      const { wallets } = environments[query().environment].payments;
      return reply(200, await wallets.addPlayMoney(await body(), 'owner'));
    },
  ),
];

/** The owner's view of payments. Mounted under `/admin`, behind the owner check. */
export const ADMIN_PAYMENT_ROUTES = [...LEDGER_ROUTES, ...PRICE_ROUTES, ...SETTLEMENT_ROUTES];

function presentPrice({ prices }: Payments, operationId: string) {
  const { summary, price } = prices.pricedOperation(operationId);
  return {
    operationId,
    summary,
    ...prices.currentPrice(operationId),
    declared: price,
    history: prices.priceHistory(operationId).map((change) => ({
      amount: change.amount,
      timeoutSeconds: change.timeout_seconds,
      previousAmount: change.previous_amount,
      previousTimeoutSeconds: change.previous_timeout_seconds,
      changedAt: toIsoTime(change.changed_at),
    })),
  };
}

interface FacilitatorDeps {
  payments: Payments;
}

/** x402's own shapes: the protocol decides what else they hold. */
const FacilitatorRequest = z.looseObject({
  x402Version: z.union([z.literal(1), z.literal(2)]).optional(),
  paymentPayload: z.looseObject({ x402Version: z.number() }).describe('The decoded value of `X-PAYMENT`.'),
  paymentRequirements: z
    .looseObject({ scheme: z.string(), network: z.string() })
    .describe('The `accepts` entry it was made for.'),
});

const SupportedKinds = z.looseObject({
  kinds: z.array(z.looseObject({ x402Version: z.int(), scheme: z.string(), network: z.string() })),
});

const Verification = z.looseObject({
  isValid: z.boolean(),
  invalidReason: z.string().optional().describe('One of x402’s own codes.'),
  payer: z.string().optional(),
});

const Settlement = z.looseObject({
  success: z.boolean(),
  errorReason: z.string().optional().describe('One of x402’s own codes.'),
  payer: z.string().optional(),
  transaction: z.string(),
  network: z.string(),
});

const EXAMPLE_PRICE = { amount: 140_000, timeoutSeconds: 300 };

const EXAMPLE_REQUIREMENTS = requirementsOf(
  SANDBOX_TERMS,
  { operationId: 'extract/doc', summary: 'Extract the text of a document as chunks', price: EXAMPLE_PRICE },
  EXAMPLE_PRICE,
);

const PAYER = `0x${'a1'.repeat(20)}`;

/** As the sandbox's demo wallet would sign it; the signature itself is made up. */
const EXAMPLE_PAYLOAD = {
  x402Version: 1,
  scheme: EXAMPLE_REQUIREMENTS.scheme,
  network: EXAMPLE_REQUIREMENTS.network,
  payload: {
    signature: `0x${'5b'.repeat(64)}1c`,
    authorization: {
      from: PAYER,
      to: EXAMPLE_REQUIREMENTS.payTo,
      value: EXAMPLE_REQUIREMENTS.maxAmountRequired,
      validAfter: '1772443200',
      validBefore: '1772444100',
      nonce: `0x${'7e'.repeat(32)}`,
    },
  },
};

const facilitatorRequest = {
  schema: FacilitatorRequest,
  example: { x402Version: 1, paymentPayload: EXAMPLE_PAYLOAD, paymentRequirements: EXAMPLE_REQUIREMENTS },
};

const UNREADABLE = 'The request could not be read as x402 at all.';

const EXAMPLE_WALLET = 'dwl_3q2-7wAAAAAAAAAAAAAAAAAAAAA';

const DemoWalletName = z
  .string()
  .optional()
  .describe('A secret that names the demo wallet. Absent in answers to the owner.');

const demoWallet = {
  [DEMO_WALLET_HEADER]: z
    .string()
    .optional()
    .describe('`wallet` of an earlier answer, to use that demo wallet again.')
    .meta({ example: EXAMPLE_WALLET }),
};

const facilitatorRoute = routesOf<FacilitatorDeps>();

const open = { scope: 'origin', tag: 'Payments', auth: 'none' } as const;

const LIMITED_BODY_ERRORS = [
  'rate_limited',
  'body_too_large',
  'unsupported_content_type',
  'storage_full',
  'storage_unavailable',
  'shutting_down',
] as const;

const VERIFYING = [
  facilitatorRoute(
    {
      ...open,
      method: 'get',
      path: '/facilitator/supported',
      operationId: 'getSupportedPayments',
      summary: 'Which payments the facilitator takes',
      description: 'Each kind by x402 version, scheme and network.',
      query: z.strictObject({
        version: z
          .enum(['1', '2'])
          .optional()
          .describe('Only kinds of this x402 version: old clients refuse an answer that names newer ones.')
          .meta({ example: '1' }),
      }),
      answers: {
        200: jsonAnswer('The kinds.', SupportedKinds, {
          kinds: [{ x402Version: 1, scheme: 'exact', network: 'base-sepolia' }],
          extensions: [],
          signers: {},
        }),
      },
    },
    async ({ payments }, { context, query }) => {
      const { version } = query();
      const known = version === undefined ? null : version === '1' ? 1 : 2;
      return context.json(await payments.facilitator.supportedKinds(known));
    },
  ),
  facilitatorRoute(
    {
      ...open,
      method: 'post',
      path: '/facilitator/verify',
      operationId: 'verifyPayment',
      summary: 'Check whether a payment would settle',
      description: 'Changes nothing. A payment that would not settle is an answer with `isValid` false, not an error.',
      request: facilitatorRequest,
      answers: {
        200: jsonAnswer('Whether it would.', Verification, { isValid: true, payer: PAYER }),
        400: jsonAnswer(UNREADABLE, Verification, { isValid: false, invalidReason: 'invalid_payload' }),
      },
      errors: LIMITED_BODY_ERRORS,
    },
    async ({ payments }, { context, readBody }) =>
      answerAsFacilitator(context, await payments.facilitator.verifyRequestedPayment(await bodyOrNull(readBody))),
  ),
  facilitatorRoute(
    {
      ...open,
      method: 'post',
      path: '/facilitator/settle',
      operationId: 'settlePayment',
      summary: 'Settle a payment',
      description: 'Moves the money. The payment then waits for the request that is sent with the same proof.',
      request: facilitatorRequest,
      answers: {
        200: jsonAnswer('Whether it did.', Settlement, {
          success: true,
          payer: PAYER,
          transaction: `0x${'0f'.repeat(32)}`,
          network: 'base-sepolia',
        }),
        400: jsonAnswer(UNREADABLE, Settlement, {
          success: false,
          errorReason: 'invalid_payload',
          transaction: '',
          network: 'base-sepolia',
        }),
      },
      errors: LIMITED_BODY_ERRORS,
    },
    async ({ payments }, { context, readBody }) =>
      answerAsFacilitator(context, await payments.facilitator.settleRequestedPayment(await bodyOrNull(readBody))),
  ),
];

const SANDBOX = [
  facilitatorRoute(
    {
      ...open,
      method: 'post',
      path: '/facilitator/pay',
      operationId: 'payInSandbox',
      summary: 'Let a demo wallet pay (sandbox)',
      description:
        'Send one entry of `accepts`; the answer is the value for `X-PAYMENT`. In the sandbox only. Each call pays ' +
        'from a new wallet, unless it names the one of an earlier call. A wallet is an account: only requests that ' +
        'are paid from the same wallet find its results through `POST /search`.',
      headers: demoWallet,
      request: { schema: z.looseObject(PaymentRequirements.shape), example: EXAMPLE_REQUIREMENTS },
      answers: {
        200: jsonAnswer('Signed.', z.object({ payload: z.string().describe('Base64.'), wallet: DemoWalletName }), {
          payload: Buffer.from(JSON.stringify(EXAMPLE_PAYLOAD)).toString('base64'),
          wallet: EXAMPLE_WALLET,
        }),
      },
      errors: ['invalid_request', 'unauthorized', 'conflict', ...LIMITED_BODY_ERRORS],
    },
    async ({ payments: { facilitator, wallets } }, { context, readBody, reply }) => {
      const payable = facilitator.payableEntry(await readBody());
      const holder = demoHolder(context);
      return reply(200, { payload: await wallets.payFromDemoWallet(payable, holder), ...demoWalletName(holder) });
    },
  ),
  facilitatorRoute(
    {
      ...open,
      method: 'post',
      path: '/facilitator/faucet',
      operationId: 'getPlayMoney',
      summary: 'Get play money (sandbox)',
      description: 'Fills a wallet of the sandbox: the one named, or a demo wallet. In the sandbox only.',
      headers: demoWallet,
      request: { schema: FaucetRequest, example: { amount: 100_000_000 } },
      answers: {
        200: jsonAnswer(
          'The wallet with its new balance.',
          z.object({ ...SandboxAccount.shape, wallet: DemoWalletName }),
          {
            address: PAYER,
            balance: 100_000_000,
            demo: true,
            wallet: EXAMPLE_WALLET,
          },
        ),
      },
      errors: ['invalid_request', 'unauthorized', 'conflict', ...LIMITED_BODY_ERRORS],
    },
    async ({ payments: { wallets } }, { context, body, reply }) => {
      const request = await body();
      const holder = demoHolder(context);
      const account = await wallets.addPlayMoney(request, holder);
      return reply(200, { ...account, ...(request.address === undefined ? demoWalletName(holder) : {}) });
    },
  ),
];

/**
 * The local facilitator (decisions 4), outside `/v1`: it verifies, settles and, in the sandbox, pays for clients that
 * have only curl. Staging has the same routes under `/staging`. Threat: anyone may call it, and settling on a
 * chain costs gas; so every call but `GET` passes the caller's rate limit first, bodies are small, and the facilitator
 * itself knows only our own receiver and asset.
 */
export const FACILITATOR_ROUTES = [...VERIFYING, ...SANDBOX];

interface FacilitatorChecks {
  /** Sets `principal`: the owner has a demo wallet that is known to the dashboard. */
  identify: MiddlewareHandler<HttpEnv>;
  /** Counts the request against its caller's limit. Errors: `rate_limited`. */
  limit(context: Context<HttpEnv>): Promise<void>;
}

/** The checks before the routes of the facilitator at `base`. */
export function guardFacilitator(app: Hono<HttpEnv>, base: string, { identify, limit }: FacilitatorChecks): void {
  // Only here: clients send credentials of other facilitators to verify and settle.
  for (const path of ['/pay', '/faucet']) app.use(`${base}/facilitator${path}`, identify);
  app.use(`${base}/facilitator/*`, async (context, next) => {
    if (context.req.method !== 'GET') await limit(context);
    context.header('Cache-Control', 'no-store');
    await next();
  });
}

export function mountFacilitator(payments: Payments, readBody: ReadSmallJson): Hono<HttpEnv> {
  return mountRoutes(FACILITATOR_ROUTES, { payments }, readBody);
}

function answerAsFacilitator(context: Context<HttpEnv>, { status, body }: FacilitatorAnswer): Response {
  return context.json(body, status);
}

/** A body that is no JSON is `invalid_payload` in the facilitator's own shape, as its clients expect. */
async function bodyOrNull(readBody: () => Promise<unknown>): Promise<unknown> {
  try {
    return await readBody();
  } catch (error) {
    if (systemCodeOf(error) === 'invalid_request') return null;
    throw error;
  }
}

const DEMO_WALLET_NAME = /^dwl_[A-Za-z0-9_-]{27}$/;

/** A caller that names no wallet gets a new one. Errors: `invalid_request`. */
function demoHolder(context: Context<HttpEnv>): DemoHolder {
  if (context.get('principal').kind === 'owner') return 'owner';
  const name = context.req.header(DEMO_WALLET_HEADER);
  if (name === undefined) return newId('dwl') as DemoHolder;
  if (DEMO_WALLET_NAME.test(name)) return name as DemoHolder;
  const message = tell`Send the value of wallet that an earlier answer gave, or leave the header out for a new wallet.`;
  throw invalidRequest([{ path: DEMO_WALLET_HEADER, message }]);
}

function demoWalletName(holder: DemoHolder): { wallet?: string } {
  return holder === 'owner' ? {} : { wallet: holder };
}
