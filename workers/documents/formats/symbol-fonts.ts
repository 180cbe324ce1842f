import { codePoint } from 'dingbat-to-unicode';

const BULLET_CODES = new Set([0xa7, 0xb7]);

/** What a field shows that stands for a character of a symbol font; empty for other fields. */
export function symbolOfField(instruction: string): string {
  const [, code, font] = /^SYMBOL\s+(\d{1,5})\b.*?\\f\s*"([^"]+)"/s.exec(instruction) ?? [];
  return code === undefined || font === undefined ? '' : symbolText(font, Number(code));
}

/** Decoded bytes of a symbol font as the characters they show; as they are where nobody has a table of the font. */
export function symbolBytes(font: string | null, bytes: Uint8Array, decoded: string): string {
  const known = Array.from(bytes, (code) => (font === null ? undefined : codePoint(font, code)?.string));
  return known.includes(undefined) ? decoded.replaceAll('·', '•') : known.join('');
}

/**
 * A character of a symbol font, which has letters of its own, as the character it shows: 0xb0 of Symbol is a degree
 * sign. Empty for characters of fonts that nobody has a table of; there, only bullets mean the same in most.
 */
export function symbolText(font: string | null, code: number): string {
  const known = font === null ? undefined : codePoint(font, code & 0xff);
  return known?.string ?? (BULLET_CODES.has(code & 0xff) ? '•' : '');
}
