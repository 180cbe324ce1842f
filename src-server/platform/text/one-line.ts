const CHARS_MAX = 500;

/**
 * A foreign title or name as it may be shown: one line, bounded, and without what would write over a terminal or turn
 * the direction of the text around it. Null where nothing is left.
 */
export function oneLine(value: unknown): string | null {
  if (typeof value !== 'string') return null;
  const text = value
    .toWellFormed()
    .replace(/\p{Bidi_Control}/gu, '')
    .replace(/[\p{Cc}\s]+/gu, ' ')
    .trim();
  if (text === '') return null;
  // By characters, so that none is cut in two.
  return Array.from(text.slice(0, CHARS_MAX * 2))
    .slice(0, CHARS_MAX)
    .join('');
}
