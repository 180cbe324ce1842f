/** Numbers and letters that count the items of a list, apart from those that a text happens to begin with. */

import { LEADER_TO_NUMBER, type ListMarker, listMarkerOf } from './paragraphs.ts';

/** Items of the same way of counting before and after one, among which its neighbour is sought. */
const NEIGHBOURS = 12;

const REFERENCE_YEAR = /^.{4,200}?\b(?:1[89]|20)\d\d\b/su;

interface Counted {
  at: number;
  value: number;
}

/**
 * The indexes of the texts that are items by their marker: of numbers and letters, only those that begin a count or
 * have a neighbour. `12. March` and `J. Smith` are none.
 */
export function findListItems(texts: readonly string[]): ReadonlySet<number> {
  const found = new Set<number>();
  const counts = new Map<string, Counted[]>();
  for (const [at, text] of texts.entries()) {
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
      const beginsCount = value === 1 && /\d/.test(style);
      const has = (other: number, from: number, to: number) =>
        members.slice(Math.max(0, from), to).some((one) => one.value === other);
      const hasNeighbour = has(value - 1, index - NEIGHBOURS, index) || has(value + 1, index + 1, index + NEIGHBOURS);
      if (beginsCount || hasNeighbour) found.add(at);
    }
  }
  return found;
}

/** `A. Author, Depths of harbours, 2020`: initials of a name. */
function isReference(text: string, { marker, length }: ListMarker): boolean {
  return (
    /^\p{Lu}\.$/u.test(marker) &&
    /^(?:\p{Lu}\.\s*)*\p{Lu}[\p{L}'’-]+,/u.test(text.slice(length)) &&
    REFERENCE_YEAR.test(text)
  );
}

const ROMAN: Readonly<Record<string, number>> = { i: 1, v: 5, x: 10 };

/** The ways in which a marker may count: `i.` is a letter and a Roman number. */
function countsOf(marker: string): { style: string; value: number }[] {
  const sign = marker.replace(/[().]/g, '');
  const frame = marker.replace(sign, '');
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
