/**
 * Chooses the main content among the blocks of a page: prose is pruned, manuals and
 * lists of pages are not. `whole` is the region that the page marks, or everything but its furniture; `article` is what
 * Readability found.
 */

import { textWidth } from '../../src-server/platform/text/text-width.ts';
import type { Block, InlineMark } from '../documents/blocks.ts';
import {
  blockText,
  isLongProse,
  isPageTitle,
  isSentence,
  linkBlockShare,
  linkShare,
  MAX_LINK_SHARE,
  PROSE_CHARS,
  proseChars,
  proseLength,
  sentenceChars,
} from './block-evidence.ts';
import { LEADS_AWAY_SHARE, pruneProse } from './prune-prose.ts';
import type { ReadRegion } from './read-region.ts';

/**
 * In a page with many equal sections, such as a manual, Readability takes one section for the article. So an article
 * with less than this share of the page's prose and code is rejected.
 */
const MANUAL_SHARE = 0.9;

/** Bound on the dropped text: a tenth of a long page can be whole sections; this much may be teasers of other pages. */
const MAX_LEFT_OUT_CHARS = 2000;

/** In news and posts, an article is believed from this share of the long prose that it left out. */
const ARTICLE_SHARE = 0.5;

/** Readability's blocks outside the marked region are dropped if those inside have this share of its prose. */
const WITHIN_SHARE = 0.8;

/** A page with more of its text in blocks of links is a list of pages. */
const LISTING_SHARE = 0.4;

/** Less prose is no article that something stands around. */
const MIN_PROSE_CHARS = 250;

/** A heading before the text, as long as this, is its summary. */
const SUMMARY_CHARS = 40;

/** A paragraph before the text, as long as this, is its summary. */
const LEAD_CHARS = 60;

/**
 * Code is rare in news and posts: a page with it is read like a manual, whatever it declares. One with terms or
 * formulas too, unless it declares itself an article: news sites list their stories with dates as terms.
 */
export function isManual(blocks: readonly Block[], isArticle: boolean): boolean {
  return blocks.some((block) => {
    if (block.kind === 'code') return true;
    if (isArticle) return false;
    if (block.kind === 'paragraph' && block.isTerm === true) return true;
    return 'marks' in block && block.marks?.some(({ kind }) => kind === 'formula') === true;
  });
}

/** The blocks outside boxes. A box with at least half of the text is content. */
export function withoutBoxes({ blocks, boxes }: ReadRegion, isArticle: boolean): Block[] {
  const sums = [0];
  for (const block of blocks) sums.push((sums.at(-1) ?? 0) + proseLength(block));
  const all = sums.at(-1) ?? 0;
  const isBoxed = new Uint8Array(blocks.length);
  for (const { start, end, of } of boxes) {
    if (of === 'article' && !isArticle) continue;
    const inside = (sums[end] ?? all) - (sums[start] ?? 0);
    if (inside * 2 < all || (all === 0 && end - start < blocks.length)) isBoxed.fill(1, start, end);
  }
  return blocks.filter((_, at) => isBoxed[at] === 0);
}

/**
 * The blocks of a region that are left out of the content as furniture. Prose between blocks of the content is no
 * furniture, unless it is in a box: where it is not delivered, it is missing.
 */
export function furnitureOf(
  region: readonly Block[],
  whole: readonly Block[],
  { blocks: content, pruned }: { blocks: readonly Block[]; pruned: readonly Block[] },
): Block[] {
  const isPruned = new Set(pruned.map(blockText));
  const counts = new Map<string, number>();
  for (const block of content) counts.set(blockText(block), (counts.get(blockText(block)) ?? 0) + 1);
  const isUnboxed = new Set(whole);
  const isDelivered = region.map((block) => {
    const count = counts.get(blockText(block)) ?? 0;
    if (count > 0 && isUnboxed.has(block)) counts.set(blockText(block), count - 1);
    return count > 0 && isUnboxed.has(block);
  });
  // Readability joins blocks, and splits them.
  const others = [...counts].flatMap(([text, count]) => (count > 0 ? [text] : [])).join('\n');
  const first = isDelivered.indexOf(true);
  const last = isDelivered.lastIndexOf(true);
  return region.filter((block, at) => {
    if (isDelivered[at] === true) return false;
    if (!isUnboxed.has(block)) return true;
    if (others.includes(blockText(block))) return false;
    return at < first || at > last || !isLongProse(block) || isPruned.has(blockText(block));
  });
}

/** The content of a page that marks nothing and does not declare itself an article. */
export function manualOf(article: Block[], whole: Block[], title: string): Block[] {
  const blocks = articleSpan(article, whole, title);
  const inAll = proseChars(whole);
  return proseChars(blocks) >= Math.max(inAll * MANUAL_SHARE, inAll - MAX_LEFT_OUT_CHARS) ? blocks : whole;
}

/**
 * The content of a page of prose. `article` is null if Readability found none, or was not asked. A page that does not
 * declare itself an article, and has most of its text in links, is a list of pages: it is left whole. `pruned`: what is
 * left out of the reading.
 */
export function proseOf(
  article: Block[] | null,
  whole: Block[],
  { title, isArticle }: { title: string; isArticle: boolean },
): { blocks: Block[]; pruned: Block[] } {
  const isPart = article !== null && (isMinorPart(article, whole) || (!isArticle && leavesSections(article, whole)));
  const chosen = article === null || isPart ? whole : mergeArticleBlocks(article, whole, title);
  if (!isArticle && sentenceChars(chosen) < MIN_PROSE_CHARS) return { blocks: whole, pruned: [] };
  if (!isArticle && linkBlockShare(chosen, LEADS_AWAY_SHARE) > LISTING_SHARE) return { blocks: whole, pruned: [] };
  const blocks = pruneProse(chosen, title);
  const kept = new Set(blocks);
  return { blocks, pruned: chosen.filter((block) => !kept.has(block)) };
}

function isMinorPart(article: readonly Block[], whole: readonly Block[]): boolean {
  const texts = new Set(article.map(blockText));
  const left = whole.filter((block) => !texts.has(blockText(block)) && isLongProse(block));
  return proseChars(article) < left.reduce((sum, block) => sum + textWidth(blockText(block)), 0) * ARTICLE_SHARE;
}

/** Whether the article leaves out as much prose as whole sections have. */
function leavesSections(article: readonly Block[], whole: readonly Block[]): boolean {
  const unlinked = (blocks: readonly Block[]) =>
    proseChars(blocks.filter((block) => linkShare(block) < MAX_LINK_SHARE));
  return unlinked(whole) - unlinked(article) >= MAX_LEFT_OUT_CHARS;
}

/** The article with its title and summary, and with what Readability dropped from its midst. */
function mergeArticleBlocks(article: readonly Block[], whole: readonly Block[], title: string): Block[] {
  const places = new Map<string, number>();
  for (const [at, block] of whole.entries()) if (!places.has(blockText(block))) places.set(blockText(block), at);
  const placeInWhole = (block: Block) => places.get(blockText(block)) ?? -1;
  const inRegion = article.filter((block) => placeInWhole(block) >= 0);
  const kept = proseChars(inRegion) >= proseChars(article) * WITHIN_SHARE ? inRegion : article;
  const dropped = new DroppedBlocks(kept, new Set(kept.map(placeInWhole)));
  let next = kept.map(placeInWhole).find((at) => at >= 0) ?? whole.length;
  const ofTitle = whole.slice(0, next).findLastIndex((block) => isPageTitle(block, title));
  const blocks =
    ofTitle < 0 ? [] : whole.slice(ofTitle, next).filter((block, at) => at === 0 || dropped.isOfHead(block));
  for (const block of kept) {
    const at = placeInWhole(block);
    if (at >= next) {
      const start = next;
      blocks.push(...whole.slice(start, at).filter((other, index) => dropped.isOfText(other, start + index)));
    }
    next = Math.max(next, at + 1);
    blocks.push(block);
  }
  const end = whole.slice(next).findIndex((block) => !dropped.isMoreText(block));
  blocks.push(...whole.slice(next, end === -1 ? whole.length : next + end));
  return [...blocks, ...missingNotes(blocks, whole)];
}

/** The footnotes to which the blocks refer, and that they lack: Readability drops them by their class. */
function missingNotes(blocks: readonly Block[], whole: readonly Block[]): Block[] {
  const labels = new Set(blocks.flatMap(footnoteLabels));
  for (const block of blocks) if (block.kind === 'note') labels.delete(block.marker);
  return whole.filter((block) => block.kind === 'note' && labels.has(block.marker));
}

/** The blocks without marks for footnotes that they lack. The text of the marks stays. */
export function withoutDanglingFootnotes(blocks: Block[]): Block[] {
  if (!blocks.some((block) => footnoteLabels(block).length > 0)) return blocks;
  const notes = new Set(blocks.flatMap((block) => (block.kind === 'note' ? [block.marker] : [])));
  return blocks.map((block) => {
    if (footnoteLabels(block).every((label) => notes.has(label)) || !('marks' in block)) return block;
    const isKept = ({ kind, label }: InlineMark) => kind !== 'footnote' || label === undefined || notes.has(label);
    if (block.kind === 'table') return { ...block, marks: block.marks?.filter(isKept) ?? [] };
    return { ...block, marks: block.marks?.filter(isKept) ?? [] };
  });
}

const NO_LABELS: readonly string[] = [];

function footnoteLabels(block: Block): readonly string[] {
  if (!('marks' in block) || block.marks?.some(({ kind }) => kind === 'footnote') !== true) return NO_LABELS;
  const marks: readonly InlineMark[] = block.marks;
  return marks.flatMap(({ kind, label }) => (kind === 'footnote' && label !== undefined ? [label] : []));
}

/** Tells which of the blocks that Readability dropped belong to the article. */
class DroppedBlocks {
  readonly #shown: Set<string>;
  /** Places of the article's blocks in the page. */
  readonly #used: Set<number>;

  constructor(article: readonly Block[], used: Set<number>) {
    this.#shown = new Set(article.map(blockText));
    this.#used = used;
  }

  /** Between the title and the text: the summary, and the caption of the first picture. */
  isOfHead(block: Block): boolean {
    if (linkShare(block) >= MAX_LINK_SHARE || this.#shown.has(blockText(block))) return false;
    const isSummary =
      (block.kind === 'heading' && textWidth(block.text) >= SUMMARY_CHARS) ||
      (block.kind === 'paragraph' && textWidth(block.text) >= LEAD_CHARS && isSentence(block));
    if (block.kind === 'caption') this.#shown.add(block.text);
    return isSummary || block.kind === 'caption';
  }

  /** Within the text: tables, captions, headings of a kept block, prose, and sentences between kept blocks. */
  isOfText(block: Block, at: number): boolean {
    if (this.#used.has(at) || linkShare(block) >= MAX_LINK_SHARE) return false;
    if (block.kind !== 'table' && this.#shown.has(blockText(block))) return false;
    if (!this.#isPart(block, at)) return false;
    this.#used.add(at);
    this.#shown.add(blockText(block));
    return true;
  }

  /** Directly after the text, without a heading: long prose. */
  isMoreText(block: Block): boolean {
    return isLongProse(block) && !this.#shown.has(blockText(block));
  }

  #isPart(block: Block, at: number): boolean {
    if (block.kind === 'table' || block.kind === 'caption') return true;
    if (block.kind === 'heading') return this.#used.has(at + 1);
    return isLongProse(block) || (isSentence(block) && this.#used.has(at - 1) && this.#used.has(at + 1));
  }
}

/**
 * The page from its title, or the article's first block, to the article's last. Inside an article Readability also
 * drops short or link-rich parts: headings in boxes, examples, reference lists.
 */
function articleSpan(article: Block[], whole: Block[], title: string): Block[] {
  const places = new Map<string, number>();
  const texts = whole.map(blockText);
  for (const [at, text] of texts.entries()) places.set(text, places.has(text) ? -1 : at);
  const found = article.map((block) => places.get(blockText(block)) ?? -1).filter((at) => at >= 0);
  if (found.length === 0) return article;
  let end = found.reduce((last, at) => Math.max(last, at)) + 1;
  while (isExample(whole[end])) end += 1;
  end = endOfSections(whole, found, end);
  let start = found.reduce((first, at) => Math.min(first, at));
  const ofTitle = whole.slice(0, start).findLastIndex((block) => isPageTitle(block, title));
  if (ofTitle >= 0) start = ofTitle;
  while (whole[start - 1]?.kind === 'heading') start -= 1;
  return whole.slice(start, end);
}

/** Later sections of the page have headings like those of the article: at least two of the same level. */
function endOfSections(whole: Block[], found: readonly number[], end: number): number {
  const levels = new Map<number, number>();
  for (const at of found) {
    const block = whole[at];
    if (block?.kind === 'heading') levels.set(block.level, (levels.get(block.level) ?? 0) + 1);
  }
  const next = whole[end];
  return next?.kind === 'heading' && (levels.get(next.level) ?? 0) >= 2 ? whole.length : end;
}

/** An example directly after the text, without a heading, belongs to it. Code and long tables are no menus. */
function isExample(block: Block | undefined): boolean {
  return block?.kind === 'code' || (block?.kind === 'table' && textWidth(blockText(block)) >= PROSE_CHARS);
}
