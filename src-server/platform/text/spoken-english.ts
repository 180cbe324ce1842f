/** Reads written English as a voice should say it: dates, amounts, units, abbreviations and signs as words. */

import { AMOUNTS, DOTTED, EXPRESSIONS, LOCATIONS, NUMBERS, OPERATORS } from './spoken-amounts.ts';
import { DATES } from './spoken-dates.ts';
import { ABBREVIATIONS, NAMES_AND_SIGNS } from './spoken-names.ts';
import type { Place, Rule } from './spoken-rule.ts';
import { wordTable } from './word-table.ts';

/** A part of the text between blanks, and how it is said. */
export interface Reading {
  written: string;
  /** In ASCII; empty for what has no sound. */
  spoken: string;
}

export interface EnglishReading {
  readings: Reading[];
  /** Number of omitted runs of letters that an English voice cannot pronounce. */
  leftOut: number;
}

/** The first rule that matches decides. */
const RULES: readonly Rule[] = [
  ...LOCATIONS,
  ...EXPRESSIONS,
  ...DATES,
  ...AMOUNTS,
  ...DOTTED,
  ...ABBREVIATIONS,
  ...NAMES_AND_SIGNS,
  ...NUMBERS,
  ...OPERATORS,
];

const OPENING = /[("'[{«“‘¿¡]+/y;

const CLOSING = /[)"'\]}»”’]*[,.;:!?…]*[)"'\]}»”’]*/y;

/** A plain word, up to a blank or a sign that separates. */
const WORD = /[\p{L}\p{M}\p{N}](?:[\p{L}\p{M}\p{N}]|['’](?=\p{L})|-(?=\p{L})|\.(?=\p{L}\.))*\.?|[^\s]/uy;

const BLANKS = /\s+/y;

const SENTENCE_SIGN = /[,.;:!?]/;

interface Part {
  written: string;
  spoken: string;
  /** A blank precedes it. */
  begins: boolean;
}

/**
 * @param dayFirst for `3/4/2026` as a Briton reads it
 * @param own rules that come before all others
 */
export function readEnglish(line: string, dayFirst = false, own: readonly Rule[] = []): EnglishReading {
  const parts: Part[] = [];
  let leftOut = 0;
  let begins = true;
  let previous = '';
  for (let at = 0; at < line.length; ) {
    const blanks = matchAt(BLANKS, line, at);
    if (blanks !== null) {
      begins = true;
      at += blanks[0].length;
      continue;
    }
    const opening = begins ? (matchAt(OPENING, line, at)?.[0] ?? '') : '';
    const place: Place = { line, at: at + opening.length, previous, dayFirst, begins };
    const read = readAt(place, own);
    const end = place.at + read.length;
    const closing = matchAt(CLOSING, line, end)?.[0] ?? '';
    const { text, omitted } = inAscii(read.spoken);
    leftOut += omitted;
    const sign = SENTENCE_SIGN.exec(closing)?.[0] ?? '';
    const written = line.slice(at, end + closing.length);
    const said = text === '' ? (read.spoken === ',' ? ',' : '') : `${text}${sign}`;
    parts.push({ written, spoken: said, begins });
    previous = line.slice(place.at, end);
    at = end + closing.length;
    begins = false;
  }
  return { readings: joinReadings(parts), leftOut };
}

/** The whole text as it is said, for engines that take text alone. */
export function spokenEnglish(text: string, dayFirst = false): string {
  return text
    .split('\n')
    .map((line) => spokenOf(readEnglish(line, dayFirst).readings))
    .join('\n');
}

export function spokenOf(readings: readonly Reading[]): string {
  return readings
    .map(({ spoken }) => spoken)
    .filter((spoken) => spoken !== '')
    .join(' ')
    .replace(/\s+/g, ' ')
    .replace(/ (?=[,.;:!?](?:\s|$))/g, '')
    .trim();
}

function readAt(place: Place, own: readonly Rule[]): { length: number; spoken: string } {
  for (const { pattern, say } of own.length === 0 ? RULES : [...own, ...RULES]) {
    const match = matchAt(pattern, place.line, place.at);
    const spoken = match === null ? null : say(match, place);
    if (match !== null && spoken !== null && match[0] !== '') return { length: match[0].length, spoken };
  }
  const word = matchAt(WORD, place.line, place.at)?.[0] ?? place.line[place.at] ?? '';
  // A full stop at the end of a word is punctuation, unless letters with full stops make the word.
  const plain = word.endsWith('.') && !/\..+\.$/.test(word) ? word.slice(0, -1) : word;
  return { length: Math.max(1, plain.length), spoken: plain };
}

function matchAt(pattern: RegExp, text: string, at: number): RegExpExecArray | null {
  pattern.lastIndex = at;
  const match = pattern.exec(text);
  return match === null || match[0] === '' ? null : match;
}

function joinReadings(parts: readonly Part[]): Reading[] {
  const readings: Reading[] = [];
  for (const { written, spoken, begins } of parts) {
    const last = readings.at(-1);
    if (begins || last === undefined) readings.push({ written, spoken });
    else {
      last.written += written;
      last.spoken = `${last.spoken} ${spoken}`.trim();
    }
  }
  return readings;
}

const LETTERS = wordTable(`
  ß: ss; ẞ: SS; æ: ae; Æ: Ae; œ: oe; Œ: Oe; ø: o; Ø: O; ł: l; Ł: L; đ: d; Đ: D; ð: d; Ð: D; þ: th; Þ: Th; ħ: h; Ħ: H
  ŧ: t; Ŧ: T; ı: i; ŋ: ng; Ŋ: Ng; ə: a; Ə: A
`);

const SPELLED = new RegExp(`[${Object.keys(LETTERS).join('')}]`, 'gu');

/** Letters that an English voice cannot pronounce. */
const UNSPOKEN = /(?:(?![A-Za-z0-9])[\p{L}\p{N}])+/gu;

function inAscii(text: string): { text: string; omitted: number } {
  const plain = text
    .replace(SPELLED, (letter) => LETTERS[letter] ?? letter)
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')
    .replace(/[‘’]/g, "'");
  const omitted = plain.match(UNSPOKEN)?.length ?? 0;
  const ascii = plain.replace(UNSPOKEN, ' ').replace(/[^\x20-\x7e]/g, ' ');
  return { text: /[A-Za-z0-9]/.test(ascii) ? ascii.trim() : '', omitted };
}
