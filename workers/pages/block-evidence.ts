/** What a block of a page shows about its kind: how much of it is prose, and how much of it leads to other pages. */

import { textWidth } from '../../src-server/platform/text/text-width.ts';
import type { Block, InlineMark } from '../documents/blocks.ts';

/** Lengths are those in Latin script. Shorter blocks are titles, menu entries and link names. */
export const PROSE_CHARS = 80;

/** Left-out text counts from this length: shorter blocks are teasers. */
const LONG_PROSE_CHARS = 160;

/** A shorter line counts as a sentence if it ends like one. */
const SENTENCE_CHARS = 20;

const SENTENCE_END = /[.!?…。！？:;][\s"'”’»)\]]*$/;

/** A block with more of its text in links is a list of links. */
export const MAX_LINK_SHARE = 0.3;

/** A sentence has at most this share of its text in links. */
const SENTENCE_LINK_SHARE = 0.5;

export function blockText(block: Block): string {
  return block.kind === 'table' ? block.rows.flat().join(' ') : block.text;
}

/** The share of a block's text that is in links to other pages. */
export function linkShare(block: Block): number {
  if (!('marks' in block) || block.marks === undefined) return 0;
  const marks: readonly InlineMark[] = block.marks;
  const inLinks = marks.reduce((sum, { kind, start, end }) => sum + (kind === 'link' ? end - start : 0), 0);
  return inLinks / Math.max(1, blockText(block).length);
}

export function isSentence(block: Block): boolean {
  if (block.kind === 'code' || block.kind === 'table' || block.kind === 'note') return true;
  if (block.kind === 'heading' || block.kind === 'caption' || linkShare(block) > SENTENCE_LINK_SHARE) return false;
  const width = textWidth(block.text);
  return width >= PROSE_CHARS || (width > SENTENCE_CHARS && SENTENCE_END.test(block.text));
}

export function isLongProse(block: Block): boolean {
  return textWidth(blockText(block)) >= LONG_PROSE_CHARS && linkShare(block) < MAX_LINK_SHARE;
}

export function isPageTitle(block: Block, title: string): boolean {
  if (block.kind !== 'heading' || title === '') return false;
  return (
    title.startsWith(block.text) || block.text.startsWith(title) || (block.level === 1 && title.includes(block.text))
  );
}

export function proseChars(blocks: readonly Block[]): number {
  return blocks.reduce((sum, block) => sum + proseLength(block), 0);
}

export function sentenceChars(blocks: readonly Block[]): number {
  return blocks.reduce((sum, block) => sum + (isSentence(block) ? textWidth(blockText(block)) : 0), 0);
}

export function proseLength(block: Block): number {
  const width = textWidth(blockText(block));
  return block.kind === 'code' || width >= PROSE_CHARS ? width : 0;
}

/** The share of the text of blocks that is in blocks of links. */
export function linkBlockShare(blocks: readonly Block[], minShare: number): number {
  let [all, links] = [0, 0];
  for (const block of blocks) {
    const width = textWidth(blockText(block));
    all += width;
    if (linkShare(block) > minShare) links += width;
  }
  return links / Math.max(1, all);
}
