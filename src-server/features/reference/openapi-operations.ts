import type { Operation, Price } from '../../operation.ts';
import { exampleEvent, ORIGIN } from '../../platform/http/examples.ts';
import { PAYMENT_ERRORS, SOURCE_ERRORS } from '../../platform/http/route.ts';
import { omitUndefined } from '../../platform/omit-undefined.ts';
import { Job } from '../jobs/schema.ts';
import { challengeBody, requirementsOf, SANDBOX_TERMS } from '../payments/service.ts';
import { COMMON_HEADERS, type ErrorBook, headerReferences, INLINE_ERRORS, OPERATION_ERRORS } from './openapi-errors.ts';
import type { SchemaBook } from './openapi-schemas.ts';
import type { JsonSchema, OpenApiMedia, OpenApiOperation, OpenApiResponse } from './openapi-types.ts';

/** The 202 of every job; an operation's `accepted` adds fields. */
const Accepted = Job.pick({ jobId: true, jobType: true, status: true, statusUrl: true, etaSeconds: true });

/** Schemas that every operation refers to. */
export interface SharedSchemas {
  errors: ErrorBook;
  challenge: JsonSchema;
  job: JsonSchema;
}

/** The answers of an operation. Made before any request is described: see SchemaBook. */
export function operationAnswers(
  operation: Operation,
  book: SchemaBook,
  shared: SharedSchemas,
): Pick<OpenApiOperation, 'responses' | 'x-quarry-result'> {
  const name = componentName(operation.id);
  const result = book.addNamedSchema(`${name}Output`, book.referToSchema(operation.result, 'output'));
  const success =
    operation.mode === 'job' ? acceptedResponses(operation, book, shared) : finishedResponses(operation, book, result);
  const waits = operation.mode === 'inline' && operation.admit !== undefined ? waitingResponses(operation, book) : {};
  const codes = [
    ...OPERATION_ERRORS,
    ...(operation.source ? SOURCE_ERRORS : []),
    ...(operation.mode === 'inline' ? INLINE_ERRORS : []),
    ...(operation.price ? PAYMENT_ERRORS : []),
  ];
  return {
    responses: {
      ...success,
      ...waits,
      ...omitUndefined({
        '402': operation.price ? paymentRequiredResponse(operation, operation.price, shared.challenge) : undefined,
      }),
      ...shared.errors.errorResponsesFor(codes, 'environment'),
    },
    'x-quarry-result': result,
  };
}

function acceptedResponses(
  operation: Operation,
  book: SchemaBook,
  shared: SharedSchemas,
): Record<string, OpenApiResponse> {
  const whole = operation.accepted ? Accepted.extend(operation.accepted.shape) : Accepted;
  const view = book.addNamedSchema(`${componentName(operation.id)}Accepted`, book.referToSchema(whole, 'output'));
  const example = exampleAcceptance(operation);
  const ended = operation.accepted
    ? book.addNamedSchema(
        `${componentName(operation.id)}Ended`,
        book.referToSchema(Job.extend(operation.accepted.shape), 'output'),
      )
    : shared.job;
  const inline = operation.inlineWait
    ? ` For a source under ${operation.inlineWait.belowBytes / 1024 / 1024} MB the answer waits up to ` +
      `${operation.inlineWait.milliseconds / 1000} s for the result.`
    : '';
  return {
    '202': {
      description: `Accepted. If the request waits and the job ends in time, this is the whole job object.${inline}`,
      headers: headerReferences([...successHeaders(operation), 'Location', 'Preference-Applied']),
      content: { 'application/json': { schema: { anyOf: [view, ended] }, example } },
    },
  };
}

/** An operation that answers at once cannot when its model must be installed first. */
function waitingResponses(operation: Operation, book: SchemaBook): Record<string, OpenApiResponse> {
  const view = book.addNamedSchema(`${componentName(operation.id)}Accepted`, book.referToSchema(Accepted, 'output'));
  return {
    '202': {
      description: 'For `Prefer: install`: something must be installed first. The job runs when it is there.',
      headers: headerReferences([...COMMON_HEADERS.environment, 'Location', 'Preference-Applied']),
      content: { 'application/json': { schema: view, example: exampleAcceptance(operation) } },
    },
  };
}

function finishedResponses(
  operation: Operation,
  book: SchemaBook,
  result: JsonSchema,
): Record<string, OpenApiResponse> {
  const schema = book.addNamedSchema(`${componentName(operation.id)}Answer`, inlineAnswer(operation, book, result));
  const { json, stream } = exampleAnswer(operation);
  return {
    '200': {
      description: 'The result. It can be read again later with GET /jobs/{jobId}.',
      headers: headerReferences(successHeaders(operation)),
      content: {
        'application/json': { schema, example: json },
        ...omitUndefined({
          'text/event-stream': operation.inline?.streams ? { schema: { type: 'string' }, example: stream } : undefined,
        }),
      },
    },
  };
}

/**
 * The body of a 200, by what the operation makes of a sample result: each of its fields is the result, a field of the
 * result, or the job's id. Anything else could not be described and stops the start.
 */
function inlineAnswer(operation: Operation, book: SchemaBook, result: JsonSchema): JsonSchema {
  const { properties: fields = {}, required = [] } = book.resolveComponent(result);
  const sample = Object.fromEntries(Object.keys(fields).map((name) => [name, {}]));
  const jobId = `sample ${operation.id}`;
  const body = operation.inline?.body(sample, jobId) ?? { jobId, result: sample };
  const properties = Object.entries(body).map(([name, value]): [string, JsonSchema] => {
    if (value === sample) return [name, result];
    if (value === jobId) return [name, book.referToSchema(Job.shape.jobId, 'output')];
    const field = fields[name];
    if (field === undefined) throw new Error(`${operation.id} answers with a field ${name} that no schema describes.`);
    return [name, field];
  });
  const isOptional = (name: string) => body[name] !== sample && name in fields && !required.includes(name);
  const present = properties.map(([name]) => name).filter((name) => !isOptional(name));
  return { type: 'object', properties: Object.fromEntries(properties), required: present };
}

function successHeaders(operation: Operation): string[] {
  return [...COMMON_HEADERS.environment, ...(operation.price ? ['X-PAYMENT-RESPONSE', 'PAYMENT-RESPONSE'] : [])];
}

function paymentRequiredResponse(operation: Operation, price: Price, challenge: JsonSchema): OpenApiResponse {
  return {
    description:
      'The request has no valid payment. Pay one entry of `accepts` and send the request again unchanged, with the ' +
      'proof in `X-PAYMENT`. `error` states why a proof was refused.',
    headers: headerReferences([...COMMON_HEADERS.environment, 'PAYMENT-REQUIRED']),
    content: { 'application/json': { schema: challenge, example: exampleChallenge(operation, price) } },
  };
}

/** The challenge of the sandbox, whose terms are fixed; on a real chain asset, receiver and `extra` are the owner's. */
function exampleChallenge({ id, summary }: Operation, price: Price): object {
  return challengeBody(requirementsOf(SANDBOX_TERMS, { operationId: id, summary, price }, price), null, null);
}

/** The rest of an operation: its request. */
export function operationRequest(
  operation: Operation,
  book: SchemaBook,
): Omit<OpenApiOperation, 'responses' | 'x-quarry-result'> {
  const { price } = operation;
  return {
    operationId: camelCase(operation.id),
    tags: [tagOf(operation)],
    summary: operation.summary,
    description: operation.description,
    parameters: parameterNames(operation).map((name) => ({ $ref: `#/components/parameters/${name}` })),
    requestBody: { required: true, content: describeRequestBodies(operation, book) },
    security: [{}, { owner: [] }, { wallet: [] }],
    ...omitUndefined({
      'x-quarry-price': price
        ? {
            amount: String(price.amount),
            asset: 'USDC' as const,
            maxTimeoutSeconds: price.timeoutSeconds,
          }
        : undefined,
    }),
    'x-quarry-mode': operation.mode,
  };
}

function parameterNames({ price, mode, inline, admit }: Operation): string[] {
  return [
    ...(inline?.streams ? ['stream'] : []),
    ...(price ? ['X-PAYMENT', 'PAYMENT-SIGNATURE'] : []),
    // `wait` belongs to jobs, `install` to requests that are admitted, `x402-resource` to paid calls.
    ...(mode === 'job' || price || admit ? ['Prefer'] : []),
    'Idempotency-Key',
    'Quarry-Tags',
    'Quarry-Metadata',
  ];
}

function describeRequestBodies(operation: Operation, book: SchemaBook): Record<string, OpenApiMedia> {
  const name = `${componentName(operation.id)}Request`;
  const reference = book.referToSchema(operation.request, 'input');
  const schema = book.resolveComponent(reference);
  const example = operation.example.request;
  if (!operation.source) {
    const named = reference.$ref === undefined ? book.addNamedSchema(name, schema) : reference;
    return { 'application/json': { schema: named, example } };
  }
  const oneSource = { ...schema, oneOf: [{ required: ['sourceUrl'] }, { required: ['file'] }] };
  const { sourceUrl: _, ...others } = schema.properties ?? {};
  const file = { type: 'string', contentMediaType: 'application/octet-stream', description: 'The file itself.' };
  return {
    'application/json': { schema: book.addNamedSchema(name, oneSource), example },
    'multipart/form-data': {
      schema: { ...schema, properties: { ...others, file }, required: ['file'] },
      encoding: { options: { contentType: 'application/json' } },
    },
  };
}

/** Tag of an operation: the first part of its id, as a heading. */
export function tagOf(operation: Operation): string {
  const [first = ''] = operation.id.split('/');
  return first.charAt(0).toUpperCase() + first.slice(1);
}

function componentName(id: string): string {
  const name = camelCase(id);
  return name.charAt(0).toUpperCase() + name.slice(1);
}

function camelCase(id: string): string {
  return id.replaceAll(/[/-](.)/g, (_, letter: string) => letter.toUpperCase());
}

const EXAMPLE_ID = '3v1cQm0pXbJ2nT8yLk5sWd7RfGh';

function exampleJobId({ idPrefix }: Operation): string {
  return `${idPrefix}_${EXAMPLE_ID}`;
}

function statusUrlOf(jobId: string): string {
  return `${ORIGIN}/v1/jobs/${jobId}`;
}

/** The 202 of an operation, made from its example. */
function exampleAcceptance(operation: Operation): Record<string, unknown> {
  const { id, example, firstRun } = operation;
  const jobId = exampleJobId(operation);
  const statusUrl = statusUrlOf(jobId);
  const request = operation.request.parse(example.request);
  return {
    ...operation.acceptedFields?.(request as never, jobId),
    ...example.prepared?.((name) => `${statusUrl}/files/${name}`),
    jobId,
    jobType: id,
    status: 'queued',
    statusUrl,
    etaSeconds: firstRun.seconds,
  };
}

/** The 200 of an inline operation, as a JSON body and as a stream. */
function exampleAnswer(operation: Operation): { json: Record<string, unknown>; stream: string } {
  const { id, example, inline } = operation;
  if (inline === undefined || example.result === undefined) throw new Error(`${id} has no example of its result.`);
  const jobId = exampleJobId(operation);
  const json = inline.body(example.result, jobId);
  const events = [
    ['accepted', { jobId, statusUrl: statusUrlOf(jobId) }],
    ...(example.emitted ?? []),
    ['done', json],
  ] as const;
  return { json, stream: events.map(([event, data]) => exampleEvent(event, data)).join('') };
}
