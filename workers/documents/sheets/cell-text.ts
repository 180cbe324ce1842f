import { SSF } from '@e965/xlsx';
import { withoutReserved } from '../revisions.ts';
import { formatDate } from './format-date.ts';
import { formatNumber } from './format-number.ts';
import { type FormatCondition, type FormatSection, parseFormat } from './number-format.ts';

/** A number format: a code, or the number of a built-in format. */
export type NumberFormat = string | number;

/** The short date of the reader's country, which is written as an ISO date. */
const SHORT_DATE = 'm/d/yy';

const SHORT_DATE_NUMBERS = new Set([14, 27, 28, 29, 30, 31, 36, 50, 51, 52, 53, 54, 57, 58]);

const ISO_DATE = 'yyyy-mm-dd';

type FormatTable = Record<number, string>;

const BUILT_IN: Readonly<FormatTable> = { ...(SSF.get_table() as FormatTable) };

/** Resets the formats of SheetJS, which keeps those of a workbook, by their numbers, for the next one it reads. */
export function forgetFormats(): void {
  const table = SSF.get_table() as FormatTable;
  for (const number of Object.keys(table)) delete table[Number(number)];
  Object.assign(table, BUILT_IN);
}

/** Spreadsheet programs round the 15 decimal digits that they show: 0.925 is 0.93, its binary value 0.92. */
const ROUNDING = 1 + 4 * Number.EPSILON;

/** Formats kept in memory: a workbook may define any number. */
const CACHED_MAX = 2000;

const cache = new Map<string, FormatSection[] | null>();

/** A value as its cell shows it. */
export interface ShownValue {
  text: string;
  /** False if a spreadsheet program shows it otherwise: its format cannot be rendered, or not wholly. */
  isAsShown: boolean;
}

/** A number as its format shows it: dates, percentages, currencies. What cannot be rendered shows as General. */
export function showNumber(value: number, format: NumberFormat, isDate1904: boolean): ShownValue {
  const code = numberFormatCode(format);
  if (code === 'General') return { text: generalText(value), isAsShown: true };
  const sections = parsedFormatSections(code);
  const section = sections === null ? null : sectionFor(value, sections);
  const text = section === null ? null : sectionText(value, section, isDate1904);
  if (text === null) return { text: generalText(value), isAsShown: false };
  return { text, isAsShown: section?.section.isExact === true };
}

/** A text by the section of its format for texts: `"No. "@`. */
export function showText(text: string, format: NumberFormat): string {
  const sections = parsedFormatSections(numberFormatCode(format));
  const section = sections?.[3] ?? sections?.findLast(({ kind }) => kind === 'text');
  if (section === undefined) return text;
  const isHidden = section.tokens.length === 0;
  return isHidden ? '' : section.tokens.map((token) => textPart(token, text)).join('');
}

function textPart(token: FormatSection['tokens'][number], text: string): string {
  if (token.kind === 'literal') return token.text;
  return token.kind === 'text' || token.kind === 'general' ? text : '';
}

function numberFormatCode(format: NumberFormat): string {
  if (typeof format === 'number' && SHORT_DATE_NUMBERS.has(format)) return ISO_DATE;
  const code = typeof format === 'number' ? (BUILT_IN[format] ?? 'General') : format;
  if (code === SHORT_DATE) return ISO_DATE;
  return code === '' ? 'General' : code;
}

function parsedFormatSections(code: string): FormatSection[] | null {
  const known = cache.get(code);
  if (known !== undefined) return known;
  const sections = parseFormat(withoutReserved(code));
  if (cache.size >= CACHED_MAX) cache.clear();
  cache.set(code, sections);
  return sections;
}

function generalText(value: number): string {
  if (Number.isSafeInteger(value)) return String(value);
  return SSF.format('General', Number.isInteger(value) ? value : value * ROUNDING);
}

interface ChosenSection {
  section: FormatSection;
  /** Whether the section shows a minus of its own for a negative number, or none. */
  hasOwnSign: boolean;
}

/** The section for a number; null if no condition holds, where Excel shows `####`. */
function sectionFor(value: number, all: readonly FormatSection[]): ChosenSection | null {
  const isText = (section: FormatSection | undefined) => section?.kind === 'text' && section.condition === null;
  // A last section with "@" is for texts.
  const sections = all.length > 1 && isText(all.at(-1)) ? all.slice(0, -1) : all.slice(0, 3);
  const [first, second, third] = sections;
  if (first === undefined) return null;
  if (sections.every(({ condition }) => condition === null)) {
    if (second === undefined) return { section: first, hasOwnSign: false };
    if (value < 0) return { section: second, hasOwnSign: true };
    return { section: value === 0 && third !== undefined ? third : first, hasOwnSign: false };
  }
  if (isFormatConditionMet(first.condition ?? { operator: '>', operand: 0 }, value)) {
    return { section: first, hasOwnSign: isNegativeOnly(first.condition) };
  }
  if (second === undefined) return null;
  const isRest = second.condition === null && third === undefined;
  if (isRest || isFormatConditionMet(second.condition ?? { operator: '<', operand: 0 }, value)) {
    const isOther = second.condition === null && (!isRest || isNotNegative(first.condition));
    return { section: second, hasOwnSign: isOther || isNegativeOnly(second.condition) };
  }
  return third === undefined ? null : { section: third, hasOwnSign: false };
}

function isFormatConditionMet({ operator, operand }: FormatCondition, value: number): boolean {
  switch (operator) {
    case '<':
      return value < operand;
    case '<=':
      return value <= operand;
    case '>':
      return value > operand;
    case '>=':
      return value >= operand;
    case '=':
      return value === operand;
    default:
      return value !== operand;
  }
}

function isNegativeOnly(condition: FormatCondition | null): boolean {
  if (condition === null) return false;
  const { operator, operand } = condition;
  return (operator === '<' && operand <= 0) || ((operator === '<=' || operator === '=') && operand < 0);
}

function isNotNegative(condition: FormatCondition | null): boolean {
  return condition?.operand === 0 && condition.operator.startsWith('>');
}

function sectionText(value: number, { section, hasOwnSign }: ChosenSection, isDate1904: boolean): string | null {
  if (section.kind === 'date') return formatDate(value, section, isDate1904);
  const text = formatNumber(Math.abs(value), section, generalText);
  const isSigned = value < 0 && !hasOwnSign && section.tokens.length > 0;
  return text !== null && isSigned ? `-${text}` : text;
}
