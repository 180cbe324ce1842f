/**
 * Headings: tagged ones first, then those the outline names, then what stands out from the body by size or weight.
 */

import type { PdfFacts } from '../tasks.ts';
import { hasCode } from './code.ts';
import { findFacedTitles, findSpacedTitles } from './faced-titles.ts';
import type { PageLine } from './page-content.ts';
import { findPaperSections } from './paper-sections.ts';
import { bodySizeOf, isCaption, LEADER_TO_NUMBER, listMarkerOf } from './paragraphs.ts';
import { groupLineRows } from './reading-order.ts';

const LEVELS_MAX = 6;

/** Factor over the body size from which a short paragraph is a heading; sizes estimated from pixels need more. */
const LARGER = 1.15;

const LARGER_RECOGNIZED = 1.5;

const LARGER_THAN_CODE = 1.1;

const HEADING_ROWS_MAX = 5;

const HEADING_CHARS_MAX = 200;

const BOLD_HEADING_CHARS_MAX = 100;

const BOLD_HEADING_ROWS_MAX = 2;

const LOGO_TOP_POINTS = 100;

const LOGO_SIZES = 2;

const LOGO_WORDS_MAX = 2;

const NUMBERED = /^(\d{1,3}(?:\.\d{1,3}){0,5})\.?\s+\p{L}/u;

const HAS_LETTER = /\p{L}/u;

/** The number of a page, and not the title of a part. */
const ROMAN_PAGE = /^[ivxlc]{1,6}$/;

/** A line in bold that goes on within a sentence is no title. */
const BEGINS_WITHIN = /^["'“‘(]*\p{Ll}/u;

const ENDS_LIKE_TEXT = /[.,;:]$/;

/** Above this share of tagged heading text the tags are unreliable. */
const TAGGED_SHARE_MAX = 0.5;

export class Headings {
  readonly #bodySize: number;
  readonly #codeSize: number;
  readonly #outline: Map<string, number>;
  readonly #trustTags: boolean;
  readonly #sizes: number[];
  readonly #sections: ReadonlyMap<PageLine, number>;
  /** Those in a font that only titles have, or between paragraphs of text. */
  readonly #faced: ReadonlySet<readonly PageLine[]>;
  /** Bold ones that are smaller than the text of the document, and larger than what stands below them. */
  readonly #small: ReadonlySet<readonly PageLine[]>;
  /** Level of headings numbered with one number, if numbers state the levels. */
  readonly #numberedLevel: number | null;

  /** `paragraphs` are those of the whole document. */
  constructor(paragraphs: readonly PageLine[][], outline: PdfFacts['outline']) {
    const lines = paragraphs.flat();
    // Code may be longer than the text, and is often smaller.
    this.#bodySize = bodySizeOf(hasCode(lines) ? lines.filter(({ mono }) => mono !== true) : lines);
    this.#codeSize = bodySizeOf(lines.filter(({ mono }) => mono === true));
    this.#outline = new Map(outline.map(({ page, title, level }) => [`${page}|${headingTitleKey(title)}`, level]));
    this.#trustTags = taggedShare(lines) <= TAGGED_SHARE_MAX;
    const larger = paragraphs.filter((paragraph) => this.#standsOut(paragraph)).map(paragraphFontSize);
    this.#sizes = [...new Set(larger)].sort((a, b) => b - a);
    this.#faced = findFacedTitles(paragraphs, this.#bodySize).union(findSpacedTitles(paragraphs));
    this.#small = new Set(paragraphs.filter((one, at) => isOverSmallPrint(one, paragraphs[at + 1])));
    this.#numberedLevel = this.#levelOfNumbered(paragraphs);
    this.#sections = findPaperSections(paragraphs, this.#bodySize);
  }

  /** Numbers state the levels if headings of one size have numbers of different depth, as in 1 and 1.1. */
  #levelOfNumbered(paragraphs: readonly PageLine[][]): number | null {
    const depths = new Map<number, Set<number>>();
    let first = LEVELS_MAX;
    for (const paragraph of paragraphs) {
      const text = joinLineTexts(paragraph);
      const depth = numberDepth(text);
      const level = depth === null ? null : this.#levelBySize(paragraph, text);
      if (depth === null || level === null) continue;
      depths.set(level, (depths.get(level) ?? new Set()).add(depth));
      first = Math.min(first, Math.max(1, level - depth + 1));
    }
    return [...depths.values()].some(({ size }) => size > 1) ? first : null;
  }

  /** Heading level, 1 to 6; null if the paragraph is no heading. */
  pdfHeadingLevel(paragraph: readonly PageLine[], text: string, page: number): number | null {
    const tag = paragraph[0]?.tag;
    if (tag?.kind === 'heading' && this.#trustTags) return LEADER_TO_NUMBER.test(text) ? null : tag.level;
    const stated = this.#outline.get(`${page}|${headingTitleKey(text)}`);
    if (stated !== undefined && text.length <= HEADING_CHARS_MAX) return Math.min(LEVELS_MAX, stated);
    const first = paragraph[0];
    const isNumberedItem = tag?.kind === 'list-item' && first !== undefined && this.#sections.has(first);
    if (tag != null && tag.kind !== 'paragraph' && tag.kind !== 'heading' && !isNumberedItem) return null;
    const level = this.#levelBySize(paragraph, text);
    const section = first === undefined || this.#standsOut(paragraph) ? undefined : this.#sections.get(first);
    const number = numberDepth(text);
    if (section !== undefined && (number === null || this.#numberedLevel === null)) {
      return Math.min(LEVELS_MAX, this.#sizes.length + section);
    }
    const isTitle = level !== null || section !== undefined;
    const depth = this.#numberedLevel === null || !isTitle ? null : number;
    return depth === null ? level : Math.min(LEVELS_MAX, (this.#numberedLevel ?? 1) + depth - 1);
  }

  /** A name in the font of code is a title if it is larger than the text. */
  isTitleLike(paragraph: readonly PageLine[]): boolean {
    return groupLineRows(paragraph).length === 1 && (this.#standsOut(paragraph) || paragraph.every(this.#isBoldTitle));
  }

  /** Bold code is a title only if it is larger than other code. */
  readonly #isBoldTitle = ({ bold, mono, size }: PageLine): boolean =>
    bold && size >= this.#bodySize * 0.95 && (mono !== true || size >= this.#codeSize * LARGER_THAN_CODE);

  #levelBySize(paragraph: readonly PageLine[], text: string): number | null {
    if (this.#standsOut(paragraph)) return Math.min(LEVELS_MAX, this.#sizes.indexOf(paragraphFontSize(paragraph)) + 1);
    return this.#isBoldHeading(paragraph, text) || this.#faced.has(paragraph)
      ? Math.min(LEVELS_MAX, this.#sizes.length + 1)
      : null;
  }

  #standsOut(paragraph: readonly PageLine[]): boolean {
    const first = paragraph[0];
    if (first === undefined || groupLineRows(paragraph).length > HEADING_ROWS_MAX) return false;
    const text = joinLineTexts(paragraph);
    if (first.recognized && isLogo(first, text, this.#bodySize)) return false;
    if (text.length > HEADING_CHARS_MAX || !mayBeTitle(paragraph, text)) return false;
    const needed = first.recognized ? LARGER_RECOGNIZED : LARGER;
    return paragraph.every((line) => line.size >= this.#bodySize * needed);
  }

  #isBoldHeading(paragraph: readonly PageLine[], text: string): boolean {
    if (listMarkerOf(text)?.bullet === true) return false;
    if (text.length > BOLD_HEADING_CHARS_MAX || groupLineRows(paragraph).length > BOLD_HEADING_ROWS_MAX) return false;
    if (!mayBeTitle(paragraph, text) || ENDS_LIKE_TEXT.test(text) || BEGINS_WITHIN.test(text)) return false;
    return paragraph.every(this.#isBoldTitle) || this.#small.has(paragraph);
  }
}

/** Whether bold lines are titles of a text in small print below them. */
function isOverSmallPrint(paragraph: readonly PageLine[], below: readonly PageLine[] | undefined): boolean {
  const [title, text] = [paragraph.at(-1), below?.[0]];
  if (title === undefined || text === undefined || text.tag !== null || text.bold) return false;
  const isBelow = text.top >= title.bottom - 1 && text.left < title.right && text.right > title.left;
  return isBelow && paragraph.every(({ bold, mono, size }) => bold && mono !== true && size >= LARGER * text.size);
}

/** Whether a text is no caption, entry of contents, number of a page, or text that runs up or down. */
function mayBeTitle(paragraph: readonly PageLine[], text: string): boolean {
  if (!HAS_LETTER.test(text) || LEADER_TO_NUMBER.test(text) || ROMAN_PAGE.test(text) || isCaption(text)) return false;
  return paragraph.some((line) => line.text.length < 2 || line.right - line.left >= line.bottom - line.top);
}

function joinLineTexts(paragraph: readonly PageLine[]): string {
  return paragraph.map((line) => line.text).join(' ');
}

/** A word or two of great size at the top of a scan. */
function isLogo({ top, size }: PageLine, text: string, bodySize: number): boolean {
  return top < LOGO_TOP_POINTS && size >= LOGO_SIZES * bodySize && text.split(/\s+/).length <= LOGO_WORDS_MAX;
}

/** Count of the numbers before a title, as 2 in `1.1 Ships`; null without any. */
function numberDepth(text: string): number | null {
  return NUMBERED.exec(text)?.[1]?.split('.').length ?? null;
}

function paragraphFontSize(paragraph: readonly PageLine[]): number {
  return Math.round((paragraph[0]?.size ?? 0) * 2) / 2;
}

function taggedShare(lines: readonly PageLine[]): number {
  let tagged = 0;
  let all = 0;
  for (const { tag, text } of lines) {
    all += text.length;
    if (tag?.kind === 'heading') tagged += text.length;
  }
  return tagged / Math.max(1, all);
}

function headingTitleKey(title: string): string {
  return title.replace(/[^\p{L}\p{N}]+/gu, '').toLowerCase();
}
