/** A secret that receivers cannot read is refused where it is registered, by the name of its field. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Appliance, startAppliance } from '../harness/appliance.ts';
import { postJson } from '../harness/text-models.ts';

const BROKEN = ['whsec_!!!', 'whsec_', 'whsec_A', 'whsec_test_secret', 'whsec_TWF5=', 'whsec_MfKQ 9r8G'];
const GOOD = ['whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw', 'whsec_AQI', 'any text', 'a whsec_!!! inside'];
const HOOK = { url: 'https://receiver.example/hook', events: ['failed'] };

let appliance: Appliance;
let jobId: string;
let webhookId: string;

beforeAll(async () => {
  appliance = await startAppliance();
  const headers = { 'content-type': 'application/json', prefer: 'wait=60' };
  const registered = await appliance.owner('/v1/webhooks', { ...postJson(HOOK), headers });
  const job = (await registered.json()) as { jobId: string; result: { webhook: { webhookId: string } } };
  ({ jobId } = job);
  ({ webhookId } = job.result.webhook);
});
afterAll(() => appliance.close());

const PLACES: Record<string, (secret: string) => Promise<Response>> = {
  'POST /webhooks': (secret) => appliance.owner('/v1/webhooks', postJson({ ...HOOK, url: `${HOOK.url}/more`, secret })),
  'POST /jobs/{jobId}/webhooks': (secret) =>
    appliance.owner(`/v1/jobs/${jobId}/webhooks`, postJson({ ...HOOK, secret })),
  'PATCH /webhooks/{webhookId}': (secret) =>
    appliance.owner(`/v1/webhooks/${webhookId}`, { ...postJson({ secret, secretOverlapSeconds: 0 }), method: 'PATCH' }),
  'POST /admin/inboxes': (secret) => appliance.owner('/admin/inboxes', postJson({ secret })),
};

test.each(Object.entries(PLACES))('%s', async (_place, register) => {
  for (const secret of BROKEN) {
    const refused = await register(secret);
    expect([refused.status, await refused.json()], secret).toMatchObject([
      400,
      { code: 'invalid_request', errors: [{ path: 'secret', message: expect.stringContaining('base64') }] },
    ]);
  }
  for (const secret of GOOD) expect((await register(secret)).ok, secret).toBe(true);
});
