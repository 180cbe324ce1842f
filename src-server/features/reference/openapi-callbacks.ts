import { payloadOf, seal } from '../webhooks/signing.ts';
import { EXAMPLE_JOB, placed } from './openapi-examples.ts';
import type { JsonSchema, OpenApiDocument, OpenApiParameter } from './openapi-types.ts';

const SECRET = 'correct horse battery staple';
/** Really signed, with the addresses in it, so that a receiver can be tried with it. */
function exampleDelivery(origin: string): ReturnType<typeof seal> {
  return seal(
    payloadOf(placed(EXAMPLE_JOB, origin)),
    { current: SECRET, previous: null },
    {
      deliveryId: 'dlv_2mV1xTbQ7cN0pLr8sWd5YfGh3Jk',
      event: 'job.completed',
      attempt: 1,
      sentAt: Date.parse(EXAMPLE_JOB.updatedAt),
    },
  );
}

const DESCRIPTION = `What Quarry sends to a webhook when a job has ended. The body is the job object in the canonical
form of RFC 8785, and \`signature\` where the webhook has a secret. Answer with any 2xx within 10 seconds, before the
work; everything else is tried again for 17 hours. How to verify it, with code and test vectors:
/reference/guides/webhooks. The example is signed with the secret \`${SECRET}\`.`;

const HEADERS: readonly { name: string; required: boolean; description: string }[] = [
  {
    name: 'webhook-id',
    required: true,
    description: 'Identifier of the delivery, the same at every attempt: drop what you have seen.',
  },
  { name: 'webhook-timestamp', required: true, description: 'When this attempt was made: whole seconds since 1970.' },
  {
    name: 'webhook-signature',
    required: false,
    description: 'With a secret: `v1,` and the base64 signature of Standard Webhooks; two of them during a rotation.',
  },
  { name: 'x-service-signature', required: false, description: 'With a secret: the same value as `signature`.' },
  { name: 'x-service-event', required: true, description: 'job.completed or job.failed.' },
  { name: 'x-service-attempt', required: true, description: '1 for the first attempt.' },
];

/** The calls that Quarry makes, for those who write the receivers. */
export function callbacksOf(job: JsonSchema, origin: string): OpenApiDocument['webhooks'] {
  const { body, headers } = exampleDelivery(origin);
  const signature: JsonSchema = {
    type: 'string',
    pattern: '^[0-9a-f]{64}$',
    description: 'HMAC-SHA-256 of the rest of the body. Present where the webhook has a secret.',
  };
  const schema = { allOf: [job, { type: 'object', properties: { signature } }] };
  return {
    jobEnded: {
      post: {
        operationId: 'jobEnded',
        tags: ['Webhooks'],
        summary: 'A job has ended',
        description: DESCRIPTION,
        parameters: HEADERS.map((header): OpenApiParameter => {
          return { ...header, in: 'header', schema: { type: 'string' }, example: headers[header.name] };
        }),
        requestBody: {
          required: true,
          content: { 'application/json': { schema, example: JSON.parse(body.toString('utf8')) } },
        },
        responses: {
          '2XX': { description: 'Delivered.' },
          '410': { description: 'Delivered no more: the webhook is disabled.' },
          default: { description: 'Tried again, after Retry-After where that asks for more than the schedule.' },
        },
        security: [{}],
      },
    },
  };
}
