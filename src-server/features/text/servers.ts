/**
 * OpenAI-compatible servers: the one named in the settings, or those on the default ports of Ollama, LM Studio and
 * llama-server. An API key comes from the environment and is never logged or shown.
 */

import { z } from 'zod';
import type { Clock } from '../../platform/clock.ts';
import { QuarryError } from '../../platform/errors.ts';
import type { OriginKey } from '../../platform/net/origin-key.ts';
import { omitUndefined } from '../../platform/omit-undefined.ts';
import { type Said, say } from '../../platform/text/say.ts';
import { SECOND_MS } from '../../platform/units.ts';
import { namesEmbedding } from '../models/schema.ts';
import type { TextAnswer, TextRequest } from './schema.ts';

/** Default URLs of Ollama, LM Studio and llama-server. */
export const KNOWN_SERVERS = ['http://127.0.0.1:11434', 'http://127.0.0.1:1234', 'http://127.0.0.1:8080'];

/** A local server that does not answer within this time is not running. */
const PROBE_LIMIT_MS = SECOND_MS;

/** The server in the settings may be remote, or load a model during the request. */
const NAMED_LIMIT_MS = 5 * SECOND_MS;

/** Cache time of the model lists. */
const KNOWN_FOR_MS = 15 * SECOND_MS;

/** Gateways to other servers list hundreds of models. */
const MODELS_MAX = 2000;

const NAME_CHARS_MAX = 200;

/** Maximum length of a server's error message in the log. */
const WORDS_CHARS_MAX = 2000;

/** Maximum length of a line in a stream. A longer line is not an event. */
const LINE_CHARS_MAX = 1_000_000;

/** Average for English in most vocabularies. */
const CHARS_PER_TOKEN = 4;

/** End marker of a stream. */
const DONE = '[DONE]';

export interface TextServersDeps {
  clock: Clock;
  /** Set by the owner; null searches the known ports. */
  serverUrl(): string | null;
  knownServers?: readonly string[] | undefined;
  /** The key of the server in the settings. */
  key?: Pick<OriginKey, 'for' | 'withholds'> | undefined;
}

export interface ServedModel {
  name: string;
  /** Base URL of the server, without `/v1`. */
  url: string;
}

export interface TextServers {
  list(): Promise<ServedModel[]>;
  /** The fault of the server in the settings, from its last model listing; null when there is none. */
  trouble(): QuarryError | null;
  /** Errors: `engine_failed`, `engine_unavailable`, and the signal's reason. */
  generate(
    model: ServedModel,
    request: Omit<TextRequest, 'model' | 'format'> & { format?: 'json' | object | undefined },
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
        text: z.string().nullish(),
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
  const headersFor = (url: string): Record<string, string> => {
    const key = deps.key?.for(url);
    return {
      'content-type': 'application/json',
      ...omitUndefined({ authorization: key === undefined ? undefined : `Bearer ${key}` }),
    };
  };
  return {
    async list() {
      const named = deps.serverUrl();
      const urls = named === null ? (deps.knownServers ?? KNOWN_SERVERS) : [named];
      const key = urls.join(' ');
      const now = deps.clock.now();
      if (found !== null && found.for === key && now - found.at < KNOWN_FOR_MS) return found.models;
      const limitMs = named === null ? PROBE_LIMIT_MS : NAMED_LIMIT_MS;
      const looks = await Promise.all(urls.map((url) => modelsOf(url, named === null ? {} : headersFor(url), limitMs)));
      const models = looks.flatMap((look) => (look instanceof QuarryError ? [] : look));
      const trouble = named === null ? undefined : looks.find((look) => look instanceof QuarryError);
      const isWithheld = named !== null && trouble instanceof QuarryError && deps.key?.withholds(named) === true;
      found = { at: now, for: key, models, trouble: isWithheld ? keyWithheld(trouble) : (trouble ?? null) };
      return models;
    },
    trouble: () => found?.trouble ?? null,
    async generate(model, request, onText, signal) {
      const named = deps.serverUrl() !== null;
      const { prompt, raw, format } = request;
      const response = await askTextServer(
        `${baseOf(model.url)}/v1/${raw === true ? 'completions' : 'chat/completions'}`,
        // A server found on a known port must not receive the owner's key.
        named ? headersFor(model.url) : { 'content-type': 'application/json' },
        {
          model: model.name,
          ...(raw === true ? { prompt } : { messages: [{ role: 'user', content: prompt }] }),
          max_tokens: request.maxTokens,
          temperature: request.temperature,
          top_p: request.topP,
          seed: request.seed,
          stop: request.stop,
          stream: true,
          stream_options: { include_usage: true },
          response_format: format === undefined ? undefined : responseFormatOf(format),
        },
        signal,
      );
      const answer = await readAnswer({ model: model.name, prompt }, response, onText, signal);
      // The server may not know the field.
      if (format === 'json' && answer.finishReason === 'stop') checkObject(answer.content);
      return answer;
    },
  };
}

/** The models of a server, or the reason it has none. */
async function modelsOf(
  url: string,
  headers: Record<string, string>,
  limitMs: number,
): Promise<ServedModel[] | QuarryError> {
  try {
    const answer = await fetch(`${baseOf(url)}/v1/models`, { headers, signal: AbortSignal.timeout(limitMs) });
    if (!answer.ok) {
      await answer.body?.cancel();
      return namedTrouble(KEY_REFUSALS.has(answer.status) ? say`refuses the key` : say`lists no models`, answer.status);
    }
    const { data } = ModelList.parse(await answer.json());
    const names = data.map(({ id }) => id).filter((id) => id !== '' && id.length <= NAME_CHARS_MAX);
    const writing = names.filter((name) => !namesEmbedding(name));
    return writing.slice(0, MODELS_MAX).map((name) => ({ name, url }));
  } catch (error) {
    // No server, or one of another kind: it offers no models.
    return namedTrouble(error instanceof z.ZodError ? say`lists no models` : say`does not answer`, error);
  }
}

function responseFormatOf(format: 'json' | object): object {
  if (format === 'json') return { type: 'json_object' };
  return { type: 'json_schema', json_schema: { name: 'answer', schema: format } };
}

function checkObject(content: string): void {
  try {
    z.record(z.string(), z.unknown()).parse(JSON.parse(content));
  } catch (error) {
    throw brokenAnswer(say`wrote no JSON, which was asked for`, error);
  }
}

async function askTextServer(
  url: string,
  headers: Record<string, string>,
  body: object,
  signal: AbortSignal,
): Promise<Response> {
  let answer: Response;
  try {
    const init = { method: 'POST', headers, body: JSON.stringify(body), signal };
    answer = await fetch(url, init);
  } catch (error) {
    signal.throwIfAborted();
    throw new QuarryError('engine_unavailable', say`The text server of this machine does not answer. Start it again.`, {
      cause: error,
      retryable: true,
    });
  }
  if (answer.ok && answer.body !== null) return answer;
  const words = (await answer.text().catch(() => '')).slice(0, WORDS_CHARS_MAX);
  throw brokenAnswer(say`answered ${answer.status} and no text`, words);
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
    for await (const data of serverSentData(response)) {
      if (data === DONE) {
        finished = true;
        break;
      }
      const part = StreamPart.parse(JSON.parse(data));
      if (part.error) throw brokenAnswer(say`ended the text with an error`, data.slice(0, WORDS_CHARS_MAX));
      for (const { delta, text, finish_reason } of part.choices ?? []) {
        const piece = delta?.content ?? text;
        if (piece) {
          content += piece;
          pieces += 1;
          onText(piece);
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
    throw brokenAnswer(unread ? say`sent what is no stream of text` : say`broke off in the middle of the text`, error);
  }
  if (usage === null && !finished) {
    throw brokenAnswer(
      content === '' ? say`sent what is no stream of text` : say`broke off in the middle of the text`,
      null,
    );
  }
  return { content, model, finishReason, usage: usage ?? estimatedUsage(prompt, pieces) };
}

/** Estimates the usage when a server sends none: most send one token per event. */
function estimatedUsage(prompt: string, pieces: number): TextAnswer['usage'] {
  const promptTokens = Math.ceil(prompt.length / CHARS_PER_TOKEN);
  return { promptTokens, completionTokens: pieces, totalTokens: promptTokens + pieces, estimated: true };
}

/** Reads the data of server-sent events. The last line counts even without a line end. */
async function* serverSentData(response: Response): AsyncGenerator<string> {
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

function keyWithheld(cause: QuarryError): QuarryError {
  const message = say`QUARRY_TEXT_SERVER_KEY was given for another address than the settings name, and is not sent to
    this one. To give it again, start Quarry without it, then with it.`;
  return new QuarryError('engine_unavailable', message, { cause, retryable: true });
}

function namedTrouble(what: Said, cause: unknown): QuarryError {
  const advice =
    what === 'refuses the key'
      ? say`Set QUARRY_TEXT_SERVER_KEY to its key and start Quarry again.`
      : say`Start it, or change its address on the Settings page.`;
  const message = say`The text server that the settings name ${what}. ${advice}`;
  return new QuarryError('engine_unavailable', message, { cause, retryable: true });
}

/** @param words the server's own message, for the log only: it may describe the server's machine. */
function brokenAnswer(what: Said, words: unknown): QuarryError {
  const message = say`The text server of this machine ${what}. See Quarry's log, or choose another model.`;
  const cause = typeof words === 'string' ? new Error(`It said: ${words}`) : words;
  return new QuarryError('engine_failed', message, { cause, retryable: true });
}
