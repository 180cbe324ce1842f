/** Notes of tables: small paragraphs directly under a table that begin with marks of its cells. */

import type { CellMark } from '../blocks.ts';
import { raisedText } from '../raised-text.ts';
import type { Box, PageLine, PagePart, RaisedMark, RaisedWord } from './page-content.ts';
import { ENDS_SENTENCE } from './paragraphs.ts';
import { groupLineRows } from './reading-order.ts';

/** Largest gap above a note, in line heights. */
const GAP_LINES = 1.6;

/** How far left of its table a note begins, in font sizes. */
const LEFT_SIZES = 2;

const BRACKETS = /[[\]().]/g;

/** A mark on the line: signs, or a letter or number, alone or with a bracket. */
const MARK_ON_LINE = /^([*†‡§¶#]{1,3}|\(?[a-z\d]{1,2}\)|(?:[a-z]|\d{1,2})(?=\s|\p{Lu}))\s*(?=\S)/u;

const WORD = /\S+/g;

/** The raised marks in the words of a table's lines, for its notes: cells have the words, and not the lines. */
export function raisedWords(lines: readonly PageLine[], { left, top, right, bottom }: Box): RaisedWord[] {
  if (!lines.some((line) => marksOf(line).length > 0)) return [];
  const inside = lines.filter((line) => {
    const [across, down] = [(line.left + line.right) / 2, (line.top + line.bottom) / 2];
    return across >= left && across <= right && down >= top && down <= bottom;
  });
  const placed = groupLineRows(inside).flatMap((row, line) => wordsOfRow(row).map((word) => ({ ...word, line })));
  const alike = Map.groupBy(placed, ({ word }) => word);
  return placed.flatMap((one) => {
    const all = alike.get(one.word) ?? [];
    return one.marks.map((mark) => ({
      ...mark,
      word: one.word,
      lines: all.map(({ line }) => line),
      index: all.indexOf(one),
    }));
  });
}

/** The words of a row with their marks. Tags may divide a word. */
function wordsOfRow(row: readonly PageLine[]): { word: string; marks: RaisedMark[] }[] {
  let text = '';
  const marks: RaisedMark[] = [];
  for (const line of row) {
    if (text !== '' && line.glued !== true) text += ' ';
    for (const mark of marksOf(line)) marks.push({ ...mark, at: text.length + mark.at });
    text += line.text;
  }
  return [...text.matchAll(WORD)].map(({ index, 0: word }) => ({
    word,
    marks: marks
      .filter(({ at }) => at >= index && at < index + word.length)
      .map((mark) => ({ ...mark, at: mark.at - index })),
  }));
}

function marksOf({ raised = [], raisedLetters = [] }: PageLine): RaisedMark[] {
  return [...raised, ...raisedLetters];
}

interface NoteStart {
  marker: string;
  /** Characters that state it. */
  length: number;
}

/** A paragraph under a table, by its lines: a note of the table, or text. */
export interface TableNote {
  lines: PageLine[];
  note: NoteStart | null;
}

export interface NotedTable {
  rows: readonly (readonly string[])[];
  raised: readonly RaisedWord[];
}

/**
 * Divides the paragraphs that follow a table on its page into its notes and other texts. Ends with the first paragraph
 * that is not directly below. Null for each paragraph that stays whole and is no note.
 */
export function notesUnder(
  table: NotedTable,
  part: Extract<PagePart, { kind: 'table' }>,
  paragraphs: readonly PageLine[][],
): (TableNote[] | null)[] {
  const found: (TableNote[] | null)[] = [];
  let bottom = part.bottom;
  const open: { note: TableNote | null } = { note: null };
  for (const lines of paragraphs) {
    if (!isDirectlyBelow(lines, bottom, part)) break;
    const divided = dividedByMarks(lines, table);
    const [first] = divided;
    // A sentence of the note above goes on.
    if (first?.note === null && open.note !== null && isOpen(open.note)) {
      open.note.lines.push(...first.lines);
      divided.shift();
    }
    found.push(divided.length === 1 && first?.note === null ? null : divided);
    const last = divided.at(-1) ?? open.note;
    open.note = last === null || last.note === null ? null : last;
    bottom = Math.max(...lines.map((line) => line.bottom));
  }
  return found;
}

function dividedByMarks(lines: readonly PageLine[], table: NotedTable): TableNote[] {
  const divided: TableNote[] = [];
  for (const line of lines) {
    const note = noteStartOf(line, table);
    const open = divided.at(-1);
    if (note !== null || open === undefined) divided.push({ lines: [line], note });
    else open.lines.push(line);
  }
  return divided;
}

function isOpen({ lines }: TableNote): boolean {
  return !ENDS_SENTENCE.test(lines.at(-1)?.text ?? '.');
}

function isDirectlyBelow(lines: readonly PageLine[], bottom: number, { left, right }: Box): boolean {
  const [first] = lines;
  if (first === undefined || first.recognized === true) return false;
  if (first.tag !== null && first.tag.kind !== 'paragraph') return false;
  const gap = first.top - bottom;
  const height = first.bottom - first.top;
  return gap > -height && gap < GAP_LINES * height && first.left > left - LEFT_SIZES * first.size && first.left < right;
}

/** The mark that a line begins with, if cells of the table have it. */
function noteStartOf(line: PageLine, { rows, raised }: NotedTable): NoteStart | null {
  const first = marksOf(line).find(({ at }) => at === 0);
  const [written, own] = first === undefined ? (MARK_ON_LINE.exec(line.text) ?? []) : [first.text, first.text];
  if (written === undefined || own === undefined) return null;
  const marker = own.replace(BRACKETS, '');
  const rest = line.text.slice(written.length);
  const isCellMark =
    raised.some(({ text }) => text.replace(BRACKETS, '') === marker) ||
    (IS_SIGN.test(marker) && rows.some((cells) => cells.some((cell) => signPlaces(cell, marker).length > 0)));
  return isCellMark ? { marker, length: line.text.length - rest.trimStart().length } : null;
}

const IS_SIGN = /^[*†‡§¶#]{1,3}$/u;

/** Where a sign stands after a word or number, and not in a longer one. */
function signPlaces(cell: string, sign: string): number[] {
  const places: number[] = [];
  for (let at = cell.indexOf(sign); at !== -1; at = cell.indexOf(sign, at + sign.length)) {
    const [before = '', after = ''] = [cell[at - 1], cell[at + sign.length]];
    if (/[\p{L}\p{N}%)]/u.test(before) && after !== sign[0]) places.push(at);
  }
  return places;
}

/**
 * The cells with the marks of these notes in brackets, and other raised numbers as raised digits. A mark whose cell is
 * not clear stays as it is; `isFlat` says that one may be a number.
 */
export function tieCells({ rows, raised }: NotedTable, markers: ReadonlySet<string>) {
  const numbers = raised.filter(({ text }) => raisedText(text) !== text);
  const isFlat = raisedPlaces(rows, numbers).length < numbers.length;
  const places = [...raisedPlaces(rows, raised), ...[...markers].flatMap((marker) => signsIn(rows, marker))];
  const marks: CellMark[] = [];
  const cells = Map.groupBy(places, ({ row, column }) => `${row} ${column}`);
  const tied = rows.map((own, row) =>
    own.map((cell, column) => {
      const sorted = (cells.get(`${row} ${column}`) ?? []).sort((one, other) => one.start - other.start);
      let [text, end] = ['', 0];
      for (const place of sorted) {
        if (place.start < end) continue;
        text += cell.slice(end, place.start);
        end = place.end;
        if (!markers.has(place.marker)) {
          text += raisedText(cell.slice(place.start, end));
          continue;
        }
        text += `[${place.marker}]`;
        const start = text.length - place.marker.length - 2;
        marks.push({ kind: 'footnote', row, column, start, end: text.length });
      }
      return text + cell.slice(end);
    }),
  );
  /** A mark of a cell at its place among the brackets. */
  const moved = (mark: CellMark): CellMark => {
    const own = cells.get(`${mark.row} ${mark.column}`) ?? [];
    const grown = (at: number) =>
      own.reduce((sum, { start, end, marker }) => {
        return sum + (at > start && markers.has(marker) ? marker.length + 2 - (end - start) : 0);
      }, at);
    return { ...mark, start: grown(mark.start), end: grown(mark.end) };
  };
  return { rows: tied, marks, moved, isFlat };
}

interface MarkPlace {
  row: number;
  column: number;
  start: number;
  end: number;
  marker: string;
}

/**
 * Words with a raised mark are found in the cells if they stand there as often as in the lines, or as often as all
 * words that are spelled like them, in the same order.
 */
function raisedPlaces(rows: NotedTable['rows'], raised: readonly RaisedWord[]): MarkPlace[] {
  const words = Map.groupBy(raised, ({ word }) => word);
  const inCells = Map.groupBy(
    rows.flatMap((cells, row) =>
      cells.flatMap((cell, column) =>
        [...cell.matchAll(WORD)].map(({ index, 0: word }) => ({ row, column, start: index, word })),
      ),
    ),
    ({ word }) => word,
  );
  return [...words].flatMap(([word, found]) => {
    const at = inCells.get(word) ?? [];
    const areAll = at.length === found.length && found.every((one) => one.at === found[0]?.at);
    return found.flatMap((mark, index) => {
      const place = areAll ? at[index] : hasSameRows(at, mark.lines) ? at[mark.index] : undefined;
      if (place === undefined) return [];
      const start = place.start + mark.at;
      const marker = mark.text.replace(BRACKETS, '');
      return [{ row: place.row, column: place.column, start, end: start + mark.text.length, marker }];
    });
  });
}

/** Whether words stand in the rows of a table as in its lines: otherwise their order there may be another one. */
function hasSameRows(cells: readonly { row: number }[], lines: readonly number[]): boolean {
  if (cells.length !== lines.length) return false;
  return cells.every(({ row }, at) => at === 0 || (row === cells[at - 1]?.row) === (lines[at] === lines[at - 1]));
}

function signsIn(rows: NotedTable['rows'], marker: string): MarkPlace[] {
  if (!IS_SIGN.test(marker)) return [];
  return rows.flatMap((cells, row) =>
    cells.flatMap((cell, column) =>
      signPlaces(cell, marker).map((start) => ({ row, column, start, end: start + marker.length, marker })),
    ),
  );
}
