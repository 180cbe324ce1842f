/**
 * A text model in a process of its own: a native engine that aborts takes this process down and no other, and ending it
 * gives the memory back. It writes one text at a time, and ends when the server has ended.
 */

import { randomUUID } from 'node:crypto';
import type { LlamaGrammar, LlamaModel, LlamaText, Token } from 'node-llama-cpp';
import { QuarryError } from '../../src-server/platform/errors.ts';
import { omitUndefined } from '../../src-server/platform/omit-undefined.ts';
import { standBack } from '../../src-server/platform/process/bound-process.ts';
import { cpuMsOfProcess } from '../../src-server/platform/process/cpu-time.ts';
import { limitPhrase, limitWork } from '../../src-server/platform/process/work-limit.ts';
import { ownerLine } from '../../src-server/platform/rpc/lines.ts';
import { type Callback, serveMethods } from '../../src-server/platform/rpc/rpc.ts';
import { type Said, say } from '../../src-server/platform/text/say.ts';
import { SECOND_MS } from '../../src-server/platform/units.ts';
import { markSchema, placeRules } from './json-grammar.ts';
import { loadEngine } from './llama.ts';
import { StopTexts } from './stop-texts.ts';
import type { GenerateCall, ModelToLoad, PromptText, TextModel, TextModelAnswer } from './tasks.ts';

type Engine = Awaited<ReturnType<typeof loadEngine>>;

type Sequence = ReturnType<Awaited<ReturnType<LlamaModel['createContext']>>['getSequence']>;

interface Loaded {
  engine: Engine;
  model: LlamaModel;
  sequence: Sequence;
  contextTokens: number;
}

/** CPU time for the header of a model file. */
const HEADER_LIMIT_MS = 10 * SECOND_MS;

let loaded: Loaded | null = null;

// Before the engine starts its threads, which inherit the priority: requests to the server are more urgent.
standBack(process.pid);

serveMethods<TextModel>(
  {
    check: async () => {
      await openEngine(false);
    },
    load,
    countTokens: (prompt) => answerTextModelCall(() => templatedPrompt(loadedModel(), prompt).promptTokens),
    generate: (call, onText, signal) =>
      answerTextModelCall(() => generateModelText(loadedModel(), call, onText, signal)),
  },
  ownerLine,
);

async function openEngine(gpu: 'auto' | false) {
  const engine = await loadEngine();
  return { engine, llama: await engine.getLlama({ gpu, build: 'never', skipDownload: true, progressLogs: false }) };
}

async function load({ gpu, modelPath, contextTokensMax, threads }: ModelToLoad): Promise<number> {
  try {
    const { engine, llama } = await openEngine(gpu);
    const model = await loadFile(llama, modelPath);
    const contextSize = Math.min(model.trainContextSize, contextTokensMax);
    const context = await model.createContext({ contextSize, threads });
    loaded = { engine, model, sequence: context.getSequence(), contextTokens: context.contextSize };
    return Math.min(contextSize, context.contextSize);
  } catch (cause) {
    throw textModelFailure(say`The text model could not be loaded: its file is damaged or too large.`, cause);
  }
}

/**
 * The reader of the file's header takes missing bytes for zeros, and may count to 2^64 on them. It gets its own limit
 * of CPU time: the header of the largest vocabulary takes two seconds.
 */
async function loadFile(llama: Awaited<ReturnType<Engine['getLlama']>>, modelPath: string): Promise<LlamaModel> {
  const header = new AbortController();
  const limit = limitWork({
    cpuLimitMs: HEADER_LIMIT_MS,
    cpuMs: () => cpuMsOfProcess(process.pid),
    onLimit: (reached) => header.abort(new Error(`The header of the file could not be read: ${limitPhrase(reached)}.`)),
  });
  try {
    // The first report of progress comes after the header.
    return await llama.loadModel({ modelPath, loadSignal: header.signal, onLoadProgress: () => limit.end() });
  } finally {
    limit.end();
  }
}

async function answerTextModelCall<Value>(work: () => Value | Promise<Value>): Promise<Value> {
  try {
    return await work();
  } catch (cause) {
    throw textModelFailure(say`The text model failed on this request.`, cause);
  }
}

function textModelFailure(message: Said, cause: unknown): QuarryError {
  return new QuarryError('engine_failed', message, { cause, retryable: true });
}

interface Prompt {
  input: string | LlamaText;
  stops: LlamaText[];
  promptTokens: number;
  /** The end of a prompt that the text continues; empty for the answer to a question. */
  continued: readonly Token[];
}

/** Tokens that decide how the next one is written. */
const CONTINUED_TOKENS = 8;

/** Uses the model's chat template; a model without one continues the text. */
function templatedPrompt({ engine, model }: Loaded, { prompt, raw }: PromptText): Prompt {
  const template = model.fileInfo.metadata.tokenizer.chat_template;
  if (template === undefined || raw === true) {
    const tokens = model.tokenize(prompt);
    return { input: prompt, stops: [], promptTokens: tokens.length, continued: tokens.slice(-CONTINUED_TOKENS) };
  }
  // Thoughts of a model would be part of the text and use up its tokens.
  const qwen = template.includes('<think>') ? ({ thoughts: 'discourage' } as const) : {};
  const wrapper = engine.resolveChatWrapper(model, { customWrapperSettings: { qwen } });
  const { contextText, stopGenerationTriggers } = wrapper.generateContextState({
    chatHistory: [
      { type: 'user', text: prompt },
      { type: 'model', response: [] },
    ],
  });
  return {
    input: contextText,
    stops: stopGenerationTriggers.map((trigger) => engine.LlamaText(trigger)),
    promptTokens: contextText.tokenize(model.tokenizer).length,
    continued: [],
  };
}

async function generateModelText(
  model: Loaded,
  call: GenerateCall,
  onText: Callback<[text: string]>,
  signal: AbortSignal,
): Promise<TextModelAnswer> {
  const { engine, sequence, contextTokens } = model;
  const { input, stops, promptTokens, continued } = templatedPrompt(model, call);
  let completionTokens = 0;
  let first: Token[] | null = null;
  // Questions about the same passages share their beginning, which is then read once.
  if (call.keepsPrompt !== true) await sequence.clearHistory();
  const grammar = call.schema === undefined ? {} : { grammar: await grammarOf(model, call.schema) };
  const stopped = new AbortController();
  const text = new StopTexts(
    call.stop ?? [],
    (piece) => void onText(piece),
    () => stopped.abort(),
  );
  const completion = new engine.LlamaCompletion({ contextSequence: sequence });
  // One token of the context is the mark at its beginning. Going on past the context would forget the prompt.
  const room = contextTokens - promptTokens - 1;
  const { metadata } = await completion.generateCompletionWithMeta(input, {
    maxTokens: Math.max(1, Math.min(call.maxTokens, room)),
    temperature: call.temperature,
    seed: call.seed,
    ...omitUndefined({ topP: call.topP }),
    signal: AbortSignal.any([signal, stopped.signal]),
    stopOnAbortSignal: true,
    ...grammar,
    ...omitUndefined({ customStopTriggers: stops.length === 0 ? undefined : stops }),
    onToken: (tokens) => {
      if (completionTokens === 0) first = tokens;
      completionTokens += tokens.length;
    },
    onTextChunk: (piece) => {
      // The engine writes the first tokens as the beginning of a text, without the blank that continues the prompt.
      text.addGeneratedText(first === null ? piece : model.model.detokenize(first, false, continued));
      first = null;
    },
  });
  completion.dispose({ disposeSequence: false });
  const finishReason = text.isOver ? 'stop' : finishReasonOf(metadata.stopReason);
  return { content: text.endGeneratedText(), finishReason, promptTokens, completionTokens };
}

async function grammarOf({ model }: Loaded, schema: object | 'json'): Promise<LlamaGrammar> {
  if (schema === 'json') return model.llama.getGrammarFor('json');
  const { schema: marked, rules } = markSchema(schema, randomUUID());
  const plain = await model.llama.createGrammarForJsonSchema(marked as { type: 'object' });
  if (rules.size === 0) return plain;
  return model.llama.createGrammar({
    grammar: placeRules(plain.grammar, rules),
    stopGenerationTriggers: plain.stopGenerationTriggers,
    trimWhitespaceSuffix: plain.trimWhitespaceSuffix,
  });
}

function finishReasonOf(stopReason: string): TextModelAnswer['finishReason'] {
  if (stopReason === 'maxTokens') return 'length';
  return stopReason === 'abort' ? 'abort' : 'stop';
}

function loadedModel(): Loaded {
  if (loaded === null) throw new Error('No model is loaded.');
  return loaded;
}
