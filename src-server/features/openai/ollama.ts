import { type Context, Hono, type MiddlewareHandler } from 'hono';
import { stream as streamBody } from 'hono/streaming';
import type { ContentfulStatusCode } from 'hono/utils/http-status';
import { z } from 'zod';
import { QuarryError } from '../../platform/errors.ts';
import { readRequestBody } from '../../platform/http/body.ts';
import type { HttpEnv } from '../../platform/http/env.ts';
import { logFailure, problemOf, publicError, setErrorHeaders } from '../../platform/http/problem.ts';
import { parseWithSchema } from '../../platform/http/validate.ts';
import { MIB, SECOND_MS } from '../../platform/units.ts';
import type { ScopedAddress } from '../accounts/service.ts';
import type { JobService } from '../jobs/service.ts';
import type { ModelKind } from '../models/schema.ts';
import type { PlainEmbeddings } from '../search/schema.ts';
import { promptOf } from './chat.ts';
import { embedTexts } from './embeddings.ts';
import { refuseField, refuseOthers } from './errors.ts';
import { startText, type TextCall, type WrittenText } from './text-call.ts';

/** Ollama's interface on the same operations: its streams are JSON objects, one in each line. */

export interface OllamaDeps {
  service: JobService;
  ownerOnly: MiddlewareHandler<HttpEnv>;
  version: string;
  textModels(): Promise<{ name: string }[]>;
  installed(kind: ModelKind): Promise<{ name: string }[]>;
  embeddings(): Promise<PlainEmbeddings>;
}

export const OLLAMA_ADDRESSES: readonly ScopedAddress[] = (
  [
    ['GET', 'version', 'read'],
    ['GET', 'tags', 'read'],
    ['POST', 'chat', 'run:generate/text'],
    ['POST', 'generate', 'run:generate/text'],
    ['POST', 'embed', 'read'],
  ] as const
).map(([method, path, keyScope]) => ({ method, path: `/ollama/api/${path}`, keyScope }));

const NOT_HERE =
  "Of Ollama's interface there are version, tags, chat, generate and embed here. /reference/guides/other-tools says " +
  'what they take.';

const BODY_BYTES_MAX = 4 * MIB;

/** The options of Ollama that the text engine has. */
const Options = z.looseObject({
  num_predict: z.int().min(1, 'Give a number of tokens from 1.').nullish(),
  temperature: z.number().min(0).max(1).nullish(),
  top_p: z.number().min(0).max(1).nullish(),
  seed: z.int().nullish(),
  stop: z.preprocess((given) => (typeof given === 'string' ? [given] : given), z.array(z.string()).max(4).nullish()),
});

const Writing = {
  model: z.string().min(1).max(200),
  stream: z.boolean().nullish(),
  format: z.union([z.literal(''), z.literal('json'), z.record(z.string(), z.unknown())]).nullish(),
  options: Options.nullish(),
  /** How long a model stays loaded is a setting here. */
  keep_alive: z.union([z.string(), z.number()]).nullish(),
};

const Message = z.looseObject({
  role: z.enum(['system', 'user', 'assistant'], 'Only system, user and assistant may speak.'),
  content: z.string(),
});

const ChatRequest = z.looseObject({ ...Writing, messages: z.array(Message).min(1).max(1000) });

const GenerateRequest = z.looseObject({
  ...Writing,
  prompt: z.string(),
  system: z.string().nullish(),
  raw: z.boolean().nullish(),
});

const EmbedRequest = z.looseObject({
  model: z.string().min(1).max(200),
  input: z.preprocess(
    (given) => (typeof given === 'string' ? [given] : given),
    z.array(z.string().min(1, 'Give a text that is not empty.')).min(1).max(2048),
  ),
  truncate: z.literal(false, 'A text that is too long is refused, not cut. Leave truncate out.').nullish(),
  dimensions: z.int().min(1).nullish(),
  keep_alive: Writing.keep_alive,
});

const NAMES = { maxTokens: 'options.num_predict', topP: 'options.top_p', seed: 'options.seed', stop: 'options.stop' };

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
  const readBody = async (context: Context<HttpEnv>) =>
    (await readRequestBody(context.env.incoming, rules, service.body)).value;
  routes.onError((error, context) => ollamaErrorResponse(context, error));
  routes.use('*', ownerOnly);
  routes.get('/api/version', (context) => context.json({ version }));
  routes.get('/api/tags', async (context) => {
    const names = [...(await textModels()), ...(await installed('embedding'))].map(({ name }) => name);
    const models = [...new Set(names)].map((name) => ({ name, model: name, details: { format: 'gguf' } }));
    return context.json({ models });
  });
  routes.post('/api/chat', async (context) => chat(service, context, await readBody(context)));
  routes.post('/api/generate', async (context) => generate(service, context, await readBody(context)));
  routes.post('/api/embed', async (context) => embed(await embeddings(), context, await readBody(context)));
  routes.all('*', () => {
    throw new QuarryError('not_found', NOT_HERE);
  });
  return routes;
}

async function chat(service: JobService, context: Context<HttpEnv>, body: Record<string, unknown>) {
  const request = parseWithSchema(ChatRequest, body);
  refuseOthers(request, ChatRequest.shape);
  for (const [index, message] of request.messages.entries()) {
    refuseOthers(message, Message.shape, `messages.${index}.`);
  }
  const parts = request.messages.map(({ role, content }) => ({ role, content: [{ text: content }] }));
  const fields = { ...writingOf(request), prompt: promptOf(parts) };
  const call = await startText(service, context, fields, { ...NAMES, prompt: 'messages' });
  return answer(service, context, call, request, (content) => ({ message: { role: 'assistant', content } }));
}

async function generate(service: JobService, context: Context<HttpEnv>, body: Record<string, unknown>) {
  const request = parseWithSchema(GenerateRequest, body);
  refuseOthers(request, GenerateRequest.shape);
  const { prompt, system, raw } = request;
  if (raw === true && system) throw refuseField('system', 'With raw the prompt is all that the model reads.');
  const said = [
    { role: 'system' as const, content: [{ text: system ?? '' }] },
    { role: 'user' as const, content: [{ text: prompt }] },
  ];
  const fields = { ...writingOf(request), prompt: system ? promptOf(said) : prompt, raw };
  const call = await startText(service, context, fields, NAMES);
  return answer(service, context, call, request, (response) => ({ response }));
}

type WritingRequest = Pick<z.infer<typeof ChatRequest>, keyof typeof Writing>;

function writingOf({ model, format, options }: WritingRequest): Record<string, unknown> {
  if (options) refuseOthers(options, Options.shape, 'options.');
  const { num_predict: maxTokens, temperature, top_p: topP, seed, stop } = options ?? {};
  const stops = stop?.length === 0 ? null : stop;
  return { model, maxTokens, temperature, topP, seed, stop: stops, format: format === '' ? null : format };
}

async function answer(
  service: JobService,
  context: Context<HttpEnv>,
  call: TextCall,
  { model, stream: streams }: WritingRequest,
  part: (text: string) => object,
): Promise<Response> {
  const startedAt = service.jobs.now();
  const line = (text: string) => ({ model, created_at: new Date(service.jobs.now()).toISOString(), ...part(text) });
  const end = ({ finishReason, usage }: WrittenText) => ({
    done: true,
    done_reason: finishReason,
    total_duration: (service.jobs.now() - startedAt) * NANOSECONDS_PER_MS,
    ...(usage.estimated === true ? {} : { prompt_eval_count: usage.promptTokens, eval_count: usage.completionTokens }),
  });
  if (streams === false) {
    const written = await call.result();
    return context.json({ ...line(written.content), ...end(written) });
  }
  context.header('Content-Type', 'application/x-ndjson');
  context.header('Cache-Control', 'no-store');
  return streamBody(context, async (stream) => {
    stream.onAbort(() => call.leave());
    const send = (one: object) => stream.write(`${JSON.stringify(one)}\n`);
    call.onText((text) => void send({ ...line(text), done: false }));
    try {
      const written = await call.result();
      await send({ ...line(''), ...end(written) });
    } catch (error) {
      await send({ error: problemOf(publicError(error)).detail });
    }
  });
}

const NANOSECONDS_PER_MS = 1_000_000_000 / SECOND_MS;

async function embed(embeddings: PlainEmbeddings, context: Context<HttpEnv>, body: Record<string, unknown>) {
  const request = parseWithSchema(EmbedRequest, body);
  refuseOthers(request, EmbedRequest.shape);
  const asked = { name: request.model, texts: request.input, field: 'input' };
  const { model, vectors, tokens } = await embedTexts(embeddings, asked, context.req.raw.signal);
  const length = vectors[0]?.length;
  if (request.dimensions && request.dimensions !== length) {
    throw refuseField('dimensions', `The vectors of ${model} have ${length} dimensions. Leave dimensions out.`);
  }
  return context.json({ model, embeddings: vectors, prompt_eval_count: tokens });
}
