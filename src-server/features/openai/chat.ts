import type { Context } from 'hono';
import { z } from 'zod';
import type { HttpEnv } from '../../platform/http/env.ts';
import { eventStream } from '../../platform/http/event-stream.ts';
import { parseWithSchema } from '../../platform/http/validate.ts';
import { newId } from '../../platform/ids.ts';
import type { JobService } from '../jobs/service.ts';
import { acceptCall } from '../jobs/service.ts';
import { inTermsOf, openaiError, refuseField } from './errors.ts';

/** Chat completions, on the operation generate/text. The messages become one prompt. */
const MESSAGES_MAX = 1000;

const TextPart = z.looseObject({ type: z.literal('text', 'Only text parts are supported.'), text: z.string() });

/** Wraps a string in a list first. With a union, the error for an image part would ask for a string. */
const Content = z.preprocess(
  (given) => (typeof given === 'string' ? [{ type: 'text', text: given }] : given),
  z.array(TextPart, 'Give a string, or a list of text parts.'),
);

const Message = z.looseObject({
  role: z.enum(['system', 'developer', 'user', 'assistant']),
  content: Content,
});

/** Fields without effect here are ignored. Fields that would change the answer are refused unless neutral. */
const ChatRequest = z.looseObject({
  model: z.string().min(1).max(200),
  messages: z.array(Message).min(1).max(MESSAGES_MAX),
  max_tokens: z.int().min(1).nullish(),
  max_completion_tokens: z.int().min(1).nullish(),
  temperature: z.number().min(0).max(1).nullish(),
  stream: z.boolean().nullish(),
  stream_options: z.looseObject({ include_usage: z.boolean().optional() }).nullish(),
  n: z.literal(1, 'Only one completion per request is supported.').nullish(),
  top_p: z.literal(1, 'Only temperature is supported.').nullish(),
  presence_penalty: z.literal(0, 'Penalties are not supported.').nullish(),
  frequency_penalty: z.literal(0, 'Penalties are not supported.').nullish(),
});

type ChatRequest = z.infer<typeof ChatRequest>;

const UNSUPPORTED = ['tools', 'functions', 'response_format', 'stop', 'logprobs', 'logit_bias', 'audio', 'modalities'];

interface Answer {
  content: string;
  model: string;
  finishReason: 'stop' | 'length';
  usage: { promptTokens: number; completionTokens: number; totalTokens: number; estimated?: true };
}

export async function chatCompletion(
  service: JobService,
  context: Context<HttpEnv>,
  body: Record<string, unknown>,
  nowSeconds: () => number,
): Promise<Response> {
  const request = parseWithSchema(ChatRequest, body);
  for (const field of UNSUPPORTED) {
    if (isAsked(request[field])) throw refuseField(field, `${field} is not supported. Leave it out.`);
  }
  const gone = new AbortController();
  context.req.raw.signal.addEventListener('abort', () => gone.abort(), { once: true });
  const head = { id: newId('req').replace('req_', 'chatcmpl-'), created: nowSeconds(), model: request.model };
  let emit = (_text: string): void => {};
  const maxTokens = request.max_completion_tokens ?? request.max_tokens;
  const call = acceptCall(service, {
    operationId: 'generate/text',
    principal: context.get('principal'),
    value: {
      prompt: promptOf(request.messages),
      model: request.model,
      ...given('maxTokens', maxTokens),
      ...given('temperature', request.temperature),
    },
    signal: gone.signal,
    emit: (_event, { text }) => emit(String(text)),
  });
  const limitName = maxTokens === request.max_completion_tokens ? 'max_completion_tokens' : 'max_tokens';
  const accepted = await inTermsOf({ prompt: 'messages', maxTokens: limitName }, call);
  context.header('X-Quarry-Job-Id', accepted.jobId);
  if (request.stream !== true) {
    const { content, finishReason, usage } = (await accepted.result()) as unknown as Answer;
    const message = { role: 'assistant', content, refusal: null };
    const choices = [{ index: 0, message, logprobs: null, finish_reason: finishReason }];
    return context.json({ ...head, object: 'chat.completion', choices, ...usageOf(usage) });
  }
  return eventStream(context, async (stream) => {
    stream.onAbort(() => gone.abort());
    const send = (part: object) => stream.writeSSE({ data: JSON.stringify(part) });
    const chunk = (delta: object, finish: string | null, more: object = {}) =>
      send({
        ...head,
        object: 'chat.completion.chunk',
        choices: [{ index: 0, delta, logprobs: null, finish_reason: finish }],
        ...more,
      });
    emit = (text) => void chunk({ content: text }, null);
    try {
      await chunk({ role: 'assistant', content: '' }, null);
      const { finishReason, usage } = (await accepted.result()) as unknown as Answer;
      await chunk({}, finishReason);
      if (request.stream_options?.include_usage === true && usage.estimated !== true) {
        await send({ ...head, object: 'chat.completion.chunk', choices: [], ...usageOf(usage) });
      }
      await stream.writeSSE({ data: '[DONE]' });
    } catch (error) {
      await send(openaiError(error).body);
    }
  });
}

/** A single user message is the prompt. A conversation becomes a transcript with roles. */
export function promptOf(messages: ChatRequest['messages']): string {
  const texts = messages.map(({ role, content }) => ({ role, text: textOf(content) }));
  const [only] = texts;
  if (texts.length === 1 && only?.role === 'user') return only.text;
  const names = { system: 'System', developer: 'System', user: 'User', assistant: 'Assistant' };
  const lines = texts.map(({ role, text }) => `${names[role]}: ${text}`);
  return `${lines.join('\n\n')}\n\nAssistant:`;
}

function textOf(content: z.infer<typeof Content>): string {
  return content.map(({ text }) => text).join('\n');
}

function isAsked(value: unknown): boolean {
  if (value === undefined || value === null || value === false || isTextAlone(value)) return false;
  if (typeof value === 'object' && (value as { type?: unknown }).type === 'text') return false;
  return !(typeof value === 'object' && Object.keys(value).length === 0);
}

/** `modalities`, as sent by clients that want only text. */
function isTextAlone(value: unknown): boolean {
  return Array.isArray(value) && value.length === 1 && value[0] === 'text';
}

function given(name: string, value: unknown): Record<string, unknown> {
  return value === undefined || value === null ? {} : { [name]: value };
}

/** Leaves out estimates: OpenAI's format cannot mark them, so they would pass for exact counts. */
function usageOf({ promptTokens, completionTokens, totalTokens, estimated }: Answer['usage']) {
  if (estimated === true) return {};
  return {
    usage: { prompt_tokens: promptTokens, completion_tokens: completionTokens, total_tokens: totalTokens },
  };
}
