/** Messages between a task and the child process of a neural voice. */

export type VoiceCommand =
  | { kind: 'load'; model: string; tokens: string; lexicon: string; dataFolder: string; threads: number }
  | { kind: 'speak'; text: string };

export type VoiceMessage =
  | { kind: 'ready' }
  /** Little-endian 16-bit samples in base64, because the channel carries text. */
  | { kind: 'spoken'; samples: string; sampleRate: number }
  | { kind: 'failed'; cause: string };
