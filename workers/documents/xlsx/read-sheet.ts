import { type NumberFormat, showText } from '../sheets/cell-text.ts';
import { countTags } from '../sheets/count-tags.ts';
import { addressOfFormula, linkedText } from '../sheets/linked-text.ts';
import type { MergedCells, SheetCell, SheetWriter } from '../sheets/sheet-writer.ts';
import { walkXml, type XmlBudget, type XmlElement, type XmlHandlers } from '../xml.ts';
import { isTrue, MAX_PART_ELEMENTS, RichTextReader, readReference, unescapeXlsxText } from './workbook.ts';

export interface SheetContext {
  strings: readonly string[];
  /** The number format of each cell style. */
  formats: readonly NumberFormat[];
  /** The address outside the file that a relationship of the sheet names; null for others. */
  addressOf: (relationshipId: string) => string | null;
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
  formula: string;
  /** Text in the cell itself, with signs. */
  ownText: string;
}

class SheetReader implements XmlHandlers {
  readonly #writer: SheetWriter;
  readonly #context: SheetContext;
  #row = 0;
  #cells: SheetCell[] = [];
  #column = -1;
  #cell: OpenCell | null = null;
  #isValue = false;
  #isFormula = false;
  /** The text of the open cell, if it is in the cell itself. */
  readonly #ownText: RichTextReader;
  /** Rows read or counted. */
  rows = 0;

  constructor(writer: SheetWriter, context: SheetContext) {
    this.#writer = writer;
    this.#context = context;
    this.#ownText = new RichTextReader(() => writer.useInlineSigns());
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
      case 's:v':
        this.#isValue = true;
        break;
      case 's:f':
        this.#isFormula = true;
        if (this.#cell !== null) this.#cell.hasFormula = true;
        break;
      case 's:mergeCell':
        this.#readMergedCells(element.attributeValue('ref') ?? '');
        break;
      case 's:hyperlink':
        this.#readHyperlink(element);
        break;
      default:
        if (this.#cell !== null) this.#ownText.openTextElement(element);
    }
  }

  text(text: string): void {
    const cell = this.#cell;
    if (cell === null) return;
    if (this.#isValue) cell.value += text;
    else if (this.#isFormula) cell.formula += text;
    else this.#ownText.addTextPart(text);
  }

  close({ name }: XmlElement): void {
    this.#isValue = false;
    this.#isFormula = false;
    if (this.#cell !== null) this.#ownText.closeTextElement(name);
    if (name === 's:c') this.#closeSheetCell();
    else if (name === 's:row') {
      this.rows += 1;
      this.#writer.addRow(this.#row, this.#cells);
    }
  }

  #readMergedCells(reference: string): void {
    const cells = cellsOfReference(reference);
    if (cells !== null) this.#writer.mergeCells(cells);
  }

  /** A place inside the address may be stated beside it; without an address it is one of the workbook. */
  #readHyperlink(element: XmlElement): void {
    const cells = cellsOfReference(element.attributeValue('ref') ?? '');
    const address = this.#context.addressOf(element.attributeValue('r:id') ?? '');
    if (cells === null || address === null) return;
    const place = element.attributeValue('location') ?? '';
    const url = place === '' || address.includes('#') ? address : `${address}#${place}`;
    this.#writer.linkCells({ ...cells, url });
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
      formula: '',
      ownText: '',
    };
  }

  #closeSheetCell(): void {
    const cell = this.#cell;
    this.#cell = null;
    if (cell === null) return;
    if (cell.hasFormula && cell.value + cell.ownText === '' && cell.type !== 'str') this.#writer.missValue();
    const text = this.#linkedCellText(cell);
    if (text.trim() !== '') this.#cells.push({ column: cell.column, text });
    else if (cell.type === 's' && this.#context.strings[Number(cell.value)] === undefined) {
      if (cell.value.trim() !== '') this.#writer.loseCell();
    } else if ((cell.value + cell.ownText).trim() !== '') this.#writer.hideCell();
  }

  #linkedCellText(cell: OpenCell): string {
    if (this.#ownText.hasText) cell.ownText = this.#ownText.takeRichText();
    const text = this.#xlsxCellText(cell);
    const url = cell.hasFormula ? addressOfFormula(cell.formula) : null;
    return url === null ? text : linkedText(text, url, this.#writer.useInlineSigns());
  }

  #xlsxCellText({ column, type, style, value, ownText }: OpenCell): string {
    const format = this.#context.formats[style] ?? 0;
    if (ownText !== '') return showText(ownText, format);
    switch (type) {
      case 's':
        return showText(this.#context.strings[Number(value)] ?? '', format);
      case 'b':
        return value === '' ? '' : isTrue(value) ? 'TRUE' : 'FALSE';
      case 'n': {
        const number = Number(value);
        if (value === '' || !Number.isFinite(number)) return unescapeXlsxText(value);
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

/** Cells of a reference: `B2`, or `B2:C4`. */
function cellsOfReference(reference: string): MergedCells | null {
  const [first = '', last = first] = reference.split(':', 2);
  const [start, end] = [readReference(first), readReference(last)];
  if (start === null || end === null) return null;
  return { row: start.row + 1, endRow: end.row + 1, column: start.column, endColumn: end.column };
}
