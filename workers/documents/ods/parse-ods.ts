import type { DocumentParser } from '../blocks.ts';
import { DocumentBuilder } from '../document-builder.ts';
import { type MarkedRun, signedRuns, withoutLook } from '../marked-runs.ts';
import { type EmbeddedObject, positiveCountAttribute, spaceOf } from '../odt/elements.ts';
import { embeddedObjectReader } from '../odt/objects.ts';
import { openDocument, readMeta, walkPart } from '../odt/package.ts';
import { OdtStyles } from '../odt/styles.ts';
import { withoutReserved } from '../revisions.ts';
import { countTags } from '../sheets/count-tags.ts';
import { addressOfFormula, linkedText } from '../sheets/linked-text.ts';
import { type SheetCell, SheetWriter } from '../sheets/sheet-writer.ts';
import type { XmlElement, XmlHandlers } from '../xml.ts';

/** Bounds on repeated cells and rows with content, because repeat counts in a file cost nothing. */
const MAX_REPEATED_CELLS = 500;

const MAX_REPEATED_ROWS = 100;

/** Elements read, below the limit of `walkXml`, so that a large workbook is read to here and not refused. */
const MAX_ELEMENTS = 1_900_000;

/** Elements without cells, or with text that is no cell's. */
const SKIPPED = new Set([
  ...['office:forms', 'office:scripts', 'table:shapes', 'table:tracked-changes', 'table:named-expressions'],
  ...['table:dde-links', 'table:title', 'table:desc', 'draw:frame', 'draw:custom-shape', 'text:ruby-text'],
]);

const SPACES = new Set(['text:s', 'text:tab', 'text:line-break']);

/** Skipped elements whose text stands after the cells. */
const DRAWINGS = new Set(['table:shapes', 'draw:frame', 'draw:custom-shape']);

/**
 * OpenDocument spreadsheets (.ods, .ots, .fods): each visible sheet is a page with a heading and its tables. Errors:
 * `encrypted_input`, `corrupt_input`, `source_too_large`.
 */
export const parseOds: DocumentParser = async (bytes, options) => {
  const builder = new DocumentBuilder(options);
  const parts = await openDocument(bytes);
  const writer = new SheetWriter(builder);
  const styles = new OdtStyles();
  // A flat document has its styles before its sheets.
  if (parts.styles !== null && parts.styles !== parts.content) walkPart(parts.styles, styles);
  const reader = new OdsReader(builder, writer, styles, embeddedObjectReader(parts, builder));
  walkPart(parts.content, reader);
  if (reader.isDone()) reader.reportRowsLeftOut(countTags(parts.content, 'table-row'));
  writer.writeSheetWarnings();
  const { title, author, language } = readMeta(parts.meta);
  return builder.buildNormalizedDocument({
    format: 'ods',
    title,
    author,
    language,
    pages: writer.openedSheetCount,
  });
};

interface OpenCell {
  column: number;
  repeated: number;
  paragraphs: MarkedRun[][];
  /** Whether some of its text has emphasis or a link. */
  hasLook: boolean;
  /** Shown if the cell has no text. */
  value: string;
  /** Null without one. */
  formula: string | null;
}

class OdsReader implements XmlHandlers {
  readonly #builder: DocumentBuilder;
  readonly #writer: SheetWriter;
  readonly #styles: OdtStyles;
  /** Embedded objects, by folder. */
  readonly #objectIn: (folder: string) => EmbeddedObject;
  /** Names of the table styles of hidden sheets. */
  readonly #hiddenStyles = new Set<string>();
  #styleName = '';
  #elements = 0;
  #rows = 0;
  #skipped = 0;
  /** The text of the open drawing; null outside one. */
  #drawing: string[] | null = null;
  #row = 0;
  #rowRepeats = 1;
  #column = 0;
  #cells: SheetCell[] = [];
  #cell: OpenCell | null = null;
  #isInParagraph = false;
  /** Emphasis of the open span and of those around it, and the address of the open link. */
  #flags: number[] = [];
  #url: string | null = null;
  /** The open comment of a cell. */
  #comment: { author: string; date: string; paragraphs: string[] } | null = null;
  #commentField: 'author' | 'date' | null = null;

  constructor(
    builder: DocumentBuilder,
    writer: SheetWriter,
    styles: OdtStyles,
    objectIn: (folder: string) => EmbeddedObject,
  ) {
    this.#builder = builder;
    this.#writer = writer;
    this.#styles = styles;
    this.#objectIn = objectIn;
  }

  isDone(): boolean {
    return this.#writer.isSheetLimitReached || this.#elements > MAX_ELEMENTS;
  }

  /** Says what was left out after an early end, in the sheet that is open. */
  reportRowsLeftOut(rowsInPart: number): void {
    this.#writer.leaveOutRows(Math.max(0, rowsInPart - this.#rows));
    this.#writer.closeSheet();
  }

  open(tag: XmlElement): void {
    this.#elements += 1;
    this.#builder.checkCancellation();
    if (this.#skipped > 0 || SKIPPED.has(tag.name)) {
      if (this.#skipped === 0 && DRAWINGS.has(tag.name)) this.#drawing = [];
      this.#skipped += 1;
      this.#openDrawn(tag);
      return;
    }
    if (tag.namespace === 'style') this.#styles.open(tag);
    switch (tag.name) {
      case 'style:style':
        this.#styleName = tag.attributeValue('style:name') ?? '';
        break;
      case 'style:table-properties':
        if (tag.attributeValue('table:display') === 'false') this.#hiddenStyles.add(this.#styleName);
        break;
      case 'table:table':
        this.#openSheet(tag);
        break;
      case 'table:table-row':
        this.#rowRepeats = positiveCountAttribute(tag, 'table:number-rows-repeated');
        this.#column = 0;
        this.#cells = [];
        break;
      case 'table:table-cell':
      case 'table:covered-table-cell':
        this.#openOdsCell(tag);
        break;
      default:
        this.#openText(tag);
    }
  }

  text(text: string): void {
    if (this.#skipped > 0) {
      if (this.#isInParagraph) this.#drawing?.push(text.replace(/[\t\r\n ]+/g, ' '));
      return;
    }
    if (this.#commentField !== null && this.#comment !== null) this.#comment[this.#commentField] += text;
    else if (this.#isInParagraph) this.#appendOdsText(text.replace(/[\t\r\n ]+/g, ' '));
  }

  close(tag: XmlElement): void {
    if (this.#skipped > 0) {
      this.#skipped -= 1;
      this.#closeDrawn(tag);
      return;
    }
    if (tag.namespace === 'style') this.#styles.close(tag);
    switch (tag.name) {
      case 'text:p':
        this.#isInParagraph = false;
        break;
      case 'text:span':
        this.#flags.pop();
        break;
      case 'text:a':
        this.#url = null;
        break;
      case 'dc:creator':
      case 'dc:date':
        this.#commentField = null;
        break;
      case 'office:annotation':
        this.#closeComment();
        break;
      case 'table:table-cell':
      case 'table:covered-table-cell':
        this.#closeOdsCell();
        break;
      case 'table:table-row':
        this.#closeOdsRow();
        break;
      case 'table:table':
        this.#writer.closeSheet();
        break;
    }
  }

  #openDrawn(tag: XmlElement): void {
    if (this.#drawing === null) return;
    if (tag.name === 'draw:object') this.#addOdsObject(tag.attributeValue('xlink:href') ?? '');
    if (tag.name === 'text:p') this.#isInParagraph = true;
    else if (SPACES.has(tag.name)) this.#drawing.push(spaceOf(tag));
  }

  #closeDrawn(tag: XmlElement): void {
    if (this.#drawing === null) return;
    if (tag.name === 'text:p') {
      this.#isInParagraph = false;
      this.#drawing.push('\n');
    }
    if (this.#skipped > 0) return;
    this.#writer.addTextBox(this.#drawing.join(''));
    this.#drawing = null;
    this.#isInParagraph = this.#cell !== null && this.#cell.paragraphs.length > 0;
  }

  /** A chart or another object, which stands after the cells. */
  #addOdsObject(address: string): void {
    const { formula, blocks } = this.#objectIn(address.replace(/^\.\/|\/$/g, ''));
    this.#writer.addTextBox(formula.text);
    if (blocks.length === 0) {
      if (formula.text === '') this.#writer.missDrawings(1);
      return;
    }
    this.#writer.addSheetDrawing((builder) => {
      for (const block of blocks) builder.addDocumentBlock(block);
    });
  }

  #openSheet(tag: XmlElement): void {
    const name = tag.attributeValue('table:name') ?? '';
    if (this.#hiddenStyles.has(tag.attributeValue('table:style-name') ?? '')) {
      this.#writer.skipSheet(name, 'hidden');
      this.#skipped = 1;
      return;
    }
    this.#writer.openSheet(name);
    this.#row = 0;
  }

  #openOdsCell(tag: XmlElement): void {
    const repeated = positiveCountAttribute(tag, 'table:number-columns-repeated');
    const stated = ['string-value', 'date-value', 'time-value', 'boolean-value', 'value']
      .map((name) => tag.attributeValue(`office:${name}`))
      .find((value) => value !== null);
    const formula = tag.attributeValue('table:formula');
    const rows = positiveCountAttribute(tag, 'table:number-rows-spanned');
    const columns = positiveCountAttribute(tag, 'table:number-columns-spanned');
    if (rows > 1 || columns > 1) {
      const [row, column] = [this.#row + 1, this.#column];
      this.#writer.mergeCells({ row, endRow: row + rows - 1, column, endColumn: column + columns - 1 });
    }
    this.#cell = { column: this.#column, repeated, paragraphs: [], hasLook: false, value: stated ?? '', formula };
    this.#column += repeated;
  }

  #openText(tag: XmlElement): void {
    if (tag.name === 'office:annotation') this.#comment = { author: '', date: '', paragraphs: [] };
    else if (tag.name === 'text:p') {
      this.#isInParagraph = true;
      if (this.#comment === null) this.#cell?.paragraphs.push([]);
      else this.#comment.paragraphs.push('');
    } else if (tag.name === 'text:span') {
      this.#flags.push((this.#flags.at(-1) ?? 0) | this.#styles.emphasisOf(tag.attributeValue('text:style-name')));
    } else if (tag.name === 'text:a') {
      this.#url = tag.attributeValue('xlink:href');
    } else if (SPACES.has(tag.name)) {
      this.#appendOdsText(spaceOf(tag));
    } else if (this.#comment !== null && (tag.name === 'dc:creator' || tag.name === 'dc:date')) {
      this.#commentField = tag.name === 'dc:date' ? 'date' : 'author';
    }
  }

  #appendOdsText(text: string): void {
    const comment = this.#comment?.paragraphs;
    if (comment !== undefined) {
      if (comment.length > 0) comment[comment.length - 1] += text;
      return;
    }
    const cell = this.#cell;
    const flags = this.#flags.at(-1) ?? 0;
    cell?.paragraphs.at(-1)?.push({ text: withoutReserved(text), flags, url: this.#url });
    if (cell !== null) cell.hasLook ||= flags !== 0 || this.#url !== null;
  }

  #closeComment(): void {
    const comment = this.#comment;
    this.#comment = null;
    if (comment === null) return;
    const { author, date, paragraphs } = comment;
    const text = paragraphs.join('\n');
    this.#builder.addDocumentComment({ author: author || null, date: date || null, text, anchor: null });
    if (!this.#builder.includeComments) return;
    this.#writer.addSheetDrawing((builder) => builder.addDocumentBlock({ kind: 'comment', text }));
  }

  #closeOdsCell(): void {
    const cell = this.#cell;
    this.#cell = null;
    if (cell === null) return;
    const shown = this.#odsCellText(cell);
    const own = shown === '' ? withoutReserved(cell.value) : shown;
    if (own === '') {
      if (cell.formula !== null) this.#writer.missValue();
      return;
    }
    const url = cell.formula === null ? null : addressOfFormula(cell.formula);
    const text = url === null ? own : linkedText(own, url, this.#builder.useInlineSigns());
    const copies = Math.min(cell.repeated, MAX_REPEATED_CELLS);
    for (let copy = 0; copy < copies; copy += 1) this.#cells.push({ column: cell.column + copy, text });
  }

  /** Emphasis of all the text is the look of the cell. */
  #odsCellText({ paragraphs, hasLook }: OpenCell): string {
    if (!hasLook) return paragraphs.map((runs) => runs.map(({ text }) => text).join('')).join('\n');
    const inline = this.#builder.useInlineSigns();
    return withoutLook(paragraphs.map((runs) => signedRuns(runs, inline))).join('\n');
  }

  #closeOdsRow(): void {
    this.#rows += 1;
    const copies = this.#cells.length === 0 ? 0 : Math.min(this.#rowRepeats, MAX_REPEATED_ROWS);
    for (let copy = 1; copy <= copies; copy += 1) this.#writer.addRow(this.#row + copy, this.#cells);
    this.#row += this.#rowRepeats;
  }
}
