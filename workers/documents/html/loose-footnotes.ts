/** Footnotes that nothing links: paragraphs that begin with a raised number, which stands after a word before them. */

import type { Block, InlineMark } from '../blocks.ts';

const RAISED_NUMBER = /[\u00b9\u00b2\u00b3\u2070\u2074-\u2079][\u00b9\u00b2\u00b3\u2070\u2074-\u2079]{0,2}/g;

const RAISED_START = /^([\u00b9\u00b2\u00b3\u2070\u2074-\u2079]{1,3})\s+(?=\S)/;

interface Place {
  block: number;
  start: number;
  end: number;
}

/**
 * The blocks with such paragraphs as notes, and with marks for them. The text of the marks stays. `leaveOut` receives
 * the numbers before the notes.
 */
export function withLooseFootnotes(blocks: Block[], leaveOut: (text: string) => void): Block[] {
  const notes = new Map<string, number>();
  for (const [at, block] of blocks.entries()) {
    const number = block.kind === 'paragraph' ? RAISED_START.exec(block.text)?.[1] : undefined;
    if (number === undefined) continue;
    // A second such paragraph belongs to another list: which one is meant is not known.
    notes.set(number, notes.has(number) ? -1 : at);
  }
  if (notes.size === 0) return blocks;
  const places = referencesTo(notes, blocks);
  const changed = [...blocks];
  for (const [number, { block: at, start, end }] of places) {
    const label = number.normalize('NFKC');
    const block = changed[at];
    const noteAt = notes.get(number) ?? -1;
    const note = changed[noteAt];
    if (block === undefined || note?.kind !== 'paragraph') continue;
    if (block.kind === 'table' || block.kind === 'code') continue;
    if (block.kind === 'comment' || block.kind === 'page-furniture') continue;
    const mark: InlineMark = { kind: 'footnote', start, end, label };
    changed[at] = { ...block, marks: [...(block.marks ?? []), mark] };
    leaveOut(number);
    changed[noteAt] = noteOf(note, label);
  }
  return changed;
}

/** The first reference to each note: after a word, in a block before the note. */
function referencesTo(notes: ReadonlyMap<string, number>, blocks: readonly Block[]): Map<string, Place> {
  const places = new Map<string, Place>();
  for (const [at, block] of blocks.entries()) {
    if (block.kind === 'table' || block.kind === 'code') continue;
    for (const match of block.text.matchAll(RAISED_NUMBER)) {
      const [number] = match;
      const note = notes.get(number) ?? -1;
      const before = block.text[match.index - 1] ?? ' ';
      if (note <= at || places.has(number) || !/[\p{L}\p{P}]/u.test(before)) continue;
      places.set(number, { block: at, start: match.index, end: match.index + number.length });
    }
  }
  return places;
}

function noteOf(block: Extract<Block, { kind: 'paragraph' }>, marker: string): Block {
  const [label = ''] = RAISED_START.exec(block.text) ?? [];
  const { text, marks, page, images } = block;
  const moved = marks?.flatMap((mark) => {
    const [start, end] = [Math.max(0, mark.start - label.length), mark.end - label.length];
    return end > start || (end === start && mark.start === mark.end) ? [{ ...mark, start, end }] : [];
  });
  return {
    kind: 'note',
    marker,
    text: text.slice(label.length),
    page,
    ...(images !== undefined && { images }),
    ...(moved !== undefined && moved.length > 0 && { marks: moved }),
  };
}
