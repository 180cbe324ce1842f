/**
 * Tables by their rules. Rules across and down form a grid; a place without a rule between two cells joins them. Where
 * a table has rules across only, its columns follow from the gaps between its texts. A frame around text or code, a
 * chart and a form with one column are no tables.
 */

import { itemAt } from '../../../src-server/platform/item-at.ts';
import { omitUndefined } from '../../../src-server/platform/omit-undefined.ts';
import type { CellSpan } from '../blocks.ts';
import { remainingSpans } from '../table-spans.ts';
import { dividedLines, type PlacedLetter } from './divide-rows.ts';
import { DividedWords } from './divided-words.ts';
import { appendNextLine } from './join-lines.ts';
import type { Box, PageLine, PagePart } from './page-content.ts';
import { BEGINS_LOWER, CAPTION, ENDS_SENTENCE, isCaption, isLoneMarker, listMarkerOf } from './paragraphs.ts';
import { groupLineRows, sameRow } from './reading-order.ts';
import { rowsAroundValues } from './rows-around-values.ts';
import { areOneValue, isValueText, mayBeCell } from './table-blocks.ts';
import type { Rule, Rules } from './vectors.ts';

type TablePart = Extract<PagePart, { kind: 'table' }>;

/** Bound on the rules of a page; a page with more is a drawing. */
const RULES_MAX = 2000;

/** Bound on the places of a grid. */
const PLACES_MAX = 50_000;

/** Distance at which rules touch, and of parallel rules that frame neighbouring cells. */
const TOUCH_POINTS = 4;
const PARALLEL_POINTS = 6;

/** Distance of rules that are one side of a cell. */
const SAME_SIDE_POINTS = 3.5;

/** Numbers that show an axis. */
const AXIS_NUMBERS_MIN = 5;

/** Largest height of a row without background, in rows with one. */
const STRIPE_HEIGHT_MAX = 2.5;

/** Share of a cell's side that a rule must cover. */
const COVERED_SHARE = 0.6;

/** Distance of the ends of rules from an open side of a table. */
const OPEN_SIDE_POINTS = 5;

/** How far text may reach over the side of its cell. */
const OVERHANG_POINTS = 1.5;

/** Empty columns and rows below this size are the space between cells. */
const SPACE_WIDTH_MAX = 15;
const SPACE_HEIGHT_MAX = 7;

/** Share of the cells that must have text. */
const FILLED_SHARE_MIN = 0.3;

/** A cell with more lines contains a page, not a value, if it has this share of all lines. */
const PAGE_CELL_LINES = 25;
const PAGE_CELL_SHARE = 0.6;

/** Gap between paragraphs of a cell, in line heights. */
const PARAGRAPH_GAP_LINES = 0.8;

/** Share of a band's places with text if each of its text rows is a row of the table. */
const ALIGNED_SHARE = 0.8;
const ALIGNED_ROWS_MIN = 3;

/** Share of the text rows of a cell that must have several texts if the cell contains columns of its own. */
const INNER_ROWS_SHARE = 0.6;

/** Distance of a text from the middle of its cell, as a share of the width, up to which it is centred. */
const CENTRED_SHARE = 0.15;

/** Cells over the same rows that show that each row of their texts is a row of the table. */
const DIVIDED_CELLS_MIN = 2;

/** Columns with a text in every text row of a band that show that these are rows of the table. */
const FULL_COLUMNS_MIN = 2;

/** Rows of a table, and the share of them with one row of text, that show that rules separate its rows one by one. */
const RULED_ROWS_MIN = 4;
const RULED_ROWS_SHARE = 0.7;

/** Factor over the gap between lines from which a gap is between rows. */
const WIDER_GAP = 1.4;

/** Share of line pairs that may read as one text. */
const WRAPPED_SHARE_MAX = 0.35;

/** The same where few rules separate rows, and rows of text for each ruled one. */
const WRAPPED_SHARE_OF_FORM = 0.1;

const TEXT_ROWS_MIN = 5;

const TEXT_ROWS_RATIO = 1.5;

/** Share of these that must have a value or a label with a colon. */
const STATED_SHARE = 0.25;

/** Share of a row's height that is beside the row above if texts are interleaved. */
const INTERLEAVED_SHARE = 0.3;

/** The same of a head, whose texts may be in the middle of others of one line. */
const BESIDE_SHARE = 0.15;

/** Lines of a row whose values are in the middle of its texts. */
const MIDDLE_LINES_MAX = 4;

/** Largest mean of characters per cell in a table without rules down that has few rules across. */
const OPEN_CELL_CHARS_MAX = 60;

/** Most lines of a cell in a table without rules down. */
const OPEN_BAND_ROWS_MAX = 12;

/** Smallest gap between columns without rules. */
const COLUMN_GAP_POINTS = 4;

/** Share of text rows that may cross the gap between two columns, as spanning cells do. */
const CROSSING_SHARE = 0.15;

/** Largest gap between the rows below the last rule, in line heights. */
const BAND_GAP_LINES = 2;

/** Gap between a head and the rule below it, in line heights. */
const HEAD_GAP_LINES = 1;

/** Bounds on a head without rules: its rows, the length of its texts, and how far they reach over the sides. */
const HEAD_ROWS_MAX = 6;

const HEAD_CHARS_MAX = 60;

/** A longer text with a full stop is no abbreviation. */
const WORD_CHARS = 25;

const HEAD_REACH_POINTS = 10;

/** Bands with one text, such as subheadings, in a row of bands. */
const SINGLE_BANDS_MAX = 2;

/** Share of a table's lines in which a rule may cut a word, as those of a drawing do. */
const CUT_WORDS_SHARE = 0.05;

/** Bands between rules that are rows one by one, and the share of them that has cells of several lines. */
const ROW_BANDS_MIN = 3;
const HIGH_BANDS_SHARE = 0.3;

/** With more bands, each is a row. */
const OPEN_BANDS_MAX = 3;

/** Share of the rows that must have more than one text, in a table with rules down and without. */
const FULL_ROWS_SHARE = 0.3;

const FULL_ROWS_SHARE_OPEN = 0.6;

interface FoundTables {
  /** Keyed by a line in place of the table. */
  tables: Map<PageLine, TablePart>;
  /** The other lines, and those in place of tables. */
  rest: PageLine[];
}

/** Tables whose rules form grids, or separate rows of several lines one by one. `letters` reads the page's letters. */
export function ruledTables(
  lines: readonly PageLine[],
  rules: Rules,
  letters: () => readonly PlacedLetter[],
): FoundTables {
  const finder = createFinder(lines, letters);
  const own = ownRules(rules, lines);
  for (const grid of mergeStackedGrids(gridsOf(own), lines)) {
    addRowsAbove(grid, finder.free());
    addRowsBelow(grid, finder.free());
    finder.addTable(grid, false);
  }
  for (const grid of openGridsOf(own, finder.free(), areRows)) finder.addTable(grid, true);
  return finder.found();
}

/** All other tables that have rules across only. */
export function openTables(
  lines: readonly PageLine[],
  rules: Rules,
  letters: () => readonly PlacedLetter[],
): FoundTables {
  const finder = createFinder(lines, letters);
  for (const grid of openGridsOf(ownRules(rules, lines), finder.free(), () => true)) finder.addTable(grid, true);
  return finder.found();
}

function createFinder(lines: readonly PageLine[], letters: () => readonly PlacedLetter[]) {
  const tables = new Map<PageLine, TablePart>();
  const anchors = new Map<PageLine, PageLine>();
  const taken = new Set<PageLine>();
  const hyphenated = new DividedWords(lines);
  let known: readonly PlacedLetter[] | null = null;
  const lettersOnce = () => {
    known ??= letters();
    return known;
  };
  const free = () => lines.filter((line) => !taken.has(line) && mayBeCell(line));
  return {
    free,
    addTable(grid: Grid, isOpen: boolean): void {
      const all = free().filter((line) => isInside(line, grid));
      const caption = captionIn(all, grid);
      const members = caption.length === 0 ? all : all.filter((line) => !caption.includes(line));
      const part = tableIn(grid, dividedLines(members, lettersOnce), { isOpen, letters: lettersOnce, hyphenated });
      const first = members[0];
      if (part === null || first === undefined) return;
      if (caption.length > 0) part.top = Math.max(...caption.map((line) => line.bottom));
      const { left, top, right, bottom } = part;
      const anchor = { ...first, left, top, right, bottom };
      tables.set(anchor, part);
      anchors.set(first, anchor);
      for (const line of members) taken.add(line);
    },
    found: (): FoundTables => ({
      tables,
      rest: lines.flatMap((line) => anchors.get(line) ?? (taken.has(line) ? [] : [line])),
    }),
  };
}

/** The lines of a caption that stands within the frame, in a first row without other texts. */
function captionIn(lines: readonly PageLine[], { xs, ys }: Grid): PageLine[] {
  const [first] = groupLineRows(lines);
  const bottom = ys[1] ?? 0;
  if (first === undefined || !isCaption(first.map(({ text }) => text).join(' '))) return [];
  const own = lines.filter((line) => (line.top + line.bottom) / 2 < bottom);
  const isOverAll = own.some((line) => xs.slice(1, -1).some((x) => isAcross(line, x)));
  return isOverAll && own.length === first.length ? own : [];
}

/** The rules that are not part of a line of text; none of a drawing. */
function ownRules(rules: Rules, lines: readonly PageLine[]): Rules {
  if (rules.across.length + rules.down.length > RULES_MAX) return { across: [], down: [], joints: [] };
  return { ...rules, across: rules.across.filter((rule) => !lines.some((line) => isUnderline(rule, line))) };
}

/** Whether a rule is part of a line of text, below or through its words. */
function isUnderline({ at, from, to }: Rule, { left, top, right, bottom }: Box): boolean {
  return at > top && at < bottom && from >= left - OVERHANG_POINTS && to <= right + OVERHANG_POINTS;
}

function isInside(line: Box, { xs, ys }: Grid): boolean {
  const [x, y] = [(line.left + line.right) / 2, (line.top + line.bottom) / 2];
  return x > (xs[0] ?? 0) && x < (xs.at(-1) ?? 0) && y > (ys[0] ?? 0) && y < (ys.at(-1) ?? 0);
}

/** Sides of columns and rows, and the rules on them. */
interface Grid {
  xs: number[];
  ys: number[];
  /** Rules at each of `xs` and `ys`. */
  down: Rule[][];
  across: Rule[][];
}

/** Grids of two or more columns. */
function gridsOf(rules: Rules): Grid[] {
  const grids: Grid[] = [];
  for (const { across, down } of groupTouchingRules(rules)) {
    if (across.length < 2 || down.length === 0) continue;
    const { xs, ys } = { xs: sidesOf(down, across), ys: sidesOf(across, down) };
    const places = (xs.length - 1) * (ys.length - 1);
    if (xs.length < 3 || ys.length < 2 || places > PLACES_MAX) continue;
    grids.push({ xs, ys, down: rulesAt(xs, down), across: rulesAt(ys, across) });
  }
  return grids;
}

/**
 * Grids with the same columns a row apart are one table, whose every second row has a background. Such a table may end
 * with a row without one.
 */
function mergeStackedGrids(grids: readonly Grid[], lines: readonly PageLine[]): Grid[] {
  const whole: Grid[] = [];
  const striped = new Set<Grid>();
  for (const grid of grids.toSorted((one, other) => topOf(one) - topOf(other))) {
    const above = whole.find((one) => isRowApart(one, grid));
    if (above === undefined) {
      whole.push(grid);
      continue;
    }
    const [from, to] = [bottomOf(above), topOf(grid)];
    above.ys.push(...grid.ys);
    above.across.push(...grid.across);
    above.down = above.xs.map((at, index) => [
      ...(above.down[index] ?? []),
      ...(grid.down[index] ?? []),
      { at, from, to },
    ]);
    striped.add(above);
  }
  for (const grid of striped) addRowBelow(grid, lines);
  return whole.filter(({ ys }) => ys.length > 2).sort((one, other) => areaOf(other) - areaOf(one));
}

function isRowApart(above: Grid, below: Grid): boolean {
  const gap = topOf(below) - bottomOf(above);
  const row = Math.max(heightOfRow(above.ys), heightOfRow(below.ys));
  const isSame = above.xs.every((x, index) => Math.abs(x - (below.xs[index] ?? 0)) <= SAME_SIDE_POINTS);
  return isSame && above.xs.length === below.xs.length && gap > 0 && gap <= STRIPE_HEIGHT_MAX * row;
}

function heightOfRow(ys: readonly number[]): number {
  return Math.max(...ys.slice(1).map((y, index) => y - (ys[index] ?? 0)));
}

function topOf({ ys }: Grid): number {
  return ys[0] ?? 0;
}

function bottomOf({ ys }: Grid): number {
  return ys.at(-1) ?? 0;
}

/** Adds the row directly below if its texts are in the columns. */
function addRowBelow(grid: Grid, lines: readonly PageLine[]): void {
  const { xs, ys } = grid;
  const [from, left, right] = [bottomOf(grid), xs[0] ?? 0, xs.at(-1) ?? 0];
  const below = lines.filter((line) => (line.top + line.bottom) / 2 > from && line.right > left && line.left < right);
  let to = from;
  let count = 0;
  const columns = new Set<number>();
  for (const row of groupLineRows(below)) {
    const [top, bottom] = [Math.min(...row.map((line) => line.top)), Math.max(...row.map((line) => line.bottom))];
    const gap = count === 0 ? HEAD_GAP_LINES : PARAGRAPH_GAP_LINES;
    if (top - to > gap * (bottom - top) || row.some((line) => xs.some((x) => isAcross(line, x)))) break;
    for (const line of row) columns.add(xs.findLastIndex((x) => x <= (line.left + line.right) / 2));
    count += row.length;
    to = bottom;
  }
  if (columns.size < 2) return;
  ys.push(to);
  grid.across.push([{ at: to, from: left, to: right }]);
  grid.down = xs.map((at, index) => [...(grid.down[index] ?? []), { at, from, to }]);
}

/** Adds the rows directly above a grid that begins with values: its head, and data without background before it. */
function addRowsAbove(grid: Grid, lines: readonly PageLine[]): void {
  const { xs, ys } = grid;
  const inFirst = lines.filter((line) => isInside(line, { ...grid, ys: ys.slice(0, 2) }));
  const isNamed = inFirst.every(({ bold }) => bold) && !lines.every((line) => line.bold || !isInside(line, grid));
  if (isNamed || inFirst.filter(isValueLine).length < 2 || !inFirst.some(isDataLine)) return;
  const bands: { top: number; isHead: boolean }[] = [];
  const columns = new Set<number>();
  let bottom = topOf(grid);
  const above = groupLineRows(lines.filter((line) => (line.top + line.bottom) / 2 < bottom && isBeside(line, grid)));
  for (const row of above.toReversed().slice(0, HEAD_ROWS_MAX)) {
    const [top, low] = [Math.min(...row.map((line) => line.top)), Math.max(...row.map((line) => line.bottom))];
    const isOver = row.some((line) => xs.slice(1, -1).some((x) => isAcross(line, x)));
    if (bottom - low > BAND_GAP_LINES * (low - top) || !isHeadRow(row, grid, isOver)) break;
    for (const line of row) columns.add(columnOf(line, grid));
    const isHead = !row.some(isValueLine) && !isOver;
    const last = bands.at(-1);
    if (last?.isHead === true && isHead) last.top = top - 1;
    else bands.push({ top: top - 1, isHead });
    bottom = top;
  }
  if (columns.size * 2 < xs.length) return;
  for (const { top } of bands) addBand(grid, top, lines);
}

/** Adds the rows directly below a grid that has only a head, if they have values in its columns. */
function addRowsBelow(grid: Grid, lines: readonly PageLine[]): void {
  const { xs } = grid;
  const own = lines.filter((line) => isInside(line, grid));
  if (grid.ys.length > HEAD_ROWS_MAX || own.length < 2 || own.filter(isDataLine).length * 3 > own.length) return;
  const rows: PageLine[][] = [];
  let end = bottomOf(grid);
  for (const row of groupLineRows(lines.filter((line) => (line.top + line.bottom) / 2 > end && isBeside(line, grid)))) {
    const [top, low] = [Math.min(...row.map((line) => line.top)), Math.max(...row.map((line) => line.bottom))];
    if (top - end > BAND_GAP_LINES * (low - top)) break;
    if (
      row.some((line) => !isBetween(line, xs[0] ?? 0, xs.at(-1) ?? 0) || xs.slice(1, -1).some((x) => isAcross(line, x)))
    )
      break;
    rows.push(row);
    end = low;
  }
  const full = rows.filter((row) => row.length > 1 && row.some(isValueLine));
  if (full.length < ALIGNED_ROWS_MIN || full.length < INNER_ROWS_SHARE * rows.length) return;
  for (const row of rows) addBand(grid, Math.max(...row.map((line) => line.bottom)) + 1, lines);
}

/** A band of one row above or below the grid, ruled but where a text lies across. */
function addBand(grid: Grid, to: number, lines: readonly PageLine[]): void {
  const isAbove = to < topOf(grid);
  const [from, end] = isAbove ? [to, topOf(grid)] : [bottomOf(grid), to];
  const within = lines.filter((line) => (line.top + line.bottom) / 2 > from && (line.top + line.bottom) / 2 < end);
  const rule = { at: to, from: grid.xs[0] ?? 0, to: grid.xs.at(-1) ?? 0 };
  grid.across.at(isAbove ? 0 : -1)?.push({ ...rule, at: isAbove ? topOf(grid) : bottomOf(grid) });
  if (isAbove) {
    grid.ys.unshift(to);
    grid.across.unshift([rule]);
  } else {
    grid.ys.push(to);
    grid.across.push([rule]);
  }
  const sides = grid.xs.map((at) => (within.some((line) => isAcross(line, at)) ? [] : [{ at, from, to: end }]));
  grid.down = grid.down.map((rules, index) => [...rules, ...(sides[index] ?? [])]);
}

/** Whether a row above a grid is part of its head, or data before it. */
function isHeadRow(row: readonly PageLine[], grid: Grid, isOver: boolean): boolean {
  const [first] = row;
  const isIn = row.every((line) =>
    isBetween(line, (grid.xs[0] ?? 0) - HEAD_REACH_POINTS, (grid.xs.at(-1) ?? 0) + HEAD_REACH_POINTS),
  );
  if (first === undefined || !isIn || CAPTION.test(first.text)) return false;
  if (row.some(({ text }) => text.length > HEAD_CHARS_MAX || (text.length > WORD_CHARS && ENDS_SENTENCE.test(text))))
    return false;
  return row.length > 1 || (!isOver && columnOf(first, grid) > 0);
}

function columnOf({ left, right }: Box, { xs }: Grid): number {
  return xs.findLastIndex((x) => x <= (left + right) / 2);
}

function isBeside({ left, right }: Box, { xs }: Grid): boolean {
  return right > (xs[0] ?? 0) && left < (xs.at(-1) ?? 0);
}

function isValueLine({ text }: PageLine): boolean {
  return isValueText(text);
}

/** A value, but none that names a column, such as a year or its number. */
function isDataLine({ text }: PageLine): boolean {
  return isValueText(text) && !/^\(?\d{1,4}(?:\s*[-–/]\s*\d{2,4})?\)?$/u.test(text);
}

function isAcross({ left, right }: Box, x: number): boolean {
  return left < x - OVERHANG_POINTS && right > x + OVERHANG_POINTS;
}

function areaOf({ xs, ys }: Grid): number {
  return ((xs.at(-1) ?? 0) - (xs[0] ?? 0)) * ((ys.at(-1) ?? 0) - (ys[0] ?? 0));
}

type Sides = Pick<Rules, 'across' | 'down'>;

/** Rules that touch each other. */
function groupTouchingRules({ across, down }: Sides): Sides[] {
  const all = [...across, ...down];
  const parent = all.map((_, index) => index);
  const findRuleRoot = (index: number): number => {
    let at = index;
    while (parent[at] !== at) {
      parent[at] = parent[parent[at] ?? 0] ?? 0;
      at = parent[at] ?? 0;
    }
    return at;
  };
  for (let one = 0; one < all.length; one += 1) {
    for (let other = one + 1; other < all.length; other += 1) {
      const isParallel = one < across.length === other < across.length;
      const [a, b] = [itemAt(all, one), itemAt(all, other)];
      if (isParallel ? areNeighbours(a, b) : isRuleCrossing(a, b)) parent[findRuleRoot(one)] = findRuleRoot(other);
    }
  }
  const groups = new Map<number, Sides>();
  for (const [index, rule] of all.entries()) {
    const group = groups.get(findRuleRoot(index)) ?? { across: [], down: [] };
    groups.set(findRuleRoot(index), group);
    (index < across.length ? group.across : group.down).push(rule);
  }
  return [...groups.values()];
}

function isRuleCrossing(a: Rule, b: Rule): boolean {
  const isOnRule = (at: number, { from, to }: Rule) => at >= from - TOUCH_POINTS && at <= to + TOUCH_POINTS;
  return isOnRule(a.at, b) && isOnRule(b.at, a);
}

function areNeighbours(a: Rule, b: Rule): boolean {
  return Math.abs(a.at - b.at) <= PARALLEL_POINTS && Math.min(a.to, b.to) > Math.max(a.from, b.from);
}

/** Places of the rules, and the ends of the rules across them where the table is open. */
function sidesOf(rules: readonly Rule[], others: readonly Rule[]): number[] {
  const sides: number[] = [];
  let start = Number.NEGATIVE_INFINITY;
  for (const at of rules.map((rule) => rule.at).sort((one, other) => one - other)) {
    if (at - start <= SAME_SIDE_POINTS) continue;
    sides.push(at);
    start = at;
  }
  const from = Math.min(...others.map((rule) => rule.from));
  const to = Math.max(...others.map((rule) => rule.to));
  if (from < (sides[0] ?? from) - OPEN_SIDE_POINTS) sides.unshift(from);
  if (to > (sides.at(-1) ?? to) + OPEN_SIDE_POINTS) sides.push(to);
  return sides;
}

function rulesAt(sides: readonly number[], rules: readonly Rule[]): Rule[][] {
  return sides.map((side) => rules.filter(({ at }) => at >= side - 0.01 && at - side <= SAME_SIDE_POINTS));
}

/** Whether rules cover most of a side of a cell. */
function isRuled(rules: readonly Rule[] | undefined, from: number, to: number): boolean {
  let covered = 0;
  let end = from;
  for (const rule of (rules ?? []).toSorted((one, other) => one.from - other.from)) {
    const start = Math.max(end, rule.from);
    covered += Math.max(0, Math.min(to, rule.to) - start);
    end = Math.max(end, Math.min(to, rule.to));
  }
  return covered >= COVERED_SHARE * (to - from);
}

/** A cell, over one or more places of the grid. */
interface Cell {
  row: number;
  column: number;
  rows: number;
  columns: number;
  lines: PageLine[];
}

/** Cells by place, each over the places that no rule separates. */
function gridCells(grid: Grid): Cell[][] {
  const { xs, ys, down, across } = grid;
  const [columns, rows] = [xs.length - 1, ys.length - 1];
  const places: Cell[][] = Array.from({ length: rows }, () => []);
  const gridX = (index: number) => xs[index] ?? 0;
  const gridY = (index: number) => ys[index] ?? 0;
  const isOpenRight = (row: number, column: number) => !isRuled(down[column + 1], gridY(row), gridY(row + 1));
  const isOpenBelow = (row: number, column: number) => !isRuled(across[row + 1], gridX(column), gridX(column + 1));
  for (let row = 0; row < rows; row += 1) {
    for (let column = 0; column < columns; column += 1) {
      if (places[row]?.[column] !== undefined) continue;
      let wide = 1;
      const isFree = (at: number) => at < columns && places[row]?.[at] === undefined;
      while (isFree(column + wide) && isOpenRight(row, column + wide - 1)) wide += 1;
      let high = 1;
      const isOneBelow = (below: number) => {
        for (let at = column; at < column + wide; at += 1) {
          if (!isOpenBelow(below - 1, at) || (at > column && !isOpenRight(below, at - 1))) return false;
        }
        return true;
      };
      while (row + high < rows && isOneBelow(row + high)) high += 1;
      const cell: Cell = { row, column, rows: high, columns: wide, lines: [] };
      for (let at = row; at < row + high; at += 1) {
        const line = itemAt(places, at);
        for (let across = column; across < column + wide; across += 1) line[across] = cell;
      }
    }
  }
  return places;
}

interface RowOptions extends ReadOptions {
  isRuledByRow: boolean;
}

interface ReadOptions {
  /** Without rules down. */
  isOpen: boolean;
  letters: () => readonly PlacedLetter[];
  hyphenated: DividedWords;
}

function tableIn(grid: Grid, members: readonly PageLine[], options: ReadOptions): TablePart | null {
  if (members.length < 2 || hasAxis(groupLineRows(members))) return null;
  const placed = placeLines(grid, members, options);
  if (placed.cuts > CUT_WORDS_SHARE * members.length) return null;
  const kept = withoutSpace(placed.grid, placed.places);
  const cells = [...new Set(kept.flat())];
  const filled = cells.filter(({ lines }) => lines.length > 0);
  if (kept.length === 0 || (kept[0]?.length ?? 0) < 2 || filled.length < FILLED_SHARE_MIN * cells.length) return null;
  const largest = Math.max(...cells.map(({ lines }) => lines.length));
  if (largest > PAGE_CELL_LINES && largest > PAGE_CELL_SHARE * members.length) return null;
  const { rows, spans } = rowsWithSpans(kept, options);
  moveBulletsToItems(rows);
  const isWritten = (row: readonly string[]) => row.some((cell) => cell !== '');
  const written = rows.filter(isWritten);
  const columns = kept[0]?.map((_, column) => rows.filter((row) => (row[column] ?? '') !== '').length) ?? [];
  if (written.length < 2 || columns.filter((count) => count > 0).length < 2) return null;
  const full = written.filter((row) => row.filter((cell) => cell !== '').length > 1).length;
  if (full < (options.isOpen ? FULL_ROWS_SHARE_OPEN : FULL_ROWS_SHARE) * written.length) return null;
  if (options.isOpen && !isTabular(written)) return null;
  const own = remainingSpans(
    spans,
    rows.flatMap((row, at) => (isWritten(row) ? [at] : [])),
  );
  const narrow = withoutEmptyColumns(written, own.spans ?? []);
  return {
    ...gridTablePart(grid, narrow.rows, kept[0] ?? []),
    ...omitUndefined({ spans: narrow.spans.length > 0 ? narrow.spans : undefined }),
  };
}

/** A column of bullets is the start of the items beside them. */
function moveBulletsToItems(rows: readonly string[][]): void {
  for (const column of rows[0]?.keys() ?? []) {
    const own = rows.filter((row) => (row[column] ?? '') !== '');
    const areBullets = own.every((row) => BULLET.test(row[column] ?? '') && HAS_WORD.test(row[column + 1] ?? ''));
    if (own.length === 0 || !areBullets) continue;
    for (const row of own) row.splice(column, 2, '', `${row[column]} ${row[column + 1]}`);
  }
}

const BULLET = /^[•‣▪■◦]$/u;

const HAS_WORD = /\p{L}{2}/u;

/** Without the columns that have no text at all, such as the space between two parts of a form. */
function withoutEmptyColumns(rows: string[][], spans: readonly CellSpan[]): { rows: string[][]; spans: CellSpan[] } {
  const shown = (rows[0] ?? []).flatMap((_, column) => (rows.some((row) => row[column] !== '') ? [column] : []));
  const narrowed = spans.map(({ column, columns, ...span }) => ({
    ...span,
    column: shown.indexOf(column),
    columns: shown.filter((at) => at >= column && at < column + columns).length,
  }));
  return {
    rows: rows.map((row) => shown.map((column) => row[column] ?? '')),
    spans: narrowed.filter((span) => span.column >= 0 && span.rows * span.columns > 1),
  };
}

/** Whether a row below the first has only numbers at equal distances, as the axis of a chart; not 1, 2, 3 or years. */
function hasAxis(rows: readonly PageLine[][]): boolean {
  return rows.slice(1).some((row) => {
    const numbers = row.flatMap(({ text }) => text.split(/\s+/u)).map((word) => Number(word.replace(/[%,]/gu, '')));
    const step = (numbers[1] ?? 0) - (numbers[0] ?? 0);
    if (numbers.length < AXIS_NUMBERS_MIN || Math.abs(step) <= 1 || numbers.every(isYear)) return false;
    return numbers.slice(1).every((number, at) => Math.abs(number - (numbers[at] ?? 0) - step) < 1e-6);
  });
}

function isYear(number: number): boolean {
  return Number.isInteger(number) && number > 1800 && number < 2200;
}

/** The rows of texts, and the cells over several of them or over several columns. */
function rowsWithSpans(kept: readonly Cell[][], options: ReadOptions): { rows: string[][]; spans: CellSpan[] } {
  const rows: string[][] = [];
  const starts: number[] = [];
  const inText = new Set<Cell>();
  const spans: CellSpan[] = [];
  const rowOptions = { ...options, isRuledByRow: !options.isOpen && areRuledByRow(kept) };
  for (const { from, to } of bandsOfCells(kept)) {
    const byText = rowsOfText(kept.slice(from, to), options);
    for (let at = from; at < to; at += 1) {
      starts.push(rows.length);
      if (byText === null) rows.push(...textRows(itemAt(kept, at), at, kept, rowOptions));
      else if (at === from) rows.push(...byText.rows);
    }
    if (byText === null) continue;
    for (const cell of kept.slice(from, to).flat()) inText.add(cell);
    const row = starts[from] ?? 0;
    for (const column of byText.whole) spans.push({ row, column, rows: byText.rows.length, columns: 1 });
  }
  starts.push(rows.length);
  const known = new Set<Cell>(inText);
  for (const [at, places] of kept.entries()) {
    for (const [column, cell] of places.entries()) {
      if (known.has(cell)) continue;
      known.add(cell);
      const [from, to] = [starts[at] ?? 0, starts[at + cell.rows] ?? rows.length];
      const wide = { column, columns: cell.columns };
      if (cell.rows > 1 && cell.lines.length > 0) spans.push({ row: from, rows: to - from, ...wide });
      else if (cell.columns > 1) {
        for (let row = from; row < to; row += 1) {
          if (rows[row]?.[column] !== '') spans.push({ row, rows: 1, ...wide });
        }
      }
    }
  }
  return { rows, spans };
}

/** Whether rules separate the rows one by one: most rows of places have one row of text. */
function areRuledByRow(kept: readonly Cell[][]): boolean {
  const counts = kept.map((row) => {
    const low = [...new Set(row)].filter((cell) => cell.rows === 1);
    return groupLineRows(low.flatMap(({ lines }) => lines)).length;
  });
  const filled = counts.filter((count) => count > 0);
  const single = filled.filter((count) => count === 1);
  return filled.length >= RULED_ROWS_MIN && single.length >= RULED_ROWS_SHARE * filled.length;
}

interface PlacedLines {
  grid: Grid;
  /** Cells with their lines, by place of the grid. */
  places: Cell[][];
  /** Words that a rule cuts. */
  cuts: number;
}

/** The cells with their lines. Cells whose texts are in columns of their own are divided. */
function placeLines(grid: Grid, members: readonly PageLine[], options: ReadOptions): PlacedLines {
  const placeGridLines = (sides: Grid): PlacedLines => {
    const places = gridCells(sides);
    let cuts = 0;
    for (const line of members) cuts += placeLine(line, sides, places, options.letters);
    return { grid: sides, places, cuts };
  };
  const placed = placeGridLines(grid);
  if (placed.cuts > CUT_WORDS_SHARE * members.length) return placed;
  const cells = [...new Set(placed.places.flat())];
  const tables = options.isOpen ? [] : cells.flatMap((cell) => innerSides(cell, grid));
  const inner = [...tables, ...innerColumns(cells, grid)];
  const finer = inner.length === 0 ? placed : placeGridLines(withSides(grid, inner));
  if (options.isOpen) return finer;
  const divided = dividedGrid(finer);
  const whole = divided === null ? finer : placeGridLines(divided);
  const rows = withRowsOfText(whole);
  return rows === null ? whole : placeGridLines(rows);
}

/** The sides of columns inside a cell that contains a table or form without rules. */
function innerSides(cell: Cell, grid: Grid): Rule[] {
  const rows = groupLineRows(cell.lines);
  const several = rows.filter((row) => row.length > 1 && !isLoneMarker(row[0]?.text ?? ''));
  if (several.length < ALIGNED_ROWS_MIN || several.length < INNER_ROWS_SHARE * rows.length) return [];
  const { left: from, right: to, top, bottom } = gridCellBox(cell, grid);
  const sides = gapsIn(rows.flatMap(mergedRow), { at: 0, from, to }, 0);
  return sides.slice(1, -1).map((at) => ({ at, from: top, to: bottom }));
}

/** The sides of columns of values inside one column of the grid, beside the texts that lie across them. */
function innerColumns(cells: readonly Cell[], grid: Grid): Rule[] {
  return grid.xs.slice(0, -1).flatMap((from, column) => {
    const own = cells.filter((cell) => cell.column === column && cell.columns === 1);
    const rows = own.flatMap(({ lines }) => groupLineRows(lines));
    const several = rows.filter((row) => row.filter(({ text }) => isValueText(text)).length > 1);
    if (several.length < ALIGNED_ROWS_MIN || several.length < INNER_ROWS_SHARE * rows.length) return [];
    const sides = gapsIn(several.flatMap(mergedRow), { at: 0, from, to: grid.xs[column + 1] ?? 0 }, 0).slice(1, -1);
    return own.flatMap((cell) => {
      const { top, bottom } = gridCellBox(cell, grid);
      const free = sides.filter((at) => !cell.lines.some((line) => isAcross(line, at)));
      return free.map((at) => ({ at, from: top, to: bottom }));
    });
  });
}

function gridCellBox({ row, column, rows, columns }: Cell, { xs, ys }: Grid): Box {
  const [left, right] = [xs[column] ?? 0, xs[column + columns] ?? 0];
  return { left, right, top: ys[row] ?? 0, bottom: ys[row + rows] ?? 0 };
}

/** The grid with more columns, ruled where `rules` are. */
function withSides(grid: Grid, rules: readonly Rule[]): Grid {
  if (rules.length === 0) return grid;
  const isKnownSide = (at: number) => grid.xs.some((x) => Math.abs(x - at) <= SAME_SIDE_POINTS);
  const xs = [...grid.xs, ...sidesOf(rules, []).filter((at) => !isKnownSide(at))].sort((one, other) => one - other);
  if ((xs.length - 1) * (grid.ys.length - 1) > PLACES_MAX) return grid;
  const rulesNearSide = (at: number) => rules.filter((rule) => Math.abs(rule.at - at) <= SAME_SIDE_POINTS);
  const down = xs.map((at) => [...(grid.down[grid.xs.indexOf(at)] ?? []), ...rulesNearSide(at)]);
  return { ...grid, xs, down };
}

/**
 * The grid with its missing rules between texts that are side by side in several columns of one cell, as in every
 * second row of a table with stripes; null if there are none.
 */
function dividedGrid({ grid, places }: PlacedLines): Grid | null {
  const down = grid.down.map((rules) => [...rules]);
  let isDivided = false;
  for (const cell of new Set(places.flat())) {
    if (cell.columns === 1 || cell.lines.length === 0) continue;
    const { left, right, top: from, bottom: to } = gridCellBox(cell, grid);
    const rows = groupLineRows(cell.lines);
    const isCentred = rows.some((row) => isNearMiddle(row, left, right));
    for (let side = cell.column + 1; side < cell.column + cell.columns; side += 1) {
      const at = grid.xs[side] ?? 0;
      const isBehind = !isCentred && cell.lines.every((line) => line.left >= at - OVERHANG_POINTS);
      if (!isBehind && !areBesideEachOther(rows, at)) continue;
      down[side]?.push({ at, from, to });
      isDivided = true;
    }
  }
  return isDivided ? { ...grid, down } : null;
}

/**
 * The grid with its missing rules between the rows of several cells over the same rows, each of whose lines is in a row
 * of its own beside a text of the other columns; null if there are none.
 */
function withRowsOfText({ grid, places }: PlacedLines): Grid | null {
  const groups = Map.groupBy(
    [...new Set(places.flat())].filter((cell) => areRowsOfText(cell, grid, places)),
    ({ row, rows }) => `${row} ${rows}`,
  );
  const across = grid.across.map((rules) => [...rules]);
  let isDivided = false;
  for (const cells of groups.values()) {
    const hasValues = cells.some(({ lines }) => lines.every(isValueLine));
    if (cells.length < DIVIDED_CELLS_MIN || !(hasValues || cells.every((cell) => isBesideTexts(cell, grid, places))))
      continue;
    for (const cell of cells) {
      const { left: from, right: to } = gridCellBox(cell, grid);
      for (let side = cell.row + 1; side < cell.row + cell.rows; side += 1) {
        across[side]?.push({ at: grid.ys[side] ?? 0, from, to });
      }
    }
    isDivided = true;
  }
  return isDivided ? { ...grid, across } : null;
}

/** Whether each line of a cell is in a row of its own: as many as there are, or beside texts of other columns. */
function areRowsOfText(cell: Cell, grid: Grid, places: readonly Cell[][]): boolean {
  const at = rowsOfLines(cell, grid);
  if (cell.rows === 1 || at.length < 2 || new Set(at).size < at.length) return false;
  return at.length === cell.rows || isBesideTexts(cell, grid, places);
}

function isBesideTexts(cell: Cell, grid: Grid, places: readonly Cell[][]): boolean {
  const at = rowsOfLines(cell, grid);
  return groupLineRows(cell.lines).every(([text], index) => {
    const beside = places[at[index] ?? -1] ?? [];
    return (
      text !== undefined && beside.some(({ rows, lines }) => rows === 1 && lines.some((line) => sameRow(line, text)))
    );
  });
}

/** The row of the grid in which each line of a cell is. */
function rowsOfLines({ lines }: Cell, { ys }: Grid): number[] {
  return groupLineRows(lines).map(([line]) => {
    const middle = ((line?.top ?? 0) + (line?.bottom ?? 0)) / 2;
    return ys.findLastIndex((y) => y <= middle);
  });
}

/** Whether the texts are in the middle of a cell over several columns, as those of a head are. */
function isNearMiddle(row: readonly PageLine[], left: number, right: number): boolean {
  const middle = ((row[0]?.left ?? left) + (row.at(-1)?.right ?? right)) / 2;
  return Math.abs(middle - (left + right) / 2) <= CENTRED_SHARE * (right - left);
}

/** Whether a side lies between texts of one row, and no text lies across it. */
function areBesideEachOther(rows: readonly PageLine[][], at: number): boolean {
  if (rows.some((row) => row.some((line) => isAcross(line, at)))) return false;
  return rows.some((row) => {
    const left = row.filter((line) => line.right <= at + OVERHANG_POINTS);
    return left.length > 0 && left.length < row.length && !left.every(({ text }) => isLoneMarker(text));
  });
}

function gridTablePart({ xs, ys }: Grid, rows: string[][], first: readonly Cell[]): TablePart {
  const head = first.flatMap(({ lines }) => lines);
  return {
    kind: 'table',
    rows,
    ...omitUndefined({ hasHead: head.length > 0 && head.every(({ bold }) => bold) ? true : undefined }),
    left: xs[0] ?? 0,
    top: ys[0] ?? 0,
    right: xs.at(-1) ?? 0,
    bottom: ys.at(-1) ?? 0,
  };
}

/** Without rules down, running text between rules must not become a table. */
function isTabular(rows: readonly string[][]): boolean {
  const full = rows.filter((row) => row.filter((cell) => cell !== '').length > 1);
  if (full.length < 2) return false;
  const cells = rows.flat().filter((cell) => cell !== '');
  const characters = cells.reduce((sum, cell) => sum + cell.length, 0);
  return rows.length > 2 || characters <= OPEN_CELL_CHARS_MAX * cells.length;
}

/** Adds a line to its cell, in parts if it lies over several. Returns the number of words that a rule cuts. */
function placeLine(line: PageLine, { xs, ys }: Grid, places: Cell[][], letters: ReadOptions['letters']): number {
  const middle = (line.top + line.bottom) / 2;
  const row = places[ys.findLastIndex((y) => y <= middle)] ?? [];
  const cells = [...new Set(row)].filter((cell) => {
    const [left, right] = [xs[cell.column] ?? 0, xs[cell.column + cell.columns] ?? 0];
    return Math.min(right, line.right) - Math.max(left, line.left) > OVERHANG_POINTS;
  });
  if (cells.length <= 1) {
    const column = xs.findLastIndex((x) => x <= (line.left + line.right) / 2);
    (cells[0] ?? row[column])?.lines.push(line);
    return 0;
  }
  const own = ruledLineLetters(line, letters());
  if (own === null) {
    cells[0]?.lines.push(line);
    return 0;
  }
  const bounds = cells.slice(1).map((cell) => xs[cell.column] ?? 0);
  const words = wordsOf(own, line.size);
  const cuts = bounds.filter((at) =>
    words.some((word) => (word[0]?.x ?? at) < at && (word.at(-1)?.x ?? at) > at),
  ).length;
  for (const [index, cell] of cells.entries()) {
    const from = bounds[index - 1] ?? Number.NEGATIVE_INFINITY;
    const to = bounds[index] ?? Number.POSITIVE_INFINITY;
    const within = words.filter((word) => middleOf(word) >= from && middleOf(word) < to).flat();
    const text = within.map((letter) => letter.text).join('');
    if (text.trim() === '') continue;
    const [left, right] = [Math.max(line.left, from), Math.min(line.right, to)];
    cell.lines.push({ ...line, left, right, text: text.trim() });
  }
  return cuts;
}

/** A word that reaches over a rule stays whole. */
function wordsOf(letters: readonly PlacedLetter[], size: number): PlacedLetter[][] {
  const words: PlacedLetter[][] = [];
  for (const letter of letters) {
    const last = words.at(-1)?.at(-1);
    if (last !== undefined && areOfOneWord(last, letter, size)) words.at(-1)?.push(letter);
    else words.push([letter]);
  }
  return words;
}

function middleOf(word: readonly PlacedLetter[]): number {
  return ((word[0]?.x ?? 0) + (word.at(-1)?.x ?? 0)) / 2;
}

/** The letters of a line; null if others lie over it, or if some of its characters are not known one by one. */
function ruledLineLetters(line: PageLine, letters: readonly PlacedLetter[]): PlacedLetter[] | null {
  const own = letters.filter(
    ({ x, y }) => y > line.top && y < line.bottom && x >= line.left - 1 && x <= line.right + 1,
  );
  return sameLetters(own, line.text) ? own : null;
}

function sameLetters(letters: readonly PlacedLetter[], text: string): boolean {
  const sortedCharacters = (whole: string) => (whole.normalize('NFKD').match(/[\p{L}\p{N}]/gu) ?? []).sort().join('');
  return sortedCharacters(letters.map((letter) => letter.text).join('')) === sortedCharacters(text);
}

function areOfOneWord(one: PlacedLetter, other: PlacedLetter, size: number): boolean {
  return one.text.trim() !== '' && other.text.trim() !== '' && other.x - one.x < size;
}

/**
 * The places without the low rows and narrow columns between the frames of cells, which are empty or only parts of
 * cells: each cell with text keeps a place.
 */
function withoutSpace({ xs, ys }: Grid, places: readonly Cell[][]): Cell[][] {
  const isLow = (row: number) => sizeAt(ys, row) <= SPACE_HEIGHT_MAX;
  const isNarrow = (column: number) => sizeAt(xs, column) <= SPACE_WIDTH_MAX;
  const columns = (places[0] ?? []).map((_, column) => places.map((row) => itemAt(row, column)));
  const rows = keptPlaces(places, isLow, ({ row, rows }) => row + rows);
  const keptColumns = new Set(keptPlaces(columns, isNarrow, ({ column, columns: wide }) => column + wide));
  const kept = rows.map((row) => itemAt(places, row).filter((_, column) => keptColumns.has(column)));
  countPlaces(kept);
  return kept;
}

/** Sets the rows and columns of each cell to those of its kept places. */
function countPlaces(kept: readonly Cell[][]): void {
  for (const cell of kept.flat()) Object.assign(cell, { rows: 0, columns: 0 });
  for (const row of kept) for (const cell of new Set(row)) cell.rows += 1;
  const columns = (kept[0] ?? []).map((_, column) => kept.map((row) => itemAt(row, column)));
  for (const column of columns) for (const cell of new Set(column)) cell.columns += 1;
}

function sizeAt(sides: readonly number[], at: number): number {
  return (sides[at + 1] ?? 0) - (sides[at] ?? 0);
}

/** Indexes of the rows (or columns) that are no space. `endOf` is the index after the last place of a cell. */
function keptPlaces(
  lines: readonly Cell[][],
  isSmall: (at: number) => boolean,
  endOf: (cell: Cell) => number,
): number[] {
  const shown = new Set<Cell>();
  return lines.flatMap((line, at) => {
    const isSpace = (cell: Cell) => cell.lines.length === 0 || shown.has(cell) || isGoingOn(cell);
    const isGoingOn = (cell: Cell) => endOf(cell) > at + 1;
    if (isSmall(at) && line.every(isSpace)) return [];
    for (const cell of line) shown.add(cell);
    return [at];
  });
}

/** Groups of rows that no cell with text goes over. */
function bandsOfCells(kept: readonly Cell[][]): { from: number; to: number }[] {
  const bands: { from: number; to: number }[] = [];
  for (const [at, row] of kept.entries()) {
    const above = kept[at - 1];
    const goesOn = row.some((cell) => cell.lines.length > 0 && above?.includes(cell));
    const last = bands.at(-1);
    if (goesOn && last !== undefined) last.to = at + 1;
    else bands.push({ from: at, to: at + 1 });
  }
  return bands;
}

/**
 * The rows of a band by its texts, where it has far fewer rules than rows of short texts in columns, as forms have that
 * frame some of their fields; else null.
 */
function rowsOfText(band: readonly Cell[][], { hyphenated }: ReadOptions): TextBand | null {
  const cells = [...new Set(band.flat())];
  if (band.length < 2 || cells.some(({ columns, lines }) => columns > 1 && lines.length > 1)) return null;
  const labels = cells.filter(({ rows, lines }) => rows === band.length && groupLineRows(lines).length === 1);
  const rows = groupLineRows(cells.flatMap((cell) => (labels.includes(cell) ? [] : cell.lines)));
  if (rows.length < TEXT_ROWS_MIN || rows.length < TEXT_ROWS_RATIO * band.length || areInterleaved(rows)) return null;
  const stated = rows.filter((row) => row.some((line) => isValueText(line.text) || line.text.includes(':')));
  if (stated.length < STATED_SHARE * rows.length) return null;
  const columns = (band[0] ?? []).map((_, column) => new Set(band.map((row) => itemAt(row, column))));
  const table = rows.map((row) =>
    columns.map((own, column) =>
      row.filter((line) => {
        const cell = [...own].find(({ lines }) => lines.includes(line));
        return cell !== undefined && columns.findIndex((other) => other.has(cell)) === column;
      }),
    ),
  );
  const full = table.filter((row) => row.filter((lines) => lines.length > 0).length > 1).length;
  if (full < INNER_ROWS_SHARE * rows.length || wrappedShare(table) > WRAPPED_SHARE_OF_FORM) return null;
  const texts = table.map((row) => row.map((lines) => ruledCellText(lines, hyphenated)));
  const whole = labels.map((label) => columns.findIndex((own) => own.has(label)));
  for (const [at, column] of whole.entries()) {
    const [first] = texts;
    if (first !== undefined) first[column] = ruledCellText(labels[at]?.lines ?? [], hyphenated);
  }
  return { rows: texts, whole };
}

/** Whether texts are between the rows of others, as cells in the middle of their height are. */
function areInterleaved(rows: readonly PageLine[][], share = INTERLEAVED_SHARE): boolean {
  return rows.slice(1).some((row, at) => {
    const top = Math.min(...row.map((line) => line.top));
    const low = Math.max(...row.map((line) => line.bottom));
    const above = Math.max(...(rows[at] ?? []).map((line) => line.bottom));
    return above - top > share * (low - top);
  });
}

/** Rows of a band, and the columns with a cell over all of them. */
interface TextBand {
  rows: string[][];
  whole: number[];
}

/** The texts of a row of places; several rows if rules separate groups of rows only. */
function textRows(row: readonly Cell[], at: number, all: readonly Cell[][], options: RowOptions): string[][] {
  const above = all[at - 1];
  const isFirst = row.map((cell, column) => row[column - 1] !== cell && above?.includes(cell) !== true);
  const cells = row.filter((_, column) => isFirst[column]);
  // A cell over several rows has its text in the first one.
  const low = cells.filter(({ rows }) => rows === 1);
  const isMixed = cells.some(({ rows, lines }) => rows > 1 && lines.length > 0);
  const parts = splitRow(low, all.length, { ...options, isMixed }) ?? [low.map(({ lines }) => lines)];
  return parts.map((part, index) => {
    const lines = new Map(low.map((cell, place) => [cell, part[place] ?? []]));
    const linesOf = (cell: Cell) => lines.get(cell) ?? (index === 0 ? cell.lines : []);
    return row.map((cell, column) => (isFirst[column] ? ruledCellText(linesOf(cell), options.hyphenated) : ''));
  });
}

/** Lines by row and column if a band contains several rows; else null. */
function splitRow(
  row: readonly Cell[],
  bands: number,
  { isOpen, isMixed, isRuledByRow }: RowOptions & { isMixed: boolean },
): PageLine[][][] | null {
  const filled = row.filter(({ lines }) => lines.length > 0).length;
  const rows = groupLineRows(row.flatMap(({ lines }) => lines));
  if (filled < 2 || rows.length < 2) return null;
  const columnsIn = (lines: readonly PageLine[]) =>
    row.map((cell) => lines.filter((line) => cell.lines.includes(line)));
  const table = rows.map(columnsIn);
  const places = table.flat().filter((lines) => lines.length > 0).length;
  const isAligned = places >= ALIGNED_SHARE * rows.length * filled && table.every((one) => one[0]?.length !== 0);
  const full = row.filter((_, column) => table.every((one) => one[column]?.length !== 0));
  const isFull = full.length >= FULL_COLUMNS_MIN && full[0] === row.find(({ lines }) => lines.length > 0);
  const isDistinct = wrappedShare(table) <= WRAPPED_SHARE_MAX;
  if ((isFull && hasColumnsOfValues(table)) || (isDistinct && areStatedRows(rows))) return table;
  // Beside a cell over several rows, as in a head, and where each row has its rules, lines of words are one cell.
  if (isMixed || isRuledByRow) return null;
  // Without a value, a text of the first column may be the heading of the rows below it.
  const hasValue = (one: readonly PageLine[][]) => one.flat().some(isValueLine);
  const isBetween = areInterleaved(rows);
  if (isBetween && rows.length <= MIDDLE_LINES_MAX && rowsOfValues(table) === 1) return null;
  const around =
    isBetween || table.every((one) => hasValue(one) || one[0]?.length === 0)
      ? rowsAroundValues(row.map(({ lines }) => lines))
      : null;
  if (around !== null) return around;
  if ((isAligned || isFull) && isDistinct && (rows.length >= ALIGNED_ROWS_MIN || isOpen)) return table;
  if (!isOpen || bands > OPEN_BANDS_MAX) return null;
  const apart = rowsByGaps(table);
  if (apart !== null) return apart;
  const starts = table.filter((one) => one[0]?.length !== 0).length;
  if (starts < 2 || table[0]?.[0]?.length === 0) return null;
  const groups: PageLine[][][] = [];
  for (const one of table) {
    const last = groups.at(-1);
    if (last === undefined || one[0]?.length !== 0 || isNumeric(one)) groups.push(one);
    else for (const [column, lines] of one.entries()) last[column]?.push(...lines);
  }
  return groups;
}

/** Whether the rows are those of a bill: most have a value at their end, which none continues. */
function areStatedRows(rows: readonly PageLine[][]): boolean {
  if (rows.length < TEXT_ROWS_MIN || areInterleaved(rows)) return false;
  const stated = rows.filter((row) => row.length > 1 && isValueText(row.at(-1)?.text ?? ''));
  return stated.length >= ALIGNED_SHARE * rows.length;
}

/** Whether each row has a value in several columns: unlike a text, a value does not go on below. */
function hasColumnsOfValues(table: readonly PageLine[][][]): boolean {
  const columns = table[0]?.map((_, column) => table.map((row) => row[column] ?? [])) ?? [];
  const ofValues = columns.filter((column) =>
    column.every((lines) => lines.length === 1 && isValueText(lines[0]?.text ?? '')),
  );
  const isWhole = columns.every((column) => column.every((lines) => lines.length > 0) || column.flat().length === 0);
  return ofValues.length >= (table.length >= ALIGNED_ROWS_MIN || isWhole ? 1 : FULL_COLUMNS_MIN);
}

/** Count of the rows of text with values of columns that have no other texts. */
function rowsOfValues(table: readonly PageLine[][][]): number {
  const isOfValues = table[0]?.map((_, column) => table.every((row) => row[column]?.every(isValueLine) === true)) ?? [];
  return table.filter((row) => row.some((lines, column) => isOfValues[column] && lines.length > 0)).length;
}

/** Rows with more space between them than between the lines of their cells; null if the gaps are all alike. */
function rowsByGaps(table: readonly PageLine[][][]): PageLine[][][] | null {
  const gaps = table.map((row, at) => {
    const above = table.slice(0, at).flat(2);
    return Math.min(...row.flat().map(({ top }) => top)) - Math.max(...above.map(({ bottom }) => bottom));
  });
  const wide = gaps.slice(1).filter((gap) => gap > 0);
  const least = Math.min(...wide);
  const limit = WIDER_GAP * least + 1;
  if (wide.length < 2 || Math.max(...wide) <= limit) return null;
  const groups: PageLine[][][] = [];
  for (const [at, row] of table.entries()) {
    const last = groups.at(-1);
    if (last === undefined || (gaps[at] ?? 0) > limit) groups.push(row.map((lines) => [...lines]));
    else for (const [column, lines] of row.entries()) last[column]?.push(...lines);
  }
  const full = groups.filter((group) => group.filter((lines) => lines.length > 0).length > 1);
  return groups.length > 1 && full.length >= ALIGNED_SHARE * groups.length ? groups : null;
}

/** Values without words do not continue the row above. */
function isNumeric(row: readonly PageLine[][]): boolean {
  const lines = row.flat();
  return lines.length > 1 && lines.filter(({ text }) => /\p{L}{2}/u.test(text)).length < lines.length / 2;
}

/** Share of neighbouring lines of a column in which the second one continues the first. */
function wrappedShare(table: readonly PageLine[][][]): number {
  let pairs = 0;
  let wrapped = 0;
  for (const [at, row] of table.entries()) {
    for (const [column, lines] of row.entries()) {
      const before = table[at - 1]?.[column]?.at(-1);
      const first = lines[0];
      if (before === undefined || first === undefined) continue;
      pairs += 1;
      if (BEGINS_LOWER.test(first.text) && /[\p{L},-]$/u.test(before.text) && before.text.includes(' ')) wrapped += 1;
    }
  }
  return pairs === 0 ? 0 : wrapped / pairs;
}

/** The text of a cell. A line that ends before its column does ends a paragraph. */
function ruledCellText(lines: readonly PageLine[], hyphenated: DividedWords): string {
  const rows = groupLineRows(lines).map((row) => ({
    text: row.reduce(
      (text, line, at) => (at === 0 ? line.text : `${text}${line.glued === true ? '' : ' '}${line.text}`),
      '',
    ),
    width: (row.at(-1)?.right ?? 0) - (row[0]?.left ?? 0),
    top: Math.min(...row.map(({ top }) => top)),
    bottom: Math.max(...row.map(({ bottom }) => bottom)),
  }));
  const widest = Math.max(0, ...rows.map(({ width }) => width));
  let text = rows[0]?.text ?? '';
  for (const [at, row] of rows.entries()) {
    const before = rows[at - 1];
    if (before === undefined) continue;
    const perCharacter = row.width / Math.max(1, row.text.length);
    const word = (row.text.split(' ', 1)[0] ?? '').length + 1;
    const hasRoom = before.width + word * perCharacter < widest - perCharacter;
    const isApart = row.top - before.bottom > PARAGRAPH_GAP_LINES * (row.bottom - row.top);
    const isParagraph = isApart || hasRoom || listMarkerOf(row.text)?.bullet === true;
    text = isParagraph ? `${text}\n${row.text}` : appendNextLine(text, row.text, hyphenated);
  }
  return text.trim();
}

/** Grids of tables that have rules across only: their columns follow from the texts between them. */
function openGridsOf(
  { across, joints }: Rules,
  lines: readonly PageLine[],
  isWanted: (bands: readonly Band[]) => boolean,
): Grid[] {
  const grids: Grid[] = [];
  for (const group of rulesOfOneWidth(across)) {
    const jointed = jointSides(group, joints);
    const hasColumns = jointed.length > 2;
    if (group.length < 2 && !hasColumns) continue;
    const all = bandsOf(group, lines);
    const below = hasColumns ? bandBelow(group.at(-1)?.at ?? 0, jointed, lines) : null;
    for (const bands of tabularRuns(below === null ? all : [...all, below], hasColumns)) {
      const rows = bands.flatMap((band) => band.rows);
      const xs = hasColumns ? jointed : columnSides(rows, itemAt(group, 0));
      const [first, last] = [itemAt(bands, 0), itemAt(bands, -1)];
      if (xs.length < 3 || !(hasColumns || isWanted(bands))) continue;
      const side: Rule = { at: 0, from: first.top, to: last.bottom };
      const row: Rule = { at: 0, from: xs[0] ?? 0, to: itemAt(xs, -1) };
      const sides = [first.top, ...bands.map(({ bottom }) => bottom)].map((at) => ({ ...row, at }));
      const parts = [...sides, ...across.filter((rule) => isPartial(rule, xs, sides))];
      const ys = sidesOf(parts, []);
      grids.push({
        xs,
        ys,
        // A text over several columns joins their cells.
        down: xs.map((at) => visibleRuleParts({ ...side, at }, rows.flat())),
        across: rulesAt(ys, parts),
      });
    }
  }
  return grids;
}

/** Whether each band is one row, of cells some of which have several lines. */
function areRows(bands: readonly Band[]): boolean {
  if (bands.length < ROW_BANDS_MIN) return false;
  const isRow = ({ rows }: Band) => rows.filter((row) => row.length > 1).length > 0 && !areRowsOfValues(rows);
  const high = bands.filter(({ rows }) => rows.length > 1);
  return high.length >= HIGH_BANDS_SHARE * bands.length && high.every(isRow);
}

/** The sides of columns where most rules of a table have a joint. */
function jointSides(group: readonly Rule[], joints: Rules['joints']): number[] {
  const { from, to } = itemAt(group, 0);
  const counts: { x: number; count: number }[] = [];
  for (const { x, y } of joints) {
    if (!group.some(({ at }) => at === y)) continue;
    const known = counts.find((one) => Math.abs(one.x - x) <= OVERHANG_POINTS);
    if (known === undefined) counts.push({ x, count: 1 });
    else known.count += 1;
  }
  const sides = counts.filter(({ count }) => count >= group.length / 2).map(({ x }) => x);
  return [from, ...sides.sort((one, other) => one - other), to];
}

/** Whether a rule separates the rows of some columns, as under a head of several columns or beside a high cell. */
function isPartial({ at, from, to }: Rule, xs: readonly number[], sides: readonly Rule[]): boolean {
  const [top, bottom] = [sides[0]?.at ?? 0, sides.at(-1)?.at ?? 0];
  if (at <= top || at >= bottom || sides.some((side) => Math.abs(side.at - at) <= SAME_SIDE_POINTS)) return false;
  const shares = xs.slice(1).map((right, index) => {
    const left = xs[index] ?? 0;
    return Math.max(0, Math.min(right, to) - Math.max(left, from)) / (right - left);
  });
  return shares.some((share) => share > COVERED_SHARE) && shares.every((share) => share > COVERED_SHARE || share < 0.2);
}

/** The rule without its parts behind texts. */
function visibleRuleParts({ at, from, to }: Rule, lines: readonly PageLine[]): Rule[] {
  const parts: Rule[] = [];
  let start = from;
  const crossing = lines.filter((line) => isAcross(line, at));
  for (const { top, bottom } of crossing.sort((one, other) => one.top - other.top)) {
    if (top > start) parts.push({ at, from: start, to: top });
    start = Math.max(start, bottom);
  }
  if (to > start) parts.push({ at, from: start, to });
  return parts;
}

function rulesOfOneWidth(across: readonly Rule[]): Rule[][] {
  const groups: Rule[][] = [];
  const isSameSide = (one: number, other: number) => Math.abs(one - other) <= SAME_SIDE_POINTS;
  for (const rule of across.toSorted((one, other) => one.at - other.at)) {
    const group = groups.find(
      ([first]) => first !== undefined && isSameSide(first.from, rule.from) && isSameSide(first.to, rule.to),
    );
    if (group === undefined) groups.push([rule]);
    else if (rule.at - (group.at(-1)?.at ?? 0) > SAME_SIDE_POINTS) group.push(rule);
  }
  return groups;
}

/** The space between two rules, and its text by row. */
interface Band {
  top: number;
  bottom: number;
  rows: PageLine[][];
}

function bandsOf(rules: readonly Rule[], lines: readonly PageLine[]): Band[] {
  const [first] = rules;
  const own = lines.filter((line) => first !== undefined && isBetween(line, first.from, first.to));
  const head = first === undefined ? null : headAbove(first.at, own);
  const tops = head === null ? rules : [{ at: head }, ...rules];
  return tops.slice(1).map(({ at: bottom }, index) => {
    const top = itemAt(tops, index).at;
    const isInBand = (line: Box) => (line.top + line.bottom) / 2 > top && (line.top + line.bottom) / 2 < bottom;
    return { top, bottom, rows: groupLineRows(own.filter(isInBand)) };
  });
}

function isBetween({ left, right }: Box, from: number, to: number): boolean {
  return left >= from - TOUCH_POINTS && right <= to + TOUCH_POINTS;
}

/** The rows below the last rule that are in the columns, where a page ends inside a table. */
function bandBelow(top: number, xs: readonly number[], lines: readonly PageLine[]): Band | null {
  const [left, right] = [xs[0] ?? 0, xs.at(-1) ?? 0];
  const rows: PageLine[][] = [];
  const columns = new Set<number>();
  let bottom = top;
  for (const row of groupLineRows(lines.filter((line) => (line.top + line.bottom) / 2 > top))) {
    const height = Math.max(...row.map((line) => line.bottom - line.top));
    const isFar = Math.min(...row.map((line) => line.top)) - bottom > BAND_GAP_LINES * height;
    if (isFar || row.some((line) => !isBetween(line, left, right) || xs.slice(1, -1).some((x) => isAcross(line, x))))
      break;
    for (const line of row) columns.add(xs.findLastIndex((x) => x <= (line.left + line.right) / 2));
    rows.push(row);
    bottom = Math.max(bottom, ...row.map((line) => line.bottom + 1));
  }
  return columns.size > 1 ? { top, bottom, rows } : null;
}

/** The top of a head without a rule above it: a row of several texts directly above the first rule. */
function headAbove(rule: number, lines: readonly PageLine[]): number | null {
  const rows = groupLineRows(lines.filter(({ top, bottom }) => (top + bottom) / 2 < rule));
  const last = rows.at(-1);
  const head = last?.[0];
  if (last === undefined || head === undefined || last.length < 2) return null;
  const isNear = rule - head.bottom <= HEAD_GAP_LINES * (head.bottom - head.top);
  if (!isNear || !isFullBand({ top: 0, bottom: 0, rows: [last] }, false)) return null;
  // Texts in the middle of two rows of the head, and those beside them.
  let at = rows.length - 1;
  while (at > 0 && areInterleaved(rows.slice(at - 1, at + 1), BESIDE_SHARE)) at -= 1;
  return Math.min(...rows.slice(at).flatMap((row) => row.map(({ top }) => top))) - 1;
}

/** Neighbouring bands whose rows have several texts each. */
function tabularRuns(bands: readonly Band[], hasColumns: boolean): Band[][] {
  const runs: Band[][] = [];
  let run: Band[] = [];
  let singles = 0;
  const closeBandRun = () => {
    while (run.length > 0 && !isFullBand(itemAt(run, -1), hasColumns)) run.pop();
    if (run.length > 0) runs.push(run);
    run = [];
    singles = 0;
  };
  for (const band of bands) {
    const [row] = band.rows;
    const isHigh =
      !hasColumns && bands.length > 3 && band.rows.length > OPEN_BAND_ROWS_MAX && !areRowsOfValues(band.rows);
    const isCaption = row !== undefined && CAPTION.test(row.map(({ text }) => text).join(' '));
    singles = isFullBand(band, hasColumns) ? 0 : singles + 1;
    if (isHigh || isCaption || singles > SINGLE_BANDS_MAX || (run.length === 0 && singles > 0)) closeBandRun();
    else run.push(band);
  }
  closeBandRun();
  return runs;
}

/** Whether most rows have values beside their label, as the body of a table. */
function areRowsOfValues(rows: readonly PageLine[][]): boolean {
  return rows.filter((row) => row.length > 1 && row.some(isValueLine)).length >= ALIGNED_SHARE * rows.length;
}

/** Whether the texts are in columns; if these are known, one row shows it. */
function isFullBand({ rows }: Band, hasColumns: boolean): boolean {
  const full = rows.filter((row) => row.length > 1 && row.some((line) => !touchesNext(line, row)));
  return full.length > 0 && (hasColumns || full.length >= rows.length / 3 || isRowOfColumns(rows));
}

/** Whether each line of a band is below a text of its first row, which has several, as one row with high cells. */
function isRowOfColumns([first = [], ...others]: readonly PageLine[][]): boolean {
  const isBelow = (line: PageLine) => first.some(({ left }) => Math.abs(left - line.left) <= OVERHANG_POINTS);
  return first.length > 1 && others.every((row) => row.every(isBelow));
}

function touchesNext(line: PageLine, row: readonly PageLine[]): boolean {
  const next = row[row.indexOf(line) + 1];
  return next === undefined || (sameRow(line, next) && next.left - line.right < COLUMN_GAP_POINTS);
}

/** The sides of columns: gaps that no row crosses, or few rows if these hide columns. */
function columnSides(rows: readonly PageLine[][], width: Rule): number[] {
  const pieces = rows.map(mergedRow);
  const counts = pieces.map((row) => row.length);
  const columns = Math.max(...counts.filter((count, at) => counts.indexOf(count) !== at), 0);
  const most = Math.floor(rows.length * CROSSING_SHARE);
  let best: number[] = [];
  for (let allowed = 0; allowed <= most && best.length <= columns; allowed += 1) {
    const sides = gapsIn(pieces.flat(), width, allowed);
    if (sides.length > best.length) best = sides;
  }
  return best;
}

/** The middles of the gaps that at most `allowed` pieces cross, and the ends of the rules. */
function gapsIn(pieces: readonly Span[], { from, to }: Rule, allowed: number): number[] {
  const edges = pieces.flatMap(({ left, right }) => [
    { at: left, step: 1 },
    { at: right, step: -1 },
  ]);
  edges.sort((one, other) => one.at - other.at || one.step - other.step);
  const sides = [from];
  let open = 0;
  // Parts of the gap being read, null before the first column.
  let gap: Gap[] | null = null;
  for (const [index, { at, step }] of edges.entries()) {
    if (gap !== null && step > 0 && open === allowed) {
      const width = gap.reduce((sum, part) => sum + part.to - part.from, 0);
      const best = gap.reduce((one, other) => (isClearer(other, one) ? other : one), itemAt(gap, 0));
      if (width >= COLUMN_GAP_POINTS) sides.push((best.from + best.to) / 2);
    }
    open += step;
    const next = edges[index + 1]?.at ?? at;
    if (open > allowed) gap = [];
    else gap?.push({ from: at, to: next, crossing: open });
  }
  return [...sides, to];
}

type Span = Pick<Box, 'left' | 'right'>;

/** A strip between columns, and the number of texts that cross it. */
interface Gap {
  from: number;
  to: number;
  crossing: number;
}

function isClearer(one: Gap, other: Gap): boolean {
  if (one.crossing !== other.crossing) return one.crossing < other.crossing && one.to - one.from > 0.5;
  return one.to - one.from > other.to - other.from;
}

/** The pieces of a row, joined where no gap separates them or both are one value. */
function mergedRow(row: readonly PageLine[]): Span[] {
  const pieces: Span[] = [];
  let before: PageLine | null = null;
  for (const line of row) {
    const last = pieces.at(-1);
    const isOne = before !== null && areOneValue(before, line);
    if (last !== undefined && (isOne || line.left - last.right < COLUMN_GAP_POINTS)) {
      last.right = Math.max(last.right, line.right);
    } else pieces.push({ left: line.left, right: line.right });
    before = line;
  }
  return pieces;
}
