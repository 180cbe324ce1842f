import type { Context } from 'hono';
import { z } from 'zod';
import type { HttpEnv } from '../../platform/http/env.ts';
import { eventStream } from '../../platform/http/event-stream.ts';
import { parseWithSchema } from '../../platform/http/validate.ts';
import { newId } from '../../platform/ids.ts';
import type { JobService } from '../jobs/service.ts';
import { openaiError, refuseOthers } from './errors.ts';
import { startText, type TextCall, type WrittenText } from './text-call.ts';

/** Chat completions and the older completions, on the operation generate/text. Messages become one prompt. */
const MESSAGES_MAX = 1000;

const TextPart = z.looseObject({ type: z.literal('text', 'Only text parts are supported.'), text: z.string() });

/** Wraps a string in a list first. With a union, the error for an image part would ask for a string. */
const Content = z.preprocess(
  (given) => (typeof given === 'string' ? [{ type: 'text', text: given }] : given),
  z.array(TextPart, 'Give a string, or a list of text parts.'),
);

const Message = z.looseObject({
  role: z.enum(['system', 'developer', 'user', 'assistant'], 'Only system, developer, user and assistant may speak.'),
  content: Content,
});

const StreamOptions = z.looseObject({ include_usage: z.boolean().optional() });

/** Fields that would change the answer are refused unless neutral. */
const Writing = {
  model: z.string().min(1).max(200),
  max_tokens: z.int().min(1).nullish(),
  temperature: z.number().min(0).max(1).nullish(),
  top_p: z.number().min(0).max(1).nullish(),
  seed: z.int().nullish(),
  stop: z.preprocess((given) => (typeof given === 'string' ? [given] : given), z.array(z.string()).max(4).nullish()),
  stream: z.boolean().nullish(),
  stream_options: StreamOptions.nullish(),
  n: z.literal(1, 'Only one completion per request is supported.').nullish(),
  presence_penalty: z.literal(0, 'Penalties are not supported.').nullish(),
  frequency_penalty: z.literal(0, 'Penalties are not supported.').nullish(),
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
  max_completion_tokens: z.int().min(1).nullish(),
  response_format: ResponseFormat.nullish(),
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
  refuseOthers(request, ChatRequest.shape);
  for (const [index, message] of request.messages.entries()) {
    refuseOthers(message, Message.shape, `messages.${index}.`);
  }
  const isNewName = (request.max_completion_tokens ?? null) !== null;
  const fields = {
    ...writingOf(request),
    ...(isNewName ? { maxTokens: request.max_completion_tokens } : {}),
    prompt: promptOf(request.messages),
    format: formatOf(request.response_format),
  };
  const names = { ...NAMES, prompt: 'messages', ...(isNewName ? { maxTokens: 'max_completion_tokens' } : {}) };
  const call = await startText(service, context, fields, names);
  return answer(context, call, request, {
    head: { id: newId('req').replace('req_', 'chatcmpl-'), created: nowSeconds(), model: request.model },
    whole: 'chat.completion',
    piece: 'chat.completion.chunk',
    choice: (content) => ({ message: { role: 'assistant', content, refusal: null } }),
    part: (text) => ({ delta: text === null ? { role: 'assistant', content: '' } : { content: text } }),
    end: { delta: {} },
  });
}

/** The model continues the prompt without its chat template. */
export async function completion(
  service: JobService,
  context: Context<HttpEnv>,
  body: Record<string, unknown>,
  nowSeconds: () => number,
): Promise<Response> {
  const request = parseWithSchema(CompletionRequest, body);
  refuseOthers(request, CompletionRequest.shape);
  const fields = { ...writingOf(request), prompt: request.prompt, raw: true };
  const call = await startText(service, context, fields, NAMES);
  return answer(context, call, request, {
    head: { id: newId('req').replace('req_', 'cmpl-'), created: nowSeconds(), model: request.model },
    whole: 'text_completion',
    piece: 'text_completion',
    choice: (content) => ({ text: content }),
    part: (text) => ({ text: text ?? '' }),
    end: { text: '' },
  });
}

type WritingRequest = Pick<ChatRequest, keyof typeof Writing>;

function writingOf(request: WritingRequest): Record<string, unknown> {
  if (request.stream_options) refuseOthers(request.stream_options, StreamOptions.shape, 'stream_options.');
  const { model, max_tokens: maxTokens, temperature, top_p: topP, seed, stop } = request;
  return { model, maxTokens, temperature, topP, seed, stop: stop?.length === 0 ? null : stop };
}

function formatOf(format: ChatRequest['response_format']): unknown {
  if (format?.type === 'json_object') return 'json';
  return format?.type === 'json_schema' ? format.json_schema.schema : undefined;
}

async function answer(
  context: Context<HttpEnv>,
  call: TextCall,
  { stream: streams, stream_options: options }: WritingRequest,
  { head, whole, piece, choice, part, end }: Form,
): Promise<Response> {
  const choices = (one: object, finish: string | null) => [{ index: 0, ...one, logprobs: null, finish_reason: finish }];
  if (streams !== true) {
    const { content, finishReason, usage } = await call.result();
    return context.json({
      ...{ ...head, object: whole, choices: choices(choice(content), finishReason) },
      ...usageOf(usage),
    });
  }
  return eventStream(context, async (stream) => {
    stream.onAbort(() => call.leave());
    const send = (more: object) => stream.writeSSE({ data: JSON.stringify(more) });
    const chunk = (one: object, finish: string | null) =>
      send({ ...head, object: piece, choices: choices(one, finish) });
    call.onText((text) => void chunk(part(text), null));
    try {
      await chunk(part(null), null);
      const { finishReason, usage } = await call.result();
      await chunk(end, finishReason);
      if (options?.include_usage === true && usage.estimated !== true) {
        await send({ ...head, object: piece, choices: [], ...usageOf(usage) });
      }
      await stream.writeSSE({ data: '[DONE]' });
    } catch (error) {
      await send(openaiError(error).body);
    }
  });
}

/** A single user message is the prompt. A conversation becomes a transcript with roles. */
export function promptOf(messages: readonly { role: ChatRequest['messages'][number]['role']; content: Parts }[]) {
  const texts = messages.map(({ role, content }) => ({ role, text: textOf(content) }));
  const [only] = texts;
  if (texts.length === 1 && only?.role === 'user') return only.text;
  const names = { system: 'System', developer: 'System', user: 'User', assistant: 'Assistant' };
  const lines = texts.map(({ role, text }) => `${names[role]}: ${text}`);
  return `${lines.join('\n\n')}\n\nAssistant:`;
}

type Parts = readonly { text: string }[];

function textOf(content: Parts): string {
  return content.map(({ text }) => text).join('\n');
}

/** Leaves out estimates: OpenAI's format cannot mark them, so they would pass for exact counts. */
function usageOf({ promptTokens, completionTokens, totalTokens, estimated }: WrittenText['usage']) {
  if (estimated === true) return {};
  return {
    usage: { prompt_tokens: promptTokens, completion_tokens: completionTokens, total_tokens: totalTokens },
  };
}
