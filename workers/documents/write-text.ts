import type { Block, NormalizedDocument } from './blocks.ts';

/** Separates the cells of a table, in document.txt and in nested tables. */
export const CELL_SEPARATOR = ' | ';
/** Indents a list item, once per level above its own. */
export const LIST_INDENT = '  ';

/** Position of a block in document.txt, including its marker or label. */
export interface BlockSpan {
  block: Block;
  start: number;
  end: number;
  /** Offset of `block.text`, after the list marker or note label. */
  textStart: number;
  /** Tables only: the position of each row. */
  rows?: { start: number; end: number }[];
}

export interface PlainText {
  text: string;
  spans: BlockSpan[];
}

/** Writes document.txt: blank lines between blocks, line breaks between list items, one line per table row. */
export function writePlainText(document: NormalizedDocument): PlainText {
  const spans: BlockSpan[] = [];
  const pieces: string[] = [];
  let length = 0;
  const putPlainTextPiece = (piece: string) => {
    pieces.push(piece);
    length += piece.length;
  };
  let previous: Block | null = null;
  for (const block of document.blocks) {
    if (previous !== null)
      putPlainTextPiece(previous.kind === 'list-item' && block.kind === 'list-item' ? '\n' : '\n\n');
    previous = block;
    const start = length;
    if (block.kind === 'table') {
      const rows = putRows(block.rows, putPlainTextPiece, () => length);
      spans.push({ block, start, end: length, textStart: start, rows });
      continue;
    }
    putPlainTextPiece(labelOf(block));
    const textStart = length;
    putPlainTextPiece(block.text);
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
