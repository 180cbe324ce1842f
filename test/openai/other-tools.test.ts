/** Tools of others on the same operations: the stock client of Ollama, Tika's server and the loader of Open WebUI. */
import { copyFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Ollama } from 'ollama';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Appliance } from '../harness/appliance.ts';
import { loaded, postJson, startWithTinyModel, TINY_MODEL, TINY_MODEL_PATH } from '../harness/text-models.ts';

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

  test('sends hints, loads, shows and calls functions', async () => {
    const messages = [{ role: 'user', content: 'Once upon a time' }];
    const options = { ...GREEDY, num_ctx: 2048, top_k: 40, repeat_penalty: 1.1, num_gpu: 1, num_thread: 2, seed: -3 };
    const latest = await ollama.chat({ model: `${TINY_MODEL}:latest`, messages, options });
    expect(latest.message.content).toContain('little');
    const body = { model: TINY_MODEL, messages, stream: false, options: { ...options, temperature: 1.5 }, think: true };
    const named = await appliance.owner('/ollama/api/chat', postJson(body));
    expect(named.headers.get('x-ignored-fields')).toBe(
      'think, options.num_ctx, options.top_k, options.repeat_penalty, options.num_gpu, options.num_thread, ' +
        'options.temperature',
    );
    const endless = await ollama.chat({ model: TINY_MODEL, messages, options: { num_predict: -1 } });
    expect(endless.done_reason).toMatch(/length|stop/);
    expect(await ollama.generate({ model: TINY_MODEL, prompt: '' })).toMatchObject({ done: true, done_reason: 'load' });
    const { models } = await ollama.ps();
    expect(models.map(({ name }) => name)).toContain(TINY_MODEL);
    const shown = await ollama.show({ model: TINY_MODEL });
    expect(shown.capabilities).toEqual(['completion', 'tools']);
    expect(shown.model_info).toMatchObject({ 'quarry.context_length': expect.any(Number) });
    const parameters = { type: 'object', properties: { mood: { type: 'string', enum: ['glad', 'sad'] } } };
    const tools = [{ type: 'function', function: { name: 'sing', description: 'Sings.', parameters } }];
    const asked = { model: TINY_MODEL, messages, tools, options: { temperature: 0, num_predict: 300 } };
    const { message } = await ollama.chat(asked);
    expect(message.role).toBe('assistant');
    const calls = message.tool_calls ?? [];
    for (const call of calls) expect(call.function).toEqual({ name: 'sing', arguments: { mood: expect.anything() } });
    expect(calls.length > 0 || message.content !== '').toBe(true);
    const past = [
      ...[...messages, { role: 'assistant', content: '', tool_calls: [{ function: { name: 'sing', arguments: {} } }] }],
      { role: 'tool', content: 'sung', tool_name: 'sing' },
    ];
    expect((await ollama.chat({ model: TINY_MODEL, messages: past, options: GREEDY })).done).toBe(true);
  });

  test('gets vectors', async () => {
    const one = await loaded(appliance, () => ollama.embeddings({ model: `${EMBEDDER}:latest`, prompt: 'The tide.' }));
    expect(one.embedding).toHaveLength(64);
    const input = ['The tide.', 'Bread.', 'The tide.'];
    const { embeddings, model } = await loaded(appliance, () => ollama.embed({ model: EMBEDDER, input }));
    expect(model).toBe(EMBEDDER);
    expect(embeddings[0]).toEqual(embeddings[2]);
    expect(embeddings[0]).not.toEqual(embeddings[1]);
  });

  test('is told by name what is not there', async () => {
    const messages = [{ role: 'user', content: 'x' }];
    const refused: [object, RegExp][] = [
      [{ options: { speculative: 1 } }, /speculative/],
      [{ tools: [{ type: 'search', function: { name: 'f' } }] }, /functions/],
      [{ format: { type: 'array', contains: {} } }, /contains/],
      [{ messages: [{ role: 'user', content: 'x', images: ['aGk='] }] }, /images/],
      [{ model: 'llama-17' }, /No text model/],
    ];
    for (const [change, words] of refused) {
      await expect(ollama.chat({ model: TINY_MODEL, messages, ...change }), String(words)).rejects.toMatchObject({
        status_code: 400,
        message: expect.stringMatching(words),
      });
    }
    await expect(ollama.pull({ model: TINY_MODEL })).rejects.toMatchObject({ status_code: 404 });
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
    const json = await put('/tika/text', NOTE, { accept: '*/*' });
    expect(await json.json()).toMatchObject({ 'X-TIKA:content': expect.stringContaining('at noon') });
    expect(await (await appliance.owner('/tika/version')).text()).toMatch(/^Quarry \d/);
  });

  test('becomes what tika-python and paperless-ngx read', async () => {
    const headers = { accept: 'application/json', 'content-disposition': 'attachment; filename=a.md' };
    const meta = { resourceName: 'a.md', 'Content-Type': 'text/x-web-markdown', 'X-TIKA:Parsed-By': ['quarry'] };
    const text = { ...meta, 'X-TIKA:content': expect.stringContaining('tide turns at noon') };
    const [all] = (await (await put('/rmeta/text', NOTE, headers)).json()) as object[];
    expect(all).toMatchObject(text);
    const [marked] = (await (await put('/rmeta', NOTE, headers)).json()) as object[];
    expect(marked).toMatchObject({ 'X-TIKA:content': expect.stringContaining('<p>The tide turns at noon &amp;') });
    const bare = (await (await put('/meta', NOTE, headers)).json()) as object;
    expect(bare).toMatchObject(meta);
    expect(bare).not.toHaveProperty('X-TIKA:content');
    const post = async (path: string) => {
      const body = new FormData();
      body.append('upload', new Blob([NOTE], { type: 'text/markdown' }), 'a.md');
      const answer = await appliance.owner(path, { method: 'POST', body });
      expect(answer.status, await answer.clone().text()).toBe(200);
      return answer;
    };
    expect(await (await post('/tika/form/text')).json()).toMatchObject(text);
    expect(await (await post('/tika/form')).text()).toContain('tide turns at noon');
    expect(await (await post('/rmeta/form/text')).json()).toMatchObject([text]);
    expect(await (await post('/meta/form')).json()).toMatchObject(meta);
    expect(await (await put('/detect/stream', '%PDF-1.4\n')).text()).toBe('application/pdf');
    expect(await (await appliance.owner('/version')).text()).toMatch(/^Quarry/);
    const slow = await put('/tika', NOTE, { 'x-tika-timeout-millis': '9' });
    expect([slow.status, slow.headers.get('x-ignored-fields')]).toEqual([200, 'x-tika-timeout-millis']);
  });

  test('an address that is none is not there, whoever asks', async () => {
    const made = await appliance.owner('/admin/keys', postJson({ name: 'k', scopes: ['read'] }));
    const { key } = (await made.json()) as { key: string };
    const byKey = { headers: { authorization: `Bearer ${key}` } };
    const paths = ['/openai/v1/files', '/ollama/api/pull', '/tika/none', '/rmeta/none', '/webui/none', '/docling/none'];
    for (const path of [...paths, '/firecrawl/v2/extract', '/v1/none', '/staging/v1/none']) {
      const answers = [appliance.owner(path), appliance.anonymous(path, byKey), appliance.anonymous(path)];
      for (const answer of await Promise.all(answers)) {
        expect([path, answer.status]).toEqual([path, 404]);
        expect(await answer.text()).not.toContain('owner token');
      }
    }
    const wrong = await appliance.anonymous('/openai/v1/chat/completions', byKey);
    expect([wrong.status, wrong.headers.get('allow')]).toEqual([405, 'POST']);
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
