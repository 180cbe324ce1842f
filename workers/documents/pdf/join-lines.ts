/** Joins the lines of a paragraph; words divided at line ends become whole. */

import type { DividedWords, Joint } from './divided-words.ts';
import { isOneAddress } from './linked-text.ts';
import type { PageLine } from './page-content.ts';
import { sameRow } from './reading-order.ts';

const SOFT_HYPHEN = '\u00AD';

const SOFT_HYPHENS_INSIDE = /\u00AD(?!$)/g;

/** Dot leaders. */
const LEADERS = /(?:\s?\.){6,}/g;

const HYPHENS = new Set(['-', '\u2010']);

/** Length of a text's end that can contain the first half of a divided word. */
const END_CHARS = 80;

/** Above this length only the end stays open: reading the end of a growing string flattens it for each line. */
const OPEN_CHARS_MAX = 4000;

/** What stands before the first part without a space, and the first part. */
const DIVIDED = /(?<![\p{L}\p{M}\p{N}])((?:[\p{L}\p{M}\p{N}]+[-\u2010])*)(\p{L}[\p{L}\p{M}]*)[-\u2010]$/u;

const FIRST_WORD = /^([\p{Ll}\p{M}]+)([-\u2010]?)/u;

const FIRST_CAPITALS = /^(\p{Lu}{2,})(?!\p{Ll})([-\u2010]?)/u;

const FIRST_NAME = /^\p{Lu}[\p{L}\p{M}]*/u;

/** A compound whose second part is no word in small letters: `Baden-Württemberg`, `COVID-19`, `1990-1995`. */
const COMPOUND_END = /[\p{L}\p{N}][-\u2010]$/u;

const COMPOUND_START = /^[\p{L}\p{N}]/u;

/** A number or range that is divided at its dash: `206–231–3500`. */
const NUMBER_END = /[\p{L}\p{N}]\u2013$/u;

const NUMBER_START = /^\p{N}/u;

/** Scripts without spaces between words, and therefore between lines. */
const UNSPACED_END = /[\p{scx=Han}\p{scx=Hira}\p{scx=Kana}\u3000-\u303F\uFF00-\uFFEF]$/u;

const UNSPACED_START = /^[\p{scx=Han}\p{scx=Hira}\p{scx=Kana}\u3000-\u303F\uFF00-\uFFEF]/u;

/** Korean has spaces, and divides words at line ends. */
const KOREAN_END = /\p{Script=Hangul}+$/u;

const KOREAN_START = /^\p{Script=Hangul}+/u;

/**
 * The text of consecutive lines. `breaks` are the indexes of lines that start a page; returns the offsets of these and
 * of all lines.
 */
export function joinLines(
  lines: readonly PageLine[],
  words: DividedWords,
  breaks: ReadonlySet<number> = new Set(),
): { text: string; pageBreaks: number[]; starts: number[] } {
  const settled: string[] = [];
  let settledLength = 0;
  let text = '';
  const pageBreaks: number[] = [];
  const starts: number[] = [];
  let before: PageLine | null = null;
  for (const [index, line] of lines.entries()) {
    const next = line.text.replace(SOFT_HYPHENS_INSIDE, '').replace(LEADERS, ' … ').replace(/ {2,}/g, ' ').trim();
    if (before === null) text = next;
    else if (line.glued === true || isOneAddress(before, line)) text += next;
    else text = appendNextLine(text, next, words, sameRow(before, line));
    const start = settledLength + text.length - next.length;
    starts.push(start);
    if (breaks.has(index)) pageBreaks.push(start);
    before = line;
    if (text.length <= OPEN_CHARS_MAX) continue;
    settled.push(text.slice(0, -END_CHARS));
    settledLength += text.length - END_CHARS;
    text = text.slice(-END_CHARS);
  }
  return { text: settled.join('') + (text.endsWith(SOFT_HYPHEN) ? text.slice(0, -1) : text), pageBreaks, starts };
}

/** Bounds on lines that may be those of an address or a letterhead: their number, and the characters of each. */
const APART_LINES_MAX = 8;
const APART_CHARS_MAX = 45;

/** What the next of such lines begins with, and what a line that goes on ends with. */
const BEGINS_LINE = /^[\p{Lu}\p{N}(+]/u;
const GOES_ON = /[,;:\u00AD\u2010-]$/u;

/**
 * Whether short lines are apart, as those of an address: each begins as a text of its own, and the first word of one
 * would have fitted into the line before it.
 */
export function areLinesApart(lines: readonly PageLine[]): boolean {
  const rows = rowsInOrder(lines);
  if (rows.length < 2 || rows.length > APART_LINES_MAX) return false;
  const widest = Math.max(...rows.map(({ left, right }) => right - left));
  let isApart = false;
  for (const [at, row] of rows.entries()) {
    const before = rows[at - 1];
    if (row.text.length > APART_CHARS_MAX) return false;
    if (before === undefined) continue;
    if (!BEGINS_LINE.test(row.text) || GOES_ON.test(before.text)) return false;
    const perCharacter = (row.right - row.left) / Math.max(1, row.text.length);
    const word = ((row.text.split(' ', 1)[0] ?? '').length + 1) * perCharacter;
    isApart ||= before.right - before.left + word < widest - perCharacter;
  }
  return isApart;
}

/** The rows of a paragraph: bold and raised words are pieces of their own. */
function rowsInOrder(lines: readonly PageLine[]): { text: string; left: number; right: number }[] {
  const rows: { text: string; left: number; right: number }[] = [];
  let before: PageLine | null = null;
  for (const { text, left, right, glued, ...line } of lines) {
    const row = rows.at(-1);
    const piece = { ...line, text, left, right };
    if (row !== undefined && before !== null && sameRow(before, piece)) {
      row.text += glued === true ? text : ` ${text}`;
      row.left = Math.min(row.left, left);
      row.right = Math.max(row.right, right);
    } else rows.push({ text, left, right });
    before = piece;
  }
  return rows;
}

/** Code, line by line. Syntax colours split a line into several. */
export function joinCode(lines: readonly PageLine[]): string {
  const pieces = lines.map((line, index) => {
    const before = lines[index - 1];
    if (before === undefined || line.glued === true) return line.text;
    if (!sameRow(before, line)) return `\n${line.text}`;
    return line.text.startsWith(' ') ? line.text : ` ${line.text}`;
  });
  return pieces.join('');
}

/** The rest of a file, host, address or key: no dictionary says whether its hyphen is one of its letters. */
const REST_OF_NAME = /^[\p{L}\p{N}-]+(?:\.[\p{Ll}\p{N}]{2,5}(?![\p{L}\p{N}])|[@_=][\p{L}\p{N}])/u;

function jointOf(end: string, next: string, words: DividedWords): Joint {
  if (COMPOUND_END.test(end) && REST_OF_NAME.test(next)) return 'hyphenated';
  const divided = DIVIDED.exec(end);
  const isInCapitals = divided !== null && /^\p{Lu}{2,}$/u.test(divided[2] ?? '');
  const [, second = '', hyphen = ''] = (isInCapitals ? FIRST_CAPITALS : FIRST_WORD).exec(next) ?? [];
  if (divided !== null && second !== '') {
    return words.jointOf({ before: divided[1] ?? '', first: divided[2] ?? '', second, goesOn: hyphen !== '' });
  }
  if (!COMPOUND_END.test(end) || !COMPOUND_START.test(next)) return 'apart';
  const [name = ''] = FIRST_NAME.exec(next) ?? [];
  return divided !== null && name !== '' && words.isOneName(divided[2] ?? '', name) ? 'joined' : 'hyphenated';
}

/** Appends the text of the next line. */
export function appendNextLine(text: string, next: string, words: DividedWords, beside = false): string {
  if (beside) return `${text} ${next}`;
  if (text.endsWith(SOFT_HYPHEN)) return text.slice(0, -1) + next;
  // Examines only the end: the text may be as long as the document.
  const end = text.slice(-END_CHARS);
  if (HYPHENS.has(end.at(-1) ?? '')) {
    const joint = jointOf(end, next, words);
    if (joint === 'joined') return text.slice(0, -1) + next;
    if (joint === 'hyphenated') return text + next;
  }
  if (NUMBER_END.test(end) && NUMBER_START.test(next)) return text + next;
  if (UNSPACED_END.test(end) && UNSPACED_START.test(next)) return text + next;
  const [first = ''] = KOREAN_END.exec(end) ?? [];
  const [second = ''] = first === '' ? [] : (KOREAN_START.exec(next) ?? []);
  if (second !== '' && words.isOneKoreanWord(first, second)) return text + next;
  return `${text} ${next}`;
}
