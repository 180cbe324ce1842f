/** Where annotations are in the chunks of a result. */

import type { Annotation, Chunk } from '../../src-server/operation.ts';
import { nearestPlace } from '../../src-server/platform/text/whole-words.ts';

/** An annotation before its place is known. `start` is where its quotation was, or near. */
export type GivenAnnotation = Omit<Annotation, 'end' | 'page' | 'startSeconds' | 'pageUrl'>;

/** Annotations with their places in chunks. A quotation that a correction removed has none. */
export function placeAnnotations(given: readonly GivenAnnotation[], chunks: readonly Chunk[]): Annotation[] {
  const byId = new Map(chunks.map((chunk) => [chunk.id, chunk]));
  return given.map(({ annotationId, kind, text, url, author, license, createdAt, chunkId, quote, start: former }) => {
    const chunk = chunkId === null ? undefined : byId.get(chunkId);
    const start = chunk === undefined || quote === null ? null : nearestPlace(chunk.text, quote, former ?? 0);
    return {
      annotationId,
      kind,
      text,
      url,
      author,
      license,
      createdAt,
      chunkId,
      quote,
      start,
      end: start === null || quote === null ? null : start + quote.length,
      page: chunk?.page ?? null,
      startSeconds: chunk?.startSeconds === undefined ? undefined : chunk.startSeconds,
      pageUrl: chunk?.url === undefined ? undefined : chunk.url,
    };
  });
}

/** Chunks with the annotations of each; those of others are taken away. */
export function withAnnotations(chunks: readonly Chunk[], annotations: readonly Annotation[]): Chunk[] {
  if (annotations.length === 0) return [...chunks];
  const byChunk = Map.groupBy(annotations, ({ chunkId }) => chunkId ?? '');
  return chunks.map((chunk) => {
    const own = byChunk.get(chunk.id);
    return own === undefined ? chunk : { ...chunk, annotations: own };
  });
}

/** An annotation in words, for files that people read: `“ninety lamps”: the remark (A. Pilot, CC-BY-4.0, address)`. */
export function annotationWords({ text, quote, url, author, license }: Annotation): string {
  const facts = [author, license, url].filter((fact) => fact !== null);
  return `${quote === null ? '' : `“${quote}”: `}${text}${facts.length === 0 ? '' : ` (${facts.join(', ')})`}`;
}
