/**
 * An embedding model in its own process. If the native engine aborts, only this process ends; killing it frees the
 * memory. It embeds one text at a time.
 */

import type { LlamaEmbeddingContext } from 'node-llama-cpp';
import { standBack } from '../../src-server/platform/process/bound-process.ts';
import { openOwnerLine } from '../../src-server/platform/rpc/child-process.ts';
import { loadEngine } from './llama.ts';
import type { EmbeddingCommand, EmbeddingMessage } from './tasks.ts';

/** Special tokens that models add at both ends of a text. */
const MARK_TOKENS = 3;

interface Loaded {
  context: LlamaEmbeddingContext;
  /** Token limit of a text; the rest is cut off. */
  textTokensMax: number;
}

// Runs before the engine starts threads, which inherit the priority: document vectors are less urgent than jobs.
standBack(process.pid);

let loaded: Loaded | null = null;

const send = openOwnerLine<EmbeddingCommand, EmbeddingMessage>((command) => void receive(command));

async function receive(command: EmbeddingCommand): Promise<void> {
  if (command.kind === 'load') return load(command);
  try {
    send({ kind: 'embedded', id: command.id, vector: await embed(command.text) });
  } catch (error) {
    send({ kind: 'failed', id: command.id, cause: describe(error) });
  }
}

async function load(command: Extract<EmbeddingCommand, { kind: 'load' }>): Promise<void> {
  try {
    const { getLlama } = await loadEngine();
    // These models are small: a graphics processor gains less than its drivers risk.
    const llama = await getLlama({ gpu: false, build: 'never', skipDownload: true, progressLogs: false });
    const model = await llama.loadModel({ modelPath: command.modelPath });
    const contextSize = Math.min(model.trainContextSize, command.contextTokensMax);
    // The batch must hold a whole text, which such a model reads at once.
    const context = await model.createEmbeddingContext({
      contextSize,
      batchSize: contextSize,
      threads: command.threads,
    });
    loaded = { context, textTokensMax: contextSize - MARK_TOKENS };
    send({ kind: 'ready' });
  } catch (error) {
    send({ kind: 'unusable', cause: describe(error) });
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
