import type { DocumentChange } from '../../tasks.ts';
import { MARKS, withoutMarks } from '../marks.ts';
import type { XmlElement } from '../xml.ts';
import type { ParagraphProperties } from './paragraph-properties.ts';
import { type Outcome, READ, type RewriteState } from './rewrite-state.ts';

/** What Word shows a paragraph's end as: in the marked reading it stands for a break that was inserted or deleted. */
const PARAGRAPH_SIGN = '¶';

const CHANGES: Readonly<Record<string, { kind: DocumentChange['kind']; open: string; close: string }>> = {
  ins: { kind: 'insertion', open: MARKS.insertionOpen, close: MARKS.insertionClose },
  moveTo: { kind: 'move-to', open: MARKS.insertionOpen, close: MARKS.insertionClose },
  del: { kind: 'deletion', open: MARKS.deletionOpen, close: MARKS.deletionClose },
  moveFrom: { kind: 'move-from', open: MARKS.deletionOpen, close: MARKS.deletionClose },
};

/** `w:ins`, `w:del`, `w:moveFrom` or `w:moveTo` around text, or in the properties of a row. */
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
  const who = { author: element.attribute('author') ?? null, date: element.attribute('date') ?? null };
  return {
    close: () => {
      writer.addMark(change.close);
      writer.listChange({ kind: change.kind, ...who }, start);
    },
  };
}

/** Shows and lists a paragraph's end that was inserted or deleted. Says whether the next paragraph continues it. */
export function endMarkedParagraph(properties: ParagraphProperties, { writer, context }: RewriteState): boolean {
  const { isMarkDeleted, isMarkInserted } = properties;
  if (!isMarkDeleted && !isMarkInserted) return false;
  context.hasChanges = true;
  if (context.reading === 'accepted') return isMarkDeleted;
  const change = isMarkDeleted ? CHANGES.del : CHANGES.ins;
  if (change === undefined) return false;
  const start = writer.textLength;
  writer.addMark(change.open);
  writer.addText(PARAGRAPH_SIGN);
  writer.addMark(change.close);
  writer.listChange({ kind: change.kind, ...properties.markAuthor }, start);
  return false;
}

export function readAnchorEnd(element: XmlElement, { writer, context, anchorStarts }: RewriteState): Outcome {
  const id = element.attribute('id') ?? '';
  const start = anchorStarts.get(id);
  if (start === undefined || !context.comments.has(id)) return READ;
  anchorStarts.delete(id);
  writer.excerpt(start, writer.textLength, (text) => context.anchors.set(id, text));
  return READ;
}

export function readCommentReference(element: XmlElement, { writer, context }: RewriteState): Outcome {
  const id = element.attribute('id') ?? '';
  const comment = context.comments.get(id);
  if (comment === undefined || context.reading === 'accepted' || context.shownComments.has(id)) return READ;
  context.shownComments.add(id);
  // As marks, so that excerpts and the text around it stay free of it.
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
  const key = `${type} ${element.attribute('id') ?? ''}`;
  // Footnotes and endnotes share one count, so that a number names one note.
  const known = context.notes.get(key);
  const marker = known?.marker ?? String(context.notes.size + 1);
  if (known === undefined) {
    context.notes.set(key, { type, id: element.attribute('id') ?? '', marker, page: writer.page });
  }
  writer.addText(`[${marker}]`);
  return READ;
}

/** A note or comment in its own part. Separators are ornaments of the page. */
export function readNote(element: XmlElement, { writer }: RewriteState): Outcome {
  const type = element.attribute('type');
  if (type !== undefined && type !== 'normal') return 'drop';
  writer.startNote(element.attribute('id') ?? '');
  return { close: () => writer.endNote() };
}
