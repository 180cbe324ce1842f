/**
 * Servers on this machine that speak the OpenAI protocol: the one the owner names, or those found where Ollama, LM
 * Studio and llama-server listen. A key, where one is needed, comes from the environment and is never logged or shown.
 */
import { z } from 'zod';
import { QuarryError } from '../contract/index.ts';
import type { Clock } from '../lib/clock.ts';
import { SECOND_MS } from '../lib/units.ts';
import type { TextAnswer, TextRequest } from '../operations/operation.ts';

/** Where such servers listen unless they were told otherwise: Ollama, LM Studio, llama-server. */
export const KNOWN_SERVERS = ['http://127.0.0.1:11434', 'http://127.0.0.1:1234', 'http://127.0.0.1:8080'];
/** A server on the same machine that has not answered by then is not there. */
const PROBE_LIMIT_MS = SECOND_MS;
/** How long what was found counts as what there is. */
const KNOWN_FOR_MS = 15 * SECOND_MS;
const MODELS_MAX = 200;
/** Bytes of one line of a stream; a longer one is no event. */
const LINE_CHARS_MAX = 1_000_000;

export interface TextServersParts {
  clock: Clock;
  /** Set by the owner; null means to look at the known places. */
  serverUrl(): string | null;
  knownServers?: readonly string[] | undefined;
  apiKey?: string | undefined;
}

export interface ServedModel {
  name: string;
  /** Base address of its server, without `/v1`. */
  url: string;
}

export interface TextServers {
  list(): Promise<ServedModel[]>;
  /** Errors: `engine_failed`, `engine_unavailable`, and the signal's reason. */
  generate(
    model: ServedModel,
    request: TextRequest,
    onText: (text: string) => void,
    signal: AbortSignal,
  ): Promise<TextAnswer>;
}

const ModelList = z.object({ data: z.array(z.object({ id: z.string().min(1).max(200) })).max(MODELS_MAX) });
const StreamPart = z.object({
  choices: z
    .array(
      z.object({
        delta: z.object({ content: z.string().nullish() }).optional(),
        finish_reason: z.string().nullish(),
      }),
    )
    .optional(),
  usage: z.object({ prompt_tokens: z.int().min(0), completion_tokens: z.int().min(0) }).nullish(),
});

export function createTextServers(parts: TextServersParts): TextServers {
  let found: { at: number; for: string; models: ServedModel[] } | null = null;
  const headers: Record<string, string> = { 'content-type': 'application/json' };
  if (parts.apiKey) headers.authorization = `Bearer ${parts.apiKey}`;
  return {
    async list() {
      const named = parts.serverUrl();
      const urls = named === null ? (parts.knownServers ?? KNOWN_SERVERS) : [named];
      const key = urls.join(' ');
      const now = parts.clock.now();
      if (found !== null && found.for === key && now - found.at < KNOWN_FOR_MS) return found.models;
      // A server that the known places only happen to hold must not be handed the owner's key.
      const models = (await Promise.all(urls.map((url) => modelsOf(url, named === null ? {} : headers)))).flat();
      found = { at: now, for: key, models };
      return models;
    },
    async generate(model, request, onText, signal) {
      const named = parts.serverUrl() !== null;
      const response = await ask(
        model.url,
        named ? headers : { 'content-type': 'application/json' },
        {
          model: model.name,
          messages: [{ role: 'user', content: request.prompt }],
          max_tokens: request.maxTokens,
          temperature: request.temperature,
          stream: true,
          stream_options: { include_usage: true },
        },
        signal,
      );
      return readAnswer(model.name, response, onText, signal);
    },
  };
}

async function modelsOf(url: string, headers: Record<string, string>): Promise<ServedModel[]> {
  try {
    const answer = await fetch(`${baseOf(url)}/v1/models`, { headers, signal: AbortSignal.timeout(PROBE_LIMIT_MS) });
    if (!answer.ok) return [];
    const { data } = ModelList.parse(await answer.json());
    return data.map(({ id }) => ({ name: id, url }));
  } catch {
    // Nobody listens there, or it is a server of another kind: it offers no models.
    return [];
  }
}

async function ask(url: string, headers: Record<string, string>, body: object, signal: AbortSignal): Promise<Response> {
  let answer: Response;
  try {
    const init = { method: 'POST', headers, body: JSON.stringify(body), signal };
    answer = await fetch(`${baseOf(url)}/v1/chat/completions`, init);
  } catch (error) {
    signal.throwIfAborted();
    throw new QuarryError('engine_unavailable', 'The text server of this machine does not answer. Start it again.', {
      cause: error,
      retryable: true,
    });
  }
  if (answer.ok && answer.body !== null) return answer;
  await answer.body?.cancel();
  throw brokenAnswer(`It answered ${answer.status}.`);
}

async function readAnswer(
  model: string,
  response: Response,
  onText: (text: string) => void,
  signal: AbortSignal,
): Promise<TextAnswer> {
  let content = '';
  let finishReason: TextAnswer['finishReason'] = 'stop';
  let usage: TextAnswer['usage'] | null = null;
  try {
    for await (const data of eventsOf(response)) {
      const part = StreamPart.parse(JSON.parse(data));
      for (const { delta, finish_reason } of part.choices ?? []) {
        if (delta?.content) {
          content += delta.content;
          onText(delta.content);
        }
        if (finish_reason === 'length') finishReason = 'length';
      }
      if (part.usage) {
        const { prompt_tokens: promptTokens, completion_tokens: completionTokens } = part.usage;
        usage = { promptTokens, completionTokens, totalTokens: promptTokens + completionTokens };
      }
    }
  } catch (error) {
    signal.throwIfAborted();
    throw brokenAnswer(error);
  }
  if (usage === null) throw brokenAnswer('It did not say how many tokens it used.');
  return { content, model, finishReason, usage };
}

/** The data of server-sent events, up to `[DONE]`. */
async function* eventsOf(response: Response): AsyncGenerator<string> {
  let rest = '';
  const decoder = new TextDecoder();
  for await (const bytes of response.body as ReadableStream<Uint8Array>) {
    rest += decoder.decode(bytes, { stream: true });
    const lines = rest.split(/\r?\n/);
    rest = lines.pop() ?? '';
    if (rest.length > LINE_CHARS_MAX) throw new Error('A line of the stream is too long.');
    for (const line of lines) {
      const data = /^data: ?(.*)$/.exec(line)?.[1];
      if (data === '[DONE]') return;
      if (data !== undefined && data !== '') yield data;
    }
  }
}

function baseOf(url: string): string {
  return url.replace(/\/+$/, '').replace(/\/v1$/, '');
}

function brokenAnswer(cause: unknown): QuarryError {
  const message = 'The text server of this machine gave an answer that is none. Look at its log, or choose a model.';
  return new QuarryError('engine_failed', message, { cause, retryable: true });
}
