/**
 * The columns of a tagged table's cells. MuPDF tells which cell of its row each is, not how many columns or rows a cell
 * spans: behind one that does, the others are counted too low. The rows that have all columns show where these lie.
 */
import type { PageLine } from './page-content.ts';

export interface TaggedCell {
  /** Of its row, from 0. */
  ordinal: number;
  left: number;
  right: number;
  text: string;
}

interface Strip {
  left: number;
  right: number;
}

/** A table's cells by rows, from lines that are tagged as cells of it, in the order of the file. */
export function cellsByRow(members: readonly PageLine[]): TaggedCell[][] {
  const rows: TaggedCell[][] = [];
  for (const { tag, text, glued, left, right } of members) {
    if (tag?.kind !== 'cell') continue;
    rows[tag.row] ??= [];
    const row = rows[tag.row] as TaggedCell[];
    const cell = row.find(({ ordinal }) => ordinal === tag.column);
    if (cell === undefined) {
      row.push({ ordinal: tag.column, left, right, text });
      continue;
    }
    cell.text += glued === true ? text : ` ${text}`;
    cell.left = Math.min(cell.left, left);
    cell.right = Math.max(cell.right, right);
  }
  return rows.filter((row) => row !== undefined);
}

/** The texts of each row by column. */
export function inColumns(rows: readonly TaggedCell[][]): string[][] {
  const count = Math.max(0, ...rows.flatMap((row) => row.map(({ ordinal }) => ordinal + 1)));
  const strips = stripsOf(rows, count);
  return rows.map((row) => {
    const texts = Array.from({ length: count }, () => '');
    const isFull = row.some(({ ordinal }) => ordinal === count - 1);
    let next = 0;
    for (const cell of row) {
      const place = isFull || strips === null ? cell.ordinal : placeOf(cell, strips, Math.max(next, cell.ordinal));
      texts[place] = `${texts[place]} ${cell.text}`.trim();
      next = Math.min(count - 1, place + 1);
    }
    return texts;
  });
}

/** Where the columns lie by the rows that have a cell in the last one; null where that shows no columns. */
function stripsOf(rows: readonly TaggedCell[][], count: number): Strip[] | null {
  const strips: (Strip | undefined)[] = Array.from({ length: count });
  for (const row of rows) {
    if (!row.some(({ ordinal }) => ordinal === count - 1)) continue;
    for (const { ordinal, left, right } of row) {
      const known = strips[ordinal];
      strips[ordinal] = { left: Math.min(known?.left ?? left, left), right: Math.max(known?.right ?? right, right) };
    }
  }
  const sound = strips.filter((strip) => strip !== undefined);
  const isInOrder = sound.every((strip, index) => strip.left >= (sound[index - 1]?.right ?? Number.NEGATIVE_INFINITY));
  return sound.length === count && isInOrder ? sound : null;
}

/** The first column from `least` on that the cell reaches into, else the nearest one. */
function placeOf({ left, right }: TaggedCell, strips: readonly Strip[], least: number): number {
  const within = strips.findIndex((strip, index) => index >= least && left < strip.right && right > strip.left);
  if (within >= 0) return within;
  const distance = (strip: Strip) => Math.max(strip.left - right, left - strip.right);
  let best = Math.min(least, strips.length - 1);
  for (let index = best + 1; index < strips.length; index += 1) {
    if (distance(strips[index] as Strip) < distance(strips[best] as Strip)) best = index;
  }
  return best;
}
