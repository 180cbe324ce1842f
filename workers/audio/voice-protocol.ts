/** What a task and the child process that speaks with a neural voice say to each other. */

export type VoiceCommand =
  | { kind: 'load'; model: string; tokens: string; lexicon: string; dataFolder: string; threads: number }
  | { kind: 'speak'; text: string };

export type VoiceMessage =
  | { kind: 'ready' }
  /** Little-endian samples of 16 bits in base64: the line between processes carries text. */
  | { kind: 'spoken'; samples: string; sampleRate: number }
  | { kind: 'failed'; cause: string };
