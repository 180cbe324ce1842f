/** Counts the cells of workbooks: those with a value, from the bytes of each sheet. */

import { boundedLeftOut, type LeftOut } from '../../../src-server/platform/source-account.ts';
import { decodeUtf16 } from '../../../src-server/platform/text/encoding.ts';
import { say } from '../../../src-server/platform/text/say.ts';
import type { NormalizedDocument, ParseOptions } from '../blocks.ts';
import { CompoundFile } from '../doc/word-file.ts';
import { quoteTextStart } from '../letter-account.ts';
import { openDocument } from '../odt/package.ts';
import { cellsOf } from '../sheets/sheet-writer.ts';
import type { ReadSheet, SourceLedger } from '../source-ledger.ts';
import { decodePart, relationsOf } from './office.ts';
import { openOffice } from './packages.ts';
import { attributeOf, scanXml } from './scan-xml.ts';

interface CountedSheet {
  cells: number;
  /** Copies of repeated cells that no reader writes out. */
  overLimit: number;
  /** Texts of printed pages. */
  furniture?: string;
}

export async function countXlsx(bytes: Buffer, options: ParseOptions, document: NormalizedDocument): Promise<void> {
  const { source, main } = await openOffice(bytes, options, 'xl/workbook.xml');
  const relations = relationsOf(source, main);
  const strings = relations.find(({ type }) => type === 'sharedStrings')?.target ?? 'xl/sharedStrings.xml';
  const isBlank = blankStrings(decodePart(source.read(strings)));
  const counted: CountedSheet[] = [];
  scanXml(decodePart(source.read(main)), {
    open(name, tag) {
      if (name !== 'sheet') return;
      const part = relations.find(({ id }) => id === attributeOf(tag, 'id'));
      const xml = part?.type === 'worksheet' ? decodePart(source.read(part.target)) : '';
      counted.push({ cells: countSheetCells(xml, isBlank), overLimit: 0, furniture: printedTexts(xml) });
    },
    close() {},
    text() {},
  });
  accountCells(counted, document, options.ledger);
}

/** Headers and footers of printed pages, without their codes; empty if they hold only codes. */
function printedTexts(xml: string): string {
  const end = xml.lastIndexOf('headerFooter>');
  if (end === -1) return '';
  const texts: string[] = [];
  scanXml(xml.slice(xml.lastIndexOf('<', xml.lastIndexOf('headerFooter', end - 1)), end), {
    open() {},
    close() {},
    text: (text) => void texts.push(text.replace(/&(?:"[^"]*"|K[\dA-F]{6}|\d+|[A-Za-z&])/g, ' ')),
  });
  return texts.join(' ').replace(/\s+/g, ' ').trim();
}

/** Which shared strings have no visible character. */
function blankStrings(xml: string): boolean[] {
  const isBlank: boolean[] = [];
  let open = 0;
  let guides = 0;
  let hasText = false;
  scanXml(xml, {
    open(name) {
      if (name === 'si') hasText = false;
      else if (name === 't') open += 1;
      else if (name === 'rPh') guides += 1;
    },
    close(name) {
      if (name === 'si') isBlank.push(!hasText);
      else if (name === 't') open -= 1;
      else if (name === 'rPh') guides -= 1;
    },
    text(text) {
      if (open > 0 && guides === 0 && text.trim() !== '') hasText = true;
    },
  });
  return isBlank;
}

function countSheetCells(xml: string, isBlank: readonly boolean[]): number {
  let cells = 0;
  let isShared = false;
  let isValue = false;
  let hasValue = false;
  let guides = 0;
  scanXml(xml, {
    open(name, tag) {
      if (name === 'c') {
        isShared = attributeOf(tag, 't') === 's';
        hasValue = false;
      } else if (name === 'rPh') guides += 1;
      isValue = name === 'v' || (name === 't' && guides === 0);
    },
    close(name) {
      isValue = false;
      if (name === 'rPh') guides -= 1;
      else if (name === 'c' && hasValue) cells += 1;
    },
    text(text) {
      if (!isValue || text.trim() === '') return;
      hasValue ||= !isShared || isBlank[Number(text)] !== true;
    },
  });
  return cells;
}

/** Copies that readers write out of a repeated cell and row. */
const COPIES_MAX = { cells: 500, rows: 100 };

export async function countOds(bytes: Buffer, options: ParseOptions, document: NormalizedDocument): Promise<void> {
  const { content } = await openDocument(bytes);
  const counted: CountedSheet[] = [];
  let rowCopies = 1;
  let cellCopies = 1;
  let hasValue = false;
  let inCell = 0;
  let skipped = 0;
  const repeatedTimes = (tag: string, name: string) => Math.max(1, Number(attributeOf(tag, name)) || 1);
  scanXml(decodePart(content), {
    open(name, tag) {
      if (skipped > 0 || NOT_IN_CELLS.has(name)) skipped += 1;
      else if (name === 'table') counted.push({ cells: 0, overLimit: 0 });
      else if (name === 'table-row') rowCopies = repeatedTimes(tag, 'number-rows-repeated');
      else if (name === 'table-cell' || name === 'covered-table-cell') {
        inCell += 1;
        cellCopies = repeatedTimes(tag, 'number-columns-repeated');
        hasValue = /[\s:](?:string-|date-|time-|boolean-)?value\s*=\s*["'][^"']/.test(tag);
      }
    },
    close(name) {
      if (skipped > 0) skipped -= 1;
      else if (name === 'table-cell' || name === 'covered-table-cell') {
        inCell -= 1;
        const sheet = counted.at(-1);
        if (!hasValue || sheet === undefined) return;
        const all = cellCopies * rowCopies;
        const written = Math.min(cellCopies, COPIES_MAX.cells) * Math.min(rowCopies, COPIES_MAX.rows);
        sheet.cells += all;
        sheet.overLimit += all - written;
      }
    },
    text(text) {
      if (skipped === 0 && inCell > 0 && text.trim() !== '') hasValue = true;
    },
  });
  accountCells(counted, document, options.ledger);
}

/** Elements whose text is no cell's. */
const NOT_IN_CELLS = new Set([
  ...['forms', 'scripts', 'shapes', 'tracked-changes', 'named-expressions', 'dde-links', 'title', 'desc', 'frame'],
  ...['custom-shape', 'ruby-text', 'annotation', 'styles', 'automatic-styles', 'master-styles', 'meta', 'settings'],
]);

/** Records of BIFF with cells. */
const RECORD = { sheet: 0x85, begin: 0x809, end: 0x0a, formula: 0x06, manyNumbers: 0xbd, biff5Begin: 0x809 };

/** Number, RK, label of a shared string, label, rich label, boolean or error. */
const ONE_CELL = new Set([0x203, 0x27e, 0xfd, 0x204, 0xd6, 0x205]);

export function countXls(bytes: Buffer, options: ParseOptions, document: NormalizedDocument): void {
  const file = new CompoundFile(bytes);
  const stream = file.readNamedStream('Workbook') ?? file.readNamedStream('Book') ?? Buffer.alloc(0);
  const starts: number[] = [];
  forRecords(stream, 0, (type, data) => {
    if (type === RECORD.end) return false;
    if (type === RECORD.sheet && data.length >= 6) starts.push(data.readUInt32LE(0));
    return true;
  });
  accountCells(
    starts.map((start) => ({ cells: cellsInStream(stream, start), overLimit: 0 })),
    document,
    options.ledger,
  );
}

/** Calls with each record until it returns false. */
function forRecords(stream: Buffer, start: number, see: (type: number, data: Buffer) => boolean): void {
  for (let at = start; at + 4 <= stream.length; at += 4 + stream.readUInt16LE(at + 2)) {
    const data = stream.subarray(at + 4, at + 4 + stream.readUInt16LE(at + 2));
    if (!see(stream.readUInt16LE(at), data)) return;
  }
}

function cellsInStream(stream: Buffer, start: number): number {
  let cells = 0;
  let depth = 0;
  forRecords(stream, start, (type, data) => {
    if (type === RECORD.begin) depth += 1;
    else if (type === RECORD.end) depth -= 1;
    // Charts are streams inside that of their sheet.
    else if (depth === 1 && ONE_CELL.has(type)) cells += 1;
    else if (depth === 1 && type === RECORD.manyNumbers) cells += Math.max(0, Math.floor((data.length - 6) / 6));
    else if (depth === 1 && type === RECORD.formula && !isEmptyResult(data)) cells += 1;
    return depth > 0;
  });
  return cells;
}

/** A formula whose result is an empty text. */
function isEmptyResult(data: Buffer): boolean {
  return data.length >= 14 && data.readUInt16LE(12) === 0xffff && data[6] === 3;
}

/** Records of a binary workbook: the sheets, and cells with a value. */
const BINARY_SHEET = 156;

/** RK, error, boolean, number, text, shared text, and the results of formulas. */
const BINARY_CELLS: ReadonlySet<number> = new Set([2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 13, 14, 15, 16, 17, 18, 62]);

/** Where the length of a text in the record itself is, which may be 0. A short record states no column. */
const BINARY_TEXTS: ReadonlyMap<number, number> = new Map([
  [6, 8],
  [8, 8],
  [17, 4],
]);

export async function countXlsb(bytes: Buffer, options: ParseOptions, document: NormalizedDocument): Promise<void> {
  const { source, main } = await openOffice(bytes, options, 'xl/workbook.bin');
  const relations = relationsOf(source, main);
  const counted: CountedSheet[] = [];
  for (const { type, data } of binaryRecords(source.read(main) ?? Buffer.alloc(0))) {
    if (type !== BINARY_SHEET || data.length < 12) continue;
    const id = decodeUtf16(data.subarray(12, 12 + data.readUInt32LE(8) * 2));
    const part = relations.find((one) => one.id === id);
    const sheet = part?.type === 'worksheet' ? source.read(part.target) : null;
    let cells = 0;
    for (const record of binaryRecords(sheet ?? Buffer.alloc(0))) {
      const lengthAt = BINARY_TEXTS.get(record.type) ?? record.data.length;
      const isEmpty = lengthAt + 4 <= record.data.length && record.data.readUInt32LE(lengthAt) === 0;
      if (BINARY_CELLS.has(record.type) && !isEmpty) cells += 1;
    }
    counted.push({ cells, overLimit: 0 });
  }
  accountCells(counted, document, options.ledger);
}

/** Type and size of a record are numbers of seven bits a byte. */
function* binaryRecords(bytes: Buffer): Generator<{ type: number; data: Buffer }> {
  for (let at = 0; at < bytes.length; ) {
    const first = bytes[at] ?? 0;
    const isLong = (first & 0x80) !== 0;
    const type = isLong ? (first & 0x7f) | (((bytes[at + 1] ?? 0) & 0x7f) << 7) : first;
    at += isLong ? 2 : 1;
    let size = 0;
    for (let shift = 0; shift < 28; shift += 7) {
      const next = bytes[at] ?? 0;
      at += 1;
      size |= (next & 0x7f) << shift;
      if ((next & 0x80) === 0) break;
    }
    yield { type, data: bytes.subarray(at, at + size) };
    at += size;
  }
}

/** Compares the cells of each sheet with those of its blocks. Sheets are in the order of the workbook on both sides. */
function accountCells(counted: readonly CountedSheet[], { blocks }: NormalizedDocument, ledger: SourceLedger): void {
  const delivered = new Map<number, number>();
  for (const block of blocks) {
    const cells = cellsOf(block);
    if (cells > 0) delivered.set(block.page, (delivered.get(block.page) ?? 0) + cells);
  }
  const total = counted.reduce((sum, { cells }) => sum + cells, 0);
  const leftOut: LeftOut[] = [];
  let unexplained = 0;
  for (const [index, { cells, overLimit, furniture = '' }] of counted.entries()) {
    const sheet = ledger.sheets[index];
    const where = `sheet ${sheet?.name ?? index + 1}`;
    if (/[\p{L}\p{N}]/u.test(furniture))
      leftOut.push({ reason: 'repeated-header-or-footer', count: 0, where, sample: quoteTextStart(furniture) });
    const found = sheet?.page == null ? 0 : (delivered.get(sheet.page) ?? 0) - sheet.drawnCells;
    const gap = gapOf(cells - found, overLimit, sheet);
    for (const reason of ['hidden', 'damaged', 'over-limit'] as const) {
      if (gap[reason] > 0) leftOut.push({ reason, count: gap[reason], where });
    }
    unexplained += Math.max(0, gap.unexplained);
    warnOfCells(where, gap.unexplained, cells, ledger);
  }
  const left = leftOut.reduce((sum, { count }) => sum + count, 0);
  ledger.cells.push({
    unit: 'cells',
    source: total,
    delivered: Math.max(0, total - left - unexplained),
    leftOut: boundedLeftOut(leftOut),
    unexplained,
  });
}

/** Where the cells went that a sheet has more than its blocks. */
function gapOf(missing: number, overLimit: number, sheet: ReadSheet | undefined) {
  const gap = { hidden: 0, damaged: 0, 'over-limit': 0, unexplained: missing };
  const explainCellGap = (reason: 'hidden' | 'damaged' | 'over-limit', count: number) => {
    const explained = Math.max(0, Math.min(count, gap.unexplained));
    gap[reason] += explained;
    gap.unexplained -= explained;
  };
  explainCellGap('hidden', sheet?.hiddenCells ?? 0);
  explainCellGap('damaged', sheet?.lostCells ?? 0);
  explainCellGap('over-limit', overLimit);
  if (sheet?.reason != null) explainCellGap(sheet.reason, gap.unexplained);
  return gap;
}

/** Share of a sheet's cells that may be missing without a warning. */
const SHARE_MAX = 0.01;

function warnOfCells(where: string, unexplained: number, cells: number, ledger: SourceLedger): void {
  const count = Math.abs(unexplained);
  const place = where.replace(/^s/, 'S');
  if (unexplained > cells * SHARE_MAX || unexplained > 20) {
    ledger.warnings.push(
      count === 1
        ? say`${place}: 1 cell with a value is not in the result.`
        : say`${place}: ${count} cells with a value are not in the result.`,
    );
  } else if (-unexplained > 20 || -unexplained > cells * SHARE_MAX) {
    ledger.warnings.push(
      count === 1
        ? say`${place}: the result has 1 cell more than the source has values.`
        : say`${place}: the result has ${count} cells more than the source has values.`,
    );
  }
}
