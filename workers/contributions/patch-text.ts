/**
 * Edits of a text in another form of it, such as Markdown: both have the same letters and digits in the same order, and
 * differ in marks and blanks. Marks that the edit does not name stay.
 */

import type { TextEdit } from '../documents/text-edits.ts';
import { literalText } from '../documents/write-markdown.ts';

/** What of a text is compared: its letters and digits, with their places. */
export class Letters {
  readonly source: string;
  readonly text: string;
  readonly #places: Uint32Array;

  /** @param markup what of the text is not shown; null for plain text */
  constructor(source: string, markup: RegExp | null) {
    this.source = source;
    const bare = markup === null ? source : source.replace(markup, (found) => ' '.repeat(found.length));
    const pieces: string[] = [];
    const places: number[] = [];
    for (const { 0: run, index } of bare.matchAll(/[\p{L}\p{N}\p{M}]+/gu)) {
      pieces.push(run);
      for (let at = 0; at < run.length; at += 1) places.push(index + at);
    }
    this.text = pieces.join('');
    this.#places = Uint32Array.from(places);
  }

  /** Where a letter is in the text; its end for the one after the last. */
  placeOfLetter(letter: number): number {
    return this.#places[letter] ?? this.source.length;
  }

  /** The end of the letter before, where its blanks and marks begin. */
  endBefore(letter: number): number {
    return letter === 0 ? 0 : this.placeOfLetter(letter - 1) + 1;
  }

  /** Number of the first letter at or after a place. */
  letterAtPlace(place: number): number {
    let [low, high] = [0, this.#places.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#places[middle] ?? 0) < place) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

/** Fences of code: all that chunks of a page mark, besides signs. */
export const FENCES = /^\s{0,3}(?:`{3,}|~{3,}).*$/gm;

const MARKUP = new RegExp(
  [
    // Pictures, addresses of links, fences, and the tags and signs of tables in HTML.
    '!\\[(?:\\\\.|[^\\]\\\\])*\\]\\((?:<[^>]*>|[^)]*)\\)',
    '(?<=\\])\\((?:<[^>]*>|[^)]*)\\)',
    FENCES.source,
    '(?<!\\\\)</?[a-z]+(?: (?:col|row)span="\\d+")*>',
    '(?<!\\\\)&[a-z]+;',
  ].join('|'),
  'gm',
);

/** The Markdown of a text with edits of the text; null where one of them has no certain place. */
export function patchedMarkdown(markdown: string, text: string, edits: readonly TextEdit[]): string | null {
  const [from, to] = [new Letters(text, null), new Letters(markdown, MARKUP)];
  const patches: TextEdit[] = [];
  for (const edit of edits) {
    const letter = letterOf(from, to, edit);
    if (letter === null) return null;
    patches.push(...patchesOf(from, to, edit, letter, literalTextAt));
  }
  return withPatches(markdown, patches);
}

const CONTEXT_LETTERS = 60;

/** The letter of the other form at which an edit begins: the same place among those with the same surroundings. */
function letterOf(from: Letters, to: Letters, edit: TextEdit): number | null {
  const letter = from.letterAtPlace(edit.from);
  if (from.text === to.text) return letter;
  const start = Math.max(0, letter - CONTEXT_LETTERS);
  const around = from.text.slice(start, from.letterAtPlace(edit.to) + CONTEXT_LETTERS);
  const [here, there] = [occurrencePlaces(from.text, around), occurrencePlaces(to.text, around)];
  if (around === '' || here.length !== there.length) return null;
  const place = there[here.indexOf(start)];
  return place === undefined ? null : place + letter - start;
}

function occurrencePlaces(text: string, part: string): number[] {
  const places: number[] = [];
  if (part === '') return places;
  for (let at = text.indexOf(part); at >= 0; at = text.indexOf(part, at + 1)) places.push(at);
  return places;
}

/** Where each character of a range is in the other form; -1 for one that it does not have. */
function alignedPlaces(from: Letters, to: Letters, range: { from: number; to: number }, letter: number): number[] {
  const first = from.letterAtPlace(range.from);
  let next = to.endBefore(letter);
  let at = from.endBefore(first);
  const places: number[] = [];
  for (let number = first; at < range.to; at += 1) {
    const isLetter = from.placeOfLetter(number) === at;
    const other = letter + number - first;
    let place = isLetter ? to.placeOfLetter(other) : -1;
    if (!isLetter) place = markIn(to, from.source[at] ?? '', next, to.placeOfLetter(other));
    if (place >= 0) next = place + 1;
    if (isLetter) number += 1;
    if (at >= range.from) places.push(place);
  }
  return places;
}

/** The first place of a mark or blank within a range of the other form. */
function markIn(to: Letters, mark: string, from: number, end: number): number {
  const isBlank = mark.trim() === '';
  for (let at = from; at < end; at += 1) {
    const found = to.source[at] ?? '';
    if (isBlank ? found.trim() === '' : found === mark) return at;
  }
  return -1;
}

type WriteText = (target: string, at: number, text: string) => string;

/**
 * An edit in the other form: the new text, and what of the former one goes.
 *
 * @param letter of the other form at which the edit begins
 */
export function patchesOf(
  from: Letters,
  to: Letters,
  edit: TextEdit,
  letter: number,
  write: WriteText = (_target, _at, text) => text,
): TextEdit[] {
  const places = alignedPlaces(from, to, edit, letter).filter((place) => place >= 0);
  const [first, last] = [places[0], places.at(-1)];
  if (first === undefined || last === undefined) {
    const at = to.endBefore(letter);
    return edit.by.trim() === '' ? [] : [{ from: at, to: at, by: ` ${write(to.source, at, edit.by.trim())}` }];
  }
  const going = new Set(places);
  let [before, after] = ['', ''];
  for (let at = first; at <= last; at += 1) {
    const mark = to.source[at] ?? '';
    if (going.has(at) || (mark === '\\' && going.has(at + 1))) continue;
    // A mark after a blank opens, any other closes.
    if (before === '' && after === '' && /\s/.test(to.source[at - 1] ?? ' ')) before += mark;
    else if (after === '' && before.endsWith(to.source[at - 1] ?? '')) before += mark;
    else after += mark;
  }
  const start = to.source[first - 1] === '\\' ? first - 1 : first;
  return [{ from: start, to: last + 1, by: before + write(to.source, first, edit.by) + after }];
}

/** New text as it is written at a place: literally within code, in one line within a table. */
function literalTextAt(markdown: string, at: number, text: string): string {
  const start = markdown.lastIndexOf('\n', at - 1) + 1;
  const fences = markdown.slice(0, start).match(/^\s{0,3}(?:`{3,}|~{3,})/gm)?.length ?? 0;
  if (fences % 2 === 1) return text;
  const escaped = literalText(text);
  if (markdown.startsWith('|', start)) return escaped.replace(/\s*\n\s*/g, ' ').replace(/(?<!\\)\|/g, '\\|');
  return escaped.replace(/(?<!\n)\n(?!\n)/g, '\\\n');
}

const ONLY_MARKS = /^\s*(?:#{1,6}|>|[-*+]|\d{1,9}[.)])?\s*$/;

/** Applies patches. A line of which only its mark is left goes. */
function withPatches(markdown: string, patches: readonly TextEdit[]): string {
  let written = markdown;
  for (const { from, to, by } of patches.toSorted((one, other) => other.from - one.from)) {
    const [head, tail] = [written.slice(0, from) + by, written.slice(to)];
    const start = head.lastIndexOf('\n') + 1;
    const end = tail.indexOf('\n');
    const line = head.slice(start) + (end < 0 ? tail : tail.slice(0, end));
    const isEmptied = by.trim() === '' && from < to && ONLY_MARKS.test(line);
    written = isEmptied ? head.slice(0, start).replace(/\n$/, '') + (end < 0 ? '' : tail.slice(end)) : head + tail;
  }
  return written;
}
