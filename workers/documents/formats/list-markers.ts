/** How numbered list items are counted, in the forms documents ask for. */

export const BULLET = '•';

/** Numbering above this is written in digits whatever the form: Roman numerals grow without bound. */
const MAX_ROMAN = 3999;

const ROMAN: readonly [number, string][] = [
  [1000, 'm'],
  [900, 'cm'],
  [500, 'd'],
  [400, 'cd'],
  [100, 'c'],
  [90, 'xc'],
  [50, 'l'],
  [40, 'xl'],
  [10, 'x'],
  [9, 'ix'],
  [5, 'v'],
  [4, 'iv'],
  [1, 'i'],
];

/** A number as `1`, `a`, `A`, `i` or `I`; other forms are written as `1`. */
export function formatNumber(value: number, form: string): string {
  if (form === 'a') return letters(value);
  if (form === 'A') return letters(value).toUpperCase();
  if (form === 'i') return roman(value);
  if (form === 'I') return roman(value).toUpperCase();
  return String(value);
}

/** a … z, aa, ab …, as HTML and OpenDocument count. */
function letters(value: number): string {
  if (value < 1) return String(value);
  let text = '';
  for (let rest = value; rest > 0; rest = Math.floor((rest - 1) / 26)) {
    text = String.fromCharCode(97 + ((rest - 1) % 26)) + text;
  }
  return text;
}

function roman(value: number): string {
  if (value < 1 || value > MAX_ROMAN) return String(value);
  let text = '';
  let rest = value;
  for (const [size, numeral] of ROMAN) {
    while (rest >= size) {
      text += numeral;
      rest -= size;
    }
  }
  return text;
}
