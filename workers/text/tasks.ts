import type { EngineCheck } from '../../src-server/platform/rpc/child-process.ts';
import type { Callback } from '../../src-server/platform/rpc/rpc.ts';

/** The child process that runs a text model. */
export interface TextModel extends EngineCheck {
  /** Tokens of the context. Errors: `engine_failed` for a file that cannot be loaded. */
  load(model: ModelToLoad): Promise<number>;
  /** Tokens of the prompt, counted by the model's own tokenizer. Errors: `engine_failed`. */
  countTokens(prompt: PromptText): Promise<number>;
  /** One text at a time; the signal stops it. Errors: `engine_failed`. */
  generate(call: GenerateCall, onText: Callback<[text: string]>, signal: AbortSignal): Promise<TextModelAnswer>;
}

export interface ModelToLoad {
  modelPath: string;
  contextTokensMax: number;
  threads: number;
  gpu: 'auto' | false;
}

export interface PromptText {
  prompt: string;
  /** Continues the prompt as it is, without the model's chat template. */
  raw?: boolean | undefined;
}

export interface GenerateCall extends PromptText {
  maxTokens: number;
  temperature: number;
  seed: number;
  topP?: number | undefined;
  /** Texts before which the answer ends. */
  stop?: readonly string[] | undefined;
  /** JSON Schema of the answer, which is then JSON; `json` is any object. Plain text without one. */
  schema?: object | 'json' | undefined;
  /** Keeps what the model has read, for the next question about the same passages. */
  keepsPrompt?: boolean;
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
  embed(text: string): Promise<Embedded>;
}

export interface Embedded {
  vector: readonly number[];
  /** Tokens of the text; those beyond `tokensMax` are not in the vector. */
  tokens: number;
  tokensMax: number;
}

/** An answer in JSON, and the schema that its caller gave. The output says what does not fit; null: all does. */
export interface CheckAnswerInput {
  content: string;
  schema: object;
}

/**
 * Chunks as counts of terms, in compressed rows: the terms of chunk `n` lie from `starts[n]` to `starts[n + 1]`, in the
 * order in which the chunk first has them.
 */
export interface FitTopicsInput {
  /** Number of different terms. */
  terms: number;
  starts: Uint32Array;
  indexes: Uint32Array;
  counts: Uint16Array;
  seed: number;
}

/** Directions among terms, as learned from some chunks. */
export interface TopicSpace {
  dimensions: number;
  /** The terms that it knows, by their numbers. */
  terms: Uint32Array;
  /** Of each of its terms: 0 where it is in every chunk alike, 1 where it is in one. */
  weights: Float32Array;
  /** Of each of its terms, its `dimensions` numbers. */
  vectors: Float32Array;
  /** Centres of cells of near chunks, `dimensions` numbers each. */
  cells: Float32Array;
}

/** Topics of chunks that are like each other. */
export interface TopicCollection extends TopicSpace {
  /** How much its topics count beside words, which count 1, by a check on what it was not learned from. */
  worth: number;
}

export interface FitTopicsOutput {
  /** Tells the collections apart: its cells are theirs, in order. Without dimensions if there is one. */
  sorter: TopicSpace;
  collections: TopicCollection[];
}

declare module '../../src-server/platform/pool/worker-pool.ts' {
  interface TaskMap {
    'check-answer': { input: CheckAnswerInput; output: string | null };
    'fit-topics': { input: FitTopicsInput; output: FitTopicsOutput };
  }
}
