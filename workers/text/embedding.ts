/**
 * An embedding model in a process of its own: a native engine that aborts takes this process down and no other, and
 * ending it gives the memory back. It embeds one text after the other.
 */

import type { LlamaEmbeddingContext } from 'node-llama-cpp';
import { QuarryError } from '../../src-server/platform/errors.ts';
import { standBack } from '../../src-server/platform/process/bound-process.ts';
import { ownerLine } from '../../src-server/platform/rpc/lines.ts';
import { serveMethods } from '../../src-server/platform/rpc/rpc.ts';
import { say } from '../../src-server/platform/text/say.ts';
import { loadEngine } from './llama.ts';
import type { Embedded, EmbeddingProgram } from './tasks.ts';

/** Special tokens that models add at both ends of a text. */
const MARK_TOKENS = 3;

interface Loaded {
  context: LlamaEmbeddingContext;
  /** Token limit of a text; the rest is cut off. */
  textTokensMax: number;
}

// Before the engine starts its threads, which inherit the priority: jobs are more urgent than vectors of documents.
standBack(process.pid);

let loaded: Loaded | null = null;

serveMethods<EmbeddingProgram>({ load, embed }, ownerLine);

async function load({ modelPath, contextTokensMax, threads }: Parameters<EmbeddingProgram['load']>[0]): Promise<void> {
  const { getLlama } = await loadEngine();
  // These models are small: what a graphics processor saves is less than what its drivers may break.
  const llama = await getLlama({ gpu: false, build: 'never', skipDownload: true, progressLogs: false });
  const model = await llama.loadModel({ modelPath });
  const contextSize = Math.min(model.trainContextSize, contextTokensMax);
  // A model that reads a text as a whole takes it in one batch.
  const context = await model.createEmbeddingContext({ contextSize, batchSize: contextSize, threads });
  loaded = { context, textTokensMax: contextSize - MARK_TOKENS };
}

async function embed(text: string): Promise<Embedded> {
  if (loaded === null) throw new Error('No model is loaded.');
  const { context, textTokensMax } = loaded;
  try {
    const tokens = context.model.tokenize(text);
    const { vector } = await context.getEmbeddingFor(tokens.slice(0, textTokensMax));
    return { vector, tokens: tokens.length, tokensMax: textTokensMax };
  } catch (cause) {
    const message = say`The embedding model failed on this text. Search with other words, or with mode lexical.`;
    throw new QuarryError('engine_failed', message, { cause });
  }
}
