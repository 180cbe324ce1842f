/** English words for numbers. */

import { byName } from '../records.ts';

const ONES = [
  ...['zero', 'one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine', 'ten', 'eleven', 'twelve'],
  ...['thirteen', 'fourteen', 'fifteen', 'sixteen', 'seventeen', 'eighteen', 'nineteen'],
];

const TENS = ['', '', 'twenty', 'thirty', 'forty', 'fifty', 'sixty', 'seventy', 'eighty', 'ninety'];

const GROUPS = ['', 'thousand', 'million', 'billion', 'trillion', 'quadrillion'];

/** Longer numbers are read digit by digit. */
const DIGITS_MAX = 18;

const ORDINALS: Readonly<Record<string, string>> = byName({
  one: 'first',
  two: 'second',
  three: 'third',
  five: 'fifth',
  eight: 'eighth',
  nine: 'ninth',
  twelve: 'twelfth',
});

/** `1234` as `one thousand two hundred thirty-four`. @param digits decimal digits without separators */
export function speakCardinal(digits: string): string {
  const plain = digits.replace(/^0+(?=\d)/, '');
  if (plain.length > DIGITS_MAX) return digitByDigit(digits);
  const groups: string[] = [];
  for (let end = plain.length, group = 0; end > 0; end -= 3, group += 1) {
    const value = Number(plain.slice(Math.max(0, end - 3), end));
    if (value > 0) groups.unshift([belowThousand(value), GROUPS[group]].filter(Boolean).join(' '));
  }
  return groups.length === 0 ? 'zero' : groups.join(' ');
}

function belowThousand(value: number): string {
  const hundreds = Math.floor(value / 100);
  const rest = value % 100;
  const parts = hundreds > 0 ? [`${ONES[hundreds]} hundred`] : [];
  if (rest > 0) parts.push(belowHundred(rest));
  return parts.join(' ');
}

function belowHundred(value: number): string {
  if (value < ONES.length) return ONES[value] ?? '';
  const ones = value % 10;
  return `${TENS[Math.floor(value / 10)]}${ones === 0 ? '' : `-${ONES[ones]}`}`;
}

/** `23` as `twenty-third`. */
export function speakOrdinal(digits: string): string {
  return speakCardinal(digits).replace(/[a-z]+$/, (last) => {
    return ORDINALS[last] ?? (last.endsWith('y') ? `${last.slice(0, -1)}ieth` : `${last}th`);
  });
}

/** `1,234.50`: groups separated by commas, decimals digit by digit. */
export function speakDecimal(number: string): string {
  const [whole = '', part] = number.replace(/,/g, '').split('.');
  const before = whole === '' ? 'zero' : speakCardinal(whole);
  return part === undefined ? before : `${before} point ${digitByDigit(part)}`;
}

export function digitByDigit(text: string): string {
  return [...text].flatMap((digit) => ONES[Number(digit)] ?? []).join(' ');
}

/** `1905` as `nineteen oh five`, `2026` as `twenty twenty-six`. */
export function speakYear(digits: string): string {
  const value = Number(digits);
  if (digits.length !== 4 || (value >= 2000 && value < 2010)) return speakCardinal(digits);
  const [century, rest] = [Math.floor(value / 100), value % 100];
  if (rest === 0) return century % 10 === 0 ? speakCardinal(digits) : `${speakCardinal(String(century))} hundred`;
  return `${speakCardinal(String(century))} ${rest < 10 ? `oh ${ONES[rest]}` : belowHundred(rest)}`;
}

/** `1990` as `nineteen nineties`. */
export function speakDecade(digits: string): string {
  return pluralizeWord(digits.length === 2 ? belowHundred(Number(digits)) : speakYear(digits));
}

export function pluralizeWord(word: string): string {
  if (/[^aeiou]y$/.test(word)) return `${word.slice(0, -1)}ies`;
  return /(?:s|x|ch|sh)$/.test(word) ? `${word}es` : `${word}s`;
}

/** `3/4` as `three quarters`; others as `three over forty`. */
export function speakFraction(top: string, bottom: string): string {
  const names: Readonly<Record<string, string>> = { 2: 'half', 4: 'quarter' };
  if (Number(bottom) < 2 || Number(bottom) > 20) return `${speakCardinal(top)} over ${speakCardinal(bottom)}`;
  const name = names[bottom] ?? speakOrdinal(bottom);
  if (top === '1') return `one ${name}`;
  return `${speakCardinal(top)} ${name === 'half' ? 'halves' : pluralizeWord(name)}`;
}

const ROMAN: Readonly<Record<string, number>> = byName({ I: 1, V: 5, X: 10, L: 50, C: 100, D: 500, M: 1000 });

const ROMAN_NUMBER = /^M{0,3}(?:CM|CD|D?C{0,3})(?:XC|XL|L?X{0,3})(?:IX|IV|V?I{0,3})$/;

/** The value of a Roman number; null when it is none. */
export function romanValue(text: string): number | null {
  if (text === '' || !ROMAN_NUMBER.test(text)) return null;
  let total = 0;
  for (const [index, letter] of [...text].entries()) {
    const value = ROMAN[letter] ?? 0;
    total += value < (ROMAN[text[index + 1] ?? ''] ?? 0) ? -value : value;
  }
  return total;
}
