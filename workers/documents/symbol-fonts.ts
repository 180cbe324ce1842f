import { codePoint } from 'dingbat-to-unicode';

const FIRST_LETTER = 0x41;
const BULLET_CODES = new Set([0xa7, 0xb7]);

/** Whether there is a table of the font's characters. */
export function isSymbolFont(font: string): boolean {
  return codePoint(font, FIRST_LETTER) !== undefined;
}

/** Text that is set in a symbol font as the characters it shows; as it is where the font's table has none for it. */
export function symbolLetters(font: string, text: string): string {
  return Array.from(text, (character) => {
    const code = character.charCodeAt(0);
    const isOwn = (code > 0x20 && code <= 0xff) || (code >= 0xf020 && code <= 0xf0ff);
    return isOwn ? (codePoint(font, code & 0xff)?.string ?? character) : character;
  }).join('');
}

/** A character that a font and its code in it stand for, in hexadecimal; in a font of letters its code says which. */
export function symbolOf(font: string | null, hexCode: string): string {
  const code = Number.parseInt(hexCode, 16);
  if (!(code > 0x20 && code <= 0xffff)) return '';
  const isPrivate = code >= 0xe000 && code <= 0xf8ff;
  return symbolText(font, code) || (isPrivate ? '' : String.fromCharCode(code));
}

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
