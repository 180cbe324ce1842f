import type { NumberFormat } from '../sheets/cell-text.ts';
import { walkXml, type XmlBudget } from '../xml.ts';

/** Elements read of one part, below the limit of `walkXml`, so that a large part is read to here and not refused. */
export const MAX_PART_ELEMENTS = 1_900_000;

/** Columns of a sheet in Excel. */
const MAX_COLUMNS = 16_384;

export interface Sheet {
  name: string;
  relationshipId: string;
  isHidden: boolean;
}

export interface Workbook {
  sheets: Sheet[];
  isDate1904: boolean;
}

export function readWorkbook(bytes: Buffer, budget: XmlBudget): Workbook {
  const workbook: Workbook = { sheets: [], isDate1904: false };
  walkXml(bytes, budget, {
    open(element) {
      if (element.name === 's:workbookPr') workbook.isDate1904 = isTrue(element.attributeValue('date1904'));
      if (element.name !== 's:sheet') return;
      workbook.sheets.push({
        name: element.attributeValue('name') ?? '',
        relationshipId: element.attributeValue('r:id') ?? '',
        isHidden: (element.attributeValue('state') ?? 'visible') !== 'visible',
      });
    },
  });
  return workbook;
}

/** The number format of each cell style, by its index. */
export function readFormats(bytes: Buffer | null, budget: XmlBudget): NumberFormat[] {
  const codes = new Map<number, string>();
  const formats: number[] = [];
  let isInCellStyles = false;
  if (bytes === null) return [];
  walkXml(bytes, budget, {
    open(element) {
      const id = Number(element.attributeValue('numFmtId') ?? 0);
      if (element.name === 's:numFmt') codes.set(id, element.attributeValue('formatCode') ?? 'General');
      else if (element.name === 's:cellXfs') isInCellStyles = true;
      else if (element.name === 's:xf' && isInCellStyles) formats.push(id);
    },
    close({ name }) {
      if (name === 's:cellXfs') isInCellStyles = false;
    },
  });
  return formats.map((id) => codes.get(id) ?? id);
}

/** The strings that cells refer to by their number. Phonetic guides are left out. */
export function readSharedStrings(bytes: Buffer | null, budget: XmlBudget): string[] {
  const strings: string[] = [];
  let text = '';
  let isText = false;
  let guides = 0;
  if (bytes === null) return strings;
  walkXml(bytes, budget, {
    open({ name }) {
      if (name === 's:si') text = '';
      else if (name === 's:rPh') guides += 1;
      isText = name === 's:t' && guides === 0;
    },
    text(part) {
      if (isText) text += part;
    },
    close({ name }) {
      isText = false;
      if (name === 's:rPh') guides -= 1;
      else if (name === 's:si') strings.push(unescapeXlsxText(text));
    },
    isDone: () => budget.elements > MAX_PART_ELEMENTS,
  });
  return strings;
}

/** The row and column of `BC12`, both from 0; null if the reference is invalid. */
export function readReference(reference: string): { row: number; column: number } | null {
  const [, letters = '', digits = ''] = /^\$?([A-Z]{1,3})\$?(\d{1,7})$/.exec(reference) ?? [];
  if (letters === '') return null;
  let column = 0;
  for (const letter of letters) column = column * 26 + letter.charCodeAt(0) - 0x40;
  return column > MAX_COLUMNS ? null : { row: Number(digits) - 1, column: column - 1 };
}

/** Characters that XML cannot hold are written as `_x000D_`, and the start of such text as `_x005F_`. */
export function unescapeXlsxText(text: string): string {
  if (!text.includes('_x')) return text;
  return text.replace(/_x([0-9A-Fa-f]{4})_/g, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)));
}

export function isTrue(value: string | null): boolean {
  return value === '1' || value === 'true';
}
