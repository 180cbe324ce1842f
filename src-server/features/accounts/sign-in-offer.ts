import type { Context } from 'hono';
import { BASE_PATHS, type Principal } from '../../contract/index.ts';
import type { HttpEnv } from '../../platform/http/env.ts';
import type { Service } from '../jobs/service-ports.ts';

/** Stock x402 clients sign in when a 402 asks them to, and never look at a 401: they ask for that one. */
const PREFERS_402 = /(?:^|[,;\s])x402-sign-in\s*=\s*"?402"?(?:$|[,;\s])/i;

/**
 * What a wallet needs to sign in (domain, nonce, times, chain) beside the 401 of a route that needs an account, in the
 * header `PAYMENT-REQUIRED`. Gives back a 402 that asks for no money to those who prefer that.
 */
export function offerSignIn(services: readonly Service[], context: Context<HttpEnv>): Response | null {
  const principal: Principal | undefined = context.get('principal');
  const { path } = context.req;
  const service = services.find(({ name }) => path.startsWith(`${BASE_PATHS[name]}/`));
  if (principal?.kind !== 'anonymous' || service === undefined) return null;
  const { body, headers } = service.signInChallenge(path.slice(BASE_PATHS[service.name].length));
  for (const [name, value] of Object.entries(headers)) context.header(name, value);
  return PREFERS_402.test(context.req.header('prefer') ?? '') ? context.json(body, 402) : null;
}
