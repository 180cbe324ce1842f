/**
 * A text model in its own process. If the native engine aborts, only this process ends; killing it frees the memory. It
 * receives commands over IPC, one text at a time, and exits when the server is gone.
 */

import type { LlamaModel, LlamaText } from 'node-llama-cpp';
import { standBack } from '../../src-server/platform/process/bound-process.ts';
import { openOwnerLine } from '../../src-server/platform/rpc/child-process.ts';
import { loadEngine } from './llama.ts';
import type { TextModelAnswer, TextModelCommand, TextModelMessage } from './tasks.ts';

type GenerateCommand = Extract<TextModelCommand, { kind: 'generate' }>;

type Engine = Awaited<ReturnType<typeof loadEngine>>;

type Sequence = ReturnType<Awaited<ReturnType<LlamaModel['createContext']>>['getSequence']>;

interface Loaded {
  engine: Engine;
  model: LlamaModel;
  sequence: Sequence;
  contextTokens: number;
}

let loaded: Loaded | null = null;

const running = new Map<number, AbortController>();

// Runs before the engine starts threads, which inherit the priority: requests to the server come first.
standBack(process.pid);

const send = openOwnerLine<TextModelCommand, TextModelMessage>((command) => void receive(command));

async function receive(command: TextModelCommand): Promise<void> {
  switch (command.kind) {
    case 'check':
      return check();
    case 'load':
      return load(command);
    case 'abort':
      running.get(command.id)?.abort();
      return;
    case 'count':
      return answer(command.id, () => {
        const promptTokens = promptOf(loadedModel(), command.prompt).promptTokens;
        send({ kind: 'counted', id: command.id, promptTokens });
      });
    case 'generate':
      return answer(command.id, async () => {
        send({ kind: 'generated', id: command.id, answer: await generate(loadedModel(), command) });
      });
  }
}

async function check(): Promise<void> {
  try {
    await openEngine(false);
    send({ kind: 'able' });
  } catch (error) {
    send({ kind: 'unusable', cause: describe(error) });
  }
}

async function openEngine(gpu: 'auto' | false) {
  const engine = await loadEngine();
  return { engine, llama: await engine.getLlama({ gpu, build: 'never', skipDownload: true, progressLogs: false }) };
}

async function load(command: Extract<TextModelCommand, { kind: 'load' }>): Promise<void> {
  try {
    const { engine, llama } = await openEngine(command.gpu);
    const model = await llama.loadModel({ modelPath: command.modelPath });
    const contextSize = Math.min(model.trainContextSize, command.contextTokensMax);
    const context = await model.createContext({ contextSize, threads: command.threads });
    loaded = { engine, model, sequence: context.getSequence(), contextTokens: context.contextSize };
    send({ kind: 'ready', contextTokens: Math.min(contextSize, context.contextSize) });
  } catch (error) {
    send({ kind: 'unusable', cause: describe(error) });
  }
}

async function answer(id: number, work: () => Promise<void> | void): Promise<void> {
  try {
    await work();
  } catch (error) {
    send({ kind: 'failed', id, cause: describe(error) });
  }
}

interface Prompt {
  input: string | LlamaText;
  stops: LlamaText[];
  promptTokens: number;
}

/** Uses the model's chat template; a model without one continues the text. */
function promptOf({ engine, model }: Loaded, prompt: string): Prompt {
  if (model.fileInfo.metadata.tokenizer.chat_template === undefined) {
    return { input: prompt, stops: [], promptTokens: model.tokenize(prompt).length };
  }
  const wrapper = engine.resolveChatWrapper(model);
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
  };
}

async function generate(loaded: Loaded, command: GenerateCommand): Promise<TextModelAnswer> {
  const { engine, sequence, contextTokens } = loaded;
  const abort = new AbortController();
  running.set(command.id, abort);
  const { input, stops, promptTokens } = promptOf(loaded, command.prompt);
  let completionTokens = 0;
  try {
    await sequence.clearHistory();
    const completion = new engine.LlamaCompletion({ contextSequence: sequence });
    // One context token is the start token. Generating past the context would drop the prompt.
    const room = contextTokens - promptTokens - 1;
    const { response, metadata } = await completion.generateCompletionWithMeta(input, {
      maxTokens: Math.max(1, Math.min(command.maxTokens, room)),
      temperature: command.temperature,
      seed: command.seed,
      signal: abort.signal,
      stopOnAbortSignal: true,
      ...(stops.length === 0 ? {} : { customStopTriggers: stops }),
      onToken: (tokens) => {
        completionTokens += tokens.length;
      },
      onTextChunk: (text) => send({ kind: 'text', id: command.id, text }),
    });
    completion.dispose({ disposeSequence: false });
    return { content: response, finishReason: reasonOf(metadata.stopReason), promptTokens, completionTokens };
  } finally {
    running.delete(command.id);
  }
}

function reasonOf(stopReason: string): TextModelAnswer['finishReason'] {
  if (stopReason === 'maxTokens') return 'length';
  return stopReason === 'abort' ? 'abort' : 'stop';
}

function loadedModel(): Loaded {
  if (loaded === null) throw new Error('No model is loaded.');
  return loaded;
}

function describe(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
