import type { GivenAnnotation } from '../media/place-annotations.ts';

/** A file or part of a result that corrections and annotations do not change, and why. */
export interface NotCorrected {
  /** Name of a file, or `source`. */
  name: string;
  reason: string;
}

export interface CorrectResultInput {
  /** Folder of the job's served files. */
  folder: string;
  /** The stored result as JSON. */
  result: string;
  /** What chunks should say, by their ids; of two that overlap, the later stays. */
  corrections: readonly (readonly [chunkId: string, text: string])[];
  annotations: readonly GivenAnnotation[];
}

export interface CorrectResultOutput {
  result: string;
  /** Size of chunks.jsonl; null where there is none. */
  chunksBytes: number | null;
  /** Chunks whose text is another than before, with it; null for their own. */
  changed: (readonly [chunkId: string, text: string | null])[];
  notCorrected: NotCorrected[];
}

declare module '../../src-server/platform/pool/worker-pool.ts' {
  interface TaskMap {
    'correct-result': { input: CorrectResultInput; output: CorrectResultOutput };
  }
}
