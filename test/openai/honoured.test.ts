/** What the stock client asks for is done or refused by its name. */
import { createReadStream } from 'node:fs';
import { copyFile, cp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import OpenAI from 'openai';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Appliance } from '../harness/appliance.ts';
import { CLIPS, ONNX_MODEL } from '../harness/speech.ts';
import { loaded, startWithTinyModel, TINY_MODEL, TINY_MODEL_PATH } from '../harness/text-models.ts';
import { startTextServer } from '../harness/text-server.ts';

const EMBEDDER = 'stories-embed';
const STORY = { model: TINY_MODEL, max_tokens: 40, temperature: 0 } as const;

let appliance: Appliance;
let client: OpenAI;
beforeAll(async () => {
  appliance = await startWithTinyModel();
  const speech = join(import.meta.dirname, '../fixtures/models', ONNX_MODEL);
  await cp(speech, join(appliance.dataDir, 'models', ONNX_MODEL), { recursive: true });
  client = new OpenAI({ baseURL: `${appliance.url}/openai/v1`, apiKey: appliance.ownerToken, maxRetries: 0 });
});
afterAll(() => appliance.close());

const say = async (change: object, content = 'Once upon a time') => {
  const answer = await client.chat.completions.create({ ...STORY, messages: [{ role: 'user', content }], ...change });
  return answer.choices[0] as (typeof answer.choices)[number];
};

test('embeddings are the same in both encodings, of length 1, counted, and near for the same text', async () => {
  const path = join(appliance.dataDir, 'models', `${EMBEDDER}.gguf`);
  const input = ['The tide turns at noon.', 'Bread is baked before dawn.', 'The tide turns at noon.'];
  await expect(client.embeddings.create({ model: 'auto', input })).rejects.toMatchObject({
    status: 503,
    code: 'model_not_installed',
    message: expect.stringContaining('Models page'),
  });
  await copyFile(TINY_MODEL_PATH, path);
  const floats = await loaded(appliance, () =>
    client.embeddings.create({ model: EMBEDDER, input, encoding_format: 'float' }),
  );
  const packed = await client.embeddings.create({ model: 'text-embedding-3-small', input: input[0] as string });
  expect(floats.model).toBe(EMBEDDER);
  const [first, second, third] = floats.data.map(({ embedding }) => embedding);
  expect(first).toEqual(third);
  expect(first).not.toEqual(second);
  expect(Math.hypot(...(first as number[]))).toBeCloseTo(1, 5);
  expect(packed.data[0]?.embedding.map((value) => value.toFixed(5))).toEqual(first?.map((value) => value.toFixed(5)));
  expect(floats.usage.total_tokens).toBeGreaterThan(2 * packed.usage.prompt_tokens);
  const length = first?.length as number;
  expect((await client.embeddings.create({ model: EMBEDDER, input, dimensions: length })).data).toHaveLength(3);
  const refused = [
    { change: { dimensions: length + 1 }, param: 'dimensions' },
    { change: { input: [[1, 2, 3]] }, param: 'input.0' },
    { change: { input: [] }, param: 'input' },
    { change: { model: TINY_MODEL }, param: 'model' },
    { change: { modality: 'image' }, param: 'modality' },
    { change: { input: ['short', 'tide '.repeat(4000)] }, param: 'input.1' },
  ];
  for (const { change, param } of refused) {
    const asked = client.embeddings.create({ model: EMBEDDER, input, ...(change as object) });
    await expect(asked, param).rejects.toMatchObject({ status: 400, param });
  }
  await rm(path);
});

test('a text ends before a stop text, also in a stream', async () => {
  const whole = (await say({})).message.content as string;
  const stop = ['never in a story', 'outside'];
  const short = await say({ stop });
  expect(whole.startsWith(short.message.content as string)).toBe(true);
  expect(whole.slice(short.message.content?.length)).toMatch(/^\s*outside/);
  expect(short.finish_reason).toBe('stop');
  const messages = [{ role: 'user' as const, content: 'Once upon a time' }];
  let text = '';
  for await (const { choices } of await client.chat.completions.create({ ...STORY, messages, stop, stream: true })) {
    text += choices[0]?.delta.content ?? '';
  }
  expect(text).toBe(short.message.content);
  await expect(say({ stop: ['1', '2', '3', '4', '5'] })).rejects.toMatchObject({ status: 400, param: 'stop' });
});

test('a seed repeats a text, and top_p narrows it', async () => {
  const warm = { temperature: 1, max_tokens: 24 };
  const texts = await Promise.all([7, 7, 8].map((seed) => say({ ...warm, seed })));
  const [one, again, other] = texts.map(({ message }) => message.content);
  expect(one).toBe(again);
  expect(one).not.toBe(other);
  // Only the likeliest token is left, as at temperature 0.
  const narrow = await say({ ...warm, seed: 7, top_p: 0.000_001 });
  expect(narrow.message.content).toBe((await say({ max_tokens: 24 })).message.content);
  const signed = await Promise.all([1, 2].map(() => say({ ...warm, seed: -7 })));
  expect(signed[0]?.message.content).toBe(signed[1]?.message.content);
  // What llama.cpp reads as any seed.
  const marks = await Promise.all([-1, -1, 4_294_967_295].map((seed) => say({ ...warm, seed })));
  expect(new Set(marks.map(({ message }) => message.content)).size).toBe(1);
});

test('JSON by a schema, and the keywords that neither a grammar nor a check holds', async () => {
  const schema = {
    type: 'object',
    properties: {
      name: { type: 'string', maxLength: 8 },
      mood: { enum: ['glad', 'sad'] },
      age: { anyOf: [{ type: 'integer' }, { type: 'null' }] },
      pet: { $ref: '#/$defs/pet' },
    },
    required: ['name', 'mood', 'age', 'pet'],
    additionalProperties: false,
    $defs: { pet: { type: 'object', properties: { tame: { type: 'boolean' } } } },
  };
  const format = (one: object) => ({ type: 'json_schema', json_schema: { name: 'child', strict: true, schema: one } });
  const { message, finish_reason: reason } = await say({ response_format: format(schema), max_tokens: 300 });
  expect(reason).toBe('stop');
  const child = JSON.parse(message.content as string) as { name: string; age: unknown };
  expect(child).toMatchObject({ mood: expect.stringMatching(/^(glad|sad)$/), pet: { tame: expect.any(Boolean) } });
  expect(child.name.length).toBeLessThanOrEqual(8);
  expect(child.age === null || Number.isInteger(child.age)).toBe(true);
  const loose = await say({ response_format: { type: 'json_object' }, max_tokens: 12 });
  expect(loose.message.content).toMatch(/^\s*\{/);
  const at = 'response_format.json_schema.schema';
  const refused = [
    {
      one: { type: 'object', properties: { a: { type: 'string', pattern: '(x' } } },
      param: `${at}.properties.a.pattern`,
    },
    { one: { type: 'array', contains: { type: 'string' } }, param: `${at}.contains` },
    { one: { type: 'integer', minimum: 3, exclusiveMaximum: 3 }, param: `${at}.maximum` },
    { one: { $ref: 'https://harbour.example/s.json' }, param: `${at}.$ref` },
    { one: { type: 'array', minItems: 1_000_000 }, param: `${at}.minItems` },
  ];
  for (const { one, param } of refused) {
    await expect(say({ response_format: format(one) }), param).rejects.toMatchObject({ status: 400, param });
  }
});

test('the older completions continue a prompt, whole and in pieces', { tags: ['long'] }, async () => {
  const request = { ...STORY, prompt: 'Once upon a time' };
  const { choices, usage, object } = await client.completions.create(request);
  expect(object).toBe('text_completion');
  expect(choices[0]?.text).toContain('there was a little girl named Lily');
  expect(usage?.completion_tokens).toBe(40);
  let text = '';
  for await (const part of await client.completions.create({ ...request, stream: true })) text += part.choices[0]?.text;
  expect(text).toBe(choices[0]?.text);
  const begun = await client.completions.create({ ...request, prompt: 'Once upon' });
  expect(begun.choices[0]?.text).toMatch(/^ a time, there was/);
  const refused = client.completions.create({ ...request, prompt: 'Once\0upon' });
  await expect(refused).rejects.toMatchObject({ status: 400, param: 'prompt' });
  for (const change of [{ echo: true }, { suffix: 'end' }, { best_of: 2 }, { prompt: ['a', 'b'] }]) {
    const param = Object.keys(change)[0];
    const asked = client.completions.create({ ...request, ...change });
    await expect(asked, param).rejects.toMatchObject({ status: 400, param });
  }
});

test('another text server gets the same fields', { tags: ['long'] }, async () => {
  await using server = await startTextServer(() => ({ mood: 'glad' }));
  const settings = { method: 'PATCH', headers: { 'content-type': 'application/json' } };
  const set = (textServerUrl: string | null) =>
    appliance.owner('/admin/settings', { ...settings, body: JSON.stringify({ textServerUrl }) });
  expect((await set(server.url)).status).toBe(200);
  const schema = { type: 'object', properties: { mood: { type: 'string' } } };
  const format = { type: 'json_schema', json_schema: { name: 'answer', schema } };
  const extra = { model: 'echo', top_p: 0.5, seed: 3, stop: '###' };
  expect((await say({ ...extra, response_format: format })).message.content).toBe('{"mood":"glad"}');
  expect(server.bodies.at(-1)).toMatchObject({ top_p: 0.5, seed: 3, stop: ['###'], response_format: format });
  const raw = await client.completions.create({ model: 'echo', prompt: 'Once more' });
  expect(raw.choices[0]?.text).toBe('Once more');
  expect(server.bodies.at(-1)).toMatchObject({ prompt: 'Once more' });
  await expect(say({ ...extra, response_format: { type: 'json_object' } })).rejects.toMatchObject({
    status: 500,
    code: 'engine_failed',
  });
  expect((await set(null)).status).toBe(200);
});

test('what a client sends along is refused by its name, unless it changes nothing', async () => {
  const neutral = { user: 'me', store: false, metadata: { a: 'b' }, tools: [], tool_choice: 'none', logit_bias: {} };
  expect((await say({ ...neutral, max_tokens: 2 })).finish_reason).toBe('length');
  const hints = {
    top_k: 4,
    reasoning_effort: 'high',
    logprobs: true,
    top_logprobs: 2,
    presence_penalty: 1,
    user: 'me',
  };
  const messages = [{ role: 'user' as const, content: 'Once', name: 'Ann' }];
  const asked = client.chat.completions.create({ ...STORY, messages, max_tokens: 2, ...(hints as object) });
  const { response } = await asked.withResponse();
  const named = response.headers.get('x-ignored-fields')?.split(', ').sort();
  expect(named).toEqual([...Object.keys(hints), 'messages.name'].sort());
  for (const change of [{ functions: [{ name: 'f' }] }, { web_search_options: { a: 1 } }]) {
    await expect(say(change)).rejects.toMatchObject({ status: 400, param: Object.keys(change)[0] });
  }
});

test('a recording: the prompt gives terms, and a translation needs a model that translates', {
  tags: ['long'],
}, async () => {
  const file = () => createReadStream(join(CLIPS, '02-fox.wav'));
  const model = 'whisper-1';
  const heard = await client.audio.transcriptions.create({ file: file(), model, prompt: 'fox, dog', temperature: 0 });
  expect(heard.text).toContain('fox');
  const hints = { prompt: `A long sentence ${'of a story '.repeat(9)}`, temperature: 0.4 };
  const hinted = await client.audio.transcriptions.create({ file: file(), model, ...hints }).withResponse();
  expect(hinted.response.headers.get('x-ignored-fields')).toBe('temperature, prompt');
  const refused = [{ change: { stream: true }, param: 'stream' }];
  for (const { change, param } of refused) {
    const asked = client.audio.transcriptions.create({ file: file(), model, ...(change as object) });
    await expect(asked, param).rejects.toMatchObject({ status: 400, param });
  }
  const asked = client.audio.translations.create({ file: file(), model });
  await expect(asked).rejects.toMatchObject({
    status: 400,
    param: 'model',
    message: expect.stringContaining('translate'),
  });
});
