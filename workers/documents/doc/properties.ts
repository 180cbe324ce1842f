import { decodeUtf16 } from '../../../src-server/platform/text/encoding.ts';
import { RUN_EMPHASIS, RUN_STRIKE, RUN_STRONG } from '../inline-marks.ts';
import type { ParagraphShape } from '../paragraph-flow.ts';
import { isByline, TITLE_STYLE } from '../titles.ts';
import { QUOTE_STYLE } from '../word-processing.ts';
import { type DocFile, damagedDocFile, type Piece, readPlc, TABLES } from './word-file.ts';

const PAGE_BYTES = 512;

/** Upper bound on property runs per document, over all pieces. */
const MAX_RUNS = 2_000_000;

/** Operand with a two-byte length. */
const TABLE_DEFINITION = 0xd608;

/** A tab list too long for its length byte hides the start of the next property. */
const TAB_CHANGES = 0xc615;

/** A single property modifier: its code and its operand. */
type VisitProperty = (code: number, operand: Buffer) => void;

/** Operand length by the three size bits of the code; 6 is variable. */
const OPERAND_BYTES = [1, 1, 2, 4, 2, 2, 0, 3] as const;

/** Walks a list of property modifiers; stops at a truncated one. */
export function visitProperties(list: Buffer, visit: VisitProperty): void {
  let at = 0;
  while (at + 2 < list.length) {
    const code = list.readUInt16LE(at);
    at += 2;
    let length: number = OPERAND_BYTES[(code >> 13) & 7] ?? 1;
    if (code === TABLE_DEFINITION) {
      if (at + 2 > list.length) return;
      length = list.readUInt16LE(at) - 1;
      at += 2;
    } else if (length === 0) {
      length = list[at] ?? 0;
      at += 1;
      if (code === TAB_CHANGES && length === 255) return;
    }
    if (length < 0 || at + length > list.length) return;
    visit(code, list.subarray(at, at + length));
    at += length;
  }
}

export interface ParagraphProperties {
  style: number;
  outlineLevel: number | null;
  isInTable: boolean;
  isRowEnd: boolean;
  /** At the end of a row: right edges of its cells, in twips. */
  edges: readonly number[];
  tableDepth: number | null;
  isInnerCell: boolean;
  isInnerRowEnd: boolean;
  breaksBefore: boolean;
  /** True for a drop cap of the next paragraph. */
  isDropCap: boolean;
  listLevel: number;
  /** Number of its list, from 1; 0 if removed from lists; null if its style decides. */
  list: number | null;
}

interface CharacterProperties {
  isHidden: boolean;
  isRaised: boolean;
  isInserted: boolean;
  isDeleted: boolean;
  insertedBy: number | null;
  insertedAt: number;
  deletedBy: number | null;
  deletedAt: number;
  /** Symbol-font character at this place, with the number of the font. */
  symbol: { font: number; code: number } | null;
  /** Its character style; null without one. */
  style: number | null;
  emphasis: StatedEmphasis;
}

/** What a list of properties states of emphasis, as flags of `inline-marks.ts`. */
interface StatedEmphasis {
  /** Stated as on. */
  on: number;
  /** Stated as off. */
  off: number;
  /** On where the style is off, and the reverse. */
  toggled: number;
}

/** Bold, italic, struck, struck twice. */
const EMPHASIS_CODES: ReadonlyMap<number, number> = new Map([
  [0x0835, RUN_STRONG],
  [0x0836, RUN_EMPHASIS],
  [0x0837, RUN_STRIKE],
  [0x2a53, RUN_STRIKE],
]);

const AS_STYLE = 0x80;

const UNLIKE_STYLE = 0x81;

function noEmphasis(): StatedEmphasis {
  return { on: 0, off: 0, toggled: 0 };
}

/** Applies a modifier that states emphasis; others change nothing. */
function readEmphasis(stated: StatedEmphasis, code: number, operand: number): void {
  const flag = EMPHASIS_CODES.get(code);
  if (flag === undefined) return;
  const isStated = operand !== AS_STYLE && operand !== UNLIKE_STYLE;
  stated.on = isStated && operand !== 0 ? stated.on | flag : stated.on & ~flag;
  stated.off = operand === 0 ? stated.off | flag : stated.off & ~flag;
  stated.toggled = operand === UNLIKE_STYLE ? stated.toggled | flag : stated.toggled & ~flag;
}

function appliedEmphasis({ on, off, toggled }: StatedEmphasis, ofStyle: number): number {
  return ((ofStyle | on) & ~off & ~toggled) | (toggled & ~ofStyle);
}

interface FileRun<Properties> {
  from: number;
  to: number;
  properties: Properties;
}

/** Properties of the characters up to an exclusive end. */
export interface TextRun {
  from: number;
  to: number;
  properties: CharacterProperties;
}

function plainParagraph(style: number): ParagraphProperties {
  return {
    style,
    outlineLevel: null,
    isInTable: false,
    isRowEnd: false,
    edges: [],
    tableDepth: null,
    isInnerCell: false,
    isInnerRowEnd: false,
    breaksBefore: false,
    isDropCap: false,
    listLevel: 0,
    list: null,
  };
}

/** Applies a list of modifiers to `paragraph`. */
function readParagraph(list: Buffer, paragraph: ParagraphProperties): ParagraphProperties {
  visitProperties(list, (code, operand) => {
    const value = operand[0] ?? 0;
    if (code === 0x2416) paragraph.isInTable = value !== 0;
    else if (code === 0x2417) paragraph.isRowEnd = value !== 0;
    else if (code === TABLE_DEFINITION) paragraph.edges = readEdges(operand);
    else if (code === 0x6649) paragraph.tableDepth = operand.readUInt32LE(0);
    else if (code === 0x244b) paragraph.isInnerCell = value !== 0;
    else if (code === 0x244c) paragraph.isInnerRowEnd = value !== 0;
    else if (code === 0x2640) paragraph.outlineLevel = value;
    else if (code === 0x2407) paragraph.breaksBefore = value !== 0;
    // The lower three bits are the kind of drop cap, the others its height in lines.
    else if (code === 0x442c) paragraph.isDropCap = (value & 7) !== 0;
    else if (code === 0x260a) paragraph.listLevel = Math.min(value, 8);
    else if (code === 0x460b) paragraph.list = operand.readUInt16LE(0);
    else if (code === 0x4600) paragraph.style = operand.readUInt16LE(0);
  });
  return paragraph;
}

/** Cell count, start of the first cell, and the end of each. */
function readEdges(definition: Buffer): number[] {
  const count = definition[0] ?? 0;
  if (definition.length < 3 + count * 2) return [];
  return Array.from({ length: count }, (_, cell) => definition.readInt16LE(3 + cell * 2));
}

/** Null if no property affects the text. */
function readCharacters(list: Buffer): CharacterProperties | null {
  const properties: CharacterProperties = {
    isHidden: false,
    isRaised: false,
    isInserted: false,
    isDeleted: false,
    insertedBy: null,
    insertedAt: 0,
    deletedBy: null,
    deletedAt: 0,
    symbol: null,
    style: null,
    emphasis: noEmphasis(),
  };
  visitProperties(list, (code, operand) => {
    readEmphasis(properties.emphasis, code, operand[0] ?? 0);
    const isOn = ((operand[0] ?? 0) & 1) === 1;
    if (code === 0x0800) properties.isDeleted = isOn;
    else if (code === 0x0801) properties.isInserted = isOn;
    else if (code === 0x083c) properties.isHidden = isOn;
    else if (code === 0x2a48) properties.isRaised = operand[0] === 1;
    else if (code === 0x4a30) properties.style = operand.readUInt16LE(0);
    else if (code === 0x4804) properties.insertedBy = operand.readUInt16LE(0);
    else if (code === 0x6805) properties.insertedAt = operand.readUInt32LE(0);
    else if (code === 0x4863) properties.deletedBy = operand.readUInt16LE(0);
    else if (code === 0x6864) properties.deletedAt = operand.readUInt32LE(0);
    else if (code === 0x6a09) {
      properties.symbol = { font: operand.readUInt16LE(0), code: operand.readUInt16LE(2) };
    }
  });
  const { isHidden, isRaised, isInserted, isDeleted, symbol, style, emphasis } = properties;
  const isEmphasised = style !== null || (emphasis.on | emphasis.toggled) !== 0;
  return isHidden || isRaised || isInserted || isDeleted || symbol !== null || isEmphasised ? properties : null;
}

/** The pages of a run table with their runs. `entryBytes` is the size of a run's entry after the offsets. */
function* formattedPages(file: DocFile, table: number, entryBytes: number) {
  for (const { data } of readPlc(file.table(table), 4)) {
    const start = (data.readUInt32LE(0) & 0x3fffff) * PAGE_BYTES;
    const page = file.main.subarray(start, start + PAGE_BYTES);
    if (page.length < PAGE_BYTES) continue;
    const count = page[PAGE_BYTES - 1] ?? 0;
    if ((count + 1) * 4 + count * entryBytes >= PAGE_BYTES) continue;
    for (let index = 0; index < count; index += 1) {
      const offset = (page[(count + 1) * 4 + index * entryBytes] ?? 0) * 2;
      yield { from: page.readUInt32LE(index * 4), to: page.readUInt32LE(index * 4 + 4), page, offset };
    }
  }
}

function sortRunsByStart<Run extends { from: number }>(runs: Run[]): Run[] {
  if (runs.length > MAX_RUNS) throw damagedDocFile('too many runs');
  return runs.sort((one, other) => one.from - other.from);
}

/** Returns a lookup of the paragraph properties at a character. */
export function paragraphFinder(file: DocFile): (at: number) => ParagraphProperties {
  const runs: FileRun<ParagraphProperties>[] = [];
  for (const { from, to, page, offset } of formattedPages(file, TABLES.paragraphRuns, 13)) {
    const words = page[offset] ?? 0;
    const start = words === 0 ? offset + 2 : offset + 1;
    const list = page.subarray(start, start + (words === 0 ? (page[offset + 1] ?? 0) * 2 : words * 2 - 1));
    const style = offset === 0 || list.length < 2 ? 0 : list.readUInt16LE(0);
    runs.push({ from, to, properties: readParagraph(list.subarray(2), plainParagraph(style)) });
  }
  const ordered = sortRunsByStart(runs);
  const none = plainParagraph(0);
  return (at) => {
    const piece = lastBefore(file.pieces, at, (candidate) => candidate.start);
    if (piece === undefined) return none;
    const position = piece.filePosition + (at - piece.start) * piece.bytesPerCharacter;
    const run = lastBefore(ordered, position, (candidate) => candidate.from);
    return run !== undefined && position < run.to ? run.properties : none;
  };
}

/** Character runs that affect the text, in text order. */
export function characterRuns(file: DocFile): TextRun[] {
  const runs: FileRun<CharacterProperties>[] = [];
  for (const { from, to, page, offset } of formattedPages(file, TABLES.characterRuns, 1)) {
    if (offset === 0) continue;
    const properties = readCharacters(page.subarray(offset + 1, offset + 1 + (page[offset] ?? 0)));
    if (properties !== null && from < to) runs.push({ from, to, properties });
  }
  const ordered = sortRunsByStart(runs);
  const found: TextRun[] = [];
  for (const piece of file.pieces) addRunsOf(piece, ordered, found);
  return found;
}

function addRunsOf(piece: Piece, ordered: readonly FileRun<CharacterProperties>[], found: TextRun[]): void {
  const bytes = piece.bytesPerCharacter;
  const endPosition = piece.filePosition + (piece.end - piece.start) * bytes;
  const toText = (position: number) => piece.start + Math.floor((position - piece.filePosition) / bytes);
  for (let index = firstRunAfter(ordered, piece.filePosition); index < ordered.length; index += 1) {
    const run = ordered[index];
    if (run === undefined || run.from >= endPosition) return;
    const from = toText(Math.max(run.from, piece.filePosition));
    found.push({ from, to: toText(Math.min(run.to, endPosition)), properties: run.properties });
    if (found.length > MAX_RUNS) throw damagedDocFile('too many runs');
  }
}

/** Index of the first run that ends after a position; runs of a valid file are ordered and disjoint. */
export function firstRunAfter(ordered: readonly { to: number }[], position: number): number {
  let low = 0;
  let high = ordered.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((ordered[middle]?.to ?? 0) <= position) low = middle + 1;
    else high = middle;
  }
  return low;
}

function lastBefore<Item>(ordered: readonly Item[], at: number, startOf: (item: Item) => number): Item | undefined {
  let low = 0;
  let high = ordered.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    const item = ordered[middle];
    if (item !== undefined && startOf(item) <= at) low = middle + 1;
    else high = middle;
  }
  return ordered[low - 1];
}

/** Bound on inheritance, which may be circular. */
const MAX_PARENTS = 20;

const NO_STYLE = 0xfff;

const KIND_PARAGRAPH = 1;

const KIND_CHARACTER = 2;

const FIRST_HEADING = 1;

const LAST_HEADING = 9;

const CAPTION = 34;

const TITLE = 62;

const HTML_PREFORMATTED = 101;

interface Style {
  /** Word's number of a built-in style, the same in every language. */
  builtIn: number;
  base: number;
  name: string;
  properties: ParagraphProperties;
  emphasis: StatedEmphasis;
}

/** The styles of a document, as far as they decide the role of a paragraph and the emphasis of its text. */
export class DocStyles {
  readonly #styles: (Style | null)[];
  /** Emphasis of the styles with all they inherit, once it is asked for. */
  readonly #emphasis = new Map<number, number>();

  constructor(file: DocFile) {
    this.#styles = readStyles(file.table(TABLES.styles));
  }

  docHeadingLevel(paragraph: ParagraphProperties): number | null {
    if (paragraph.outlineLevel !== null) return outlineHeadingLevel(paragraph.outlineLevel);
    for (const style of this.#styleChain(paragraph.style)) {
      if (isByline(style.name)) return null;
      if (style.builtIn >= FIRST_HEADING && style.builtIn <= LAST_HEADING) return style.builtIn;
      if (style.properties.outlineLevel !== null) return outlineHeadingLevel(style.properties.outlineLevel);
      if (isTitleStyle(style)) return 1;
    }
    return null;
  }

  /** Whether the paragraph is the title, by its own style. */
  isTitleParagraph(paragraph: ParagraphProperties): boolean {
    const [style] = this.#styleChain(paragraph.style);
    return style !== undefined && isTitleStyle(style);
  }

  /**
   * Emphasis of a run as flags of `inline-marks.ts`, by its character style and its own properties. That of the
   * paragraph's style is the look of the whole paragraph.
   */
  runEmphasis({ style, emphasis }: CharacterProperties, paragraph: ParagraphProperties): number {
    const ofParagraph = this.#styleEmphasis(paragraph.style);
    const ofCharacters = style === null ? 0 : this.#styleEmphasis(style);
    return appliedEmphasis(emphasis, ofParagraph ^ ofCharacters) & ~ofParagraph;
  }

  #styleEmphasis(index: number): number {
    const known = this.#emphasis.get(index);
    if (known !== undefined) return known;
    const found = this.#styleChain(index).reduceRight((flags, { emphasis }) => appliedEmphasis(emphasis, flags), 0);
    this.#emphasis.set(index, found);
    return found;
  }

  docParagraphRole(paragraph: ParagraphProperties): ParagraphShape['role'] {
    for (const style of this.#styleChain(paragraph.style)) {
      if (style.builtIn === CAPTION || /caption$/i.test(style.name)) return 'caption';
      if (style.builtIn === HTML_PREFORMATTED || /^(?:source code|preformatted text)$/i.test(style.name)) return 'code';
      if (QUOTE_STYLE.test(style.name)) return 'quote';
    }
    return 'plain';
  }

  /** List and level of a paragraph, from itself or its style; null if it is no list item. */
  paragraphListPlace(paragraph: ParagraphProperties): { list: number; level: number } | null {
    const own = paragraph.list;
    if (own !== null) return own === 0 ? null : { list: own, level: paragraph.listLevel };
    for (const { properties } of this.#styleChain(paragraph.style)) {
      if (properties.list === 0) return null;
      if (properties.list !== null) return { list: properties.list, level: properties.listLevel };
    }
    return null;
  }

  breaksBefore(paragraph: ParagraphProperties): boolean {
    return (
      paragraph.breaksBefore || this.#styleChain(paragraph.style).some(({ properties }) => properties.breaksBefore)
    );
  }

  #styleChain(index: number): Style[] {
    const chain: Style[] = [];
    let style = this.#styles[index];
    while (style != null && chain.length < MAX_PARENTS) {
      chain.push(style);
      style = style.base === NO_STYLE ? null : this.#styles[style.base];
    }
    return chain;
  }
}

function isTitleStyle({ builtIn, name }: Style): boolean {
  return builtIn === TITLE || TITLE_STYLE.test(name);
}

function outlineHeadingLevel(outlineLevel: number): number | null {
  return outlineLevel < LAST_HEADING ? outlineLevel + 1 : null;
}

function readStyles(sheet: Buffer): (Style | null)[] {
  if (sheet.length < 6) return [];
  const baseBytes = sheet.readUInt16LE(4);
  const styles: (Style | null)[] = [];
  let at = 2 + sheet.readUInt16LE(0);
  while (at + 2 <= sheet.length) {
    const length = sheet.readUInt16LE(at);
    styles.push(length === 0 ? null : readStyle(sheet.subarray(at + 2, at + 2 + length), baseBytes));
    at += 2 + length;
  }
  return styles;
}

/** Null for table and list styles, and for truncated ones. */
function readStyle(entry: Buffer, baseBytes: number): Style | null {
  if (entry.length < baseBytes + 2 || baseBytes < 4) return null;
  const kindAndBase = entry.readUInt16LE(2);
  const kind = kindAndBase & 0x0f;
  if (kind !== KIND_PARAGRAPH && kind !== KIND_CHARACTER) return null;
  const nameEnd = baseBytes + 2 + entry.readUInt16LE(baseBytes) * 2;
  const name = decodeUtf16(entry.subarray(baseBytes + 2, nameEnd));
  const properties = plainParagraph(0);
  const emphasis = noEmphasis();
  // The name ends with a zero byte. Lists of properties follow at even offsets, each after its length: that of the
  // paragraph, which begins with the number of the style, and that of the characters.
  let at = nameEnd + 2 + (nameEnd % 2);
  const listLengthAt = (place: number) => (place + 2 <= entry.length ? entry.readUInt16LE(place) : 0);
  if (kind === KIND_PARAGRAPH) {
    const length = listLengthAt(at);
    readParagraph(entry.subarray(at + 4, at + 2 + length), properties);
    at += 2 + length + (length % 2);
  }
  visitProperties(entry.subarray(at + 2, at + 2 + listLengthAt(at)), (code, operand) => {
    readEmphasis(emphasis, code, operand[0] ?? 0);
  });
  return { builtIn: entry.readUInt16LE(0) & 0xfff, base: kindAndBase >> 4, name, properties, emphasis };
}
