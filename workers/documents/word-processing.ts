import { codePoint } from 'dingbat-to-unicode';
import type { DocumentBuilder, NewBlock } from './document-builder.ts';

const FIRST_LETTER = 0x41;

const BULLET_CODES = new Set([0xa7, 0xb7]);

/** Whether a character table of the font exists. */
export function isSymbolFont(font: string): boolean {
  return codePoint(font, FIRST_LETTER) !== undefined;
}

/** Converts text in a symbol font to the characters it shows; unknown characters stay. */
export function symbolLetters(font: string, text: string): string {
  return Array.from(text, (character) => {
    const code = character.charCodeAt(0);
    const isOwn = (code > 0x20 && code <= 0xff) || (code >= 0xf020 && code <= 0xf0ff);
    return isOwn ? (codePoint(font, code & 0xff)?.string ?? character) : character;
  }).join('');
}

/** The character of a font and a hexadecimal code; in a text font the code is the character. */
export function symbolOf(font: string | null, hexCode: string): string {
  const code = Number.parseInt(hexCode, 16);
  if (!(code > 0x20 && code <= 0xffff)) return '';
  const isPrivate = code >= 0xe000 && code <= 0xf8ff;
  return symbolText(font, code) || (isPrivate ? '' : String.fromCharCode(code));
}

/** The symbol-font character that a field shows; empty for other fields. */
export function symbolOfField(instruction: string): string {
  const [, code, font] = /^SYMBOL\s+(\d{1,5})\b.*?\\f\s*"([^"]+)"/s.exec(instruction) ?? [];
  return code === undefined || font === undefined ? '' : symbolText(font, Number(code));
}

/** Converts decoded bytes of a symbol font to the characters it shows; unchanged without a table of the font. */
export function symbolBytes(font: string | null, bytes: Uint8Array, decoded: string): string {
  const known = Array.from(bytes, (code) => (font === null ? undefined : codePoint(font, code)?.string));
  return known.includes(undefined) ? decoded.replaceAll('·', '•') : known.join('');
}

/**
 * Converts a character of a symbol font to the character it shows: 0xb0 of Symbol is a degree sign. Without a table of
 * the font the result is empty, except for bullets, which most symbol fonts share.
 */
export function symbolText(font: string | null, code: number): string {
  const known = font === null ? undefined : codePoint(font, code & 0xff);
  return known?.string ?? (BULLET_CODES.has(code & 0xff) ? '•' : '');
}

/**
 * A DTTM, the 32-bit time of binary Word files and RTF (minute, hour, day, month, years since 1900), in ISO form
 * without a zone. Null for zero and invalid dates.
 */
export function readDttm(value: number): string | null {
  const packed = value >>> 0;
  const minute = packed & 0x3f;
  const hour = (packed >> 6) & 0x1f;
  const day = (packed >> 11) & 0x1f;
  const month = (packed >> 16) & 0x0f;
  const year = 1900 + ((packed >> 20) & 0x1ff);
  if (day === 0 || month === 0 || month > 12 || hour > 23 || minute > 59) return null;
  const padDttmNumber = (number: number) => String(number).padStart(2, '0');
  return `${year}-${padDttmNumber(month)}-${padDttmNumber(day)}T${padDttmNumber(hour)}:${padDttmNumber(minute)}:00`;
}

/** Word processors store each code line as a paragraph; adjacent ones become one block. */
export class CodeJoiner {
  readonly #builder: DocumentBuilder;
  #lines: string[] = [];
  #page = 1;

  constructor(builder: DocumentBuilder) {
    this.#builder = builder;
  }

  add(block: NewBlock, page: number): void {
    if (block.kind === 'code') {
      if (this.#lines.length === 0) this.#page = page;
      this.#lines.push(block.text);
      return;
    }
    this.flushJoinedCode();
    this.#builder.addDocumentBlock(block, page);
  }

  flushJoinedCode(): void {
    if (this.#lines.length > 0)
      this.#builder.addDocumentBlock({ kind: 'code', text: this.#lines.join('\n') }, this.#page);
    this.#lines = [];
  }
}

/** Bound on the characters kept of an anchor or insertion. */
const MAX_CHARACTERS = 2000;

/** Bound on simultaneous recordings; more are ignored. */
const MAX_OPEN = 100;

interface Recording {
  pieces: string[];
  length: number;
}

/** Records the text between two positions, by id; ranges may overlap. */
export class TextRecorder {
  readonly #open = new Map<string, Recording>();

  get isRecording(): boolean {
    return this.#open.size > 0;
  }

  beginRecording(id: string): void {
    if (this.#open.size < MAX_OPEN) this.#open.set(id, { pieces: [], length: 0 });
  }

  recordText(text: string): void {
    for (const recording of this.#open.values()) {
      if (recording.length >= MAX_CHARACTERS) continue;
      recording.pieces.push(text.slice(0, MAX_CHARACTERS - recording.length));
      recording.length += text.length;
    }
  }

  /** The text since the start of the recording, or null if there is none with this id. */
  endRecording(id: string): string | null {
    const recording = this.#open.get(id);
    this.#open.delete(id);
    return recording === undefined ? null : recording.pieces.join('');
  }

  get openIds(): string[] {
    return [...this.#open.keys()];
  }
}

/** Separates the cells of a nested table. */
const NESTED_CELL_SEPARATOR = ' | ';

/** A block as lines of text, for places without blocks: cells, notes, comments. */
export function blockLines(block: NewBlock): string {
  if (block.kind === 'table') return block.rows.map(nestedRow).join('\n');
  if (block.kind === 'list-item' && block.marker !== '') return `${block.marker} ${block.text.trimStart()}`;
  return block.text;
}

/** A nested table's row as one line. */
export function nestedRow(cells: readonly string[]): string {
  return cells.map((cell) => cell.trim().replaceAll('\n', ' ')).join(NESTED_CELL_SEPARATOR);
}

/** Switches of an equation field, as `\f` and `\up8`. */
const EQUATION_SWITCH = /\\[a-z]+\d*[ \t]*/gi;

/** The letters of an equation field (`EQ \f(1;2)` is `1/2`); empty for other fields. */
export function equationFieldText(instruction: string): string {
  const [, equation] = /^\s*EQ\s([\s\S]*)/i.exec(instruction) ?? [];
  if (equation === undefined) return '';
  return equation
    .replace(/\\f[ \t]*\(([^()\\;,]*)[;,]([^()\\;,]*)\)/gi, '$1/$2')
    .replace(EQUATION_SWITCH, '')
    .replace(/\\(?=[^a-z])/gi, '')
    .replace(/\s+/g, ' ')
    .trim();
}

/** Names of the styles of quotations, in the programs that write them. */
export const QUOTE_STYLE = /^(?:(?:intense )?quote|block ?quote|block text|quotations?)$/i;

const HYPERLINK_FIELD = /^\s*HYPERLINK\s+(?:"([^"]+)"|([^\s\\"]+))/i;

/** The place on the page that a link field leads to. */
const HYPERLINK_PLACE = /\\l\s+(?:"([^"]+)"|([^\s\\"]+))/i;

/** The address of a link field with its place on the page; null for other fields. */
export function fieldAddress(instruction: string): string | null {
  const match = HYPERLINK_FIELD.exec(instruction);
  const address = match?.[1] ?? match?.[2];
  if (match === null || address === undefined) return null;
  const place = HYPERLINK_PLACE.exec(instruction.slice(match[0].length));
  return placeOnPage(address, place?.[1] ?? place?.[2] ?? null);
}

/** An address with the place on its page, which Word keeps apart. */
export function placeOnPage(address: string, place: string | null): string {
  return place === null || place === '' || address.includes('#') ? address : `${address}#${place}`;
}

/** Check boxes as Word shows them. */
export const TICKED = '\u2612';

export const NOT_TICKED = '\u2610';
