import { z } from 'zod';
import type { Operation } from '../../operation.ts';
import { ORIGIN } from '../../platform/http/examples.ts';
import { Problem } from '../../platform/http/problem.ts';
import {
  type AnswerContent,
  type AnswerDescription,
  jsonAnswer,
  type RouteDescription,
} from '../../platform/http/route.ts';
import { omitUndefined } from '../../platform/omit-undefined.ts';
import { parseOwnJson } from '../../platform/own-json.ts';
import { byName } from '../../platform/records.ts';
import { EndedBatch, EXAMPLE_BATCH } from '../batches/schema.ts';
import { EXAMPLE_JOB, Job } from '../jobs/schema.ts';
import { PaymentChallenge } from '../payments/schema.ts';
import { BATCH_EVENT } from '../webhooks/schema.ts';
import { payloadOf, sealDelivery } from '../webhooks/service.ts';
import { COMMON_HEADERS, ErrorBook, errorFamilyOf, HEADERS, headerReferences, SCOPE_ERRORS } from './openapi-errors.ts';
import { operationAnswers, operationRequest, type SharedSchemas, tagOf } from './openapi-operations.ts';
import { SchemaBook } from './openapi-schemas.ts';
import {
  type JsonSchema,
  METHODS,
  type OpenApiDocument,
  type OpenApiHeader,
  type OpenApiMedia,
  type OpenApiOperation,
  type OpenApiParameter,
  type OpenApiPath,
  type OpenApiResponse,
} from './openapi-types.ts';

interface OpenApiInfo {
  /** Version of the API document, from package.json. */
  version: string;
  /** Absolute origin without a trailing slash: `http://127.0.0.1:8402`. */
  origin: string;
}

const LICENSE = { name: 'AGPL-3.0-or-later', identifier: 'AGPL-3.0-or-later' };

const DESCRIPTION = `Quarry turns documents, videos, web pages and prompts into text, chunks, audio and answers. Work is
submitted with a POST, paid per request over x402, and read back as a job. All bodies are JSON unless stated otherwise;
every error except 402 is a problem object (RFC 9457). Readable reference with guides: /reference.`;

const OWNER_DESCRIPTION = `The routes of the owner's dashboard. They need the owner token or a session, and change with
the dashboard: programs use the public API. The query \`environment\` chooses production or staging.`;

/**
 * The OpenAPI 3.1 document, all of it computed: paths of operations from the operations, everything else from the
 * declarations of the routes, schemas from the schemas that parse requests.
 */
export function deriveOpenApi(
  operations: readonly Operation[],
  routes: readonly RouteDescription[],
  info: OpenApiInfo,
): OpenApiDocument {
  const book = new SchemaBook();
  const shared: SharedSchemas = {
    errors: new ErrorBook(book.referToSchema(Problem, 'output')),
    challenge: book.referToSchema(PaymentChallenge, 'output'),
    job: book.referToSchema(Job, 'output'),
  };
  const endedBatch = book.referToSchema(EndedBatch, 'output');
  const answers = operations.map((operation) => ({ operation, answer: operationAnswers(operation, book, shared) }));
  const paths: Record<string, OpenApiPath> = {};
  const pathsOfRoutes = routePaths(routes, book, shared.errors, info.origin);
  for (const { operation, answer } of answers) {
    paths[`/${operation.id}`] = { post: { ...operationRequest(operation, book), ...answer } };
  }
  addPaths(paths, pathsOfRoutes());
  return {
    openapi: '3.1.0',
    info: { title: 'Quarry', version: info.version, description: DESCRIPTION, license: LICENSE },
    servers: [
      { url: `${info.origin}/v1`, description: 'Production' },
      { url: `${info.origin}/staging/v1`, description: 'Staging: payments are always settled in the sandbox' },
    ],
    tags: tagsOf([...operations.map(tagOf), ...routes.map(({ tag }) => tag)]),
    paths: placeAtOrigin(paths, info.origin),
    webhooks: callbacksOf(shared.job, endedBatch, info.origin),
    components: {
      schemas: book.schemaComponents(),
      responses: shared.errors.responseComponents(),
      parameters: PARAMETERS,
      headers: HEADERS,
      securitySchemes: SECURITY_SCHEMES,
    },
  };
}

/** The document of the owner's routes. The dashboard's types are generated from it and from the public one. */
export function deriveOwnerOpenApi(routes: readonly RouteDescription[], info: OpenApiInfo): OpenApiDocument {
  const book = new SchemaBook();
  const errors = new ErrorBook(book.referToSchema(Problem, 'output'));
  const paths: Record<string, OpenApiPath> = {};
  addPaths(paths, routePaths(routes, book, errors, null)());
  const { owner = {} } = SECURITY_SCHEMES;
  return {
    openapi: '3.1.0',
    info: { title: 'Quarry for its owner', version: info.version, description: OWNER_DESCRIPTION, license: LICENSE },
    servers: [{ url: info.origin, description: 'The server' }],
    tags: tagsOf(routes.map(({ tag }) => tag)),
    paths: placeAtOrigin(paths, info.origin),
    webhooks: {},
    components: {
      schemas: book.schemaComponents(),
      responses: errors.responseComponents(),
      parameters: {},
      headers: HEADERS,
      securitySchemes: { owner },
    },
  };
}

/** Describes the answers of all routes; the result describes the requests: see SchemaBook. */
function routePaths(
  routes: readonly RouteDescription[],
  book: SchemaBook,
  errors: ErrorBook,
  ownServer: string | null,
): () => [string, OpenApiPath][] {
  const described = routes.map((route) => ({ route, responses: routeAnswers(route, book, errors) }));
  return () =>
    described.map(({ route, responses }) => {
      const operation = { ...routeRequest(route, book), responses };
      const path = route.scope === 'owner' ? `/admin${route.path}` : route.path;
      return [path, { ...serversOf(route, ownServer), [route.method]: operation }];
    });
}

function addPaths(paths: Record<string, OpenApiPath>, added: readonly [string, OpenApiPath][]): void {
  for (const [path, item] of added) {
    const known = paths[path] ?? {};
    const twice = METHODS.find((method) => known[method] !== undefined && item[method] !== undefined);
    if (twice !== undefined) throw new Error(`Two routes are ${twice} ${path}.`);
    paths[path] = { ...known, ...item };
  }
}

function serversOf(route: RouteDescription, origin: string | null): Pick<OpenApiPath, 'servers'> {
  if (route.scope !== 'origin' || origin === null) return {};
  return { servers: [{ url: origin, description: 'The server itself: not under the version prefix' }] };
}

/** Headings of the reference, in the order of their first use. */
function tagsOf(used: readonly string[]): OpenApiDocument['tags'] {
  return [...new Set(used)].map((name) => ({ name }));
}

/** Puts the origin into the addresses of a part of the document. */
function placeAtOrigin<Part>(part: Part, origin: string): Part {
  return parseOwnJson<Part>(JSON.stringify(part).replaceAll(ORIGIN, origin));
}

const SECURITY: Record<RouteDescription['auth'], Record<string, string[]>[]> = {
  none: [{}],
  account: [{ owner: [] }, { wallet: [] }],
  owner: [{ owner: [] }],
};

/** Stock x402 clients sign in when a 402 asks them to, and never look at a 401. */
const SIGN_IN_PREFERENCE = z
  .string()
  .optional()
  .describe('`x402-sign-in=402` turns the 401 for callers without a sign-in into a 402.')
  .meta({ example: 'x402-sign-in=402' });

const SIGN_IN_ANSWER: AnswerDescription = {
  ...jsonAnswer(
    'Instead of the 401, if preferred: asks for a sign-in only, free of charge.',
    z.object({ x402Version: z.literal(2), accepts: z.array(z.unknown()).max(0), error: z.string() }),
    { x402Version: 2, accepts: [], error: 'Sign in with your wallet' },
  ),
  headers: ['PAYMENT-REQUIRED'],
};

/** The answers of a route. Made before any request is described: see SchemaBook. */
function routeAnswers(route: RouteDescription, book: SchemaBook, errors: ErrorBook): OpenApiOperation['responses'] {
  const answers = needsAccount(route) ? { ...route.answers, 402: SIGN_IN_ANSWER } : route.answers;
  const described = Object.entries(answers).map(
    ([status, answer]) => [status, describeRouteAnswer(route, answer, book)] as const,
  );
  return {
    ...Object.fromEntries(described),
    ...errors.errorResponsesFor([...route.errors, ...SCOPE_ERRORS[route.scope]], errorFamilyOf(route)),
  };
}

function needsAccount({ auth, scope }: RouteDescription): boolean {
  return auth === 'account' && scope === 'environment';
}

function describeRouteAnswer(route: RouteDescription, answer: AnswerDescription, book: SchemaBook): OpenApiResponse {
  const headers = answer.headers ?? [];
  const named = headers.filter((header) => typeof header === 'string');
  const own = headers.filter((header) => typeof header !== 'string');
  return {
    description: answer.description,
    headers: {
      ...headerReferences([...COMMON_HEADERS[errorFamilyOf(route)], ...named]),
      ...Object.fromEntries(own.map(({ name, ...header }): [string, OpenApiHeader] => [name, textHeader(header)])),
    },
    ...omitUndefined({
      content: answer.content ? { [answer.content.mediaType]: mediaOf(answer.content, book) } : undefined,
    }),
  };
}

function textHeader(header: { description: string; example: string }): OpenApiHeader {
  return { ...header, schema: { type: 'string' } };
}

function mediaOf(content: AnswerContent, book: SchemaBook): OpenApiMedia {
  if (content.mediaType === 'application/json') {
    return { schema: book.referToSchema(content.schema, 'output'), ...exampleMember(content) };
  }
  if (content.mediaType === 'text/event-stream') return { schema: { type: 'string' }, ...exampleMember(content) };
  return content.mediaType.startsWith('text/') ? { schema: { type: 'string' } } : {};
}

function exampleMember({ example }: { example?: unknown }): { example?: unknown } {
  return example === undefined ? {} : { example };
}

/** The rest of a route: its request. */
function routeRequest(route: RouteDescription, book: SchemaBook): Omit<OpenApiOperation, 'responses'> {
  const parameters = [
    ...parametersIn('path', route.params, book),
    ...parametersIn('query', route.query?.shape, book),
    ...parametersIn('header', route.headers, book),
    ...parametersIn('header', needsAccount(route) ? { Prefer: SIGN_IN_PREFERENCE } : {}, book),
    ...(route.parameters ?? []).map((name) => ({ $ref: `#/components/parameters/${name}` })),
  ];
  return {
    operationId: route.operationId,
    tags: [route.tag],
    summary: route.summary,
    description: route.description,
    ...omitUndefined({
      parameters: parameters.length > 0 ? parameters : undefined,
      requestBody: route.request ? describeRequestBody(route.request, book) : undefined,
    }),
    security: SECURITY[route.auth],
  };
}

function describeRequestBody(request: NonNullable<RouteDescription['request']>, book: SchemaBook) {
  const schema = book.referToSchema(request.schema, 'input');
  return {
    required: true,
    content: {
      'application/json': { schema, ...exampleMember(request) },
      ...omitUndefined({ 'multipart/form-data': request.form && describeMultipartForm(request.form, schema) }),
    },
  };
}

/** A form with the JSON body in one field and files in another. */
function describeMultipartForm({ field, files }: { field: string; files: string }, schema: JsonSchema): OpenApiMedia {
  const file: JsonSchema = { type: 'string', contentMediaType: 'application/octet-stream' };
  const properties = { [field]: schema, [files]: { type: 'array', items: file, description: 'A part for each file.' } };
  return {
    schema: { type: 'object', properties, required: [field, files] },
    encoding: { [field]: { contentType: 'application/json' } },
  };
}

/** The description and the example of a schema belong to its parameter. */
function parametersIn(place: string, shape: RouteDescription['params'] = {}, book: SchemaBook): OpenApiParameter[] {
  return Object.entries(shape).map(([name, type]) => {
    const { description = '', example, ...schema } = book.referToSchema(type, 'input');
    return {
      name,
      in: place,
      required: place === 'path' || !type.safeParse(undefined).success,
      description,
      schema,
      ...exampleMember({ example }),
    };
  });
}

const PARAMETERS: Record<string, OpenApiParameter> = byName({
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
    description: 'Base64 payment payload of x402 version 1, made for the challenge of this request.',
    schema: { type: 'string' },
  },
  'PAYMENT-SIGNATURE': {
    name: 'PAYMENT-SIGNATURE',
    in: 'header',
    description: 'The same for x402 version 2.',
    schema: { type: 'string' },
  },
  'Idempotency-Key': {
    name: 'Idempotency-Key',
    in: 'header',
    description:
      'A name for this request, such as a new UUID. The same key with the same request gives the same job and is not ' +
      'charged again, for 24 hours; with another request it is refused with 422, and while the first request is ' +
      'being accepted with 409.',
    // No example: pages that try requests would send it with each of them, and the second would be refused.
    schema: { type: 'string', minLength: 1, maxLength: 255 },
  },
  'Quarry-Tags': {
    name: 'Quarry-Tags',
    in: 'header',
    description:
      'Tags of the job, separated by commas: at most 16, each of up to 64 letters, digits and `. _ : / -`. Lists of ' +
      'jobs filter by them, for example `invoices, 2026-q3`.',
    schema: { type: 'string' },
  },
  'Quarry-Metadata': {
    name: 'Quarry-Metadata',
    in: 'header',
    description:
      'Your own data about the job, in its object and its webhooks: a JSON object of at most 16 texts of up to 512 ' +
      'characters, in ASCII (`\\u00e9`), for example `{"customer":"42"}`. Who has the `jobId` can read it.',
    schema: { type: 'string' },
  },
  Prefer: {
    name: 'Prefer',
    in: 'header',
    description:
      '`wait=N` holds the 202 until the job has ended or N seconds (up to 60) have passed. ' +
      '`install`, for the owner: where a model or program is missing, the job is accepted and waits while the ' +
      'recommended choice is downloaded; `install=ask` waits for the owner to choose. Without it the answer is 503. ' +
      '`x402-resource=url` puts an absolute URL into the `resource` of a 402, which the stock version 1 client needs.',
    schema: { type: 'string' },
    example: 'wait=30',
  },
});

const SECURITY_SCHEMES: Record<string, Record<string, string>> = byName({
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
});

const SECRET = 'correct horse battery staple';

/** Signed over the actual addresses, so that receivers can be tested with it. */
function exampleDelivery(
  event: Parameters<typeof sealDelivery>[2]['event'],
  example: Record<string, unknown>,
  origin: string,
): ReturnType<typeof sealDelivery> {
  return sealDelivery(
    payloadOf(placeAtOrigin(example, origin)),
    { current: SECRET, previous: null },
    { deliveryId: 'dlv_2mV1xTbQ7cN0pLr8sWd5YfGh3Jk', event, attempt: 1, sentAt: Date.parse(EXAMPLE_JOB.updatedAt) },
  );
}

const CALLBACK_TEXT = `The body is in the canonical form of RFC 8785, with \`signature\` where the webhook has a
secret. Answer with any 2xx within 10 seconds, before the work; all other answers are retried for 17 hours.
Verification, with code and test vectors: /reference/guides/webhooks. The example is signed with the secret
\`${SECRET}\`.`;

const CALLBACK_HEADERS: readonly { name: string; required: boolean; description: string }[] = [
  {
    name: 'webhook-id',
    required: true,
    description: 'Identifier of the delivery, the same at every attempt: ignore duplicates.',
  },
  { name: 'webhook-timestamp', required: true, description: 'Time of this attempt: whole seconds since 1970.' },
  {
    name: 'webhook-signature',
    required: false,
    description: 'With a secret: `v1,` and the base64 signature of Standard Webhooks; two of them during a rotation.',
  },
  { name: 'x-service-signature', required: false, description: 'With a secret: the same value as `signature`.' },
  {
    name: 'x-service-event',
    required: true,
    description: 'job.completed, job.failed, crawl.changed, batch.completed, alert.raised or alert.cleared.',
  },
  { name: 'x-service-attempt', required: true, description: '1 for the first attempt.' },
];

/** The requests that Quarry sends, for authors of receivers. */
function callbacksOf(job: JsonSchema, batch: JsonSchema, origin: string): OpenApiDocument['webhooks'] {
  const ended = { summary: 'A job has ended', what: 'The job object, when a job has ended.' };
  const completed = {
    summary: 'A batch has ended',
    what: 'The batch with its failed items, when its last item has ended. Only its own `webhookUrl` receives it.',
  };
  return {
    jobEnded: callbackOf('jobEnded', ended, job, exampleDelivery('job.completed', EXAMPLE_JOB, origin)),
    batchCompleted: callbackOf('batchCompleted', completed, batch, exampleDelivery(BATCH_EVENT, ENDED_BATCH, origin)),
  };
}

const ENDED_BATCH = {
  ...EXAMPLE_BATCH,
  status: 'completed',
  counts: { waiting: 0, processing: 0, completed: 2, failed: 0, cancelled: 0 },
  endedAt: '2026-03-02T10:01:00.000Z',
  expiresAt: '2026-03-09T10:01:00.000Z',
  failures: [],
} satisfies z.infer<typeof EndedBatch>;

function callbackOf(
  operationId: string,
  { summary, what }: { summary: string; what: string },
  body: JsonSchema,
  example: ReturnType<typeof sealDelivery>,
): OpenApiPath {
  const signature: JsonSchema = {
    type: 'string',
    pattern: '^[0-9a-f]{64}$',
    description: 'HMAC-SHA-256 of the rest of the body. Present where the webhook has a secret.',
  };
  const schema = { allOf: [body, { type: 'object', properties: { signature } }] };
  return {
    post: {
      operationId,
      tags: ['Webhooks'],
      summary,
      description: `${what} ${CALLBACK_TEXT}`,
      parameters: CALLBACK_HEADERS.map((header): OpenApiParameter => {
        return { ...header, in: 'header', schema: { type: 'string' }, example: example.headers[header.name] };
      }),
      requestBody: {
        required: true,
        content: { 'application/json': { schema, example: parseOwnJson(example.body.toString('utf8')) } },
      },
      responses: {
        '2XX': { description: 'Delivered.' },
        '410': { description: 'The webhook is disabled, and gets no more deliveries.' },
        default: { description: 'The delivery is retried, after Retry-After if that is later than the schedule.' },
      },
      security: [{}],
    },
  };
}

/**
 * The document with one body for each operation that reads a file: its form. Client generators (orval, openapi-ts) know
 * one body a call, and of JSON and a form they take JSON, which holds no file.
 */
export function withFormsAlone(document: OpenApiDocument): OpenApiDocument {
  const copy = structuredClone(document);
  for (const { requestBody } of Object.values(copy.paths).flatMap((path) =>
    METHODS.flatMap((method) => path[method] ?? []),
  )) {
    const form = requestBody?.content['multipart/form-data'];
    const isFileAlone = form?.schema?.required?.every((name) => name === 'file') === true;
    if (requestBody !== undefined && form !== undefined && isFileAlone) {
      requestBody.content = { 'multipart/form-data': form };
    }
  }
  return copy;
}
