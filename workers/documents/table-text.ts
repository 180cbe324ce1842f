import type { NewBlock } from './document-builder.ts';

/** Between the cells of a table that stands inside another table's cell. */
const NESTED_CELL_SEPARATOR = ' | ';

/** A block as lines of text, for places that hold only text: cells, notes, comments. */
export function blockLines(block: NewBlock): string {
  if (block.kind === 'table') return block.rows.map(nestedRow).join('\n');
  if (block.kind === 'list-item' && block.marker !== '') return `${block.marker} ${block.text.trimStart()}`;
  return block.text;
}

/** A nested table's row as one line. */
export function nestedRow(cells: readonly string[]): string {
  return cells.map((cell) => cell.trim().replaceAll('\n', ' ')).join(NESTED_CELL_SEPARATOR);
}
