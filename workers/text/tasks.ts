/** Commands from the server to the child process of a text model. */
export type TextModelCommand =
  /** Tests whether the engine loads on this machine, without a model. */
  | { kind: 'check' }
  | { kind: 'load'; modelPath: string; contextTokensMax: number; threads: number; gpu: 'auto' | false }
  | { kind: 'count'; id: number; prompt: string }
  | { kind: 'generate'; id: number; prompt: string; maxTokens: number; temperature: number; seed: number }
  | { kind: 'abort'; id: number };

export type TextModelMessage =
  | { kind: 'able' }
  | { kind: 'ready'; contextTokens: number }
  | { kind: 'unusable'; cause: string }
  | { kind: 'counted'; id: number; promptTokens: number }
  | { kind: 'text'; id: number; text: string }
  | { kind: 'generated'; id: number; answer: TextModelAnswer }
  | { kind: 'failed'; id: number; cause: string };

export interface TextModelAnswer {
  content: string;
  /** `length`: stopped by `maxTokens` or the context size; `stop`: by the model; `abort`: by the server. */
  finishReason: 'stop' | 'length' | 'abort';
  /** Counted with the model's tokenizer. */
  promptTokens: number;
  completionTokens: number;
}

/** Commands from the server to the child process that embeds text. */
export type EmbeddingCommand =
  | { kind: 'load'; modelPath: string; contextTokensMax: number; threads: number }
  | { kind: 'embed'; id: number; text: string };

export type EmbeddingMessage =
  | { kind: 'ready' }
  | { kind: 'unusable'; cause: string }
  | { kind: 'embedded'; id: number; vector: readonly number[] }
  | { kind: 'failed'; id: number; cause: string };
