/** Distinguishes text from binary data, and detects UTF-8 and UTF-16, by bytes alone. */

/** Encodings that bytes alone can show. Others need a declaration or a guess. */
export type UnicodeEncoding = 'utf-8' | 'utf-16le' | 'utf-16be';

/** Share of zero bytes in one half of the byte pairs from which unmarked text counts as UTF-16. */
const UTF16_ZERO_SHARE = 0.4;
/** Maximum share of zero bytes in the other half. */
const UTF16_OTHER_ZERO_SHARE = 0.02;
const UTF16_SAMPLE_BYTES = 4096;
/** Share of spaces, line ends and full stops in a text without a mark. */
const UTF16_SPACE_SHARE = 0.01;
/** Share of one script's letters, with plain signs, in it. */
const UTF16_SCRIPT_SHARE = 0.95;
const ALPHABETS = ['Cyrillic', 'Greek', 'Hebrew', 'Arabic', 'Thai', 'Devanagari', 'Hangul', 'Latin'].map(
  (script) => new RegExp(`[\\p{Script=${script}}\\p{M}]`, 'gu'),
);
/** The ten most frequent characters of Chinese texts of any kind, and their traditional forms. */
const FREQUENT_HAN = /[的一是不了在人有我他这這中]/g;
const FREQUENT_HAN_SHARE = 0.03;
/** Japanese has nearly as many syllables as characters. */
const KANA_SHARE = 0.3;
/** Share of control characters from which bytes count as binary. */
const CONTROL_SHARE = 0.02;
/** This many control characters are ignored in texts of any length. */
const STRAY_CONTROLS = 3;
/** Weight of a zero byte in control characters. A single one in a long text is tolerated. */
const ZERO_WEIGHT = 20;

/** The encoding of a byte-order mark, and the mark's length. */
export function byteOrderMark(bytes: Uint8Array): { encoding: UnicodeEncoding; length: number } | null {
  if (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf) return { encoding: 'utf-8', length: 3 };
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return { encoding: 'utf-16le', length: 2 };
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return { encoding: 'utf-16be', length: 2 };
  return null;
}

/**
 * Detects UTF-16 without a mark: in Latin text, one byte of nearly every pair is zero. In other scripts those of spaces
 * and line ends are, and nearly all pairs are letters of one script.
 */
export function unmarkedUtf16(bytes: Uint8Array): 'utf-16le' | 'utf-16be' | null {
  const pairs = bytes.length >> 1;
  if (pairs < 4 || !bytes.includes(0)) return null;
  let evenZeros = 0;
  let oddZeros = 0;
  for (let index = 0; index < pairs * 2; index += 2) {
    if (bytes[index] === 0) evenZeros += 1;
    if (bytes[index + 1] === 0) oddZeros += 1;
  }
  if (oddZeros / pairs >= UTF16_ZERO_SHARE && evenZeros / pairs <= UTF16_OTHER_ZERO_SHARE) return 'utf-16le';
  if (evenZeros / pairs >= UTF16_ZERO_SHARE && oddZeros / pairs <= UTF16_OTHER_ZERO_SHARE) return 'utf-16be';
  const sample = bytes.subarray(0, UTF16_SAMPLE_BYTES);
  for (const encoding of ['utf-16le', 'utf-16be'] as const) {
    if (readsAsOneScript(new TextDecoder(encoding).decode(sample))) return encoding;
  }
  return null;
}

/** Two bytes of anything are likely a Chinese character, so those have to be among the most frequent. */
function readsAsOneScript(text: string): boolean {
  const count = (pattern: RegExp) => text.match(pattern)?.length ?? 0;
  const units = text.length;
  if (count(/[ \t\r\n\u3000-\u3002]/g) < units * UTF16_SPACE_SHARE) return false;
  const plain = count(/[\t\r\n\x20-\x7e]/g) + count(/[\u00a0-\u00bf\u2010-\u2026\u3000-\u301f\uff00-\uff65]/g);
  const isMostly = (letters: number) => letters > 0 && letters + plain >= units * UTF16_SCRIPT_SHARE;
  if (ALPHABETS.some((pattern) => isMostly(count(pattern)))) return true;
  const han = count(/\p{Script=Han}/gu);
  const kana = count(/[\p{Script=Hiragana}\p{Script=Katakana}ー]/gu);
  const isChinese = count(FREQUENT_HAN) >= han * FREQUENT_HAN_SHARE;
  return isMostly(han + kana) && (isChinese || kana >= han * KANA_SHARE);
}

/** Whether bytes cannot be text in an ASCII-compatible encoding: too many zero bytes or control characters. */
export function looksBinary(bytes: Uint8Array): boolean {
  const mark = byteOrderMark(bytes);
  if (mark !== null && mark.encoding !== 'utf-8') return false;
  const wide = unmarkedUtf16(bytes);
  if (wide !== null) return hasManyControls(bytes, wide === 'utf-16le' ? 0 : 1);
  let controls = 0;
  // By index: an iterator takes several times as long.
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at] ?? 0;
    if (byte >= 0x20) continue;
    if (byte === 0) controls += ZERO_WEIGHT;
    else if (!isTextControl(byte)) controls += 1;
  }
  return controls > Math.max(STRAY_CONTROLS, bytes.length * CONTROL_SHARE);
}

/** The same of UTF-16, by its code units: small numbers of two bytes, as of sound, have the zeros of Latin text. */
function hasManyControls(bytes: Uint8Array, lowAt: 0 | 1): boolean {
  const units = bytes.length >> 1;
  let controls = 0;
  for (let index = 0; index < units * 2; index += 2) {
    const low = bytes[index + lowAt] ?? 0;
    if (bytes[index + 1 - lowAt] === 0 && low < 0x20 && !isTextControl(low)) controls += 1;
  }
  return controls > Math.max(STRAY_CONTROLS, units * CONTROL_SHARE);
}

/** Tab, line ends, form feed, backspace (old print files) and escape (ISO-2022) occur in text. */
function isTextControl(byte: number): boolean {
  return (byte >= 0x08 && byte <= 0x0d) || byte === 0x1b || byte === 0x1a;
}

/**
 * UTF-16LE text of all whole code units. Bytes of files are decoded here alone: Buffer's own decoder corrupts memory
 * where an odd number of them begins at an odd address (Node 24).
 */
export function decodeUtf16(bytes: Buffer): string {
  return bytes.subarray(0, bytes.length & ~1).toString('utf16le');
}
