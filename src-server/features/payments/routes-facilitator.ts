/**
 * The local facilitator (decisions 4), outside `/v1`: for whoever wants to verify, settle or, in the sandbox, pay with
 * nothing but curl. Threat: anybody may call it, and settling on a chain costs gas; so every call but `GET` passes the
 * caller's rate limit first, bodies are small, and the facilitator itself knows only our own receiver and asset.
 */
import { type Context, Hono, type MiddlewareHandler } from 'hono';
import { z } from 'zod';
import type { HttpEnv } from '../../platform/http/env.ts';
import { queryOf } from '../../platform/http/query.ts';
import { invalidRequest, parseWithSchema } from '../../platform/http/validate.ts';
import { newId } from '../../platform/ids.ts';
import type { FacilitatorAnswer } from './facilitator.ts';
import { type DemoHolder, FAUCET_AMOUNT_MAX } from './sandbox-wallets.ts';
import type { Payments } from './service.ts';

const SupportedQuery = z.strictObject({ version: z.enum(['1', '2']).optional() });

export const FaucetRequest = z.strictObject({
  address: z
    .string()
    .regex(/^0x[0-9a-fA-F]{40}$/, 'Give an address: 0x and 40 hexadecimal digits.')
    .optional()
    .describe("Receives the play money; by default the caller's demo wallet."),
  amount: z.int().min(1).max(FAUCET_AMOUNT_MAX).optional().describe('In the 6-decimal unit; 100000000 by default.'),
});

export interface FacilitatorRouteParts {
  payments: Payments;
  /** Sets `principal`: the owner has a demo wallet that is known to the dashboard. */
  identify: MiddlewareHandler<HttpEnv>;
  /** A request's JSON body, unparsed by any schema; a bounded one. Errors: `invalid_request`, `body_too_large`. */
  readBody(context: Context<HttpEnv>): Promise<unknown>;
  /** Counts the request against its caller's limit. Errors: `rate_limited`. */
  limit(context: Context<HttpEnv>): Promise<void>;
}

/** `GET /supported`, `POST /verify`, `POST /settle`; in the sandbox `POST /pay`, `POST /faucet`. */
export function facilitatorRoutes({ payments, identify, readBody, limit }: FacilitatorRouteParts): Hono<HttpEnv> {
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

/** Names the caller's demo wallet: `wallet` of an earlier answer. */
export const DEMO_WALLET_HEADER = 'X-Demo-Wallet';
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
