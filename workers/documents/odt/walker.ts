import type { DocumentBuilder, NewBlock } from '../document-builder.ts';
import { numberedHeading } from '../list-markers.ts';
import type { XmlHandler, XmlTag } from '../odt-xml.ts';
import { dropEmptyMarks, INSERTION_END, INSERTION_START, PAGE_START, withoutReserved } from '../revision-marks.ts';
import { blockLines } from '../table-text.ts';
import { raisedText } from '../word-processing.ts';
import { blockOf, countOf, isHidden, nothing, type Paragraph, type Sink, SKIPPED, spaceOf } from './elements.ts';
import { OdtLists } from './odt-lists.ts';
import { OdtTables } from './odt-tables.ts';
import type { OdtRevisions, Stamp } from './revisions.ts';
import type { OdtStyles } from './styles.ts';

/** Walks `office:text` (or a header, a footer) and adds its blocks to the sink it begins with. */
export class OdtWalker implements XmlHandler {
  readonly #builder: DocumentBuilder;
  readonly #styles: OdtStyles;
  readonly #revisions: OdtRevisions;
  /** Text of embedded formulas by their folder. */
  readonly #formulaIn: (folder: string) => string;
  readonly #sinks: Sink[];
  readonly #paragraphs: Paragraph[] = [];
  /** What is to be done when an open element closes. */
  readonly #closers: (() => void)[] = [];
  readonly #lists: OdtLists;
  readonly #tables = new OdtTables();
  #notes: { block: NewBlock; page: number }[] = [];
  #stamp: Stamp = { author: null, date: null };
  #skippedDepth = 0;
  /** Open elements whose text stands raised. */
  #raised = 0;
  #noteMarker = '';
  #noteBody: (text: string) => void = nothing;
  #regionId = '';
  /** A page can only break after something. */
  #hasBegun = false;
  /** Endnotes and what else waits for the end of the document. */
  readonly endnotes: NewBlock[] = [];

  constructor(
    builder: DocumentBuilder,
    styles: OdtStyles,
    revisions: OdtRevisions,
    formulaIn: (folder: string) => string,
    sink: Sink,
  ) {
    this.#builder = builder;
    this.#styles = styles;
    this.#revisions = revisions;
    this.#formulaIn = formulaIn;
    this.#lists = new OdtLists(styles);
    this.#sinks = [sink];
  }

  open(tag: XmlTag): void {
    this.#builder.step();
    if (this.#skippedDepth > 0 || SKIPPED.has(tag.name) || isHidden(tag, this.#styles)) this.#skippedDepth += 1;
    else this.#closers.push(this.#begin(tag) ?? nothing);
  }

  /** White space in the XML is one space; spaces that are meant are elements. */
  text(text: string): void {
    if (this.#skippedDepth > 0) return;
    const spaced = text.replace(/[\t\r\n ]+/g, ' ');
    this.#append(this.#raised > 0 ? raisedText(spaced) : spaced);
  }

  close(): void {
    if (this.#skippedDepth > 0) this.#skippedDepth -= 1;
    else this.#closers.pop()?.();
  }

  #append(text: string): void {
    const paragraph = this.#paragraphs.at(-1);
    if (paragraph === undefined) return;
    paragraph.text += withoutReserved(text);
    if (!paragraph.isCapture) this.#revisions.see(text);
  }

  /** Text that is there only when revisions are kept. */
  #appendMark(mark: string): void {
    const paragraph = this.#paragraphs.at(-1);
    if (paragraph !== undefined && this.#builder.includeComments) paragraph.text += mark;
  }

  #begin(tag: XmlTag): (() => void) | undefined {
    switch (tag.name) {
      case 'text:p':
      case 'text:h':
        return this.#openParagraph(tag);
      case 'text:s':
      case 'text:tab':
      case 'text:line-break':
        this.#append(spaceOf(tag));
        return;
      case 'text:soft-page-break':
        this.#turnPage();
        return;
      case 'draw:object':
        this.#append(this.#formulaIn((tag.attribute('xlink:href') ?? '').replace(/^\.\/|\/$/g, '')));
        return;
      case 'text:span':
        if (!this.#styles.isRaised(tag.attribute('text:style-name'))) return;
        this.#raised += 1;
        return () => {
          this.#raised -= 1;
        };
      case 'text:note':
        return this.#openNote(tag);
      default:
        return this.#beginList(tag) ?? this.#beginTable(tag) ?? this.#beginRevision(tag);
    }
  }

  /** Where a paragraph goes on over the end of a page, its text says so. */
  #turnPage(): void {
    this.#builder.page += 1;
    const paragraph = this.#paragraphs.at(-1);
    if (paragraph === undefined || paragraph.isCapture) return;
    if (paragraph.text === '') paragraph.page = this.#builder.page;
    else paragraph.text += PAGE_START;
  }

  #openParagraph(tag: XmlTag): () => void {
    const style = tag.attribute('text:style-name');
    const breaks = this.#styles.breaks(style);
    if (breaks.before && this.#sinks.length === 1 && this.#hasBegun) this.#builder.page += 1;
    const isHeading = tag.name === 'text:h';
    const level = countOf(tag, 'text:outline-level');
    const role = this.#styles.roleOf(style);
    const item = isHeading ? null : this.#lists.takeMarker();
    const number = isHeading ? this.#lists.takeHeading(tag, level) : null;
    const paragraph = this.#pushParagraph(false);
    if (this.#revisions.isInserting) this.#appendMark(INSERTION_START);
    return () => {
      if (this.#revisions.isInserting) this.#appendMark(INSERTION_END);
      this.#paragraphs.pop();
      const text = numberedHeading(number, dropEmptyMarks(paragraph.text));
      this.#emit(blockOf(text, isHeading ? level : null, role, item), paragraph.page);
      for (const { block, page } of paragraph.after) this.#emit(block, page);
      if (breaks.after && this.#sinks.length === 1) this.#builder.page += 1;
      this.#flushNotes();
    };
  }

  #pushParagraph(isCapture: boolean): Paragraph {
    const depth = this.#sinks.length;
    const paragraph: Paragraph = { text: '', page: this.#builder.page, depth, after: [], isCapture };
    this.#paragraphs.push(paragraph);
    return paragraph;
  }

  /** A block inside an open paragraph (a text box, a table in a frame) stands after that paragraph. */
  #emit(block: NewBlock, page: number): void {
    const outer = this.#paragraphs.at(-1);
    if (outer !== undefined && outer.depth === this.#sinks.length) outer.after.push({ block, page });
    else this.#sinks.at(-1)?.add(block, page);
    this.#hasBegun = true;
  }

  /** Notes stand behind the outermost block that refers to them. */
  #flushNotes(): void {
    if (this.#sinks.length > 1 || this.#paragraphs.length > 0) return;
    for (const { block, page } of this.#notes) this.#sinks[0]?.add(block, page);
    this.#notes = [];
  }

  /** What an element says in text of its own, which is none of the document's. */
  #capture(done: (text: string) => void): () => void {
    const paragraph = this.#pushParagraph(true);
    return () => {
      this.#paragraphs.pop();
      done(paragraph.text.trim());
    };
  }

  /** Blocks until the element closes become lines of text. */
  #collect(done: (text: string) => void): () => void {
    const lines: string[] = [];
    const lists = this.#lists.suspend();
    this.#sinks.push({ add: (block) => void lines.push(blockLines(block)) });
    return () => {
      this.#sinks.pop();
      this.#lists.resume(lists);
      done(lines.join('\n'));
    };
  }

  #openNote(tag: XmlTag): () => void {
    const isEndnote = tag.attribute('text:note-class') === 'endnote';
    const page = this.#builder.page;
    let text = '';
    this.#noteBody = (body) => {
      text = body;
    };
    return () => {
      const marker = this.#noteMarker;
      this.#append(`[${marker}]`);
      const block: NewBlock = { kind: 'note', marker, text };
      if (isEndnote) this.endnotes.push(block);
      else this.#notes.push({ block, page });
    };
  }

  #beginList(tag: XmlTag): (() => void) | undefined {
    if (tag.name === 'text:list') return this.#lists.openList(tag);
    if (tag.name === 'text:list-item') return this.#lists.openItem(tag);
    if (tag.name === 'text:note-citation') {
      return this.#capture((text) => {
        this.#noteMarker = text;
      });
    }
    if (tag.name === 'text:note-body') return this.#collect(this.#noteBody);
    return;
  }

  #beginTable(tag: XmlTag): (() => void) | undefined {
    switch (tag.name) {
      case 'table:table': {
        const page = this.#builder.page;
        this.#tables.open();
        return () => {
          const table = this.#tables.close();
          this.#emit(table, table.rowPages?.[0] ?? page);
          this.#flushNotes();
        };
      }
      case 'table:table-row': {
        this.#tables.openRow(this.#builder.page);
        const repeated = countOf(tag, 'table:number-rows-repeated');
        return () => {
          this.#builder.page = this.#tables.closeRow(repeated) ?? this.#builder.page;
        };
      }
      case 'table:table-cell':
      case 'table:covered-table-cell': {
        const repeated = countOf(tag, 'table:number-columns-repeated');
        this.#builder.page = this.#tables.rowPage ?? this.#builder.page;
        return this.#collect((text) => this.#tables.addCell(text, repeated, this.#builder.page));
      }
      default:
        return;
    }
  }

  #beginRevision(tag: XmlTag): (() => void) | undefined {
    const id = tag.attribute('text:change-id') ?? '';
    switch (tag.name) {
      case 'dc:creator':
      case 'dc:date':
        return this.#capture((text) => {
          this.#stamp[tag.name === 'dc:date' ? 'date' : 'author'] = text;
        });
      case 'office:annotation':
        return this.#openComment(tag);
      case 'office:annotation-end':
        this.#appendMark(this.#revisions.endComment(tag.attribute('office:name') ?? ''));
        return;
      case 'text:changed-region':
        this.#regionId = tag.attribute('text:id') ?? tag.attribute('xml:id') ?? '';
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

  #openComment(tag: XmlTag): () => void {
    const outer = this.#stamp;
    const stamp: Stamp = { author: null, date: null };
    this.#stamp = stamp;
    const name = tag.attribute('office:name');
    return this.#collect((text) => {
      this.#stamp = outer;
      this.#appendMark(this.#revisions.addComment(name, stamp, text));
    });
  }

  #openRegion(kind: 'insertion' | 'deletion'): () => void {
    const id = this.#regionId;
    const stamp: Stamp = { author: null, date: null };
    this.#stamp = stamp;
    const close = this.#lists.openDeletion();
    const done = this.#collect((text) => this.#revisions.addRegion(id, { kind, ...stamp, text }));
    return () => {
      done();
      close();
    };
  }
}
