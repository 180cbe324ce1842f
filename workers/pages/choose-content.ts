/**
 * Chooses the main content among the blocks of a page. `whole` is the region that the page marks, or everything but its
 * furniture; `article` is what Readability found.
 */

import { textWidth } from '../../src-server/platform/text/text-width.ts';
import type { Block } from '../documents/blocks.ts';
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

/** Lengths are those in Latin script. Shorter blocks are titles, menu entries and link names. */
const PROSE_CHARS = 80;

/** Left-out text counts from this length: shorter blocks are teasers. */
const LONG_PROSE_CHARS = 160;

/** A shorter line counts as a sentence if it ends like one. */
const SENTENCE_CHARS = 20;

const SENTENCE_END = /[.!?…。！？:;][\s"'”’»)\]]*$/;

/** A block with more of its text in links is a list of links. */
const MAX_LINK_SHARE = 0.3;

/** A sentence has at most this share of its text in links. */
const SENTENCE_LINK_SHARE = 0.5;

/** A paragraph with more of its text in links only leads to another page. */
const ONLY_LINK_SHARE = 0.9;

/** Code and terms are rare in news and posts: a page with them is read like a manual, whatever it declares. */
export function isManual(blocks: readonly Block[]): boolean {
  return blocks.some((block) => block.kind === 'code' || (block.kind === 'paragraph' && block.isTerm === true));
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
export function furnitureOf(region: readonly Block[], whole: readonly Block[], content: readonly Block[]): Block[] {
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
    return at < first || at > last || !isLongProse(block);
  });
}

/** The content of a page that marks nothing and does not declare itself an article. */
export function manualOf(article: Block[], whole: Block[], title: string): Block[] {
  const blocks = articleSpan(article, whole, title);
  const inAll = proseChars(whole);
  return proseChars(blocks) >= Math.max(inAll * MANUAL_SHARE, inAll - MAX_LEFT_OUT_CHARS) ? blocks : whole;
}

/** The content of a page that declares itself an article. `article` is null if Readability found none. */
export function articleOf(article: Block[] | null, whole: Block[], title: string): Block[] {
  if (article === null) return withoutLabels(whole);
  const texts = new Set(article.map(blockText));
  const left = whole.filter((block) => !texts.has(blockText(block)) && isLongProse(block));
  const leftChars = left.reduce((sum, block) => sum + textWidth(blockText(block)), 0);
  if (proseChars(article) < leftChars * ARTICLE_SHARE) return withoutLabels(whole);
  return withoutLabels(mergeArticleBlocks(article, whole, title));
}

/** Without dates, bylines and labels before the prose, labels after it, and paragraphs that are a link. */
function withoutLabels(blocks: Block[]): Block[] {
  const first = blocks.findIndex(isSentence);
  if (first === -1) return blocks;
  const last = blocks.findLastIndex((block) => isSentence(block) || block.kind === 'list-item');
  return blocks.filter((block, at) => {
    if (block.kind === 'table' || block.kind === 'caption') return true;
    if (block.kind === 'paragraph' && linkShare(block) > ONLY_LINK_SHARE) return false;
    return at < first ? block.kind === 'heading' : at <= last;
  });
}

function isSentence(block: Block): boolean {
  if (block.kind === 'code' || block.kind === 'table') return true;
  if (block.kind === 'heading' || block.kind === 'caption' || linkShare(block) > SENTENCE_LINK_SHARE) return false;
  const width = textWidth(block.text);
  return width >= PROSE_CHARS || (width > SENTENCE_CHARS && SENTENCE_END.test(block.text));
}

/** The article with its title, and with the tables and captions that Readability dropped from it. */
function mergeArticleBlocks(article: Block[], whole: Block[], title: string): Block[] {
  const places = new Map<string, number>();
  for (const [at, block] of whole.entries()) if (!places.has(blockText(block))) places.set(blockText(block), at);
  const placeInWhole = (block: Block) => places.get(blockText(block)) ?? -1;
  const inRegion = article.filter((block) => placeInWhole(block) >= 0);
  const kept = proseChars(inRegion) >= proseChars(article) * WITHIN_SHARE ? inRegion : article;
  const used = new Set(kept.map(placeInWhole));
  const blocks: Block[] = [];
  let next = kept.map(placeInWhole).find((at) => at >= 0) ?? whole.length;
  const shown = new Set(kept.map(blockText));
  const isDropped = (block: Block, at: number) => {
    const isKind = block.kind === 'table' || (block.kind === 'caption' && !shown.has(block.text));
    if (used.has(at) || !isKind || linkShare(block) >= MAX_LINK_SHARE) return false;
    if (block.kind === 'caption') shown.add(block.text);
    return true;
  };
  const ofTitle = whole.slice(0, next).findLastIndex((block) => isPageTitleBlock(block, title));
  if (ofTitle >= 0) {
    // Its picture stands between the title and the text.
    const between = whole.slice(ofTitle, next);
    blocks.push(
      ...between.filter((block, at) => at === 0 || (block.kind === 'caption' && isDropped(block, ofTitle + at))),
    );
  }
  for (const block of kept) {
    const at = placeInWhole(block);
    if (at >= next) blocks.push(...whole.slice(next, at).filter((other, index) => isDropped(other, next + index)));
    next = Math.max(next, at + 1);
    blocks.push(block);
  }
  return blocks;
}

function isLongProse(block: Block): boolean {
  return textWidth(blockText(block)) >= LONG_PROSE_CHARS && linkShare(block) < MAX_LINK_SHARE;
}

/** The share of a block's text that is in links to other pages. */
function linkShare(block: Block): number {
  if (!('marks' in block) || block.marks === undefined) return 0;
  const inLinks = block.marks.reduce((sum, { kind, start, end }) => sum + (kind === 'link' ? end - start : 0), 0);
  return inLinks / Math.max(1, blockText(block).length);
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
  const ofTitle = whole.slice(0, start).findLastIndex((block) => isPageTitleBlock(block, title));
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

function isPageTitleBlock(block: Block, title: string): boolean {
  if (block.kind !== 'heading' || title === '') return false;
  return title.startsWith(block.text) || block.text.startsWith(title);
}

function proseChars(blocks: readonly Block[]): number {
  return blocks.reduce((sum, block) => sum + proseLength(block), 0);
}

function proseLength(block: Block): number {
  const width = textWidth(blockText(block));
  return block.kind === 'code' || width >= PROSE_CHARS ? width : 0;
}

export function blockText(block: Block): string {
  return block.kind === 'table' ? block.rows.flat().join(' ') : block.text;
}
