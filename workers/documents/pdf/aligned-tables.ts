/**
 * Tables without rules: rows whose texts are in columns. The detection is conservative: columns of running text, a list
 * with markers and a table of contents are no tables.
 */

import { itemAt } from '../../../src-server/platform/item-at.ts';
import { omitUndefined } from '../../../src-server/platform/omit-undefined.ts';
import type { CellSpan } from '../blocks.ts';
import { isCode, pageHasCode } from './code.ts';
import { divideRows, type PlacedLetter } from './divide-rows.ts';
import { headGrid, isWholeRule, nearestStrip, type TextGrid } from './head-grid.ts';
import type { PageLine, PagePart } from './page-content.ts';
import { BEGINS_LOWER, bodySizeOf, CAPTION, ENDS_SENTENCE, LONE_BULLET } from './paragraphs.ts';
import { rowsAroundValues } from './rows-around-values.ts';
import { areCellsOfRow, splitAtColumns } from './split-cells.ts';
import {
  isValueText,
  isYear,
  joinStrips,
  type Piece,
  type Strip,
  type TableBlock,
  type TextRow,
  tableBlocks,
  textRowsOf,
  touchedStrips,
} from './table-blocks.ts';
import type { Rule } from './vectors.ts';

type TablePart = Extract<PagePart, { kind: 'table' }>;

const ROWS_MIN = 3;

/** Columns of a table with one row below its head. */
const SHORT_TABLE_COLUMNS_MIN = 4;

/** Mean cell length above which columns are running text: for two columns, and for more. */
const PAIR_CELL_CHARS_MAX = 28;

const CELL_CHARS_MAX = 60;

/** Share of places with text, if columns have values and if not. */
const FILLED_SHARE_MIN = 0.3;

const FILLED_SHARE_OF_WORDS = 0.5;

const AXIS_FILLED_SHARE = 0.7;

/** Steps of an axis, and the share of numbers among its texts. */
const AXIS_STEPS_MIN = 2;

const AXIS_NUMBERS_SHARE = 0.8;

/** Share of a column's cells that are values. */
const VALUES_SHARE = 0.6;

/** Share of a column's texts that have one side or their middle in common, and its tolerance. */
const ALIGNED_SHARE = 0.5;

const ALIGNED_POINTS = 2;

/** Share of columns that must be so. */
const ALIGNED_COLUMNS_SHARE = 0.6;

/** Share of neighbouring cells that may read as one text. */
const WRAPPED_SHARE_MAX = 0.35;

/** Largest gap between the lines of a head, and of one cell, in line heights. */
const HEAD_GAP_LINES = 1.2;

const CELL_GAP_LINES = 0.6;

/** Largest height of a line of text, in font sizes. */
const LINE_HEIGHT_SIZES_MAX = 2;

const HEAD_ROWS_MAX = 6;

/** Share of a row's height that is beside the row above if values are in the middle of the lines of their label. */
const INTERLEAVED_SHARE = 0.2;

/** Share of the rows beside the row above if texts of several lines have their values in the middle. */
const BESIDE_ROWS_SHARE = 0.25;

/** Distance of a first or last row that stands apart, in those between the rows. */
const FAR_ROW_PITCHES = 2.5;

/** Relative tolerance for the distance to an edge row, and for the length of its text. */
const PITCH_TOLERANCE = 0.15;

const LONGER_ROW = 2;

/** Share of a table's rows that its head may have. */
const HEAD_SHARE_MAX = 0.3;

const HEAD_CHARS_MAX = 60;

/** Share of the rows of values with a label from which one without is the last line of the head. */
const LABELLED_SHARE = 0.8;

/** A longer text with a full stop is no abbreviation. */
const WORD_CHARS = 25;

/** Distance of a title from the middle of its table. */
const TITLE_MIDDLE_POINTS = 6;

/** Distance of a text from the middle of the columns that it is over, and as a share of their width. */
const MIDDLE_POINTS = 3;

const MIDDLE_SHARE = 0.02;

/** Indent of the second line of a label, in points, and how exactly the row after it is where the label begins. */
const HANGING_POINTS = 2;

const SAME_INDENT_POINTS = 1;

/** Size of a title, as a share of that of the table's texts. */
const TITLE_SIZE = 1.25;

/** How far a head may reach over the sides of its table, in points. */
const HEAD_REACH_POINTS = 20;

const LEADER = /(\.\s?){4,}/;

const TRAILING_LEADER = /\s*(?:\.\s?){4,}$/u;

/** What stands before an item, section or reference. */
const LIST_MARKER = /^(?:[–—*-]|\(?\w{1,3}[.)]|\d{1,2}(?:\.\d{1,2}){1,4}\.?|\[[^\]]{1,12}\])$/u;

const PAGE_NUMBER = /^(?:\d{1,4}|[ivxlc]+)$/iu;

/** Lines, their mean length, and shares of those that are justified and go on, of running text beside a table. */
const RUNNING_ROWS_MIN = 5;
const RUNNING_CHARS_MIN = 25;
const JUSTIFIED_SHARE = 0.5;
const RUNNING_SHARE = 0.25;

/** Rows of a block, and its distance from them, beside which a single number is that of the page. */
const PAGE_NUMBER_ROWS_MIN = 6;
const PAGE_NUMBER_GAP_POINTS = 20;

/** Tables by alignment, keyed by their first line, and the lines outside them. */
export function alignedTables(
  lines: PageLine[],
  across: readonly Rule[],
  letters: () => readonly PlacedLetter[],
): { tables: Map<PageLine, TablePart>; rest: PageLine[] } {
  const tables = new Map<PageLine, TablePart>();
  const taken = new Set<PageLine>();
  const order = new Map(lines.map((line, index) => [line, index]));
  const mayBeCode = pageHasCode(lines);
  const searchTables = (pool: readonly PageLine[]) => {
    const { rows, blocks } = divideRows(rowsWithoutRunningText(pool.filter(isLevel)), letters);
    let free = 0;
    for (const block of blocks) {
      const own = withoutPageNumber(block, rows);
      const found = tableOf(own.block, own.rows, { across, free });
      if (found === null) continue;
      const inside = own.rows
        .slice(found.from, found.to)
        .flatMap(({ pieces }) => pieces.flatMap((piece) => piece.lines));
      const members = [...new Set(inside)].sort((a, b) => (order.get(a) ?? 0) - (order.get(b) ?? 0));
      const [first] = members;
      if (first === undefined || liesAcrossColumns(members, order) || (mayBeCode && isCode(members))) continue;
      free = found.to;
      tables.set(first, found.part);
      for (const line of members) taken.add(line);
    }
  };
  searchTables(lines);
  const columns = columnsOfPage(lines);
  if (columns.length > 1) for (const column of columns) searchTables(column.filter((line) => !taken.has(line)));
  return { tables, rest: lines.filter((line) => !taken.has(line) || tables.has(line)) };
}

/** The rows without the running text of a column beside a table. */
function rowsWithoutRunningText(lines: readonly PageLine[]): TextRow[] {
  const rows = textRowsOf(lines);
  const running = new Set(tableBlocks(rows).flatMap((block) => runningTextBeside(block, rows)));
  return running.size === 0 ? rows : textRowsOf(lines.filter((line) => !running.has(line)));
}

/** The lines of the first or last column of a block if they are justified text that goes on from line to line. */
function runningTextBeside({ from, to, strips }: TableBlock, rows: readonly TextRow[]): PageLine[] {
  if (strips.length < 3) return [];
  return [itemAt(strips, 0), itemAt(strips, -1)].flatMap((strip) => {
    const own = rows
      .slice(from, to)
      .flatMap((row) => row.pieces.filter(({ left, right }) => left < strip.right && right > strip.left));
    const characters = own.reduce((sum, { text }) => sum + text.length, 0);
    if (own.length < RUNNING_ROWS_MIN || characters < RUNNING_CHARS_MIN * own.length) return [];
    const even = own.filter(({ right }) => strip.right - right <= ALIGNED_POINTS).length;
    const isRunning =
      even >= JUSTIFIED_SHARE * own.length && wrappedShare([own.map((piece) => [piece])]) >= RUNNING_SHARE;
    return isRunning ? own.flatMap((piece) => piece.lines) : [];
  });
}

/** Text that runs across; a text turned beside it labels the axis of a chart. */
function isLevel({ left, top, right, bottom, size, text }: PageLine): boolean {
  return bottom - top <= right - left || bottom - top <= LINE_HEIGHT_SIZES_MAX * size || text.length < 2;
}

/** Whether text read between two side-by-side parts is outside the table, which means two columns of a page. */
function liesAcrossColumns(members: readonly PageLine[], order: ReadonlyMap<PageLine, number>): boolean {
  const indexOf = (line: PageLine | undefined) => (line === undefined ? 0 : (order.get(line) ?? 0));
  const leftOf: number[] = [];
  let left = Number.POSITIVE_INFINITY;
  for (let at = members.length - 1; at >= 0; at -= 1) {
    left = Math.min(left, itemAt(members, at).left);
    leftOf[at] = left;
  }
  let right = Number.NEGATIVE_INFINITY;
  return members.some((line, at) => {
    const between = indexOf(line) - indexOf(members[at - 1]) - 1;
    const isBeside = at > 0 && between >= ROWS_MIN && right <= (leftOf[at] ?? 0);
    right = Math.max(right, line.right);
    return isBeside;
  });
}

/** Lines in reading order, split where they continue at the top of a column further right. */
function columnsOfPage(lines: readonly PageLine[]): PageLine[][] {
  const columns: PageLine[][] = [];
  let before: PageLine | null = null;
  for (const line of lines) {
    if (before === null || (line.bottom <= before.top && line.left >= before.right - before.size)) columns.push([]);
    columns.at(-1)?.push(line);
    before = line;
  }
  return columns;
}

/** The block without the number of a page beside it, as a turned page has. */
function withoutPageNumber(
  block: TableBlock,
  rows: readonly TextRow[],
): { block: TableBlock; rows: readonly TextRow[] } {
  if (block.to - block.from < PAGE_NUMBER_ROWS_MIN || block.strips.length < 3) return { block, rows };
  for (const [at, next] of [[0, 1] as const, [-1, -2] as const]) {
    const [strip, beside] = [itemAt(block.strips, at), itemAt(block.strips, next)];
    if (Math.max(strip.left - beside.right, beside.left - strip.right) < PAGE_NUMBER_GAP_POINTS) continue;
    const inStrip = rows
      .slice(block.from, block.to)
      .flatMap((row) => row.pieces.filter(({ left, right }) => left < strip.right && right > strip.left));
    const [number] = inStrip;
    if (inStrip.length !== 1 || number === undefined || !PAGE_NUMBER.test(number.text)) continue;
    // The parts of a divided text stay together.
    if (number.lines.some((line) => line.text !== number.text)) continue;
    const isElsewhere = (piece: Piece) => piece !== number;
    return {
      block: { ...block, strips: block.strips.filter((one) => one !== strip) },
      rows: rows.map((row) => ({ ...row, pieces: row.pieces.filter(isElsewhere) })),
    };
  }
  return { block, rows };
}

interface FoundTable {
  part: TablePart;
  from: number;
  to: number;
}

interface Surroundings {
  across: readonly Rule[];
  /** Rows before this index belong to other tables. */
  free: number;
}

function tableOf(found: TableBlock, rows: readonly TextRow[], around: Surroundings): FoundTable | null {
  const block = withoutFarRows(found, rows);
  const own = rows.slice(block.from, block.to);
  const strips = bodyStrips(own, block.strips);
  if (!isTabular(own, strips)) return null;
  const split = (row: TextRow) => {
    const parts = splitAtColumns(row, own, strips);
    return parts !== null && areCellsOfRow(parts, row, own, strips) ? parts : null;
  };
  const edges = edgeRows(block, rows, around.free).map(split);
  const [above = null, below = null] = edges;
  const first = block.from - (above === null ? 0 : 1);
  const last = block.to + (below === null ? 0 : 1);
  const whole = { from: first, to: last, strips };
  const from = headStart(whole, rows, around);
  const to = endOfWrapped(whole, rows);
  const isAcross = ({ pieces }: TextRow) => pieces.some((piece) => new Set(touchedStrips(strips, piece)).size > 1);
  const members = rows.slice(from, to).map((row, index) => {
    const at = from + index;
    if (at === block.from - 1 && above !== null) return above;
    if (at === block.to && below !== null) return below;
    return at >= first && at < last && isAcross(row) ? (split(row) ?? row) : row;
  });
  const named = Math.max(
    0,
    members.findIndex(({ pieces }) => pieces.some((piece) => isValueText(piece.text) && !isYear(piece))),
  );
  const stated = bodyAroundValues(members.slice(named), strips);
  const head = stated === null ? headRowsOf(members, whole, first - from, around.across) : named;
  const grid = headGrid(withMiddleRows(members.slice(0, head)), { strips, across: around.across });
  addBodyRows(grid, stated ?? joinInterleaved(members.slice(head), strips), strips);
  const pieces = rows.slice(from, to).flatMap((row) => row.pieces);
  return {
    from,
    to,
    part: {
      kind: 'table',
      rows: grid.rows.map((row) => row.map((text) => text.replace(TRAILING_LEADER, '').trim())),
      ...omitUndefined({ spans: grid.spans.length > 0 ? grid.spans : undefined }),
      left: Math.min(...pieces.map(({ left }) => left)),
      right: Math.max(...pieces.map(({ right }) => right)),
      top: Math.min(...pieces.map(({ top }) => top)),
      bottom: Math.max(...pieces.map(({ bottom }) => bottom)),
    },
  };
}

/** The block without first and last rows that stand apart from it, such as the header of the page. */
function withoutFarRows(block: TableBlock, rows: readonly TextRow[]): TableBlock {
  const full: number[] = [];
  for (let at = block.from; at < block.to; at += 1) if (itemAt(rows, at).pieces.length > 1) full.push(at);
  const pitches = full.slice(1).map((at, index) => itemAt(rows, at).top - itemAt(rows, itemAt(full, index)).top);
  const far = FAR_ROW_PITCHES * (pitches.toSorted((one, other) => one - other)[Math.floor(pitches.length / 2)] ?? 0);
  while (pitches.length > 1 && (pitches[0] ?? 0) > far && !itemAt(rows, itemAt(full, 0)).pieces.every(isYear)) {
    pitches.shift();
    full.shift();
  }
  while (pitches.length > 1 && (pitches.at(-1) ?? 0) > far) {
    pitches.pop();
    full.pop();
  }
  const [from, to] = [itemAt(full, 0), itemAt(full, -1) + 1];
  if (from === block.from && to === block.to) return block;
  const strips = rows
    .slice(from, to)
    .reduce<Strip[]>((all, { pieces }) => joinStrips(all, pieces.length > 1 ? pieces : []), []);
  return { from, to, strips };
}

/** The rows above and below a block that keep the distance of its rows and are no running text. */
function edgeRows({ from, to }: TableBlock, rows: readonly TextRow[], free: number): TextRow[] {
  const own = rows.slice(from, to);
  const middles = own.map(({ top, bottom }) => (top + bottom) / 2);
  const [first = 0, last = 0] = [middles[0], middles.at(-1)];
  const pitch = (last - first) / Math.max(1, middles.length - 1);
  const longest = Math.max(...own.map(({ pieces }) => textOf(pieces).length));
  const isEdge = (row: TextRow | undefined, distance: number) => {
    if (row === undefined || Math.abs(distance - pitch) > PITCH_TOLERANCE * pitch) return false;
    const text = textOf(row.pieces);
    return !ENDS_SENTENCE.test(text) && !CAPTION.test(text) && text.length <= LONGER_ROW * longest;
  };
  const none: TextRow = { pieces: [], top: 0, bottom: 0 };
  const above = from > free ? rows[from - 1] : undefined;
  const below = rows[to];
  const middleOf = (row: TextRow | undefined) => ((row?.top ?? 0) + (row?.bottom ?? 0)) / 2;
  return [
    isEdge(above, first - middleOf(above)) ? (above ?? none) : none,
    isEdge(below, middleOf(below) - last) ? (below ?? none) : none,
  ];
}

function textOf(pieces: readonly Piece[]): string {
  return pieces.map(({ text }) => text).join(' ');
}

/** The columns without those of which only the first rows have texts: such a text is the head of the next column. */
function bodyStrips(rows: readonly TextRow[], strips: Strip[]): Strip[] {
  const head = Math.min(HEAD_ROWS_MAX, Math.floor(rows.length * HEAD_SHARE_MAX));
  const body = rows.slice(head).flatMap(({ pieces }) => pieces);
  const kept = strips.filter((strip) => body.some(({ left, right }) => left < strip.right && right > strip.left));
  return kept.length > 1 ? kept : strips;
}

/** Whether the rows are those of a table: aligned, filled, and neither running text nor a list. */
function isTabular(rows: readonly TextRow[], strips: readonly Strip[]): boolean {
  const full = rows.filter(({ pieces }) => pieces.length > 1);
  const columns = strips.map((strip) =>
    full.map(({ pieces }) => pieces.filter((piece) => piece.left < strip.right && piece.right > strip.left)),
  );
  if (columns.length < 2 || full.length < 2) return false;
  const filled = columns.map((column) => column.filter((pieces) => pieces.length > 0).length);
  const isShort = full.length < ROWS_MIN;
  const share = filled.reduce((sum, count) => sum + count, 0) / (full.length * columns.length);
  if (isShort) return isHeadAndRow(full, columns.length);
  const ofValues = columns.slice(1).filter(hasValues).length;
  if (ofValues === 0 && full.some(({ pieces }) => pieces.some((piece) => piece.lines.some(({ tag }) => tag !== null))))
    return false;
  if (full.filter(isRepetition).length > full.length / 2) return false;
  if (share < (ofValues > 0 ? FILLED_SHARE_MIN : FILLED_SHARE_OF_WORDS)) return false;
  if (ofValues === 0 && filled.filter((count) => count >= ROWS_MIN).length * 2 <= filled.length) return false;
  if (columns.some((column) => isAxis(column, share))) return false;
  const aligned = columns.filter((column) => isAligned(column.flat())).length;
  if (aligned < ALIGNED_COLUMNS_SHARE * columns.length) return false;
  if (wrappedShare(columns) > WRAPPED_SHARE_MAX) return false;
  return areCells(columns, ofValues > 0);
}

/** The same text in all columns, as charts beside each other have on their axes. */
function isRepetition({ pieces }: TextRow): boolean {
  return pieces.every(({ text }) => text === pieces[0]?.text);
}

/** Whether numbers with equal steps stand beside hardly any text, as on the axis of a chart. */
function isAxis(column: readonly Piece[][], filledShare: number): boolean {
  if (filledShare >= AXIS_FILLED_SHARE) return false;
  const texts = column.flat().map(({ text }) => text);
  const numbers = texts.map((text) => Number(text.replaceAll(',', ''))).filter((number) => !Number.isNaN(number));
  const steps = numbers.slice(1).map((number, at) => number - itemAt(numbers, at));
  if (steps.length < AXIS_STEPS_MIN || numbers.length < AXIS_NUMBERS_SHARE * texts.length) return false;
  const step = steps.reduce((one, other) => (Math.abs(other) < Math.abs(one) ? other : one));
  return step !== 0 && steps.every((one) => Math.abs(one / step - Math.round(one / step)) < 1e-6 && one / step > 0);
}

/** A head and one row of values below it. The first column may be without a head. */
function isHeadAndRow([head, row]: readonly TextRow[], columns: number): boolean {
  const isValue = ({ text }: Piece) => isValueText(text);
  if (head === undefined || row === undefined || row.pieces.length < columns) return false;
  const heads = head.pieces.slice(head.pieces.length - columns + 1);
  if (heads.length < columns - 1 || !(heads.every(isYear) || !head.pieces.some(isValue))) return false;
  const values = row.pieces.slice(1).filter(isValue).length;
  if (columns < SHORT_TABLE_COLUMNS_MIN) return columns === SHORT_TABLE_COLUMNS_MIN - 1 && values === columns - 1;
  return row.pieces.filter(isValue).length >= 2;
}

function hasValues(column: readonly Piece[][]): boolean {
  const cells = column.filter((pieces) => pieces.length > 0);
  const values = cells.filter((pieces) => pieces.every(({ text }) => isValueText(text)));
  return values.length >= 2 && values.length >= VALUES_SHARE * cells.length;
}

/** Whether most texts have their left or right sides or their middles in common. */
function isAligned(pieces: readonly Piece[]): boolean {
  if (pieces.length < ROWS_MIN) return true;
  return [({ left }: Strip) => left, ({ right }: Strip) => right, ({ left, right }: Strip) => (left + right) / 2].some(
    (placeOf) => {
      const places = pieces.map(placeOf).sort((one, other) => one - other);
      let most = 0;
      for (let from = 0, to = 0; to < places.length; to += 1) {
        while ((places[to] ?? 0) - (places[from] ?? 0) > ALIGNED_POINTS) from += 1;
        most = Math.max(most, to - from + 1);
      }
      return most >= ALIGNED_SHARE * places.length;
    },
  );
}

/** Share of neighbouring texts of a column in which the second continues the first. */
function wrappedShare(columns: readonly (readonly Piece[][])[]): number {
  let pairs = 0;
  let wrapped = 0;
  for (const column of columns) {
    const texts = column.flat().map(({ text }) => text);
    for (const [at, text] of texts.entries()) {
      const before = texts[at - 1];
      if (before === undefined) continue;
      pairs += 1;
      if (BEGINS_LOWER.test(text) && /[\p{L},-]$/u.test(before) && before.includes(' ')) wrapped += 1;
    }
  }
  return pairs === 0 ? 0 : wrapped / pairs;
}

/** Whether the texts are short enough for cells, and neither items with markers nor a table of contents. */
function areCells(columns: readonly (readonly Piece[][])[], hasNumbers: boolean): boolean {
  const texts = columns.map((column) => column.flat().map(({ text }) => text.replace(TRAILING_LEADER, '')));
  const meanOf = (cells: readonly string[]) =>
    cells.reduce((sum, cell) => sum + cell.length, 0) / Math.max(1, cells.length);
  const isPair = columns.length === 2;
  if (meanOf(texts.flat()) > (isPair && !hasNumbers ? PAIR_CELL_CHARS_MAX : CELL_CHARS_MAX)) return false;
  const first = texts[0] ?? [];
  if (
    first.filter((cell) => LIST_MARKER.test(cell) || LONE_BULLET.test(cell)).length > first.length / 2 &&
    columns.length < 3 + Number(!hasNumbers)
  )
    return false;
  if (texts.some((column) => column.filter((cell) => LONE_BULLET.test(cell)).length > column.length / 2)) return false;
  const leaders = columns.flat(2).filter(({ text }) => LEADER.test(text)).length;
  const last = texts.at(-1) ?? [];
  const isContents =
    leaders > first.length / 3 && last.filter((cell) => PAGE_NUMBER.test(cell)).length > last.length / 2;
  return !(isContents && columns.length < 4);
}

/** Index of the first row of the head: rows directly above in the columns, or over several of them. */
function headStart({ from, strips }: TableBlock, rows: readonly TextRow[], { across, free }: Surroundings): number {
  const [left, right] = [itemAt(strips, 0).left, itemAt(strips, -1).right];
  const whole = wholeRules(across, strips);
  const size = bodySizeOf(rows.slice(from).flatMap(({ pieces }) => pieces.flatMap(({ lines }) => lines)));
  let start = from;
  let hasHead = false;
  for (let at = from - 1; at >= Math.max(free, from - HEAD_ROWS_MAX); at -= 1) {
    const [row, below] = [itemAt(rows, at), itemAt(rows, at + 1)];
    const height = row.bottom - row.top;
    if (below.top - row.bottom > HEAD_GAP_LINES * height) break;
    // A rule above the head begins the table; one below a head may have subheadings under it.
    if (hasHead && whole.some((rule) => isBetweenRows(rule, row, below))) break;
    if (!row.pieces.every((piece) => couldBeHead(piece, left, right))) break;
    // A title in larger letters is that of the table.
    if (row.pieces.every(({ lines }) => lines.every((line) => line.size > TITLE_SIZE * size))) break;
    const [piece] = row.pieces;
    const touched = piece === undefined ? null : touchedStrips(strips, piece);
    const isCentred = !below.pieces.every(isYear) && isOverWholeTable(row.pieces, strips);
    const isTitle = row.pieces.length === 1 && (touched === null || touched[0] === 0 || isCentred);
    if (isTitle) continue;
    start = at;
    hasHead ||= touched === null || touched[0] > 0 || row.pieces.length > 1;
  }
  return start;
}

/** Whether a text is in the middle of the table with its labels, and not in that of the columns beside them. */
function isOverWholeTable([piece]: readonly Piece[], strips: readonly Strip[]): boolean {
  const [first, second, last] = [itemAt(strips, 0), itemAt(strips, 1), itemAt(strips, -1)];
  const distance = ({ left }: Strip) => Math.abs((piece?.left ?? 0) + (piece?.right ?? 0) - left - last.right) / 2;
  return distance(first) <= TITLE_MIDDLE_POINTS && distance(second) > 2 * TITLE_MIDDLE_POINTS;
}

function couldBeHead({ text, left, right }: Piece, from: number, to: number): boolean {
  const isWithin = left >= from - HEAD_REACH_POINTS && right <= to + HEAD_REACH_POINTS;
  const isSentence = text.length > WORD_CHARS && /[.;]$/u.test(text.replace(LEADER, ''));
  return isWithin && text.length <= HEAD_CHARS_MAX && !CAPTION.test(text) && !isSentence;
}

/**
 * Count of the rows of the head, which has no values, if the table has columns of values. A rule as wide as the table
 * ends it.
 */
function headRowsOf(
  rows: readonly TextRow[],
  { strips }: TableBlock,
  claimed: number,
  across: readonly Rule[],
): number {
  const hasValuesOnly = ({ pieces }: TextRow) => {
    const own = pieces.filter(({ left }) => left >= itemAt(strips, 0).right);
    return own.length > 0 && own.filter((piece) => isValueText(piece.text) && !isYear(piece)).length > own.length / 2;
  };
  const isLabelled = ({ pieces: [piece] }: TextRow) => piece !== undefined && piece.left < itemAt(strips, 0).right;
  const areLabelled =
    rows.filter(hasValuesOnly).filter(isLabelled).length >= LABELLED_SHARE * rows.filter(hasValuesOnly).length;
  const isData = (row: TextRow) => (hasValuesOnly(row) && (!areLabelled || isLabelled(row))) || endsInAmount(row);
  const first = rows.findIndex(isData);
  const dataRows = rows.filter(isData).length;
  const fullRows = rows.filter(({ pieces }) => pieces.length > 1).length;
  if (first < 0 || dataRows * 2 < fullRows) return headWithoutSubheadings(rows, claimed, itemAt(strips, 0));
  // A single text directly above the data is a subheading or the label of the first row.
  let head = Math.max(claimed, Math.min(first, claimed + HEAD_ROWS_MAX));
  while (head > claimed && isSubheading(itemAt(rows, head - 1), strips)) head -= 1;
  head = headWithoutSubheadings(rows, head, itemAt(strips, 0));
  const whole = wholeRules(across, strips);
  const ruled = rows.slice(1, Math.max(head, claimed) + 1).findLastIndex((row, at) => {
    return whole.some((rule) => isBetweenRows(rule, itemAt(rows, at), row));
  });
  return ruled >= 0 ? ruled + 1 : head;
}

/** Whether texts end in an amount with decimals, as the row of an account with a text in a column of its own. */
function endsInAmount({ pieces }: TextRow): boolean {
  const last = pieces.at(-1);
  return pieces.length > 2 && last !== undefined && isValueText(last.text) && /\d[.,]\d/u.test(last.text);
}

/** A single text, but none in the middle of the columns beside the labels. */
function isSubheading({ pieces }: TextRow, strips: readonly Strip[]): boolean {
  const [piece] = pieces;
  return piece !== undefined && pieces.length === 1 && columnsAround(piece, strips)?.[0] !== 1;
}

/** The count of rows of the head without the subheadings of the first rows below it: labels where it has none. */
function headWithoutSubheadings(rows: readonly TextRow[], head: number, labels: Strip): number {
  const hasLabel = ({ pieces: [piece] }: TextRow) => piece !== undefined && piece.left < labels.right;
  const isLabel = (row: TextRow) =>
    row.pieces.length === 1 && hasLabel(row) && (row.pieces[0]?.right ?? 0) <= labels.right;
  let count = head;
  while (count > 1 && isLabel(itemAt(rows, count - 1))) count -= 1;
  return count < head && !hasLabel(itemAt(rows, count - 1)) ? count : head;
}

/** Rules at least about as wide as the table. */
function wholeRules(across: readonly Rule[], strips: readonly Strip[]): Rule[] {
  return across.filter((rule) => isWholeRule(rule, strips));
}

function isBetweenRows({ at }: Rule, above: TextRow, below: TextRow): boolean {
  const height = above.bottom - above.top;
  return at > above.bottom - height / 3 && at < below.top + height / 3;
}

/** Index after the lines below a block that end its last cells. */
function endOfWrapped({ to, strips }: TableBlock, rows: readonly TextRow[]): number {
  let end = to;
  for (; end < rows.length; end += 1) {
    const [row, before] = [itemAt(rows, end), itemAt(rows, end - 1)];
    const [piece] = row.pieces;
    const touched = piece === undefined || row.pieces.length > 1 ? null : touchedStrips(strips, piece);
    if (touched === null || touched[0] === 0 || touched[0] !== touched[1]) break;
    if (row.top - before.bottom > CELL_GAP_LINES * (row.bottom - row.top) || CAPTION.test(piece?.text ?? '')) break;
  }
  return end;
}

/**
 * The rows below the head where their values are, if lines of texts are beside two of them, and each text is in one
 * column; else null.
 */
function bodyAroundValues(rows: readonly TextRow[], strips: readonly Strip[]): TextRow[] | null {
  const beside = rows.slice(1).filter((row, at) => isBeside(itemAt(rows, at), row)).length;
  if (beside < BESIDE_ROWS_SHARE * rows.length) return null;
  const columns: Piece[][] = strips.map(() => []);
  for (const piece of rows.flatMap(({ pieces }) => pieces)) {
    const [first, last] = touchedStrips(strips, piece) ?? [-1, -2];
    if (first !== last) return null;
    columns[first]?.push(piece);
  }
  return (
    rowsAroundValues(columns)?.map((cells) => {
      const pieces = cells.flat();
      const top = Math.min(...pieces.map((piece) => piece.top));
      return { pieces, top, bottom: Math.max(...pieces.map(({ bottom }) => bottom)) };
    }) ?? null
  );
}

/**
 * The rows of a head, with texts in the middle of two rows in the first of these. A text beside them is over all texts
 * below it.
 */
function withMiddleRows(rows: readonly TextRow[]): TextRow[] {
  const head: TextRow[] = [];
  for (const [at, row] of rows.entries()) {
    const [above, below] = [head.at(-1), rows[at + 1]];
    const isBetween = above !== undefined && below !== undefined && isBeside(above, row) && isBeside(row, below);
    if (!isBetween) {
      head.push({ ...row });
      continue;
    }
    const wide = above.pieces.map((piece) => overAllBelow(piece, row.pieces, below.pieces));
    above.pieces = [...wide, ...row.pieces].sort((one, other) => one.left - other.left);
  }
  return head;
}

function overAllBelow(piece: Piece, beside: readonly Piece[], below: readonly Piece[]): Piece {
  const from = Math.max(...beside.map(({ right }) => right).filter((right) => right <= piece.left));
  const to = Math.min(...beside.map(({ left }) => left).filter((left) => left >= piece.right));
  const own = [piece, ...below.filter(({ left, right }) => left >= from && right <= to)];
  return {
    ...piece,
    left: Math.min(...own.map(({ left }) => left)),
    right: Math.max(...own.map(({ right }) => right)),
  };
}

/** Whether two rows, one below the other, have a part of their height in common. */
function isBeside(above: TextRow, below: TextRow): boolean {
  return above.bottom - below.top > INTERLEAVED_SHARE * (below.bottom - below.top);
}

/** Rows of values in the middle of the height of their label, of two lines, are one row with it. */
function joinInterleaved(rows: readonly TextRow[], strips: readonly Strip[]): TextRow[] {
  const joined: TextRow[] = [];
  const labelEnd = itemAt(strips, 0).right;
  const isLabel = (row: TextRow | undefined) => row?.pieces.every(({ left }) => left < labelEnd) === true;
  for (let at = 0; at < rows.length; at += 1) {
    const [row, values, after] = [itemAt(rows, at), rows[at + 1], rows[at + 2]];
    const isBetween =
      values !== undefined &&
      after !== undefined &&
      isLabel(row) &&
      isLabel(after) &&
      !values.pieces.some(({ left }) => left < labelEnd) &&
      isBeside(row, values) &&
      isBeside(values, after);
    if (!isBetween) {
      joined.push(row);
      continue;
    }
    joined.push({
      pieces: [...row.pieces, ...after.pieces, ...values.pieces],
      top: row.top,
      bottom: after.bottom,
    });
    at += 2;
  }
  return joined;
}

/** Adds the rows below the head. A line that continues a cell is part of it. */
function addBodyRows(grid: TextGrid, rows: readonly TextRow[], strips: readonly Strip[]): void {
  const head = grid.rows.length;
  const gaps = rows.slice(1).map((row, at) => row.top - itemAt(rows, at).bottom);
  const usual = gaps.toSorted((one, other) => one - other)[Math.floor(gaps.length / 2)] ?? 0;
  for (const [at, row] of rows.entries()) {
    const { cells, spans } = cellsOf(row, strips);
    const last = grid.rows.length > head ? grid.rows.at(-1) : undefined;
    const gap = at === 0 ? 0 : itemAt(gaps, at - 1);
    const isClose = at > 0 && gap < CELL_GAP_LINES * (row.bottom - row.top);
    const isCloser = gap < Math.min(usual, gaps[at] ?? usual) - 1;
    const goesOn = last !== undefined && (continuesRow(last, cells, isCloser) || isHanging(rows, at, strips));
    if (goesOn && isClose) {
      for (const [column, cell] of cells.entries()) if (cell !== '') last[column] = `${last[column]} ${cell}`.trim();
      continue;
    }
    grid.spans.push(...spans.map((span) => ({ ...span, row: grid.rows.length })));
    grid.rows.push(cells);
  }
}

/** Whether a label goes on in this row, more to the right, and the next row begins where it did. */
function isHanging(rows: readonly TextRow[], at: number, strips: readonly Strip[]): boolean {
  const labelOf = (row: TextRow | undefined) => row?.pieces.find(({ left }) => left < itemAt(strips, 0).right) ?? null;
  const [above, row, below] = [itemAt(rows, at - 1), itemAt(rows, at), rows[at + 1]];
  const [label, end, next] = [labelOf(above), labelOf(row), labelOf(below)];
  if (label === null || end === null || end.left <= label.left + HANGING_POINTS) return false;
  if (end.lines[0]?.bold !== label.lines[0]?.bold || /[:.]$/u.test(label.text)) return false;
  const isNextBack = next !== null && next.left <= label.left + SAME_INDENT_POINTS;
  // Without values, the first line may also be the heading of the rows below it.
  if (above.pieces.length === 1) return row.pieces.length > 1 && isNextBack;
  return row.pieces.length === 1 && (below === undefined || isNextBack);
}

/** The texts of a row by column, and those over several columns. */
function cellsOf({ pieces }: TextRow, strips: readonly Strip[]): TextGrid & { cells: string[] } {
  const cells = strips.map(() => '');
  const spans: CellSpan[] = [];
  for (const piece of pieces) {
    const around = pieces.length === 1 ? columnsAround(piece, strips) : null;
    const [first, last] = around ?? touchedStrips(strips, piece) ?? [nearestStrip(piece, strips), 0];
    cells[first] = `${cells[first]} ${piece.text}`.trim();
    if (last > first) spans.push({ row: 0, column: first, rows: 1, columns: last - first + 1 });
  }
  const shown = spans.filter(({ column, columns }) =>
    cells.slice(column + 1, column + columns).every((cell) => cell === ''),
  );
  return { cells, rows: [], spans: shown };
}

/**
 * The columns in whose middle a text over several of them is: all of the table, or all beside the labels; null if it is
 * in the middle of neither.
 */
function columnsAround(piece: Piece, strips: readonly Strip[]): [first: number, last: number] | null {
  const touched = touchedStrips(strips, piece);
  if (touched === null || touched[1] === touched[0] || strips.length < 3) return null;
  const last = itemAt(strips, -1);
  const distances = [itemAt(strips, 0), itemAt(strips, 1)].map(
    ({ left }) => Math.abs(piece.left + piece.right - left - last.right) / 2,
  );
  const nearest = Math.min(...distances);
  const first = Math.min(distances.indexOf(nearest), touched[0]);
  const reach = Math.max(MIDDLE_POINTS, MIDDLE_SHARE * (last.right - itemAt(strips, first).left));
  return nearest <= reach ? [first, strips.length - 1] : null;
}

/** Whether the cells go on with those of the row above: none is a value, and their texts continue. */
function continuesRow(above: readonly string[], cells: readonly string[], isCloser: boolean): boolean {
  const filled = cells.flatMap((cell, column) => (cell === '' ? [] : [{ cell, before: above[column] ?? '' }]));
  if (cells[0] !== '') {
    // A label goes on below, with the values of its row.
    const isLabel = above.every((cell, column) => column === 0 || cell === '');
    const goesOn = /^[\p{Ll}(]/u.test(cells[0] ?? '') || (isCloser && filled.length === 1 && !isLabel);
    return goesOn && above[0] !== '' && (isLabel || filled.length === 1);
  }
  if (filled.some(({ cell, before }) => isValueText(cell) || before === '' || isValueText(before))) return false;
  return (
    isCloser ||
    filled.every(({ cell, before }) => BEGINS_LOWER.test(cell) || /[,-]$/u.test(before)) ||
    filled.length === 1
  );
}
