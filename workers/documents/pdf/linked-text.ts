/** The linked words of lines in paragraphs and in the cells of tables. */

import type { CellMark, InlineMark } from '../blocks.ts';
import type { Box, PageLine } from './page-content.ts';

/** Where a part of a text stands that is nearest to a place; null if it is nowhere. */
export function nearestPlace(text: string, part: string, place: number): number | null {
  if (part === '') return null;
  if (text.startsWith(part, place)) return place;
  const after = text.indexOf(part, place);
  const before = text.lastIndexOf(part, place);
  if (after < 0 || before < 0) return after < 0 && before < 0 ? null : Math.max(after, before);
  return after - place < place - before ? after : before;
}

/** Letters that a rectangle may cut off from a word. */
const CUT_LETTERS_MAX = 2;

const LETTER = /[\p{L}\p{M}\p{N}]/u;

/** With the letters of a word that a narrow rectangle leaves out. */
export function wholeWords(text: string, start: number, end: number): { start: number; end: number } {
  let [from, to] = [start, end];
  while (from > 0 && isWithinWord(text, from)) from -= 1;
  while (to < text.length && isWithinWord(text, to)) to += 1;
  const isCut = (letters: number) => letters <= CUT_LETTERS_MAX && letters < (end - start) / 2;
  return { start: isCut(start - from) ? from : start, end: isCut(to - end) ? to : end };
}

function isWithinWord(text: string, at: number): boolean {
  return LETTER.test(text[at - 1] ?? '') && LETTER.test(text[at] ?? '');
}

/** The places of a line's links in a text that holds the line from `from` on. */
export function linksInText(text: string, { links = [] }: PageLine, from: number): InlineMark[] {
  return links.flatMap((link): InlineMark[] => {
    // A word that goes on in the next line has lost its hyphen.
    for (const words of [link.text, link.text.replace(LAST_HYPHEN, '')]) {
      const start = nearestPlace(text, words, from + link.at);
      if (start !== null) return [{ kind: 'link', start, end: start + words.length, url: link.url }];
    }
    return [];
  });
}

const LAST_HYPHEN = /[-\u00ad\u2010]$/;

const BETWEEN = /^\s?$/;

/**
 * One mark for each link: those of lines and rectangles that follow each other are joined. A printed address stays as
 * it is.
 */
export function joinLinks<Mark extends InlineMark>(text: string, marks: readonly Mark[]): Mark[] {
  const joined: Mark[] = [];
  for (const mark of marks.toSorted((one, other) => one.start - other.start || other.end - one.end)) {
    const last = joined.at(-1);
    const isSame = last?.url === mark.url && (last?.end ?? 0) <= mark.start;
    if (last !== undefined && isSame && BETWEEN.test(text.slice(last.end, mark.start))) last.end = mark.end;
    else if (last === undefined || last.end <= mark.start) joined.push({ ...mark });
  }
  return joined.filter(({ start, end, url = '' }) => !isPrintedAddress(text.slice(start, end), url));
}

/** Whether a text is the address itself, perhaps without its scheme. */
function isPrintedAddress(text: string, url: string): boolean {
  return bareAddress(text) === bareAddress(url);
}

function bareAddress(address: string): string {
  return address
    .toLowerCase()
    .replace(/^(?:https?:\/\/|mailto:|tel:)/, '')
    .replace(/^www\./, '')
    .replace(/[/.,;]+$/, '');
}

/** Whether a line goes on with the address in which the one before it ends. */
export function isOneAddress({ links: before = [], text }: PageLine, { links: after = [] }: PageLine): boolean {
  const [last, first] = [before.at(-1), after[0]];
  if (last === undefined || first === undefined || first.at > 0 || last.url !== first.url) return false;
  if (last.at + last.text.length < text.length) return false;
  const whole = `${last.text.split(/\s/).at(-1)}${first.text.split(/\s/)[0]}`;
  return ADDRESS_START.test(last.text) && bareAddress(last.url).includes(bareAddress(whole));
}

const ADDRESS_START = /(?:^|\s)(?:https?:\/\/|www\.|\S+@|\S+\.\S+\/)\S*$/i;

// Tables: cells have the words of their lines, and not the lines.

/**
 * The links of a table in its cells. The same text may stand in several: its first place in the lines, row by row, is
 * its first one in the cells. A text that stands in the cells more or less often than in the lines has no link.
 */
export function linksOfTable(
  { rows, ...box }: Box & { rows: readonly string[][] },
  lines: readonly PageLine[],
): CellMark[] {
  const own = lines.filter((line) => isWithin(line, box));
  if (!own.some(({ links }) => links !== undefined)) return [];
  const ordered = own.toSorted((one, other) => one.top - other.top || one.left - other.left);
  const texts = new Set(own.flatMap(({ links = [] }) => links.map(({ text }) => text)));
  const marks = [...texts].flatMap((text) => {
    const urls = ordered.flatMap((line) => placesOf(line.text, text).map((at) => urlAt(line, text, at)));
    const places = rows.flatMap((cells, row) =>
      cells.flatMap((cell, column) => placesOf(cell, text).map((start) => ({ row, column, start }))),
    );
    if (places.length !== urls.length) return [];
    return places.flatMap((place, at): CellMark[] => {
      const url = urls[at];
      return url == null ? [] : [{ kind: 'link', ...place, end: place.start + text.length, url }];
    });
  });
  const cells = Map.groupBy(marks, ({ row, column }) => `${row} ${column}`);
  return [...cells.values()].flatMap((inCell) => {
    const [first] = inCell;
    return first === undefined ? [] : joinLinks(rows[first.row]?.[first.column] ?? '', inCell);
  });
}

function urlAt({ text, links = [] }: PageLine, part: string, at: number): string | null {
  return links.find((link) => link.text === part && nearestPlace(text, part, link.at) === at)?.url ?? null;
}

export function isWithin({ left, top, right, bottom }: Box, box: Box): boolean {
  const [across, down] = [(left + right) / 2, (top + bottom) / 2];
  return across >= box.left && across <= box.right && down >= box.top && down <= box.bottom;
}

function placesOf(text: string, part: string): number[] {
  const places: number[] = [];
  for (let at = text.indexOf(part); at >= 0; at = text.indexOf(part, at + part.length)) places.push(at);
  return places;
}
