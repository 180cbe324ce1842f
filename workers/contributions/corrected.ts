import type { Annotation, Chunk } from '../../src-server/operation.ts';
import { countTextTokens } from '../../src-server/platform/text/tokens.ts';
import type { GivenAnnotation } from '../media/place-annotations.ts';
import type { NotCorrected } from './tasks.ts';

/** A result and its files with corrections and annotations. */
export interface Corrected {
  /** All chunks, in the order of their file. */
  chunks: Chunk[];
  /** Writes each served file, by name. Null removes it. */
  files: Map<string, ((path: string) => void) | string | null>;
  /** Changes what the result says beside its chunks. */
  change(result: Record<string, unknown>): void;
  annotations: Annotation[];
  notCorrected: NotCorrected[];
}

/** What persons say about a result. */
export interface Given {
  /** What chunks should say, by their ids. */
  corrections: ReadonlyMap<string, string>;
  annotations: readonly GivenAnnotation[];
}

/** The chunk with a text; its own takes the mark of a correction away. Other members stay in their order. */
export function withText(chunk: Chunk, text: string): Chunk {
  if (text === chunk.text) return chunk;
  const tokens = chunk.tokens === undefined ? {} : { tokens: countTextTokens(text) };
  return { ...chunk, text, ...tokens, originalText: chunk.text };
}

export function chunkLines(chunks: readonly Chunk[]): string {
  return chunks.map((chunk) => `${JSON.stringify(chunk)}\n`).join('');
}
