/** Days of the library are those of who asks: around midnight, and when the clock is put back in Auckland. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { ItemCounts } from '../../../src-server/features/library/schema.ts';
import { type Appliance, startAppliance } from '../../harness/appliance.ts';
import { fileForm, finished } from '../../harness/jobs.ts';
import { postJson } from '../../harness/text-models.ts';

/** In Auckland the clock is put back on 4 April 2027 at 14:00 UTC of the day before. */
const ADDED = [
  '2027-03-31T10:59:00.000Z',
  '2027-03-31T11:01:00.000Z',
  '2027-04-04T11:30:00.000Z',
  '2027-04-04T12:30:00.000Z',
  '2027-04-05T06:59:00.000Z',
  '2027-04-05T07:01:00.000Z',
];

let appliance: Appliance;
beforeAll(async () => {
  appliance = await startAppliance();
  appliance.clock.stand();
  for (const [index, time] of ADDED.entries()) {
    appliance.clock.advance(Date.parse(time) - appliance.clock.now());
    const body = fileForm(`# Tide ${index}\n\nThe tide of day ${index}.`, `tide-${index}.md`);
    const answer = await appliance.owner('/v1/extract/doc', { method: 'POST', body });
    await finished(appliance.owner, ((await answer.json()) as { jobId: string }).jobId);
  }
});
afterAll(() => appliance.close());

async function counts(timeZone: string): Promise<Pick<ItemCounts, 'days' | 'months'>> {
  const { days, months } = await read<ItemCounts>(`/v1/library/counts?timeZone=${timeZone}`);
  return { days, months };
}

const read = async <Value>(path: string) => (await (await appliance.owner(path)).json()) as Value;

const totalOf = async (query: string) => (await read<{ total: number }>(`/v1/library/items?${query}`)).total;

const counted = (values: Record<string, number>) =>
  Object.entries(values)
    .sort()
    .reverse()
    .map(([value, count]) => ({ value, count }));

test('counts by day and month are those of the time zone', async () => {
  expect(await counts('Pacific/Auckland')).toEqual({
    days: counted({ '2027-03-31': 1, '2027-04-01': 1, '2027-04-04': 1, '2027-04-05': 3 }),
    months: counted({ '2027-03': 1, '2027-04': 5 }),
  });
  expect(await counts('America/Los_Angeles')).toEqual({
    days: counted({ '2027-03-31': 2, '2027-04-04': 3, '2027-04-05': 1 }),
    months: counted({ '2027-03': 2, '2027-04': 4 }),
  });
  expect(await counts('UTC')).toEqual({
    days: counted({ '2027-03-31': 2, '2027-04-04': 2, '2027-04-05': 2 }),
    months: counted({ '2027-03': 2, '2027-04': 4 }),
  });
});

test('a filter by day leaves the items of that day of the time zone', async () => {
  expect(await totalOf('from=2027-04-05&to=2027-04-05&timeZone=Pacific/Auckland')).toBe(3);
  expect(await totalOf('from=2027-04-04&to=2027-04-04&timeZone=America/Los_Angeles')).toBe(3);
  expect(await totalOf('from=2027-04-04&to=2027-04-04')).toBe(2);
  expect(await totalOf('to=2027-03-31&timeZone=Pacific/Auckland')).toBe(1);
});

test('a smart collection keeps the time zone of its days', async () => {
  const filter = { from: '2027-04-05', to: '2027-04-05', timeZone: 'Pacific/Auckland' };
  const answer = await appliance.owner('/v1/library/collections', postJson({ name: 'The fifth', filter }));
  const { collectionId } = (await answer.json()) as { collectionId: string };
  expect(await totalOf(`collection=${collectionId}`)).toBe(3);
});

test('a time zone that there is not is refused, and the field named', async () => {
  const paths = ['/v1/library/counts', '/admin/activity', '/admin/payments/summary', '/admin/limits'];
  for (const path of paths) {
    const answer = await appliance.owner(`${path}?timeZone=Mars/Olympus`);
    expect([answer.status, await answer.json()]).toMatchObject([400, { errors: [{ path: 'timeZone' }] }]);
  }
});

test('a refused request counts for today until the midnight of the asker', async () => {
  // 07:01 UTC: midnight in Los Angeles was a minute ago, that of Auckland nineteen hours.
  for (let sent = 0; sent < 602; sent += 1) await appliance.anonymous('/v1/jobs/unknown');
  appliance.clock.advance(6 * 3_600_000);
  interface Limits {
    lastHour: { accounts: { refusedToday: number }[] };
  }
  const refused = async (timeZone: string) =>
    (await read<Limits>(`/admin/limits?timeZone=${timeZone}`)).lastHour.accounts[0]?.refusedToday;
  expect(await refused('America/Los_Angeles')).toBe(2);
  expect(await refused('Pacific/Auckland')).toBe(0);
});
