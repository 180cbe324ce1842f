import { decodeText } from '../documents/decode-text.ts';
import { parseCaptions } from './parse-captions.ts';
import type { ReadCaptionsInput, ReadCaptionsOutput } from './tasks.ts';

/** Reads a caption file, in whatever encoding it was saved; one that is none gives no segments. */
export function readCaptions({ body, language }: ReadCaptionsInput): ReadCaptionsOutput {
  return { segments: parseCaptions(decodeText(body, { language }).text) };
}
