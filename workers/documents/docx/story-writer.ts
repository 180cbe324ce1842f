import type { DocumentChange } from '../../tasks.ts';
import { MARKS, type ParagraphFact } from './marks.ts';
import { tooComplex } from './package.ts';
import type { StoryContext } from './story.ts';
import type { Piece, Pieces } from './story-pieces.ts';
import { symbolText } from './symbols.ts';

/** Characters of text a document may hold: about 7,000 pages. */
const MAX_TEXT_CHARS = 20_000_000;
/** Tables deeper than this become plain paragraphs of the cell around them: no page shows them as tables any more. */
const MAX_TABLE_DEPTH = 20;
/** Longest excerpt that a change or an anchor is listed with, and what all of them may come to. */
const MAX_EXCERPT_CHARS = 10_000;
const MAX_EXCERPTS_CHARS = 20_000_000;

interface Paragraph {
  fact: ParagraphFact | null;
  text: string;
  /** Text boxes and image descriptions anchored in it, written after it. */
  anchored: Pieces[];
  /** Paragraphs inside this one, which no valid file has. */
  nested: number;
  isImplicit: boolean;
}

interface Frame {
  out: Pieces[];
  paragraph: Paragraph | null;
  joining: Paragraph | null;
  structure: ('table' | 'row' | 'cell')[];
}

/** Writes a story part as pieces and keeps a running copy of its text, of which excerpts are cut. */
export class StoryWriter {
  /** Page the next character is on. */
  page = 1;
  /** Counts everything that shows, so that a caller can tell whether anything came between two moments. */
  emitted = 0;
  private readonly context: StoryContext;
  private frame: Frame = newFrame();
  private readonly outerFrames: Frame[] = [];
  /** Where each open row began. */
  private readonly rowStarts: number[] = [];
  private log = '';
  private excerptsLength = 0;
  private hiddenLength = 0;
  private newCell: Extract<Piece, { kind: 'cell' }> | null = null;
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
    if (frame.paragraph?.isImplicit === true) this.endParagraph();
    if (frame.paragraph !== null) {
      frame.paragraph.nested += 1;
      this.addMark(MARKS.line);
      return;
    }
    frame.paragraph = frame.joining ?? newParagraph();
    frame.joining = null;
  }

  /** `joins`: the paragraph's mark was deleted, so the next paragraph continues it. */
  endParagraph(joins = false): void {
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

  addText(text: string): void {
    if (text === '') return;
    this.emitted += 1;
    this.log += text;
    this.checkLength();
    this.openParagraph().text += text;
  }

  /** Text that excerpts and positions do not count: a comment where it is attached. */
  addRemark(text: string): void {
    this.hiddenLength += text.length;
    this.checkLength();
    this.openParagraph().text += text;
  }

  /** A mark in the text, which excerpts do not show. */
  addMark(mark: string): void {
    if (mark === MARKS.line) this.log += '\n';
    this.openParagraph().text += mark;
  }

  addPage(): void {
    this.page += 1;
    this.addMark(MARKS.page);
  }

  addSymbol(font: string, character: string): void {
    this.emitted += 1;
    this.openParagraph().text += symbolText(font, character);
  }

  /** A paragraph of its own after the one that is open. */
  addAnchored(fact: ParagraphFact, text: string): void {
    this.emitted += 1;
    this.hiddenLength += text.length;
    this.checkLength();
    this.openParagraph().anchored.push({ kind: 'paragraph', fact, text });
  }

  /** A text box: what follows, up to `endBox`, is written after the paragraph it is anchored in. */
  startBox(): void {
    this.outerFrames.push(this.frame);
    this.frame = newFrame();
  }

  endBox(): void {
    this.settle();
    const { out } = this.frame;
    this.frame = this.outerFrames.pop() ?? newFrame();
    (this.frame.paragraph?.anchored ?? this.frame.out).push(out);
  }

  /** False where a table cannot stand; its text is then read as if the table were not there. */
  startTable(): boolean {
    const { structure, paragraph } = this.frame;
    const depth = structure.length / 3;
    const fits = structure.at(-1) === undefined || structure.at(-1) === 'cell';
    if (!fits || depth >= MAX_TABLE_DEPTH || (paragraph !== null && !paragraph.isImplicit)) return false;
    this.settle();
    structure.push('table');
    this.frame.out.push({ kind: 'table' });
    return true;
  }

  endTable(): void {
    this.settle();
    this.frame.structure.pop();
    this.frame.out.push({ kind: 'end-table' });
  }

  startRow(): boolean {
    if (this.frame.structure.at(-1) !== 'table') return false;
    this.frame.structure.push('row');
    this.rowStarts.push(this.frame.out.length);
    this.frame.out.push({ kind: 'row' });
    return true;
  }

  endRow(isDeleted: boolean): void {
    this.settle();
    this.frame.structure.pop();
    const { out } = this.frame;
    const start = this.rowStarts.pop() ?? out.length;
    if (isDeleted) out.length = start;
    else out.push({ kind: 'end-row' });
  }

  startCell(): boolean {
    if (this.frame.structure.at(-1) !== 'row') return false;
    this.frame.structure.push('cell');
    this.newCell = { kind: 'cell', columns: 1, continues: false };
    this.frame.out.push(this.newCell);
    return true;
  }

  /** Directly after `startCell`. `continues`: the cell above spans this one, too. */
  setCell(columns: number, continues: boolean): void {
    // Where the cell could not stand, its properties have nothing to describe.
    if (this.newCell === null) return;
    this.newCell.columns = columns;
    this.newCell.continues = continues;
    this.newCell = null;
  }

  endCell(): void {
    this.settle();
    this.frame.structure.pop();
    this.frame.out.push({ kind: 'end-cell' });
  }

  startNote(id: string): void {
    this.settle();
    this.frame.out.push({ kind: 'note', id });
  }

  endNote(): void {
    this.settle();
  }

  /** Gives `take` the text between two moments, once the part has been read. */
  excerpt(start: number, end: number, take: (text: string) => void): void {
    const length = Math.min(end - start, MAX_EXCERPT_CHARS);
    this.excerptsLength += length;
    if (this.excerptsLength > MAX_EXCERPTS_CHARS) {
      this.context.warnings.add('There are more tracked changes and comments than are listed with their text.');
      return;
    }
    this.excerpts.push({ start, end: start + length, take });
  }

  listChange(change: Omit<DocumentChange, 'text'>, start: number): void {
    const entry: DocumentChange = { ...change, text: '' };
    this.context.changes.push(entry);
    this.excerpt(start, this.textLength, (text) => {
      entry.text = text;
    });
  }

  finish(): Pieces {
    this.settle();
    for (const { start, end, take } of this.excerpts) {
      take(this.log.slice(start, end).replaceAll(MARKS.tab, ' ').trim().normalize('NFC'));
    }
    return this.frame.out;
  }

  private checkLength(): void {
    if (this.log.length + this.hiddenLength > MAX_TEXT_CHARS) throw tooComplex('text');
  }

  /** The open paragraph; text that stands outside any gets one of its own. */
  private openParagraph(): Paragraph {
    if (this.frame.paragraph === null) {
      this.startParagraph();
      const started = this.frame.paragraph as Paragraph | null;
      if (started !== null) started.isImplicit = true;
    }
    return this.frame.paragraph as Paragraph;
  }

  /** Writes what waits for its end, before something that is no paragraph. */
  private settle(): void {
    if (this.frame.paragraph !== null) this.endParagraph();
    const { joining } = this.frame;
    this.frame.joining = null;
    if (joining !== null) this.writeParagraph(joining);
  }

  private writeParagraph({ fact, text, anchored }: Paragraph): void {
    const { out } = this.frame;
    if (text !== '') out.push({ kind: 'paragraph', fact, text });
    if (anchored.length > 0) out.push(anchored);
  }
}

function newFrame(): Frame {
  return { out: [], paragraph: null, joining: null, structure: [] };
}

function newParagraph(): Paragraph {
  return { fact: null, text: '', anchored: [], nested: 0, isImplicit: false };
}
