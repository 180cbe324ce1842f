import { SSF } from '@e965/xlsx';

/** Formats that show a date in the order of the reader's country; they are written as ISO dates. */
const DATE_FORMAT = 'yyyy-mm-dd';

/** A number format: a code, or the number of a built-in format. */
export type NumberFormat = string | number;

const GENERAL: NumberFormat = 0;

/** Spreadsheet programs round the 15 decimal digits that they show: 0.925 is 0.93, its binary value 0.92. */
const ROUNDING = 1 + 4 * Number.EPSILON;

/** A number as its format shows it: dates, percentages, currencies. An invalid format shows as General. */
export function numberText(value: number, format: NumberFormat, isDate1904: boolean): string {
  if (Number.isSafeInteger(value) && (format === GENERAL || format === 'General')) return String(value);
  const options = { date1904: isDate1904, dateNF: DATE_FORMAT };
  const shown = Number.isInteger(value) ? value : value * ROUNDING;
  try {
    return SSF.format(format, shown, options);
  } catch {
    return SSF.format(GENERAL, shown, options);
  }
}
