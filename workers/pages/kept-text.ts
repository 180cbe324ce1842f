import { wholeSlice } from '../../src-server/platform/text/strings.ts';

/** Most that is kept of a title, a description or a hidden text. */
export const MAX_KEPT_CHARS = 600;
export const INVISIBLE = /[\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufeff\u{e0000}-\u{e007f}]/u;

export function oneLine(text: string): string | null {
  const line = text.replace(/\s+/g, ' ').trim().toWellFormed();
  return line === '' ? null : wholeSlice(line, 0, MAX_KEPT_CHARS);
}

/** The text around the first invisible character, as it stands in the page. */
export function aroundInvisible(text: string): string {
  const at = text.search(INVISIBLE);
  return wholeSlice(text, Math.max(0, at - 40), at + 80);
}
