import { Validator } from '@seriousme/openapi-schema-validator';
import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { deriveOpenApi } from '../../src-server/features/reference/openapi.ts';
import type { OpenApiOperation, OpenApiResponse } from '../../src-server/features/reference/openapi-types.ts';
import { explainSignature } from '../../src-server/features/webhooks/explain.ts';
import { OPERATIONS, PUBLIC_ROUTES } from '../../src-server/features.ts';
import { defineOperation, extractionRequest, languageHint, segmentLength } from '../../src-server/operation.ts';
import { canonicalJson } from '../../src-server/platform/text/canonical-json.ts';
import { answersOf, callsOf } from '../harness/openapi-lookup.ts';
import { TEST_WORDS } from '../harness/words.ts';

const INFO = { version: '0.1.0', origin: 'http://127.0.0.1:8402' };

const sampleDocument = defineOperation({
  id: 'extract/sample-doc',
  summary: 'Extract a sample',
  description: 'For tests.',
  words: TEST_WORDS,
  mode: 'job',
  price: { amount: 140_000, timeoutSeconds: 300 },
  idPrefix: 'job',
  queueClass: 'light',
  request: extractionRequest(
    z.strictObject({ segmentLength: segmentLength(1000), language: languageHint().optional() }).prefault({}),
  ),
  source: { kinds: ['docx'], sizeLimit: 'document' },
  accepted: z.object({ previews: z.array(z.url()) }),
  result: z.object({ chunks: z.array(z.string()) }),
  example: {
    request: { sourceUrl: 'https://files.example/a.docx' },
    prepared: (urlOf) => ({ previews: [urlOf('a.png')] }),
  },
  retry: { attempts: 1, baseDelaySeconds: 1 },
  timeLimitSeconds: 60,
  firstRun: { seconds: 1, secondsPerMegabyte: 0 },
  inlineWait: { milliseconds: 1500, belowBytes: 1024 * 1024 },
  run: async () => ({ chunks: [] }),
});

const sampleText = defineOperation({
  id: 'generate/sample-text',
  summary: 'Generate a sample',
  description: 'For tests.',
  words: TEST_WORDS,
  mode: 'inline',
  price: null,
  idPrefix: 'txt',
  queueClass: 'heavy',
  request: z.strictObject({
    prompt: z.string().min(1).max(100),
    temperature: z.number().min(0).max(1).default(0.7),
  }),
  inline: { jobId: 'deterministic', streams: true, body: (result, jobId) => ({ jobId, result }) },
  result: z.object({ content: z.string() }),
  example: { request: { prompt: 'One' }, result: { content: 'Two' }, emitted: [['token', { text: 'Two' }]] },
  retry: { attempts: 1, baseDelaySeconds: 1 },
  timeLimitSeconds: 60,
  firstRun: { seconds: 1, secondsPerMegabyte: 0 },
  run: async () => ({ content: '' }),
});

const sampleSearch = defineOperation({
  ...sampleText,
  id: 'search',
  request: z.strictObject({ query: z.string() }),
  result: z.object({ results: z.array(z.object({ score: z.number() })) }),
  example: { request: { query: 'one' }, result: { results: [{ score: 1 }] } },
  inline: { jobId: 'random', streams: false, body: ({ results }) => ({ results }) },
  run: async () => ({ results: [] }),
});

const document = deriveOpenApi([sampleDocument, sampleText, sampleSearch], PUBLIC_ROUTES, INFO);
const whole = deriveOpenApi(OPERATIONS, PUBLIC_ROUTES, INFO);

function post(path: string): OpenApiOperation {
  const operation = document.paths[path]?.post;
  if (!operation) throw new Error(`There is no POST ${path}.`);
  return operation;
}

function answer(operation: OpenApiOperation, status: number): OpenApiResponse {
  const found = answersOf(document, operation).find(([candidate]) => candidate === status);
  if (!found) throw new Error(`There is no answer with status ${status}.`);
  return found[1];
}

describe('the derived document', () => {
  test.each([
    ['of sample operations', document],
    ['of every operation', whole],
  ])('%s is valid OpenAPI 3.1', async (_, derived) => {
    const outcome = await new Validator().validate(structuredClone(derived) as never);
    expect(outcome.errors ?? []).toEqual([]);
    expect(outcome.valid).toBe(true);
  });

  test('has a path for every operation of the registry, with its price', () => {
    for (const { id, price } of OPERATIONS) {
      const priced = whole.paths[`/${id}`]?.post?.['x-quarry-price'];
      expect(priced?.amount).toBe(price === null ? undefined : String(price.amount));
    }
  });

  test('gives every call an identifier of its own', () => {
    const ids = callsOf(whole).map(({ operation }) => operation.operationId);
    expect(new Set(ids).size).toBe(ids.length);
  });

  test('every example fits the schema beside it', () => {
    const ajv = new Ajv2020({ strict: false, allErrors: true });
    formats.default(ajv);
    for (const derived of [document, whole]) {
      ajv.removeSchema();
      ajv.addSchema({ ...derived, $id: 'doc' } as object);
      let checked = 0;
      for (const { method, path, operation } of callsOf(derived)) {
        const bodies = [operation.requestBody, ...answersOf(derived, operation).map(([, body]) => body)];
        for (const body of bodies) {
          for (const [type, { schema, example }] of Object.entries(body?.content ?? {})) {
            if (schema === undefined || example === undefined) continue;
            const valid = ajv.compile(JSON.parse(JSON.stringify(schema).replaceAll('"#/', '"doc#/')) as object);
            expect([method, path, type, valid(example), valid.errors]).toEqual([method, path, type, true, null]);
            checked += 1;
          }
        }
      }
      expect(checked).toBeGreaterThan(10);
    }
  });
});

test('the callback of a job is described with its headers, and its example fits the schema and is truly signed', () => {
  const { parameters = [], requestBody } = whole.webhooks.jobEnded?.post ?? {};
  const { schema, example } = requestBody?.content['application/json'] ?? {};
  const ajv = new Ajv2020({ strict: false });
  formats.default(ajv);
  ajv.addSchema({ ...whole, $id: 'doc' } as object);
  const fits = ajv.compile(JSON.parse(JSON.stringify(schema).replaceAll('"#/', '"doc#/')) as object);
  expect([fits(example), fits({ ...(example as object), signature: 'none' })]).toEqual([true, false]);
  const headers = Object.fromEntries(
    parameters.flatMap((one) => ('name' in one ? [[one.name, `${one.example}`]] : [])),
  );
  const body = Buffer.from(canonicalJson(example));
  const at = Number(headers['webhook-timestamp']) * 1000;
  expect(explainSignature({ headers, body }, 'correct horse battery staple', at)).toMatchObject({ verdict: 'valid' });
});

describe('a paid operation that reads a source', () => {
  const operation = post('/extract/sample-doc');

  test('states price, mode, payment headers and the literal challenge', () => {
    expect(operation['x-quarry-price']).toEqual({ amount: '140000', asset: 'USDC', maxTimeoutSeconds: 300 });
    expect(operation['x-quarry-mode']).toBe('job');
    expect(operation.parameters).toEqual([
      { $ref: '#/components/parameters/X-PAYMENT' },
      { $ref: '#/components/parameters/PAYMENT-SIGNATURE' },
      { $ref: '#/components/parameters/Prefer' },
      ...LABELS_AND_KEY,
    ]);
    expect(answer(operation, 402).content?.['application/json']).toMatchObject({
      schema: { $ref: '#/components/schemas/PaymentChallenge' },
      example: { accepts: [{ resource: 'POST /extract/sample-doc', maxAmountRequired: '140000' }], error: null },
    });
  });

  test('takes JSON with exactly one source, or multipart with a file', () => {
    const request = document.components.schemas.ExtractSampleDocRequest;
    expect(request?.oneOf).toEqual([{ required: ['sourceUrl'] }, { required: ['file'] }]);
    const multipart = operation.requestBody?.content['multipart/form-data'];
    expect(multipart?.schema?.required).toEqual(['file']);
    expect(multipart?.schema?.properties?.sourceUrl).toBeUndefined();
    expect(multipart?.schema?.properties?.file?.contentMediaType).toBe('application/octet-stream');
  });

  test('makes fields with defaults optional, and says default and bounds', () => {
    const request = document.components.schemas.ExtractSampleDocRequest;
    expect(request?.required ?? []).toEqual([]);
    expect(request?.properties?.options?.properties?.segmentLength).toMatchObject({
      default: 1000,
      minimum: 50,
      maximum: 20_000,
    });
    expect(request?.additionalProperties).toBe(false);
  });

  test('answers the accepted view or the whole job, and every error as a problem but 402', () => {
    expect(answer(operation, 202).content?.['application/json']?.schema).toEqual({
      anyOf: [
        { $ref: '#/components/schemas/ExtractSampleDocAccepted' },
        { $ref: '#/components/schemas/ExtractSampleDocEnded' },
      ],
    });
    expect(document.components.schemas.ExtractSampleDocAccepted?.required).toContain('previews');
    const errors = answersOf(document, operation).filter(([status]) => status >= 400 && status !== 402);
    expect(errors.map(([status]) => status)).toEqual(
      expect.arrayContaining([400, 401, 413, 415, 422, 429, 500, 503, 507]),
    );
    for (const [, { content }] of errors) expect(Object.keys(content ?? {})).toEqual(['application/problem+json']);
    expect(answer(operation, 429).headers).toHaveProperty('Retry-After');
  });
});

test('a free inline operation answers 200 with its result, and no 402', () => {
  const operation = post('/generate/sample-text');
  expect(operation.responses['402']).toBeUndefined();
  expect(operation.responses['202']).toBeUndefined();
  const view = document.components.schemas.GenerateSampleTextAnswer;
  expect(view?.required).toEqual(['jobId', 'result']);
  expect(operation.requestBody?.content['multipart/form-data']).toBeUndefined();
});

/** Of every request that makes a job. */
const LABELS_AND_KEY = ['Idempotency-Key', 'Quarry-Tags', 'Quarry-Metadata'].map((name) => ({
  $ref: `#/components/parameters/${name}`,
}));

test('an operation that streams says so, one that does not has no such parameter', () => {
  const stream = { $ref: '#/components/parameters/stream' };
  expect(post('/generate/sample-text').parameters).toEqual([stream, ...LABELS_AND_KEY]);
  expect(answer(post('/generate/sample-text'), 200).content).toHaveProperty('text/event-stream');
  expect(post('/search').parameters).toEqual(LABELS_AND_KEY);
  expect(answer(post('/search'), 200).content).not.toHaveProperty('text/event-stream');
});

test('an inline answer is described by what the operation makes of a result', () => {
  const { result, ...own } = document.components.schemas.GenerateSampleTextAnswer?.properties ?? {};
  expect([result, Object.keys(own)]).toEqual([{ $ref: '#/components/schemas/GenerateSampleTextOutput' }, ['jobId']]);
  expect(document.components.schemas.SearchAnswer?.properties?.results?.type).toBe('array');
  const body = () => ({ surprise: 1 });
  const strange = { ...sampleSearch, inline: { jobId: 'random', streams: false, body } } as const;
  expect(() => deriveOpenApi([strange], [], INFO)).toThrow(/surprise/);
});

test('two operations that would share a path or a name are refused', () => {
  expect(() => deriveOpenApi([], [...PUBLIC_ROUTES, ...PUBLIC_ROUTES], INFO)).toThrow(/Two routes/);
});
