import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { deriveOpenApi } from '../../src-server/http/openapi.ts';
import { FREE_ROUTES } from '../../src-server/http/openapi-free-routes.ts';
import { type Call, callsOf } from '../../src-server/http/openapi-lookup.ts';
import { OPERATIONS } from '../../src-server/operations/registry.ts';
import { type Appliance, startAppliance } from '../harness/appliance.ts';
import { checkConformance } from '../harness/conformance.ts';
import { wordDocument } from '../harness/documents.ts';
import { fileForm, finished } from '../harness/jobs.ts';

const REQUESTS_PER_CALL = 60;
/** Fixed, so that a failure can be seen again. */
const SEED = 8402;

const document = deriveOpenApi(OPERATIONS, FREE_ROUTES, { version: '0.1.0', origin: 'http://127.0.0.1:8402' });

let appliance: Appliance;
let jobId: string;
let fileName: string;

beforeAll(async () => {
  appliance = await startAppliance();
  const accepted = await appliance.owner('/v1/extract/doc', {
    method: 'POST',
    body: fileForm(wordDocument(['The text of a document.']), 'a.docx'),
  });
  jobId = ((await accepted.json()) as { jobId: string }).jobId;
  const { result } = await finished(appliance.owner, jobId);
  fileName = (result as { files: { name: string }[] }).files[0]?.name ?? '';
});

afterAll(async () => {
  await appliance.close();
});

const known = () => ({ jobId, name: fileName });

/** Calls that generated requests can bring to success: whatever they name exists, and asking does not remove it. */
function canSucceed({ method, path }: Call): boolean {
  const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name ?? '');
  return names.every((name) => name in known()) && !(method === 'delete' && names.length > 0);
}

describe('the running server does what the document says, asked with valid requests and with junk', () => {
  const calls = callsOf(document).map((call) => [`${call.method.toUpperCase()} ${call.path}`, call] as const);
  test.each(calls)('%s', async (_, call) => {
    const seen = await checkConformance(call, {
      document,
      send: (path, init) => fetch(appliance.url + path, init),
      ownerToken: appliance.ownerToken,
      known: known(),
      requestsPerCall: REQUESTS_PER_CALL,
      seed: SEED,
    });
    const statuses = [...seen.keys()];
    expect(statuses.length).toBeGreaterThan(0);
    if (canSucceed(call))
      expect(
        statuses.some((status) => status < 300),
        String(statuses),
      ).toBe(true);
  });
});
