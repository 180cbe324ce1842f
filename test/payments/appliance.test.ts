/** The whole appliance, paid with nothing but HTTP. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Appliance, startAppliance } from '../harness/appliance.ts';
import { until } from '../harness/until.ts';
import { decode } from './proofs.ts';

const TEXT = `data:text/plain;base64,${Buffer.from('Hello from a paid document.').toString('base64')}`;

let appliance: Appliance;
beforeAll(async () => {
  appliance = await startAppliance();
});
afterAll(async () => {
  await appliance.close();
});

interface Challenge {
  accepts: [Record<string, unknown>];
  error: string | null;
}

const json = (body: unknown, headers: Record<string, string> = {}): RequestInit => ({
  method: 'POST',
  headers: { 'content-type': 'application/json', ...headers },
  body: JSON.stringify(body),
});
const payFor = async (body: unknown) => {
  const unpaid = await appliance.anonymous('/v1/extract/doc', json(body));
  expect(unpaid.status).toBe(402);
  const [entry] = ((await unpaid.json()) as Challenge).accepts;
  const paid = await appliance.anonymous('/facilitator/pay', json(entry));
  return ((await paid.json()) as { payload: string }).payload;
};
const ledger = async () => {
  const response = await appliance.owner('/admin/payments');
  return ((await response.json()) as { payments: Payment[] }).payments;
};

interface Payment {
  jobId: string | null;
  status: string;
  payer: string;
  settledAt: string | null;
}

/** `2026-11-29`: the day of a time where a clock shows that zone. */
const dayIn = (timeZone: string, iso: string) => new Date(iso).toLocaleDateString('en-CA', { timeZone });

test('challenge, demo wallet, X-PAYMENT, 202, completed: the documented flow, and its line in the ledger', async () => {
  const body = { file: TEXT, sourceName: 'flow' };
  const payment = await payFor(body);
  const accepted = await appliance.anonymous('/v1/extract/doc', json(body, { 'X-PAYMENT': payment }));
  expect(accepted.status).toBe(202);
  expect(decode(accepted.headers.get('x-payment-response'))).toMatchObject({ success: true, network: 'base-sepolia' });
  const { jobId, statusUrl } = (await accepted.json()) as { jobId: string; statusUrl: string };
  await until(async () => ((await (await fetch(statusUrl)).json()) as { status: string }).status === 'completed');
  expect(await ledger()).toContainEqual(expect.objectContaining({ jobId, status: 'settled' }));

  const again = await appliance.anonymous('/v1/extract/doc', json(body, { 'X-PAYMENT': payment }));
  expect(((await again.json()) as { jobId: string }).jobId).toBe(jobId);
  const other = await appliance.anonymous(
    '/v1/extract/doc',
    json({ ...body, sourceName: 'other' }, { 'X-PAYMENT': payment }),
  );
  expect(other.status).toBe(402);
  expect(((await other.json()) as Challenge).error).toBe('duplicate_settlement');
});

test('a request that is refused is not charged: the same proof pays the corrected one', async () => {
  const payment = await payFor({ file: TEXT });
  const before = await ledger();
  const wrong = await appliance.anonymous('/v1/extract/doc', json({ fiel: TEXT }, { 'X-PAYMENT': payment }));
  expect(wrong.status).toBe(400);
  expect(await ledger()).toEqual(before);
  const body = { file: TEXT, sourceName: 'corrected' };
  expect((await appliance.anonymous('/v1/extract/doc', json(body, { 'X-PAYMENT': payment }))).status).toBe(202);
});

test('multipart pays too, with another boundary at each try', async () => {
  const form = () => {
    const fields = new FormData();
    fields.set('file', new Blob(['A text in parts.'], { type: 'text/plain' }), 'parts.txt');
    return fields;
  };
  const payment = await payFor({ file: TEXT });
  const send = () =>
    appliance.anonymous('/v1/extract/doc', { method: 'POST', headers: { 'X-PAYMENT': payment }, body: form() });
  const [first, second] = [await send(), await send()];
  expect([first.status, second.status]).toEqual([202, 202]);
  expect(((await first.json()) as { jobId: string }).jobId).toBe(((await second.json()) as { jobId: string }).jobId);
});

test('a hundred requests at once with one proof make one job', async () => {
  const body = { file: TEXT, sourceName: 'hundred' };
  const payment = await payFor(body);
  const before = (await ledger()).length;
  const answers = await Promise.all(
    Array.from({ length: 100 }, async () => {
      const response = await appliance.anonymous('/v1/extract/doc', json(body, { 'X-PAYMENT': payment }));
      return { status: response.status, jobId: ((await response.json()) as { jobId: string }).jobId };
    }),
  );
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([202]));
  expect(new Set(answers.map(({ jobId }) => jobId)).size).toBe(1);
  expect((await ledger()).length).toBe(before + 1);
});

test('what was paid survives a new start: the same proof gives the same job', async () => {
  const body = { file: TEXT, sourceName: 'restart' };
  const payment = await payFor(body);
  const first = await appliance.anonymous('/v1/extract/doc', json(body, { 'X-PAYMENT': payment }));
  const { jobId } = (await first.json()) as { jobId: string };
  await appliance.restart();
  const again = await appliance.anonymous('/v1/extract/doc', json(body, { 'X-PAYMENT': payment }));
  expect(((await again.json()) as { jobId: string }).jobId).toBe(jobId);
});

test('activity counts what ended and what was earned, by hour, and not the own searches and cancelled jobs', async () => {
  type Activity = {
    buckets: {
      from: string;
      completed: number;
      failed: number;
      byOperation: object[];
      earned: { play: string; real: string };
    }[];
  };
  const read = async (path: string) => (await appliance.owner(path)).json();
  const activity = (range: string) => read(`/admin/activity?range=${range}`) as Promise<Activity>;
  const ended = ({ buckets }: Activity) => buckets.reduce((sum, one) => sum + one.completed + one.failed, 0);
  const all = (await read('/admin/jobs?limit=200')) as { jobs: { status: string }[] };
  await until(async () => ended(await activity('day')) === all.jobs.length);
  const before = await activity('day');
  const broken = json({ file: 'data:application/pdf;base64,JVBERi0xLjQK' }, { prefer: 'wait=30' });
  expect(await (await appliance.owner('/v1/extract/doc', broken)).json()).toMatchObject({ status: 'failed' });
  expect((await appliance.owner('/v1/search', json({ query: 'paid' }))).status).toBe(200);
  const day = await activity('day');
  expect(day.buckets).toHaveLength(24);
  expect(day.buckets.at(-1)?.failed).toBe((before.buckets.at(-1)?.failed ?? 0) + 1);
  expect(ended(day)).toBe(ended(before) + 1);
  // What was counted stays where it was, while the clock goes on to another bucket.
  appliance.clock.advance(2 * 3_600_000);
  const later = await activity('day');
  expect(later.buckets.at(-3)).toEqual(day.buckets.at(-1));
  expect(later.buckets.at(-1)).toMatchObject({ completed: 0, failed: 0, byOperation: [], earned: { play: '0' } });
  const month = await activity('month');
  expect(month.buckets).toHaveLength(30);
  expect(ended(month)).toBe(ended(day));
  // Days begin at the midnight of the asker, and nothing is counted twice or lost.
  const away = (await read('/admin/activity?range=month&timeZone=Asia/Tokyo')) as Activity;
  expect(new Set(away.buckets.map(({ from }) => from.slice('2026-03-01'.length)))).toEqual(new Set(['T15:00:00.000Z']));
  expect(ended(away)).toBe(ended(month));
  for (const timeZone of ['Pacific/Auckland', 'America/Los_Angeles', 'Asia/Kathmandu']) {
    const sums = (await read(`/admin/payments/summary?money=play&timeZone=${timeZone}`)) as {
      byDay: { day: string; payments: number }[];
    };
    const settled = (await ledger()).filter(({ status }) => status === 'settled');
    const days = settled.map(({ settledAt }) => dayIn(timeZone, settledAt ?? ''));
    expect(sums.byDay.map(({ day, payments }) => [day, payments])).toEqual(
      [...new Set(days)].sort().map((day) => [day, days.filter((one) => one === day).length]),
    );
    expect(ended((await read(`/admin/activity?timeZone=${timeZone}`)) as Activity)).toBe(ended(month));
  }
  const paid = (await ledger()).filter(({ status }) => status === 'settled');
  const sum = (money: 'play' | 'real') => month.buckets.reduce((all, { earned }) => all + Number(earned[money]), 0);
  expect([sum('play'), sum('real')]).toEqual([paid.length * 140_000, 0]);
  // Each payer has the total of its payments in the list of accounts.
  const { accounts } = (await read('/admin/accounts?limit=200')) as { accounts: { accountId: string; paid: object }[] };
  const [payment] = paid;
  const own = paid.filter(({ payer }) => payer === payment?.payer).length;
  const account = accounts.find(({ accountId }) => accountId === payment?.payer);
  expect(account?.paid).toEqual({ play: String(own * 140_000), real: '0' });
  expect(await read('/admin/payments/summary?money=real')).toMatchObject({ kinds: ['play'], total: { payments: 0 } });
});
