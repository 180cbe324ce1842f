/**
 * Rows of receipts, price lists and contents: a text on the left and its value on the right. Tesseract takes the values
 * for a column of their own, or joins rows to a paragraph.
 */

import type { RecognizedLine } from '../../../src-server/features/documents/schema.ts';

/** A value: digits with at most a unit, a currency or a mark. */
const VALUE = /^(?=.*\p{N})[\p{P}\p{S}\p{N}\s]*(?:\p{L}{1,4}[\p{P}\p{S}\p{N}\s]*){0,2}$/u;

const VALUE_CHARACTERS_MAX = 24;

/** Lines of a column of values, and the share of them that must have a text beside them. */
const ROWS_MIN = 2;

const PAIRED_SHARE = 0.8;

/** Space between a text and its value on one line, in line heights. */
const GAP_HEIGHTS = 2;

/** How far the middles of a text and its value may differ, in line heights: one may have tails. */
const SHIFT_HEIGHTS = 0.5;

/** Joins texts and values that stand on one line of the picture, each row a paragraph of its own. */
export function joinRows(lines: readonly RecognizedLine[]): RecognizedLine[] {
  const joined = joinColumns(lines);
  const rows = new Set(joined.filter(isRow));
  if (rows.size < ROWS_MIN) return joined;
  let paragraph = 0;
  return joined.map((line, index) => {
    const before = joined[index - 1];
    const isSame = before !== undefined && before.block === line.block && before.paragraph === line.paragraph;
    if (!isSame || rows.has(line) || rows.has(before)) paragraph += 1;
    return { ...line, paragraph };
  });
}

/** Joins each column of values to the texts left of it. */
function joinColumns(lines: readonly RecognizedLine[]): RecognizedLine[] {
  let all = [...lines];
  const columns = [...Map.groupBy(lines, ({ block }) => block).values()]
    .filter((column) => column.length >= ROWS_MIN && column.every(({ text }) => isValue(text)))
    .sort(([a], [b]) => (a?.box[0] ?? 0) - (b?.box[0] ?? 0));
  for (const column of columns) {
    const pairs = new Map<RecognizedLine, RecognizedLine>();
    for (const value of column) {
      const text = nearestOnLeft(value, all);
      if (text !== null && !pairs.has(text)) pairs.set(text, value);
    }
    if (pairs.size < Math.max(ROWS_MIN, column.length * PAIRED_SHARE)) continue;
    const moved = new Set(pairs.values());
    all = all
      .filter((line) => !moved.has(line))
      .map((line) => {
        const value = pairs.get(line);
        return value === undefined ? line : withValue(line, value);
      });
  }
  return all;
}

function isValue(text: string): boolean {
  return text.length <= VALUE_CHARACTERS_MAX && VALUE.test(text);
}

/** The line of another block that ends nearest on the left of a value, on the same line of the picture. */
function nearestOnLeft(value: RecognizedLine, lines: readonly RecognizedLine[]): RecognizedLine | null {
  let nearest: RecognizedLine | null = null;
  for (const line of lines) {
    if (line.block === value.block || line.box[2] > value.box[0]) continue;
    const height = Math.max(recognizedLineHeight(line), recognizedLineHeight(value));
    if (Math.abs(recognizedLineMiddle(line) - recognizedLineMiddle(value)) > height * SHIFT_HEIGHTS) continue;
    if (nearest === null || line.box[2] > nearest.box[2]) nearest = line;
  }
  return nearest;
}

function withValue(line: RecognizedLine, value: RecognizedLine): RecognizedLine {
  const words = [...line.words, ...value.words];
  const sum = words.reduce((total, { confidence }) => total + confidence, 0);
  const [left, top, right, bottom] = line.box;
  return {
    ...line,
    text: `${line.text} ${value.text}`,
    words,
    confidence: Math.round((sum / words.length) * 10) / 10,
    box: [left, Math.min(top, value.box[1]), Math.max(right, value.box[2]), Math.max(bottom, value.box[3])],
  };
}

/** Whether a line ends in a value after a wide space. */
function isRow(line: RecognizedLine): boolean {
  const height = recognizedLineHeight(line);
  const at = line.words.findLastIndex((word, index) => {
    const before = line.words[index - 1];
    return before !== undefined && word.box[0] - before.box[2] >= height * GAP_HEIGHTS;
  });
  return (
    at > 0 &&
    isValue(
      line.words
        .slice(at)
        .map(({ text }) => text)
        .join(' '),
    )
  );
}

function recognizedLineHeight({ box }: RecognizedLine): number {
  return box[3] - box[1];
}

function recognizedLineMiddle({ box }: RecognizedLine): number {
  return (box[1] + box[3]) / 2;
}
