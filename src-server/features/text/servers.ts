/**
 * Servers on this machine that speak the OpenAI protocol: the one the owner names, or those found where Ollama, LM
 * Studio and llama-server listen. A key, where one is needed, comes from the environment and is never logged or shown.
 */

import { z } from 'zod';
import type { Clock } from '../../platform/clock.ts';
import { QuarryError } from '../../platform/errors.ts';
import { SECOND_MS } from '../../platform/units.ts';
import { namesEmbedding } from '../models/schema.ts';
import type { TextAnswer, TextRequest } from './schema.ts';

/** Where such servers listen unless they were told otherwise: Ollama, LM Studio, llama-server. */
export const KNOWN_SERVERS = ['http://127.0.0.1:11434', 'http://127.0.0.1:1234', 'http://127.0.0.1:8080'];

/** A server on the same machine that has not answered by then is not there. */
const PROBE_LIMIT_MS = SECOND_MS;

/** The one that the settings name may stand elsewhere, or load a model while it is asked. */
const NAMED_LIMIT_MS = 5 * SECOND_MS;

/** How long what was found counts as what there is. */
const KNOWN_FOR_MS = 15 * SECOND_MS;

/** Servers that stand in front of others list hundreds. */
const MODELS_MAX = 2000;

const NAME_CHARS_MAX = 200;

/** What a server says of its failure: for the log, which the owner reads. */
const WORDS_CHARS_MAX = 2000;

/** Bytes of one line of a stream; a longer one is no event. */
const LINE_CHARS_MAX = 1_000_000;

/** Of plain English, in most models' vocabularies. */
const CHARS_PER_TOKEN = 4;

/** Ends a stream. */
const DONE = '[DONE]';

export interface TextServersDeps {
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
  /** What is wrong with the server that the settings name, as it was when it was last asked for its models. */
  trouble(): QuarryError | null;
  /** Errors: `engine_failed`, `engine_unavailable`, and the signal's reason. */
  generate(
    model: ServedModel,
    request: TextRequest,
    onText: (text: string) => void,
    signal: AbortSignal,
  ): Promise<TextAnswer>;
}

const ModelList = z.object({ data: z.array(z.object({ id: z.string() })) });

const KEY_REFUSALS: ReadonlySet<number> = new Set([401, 403]);

const StreamPart = z.object({
  choices: z
    .array(
      z.object({
        delta: z.object({ content: z.string().nullish() }).nullish(),
        finish_reason: z.string().nullish(),
      }),
    )
    .nullish(),
  error: z.unknown().optional(),
  usage: z
    .object({ prompt_tokens: z.int().min(0), completion_tokens: z.int().min(0) })
    .nullish()
    .catch(null),
});

export function createTextServers(deps: TextServersDeps): TextServers {
  let found: { at: number; for: string; models: ServedModel[]; trouble: QuarryError | null } | null = null;
  const headers: Record<string, string> = { 'content-type': 'application/json' };
  if (deps.apiKey) headers.authorization = `Bearer ${deps.apiKey}`;
  return {
    async list() {
      const named = deps.serverUrl();
      const urls = named === null ? (deps.knownServers ?? KNOWN_SERVERS) : [named];
      const key = urls.join(' ');
      const now = deps.clock.now();
      if (found !== null && found.for === key && now - found.at < KNOWN_FOR_MS) return found.models;
      // A server that the known places only happen to hold must not be handed the owner's key.
      const sent = named === null ? {} : headers;
      const limitMs = named === null ? PROBE_LIMIT_MS : NAMED_LIMIT_MS;
      const looks = await Promise.all(urls.map((url) => modelsOf(url, sent, limitMs)));
      const models = looks.flatMap((look) => (look instanceof QuarryError ? [] : look));
      const trouble = named === null ? undefined : looks.find((look) => look instanceof QuarryError);
      found = { at: now, for: key, models, trouble: trouble ?? null };
      return models;
    },
    trouble: () => found?.trouble ?? null,
    async generate(model, request, onText, signal) {
      const named = deps.serverUrl() !== null;
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
      return readAnswer({ model: model.name, prompt: request.prompt }, response, onText, signal);
    },
  };
}

/** Its models, or why it has none to offer. */
async function modelsOf(
  url: string,
  headers: Record<string, string>,
  limitMs: number,
): Promise<ServedModel[] | QuarryError> {
  try {
    const answer = await fetch(`${baseOf(url)}/v1/models`, { headers, signal: AbortSignal.timeout(limitMs) });
    if (!answer.ok) {
      await answer.body?.cancel();
      return namedTrouble(KEY_REFUSALS.has(answer.status) ? 'refuses the key' : 'lists no models', answer.status);
    }
    const { data } = ModelList.parse(await answer.json());
    const names = data.map(({ id }) => id).filter((id) => id !== '' && id.length <= NAME_CHARS_MAX);
    const writing = names.filter((name) => !namesEmbedding(name));
    return writing.slice(0, MODELS_MAX).map((name) => ({ name, url }));
  } catch (error) {
    // Nobody listens there, or it is a server of another kind: it offers no models.
    return namedTrouble(error instanceof z.ZodError ? 'lists no models' : 'does not answer', error);
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
  const words = (await answer.text().catch(() => '')).slice(0, WORDS_CHARS_MAX);
  throw brokenAnswer(`answered ${answer.status} and no text`, words);
}

async function readAnswer(
  { model, prompt }: { model: string; prompt: string },
  response: Response,
  onText: (text: string) => void,
  signal: AbortSignal,
): Promise<TextAnswer> {
  let content = '';
  let finishReason: TextAnswer['finishReason'] = 'stop';
  let usage: TextAnswer['usage'] | null = null;
  let finished = false;
  let pieces = 0;
  try {
    for await (const data of eventsOf(response)) {
      if (data === DONE) {
        finished = true;
        break;
      }
      const part = StreamPart.parse(JSON.parse(data));
      if (part.error) throw brokenAnswer('ended the text with an error', data.slice(0, WORDS_CHARS_MAX));
      for (const { delta, finish_reason } of part.choices ?? []) {
        if (delta?.content) {
          content += delta.content;
          pieces += 1;
          onText(delta.content);
        }
        if (finish_reason) finished = true;
        if (finish_reason === 'length') finishReason = 'length';
      }
      if (part.usage) {
        const { prompt_tokens: promptTokens, completion_tokens: completionTokens } = part.usage;
        usage = { promptTokens, completionTokens, totalTokens: promptTokens + completionTokens };
      }
    }
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof QuarryError) throw error;
    const unread = error instanceof SyntaxError || error instanceof z.ZodError;
    throw brokenAnswer(unread ? 'sent what is no stream of text' : 'broke off in the middle of the text', error);
  }
  if (usage === null && !finished) {
    throw brokenAnswer(content === '' ? 'sent what is no stream of text' : 'broke off in the middle of the text', null);
  }
  return { content, model, finishReason, usage: usage ?? estimated(prompt, pieces) };
}

/** A whole text is not thrown away because its server does not count: most send one token at a time. */
function estimated(prompt: string, pieces: number): TextAnswer['usage'] {
  const promptTokens = Math.ceil(prompt.length / CHARS_PER_TOKEN);
  return { promptTokens, completionTokens: pieces, totalTokens: promptTokens + pieces, estimated: true };
}

/** The data of server-sent events; the last line counts also where no line end follows it. */
async function* eventsOf(response: Response): AsyncGenerator<string> {
  let rest = '';
  const decoder = new TextDecoder();
  for await (const bytes of response.body as ReadableStream<Uint8Array>) {
    rest += decoder.decode(bytes, { stream: true });
    const lines = rest.split(/\r?\n/);
    rest = lines.pop() ?? '';
    if (rest.length > LINE_CHARS_MAX) throw new Error('A line of the stream is too long.');
    for (const line of lines) {
      const data = dataOf(line);
      if (data !== '') yield data;
    }
  }
  const last = dataOf(rest);
  if (last !== '') yield last;
}

function dataOf(line: string): string {
  return /^data: ?(.*)$/.exec(line)?.[1] ?? '';
}

function baseOf(url: string): string {
  return url.replace(/\/+$/, '').replace(/\/v1$/, '');
}

function namedTrouble(what: string, cause: unknown): QuarryError {
  const message = `The text server that the settings name ${what}. ${
    what === 'refuses the key'
      ? 'Set QUARRY_TEXT_SERVER_KEY to its key and start Quarry again.'
      : 'Start it, or change its address on the Settings page.'
  }`;
  return new QuarryError('engine_unavailable', message, { cause, retryable: true });
}

/** @param words the server's own: for the log alone, since they may tell of its machine. */
function brokenAnswer(what: string, words: unknown): QuarryError {
  const message = `The text server of this machine ${what}. Quarry's log says more. See there, or take another model.`;
  const cause = typeof words === 'string' ? new Error(`It said: ${words}`) : words;
  return new QuarryError('engine_failed', message, { cause, retryable: true });
}
