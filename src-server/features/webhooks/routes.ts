import type { IncomingMessage } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { type Context, Hono } from 'hono';
import { z } from 'zod';
import type { Principal } from '../../context.ts';
import { type EnvironmentName, EnvironmentQuery } from '../../operation.ts';
import { toIsoTime } from '../../platform/clock.ts';
import { QuarryError } from '../../platform/errors.ts';
import type { HttpEnv } from '../../platform/http/env.ts';
import { BODY_ERRORS, jsonAnswer, routesOf } from '../../platform/http/route.ts';
import { parseWithSchema } from '../../platform/http/validate.ts';
import { MIB, SECOND_MS } from '../../platform/units.ts';
import { checkOwnJob, keyOfPrincipal } from '../accounts/service.ts';
import { EXAMPLE_JOB, Job } from '../jobs/schema.ts';
import { type Jobs, jobBody } from '../jobs/service.ts';
import { explainSignature } from './explain.ts';
import type { Inboxes } from './inbox.ts';
import {
  ACCOUNT_EVENTS,
  DELIVERY_STATUSES,
  Delivery,
  DeliveryDetail,
  EXAMPLE_WEBHOOK_URL,
  Inbox,
  InboxBehaviour,
  InboxMessage,
  JobWebhookRequest,
  Webhook,
  WebhookEndpoint,
  WebhookExplanation,
  WebhookUpdate,
  webhookSecret,
  webhookSecretText,
} from './schema.ts';
import type { Webhooks } from './service.ts';

interface WebhookRouteDeps {
  webhooks: Webhooks;
  jobs: Pick<Jobs, 'row' | 'json'>;
}

const EXAMPLE: Webhook = {
  webhookId: 'whk_8Yk2mQ0vRbT5nX1sLc7pWd3JfGh',
  url: EXAMPLE_WEBHOOK_URL,
  events: ['job.completed', 'job.failed'],
  status: 'active',
  hasSecret: true,
  createdAt: '2026-03-02T09:30:00.000Z',
  updatedAt: '2026-03-02T09:30:00.000Z',
  lastDelivery: null,
};

const route = routesOf<WebhookRouteDeps>();

const common = { scope: 'environment', tag: 'Webhooks', auth: 'account' } as const;

const params = { webhookId: z.string().describe('Identifier of the webhook.').meta({ example: EXAMPLE.webhookId }) };

/** The free webhook routes of one environment. `POST /webhooks` is an operation. */
export const WEBHOOK_ROUTES = [
  route(
    {
      ...common,
      method: 'get',
      path: '/webhooks',
      operationId: 'listWebhooks',
      summary: 'List your webhooks',
      description: 'Webhooks of the account. Each job of the account calls them.',
      answers: { 200: jsonAnswer('All of them.', z.array(Webhook), [EXAMPLE]) },
    },
    async ({ webhooks: { accounts } }, { context, reply }) =>
      reply(200, await accounts.listAccountWebhooks(callingAccount(context))),
  ),
  route(
    {
      ...common,
      method: 'get',
      path: '/webhooks/{webhookId}',
      operationId: 'getWebhook',
      summary: 'Read a webhook',
      description: 'The secret is never returned.',
      params,
      answers: { 200: jsonAnswer('The webhook.', Webhook, EXAMPLE) },
      errors: ['not_found'],
    },
    async ({ webhooks: { accounts } }, { context, param, reply }) =>
      reply(200, await accounts.viewAccountWebhook(callingAccount(context), param('webhookId'))),
  ),
  route(
    {
      ...common,
      method: 'patch',
      path: '/webhooks/{webhookId}',
      keyScope: 'run:webhooks',
      operationId: 'updateWebhook',
      summary: 'Change a webhook',
      description:
        'Omitted fields keep their values. The owner may change the status of any webhook, ' +
        'and other fields only of their own webhooks. A key needs `read` too, and changes only what it made.',
      params,
      request: { schema: WebhookUpdate, example: { status: 'paused' } },
      answers: { 200: jsonAnswer('The webhook as it is now.', Webhook, EXAMPLE) },
      errors: [...BODY_ERRORS, 'not_found', 'conflict'],
    },
    async ({ webhooks: { accounts } }, { context, param, body, reply }) => {
      const accountId = callingAccount(context);
      const key = keyOfPrincipal(context.get('principal'));
      return reply(200, await accounts.updateAccountWebhook(accountId, param('webhookId'), await body(), key));
    },
  ),
  route(
    {
      ...common,
      method: 'delete',
      path: '/webhooks/{webhookId}',
      keyScope: 'run:webhooks',
      operationId: 'deleteWebhook',
      summary: 'Delete a webhook',
      description: 'Stops its deliveries. The owner may delete any webhook, a key only what it made.',
      params,
      answers: { 204: { description: 'Deleted.' } },
      errors: ['not_found'],
    },
    async ({ webhooks: { accounts } }, { context, param, end }) => {
      await accounts.removeAccountWebhook(
        callingAccount(context),
        param('webhookId'),
        keyOfPrincipal(context.get('principal')),
      );
      return end(204);
    },
  ),
  // A jobId entitles to events of the job. The caller decides which addresses may be called.
  route(
    {
      ...common,
      method: 'post',
      path: '/jobs/{jobId}/webhooks',
      operationId: 'addJobWebhook',
      summary: 'Call a URL when a job has ended',
      description: 'The identifier entitles to events of the job. A job that has ended is reported at once.',
      auth: 'none',
      keyScope: 'own-job',
      forDevices: false,
      params: { jobId: z.string().describe('Identifier returned at creation.').meta({ example: EXAMPLE_JOB.jobId }) },
      request: { schema: JobWebhookRequest, example: { url: EXAMPLE_WEBHOOK_URL, events: ['job.completed'] } },
      answers: { 202: jsonAnswer('Registered. The job object, its `events` updated.', Job, EXAMPLE_JOB) },
      errors: [...BODY_ERRORS, 'not_found', 'job_expired', 'conflict'],
    },
    async ({ jobs, webhooks }, { context, param, body }) => {
      const request = await body();
      const jobId = param('jobId');
      const principal = context.get('principal');
      if (principal.kind === 'owner') checkOwnJob(principal.key, jobs.row(jobId));
      await webhooks.registerOnJob(principal.accountId, jobId, request, keyOfPrincipal(principal));
      return jobBody(context, await jobs.json(await jobs.row(jobId)), 202);
    },
  ),
];

function callingAccount(context: Context<HttpEnv>): string {
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

const Time = z.iso.datetime({ offset: true }).transform((text) => Date.parse(text));

const Filter = z.strictObject({
  status: z.enum(DELIVERY_STATUSES).optional(),
  webhookId: z.string().max(100).optional(),
  jobId: z.string().max(100).optional(),
  event: z.enum(ACCOUNT_EVENTS).optional(),
  url: z.string().max(MAX_URL_CHARS).optional().describe('How the address that is called begins.'),
  since: Time.optional().describe('Created at or after.'),
  until: Time.optional().describe('Created before.'),
});

const Page = EnvironmentQuery.extend({
  limit: z.coerce.number().int().min(1).max(MAX_PAGE).default(DEFAULT_PAGE),
  cursor: z.coerce.number().int().min(1).optional(),
});

const DeliveriesQuery = Page.extend(Filter.shape);

const AttemptNumber = z.object({ number: z.coerce.number().int().min(1) });

const TestRequest = z.strictObject({ event: z.enum(ACCOUNT_EVENTS).default('job.completed') });

const ExplainRequest = z.strictObject({
  headers: z.record(z.string().max(200), z.string().max(MAX_PASTED_CHARS)),
  body: z.string().max(MAX_PASTED_CHARS).describe('The raw body, byte for byte.'),
  secret: webhookSecretText().nullable(),
});

const InboxSettings = z.strictObject({
  label: z.string().max(100).optional(),
  secret: webhookSecret().nullable().optional(),
  behaviour: InboxBehaviour.optional(),
});

type AdminWebhookDeps = Record<EnvironmentName, { webhooks: Webhooks; inboxes: Inboxes }>;

const adminRoute = routesOf<AdminWebhookDeps>();

const owner = { scope: 'owner', tag: 'Webhooks', auth: 'owner' } as const;

const Count = z.int().min(0);

const ENDPOINT_ROUTES = [
  adminRoute(
    {
      ...owner,
      method: 'get',
      path: '/webhooks',
      operationId: 'listEndpoints',
      summary: 'List the webhooks of all accounts',
      description: 'Newest first, with counts of deliveries by status, up to 10,000.',
      query: Page,
      answers: {
        200: jsonAnswer(
          'One page.',
          z.object({
            endpoints: z.array(WebhookEndpoint),
            nextCursor: z.string().nullable(),
            deliveries: z.record(z.enum(DELIVERY_STATUSES), Count),
          }),
        ),
      },
    },
    async (environments, { query, reply }) => {
      const { environment, limit, cursor = null } = query();
      const { webhooks } = environments[environment];
      const { endpoints, next } = await webhooks.pageOfEndpoints(cursor, limit);
      return reply(200, { endpoints, nextCursor: next, deliveries: await webhooks.log.deliveryCounts() });
    },
  ),
  adminRoute(
    {
      ...owner,
      method: 'post',
      path: '/webhooks/explain',
      operationId: 'explainSignature',
      summary: 'Explain a signature',
      description: 'The signed text, the expected signature, and whether the request matches.',
      query: EnvironmentQuery,
      request: { schema: ExplainRequest },
      answers: { 200: jsonAnswer('The explanation.', WebhookExplanation) },
      errors: BODY_ERRORS,
    },
    async (environments, { query, body: readBody, reply }) => {
      const { webhooks } = environments[query().environment];
      const { headers, body, secret } = await readBody();
      return reply(
        200,
        explainSignature({ headers, body: Buffer.from(body, 'utf8') }, secret, webhooks.signatureTime()),
      );
    },
  ),
  adminRoute(
    {
      ...owner,
      method: 'post',
      path: '/webhooks/{webhookId}/test',
      operationId: 'testWebhook',
      summary: 'Send a test delivery',
      description: 'The delivery carries a sample job, or a sample alert.',
      params,
      query: EnvironmentQuery,
      request: { schema: TestRequest },
      answers: { 202: jsonAnswer('The delivery.', z.object({ deliveryId: z.string() })) },
      errors: [...BODY_ERRORS, 'not_found', 'conflict'],
    },
    async (environments, { param, query, body, reply }) => {
      const { event } = await body();
      const { webhooks } = environments[query().environment];
      return reply(202, { deliveryId: await webhooks.sendTest(param('webhookId'), event) });
    },
  ),
];

const oneDelivery = { deliveryId: z.string().describe('Identifier of the delivery.') };

const oneAttempt = { ...oneDelivery, number: z.string().describe('Number of the attempt, from 1.') };

const parseAttemptNumber = (number: string) => parseWithSchema(AttemptNumber, { number }).number;

const DELIVERY_ROUTES = [
  adminRoute(
    {
      ...owner,
      method: 'get',
      path: '/deliveries',
      operationId: 'listDeliveries',
      summary: 'List deliveries',
      description: 'Newest first.',
      query: DeliveriesQuery,
      answers: {
        200: jsonAnswer('One page.', z.object({ deliveries: z.array(Delivery), nextCursor: z.string().nullable() })),
      },
    },
    async (environments, { query, reply }) => {
      const { environment, limit, cursor = null, ...filter } = query();
      const { deliveries, next } = await environments[environment].webhooks.log.pageOfDeliveries(filter, cursor, limit);
      return reply(200, { deliveries, nextCursor: next });
    },
  ),
  adminRoute(
    {
      ...owner,
      method: 'get',
      path: '/deliveries/{deliveryId}',
      operationId: 'getDelivery',
      summary: 'Read a delivery',
      description: 'With every attempt: the request, the response, and when the next one is due.',
      params: oneDelivery,
      query: EnvironmentQuery,
      answers: { 200: jsonAnswer('The delivery.', DeliveryDetail) },
      errors: ['not_found'],
    },
    async (environments, { param, query, reply }) =>
      reply(200, await environments[query().environment].webhooks.log.deliveryWithAttempts(param('deliveryId'))),
  ),
  adminRoute(
    {
      ...owner,
      method: 'post',
      path: '/deliveries/{deliveryId}/redeliver',
      operationId: 'redeliver',
      summary: 'Send a delivery again',
      description: 'It keeps its identifier and starts at the beginning of the schedule.',
      params: oneDelivery,
      query: EnvironmentQuery,
      answers: { 202: jsonAnswer('The delivery.', DeliveryDetail) },
      errors: ['not_found', 'conflict'],
    },
    async (environments, { param, query, reply }) => {
      const { webhooks } = environments[query().environment];
      await webhooks.redelivery.redeliverOne(param('deliveryId'));
      return reply(202, await webhooks.log.deliveryWithAttempts(param('deliveryId')));
    },
  ),
  adminRoute(
    {
      ...owner,
      method: 'get',
      path: '/deliveries/{deliveryId}/attempts/{number}/body',
      operationId: 'getAttemptBody',
      summary: 'Download the body of an attempt',
      description: 'The exact bytes that were sent. 404 for a body that was too long to be stored.',
      params: oneAttempt,
      query: EnvironmentQuery,
      answers: {
        200: {
          description: 'The bytes.',
          content: { mediaType: '*/*', schema: null },
          headers: ['Content-Disposition'],
        },
      },
      errors: ['not_found'],
    },
    async (environments, { context, param, query }) => {
      const number = parseAttemptNumber(param('number'));
      const { log } = environments[query().environment].webhooks;
      const body = await log.requestBody(param('deliveryId'), number);
      // A download, never a page: the body holds foreign text.
      context.header('Content-Type', 'application/json');
      context.header('Content-Disposition', 'attachment; filename="delivery.json"');
      context.header('X-Content-Type-Options', 'nosniff');
      return context.body(new Uint8Array(body));
    },
  ),
  adminRoute(
    {
      ...owner,
      method: 'get',
      path: '/deliveries/{deliveryId}/attempts/{number}/signature',
      operationId: 'explainAttempt',
      summary: 'Explain the signature of an attempt',
      description: 'As of the time of the attempt.',
      params: oneAttempt,
      query: EnvironmentQuery,
      answers: { 200: jsonAnswer('The explanation.', WebhookExplanation) },
      errors: ['not_found'],
    },
    async (environments, { param, query, reply }) => {
      const number = parseAttemptNumber(param('number'));
      return reply(
        200,
        await environments[query().environment].webhooks.log.explainDeliveryAttempt(param('deliveryId'), number),
      );
    },
  ),
];

const REDELIVERY_ROUTES = [
  adminRoute(
    {
      ...owner,
      method: 'post',
      path: '/redeliveries',
      operationId: 'previewRedelivery',
      summary: 'Select deliveries to send again',
      description: 'Freezes the deliveries that the filter finds. Nothing is sent yet.',
      query: EnvironmentQuery,
      request: { schema: Filter },
      answers: {
        201: jsonAnswer(
          'The selection.',
          z.object({
            selectionId: z.string(),
            deliveries: Count.describe('What the filter found.'),
            sendable: Count,
            sample: z.array(Delivery),
            expiresAt: z.string(),
          }),
        ),
      },
      errors: BODY_ERRORS,
    },
    async (environments, { query, body, reply }) => {
      const { webhooks } = environments[query().environment];
      const { sample, expiresAt, ...preview } = await webhooks.redelivery.freezeSelection(await body());
      return reply(201, {
        ...preview,
        sample: sample.map((row) => webhooks.log.viewDelivery(row)),
        expiresAt: toIsoTime(expiresAt),
      });
    },
  ),
  adminRoute(
    {
      ...owner,
      method: 'post',
      path: '/redeliveries/{selectionId}/apply',
      operationId: 'applyRedelivery',
      summary: 'Send a selection again',
      description: 'Sends exactly the deliveries of the selection, once.',
      params: { selectionId: z.string().describe('Identifier of the selection.') },
      query: EnvironmentQuery,
      answers: { 202: jsonAnswer('The counts.', z.object({ requeued: Count, skipped: Count })) },
      errors: ['not_found', 'conflict'],
    },
    async (environments, { param, query, reply }) => {
      const { redelivery } = environments[query().environment].webhooks;
      return reply(202, await redelivery.applySelection(param('selectionId')));
    },
  ),
];

const oneInbox = { name: z.string().describe('Name of the inbox.') };

const INBOX_ROUTES = [
  adminRoute(
    {
      ...owner,
      method: 'get',
      path: '/inboxes',
      operationId: 'listInboxes',
      summary: 'List the inboxes',
      description: 'Built-in receivers for trying webhooks.',
      query: EnvironmentQuery,
      answers: { 200: jsonAnswer('All of them.', z.object({ inboxes: z.array(Inbox) })) },
    },
    async (environments, { query, reply }) =>
      reply(200, { inboxes: await environments[query().environment].inboxes.listInboxViews() }),
  ),
  adminRoute(
    {
      ...owner,
      method: 'post',
      path: '/inboxes',
      operationId: 'createInbox',
      summary: 'Create an inbox',
      description: 'Its unguessable name is the credential to post to it.',
      query: EnvironmentQuery,
      request: { schema: InboxSettings },
      answers: { 201: jsonAnswer('The inbox.', Inbox) },
      errors: [...BODY_ERRORS, 'conflict'],
    },
    async (environments, { query, body, reply }) => {
      const settings = await body();
      return reply(201, await environments[query().environment].inboxes.createNamedInbox(settings));
    },
  ),
  adminRoute(
    {
      ...owner,
      method: 'get',
      path: '/inboxes/{name}',
      operationId: 'getInbox',
      summary: 'Read an inbox',
      description: 'Its address and how it answers.',
      params: oneInbox,
      query: EnvironmentQuery,
      answers: { 200: jsonAnswer('The inbox.', Inbox) },
      errors: ['not_found'],
    },
    async (environments, { param, query, reply }) =>
      reply(200, await environments[query().environment].inboxes.viewInboxByName(param('name'))),
  ),
  adminRoute(
    {
      ...owner,
      method: 'patch',
      path: '/inboxes/{name}',
      operationId: 'changeInbox',
      summary: 'Change an inbox',
      description: 'Omitted fields keep their values.',
      params: oneInbox,
      query: EnvironmentQuery,
      request: { schema: InboxSettings },
      answers: { 200: jsonAnswer('The inbox.', Inbox) },
      errors: [...BODY_ERRORS, 'not_found'],
    },
    async (environments, { param, query, body, reply }) => {
      const settings = await body();
      return reply(200, await environments[query().environment].inboxes.changeInboxSettings(param('name'), settings));
    },
  ),
  adminRoute(
    {
      ...owner,
      method: 'delete',
      path: '/inboxes/{name}',
      operationId: 'deleteInbox',
      summary: 'Delete an inbox',
      description: 'Deletes its messages, too.',
      params: oneInbox,
      query: EnvironmentQuery,
      answers: { 204: { description: 'Deleted.' } },
      errors: ['not_found'],
    },
    async (environments, { param, query, end }) => {
      await environments[query().environment].inboxes.removeNamedInbox(param('name'));
      return end(204);
    },
  ),
  adminRoute(
    {
      ...owner,
      method: 'get',
      path: '/inboxes/{name}/messages',
      operationId: 'listInboxMessages',
      summary: 'List the messages of an inbox',
      description: 'Newest first, each with the verdict on its signatures.',
      params: oneInbox,
      query: Page,
      answers: {
        200: jsonAnswer('One page.', z.object({ messages: z.array(InboxMessage), nextCursor: z.string().nullable() })),
      },
      errors: ['not_found'],
    },
    async (environments, { param, query, reply }) => {
      const { environment, limit, cursor = null } = query();
      const { messages, next } = await environments[environment].inboxes.pageOfInboxMessages(
        param('name'),
        cursor,
        limit,
      );
      return reply(200, { messages, nextCursor: next });
    },
  ),
];

/** The owner's view of webhooks. Mounted under `/admin`, behind the owner check. */
export const ADMIN_WEBHOOK_ROUTES = [...ENDPOINT_ROUTES, ...DELIVERY_ROUTES, ...REDELIVERY_ROUTES, ...INBOX_ROUTES];

/**
 * Inboxes receive deliveries without the owner token: the unguessable name is the credential. Requests to other names
 * are refused before their body is read. Size and time are limited.
 */
const MAX_BODY_BYTES = 16 * MIB;

/** Time after which `timeout` still answers, so that no connection stays open for ever. */
const SILENCE_MS = 60 * SECOND_MS;

const GATEWAY_TIMEOUT = 504;

/** `POST /:name`. Mounted at `/inbox`. */
export function inboxRoutes(inboxes: Inboxes): Hono<HttpEnv> {
  const routes = new Hono<HttpEnv>();
  routes.post('/:name', async (context) => {
    const name = context.req.param('name');
    inboxes.requireInbox(name);
    const body = await readAll(context.env.incoming);
    const behaviour = inboxes.receiveInboxMessage(name, joinedRequestHeaders(context.env.incoming), body);
    const status = await inboxAnswerStatus(behaviour, context.req.raw.signal);
    return new Response(null, { status });
  });
  return routes;
}

/** The status of the answer, after the wait of the behaviour. A sender that disconnects ends the wait. */
async function inboxAnswerStatus(behaviour: InboxBehaviour, signal: AbortSignal): Promise<number> {
  switch (behaviour.mode) {
    case 'accept':
      return 204;
    case 'status':
      return behaviour.status;
    case 'slow':
      await pauseUntilLeft(behaviour.delayMs, signal);
      return 204;
    case 'timeout':
      await pauseUntilLeft(SILENCE_MS, signal);
      return GATEWAY_TIMEOUT;
  }
}

async function pauseUntilLeft(milliseconds: number, signal: AbortSignal): Promise<void> {
  // A sender that disconnects ends the wait.
  await pause(milliseconds, undefined, { signal, ref: false }).catch(() => undefined);
}

function joinedRequestHeaders(incoming: IncomingMessage): Record<string, string> {
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
