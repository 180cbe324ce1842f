/** A stranger with a jobId cannot take the webhook places of the job's account. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Appliance, type Client, startAppliance } from '../harness/appliance.ts';
import { postJson } from '../harness/text-models.ts';

/** Never called: it asks for the failure of a job that completes. */
const HOOK = 'https://receiver.example/hook';
const PLACES = 20;

let appliance: Appliance;
beforeAll(async () => {
  appliance = await startAppliance();
});
afterAll(() => appliance.close());

async function jobOfTheOwner(): Promise<string> {
  const body = { file: `data:text/plain;base64,${Buffer.from('A job.').toString('base64')}` };
  const headers = { 'content-type': 'application/json', prefer: 'wait=60' };
  const answer = await appliance.owner('/v1/extract/doc', { ...postJson(body), headers });
  return ((await answer.json()) as { jobId: string }).jobId;
}

async function statuses(client: Client, jobId: string, name: string, times: number): Promise<number[]> {
  const seen: number[] = [];
  for (let index = 0; index < times; index += 1) {
    const body = { url: `${HOOK}/${name}/${index}`, events: ['failed'] };
    seen.push((await client(`/v1/jobs/${jobId}/webhooks`, postJson(body))).status);
  }
  return seen;
}

test('a stranger fills its own places; the account of the job has all of its own', async () => {
  const jobId = await jobOfTheOwner();
  const taken = Array.from({ length: PLACES }, () => 202);
  expect(await statuses(appliance.anonymous, jobId, 'stranger', PLACES + 1)).toEqual([...taken, 409]);
  expect(await statuses(appliance.owner, jobId, 'owner', PLACES + 1)).toEqual([...taken, 409]);
});
