import { getLlama, type LlamaModel } from 'node-llama-cpp';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Job } from '../../../src-server/features/jobs/schema.ts';
import type { Problem } from '../../../src-server/platform/http/problem.ts';
import type { Appliance } from '../../harness/appliance.ts';
import { readEvents } from '../../harness/events.ts';
import { finished } from '../../harness/jobs.ts';
import { postJson, startWithTinyModel, TINY_MODEL, TINY_MODEL_PATH } from '../../harness/text-models.ts';

interface Answer {
  jobId: string;
  result: {
    content: string;
    model: string;
    finishReason: string;
    usage: { promptTokens: number; completionTokens: number; totalTokens: number };
  };
}

/** What llama2.c publishes as this model's greedy sample. */
const PUBLISHED =
  ', there was a little girl named Lily. She loved to play outside in the park. One day, she saw a big, red ball.';
const GREEDY = { prompt: 'Once upon a time', temperature: 0, maxTokens: 60 };

let appliance: Appliance;
let tokenizer: LlamaModel;
beforeAll(async () => {
  appliance = await startWithTinyModel();
  const llama = await getLlama({ gpu: false, build: 'never', skipDownload: true, progressLogs: false });
  tokenizer = await llama.loadModel({ modelPath: TINY_MODEL_PATH, vocabOnly: true });
});
afterAll(async () => {
  await appliance.close();
  await tokenizer.dispose();
});

async function write(body: object): Promise<Answer> {
  const answer = await appliance.owner('/v1/generate/text', postJson(body));
  expect(answer.status).toBe(200);
  return (await answer.json()) as Answer;
}

describe('POST /generate/text', () => {
  test('writes at temperature 0 what the model’s makers publish as its sample, the same each time', async () => {
    const first = await write(GREEDY);
    expect(first.result.content.startsWith(PUBLISHED)).toBe(true);
    expect(first.result.model).toBe(TINY_MODEL);
    expect(await write(GREEDY)).toEqual(first);
  });

  test.each([
    ['Once upon', ' a time, there was'],
    ['Once up', 'set, there was'],
    ['Once upon a time,', ' there was a little girl'],
    ['Once upon a time, there was a little girl named', ' Lily. She loved'],
  ])('continues “%s” with the blank that belongs there', async (prompt, next) => {
    const request = { prompt, raw: true, temperature: 0, maxTokens: 24 };
    const { result } = await write(request);
    expect(result.content.slice(0, next.length)).toBe(next);
    const events = await readEvents(await appliance.owner('/v1/generate/text?stream=true', postJson(request)));
    const pieces = events.filter(({ event }) => event === 'token');
    expect(pieces.map(({ data }) => (JSON.parse(data) as { text: string }).text).join('')).toBe(result.content);
  });

  test('counts tokens as the model’s own tokenizer does, and honours maxTokens', async () => {
    const { result } = await write({ ...GREEDY, maxTokens: 17 });
    expect(result.usage.promptTokens).toBe(tokenizer.tokenize(GREEDY.prompt).length);
    expect(result.usage).toEqual({
      promptTokens: result.usage.promptTokens,
      completionTokens: 17,
      totalTokens: result.usage.promptTokens + 17,
    });
    expect(result.finishReason).toBe('length');
  });

  test('has one job per request, under which the answer can be read again', async () => {
    const first = await write(GREEDY);
    expect(first.jobId).toMatch(/^txt_[A-Za-z0-9_-]{22,}$/);
    expect((await write({ ...GREEDY, model: TINY_MODEL, maxTokens: 8 })).jobId).not.toBe(first.jobId);
    const job = (await (await appliance.owner(`/v1/jobs/${first.jobId}`)).json()) as Job;
    expect(job).toMatchObject({ status: 'completed', jobType: 'generate/text', result: first.result });
  });

  test('never writes past the model’s context, and says that this ended it', async () => {
    const { result } = await write({ prompt: 'Once', temperature: 0, maxTokens: 5000 });
    expect(result.usage.totalTokens).toBeLessThan(512);
    expect(result.finishReason).toBe('length');
  });

  test('writes other texts for the same words when temperature asks for it', async () => {
    const request = { prompt: 'Once upon a time', temperature: 1, maxTokens: 40 };
    const contents = new Set<string>();
    for (let count = 0; count < 4; count += 1) contents.add((await write(request)).result.content);
    expect(contents.size).toBeGreaterThan(1);
  });
});

describe('POST /generate/text?stream=true', () => {
  test('sends the pieces of the very text that it ends with', async () => {
    const answer = await appliance.owner('/v1/generate/text?stream=true', postJson(GREEDY));
    expect(answer.headers.get('content-type')).toContain('text/event-stream');
    const events = await readEvents(answer);
    const tokens = events.filter(({ event }) => event === 'token');
    const [done] = events.filter(({ event }) => event === 'done');
    const whole = JSON.parse(done?.data ?? '') as Answer;
    expect(events[0]?.event).toBe('accepted');
    expect(JSON.parse(events[0]?.data ?? '')).toEqual({
      jobId: whole.jobId,
      statusUrl: `${appliance.baseUrl}/jobs/${whole.jobId}`,
    });
    expect(tokens.length).toBeGreaterThan(20);
    expect(tokens.map(({ data }) => (JSON.parse(data) as { text: string }).text).join('')).toBe(whole.result.content);
    expect(events.at(-1)).toBe(done);
    expect(whole).toEqual(await write(GREEDY));
  });

  test('stops writing when the client goes away, and leaves the model to the next', async () => {
    const gone = new AbortController();
    const request = { prompt: 'The dog', temperature: 0.9, maxTokens: 500 };
    const answer = await appliance.owner('/v1/generate/text?stream=true', {
      ...postJson(request),
      signal: gone.signal,
    });
    await answer.body?.getReader().read();
    gone.abort();
    const [latest] = ((await (await appliance.owner('/v1/jobs?limit=1')).json()) as { jobs: Job[] }).jobs;
    const job = await finished(appliance.owner, latest?.jobId ?? '');
    expect(['cancelled', undefined]).toContain(job.error?.code);
    expect((await write(GREEDY)).result.content.startsWith(PUBLISHED)).toBe(true);
  });

  test('refuses before the stream begins, with a problem', async () => {
    const answer = await appliance.owner('/v1/generate/text?stream=true', postJson({ prompt: 'x', model: 'none' }));
    expect(answer.status).toBe(400);
    expect(((await answer.json()) as Problem).errors?.[0]?.path).toBe('model');
  });
});
