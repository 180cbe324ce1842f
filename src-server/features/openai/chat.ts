import type { Context } from 'hono';
import { z } from 'zod';
import type { HttpEnv } from '../../platform/http/env.ts';
import { eventStream } from '../../platform/http/event-stream.ts';
import { parseWithSchema } from '../../platform/http/validate.ts';
import { newId } from '../../platform/ids.ts';
import { omitUndefined } from '../../platform/omit-undefined.ts';
import { tell } from '../../platform/text/say.ts';
import type { JobService } from '../jobs/service.ts';
import { MAX_TOKENS_MAX } from '../text/schema.ts';
import { checkOthers, openaiError } from './errors.ts';
import { samplingOf, startText, type TextCall, type WrittenText } from './text-call.ts';
import {
  FUNCTION_SHAPE,
  readToolAnswer,
  type ToolCall,
  ToolName,
  type ToolUse,
  toolList,
  toolPrompt,
  toolSchema,
  toolUse,
} from './tools.ts';

/** Chat completions and the older completions, on the operation generate/text. Messages become one prompt. */
const MESSAGES_MAX = 1000;

/** The highest of OpenAI's interface. The text engine has 1. */
const TEMPERATURE_MAX = 2;

const TOP_P_LEAST = 0.001;

const TextPart = z.looseObject({ type: z.literal('text', 'Only text parts are supported.'), text: z.string() });

/** Wraps a string in a list first. With a union, the error for an image part would ask for a string. */
const Content = z.preprocess(
  (given) => (typeof given === 'string' ? [{ type: 'text', text: given }] : given),
  z.array(TextPart, 'Give a string, or a list of text parts.'),
);

const ROLES = ['system', 'developer', 'user', 'assistant', 'tool'] as const;

const CalledTool = z.looseObject({
  id: z.string(),
  type: z.literal('function', 'Only functions are supported.'),
  function: z.looseObject({ name: ToolName, arguments: z.string() }),
});

const Message = z
  .looseObject({
    role: z.enum(ROLES, `Only ${ROLES.join(', ')} may speak.`),
    content: Content.nullish(),
    tool_calls: z.array(CalledTool).nullish(),
    tool_call_id: z.string().nullish(),
  })
  .superRefine(({ role, content, tool_calls: calls, tool_call_id: id }, { addIssue }) => {
    const addMessageFault = (field: string, message: string) => addIssue({ code: 'custom', path: [field], message });
    const called = calls?.length ?? 0;
    if (called > 0 && role !== 'assistant') addMessageFault('tool_calls', 'Only the assistant calls functions.');
    if (!content && called === 0) addMessageFault('content', 'Give a string, or a list of text parts.');
    if (role === 'tool' && !id) addMessageFault('tool_call_id', 'Give the id of the call that this answers.');
    if (role !== 'tool' && id) addMessageFault('tool_call_id', 'Only a message of the role tool answers a call.');
  });

const ChatTool = z.looseObject({
  type: z.literal('function', 'Only functions are supported.'),
  function: z.looseObject(FUNCTION_SHAPE),
});

const ToolChoice = z.union(
  [
    z.enum(['auto', 'none', 'required']),
    z.looseObject({ type: z.literal('function'), function: z.looseObject({ name: ToolName }) }),
  ],
  'Give auto, none, required, or a function.',
);

const StreamOptions = z.looseObject({ include_usage: z.boolean().optional() });

/** -1, as some clients write it, is no limit. */
const Length = z.int().refine((tokens) => tokens === -1 || tokens > 0, tell`Give a number of tokens from 1.`);

/** Fields that would change the answer are refused unless neutral. */
const Writing = {
  model: z.string().min(1).max(200),
  max_tokens: Length.nullish(),
  max_output_tokens: Length.nullish(),
  temperature: z.number().min(0).max(TEMPERATURE_MAX).nullish(),
  top_p: z.number().min(0).max(1).nullish(),
  seed: z.int().nullish(),
  stop: z.preprocess((given) => (typeof given === 'string' ? [given] : given), z.array(z.string()).max(4).nullish()),
  stream: z.boolean().nullish(),
  stream_options: StreamOptions.nullish(),
  n: z.literal(1, 'Only one completion per request is supported.').nullish(),
};

const ResponseFormat = z.discriminatedUnion(
  'type',
  [
    z.looseObject({ type: z.literal('text') }),
    z.looseObject({ type: z.literal('json_object') }),
    z.looseObject({
      type: z.literal('json_schema'),
      json_schema: z.looseObject({ schema: z.record(z.string(), z.unknown()) }),
    }),
  ],
  'Give the type text, json_object or json_schema.',
);

const ChatRequest = z.looseObject({
  ...Writing,
  messages: z.array(Message).min(1).max(MESSAGES_MAX),
  max_completion_tokens: Length.nullish(),
  response_format: ResponseFormat.nullish(),
  tools: toolList(ChatTool),
  tool_choice: ToolChoice.nullish(),
});

type ChatRequest = z.infer<typeof ChatRequest>;

const CompletionRequest = z.looseObject({
  ...Writing,
  prompt: z.preprocess(
    (given) => (Array.isArray(given) && given.length === 1 ? given[0] : given),
    z.string('Give one prompt as text.'),
  ),
  best_of: z.literal(1, 'Only one completion per request is supported.').nullish(),
});

const NAMES = { topP: 'top_p', maxTokens: 'max_tokens', format: 'response_format.json_schema.schema' };

/** How one of the two interfaces writes an answer. */
interface Form {
  head: object;
  whole: string;
  piece: string;
  /** The choice of a whole answer. */
  choice(content: string): object;
  /** The choice of a piece; null is what comes before the first. */
  part(text: string | null): object;
  end: object;
}

export async function chatCompletion(
  service: JobService,
  context: Context<HttpEnv>,
  body: Record<string, unknown>,
  nowSeconds: () => number,
): Promise<Response> {
  const request = parseWithSchema(ChatRequest, body);
  checkOthers(context, request, ChatRequest.shape);
  for (const [index, message] of request.messages.entries()) {
    checkOthers(context, message, Message.shape, `messages.${index}.`);
  }
  const use = toolUseOf(context, request);
  const fields = {
    ...chatWritingFields(context, request),
    prompt: conversationPrompt([
      ...(use === null ? [] : [systemText(toolPrompt(use))]),
      ...chatTurns(request.messages),
    ]),
    format: use === null ? formatOf(request.response_format) : toolSchema(use),
  };
  const names = {
    ...NAMES,
    prompt: 'messages',
    ...omitUndefined({ format: use === null ? undefined : 'tools' }),
    maxTokens: lengthOf(request).name,
  };
  const call = await startText(service, context, fields, names);
  const head = { id: newId('req').replace('req_', 'chatcmpl-'), created: nowSeconds(), model: request.model };
  if (use !== null) return answerWithTools(context, call, request, head, use);
  return answerChatCall(context, call, request, {
    head,
    ...CHAT,
    choice: (content) => ({ message: { role: 'assistant', content, refusal: null } }),
    part: (text) => ({ delta: text === null ? { role: 'assistant', content: '' } : { content: text } }),
    end: { delta: {} },
  });
}

const CHAT = { whole: 'chat.completion', piece: 'chat.completion.chunk' };

/** What the model may call. Errors: `invalid_request` naming the field. */
function toolUseOf(context: Context<HttpEnv>, request: ChatRequest): ToolUse | null {
  const { tools, tool_choice: choice, response_format: format } = request;
  for (const [index, tool] of (tools ?? []).entries()) {
    checkOthers(context, tool, ChatTool.shape, `tools.${index}.`);
    checkOthers(context, tool.function, FUNCTION_SHAPE, `tools.${index}.function.`);
  }
  const functions = (tools ?? []).map((tool) => tool.function);
  const chosen = typeof choice === 'object' && choice !== null ? choice.function : (choice ?? null);
  return toolUse(functions, chosen, formatOf(format));
}

/** Calls and their results as text, in the form in which the model writes calls. */
function chatTurns(messages: ChatRequest['messages']): Turn[] {
  return messages.map(({ role, content, tool_calls: calls }) => {
    const called = (calls ?? []).map(({ function: { name, arguments: given } }) => ({ text: callText(name, given) }));
    return { role, content: [...(content ?? []), ...called] };
  });
}

/** The model writes a call whole, so a stream has it in one piece. */
async function answerWithTools(
  context: Context<HttpEnv>,
  call: TextCall,
  request: WritingRequest,
  head: object,
  use: ToolUse,
): Promise<Response> {
  const readChatAnswer = async () => {
    const written = await call.result();
    const given = readToolAnswer(written, use);
    const isCall = 'call' in given && written.finishReason === 'stop';
    return { given, finish: isCall ? 'tool_calls' : written.finishReason, usage: written.usage };
  };
  if (request.stream !== true) {
    const { given, finish, usage } = await readChatAnswer();
    const called = 'call' in given ? { content: null, tool_calls: [chatCall(given.call)] } : { content: given.text };
    const message = { role: 'assistant', ...called, refusal: null };
    const choices = [{ index: 0, message, logprobs: null, finish_reason: finish }];
    return context.json({ ...head, object: CHAT.whole, choices, ...usageOf(usage) });
  }
  return chunkStream(context, call, request, { head, piece: CHAT.piece }, async (chunk) => {
    await chunk({ delta: { role: 'assistant', content: null } }, null);
    const { given, finish, usage } = await readChatAnswer();
    const delta = 'call' in given ? { tool_calls: [{ index: 0, ...chatCall(given.call) }] } : { content: given.text };
    await chunk({ delta }, null);
    await chunk({ delta: {} }, finish);
    return usage;
  });
}

function chatCall({ id, name, arguments: given }: ToolCall) {
  return { id, type: 'function', function: { name, arguments: given } };
}

/** The model continues the prompt without its chat template. */
export async function answerCompletion(
  service: JobService,
  context: Context<HttpEnv>,
  body: Record<string, unknown>,
  nowSeconds: () => number,
): Promise<Response> {
  const request = parseWithSchema(CompletionRequest, body);
  checkOthers(context, request, CompletionRequest.shape);
  const fields = { ...chatWritingFields(context, request), prompt: request.prompt, raw: true };
  const call = await startText(service, context, fields, NAMES);
  return answerChatCall(context, call, request, {
    head: { id: newId('req').replace('req_', 'cmpl-'), created: nowSeconds(), model: request.model },
    whole: 'text_completion',
    piece: 'text_completion',
    choice: (content) => ({ text: content }),
    part: (text) => ({ text: text ?? '' }),
    end: { text: '' },
  });
}

type WritingRequest = Pick<ChatRequest, keyof typeof Writing> & Partial<Pick<ChatRequest, 'max_completion_tokens'>>;

function chatWritingFields(context: Context<HttpEnv>, request: WritingRequest): Record<string, unknown> {
  if (request.stream_options) checkOthers(context, request.stream_options, StreamOptions.shape, 'stream_options.');
  const { model, temperature, top_p, seed, stop } = request;
  const length = lengthOf(request);
  const names = { temperature: 'temperature', maxTokens: length.name };
  const sampling = samplingOf(context, { temperature, seed, maxTokens: length.tokens }, names);
  // Other servers take 0 for the likeliest token alone.
  const topP = top_p === 0 ? TOP_P_LEAST : top_p;
  return { model, ...sampling, topP, stop: stop?.length === 0 ? null : stop };
}

const LENGTHS = ['max_completion_tokens', 'max_tokens', 'max_output_tokens'] as const;

/** The longest answer, and the name that it has here. */
function lengthOf(request: WritingRequest): { name: string; tokens: number | null } {
  const name = LENGTHS.find((one) => (request[one] ?? null) !== null) ?? 'max_tokens';
  const tokens = request[name] ?? null;
  return { name, tokens: tokens === -1 ? MAX_TOKENS_MAX : tokens };
}

function formatOf(format: ChatRequest['response_format']): Record<string, unknown> | 'json' | undefined {
  if (format?.type === 'json_object') return 'json';
  return format?.type === 'json_schema' ? format.json_schema.schema : undefined;
}

async function answerChatCall(
  context: Context<HttpEnv>,
  call: TextCall,
  request: WritingRequest,
  { head, whole, piece, choice, part, end }: Form,
): Promise<Response> {
  if (request.stream !== true) {
    const { content, finishReason, usage } = await call.result();
    return context.json({
      ...head,
      object: whole,
      choices: chatChoices(choice(content), finishReason),
      ...usageOf(usage),
    });
  }
  return chunkStream(context, call, request, { head, piece }, async (chunk) => {
    call.onText((text) => void chunk(part(text), null));
    await chunk(part(null), null);
    const { finishReason, usage } = await call.result();
    await chunk(end, finishReason);
    return usage;
  });
}

type Chunk = (choice: object, finish: string | null) => Promise<void>;

/** @param write sends the chunks and returns the usage */
function chunkStream(
  context: Context<HttpEnv>,
  call: TextCall,
  { stream_options: options }: WritingRequest,
  { head, piece }: Pick<Form, 'head' | 'piece'>,
  write: (chunk: Chunk) => Promise<WrittenText['usage']>,
): Response {
  return eventStream(context, async (stream) => {
    stream.onAbort(() => call.leave());
    const sendChatChunk = (more: object) => stream.writeSSE({ data: JSON.stringify(more) });
    try {
      const usage = await write((one, finish) =>
        sendChatChunk({ ...head, object: piece, choices: chatChoices(one, finish) }),
      );
      if (options?.include_usage === true && usage.estimated !== true) {
        await sendChatChunk({ ...head, object: piece, choices: [], ...usageOf(usage) });
      }
      await stream.writeSSE({ data: '[DONE]' });
    } catch (error) {
      await sendChatChunk(openaiError(error).body);
    }
  });
}

function chatChoices(one: object, finish: string | null): object[] {
  return [{ index: 0, ...one, logprobs: null, finish_reason: finish }];
}

export interface Turn {
  role: (typeof ROLES)[number];
  content: Parts;
}

export function systemText(text: string): Turn {
  return { role: 'system', content: [{ text }] };
}

/** A call as the model writes one. */
export function callText(name: string, given: string): string {
  return `{"name": ${JSON.stringify(name)}, "arguments": ${given}}`;
}

/** A single user message is the prompt. A conversation becomes a transcript with roles. */
export function conversationPrompt(messages: readonly Turn[]): string {
  const texts = messages.map(({ role, content }) => ({ role, text: joinTextParts(content) }));
  const [only] = texts;
  if (texts.length === 1 && only?.role === 'user') return only.text;
  const names = { system: 'System', developer: 'System', user: 'User', assistant: 'Assistant', tool: 'Result' };
  const lines = texts.map(({ role, text }) => `${names[role]}: ${text}`);
  return `${lines.join('\n\n')}\n\nAssistant:`;
}

type Parts = readonly { text: string }[];

function joinTextParts(content: Parts): string {
  return content.map(({ text }) => text).join('\n');
}

/** Leaves out estimates: OpenAI's format cannot mark them, so they would pass for exact counts. */
function usageOf({ promptTokens, completionTokens, totalTokens, estimated }: WrittenText['usage']) {
  if (estimated === true) return {};
  return {
    usage: { prompt_tokens: promptTokens, completion_tokens: completionTokens, total_tokens: totalTokens },
  };
}
