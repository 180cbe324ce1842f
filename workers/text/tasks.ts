import type { EngineCheck } from '../../src-server/platform/rpc/child-process.ts';
import type { Callback } from '../../src-server/platform/rpc/rpc.ts';

/** The child process that runs a text model. */
export interface TextModel extends EngineCheck {
  /** Tokens of the context. Errors: `engine_failed` for a file that cannot be loaded. */
  load(model: ModelToLoad): Promise<number>;
  /** Tokens of the prompt, counted by the model's own tokenizer. Errors: `engine_failed`. */
  countTokens(prompt: string): Promise<number>;
  /** One text at a time; the signal stops it. Errors: `engine_failed`. */
  generate(call: GenerateCall, onText: Callback<[text: string]>, signal: AbortSignal): Promise<TextModelAnswer>;
}

export interface ModelToLoad {
  modelPath: string;
  contextTokensMax: number;
  threads: number;
  gpu: 'auto' | false;
}

export interface GenerateCall {
  prompt: string;
  maxTokens: number;
  temperature: number;
  seed: number;
  /** JSON Schema of the answer, which is then JSON; plain text without one. */
  schema?: object;
}

export interface TextModelAnswer {
  content: string;
  /** `length`: `maxTokens` or the model's context ended it; `stop`: the model did; `abort`: the signal did. */
  finishReason: 'stop' | 'length' | 'abort';
  /** Counted with the model's tokenizer. */
  promptTokens: number;
  completionTokens: number;
}

/** The child process that embeds text, one text at a time. */
export interface EmbeddingProgram {
  load(model: Omit<ModelToLoad, 'gpu'>): Promise<void>;
  /** Errors: `engine_failed`. */
  embed(text: string): Promise<readonly number[]>;
}
