/** What the server and the child process that makes vectors of text say to each other. */

export type EmbeddingCommand =
  | { kind: 'load'; modelPath: string; contextTokensMax: number; threads: number }
  | { kind: 'embed'; id: number; text: string };

export type EmbeddingMessage =
  | { kind: 'ready' }
  | { kind: 'unusable'; cause: string }
  | { kind: 'embedded'; id: number; vector: readonly number[] }
  | { kind: 'failed'; id: number; cause: string };
