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
/** Beyond this neither Roman numbers nor repeated letters are readable: plain digits then. */
const MAX_SPELLED = 3999;
const ALPHABET_LENGTH = 26;

/** A list number in one of the formats of WordprocessingML; formats not known here come out in digits. */
export function formatNumber(count: number, format: string): string {
  if (count < 1 || count > MAX_SPELLED) return String(count);
  switch (format) {
    case 'lowerRoman':
      return roman(count);
    case 'upperRoman':
      return roman(count).toUpperCase();
    case 'lowerLetter':
      return letter(count);
    case 'upperLetter':
      return letter(count).toUpperCase();
    case 'decimalZero':
      return String(count).padStart(2, '0');
    default:
      return String(count);
  }
}

function roman(count: number): string {
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

/** a to z, then aa, bb … as Word counts. */
function letter(count: number): string {
  const character = String.fromCharCode(0x61 + ((count - 1) % ALPHABET_LENGTH));
  return character.repeat(Math.ceil(count / ALPHABET_LENGTH));
}
