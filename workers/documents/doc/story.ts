import type { DocumentComment } from '../../../src-server/features/documents/schema.ts';
import { decodeUtf16 } from '../../../src-server/platform/text/encoding.ts';
import type { DocumentBuilder, NewBlock } from '../document-builder.ts';
import { closeSign, type InlineValues, withoutInline } from '../inline-marks.ts';
import { BULLET, formatNumber } from '../list-markers.ts';
import { ParagraphFlow, type ParagraphShape, type Revision } from '../paragraph-flow.ts';
import { raisedText } from '../raised-text.ts';
import { markComment, withoutReserved } from '../revisions.ts';
import { blockLines, fieldAddress, readDttm, symbolText } from '../word-processing.ts';
import {
  characterRuns,
  DocStyles,
  firstRunAfter,
  type ParagraphProperties,
  paragraphFinder,
  type TextRun,
  visitProperties,
} from './properties.ts';
import { type DocFile, damagedDocFile, readPlc, TABLES } from './word-file.ts';

const CELL = 0x07;

const PAGE_OR_SECTION = 0x0c;

const PARAGRAPH = 0x0d;

const FIELD_BEGIN = 0x13;

const FIELD_SEPARATOR = 0x14;

const FIELD_END = 0x15;

/** Lower characters are Word's control marks. */
const FIRST_TEXT = 0x20;

/** Allowance for stories that share the marks at their edges. */
const READ_AGAIN_CHARACTERS = 10_000;

const SECTION_BYTES = 12;

/** Offset of a font's name in its entry, after length, kind and metrics. */
const FONT_NAME_AT = 40;

const SECTION_BREAK_CODE = 0x3009;

/** Marks that represent text; other marks represent pictures, references and the like. */
const MARK_TEXT: Readonly<Record<number, string>> = {
  9: '\t',
  11: '\v',
  14: '\v',
  30: '-',
};

/** Reads the stories of a document: its body, then notes, comments, headers and text boxes. */
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
  /** Receives the addresses of links. */
  readonly #inline: InlineValues;
  /** Whether the open paragraph has content that stays. */
  #hasContent = false;
  /** Notes and headers state their own offsets, so their total length is bounded by the text. */
  #charactersLeft: number;
  /** Offsets at which a continuous section ends: the next starts on the same page. */
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
    this.#inline = builder.useInlineSigns();
    this.#charactersLeft = file.text.length + READ_AGAIN_CHARACTERS;
  }

  readDocBody(sink: (block: NewBlock, page: number) => void): void {
    this.#readStoryRange(0, this.#file.lengths.body, new ParagraphFlow(this.#builder, sink), true);
  }

  /** Reads a story outside the body as blocks. */
  readStoryBlocks(from: number, to: number): NewBlock[] {
    const blocks: NewBlock[] = [];
    this.#readStoryRange(from, to, new ParagraphFlow(this.#builder, (block) => void blocks.push(block)), false);
    return blocks;
  }

  /** The text of a note, with signs of `inline-marks.ts`. */
  #readNoteText(from: number, to: number): string {
    return this.readStoryBlocks(from, to).map(blockLines).join('\n').trim();
  }

  readLines(from: number, to: number): string {
    return withoutInline(this.#readNoteText(from, to));
  }

  #readStoryRange(from: number, to: number, flow: ParagraphFlow, isBody: boolean): void {
    const { text } = this.#file;
    const end = Math.min(to, text.length);
    this.#charactersLeft -= Math.max(0, end - from);
    if (this.#charactersLeft < 0) throw damagedDocFile('stories overlap');
    const fields = new OpenFields((from, to) => this.#linkOfField(text.slice(from, to)));
    let paragraph = this.#paragraphAt(from);
    let run = firstRunAfter(this.#runs, from);
    let reference = 0;
    let start = from;
    const writeRunUntil = (until: number) => {
      if (until > start && !fields.isInFieldInstruction)
        this.#writeRunText(text.slice(start, until), this.#runs[run], start, paragraph, flow);
      start = until;
    };
    let isNewParagraph = true;
    for (let at = from; at < end; at += 1) {
      this.#builder.checkCancellation();
      if (isNewParagraph) paragraph = this.#beginParagraph(at, end, flow, isBody);
      isNewParagraph = false;
      // Cuts the text at the edges of runs: all characters between two cuts share their properties.
      const open = this.#runs[run];
      if (open !== undefined && (at === open.from || at >= open.to)) writeRunUntil(at);
      while ((this.#runs[run]?.to ?? Number.POSITIVE_INFINITY) <= at) run += 1;
      if (isBody && this.#references[reference]?.at === at) {
        writeRunUntil(at);
        while (this.#references[reference]?.at === at) this.#addDocReference(this.#references[reference++], flow);
        this.#hasContent = true;
      }
      const code = text.charCodeAt(at);
      if (code >= FIRST_TEXT) continue;
      writeRunUntil(at);
      start = at + 1;
      isNewParagraph = isParagraphEnd(code);
      if (isNewParagraph) {
        flow.writeFlowSign(fields.endFieldLinks());
        this.#endDocParagraph(at, code, flow, isBody, this.#runs[run]);
        continue;
      }
      const sign = fields.readFieldMark(code, at);
      if (sign !== null) flow.writeFlowSign(sign);
      else if (!fields.isInFieldInstruction)
        this.#writeRunText(MARK_TEXT[code] ?? '', this.#runs[run], at, paragraph, flow);
    }
    writeRunUntil(end);
    flow.writeFlowSign(fields.endFieldLinks());
    flow.endParagraphFlow(this.#paragraphShapeOf(this.#paragraphAt(Math.max(from, end - 1))));
  }

  /** A page break before a paragraph is a property stored at its end. */
  #beginParagraph(at: number, end: number, flow: ParagraphFlow, isBody: boolean): ParagraphProperties {
    this.#hasContent = false;
    let mark = at;
    while (mark < end && !isParagraphEnd(this.#file.text.charCodeAt(mark))) mark += 1;
    const paragraph = this.#paragraphAt(mark);
    if (isBody && flow.hasBegun && this.#styles.breaksBefore(paragraph)) this.#builder.page += 1;
    return paragraph;
  }

  /** The sign that opens the link of a field; null for other fields. */
  #linkOfField(instruction: string): string | null {
    const address = fieldAddress(instruction);
    return this.#inline.openLink(address === null ? null : withoutReserved(address));
  }

  /** Counts the paragraph if it is a list item, unless it is deleted or empty. */
  #numberListItem(paragraph: ParagraphProperties, flow: ParagraphFlow): void {
    const item = this.#hasContent ? this.#styles.paragraphListPlace(paragraph) : null;
    if (item !== null) flow.setMarker(this.#lists.nextListMarker(item.list, item.level));
  }

  #endDocParagraph(at: number, code: number, flow: ParagraphFlow, isBody: boolean, run: TextRun | undefined): void {
    const paragraph = this.#paragraphAt(at);
    const shape = this.#paragraphShapeOf(paragraph);
    if (code === CELL && paragraph.isRowEnd) {
      flow.endFlowRow(1, false, paragraph.edges);
      return;
    }
    const isJoined = paragraph.isDropCap || (this.#isDeleted(at, run) && !this.#builder.includeComments);
    if (!isJoined) this.#numberListItem(paragraph, flow);
    if (code === CELL) {
      flow.endFlowCell(shape, false);
      return;
    }
    if (code === PAGE_OR_SECTION) {
      flow.endFlowParagraph(shape);
      if (isBody && flow.hasBegun && !this.#continuous.has(at + 1)) this.#builder.page += 1;
      return;
    }
    if (paragraph.isInnerRowEnd) flow.endFlowRow(shape.tableDepth ?? 2, true);
    else if (paragraph.isInnerCell) flow.endFlowCell(shape, true);
    else if (!isJoined) flow.endFlowParagraph(shape);
  }

  /** A deleted paragraph mark joins the paragraph to the next. */
  #isDeleted(at: number, run: TextRun | undefined): boolean {
    return run !== undefined && run.from <= at && at < run.to && run.properties.isDeleted;
  }

  #writeRunText(
    text: string,
    run: TextRun | undefined,
    at: number,
    paragraph: ParagraphProperties,
    flow: ParagraphFlow,
  ): void {
    const properties = run !== undefined && run.from <= at && at < run.to ? run.properties : null;
    if (properties?.isHidden === true) {
      this.#builder.sourceLedger.recordLeftOutText({ reason: 'hidden', where: '', text });
      return;
    }
    this.#hasContent ||= this.#builder.includeComments || properties?.isDeleted !== true;
    let shown = properties?.isRaised === true ? raisedText(text) : text;
    if (properties?.symbol != null) {
      shown = symbolText(this.#fonts[properties.symbol.font] ?? null, properties.symbol.code).repeat(
        Math.max(1, text.length),
      );
    }
    const emphasis = properties === null ? 0 : this.#styles.runEmphasis(properties, paragraph);
    flow.writeFlowText(shown, properties === null ? null : this.#runRevision(properties), emphasis);
  }

  #runRevision(properties: TextRun['properties']): Revision | null {
    const { isDeleted, isInserted } = properties;
    const revisionAuthor = (index: number | null) => (index === null ? null : (this.#authors[index] ?? null));
    if (isDeleted) {
      return { kind: 'deletion', author: revisionAuthor(properties.deletedBy), date: readDttm(properties.deletedAt) };
    }
    if (!isInserted) return null;
    return { kind: 'insertion', author: revisionAuthor(properties.insertedBy), date: readDttm(properties.insertedAt) };
  }

  #addDocReference(reference: DocReference | undefined, flow: ParagraphFlow): void {
    if (reference === undefined) return;
    const text = this.#readNoteText(reference.from, reference.to);
    if (reference.comment !== null) {
      const plain = withoutInline(text);
      this.#builder.addDocumentComment({ ...reference.comment, text: plain });
      flow.writeMark(markComment(reference.comment.author, plain));
      return;
    }
    flow.writeFlowText(`[${reference.marker}]`);
    const note: NewBlock = { kind: 'note', marker: reference.marker, text };
    if (reference.kind === 'endnote') this.endnotes.push(note);
    else flow.addAfter(note);
  }

  #paragraphShapeOf(paragraph: ParagraphProperties): ParagraphShape {
    const depth = Math.max(1, paragraph.tableDepth ?? 1);
    return {
      headingLevel: this.#styles.docHeadingLevel(paragraph),
      isTitle: this.#styles.isTitleParagraph(paragraph),
      role: this.#styles.docParagraphRole(paragraph),
      tableDepth: paragraph.isInTable ? depth : null,
      listLevel: this.#styles.paragraphListPlace(paragraph)?.level ?? 0,
      leftIndent: 0,
      firstIndent: 0,
    };
  }
}

interface OpenField {
  /** Offset of its instruction. */
  from: number;
  isInstruction: boolean;
  /** Whether its link is open. */
  isLink: boolean;
}

/** Fields: the part before the separator is the instruction, the part after it the result. */
class OpenFields {
  readonly #linkOf: (from: number, to: number) => string | null;
  readonly #open: OpenField[] = [];
  /** Those with an open link. */
  readonly #links: OpenField[] = [];
  #instructions = 0;

  /** @param linkOf the sign that opens the link of the field with the instruction at two offsets; null without one */
  constructor(linkOf: (from: number, to: number) => string | null) {
    this.#linkOf = linkOf;
  }

  get isInFieldInstruction(): boolean {
    return this.#instructions > 0;
  }

  /** The signs that a field mark stands for; null for other characters. */
  readFieldMark(code: number, at: number): string | null {
    if (code === FIELD_BEGIN) {
      this.#open.push({ from: at + 1, isInstruction: true, isLink: false });
      this.#instructions += 1;
      return '';
    }
    if (code !== FIELD_SEPARATOR && code !== FIELD_END) return null;
    const field = this.#open.pop();
    if (field?.isInstruction === true) this.#instructions -= 1;
    if (code === FIELD_END) return field === undefined ? '' : signsOfEnd(field);
    const isShown = field?.isInstruction === true && !this.isInFieldInstruction;
    const sign = isShown ? this.#linkOf(field.from, at) : null;
    const result = { from: at, isInstruction: false, isLink: sign !== null };
    this.#open.push(result);
    if (sign !== null) this.#links.push(result);
    return sign ?? '';
  }

  /** The signs that end open links: no link reaches into the next paragraph. */
  endFieldLinks(): string {
    let signs = '';
    for (let field = this.#links.pop(); field !== undefined; field = this.#links.pop()) signs += signsOfEnd(field);
    return signs;
  }
}

/** Ends the link of a field once. */
function signsOfEnd(field: OpenField): string {
  const signs = field.isLink ? closeSign('link') : '';
  field.isLink = false;
  return signs;
}

function isParagraphEnd(code: number): boolean {
  return code === PARAGRAPH || code === CELL || code === PAGE_OR_SECTION;
}

/** Font names, indexed by font number. */
function readFonts(table: Buffer): string[] {
  const names: string[] = [];
  for (let at = 4; at + FONT_NAME_AT < table.length; at += 1 + (table[at] ?? 0)) {
    const name = decodeUtf16(table.subarray(at + FONT_NAME_AT, at + 1 + (table[at] ?? 0)));
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

const LIST_BYTES = 28;

const LEVEL_BYTES = 28;

const OVERRIDE_BYTES = 16;

const LEVELS = 9;

const LEGAL = 4;

const FORM_BULLET = 23;

const FORM_NONE = 255;

/** Word's codes of the number formats other than 1, 2, 3. */
const FORMS: Readonly<Record<number, string>> = { 1: 'I', 2: 'i', 3: 'A', 4: 'a' };

interface Level {
  start: number;
  form: number;
  /** Marker text; characters below 9 are placeholders for the number of that level. */
  template: string;
  /** Writes all numbers as 1, 2, 3, those of levels with other formats too. */
  isLegal: boolean;
}

/** Counts the items of automatic lists, whose numbers are not stored in the text. */
class DocLists {
  /** Levels of each list, by id. */
  readonly #lists: Map<number, Level[]>;
  /** List ids by the number that paragraphs use, from 1. */
  readonly #ids: number[];
  readonly #counts = new Map<number, number[]>();

  constructor(file: DocFile) {
    this.#lists = readLists(file.tableAndAfter(TABLES.lists));
    this.#ids = readOverrides(file.table(TABLES.listOverrides));
  }

  /** The marker of the next item of a list. */
  nextListMarker(list: number, level: number): string {
    const id = this.#ids[list - 1];
    const levels = id === undefined ? undefined : this.#lists.get(id);
    const found = levels?.[Math.min(level, levels.length - 1)];
    if (id === undefined || levels === undefined || found === undefined) return BULLET;
    const counts = this.#counts.get(id) ?? [];
    this.#counts.set(id, counts);
    counts[level] = (counts[level] ?? found.start - 1) + 1;
    counts.length = level + 1;
    if (found.form === FORM_BULLET) return BULLET;
    if (found.form === FORM_NONE) return '';
    return Array.from(found.template, (character) => {
      const place = character.charCodeAt(0);
      if (place >= LEVELS) return character;
      const form = (found.isLegal ? undefined : FORMS[levels[place]?.form ?? 0]) ?? '1';
      return formatNumber(counts[place] ?? levels[place]?.start ?? 1, form);
    }).join('');
  }
}

function readLists(table: Buffer): Map<number, Level[]> {
  const lists = new Map<number, Level[]>();
  if (table.length < 2) return lists;
  const count = table.readUInt16LE(0);
  let at = 2 + count * LIST_BYTES;
  for (let index = 0; index < count && at < table.length; index += 1) {
    const head = 2 + index * LIST_BYTES;
    const isSimple = ((table[head + 26] ?? 0) & 1) === 1;
    const levels: Level[] = [];
    for (let level = 0; level < (isSimple ? 1 : LEVELS) && at + LEVEL_BYTES + 2 <= table.length; level += 1) {
      const textAt = at + LEVEL_BYTES + (table[at + 24] ?? 0) + (table[at + 25] ?? 0);
      if (textAt + 2 > table.length) break;
      const end = textAt + 2 + table.readUInt16LE(textAt) * 2;
      const template = decodeUtf16(table.subarray(textAt + 2, end));
      const isLegal = ((table[at + 5] ?? 0) & LEGAL) !== 0;
      levels.push({ start: table.readInt32LE(at), form: table[at + 4] ?? 0, template, isLegal });
      at = end;
    }
    lists.set(table.readInt32LE(head), levels);
  }
  return lists;
}

function readOverrides(table: Buffer): number[] {
  const count = table.length < 4 ? 0 : table.readUInt32LE(0);
  const ids: number[] = [];
  for (let at = 4; at + OVERRIDE_BYTES <= table.length && ids.length < count; at += OVERRIDE_BYTES) {
    ids.push(table.readInt32LE(at));
  }
  return ids;
}

const COMMENT_BYTES = 30;

const COMMENT_DATE_BYTES = 18;

const NOTE_BYTES = 2;

const MAX_ANCHOR_CHARACTERS = 2000;

/** The instruction of a field: the text between its start mark and its separator. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: fields are marked by control characters.
const FIELD_INSTRUCTION = /\u0013[^\u0014\u0015]*\u0014?/g;

/** A reference in the body to a note or comment, whose text has the offsets `from` to `to`. */
interface DocReference {
  at: number;
  kind: 'footnote' | 'endnote' | 'comment';
  marker: string;
  from: number;
  to: number;
  /** Comments only; the text is read at the place of the comment. */
  comment: Omit<DocumentComment, 'text'> | null;
}

/** All references of the body, in order. Notes are counted here, since most are numbered automatically. */
function readReferences(file: DocFile): DocReference[] {
  const { lengths } = file;
  const notesAt = lengths.body;
  const commentsAt = notesAt + lengths.notes + lengths.headers;
  const endnotesAt = commentsAt + lengths.comments;
  const notes = [
    ...readNotes(file, 'footnote', TABLES.noteRefs, TABLES.noteTexts, notesAt),
    ...readNotes(file, 'endnote', TABLES.endnoteRefs, TABLES.endnoteTexts, endnotesAt),
  ].sort((one, other) => one.at - other.at);
  for (const [index, note] of notes.entries()) note.marker = String(index + 1);
  return [...notes, ...readDocComments(file, commentsAt)].sort((one, other) => one.at - other.at);
}

function readNotes(file: DocFile, kind: DocReference['kind'], refs: number, texts: number, base: number) {
  const ranges = readPlc(file.table(texts), 0);
  return readPlc(file.table(refs), NOTE_BYTES).map(({ from: at }, index): DocReference => {
    const range = ranges[index];
    return { at, kind, marker: '', from: base + (range?.from ?? 0), to: base + (range?.to ?? 0), comment: null };
  });
}

function readDocComments(file: DocFile, base: number): DocReference[] {
  const authors = readStrings(file.table(TABLES.commentAuthors));
  const dates = file.table(TABLES.commentDates);
  const ranges = readPlc(file.table(TABLES.commentTexts), 0);
  const anchors = readAnchors(file);
  return readPlc(file.table(TABLES.commentRefs), COMMENT_BYTES).map(({ from: at, data }, index): DocReference => {
    const dateAt = index * COMMENT_DATE_BYTES;
    const comment = {
      author: authors[data.readUInt16LE(20)] ?? null,
      date: dateAt + 4 <= dates.length ? readDttm(dates.readUInt32LE(dateAt)) : null,
      anchor: anchors.get(data.readInt32LE(26)) ?? null,
    };
    const range = ranges[index];
    const from = base + (range?.from ?? 0);
    return { at, kind: 'comment', marker: '', from, to: base + (range?.to ?? 0), comment };
  });
}

/** The text comments are attached to, by comment tag. */
function readAnchors(file: DocFile): Map<number, string> {
  const anchors = new Map<number, string>();
  const ends = readPlc(file.table(TABLES.commentEnds), 0);
  const tags = file.table(TABLES.commentTags);
  for (const [index, { from, data }] of readPlc(file.table(TABLES.commentStarts), 4).entries()) {
    // Six bytes of header, then per entry an empty string (its length only) and ten bytes that contain the tag.
    const tagAt = 6 + index * 12 + 4;
    const to = ends[data.readUInt16LE(0)]?.from ?? lastPlace(file.table(TABLES.commentEnds));
    if (tagAt + 4 > tags.length || to <= from) continue;
    const text = file.text.slice(from, Math.min(to, from + MAX_ANCHOR_CHARACTERS));
    anchors.set(tags.readInt32LE(tagAt), text.replace(FIELD_INSTRUCTION, ''));
  }
  return anchors;
}

function lastPlace(table: Buffer): number {
  return table.length < 4 ? 0 : table.readUInt32LE(table.length - 4);
}

/** Consecutive length-prefixed strings. */
function readStrings(table: Buffer): string[] {
  const strings: string[] = [];
  for (let at = 0; at + 2 <= table.length; ) {
    const end = at + 2 + table.readUInt16LE(at) * 2;
    strings.push(decodeUtf16(table.subarray(at + 2, end)));
    at = end;
  }
  return strings;
}

/** Names of revision authors, by the number that the text uses. */
function readRevisionAuthors(file: DocFile): string[] {
  // A mark, the count and the size of the extra data per string (zero), two bytes each.
  return readStrings(file.table(TABLES.revisionAuthors).subarray(6));
}
