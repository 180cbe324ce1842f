import { type Context, Hono } from 'hono';
import { type Principal, QuarryError, WebhookRequest, WebhookUpdate } from '../../contract/index.ts';
import type { HttpEnv } from '../../platform/http/env.ts';
import { parseWithSchema } from '../../platform/http/validate.ts';
import type { Webhooks } from './service.ts';

export interface WebhookRouteParts {
  webhooks: Webhooks;
  /** A request's JSON body, unparsed by any schema. */
  readBody(context: Context<HttpEnv>): Promise<unknown>;
  /** The job object as JSON text. */
  jobJson(jobId: string): Promise<string>;
}

/** The free webhook routes of one environment. `POST /webhooks` is not among them: it is an operation. */
export function webhookRoutes({ webhooks, readBody, jobJson }: WebhookRouteParts): Hono<HttpEnv> {
  const { accounts } = webhooks;
  const routes = new Hono<HttpEnv>();

  routes.get('/webhooks', async (context) => context.json(await accounts.list(accountOf(context))));

  routes.get('/webhooks/:webhookId', async (context) => {
    const accountId = accountOf(context);
    return context.json(await accounts.get(accountId, context.req.param('webhookId')));
  });

  routes.patch('/webhooks/:webhookId', async (context) => {
    const accountId = accountOf(context);
    const update = parseWithSchema(WebhookUpdate, await readBody(context));
    return context.json(await accounts.update(accountId, context.req.param('webhookId'), update));
  });

  routes.delete('/webhooks/:webhookId', async (context) => {
    const accountId = accountOf(context);
    await accounts.remove(accountId, context.req.param('webhookId'));
    return context.body(null, 204);
  });

  // Knowing a jobId is the right to hear of that job; what may be called depends on who asks.
  routes.post('/jobs/:jobId/webhooks', async (context) => {
    const request = parseWithSchema(WebhookRequest, await readBody(context));
    const jobId = context.req.param('jobId');
    await webhooks.registerOnJob(context.get('principal').accountId, jobId, request);
    context.header('Content-Type', 'application/json');
    context.header('Cache-Control', 'no-store');
    return context.body(await jobJson(jobId), 202);
  });

  return routes;
}

function accountOf(context: Context<HttpEnv>): string {
  const principal: Principal = context.get('principal');
  if (principal.kind !== 'anonymous') return principal.accountId;
  throw new QuarryError(
    'unauthorized',
    'Sign in with your wallet (header SIGN-IN-WITH-X), or send the owner token, to see your webhooks.',
  );
}
