/** What the server and the child process that holds a text model say to each other. */

export type TextModelCommand =
  /** Whether the engine itself loads here, without a model. */
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
  /** `length`: `maxTokens` or the model's context ended it; `stop`: the model did; `abort`: it was told to. */
  finishReason: 'stop' | 'length' | 'abort';
  /** Counted by the model's own tokenizer. */
  promptTokens: number;
  completionTokens: number;
}
