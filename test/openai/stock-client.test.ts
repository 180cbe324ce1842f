import { createReadStream } from 'node:fs';
import { cp, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Hono } from 'hono';
import OpenAI from 'openai';
import type { Logger } from 'pino';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openaiRoutes } from '../../src-server/features/openai/routes.ts';
import type { HttpEnv } from '../../src-server/platform/http/env.ts';
import type { Appliance } from '../harness/appliance.ts';
import { CLIPS, clips, ONNX_MODEL } from '../harness/speech.ts';
import { startWithTinyModel, TINY_MODEL } from '../harness/text-models.ts';

const MODELS = join(import.meta.dirname, '../fixtures/models');
const GREEDY = { model: TINY_MODEL, temperature: 0, max_tokens: 40 } as const;
const PUBLISHED = ', there was a little girl named Lily. She loved to play outside';

let appliance: Appliance;
let client: OpenAI;
beforeAll(async () => {
  appliance = await startWithTinyModel();
  await cp(join(MODELS, ONNX_MODEL), join(appliance.dataDir, 'models', ONNX_MODEL), { recursive: true });
  client = new OpenAI({ baseURL: `${appliance.url}/openai/v1`, apiKey: appliance.ownerToken, maxRetries: 0 });
});
afterAll(() => appliance.close());

describe('the stock client, with another base address', () => {
  test('lists the models that are there', async () => {
    const ids: string[] = [];
    for await (const { id } of client.models.list()) ids.push(id);
    expect(ids).toEqual(expect.arrayContaining([TINY_MODEL, ONNX_MODEL, 'quarry-speech']));
    expect((await client.models.retrieve(TINY_MODEL)).owned_by).toBe('quarry');
    await expect(client.models.retrieve('gpt-17')).rejects.toMatchObject({ status: 404, code: 'model_not_found' });
  });

  test('gets a chat completion with usage and the reason of its end', async () => {
    const messages = [{ role: 'user' as const, content: 'Once upon a time' }];
    const answer = await client.chat.completions.create({ ...GREEDY, messages });
    expect(answer.choices[0]?.message.content).toContain(PUBLISHED);
    expect(answer.choices[0]?.finish_reason).toBe('length');
    expect(answer.usage).toEqual({ prompt_tokens: 4, completion_tokens: 40, total_tokens: 44 });
  });

  test('gets the same text in pieces when it streams, with usage when it asks for it', async () => {
    const messages = [{ role: 'user' as const, content: [{ type: 'text' as const, text: 'Once upon a time' }] }];
    const stream = await client.chat.completions.create({
      ...GREEDY,
      messages,
      stream: true,
      stream_options: { include_usage: true },
    });
    let text = '';
    let pieces = 0;
    let total: number | undefined;
    for await (const { choices, usage } of stream) {
      text += choices[0]?.delta.content ?? '';
      pieces += 1;
      total = usage?.total_tokens ?? total;
    }
    expect(text).toContain(PUBLISHED);
    expect(pieces).toBeGreaterThan(20);
    expect(total).toBe(44);
  });

  test('writes a conversation down as one prompt', async () => {
    const answer = await client.chat.completions.create({
      ...GREEDY,
      messages: [
        { role: 'system', content: 'Tell stories.' },
        { role: 'user', content: 'Hello' },
      ],
    });
    expect(answer.usage?.prompt_tokens).toBeGreaterThan(10);
  });

  test('hears a text spoken as mp3, which its default is, and as wav', async () => {
    const request = { model: 'tts-1', voice: 'alloy', input: 'Hello there.' } as const;
    const mp3 = Buffer.from(await (await client.audio.speech.create(request)).arrayBuffer());
    expect(mp3.subarray(0, 3).toString('latin1')).toBe('ID3');
    const wav = await client.audio.speech.create({ ...request, voice: 'marcus', response_format: 'wav', speed: 1.5 });
    expect(wav.headers.get('content-type')).toBe('audio/wav');
    expect(
      Buffer.from(await wav.arrayBuffer())
        .subarray(0, 4)
        .toString('latin1'),
    ).toBe('RIFF');
  });

  test('has a recording transcribed, as JSON, text and captions', async () => {
    const clip = (await clips()).find(({ file }) => file === '02-fox.wav');
    const file = () => createReadStream(join(CLIPS, '02-fox.wav'));
    const words = (text: string) => text.toLowerCase().match(/[a-z]+/g) ?? [];
    const json = await client.audio.transcriptions.create({ file: file(), model: 'whisper-1' });
    expect(words(json.text)).toEqual(words(clip?.text ?? ''));
    const text = await client.audio.transcriptions.create({ file: file(), model: ONNX_MODEL, response_format: 'text' });
    expect(words(String(text))).toEqual(words(clip?.text ?? ''));
    const vtt = await client.audio.transcriptions.create({ file: file(), model: 'whisper-1', response_format: 'vtt' });
    expect(String(vtt)).toMatch(/^WEBVTT/);
    const timed = await client.audio.transcriptions.create({
      file: file(),
      model: 'whisper-1',
      response_format: 'verbose_json',
      timestamp_granularities: ['segment'],
    });
    expect(timed.segments?.map((segment) => segment.text.trim()).join(' ')).toBe(timed.text);
  });
});

describe('fields that ask for nothing are passed over', () => {
  const authorization = () => `Bearer ${appliance.ownerToken}`;

  test('in speech', async () => {
    const request = { model: 'tts-1', voice: 'alloy', input: 'Hello.' };
    const neutral = { response_format: null, speed: null, stream_format: null } as unknown as object;
    const mp3 = await client.audio.speech.create({ ...request, ...neutral });
    expect(mp3.headers.get('content-type')).toBe('audio/mpeg');
  });

  test('in a transcription, whether it is asked for as JSON or as a form', async () => {
    const clip = await readFile(join(CLIPS, '02-fox.wav'));
    const url = `${appliance.url}/openai/v1/audio/transcriptions`;
    const off = { stream: false, prompt: null, language: null, include: [], temperature: 0 };
    const json = { model: 'whisper-1', response_format: 'verbose_json', timestamp_granularities: ['segment'], ...off };
    const asJson = await fetch(url, {
      method: 'POST',
      headers: { authorization: authorization(), 'content-type': 'application/json' },
      body: JSON.stringify({ ...json, file: `data:audio/wav;base64,${clip.toString('base64')}` }),
    });
    expect(await asJson.json()).toMatchObject({ task: 'transcribe', text: expect.stringContaining('fox') });
    const form = new FormData();
    form.set('file', new Blob([clip]), '02-fox.wav');
    const fields = { model: 'whisper-1', stream: 'False', prompt: '', language: '', response_format: '' };
    for (const [name, value] of Object.entries(fields)) form.set(name, value);
    const asForm = await fetch(url, { method: 'POST', headers: { authorization: authorization() }, body: form });
    expect(await asForm.json()).toEqual({ text: expect.stringContaining('fox') });
  });

  test('but not those that would change the answer', async () => {
    const file = `data:audio/wav;base64,${(await readFile(join(CLIPS, '02-fox.wav'))).toString('base64')}`;
    const asked = { stream: true, known_speaker_names: ['A'], timestamp_granularities: ['letter'] };
    for (const [name, value] of Object.entries(asked)) {
      const answer = await fetch(`${appliance.url}/openai/v1/audio/transcriptions`, {
        method: 'POST',
        headers: { authorization: authorization(), 'content-type': 'application/json' },
        body: JSON.stringify({ file, model: 'whisper-1', [name]: value }),
      });
      const { error } = (await answer.json()) as { error: { param: string } };
      expect([answer.status, error.param.split('.')[0]]).toEqual([400, name]);
    }
  });
});

describe('the stock client is told in its own form', () => {
  const say = (change: object) =>
    client.chat.completions.create({ ...GREEDY, messages: [{ role: 'user', content: 'x' }], ...change });

  test.each([
    ['an unknown model', { model: 'gpt-17' }, 'model'],
    ['a temperature of 2.1', { temperature: 2.1 }, 'temperature'],
    ['two answers at once', { n: 2 }, 'n'],
    ['a tool that is no function', { tools: [{ type: 'custom', custom: { name: 'f' } }] }, 'tools.0.type'],
    ['no messages', { messages: [] }, 'messages'],
    [
      'a picture',
      { messages: [{ role: 'user', content: [{ type: 'image_url', image_url: { url: 'data:image/png;base64,' } }] }] },
      'messages.0.content.0.type',
    ],
    ['no content', { messages: [{ role: 'user', content: null }] }, 'messages.0.content'],
  ])('%s', async (_what, change, param) => {
    await expect(say(change)).rejects.toMatchObject({ status: 400, param, type: 'invalid_request_error' });
  });

  test('an address and a method that are not there', async () => {
    const moderation = client.moderations.create({ input: 'y' });
    await expect(moderation).rejects.toMatchObject({
      status: 404,
      code: 'not_found',
      message: expect.stringContaining('chat/completions'),
    });
    const removal = client.models.delete(TINY_MODEL);
    await expect(removal).rejects.toMatchObject({
      status: 405,
      code: 'method_not_allowed',
      message: expect.stringContaining('GET, HEAD'),
    });
  });

  test('a refused field by the name that it was sent under', async () => {
    await expect(say({ max_tokens: 0 })).rejects.toMatchObject({ status: 400, param: 'max_tokens' });
    await expect(say({ messages: [{ role: 'user', content: ' ' }] })).rejects.toMatchObject({ param: 'messages' });
    const listen = (change: object) =>
      client.audio.transcriptions.create({ file: createReadStream(join(CLIPS, '02-fox.wav')), model: 'x', ...change });
    await expect(listen({})).rejects.toMatchObject({
      status: 400,
      param: 'model',
      message: expect.stringContaining('model: There is no model'),
    });
    await expect(listen({ model: 'whisper-1', language: 'klingon' })).rejects.toMatchObject({ param: 'language' });
  });

  test('times of words from a model that times none', async () => {
    const asked = client.audio.transcriptions.create({
      file: createReadStream(join(CLIPS, '02-fox.wav')),
      model: ONNX_MODEL,
      response_format: 'verbose_json',
      timestamp_granularities: ['word', 'segment'],
    });
    const param = 'timestamp_granularities[]';
    await expect(asked).rejects.toMatchObject({
      status: 400,
      param,
      message: expect.stringContaining('times no words'),
    });
  });

  test('a body that is none, which no field can be named for', async () => {
    const sent = client.post('/chat/completions', { body: ['no object'] });
    await expect(sent).rejects.toMatchObject({ status: 400, param: null });
  });

  test('a wrong key', async () => {
    const stranger = new OpenAI({ baseURL: `${appliance.url}/openai/v1`, apiKey: 'sk-wrong', maxRetries: 0 });
    const refused: unknown = await stranger.models.list().catch((error: unknown) => error);
    expect(refused).toMatchObject({ status: 401, type: 'authentication_error' });
    expect((refused as InstanceType<typeof OpenAI.APIError>).headers?.get('www-authenticate')).toBe('Bearer');
  });

  test('what is refused before anything is read, and an address that is none', async () => {
    const defaultHeaders = { origin: 'http://127.0.0.1:1' };
    const refused = client.withOptions({ defaultHeaders }).models.list();
    await expect(refused).rejects.toMatchObject({ status: 403, message: expect.stringContaining('web origin') });
    const baseURL = `${appliance.url}/openai/v2`;
    const lost = client.withOptions({ baseURL }).models.list();
    await expect(lost).rejects.toMatchObject({ status: 404, message: expect.stringContaining('nothing at this') });
  });

  test('a model that is not installed, with the seconds after which the client may try again', async () => {
    const file = createReadStream(join(CLIPS, '02-fox.wav'));
    const asked = client.audio.transcriptions.create({ file, model: 'whisper-large-v3' });
    const refused: unknown = await asked.catch((error: unknown) => error);
    expect(refused).toMatchObject({ status: 503, type: 'server_error', code: 'model_not_installed' });
    expect((refused as InstanceType<typeof OpenAI.APIError>).headers?.get('retry-after')).toMatch(/^\d+$/);
  });

  test('an unknown voice, and a format that is not made', async () => {
    const request = { model: 'tts-1', voice: 'nobody', input: 'Hello.' };
    await expect(client.audio.speech.create(request)).rejects.toMatchObject({ status: 400, param: 'voice' });
    const ogg = { ...request, voice: 'alloy', response_format: 'ogg' as 'opus' };
    await expect(client.audio.speech.create(ogg)).rejects.toMatchObject({ status: 400, param: 'response_format' });
    const told = { ...request, voice: 'alloy', instructions: 'Whisper.' };
    await expect(client.audio.speech.create(told)).rejects.toMatchObject({ status: 400, param: 'instructions' });
    const hasty = { ...request, voice: 'alloy', speed: 4 };
    await expect(client.audio.speech.create(hasty)).rejects.toMatchObject({ status: 400, param: 'speed' });
  });
});

test('what comes in through the skin is a job that can be read again', async () => {
  const body = { ...GREEDY, messages: [{ role: 'user', content: 'The end' }] };
  const headers = { authorization: `Bearer ${appliance.ownerToken}`, 'content-type': 'application/json' };
  const init = { method: 'POST', headers, body: JSON.stringify(body) };
  const answer = await fetch(`${appliance.url}/openai/v1/chat/completions`, init);
  const jobId = answer.headers.get('x-quarry-job-id') ?? '';
  const job = (await (await appliance.owner(`/v1/jobs/${jobId}`)).json()) as { result: { content: string } };
  const { choices } = (await answer.json()) as { choices: { message: { content: string } }[] };
  expect(job.result.content).toBe(choices[0]?.message.content);
});

test('what fails inside is written down for the owner, as everywhere', async () => {
  const written: unknown[] = [];
  const broken = new Error('The models cannot be listed.');
  const app = new Hono<HttpEnv>();
  app.use('*', async (context, next) => {
    context.set('requestId', 'req_1');
    context.set('log', { error: (line: unknown) => written.push(line) } as unknown as Logger);
    context.set('principal', { kind: 'owner', accountId: 'owner' });
    await next();
  });
  const parts = {
    service: {} as never,
    speaker: () => Promise.reject(broken),
    soundEncoder: () => Promise.reject(broken),
    ownerOnly: async (_context: unknown, next: () => Promise<void>) => next(),
    textModels: () => Promise.reject(broken),
    installed: async () => [],
    embeddings: () => Promise.reject(broken),
  };
  app.route('/openai/v1', openaiRoutes(parts));
  const answer = await app.request('/openai/v1/models');
  expect([answer.status, await answer.json()]).toMatchObject([500, { error: { code: 'internal' } }]);
  expect(written).toEqual([{ err: broken, requestId: 'req_1' }]);
});
