/** Tools of others on the same operations: the stock client of Ollama, Tika's server and the loader of Open WebUI. */
import { copyFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Ollama } from 'ollama';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Appliance } from '../harness/appliance.ts';
import { loaded, startWithTinyModel, TINY_MODEL, TINY_MODEL_PATH } from '../harness/text-models.ts';

const EMBEDDER = 'stories-embed';
const GREEDY = { temperature: 0, num_predict: 20 };
const PUBLISHED = ', there was a little girl named Lily';

let appliance: Appliance;
let ollama: Ollama;
beforeAll(async () => {
  appliance = await startWithTinyModel();
  await copyFile(TINY_MODEL_PATH, join(appliance.dataDir, 'models', `${EMBEDDER}.gguf`));
  ollama = clientWith(appliance.ownerToken);
});
afterAll(() => appliance.close());

function clientWith(key: string): Ollama {
  return new Ollama({ host: `${appliance.url}/ollama`, headers: { authorization: `Bearer ${key}` } });
}

const put = (path: string, body: string | Uint8Array<ArrayBuffer>, headers: Record<string, string> = {}) =>
  appliance.owner(path, { method: 'PUT', body, headers });

describe('the stock client of Ollama', () => {
  test('lists models and the version', async () => {
    const { models } = await ollama.list();
    expect(models.map(({ name }) => name)).toEqual(expect.arrayContaining([TINY_MODEL, EMBEDDER]));
    expect((await ollama.version()).version).toMatch(/^\d+\.\d+/);
  });

  test('has texts written, whole and in pieces', async () => {
    const request = { model: TINY_MODEL, prompt: 'Once upon a time', options: GREEDY };
    const whole = await ollama.generate({ ...request, raw: true });
    expect(whole.response).toContain(PUBLISHED);
    const begun = await ollama.generate({ ...request, prompt: 'Once upon', raw: true });
    expect(begun.response).toMatch(/^ a time, there was/);
    expect(whole).toMatchObject({ done: true, done_reason: 'length', eval_count: 20 });
    let text = '';
    let last: { done: boolean; eval_count?: number } = { done: false };
    for await (const part of await ollama.generate({ ...request, stream: true })) {
      text += part.response;
      last = part;
    }
    expect(text).toBe(whole.response);
    expect(last).toMatchObject({ done: true, eval_count: 20 });
    const messages = [{ role: 'user', content: 'Once upon a time' }];
    const said = await ollama.chat({ model: TINY_MODEL, messages, options: { ...GREEDY, stop: [' little'] } });
    expect(said.message.content).toBe(', there was a');
    const schema = { type: 'object', properties: { mood: { enum: ['glad', 'sad'] } } };
    const json = await ollama.chat({ model: TINY_MODEL, messages, format: schema, options: { num_predict: 60 } });
    expect(JSON.parse(json.message.content)).toEqual({ mood: expect.stringMatching(/^(glad|sad)$/) });
  });

  test('gets vectors', async () => {
    const input = ['The tide.', 'Bread.', 'The tide.'];
    const { embeddings, model } = await loaded(appliance, () => ollama.embed({ model: EMBEDDER, input }));
    expect(model).toBe(EMBEDDER);
    expect(embeddings[0]).toEqual(embeddings[2]);
    expect(embeddings[0]).not.toEqual(embeddings[1]);
  });

  test('is told by name what is not there', async () => {
    const messages = [{ role: 'user', content: 'x' }];
    const refused: [object, RegExp][] = [
      [{ options: { mirostat: 1 } }, /mirostat/],
      [{ tools: [{ type: 'function', function: { name: 'f' } }] }, /tools/],
      [{ format: { type: 'string', pattern: 'x' } }, /pattern/],
      [{ messages: [{ role: 'user', content: 'x', images: ['aGk='] }] }, /images/],
      [{ model: 'llama-17' }, /No text model/],
    ];
    for (const [change, words] of refused) {
      await expect(ollama.chat({ model: TINY_MODEL, messages, ...change }), String(words)).rejects.toMatchObject({
        status_code: 400,
        message: expect.stringMatching(words),
      });
    }
    await expect(ollama.show({ model: TINY_MODEL })).rejects.toMatchObject({ status_code: 404 });
    await expect(clientWith('wrong').list()).rejects.toMatchObject({ status_code: 401 });
  });
});

describe('a document as the body', () => {
  const NOTE = '# Harbour\n\nThe tide turns at noon & <later>.\n';

  test('becomes what the loader of Open WebUI takes', async () => {
    const headers = { 'content-type': 'text/markdown', 'x-filename': 'tide%20table.md' };
    const answer = await put('/webui/process', NOTE, headers);
    expect(answer.status, await answer.clone().text()).toBe(200);
    const body = (await answer.json()) as { page_content: string; metadata: Record<string, unknown> };
    expect(body.page_content).toContain('# Harbour');
    expect(body.page_content).toContain('tide turns at noon');
    expect(body.metadata).toMatchObject({ source: 'tide table.md', format: 'markdown', pages: 1 });
    const jobId = answer.headers.get('x-quarry-job-id') as string;
    expect(body.metadata.job_id).toBe(jobId);
    expect(await (await appliance.owner(`/v1/jobs/${jobId}`)).json()).toMatchObject({ status: 'completed' });
  });

  test('becomes the text, HTML or JSON of Tika', async () => {
    const text = await put('/tika', NOTE, { 'content-disposition': 'attachment; filename="a.md"' });
    expect(text.headers.get('content-type')).toMatch(/^text\/plain/);
    expect(await text.text()).toContain('The tide turns at noon');
    const html = await put('/tika', NOTE, { accept: 'text/html' });
    expect(await html.text()).toMatch(/<p>The tide turns at noon &amp; &lt;later&gt;\.<\/p>/);
    const json = await put('/tika/text', NOTE, { accept: 'application/json' });
    expect(await json.json()).toMatchObject({ 'X-TIKA:content': expect.stringContaining('at noon') });
    expect(await (await appliance.owner('/tika/version')).text()).toMatch(/^Quarry \d/);
  });

  test('is refused in a sentence', async () => {
    const zeros = await put('/tika', new Uint8Array(64));
    expect(zeros.status).toBe(422);
    expect(zeros.headers.get('content-type')).toMatch(/^text\/plain/);
    expect((await put('/webui/process', '')).status).toBe(400);
    const ocr = await put('/tika', NOTE, { 'x-tika-ocrlanguage': 'deu' });
    expect([ocr.status, await ocr.text()]).toEqual([400, expect.stringContaining('x-tika-ocrlanguage')]);
    expect((await put('/tika', NOTE, { accept: 'image/png' })).status).toBe(400);
    const stranger = await appliance.anonymous('/webui/process', { method: 'PUT', body: NOTE });
    expect(stranger.status).toBe(401);
  });
});
