import { z } from 'zod';
import { Webhook, WebhookUpdate } from '../webhooks/schema.ts';
import { CONTRIBUTION_ROUTES } from './openapi-contribution-routes.ts';
import { EXAMPLE_WEBHOOK_URL } from './openapi-examples.ts';
import { FACILITATOR_ROUTES } from './openapi-facilitator-routes.ts';
import { JOB_ROUTES } from './openapi-job-routes.ts';
import { VOICE_ROUTES } from './openapi-voice-routes.ts';
import type { ParameterDescription, RouteDescription } from './route-description.ts';

const EXAMPLE_WEBHOOK: z.input<typeof Webhook> = {
  webhookId: 'whk_8Yk2mQ0vRbT5nX1sLc7pWd3JfGh',
  url: EXAMPLE_WEBHOOK_URL,
  events: ['job.completed', 'job.failed'],
  status: 'active',
  hasSecret: true,
  createdAt: '2026-03-02T09:30:00.000Z',
  updatedAt: '2026-03-02T09:30:00.000Z',
  lastDelivery: null,
};

const webhookId: ParameterDescription = {
  name: 'webhookId',
  in: 'path',
  required: true,
  description: 'Identifier of the webhook.',
  schema: z.string(),
  example: EXAMPLE_WEBHOOK.webhookId,
};

const oneWebhook = { mediaType: 'application/json', schema: Webhook, example: EXAMPLE_WEBHOOK } as const;

const WEBHOOK_ROUTES: readonly RouteDescription[] = [
  {
    method: 'get',
    path: '/webhooks',
    scope: 'environment',
    operationId: 'listWebhooks',
    tag: 'Webhooks',
    summary: 'List your webhooks',
    description: 'Webhooks of the account: they are called for each of its jobs.',
    auth: 'account',
    answers: [
      {
        status: 200,
        description: 'All of them.',
        content: { mediaType: 'application/json', schema: z.array(Webhook), example: [EXAMPLE_WEBHOOK] },
      },
    ],
    errors: [],
  },
  {
    method: 'get',
    path: '/webhooks/{webhookId}',
    scope: 'environment',
    operationId: 'getWebhook',
    tag: 'Webhooks',
    summary: 'Read a webhook',
    description: 'The secret is never returned.',
    auth: 'account',
    parameters: [webhookId],
    answers: [{ status: 200, description: 'The webhook.', content: oneWebhook }],
    errors: ['not_found'],
  },
  {
    method: 'patch',
    path: '/webhooks/{webhookId}',
    scope: 'environment',
    operationId: 'updateWebhook',
    tag: 'Webhooks',
    summary: 'Change a webhook',
    description:
      'Fields that are left out stay as they are. The owner may change the status of any webhook, ' +
      'and all else of their own only.',
    auth: 'account',
    parameters: [webhookId],
    request: { schema: WebhookUpdate, example: { status: 'paused' } },
    answers: [{ status: 200, description: 'The webhook as it is now.', content: oneWebhook }],
    errors: ['invalid_request', 'not_found', 'conflict', 'body_too_large', 'unsupported_content_type'],
  },
  {
    method: 'delete',
    path: '/webhooks/{webhookId}',
    scope: 'environment',
    operationId: 'deleteWebhook',
    tag: 'Webhooks',
    summary: 'Delete a webhook',
    description: 'Nothing is delivered to it from then on. The owner may delete any webhook.',
    auth: 'account',
    parameters: [webhookId],
    answers: [{ status: 204, description: 'Deleted.' }],
    errors: ['not_found'],
  },
];

const Health = z.object({
  status: z.literal('ok'),
  version: z.string(),
  uptimeSeconds: z.number().min(0),
});

const Readiness = z.object({
  ready: z.boolean(),
  checks: z.record(
    z.string(),
    z.object({ ok: z.boolean(), message: z.string().optional().describe('What is wrong, and what to do.') }),
  ),
});

const readiness = (ready: boolean, check: object) =>
  ({ mediaType: 'application/json', schema: Readiness, example: { ready, checks: { storage: check } } }) as const;

const SERVICE_ROUTES: readonly RouteDescription[] = [
  {
    method: 'get',
    path: '/health',
    scope: 'origin',
    operationId: 'getHealth',
    tag: 'Service',
    summary: 'Whether the server lives',
    description: 'Answers as long as the process does; it looks at nothing else.',
    auth: 'none',
    answers: [
      {
        status: 200,
        description: 'It lives.',
        content: {
          mediaType: 'application/json',
          schema: Health,
          example: { status: 'ok', version: '0.1.0', uptimeSeconds: 42 },
        },
      },
    ],
    errors: [],
  },
  {
    method: 'get',
    path: '/ready',
    scope: 'origin',
    operationId: 'getReadiness',
    tag: 'Service',
    summary: 'Whether the server can take work',
    description: 'Each check by its name, with a sentence on what to do where one fails.',
    auth: 'none',
    answers: [
      { status: 200, description: 'It can.', content: readiness(true, { ok: true }) },
      {
        status: 503,
        description: 'It cannot now.',
        content: readiness(false, { ok: false, message: 'The database cannot be written: free some disk space.' }),
        headers: [{ name: 'Retry-After', description: 'Seconds to wait before asking again.', example: '10' }],
      },
    ],
    errors: [],
  },
  {
    method: 'get',
    path: '/openapi.json',
    scope: 'origin',
    operationId: 'getOpenApi',
    tag: 'Service',
    summary: 'This document',
    description: 'OpenAPI 3.1, computed from what the server runs.',
    auth: 'none',
    answers: [
      {
        status: 200,
        description: 'The document.',
        content: {
          mediaType: 'application/json',
          schema: z.looseObject({ openapi: z.literal('3.1.0') }),
          example: { openapi: '3.1.0' },
        },
      },
    ],
    errors: [],
  },
];

/** Every public route that is not an operation. */
export const FREE_ROUTES: readonly RouteDescription[] = [
  ...JOB_ROUTES,
  ...WEBHOOK_ROUTES,
  ...CONTRIBUTION_ROUTES,
  ...VOICE_ROUTES,
  ...FACILITATOR_ROUTES,
  ...SERVICE_ROUTES,
];
