import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Job } from '../../src-server/features/jobs/schema.ts';
import type { PaymentChallenge } from '../../src-server/features/payments/schema.ts';
import { type Appliance, startAppliance } from '../harness/appliance.ts';
import { readEvents } from '../harness/events.ts';
import { finished } from '../harness/jobs.ts';
import { type SteeredOperations, steeredOperations } from '../harness/sample-operations.ts';
import { until } from '../harness/until.ts';
import { authorizationFor, type Entry, header, newWallet, sign } from '../payments/proofs.ts';

let steered: SteeredOperations;
let appliance: Appliance;
beforeEach(async () => {
  steered = steeredOperations();
  appliance = await startAppliance({ operations: steered.operations });
});
afterEach(() => appliance.close());

const echo = (label: string, query = '', init: RequestInit = {}) =>
  appliance.owner(`/v1/test/echo${query}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ label }),
    ...init,
  });

interface Answer {
  jobId: string;
  result: { label: string; attempt: number };
}

describe('an operation that answers at once', () => {
  test('answers 200 with its result, and the same result can be read as a job later', async () => {
    const answer = await echo('hello there');
    expect(answer.status).toBe(200);
    const { jobId, result } = (await answer.json()) as Answer;
    expect(jobId).toMatch(/^txt_/);
    const job = (await (await appliance.anonymous(`/v1/jobs/${jobId}`)).json()) as Job;
    expect(job).toMatchObject({ status: 'completed', jobType: 'test/echo', result });
  });

  test('has the same jobId for the same request, whose answer the newest run replaces', async () => {
    const first = (await (await echo('again')).json()) as Answer;
    const second = (await (await echo('again')).json()) as Answer;
    const other = (await (await echo('other')).json()) as Answer;
    expect(second.jobId).toBe(first.jobId);
    expect(other.jobId).not.toBe(first.jobId);
    expect(second.result.attempt).toBe(2);
    expect(await finished(appliance.owner, first.jobId)).toMatchObject({ result: { attempt: 2 } });
  });

  test('streams what it says, then the whole answer', async () => {
    const answer = await echo('one two', '?stream=true');
    expect(answer.headers.get('content-type')).toContain('text/event-stream');
    const events = await readEvents(answer);
    expect(events.map(({ event }) => event)).toEqual(['accepted', 'token', 'token', 'done']);
    const { jobId } = JSON.parse(events.at(-1)?.data ?? '') as Answer;
    expect(JSON.parse(events.at(-1)?.data ?? '')).toMatchObject({
      result: { label: 'one two' },
      jobId: expect.stringMatching(/^txt_/),
    });
    expect(JSON.parse(events[0]?.data ?? '')).toEqual({ jobId, statusUrl: `${appliance.baseUrl}/jobs/${jobId}` });
  });

  test('answers a failure with its problem, in a stream as an event', async () => {
    const answer = await echo('fail');
    expect(answer.status).toBe(503);
    expect(answer.headers.get('retry-after')).not.toBeNull();
    expect(await answer.json()).toMatchObject({ code: 'model_not_installed', detail: 'Install the model first.' });
    const events = await readEvents(await echo('fail', '?stream=true'));
    expect(events.map(({ event }) => event)).toEqual(['accepted', 'token', 'error']);
    const { jobId } = JSON.parse(events[0]?.data ?? '') as Answer;
    expect(await finished(appliance.owner, jobId)).toMatchObject({ jobId, status: 'failed' });
    expect((await echo('x', '?stream=maybe')).status).toBe(400);
  });

  test('stops when the client goes away', async () => {
    const client = new AbortController();
    const pending = echo('hold this', '', { signal: client.signal }).catch(() => null);
    await until(() => steered.runs.length === 1);
    client.abort();
    await pending;
    const list = async () => ((await (await appliance.owner('/v1/jobs')).json()) as { jobs: Job[] }).jobs;
    await until(async () => (await list())[0]?.status === 'failed');
    expect((await list())[0]).toMatchObject({ error: { code: 'cancelled' } });
  });

  test('finishes what was paid for though the payer is cut off, whose proof then brings it', async () => {
    const wallet = newWallet();
    const post = { method: 'POST', headers: { 'content-type': 'application/json' } };
    const body = JSON.stringify({ address: wallet.address, amount: 1_000_000 });
    expect((await appliance.anonymous('/facilitator/faucet', { ...post, body })).status).toBe(200);
    const request = { ...post, body: JSON.stringify({ label: 'hold paid' }) };
    const challenge = (await (await appliance.anonymous('/v1/test/echo', request)).json()) as PaymentChallenge;
    const entry = challenge.accepts[0] as Entry;
    const proof = await sign(wallet, entry, authorizationFor(entry, wallet.address, appliance.clock.now()));
    const paid = { ...request, headers: { ...request.headers, 'x-payment': header(proof) } };
    const client = new AbortController();
    const cut = appliance.anonymous('/v1/test/echo', { ...paid, signal: client.signal }).catch(() => null);
    await until(() => steered.runs.length === 1);
    client.abort();
    await cut;
    // Long enough for the server to hear of it.
    await new Promise((resolve) => setTimeout(resolve, 300));
    const again = appliance.anonymous('/v1/test/echo', paid);
    steered.release('hold paid');
    const answer = await again;
    expect(answer.status).toBe(200);
    expect(await answer.json()).toMatchObject({ result: { label: 'hold paid', attempt: 1 } });
    expect(steered.runs).toHaveLength(1);
  });

  test('makes the same answer once when it is asked twice at the same time', async () => {
    const first = echo('hold both');
    await until(() => steered.runs.length === 1);
    // As a stream, which begins when the server waits for the answer on its behalf.
    const second = await echo('hold both', '?stream=true');
    steered.release('hold both');
    const answer = (await (await first).json()) as Answer;
    expect((await readEvents(second)).map(({ event, data }) => [event, JSON.parse(data)])).toEqual([
      ['accepted', { jobId: answer.jobId, statusUrl: `${appliance.baseUrl}/jobs/${answer.jobId}` }],
      ['done', answer],
    ]);
    expect(steered.runs).toHaveLength(1);
  });
});
