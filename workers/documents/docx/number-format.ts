import { formatNumber as formatInForm } from '../formats/list-markers.ts';

/** WordprocessingML's names for the forms that other formats call `i` and `I`. */
const ROMAN_FORMS: Readonly<Record<string, string>> = { lowerRoman: 'i', upperRoman: 'I' };
/** Beyond this, repeated letters are not readable: plain digits then. */
const MAX_SPELLED = 3999;
const ALPHABET_LENGTH = 26;

/** A list number in one of the formats of WordprocessingML; formats not known here come out in digits. */
export function formatNumber(count: number, format: string): string {
  if (count < 1 || count > MAX_SPELLED) return String(count);
  switch (format) {
    case 'lowerLetter':
      return letter(count);
    case 'upperLetter':
      return letter(count).toUpperCase();
    case 'decimalZero':
      return String(count).padStart(2, '0');
    default:
      return formatInForm(count, ROMAN_FORMS[format] ?? '1');
  }
}

/** a to z, then aa, bb … as Word counts. */
function letter(count: number): string {
  const character = String.fromCharCode(0x61 + ((count - 1) % ALPHABET_LENGTH));
  return character.repeat(Math.ceil(count / ALPHABET_LENGTH));
}
