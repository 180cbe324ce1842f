/** Signs and places of blocks, which reStructuredText, AsciiDoc and Org have in common. */

import { byName } from '../../../src-server/platform/records.ts';
import type { Said } from '../../../src-server/platform/text/say.ts';
import type { Block } from '../blocks.ts';
import type { DocumentBuilder, NewBlock } from '../document-builder.ts';
import { closeSign, type InlineValues, signedText } from '../inline-marks.ts';
import { BULLET } from '../list-markers.ts';

/** Quotations, list items and definitions inside each other. */
export const PLACES_MAX = 40;

const LEVEL_MAX = 6;

const DEPTH_MAX = 8;

/** Where blocks stand. */
export interface Place {
  /** Quotations around them. */
  quotes: number;
  /** List items around them. */
  items: number;
  /** All of what is around them. */
  depth: number;
}

export const OUTERMOST: Place = { quotes: 0, items: 0, depth: 0 };

export function quotedPlace({ quotes, items, depth }: Place): Place {
  return { quotes: quotes + 1, items, depth: depth + 1 };
}

export function itemPlace({ quotes, items, depth }: Place): Place {
  return { quotes, items: items + 1, depth: depth + 1 };
}

export function innerPlace({ quotes, items, depth }: Place): Place {
  return { quotes, items, depth: depth + 1 };
}

type Callout = Extract<Block, { kind: 'paragraph' }>['callout'];

/** Admonitions by their name. */
const CALLOUTS: Readonly<Record<string, NonNullable<Callout>>> = byName({
  admonition: 'NOTE',
  attention: 'WARNING',
  caution: 'CAUTION',
  danger: 'CAUTION',
  error: 'CAUTION',
  hint: 'TIP',
  important: 'IMPORTANT',
  note: 'NOTE',
  seealso: 'NOTE',
  tip: 'TIP',
  todo: 'NOTE',
  warning: 'WARNING',
});

export function isAdmonition(name: string): boolean {
  return Object.hasOwn(CALLOUTS, name.toLowerCase());
}

/** What a list item or a field begins with, until the text that follows. */
export interface BlockLead {
  marker?: string;
  /** Before the text. */
  label?: string;
}

export class MarkupBuilder {
  title: string | null = null;
  author: string | null = null;
  readonly #builder: DocumentBuilder;
  readonly #values: InlineValues;
  #callout: Callout;
  #isAfterRule = false;

  constructor(builder: DocumentBuilder) {
    this.#builder = builder;
    this.#values = builder.useInlineSigns();
  }

  checkMarkup(): void {
    this.#builder.checkCancellation();
  }

  addMarkupWarning(sentence: Said): void {
    this.#builder.addWarning(sentence);
  }

  addMarkupBlock(block: NewBlock, place: Place): void {
    if (block.kind !== 'comment' && block.kind !== 'page-furniture') {
      if (place.quotes > 0) block.isQuoted = true;
      if (place.quotes > 1) block.quoteDepth = place.quotes;
      if (this.#callout !== undefined) block.callout = this.#callout;
      if (this.#isAfterRule) block.afterRule = true;
    }
    if ((block.kind === 'paragraph' || block.kind === 'code') && place.items > 0) {
      block.inList = Math.min(DEPTH_MAX, place.items - 1);
    }
    this.#callout = undefined;
    this.#isAfterRule = false;
    this.#builder.addDocumentBlock(block);
  }

  addMarkupHeading(level: number, text: string, place: Place): void {
    this.title ??= text.trim();
    this.addMarkupBlock({ kind: 'heading', level: Math.min(LEVEL_MAX, level), text: text.trim() }, place);
  }

  /** A paragraph, or the item or field that it begins. */
  addMarkupText(text: string, place: Place, lead: BlockLead | null = null): void {
    const labelled = (lead?.label ?? '') + text;
    if (lead?.marker === undefined) {
      this.addMarkupBlock({ kind: 'paragraph', text: labelled }, place);
      return;
    }
    const depth = Math.min(DEPTH_MAX, Math.max(0, place.items - 1));
    this.addMarkupBlock({ kind: 'list-item', depth, marker: lead.marker, text: labelled }, place);
  }

  /** A picture's description, with its address. */
  addMarkupPicture(alt: string, url: string, place: Place): void {
    const caption: NewBlock = { kind: 'caption', text: alt };
    if (url !== '') caption.marks = [{ kind: 'image', start: 0, end: alt.length, url }];
    this.addMarkupBlock(caption, place);
  }

  /** The title of an admonition, whose blocks follow in the place that is returned. */
  openAdmonition(name: string, title: string, place: Place): Place {
    const inner = quotedPlace(place);
    this.#callout = CALLOUTS[name.toLowerCase()] ?? 'NOTE';
    this.addMarkupBlock({ kind: 'paragraph', text: title, hasCalloutTitle: true }, inner);
    return inner;
  }

  setRuleBefore(): void {
    this.#isAfterRule = true;
  }

  /** Null if no reader may follow the address. */
  signedLink(url: string, inner: string): string | null {
    const open = this.#values.openAddress(url);
    return open === null || inner === '' ? null : open + inner + closeSign('link');
  }
}

export function signedFootnote(marker: string): string {
  return signedText('footnote', `[${marker}]`);
}

/** A box as Markdown has it. */
export function signedTaskBox(isChecked: boolean): string {
  return `${signedText('verbatim', isChecked ? '[x]' : '[ ]')} `;
}

export function itemMarker(mark: string, count: number): string {
  if (/^[-*+•‣⁃]/.test(mark)) return BULLET;
  return /^\.+$|#/.test(mark) ? `${count}.` : mark.replace(/^\(/, '');
}

/** Lines without the indent that all of them have. */
export function dedentLines(lines: readonly string[]): string[] {
  let indent = Number.POSITIVE_INFINITY;
  for (const line of lines) if (line.trim() !== '') indent = Math.min(indent, line.search(/\S/));
  return Number.isFinite(indent) ? lines.map((line) => line.slice(indent)) : [...lines];
}

/** Lines without empty ones at their ends. */
export function trimLines(lines: readonly string[]): string[] {
  let [start, end] = [0, lines.length];
  while (start < end && (lines[start] ?? '').trim() === '') start += 1;
  while (end > start && (lines[end - 1] ?? '').trim() === '') end -= 1;
  return lines.slice(start, end);
}

/** Paragraphs, which empty lines separate, with their lines joined. */
export function linesToParagraphs(lines: readonly string[]): string[] {
  const paragraphs: string[][] = [[]];
  for (const line of lines) {
    if (line.trim() === '') paragraphs.push([]);
    else paragraphs.at(-1)?.push(line.trim());
  }
  return paragraphs.filter((one) => one.length > 0).map((one) => one.join(' '));
}

/** Rows of equal length. */
export function squareRows(rows: readonly string[][]): string[][] {
  const width = rows.reduce((widest, row) => Math.max(widest, row.length), 1);
  return rows.map((row) => [...row, ...new Array<string>(Math.max(0, width - row.length)).fill('')]);
}
