import { afterAll, beforeAll, expect, test } from 'vitest';
import { OPERATIONS } from '../../src-server/features.ts';
import { type Appliance, startAppliance } from '../harness/appliance.ts';

let appliance: Appliance;

beforeAll(async () => {
  appliance = await startAppliance();
});

afterAll(() => appliance.close());

const json = (body: object) => ({
  method: 'POST',
  headers: { 'content-type': 'application/json', prefer: 'wait=30' },
  body: JSON.stringify(body),
});

async function keyWith(scope: string): Promise<string> {
  const made = await appliance.owner('/admin/keys', json({ name: `Metrics ${scope}`, scopes: [scope] }));
  return ((await made.json()) as { key: string }).key;
}

test('a key with the scope read gets the figures in the format of Prometheus, others are refused', async () => {
  const file = `data:text/plain;base64,${Buffer.from('Noon.').toString('base64')}`;
  await appliance.owner('/v1/extract/doc', json({ file }));
  const [reader, runner] = [await keyWith('read'), await keyWith('run')];
  const scrape = (token: string) => appliance.anonymous('/metrics', { headers: { authorization: `Bearer ${token}` } });
  expect((await appliance.anonymous('/metrics')).status).toBe(401);
  expect((await scrape(runner)).status).toBe(403);
  const answer = await scrape(reader);
  expect([answer.status, answer.headers.get('content-type')]).toEqual([
    200,
    expect.stringMatching(/^text\/plain; ver/),
  ]);
  const text = await answer.text();
  for (const line of [
    'quarry_jobs{environment="production",status="queued"} 0',
    'quarry_jobs_ended_total{environment="production",operation="extract/doc",status="completed"} 1',
    'quarry_job_duration_seconds_count{environment="production",operation="extract/doc",status="completed"} 1',
    'quarry_job_wait_seconds_count{environment="production",operation="extract/doc"} 1',
    'quarry_deliveries{environment="staging",status="pending"} 0',
    'quarry_worker_threads{state="busy"} 0',
  ]) {
    expect(text.split('\n')).toContain(line);
  }
  expect(text).toMatch(/^quarry_disk_bytes\{kind="free"\} \d/m);
  expect(text).toMatch(/^nodejs_eventloop_lag_seconds \d/m);
  await appliance.restart();
  const later = await (await scrape(reader)).text();
  expect(later).toMatch(/^quarry_jobs_ended_total\{.*operation="extract\/doc",status="completed"\} 1$/m);
});

test('llms.txt names every operation with its price, and the guides', async () => {
  const answer = await appliance.anonymous('/llms.txt');
  expect([answer.status, answer.headers.get('content-type')]).toEqual([200, expect.stringMatching(/^text\/plain/)]);
  const text = await answer.text();
  expect(text).toMatch(/^# Quarry\n\n> /);
  for (const { id } of OPERATIONS) expect(text).toContain(`- [POST /v1/${id}](${appliance.url}/openapi.json): `);
  expect(text).toContain('(0.14 USDC)');
  expect(text).toContain(`${appliance.url}/reference/guides/jobs)`);
});
