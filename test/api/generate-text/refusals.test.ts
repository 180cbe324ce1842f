import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Problem } from '../../../src-server/platform/http/problem.ts';
import { type Appliance, startAppliance } from '../../harness/appliance.ts';
import { postJson, startWithTinyModel, TINY_MODEL } from '../../harness/text-models.ts';

let appliance: Appliance;
beforeAll(async () => {
  appliance = await startWithTinyModel();
});
afterAll(() => appliance.close());

async function refused(body: unknown): Promise<Problem> {
  const answer = await appliance.owner('/v1/generate/text', postJson(body));
  expect(answer.headers.get('content-type')).toBe('application/problem+json');
  const { jobs } = (await (await appliance.owner('/v1/jobs')).json()) as { jobs: unknown[] };
  expect(jobs).toEqual([]);
  return (await answer.json()) as Problem;
}

describe('POST /generate/text refuses with a field and a reason, and makes no job', () => {
  test.each([
    ['no prompt', {}, 'prompt'],
    ['an empty prompt', { prompt: '' }, 'prompt'],
    ['a prompt of blanks', { prompt: ' \n\t' }, 'prompt'],
    ['a prompt of 1 MB', { prompt: 'word '.repeat(200_000) }, 'prompt'],
    ['a NUL character', { prompt: 'The\u0000 cat' }, 'prompt'],
    ['half a surrogate pair', { prompt: 'x \ud800 y' }, 'prompt'],
    ['a prompt beyond the model’s context', { prompt: 'word '.repeat(2000) }, 'prompt'],
    ['a temperature of 1.1', { prompt: 'x', temperature: 1.1 }, 'temperature'],
    ['a temperature of -0.1', { prompt: 'x', temperature: -0.1 }, 'temperature'],
    ['a maxTokens of 0', { prompt: 'x', maxTokens: 0 }, 'maxTokens'],
    ['a maxTokens of 1.5', { prompt: 'x', maxTokens: 1.5 }, 'maxTokens'],
    ['an unknown model', { prompt: 'x', model: 'gpt-17' }, 'model'],
    ['a model that is a path', { prompt: 'x', model: '../../etc/passwd' }, 'model'],
  ])('%s', async (_what, body, path) => {
    const problem = await refused(body);
    expect(problem).toMatchObject({ status: 400, code: 'invalid_request' });
    expect(problem.errors?.map((error) => error.path)).toContain(path);
  });

  test('the limit of the model’s context by number, and an unknown model with those there are', async () => {
    expect((await refused({ prompt: 'word '.repeat(2000) })).detail).toMatch(
      /Tokens of the prompt: 6001; .* at most 510\b/,
    );
    expect((await refused({ prompt: 'x', model: 'gpt-17' })).detail).toContain(TINY_MODEL);
  });

  test('a parameter of the query given twice, of which one would be dropped', async () => {
    const answer = await appliance.owner('/v1/generate/text?stream=true&stream=false', postJson({ prompt: 'x' }));
    expect(answer.status).toBe(400);
    const errors = [{ path: 'stream', message: 'Give this parameter once.' }];
    expect((await answer.json()) as Problem).toMatchObject({ errors });
  });

  test('a stream parameter that is neither true nor false', async () => {
    const answer = await appliance.owner('/v1/generate/text?stream=maybe', postJson({ prompt: 'x' }));
    expect(((await answer.json()) as Problem).errors?.[0]?.path).toBe('stream');
  });
});

describe('POST /generate/text takes', () => {
  test.each([
    ['control characters', 'The\u0001 cat\u0007 sat'],
    ['mixed scripts', 'Привет 世界 مرحبا 👩‍👩‍👧'],
  ])('%s in a prompt', async (_what, prompt) => {
    const answer = await appliance.owner('/v1/generate/text', postJson({ prompt, maxTokens: 4, temperature: 0 }));
    expect(answer.status).toBe(200);
  });
});

describe('POST /generate/text', () => {
  test('answers 402 without payment, at the price of the list', async () => {
    const answer = await appliance.anonymous('/v1/generate/text', postJson({ prompt: 'x' }));
    expect(answer.status).toBe(402);
    expect(((await answer.json()) as { accepts: object[] }).accepts[0]).toMatchObject({
      maxAmountRequired: '10000',
      maxTimeoutSeconds: 60,
      resource: 'POST /generate/text',
    });
  });

  test('answers 503 with the way out where no text model is installed', async () => {
    await using bare = await startAppliance({ knownTextServers: [] });
    const answer = await bare.owner('/v1/generate/text', postJson({ prompt: 'x' }));
    expect(answer.status).toBe(503);
    const problem = (await answer.json()) as Problem;
    expect(problem.code).toBe('model_not_installed');
    expect(problem.detail).toContain('Models page');
  });
});
