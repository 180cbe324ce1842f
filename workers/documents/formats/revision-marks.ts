/** How revisions stand in the text when they are kept: the same forms in every format. */

export const INSERTION_START = '{+';
export const INSERTION_END = '+}';

export function markDeletion(text: string): string {
  return text.trim() === '' ? '' : `[-${text}-]`;
}

/** A comment where it stands in the text. */
export function markComment(author: string | null, text: string): string {
  const by = author === null || author.trim() === '' ? '' : ` by ${author.trim()}`;
  return ` [Comment${by}: ${text.trim().replaceAll('\n', ' ')}]`;
}

/** Insertion marks that hold nothing say nothing. */
export function dropEmptyMarks(text: string): string {
  return text.replaceAll(INSERTION_START + INSERTION_END, '');
}
