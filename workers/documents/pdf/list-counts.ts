/** Numbers and letters that count the items of a list, apart from those that a text happens to begin with. */

import { byName } from '../../../src-server/platform/records.ts';
import { LEADER_TO_NUMBER, type ListMarker, listMarkerOf } from './paragraphs.ts';

/** Items of the same way of counting before and after one, among which its neighbour is sought. */
const NEIGHBOURS = 12;

const REFERENCE_YEAR = /^.{4,200}?\b(?:1[89]|20)\d\d\b/su;

/** Indentation of a nested list, in font sizes. */
const NESTED_INDENT = 0.9;

interface Counted {
  at: number;
  value: number;
}

/** A text that may be an item, and where it begins. */
export interface ItemCandidate {
  text: string;
  left: number;
  /** Font size. */
  size: number;
}

/**
 * The indexes of the texts, in reading order, that are items by their marker: of numbers and letters, only those that
 * begin a count, have a neighbour, or are nested in the item before them. `12. March` and `J. Smith` are none.
 */
export function findListItems(candidates: readonly ItemCandidate[]): ReadonlySet<number> {
  const found = new Set<number>();
  const counts = new Map<string, Counted[]>();
  for (const [at, { text }] of candidates.entries()) {
    const marker = listMarkerOf(text);
    if (marker === null || LEADER_TO_NUMBER.test(text)) continue;
    if (marker.bullet) found.add(at);
    else if (!isReference(text, marker)) {
      for (const { style, value } of countsOf(marker.marker)) {
        const members = counts.get(style) ?? [];
        members.push({ at, value });
        counts.set(style, members);
      }
    }
  }
  for (const [style, members] of counts) {
    for (const [index, { at, value }] of members.entries()) {
      const beginsCount = value === 1 && style.startsWith('1');
      const has = (other: number, from: number, to: number) =>
        members.slice(Math.max(0, from), to).some((one) => one.value === other);
      const hasNeighbour = has(value - 1, index - NEIGHBOURS, index) || has(value + 1, index + 1, index + NEIGHBOURS);
      if (beginsCount || hasNeighbour) found.add(at);
    }
  }
  const firsts = [...counts.values()].flat().filter(({ value }) => value === 1);
  for (const { at } of firsts.sort((one, other) => one.at - other.at)) {
    const [outer, inner] = [candidates[at - 1], candidates[at]];
    if (outer === undefined || inner === undefined || !found.has(at - 1)) continue;
    if (isNestedIn(outer, inner) || extendsNumber(outer, inner)) found.add(at);
  }
  return found;
}

function isNestedIn(outer: ItemCandidate, inner: ItemCandidate): boolean {
  return inner.left > outer.left + NESTED_INDENT * inner.size;
}

/** `2.2.1.` after `2.2.` */
function extendsNumber(outer: ItemCandidate, inner: ItemCandidate): boolean {
  const number = listMarkerOf(outer.text)?.marker ?? '';
  return number.length > 1 && listMarkerOf(inner.text)?.marker.startsWith(number) === true;
}

/** `A. Author, Depths of harbours, 2020`: initials of a name. */
function isReference(text: string, { marker, length }: ListMarker): boolean {
  return (
    /^\p{Lu}\.$/u.test(marker) &&
    /^(?:\p{Lu}\.\s*)*\p{Lu}[\p{L}'’-]+,/u.test(text.slice(length)) &&
    REFERENCE_YEAR.test(text)
  );
}

const ROMAN: Readonly<Record<string, number>> = byName({ i: 1, v: 5, x: 10 });

/** The ways in which a marker may count: `i.` is a letter and a Roman number. */
function countsOf(marker: string): { style: string; value: number }[] {
  if (/^[①-⑳]$/u.test(marker)) return [{ style: '1 in a circle', value: marker.charCodeAt(0) - 0x245f }];
  const sign = marker.replace(/^\(|[).]$/g, '');
  const frame = marker.replace(sign, '');
  const nested = /^(\d.*?)(\d+|[a-z])$/.exec(sign);
  if (nested !== null && !/^\d+$/.test(sign)) {
    const [, outer = '', last = ''] = nested;
    return [{ style: `below ${outer}${frame}`, value: /\d/.test(last) ? Number(last) : last.charCodeAt(0) - 0x60 }];
  }
  if (/^\d+$/.test(sign)) return [{ style: `1${frame}`, value: Number(sign) }];
  const isCapital = sign !== sign.toLowerCase();
  const counts: { style: string; value: number }[] = [];
  const letter = sign.toLowerCase();
  if (letter.length === 1)
    counts.push({ style: `${isCapital ? 'A' : 'a'}${frame}`, value: letter.charCodeAt(0) - 0x60 });
  if (/^[ivx]+$/.test(letter)) counts.push({ style: `${isCapital ? 'I' : 'i'}${frame}`, value: romanValue(letter) });
  return counts;
}

function romanValue(roman: string): number {
  const digits = [...roman].map((sign) => ROMAN[sign] ?? 0);
  return digits.reduce((sum, digit, at) => sum + (digit < (digits[at + 1] ?? 0) ? -digit : digit), 0);
}
