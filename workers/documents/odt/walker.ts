import { QuarryError } from '../../../src-server/platform/errors.ts';
import { omitUndefined } from '../../../src-server/platform/omit-undefined.ts';
import { say } from '../../../src-server/platform/text/say.ts';
import type { CellSpan } from '../blocks.ts';
import type { DocumentBuilder, NewBlock } from '../document-builder.ts';
import { closeSign, type InlineValues, openSign, signsBetween, withoutInline } from '../inline-marks.ts';
import { numberedHeading } from '../list-markers.ts';
import type { Formula } from '../math.ts';
import { pictureDescription } from '../picture-description.ts';
import { raisedText } from '../raised-text.ts';
import { dropEmptyMarks, INSERTION_END, INSERTION_START, PAGE_START, withoutReserved } from '../revisions.ts';
import { spansWithin } from '../table-spans.ts';
import { blockLines } from '../word-processing.ts';
import type { XmlElement, XmlHandlers } from '../xml.ts';
import {
  type EmbeddedObject,
  endWithoutAction,
  isHiddenOdtTag,
  odtParagraphBlock,
  type Paragraph,
  positiveCountAttribute,
  type Sink,
  SKIPPED,
  spaceOf,
} from './elements.ts';
import type { OdtRevisions, Stamp } from './revisions.ts';
import type { OdtStyles } from './styles.ts';

/** Walks `office:text` (or a header or footer) and adds its blocks to the initial sink. */
export class OdtWalker implements XmlHandlers {
  readonly #builder: DocumentBuilder;
  readonly #styles: OdtStyles;
  readonly #revisions: OdtRevisions;
  /** Embedded objects, by folder. */
  readonly #objectIn: (folder: string) => EmbeddedObject;
  /** Addresses of links, and formulas. */
  readonly #inline: InlineValues;
  /** Emphasis of the open spans. */
  #flags = 0;
  /** Address that the open shape links to. */
  #shapeUrl: string | null = null;
  readonly #sinks: Sink[];
  readonly #paragraphs: Paragraph[] = [];
  /** Actions for the end of each open element. */
  readonly #closers: (() => void)[] = [];
  readonly #lists: OdtLists;
  readonly #tables = new OdtTables();
  #notes: { block: NewBlock; page: number }[] = [];
  #stamp: Stamp = { author: null, date: null };
  #skippedDepth = 0;
  #isHidden = false;
  /** Of the open picture. */
  #description: string | null = null;
  /** Whether the open frame holds a formula or a chart, which programs describe by that word. */
  #isObject = false;
  /** Count of open superscript elements. */
  #raised = 0;
  #noteMarker = '';
  #noteBody: (text: string) => void = endWithoutAction;
  #regionId = '';
  /** A page break counts only after content. */
  #hasBegun = false;
  /** Endnotes and other blocks that belong at the end of the document. */
  readonly endnotes: NewBlock[] = [];

  constructor(
    builder: DocumentBuilder,
    styles: OdtStyles,
    revisions: OdtRevisions,
    objectIn: (folder: string) => EmbeddedObject,
    sink: Sink,
  ) {
    this.#builder = builder;
    this.#styles = styles;
    this.#revisions = revisions;
    this.#objectIn = objectIn;
    this.#inline = builder.useInlineSigns();
    this.#lists = new OdtLists(styles);
    this.#sinks = [sink];
  }

  open(tag: XmlElement): void {
    this.#builder.checkCancellation();
    if (this.#skippedDepth > 0 || SKIPPED.has(tag.name)) this.#skippedDepth += 1;
    else if (isHiddenOdtTag(tag, this.#styles)) {
      this.#skippedDepth = 1;
      this.#isHidden = true;
    } else this.#closers.push(this.#beginOdtElement(tag) ?? endWithoutAction);
  }

  /** White space in the XML collapses; intended spaces are elements. */
  text(text: string): void {
    if (this.#skippedDepth > 0) {
      if (this.#isHidden)
        this.#builder.sourceLedger.recordLeftOutText({ reason: 'hidden', where: 'content.xml', text });
      return;
    }
    if (this.#description !== null) {
      this.#description += text;
      return;
    }
    const spaced = text.replace(/[\t\r\n ]+/g, ' ');
    this.#appendParagraphText(this.#raised > 0 ? raisedText(spaced) : spaced);
  }

  close(): void {
    if (this.#skippedDepth > 0) {
      this.#skippedDepth -= 1;
      this.#isHidden &&= this.#skippedDepth > 0;
    } else this.#closers.pop()?.();
  }

  #appendParagraphText(text: string): void {
    const paragraph = this.#paragraphs.at(-1);
    if (paragraph === undefined) return;
    const { isCapture, flags } = paragraph;
    if (!isCapture && flags !== this.#flags && text.trim() !== '') {
      paragraph.text += signsBetween(flags, this.#flags);
      paragraph.flags = this.#flags;
    }
    paragraph.text += withoutReserved(text);
    if (!isCapture) this.#revisions.seeDocumentText(text);
  }

  /** A sign of a mark, outside of captured text. */
  #appendSign(sign: string): void {
    const paragraph = this.#paragraphs.at(-1);
    if (paragraph !== undefined && !paragraph.isCapture) paragraph.text += sign;
  }

  #appendFormula({ text, latex }: Formula): void {
    if (text === '') return;
    const open = this.#inline.openFormula(latex);
    this.#appendParagraphText(' ');
    if (open !== null) this.#appendSign(open);
    this.#appendParagraphText(text);
    if (open !== null) this.#appendSign(closeSign('formula'));
    this.#appendParagraphText(' ');
  }

  #addObject(folder: string): void {
    const { formula, blocks } = this.#objectIn(folder);
    this.#appendFormula(formula);
    for (const block of blocks) this.#emitOdtBlock(block, this.#builder.page);
  }

  /** The alternative text of a picture, as a caption. */
  #openDescription(): () => void {
    this.#description = '';
    return () => {
      const text = pictureDescription(withoutReserved(this.#description ?? ''));
      this.#description = null;
      if (text === null || this.#isObject) return;
      this.#emitOdtBlock({ kind: 'caption', text: this.#linkedToShape(text) }, this.#builder.page);
    };
  }

  /** Emphasis and raised letters of a span. */
  #openSpan(style: string | null): (() => void) | undefined {
    const outer = this.#flags;
    this.#flags |= this.#styles.emphasisOf(style);
    const raises = this.#styles.isRaised(style) ? 1 : 0;
    this.#raised += raises;
    if (raises === 0 && this.#flags === outer) return;
    return () => {
      this.#flags = outer;
      this.#raised -= raises;
    };
  }

  #openLink(address: string | null): (() => void) | undefined {
    const open = this.#inline.openLink(address);
    if (open === null) return;
    this.#appendSign(open);
    return () => this.#appendSign(closeSign('link'));
  }

  /** The link of a shape is that of all its text. */
  #openShapeLink(address: string | null): () => void {
    const outer = this.#shapeUrl;
    this.#shapeUrl = address;
    return () => {
      this.#shapeUrl = outer;
    };
  }

  #linkedToShape(text: string): string {
    const open = text.trim() === '' ? null : this.#inline.openLink(this.#shapeUrl);
    return open === null ? text : open + text + closeSign('link');
  }

  /** Text that exists only if revisions are kept. */
  #appendMark(mark: string): void {
    const paragraph = this.#paragraphs.at(-1);
    if (paragraph !== undefined && this.#builder.includeComments) paragraph.text += mark;
  }

  #beginOdtElement(tag: XmlElement): (() => void) | undefined {
    switch (tag.name) {
      case 'text:p':
      case 'text:h':
        return this.#openOdtParagraph(tag);
      case 'text:s':
      case 'text:tab':
      case 'text:line-break':
        this.#appendParagraphText(spaceOf(tag));
        return;
      case 'text:soft-page-break':
        this.#turnPage();
        return;
      case 'draw:frame':
        this.#isObject = false;
        return;
      case 'draw:object':
        this.#isObject = true;
        this.#addObject((tag.attributeValue('xlink:href') ?? '').replace(/^\.\/|\/$/g, ''));
        return;
      case 'svg:desc':
        return this.#openDescription();
      case 'text:span':
        return this.#openSpan(tag.attributeValue('text:style-name'));
      case 'text:a':
        return this.#openLink(tag.attributeValue('xlink:href'));
      case 'draw:a':
        return this.#openShapeLink(tag.attributeValue('xlink:href'));
      case 'text:note':
        return this.#openNote(tag);
      default:
        return this.#beginList(tag) ?? this.#beginTable(tag) ?? this.#beginRevision(tag);
    }
  }

  /** Marks a page break inside the open paragraph. */
  #turnPage(): void {
    this.#builder.page += 1;
    const paragraph = this.#paragraphs.at(-1);
    if (paragraph === undefined || paragraph.isCapture) return;
    if (paragraph.text === '') paragraph.page = this.#builder.page;
    else paragraph.text += PAGE_START;
  }

  #openOdtParagraph(tag: XmlElement): () => void {
    const style = tag.attributeValue('text:style-name');
    const breaks = this.#styles.paragraphBreaks(style);
    if (breaks.before && this.#sinks.length === 1 && this.#hasBegun) this.#builder.page += 1;
    const isHeading = tag.name === 'text:h';
    const level = positiveCountAttribute(tag, 'text:outline-level');
    const role = this.#styles.odtParagraphRole(style);
    const item = isHeading ? null : this.#lists.takeMarker();
    const number = isHeading ? this.#lists.takeHeading(tag, level) : null;
    const paragraph = this.#pushParagraph(false);
    if (this.#revisions.isInserting) this.#appendMark(INSERTION_START);
    return () => {
      if (this.#revisions.isInserting) this.#appendMark(INSERTION_END);
      this.#paragraphs.pop();
      // Emphasis must not reach into the next paragraph of a cell.
      const own = dropEmptyMarks(paragraph.text) + signsBetween(paragraph.flags, 0);
      const text = numberedHeading(number, this.#linkedToShape(own));
      this.#emitOdtBlock(odtParagraphBlock(text, isHeading ? level : null, role, item), paragraph.page);
      for (const { block, page } of paragraph.after) this.#emitOdtBlock(block, page);
      if (breaks.after && this.#sinks.length === 1) this.#builder.page += 1;
      this.#flushNotes();
    };
  }

  #pushParagraph(isCapture: boolean): Paragraph {
    const depth = this.#sinks.length;
    const paragraph: Paragraph = { text: '', page: this.#builder.page, depth, after: [], isCapture, flags: 0 };
    this.#paragraphs.push(paragraph);
    return paragraph;
  }

  /** A block inside an open paragraph (a text box, a table in a frame) follows that paragraph. */
  #emitOdtBlock(block: NewBlock, page: number): void {
    const outer = this.#paragraphs.at(-1);
    if (outer !== undefined && outer.depth === this.#sinks.length) outer.after.push({ block, page });
    else this.#sinks.at(-1)?.add(block, page);
    this.#hasBegun = true;
  }

  /** Notes follow the outermost block that refers to them. */
  #flushNotes(): void {
    if (this.#sinks.length > 1 || this.#paragraphs.length > 0) return;
    for (const { block, page } of this.#notes) this.#sinks[0]?.add(block, page);
    this.#notes = [];
  }

  /** Collects the text of an element apart from the document's text. */
  #captureElementText(done: (text: string) => void): () => void {
    const paragraph = this.#pushParagraph(true);
    return () => {
      this.#paragraphs.pop();
      done(paragraph.text.trim());
    };
  }

  /** Collects blocks as lines of text until the element closes. */
  #collectBlockLines(done: (text: string) => void, keep: Sink['add'] = endWithoutAction): () => void {
    const lines: string[] = [];
    const lists = this.#lists.suspendLists();
    this.#sinks.push({
      add: (block, page) => {
        lines.push(blockLines(block));
        keep(block, page);
      },
    });
    return () => {
      this.#sinks.pop();
      this.#lists.resumeLists(lists);
      done(lines.join('\n'));
    };
  }

  #openNote(tag: XmlElement): () => void {
    const isEndnote = tag.attributeValue('text:note-class') === 'endnote';
    const page = this.#builder.page;
    let text = '';
    this.#noteBody = (body) => {
      text = body;
    };
    return () => {
      const marker = this.#noteMarker;
      this.#appendSign(openSign('footnote'));
      this.#appendParagraphText(`[${marker}]`);
      this.#appendSign(closeSign('footnote'));
      const block: NewBlock = { kind: 'note', marker, text };
      if (isEndnote) this.endnotes.push(block);
      else this.#notes.push({ block, page });
    };
  }

  #beginList(tag: XmlElement): (() => void) | undefined {
    if (tag.name === 'text:list') return this.#lists.openList(tag);
    if (tag.name === 'text:list-item') return this.#lists.openItem(tag);
    if (tag.name === 'text:note-citation') {
      return this.#captureElementText((text) => {
        this.#noteMarker = text;
      });
    }
    if (tag.name === 'text:note-body') return this.#collectBlockLines(this.#noteBody);
    return;
  }

  #beginTable(tag: XmlElement): (() => void) | undefined {
    switch (tag.name) {
      case 'table:table': {
        const page = this.#builder.page;
        this.#tables.openOdtTable();
        return () => {
          const { table, flow } = this.#tables.closeOdtTable();
          if (flow === null) this.#emitOdtBlock(table, table.rowPages?.[0] ?? page);
          else for (const { block, page: own } of flow) this.#emitOdtBlock(block, own);
          this.#flushNotes();
        };
      }
      case 'table:table-row': {
        this.#tables.openOdtRow(this.#builder.page);
        const repeated = positiveCountAttribute(tag, 'table:number-rows-repeated');
        return () => {
          this.#builder.page = this.#tables.closeOdtRow(repeated) ?? this.#builder.page;
        };
      }
      case 'table:table-cell':
      case 'table:covered-table-cell': {
        const repeated = positiveCountAttribute(tag, 'table:number-columns-repeated');
        this.#builder.page = this.#tables.rowPage ?? this.#builder.page;
        const keep = this.#tables.openOdtCell();
        const span = {
          rows: positiveCountAttribute(tag, 'table:number-rows-spanned'),
          columns: positiveCountAttribute(tag, 'table:number-columns-spanned'),
        };
        return this.#collectBlockLines((text) => {
          this.#tables.addCell(text, { repeated, span, page: this.#builder.page });
        }, keep);
      }
      default:
        return;
    }
  }

  #beginRevision(tag: XmlElement): (() => void) | undefined {
    const id = tag.attributeValue('text:change-id') ?? '';
    switch (tag.name) {
      case 'dc:creator':
      case 'dc:date':
        return this.#captureElementText((text) => {
          this.#stamp[tag.name === 'dc:date' ? 'date' : 'author'] = text;
        });
      case 'office:annotation':
        return this.#openComment(tag);
      case 'office:annotation-end':
        this.#appendMark(this.#revisions.endComment(tag.attributeValue('office:name') ?? ''));
        return;
      case 'text:changed-region':
        this.#regionId = tag.attributeValue('text:id') ?? tag.attributeValue('xml:id') ?? '';
        return;
      case 'text:insertion':
      case 'text:deletion':
        return this.#openRegion(tag.name === 'text:insertion' ? 'insertion' : 'deletion');
      case 'text:change':
        this.#appendMark(this.#revisions.placeDeletion(id));
        return;
      case 'text:change-start':
        if (this.#revisions.beginInsertion(id)) this.#appendMark(INSERTION_START);
        return;
      case 'text:change-end':
        if (this.#revisions.endInsertion(id)) this.#appendMark(INSERTION_END);
        return;
      default:
        return;
    }
  }

  #openComment(tag: XmlElement): () => void {
    const outer = this.#stamp;
    const stamp: Stamp = { author: null, date: null };
    this.#stamp = stamp;
    const name = tag.attributeValue('office:name');
    return this.#collectBlockLines((text) => {
      this.#stamp = outer;
      this.#appendMark(this.#revisions.addOdtComment(name, stamp, withoutInline(text)));
    });
  }

  #openRegion(kind: 'insertion' | 'deletion'): () => void {
    const id = this.#regionId;
    const stamp: Stamp = { author: null, date: null };
    this.#stamp = stamp;
    const close = this.#lists.openDeletion();
    const done = this.#collectBlockLines((text) =>
      this.#revisions.addRegion(id, { kind, ...stamp, text: withoutInline(text) }),
    );
    return () => {
      done();
      close();
    };
  }
}

/** Bounds on columns and repeated rows, because repeat counts in a file cost nothing. */
const MAX_COLUMNS = 500;

const MAX_REPEATED_ROWS = 100;

/** Bound on the cells of a table, including those that fill short rows. */
const MAX_CELLS = 10_000_000;

type CellSize = Pick<CellSpan, 'rows' | 'columns'>;

interface Table {
  rows: string[][];
  /** Start page of each row. */
  pages: number[];
  row: string[];
  spans: CellSpan[];
  /** Of the open row: start page and page breaks, which are the same for all its cells. */
  firstPage: number;
  lastPage: number;
  width: number;
  /** Blocks of its cells while no row has two: a table of one column is layout. */
  flow: { block: NewBlock; page: number }[] | null;
}

/** Builds the rows of open tables; a nested table closes before its cell. */
class OdtTables {
  readonly #tables: Table[] = [];

  openOdtTable(): void {
    this.#tables.push({ rows: [], pages: [], row: [], spans: [], firstPage: 1, lastPage: 1, width: 0, flow: [] });
  }

  openOdtRow(page: number): void {
    const table = this.#tables.at(-1);
    if (table !== undefined) Object.assign(table, { row: [], firstPage: page, lastPage: page });
  }

  /** Start page of the open row's cells. */
  get rowPage(): number | undefined {
    return this.#tables.at(-1)?.firstPage;
  }

  /** Receives the blocks of the cell that opens. */
  openOdtCell(): Sink['add'] {
    const table = this.#tables.at(-1);
    if (table !== undefined && table.row.length > 0) table.flow = null;
    return (block, page) => void table?.flow?.push({ block, page });
  }

  /** `page`: on which the cell ends. */
  addCell(text: string, { repeated, span, page }: { repeated: number; span: CellSize; page: number }): void {
    const table = this.#tables.at(-1);
    const row = table?.row ?? [];
    const isMerged = span.rows > 1 || span.columns > 1;
    if (isMerged) table?.spans.push({ row: table.rows.length, column: row.length, ...span });
    for (let count = Math.min(repeated, MAX_COLUMNS - row.length); count > 0; count -= 1) row.push(text);
    if (table !== undefined) table.lastPage = Math.max(table.lastPage, page);
  }

  /**
   * Drops empty cells at the end of a row, which repeat counts use to fill the page. Returns the end page of the row.
   * Throws `source_too_large`.
   */
  closeOdtRow(repeated: number): number | undefined {
    const table = this.#tables.at(-1);
    if (table === undefined) return undefined;
    const { row } = table;
    while (row.length > 0 && row.at(-1)?.trim() === '') row.pop();
    const copies = row.length === 0 ? 0 : Math.min(repeated, MAX_REPEATED_ROWS);
    table.width = Math.max(table.width, row.length);
    if (row.length > 1 || copies > 1) table.flow = null;
    if ((table.rows.length + copies) * table.width > MAX_CELLS) {
      throw new QuarryError('source_too_large', say`A table of the document has too many cells: split it in parts.`);
    }
    for (let count = copies; count > 0; count -= 1) {
      table.rows.push(row);
      table.pages.push(table.firstPage);
    }
    return table.lastPage;
  }

  /** The table, or its blocks if it has one column. */
  closeOdtTable(): { table: NewBlock & { kind: 'table' }; flow: Table['flow'] } {
    const closed = this.#tables.pop() ?? { rows: [], pages: [], spans: [], width: 0, flow: null };
    const { rows, pages, width, flow } = closed;
    const filled = rows.map((row) => [...row, ...Array.from({ length: width - row.length }, () => '')]);
    const isOnOne = pages.every((page) => page === pages[0]);
    return {
      table: {
        kind: 'table',
        rows: filled,
        spans: spansWithin(closed.spans, rows.length, width),
        ...omitUndefined({ rowPages: isOnOne ? undefined : pages }),
      },
      flow,
    };
  }
}

interface OpenList {
  style: string | null;
  /** Number of the last item with text of its own. */
  number: number;
  /** True between the start of an item and its first paragraph. */
  isItemPending: boolean;
}

/** Counts the items of open lists. */
class OdtLists {
  readonly #styles: OdtStyles;
  #open: OpenList[] = [];
  /** Last number of lists that others may continue, by style and id. */
  readonly #stopped = new Map<string, number>();
  /** Numbers of the last headings, outermost level first. */
  readonly #headings: number[] = [];
  /** Depth of deleted text that is shown; its headings are not numbered. */
  #deletions = 0;

  constructor(styles: OdtStyles) {
    this.#styles = styles;
  }

  openList(tag: XmlElement): () => void {
    const style = tag.attributeValue('text:style-name') ?? this.#open.at(-1)?.style ?? null;
    const level = this.#open.length + 1;
    const key = `${style} ${level}`;
    const continued = tag.attributeValue('text:continue-list');
    const before = tag.attributeValue('text:continue-numbering') === 'true' ? this.#stopped.get(key) : undefined;
    const number =
      (continued === null ? before : this.#stopped.get(`#${continued}`)) ?? this.#counterBeforeFirst(style, level);
    const list: OpenList = { style, number, isItemPending: false };
    const id = tag.attributeValue('xml:id');
    this.#open.push(list);
    return () => {
      this.#open.pop();
      this.#stopped.set(key, list.number);
      if (id !== null) this.#stopped.set(`#${id}`, list.number);
    };
  }

  #counterBeforeFirst(style: string | null, level: number): number {
    return this.#styles.listStartNumber(style, level) - 1;
  }

  openItem(tag: XmlElement): () => void {
    const list = this.#open.at(-1);
    const start = Number.parseInt(tag.attributeValue('text:start-value') ?? '', 10);
    if (list !== undefined) {
      list.isItemPending = true;
      if (Number.isSafeInteger(start)) list.number = start - 1;
    }
    return () => {
      if (list !== undefined) list.isItemPending = false;
    };
  }

  /** Marker of the paragraph that opens now; null unless it is the first of an item. */
  takeMarker(): { marker: string; depth: number } | null {
    const list = this.#open.at(-1);
    if (list === undefined || !list.isItemPending) return null;
    list.isItemPending = false;
    list.number += 1;
    const numbers = this.#open.map(({ number }) => Math.max(1, number));
    return { marker: this.#styles.markerOf(list.style, numbers), depth: this.#open.length - 1 };
  }

  /** Number of the heading that opens now, from its list or level; null if not numbered. */
  takeHeading(tag: XmlElement, level: number): string | null {
    const item = this.takeMarker();
    if (item !== null) return item.marker;
    const start = this.#styles.headingStart(tag.attributeValue('text:style-name'), level);
    if (start === null || this.#deletions > 0 || tag.attributeValue('text:is-list-header') === 'true') return null;
    const stated = Number.parseInt(tag.attributeValue('text:start-value') ?? '', 10);
    const restarts = tag.attributeValue('text:restart-numbering') === 'true' && Number.isSafeInteger(stated);
    this.#headings[level - 1] = restarts ? stated : (this.#headings[level - 1] ?? start - 1) + 1;
    this.#headings.length = level;
    return this.#styles.headingMarker(Array.from(this.#headings, (number) => number ?? 1));
  }

  openDeletion(): () => void {
    this.#deletions += 1;
    return () => {
      this.#deletions -= 1;
    };
  }

  /** Suspends the surrounding lists while a cell or note is read. */
  suspendLists(): OpenList[] {
    const open = this.#open;
    this.#open = [];
    return open;
  }

  resumeLists(open: OpenList[]): void {
    this.#open = open;
  }
}
