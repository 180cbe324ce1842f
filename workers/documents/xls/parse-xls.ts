import { type CellObject, read, set_cptable, type WorkBook, type WorkSheet } from '@e965/xlsx';
import * as codePages from '@e965/xlsx/dist/cpexcel.full.mjs';
import { QuarryError } from '../../../src-server/platform/errors.ts';
import { say } from '../../../src-server/platform/text/say.ts';
import type { DocumentParser } from '../blocks.ts';
import { readSummary } from '../doc/parse-doc.ts';
import { CompoundFile } from '../doc/word-file.ts';
import { DocumentBuilder } from '../document-builder.ts';
import { withoutReserved } from '../revisions.ts';
import { forgetFormats, showText } from '../sheets/cell-text.ts';
import { addressOfFormula, linkedText } from '../sheets/linked-text.ts';
import { type SheetCell, SheetWriter } from '../sheets/sheet-writer.ts';
import { damagedPackageError } from '../zip-package.ts';
import { readXlsCharts, type XlsChart } from './charts.ts';

set_cptable(codePages);

/** `Hidden` of a sheet that the window does not show; 1 is hidden, 2 is hidden from its menu too. */
const VISIBLE = 0;

const FILE_PASS = 0x2f;

const END_OF_PART = 0x0a;

/**
 * Excel 5 to 2003 workbooks (.xls). The container is opened under our bounds; SheetJS reads the stream of the workbook.
 * Errors: `encrypted_input`, `corrupt_input`.
 */
export const parseXls: DocumentParser = async (bytes, options) => {
  const builder = new DocumentBuilder(options);
  const file = new CompoundFile(bytes);
  const stream = file.readNamedStream('Workbook') ?? file.readNamedStream('Book');
  if (stream === null) throw damagedPackageError('no workbook stream');
  if (isEncrypted(stream)) {
    throw new QuarryError('encrypted_input', say`The workbook is password-protected: save it without a password.`);
  }
  const writer = writeSheets(readWorkbook(stream), builder, readXlsCharts(stream));
  const { title, author } = readSummary(file.readNamedStream('\u0005SummaryInformation'));
  return builder.buildNormalizedDocument({ format: 'xls', title, author, pages: writer.openedSheetCount });
};

/**
 * Writes the shown sheets of a workbook, and its warnings.
 *
 * @param charts those of each sheet
 */
export function writeSheets(
  workbook: WorkBook,
  builder: DocumentBuilder,
  charts: readonly (readonly XlsChart[])[] = [],
): SheetWriter {
  const writer = new SheetWriter(builder);
  const isDate1904 = workbook.Workbook?.WBProps?.date1904 === true;
  for (const [index, name] of workbook.SheetNames.entries()) {
    const sheet = workbook.Sheets[name];
    const isHidden = (workbook.Workbook?.Sheets?.[index]?.Hidden ?? VISIBLE) !== VISIBLE;
    if (isHidden) writer.skipSheet(name, 'hidden');
    else if (writer.isSheetLimitReached) writer.skipSheet(name, 'leftOut');
    else if (sheet !== undefined) {
      writer.openSheet(name);
      for (const [row, cells] of denseSheetRows(sheet).entries()) {
        if (cells !== undefined) writer.addRow(row + 1, xlsRowTexts(cells, row + 1, writer, isDate1904));
      }
      for (const { s: start, e: end } of sheet['!merges'] ?? []) {
        writer.mergeCells({ row: start.r + 1, endRow: end.r + 1, column: start.c, endColumn: end.c });
      }
      for (const chart of charts[index] ?? []) writer.addSheetDrawing((to) => addChart(chart, to));
      writer.closeSheet();
    }
  }
  writer.writeSheetWarnings();
  return writer;
}

function addChart({ titles, rows }: XlsChart, builder: DocumentBuilder): void {
  for (const text of titles) builder.addDocumentBlock({ kind: 'paragraph', text });
  builder.addDocumentBlock({ kind: 'table', rows });
}

/** Errors: `corrupt_input`. */
export function readWorkbook(bytes: Uint8Array): WorkBook {
  forgetFormats();
  try {
    return withSilentConsole(() => read(bytes, { type: 'buffer', dense: true, cellNF: true, cellHTML: false }));
  } catch (cause) {
    throw damagedPackageError(cause);
  }
}

/** SheetJS writes a line to the console for each unknown record, and a file may have millions. */
function withSilentConsole<Result>(work: () => Result): Result {
  const { console } = globalThis;
  const { error } = console;
  console.error = () => {};
  try {
    return work();
  } finally {
    console.error = error;
  }
}

/** Whether the records of the workbook, which come before its sheets, name a password's algorithm. */
function isEncrypted(stream: Buffer): boolean {
  for (let at = 0; at + 4 <= stream.length; at += 4 + stream.readUInt16LE(at + 2)) {
    const record = stream.readUInt16LE(at);
    if (record === FILE_PASS || record === END_OF_PART) return record === FILE_PASS;
  }
  return false;
}

/** The rows of a dense sheet; rows and cells without content are missing. */
function denseSheetRows(sheet: WorkSheet): (CellObject | undefined)[][] {
  return (sheet['!data'] ?? []) as (CellObject | undefined)[][];
}

function xlsRowTexts(
  cells: readonly (CellObject | undefined)[],
  row: number,
  writer: SheetWriter,
  isDate1904: boolean,
): SheetCell[] {
  const texts: SheetCell[] = [];
  for (const [column, cell] of cells.entries()) {
    if (cell === undefined) continue;
    if (cell.f !== undefined && cell.v === undefined) writer.missValue();
    const { t, v, w = '', z: format = 'General' } = cell;
    let text = withoutReserved(w);
    if (t === 'n' && typeof v === 'number') text = writer.numberText({ value: v, format, isDate1904, row, column });
    else if (t === 's') text = showText(withoutReserved(String(v ?? '')), format);
    const url = cell.l?.Target ?? (cell.f === undefined ? null : addressOfFormula(cell.f));
    if (url !== null) text = linkedText(text, url, writer.useInlineSigns());
    if (text.trim() !== '') texts.push({ column, text });
    else if (v !== undefined && v !== null) writer.hideCell();
  }
  return texts;
}
