import type { DocumentChange } from '../../../src-server/features/documents/schema.ts';
import { byName } from '../../../src-server/platform/records.ts';
import { openSign } from '../inline-marks.ts';
import { MARKS, type ParagraphFact, withoutMarks } from '../revisions.ts';
import type { XmlElement } from '../xml.ts';
import type { ShownPrompt } from './prompts.ts';
import type { StoryContext, StoryWriter } from './story.ts';

/** How to handle an element: drop it with its content, or read it, with optional handlers for its text and end. */
export type Outcome = 'drop' | { text?(text: string): void; close?(): void };

/** Reads an element without handlers. */
export const READ: Outcome = {};

/** Value of a Word 97 form field that is not in the text: a check mark or the chosen entry. */
interface FormField {
  isTicked: boolean | null;
  entries: string[];
  chosen: number;
}

/** State of the reader of a part. */
export interface RewriteState {
  writer: StoryWriter;
  context: StoryContext;
  /** Open paragraphs; more than one if a paragraph contains a text box. */
  paragraphs: { properties: ParagraphProperties | null }[];
  /** Set inside `w:pPr`. */
  properties: ParagraphProperties | null;
  rows: { isDeleted: boolean }[];
  isInRowProperties: boolean;
  cell: { columns: number; merge: 'restart' | 'continue' | null } | null;
  /** Open fields; `isInstruction` until the separator, or the end of the paragraph that a field without one is in. */
  fields: { instruction: string; isLink: boolean; isInstruction: boolean; emittedBefore: number }[];
  /** Of the current run: its symbol font, and whether it is superscript. */
  symbolFont: string | null;
  isRaised: boolean;
  /** Emphasis of the current run. */
  runFlags: number;
  /** Set inside the run's `w:rPr`. */
  isInRunProperties: boolean;
  /** The form field that is being read. */
  formField: FormField | null;
  alternatives: { emittedBefore: number; showed: boolean }[];
  anchorStarts: Map<string, number>;
  /** Open content controls. An empty one shows a placeholder, and so do those inside it. */
  controls: { promptName: string | null; shown: ShownPrompt | null }[];
  isInControlProperties: boolean;
}

export type ElementReader = (element: XmlElement, state: RewriteState) => Outcome;

export function openState(writer: StoryWriter, context: StoryContext): RewriteState {
  return {
    writer,
    context,
    paragraphs: [],
    properties: null,
    rows: [],
    isInRowProperties: false,
    cell: null,
    fields: [],
    symbolFont: null,
    isRaised: false,
    runFlags: 0,
    isInRunProperties: false,
    formField: null,
    alternatives: [],
    anchorStarts: new Map(),
    controls: [],
    isInControlProperties: false,
  };
}

/** Word's sign for a paragraph end; marked reading uses it for an inserted or deleted break. */
const PARAGRAPH_SIGN = '¶';

const CHANGES: Readonly<Record<string, { kind: DocumentChange['kind']; open: string; close: string }>> = byName({
  ins: { kind: 'insertion', open: MARKS.insertionOpen, close: MARKS.insertionClose },
  moveTo: { kind: 'move-to', open: MARKS.insertionOpen, close: MARKS.insertionClose },
  del: { kind: 'deletion', open: MARKS.deletionOpen, close: MARKS.deletionClose },
  moveFrom: { kind: 'move-from', open: MARKS.deletionOpen, close: MARKS.deletionClose },
});

/** `w:ins`, `w:del`, `w:moveFrom` or `w:moveTo` around text, or in row properties. */
export function readChange(element: XmlElement, state: RewriteState): Outcome {
  const { writer, context } = state;
  const change = CHANGES[element.local];
  if (change === undefined) return READ;
  context.hasChanges = true;
  const removes = change.open === MARKS.deletionOpen;
  if (state.isInRowProperties) {
    const row = state.rows.at(-1);
    if (row !== undefined && removes && context.reading === 'accepted') row.isDeleted = true;
    return READ;
  }
  if (context.reading === 'accepted') return removes ? 'drop' : READ;
  const start = writer.textLength;
  writer.addMark(change.open);
  const who = { author: element.attributeValue('author'), date: element.attributeValue('date') };
  return {
    close: () => {
      writer.addMark(change.close);
      writer.listChange({ kind: change.kind, ...who }, start);
    },
  };
}

/** Shows and lists an inserted or deleted paragraph end. Returns whether the next paragraph continues this one. */
export function endMarkedParagraph(properties: ParagraphProperties, { writer, context }: RewriteState): boolean {
  const { isMarkDeleted, isMarkInserted } = properties;
  if (!isMarkDeleted && !isMarkInserted) return false;
  context.hasChanges = true;
  if (context.reading === 'accepted') return isMarkDeleted;
  const change = isMarkDeleted ? CHANGES.del : CHANGES.ins;
  if (change === undefined) return false;
  const start = writer.textLength;
  writer.addMark(change.open);
  writer.addStoryText(PARAGRAPH_SIGN);
  writer.addMark(change.close);
  writer.listChange({ kind: change.kind, ...properties.markAuthor }, start);
  return false;
}

export function readAnchorEnd(element: XmlElement, { writer, context, anchorStarts }: RewriteState): Outcome {
  const id = element.attributeValue('id') ?? '';
  const start = anchorStarts.get(id);
  if (start === undefined || !context.comments.has(id)) return READ;
  anchorStarts.delete(id);
  writer.requestExcerpt(start, writer.textLength, (text) => context.anchors.set(id, text));
  return READ;
}

export function readCommentReference(element: XmlElement, { writer, context }: RewriteState): Outcome {
  const id = element.attributeValue('id') ?? '';
  const comment = context.comments.get(id);
  if (comment === undefined || context.reading === 'accepted' || context.shownComments.has(id)) return READ;
  context.shownComments.add(id);
  // Adds the comment as a mark, so that excerpts and the surrounding text exclude it.
  const author = withoutMarks(comment.author ?? '');
  const text = withoutMarks(comment.text);
  writer.addRemark(`${MARKS.commentOpen}${author}${MARKS.commentText}${text}${MARKS.commentClose}`);
  return READ;
}

export function readNoteReference(
  type: 'footnote' | 'endnote',
  element: XmlElement,
  { writer, context }: RewriteState,
): Outcome {
  const key = `${type} ${element.attributeValue('id') ?? ''}`;
  // Footnotes and endnotes share one sequence, so a number identifies one note.
  const known = context.notes.get(key);
  const marker = known?.marker ?? String(context.notes.size + 1);
  if (known === undefined) {
    context.notes.set(key, { type, id: element.attributeValue('id') ?? '', marker, page: writer.page });
  }
  writer.addSignedText('footnote', openSign('footnote'), `[${marker}]`);
  return READ;
}

/** A note or comment in its own part. Separators are decoration. */
export function readNote(element: XmlElement, { writer }: RewriteState): Outcome {
  const type = element.attributeValue('type');
  if (type !== null && type !== 'normal') return 'drop';
  writer.startNote(element.attributeValue('id') ?? '');
  return { close: () => writer.endNote() };
}

const MAX_LIST_DEPTH = 8;

const MAX_HEADING_LEVEL = 9;

/** The content of `w:pPr`, read element by element. */
export class ParagraphProperties {
  isMarkDeleted = false;
  isMarkInserted = false;
  startsPage = false;
  /** True for a drop cap of the next paragraph. */
  isDropCap = false;
  /** True if the paragraph ends a section and the next starts on a new page. */
  endsPage = false;
  private styleId: string | null = null;
  private numId: string | null = null;
  private listLevel: number | null = null;
  private outlineLevel: number | null = null;
  private isInMark = false;
  private author: { author: string | null; date: string | null } = { author: null, date: null };

  /** The author who inserted or deleted the paragraph mark. */
  get markAuthor(): { author: string | null; date: string | null } {
    return this.author;
  }

  /** Reads a child element; returns a handler for its end. */
  readParagraphProperty(element: XmlElement): { close?(): void } {
    const value = element.attributeValue('val');
    switch (element.local) {
      case 'pStyle':
        this.styleId = value;
        break;
      case 'numId':
        this.numId = value;
        break;
      case 'ilvl':
        this.listLevel = Number(value);
        break;
      case 'outlineLvl':
        this.outlineLevel = Number(value);
        break;
      case 'pageBreakBefore':
        this.startsPage = value === null || value === '1' || value === 'true' || value === 'on';
        break;
      case 'framePr':
        this.isDropCap = ['drop', 'margin'].includes(element.attributeValue('dropCap') ?? '');
        break;
      case 'sectPr':
        this.endsPage = true;
        break;
      case 'type':
        if (value === 'continuous' || value === 'nextColumn') this.endsPage = false;
        break;
      case 'rPr':
        this.isInMark = true;
        return {
          close: () => {
            this.isInMark = false;
          },
        };
      case 'del':
      case 'moveFrom':
        this.noteMark(element, 'deleted');
        break;
      case 'ins':
      case 'moveTo':
        this.noteMark(element, 'inserted');
        break;
    }
    return {};
  }

  /**
   * The role of the paragraph. Advances list counters, so call it once. A paragraph whose mark is deleted is part of
   * the next one; with changes accepted only the next one is counted.
   */
  takeParagraphFact({ styles, lists, reading }: StoryContext): ParagraphFact | null {
    const style = styles.of(this.styleId);
    const numId = this.numId ?? style.numId;
    const level = this.listLevel ?? style.listLevel ?? 0;
    const isCounted = numId !== null && numId !== '0' && !(this.isMarkDeleted && reading === 'accepted');
    const marker = isCounted ? lists.next(numId, level) : null;
    const ownLevel = this.outlineLevel === null ? 0 : this.outlineLevel + 1;
    if (style.role === 'title') return { kind: 'heading', level: style.level, marker: marker ?? '', isTitle: true };
    const headingLevel = style.role === 'heading' ? style.level : ownLevel;
    if (headingLevel >= 1 && headingLevel <= MAX_HEADING_LEVEL) {
      return { kind: 'heading', level: headingLevel, marker: marker ?? '' };
    }
    if (style.role === 'caption') return { kind: 'caption' };
    if (style.role === 'code') return { kind: 'code' };
    if (marker === null) return style.role === 'quote' ? { kind: 'quote' } : null;
    return { kind: 'list-item', depth: Math.max(0, Math.min(MAX_LIST_DEPTH, level)), marker };
  }

  private noteMark(element: XmlElement, fate: 'deleted' | 'inserted'): void {
    // Outside `w:rPr` the element describes numbering or the section, not the paragraph mark.
    if (!this.isInMark) return;
    this.isMarkDeleted ||= fate === 'deleted';
    this.isMarkInserted ||= fate === 'inserted';
    this.author = { author: element.attributeValue('author'), date: element.attributeValue('date') };
  }
}
