import { decodeText } from '../documents/formats/decode-text.ts';
import type { ReadCaptionsInput, ReadCaptionsOutput } from '../media/media-tasks.ts';
import { parseCaptions } from '../media/parse-captions.ts';

/** Reads a caption file, in whatever encoding it was saved; one that is none gives no segments. */
export function readCaptions({ body, language }: ReadCaptionsInput): ReadCaptionsOutput {
  return { segments: parseCaptions(decodeText(body, { language }).text) };
}
