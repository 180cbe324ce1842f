import type { DocumentBuilder, NewBlock } from '../document-builder.ts';
import { ParagraphFlow, type ParagraphShape, type Revision } from '../paragraph-flow.ts';
import { markComment } from '../revision-marks.ts';
import { symbolText } from '../symbol-fonts.ts';
import { blockLines } from '../table-text.ts';
import { readDttm } from '../word-dates.ts';
import { raisedText } from '../word-processing.ts';
import { DocLists } from './doc-lists.ts';
import { type DocReference, readReferences, readRevisionAuthors } from './doc-references.ts';
import { DocStyles } from './doc-styles.ts';
import {
  characterRuns,
  firstRunAfter,
  type ParagraphProperties,
  paragraphFinder,
  type TextRun,
  visitProperties,
} from './properties.ts';
import { type DocFile, damaged, readPlc, TABLES } from './word-file.ts';

const CELL = 0x07;
const PAGE_OR_SECTION = 0x0c;
const PARAGRAPH = 0x0d;
const FIELD_BEGIN = 0x13;
const FIELD_SEPARATOR = 0x14;
const FIELD_END = 0x15;
/** Characters below this are Word's marks. */
const FIRST_TEXT = 0x20;
/** Neighbouring stories may share the marks at their edges. */
const READ_AGAIN_CHARACTERS = 10_000;
const SECTION_BYTES = 12;
/** Where a font's name begins in its entry, behind its length, kind and measures. */
const FONT_NAME_AT = 40;
const SECTION_BREAK_CODE = 0x3009;

/** Marks that stand for text; the others stand for pictures, references and the like. */
const MARK_TEXT: Readonly<Record<number, string>> = {
  9: '\t',
  11: '\v',
  14: '\v',
  30: '-',
};

/** Reads the stories of a document: its body, and the notes, comments, headers and text boxes that lie behind it. */
export class DocStories {
  readonly endnotes: NewBlock[] = [];
  readonly #builder: DocumentBuilder;
  readonly #file: DocFile;
  readonly #paragraphAt: (at: number) => ParagraphProperties;
  readonly #runs: TextRun[];
  readonly #styles: DocStyles;
  readonly #lists: DocLists;
  readonly #authors: string[];
  readonly #fonts: string[];
  readonly #references: DocReference[];
  /** Whether the open paragraph holds anything that is there to stay. */
  #hasContent = false;
  /** Notes and headers name their places themselves: all together may not be more than the text there is. */
  #charactersLeft: number;
  /** Places behind which a section begins that goes on on the same page. */
  readonly #continuous: Set<number>;

  constructor(file: DocFile, builder: DocumentBuilder) {
    this.#builder = builder;
    this.#file = file;
    this.#paragraphAt = paragraphFinder(file);
    this.#runs = characterRuns(file);
    this.#styles = new DocStyles(file);
    this.#lists = new DocLists(file);
    this.#authors = readRevisionAuthors(file);
    this.#fonts = readFonts(file.table(TABLES.fonts));
    this.#references = readReferences(file);
    this.#continuous = continuousSections(file);
    this.#charactersLeft = file.text.length + READ_AGAIN_CHARACTERS;
  }

  readBody(sink: (block: NewBlock, page: number) => void): void {
    this.#read(0, this.#file.lengths.body, new ParagraphFlow(this.#builder, sink), true);
  }

  /** A story that is none of the body, as blocks. */
  readBlocks(from: number, to: number): NewBlock[] {
    const blocks: NewBlock[] = [];
    this.#read(from, to, new ParagraphFlow(this.#builder, (block) => void blocks.push(block)), false);
    return blocks;
  }

  readLines(from: number, to: number): string {
    return this.readBlocks(from, to).map(blockLines).join('\n').trim();
  }

  #read(from: number, to: number, flow: ParagraphFlow, isBody: boolean): void {
    const { text } = this.#file;
    const end = Math.min(to, text.length);
    this.#charactersLeft -= Math.max(0, end - from);
    if (this.#charactersLeft < 0) throw damaged('stories overlap');
    const fields = new OpenFields();
    let run = firstRunAfter(this.#runs, from);
    let reference = 0;
    let start = from;
    const write = (until: number) => {
      if (until > start && !fields.isHidden) this.#write(text.slice(start, until), this.#runs[run], start, flow);
      start = until;
    };
    let isNewParagraph = true;
    for (let at = from; at < end; at += 1) {
      this.#builder.step();
      if (isNewParagraph) this.#beginParagraph(at, end, flow, isBody);
      isNewParagraph = false;
      // A run's edges cut the text: what stands between two cuts has the same properties.
      const open = this.#runs[run];
      if (open !== undefined && (at === open.from || at >= open.to)) write(at);
      while ((this.#runs[run]?.to ?? Number.POSITIVE_INFINITY) <= at) run += 1;
      if (isBody && this.#references[reference]?.at === at) {
        write(at);
        while (this.#references[reference]?.at === at) this.#refer(this.#references[reference++], flow);
        this.#hasContent = true;
      }
      const code = text.charCodeAt(at);
      if (code >= FIRST_TEXT) continue;
      write(at);
      start = at + 1;
      isNewParagraph = isParagraphEnd(code);
      if (isNewParagraph) this.#endParagraph(at, code, flow, isBody, this.#runs[run]);
      else if (!fields.read(code) && !fields.isHidden) this.#write(MARK_TEXT[code] ?? '', this.#runs[run], at, flow);
    }
    write(end);
    flow.end(this.#shape(this.#paragraphAt(Math.max(from, end - 1))));
  }

  /** A page break before a paragraph is a property of its end. */
  #beginParagraph(at: number, end: number, flow: ParagraphFlow, isBody: boolean): void {
    this.#hasContent = false;
    let mark = at;
    while (mark < end && !isParagraphEnd(this.#file.text.charCodeAt(mark))) mark += 1;
    const paragraph = this.#paragraphAt(mark);
    if (isBody && flow.hasBegun && this.#styles.breaksBefore(paragraph)) this.#builder.page += 1;
  }

  /** Counts a paragraph where it is the item of a list: not what was deleted, nor an empty line. */
  #number(paragraph: ParagraphProperties, flow: ParagraphFlow): void {
    const item = this.#hasContent ? this.#styles.listOf(paragraph) : null;
    if (item !== null) flow.setMarker(this.#lists.next(item.list, item.level));
  }

  #endParagraph(at: number, code: number, flow: ParagraphFlow, isBody: boolean, run: TextRun | undefined): void {
    const paragraph = this.#paragraphAt(at);
    const shape = this.#shape(paragraph);
    if (code === CELL && paragraph.isRowEnd) {
      flow.endRow(1, false, paragraph.edges);
      return;
    }
    const isJoined = paragraph.isDropCap || (this.#isDeleted(at, run) && !this.#builder.includeComments);
    if (!isJoined) this.#number(paragraph, flow);
    if (code === CELL) {
      flow.endCell(shape, false);
      return;
    }
    if (code === PAGE_OR_SECTION) {
      flow.endParagraph(shape);
      if (isBody && flow.hasBegun && !this.#continuous.has(at + 1)) this.#builder.page += 1;
      return;
    }
    if (paragraph.isInnerRowEnd) flow.endRow(shape.tableDepth ?? 2, true);
    else if (paragraph.isInnerCell) flow.endCell(shape, true);
    else if (!isJoined) flow.endParagraph(shape);
  }

  /** The mark of a paragraph that was deleted no longer parts it from the next. */
  #isDeleted(at: number, run: TextRun | undefined): boolean {
    return run !== undefined && run.from <= at && at < run.to && run.properties.isDeleted;
  }

  #write(text: string, run: TextRun | undefined, at: number, flow: ParagraphFlow): void {
    const properties = run !== undefined && run.from <= at && at < run.to ? run.properties : null;
    if (properties?.isHidden === true) return;
    this.#hasContent ||= this.#builder.includeComments || properties?.isDeleted !== true;
    let shown = properties?.isRaised === true ? raisedText(text) : text;
    if (properties?.symbol != null) {
      shown = symbolText(this.#fonts[properties.symbol.font] ?? null, properties.symbol.code).repeat(
        Math.max(1, text.length),
      );
    }
    flow.write(shown, properties === null ? null : this.#revisionOf(properties));
  }

  #revisionOf(properties: TextRun['properties']): Revision | null {
    const { isDeleted, isInserted } = properties;
    const author = (index: number | null) => (index === null ? null : (this.#authors[index] ?? null));
    if (isDeleted) {
      return { kind: 'deletion', author: author(properties.deletedBy), date: readDttm(properties.deletedAt) };
    }
    if (!isInserted) return null;
    return { kind: 'insertion', author: author(properties.insertedBy), date: readDttm(properties.insertedAt) };
  }

  #refer(reference: DocReference | undefined, flow: ParagraphFlow): void {
    if (reference === undefined) return;
    const text = this.readLines(reference.from, reference.to);
    if (reference.comment !== null) {
      this.#builder.addComment({ ...reference.comment, text });
      flow.writeMark(markComment(reference.comment.author, text));
      return;
    }
    flow.write(`[${reference.marker}]`);
    const note: NewBlock = { kind: 'note', marker: reference.marker, text };
    if (reference.kind === 'endnote') this.endnotes.push(note);
    else flow.addAfter(note);
  }

  #shape(paragraph: ParagraphProperties): ParagraphShape {
    const depth = Math.max(1, paragraph.tableDepth ?? 1);
    return {
      headingLevel: this.#styles.headingLevel(paragraph),
      role: this.#styles.roleOf(paragraph),
      tableDepth: paragraph.isInTable ? depth : null,
      listLevel: this.#styles.listOf(paragraph)?.level ?? 0,
      leftIndent: 0,
      firstIndent: 0,
    };
  }
}

/** Fields: what stands before the separator says how the result, which stands behind it, is made. */
class OpenFields {
  readonly #areInstructions: boolean[] = [];
  #instructions = 0;

  get isHidden(): boolean {
    return this.#instructions > 0;
  }

  /** Whether the character is a mark of fields. */
  read(code: number): boolean {
    if (code !== FIELD_BEGIN && code !== FIELD_SEPARATOR && code !== FIELD_END) return false;
    if (code !== FIELD_BEGIN && this.#areInstructions.pop() === true) this.#instructions -= 1;
    if (code !== FIELD_END) this.#areInstructions.push(code === FIELD_BEGIN);
    if (code === FIELD_BEGIN) this.#instructions += 1;
    return true;
  }
}

function isParagraphEnd(code: number): boolean {
  return code === PARAGRAPH || code === CELL || code === PAGE_OR_SECTION;
}

/** Names of the fonts, in the order of the numbers they are meant by. */
function readFonts(table: Buffer): string[] {
  const names: string[] = [];
  for (let at = 4; at + FONT_NAME_AT < table.length; at += 1 + (table[at] ?? 0)) {
    const name = table.toString('utf16le', at + FONT_NAME_AT, at + 1 + (table[at] ?? 0));
    names.push(name.split('\0', 1)[0] ?? '');
  }
  return names;
}

function continuousSections(file: DocFile): Set<number> {
  const places = new Set<number>();
  for (const { from, data } of readPlc(file.table(TABLES.sections), SECTION_BYTES)) {
    const at = data.readUInt32LE(2);
    if (at + 2 > file.main.length) continue;
    visitProperties(file.main.subarray(at + 2, at + 2 + file.main.readUInt16LE(at)), (code, operand) => {
      if (code === SECTION_BREAK_CODE && (operand[0] === 0 || operand[0] === 1)) places.add(from);
    });
  }
  return places;
}
