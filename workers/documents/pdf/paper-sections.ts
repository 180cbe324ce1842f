/**
 * Section titles by their numbers, in whatever font: I. INTRODUCTION, A. Gauges, 2.1 Data, 제1장, 一、; and REFERENCES.
 */

import type { PageLine } from './page-content.ts';
import { listMarkerOf } from './paragraphs.ts';
import { groupLineRows } from './reading-order.ts';

const TITLE_CHARS_MAX = 90;

const TITLE_ROWS_MAX = 2;

const ENDS_LIKE_TEXT = /[.,;:。．、：；，]$/;

/** Letters of a title in capitals without a number. */
const CAPITALS_MIN = 4;

/** A text of more characters, or of two lines, is running text, and so is a whole sentence of fewer. */
const TEXT_CHARS_MIN = 60;

const SENTENCE_CHARS_MIN = 30;

const SENTENCE_END = /[.!?。！？]["'”’)\]]*$/u;

/** Letters that stand for a syllable or word, and are two characters wide. */
const WIDE_LETTER = /[\p{scx=Han}\p{scx=Hangul}\p{scx=Hira}\p{scx=Kana}]/gu;

/** Share of the titles of one count that are followed by text of their own. */
const FOLLOWED_SHARE = 0.7;

/** The same of the titles without titles of their own, whose numbers have several parts. */
const LEAVES_FOLLOWED_SHARE = 0.5;

/** Text further right than its title, in font sizes, belongs to the item of a list. */
const ITEM_INDENT = 0.7;

const ROMAN_DIGITS: readonly (readonly [string, number])[] = [
  ['XL', 40],
  ['L', 50],
  ['IX', 9],
  ['X', 10],
  ['IV', 4],
  ['V', 5],
  ['I', 1],
];

const ROMAN_SIGNS = 'ⅠⅡⅢⅣⅤⅥⅦⅧⅨⅩⅪⅫ';

const KOREAN_COUNT = '가나다라마바사아자차카타파하';

const HAN_DIGITS = '一二三四五六七八九';

/** Ways of counting titles. `isStrict`: lists count in the same way. */
const SCHEMES: readonly { name: string; pattern: RegExp; value: (number: string) => number; isStrict: boolean }[] = [
  { name: 'I.', pattern: /^([IVXL]{1,6})\.\s+(?=[\p{Lu}\p{Pi}"])/u, value: romanValue, isStrict: false },
  { name: 'Ⅰ.', pattern: /^([Ⅰ-Ⅻ])[.\s]\s*(?=\S)/u, value: (sign) => ROMAN_SIGNS.indexOf(sign) + 1, isStrict: false },
  { name: 'A.', pattern: /^([A-Z])\.\s+(?=[\p{Lu}\p{Pi}"])/u, value: letterValue, isStrict: true },
  { name: '1.', pattern: /^(\d{1,2})\.?\s+(?=[\p{Lu}\p{Lo}\p{Ps}\p{Pi}"])/u, value: Number, isStrict: true },
  { name: '1)', pattern: /^(\d{1,2})\)\s*(?=[\p{Lu}\p{Lo}\p{Ps}\p{Pi}"])/u, value: Number, isStrict: true },
  { name: '(1)', pattern: /^\((\d{1,2})\)\s*(?=[\p{Lu}\p{Lo}\p{Ps}\p{Pi}"])/u, value: Number, isStrict: true },
  { name: '제1', pattern: /^제\s*(\d{1,2})\s*[장절조]/u, value: Number, isStrict: false },
  {
    name: '第一',
    pattern: /^第\s*([一二三四五六七八九十\d]{1,3})\s*[章节節条條部]/u,
    value: hanValue,
    isStrict: false,
  },
  { name: '一、', pattern: /^([一二三四五六七八九十]{1,3})[、.．]\s*(?=\S)/u, value: hanValue, isStrict: false },
  { name: '（一）', pattern: /^[(（]([一二三四五六七八九十]{1,3})[)）]\s*(?=\S)/u, value: hanValue, isStrict: true },
  { name: '①', pattern: /^([①-⑳])\s*(?=\S)/u, value: circledValue, isStrict: true },
  { name: '가.', pattern: /^([가-하])[.)]\s*(?=\S)/u, value: (sign) => KOREAN_COUNT.indexOf(sign) + 1, isStrict: true },
];

/** Numbers of several parts state their depth. */
const DECIMAL = /^(\d{1,2}(?:\.\d{1,2}){1,4})\.?\s+(?=[\p{Lu}\p{Lo}\p{Ps}\p{Pi}"])/u;

/** Sections of papers and reports that have no number, in the most frequent languages. */
const SECTION_NAME = new RegExp(
  `^(?:${[
    'abstract|(?:general )?introduction|conclusions?|acknowledge?ments?|references|bibliography|(?:table of )?contents',
    'zusammenfassung|einleitung|danksagung|literatur(?:verzeichnis)?|inhalt(?:sverzeichnis)?',
    'résumé|remerciements|références|bibliographie|table des matières|sommaire',
    'resumen|introducción|conclusiones|agradecimientos|referencias|bibliografía|índice',
    'resumo|introdução|conclusão|agradecimentos|referências|bibliografia|sommario|introduzione|conclusioni',
    'аннотация|введение|заключение|(?:список )?литератур[аы]|содержание',
    '초\\s*록|서\\s*론|결\\s*론|목\\s*차|부\\s*록|참고\\s*문헌|감사의 글',
    '要[旨約约]|摘\\s*要|はじめに|おわりに|序論|引言|[结結]\\s*[论論]|[謝致][辞谢謝]|目\\s*[次录錄]|[参參]考文[献獻]|附\\s*[录錄]',
  ].join('|')})[:.]?$`,
  'iu',
);

/** As a share of the text's size. */
const SIZE_MIN = 0.95;

const LEADS_TO_PAGE = /(?:[.·_…]\s?){3,}\s*[\divxlc]+$/i;

interface Title {
  first: PageLine;
  text: string;
  at: number;
}

interface Member extends Title {
  scheme: string;
  value: number;
  isStrict: boolean;
}

/** Depths of the titles, from 1, by their first line. Small print has none but Roman ones. */
export function findPaperSections(paragraphs: readonly PageLine[][], bodySize: number): ReadonlyMap<PageLine, number> {
  const titles = paragraphs.flatMap((paragraph, at) => {
    const [first] = paragraph;
    if (first === undefined || !mayBeSection(first)) return [];
    if (first.raised?.[0]?.at === 0 || groupLineRows(paragraph).length > TITLE_ROWS_MAX) return [];
    const text = paragraph.map((line) => line.text).join(' ');
    const isTitle = text.length <= TITLE_CHARS_MAX && !ENDS_LIKE_TEXT.test(text) && !LEADS_TO_PAGE.test(text);
    return isTitle ? [{ first, text, at }] : [];
  });
  // Roman titles are often in small capitals.
  const isSmall = ({ first }: Title) => first.size < SIZE_MIN * bodySize;
  const members = titles.flatMap(memberOf).filter((one) => !one.isStrict || !isSmall(one));
  const runs = runsOf(members);
  const isTitle = new Set(titles.map(({ at }) => at));
  const indents = firstLineIndents(paragraphs);
  const roman = runs.filter(([first, second]) => first?.scheme === 'I.' && second !== undefined);
  const start = Math.min(...roman.flat().map(({ at }) => at));
  const sections = runs.filter((run) => {
    const [first, second] = run;
    if (first?.scheme === 'A.' && first.at > start) return true;
    return second !== undefined && isRunOfSections(run, { paragraphs, titles: isTitle, indents });
  });
  const schemes: string[] = [];
  const depths = new Map<PageLine, number>();
  const numbered = sections.flat().sort((a, b) => a.at - b.at);
  for (const { scheme, first } of numbered) {
    if (!schemes.includes(scheme)) schemes.push(scheme);
    depths.set(first, schemes.indexOf(scheme) + 1);
  }
  const decimals = decimalDepths(
    titles.filter((one) => !isSmall(one)),
    schemes.indexOf('1.'),
  );
  for (const [first, depth] of decimals) if (!depths.has(first)) depths.set(first, depth);
  addUnnumbered(titles, sections.flat(), depths);
  for (const title of titles) {
    const text = paragraphs[title.at + 1]?.map((line) => line.text).join(' ') ?? '';
    const isName = SECTION_NAME.test(title.text) && widthOf(text) >= SENTENCE_CHARS_MIN;
    if (isName && !isSmall(title) && !depths.has(title.first)) depths.set(title.first, 1);
  }
  return depths;
}

/** Programs tag numbered titles as items of lists, or as paragraphs. */
function mayBeSection({ tag }: PageLine): boolean {
  return tag === null || tag.kind === 'paragraph' || tag.kind === 'list-item';
}

function memberOf(title: Title): Member[] {
  for (const { name, pattern, value, isStrict } of SCHEMES) {
    const number = pattern.exec(title.text)?.[1];
    if (number === undefined) continue;
    const counted = value(number);
    // `I.` is a letter in a count of letters.
    if (counted > 0) return [{ ...title, scheme: name, value: counted, isStrict }];
  }
  return [];
}

/** Titles whose numbers count up from 1, by their way of counting. */
function runsOf(members: readonly Member[]): Member[][] {
  const open = new Map<string, Member[]>();
  const runs: Member[][] = [];
  for (const member of members.flatMap(asLetterToo)) {
    const run = open.get(member.scheme);
    if (run !== undefined && member.value === run.length + 1) run.push(member);
    else if (member.value === 1) {
      const next = [member];
      open.set(member.scheme, next);
      runs.push(next);
    }
  }
  return withoutShared(runs);
}

/** Roman numbers of one sign are letters too. */
function asLetterToo(member: Member): Member[] {
  if (member.scheme !== 'I.' || !/^[IVXL]\./u.test(member.text)) return [member];
  return [member, { ...member, scheme: 'A.', value: letterValue(member.text.charAt(0)), isStrict: true }];
}

/** A title in two runs belongs to the longer one. */
function withoutShared(runs: readonly Member[][]): Member[][] {
  const owner = new Map<number, Member[]>();
  for (const run of runs) {
    for (const { at } of run) if ((owner.get(at)?.length ?? 0) < run.length) owner.set(at, run);
  }
  return runs.map((run) => run.filter(({ at }) => owner.get(at) === run));
}

interface Surroundings {
  paragraphs: readonly PageLine[][];
  /** Indexes of what may be titles. */
  titles: ReadonlySet<number>;
  indents: ReadonlySet<number>;
}

/** The items of a list follow each other, or have their text indented below them. */
function isRunOfSections(run: readonly Member[], { paragraphs, titles, indents }: Surroundings): boolean {
  const places = new Set(run.map(({ at }) => at));
  const areApart = run.slice(0, -1).some(({ at }) => !places.has(at + 1));
  if (!areApart || !run.some(({ isStrict }) => isStrict)) return areApart;
  const followed = run.filter(({ at, first }) => {
    const next = paragraphs[at + 1];
    if (next === undefined || places.has(at + 1)) return false;
    const text = next.map((line) => line.text).join(' ');
    const isOwnFace = next[0]?.face !== first.face && next[0]?.face !== undefined;
    const width = widthOf(text);
    if (titles.has(at + 1) && width < (isOwnFace ? SENTENCE_CHARS_MIN : TEXT_CHARS_MIN))
      return memberOf({ first, text, at }).length > 0;
    const isText = width >= (isOwnFace || SENTENCE_END.test(text) ? SENTENCE_CHARS_MIN : TEXT_CHARS_MIN);
    const indent = Math.min(...next.map((line) => line.left)) - first.left;
    const isBelow = indent <= ITEM_INDENT * first.size || indents.has(Math.round(indent));
    return (isText || groupLineRows(next).length > 1) && listMarkerOf(text) === null && isBelow;
  });
  return followed.length >= FOLLOWED_SHARE * run.length;
}

/** How far the first lines of paragraphs stand in, in whole points: a text of one line may be one. */
function firstLineIndents(paragraphs: readonly PageLine[][]): ReadonlySet<number> {
  const indents = paragraphs.flatMap(([first, second]) => {
    const indent = first === undefined || second === undefined ? 0 : first.left - second.left;
    return indent >= 1 && listMarkerOf(first?.text ?? '') === null ? [Math.round(indent)] : [];
  });
  return new Set(indents);
}

function widthOf(text: string): number {
  return text.length + (text.match(WIDE_LETTER)?.length ?? 0);
}

/**
 * Depths of `1.1` and the like that follow their sibling or parent, at least two of them. Items of a list have no text
 * of their own below them.
 */
function decimalDepths(titles: readonly Title[], single: number): Map<PageLine, number> {
  const depths = new Map<PageLine, number>();
  const members = titles.flatMap(({ first, text, at }) => {
    const numbers = DECIMAL.exec(text)?.[1]?.split('.').map(Number);
    return numbers === undefined ? [] : [{ first, at, numbers }];
  });
  let before: number[] = [];
  let leaves = 0;
  let followed = 0;
  for (const [index, { first, at, numbers }] of members.entries()) {
    if (before.length === 0 || follows(numbers, before)) depths.set(first, Math.max(0, single) + numbers.length);
    before = numbers;
    const next = members[index + 1];
    if (next !== undefined && next.numbers.length > numbers.length) continue;
    leaves += 1;
    if (next?.at !== at + 1) followed += 1;
  }
  return depths.size > 1 && followed >= LEAVES_FOLLOWED_SHARE * leaves ? depths : new Map();
}

/** Whether a number is the next one after another, at its depth, below it or above it. */
function follows(numbers: readonly number[], before: readonly number[]): boolean {
  const same = numbers.findIndex((number, at) => number !== before[at]);
  if (same < 0) return false;
  const isNext = (numbers[same] ?? 0) - (before[same] ?? 0) === 1;
  return isNext && numbers.slice(same + 1).every((number) => number <= 1);
}

/** Titles in capitals beside Roman numbers in capitals. */
function addUnnumbered(titles: readonly Title[], numbered: readonly Member[], depths: Map<PageLine, number>): void {
  const roman = numbered.filter(({ scheme }) => scheme === 'I.');
  const [, second] = roman;
  if (second === undefined || !roman.every(({ text }) => isInCapitals(text))) return;
  for (const { first, text, at } of titles) {
    const isMember = memberOf({ first, text, at }).length > 0;
    if (at > second.at && !isMember && isInCapitals(text)) depths.set(first, 1);
  }
}

function circledValue(sign: string): number {
  return sign.charCodeAt(0) - CIRCLED_ONE + 1;
}

const CIRCLED_ONE = 0x2460;

const A = 0x41;

function letterValue(letter: string): number {
  return letter.charCodeAt(0) - A + 1;
}

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

/** Up to 99. */
function hanValue(number: string): number {
  if (/^\d+$/.test(number)) return Number(number);
  const [tens = '', ones = ''] = number.includes('十') ? number.split('十') : ['', number];
  const digit = (sign: string) => HAN_DIGITS.indexOf(sign) + 1;
  return (number.includes('十') ? 10 * (digit(tens) || 1) : 0) + digit(ones);
}
