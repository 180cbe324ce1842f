/** Ollama's interface on the same operations: its streams are JSON objects, one in each line. */

import { type Context, Hono, type MiddlewareHandler } from 'hono';
import { stream as streamBody } from 'hono/streaming';
import type { ContentfulStatusCode } from 'hono/utils/http-status';
import { z } from 'zod';
import type { ScopedAddress } from '../../feature.ts';
import { readRequestBody } from '../../platform/http/body.ts';
import type { HttpEnv } from '../../platform/http/env.ts';
import { logFailure, problemOf, publicError, setErrorHeaders } from '../../platform/http/problem.ts';
import { parseWithSchema } from '../../platform/http/validate.ts';
import { omitUndefined } from '../../platform/omit-undefined.ts';
import { tell } from '../../platform/text/say.ts';
import { MIB, SECOND_MS } from '../../platform/units.ts';
import { onlyDeclared } from '../accounts/service.ts';
import type { JobService } from '../jobs/service.ts';
import type { ModelKind } from '../models/schema.ts';
import type { PlainEmbeddings } from '../search/schema.ts';
import { MAX_TOKENS_MAX, type TextReader } from '../text/schema.ts';
import { callText, conversationPrompt, systemText, type Turn } from './chat.ts';
import { embedTexts } from './embeddings.ts';
import { checkOthers, refuseField } from './errors.ts';
import { samplingOf, startText, type TextCall, type WrittenText } from './text-call.ts';
import {
  FUNCTION_SHAPE,
  readToolAnswer,
  ToolName,
  type ToolUse,
  toolList,
  toolPrompt,
  toolSchema,
  toolUse,
} from './tools.ts';

export interface OllamaDeps {
  service: JobService;
  ownerOnly: MiddlewareHandler<HttpEnv>;
  version: string;
  textModels(): Promise<{ name: string }[]>;
  /** Models that are in memory. */
  loadedModels(): Promise<{ name: string }[]>;
  /** Loads a model. Errors: those of generate/text for its `model`. */
  reader(name: string): Promise<Pick<TextReader, 'contextTokens'>>;
  installed(kind: ModelKind): Promise<{ name: string; sizeBytes: number }[]>;
  embeddings(): Promise<PlainEmbeddings>;
}

export const OLLAMA_ADDRESSES: readonly ScopedAddress[] = (
  [
    ['GET', 'version', 'read'],
    ['GET', 'tags', 'read'],
    ['GET', 'ps', 'read'],
    ['POST', 'show', 'read'],
    ['POST', 'chat', 'run:generate/text'],
    ['POST', 'generate', 'run:generate/text'],
    ['POST', 'embed', 'read'],
    ['POST', 'embeddings', 'read'],
  ] as const
).map(([method, path, keyScope]) => ({ method, path: `/ollama/api/${path}`, keyScope }));

const NOT_HERE =
  "Of Ollama's interface there are version, tags, ps, show, chat, generate, embed and embeddings here. " +
  '/reference/guides/other-tools says what they take.';

const BODY_BYTES_MAX = 4 * MIB;

/** -1 and -2 are no limit. */
const Length = z
  .int()
  .min(-2)
  .refine((tokens) => tokens !== 0, tell`Give a number of tokens from 1, or -1.`);

const Sampling = {
  temperature: z.number().min(0).nullish(),
  top_p: z.number().min(0).max(1).nullish(),
};

/** The options of Ollama that the text engine has. */
const Options = z.looseObject({
  ...Sampling,
  num_predict: Length.nullish(),
  seed: z.int().nullish(),
  stop: z.preprocess((given) => (typeof given === 'string' ? [given] : given), z.array(z.string()).max(4).nullish()),
});

const Writing = {
  /** Some clients write these beside the options. */
  ...Sampling,
  max_output_tokens: Length.nullish(),
  model: z.string().min(1).max(200),
  stream: z.boolean().nullish(),
  format: z.union([z.literal(''), z.literal('json'), z.record(z.string(), z.unknown())]).nullish(),
  options: Options.nullish(),
};

const CalledTool = z.looseObject({
  function: z.looseObject({ name: ToolName, arguments: z.record(z.string(), z.unknown()).nullish() }),
});

const Message = z.looseObject({
  role: z.enum(['system', 'user', 'assistant', 'tool'], 'Only system, user, assistant and tool may speak.'),
  content: z.string().nullish(),
  tool_calls: z.array(CalledTool).nullish(),
  tool_call_id: z.string().nullish(),
});

const Tool = z.looseObject({
  type: z.literal('function', 'Only functions are supported.'),
  function: z.looseObject(FUNCTION_SHAPE),
});

const ChatRequest = z.looseObject({ ...Writing, messages: z.array(Message).max(1000), tools: toolList(Tool) });

const GenerateRequest = z.looseObject({
  ...Writing,
  prompt: z.string().default(''),
  system: z.string().nullish(),
  raw: z.boolean().nullish(),
});

const ShowRequest = z.object({
  model: z.string().min(1).max(200).optional(),
  name: z.string().min(1).max(200).optional(),
});

const EmbedRequest = z.looseObject({
  model: z.string().min(1).max(200),
  input: z.preprocess(
    (given) => (typeof given === 'string' ? [given] : given),
    z.array(z.string().min(1, tell`Give a text that is not empty.`)).min(1).max(2048),
  ),
  dimensions: z.int().min(1).nullish(),
});

/** The older form, with one text. */
const EmbeddingsRequest = z.looseObject({ model: EmbedRequest.shape.model, prompt: z.string() });

export function ollamaErrorResponse(context: Context<HttpEnv>, error: unknown): Response {
  const shown = publicError(error);
  logFailure(context, shown);
  setErrorHeaders(context, shown);
  const { status, detail } = problemOf(shown);
  return context.json({ error: detail }, status as ContentfulStatusCode);
}

export function ollamaRoutes(deps: OllamaDeps): Hono<HttpEnv> {
  const { service, ownerOnly, version, textModels, installed, embeddings } = deps;
  const routes = new Hono<HttpEnv>();
  const rules = { allowsFile: false, maxFileBytes: 0, maxJsonBytes: BODY_BYTES_MAX };
  const readOllamaBody = async (context: Context<HttpEnv>) =>
    (await readRequestBody(context.env.incoming, rules, service.body)).value;
  routes.onError((error, context) => ollamaErrorResponse(context, error));
  routes.use('*', onlyDeclared(OLLAMA_ADDRESSES, NOT_HERE), ownerOnly);
  routes.get('/api/version', (context) => context.json({ version }));
  const listKnownModels = async () => {
    const files = [...(await installed('text')), ...(await installed('embedding'))];
    const sizes = new Map(files.map(({ name, sizeBytes }) => [name, sizeBytes]));
    const names = [...(await textModels()), ...files].map(({ name }) => name);
    return [...new Set(names)].map((name) => modelView(name, sizes.get(name)));
  };
  routes.get('/api/tags', async (context) => context.json({ models: await listKnownModels() }));
  routes.get('/api/ps', async (context) => {
    const there = new Set((await deps.loadedModels()).map(({ name }) => name));
    return context.json({ models: (await listKnownModels()).filter(({ name }) => there.has(name)) });
  });
  const ollamaCaller = async (context: Context<HttpEnv>): Promise<Caller> => {
    const body = await readOllamaBody(context);
    const names = (await listKnownModels()).map(({ name }) => name);
    return { deps, context, body: { ...body, ...modelNamed(names, body) } };
  };
  routes.post('/api/show', async (context) =>
    showOllamaModel(await ollamaCaller(context), await installed('embedding')),
  );
  routes.post('/api/chat', async (context) => answerOllamaChat(await ollamaCaller(context)));
  routes.post('/api/generate', async (context) => answerOllamaGenerate(await ollamaCaller(context)));
  routes.post('/api/embed', async (context) => answerOllamaEmbed(await embeddings(), await ollamaCaller(context)));
  routes.post('/api/embeddings', async (context) => embedOne(await embeddings(), await ollamaCaller(context)));
  return routes;
}

interface Caller {
  deps: OllamaDeps;
  context: Context<HttpEnv>;
  body: Record<string, unknown>;
}

function modelView(name: string, size: number | undefined) {
  return { name, model: name, size, details: { format: 'gguf' } };
}

const LATEST = ':latest';

/** Ollama's tag `latest` is what a name without a tag means. */
function modelNamed(names: readonly string[], { model }: Record<string, unknown>): { model?: string } {
  if (typeof model !== 'string' || names.includes(model)) return {};
  const other = model.endsWith(LATEST) ? model.slice(0, -LATEST.length) : model + LATEST;
  return names.includes(other) ? { model: other } : {};
}

/** What a model can do. Errors: those of loading it. */
async function showOllamaModel(
  { deps, context, body }: Caller,
  embedders: readonly { name: string; sizeBytes: number }[],
) {
  const { model, name = model } = parseWithSchema(ShowRequest, body);
  if (name === undefined) throw refuseField('model', tell`Name a model.`);
  const embedder = embedders.find((one) => one.name === name);
  const about = { license: '', modelfile: '', parameters: '', template: '', details: { format: 'gguf', family: '' } };
  if (embedder !== undefined) return context.json({ ...about, model_info: {}, capabilities: ['embedding'] });
  const { contextTokens } = await deps.reader(name);
  const info = { 'general.architecture': ARCHITECTURE, [`${ARCHITECTURE}.context_length`]: contextTokens };
  return context.json({ ...about, model_info: info, capabilities: ['completion', 'tools'] });
}

/** Clients look for the context under the name of an architecture, which is not known of every model here. */
const ARCHITECTURE = 'quarry';

async function answerOllamaChat({ deps, context, body }: Caller): Promise<Response> {
  const request = parseWithSchema(ChatRequest, body);
  checkOthers(context, request, ChatRequest.shape);
  for (const [index, message] of request.messages.entries()) {
    checkOthers(context, message, Message.shape, `messages.${index}.`);
  }
  const chatMessagePart = (content: string) => ({ message: { role: 'assistant', content } });
  if (request.messages.length === 0) return loadOllamaModel({ deps, context, body }, request, chatMessagePart(''));
  for (const [index, tool] of (request.tools ?? []).entries()) {
    checkOthers(context, tool, Tool.shape, `tools.${index}.`);
    checkOthers(context, tool.function, FUNCTION_SHAPE, `tools.${index}.function.`);
  }
  const writing = ollamaWritingFields(context, request);
  const use = toolUse(
    (request.tools ?? []).map((tool) => tool.function),
    null,
    writing.fields.format,
  );
  const turns = request.messages.map(ollamaTurn);
  const fields = {
    ...writing.fields,
    prompt: conversationPrompt([...(use === null ? [] : [systemText(toolPrompt(use))]), ...turns]),
    ...omitUndefined({ format: use === null ? undefined : toolSchema(use) }),
  };
  const names = {
    ...writing.names,
    prompt: 'messages',
    ...omitUndefined({ format: use === null ? undefined : 'tools' }),
  };
  const call = await startText(deps.service, context, fields, names);
  if (use === null) return answerOllamaCall(deps.service, context, call, request, { part: chatMessagePart });
  return answerOllamaCall(deps.service, context, call, request, {
    part: chatMessagePart,
    whole: (written) => ({ message: toolMessage(written, use) }),
  });
}

/** Calls and their results as text, in the form in which the model writes calls. */
function ollamaTurn({ role, content, tool_calls: calls }: z.output<typeof Message>): Turn {
  const called = (calls ?? []).map(({ function: { name, arguments: given } }) => ({
    text: callText(name, JSON.stringify(given ?? {})),
  }));
  return { role, content: [...(content ? [{ text: content }] : []), ...called] };
}

function toolMessage(written: WrittenText, use: ToolUse) {
  const given = readToolAnswer(written, use);
  // The arguments of a call are an object here, which one that was cut is not.
  if ('text' in given || written.finishReason === 'length') {
    return { role: 'assistant', content: 'text' in given ? given.text : '' };
  }
  const { name, arguments: json } = given.call;
  const call = { function: { name, arguments: JSON.parse(json) as unknown } };
  return { role: 'assistant', content: '', tool_calls: [call] };
}

async function answerOllamaGenerate({ deps, context, body }: Caller): Promise<Response> {
  const request = parseWithSchema(GenerateRequest, body);
  checkOthers(context, request, GenerateRequest.shape);
  const { prompt, system, raw } = request;
  const generateResponsePart = (response: string) => ({ response });
  if (prompt === '' && !system) return loadOllamaModel({ deps, context, body }, request, generateResponsePart(''));
  if (raw === true && system) throw refuseField('system', tell`With raw the prompt is all that the model reads.`);
  const said: Turn[] = [systemText(system ?? ''), { role: 'user', content: [{ text: prompt }] }];
  const writing = ollamaWritingFields(context, request);
  const fields = { ...writing.fields, prompt: system ? conversationPrompt(said) : prompt, raw };
  const call = await startText(deps.service, context, fields, writing.names);
  return answerOllamaCall(deps.service, context, call, request, { part: generateResponsePart });
}

/** A request without a prompt loads the model, so that the next one is answered sooner. */
async function loadOllamaModel(
  { deps, context, body }: Caller,
  { model }: WritingRequest,
  part: object,
): Promise<Response> {
  const unloads = body.keep_alive === 0 || body.keep_alive === '0';
  if (!unloads) await deps.reader(model);
  const createdAt = new Date(deps.service.jobs.currentJobsTime()).toISOString();
  return context.json({ model, created_at: createdAt, ...part, done: true, done_reason: unloads ? 'unload' : 'load' });
}

type WritingRequest = Pick<z.infer<typeof ChatRequest>, keyof typeof Writing>;

const TOP_P_LEAST = 0.001;

function ollamaWritingFields(context: Context<HttpEnv>, { options, ...request }: WritingRequest) {
  if (options) checkOthers(context, options, Options.shape, 'options.');
  const { num_predict, seed, stop } = options ?? {};
  const optionFieldName = (field: 'temperature' | 'top_p') =>
    ((options?.[field] ?? null) === null ? '' : 'options.') + field;
  const names = {
    temperature: optionFieldName('temperature'),
    topP: optionFieldName('top_p'),
    maxTokens: (num_predict ?? null) === null ? 'max_output_tokens' : 'options.num_predict',
    seed: 'options.seed',
    stop: 'options.stop',
  };
  const length = num_predict ?? request.max_output_tokens;
  const sampling = samplingOf(
    context,
    {
      temperature: options?.temperature ?? request.temperature,
      seed,
      maxTokens: typeof length === 'number' && length < 0 ? MAX_TOKENS_MAX : length,
    },
    names,
  );
  const topP = options?.top_p ?? request.top_p;
  const { model, format } = request;
  const fields = {
    model,
    ...sampling,
    topP: topP === 0 ? TOP_P_LEAST : topP,
    stop: stop?.length === 0 ? null : stop,
    format: format === '' || format === null ? undefined : format,
  };
  return { fields, names };
}

/** How an answer is written: its text piece by piece, or `whole`, which is known only at its end. */
interface Form {
  part(text: string): object;
  whole?(written: WrittenText): object;
}

async function answerOllamaCall(
  service: JobService,
  context: Context<HttpEnv>,
  call: TextCall,
  { model, stream: streams }: WritingRequest,
  { part, whole }: Form,
): Promise<Response> {
  const startedAt = service.jobs.currentJobsTime();
  const datedOllamaPart = (said: object) => ({
    model,
    created_at: new Date(service.jobs.currentJobsTime()).toISOString(),
    ...said,
  });
  const ollamaEnd = ({ finishReason, usage }: WrittenText) => ({
    done: true,
    done_reason: finishReason,
    total_duration: (service.jobs.currentJobsTime() - startedAt) * NANOSECONDS_PER_MS,
    prompt_eval_count: usage.estimated === true ? undefined : usage.promptTokens,
    eval_count: usage.estimated === true ? undefined : usage.completionTokens,
  });
  if (streams === false) {
    const written = await call.result();
    return context.json({ ...datedOllamaPart(whole?.(written) ?? part(written.content)), ...ollamaEnd(written) });
  }
  context.header('Content-Type', 'application/x-ndjson');
  context.header('Cache-Control', 'no-store');
  return streamBody(context, async (stream) => {
    stream.onAbort(() => call.leave());
    const sendOllamaLine = (one: object) => stream.write(`${JSON.stringify(one)}\n`);
    if (whole === undefined)
      call.onText((text) => void sendOllamaLine({ ...datedOllamaPart(part(text)), done: false }));
    try {
      const written = await call.result();
      if (whole !== undefined) await sendOllamaLine({ ...datedOllamaPart(whole(written)), done: false });
      await sendOllamaLine({ ...datedOllamaPart(part('')), ...ollamaEnd(written) });
    } catch (error) {
      await sendOllamaLine({ error: problemOf(publicError(error)).detail });
    }
  });
}

const NANOSECONDS_PER_MS = 1_000_000_000 / SECOND_MS;

async function answerOllamaEmbed(embeddings: PlainEmbeddings, { deps, context, body }: Caller) {
  const request = parseWithSchema(EmbedRequest, body);
  checkOthers(context, request, EmbedRequest.shape);
  const startedAt = deps.service.jobs.currentJobsTime();
  const asked = { name: request.model, texts: request.input, field: 'input' };
  const { model, vectors, tokens } = await embedTexts(embeddings, asked, context.req.raw.signal);
  const length = vectors[0]?.length ?? 0;
  if (request.dimensions && request.dimensions !== length) {
    throw refuseField('dimensions', tell`The vectors of ${model} have ${length} dimensions. Leave dimensions out.`);
  }
  const total = (deps.service.jobs.currentJobsTime() - startedAt) * NANOSECONDS_PER_MS;
  const times = { total_duration: total, load_duration: 0, prompt_eval_count: tokens };
  return context.json({ model, embeddings: vectors, ...times });
}

async function embedOne(embeddings: PlainEmbeddings, { context, body }: Caller) {
  const request = parseWithSchema(EmbeddingsRequest, body);
  checkOthers(context, request, EmbeddingsRequest.shape);
  const asked = { name: request.model, texts: [request.prompt], field: 'prompt' };
  const { vectors } = await embedTexts(embeddings, asked, context.req.raw.signal);
  return context.json({ embedding: vectors[0] });
}
