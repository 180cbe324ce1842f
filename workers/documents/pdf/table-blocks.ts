/** Rows of a page whose texts are in columns: what may be a table without rules. */

import type { Box, PageLine } from './page-content.ts';
import { CAPTION, ENDS_SENTENCE } from './paragraphs.ts';
import { groupLineRows } from './reading-order.ts';

/** Gap between texts of one row, in font sizes, that is no gap between columns. */
const JOINED_GAP_SIZES = 0.35;

/** A sign of currency belongs to the number after it, a sign of percent or a mark to what is before it. */
export const CURRENCY = /^[$€£¥₹]$/u;

export const MARK_AFTER = /^(?:[%‰)†‡*]|\(?[\d\p{Ll}]\))$/u;

/** Their largest gaps, in font sizes. */
const CURRENCY_GAP_SIZES = 8;

const MARK_GAP_SIZES = 1.5;

/** Smallest gap between columns. */
const GUTTER_POINTS = 2;

/** Vertical gap that ends a block, in line heights. */
const ROW_GAP_LINES = 3;

/** The same before a row of values in the columns of the block: the gap between two sections of a table. */
const SECTION_GAP_LINES = 5;

/** Single texts in a row within a block, and rows whose texts lie over several columns. */
const SINGLES_MAX = 2;

const CROSSING_MAX = 2;

/** Single texts in a row in the first column. */
const LABEL_LINES_MAX = 6;

/** Rows of columns from which a row across them does not end a block. */
const SETTLED_ROWS = 3;

/** Rows of a head whose texts lie over several columns. */
const SPANNING_HEAD_ROWS_MAX = 2;

/** Characters of a text that is a sentence if it ends as one. */
const SENTENCE_CHARS = 60;

/** Texts of a row that no gap separates. */
export interface Piece extends Box {
  lines: PageLine[];
  text: string;
}

export interface TextRow {
  pieces: Piece[];
  top: number;
  bottom: number;
}

/** Horizontal extent of a column. */
export interface Strip {
  left: number;
  right: number;
}

/** Rows `from` to `to` (excluded) of a page, the first and last one with several texts. */
export interface TableBlock {
  from: number;
  to: number;
  strips: Strip[];
}

/** Whether a table may be found around a line. Programs that tag paragraphs only tag each cell as one. */
export function mayBeCell({ tag }: PageLine): boolean {
  return tag === null || tag.kind === 'paragraph';
}

export function textRowsOf(lines: readonly PageLine[]): TextRow[] {
  return groupLineRows(lines).map((row) => ({
    pieces: piecesOf(row),
    top: Math.min(...row.map(({ top }) => top)),
    bottom: Math.max(...row.map(({ bottom }) => bottom)),
  }));
}

/** Whether two texts beside each other are a number and its sign of currency or percent, or a text and its mark. */
export function areOneValue(before: Box & { text: string }, line: PageLine): boolean {
  const gap = (line.left - before.right) / line.size;
  if (CURRENCY.test(before.text)) return gap < CURRENCY_GAP_SIZES && /^[\d.(–-]/u.test(line.text);
  return MARK_AFTER.test(line.text) && gap < MARK_GAP_SIZES;
}

function piecesOf(row: readonly PageLine[]): Piece[] {
  const pieces: Piece[] = [];
  // Where no sign ends the row, each is before its amount, however close it is to the one before it.
  const areSignsBefore = !CURRENCY.test(row.at(-1)?.text ?? '');
  for (const line of row) {
    const last = pieces.at(-1);
    const gap = last === undefined ? 0 : (line.left - last.right) / line.size;
    const isSign = areSignsBefore && CURRENCY.test(line.text);
    const isNear = line.glued === true || (gap < JOINED_GAP_SIZES && !isSign);
    const isJoined = last !== undefined && (isNear || areOneValue(last, line));
    if (!isJoined) {
      const { left, top, right, bottom, text } = line;
      pieces.push({ left, top, right, bottom, text, lines: [line] });
      continue;
    }
    // A sign is beside its amount, and not in its column.
    if (pieces.length > 1 && CURRENCY.test(last.text)) last.left = line.left;
    last.text += line.glued === true ? line.text : ` ${line.text}`;
    last.lines.push(line);
    last.right = Math.max(last.right, line.right);
    last.top = Math.min(last.top, line.top);
    last.bottom = Math.max(last.bottom, line.bottom);
  }
  return pieces;
}

/** The strips that texts cover together. */
export function joinStrips(strips: readonly Strip[], more: readonly Strip[]): Strip[] {
  const joined: Strip[] = [];
  for (const { left, right } of [...strips, ...more].sort((one, other) => one.left - other.left)) {
    const last = joined.at(-1);
    if (last === undefined || left > last.right + GUTTER_POINTS) joined.push({ left, right });
    else last.right = Math.max(last.right, right);
  }
  return joined;
}

/** Columns that a text touches, by index. */
export function touchedStrips(strips: readonly Strip[], { left, right }: Strip): [first: number, last: number] | null {
  const first = strips.findIndex((strip) => left < strip.right && right > strip.left);
  if (first < 0) return null;
  return [first, strips.findLastIndex((strip) => left < strip.right && right > strip.left)];
}

/** The blocks of a page from the top, which do not overlap. */
export function tableBlocks(rows: readonly TextRow[]): TableBlock[] {
  const blocks: TableBlock[] = [];
  let open: OpenBlock | null = null;
  const close = () => {
    if (open !== null)
      blocks.push(belowSpanningHead({ from: open.from, to: open.last + 1, strips: open.strips }, rows));
    open = null;
  };
  for (const [at, row] of rows.entries()) {
    const before = rows[at - 1];
    const gap = before === undefined ? 0 : (row.top - before.bottom) / (row.bottom - row.top);
    if (gap > (open !== null && isInColumns(open, row) ? SECTION_GAP_LINES : ROW_GAP_LINES)) close();
    if (row.pieces.length < 2) {
      if (open !== null && !addSingle(open, row)) close();
      continue;
    }
    const current: OpenBlock | null = open;
    if (current !== null) {
      const isNext = beginsTable(current, row, rows);
      if (!isNext && addRow(current, row, at)) continue;
      if (!isNext && isCrossed(current, rows.slice(at + 1, at + 1 + CROSSING_MAX))) continue;
      close();
    }
    open = { from: at, last: at, strips: joinStrips([], row.pieces), full: 1, singles: 0, labels: 0 };
  }
  close();
  return blocks;
}

/** The block without first rows whose texts lie over several of its columns: they are its head, and join none. */
function belowSpanningHead(block: TableBlock, rows: readonly TextRow[]): TableBlock {
  const full: number[] = [];
  for (let at = block.from; at < block.to; at += 1) if ((rows[at]?.pieces.length ?? 0) > 1) full.push(at);
  for (let count = Math.min(SPANNING_HEAD_ROWS_MAX, full.length - SETTLED_ROWS); count > 0; count -= 1) {
    const [head, body] = [full.slice(0, count), full.slice(count)];
    if (head.some((at) => rows[at]?.pieces.some((piece) => isValue(piece) && !isYear(piece)))) continue;
    const strips = body.reduce<Strip[]>((all, at) => joinStrips(all, rows[at]?.pieces ?? []), []);
    if (strips.length > block.strips.length) return { from: full[count] ?? block.from, to: block.to, strips };
  }
  return block;
}

interface OpenBlock extends Omit<TableBlock, 'to'> {
  /** Index of the last row with several texts. */
  last: number;
  /** Count of such rows. */
  full: number;
  /** Single texts since then, and those of them in the first column. */
  singles: number;
  labels: number;
}

/** Whether the block may go on after a single text, such as a subheading or a wrapped label. */
function addSingle(open: OpenBlock, { pieces: [piece] }: TextRow): boolean {
  if (piece === undefined || CAPTION.test(piece.text)) return false;
  const [first, second] = open.strips;
  const isLabel = first !== undefined && second !== undefined && piece.left > first.left - GUTTER_POINTS;
  // The lines of a label end before the next column, and are more than those of a subheading.
  if (isLabel && piece.right < second.left - GUTTER_POINTS && open.labels < LABEL_LINES_MAX) {
    open.labels += 1;
    return true;
  }
  open.singles += 1;
  const touched = touchedStrips(open.strips, piece);
  const isWide = touched !== null && touched[1] > touched[0] && piece.text.length > SENTENCE_CHARS;
  return open.singles <= SINGLES_MAX && !(isWide && ENDS_SENTENCE.test(piece.text));
}

/** Whether a head below a single text, which is its heading, begins another table: values stand above it only. */
function beginsTable(open: OpenBlock, row: TextRow, rows: readonly TextRow[]): boolean {
  if (open.singles + open.labels === 0 || row.pieces.length < SETTLED_ROWS || row.pieces.some(isValue)) return false;
  return rows.slice(open.from, open.last + 1).some(({ pieces }) => pieces.filter(isValue).length > 1);
}

/** Signs that stand in place of a value. */
const NO_VALUE = String.raw`[–—−-]+|\.{2,3}|\(?[XZN]\)?|\(?n\.?\/?a\.?\)?|\*[*.]*|[†‡§]+|\([DSLBR]\)`;

/** A number, amount, date or sign in place of one. */
const VALUE = new RegExp(String.raw`^(?:[^\p{L}]*\d[^\p{L}]*(?:\p{L}{1,3}\W*)?|${NO_VALUE})$`, 'iu');

export function isValueText(text: string): boolean {
  return VALUE.test(text);
}

/** A year, or the two of a period, which name columns. */
const YEAR = /^\(?(?:1[89]|20)\d\d(?:\s*[-–/]\s*\d{1,4})?\)?$/u;

export function isYear({ text }: Piece): boolean {
  return YEAR.test(text);
}

function isValue({ text }: Piece): boolean {
  return VALUE.test(text);
}

/** Adds a row if no column is lost by it. */
function addRow(open: OpenBlock, { pieces }: TextRow, at: number): boolean {
  const joined = joinStrips(open.strips, pieces);
  if (joined.length < Math.max(open.strips.length, pieces.length)) return false;
  if (CAPTION.test(pieces[0]?.text ?? '')) return false;
  Object.assign(open, { strips: joined, last: at, full: open.full + 1, singles: 0, labels: 0 });
  return true;
}

/** Whether the row has values in most columns of the block, and no other texts. */
function isInColumns({ strips }: OpenBlock, { pieces }: TextRow): boolean {
  if (strips.length < SETTLED_ROWS || pieces.length < strips.length - 1) return false;
  if (pieces.filter(isValue).length < pieces.length - 1) return false;
  return joinStrips(strips, pieces).length === strips.length;
}

/** Whether the rows below a row that lies across columns are again in the columns of the block. */
function isCrossed({ strips, full }: OpenBlock, below: readonly TextRow[]): boolean {
  if (full < SETTLED_ROWS || strips.length < SETTLED_ROWS) return false;
  return below.some(({ pieces }) => {
    if (pieces.length < Math.max(SETTLED_ROWS, strips.length / 2)) return false;
    return joinStrips(strips, pieces).length === strips.length;
  });
}
