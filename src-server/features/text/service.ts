/**
 * Text models behind one service: files in the models folder, each in its own child process, and models of an
 * OpenAI-compatible server. A model generates one text at a time. Requests wait in a bounded queue; when full it
 * answers 429 with Retry-After.
 */

import { randomInt } from 'node:crypto';
import type { CheckAnswerInput } from '../../../workers/text/tasks.ts';
import { perContext } from '../../context.ts';
import { type FieldError, QuarryError } from '../../platform/errors.ts';
import type { ModelFacts } from '../../platform/model-facts.ts';
import { type Said, say } from '../../platform/text/say.ts';
import { SECOND_MS } from '../../platform/units.ts';
import { modelsOf } from '../models/service.ts';
import { grammarSchema } from './answer-schema.ts';
import { type TextModelProcess, TextModelProcesses, type TextModelProcessesDeps } from './model-process.ts';
import type { JsonQuestion, TextAnswer, TextReader, TextRequest, TextService } from './schema.ts';
import { createTextServers, type TextServers } from './servers.ts';

/**
 * Requests per model, running and waiting. This equals the concurrent jobs of a production account (decisions 5): with
 * fewer, no account could use its plan.
 */
const PLACES_PER_MODEL = 30;

/** A guess: the duration of the texts ahead is unknown. */
const RETRY_AFTER_SECONDS = 2;

const SEED_MAX = 2 ** 31;

const SUGGESTIONS_MAX = 5;

/** Answers to a schema that no grammar holds whole. */
const ATTEMPTS = 2;

const RETRY_TEMPERATURE = 0.5;

/** CPU time of a check. A pattern of a caller may need more than there is. */
const CHECK_LIMIT_MS = 5 * SECOND_MS;

/** Text servers do not state the context that they give a model. This is the default of Ollama. */
const SERVER_CONTEXT_TOKENS = 4096;

/** Below the average of English, because other languages take more tokens. */
const SERVER_CHARS_PER_TOKEN = 3;

export interface TextModelFile {
  name: string;
  path: string;
  /** Changes when the file is replaced under the same name. */
  revision: string;
}

/** The installed text models, as the engine sees them. */
export interface TextModelFiles {
  list(): Promise<TextModelFile[]>;
  /** Returns a model and marks it as used. Errors: `model_not_installed` for a model that can be installed. */
  require(name: string): Promise<TextModelFile>;
}

export interface TextEngineDeps extends TextModelProcessesDeps {
  files: TextModelFiles;
  servers: TextServers;
  /** What of an answer does not fit its schema; null: all does. */
  checkAnswer(input: CheckAnswerInput, signal: AbortSignal): Promise<string | null>;
  /** The default text model (a setting); null selects the first available one. */
  defaultModel(): string | null;
}

export interface TextEngine {
  service: TextService;
  /** Lists the available models: `file` is in the models folder, `server` is offered by a local server. */
  list(): Promise<{ name: string; from: 'file' | 'server' }[]>;
  /** The models of files that are in memory now. */
  loaded(): Promise<{ name: string }[]>;
  /** Unloads a model file that is about to be deleted, after its running requests. */
  release(path: string): void;
  close(): void;
}

type Model = ({ from: 'file' } & TextModelFile) | { name: string; from: 'server'; url: string };

export function createTextEngine(deps: TextEngineDeps): TextEngine {
  const places = new Map<string, number>();
  const inTurn = turnsByModel();
  const processes = new TextModelProcesses(deps);

  const listTextModels = async (): Promise<Model[]> => {
    const there = await deps.files.list();
    processes.keepOnly(there);
    const files = there.map((file): Model => ({ ...file, from: 'file' }));
    const known = new Set(files.map(({ name }) => name));
    const served = (await deps.servers.list()).filter(({ name }) => !known.has(name));
    return [...files, ...served.map(({ name, url }): Model => ({ name, from: 'server', url }))];
  };

  const findTextModel = async (asked: string | undefined): Promise<Model> => {
    const all = await listTextModels();
    const name = asked ?? deps.defaultModel() ?? all[0]?.name;
    if (name === undefined) throw deps.servers.trouble() ?? noTextModelInstalled();
    const found = all.find((model) => model.name === name);
    if (found !== undefined) return found;
    // A catalogue model fails with install instructions. A wrong default model is not the caller's mistake.
    await deps.files.require(name).catch((error: unknown) => {
      if (error instanceof QuarryError && error.code === 'model_not_installed') throw error;
    });
    // The unreachable server may be the one with this model.
    const trouble = deps.servers.trouble();
    if (trouble !== null) throw trouble;
    if (asked === undefined) throw noTextModelInstalled();
    throw unknownModel(name, all);
  };

  return {
    service: {
      async admit(request) {
        const model = await findTextModel(request.model);
        const taken = places.get(model.name) ?? 0;
        if (taken >= PLACES_PER_MODEL) throw textModelQueueFull(model.name);
        places.set(model.name, taken + 1);
        const leave = callOnce(() => places.set(model.name, (places.get(model.name) ?? 1) - 1));
        try {
          if (model.from === 'file') await checkLength(await processes.loadedTextProcess(model), request);
          return leave;
        } catch (error) {
          leave();
          throw error;
        }
      },
      async generate(request, onText, signal) {
        const model = await findTextModel(request.model);
        return inTurn(model, signal, () => writeChecked(deps, processes, model, request, onText, signal));
      },
      async check() {
        await findTextModel(undefined);
      },
      choose: async (asked, there) =>
        there === null ? findTextModel(asked) : chooseOf(there, asked ?? deps.defaultModel()),
      async reader(name) {
        const model = await findTextModel(name);
        return readerOf(processes, model, (question, signal, onText) =>
          inTurn(model, signal, () => answerWithSchema(deps, processes, model, question, signal, onText)),
        );
      },
    },
    list: async () => (await listTextModels()).map(({ name, from }) => ({ name, from })),
    loaded: () => loadedOf(deps.files, processes),
    release: (path) => processes.releaseTextModel(path),
    close: () => processes.closeTextProcesses(),
  };
}

async function loadedOf(files: TextModelFiles, processes: TextModelProcesses): Promise<{ name: string }[]> {
  const paths = new Set(processes.loadedModelPaths());
  return (await files.list()).filter(({ path }) => paths.has(path)).map(({ name }) => ({ name }));
}

/** A text model of a node. */
function chooseOf(there: readonly ModelFacts[], wanted: string | null): { name: string; from: 'node' } {
  const names = there.flatMap(({ name, kind }) => (kind === 'text' ? [name] : []));
  const name = wanted === null ? names[0] : names.find((one) => one === wanted);
  if (name === undefined) throw noTextModelInstalled();
  return { name, from: 'node' };
}

/** Runs the work of each model one after the other. */
function turnsByModel() {
  const lines = new Map<string, Promise<unknown>>();
  return <Answer>(model: Model, signal: AbortSignal, work: () => Promise<Answer>): Promise<Answer> => {
    const turn = (lines.get(model.name) ?? Promise.resolve()).then(() => {
      signal.throwIfAborted();
      return work();
    });
    lines.set(
      model.name,
      turn.catch(() => undefined),
    );
    return orAborted(turn, signal);
  };
}

async function readerOf(processes: TextModelProcesses, model: Model, ask: TextReader['ask']): Promise<TextReader> {
  const { name } = model;
  if (model.from === 'server') {
    return { model: name, contextTokens: SERVER_CONTEXT_TOKENS, countTokens: estimateTokens, ask };
  }
  const contextTokens = await (await processes.loadedTextProcess(model)).contextTokens();
  const countReaderTokens = async (prompt: string) =>
    (await processes.loadedTextProcess(model)).countPromptTokens({ prompt });
  return { model: name, contextTokens, countTokens: countReaderTokens, ask };
}

/**
 * Writes an answer, and checks what no grammar holds of its schema. One that does not fit is written again, once.
 * Errors: those of writing, `engine_failed` where the second does not fit either.
 */
async function writeChecked(
  deps: TextEngineDeps,
  processes: TextModelProcesses,
  model: Model,
  request: TextRequest,
  onText: (text: string) => void,
  signal: AbortSignal,
): Promise<TextAnswer> {
  const { format: schema, seed = randomInt(SEED_MAX) } = request;
  if (schema === undefined || schema === 'json' || !isChecked(schema)) {
    return writeWithModel(deps, processes, model, request, onText, signal);
  }
  let fault: string | null = null;
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    // Another seed alone changes nothing where the likeliest token is always taken.
    const temperature = attempt === 0 ? request.temperature : Math.max(request.temperature, RETRY_TEMPERATURE);
    const again = { ...request, seed: (seed + attempt) % SEED_MAX, temperature };
    const answer = await writeWithModel(deps, processes, model, again, () => {}, signal);
    // Whoever cut it reads that from the reason.
    fault =
      answer.finishReason === 'length' ? null : await deps.checkAnswer({ content: answer.content, schema }, signal);
    if (fault !== null) continue;
    onText(answer.content);
    return answer;
  }
  throw new QuarryError(
    'engine_failed',
    say`The model's answer does not fit the schema: ${fault ?? ''}. Ask again, or say in the prompt what is wanted.`,
  );
}

/** llama.cpp reads the largest seed as any seed: the one before stands for it, so that it repeats a text too. */
async function writeWithModel(
  deps: TextEngineDeps,
  processes: TextModelProcesses,
  model: Model,
  request: TextRequest,
  onText: (text: string) => void,
  signal: AbortSignal,
): Promise<TextAnswer> {
  const { seed: given } = request;
  const repeatable = given === undefined ? request : { ...request, seed: Math.min(given, SEED_MAX - 1) };
  if (model.from === 'server') return deps.servers.generate(model, repeatable, onText, signal);
  // Looked up again: the request may have waited long, and the file may have changed.
  const process = await processes.loadedTextProcess(await deps.files.require(model.name));
  const { prompt, raw, maxTokens, temperature, topP, stop, format, seed = randomInt(SEED_MAX) } = repeatable;
  const call = { prompt, raw, maxTokens, temperature, topP, stop, seed, schema: grammarOf(format) };
  const { content, finishReason, promptTokens, completionTokens } = await process.generateAnswer(call, onText, signal);
  return {
    content,
    model: model.name,
    finishReason: finishReason === 'length' ? 'length' : 'stop',
    usage: { promptTokens, completionTokens, totalTokens: promptTokens + completionTokens },
  };
}

/** What the engine makes a grammar of. */
function grammarOf(format: TextRequest['format']): object | 'json' | undefined {
  return format === undefined || format === 'json' ? format : readAccepted(format).schema;
}

function isChecked(schema: Record<string, unknown>): boolean {
  return readAccepted(schema).isChecked;
}

/** The request was accepted, so its schema has no fault. */
function readAccepted(schema: Record<string, unknown>) {
  const read = grammarSchema(schema);
  if ('message' in read) throw new Error(`The schema was accepted with a fault: ${read.message}`);
  return read;
}

/** The JSON answer to a question. The server of a model may ignore the schema. */
async function answerWithSchema(
  deps: TextEngineDeps,
  processes: TextModelProcesses,
  model: Model,
  question: JsonQuestion,
  signal: AbortSignal,
  onText: (piece: string) => void = () => {},
): Promise<string> {
  const { schema, ...asked } = question;
  const call = { ...asked, temperature: 0 };
  if (model.from === 'server') {
    return (await deps.servers.generate(model, { ...call, format: schema }, onText, signal)).content;
  }
  const process = await processes.loadedTextProcess(await deps.files.require(model.name));
  return (await process.generateAnswer({ ...call, schema, seed: 0, keepsPrompt: true }, onText, signal)).content;
}

/** A text server does not count tokens in advance. */
async function estimateTokens(prompt: string): Promise<number> {
  return Math.ceil(prompt.length / SERVER_CHARS_PER_TOKEN);
}

async function checkLength(process: TextModelProcess, { prompt, raw }: TextRequest): Promise<void> {
  const counting = process.countPromptTokens({ prompt, raw });
  const [contextTokens, promptTokens] = await Promise.all([process.contextTokens(), counting]);
  // One token is the start marker, and at least one is for the answer.
  const most = contextTokens - 2;
  if (promptTokens <= most) return;
  throw refusedTextRequest(
    'prompt',
    say`Tokens of the prompt: ${promptTokens}; this model takes at most ${most}. Shorten it.`,
  );
}

function unknownModel(name: string, all: readonly Model[]): QuarryError {
  const there = all.map((model) => model.name).slice(0, SUGGESTIONS_MAX);
  const choice = there.length === 0 ? say`None is installed.` : say`There are: ${there.join(', ')}.`;
  return refusedTextRequest('model', say`No text model is called ${JSON.stringify(name.slice(0, 100))}. ${choice}`);
}

function refusedTextRequest(path: string, message: Said): QuarryError {
  const fields: FieldError[] = [{ path, message }];
  return new QuarryError('invalid_request', `${path}: ${message}`, { fields });
}

function noTextModelInstalled(): QuarryError {
  return new QuarryError(
    'model_not_installed',
    say`No text model is installed. Install one on the Models page, put a .gguf file into the models folder, or start a
      local server such as Ollama.`,
    { missing: { need: 'text', language: null } },
  );
}

function textModelQueueFull(name: string): QuarryError {
  const message = `The model ${name} has ${PLACES_PER_MODEL} requests. Retry in ${RETRY_AFTER_SECONDS} seconds.`;
  return new QuarryError('rate_limited', message, { retryAfterSeconds: RETRY_AFTER_SECONDS });
}

/** Rejects on abort without waiting for earlier requests. A text that is already being generated finishes. */
async function orAborted<Value>(turn: Promise<Value>, signal: AbortSignal): Promise<Value> {
  const { promise, reject } = Promise.withResolvers<never>();
  const rejectWhenAborted = () => reject(signal.reason);
  signal.addEventListener('abort', rejectWhenAborted, { once: true });
  if (signal.aborted) rejectWhenAborted();
  try {
    return await Promise.race([turn, promise]);
  } finally {
    signal.removeEventListener('abort', rejectWhenAborted);
  }
}

function callOnce(work: () => void): () => void {
  let done = false;
  return () => {
    if (!done) work();
    done = true;
  };
}

/** The models of the folder and of text servers. */
export const textOf = perContext(async (context): Promise<TextEngine> => {
  const { clock, settings, startChild, options } = context;
  const models = await modelsOf(context);
  const text = createTextEngine({
    files: { list: () => models.installed('text'), require: (name) => models.requireInstalled(name, 'text') },
    servers: createTextServers({
      clock,
      serverUrl: () => settings().textServerUrl,
      key: context.serverKeys.text,
      knownServers: options.knownTextServers,
    }),
    defaultModel: () => settings().textModel,
    checkAnswer: (input, signal) =>
      context.pool.run('check-answer', input, { accountId: 'owner', signal, timeLimitMs: CHECK_LIMIT_MS }),
    idleMinutes: () => settings().textModelIdleMinutes,
    startChild,
    clock,
  });
  models.onRemoval(({ path }) => text.release(path));
  context.onClose(() => text.close());
  return text;
});
