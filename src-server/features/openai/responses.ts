/** The part of OpenAI's responses that maps on the operation generate/text: texts, functions, JSON, streams. */
import type { Context } from 'hono';
import { z } from 'zod';
import type { HttpEnv } from '../../platform/http/env.ts';
import { eventStream } from '../../platform/http/event-stream.ts';
import { ignoreField } from '../../platform/http/ignored-fields.ts';
import { parseWithSchema } from '../../platform/http/validate.ts';
import { newId } from '../../platform/ids.ts';
import { omitUndefined } from '../../platform/omit-undefined.ts';
import type { JobService } from '../jobs/service.ts';
import { callText, conversationPrompt, systemText, type Turn } from './chat.ts';
import { checkOthers, openaiError } from './errors.ts';
import { samplingOf, startText, type TextCall, type WrittenText } from './text-call.ts';
import {
  FUNCTION_SHAPE,
  readToolAnswer,
  type ToolAnswer,
  ToolName,
  type ToolUse,
  toolList,
  toolPrompt,
  toolSchema,
  toolUse,
} from './tools.ts';

const ITEMS_MAX = 1000;

const Part = z.looseObject({
  type: z.enum(['input_text', 'output_text'], 'Only parts of text are supported.'),
  text: z.string(),
});

const Content = z.preprocess(
  (given) => (typeof given === 'string' ? [{ type: 'input_text', text: given }] : given),
  z.array(Part, 'Give a string, or a list of parts of text.'),
);

const ITEMS = {
  message: z.looseObject({
    type: z.literal('message'),
    role: z.enum(['system', 'developer', 'user', 'assistant'], 'Only system, developer, user and assistant may speak.'),
    content: Content,
    id: z.string().nullish(),
    status: z.string().nullish(),
    phase: z.string().nullish(),
  }),
  function_call: z.looseObject({
    type: z.literal('function_call'),
    call_id: z.string(),
    name: ToolName,
    arguments: z.string(),
    id: z.string().nullish(),
    status: z.string().nullish(),
  }),
  function_call_output: z.looseObject({
    type: z.literal('function_call_output'),
    call_id: z.string(),
    output: Content,
    id: z.string().nullish(),
    status: z.string().nullish(),
  }),
};

/** A message may come without its type. */
const Item = z.preprocess(
  (given) => (typeof given === 'object' && given !== null && 'role' in given ? { type: 'message', ...given } : given),
  z.discriminatedUnion(
    'type',
    [ITEMS.message, ITEMS.function_call, ITEMS.function_call_output],
    'Only message, function_call and function_call_output are supported.',
  ),
);

const Tool = z.looseObject({ type: z.literal('function', 'Only functions are supported.'), ...FUNCTION_SHAPE });

const Format = z.discriminatedUnion(
  'type',
  [
    z.looseObject({ type: z.literal('text') }),
    z.looseObject({ type: z.literal('json_object') }),
    z.looseObject({ type: z.literal('json_schema'), schema: z.record(z.string(), z.unknown()) }),
  ],
  'Give the type text, json_object or json_schema.',
);

const TextOptions = z.looseObject({ format: Format.nullish() });

const ResponseRequest = z.looseObject({
  model: z.string().min(1).max(200),
  input: z.preprocess(
    (given) => (typeof given === 'string' ? [{ role: 'user', content: given }] : given),
    z.array(Item, 'Give a text, or a list of items.').min(1).max(ITEMS_MAX),
  ),
  instructions: z.string().nullish(),
  max_output_tokens: z.int().min(1).nullish(),
  temperature: z.number().min(0).max(2).nullish(),
  top_p: z.number().min(0).max(1).nullish(),
  text: TextOptions.nullish(),
  tools: toolList(Tool),
  tool_choice: z
    .union(
      [z.enum(['auto', 'none', 'required']), z.looseObject({ type: z.literal('function'), name: ToolName })],
      'Give auto, none, required, or a function.',
    )
    .nullish(),
  truncation: z.enum(['auto', 'disabled']).nullish(),
  stream: z.boolean().nullish(),
  stream_options: z.looseObject({}).nullish(),
  previous_response_id: z.null('Responses are not kept. Send the whole conversation in input.').optional(),
});

type ResponseRequest = z.output<typeof ResponseRequest>;

const LIMITED = { temperature: 'temperature', maxTokens: 'max_output_tokens' };

const NAMES = { topP: 'top_p', maxTokens: 'max_output_tokens', format: 'text.format.schema', prompt: 'input' };

export async function createResponse(
  service: JobService,
  context: Context<HttpEnv>,
  body: Record<string, unknown>,
  nowSeconds: () => number,
): Promise<Response> {
  const request = parseWithSchema(ResponseRequest, body);
  checkUnknown(context, request);
  const use = toolUse(request.tools ?? [], request.tool_choice ?? null, formatOf(request));
  const { model, instructions, temperature, top_p: topP, max_output_tokens: maxTokens, input } = request;
  const sampling = samplingOf(context, { temperature, maxTokens }, LIMITED);
  const said = [...(instructions ? [systemText(instructions)] : []), ...input.map(responseTurn)];
  const fields = {
    model,
    topP,
    ...sampling,
    prompt: conversationPrompt([...(use === null ? [] : [systemText(toolPrompt(use))]), ...said]),
    format: use === null ? formatOf(request) : toolSchema(use),
  };
  const call = await startText(service, context, fields, {
    ...NAMES,
    ...omitUndefined({ format: use === null ? undefined : 'tools' }),
  });
  const view = openAiResponseView(request, nowSeconds());
  if (request.stream === true) return streamResponse(context, call, view, use);
  const written = await call.result();
  const item = itemOf(use === null ? { text: written.content } : readToolAnswer(written, use), written);
  return context.json(view(item, written));
}

function checkUnknown(context: Context<HttpEnv>, request: ResponseRequest): void {
  const checkResponseFields = (one: Record<string, unknown>, known: object, path = '') =>
    checkOthers(context, one, known, path);
  checkResponseFields(request, ResponseRequest.shape);
  for (const [index, item] of request.input.entries())
    checkResponseFields(item, ITEMS[item.type].shape, `input.${index}.`);
  for (const [index, tool] of (request.tools ?? []).entries()) checkResponseFields(tool, Tool.shape, `tools.${index}.`);
  if (request.text) checkResponseFields(request.text, TextOptions.shape, 'text.');
  if (request.stream_options) checkResponseFields(request.stream_options, {}, 'stream_options.');
  // A prompt that is too long is refused, never cut.
  if (request.truncation === 'auto') ignoreField(context, 'truncation');
}

function responseTurn(item: ResponseRequest['input'][number]): Turn {
  if (item.type === 'message') return { role: item.role, content: item.content };
  if (item.type === 'function_call_output') return { role: 'tool', content: item.output };
  return { role: 'assistant', content: [{ text: callText(item.name, item.arguments) }] };
}

function formatOf({ text }: ResponseRequest): Record<string, unknown> | 'json' | undefined {
  const format = text?.format;
  if (format?.type === 'json_object') return 'json';
  return format?.type === 'json_schema' ? format.schema : undefined;
}

const idOf = (prefix: string) => newId('req').replace('req_', prefix);

/** What the answer holds: a message or a call. */
function itemOf(answer: ToolAnswer, { finishReason }: Pick<WrittenText, 'finishReason'>, id = idOf('msg_')) {
  const status = finishReason === 'stop' ? 'completed' : 'incomplete';
  if ('call' in answer) {
    const { id: callId, name, arguments: given } = answer.call;
    return { type: 'function_call', id, call_id: callId, name, arguments: given, status };
  }
  return { type: 'message', id, status, role: 'assistant', content: [outputTextPart(answer.text)] };
}

type OutputItem = ReturnType<typeof itemOf>;

function outputTextPart(text: string) {
  return { type: 'output_text', text, annotations: [], logprobs: [] };
}

/** The response, whole or still without what it says. */
function openAiResponseView(request: ResponseRequest, createdAt: number) {
  const { model, instructions = null, max_output_tokens = null, temperature = null, top_p = null } = request;
  const head = {
    id: idOf('resp_'),
    object: 'response',
    created_at: createdAt,
    model,
    instructions,
    max_output_tokens,
    temperature,
    top_p,
    text: request.text ?? { format: { type: 'text' } },
    tools: request.tools ?? [],
    tool_choice: request.tool_choice ?? 'auto',
    parallel_tool_calls: false,
    truncation: 'disabled',
    previous_response_id: null,
    metadata: request.metadata ?? {},
    error: null,
  };
  return (item: OutputItem | null, written: WrittenText | null) => {
    const isCut = written?.finishReason === 'length';
    const status = written === null ? 'in_progress' : isCut ? 'incomplete' : 'completed';
    const details = isCut ? { reason: 'max_output_tokens' } : null;
    const output = item === null ? [] : [item];
    return { ...head, status, incomplete_details: details, output, usage: written === null ? null : usageOf(written) };
  };
}

/** Null for estimates, which would pass for exact counts. */
function usageOf({ usage: { promptTokens, completionTokens, totalTokens, estimated } }: WrittenText) {
  if (estimated === true) return null;
  const details = { input_tokens_details: { cached_tokens: 0 }, output_tokens_details: { reasoning_tokens: 0 } };
  return { input_tokens: promptTokens, output_tokens: completionTokens, total_tokens: totalTokens, ...details };
}

function streamResponse(
  context: Context<HttpEnv>,
  call: TextCall,
  view: ReturnType<typeof openAiResponseView>,
  use: ToolUse | null,
): Response {
  return eventStream(context, async (stream) => {
    stream.onAbort(() => call.leave());
    let sequence = 0;
    const sendResponseEvent = async (type: string, fields: object) => {
      const data = JSON.stringify({ type, sequence_number: sequence, ...fields });
      sequence += 1;
      await stream.writeSSE({ event: type, data });
    };
    try {
      await sendResponseEvent('response.created', { response: view(null, null) });
      await sendResponseEvent('response.in_progress', { response: view(null, null) });
      const { item, written } =
        use === null ? await sendText(call, sendResponseEvent) : await sendAnswer(call, sendResponseEvent, use);
      const end = written.finishReason === 'stop' ? 'completed' : 'incomplete';
      await sendResponseEvent(`response.${end}`, { response: view(item, written) });
    } catch (error) {
      const { message, code } = (openaiError(error).body as { error: { message: string; code: string } }).error;
      const response = { ...view(null, null), status: 'failed', error: { code, message } };
      await sendResponseEvent('response.failed', { response });
    }
  });
}

type Send = (type: string, fields: object) => Promise<void>;

interface Sent {
  item: OutputItem;
  written: WrittenText;
}

/** A text, piece by piece. */
async function sendText(call: TextCall, send: Send): Promise<Sent> {
  const id = idOf('msg_');
  const place = { item_id: id, output_index: 0, content_index: 0 };
  call.onText((delta) => void send('response.output_text.delta', { ...place, delta, logprobs: [] }));
  const begun = { type: 'message', id, status: 'in_progress', role: 'assistant', content: [] };
  await send('response.output_item.added', { output_index: 0, item: begun });
  await send('response.content_part.added', { ...place, part: outputTextPart('') });
  const written = await call.result();
  return { item: await endText(send, { id, text: written.content, written }), written };
}

async function endText(send: Send, { id, text, written }: { id: string; text: string; written: WrittenText }) {
  const place = { item_id: id, output_index: 0, content_index: 0 };
  const item = itemOf({ text }, written, id);
  await send('response.output_text.done', { ...place, text, logprobs: [] });
  await send('response.content_part.done', { ...place, part: outputTextPart(text) });
  await send('response.output_item.done', { output_index: 0, item });
  return item;
}

/** A call, or a text instead of one. Which of them it is shows at the end. */
async function sendAnswer(call: TextCall, send: Send, use: ToolUse): Promise<Sent> {
  const written = await call.result();
  const answer = readToolAnswer(written, use);
  const item = itemOf(answer, written);
  const place = { item_id: item.id, output_index: 0 };
  if ('call' in answer) {
    const { name, arguments: given } = answer.call;
    await send('response.output_item.added', {
      output_index: 0,
      item: { ...item, arguments: '', status: 'in_progress' },
    });
    await send('response.function_call_arguments.delta', { ...place, delta: given });
    await send('response.function_call_arguments.done', { ...place, name, arguments: given });
    await send('response.output_item.done', { output_index: 0, item });
    return { item, written };
  }
  await send('response.output_item.added', { output_index: 0, item: { ...item, content: [], status: 'in_progress' } });
  await send('response.content_part.added', { ...place, content_index: 0, part: outputTextPart('') });
  const delta = { ...place, content_index: 0, delta: answer.text, logprobs: [] };
  if (answer.text !== '') await send('response.output_text.delta', delta);
  return { item: await endText(send, { id: item.id, text: answer.text, written }), written };
}
