/** Cleans text that has marks, and keeps the marks at their places in it. */
import type { CellMark, InlineMark } from './blocks.ts';
import { cleanPart, cleanText } from './clean-text.ts';
import type { NewBlock } from './document-builder.ts';

/** Neither this nor two spaces: text that cleaning only trims. */
const NOT_PRINTABLE = /[^\x20-\x7e]/;

/** Cleans a block's text in its place; marks without text go, but pictures. */
export function cleanMarked(block: { text: string; marks?: InlineMark[] }): void {
  const { text, marks } = markedText(block.text, block.marks ?? []);
  block.text = text;
  if (marks.length > 0) block.marks = marks;
  else delete block.marks;
}

/** A table cleaned, without its empty rows; null when it has no others. */
export function cleanTable({ rows, marks = [], images }: NewBlock & { kind: 'table' }): NewBlock | null {
  const kept: string[][] = [];
  const placed: CellMark[] = [];
  const byCell = Map.groupBy(marks, ({ row, column }) => `${row} ${column}`);
  for (const [row, cells] of rows.entries()) {
    const cleaned = cells.map((cell, column) => markedText(cell, byCell.get(`${row} ${column}`) ?? []));
    if (cleaned.every(({ text }) => text === '')) continue;
    for (const [column, cell] of cleaned.entries()) {
      for (const mark of cell.marks) placed.push({ ...mark, row: kept.length, column });
    }
    kept.push(cleaned.map(({ text }) => text));
  }
  if (kept.length === 0) return null;
  const block: NewBlock = { kind: 'table', rows: kept };
  if (placed.length > 0) block.marks = placed;
  if (images !== undefined) block.images = images;
  return block;
}

function markedText(raw: string, marks: readonly InlineMark[]): { text: string; marks: InlineMark[] } {
  if (marks.length === 0) return { text: cleanText(raw), marks: [] };
  if (!NOT_PRINTABLE.test(raw) && !raw.includes('  ')) {
    const text = raw.trim();
    if (text.length === raw.length) return { text, marks: [...marks] };
    const lead = raw.length - raw.trimStart().length;
    return { text, marks: movedMarks(marks, text.length, (at) => at - lead) };
  }
  const places = [...new Set(marks.flatMap(({ start, end }) => [start, end]))].sort((one, other) => one - other);
  const moved = new Map<number, number>();
  // Pieces, since a look at the end of a text that grows copies all of it, each time.
  const pieces: string[] = [];
  let length = 0;
  let from = 0;
  for (const place of [...places, raw.length]) {
    length += addPiece(pieces, cleanPart(raw.slice(from, place)));
    moved.set(place, length);
    from = place;
  }
  const whole = cleanText(raw);
  // An accent apart from its letter, line ends in several parts: only the whole is clean, and its places are not known.
  if (pieces.join('').trimEnd() !== whole) return { text: whole, marks: [] };
  return { text: whole, marks: movedMarks(marks, whole.length, (at) => moved.get(at) ?? 0) };
}

/** Of white space where two pieces meet one stays, and none at the beginning. Gives by how much the text grew. */
function addPiece(pieces: string[], piece: string): number {
  const last = pieces.at(-1);
  let added = piece;
  let lost = 0;
  if (last === undefined) added = piece.trimStart();
  else if (/[ \n]$/.test(last)) {
    added = piece.replace(/^ /, '');
    if (last.endsWith(' ') && piece.startsWith('\n')) {
      pieces[pieces.length - 1] = last.slice(0, -1);
      lost = 1;
    }
  }
  if (added !== '') pieces.push(added);
  return added.length - lost;
}

function movedMarks(marks: readonly InlineMark[], length: number, to: (at: number) => number): InlineMark[] {
  const within = (at: number) => Math.min(Math.max(to(at), 0), length);
  return marks
    .map((mark) => ({ ...mark, start: within(mark.start), end: within(mark.end) }))
    .filter(({ kind, start, end }) => end > start || kind === 'image');
}
