import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Problem } from '../../../src-server/platform/http/problem.ts';
import { type Appliance, startAppliance } from '../../harness/appliance.ts';
import { postJson } from '../../harness/text-models.ts';

let appliance: Appliance;
beforeAll(async () => {
  appliance = await startAppliance();
});
afterAll(() => appliance.close());

async function refused(body: unknown): Promise<Problem> {
  const answer = await appliance.owner('/v1/generate/audio', postJson(body));
  expect(answer.headers.get('content-type')).toBe('application/problem+json');
  const { jobs } = (await (await appliance.owner('/v1/jobs')).json()) as { jobs: unknown[] };
  expect(jobs).toEqual([]);
  return (await answer.json()) as Problem;
}

describe('POST /generate/audio refuses with a field and a reason, and makes no job', () => {
  test.each([
    ['no prompt', {}, 'prompt'],
    ['an empty prompt', { prompt: '' }, 'prompt'],
    ['a prompt of signs only', { prompt: '… !!! \u0000' }, 'prompt'],
    ['a prompt of 1 MB', { prompt: 'word '.repeat(200_000) }, 'prompt'],
    ['half a surrogate pair', { prompt: 'x \ud800 y' }, 'prompt'],
    ['a prompt that no voice can say', { prompt: 'Καλημέρα κόσμε.' }, 'prompt'],
    ['a durationSeconds of 301', { prompt: 'x', durationSeconds: 301 }, 'durationSeconds'],
    ['a durationSeconds of 0', { prompt: 'x', durationSeconds: 0 }, 'durationSeconds'],
    ['a durationSeconds of -1', { prompt: 'x', durationSeconds: -1 }, 'durationSeconds'],
    ['a durationSeconds of 1.5', { prompt: 'x', durationSeconds: 1.5 }, 'durationSeconds'],
    ['a tempo of 0', { prompt: 'x', tempo: 0 }, 'tempo'],
    ['a tempo of 1,000', { prompt: 'x', tempo: 1000 }, 'tempo'],
    ['an unknown voice', { prompt: 'x', voice: 'hal' }, 'voice'],
    ['a voice that is a path', { prompt: 'x', voice: '../clara' }, 'voice'],
    ['an unknown loudness', { prompt: 'x', loudness: 'loud' }, 'loudness'],
    ['a plain-text webhookUrl', { prompt: 'x', webhookUrl: 'call me' }, 'webhookUrl'],
  ])('%s', async (_what, body, path) => {
    const problem = await refused(body);
    expect(problem).toMatchObject({ status: 400, code: 'invalid_request' });
    expect(problem.errors?.map((error) => error.path)).toContain(path);
  });

  test('an unknown voice with those there are', async () => {
    const problem = await refused({ prompt: 'x', voice: 'hal' });
    expect(problem.detail).toMatch(/clara.*pixel/);
  });
});

test('POST /generate/audio answers 402 without payment, at the price of the list', async () => {
  const answer = await appliance.anonymous('/v1/generate/audio', postJson({ prompt: 'x' }));
  expect(answer.status).toBe(402);
  const { accepts } = (await answer.json()) as { accepts: object[] };
  expect(accepts[0]).toMatchObject({ maxAmountRequired: '150000', maxTimeoutSeconds: 180 });
});
