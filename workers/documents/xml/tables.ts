/** Tables of XML: those of HTML, the CALS model of DocBook and patents, TEI and DITA. */

import type { NewBlock } from '../document-builder.ts';
import { HtmlTables } from '../html/tables.ts';
import type { XmlElement } from '../xml.ts';

const ROWS = new Set(['tr', 'row', 'strow', 'sthead']);

const CELLS = new Set(['td', 'th', 'stentry']);

/** Elements that are cells of rows alone. */
const CELLS_OF_ROWS = new Set(['entry', 'cell']);

/** Whether an element is a cell. Records have elements of the same names. */
export function isCell(local: string, above: string | undefined): boolean {
  return CELLS.has(local) || (CELLS_OF_ROWS.has(local) && above === 'row');
}

/** The open table. Rows without a cell, such as of records, are none of it. */
export class XmlTables {
  readonly #tables: HtmlTables;
  /** Names of the columns in the CALS model, in order. */
  #columns: string[] = [];
  #beginsRow = false;

  constructor(add: (block: NewBlock) => void) {
    this.#tables = new HtmlTables(add);
  }

  /** Any element outside a text. */
  openElement(element: XmlElement): void {
    const { local } = element;
    if (ROWS.has(local)) this.#beginsRow = true;
    else if (local === 'tgroup') this.#columns = [];
    else if (local === 'colspec') this.#columns.push(element.attributeValue('colname') ?? '');
  }

  openCell(element: XmlElement): void {
    if (!this.#tables.areOpen) this.#tables.openHtmlTable();
    if (this.#beginsRow) this.#tables.openHtmlRow();
    this.#beginsRow = false;
    const more = Number.parseInt(element.attributeValue('morerows') ?? '0', 10) || 0;
    const rowspan = element.attributeValue('rowspan') ?? element.attributeValue('rows') ?? String(more + 1);
    const colspan = element.attributeValue('colspan') ?? element.attributeValue('cols') ?? String(this.#width(element));
    this.#tables.openHtmlCell({ colspan, rowspan });
  }

  /** @param text with its signs */
  closeCell(text: string): void {
    this.#tables.addCellText({ text, marks: [] });
    this.#tables.closeHtmlCell();
  }

  close(): void {
    if (this.#tables.areOpen) this.#tables.closeHtmlTable();
  }

  /** Columns between two that a cell names. */
  #width(element: XmlElement): number {
    const [first, last] = ['namest', 'nameend'].map((name) =>
      this.#columns.indexOf(element.attributeValue(name) ?? ' '),
    );
    return first === undefined || last === undefined || first < 0 || last < first ? 1 : last - first + 1;
  }
}
