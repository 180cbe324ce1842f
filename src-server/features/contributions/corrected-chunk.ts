import type { Chunk } from '../../chunk.ts';

/** The chunk saying what it should, with what it said first beside it. Null gives it its own text back. */
export function correctedChunk({ originalText, ...chunk }: Chunk, text: string | null): Chunk {
  const original = originalText ?? chunk.text;
  return text === null ? { ...chunk, text: original } : { ...chunk, text, originalText: original };
}
