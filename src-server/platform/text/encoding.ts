/** Telling text from binary, and one Unicode form from another, by bytes alone. */

/** Encodings that give themselves away; every other text needs a declaration or a guess. */
export type UnicodeEncoding = 'utf-8' | 'utf-16le' | 'utf-16be';

/** Share of zero bytes in one half of the byte pairs from which a text without a mark counts as UTF-16. */
const UTF16_ZERO_SHARE = 0.4;
/** Share of zero bytes the other half may have then. */
const UTF16_OTHER_ZERO_SHARE = 0.02;
/** Share of control characters from which bytes are no text. */
const CONTROL_SHARE = 0.02;
/** So many are no sign of anything, however short the text. */
const STRAY_CONTROLS = 3;
/** A zero byte counts as so many other control characters: a stray one in a long text is forgiven. */
const ZERO_WEIGHT = 20;

/** The encoding a byte-order mark names, and the mark's length. */
export function byteOrderMark(bytes: Uint8Array): { encoding: UnicodeEncoding; length: number } | null {
  if (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf) return { encoding: 'utf-8', length: 3 };
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return { encoding: 'utf-16le', length: 2 };
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return { encoding: 'utf-16be', length: 2 };
  return null;
}

/** UTF-16 without a mark: one byte of nearly every pair is zero in text of Latin letters. */
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
  return null;
}

/** Whether bytes cannot be text in any encoding that keeps ASCII: too many zero bytes or control characters. */
export function looksBinary(bytes: Uint8Array): boolean {
  const mark = byteOrderMark(bytes);
  if ((mark !== null && mark.encoding !== 'utf-8') || unmarkedUtf16(bytes) !== null) return false;
  let controls = 0;
  for (const byte of bytes) {
    if (byte === 0) controls += ZERO_WEIGHT;
    else if (byte < 0x20 && !isTextControl(byte)) controls += 1;
  }
  return controls > Math.max(STRAY_CONTROLS, bytes.length * CONTROL_SHARE);
}

/** Tab, the line ends, form feed, backspace (old print files) and escape (ISO-2022 texts) do occur in texts. */
function isTextControl(byte: number): boolean {
  return (byte >= 0x08 && byte <= 0x0d) || byte === 0x1b || byte === 0x1a;
}
