/**
 * An embedding model in a process of its own: a native engine that aborts takes this process down and no other, and
 * ending it gives the memory back. It is handed one text after the other.
 */

import type { LlamaEmbeddingContext } from 'node-llama-cpp';
import { standBack } from '../../src-server/platform/process/bound-process.ts';
import { openOwnerLine } from '../../src-server/platform/rpc/child-process.ts';
import { loadEngine } from './llama.ts';
import type { EmbeddingCommand, EmbeddingMessage } from './tasks.ts';

/** Marks at the beginning and the end that models put around a text. */
const MARK_TOKENS = 3;

interface Loaded {
  context: LlamaEmbeddingContext;
  /** Tokens of a text that are read; what follows them is cut off. */
  textTokensMax: number;
}

// Before the engine starts its threads, which take it over: vectors of documents wait for nobody, jobs do.
standBack(process.pid);

let loaded: Loaded | null = null;

const say = openOwnerLine<EmbeddingCommand, EmbeddingMessage>((command) => void hear(command));

async function hear(command: EmbeddingCommand): Promise<void> {
  if (command.kind === 'load') return load(command);
  try {
    say({ kind: 'embedded', id: command.id, vector: await embed(command.text) });
  } catch (error) {
    say({ kind: 'failed', id: command.id, cause: describe(error) });
  }
}

async function load(command: Extract<EmbeddingCommand, { kind: 'load' }>): Promise<void> {
  try {
    const { getLlama } = await loadEngine();
    // These models are small: what a graphics processor saves is less than what its drivers may break.
    const llama = await getLlama({ gpu: false, build: 'never', skipDownload: true, progressLogs: false });
    const model = await llama.loadModel({ modelPath: command.modelPath });
    const contextSize = Math.min(model.trainContextSize, command.contextTokensMax);
    // A model that reads a text as a whole takes it in one batch.
    const context = await model.createEmbeddingContext({
      contextSize,
      batchSize: contextSize,
      threads: command.threads,
    });
    loaded = { context, textTokensMax: contextSize - MARK_TOKENS };
    say({ kind: 'ready' });
  } catch (error) {
    say({ kind: 'unusable', cause: describe(error) });
  }
}

async function embed(text: string): Promise<readonly number[]> {
  if (loaded === null) throw new Error('No model is loaded.');
  const { context, textTokensMax } = loaded;
  const tokens = context.model.tokenize(text).slice(0, textTokensMax);
  return (await context.getEmbeddingFor(tokens)).vector;
}

function describe(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
