/**
 * Uses LangChain's stock clients as their documentation says, and prints what came back.
 * Arguments: origin of the server, key, text model, embedding model.
 */
import process from 'node:process';
import { AIMessage, HumanMessage, SystemMessage, ToolMessage } from '@langchain/core/messages';
import { tool } from '@langchain/core/tools';
import { ChatOllama, OllamaEmbeddings } from '@langchain/ollama';
import { ChatOpenAI, OpenAIEmbeddings } from '@langchain/openai';

const [origin, apiKey, model, embedder] = process.argv.slice(2);
const configuration = { baseURL: `${origin}/openai/v1` };
const SCHEMA = {
  title: 'mood',
  type: 'object',
  properties: { mood: { type: 'string', enum: ['glad', 'sad'] } },
  required: ['mood'],
  additionalProperties: false,
};
const PROMPT = [new HumanMessage('Once upon a time')];
const TEXTS = ['The tide.', 'Bread.'];

async function ask(client) {
  const whole = await client.invoke(PROMPT);
  let streamed = '';
  let pieces = 0;
  let usage;
  for await (const part of await client.stream(PROMPT)) {
    streamed += part.text;
    pieces += 1;
    usage = part.usage_metadata ?? usage;
  }
  return { text: whole.text, usage: whole.usage_metadata, streamed, pieces, streamUsage: usage };
}

const openai = (more = {}) =>
  new ChatOpenAI({ model, apiKey, configuration, temperature: 0, maxTokens: 40, maxRetries: 0, ...more });
const ringBell = tool(() => 'rung', { name: 'ring_bell', description: 'Rings the bell.', schema: SCHEMA });
const conversation = [
  new SystemMessage('Be short.'),
  ...PROMPT,
  new AIMessage({ content: '', tool_calls: [{ id: 'call_1', name: 'ring_bell', args: { mood: 'glad' } }] }),
  new ToolMessage({ tool_call_id: 'call_1', content: 'rung' }),
];
const forced = openai({ maxTokens: 200 }).bindTools([ringBell], { tool_choice: 'ring_bell' });
let called;
for await (const part of await forced.stream(PROMPT)) called = called === undefined ? part : called.concat(part);

const ollama = (more = {}) =>
  new ChatOllama({
    model,
    baseUrl: `${origin}/ollama`,
    headers: { authorization: `Bearer ${apiKey}` },
    temperature: 0,
    numPredict: 40,
    ...more,
  });

process.stdout.write(
  JSON.stringify({
    openai: {
      ...(await ask(openai())),
      bySchema: await openai({ maxTokens: 200 }).withStructuredOutput(SCHEMA, { method: 'jsonSchema' }).invoke(PROMPT),
      byFunction: await openai({ maxTokens: 200 })
        .withStructuredOutput(SCHEMA, { method: 'functionCalling' })
        .invoke(PROMPT),
      calls: (await forced.invoke(PROMPT)).tool_calls,
      streamedCalls: called.tool_calls,
      afterTool: typeof (await openai().invoke(conversation)).text,
      vectors: (await new OpenAIEmbeddings({ model: embedder, apiKey, configuration }).embedDocuments(TEXTS)).map(
        (vector) => vector.length,
      ),
    },
    ollama: {
      ...(await ask(ollama())),
      bySchema: await ollama({ numPredict: 200 }).withStructuredOutput(SCHEMA, { method: 'jsonSchema' }).invoke(PROMPT),
      vectors: (
        await new OllamaEmbeddings({
          model: embedder,
          baseUrl: `${origin}/ollama`,
          headers: { authorization: `Bearer ${apiKey}` },
        }).embedDocuments(TEXTS)
      ).map((vector) => vector.length),
    },
  }),
);
