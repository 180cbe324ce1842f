import { type InlineValues, RUN_EMPHASIS, RUN_STRIKE, RUN_STRONG } from '../inline-marks.ts';
import { type MarkedRun, signedRuns, withoutLook } from '../marked-runs.ts';
import { raisedText } from '../raised-text.ts';
import { withoutReserved } from '../revisions.ts';
import type { NumberFormat } from '../sheets/cell-text.ts';
import { walkXml, type XmlBudget, type XmlElement } from '../xml.ts';

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

/** Reads a text with runs of their own look. Phonetic guides are left out. */
export class RichTextReader {
  readonly #inline: () => InlineValues;
  /** The text before the first run with emphasis. */
  #text = '';
  #runs: MarkedRun[] = [];
  #flags = 0;
  #isRaised = false;
  #isText = false;
  #guides = 0;

  /** @param inline called for texts with emphasis alone */
  constructor(inline: () => InlineValues) {
    this.#inline = inline;
  }

  get hasText(): boolean {
    return this.#text !== '' || this.#runs.length > 0;
  }

  openTextElement(element: XmlElement): void {
    const { name } = element;
    this.#isText = name === 's:t' && this.#guides === 0;
    if (name === 's:t') return;
    if (name === 's:rPh') this.#guides += 1;
    else if (name === 's:r' || name === 's:si') {
      this.#flags = 0;
      this.#isRaised = false;
    } else if (name === 's:vertAlign') this.#isRaised = element.attributeValue('val') === 'superscript';
    else {
      const flag = RUN_FLAGS.get(name) ?? 0;
      if (flag !== 0 && !isFalse(element.attributeValue('val'))) this.#flags |= flag;
    }
  }

  addTextPart(part: string): void {
    if (!this.#isText) return;
    const text = this.#isRaised ? raisedText(part) : part;
    // The number of a note is not emphasised.
    const flags = this.#isRaised ? 0 : this.#flags;
    if (flags === 0 && this.#runs.length === 0) this.#text += text;
    else this.#runs.push({ text, flags, url: null });
  }

  closeTextElement(name: string): void {
    this.#isText = false;
    if (name === 's:rPh') this.#guides -= 1;
  }

  /** The text, with signs where some of its words have a look of their own; the next one begins. */
  takeRichText(): string {
    const text = unescapeXlsxText(this.#text);
    this.#text = '';
    if (this.#runs.length === 0) return text;
    const runs = this.#runs.splice(0).map((run) => ({ ...run, text: unescapeXlsxText(run.text) }));
    return withoutLook([signedRuns([{ text, flags: 0, url: null }, ...runs], this.#inline())])[0] ?? '';
  }
}

const RUN_FLAGS: ReadonlyMap<string, number> = new Map([
  ['s:b', RUN_STRONG],
  ['s:i', RUN_EMPHASIS],
  ['s:strike', RUN_STRIKE],
]);

/** The strings that cells refer to by their number, with signs of `inline-marks.ts`. */
export function readSharedStrings(bytes: Buffer | null, inline: () => InlineValues, budget: XmlBudget): string[] {
  const strings: string[] = [];
  const reader = new RichTextReader(inline);
  if (bytes === null) return strings;
  walkXml(bytes, budget, {
    open: (element) => reader.openTextElement(element),
    text: (part) => reader.addTextPart(part),
    close({ name }) {
      reader.closeTextElement(name);
      if (name === 's:si') strings.push(reader.takeRichText());
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
  if (!text.includes('_x')) return withoutReserved(text);
  const unescaped = text.replace(/_x([0-9A-Fa-f]{4})_/g, (_, code: string) => {
    return String.fromCharCode(Number.parseInt(code, 16));
  });
  return withoutReserved(unescaped);
}

function isFalse(value: string | null): boolean {
  return value === '0' || value === 'false';
}

export function isTrue(value: string | null): boolean {
  return value === '1' || value === 'true';
}
