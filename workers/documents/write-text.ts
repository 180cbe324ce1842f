import type { Block, NormalizedDocument } from './blocks.ts';

/** Between a table's cells, in document.txt and in nested tables. */
export const CELL_SEPARATOR = ' | ';
/** Before a list item, once for each level above its own. */
export const LIST_INDENT = '  ';

/** Where a block's own text stands in document.txt. A marker or label before it belongs to it. */
export interface BlockSpan {
  block: Block;
  start: number;
  end: number;
  /** Where `block.text` begins: after the list marker or the note's label. */
  textStart: number;
  /** Tables only: where each row stands. */
  rows?: { start: number; end: number }[];
}

export interface PlainText {
  text: string;
  spans: BlockSpan[];
}

/** Writes document.txt: a blank line between blocks, a line break between items of a list, a table row on a line. */
export function writePlainText(document: NormalizedDocument): PlainText {
  const spans: BlockSpan[] = [];
  const pieces: string[] = [];
  let length = 0;
  const put = (piece: string) => {
    pieces.push(piece);
    length += piece.length;
  };
  let previous: Block | null = null;
  for (const block of document.blocks) {
    if (previous !== null) put(previous.kind === 'list-item' && block.kind === 'list-item' ? '\n' : '\n\n');
    previous = block;
    const start = length;
    if (block.kind === 'table') {
      const rows = putRows(block.rows, put, () => length);
      spans.push({ block, start, end: length, textStart: start, rows });
      continue;
    }
    put(labelOf(block));
    const textStart = length;
    put(block.text);
    spans.push({ block, start, end: length, textStart });
  }
  return { text: pieces.join(''), spans };
}

function putRows(rows: string[][], put: (piece: string) => void, at: () => number) {
  return rows.map((row, index) => {
    if (index > 0) put('\n');
    const start = at();
    put(row.map((cell) => cell.replaceAll('\n', ' ')).join(CELL_SEPARATOR));
    return { start, end: at() };
  });
}

function labelOf(block: Exclude<Block, { kind: 'table' }>): string {
  if (block.kind === 'list-item') {
    const indent = LIST_INDENT.repeat(block.depth);
    return block.marker === '' ? indent : `${indent}${block.marker} `;
  }
  if (block.kind === 'note') return `[${block.marker}] `;
  return '';
}
