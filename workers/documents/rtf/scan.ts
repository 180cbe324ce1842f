/**
 * Threat: arbitrary bytes. The scanner never looks back or recurses and advances with every step, so its time is linear
 * in the file size.
 */

const OPEN = 0x7b;
const CLOSE = 0x7d;
const BACKSLASH = 0x5c;
const QUOTE = 0x27;
const MINUS = 0x2d;
const SPACE = 0x20;
const MAX_WORD_LETTERS = 32;
const MAX_DIGITS = 10;

export interface RtfHandler {
  open(): void;
  close(): void;
  /** `\word` or `\wordN`; the parameter is null if absent. */
  word(name: string, parameter: number | null): void;
  /** `\~`, `\-` and the like. */
  symbol(character: string): void;
  /** A byte of text in the current code page, literal or as `\'xx`. */
  byte(value: number, isEscaped: boolean): void;
}

export function scanRtf(bytes: Buffer, handler: RtfHandler): void {
  let at = 0;
  while (at < bytes.length) {
    const value = bytes[at] ?? 0;
    at += 1;
    if (value === OPEN) handler.open();
    else if (value === CLOSE) handler.close();
    else if (value === BACKSLASH) at = scanControl(bytes, at, handler);
    // Line ends and stray zero bytes in the file have no meaning.
    else if (value !== 0x0a && value !== 0x0d && value !== 0) handler.byte(value, false);
  }
}

/** Reads a control sequence after a backslash; returns its end. */
function scanControl(bytes: Buffer, start: number, handler: RtfHandler): number {
  const first = bytes[start];
  if (first === undefined) return start;
  if (first === QUOTE) {
    const hex = Number.parseInt(bytes.toString('latin1', start + 1, start + 3), 16);
    if (!Number.isNaN(hex)) handler.byte(hex, true);
    return start + 3;
  }
  if (!isLetter(first)) {
    handler.symbol(String.fromCharCode(first));
    return start + 1;
  }
  let end = start;
  while (end - start < MAX_WORD_LETTERS && isLetter(bytes[end] ?? 0)) end += 1;
  const name = bytes.toString('latin1', start, end);
  let digits = bytes[end] === MINUS ? end + 1 : end;
  const digitsStart = digits;
  while (digits - digitsStart < MAX_DIGITS && isDigit(bytes[digits] ?? 0)) digits += 1;
  const parameter = digits > digitsStart ? Number.parseInt(bytes.toString('latin1', end, digits), 10) : null;
  const after = parameter === null ? end : digits;
  const next = bytes[after] === SPACE ? after + 1 : after;
  if (name === 'bin') return next + Math.max(0, parameter ?? 0);
  handler.word(name, parameter);
  return next;
}

function isLetter(value: number): boolean {
  return (value >= 0x61 && value <= 0x7a) || (value >= 0x41 && value <= 0x5a);
}

function isDigit(value: number): boolean {
  return value >= 0x30 && value <= 0x39;
}
