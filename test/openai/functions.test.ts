/** Functions and responses with the stock client: on the engine, whose grammar binds the tiny model, and on a server. */
import OpenAI from 'openai';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Appliance } from '../harness/appliance.ts';
import { loaded, startWithTinyModel, TINY_MODEL } from '../harness/text-models.ts';
import { startTextServer, type TextServer } from '../harness/text-server.ts';

let appliance: Appliance;
let server: TextServer;
let client: OpenAI;
/** What the model of the server writes. */
let written: unknown;
beforeAll(async () => {
  appliance = await startWithTinyModel();
  server = await startTextServer(() => written);
  client = new OpenAI({ baseURL: `${appliance.url}/openai/v1`, apiKey: appliance.ownerToken, maxRetries: 0 });
  const headers = { 'content-type': 'application/json' };
  const body = JSON.stringify({ textServerUrl: server.url });
  expect((await appliance.owner('/admin/settings', { method: 'PATCH', headers, body })).status).toBe(200);
});
afterAll(async () => {
  await appliance.close();
  await server[Symbol.asyncDispose]();
});

const TIDE = {
  name: 'tide',
  description: 'The next high tide',
  parameters: {
    type: 'object',
    properties: { harbour: { $ref: '#/$defs/harbour' }, day: { type: 'string', enum: ['today', 'tomorrow'] } },
    required: ['harbour', 'day'],
    additionalProperties: false,
    $defs: { harbour: { type: 'string', enum: ['Hull', 'Leith'] } },
  },
};
const BELL = { name: 'ring_bell' };
const tools = [TIDE, BELL].map((one) => ({ type: 'function' as const, function: one }));
const user = { role: 'user' as const, content: 'When is high tide in Hull?' };
const CALL = { name: 'tide', arguments: { harbour: 'Hull', day: 'today' } };

const chat = (change: object) =>
  client.chat.completions.create({
    ...{ model: 'echo', messages: [user], tools },
    ...change,
  } as OpenAI.ChatCompletionCreateParamsNonStreaming);

describe('chat completions with functions', () => {
  test('a grammar lets the model only call the function that is asked for', async () => {
    const choice = { type: 'function', function: { name: 'tide' } };
    const ask = () => chat({ model: TINY_MODEL, tool_choice: choice, temperature: 0, max_tokens: 200 });
    const { choices } = await loaded(appliance, ask);
    expect(choices[0]).toMatchObject({ finish_reason: 'tool_calls', message: { role: 'assistant', content: null } });
    const calls = choices[0]?.message.tool_calls ?? [];
    const [call] = calls as OpenAI.ChatCompletionMessageFunctionToolCall[];
    expect(call).toMatchObject({ id: expect.stringMatching(/^call_/), type: 'function', function: { name: 'tide' } });
    const given = JSON.parse(call?.function.arguments ?? '') as Record<string, string>;
    expect(['Hull', 'Leith']).toContain(given.harbour);
    expect(['today', 'tomorrow']).toContain(given.day);

    const cut = await chat({ model: TINY_MODEL, tool_choice: choice, temperature: 0, max_tokens: 12 });
    expect(cut.choices[0]?.finish_reason).toBe('length');
  });

  test('the model is told of the functions, calls one, and gets its result', async () => {
    written = CALL;
    const first = await chat({});
    const message = first.choices[0]?.message as OpenAI.ChatCompletionMessage;
    expect(message.tool_calls?.[0]).toMatchObject({ function: { arguments: JSON.stringify(CALL.arguments) } });
    const sent = JSON.stringify(server.bodies.at(-1));
    for (const said of ['The next high tide', 'ring_bell', 'When is high tide']) expect(sent).toContain(said);

    written = { answer: 'At noon.' };
    const id = message.tool_calls?.[0]?.id as string;
    const second = await chat({ messages: [user, message, { role: 'tool', tool_call_id: id, content: '12:00' }] });
    expect(second.choices[0]).toMatchObject({ finish_reason: 'stop', message: { content: 'At noon.' } });
    expect(JSON.stringify(server.bodies.at(-1))).toContain('Result: 12:00');
    const none = await chat({ tool_choice: 'none' });
    expect(none.choices[0]?.message.content).toContain('When is high tide in Hull?');
  });

  test('a stream has the call, or the text', async () => {
    const stream = async (change: object) => {
      const all = [];
      const asked = { model: 'echo', messages: [user], tools, stream: true as const, ...change };
      for await (const { choices } of await client.chat.completions.create(asked)) all.push(...choices);
      return all;
    };
    written = CALL;
    const called = await stream({});
    expect(called.find(({ delta }) => delta.tool_calls)?.delta.tool_calls).toMatchObject([
      { index: 0, type: 'function', function: { name: 'tide', arguments: JSON.stringify(CALL.arguments) } },
    ]);
    expect(called.at(-1)?.finish_reason).toBe('tool_calls');
    written = { answer: 'At noon.' };
    expect((await stream({})).map(({ delta }) => delta.content ?? '').join('')).toBe('At noon.');
  });

  test.each<[string, object]>([
    ['tool_choice', { tool_choice: { type: 'function', function: { name: 'other' } } }],
    ['tool_choice', { tools: [], tool_choice: 'required' }],
    ['tools', { tools: [tools[0], tools[0]] }],
    ['tools.0.function.name', { tools: [{ type: 'function', function: { name: 'a b' } }] }],
    [
      'tools.0.function.parameters.properties.a.contains',
      {
        tools: [
          {
            type: 'function',
            function: { name: 'f', parameters: { properties: { a: { type: 'array', contains: {} } } } },
          },
        ],
      },
    ],
    ['messages.0.tool_call_id', { messages: [{ role: 'tool', content: 'x' }] }],
    ['messages.0.tool_calls', { messages: [{ ...user, tool_calls: [{ id: 'a', type: 'function', function: CALL }] }] }],
  ])('refuses a wrong %s', async (param, change) => {
    const given = JSON.parse(JSON.stringify(change).replace('{"harbour":"Hull","day":"today"}', '"{}"')) as object;
    await expect(chat(given)).rejects.toMatchObject({ status: 400, param });
  });

  test('says when a text server writes something else', async () => {
    written = { mood: 'glad' };
    await expect(chat({})).rejects.toMatchObject({ status: 500, code: 'engine_failed' });
  });
});

describe('responses', () => {
  const functions = [{ type: 'function' as const, strict: true, ...TIDE }];

  test('a text, with its usage, and the same as a stream of events', async () => {
    const asked = { model: TINY_MODEL, input: 'Once upon a time', temperature: 0, max_output_tokens: 30 };
    const response = await loaded(appliance, () => client.responses.create(asked));
    expect(response).toMatchObject({
      object: 'response',
      status: 'incomplete',
      incomplete_details: { reason: 'max_output_tokens' },
      usage: { output_tokens: 30 },
    });
    expect(response.output_text.length).toBeGreaterThan(20);
    const stream = client.responses.stream(asked);
    let text = '';
    stream.on('response.output_text.delta', ({ delta }) => {
      text += delta;
    });
    const last = await stream.finalResponse();
    expect(text).toBe(response.output_text);
    expect(last.output_text).toBe(text);
  });

  test('instructions, a conversation, functions and JSON', async () => {
    written = CALL;
    const request = { model: 'echo', instructions: 'Be brief.', input: user.content, tools: functions };
    const called = await client.responses.create(request);
    const [call] = called.output as OpenAI.Responses.ResponseFunctionToolCall[];
    expect(call).toMatchObject({ type: 'function_call', name: 'tide', arguments: JSON.stringify(CALL.arguments) });
    expect(JSON.stringify(server.bodies.at(-1))).toContain('System: Be brief.');

    const stream = client.responses.stream(request);
    const events: string[] = [];
    stream.on('event', ({ type }) => events.push(type));
    expect((await stream.finalResponse()).output).toMatchObject([{ type: 'function_call', name: 'tide' }]);
    expect(events).toContain('response.function_call_arguments.done');
    expect(events.at(-1)).toBe('response.completed');

    written = { answer: 'At noon.' };
    const output = { type: 'function_call_output' as const, call_id: call?.call_id ?? '', output: '12:00' };
    const input = [{ role: 'user' as const, content: user.content }, ...(called.output as never[]), output];
    expect((await client.responses.create({ ...request, input })).output_text).toBe('At noon.');
    expect(JSON.stringify(server.bodies.at(-1))).toContain('Result: 12:00');

    written = { mood: 'glad' };
    const schema = { type: 'object', properties: { mood: { type: 'string' } } };
    const text = { format: { type: 'json_schema' as const, name: 'mood', schema } };
    expect((await client.responses.create({ model: 'echo', input: 'x', text })).output_text).toBe('{"mood":"glad"}');
  });

  test.each<[string, object]>([
    ['previous_response_id', { previous_response_id: 'resp_1' }],
    ['background', { background: true }],
    ['tools.0.type', { tools: [{ type: 'web_search' }] }],
    ['input.0.content.0.type', { input: [{ role: 'user', content: [{ type: 'input_image', image_url: 'x' }] }] }],
    ['text.format.schema.properties.a.not', { text: { format: negativeFormat() } }],
    ['temperature', { temperature: 2.1 }],
  ])('refuses %s by its name', async (param, change) => {
    const asked = client.responses.create({ model: 'echo', input: 'x', ...change });
    await expect(asked).rejects.toMatchObject({ status: 400, param });
  });
});

function negativeFormat() {
  const schema = { type: 'object', properties: { a: { type: 'string', not: { const: 'x' } } } };
  return { type: 'json_schema', name: 'a', schema };
}
