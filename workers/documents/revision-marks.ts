import { MARKS } from './marks.ts';

/**
 * How revisions travel in a paragraph's text until the builder writes them for people: the same marks, and so the same
 * forms in the end, as in .docx. What a document itself holds of these characters is taken out first.
 */
const RESERVED = /[\uFDD0-\uFDEF]/g;

/** A page begins here, within a paragraph. */
export const PAGE_START = MARKS.page;
export const INSERTION_START = MARKS.insertionOpen;
export const INSERTION_END = MARKS.insertionClose;
export const DELETION_START = MARKS.deletionOpen;
export const DELETION_END = MARKS.deletionClose;

/** Foreign text, ready to have marks set around it. */
export function withoutReserved(text: string): string {
  return text.replace(RESERVED, '');
}

export function markDeletion(text: string): string {
  return text.trim() === '' ? '' : `${DELETION_START}${withoutReserved(text)}${DELETION_END}`;
}

/** A comment where it stands in the text. */
export function markComment(author: string | null, text: string): string {
  const line = (part: string) => withoutReserved(part).trim().replaceAll('\n', ' ');
  return `${MARKS.commentOpen}${line(author ?? '')}${MARKS.commentText}${line(text)}${MARKS.commentClose}`;
}

/** Marks around nothing say nothing. */
export function dropEmptyMarks(text: string): string {
  return text.replaceAll(INSERTION_START + INSERTION_END, '').replaceAll(DELETION_START + DELETION_END, '');
}
