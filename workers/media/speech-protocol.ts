/** Messages between a speech task and its child process. */

export type SpeechCommand =
  /** Tests whether the engine loads on this machine, without a model. */
  | { kind: 'check' }
  | { kind: 'load'; modelFolder: string; language: string | null; threads: number }
  | { kind: 'listen'; pcmPath: string; sampleRate: number; pieces: [from: number, to: number][] }
  /** Finds speech in the whole file. */
  | { kind: 'detect'; modelPath: string; pcmPath: string; sampleRate: number };

export type SpeechMessage =
  | { kind: 'able' }
  | { kind: 'ready' }
  /** Times are in seconds from the start of the window. */
  | { kind: 'heard'; segments: SpokenSegment[]; language: string | null }
  /** Bytes of the file processed so far. */
  | { kind: 'detecting'; bytes: number }
  /** In samples, in order; the end is exclusive. */
  | { kind: 'detected'; ranges: [from: number, to: number][] }
  | { kind: 'failed'; cause: string };

export interface SpokenSegment {
  start: number;
  end: number;
  text: string;
  /** Present if the model times tokens. */
  tokens?: { text: string; start: number; end: number }[];
}
