/** What a transcription task and the child process that listens for it say to each other. */

export type SpeechCommand =
  | { kind: 'load'; modelFolder: string; language: string | null; threads: number }
  | { kind: 'listen'; pcmPath: string; sampleRate: number; pieces: [from: number, to: number][] };

export type SpeechMessage =
  | { kind: 'ready' }
  /** Seconds from the beginning of the window. */
  | { kind: 'heard'; segments: { start: number; end: number; text: string }[]; language: string | null }
  | { kind: 'failed'; cause: string };
