/** What a speech task and the child process that works for it say to each other. */

export type SpeechCommand =
  /** Whether the engine itself loads here, without a model. */
  | { kind: 'check' }
  | { kind: 'load'; modelFolder: string; language: string | null; threads: number }
  | { kind: 'listen'; pcmPath: string; sampleRate: number; pieces: [from: number, to: number][] }
  /** Finds where somebody speaks in the whole file. */
  | { kind: 'detect'; modelPath: string; pcmPath: string; sampleRate: number };

export type SpeechMessage =
  | { kind: 'able' }
  | { kind: 'ready' }
  /** Seconds from the beginning of the window. */
  | { kind: 'heard'; segments: SpokenSegment[]; language: string | null }
  /** Bytes of the file that were looked at. */
  | { kind: 'detecting'; bytes: number }
  /** Samples, from and up to, in order. */
  | { kind: 'detected'; ranges: [from: number, to: number][] }
  | { kind: 'failed'; cause: string };

export interface SpokenSegment {
  start: number;
  end: number;
  text: string;
  /** Where the model times its tokens. */
  tokens?: { text: string; start: number; end: number }[];
}
