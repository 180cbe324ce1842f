import type { Operation } from '../../operation.ts';
import { Problem } from '../../platform/http/problem.ts';
import { Job } from '../jobs/schema.ts';
import { PaymentChallenge } from '../payments/schema.ts';
import { payloadOf, seal } from '../webhooks/service.ts';
import { ErrorBook, HEADERS } from './openapi-errors.ts';
import { EXAMPLE_JOB, placed } from './openapi-examples.ts';
import { operationAnswers, operationRequest, type SharedSchemas, tagOf } from './openapi-operations.ts';
import { routeAnswers, routeRequest } from './openapi-routes.ts';
import { SchemaBook } from './openapi-schemas.ts';
import type { JsonSchema, OpenApiDocument, OpenApiParameter, OpenApiPath } from './openapi-types.ts';
import type { RouteDescription } from './route-description.ts';

interface OpenApiInfo {
  /** Version of the API document, from package.json. */
  version: string;
  /** Absolute origin without a trailing slash: `http://127.0.0.1:8402`. */
  origin: string;
}

/** Headings of the reference, in order; a tag without a text here cannot be used. */
const TAGS: Record<string, string> = {
  Extract: 'Text and transcripts out of documents and videos.',
  Crawl: 'Web pages as text for search, prompts and guardrails.',
  Generate: 'Text, speech and music out of a prompt.',
  Search: 'Questions to everything your jobs have read.',
  Jobs: 'Reading, following and cancelling jobs.',
  Webhooks: 'Being called when a job has ended.',
  Contributions: 'Corrections, remarks and sources from whoever has them, shown once the owner has approved them.',
  Voices: 'What can speak, and how each sounds.',
  Payments: 'The facilitator that this server brings along.',
  Service: 'Health of the server, and this document.',
};

const DESCRIPTION = `Quarry turns documents, videos, web pages and prompts into text, chunks, audio and answers. Work is
submitted with a POST, paid per request over x402, and read back as a job. All bodies are JSON unless stated otherwise;
every error except 402 is a problem object (RFC 9457). Readable reference with guides: /reference.`;

/**
 * The OpenAPI 3.1 document, all of it computed: paths of operations from the operations, everything else from route
 * descriptions, schemas from the schemas that parse requests.
 */
export function deriveOpenApi(
  operations: readonly Operation[],
  freeRoutes: readonly RouteDescription[],
  info: OpenApiInfo,
): OpenApiDocument {
  const book = new SchemaBook();
  const shared: SharedSchemas = {
    errors: new ErrorBook(book.of(Problem, 'output')),
    challenge: book.of(PaymentChallenge, 'output'),
    job: book.of(Job, 'output'),
  };
  const answers = operations.map((operation) => ({ operation, answer: operationAnswers(operation, book, shared) }));
  const routes = freeRoutes.map((route) => ({ route, responses: routeAnswers(route, book, shared.errors) }));
  const paths: Record<string, OpenApiPath> = {};
  for (const { operation, answer } of answers) {
    paths[`/${operation.id}`] = { post: { ...operationRequest(operation, book), ...answer } };
  }
  for (const { route, responses } of routes) {
    const path = { ...paths[route.path], ...serversOf(route, info.origin) };
    if (path[route.method] !== undefined) throw new Error(`Two routes are ${route.method} ${route.path}.`);
    paths[route.path] = { ...path, [route.method]: { ...routeRequest(route, book), responses } };
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Quarry',
      version: info.version,
      description: DESCRIPTION,
      license: { name: 'AGPL-3.0-or-later', identifier: 'AGPL-3.0-or-later' },
    },
    servers: [
      { url: `${info.origin}/v1`, description: 'Production' },
      { url: `${info.origin}/staging/v1`, description: 'Staging: payments are always settled in the sandbox' },
    ],
    tags: tagsOf([...operations.map(tagOf), ...freeRoutes.map(({ tag }) => tag)]),
    paths: placed(paths, info.origin),
    webhooks: callbacksOf(shared.job, info.origin),
    components: {
      schemas: book.components(),
      responses: shared.errors.components(),
      parameters: PARAMETERS,
      headers: HEADERS,
      securitySchemes: SECURITY_SCHEMES,
    },
  };
}

function serversOf(route: RouteDescription, origin: string): Pick<OpenApiPath, 'servers'> {
  if (route.scope === 'environment') return {};
  return { servers: [{ url: origin, description: 'The server itself: not under the version prefix' }] };
}

function tagsOf(used: readonly string[]): OpenApiDocument['tags'] {
  const unknown = used.find((name) => TAGS[name] === undefined);
  if (unknown !== undefined) throw new Error(`The tag ${unknown} has no text in reference/openapi.ts.`);
  return Object.entries(TAGS)
    .filter(([name]) => used.includes(name))
    .map(([name, description]) => ({ name, description }));
}

const PARAMETERS: Record<string, OpenApiParameter> = {
  stream: {
    name: 'stream',
    in: 'query',
    description:
      'Whether to answer with server-sent events: `accepted`, `token` for each piece, then `done` or `error`.',
    schema: { type: 'boolean', default: false },
    example: true,
  },
  'X-PAYMENT': {
    name: 'X-PAYMENT',
    in: 'header',
    description: 'Base64 payment payload of x402 version 1, made for the challenge of this very request.',
    schema: { type: 'string' },
  },
  'PAYMENT-SIGNATURE': {
    name: 'PAYMENT-SIGNATURE',
    in: 'header',
    description: 'The same for x402 version 2.',
    schema: { type: 'string' },
  },
  Prefer: {
    name: 'Prefer',
    in: 'header',
    description:
      '`wait=N` holds the 202 until the job has ended or N seconds (up to 60) have passed. ' +
      '`x402-resource=url` puts an absolute URL into the `resource` of a 402, as the stock version 1 client needs it.',
    schema: { type: 'string' },
    example: 'wait=30',
  },
};

const SECURITY_SCHEMES: Record<string, Record<string, string>> = {
  owner: {
    type: 'http',
    scheme: 'bearer',
    description: 'The owner token of the appliance, from the file owner-token in its data folder.',
  },
  wallet: {
    type: 'apiKey',
    in: 'header',
    name: 'SIGN-IN-WITH-X',
    description:
      'A CAIP-122 message signed by the wallet that paid. A 401 names its fields in `PAYMENT-REQUIRED`; ' +
      'with `Prefer: x402-sign-in=402` it is a 402.',
  },
};

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

const CALLBACK_TEXT = `What Quarry sends to a webhook when a job has ended. The body is the job object in the canonical
form of RFC 8785, and \`signature\` where the webhook has a secret. Answer with any 2xx within 10 seconds, before the
work; everything else is tried again for 17 hours. How to verify it, with code and test vectors:
/reference/guides/webhooks. The example is signed with the secret \`${SECRET}\`.`;

const CALLBACK_HEADERS: readonly { name: string; required: boolean; description: string }[] = [
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
function callbacksOf(job: JsonSchema, origin: string): OpenApiDocument['webhooks'] {
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
        description: CALLBACK_TEXT,
        parameters: CALLBACK_HEADERS.map((header): OpenApiParameter => {
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
