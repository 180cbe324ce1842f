import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Job } from '../../../src-server/features/jobs/schema.ts';
import type { Problem } from '../../../src-server/platform/http/problem.ts';
import { type Appliance, startAppliance } from '../../harness/appliance.ts';
import { finished } from '../../harness/jobs.ts';
import { postJson } from '../../harness/text-models.ts';
import { startTextServer, type TextServer } from '../../harness/text-server.ts';
import { until } from '../../harness/until.ts';

let server: TextServer;
let appliance: Appliance;
beforeAll(async () => {
  server = await startTextServer();
  appliance = await startAppliance({ knownTextServers: [server.url], textServerKey: 'sk-secret' });
});
afterAll(async () => {
  await appliance.close();
  await server[Symbol.asyncDispose]();
});

const ask = (body: object, init: RequestInit = {}) =>
  appliance.owner('/v1/generate/text', { ...postJson(body), ...init });

async function newestJob(): Promise<Job> {
  const { jobs } = (await (await appliance.owner('/v1/jobs?limit=1')).json()) as { jobs: Job[] };
  return jobs[0] as Job;
}

/** Reads a stream of events up to the first of this name, and leaves it open. */
async function untilEvent(answer: Response, name: string): Promise<void> {
  const decoder = new TextDecoder();
  let text = '';
  const reader = answer.body?.getReader();
  while (!text.includes(`event: ${name}\n`)) {
    const { value, done } = (await reader?.read()) ?? { done: true };
    if (done) throw new Error(`The stream ended without the event ${name}: ${text}`);
    text += decoder.decode(value, { stream: true });
  }
}

describe('a text server of this machine', () => {
  test('is found where such servers listen, and answers with its own usage', async () => {
    const answer = await ask({ prompt: 'one two three' });
    expect(answer.status).toBe(200);
    expect(await answer.json()).toMatchObject({
      result: {
        content: 'one two three',
        model: 'echo',
        finishReason: 'stop',
        usage: { promptTokens: 3, completionTokens: 3, totalTokens: 6 },
      },
    });
  });

  test('gets the key only where the owner named it, and no answer shows the key', async () => {
    expect(server.keys.every((key) => key === undefined)).toBe(true);
    const settings = { ...postJson({ textServerUrl: `${server.url}/v1/` }), method: 'PATCH' };
    const changed = await appliance.owner('/admin/settings', settings);
    expect(changed.status).toBe(200);
    expect(await changed.text()).not.toContain('sk-secret');
    await ask({ prompt: 'again' });
    expect(server.keys.at(-1)).toBe('Bearer sk-secret');
  });

  test('that fails, fails the job with a sentence and without its own words', async () => {
    const answer = await ask({ prompt: 'break now' });
    expect(answer.status).toBe(500);
    const problem = (await answer.json()) as Problem;
    expect(problem.code).toBe('engine_failed');
    expect(JSON.stringify(problem)).not.toContain('secret detail');
  });

  test('is left at once by a client that hangs up, whose job ends as cancelled', async () => {
    const gone = new AbortController();
    const waiting = appliance.owner('/v1/generate/text?stream=true', {
      ...postJson({ prompt: 'hold this' }),
      signal: gone.signal,
    });
    await untilEvent(await waiting, 'token');
    gone.abort();
    await server.abandoned;
    const job = await finished(appliance.owner, (await newestJob()).jobId);
    expect(job.error?.code).toBe('cancelled');
  });

  test('keeps the answer that there is when a client asks for it again and hangs up', async () => {
    const first = (await (await ask({ prompt: 'once and again' })).json()) as Pick<Job, 'jobId' | 'result'>;
    const stored = async () => (await (await appliance.owner(`/v1/jobs/${first.jobId}`)).json()) as Job;
    const { updatedAt } = await stored();
    // A quick machine does all that follows within a millisecond.
    appliance.clock.advance(1);
    const gone = new AbortController();
    const again = await appliance.owner('/v1/generate/text?stream=true', {
      ...postJson({ prompt: 'once and again' }),
      signal: gone.signal,
    });
    await untilEvent(again, 'token');
    expect(await stored()).toMatchObject({ status: 'processing' });
    gone.abort();
    const job = await finished(appliance.owner, first.jobId);
    expect(job).toMatchObject({ status: 'completed', result: first.result });
    expect(job.error).toBeUndefined();
    expect(job.updatedAt > updatedAt).toBe(true);
    // The owner keeps it.
    expect(job.expiresAt).toBeNull();
  });

  test('has a queue that ends: who comes beyond it is told 429 and when to come back', async () => {
    // As many as the production plan lets one account have under way.
    const held = Array.from({ length: 30 }, (_, index) => ask({ prompt: `hold ${index}` }));
    await until(async () => (await statuses()).filter((status) => status === 'processing').length === 30);
    const refused = await ask({ prompt: 'one too many' });
    expect(refused.status).toBe(429);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    server.release();
    for (const answer of await Promise.all(held)) expect(answer.status).toBe(200);
    expect((await ask({ prompt: 'room again' })).status).toBe(200);
  });
});

async function statuses(): Promise<string[]> {
  const { jobs } = (await (await appliance.owner('/v1/jobs')).json()) as { jobs: Job[] };
  return jobs.map(({ status }) => status);
}
