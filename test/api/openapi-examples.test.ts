/** The examples of the document that a running server gives: each is true to its operation and to the server. */
import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { JsonSchema, OpenApiDocument } from '../../src-server/features/reference/openapi-types.ts';
import { type Appliance, startAppliance } from '../harness/appliance.ts';
import { answersOf, callsOf, headersOf, parametersOf } from '../harness/openapi-lookup.ts';
import { postJson } from '../harness/text-models.ts';

type Fields = Record<string, unknown>;

interface Shown {
  /** `POST /crawl 202 application/json`. */
  place: string;
  schema: JsonSchema | undefined;
  example: unknown;
}

let appliance: Appliance;
let document: OpenApiDocument;
let shown: Shown[];

beforeAll(async () => {
  appliance = await startAppliance();
  document = (await (await appliance.anonymous('/openapi.json')).json()) as OpenApiDocument;
  shown = [...callsOf({ ...document, paths: document.webhooks }), ...callsOf(document)].flatMap((call) => {
    const { operation } = call;
    const place = `${call.method.toUpperCase()} ${call.path}`;
    const answers = operation.operationId === 'jobEnded' ? [] : answersOf(document, operation);
    const bodies = [
      ...Object.entries(operation.requestBody?.content ?? {}).map(
        ([type, media]) => [`request ${type}`, media] as const,
      ),
      ...answers.flatMap(([status, { content = {} }]) =>
        Object.entries(content).map(([type, media]) => [`${status} ${type}`, media] as const),
      ),
      ...parametersOf(document, operation).map((parameter) => [parameter.name, parameter] as const),
      ...answers.flatMap(([, answer]) => headersOf(document, answer)),
    ];
    return bodies
      .filter(([, { example }]) => example !== undefined)
      .map(([name, { schema, example }]) => ({ place: `${place} ${name}`, schema, example }));
  });
});
afterAll(async () => {
  await appliance.close();
});

/** Server-sent events of an example. */
function eventsOf(text: string): { event: string; data: Fields }[] {
  return text.split('\n\n').flatMap((block) => {
    const event = /^event: (.*)$/m.exec(block)?.[1];
    return event === undefined ? [] : [{ event, data: JSON.parse(/^data: (.*)$/m.exec(block)?.[1] ?? '') as Fields }];
  });
}

/** Every object in an example, those in streams of events too. */
function objectsIn(value: unknown): Fields[] {
  if (typeof value === 'string') return value.startsWith('event: ') ? eventsOf(value).flatMap(objectsIn) : [];
  if (typeof value !== 'object' || value === null) return [];
  return [...(Array.isArray(value) ? [] : [value as Fields]), ...Object.values(value).flatMap(objectsIn)];
}

function addressesIn(text: string): string[] {
  return [...text.matchAll(/https?:\/\/[^\s"'\\<>`)]+/g)].map(([address]) => address);
}

function exampleAt(place: string): Fields {
  const found = shown.find((one) => one.place === place)?.example;
  if (found === undefined) throw new Error(`There is no example at ${place}.`);
  return found as Fields;
}

function validator(): (schema: JsonSchema, value: unknown) => unknown {
  const ajv = new Ajv2020({ strict: false, allErrors: true });
  formats.default(ajv);
  ajv.addSchema({ ...document, $id: 'document' } as object);
  return (schema, value) => {
    const fits = ajv.compile(JSON.parse(JSON.stringify(schema).replaceAll('"#/', '"document#/')) as object);
    return fits(value) ? null : fits.errors;
  };
}

describe('every example', () => {
  test('fits its own schema; of a completed job the result fits its operation', () => {
    const faultsOf = validator();
    expect(shown.length).toBeGreaterThan(100);
    for (const { place, schema, example } of shown) {
      if (schema !== undefined) expect([place, faultsOf(schema, example)]).toEqual([place, null]);
      for (const { jobType, status, result } of objectsIn(example)) {
        if (status !== 'completed' || jobType === undefined) continue;
        const promised = document.paths[`/${String(jobType)}`]?.post?.['x-quarry-result'];
        expect([place, promised && faultsOf(promised, result)]).toEqual([place, null]);
      }
    }
  });

  test('names hosts that nobody can own, or the server that shows it', () => {
    for (const { place, example } of shown) {
      for (const address of addressesIn(JSON.stringify(example))) {
        const { origin, hostname } = new URL(address);
        expect([place, address, origin === appliance.url || hostname.endsWith('.example')]).toEqual([
          ...[place, address, true],
        ]);
      }
    }
    expect(shown.filter(({ example }) => JSON.stringify(example).includes(appliance.url)).length).toBeGreaterThan(10);
  });

  test('calls a job by one identifier, and gives the address of that job', () => {
    let checked = 0;
    for (const { place, example } of shown) {
      for (const { jobId, crawlId, batchId, statusUrl } of objectsIn(example)) {
        if (crawlId !== undefined) expect([place, crawlId]).toEqual([place, jobId]);
        if (statusUrl === undefined) continue;
        const path = batchId === undefined ? `jobs/${String(jobId)}` : `batches/${String(batchId)}`;
        expect([place, statusUrl]).toEqual([place, `${appliance.url}/v1/${path}`]);
        checked += 1;
      }
    }
    expect(checked).toBeGreaterThan(10);
  });
});

describe('the examples of an operation', () => {
  const SOURCES: Record<string, RegExp> = {
    'extract/doc': /\.docx$/,
    'extract/pdf': /\.pdf$/,
    'extract/video': /\.(mp4|mov|mkv)$/,
    'extract/hosted-video': /\/[^/.]+$/,
  };

  test('show a source of its kind, and a job of its type', () => {
    const operations = callsOf(document).filter(({ operation }) => operation['x-quarry-mode'] === 'job');
    expect(operations.length).toBeGreaterThan(6);
    for (const { path } of operations) {
      const { sourceUrl } = exampleAt(`POST ${path} request application/json`);
      expect(sourceUrl ?? '').toMatch(SOURCES[path.slice(1)] ?? /^$/);
      const { jobType, jobId } = exampleAt(`POST ${path} 202 application/json`);
      expect([jobType, jobId]).toEqual([path.slice(1), expect.stringMatching(path === '/crawl' ? /^crl_/ : /^job_/)]);
    }
  });

  test('have the fields of a real acceptance', async () => {
    const crawl = postJson({ url: `${appliance.url}/reference`, depth: 0 });
    const audio = postJson(exampleAt('POST /generate/audio request application/json'));
    for (const [path, init] of [
      ['/crawl', crawl],
      ['/generate/audio', audio],
    ] as const) {
      const accepted = (await (await appliance.owner(`/v1${path}`, init)).json()) as Fields;
      expect(Object.keys(exampleAt(`POST ${path} 202 application/json`))).toEqual(Object.keys(accepted));
    }
  });

  test('stream what they answer, and name the job first', () => {
    const answer = exampleAt('POST /generate/text 200 application/json') as { jobId: string; result: Fields };
    const events = eventsOf(String(exampleAt('POST /generate/text 200 text/event-stream')));
    expect(events[0]).toMatchObject({ event: 'accepted', data: { jobId: answer.jobId } });
    expect(events.at(-1)).toEqual({ event: 'done', data: answer });
    const tokens = events.filter(({ event }) => event === 'token');
    expect(tokens.map(({ data }) => data.text).join('')).toBe(answer.result.content);
  });
});

test('the reference pages show the address of their server, and no host of a stranger', async () => {
  const index = await (await appliance.anonymous('/reference/guides/getting-started')).text();
  const guides = new Set([...index.matchAll(/href="(\/reference\/guides\/[a-z-]+)"/g)].map(([, href]) => href ?? ''));
  expect(guides.size).toBeGreaterThan(10);
  for (const path of ['/problems', ...guides]) {
    const html = await (await appliance.anonymous(path)).text();
    expect([path, html.includes('example.com')]).toEqual([path, false]);
    // The address in the test vectors of signatures is part of what was signed.
    const others = html.replaceAll(/\\&quot;http:\/\/127\.0\.0\.1:8402/g, '');
    expect([path, others.includes('127.0.0.1:8402')]).toEqual([path, false]);
  }
  expect(index).toContain(`URL=${appliance.url}`);
  expect(await (await appliance.anonymous('/openapi.json')).text()).toContain(`"${appliance.url}/v1"`);
});
