import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Appliance, type Client, startAppliance } from '../harness/appliance.ts';
import { startApplianceProcess } from '../harness/appliance-process.ts';
import { entryOf, newCustomer, paid } from '../harness/wallets.ts';

let appliance: Appliance;

beforeAll(async () => {
  appliance = await startAppliance();
});

afterAll(() => appliance.close());

const text = (words: string) => ({ file: `data:text/plain;base64,${Buffer.from(words).toString('base64')}` });

async function send(client: Client, path: string, body: object, key: string, headers: Record<string, string> = {}) {
  const all = { 'content-type': 'application/json', 'idempotency-key': key, ...headers };
  const answer = await client(path, { method: 'POST', headers: all, body: JSON.stringify(body) });
  const replayed = answer.headers.get('idempotency-replayed');
  return { status: answer.status, replayed, body: (await answer.json()) as Record<string, unknown> };
}

test('the same key and request give the same job for a day, another request is refused', async () => {
  const first = await send(appliance.owner, '/v1/extract/doc', text('Noon.'), 'a');
  const again = await send(appliance.owner, '/v1/extract/doc', text('Noon.'), '"a"');
  expect([first.status, first.replayed, again.status, again.replayed]).toEqual([202, null, 202, 'true']);
  expect(again.body.jobId).toBe(first.body.jobId);
  const others = await Promise.all([
    send(appliance.owner, '/v1/extract/doc', text('Midnight.'), 'a'),
    send(appliance.owner, '/v1/extract/doc', text('Noon.'), 'a', { 'quarry-tags': 'other' }),
    send(appliance.owner, '/v1/search', { query: 'noon' }, 'a'),
  ]);
  for (const { status, body } of others) expect([status, body.code]).toEqual([422, 'idempotency_key_reused']);
  expect((await send(appliance.owner, '/v1/extract/doc', text('Noon.'), 'x'.repeat(256))).status).toBe(400);

  const found = await send(appliance.owner, '/v1/search', { query: 'noon' }, 'b');
  const foundAgain = await send(appliance.owner, '/v1/search', { query: 'noon' }, 'b');
  expect([found.status, foundAgain.status, foundAgain.replayed]).toEqual([200, 200, 'true']);
  expect(foundAgain.body).toEqual(found.body);

  appliance.clock.advance(24 * 3_600_000 + 1);
  const nextDay = await send(appliance.owner, '/v1/extract/doc', text('Midnight.'), 'a');
  expect([nextDay.status, nextDay.replayed]).toEqual([202, null]);
});

test('requests at once with one key make one job', async () => {
  const sent = Array.from({ length: 8 }, () => send(appliance.owner, '/v1/extract/doc', text('At once.'), 'c'));
  const answers = await Promise.all(sent);
  for (const { status } of answers) expect([202, 409]).toContain(status);
  const ids = answers.flatMap(({ body }) => (typeof body.jobId === 'string' ? [body.jobId] : []));
  expect(new Set(ids).size).toBe(1);
});

test('a payer who signs another proof for the same key is not charged again', async () => {
  const customer = await newCustomer(appliance);
  const entry = await entryOf(appliance, 'generate/audio');
  const order = async () => {
    const { headers } = paid({}, await customer.proofOf(entry));
    return send(appliance.anonymous, '/v1/generate/audio', { prompt: 'Noon.' }, 'd', headers as Record<string, string>);
  };
  const [first, again] = [await order(), await order()];
  expect([first.status, first.replayed, again.status, again.replayed]).toEqual([202, null, 202, 'true']);
  expect(again.body.jobId).toBe(first.body.jobId);
  const payments = await (await appliance.owner('/admin/payments')).json();
  expect((payments as { payments: unknown[] }).payments).toHaveLength(1);
  const stranger = await send(appliance.owner, '/v1/generate/audio', { prompt: 'Noon.' }, 'd');
  expect([stranger.status, stranger.replayed]).toEqual([202, null]);
});

test('after a kill the key and its job exist together or not at all', async () => {
  await using process = await startApplianceProcess();
  const order = (words: string) => send(process.owner, '/v1/extract/doc', text(words), words, { prefer: 'wait=0' });
  const known = await order('before');
  const lost = ['one', 'two', 'three'].map((words) => order(words).catch(() => null));
  await process.kill('SIGKILL');
  await Promise.all(lost);
  await process.restart();
  const again = await order('before');
  expect([again.body.jobId, again.replayed]).toEqual([known.body.jobId, 'true']);
  await Promise.all(['one', 'two', 'three'].map((words) => order(words)));
  await Promise.all(['one', 'two', 'three'].map((words) => order(words)));
  const { jobs } = (await (await process.owner('/v1/jobs')).json()) as { jobs: unknown[] };
  expect(jobs).toHaveLength(4);
});
