/** What a field asks for. */
export interface FieldQuery {
  /** Its name, description and choices. */
  about: string;
  /** Its value has digits. */
  hasDigits: boolean;
  /** Upper bound on the characters of its passages. */
  charactersMax: number;
}

export interface RankPassagesInput {
  chunksPath: string;
  queries: FieldQuery[];
  /** A text up to this length is read as a whole, in its order. */
  wholeCharactersMax: number;
}

export interface Passage {
  chunkId: string;
  page: number;
  /** Null for documents. */
  seconds: number | null;
  text: string;
  /** Who says all of it, where that is known. */
  speaker?: string | undefined;
  endSeconds?: number | undefined;
}

export interface RankPassagesOutput {
  /** Passages of any query, in the order of the text. */
  passages: Passage[];
  /** Per query: indexes in `passages`, the most relevant first. */
  ranked: number[][];
  /** Per query: passages beyond the bound that have its words. */
  left: number[];
}

declare module '../../src-server/platform/pool/worker-pool.ts' {
  interface TaskMap {
    'rank-passages': { input: RankPassagesInput; output: RankPassagesOutput };
  }
}
