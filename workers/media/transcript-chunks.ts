/** Chunks of a transcript: whole segments, best ending where a sentence does, with the times of what they hold. */
import { createHash } from 'node:crypto';
import type { Chunk, TranscriptSegment } from '../../src-server/contract/index.ts';
import { splitText } from '../documents/split-text.ts';

export interface TranscriptChunkOptions {
  /** Target characters per chunk. */
  segmentLength: number;
  language: string | null;
}

/** How far past the target a chunk may grow to keep a segment whole. */
const STRETCH = 1.25;
const WORD_TARGETS = 4;
/** A chunk that ends with a sentence is closed early when it has this share of the target. */
const EARLY_SHARE = 0.8;
const SENTENCE_END = /[.!?…。！？]["'”’)\]]*$/u;
const ID_HEX_CHARS = 32;

export function chunkTranscript(
  segments: readonly TranscriptSegment[],
  frames: readonly { seconds: number; text: string }[],
  options: TranscriptChunkOptions,
): Chunk[] {
  const chunks: Chunk[] = [];
  const add = (text: string, start: number, end: number, kind: 'text' | 'frame-text') => {
    const segmentIndex = chunks.length;
    const id = chunkId(text, segmentIndex, options);
    chunks.push({ id, text, page: 1, segmentIndex, kind, startSeconds: start, endSeconds: end });
  };
  for (const packed of pack(segments, options)) add(packed.text, packed.start, packed.end, 'text');
  for (const { seconds, text } of frames) {
    for (const part of partsOf({ start: seconds, end: seconds, text }, options))
      add(part.text, seconds, seconds, 'frame-text');
  }
  return chunks;
}

function* pack(segments: readonly TranscriptSegment[], options: TranscriptChunkOptions): Generator<TranscriptSegment> {
  let open: TranscriptSegment | null = null;
  for (const segment of segments) {
    for (const part of partsOf(segment, options)) {
      const length: number = open === null ? 0 : open.text.length + 1 + part.text.length;
      const early = open !== null && open.text.length >= options.segmentLength * EARLY_SHARE;
      if (open !== null && (length > options.segmentLength || (early && SENTENCE_END.test(open.text)))) {
        yield open;
        open = null;
      }
      open = open === null ? part : { start: open.start, end: part.end, text: `${open.text} ${part.text}` };
    }
  }
  if (open !== null) yield open;
}

/** A segment that is too long for a chunk, in parts that share its time by their length. */
function partsOf(segment: TranscriptSegment, { segmentLength, language }: TranscriptChunkOptions): TranscriptSegment[] {
  const { start, end, text } = segment;
  const maxLength = Math.floor(segmentLength * STRETCH);
  if (text.length <= maxLength) return [segment];
  const split = { targetLength: segmentLength, maxLength, maxWordLength: segmentLength * WORD_TARGETS, language };
  return [...splitText(text, { start: 0, end: text.length }, split)].map((range) => {
    const at = (place: number) => Math.round((start + ((end - start) * place) / text.length) * 1000) / 1000;
    return { start: at(range.start), end: at(range.end), text: text.slice(range.start, range.end) };
  });
}

/** The same for the same words under the same options. */
function chunkId(text: string, index: number, { segmentLength, language }: TranscriptChunkOptions): string {
  const named = JSON.stringify([text, index, segmentLength, language]);
  return createHash('sha256').update(named).digest('hex').slice(0, ID_HEX_CHARS);
}
