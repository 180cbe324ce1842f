import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Job } from '../../src-server/features/jobs/schema.ts';
import { DAY_MS, HOUR_MS } from '../../src-server/platform/units.ts';
import { type Appliance, startAppliance } from '../harness/appliance.ts';
import { readEvents } from '../harness/events.ts';
import { finished } from '../harness/jobs.ts';
import { type SteeredOperations, steeredOperations } from '../harness/sample-operations.ts';
import { until } from '../harness/until.ts';

let steered: SteeredOperations;
let appliance: Appliance;
beforeEach(async () => {
  steered = steeredOperations();
  appliance = await startAppliance({ operations: steered.operations });
});
afterEach(() => appliance.close());

async function submit(operation: string, label: string, more: Record<string, string> = {}): Promise<Job> {
  const { prefer, ...fields } = more;
  const answer = await appliance.owner(`/v1/test/${operation}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...(prefer ? { prefer } : {}) },
    body: JSON.stringify({ label, ...fields }),
  });
  expect(answer.status).toBe(202);
  return (await answer.json()) as Job;
}

const read = async (jobId: string) => (await (await appliance.owner(`/v1/jobs/${jobId}`)).json()) as Job;

describe('a job', () => {
  test('goes from queued through processing to completed, and says so at each step', async () => {
    const accepted = await submit('held', 'a');
    expect(accepted).toMatchObject({ status: expect.stringMatching(/queued|processing/) });
    await until(async () => (await read(accepted.jobId)).progress.stage === 'holding');
    expect(await read(accepted.jobId)).toMatchObject({ status: 'processing', result: null, progress: { percent: 10 } });
    steered.release('a');
    const job = await finished(appliance.owner, accepted.jobId);
    expect(job).toMatchObject({ status: 'completed', result: { label: 'a', attempt: 1 }, progress: { percent: 100 } });
    expect(Date.parse(job.expiresAt ?? '') - Date.parse(job.updatedAt)).toBe(72 * HOUR_MS);
  });

  test('that fails in a way a retry can mend is tried three times, with a pause before each', async () => {
    const accepted = await submit('patient', 'b');
    for (const [attempt, pauseMs] of [
      [1, HOUR_MS],
      [2, 2 * HOUR_MS],
    ] as const) {
      await until(async () => (await read(accepted.jobId)).progress.message.startsWith(`Attempt ${attempt} failed`));
      expect(await read(accepted.jobId)).toMatchObject({ status: 'queued' });
      appliance.clock.advance(pauseMs);
    }
    expect(await finished(appliance.owner, accepted.jobId)).toMatchObject({
      status: 'completed',
      result: { attempt: 3 },
    });
    expect(steered.runs).toEqual(['b', 'b', 'b']);
  });

  test('that waits to be tried again does not wait for hours because the clock was set back by hours', async () => {
    const accepted = await submit('patient', 'back');
    const failed = (attempt: number) => async () =>
      (await read(accepted.jobId)).progress.message.startsWith(`Attempt ${attempt} failed`);
    await until(failed(1));
    appliance.clock.advance(-3 * HOUR_MS);
    await until(failed(2));
    appliance.clock.advance(2 * HOUR_MS);
    expect(await finished(appliance.owner, accepted.jobId)).toMatchObject({ status: 'completed' });
  });

  test('that fails unexpectedly tells a stable code and what to do, and nothing of the inside', async () => {
    const job = await finished(appliance.owner, (await submit('broken', 'c')).jobId);
    expect(job).toMatchObject({ status: 'failed', error: { code: 'internal', retryable: true, attempts: 1 } });
    expect(JSON.stringify(job)).not.toMatch(/secret detail|somebody/);
  });

  test('that meets a full disk is tried again, and then says whose disk it is and what to do', async () => {
    const { jobId } = await submit('full', 'g');
    await until(async () => (await read(jobId)).progress.message.includes('The disk is full'));
    appliance.clock.advance(60_000);
    const job = await finished(appliance.owner, jobId);
    expect(job).toMatchObject({ status: 'failed', error: { code: 'internal', retryable: true, attempts: 2 } });
    expect(job.error?.message).toMatch(/^The disk is full: the owner .* must free some space\. Then send/);
    expect(JSON.stringify(job)).not.toMatch(/ENOSPC|somebody/);
  });

  test('can be cancelled while it runs, and be removed after that', async () => {
    const { jobId } = await submit('held', 'd');
    await until(async () => (await read(jobId)).status === 'processing');
    expect((await appliance.owner(`/v1/jobs/${jobId}`, { method: 'DELETE' })).status).toBe(204);
    expect(await read(jobId)).toMatchObject({ status: 'failed', error: { code: 'cancelled', retryable: false } });
    expect((await appliance.owner(`/v1/jobs/${jobId}`, { method: 'DELETE' })).status).toBe(204);
    expect((await appliance.owner(`/v1/jobs/${jobId}`)).status).toBe(404);
  });

  test('is removed where it comes to its own end while it is being cancelled', async () => {
    const { jobId } = await submit('prompt', 'late', { prefer: 'wait=0' });
    await until(() => steered.runs.includes('late'));
    const other = await submit('held', 'beside');
    const removing = appliance.owner(`/v1/jobs/${jobId}`, { method: 'DELETE' });
    // Had it not been told to stop by now, it would have ended before: then it is removed all the same.
    await appliance.owner(`/v1/jobs/${other.jobId}`, { method: 'DELETE' });
    steered.release('late');
    expect((await removing).status).toBe(204);
    // On a machine so slow that its engine was taken for deaf by then, it was cancelled.
    expect([404, 'failed']).toContain((await read(jobId)).status);
  });

  test('is cancelled even when its engine has stopped listening', async () => {
    const { jobId } = await submit('deaf', 'x');
    await until(() => steered.runs.includes('x'));
    expect((await appliance.owner(`/v1/jobs/${jobId}`, { method: 'DELETE' })).status).toBe(204);
    expect(await read(jobId)).toMatchObject({ status: 'failed', error: { code: 'cancelled' } });
  });

  test('is cancelled by its owner or its account, and by nobody else', async () => {
    const { jobId } = await submit('held', 'e');
    expect((await appliance.anonymous(`/v1/jobs/${jobId}`, { method: 'DELETE' })).status).toBe(401);
    expect((await read(jobId)).status).not.toBe('failed');
  });

  test('is held in the 202 for as long as the client prefers', async () => {
    const pending = submit('held', 'f', { prefer: 'wait=30' });
    await until(async () => steered.runs.includes('f'));
    steered.release('f');
    expect(await pending).toMatchObject({ status: 'completed', result: { label: 'f' } });
    expect(await submit('held', 'g', { prefer: 'wait=0' })).not.toHaveProperty('result');
  });

  test('of an operation that answers small requests at once brings its result in the 202', async () => {
    const pending = submit('prompt', 'p');
    await until(() => steered.runs.includes('p'));
    steered.release('p');
    expect(await pending).toMatchObject({ status: 'completed', result: { label: 'p' } });
  });

  test('can be watched: every change is an event, and the stream ends with the terminal one', async () => {
    const { jobId } = await submit('held', 'h');
    const answer = await appliance.anonymous(`/v1/jobs/${jobId}/events`);
    expect(answer.headers.get('cache-control')).toBe('no-store');
    const events = readEvents(answer);
    await until(async () => (await read(jobId)).progress.stage === 'holding');
    steered.release('h');
    const seen = await events;
    const states = seen.map(({ data }) => (JSON.parse(data) as Job).status);
    expect(seen.every(({ event }) => event === 'job')).toBe(true);
    expect(states.at(-1)).toBe('completed');
    expect(states.filter((status) => status === 'completed')).toHaveLength(1);
    const ids = seen.map(({ id }) => Number(id));
    expect(ids).toEqual([...ids].sort((a, b) => a - b));
    const resumed = await appliance.anonymous(`/v1/jobs/${jobId}/events`, {
      headers: { 'last-event-id': seen.at(-1)?.id ?? '' },
    });
    // What a browser's EventSource ends on; an empty stream would have it ask again every few seconds.
    expect({ status: resumed.status, body: await resumed.text() }).toEqual({ status: 204, body: '' });
    const missed = await appliance.anonymous(`/v1/jobs/${jobId}/events`, {
      headers: { 'last-event-id': seen.at(0)?.id ?? '' },
    });
    expect((await readEvents(missed)).map(({ data }) => (JSON.parse(data) as Job).status)).toEqual(['completed']);
  });

  test('says that it waits for a thread, and gives no time left meanwhile', async () => {
    const label = 'without a thread';
    const { jobId } = await submit('held', label);
    await until(async () => (await read(jobId)).progress.percent === 10);
    appliance.clock.advance(HOUR_MS / 2);
    const { status, waitingFor, etaSeconds } = await read(jobId);
    expect({ status, etaSeconds }).toEqual({ status: 'processing', etaSeconds: undefined });
    expect(waitingFor).toMatchObject({ kind: 'thread', title: 'A free thread' });
    steered.release(label);
    await finished(appliance.owner, jobId);
  });

  test('is not said to take hours, or less than nothing, because the clock was put right while it or one before it ran', async () => {
    const { jobId } = await submit('held', 'late');
    await until(async () => (await read(jobId)).progress.stage === 'holding');
    appliance.clock.advance(-3 * HOUR_MS);
    expect(await read(jobId)).toMatchObject({ status: 'processing', etaSeconds: 1 });
    appliance.clock.advance(11 * HOUR_MS);
    steered.release('late');
    await finished(appliance.owner, jobId);
    const { etaSeconds } = await submit('held', 'next');
    expect(etaSeconds).toBeLessThan(HOUR_MS / 1000);
  });

  test('is listed for its account, newest first, in pages that never repeat or skip', async () => {
    const made: string[] = [];
    for (const label of ['1', '2', '3', '4', '5']) made.push((await submit('held', label)).jobId);
    const listed: string[] = [];
    let cursor: string | null = '';
    while (cursor !== null) {
      const query: string = cursor === '' ? '?limit=2' : `?limit=2&cursor=${cursor}`;
      const page = (await (await appliance.owner(`/v1/jobs${query}`)).json()) as {
        jobs: Job[];
        nextCursor: string | null;
      };
      listed.push(...page.jobs.map((job) => job.jobId));
      cursor = page.nextCursor;
    }
    expect(listed).toEqual([...made].reverse());
    expect((await appliance.anonymous('/v1/jobs')).status).toBe(401);
    expect((await appliance.owner('/v1/jobs?limit=0')).status).toBe(400);
    for (const path of ['/v1/jobs?jobType=extract%2Fdocs', '/admin/jobs?jobType=extract%2Fdocs']) {
      const unknown = await appliance.owner(path);
      expect([unknown.status, await unknown.json()]).toMatchObject([400, { errors: [{ path: 'jobType' }] }]);
    }
    const twice = await appliance.owner('/v1/jobs?status=completed&status=failed');
    expect(await twice.json()).toMatchObject({ status: 400, errors: [{ path: 'status' }] });
    expect((await appliance.owner('/v1/contributions?limit=1&limit=2')).status).toBe(400);
  });
});

describe('retention', () => {
  test('removes result and files after 72 hours, answers 410 for 30 days and then 404', async () => {
    const { jobId } = await submit('held', 'old');
    await until(async () => steered.runs.includes('old'));
    steered.release('old');
    await finished(appliance.owner, jobId);
    appliance.clock.advance(72 * HOUR_MS + 1);
    await appliance.restart();
    await until(async () => (await appliance.owner(`/v1/jobs/${jobId}`)).status === 410);
    const problem = await (await appliance.owner(`/v1/jobs/${jobId}`)).json();
    expect(problem).toMatchObject({ code: 'job_expired' });
    appliance.clock.advance(30 * DAY_MS + HOUR_MS);
    await appliance.restart();
    await until(async () => (await appliance.owner(`/v1/jobs/${jobId}`)).status === 404);
  });

  test('goes on where the files of one job cannot be removed, and removes that one once they can', async () => {
    type Ended = { jobId: string; parent: string };
    const ended = async (): Promise<Ended> => {
      const { jobId } = await finished(appliance.owner, (await submit('broken', 'old')).jobId);
      appliance.clock.advance(1);
      return { jobId, parent: join(appliance.dataDir, 'production', 'jobs', jobId.slice(4, 6).toLowerCase()) };
    };
    const pair = [await ended(), await ended()];
    while (pair[0]?.parent === pair[1]?.parent) pair[1] = await ended();
    // The start reads the folders in the order of their names, and comes to the broken one first.
    const [stuck, other] = pair.sort((one, two) => (one.parent < two.parent ? -1 : 1)) as [Ended, Ended];
    // Nothing can be removed below what is no folder.
    await rm(stuck.parent, { recursive: true });
    await writeFile(stuck.parent, '');
    appliance.clock.advance(72 * HOUR_MS + 1);
    await appliance.restart();
    await until(async () => (await appliance.owner(`/v1/jobs/${other.jobId}`)).status === 410);
    expect((await appliance.owner(`/v1/jobs/${stuck.jobId}`)).status).toBe(200);
    await rm(stuck.parent);
    await appliance.restart();
    await until(async () => (await appliance.owner(`/v1/jobs/${stuck.jobId}`)).status === 410);
  });
});

describe('a graceful stop', () => {
  test('takes no more work while it lasts, says so, and lets what is there be read', async () => {
    const { jobId } = await submit('deaf', 'last');
    await until(() => steered.runs.includes('last'));
    // It takes seconds, since what runs does not listen.
    const stopped = appliance.close();
    const refused = async (path: string) => {
      const answer = await appliance.owner(path, { method: 'POST', body: '{}' });
      expect(answer.status).toBe(503);
      expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
      return answer.json();
    };
    expect(await refused('/v1/test/echo')).toMatchObject({ code: 'shutting_down' });
    expect(await refused('/openai/v1/chat/completions')).toMatchObject({ error: { code: 'shutting_down' } });
    for (const method of ['GET', 'HEAD']) {
      expect((await appliance.owner(`/v1/jobs/${jobId}`, { method })).status).toBe(200);
    }
    const ready = await appliance.anonymous('/ready');
    expect([ready.status, await ready.json()]).toMatchObject([503, { checks: { running: { ok: false } } }]);
    await stopped;
  });

  test('gives running jobs back to the queue without spending their attempt', async () => {
    const { jobId } = await submit('held', 'stop');
    await until(async () => steered.runs.length === 1);
    await appliance.restart();
    await until(async () => steered.runs.length === 2);
    steered.release('stop');
    expect(await finished(appliance.owner, jobId)).toMatchObject({ status: 'completed' });
  });
});
