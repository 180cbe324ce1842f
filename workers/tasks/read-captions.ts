import type { ReadCaptionsInput, ReadCaptionsOutput } from '../media/media-tasks.ts';
import { parseCaptions } from '../media/parse-captions.ts';

/** Reads a caption file; one that is none gives no segments. */
export function readCaptions({ body }: ReadCaptionsInput): ReadCaptionsOutput {
  return { segments: parseCaptions(new TextDecoder('utf-8').decode(body)) };
}
