/** Ruled tables of a scan: rules are found in its ink, painted over for recognition, and divide what was read. */

import type { RecognizedLine, RecognizedTable } from '../../../src-server/features/documents/schema.ts';
import { omitUndefined } from '../../../src-server/platform/omit-undefined.ts';
import type { PlacedLetter } from '../pdf/divide-rows.ts';
import type { PageLine } from '../pdf/page-content.ts';
import { openTables, ruledTables } from '../pdf/ruled-tables.ts';
import type { Rule, Rules } from '../pdf/vectors.ts';
import { CONFIDENCE_MIN } from './confidence.ts';
import { type GreyImage, WHITE } from './grey-image.ts';
import { findInk, type InkPiece, reduceImage } from './ink.ts';
import { boxAroundWords, finishLine } from './tesseract.ts';

/** Size of a piece of ink that may be the rules of a table, in pixels of the ink. */
const GRID_WIDTH_MIN = 90;

const GRID_HEIGHT_MIN = 30;

/** Share of its box that the ink of rules fills at most; more is a picture. */
const GRID_FILLED_MAX = 0.3;

/** Shorter rows of dark pixels belong to letters. */
const ACROSS_MIN = 44;

const DOWN_MIN = 26;

/** Pixels that one rule may step aside, for lines are never quite level, and that may be missing in it. */
const STEP_MAX = 2;

const GAP_MAX = 5;

/** A thicker rule is a bar or a picture. */
const THICKNESS_MAX = 7;

/** The skew that is left lets a long rule drift by a pixel on this length. */
const DRIFT_LENGTHS = 150;

/** Share of dark pixels beside a rule from which it is the edge of a filled box. */
const FILL_SHARE = 0.45;

/** More dark rows are a picture. */
const RUNS_MAX = 6000;

/** Points of a line of text, to which the picture is scaled for the search of tables. */
const LINE_POINTS = 11;

/** A rule with its thickness. Lengths are pixels of the picture. */
interface ThickRule extends Rule {
  /** First and last row (or column). */
  first: number;
  last: number;
}

/** Rules of a picture, in its pixels. */
export interface PictureRules {
  across: ThickRule[];
  down: ThickRule[];
}

/** Whether a piece of ink has the size and shape of a table's rules. */
export function mayBeGrid({ left, top, right, bottom, area }: InkPiece): boolean {
  const [width, height] = [right - left, bottom - top];
  return width >= GRID_WIDTH_MIN && height >= GRID_HEIGHT_MIN && area <= width * height * GRID_FILLED_MAX;
}

/** The rules of the tables of a level picture; null for none. */
export function findPictureRules(image: GreyImage): PictureRules | null {
  const { width, height, dark, reduced } = findInk(reduceImage(image));
  const isAcrossAt = (row: number, column: number) => dark[row * width + column] === 1;
  const across = rulesAlong(height, width, ACROSS_MIN, isAcrossAt);
  const down = rulesAlong(width, height, DOWN_MIN, (column, row) => isAcrossAt(row, column));
  if (across === null || down === null || across.length < 2 || down.length < 3) return null;
  const inPicture = (rule: ThickRule): ThickRule => ({
    at: rule.at * reduced,
    from: rule.from * reduced,
    to: rule.to * reduced,
    first: rule.first * reduced,
    last: (rule.last + 1) * reduced,
  });
  return { across: across.map(inPicture), down: down.map(inPicture) };
}

/** Long runs of dark pixels along one axis, joined over neighbouring rows. Null for a picture full of them. */
function rulesAlong(
  rows: number,
  length: number,
  lengthMin: number,
  isDark: (row: number, place: number) => boolean,
): ThickRule[] | null {
  const rules: ThickRule[] = [];
  let open: ThickRule[] = [];
  let runs = 0;
  for (let row = 0; row < rows; row += 1) {
    open = open.filter(({ last }) => row - last <= STEP_MAX);
    for (const [from, to] of darkRuns(row, length, lengthMin, isDark)) {
      runs += 1;
      if (runs > RUNS_MAX) return null;
      const rule = open.find((one) => from <= one.to + GAP_MAX && to >= one.from - GAP_MAX);
      if (rule === undefined) {
        const begun = { at: 0, from, to, first: row, last: row };
        open.push(begun);
        rules.push(begun);
        continue;
      }
      rule.from = Math.min(rule.from, from);
      rule.to = Math.max(rule.to, to);
      rule.last = row;
    }
  }
  for (const rule of rules) rule.at = (rule.first + rule.last + 1) / 2;
  const isPaper = (row: number, rule: ThickRule) => row < 0 || row >= rows || darkShare(row, rule, isDark) < FILL_SHARE;
  return rules.filter(
    (rule) =>
      rule.last - rule.first < Math.max(THICKNESS_MAX, (rule.to - rule.from) / DRIFT_LENGTHS) &&
      isPaper(rule.first - STEP_MAX, rule) &&
      isPaper(rule.last + STEP_MAX, rule),
  );
}

function darkShare(row: number, { from, to }: Rule, isDark: (row: number, place: number) => boolean): number {
  let dark = 0;
  for (let place = from; place < to; place += 1) if (isDark(row, place)) dark += 1;
  return dark / Math.max(1, to - from);
}

function* darkRuns(
  row: number,
  length: number,
  lengthMin: number,
  isDark: (row: number, place: number) => boolean,
): Generator<[from: number, to: number]> {
  let from = -1;
  for (let place = 0; place <= length; place += 1) {
    if (place < length && isDark(row, place)) {
      if (from < 0) from = place;
    } else if (from >= 0) {
      if (place - from >= lengthMin) yield [from, place];
      from = -1;
    }
  }
}

/** The picture without its rules, which recognition takes for letters. */
export function paintOverRules(image: GreyImage, { across, down }: PictureRules): GreyImage {
  const samples = Uint8Array.from(image.samples);
  const margin = 1;
  const fill = (left: number, top: number, right: number, bottom: number) => {
    const [from, to] = [Math.max(0, left - margin), Math.min(image.width, right + margin)];
    for (let row = Math.max(0, top - margin); row < Math.min(image.height, bottom + margin); row += 1) {
      samples.fill(WHITE, row * image.width + from, row * image.width + to);
    }
  };
  for (const { from, to, first, last } of across) fill(from, first, to, last);
  for (const { from, to, first, last } of down) fill(first, from, last, to);
  return { ...image, samples };
}

/** The rules of the picture turned by 180 degrees. */
export function turnRules({ across, down }: PictureRules, { width, height }: GreyImage): PictureRules {
  const turn = ({ at, from, to, first, last }: ThickRule, ownEnd: number, otherEnd: number): ThickRule => ({
    at: ownEnd - at,
    from: otherEnd - to,
    to: otherEnd - from,
    first: ownEnd - last,
    last: ownEnd - first,
  });
  return {
    across: across.map((rule) => turn(rule, height, width)),
    down: down.map((rule) => turn(rule, width, height)),
  };
}

/** Lines divided at the rules between cells, and the tables that these form. Null if the rules form no table. */
export function tablesOfLines(
  lines: readonly RecognizedLine[],
  rules: PictureRules,
): { lines: RecognizedLine[]; tables: RecognizedTable[] } | null {
  const divided = lines.flatMap((line) => divideLine(line, rules.down));
  const heights = divided.map(({ box }) => box[3] - box[1]).sort((a, b) => a - b);
  const points = LINE_POINTS / Math.max(1, heights[Math.floor(heights.length / 2)] ?? 1);
  const known = new Map<PageLine, number>();
  for (const [index, line] of divided.entries()) {
    if (line.confidence >= CONFIDENCE_MIN) known.set(pageLineOf(line, points), index);
  }
  const all = [...known.keys()];
  const [scaled, letters] = [scaledRules(rules, points), () => lettersOf(divided, points)];
  const framed = ruledTables(all, scaled, letters);
  const outside = framed.rest.filter((line) => !framed.tables.has(line));
  const open = openTables(outside, scaled, letters);
  const rest = new Set(open.rest);
  const tables = [...framed.tables.values(), ...open.tables.values()].map(
    ({ rows, spans, left, top, right, bottom }): RecognizedTable => {
      const members = all.filter((line) => {
        const [x, y] = [(line.left + line.right) / 2, (line.top + line.bottom) / 2];
        return !rest.has(line) && x >= left && x <= right && y >= top && y <= bottom;
      });
      return { rows, ...omitUndefined({ spans }), lines: members.map((line) => known.get(line) ?? 0) };
    },
  );
  const taken = tables.flatMap((table) => table.lines);
  // A line of two tables, or of none, would be read twice or lost.
  const isSound = new Set(taken).size === taken.length && taken.length === all.filter((line) => !rest.has(line)).length;
  return tables.length > 0 && isSound ? { lines: divided, tables } : null;
}

/** Parts of a line on both sides of the rules that stand between its words. */
function divideLine(line: RecognizedLine, down: readonly ThickRule[]): RecognizedLine[] {
  const middle = (line.box[1] + line.box[3]) / 2;
  const sides = down.filter(({ from, to }) => from <= middle && to >= middle).map(({ at }) => at);
  const cellOf = ({ box }: { box: RecognizedLine['box'] }) => sides.filter((at) => at < (box[0] + box[2]) / 2).length;
  const cells = [...Map.groupBy(line.words, cellOf).values()];
  if (cells.length < 2) return [line];
  return cells.map((words) => {
    const part: RecognizedLine = { ...line, words, box: boxAroundWords(words) };
    finishLine(part);
    return part;
  });
}

function pageLineOf({ box, text, block }: RecognizedLine, points: number): PageLine {
  const [left, top, right, bottom] = box.map((place) => place * points) as RecognizedLine['box'];
  return { left, top, right, bottom, text, size: LINE_POINTS, bold: false, tag: null, group: block, recognized: true };
}

function scaledRules({ across, down }: PictureRules, points: number): Rules {
  const scale = ({ at, from, to }: Rule): Rule => ({ at: at * points, from: from * points, to: to * points });
  return { across: across.map(scale), down: down.map(scale), joints: [] };
}

/** The letters of the words, spread evenly over their boxes. */
function lettersOf(lines: readonly RecognizedLine[], points: number): PlacedLetter[] {
  return lines.flatMap(({ words }) =>
    words.flatMap(({ text, box: [left, top, right, bottom] }) => {
      const letters = [...text];
      return letters.map((letter, index) => ({
        text: letter,
        x: (left + ((right - left) * (index + 0.5)) / letters.length) * points,
        y: ((top + bottom) / 2) * points,
      }));
    }),
  );
}
