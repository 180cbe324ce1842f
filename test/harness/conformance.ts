import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import fc from 'fast-check';
import { expect } from 'vitest';
import type {
  JsonSchema,
  OpenApiDocument,
  OpenApiResponse,
} from '../../src-server/features/reference/openapi-types.ts';
import { valuesOf } from './json-schema-arbitrary.ts';
import { answersOf, type Call, parametersOf, schemaOf } from './openapi-lookup.ts';

export interface ConformanceOptions {
  document: OpenApiDocument;
  /** Sends a request to the server under test; `path` begins with a slash and includes the path of its server. */
  send(path: string, init: RequestInit): Promise<Response>;
  ownerToken: string;
  /** Values for path parameters that name something that exists, by the parameter's name. */
  known: Record<string, string>;
  requestsPerCall: number;
  seed: number;
}

interface Attempt {
  path: string;
  init: RequestInit;
  as: 'owner' | 'nobody' | 'impostor';
}

/**
 * Sends generated requests to one call, half of them valid and half of them junk, and expects of every answer what the
 * document says: a listed status, a listed content type, a body that fits and holds nothing undocumented, the headers.
 * Gives back how often each status was seen.
 */
export async function checkConformance(call: Call, options: ConformanceOptions): Promise<Map<number, number>> {
  const judge = judgeOf(options.document);
  const seen = new Map<number, number>();
  const property = fc.asyncProperty(attemptsAt(call, options), async (attempt) => {
    const answer = await options.send(attempt.path, attempt.init);
    await judge(call, attempt, answer);
    seen.set(answer.status, (seen.get(answer.status) ?? 0) + 1);
  });
  await fc.assert(property, { numRuns: options.requestsPerCall, seed: options.seed, endOnFailure: true });
  return seen;
}

function attemptsAt(call: Call, options: ConformanceOptions): fc.Arbitrary<Attempt> {
  const { document, ownerToken } = options;
  const parameters = parametersOf(document, call.operation);
  const paths = fc.record(
    Object.fromEntries(
      parameters
        .filter((parameter) => parameter.in === 'path')
        .map(({ name }) => [name, segments(name, call, options)]),
    ),
  );
  const queries: fc.Arbitrary<Record<string, unknown>> = fc.record(
    Object.fromEntries(
      parameters
        .filter((parameter) => parameter.in === 'query')
        .map(({ name, schema }) => [
          name,
          // A request with a dozen parameters is valid now and then.
          fc.oneof(
            {
              weight: 4,
              arbitrary:
                options.known[name] === undefined
                  ? valuesOf(schema, (inner) => schemaOf(document, inner), name)
                  : fc.constant(options.known[name]),
            },
            { weight: 1, arbitrary: fc.string() },
          ),
        ]),
    ),
    { requiredKeys: [] },
  );
  const identities = fc.constantFrom('owner', 'owner', 'nobody', 'impostor') as fc.Arbitrary<Attempt['as']>;
  return fc.record({ path: paths, query: queries, as: identities, body: bodiesOf(call, options) }).map((parts) => {
    const filled = call.path.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
      encodeURIComponent(String(parts.path[name])),
    );
    const query = new URLSearchParams(
      Object.entries(parts.query).map(([name, value]): [string, string] => [name, String(value)]),
    ).toString();
    const headers = new Headers(parts.body?.headers);
    if (parts.as !== 'nobody') headers.set('authorization', `Bearer ${parts.as === 'owner' ? ownerToken : 'guess'}`);
    return {
      path: `${baseOf(document, call)}${filled}${query === '' ? '' : `?${query}`}`,
      init: { method: call.method.toUpperCase(), headers, ...(parts.body ? { body: parts.body.text } : {}) },
      as: parts.as,
    };
  });
}

/** Path of the server that a call belongs to: `/v1`, or none. */
function baseOf(document: OpenApiDocument, { ownServer }: Call): string {
  const server = ownServer ?? document.servers[0]?.url ?? '';
  return new URL(server).pathname.replace(/\/$/, '');
}

/** Deleting what others read would make their answers meaningless, so only reading names things that exist. */
function segments(name: string, call: Call, { known }: ConformanceOptions): fc.Arbitrary<string> {
  // Dots alone would be taken for steps in the path by any client.
  const unknown = fc
    .string({ minLength: 1, maxLength: 40 })
    .filter((text) => !/^\.+$/.test(text) && text.isWellFormed());
  const value = known[name];
  return value === undefined || call.method === 'delete' ? unknown : fc.oneof(fc.constant(value), unknown);
}

interface Body {
  text: string;
  headers: Record<string, string>;
}

function bodiesOf(call: Call, { document, known }: ConformanceOptions): fc.Arbitrary<Body | null> {
  const media = call.operation.requestBody?.content['application/json'];
  if (media?.schema === undefined) return fc.constant(null);
  const { schema, example } = media;
  const made = valuesOf(schema, (inner) => schemaOf(document, inner)) as fc.Arbitrary<Record<string, unknown>>;
  // What a valid request names is there.
  const valid = made.map((value): Record<string, unknown> => {
    const there = Object.entries(known).filter(([name]) => Object.hasOwn(value, name));
    return { ...value, ...Object.fromEntries(there) };
  });
  const json = { 'content-type': 'application/json' };
  // An example with an address in it could make the server call that address.
  const sendable = example !== undefined && !JSON.stringify(example).includes('://');
  const examples = sendable
    ? [{ weight: 2, arbitrary: fc.constant({ text: JSON.stringify(example), headers: json }) }]
    : [];
  const names = Object.keys(schemaOf(document, schema).properties ?? {});
  const slips = fc.tuple(
    valid,
    fc.oneof(fc.constantFrom(...names, 'more'), fc.string()),
    fc.jsonValue({ maxDepth: 3 }),
  );
  return fc.oneof(
    ...examples,
    { weight: 3, arbitrary: valid.map((value): Body => ({ text: JSON.stringify(value), headers: json })) },
    {
      weight: 2,
      arbitrary: slips.map(
        ([value, name, junk]): Body => ({ text: JSON.stringify({ ...value, [name]: junk }), headers: json }),
      ),
    },
    { weight: 1, arbitrary: fc.json().map((text): Body => ({ text, headers: json })) },
    { weight: 1, arbitrary: fc.string().map((text): Body => ({ text, headers: json })) },
    {
      weight: 1,
      arbitrary: fc
        .tuple(
          fc.string(),
          fc.constantFrom('text/plain', 'multipart/form-data', 'multipart/form-data; boundary=x', 'a/b'),
        )
        .map(([text, type]): Body => ({ text, headers: { 'content-type': type } })),
    },
  );
}

type Judge = (call: Call, attempt: Attempt, answer: Response) => Promise<void>;

const judges = new WeakMap<OpenApiDocument, Judge>();

/** One for all calls of a document: to compile its schemas takes longer than to ask. */
function judgeOf(document: OpenApiDocument): Judge {
  const judge = judges.get(document) ?? newJudge(document);
  judges.set(document, judge);
  return judge;
}

function newJudge(document: OpenApiDocument): Judge {
  const ajv = new Ajv2020({ strict: false, allErrors: true });
  formats.default(ajv);
  ajv.addSchema({ ...closed(document), $id: 'document' } as object);
  const compiled = new WeakMap<JsonSchema, ReturnType<typeof ajv.compile>>();
  const compile = (schema: JsonSchema) =>
    ajv.compile(JSON.parse(JSON.stringify(closed(schema)).replaceAll('"#/', '"document#/')) as object);
  const fits = (schema: JsonSchema, value: unknown): unknown => {
    const validate = compiled.get(schema) ?? compile(schema);
    compiled.set(schema, validate);
    return validate(value) ? null : validate.errors;
  };
  return async (call, attempt, answer) => {
    const text = await answer.text();
    const context = `${attempt.init.method} ${attempt.path} as ${attempt.as}: ${answer.status} ${text.slice(0, 300)}`;
    const listed = answersOf(document, call.operation).find(([status]) => status === answer.status)?.[1];
    expect(listed, `Undocumented status. ${context}`).toBeDefined();
    expectHeaders(baseOf(document, call), attempt, answer, context);
    expectOnlyListed(listed, answer, context);
    if (listed === undefined || listed.content === undefined) return expect(text, context).toBe('');
    const media = mediaOf(listed, answer);
    expect(media, `Undocumented content type ${answer.headers.get('content-type')}. ${context}`).toBeDefined();
    if (!/json/.test(answer.headers.get('content-type') ?? '') || media?.schema === undefined) return;
    const body = JSON.parse(text) as Record<string, unknown>;
    expect(fits(media.schema, body), `The body does not fit. ${context}`).toBeNull();
    if (answer.status >= 400 && body.code !== undefined) expectProblem(listed, body, answer.status, context);
    expectResult(document, body, fits, context);
  };
}

function expectHeaders(base: string, { as }: Attempt, answer: Response, context: string): void {
  expect(answer.headers.get('x-request-id'), context).toMatch(/^req_/);
  if (base !== '' && as === 'nobody') {
    expect(answer.headers.get('ratelimit-policy'), context).toMatch(/^"default";q=\d+;w=60$/);
    expect(answer.headers.get('ratelimit'), context).toMatch(/^"default";r=\d+;t=\d+$/);
  }
  if ([429, 503, 507].includes(answer.status)) expect(answer.headers.get('retry-after'), context).toMatch(/^\d+$/);
}

/** Of HTTP itself and of how answers are kept and shown, which no description of a call repeats. */
const UNLISTED_HEADERS = new Set([
  ...['cache-control', 'connection', 'content-length', 'content-security-policy', 'content-type', 'date', 'keep-alive'],
  ...['cross-origin-opener-policy', 'cross-origin-resource-policy', 'referrer-policy'],
  ...['transfer-encoding', 'vary', 'x-accel-buffering', 'x-content-type-options'],
]);

function expectOnlyListed(listed: OpenApiResponse | undefined, answer: Response, context: string): void {
  const names = new Set(Object.keys(listed?.headers ?? {}).map((name) => name.toLowerCase()));
  const others = [...answer.headers.keys()].filter((name) => !names.has(name) && !UNLISTED_HEADERS.has(name));
  expect(others, `Undocumented headers. ${context}`).toEqual([]);
}

function mediaOf(listed: OpenApiResponse, answer: Response) {
  const type = answer.headers.get('content-type')?.split(';')[0]?.trim() ?? '';
  return listed.content?.[type] ?? listed.content?.['*/*'];
}

function expectProblem(listed: OpenApiResponse, body: Record<string, unknown>, status: number, context: string): void {
  expect(listed['x-quarry-codes'], context).toContain(body.code);
  expect([body.type, body.status], context).toEqual([`/problems/${String(body.code)}`, status]);
}

/** A finished job's result is what its operation promises, where the document has operations. */
function expectResult(
  document: OpenApiDocument,
  body: Record<string, unknown>,
  fits: (schema: JsonSchema, value: unknown) => unknown,
  context: string,
): void {
  if (!Object.values(document.paths).some(({ post }) => post?.['x-quarry-result'])) return;
  const jobs = Array.isArray(body.jobs) ? (body.jobs as Record<string, unknown>[]) : [body];
  for (const job of jobs.filter(({ status }) => status === 'completed')) {
    const promised = document.paths[`/${String(job.jobType)}`]?.post?.['x-quarry-result'];
    expect(promised, context).toBeDefined();
    if (promised !== undefined) expect(fits(promised, job.result), `The result does not fit. ${context}`).toBeNull();
  }
}

/** The document lets answers grow; a test wants to see everything that is there documented. */
function closed<Value>(value: Value): Value {
  return JSON.parse(JSON.stringify(value), (_, part: unknown) => {
    const schema = part as JsonSchema;
    const isOpen =
      schema?.type === 'object' && schema.properties !== undefined && schema.additionalProperties === undefined;
    return isOpen ? { ...schema, additionalProperties: false } : part;
  }) as Value;
}
