/**
 * A stranger who knows the id of one large document cannot keep the threads busy by having it chunked again for free:
 * the work of a minute is bounded by bytes. The owner is not limited.
 */
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Job } from '../../src-server/features/jobs/schema.ts';
import { type Appliance, startAppliance } from '../harness/appliance.ts';
import { fileForm, finished } from '../harness/jobs.ts';

const LINE = 'The harbour was dredged in spring, and two piers were rebuilt before the autumn storms. ';

let appliance: Appliance;
beforeAll(async () => {
  appliance = await startAppliance();
});
afterAll(() => appliance.close());

test('free chunking of a large document is bounded for each caller', async () => {
  const text = `${LINE.repeat(20)}\n\n`.repeat(Math.ceil(7_000_000 / (LINE.length * 20)));
  const body = fileForm(Buffer.from(text), 'long.txt');
  const accepted = (await (await appliance.owner('/v1/extract/doc', { method: 'POST', body })).json()) as Job;
  const job = await finished(appliance.owner, accepted.jobId);
  expect(job.status).toBe('completed');
  const again = (caller: typeof appliance.owner) =>
    caller(`/v1/jobs/${job.jobId}/chunks`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ segmentLength: 2000 }),
    });
  const statuses: number[] = [];
  for (let call = 0; call < 5; call += 1) {
    const answer = await again(appliance.anonymous);
    statuses.push(answer.status);
    if (answer.status === 429) expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
    await answer.body?.cancel();
  }
  expect(statuses).toEqual([200, 200, 200, 200, 429]);
  const owner = await again(appliance.owner);
  expect(owner.status).toBe(200);
  await owner.body?.cancel();
  appliance.clock.advance(61_000);
  const later = await again(appliance.anonymous);
  expect(later.status).toBe(200);
  await later.body?.cancel();
});
