/** Issue 9, network edge 4. */
import { expect, test } from 'vitest';
import { startAppliance } from '../harness/appliance.ts';
import { getFrom } from '../harness/raw-client.ts';

const SOURCES = ['127.0.0.1', '127.0.0.2', '127.1.2.3', '127.255.255.254'];
const PER_MINUTE = 6;

test('requests from rotating loopback addresses count for one account', async () => {
  await using appliance = await startAppliance();
  const body = JSON.stringify({ plan: 'enterprise', requestsPerMinute: PER_MINUTE, concurrency: 1 });
  const headers = { 'content-type': 'application/json' };
  await appliance.owner('/admin/accounts/ip:127.0.0.1/plan', { method: 'PUT', headers, body });
  const statuses: number[] = [];
  for (let index = 0; index < 2 * PER_MINUTE; index += 1) {
    statuses.push(await getFrom(SOURCES[index % SOURCES.length] as string, `${appliance.baseUrl}/voices`));
  }
  expect(statuses).toEqual([...Array(PER_MINUTE).fill(200), ...Array(PER_MINUTE).fill(429)]);
});
