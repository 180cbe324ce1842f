import type { DocumentChange } from '../../../src-server/features/documents/schema.ts';
import { type Said, say } from '../../../src-server/platform/text/say.ts';
import { closeSign, type InlineKind, type InlineValues, signsBetween } from '../inline-marks.ts';
import type { Relationship } from '../ooxml.ts';
import { MARKS, type ParagraphFact, writeFact } from '../revisions.ts';
import type { XmlBudget } from '../xml.ts';
import { tooComplex } from '../zip-package.ts';
import type { ListCounter } from './numbering.ts';
import type { PromptTexts } from './prompts.ts';
import type { Styles } from './styles.ts';

/** A piece of a rewritten part; a string is a paragraph. */
export type StoryPiece =
  | string
  | { kind: 'open'; element: 'table' | 'row' }
  | { kind: 'open'; element: 'cell'; columns: number; merge: 'restart' | 'continue' | null }
  | { kind: 'open'; element: 'note'; id: string }
  | { kind: 'close'; element: 'table' | 'row' | 'cell' | 'note' };

/** A rewritten part: paragraphs and tables of text with marks, in order. */
export interface RewrittenStory {
  pieces: readonly StoryPiece[];
  /** Count of paragraphs, rows and cells. */
  nodes: number;
  /** True if cells span rows, which only mammoth supports. */
  needsMammoth: boolean;
}

/** Bound on the text of a document: about 7,000 pages. */
const MAX_TEXT_CHARS = 20_000_000;

/** Deeper tables become plain paragraphs of the surrounding cell. */
const MAX_TABLE_DEPTH = 20;

/** Longest excerpt of a change or an anchor, and the bound on all excerpts together. */
const MAX_EXCERPT_CHARS = 10_000;

const MAX_EXCERPTS_CHARS = 20_000_000;

/** Line ends that a character reference has brought into the text. */
const LINE_ENDS = /\r\n?/g;

interface Paragraph {
  fact: ParagraphFact | null;
  text: string;
  /** Text boxes and image descriptions anchored in the paragraph, written after it. */
  anchored: StoryPiece[];
  /** Paragraphs nested in this one, which is invalid. */
  nested: number;
  isImplicit: boolean;
  /** Emphasis of its last run. */
  flags: number;
}

interface Frame {
  out: StoryPiece[];
  paragraph: Paragraph | null;
  joining: Paragraph | null;
  structure: ('table' | 'row' | 'cell')[];
}

/** Writes a rewritten part and keeps its text for excerpts. */
export class StoryWriter {
  /** Page of the next character. */
  page = 1;
  /** Count of everything visible; comparing two values tells whether anything came between. */
  emitted = 0;
  private readonly context: StoryContext;
  private frame: Frame = newFrame();
  private readonly outerFrames: Frame[] = [];
  private readonly outerRows: StoryPiece[][] = [];
  private nodes = 0;
  private log = '';
  private excerptsLength = 0;
  private hiddenLength = 0;
  /** The cell that has just begun. */
  private newCell: Extract<StoryPiece, { element: 'cell'; kind: 'open' }> | null = null;
  private needsMammoth = false;
  private readonly excerpts: { start: number; end: number; take(text: string): void }[] = [];

  constructor(context: StoryContext) {
    this.context = context;
  }

  get textLength(): number {
    return this.log.length;
  }

  startParagraph(): void {
    const { frame } = this;
    this.newCell = null;
    if (frame.paragraph?.isImplicit === true) this.endStoryParagraph();
    if (frame.paragraph !== null) {
      frame.paragraph.nested += 1;
      this.addMark(MARKS.line);
      return;
    }
    frame.paragraph = frame.joining ?? newParagraph();
    frame.joining = null;
  }

  /** `joins`: the next paragraph continues this one, because its mark is deleted or it is a drop cap. */
  endStoryParagraph(joins = false): void {
    const { paragraph } = this.frame;
    if (paragraph === null) return;
    if (paragraph.nested > 0) {
      paragraph.nested -= 1;
      this.addMark(MARKS.line);
      return;
    }
    this.frame.paragraph = null;
    this.log += '\n';
    if (joins) this.frame.joining = paragraph;
    else this.writeParagraph(paragraph);
  }

  setFact(fact: ParagraphFact | null): void {
    if (this.frame.paragraph !== null) this.frame.paragraph.fact = fact;
  }

  /** @param flags emphasis of the run; white space takes that of the run before */
  addStoryText(text: string, flags = 0): void {
    if (text === '') return;
    this.emitted += 1;
    this.log += text;
    this.checkLength();
    const paragraph = this.openStoryParagraph();
    if (flags !== paragraph.flags && text.trim() !== '') {
      paragraph.text += signsBetween(paragraph.flags, flags);
      paragraph.flags = flags;
    }
    paragraph.text += text;
  }

  /** Text with a mark of its own; without the sign that opens it, only the text. */
  addSignedText(kind: InlineKind, open: string | null, text: string): void {
    if (open !== null) this.addMark(open);
    this.addStoryText(text);
    if (open !== null) this.addMark(closeSign(kind));
  }

  /** Text excluded from excerpts and offsets: a comment at its anchor. */
  addRemark(text: string): void {
    this.hiddenLength += text.length;
    this.checkLength();
    this.openStoryParagraph().text += text;
  }

  /** A mark in the text, excluded from excerpts. */
  addMark(mark: string): void {
    if (mark === MARKS.line) this.log += '\n';
    this.openStoryParagraph().text += mark;
  }

  addPage(): void {
    this.page += 1;
    this.addMark(MARKS.page);
  }

  /** A separate paragraph after the open one. */
  addAnchored(fact: ParagraphFact, text: string): void {
    this.emitted += 1;
    this.nodes += 1;
    this.hiddenLength += text.length;
    this.checkLength();
    this.openStoryParagraph().anchored.push(writeFact(fact) + text);
  }

  /** A text box: content up to `endBox` is written after the paragraph it is anchored in. */
  startBox(): void {
    this.outerFrames.push(this.frame);
    this.frame = newFrame();
  }

  endBox(): void {
    this.settlePendingContent();
    const { out } = this.frame;
    this.frame = this.outerFrames.pop() ?? newFrame();
    addPieces(this.frame.paragraph === null ? this.frame.out : this.frame.paragraph.anchored, out);
  }

  /** Returns false if a table is not possible here; its text is then read without it. */
  startTable(): boolean {
    const { structure, paragraph } = this.frame;
    const depth = structure.length / 3;
    const fits = structure.at(-1) === undefined || structure.at(-1) === 'cell';
    if (!fits || depth >= MAX_TABLE_DEPTH || (paragraph !== null && !paragraph.isImplicit)) return false;
    this.settlePendingContent();
    structure.push('table');
    this.frame.out.push({ kind: 'open', element: 'table' });
    return true;
  }

  endStoryTable(): void {
    this.settlePendingContent();
    this.frame.structure.pop();
    this.frame.out.push({ kind: 'close', element: 'table' });
  }

  startRow(): boolean {
    if (this.frame.structure.at(-1) !== 'table') return false;
    this.nodes += 1;
    this.frame.structure.push('row');
    this.outerRows.push(this.frame.out);
    this.frame.out = [];
    return true;
  }

  endStoryRow(isDeleted: boolean): void {
    this.settlePendingContent();
    this.frame.structure.pop();
    const row = this.frame.out;
    this.frame.out = this.outerRows.pop() ?? [];
    if (isDeleted) return;
    this.frame.out.push({ kind: 'open', element: 'row' });
    addPieces(this.frame.out, row);
    this.frame.out.push({ kind: 'close', element: 'row' });
  }

  startCell(): boolean {
    if (this.frame.structure.at(-1) !== 'row') return false;
    this.nodes += 1;
    this.frame.structure.push('cell');
    this.newCell = { kind: 'open', element: 'cell', columns: 1, merge: null };
    this.frame.out.push(this.newCell);
    return true;
  }

  /** Call directly after `startCell`. `merge` continues or restarts a row-spanning cell. */
  setCell(columns: number, merge: 'restart' | 'continue' | null): void {
    // Without a cell its properties do not apply.
    if (this.newCell === null) return;
    if (merge !== null) this.needsMammoth = true;
    this.newCell.columns = Math.max(1, columns);
    this.newCell.merge = merge;
    this.newCell = null;
  }

  endStoryCell(): void {
    this.settlePendingContent();
    this.frame.structure.pop();
    this.frame.out.push({ kind: 'close', element: 'cell' });
  }

  startNote(id: string): void {
    this.settlePendingContent();
    this.frame.out.push({ kind: 'open', element: 'note', id });
  }

  endNote(): void {
    this.settlePendingContent();
    this.frame.out.push({ kind: 'close', element: 'note' });
  }

  /** Passes the text between two moments to `take` once the part has been read. */
  requestExcerpt(start: number, end: number, take: (text: string) => void): void {
    const length = Math.min(end - start, MAX_EXCERPT_CHARS);
    this.excerptsLength += length;
    if (this.excerptsLength > MAX_EXCERPTS_CHARS) {
      this.context.warnings.add(
        say`Some tracked changes and comments are listed without their text: there are too many.`,
      );
      return;
    }
    this.excerpts.push({ start, end: start + length, take });
  }

  listChange(change: Omit<DocumentChange, 'text'>, start: number): void {
    const entry: DocumentChange = { ...change, text: '' };
    this.context.changes.push(entry);
    this.requestExcerpt(start, this.textLength, (text) => {
      entry.text = text;
    });
  }

  finishStory(): RewrittenStory {
    this.settlePendingContent();
    for (const { start, end, take } of this.excerpts) {
      take(this.log.slice(start, end).replaceAll(MARKS.tab, ' ').trim().normalize('NFC'));
    }
    return { pieces: this.frame.out, nodes: this.nodes, needsMammoth: this.needsMammoth };
  }

  private checkLength(): void {
    if (this.log.length + this.hiddenLength > MAX_TEXT_CHARS) throw tooComplex('text');
  }

  /** The open paragraph; text outside any paragraph gets its own. */
  private openStoryParagraph(): Paragraph {
    if (this.frame.paragraph === null) {
      this.startParagraph();
      const started = this.frame.paragraph as Paragraph | null;
      if (started !== null) started.isImplicit = true;
    }
    return this.frame.paragraph as Paragraph;
  }

  /** Writes pending content before anything other than a paragraph. */
  private settlePendingContent(): void {
    if (this.frame.paragraph !== null) this.endStoryParagraph();
    if (this.frame.joining !== null) this.writeParagraph(this.frame.joining);
    this.frame.joining = null;
  }

  /** An empty line of code counts as a line. */
  private writeParagraph(paragraph: Paragraph): void {
    if (paragraph.text === '' && paragraph.fact?.kind !== 'code') {
      addPieces(this.frame.out, paragraph.anchored);
      return;
    }
    const fact = paragraph.fact === null ? '' : writeFact(paragraph.fact);
    this.nodes += 1;
    this.frame.out.push((paragraph.text + fact).replace(LINE_ENDS, '\n').toWellFormed());
    addPieces(this.frame.out, paragraph.anchored);
  }
}

function newFrame(): Frame {
  return { out: [], paragraph: null, joining: null, structure: [] };
}

function newParagraph(): Paragraph {
  return { fact: null, text: '', anchored: [], nested: 0, isImplicit: false, flags: 0 };
}

function addPieces(to: StoryPiece[], pieces: readonly StoryPiece[]): void {
  for (const piece of pieces) to.push(piece);
}

export interface CommentText {
  author: string | null;
  date: string | null;
  text: string;
}

/** A footnote or endnote referenced in the text. */
interface NoteReference {
  type: 'footnote' | 'endnote';
  id: string;
  marker: string;
  page: number;
}

/** Another part whose content stands in the text. */
export interface EmbeddedPart {
  kind: 'document' | 'chart' | 'diagram';
  relationshipId: string;
}

/** Input and output of rewriting story parts. */
export interface StoryContext {
  budget: XmlBudget;
  styles: Styles;
  lists: ListCounter;
  relationships: ReadonlyMap<string, Relationship>;
  /** `marked` keeps deletions and comments with marks; `accepted` drops them. */
  reading: 'accepted' | 'marked';
  comments: ReadonlyMap<string, CommentText>;
  /** Word records page starts of its last layout; explicit breaks count only without that record. */
  hasRenderedBreaks: boolean;

  /** Set if the part has a tracked change of its text. */
  hasChanges: boolean;
  changes: DocumentChange[];
  /** Comment id → the text it is attached to. */
  anchors: Map<string, string>;
  /** By type and id, in order of first reference. */
  notes: Map<string, NoteReference>;
  /** Ids of comments whose text is already in the document. */
  shownComments: Set<string>;
  /** Addresses of links, and formulas. */
  inline: InlineValues;
  prompts: PromptTexts;
  /** Relationship ids of the headers and footers that sections use, in order. */
  furniture: Set<string>;
  /** Embedded documents (`w:altChunk`), charts and diagrams, in order; null in parts where they are not read. */
  embedded: EmbeddedPart[] | null;
  warnings: Set<Said>;
}
