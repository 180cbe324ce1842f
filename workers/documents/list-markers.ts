import { formatNumber as formatWordNumber } from './number-format.ts';

/** How numbered list items are counted, in the forms documents ask for. */

export const BULLET = '•';

/** A heading behind its number, which texts refer to. A bullet says nothing there, and a small letter may be one. */
export function numberedHeading(marker: string | null, text: string): string {
  const isNumber = marker !== null && /[\p{L}\p{N}]/u.test(marker) && !/^[a-z]$/.test(marker);
  return isNumber && text.trim() !== '' ? `${marker.trim()} ${text}` : text;
}

/** A number as `1`, `a`, `A`, `i` or `I`; other forms are written as `1`. */
export function formatNumber(value: number, form: string): string {
  if (form === 'a') return letters(value);
  if (form === 'A') return letters(value).toUpperCase();
  if (form === 'i') return formatWordNumber(value, 'lowerRoman');
  if (form === 'I') return formatWordNumber(value, 'upperRoman');
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
