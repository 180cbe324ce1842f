/** Section titles of papers, whose font may be that of the text: I. INTRODUCTION, A. Gauges, REFERENCES. */

import type { PageLine } from './page-content.ts';
import { groupLineRows } from './reading-order.ts';

const TITLE_CHARS_MAX = 90;

const ROMAN_TITLE = /^([IVXL]{1,6})\.\s+(?=\p{Lu})/u;

const LETTERED_TITLE = /^([A-Z])\.\s+(?=\p{Lu})/u;

const ENDS_LIKE_TEXT = /[.,;:]$/;

/** Letters of a title in capitals without a number. */
const CAPITALS_MIN = 4;

const ROMAN_DIGITS: readonly (readonly [string, number])[] = [
  ['XL', 40],
  ['L', 50],
  ['IX', 9],
  ['X', 10],
  ['IV', 4],
  ['V', 5],
  ['I', 1],
];

/**
 * Depths of the titles, by their first line: 1 for Roman numbers that count up from I and for other titles in capitals,
 * 2 for letters that count up from A below each. Empty unless two Roman numbers follow each other.
 */
export function findPaperSections(paragraphs: readonly PageLine[][]): ReadonlyMap<PageLine, number> {
  const titles = paragraphs.flatMap((paragraph) => {
    const [first] = paragraph;
    if (first === undefined || first.tag !== null || groupLineRows(paragraph).length > 1) return [];
    const text = paragraph.map((line) => line.text).join(' ');
    return text.length > TITLE_CHARS_MAX || ENDS_LIKE_TEXT.test(text) ? [] : [{ first, text }];
  });
  const sections = new Map<PageLine, number>();
  let section = 0;
  let letter = 0;
  let areCapitals = true;
  for (const { first, text } of titles) {
    const roman = ROMAN_TITLE.exec(text)?.[1];
    const lettered = LETTERED_TITLE.exec(text)?.[1];
    if (roman !== undefined && romanValue(roman) === section + 1) {
      section += 1;
      letter = 0;
      areCapitals &&= isInCapitals(text);
      sections.set(first, 1);
    } else if (section > 0 && lettered?.charCodeAt(0) === A + letter) {
      letter += 1;
      sections.set(first, 2);
    } else if (section > 1 && areCapitals && isInCapitals(text)) sections.set(first, 1);
  }
  return section > 1 ? sections : new Map();
}

const A = 0x41;

/** `A. Author, B. Writer`: initials of names, which are no markers of a list. */
export function beginsWithInitials(text: string): boolean {
  return /^(?:\p{Lu}\.[ -]?)+\p{Lu}[\p{L}'’-]+(?:,|\s+and|\s*&|,\s+and)\s+(?:\p{Lu}\.[ -]?)+\p{Lu}\p{Ll}/u.test(text);
}

function isInCapitals(text: string): boolean {
  const letters = text.match(/\p{L}/gu) ?? [];
  return letters.length >= CAPITALS_MIN && letters.every((letter) => letter !== letter.toLowerCase());
}

function romanValue(roman: string): number {
  let value = 0;
  let rest = roman;
  while (rest !== '') {
    const part = ROMAN_DIGITS.find(([digits]) => rest.startsWith(digits));
    if (part === undefined) return 0;
    value += part[1];
    rest = rest.slice(part[0].length);
  }
  return value;
}
