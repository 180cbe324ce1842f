/**
 * Uses Vercel's AI SDK, LangGraph, LlamaIndex and Ollama's client with what they send by themselves, and prints what
 * came back. Arguments: origin of the server, key, text model, embedding model, path of a recording.
 */
import { readFile } from 'node:fs/promises';
import process from 'node:process';
import { createOpenAI } from '@ai-sdk/openai';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { HumanMessage } from '@langchain/core/messages';
import { tool as langTool } from '@langchain/core/tools';
import { MessagesAnnotation, StateGraph } from '@langchain/langgraph';
import { ToolNode } from '@langchain/langgraph/prebuilt';
import { ChatOllama } from '@langchain/ollama';
import { ChatOpenAI } from '@langchain/openai';
import { Ollama as LlamaIndexOllama } from '@llamaindex/ollama';
import {
  generateObject,
  generateText,
  Output,
  stepCountIs,
  streamText,
  tool,
  experimental_transcribe as transcribe,
} from 'ai';
import { createOllama } from 'ollama-ai-provider-v2';
import { z } from 'zod';

globalThis.AI_SDK_LOG_WARNINGS = false;
const [origin, apiKey, model, embedder, recording] = process.argv.slice(2);
const headers = { authorization: `Bearer ${apiKey}` };
const compatible = createOpenAICompatible({
  ...{ name: 'quarry', baseURL: `${origin}/openai/v1`, apiKey, includeUsage: true, supportsStructuredOutputs: true },
});
const openai = createOpenAI({ baseURL: `${origin}/openai/v1`, apiKey });
const ask = { prompt: 'Once upon a time', maxRetries: 0, maxOutputTokens: 400, temperature: 0 };

/** What the client wrote or the reason that it gave. */
async function tried(work) {
  try {
    return await work();
  } catch (error) {
    return `failed: ${error.message} ${error.responseBody ?? error.cause?.message ?? ''}`;
  }
}

const SCHEMAS = {
  integer: z.object({ value: z.int() }),
  bounds: z.object({ value: z.number().min(1).max(9) }),
  count: z.object({ value: z.number().int().positive().max(5000) }),
  share: z.object({ value: z.number().min(0).max(1) }),
  step: z.object({ value: z.int().min(0).max(100).multipleOf(5) }),
  url: z.object({ value: z.url() }),
  email: z.object({ value: z.email() }),
  uuid: z.object({ value: z.uuid() }),
  moment: z.object({ value: z.iso.datetime() }),
  text: z.object({ value: z.string().min(1).max(20) }),
  list: z.object({ value: z.array(z.boolean()).min(1).max(2) }),
  nullable: z.object({ value: z.enum(['a', 'b']).nullable() }),
  literal: z.object({ value: z.literal('fixed') }),
  keyed: z.object({ value: z.record(z.enum(['x', 'y']), z.boolean()) }),
  preset: z.object({ value: z.enum(['a']).default('a') }),
  union: z.object({ value: z.union([z.boolean(), z.literal(3)]) }),
};

async function objects() {
  const said = {};
  for (const [name, schema] of Object.entries(SCHEMAS)) {
    said[name] = await tried(async () => (await generateObject({ ...ask, model: compatible(model), schema })).object);
  }
  return said;
}

async function agent() {
  const weather = langTool(async () => '5 degrees', {
    ...{ name: 'weather', description: 'The weather of a place.', schema: z.object({ day: z.int().min(1).max(7) }) },
  });
  const configuration = { baseURL: `${origin}/openai/v1` };
  const chat = new ChatOpenAI({ model, apiKey, maxTokens: 300, temperature: 0, maxRetries: 0, configuration });
  const called = (message) => (message.tool_calls?.length ?? 0) > 0;
  const graph = new StateGraph(MessagesAnnotation)
    .addNode('model', async ({ messages }) => {
      // Two steps with a call, then a text: so small a model does not choose.
      const steps = messages.filter((one) => one.getType() === 'tool').length;
      const bound = chat.bindTools([weather], { tool_choice: steps < 2 ? 'weather' : 'none' });
      return { messages: [await bound.invoke(messages)] };
    })
    .addNode('tools', new ToolNode([weather]))
    .addEdge('__start__', 'model')
    .addConditionalEdges('model', ({ messages }) => (called(messages.at(-1)) ? 'tools' : '__end__'))
    .addEdge('tools', 'model')
    .compile();
  const { messages } = await graph.invoke({ messages: [new HumanMessage('How is the weather?')] });
  return messages.map((one) => one.getType());
}

const bell = {
  description: 'Rings.',
  inputSchema: z.object({ times: z.int().min(1).max(3) }),
  execute: async () => 'rung',
};
const steps = {
  ...{ stopWhen: stepCountIs(2), tools: { bell: tool(bell) } },
  prepareStep: ({ stepNumber }) => ({ toolChoice: stepNumber === 0 ? 'required' : 'none' }),
};
const loop = async (of) => {
  const { steps: done, text } = await generateText({ ...ask, ...steps, model: of, maxOutputTokens: 60 });
  return [done.length, done[0].toolCalls.length, typeof text];
};

async function streamed() {
  let text = '';
  for await (const part of streamText({ ...ask, model: compatible(model), maxOutputTokens: 8 }).textStream)
    text += part;
  return text;
}

async function ignored() {
  const { text, response } = await generateText({
    ...{
      ...ask,
      model: compatible(model),
      maxOutputTokens: 8,
      topK: 5,
      frequencyPenalty: 0.1,
      temperature: 1.4,
      seed: 7,
    },
    providerOptions: { quarry: { user: 'me' } },
  });
  return [text.length > 0, response.headers['x-ignored-fields']];
}

async function heard() {
  const audio = await readFile(recording);
  const openaiOptions = {
    language: 'en',
    timestampGranularities: ['segment'],
    prompt: 'A sentence that is far too long to be a name or a term of it.',
  };
  const said = await transcribe({
    ...{ model: openai.transcription('whisper-1'), audio, maxRetries: 0, providerOptions: { openai: openaiOptions } },
  });
  return { text: said.text, segments: said.segments.length };
}

const lang = (more = {}) =>
  new ChatOllama({ model, baseUrl: `${origin}/ollama`, headers, numPredict: 60, numCtx: 4096, topK: 40, ...more });
const ring = langTool(async () => 'rung', {
  name: 'ring',
  description: 'Rings.',
  schema: z.object({ hard: z.boolean() }),
});
const llamaIndex = new LlamaIndexOllama({
  model,
  config: { host: `${origin}/ollama`, headers },
  options: { num_predict: 8 },
});
const vercelOllama = createOllama({ baseURL: `${origin}/ollama/api`, headers });

process.stdout.write(
  JSON.stringify({
    objects: await objects(),
    agent: await tried(agent),
    loops: [await tried(() => loop(compatible(model))), await tried(() => loop(openai(model)))],
    streamed: await tried(streamed),
    ignored: await tried(ignored),
    both: await tried(async () => {
      const output = Output.object({ schema: z.object({ mood: z.enum(['glad', 'sad']) }) });
      return typeof (await generateText({ ...ask, model: compatible(model), tools: { bell: tool(bell) }, output }))
        .steps;
    }),
    heard: await tried(heard),
    ollama: await tried(async () => (await lang().invoke('Once')).content.length > 0),
    ollamaTools: await tried(
      async () => typeof (await lang({ numPredict: 300 }).bindTools([ring]).invoke('Ring!')).content,
    ),
    llamaIndex: await tried(async () => {
      const chat = await llamaIndex.chat({ messages: [{ role: 'user', content: 'Once' }] });
      return [chat.message.content.length > 0, (await llamaIndex.complete({ prompt: 'Once' })).text.length > 0];
    }),
    vercelOllama: await tried(async () => {
      const { text } = await generateText({ ...ask, model: vercelOllama(model), maxOutputTokens: 20 });
      return text.length > 0;
    }),
    vercelVector: await tried(async () => {
      const { embeddings } = await vercelOllama.textEmbeddingModel(embedder).doEmbed({ values: ['The tide.'] });
      return embeddings[0].length;
    }),
  }),
);
