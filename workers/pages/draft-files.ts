/**
 * The drafts of a batch in one file: per page four frames, the facts that comparing needs and the lines that are
 * copied to the outputs. A frame is its length (32 bits) and its bytes.
 */

import { readFileSync } from 'node:fs';
import { deserialize, serialize } from 'node:v8';
import type { ComparedDraft, Draft } from './page-draft.ts';

const LENGTH_BYTES = 4;

/** Serialized at once, page by page: objects that live until the batch is written cost the garbage collector most. */
export function draftFrames({ lines, ...compared }: Draft): Uint8Array[] {
  return [serialize(compared), lines.texts, lines.guardrails, lines.chunks].flatMap((frame) => {
    const length = Buffer.alloc(LENGTH_BYTES);
    length.writeUInt32LE(frame.length);
    return [length, frame];
  });
}

/** The drafts of a file, by ledger number. Their lines are views of the file's bytes. */
export function readDraftFile(path: string): Map<number, Draft> {
  const bytes = readFileSync(path);
  const drafts = new Map<number, Draft>();
  let at = 0;
  const nextFrame = () => {
    const start = at + LENGTH_BYTES;
    at = start + bytes.readUInt32LE(at);
    return bytes.subarray(start, at);
  };
  while (at < bytes.length) {
    const compared = deserialize(nextFrame()) as ComparedDraft;
    const lines = { texts: nextFrame(), guardrails: nextFrame(), chunks: nextFrame() };
    drafts.set(compared.id, { ...compared, lines });
  }
  return drafts;
}
