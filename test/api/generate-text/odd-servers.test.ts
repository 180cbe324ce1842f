import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import OpenAI from 'openai';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Problem } from '../../../src-server/platform/http/problem.ts';
import { type Appliance, startAppliance } from '../../harness/appliance.ts';
import { postJson } from '../../harness/text-models.ts';

type Part = Record<string, unknown>;

const words = (content: string): Part => ({ choices: [{ delta: { content }, finish_reason: null }] });
const END: Part = { choices: [{ delta: {}, finish_reason: 'stop' }] };
const USAGE: Part = { choices: [], usage: { prompt_tokens: 3, completion_tokens: 2 } };
const line = (part: Part | string) => `data: ${typeof part === 'string' ? part : JSON.stringify(part)}\n\n`;
const stream = (response: ServerResponse, ...parts: (Part | string)[]) =>
  response.setHeader('content-type', 'text/event-stream').write(parts.map(line).join(''));

/** What servers that people run do, each as the model of that name. */
const HABITS: Record<string, (response: ServerResponse) => void> = {
  'counts nothing': (response) => {
    stream(response, words('A whole'), words(' text.'), END, '[DONE]');
    response.end();
  },
  'sends null': (response) => {
    const end = { choices: [{ delta: null, finish_reason: 'stop' }] };
    stream(response, words('A whole'), words(' text.'), end, { ...USAGE, choices: null }, '[DONE]');
    response.end();
  },
  'ends no line': (response) => {
    stream(response, words('A whole'), words(' text.'), END);
    response.end(line(USAGE).trimEnd());
  },
  dies: (response) => {
    stream(response, words('A whole'));
    setTimeout(() => response.destroy(), 20);
  },
  'is cut off': (response) => {
    stream(response, words('A whole'));
    response.end();
  },
  'runs out of memory': (response) => {
    stream(response, words('A whole'), { error: { message: 'runner at /home/anna has terminated' } });
    response.end();
  },
  'maker/model': (response) => {
    stream(response, words('A whole'), words(' text.'), END, USAGE, '[DONE]');
    response.end();
  },
  refuses: (response) => {
    response.statusCode = 404;
    response.end('{"error":{"message":"not found in /home/anna"}}');
  },
  'answers with a page': (response) => {
    response.setHeader('content-type', 'text/html').end('<html>/home/anna</html>');
  },
};
const EMBEDDING = 'nomic-embed-text:latest';

let server: Server;
let url: string;
let appliance: Appliance;
/** How the server answers who asks for its models. */
let listStatus = 200;
beforeAll(async () => {
  server = createServer(async (request, response) => {
    let body = '';
    for await (const part of request) body += String(part);
    if (request.url === '/v1/models') {
      const many = Array.from({ length: 300 }, (_, index) => `other-${index}`);
      const data = [EMBEDDING, ...Object.keys(HABITS), ...many, 'x'.repeat(300)].map((id) => ({ id }));
      response.writeHead(listStatus, { 'content-type': 'application/json' }).end(JSON.stringify({ data }));
      return;
    }
    HABITS[(JSON.parse(body) as { model: string }).model]?.(response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  appliance = await startAppliance({ knownTextServers: [url] });
});
afterAll(async () => {
  await appliance.close();
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

const ask = (body: object) => appliance.owner('/v1/generate/text', postJson({ prompt: 'Tell me', ...body }));
const client = () => new OpenAI({ baseURL: `${appliance.url}/openai/v1`, apiKey: appliance.ownerToken, maxRetries: 0 });

describe('a text server', () => {
  test('may list hundreds of models; those that make embeddings are not offered, so none is the default', async () => {
    const ids: string[] = [];
    for await (const { id } of client().models.list()) ids.push(id);
    expect(ids).toEqual(expect.arrayContaining(['counts nothing', 'other-0', 'other-299']));
    expect(ids).not.toContain(EMBEDDING);
    const answer = (await (await ask({})).json()) as { result: { model: string } };
    expect(answer.result.model).toBe('counts nothing');
  });

  test.each(['sends null', 'ends no line'])('that %s has its text and its count taken', async (model) => {
    expect(await (await ask({ model })).json()).toMatchObject({
      result: { content: 'A whole text.', usage: { promptTokens: 3, completionTokens: 2, totalTokens: 5 } },
    });
  });

  test('that counts no tokens keeps its text, beside an estimate that says it is one', async () => {
    const model = 'counts nothing';
    const usage = { promptTokens: 2, completionTokens: 2, totalTokens: 4, estimated: true };
    expect(await (await ask({ model })).json()).toMatchObject({ result: { content: 'A whole text.', usage } });
    const messages = [{ role: 'user' as const, content: 'Tell me' }];
    const chat = await client().chat.completions.create({ model, messages });
    expect(chat.choices[0]?.message.content).toBe('A whole text.');
    expect(chat.usage).toBeUndefined();
  });

  test('whose models are called with a slash has each of them shown by its name, encoded or not', async () => {
    expect((await client().models.retrieve('maker/model')).id).toBe('maker/model');
    const plain = await appliance.owner('/openai/v1/models/maker/model');
    expect(await plain.json()).toMatchObject({ id: 'maker/model', object: 'model' });
    expect((await appliance.owner('/openai/v1/models/maker/none')).status).toBe(404);
    expect((await appliance.owner('/openai/v1/models/maker/model', { method: 'POST' })).status).toBe(405);
    const messages = [{ role: 'user' as const, content: 'Tell me' }];
    const chat = await client().chat.completions.create({ model: 'maker/model', messages, modalities: ['text'] });
    expect(chat.choices[0]?.message.content).toBe('A whole text.');
  });

  test.each([
    ['dies', /broke off/],
    ['is cut off', /broke off/],
    ['runs out of memory', /ended the text with an error/],
    ['refuses', /answered 404/],
    ['answers with a page', /no stream of text/],
  ])('that %s: the sentence says what happened, and not in its words', async (model, sentence) => {
    const answer = await ask({ model });
    const problem = (await answer.json()) as Problem;
    expect(problem).toMatchObject({ status: 500, code: 'engine_failed', detail: expect.stringMatching(sentence) });
    expect(JSON.stringify(problem)).not.toContain('anna');
  });
});

describe('the text server that the settings name', () => {
  const name = (textServerUrl: string) =>
    appliance.owner('/admin/settings', { ...postJson({ textServerUrl }), method: 'PATCH' });

  test('and that is not there is what the refusal tells of, not that no model is installed', async () => {
    await name('http://127.0.0.1:9');
    for (const body of [{}, { model: 'other-1' }]) {
      const answer = await ask(body);
      const problem = (await answer.json()) as Problem;
      expect(problem).toMatchObject({ status: 503, code: 'engine_unavailable' });
      expect(problem.detail).toMatch(/that the settings name does not answer/);
    }
  });

  test('and that refuses the key is said to, with the variable that holds it', async () => {
    listStatus = 401;
    await name(url);
    const problem = (await (await ask({})).json()) as Problem;
    expect(problem).toMatchObject({ status: 503, detail: expect.stringContaining('QUARRY_TEXT_SERVER_KEY') });
  });
});
