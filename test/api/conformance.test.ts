import { copyFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { deriveOpenApi, deriveOwnerOpenApi } from '../../src-server/features/reference/openapi.ts';
import type { OpenApiDocument } from '../../src-server/features/reference/openapi-types.ts';
import { OPERATIONS, OWNER_ROUTES, PUBLIC_ROUTES } from '../../src-server/features.ts';
import { type Appliance, startAppliance } from '../harness/appliance.ts';
import { checkConformance } from '../harness/conformance.ts';
import { wordDocument } from '../harness/documents.ts';
import { fileForm, finished } from '../harness/jobs.ts';
import { type Call, callsOf } from '../harness/openapi-lookup.ts';
import { installSpeechModel, ONNX_MODEL } from '../harness/speech.ts';

/** A real model, so that text can be asked for. */
const TEXT_MODEL = new URL('../fixtures/models/stories260K.gguf', import.meta.url);
const REQUESTS_PER_CALL = 60;
const REQUESTS_PER_OWNER_CALL = 12;
/** Fixed, so that a failure can be seen again. */
const SEED = 8402;

const INFO = { version: '0.1.0', origin: 'http://127.0.0.1:8402' };
const document = deriveOpenApi(OPERATIONS, PUBLIC_ROUTES, INFO);
const ownerDocument = deriveOwnerOpenApi(OWNER_ROUTES, INFO);

/** Their valid requests make the server contact other hosts or listen on any port, or their answer never ends. */
const NOT_ASKED = new Set([
  ...['changeSettings', 'changeSettlement', 'changeDeviceAccess'],
  ...['installYtDlp', 'followChanges', 'followUsage'],
]);

/** No schema lists the operations that they may name. */
const NAMES_AN_OPERATION = new Set(['createBatch']);

let appliance: Appliance;
/** What exists, by the name that paths give it. */
let known: Record<string, string>;

beforeAll(async () => {
  appliance = await startAppliance();
  // Under a name that does not say which languages it knows, so that any may be asked for.
  await installSpeechModel(appliance, ONNX_MODEL, 'speech-of-any-language');
  await copyFile(TEXT_MODEL, join(appliance.dataDir, 'models', 'stories260K.gguf'));
  const body = fileForm(wordDocument(['The text of a document.']), 'a.docx');
  const document = await resultOf<{ files: { name: string }[] }>('/v1/extract/doc', { body });
  const hook = await resultOf<{ webhook: { webhookId: string } }>('/v1/webhooks', {
    // Nothing listens there: what is delivered while this runs comes to nothing.
    body: JSON.stringify({ url: 'http://127.0.0.1:9/hook' }),
    headers: { 'content-type': 'application/json' },
  });
  const name = document.result.files[0]?.name;
  if (name === undefined) throw new Error('The document left no file.');
  known = { jobId: document.jobId, name, webhookId: hook.result.webhook.webhookId, ...(await fillLibrary()) };
});

/** One item with the tag that the examples name, in a collection. */
async function fillLibrary(): Promise<{ item: string; collection: string }> {
  const asJson = (method: string, body: object) => ({
    method,
    body: JSON.stringify(body),
    headers: { 'content-type': 'application/json' },
  });
  const listed = await appliance.owner('/v1/library/items');
  const [item] = ((await listed.json()) as { items: { itemId: string }[] }).items;
  if (item === undefined) throw new Error('The document is not in the library.');
  await appliance.owner(`/v1/library/items/${item.itemId}`, asJson('PATCH', { addTags: ['harbour'] }));
  await appliance.owner(`/v1/library/items/${item.itemId}/reading`, asJson('POST', {}));
  const made = await appliance.owner('/v1/library/collections', asJson('POST', { name: 'Harbour' }));
  return { item: item.itemId, collection: ((await made.json()) as { collectionId: string }).collectionId };
}

async function resultOf<Result>(path: string, init: RequestInit): Promise<{ jobId: string; result: Result }> {
  const accepted = await appliance.owner(path, { ...init, method: 'POST' });
  const { jobId } = (await accepted.json()) as { jobId: string };
  const { result } = await finished(appliance.owner, jobId);
  return { jobId, result: result as Result };
}

afterAll(async () => {
  await appliance.close();
});

/** Calls that generated requests can bring to success: whatever they name exists, and asking does not remove it. */
function canSucceed({ method, path, operation }: Call): boolean {
  if (NAMES_AN_OPERATION.has(operation.operationId)) return false;
  const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name ?? '');
  return names.every((name) => name in known) && !(method === 'delete' && names.length > 0);
}

async function check(call: Call, inDocument: OpenApiDocument, requestsPerCall: number): Promise<number[]> {
  // Each call begins with a whole quota of requests.
  appliance.clock.advance(61_000);
  const seen = await checkConformance(call, {
    document: inDocument,
    send: (path, init) => fetch(appliance.url + path, init),
    ownerToken: appliance.ownerToken,
    known,
    requestsPerCall,
    seed: SEED,
  });
  expect(seen.size).toBeGreaterThan(0);
  return [...seen.keys()];
}

function named(calls: readonly Call[]) {
  return calls.map((call) => [`${call.method.toUpperCase()} ${call.path}`, call] as const);
}

describe('the running server does what the document says, asked with valid requests and with junk', () => {
  test.each(named(callsOf(document)))('%s', async (_, call) => {
    const statuses = await check(call, document, REQUESTS_PER_CALL);
    const succeeded = statuses.some((status) => status < 300);
    expect(succeeded || !canSucceed(call), `No request succeeded: ${statuses.join(', ')}`).toBe(true);
  });
});

describe('and what the document of the owner says', () => {
  const calls = callsOf(ownerDocument).filter(({ operation }) => !NOT_ASKED.has(operation.operationId));
  test('leaves out only calls that exist', () => {
    expect(calls).toHaveLength(callsOf(ownerDocument).length - NOT_ASKED.size);
  });

  test.each(named(calls))('%s', async (_, call) => {
    const statuses = await check(call, ownerDocument, REQUESTS_PER_OWNER_CALL);
    const mayFail = call.operation.parameters !== undefined || '404' in call.operation.responses;
    if (call.method === 'get' && !mayFail) expect(statuses).toContain(200);
  });
});
