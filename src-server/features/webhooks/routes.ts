import type { IncomingMessage } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { type Context, Hono } from 'hono';
import { z } from 'zod';
import type { Principal } from '../../context.ts';
import { ENVIRONMENTS, type EnvironmentName } from '../../operation.ts';
import { toIsoTime } from '../../platform/clock.ts';
import { QuarryError } from '../../platform/errors.ts';
import type { HttpEnv } from '../../platform/http/env.ts';
import { parseWithSchema, queryOf } from '../../platform/http/validate.ts';
import { MIB, SECOND_MS } from '../../platform/units.ts';
import { explainSignature } from './explain.ts';
import type { InboxBehaviour, Inboxes } from './inbox.ts';
import { JOB_EVENTS, WebhookRequest, WebhookUpdate, webhookSecret, webhookSecretText } from './schema.ts';
import type { Webhooks } from './service.ts';

interface WebhookRouteDeps {
  webhooks: Webhooks;
  /** A request's JSON body, unparsed by any schema. */
  readBody(context: Context<HttpEnv>): Promise<unknown>;
  /** The job object as JSON text. */
  jobJson(jobId: string): Promise<string>;
}

/** The free webhook routes of one environment. `POST /webhooks` is not among them: it is an operation. */
export function webhookRoutes({ webhooks, readBody, jobJson }: WebhookRouteDeps): Hono<HttpEnv> {
  const { accounts } = webhooks;
  const routes = new Hono<HttpEnv>();

  routes.get('/webhooks', async (context) => context.json(accounts.list(accountOf(context))));

  routes.get('/webhooks/:webhookId', (context) => {
    const accountId = accountOf(context);
    return context.json(accounts.get(accountId, context.req.param('webhookId')));
  });

  routes.patch('/webhooks/:webhookId', async (context) => {
    const accountId = accountOf(context);
    const update = parseWithSchema(WebhookUpdate, await readBody(context));
    return context.json(await accounts.update(accountId, context.req.param('webhookId'), update));
  });

  routes.delete('/webhooks/:webhookId', async (context) => {
    const accountId = accountOf(context);
    accounts.remove(accountId, context.req.param('webhookId'));
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

const MAX_PAGE = 200;

const DEFAULT_PAGE = 50;

const MAX_PASTED_CHARS = 200_000;

const MAX_URL_CHARS = 2048;

/** A delay or a failure status an inbox can be told, within what a sender waits for. */
const MAX_DELAY_MS = 60_000;

const MAX_TIMES = 1000;

const Environment = z.enum(ENVIRONMENTS).default('production').describe('Whose webhooks: the two share nothing.');

const Time = z.iso.datetime({ offset: true }).transform((text) => Date.parse(text));

const Filter = z.strictObject({
  status: z.enum(['pending', 'delivered', 'exhausted', 'cancelled']).optional(),
  webhookId: z.string().max(100).optional(),
  jobId: z.string().max(100).optional(),
  event: z.enum(JOB_EVENTS).optional(),
  url: z.string().max(MAX_URL_CHARS).optional().describe('How the address that is called begins.'),
  since: Time.optional().describe('Created at or after.'),
  until: Time.optional().describe('Created before.'),
});

const Page = z.strictObject({
  environment: Environment,
  limit: z.coerce.number().pipe(z.int().min(1).max(MAX_PAGE)).default(DEFAULT_PAGE),
  cursor: z.coerce.number().pipe(z.int().min(1)).optional(),
});

const DeliveriesQuery = Page.extend(Filter.shape);

const AttemptNumber = z.object({ number: z.coerce.number().pipe(z.int().min(1)) });

const TestRequest = z.strictObject({ event: z.enum(JOB_EVENTS).default('job.completed') });

const ExplainRequest = z.strictObject({
  headers: z.record(z.string().max(200), z.string().max(MAX_PASTED_CHARS)),
  body: z.string().max(MAX_PASTED_CHARS).describe('The raw body, byte for byte.'),
  secret: webhookSecretText().nullable(),
});

const Times = z.int().min(1).max(MAX_TIMES).nullable().default(null);

const Behaviour = z.discriminatedUnion('mode', [
  z.strictObject({ mode: z.literal('accept') }),
  z.strictObject({ mode: z.literal('status'), status: z.int().min(200).max(599), times: Times }),
  z.strictObject({ mode: z.literal('timeout'), times: Times }),
  z.strictObject({ mode: z.literal('slow'), delayMs: z.int().min(0).max(MAX_DELAY_MS), times: Times }),
]);

const InboxSettings = z.strictObject({
  label: z.string().max(100).optional(),
  secret: webhookSecret().nullable().optional(),
  behaviour: Behaviour.optional(),
});

type Ctx = Context<HttpEnv>;

interface AdminWebhookDeps {
  environments: Record<EnvironmentName, { webhooks: Webhooks; inboxes: Inboxes }>;
  /** A request's JSON body, unparsed by any schema. */
  readBody(context: Ctx): Promise<unknown>;
}

/** The owner's view of webhooks. Mounted under `/admin`, behind the owner check; all take `?environment=staging`. */
export function adminWebhookRoutes(deps: AdminWebhookDeps): Hono<HttpEnv> {
  const routes = new Hono<HttpEnv>();
  routes.route('/webhooks', endpointRoutes(deps));
  routes.route('/deliveries', deliveryRoutes(deps));
  routes.route('/redeliveries', redeliveryRoutes(deps));
  routes.route('/inboxes', inboxControlRoutes(deps));
  return routes;
}

function chosen(deps: AdminWebhookDeps, context: Ctx): { webhooks: Webhooks; inboxes: Inboxes } {
  const { environment } = parseWithSchema(z.strictObject({ environment: Environment }), queryOf(context));
  return deps.environments[environment];
}

/** `GET /`, `POST /explain`, `POST /:webhookId/test`. */
function endpointRoutes(deps: AdminWebhookDeps): Hono<HttpEnv> {
  const routes = new Hono<HttpEnv>();
  routes.get('/', async (context) => {
    const { environment, limit, cursor = null } = parseWithSchema(Page, queryOf(context));
    const { webhooks } = deps.environments[environment];
    const { endpoints, next } = webhooks.endpoints(cursor, limit);
    return context.json({ endpoints, nextCursor: next, deliveries: webhooks.log.counts() });
  });
  routes.post('/explain', async (context) => {
    const { webhooks } = chosen(deps, context);
    const { headers, body, secret } = parseWithSchema(ExplainRequest, await deps.readBody(context));
    return context.json(explainSignature({ headers, body: Buffer.from(body, 'utf8') }, secret, webhooks.now()));
  });
  routes.post('/:webhookId/test', async (context) => {
    const { event } = parseWithSchema(TestRequest, await deps.readBody(context));
    const deliveryId = chosen(deps, context).webhooks.sendTest(context.req.param('webhookId'), event);
    return context.json({ deliveryId }, 202);
  });
  return routes;
}

/** `GET /`, `GET /:id`, `POST /:id/redeliver`, `GET /:id/attempts/:number/body`, `…/signature`. */
function deliveryRoutes(deps: AdminWebhookDeps): Hono<HttpEnv> {
  const routes = new Hono<HttpEnv>();
  routes.get('/', async (context) => {
    const { environment, limit, cursor = null, ...filter } = parseWithSchema(DeliveriesQuery, queryOf(context));
    const { deliveries, next } = await deps.environments[environment].webhooks.log.list(filter, cursor, limit);
    return context.json({ deliveries, nextCursor: next });
  });
  routes.get('/:deliveryId', async (context) => {
    const { log } = chosen(deps, context).webhooks;
    return context.json(log.get(context.req.param('deliveryId')));
  });
  routes.post('/:deliveryId/redeliver', async (context) => {
    const { webhooks } = chosen(deps, context);
    webhooks.redelivery.one(context.req.param('deliveryId'));
    return context.json(webhooks.log.get(context.req.param('deliveryId')), 202);
  });
  routes.get('/:deliveryId/attempts/:number/body', async (context) => {
    const { number } = parseWithSchema(AttemptNumber, { number: context.req.param('number') });
    const body = await chosen(deps, context).webhooks.log.requestBody(context.req.param('deliveryId'), number);
    // Bytes for looking at, never a page: the body holds what documents said.
    context.header('Content-Type', 'application/json');
    context.header('Content-Disposition', 'attachment; filename="delivery.json"');
    context.header('X-Content-Type-Options', 'nosniff');
    return context.body(new Uint8Array(body));
  });
  routes.get('/:deliveryId/attempts/:number/signature', async (context) => {
    const { number } = parseWithSchema(AttemptNumber, { number: context.req.param('number') });
    return context.json(await chosen(deps, context).webhooks.log.explain(context.req.param('deliveryId'), number));
  });
  return routes;
}

/** `POST /` previews a filter and freezes what it finds, `POST /:selectionId/apply` sends exactly that again. */
function redeliveryRoutes(deps: AdminWebhookDeps): Hono<HttpEnv> {
  const routes = new Hono<HttpEnv>();
  routes.post('/', async (context) => {
    const { webhooks } = chosen(deps, context);
    const filter = parseWithSchema(Filter, await deps.readBody(context));
    const { sample, expiresAt, ...preview } = await webhooks.redelivery.preview(filter);
    const view = { ...preview, sample: sample.map((row) => webhooks.log.view(row)), expiresAt: toIsoTime(expiresAt) };
    return context.json(view, 201);
  });
  routes.post('/:selectionId/apply', async (context) => {
    const { redelivery } = chosen(deps, context).webhooks;
    return context.json(await redelivery.apply(context.req.param('selectionId')), 202);
  });
  return routes;
}

/** `GET /`, `POST /`, and `GET`, `PATCH`, `DELETE /:name`; `GET /:name/messages`. */
function inboxControlRoutes(deps: AdminWebhookDeps): Hono<HttpEnv> {
  const routes = new Hono<HttpEnv>();
  routes.get('/', async (context) => context.json({ inboxes: chosen(deps, context).inboxes.list() }));
  routes.post('/', async (context) => {
    const settings = parseWithSchema(InboxSettings, await deps.readBody(context));
    return context.json(chosen(deps, context).inboxes.create(settings), 201);
  });
  routes.get('/:name', async (context) => {
    return context.json(chosen(deps, context).inboxes.get(context.req.param('name')));
  });
  routes.patch('/:name', async (context) => {
    const settings = parseWithSchema(InboxSettings, await deps.readBody(context));
    return context.json(chosen(deps, context).inboxes.change(context.req.param('name'), settings));
  });
  routes.delete('/:name', async (context) => {
    chosen(deps, context).inboxes.remove(context.req.param('name'));
    return context.body(null, 204);
  });
  routes.get('/:name/messages', async (context) => {
    const { environment, limit, cursor = null } = parseWithSchema(Page, queryOf(context));
    const { inboxes } = deps.environments[environment];
    const { messages, next } = inboxes.messages(context.req.param('name'), cursor, limit);
    return context.json({ messages, nextCursor: next });
  });
  return routes;
}

/**
 * Where an inbox takes its deliveries. Open, since the deliverer has no owner token: the unguessable name is the right.
 * A stranger finds no inbox, so nothing of his is read; whoever knows a name is bounded in bytes and time.
 */
const MAX_BODY_BYTES = 16 * MIB;

/** A sender that has not given up by then is answered, so that no connection stays open for ever. */
const SILENCE_MS = 60 * SECOND_MS;

const GAVE_UP = 504;

/** `POST /:name`. Mounted at `/inbox`. */
export function inboxRoutes(inboxes: Inboxes): Hono<HttpEnv> {
  const routes = new Hono<HttpEnv>();
  routes.post('/:name', async (context) => {
    const name = context.req.param('name');
    inboxes.expect(name);
    const body = await readAll(context.env.incoming);
    const behaviour = inboxes.receive(name, headersOf(context.env.incoming), body);
    const status = await answerOf(behaviour, context.req.raw.signal);
    return new Response(null, { status });
  });
  return routes;
}

/** Waits where the behaviour says so; ends early when the sender goes away. */
async function answerOf(behaviour: InboxBehaviour, signal: AbortSignal): Promise<number> {
  switch (behaviour.mode) {
    case 'accept':
      return 204;
    case 'status':
      return behaviour.status;
    case 'slow':
      await waitFor(behaviour.delayMs, signal);
      return 204;
    case 'timeout':
      await waitFor(SILENCE_MS, signal);
      return GAVE_UP;
  }
}

async function waitFor(milliseconds: number, signal: AbortSignal): Promise<void> {
  // A sender that went away is no failure: there is only nobody left to answer.
  await pause(milliseconds, undefined, { signal, ref: false }).catch(() => undefined);
}

function headersOf(incoming: IncomingMessage): Record<string, string> {
  return Object.fromEntries(
    Object.entries(incoming.headers).map(([name, value]) => [
      name,
      Array.isArray(value) ? value.join(', ') : `${value}`,
    ]),
  );
}

async function readAll(incoming: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let sizeBytes = 0;
  for await (const chunk of incoming as AsyncIterable<Buffer>) {
    sizeBytes += chunk.length;
    if (sizeBytes > MAX_BODY_BYTES) throw new QuarryError('body_too_large', 'An inbox takes bodies up to 16 MB.');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks, sizeBytes);
}
