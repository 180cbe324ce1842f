import type { NewBlock } from '../document-builder.ts';
import type { XmlTag } from '../xml.ts';
import type { OdtStyles, ParagraphRole } from './styles.ts';

/** OpenDocument has ten; what stands below a heading is filed under all above, so they may not go on without end. */
const MAX_HEADING_LEVEL = 10;

/** Spaces one `text:s` may stand for. */
const MAX_SPACES = 100;

export interface Paragraph {
  text: string;
  page: number;
  /** How deep the sinks were when it opened: what opens inside it on the same depth stands after it. */
  depth: number;
  after: { block: NewBlock; page: number }[];
  /** Text about the document, not of it: authors, dates, the marks of notes. */
  isCapture: boolean;
}

/** Takes finished blocks: the document itself, or a cell, note or comment that makes lines of them. */
export interface Sink {
  add(block: NewBlock, page: number): void;
}

/** What holds no text of the document, or text that stands elsewhere as well. */
export const SKIPPED = new Set([
  ...['office:scripts', 'office:font-face-decls', 'office:forms', 'office:binary-data', 'office:event-listeners'],
  ...['text:sequence-decls', 'text:variable-decls', 'text:user-field-decls', 'text:dde-connection-decls'],
  ...['text:table-of-content-source', 'text:alphabetical-index-source', 'text:illustration-index-source'],
  ...['text:table-index-source', 'text:object-index-source', 'text:user-index-source', 'text:bibliography-source'],
  ...['text:ruby-text', 'svg:title', 'svg:desc', 'table:title', 'table:desc', 'math:annotation'],
]);

/** Text, paragraphs and sections that the document keeps to itself. */
export function isHidden(tag: XmlTag, styles: OdtStyles): boolean {
  if (tag.name === 'text:section') return tag.attribute('text:display') === 'none';
  const isParagraph = tag.name === 'text:p' || tag.name === 'text:h';
  if (!isParagraph && tag.name !== 'text:span') return false;
  return styles.isHidden(isParagraph ? 'paragraph' : 'text', tag.attribute('text:style-name'));
}

export function nothing(): void {
  // An element that means nothing by itself needs nothing done at its end.
}

/** White space that is an element. */
export function spaceOf(tag: XmlTag): string {
  if (tag.name === 'text:s') return ' '.repeat(Math.min(countOf(tag, 'text:c'), MAX_SPACES));
  return tag.name === 'text:tab' ? '\t' : '\v';
}

/** A count an attribute gives, at least 1. */
export function countOf(tag: XmlTag, attribute: string): number {
  const value = Number.parseInt(tag.attribute(attribute) ?? '1', 10);
  return Number.isSafeInteger(value) && value > 0 ? value : 1;
}

/** A paragraph as the block its heading level, style or list makes of it. */
export function blockOf(
  text: string,
  headingLevel: number | null,
  role: ParagraphRole,
  item: { marker: string; depth: number } | null,
): NewBlock {
  if (headingLevel !== null) {
    return { kind: 'heading', level: Math.min(headingLevel, MAX_HEADING_LEVEL), text };
  }
  if (role === 'title') return { kind: 'heading', level: 1, text };
  if (role === 'caption') return { kind: 'caption', text };
  if (role === 'code') return { kind: 'code', text };
  return item === null ? { kind: 'paragraph', text } : { kind: 'list-item', ...item, text };
}
