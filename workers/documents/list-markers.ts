/** Number formats of list items. */
export const BULLET = '•';

/**
 * Prepends the number that the text may refer to. Bullets are dropped, and so are lower-case letters, which may be
 * bullets.
 */
export function numberedHeading(marker: string | null, text: string): string {
  const isNumber = marker !== null && /[\p{L}\p{N}]/u.test(marker) && !/^[a-z]$/.test(marker);
  return isNumber && text.trim() !== '' ? `${marker.trim()} ${text}` : text;
}

/** A number as `1`, `a`, `A`, `i` or `I`; other forms are written as `1`. */
export function formatNumber(value: number, form: string): string {
  if (form === 'a') return alphabeticMarker(value);
  if (form === 'A') return alphabeticMarker(value).toUpperCase();
  if (form === 'i') return formatWordNumber(value, 'lowerRoman');
  if (form === 'I') return formatWordNumber(value, 'upperRoman');
  return String(value);
}

/** a … z, aa, ab …, as in HTML and OpenDocument. */
function alphabeticMarker(value: number): string {
  if (value < 1) return String(value);
  let text = '';
  for (let rest = value; rest > 0; rest = Math.floor((rest - 1) / 26)) {
    text = String.fromCharCode(97 + ((rest - 1) % 26)) + text;
  }
  return text;
}

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

/** Larger numbers are written in digits: Roman numerals and repeated letters become unreadable. */
const MAX_SPELLED = 3999;

const ALPHABET_LENGTH = 26;

/** A list number in a WordprocessingML format; unknown formats give digits. */
export function formatWordNumber(count: number, format: string): string {
  if (count < 1 || count > MAX_SPELLED) return String(count);
  switch (format) {
    case 'lowerRoman':
      return romanNumeral(count);
    case 'upperRoman':
      return romanNumeral(count).toUpperCase();
    case 'lowerLetter':
      return repeatedLetterMarker(count);
    case 'upperLetter':
      return repeatedLetterMarker(count).toUpperCase();
    case 'decimalZero':
      return String(count).padStart(2, '0');
    default:
      return String(count);
  }
}

function romanNumeral(count: number): string {
  let rest = count;
  let written = '';
  for (const [value, digits] of ROMAN) {
    while (rest >= value) {
      written += digits;
      rest -= value;
    }
  }
  return written;
}

/** a to z, then aa, bb …, as in Word. */
function repeatedLetterMarker(count: number): string {
  const character = String.fromCharCode(0x61 + ((count - 1) % ALPHABET_LENGTH));
  return character.repeat(Math.ceil(count / ALPHABET_LENGTH));
}
