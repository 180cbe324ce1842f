import { type NumberFormat, showText } from '../sheets/cell-text.ts';
import { countTags } from '../sheets/count-tags.ts';
import type { SheetCell, SheetWriter } from '../sheets/sheet-writer.ts';
import { walkXml, type XmlBudget, type XmlElement, type XmlHandlers } from '../xml.ts';
import { isTrue, MAX_PART_ELEMENTS, readReference, unescapeXlsxText } from './workbook.ts';

export interface SheetContext {
  strings: readonly string[];
  /** The number format of each cell style. */
  formats: readonly NumberFormat[];
  isDate1904: boolean;
  budget: XmlBudget;
}

/** Reads the rows of a sheet's part; rows past the bounds of the writer are only counted. */
export function readSheet(bytes: Buffer, writer: SheetWriter, context: SheetContext): void {
  const reader = new SheetReader(writer, context);
  walkXml(bytes, context.budget, reader);
  if (reader.isDone()) writer.leaveOutRows(Math.max(0, countTags(bytes, 'row') - reader.rows));
}

interface OpenCell {
  column: number;
  type: string;
  style: number;
  value: string;
  hasFormula: boolean;
}

class SheetReader implements XmlHandlers {
  readonly #writer: SheetWriter;
  readonly #context: SheetContext;
  #row = 0;
  #cells: SheetCell[] = [];
  #column = -1;
  #cell: OpenCell | null = null;
  #isValue = false;
  #guides = 0;
  /** Rows read or counted. */
  rows = 0;

  constructor(writer: SheetWriter, context: SheetContext) {
    this.#writer = writer;
    this.#context = context;
  }

  isDone(): boolean {
    return this.#writer.isSheetLimitReached || this.#context.budget.elements > MAX_PART_ELEMENTS;
  }

  open(element: XmlElement): void {
    switch (element.name) {
      case 's:row':
        this.#openSheetRow(element);
        break;
      case 's:c':
        this.#openSheetCell(element);
        break;
      case 's:f':
        if (this.#cell !== null) this.#cell.hasFormula = true;
        break;
      case 's:rPh':
        this.#guides += 1;
        break;
      case 's:mergeCell':
        this.#readMergedCells(element.attributeValue('ref') ?? '');
        break;
    }
    this.#isValue = element.name === 's:v' || (element.name === 's:t' && this.#guides === 0);
  }

  text(text: string): void {
    if (this.#isValue && this.#cell !== null) this.#cell.value += text;
  }

  close({ name }: XmlElement): void {
    this.#isValue = false;
    if (name === 's:rPh') this.#guides -= 1;
    else if (name === 's:c') this.#closeSheetCell();
    else if (name === 's:row') {
      this.rows += 1;
      this.#writer.addRow(this.#row, this.#cells);
    }
  }

  #readMergedCells(reference: string): void {
    const [first = '', last = ''] = reference.split(':', 2);
    const [start, end] = [readReference(first), readReference(last)];
    if (start === null || end === null) return;
    this.#writer.mergeCells({
      row: start.row + 1,
      endRow: end.row + 1,
      column: start.column,
      endColumn: end.column,
    });
  }

  #openSheetRow(element: XmlElement): void {
    const stated = Number(element.attributeValue('r') ?? Number.NaN);
    this.#row = Number.isSafeInteger(stated) && stated > this.#row ? stated : this.#row + 1;
    this.#cells = [];
    this.#column = -1;
  }

  /** A cell without a reference follows the one before it. */
  #openSheetCell(element: XmlElement): void {
    const place = readReference(element.attributeValue('r') ?? '');
    this.#column = Math.max(place?.column ?? 0, this.#column + 1);
    this.#cell = {
      column: this.#column,
      type: element.attributeValue('t') ?? 'n',
      style: Number(element.attributeValue('s') ?? 0),
      value: '',
      hasFormula: false,
    };
  }

  #closeSheetCell(): void {
    const cell = this.#cell;
    this.#cell = null;
    if (cell === null) return;
    if (cell.hasFormula && cell.value === '' && cell.type !== 'str') this.#writer.missValue();
    const text = this.#xlsxCellText(cell);
    if (text.trim() !== '') this.#cells.push({ column: cell.column, text });
    else if (cell.type === 's' && this.#context.strings[Number(cell.value)] === undefined) {
      if (cell.value.trim() !== '') this.#writer.loseCell();
    } else if (cell.value.trim() !== '') this.#writer.hideCell();
  }

  #xlsxCellText({ column, type, style, value }: OpenCell): string {
    const format = this.#context.formats[style] ?? 0;
    switch (type) {
      case 's':
        return showText(this.#context.strings[Number(value)] ?? '', format);
      case 'b':
        return value === '' ? '' : isTrue(value) ? 'TRUE' : 'FALSE';
      case 'n': {
        const number = Number(value);
        if (value === '' || !Number.isFinite(number)) return value;
        const { isDate1904 } = this.#context;
        return this.#writer.numberText({ value: number, format, isDate1904, row: this.#row, column });
      }
      case 'str':
      case 'inlineStr':
        return showText(unescapeXlsxText(value), format);
      default:
        return unescapeXlsxText(value);
    }
  }
}
