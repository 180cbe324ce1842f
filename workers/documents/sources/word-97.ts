import { decodePage, pageOfCharset } from '../../../src-server/platform/text/decode-text.ts';
import type { ParseOptions } from '../blocks.ts';
import { readDocFile } from '../doc/word-file.ts';
import { type RtfHandler, scanRtf } from '../rtf/scan.ts';
import { FOOTER_WORDS, HEADER_WORDS, SKIPPED_DESTINATIONS, STARRED_TEXT } from '../rtf/state.ts';
import type { SourceLedger } from '../source-ledger.ts';
import { symbolBytes, symbolOfField, symbolText } from '../word-processing.ts';

const FIELD_BEGIN = 0x13;
const FIELD_SEPARATOR = 0x14;
const FIELD_END = 0x15;

/** Counts a .doc from its pieces: each story without the instructions of its fields. */
export function countDoc(bytes: Buffer, { ledger, includeComments }: ParseOptions): void {
  const { text, lengths } = readDocFile(bytes);
  let at = 0;
  const takeWordStory = (length: number) => {
    const own = text.slice(at, at + length);
    at += length;
    return withoutInstructions(own);
  };
  ledger.addOwedText('body', takeWordStory(lengths.body));
  ledger.addOwedText('footnotes', takeWordStory(lengths.notes));
  countWordFurniture(takeWordStory(lengths.headers), ledger);
  const comments = takeWordStory(lengths.comments);
  if (includeComments) ledger.addOwedText('comments', comments);
  ledger.addOwedText('endnotes', takeWordStory(lengths.endnotes));
  ledger.addOwedText('text boxes', takeWordStory(lengths.textBoxes + lengths.headerTextBoxes));
}

function withoutInstructions(text: string): string {
  const kept: string[] = [];
  const fields: { isResult: boolean }[] = [];
  let start = 0;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code >= 0x20) continue;
    if (fields.every(({ isResult }) => isResult)) kept.push(text.slice(start, at), '\n');
    start = at + 1;
    if (code === FIELD_BEGIN) fields.push({ isResult: false });
    else if (code === FIELD_END) fields.pop();
    else if (code === FIELD_SEPARATOR) {
      const field = fields.at(-1);
      if (field !== undefined) field.isResult = true;
    }
  }
  kept.push(text.slice(start));
  return kept.join('');
}

/** Headers and footers: the result has each once, and none with only a page number. */
function countWordFurniture(text: string, ledger: SourceLedger): void {
  const seen = new Set<string>();
  for (const line of text.split('\n')) {
    const key = line.trim();
    ledger.addOwedText('headers and footers', line);
    if (!/\p{L}/u.test(key) || seen.has(key)) {
      ledger.recordLeftOutText({ reason: 'repeated-header-or-footer', where: 'headers and footers', text: line });
    }
    seen.add(key);
  }
}

export function countRtf(bytes: Buffer, options: ParseOptions): void {
  countRichText(bytes, '', options);
}

/** Counts rich text by its groups and control words, without tables and flow. */
export function countRichText(
  bytes: Buffer,
  where: string,
  { ledger, includeComments }: Pick<ParseOptions, 'ledger' | 'includeComments'>,
): void {
  const start = Math.max(0, bytes.indexOf('{\\rtf', 0, 'latin1'));
  const counter = new RtfCounter(includeComments);
  scanRtf(bytes.subarray(start), counter);
  counter.flushCountedBytes();
  ledger.addOwedText(where, counter.texts.owed.join(''));
  ledger.mayHold(counter.texts.optional.join(''));
  countWordFurniture(counter.texts.furniture.join(''), ledger);
  for (const reason of ['embedded-picture', 'unsupported-part'] as const) {
    const text = counter.texts[reason].join('');
    ledger.addOwedText(where, text);
    ledger.recordLeftOutText({ reason, where, text });
  }
}

type RtfFate =
  | 'owed'
  | 'optional'
  | 'font-table'
  | 'furniture'
  | 'skipped'
  | 'instruction'
  | 'property-name'
  | 'embedded-picture'
  | 'unsupported-part';

/** Charset of symbol fonts. */
const SYMBOL_CHARSET = 2;

/** Code pages that a document names by a word. */
const STATED_PAGES: ReadonlyMap<string, number> = new Map([
  ['mac', 10000],
  ['pc', 437],
  ['pca', 850],
]);

/** Properties of shapes with text: descriptions of pictures, and WordArt. */
const PROPERTY_FATES: ReadonlyMap<string, RtfFate> = new Map([
  ['wzDescription', 'embedded-picture'],
  ['gtextUNICODE', 'unsupported-part'],
]);

interface RtfGroup {
  fate: RtfFate;
  isStart: boolean;
  isStarred: boolean;
  fallbackBytes: number;
  font: number;
  /** The open field: visible pieces before it, and what its instruction shows. */
  field: { written: number; shown: string } | null;
  /** Inside two variants of a text, the fate of that for readers with Unicode. */
  variant: RtfFate | null;
}

/** Destinations with text that the result may hold: facts about the document, and markers of lists. */
const OPTIONAL_WORDS = new Set(['info', 'listtext', 'pntext', 'stylesheet', 'annotation', 'atnauthor']);

class RtfCounter implements RtfHandler {
  readonly texts: Record<RtfFate, string[]> = {
    ...{ owed: [], optional: [], 'font-table': [], furniture: [], skipped: [], instruction: [], 'property-name': [] },
    ...{ 'embedded-picture': [], 'unsupported-part': [] },
  };
  readonly #includeComments: boolean;
  readonly #stack: RtfGroup[] = [];
  #group: RtfGroup = {
    fate: 'owed',
    isStart: false,
    isStarred: false,
    fallbackBytes: 1,
    font: 0,
    field: null,
    variant: null,
  };
  #page = 1252;
  /** Pages of the fonts, from their table. */
  readonly #fontPages = new Map<number, number>();
  readonly #fontNames = new Map<number, string>();
  readonly #symbolFonts = new Set<number>();
  #isFontTable = false;
  #defaultFont = 0;
  #bytes: number[] = [];
  #fallbackLeft = 0;
  #written = 0;

  constructor(includeComments: boolean) {
    this.#includeComments = includeComments;
  }

  open(): void {
    this.flushCountedBytes();
    this.#stack.push(this.#group);
    this.#group = { ...this.#group, isStart: true, isStarred: false };
    this.#fallbackLeft = 0;
  }

  close(): void {
    this.flushCountedBytes();
    const { fate, field } = this.#group;
    this.#group = this.#stack.pop() ?? this.#group;
    if (fate === 'instruction' && this.#group.fate !== fate && field !== null) {
      const instruction = this.texts.instruction.join('').trim();
      const [, equation = ''] = /^EQ\s([\s\S]*)/i.exec(instruction) ?? [];
      field.shown = symbolOfField(instruction) || equation.replace(/\\[a-z]+\d*/gi, ' ');
    }
    if (fate !== this.#group.fate && (fate === 'embedded-picture' || fate === 'unsupported-part'))
      this.texts[fate].push('\n');
    // Groups inside that of the field share it.
    if (field !== null && field !== this.#group.field && this.#written === field.written)
      this.#putCountedText(field.shown);
    this.#fallbackLeft = 0;
  }

  word(name: string, parameter: number | null): void {
    this.flushCountedBytes();
    const group = this.#group;
    if (group.isStart) this.#enterCountedGroup(name, group);
    group.isStart = false;
    if (name === 'fonttbl') this.#isFontTable = true;
    else if (name === 'f' && parameter !== null) group.font = parameter;
    else if (name === 'plain') group.font = this.#defaultFont;
    else if (name === 'deff' && parameter !== null) group.font = this.#defaultFont = parameter;
    else if (name === 'fcharset' && this.#isFontTable) this.#setCharset(group.font, parameter ?? 0);
    else if (name === 'cpg' && this.#isFontTable && parameter !== null) this.#fontPages.set(group.font, parameter);
    else if (name === 'ansicpg' && parameter !== null) this.#page = parameter;
    else if (STATED_PAGES.has(name)) this.#page = STATED_PAGES.get(name) ?? this.#page;
    else if (name === 'uc') group.fallbackBytes = parameter ?? 1;
    else if (name === 'u' && parameter !== null) {
      this.#putUnicode(parameter & 0xffff);
      this.#fallbackLeft = group.fallbackBytes;
    } else if (/^(?:par|line|cell|row|tab|sect|page|nestcell|nestrow|column)$/.test(name)) this.#putCountedText('\n');
  }

  symbol(character: string): void {
    if (character === '*') {
      this.#group.isStarred = true;
      return;
    }
    if (this.#group.fate === 'instruction' && character === '\\') this.byte(character.charCodeAt(0));
    else this.flushCountedBytes();
    this.#group.isStart = false;
  }

  byte(value: number): void {
    this.#group.isStart = false;
    if (this.#fallbackLeft > 0) this.#fallbackLeft -= 1;
    else this.#bytes.push(value);
  }

  /** Writes the bytes read so far. */
  flushCountedBytes(): void {
    if (this.#bytes.length === 0) return;
    const bytes = Buffer.from(this.#bytes);
    this.#bytes = [];
    const { font, fate } = this.#group;
    const text = decodePage(bytes, this.#fontPages.get(font) ?? this.#page);
    if (fate === 'font-table') this.#fontNames.set(font, `${this.#fontNames.get(font) ?? ''}${text}`.slice(0, 100));
    this.#putCountedText(this.#symbolFonts.has(font) ? symbolBytes(this.#fontName(font), bytes, text) : text);
  }

  /** Symbol fonts use private-use characters. */
  #putUnicode(code: number): void {
    const isSymbol = code >= 0xf020 && code <= 0xf0ff;
    this.#putCountedText(isSymbol ? symbolText(this.#fontName(this.#group.font), code) : String.fromCharCode(code));
  }

  #fontName(font: number): string | null {
    return this.#fontNames.get(font)?.split(';', 1)[0]?.trim() ?? null;
  }

  #setCharset(font: number, charset: number): void {
    const page = pageOfCharset(charset);
    if (page !== null) this.#fontPages.set(font, page);
    if (charset === SYMBOL_CHARSET) this.#symbolFonts.add(font);
  }

  #enterCountedGroup(name: string, group: RtfGroup): void {
    const inner = this.#innerFate(name);
    if (inner !== null) group.fate = inner;
    if (inner !== null || group.fate === 'skipped' || group.fate === 'instruction') return;
    if (name === 'upr') {
      group.variant = group.fate;
      group.fate = 'skipped';
    } else if (name === 'field') group.field = { written: this.#written, shown: '' };
    else if (name === 'fldinst') {
      group.fate = 'instruction';
      this.texts.instruction.length = 0;
    } else if (SKIPPED_DESTINATIONS.has(name)) group.fate = 'skipped';
    else if (name === 'fonttbl') group.fate = 'font-table';
    else if (name === 'annotation' && this.#includeComments) group.fate = 'owed';
    else if (OPTIONAL_WORDS.has(name)) group.fate = 'optional';
    else if (HEADER_WORDS.has(name) || FOOTER_WORDS.has(name)) group.fate = 'furniture';
    else if (group.isStarred && !STARRED_TEXT.has(name)) group.fate = 'skipped';
  }

  /** Of groups with text inside ones that are skipped: properties of shapes, and entries of lists. */
  #innerFate(name: string): RtfFate | null {
    const names = this.texts['property-name'];
    if (name === 'ffl') return 'optional';
    if (name === 'ud') return this.#group.variant;
    if (name === 'sv') return PROPERTY_FATES.get(names.splice(0).join('').trim()) ?? 'skipped';
    if (name !== 'sn') return null;
    names.length = 0;
    return 'property-name';
  }

  #putCountedText(text: string): void {
    const { fate } = this.#group;
    if ((fate === 'owed' || fate === 'furniture') && text.trim() !== '') this.#written += 1;
    this.texts[fate].push(text);
  }
}
