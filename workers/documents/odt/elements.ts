import type { NewBlock } from '../document-builder.ts';
import type { Formula } from '../math.ts';
import type { XmlElement } from '../xml.ts';
import type { OdtStyles, ParagraphRole } from './styles.ts';

/** Levels of OpenDocument. The bound limits heading paths, which contain every level above. */
const MAX_HEADING_LEVEL = 10;

/** Upper bound on the spaces of one `text:s`. */
const MAX_SPACES = 100;

export interface Paragraph {
  text: string;
  page: number;
  /** Sinks open when the heading or paragraph opened; blocks that open inside it at this depth follow it. */
  depth: number;
  after: { block: NewBlock; page: number }[];
  /** True for text about the document, not of it: authors, dates, note marks. */
  isCapture: boolean;
  /** Emphasis of its last text. */
  flags: number;
}

/** What an object in a frame holds: a formula with its place in the text, or blocks. */
export interface EmbeddedObject {
  formula: Formula;
  blocks: readonly NewBlock[];
}

/** Receives finished blocks: the document, or a cell, note or comment that turns them into lines. */
export interface Sink {
  add(block: NewBlock, page: number): void;
}

/** Elements without document text, or with text that also occurs elsewhere. */
export const SKIPPED = new Set([
  ...['office:scripts', 'office:font-face-decls', 'office:forms', 'office:binary-data', 'office:event-listeners'],
  ...['text:sequence-decls', 'text:variable-decls', 'text:user-field-decls', 'text:dde-connection-decls'],
  ...['text:table-of-content-source', 'text:alphabetical-index-source', 'text:illustration-index-source'],
  ...['text:table-index-source', 'text:object-index-source', 'text:user-index-source', 'text:bibliography-source'],
  ...['text:ruby-text', 'svg:title', 'table:title', 'table:desc', 'math:annotation'],
]);

/** Hidden text, paragraphs and sections. */
export function isHiddenOdtTag(tag: XmlElement, styles: OdtStyles): boolean {
  if (tag.name === 'text:section') return tag.attributeValue('text:display') === 'none';
  const isParagraph = tag.name === 'text:p' || tag.name === 'text:h';
  if (!isParagraph && tag.name !== 'text:span') return false;
  return styles.isHiddenStyle(isParagraph ? 'paragraph' : 'text', tag.attributeValue('text:style-name'));
}

export function endWithoutAction(): void {
  // An element without meaning needs no action at its end.
}

/** The text of a white-space element. */
export function spaceOf(tag: XmlElement): string {
  if (tag.name === 'text:s') return ' '.repeat(Math.min(positiveCountAttribute(tag, 'text:c'), MAX_SPACES));
  return tag.name === 'text:tab' ? '\t' : '\v';
}

/** A count from an attribute, at least 1. */
export function positiveCountAttribute(tag: XmlElement, attribute: string): number {
  const value = Number.parseInt(tag.attributeValue(attribute) ?? '1', 10);
  return Number.isSafeInteger(value) && value > 0 ? value : 1;
}

/** The block of a paragraph, decided by its heading level, style or list. */
export function odtParagraphBlock(
  text: string,
  headingLevel: number | null,
  role: ParagraphRole,
  item: { marker: string; depth: number } | null,
): NewBlock {
  if (headingLevel !== null) {
    return { kind: 'heading', level: Math.min(headingLevel, MAX_HEADING_LEVEL), text };
  }
  if (role === 'title') return { kind: 'heading', level: 1, isTitle: true, text };
  if (role === 'caption') return { kind: 'caption', text };
  if (role === 'code') return { kind: 'code', text };
  if (role === 'quote' && item === null) return { kind: 'paragraph', text, isQuoted: true };
  return item === null ? { kind: 'paragraph', text } : { kind: 'list-item', ...item, text };
}
