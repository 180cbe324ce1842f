/** Like `slice`, without half a surrogate pair at either end: it has no UTF-8 form, and many programs refuse it. */
export function wholeSlice(text: string, from: number, to: number): string {
  const start = isWithinCharacter(text, from) ? from + 1 : from;
  return text.slice(start, isWithinCharacter(text, to) ? to - 1 : to);
}

export function isWithinCharacter(text: string, at: number): boolean {
  return at > 0 && at < text.length && isHalf(text, at - 1, 0xd800) && isHalf(text, at, 0xdc00);
}

function isHalf(text: string, at: number, first: number): boolean {
  const code = text.charCodeAt(at);
  return code >= first && code < first + 0x400;
}

const CHARS_MAX = 500;

/**
 * An untrusted title or name for display: one line, bounded, without terminal control characters or direction marks.
 * Null when nothing remains.
 */
export function sanitizeOneLine(value: unknown): string | null {
  if (typeof value !== 'string') return null;
  const text = value
    .toWellFormed()
    .replace(/\p{Bidi_Control}/gu, '')
    .replace(/[\p{Cc}\s]+/gu, ' ')
    .trim();
  if (text === '') return null;
  // By characters, so that none is split.
  return Array.from(text.slice(0, CHARS_MAX * 2))
    .slice(0, CHARS_MAX)
    .join('');
}
