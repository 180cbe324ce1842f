/**
 * Classes of characters, in a table that is filled as they occur. Counting looks at every character of a text, and a
 * regular expression with Unicode properties takes several times as long for each.
 */

/** A letter or digit of any script: begins a word. */
export const WORD_START = 1;

export const LETTER = 2;

/** 0 to 9. */
export const DIGIT = 4;

export const SPACE = 8;

/** Continues a word, as WORD_START does: a mark, or the joiner in `don't`, `l’eau`, `snake_case`, `self-made`. */
export const WORD_PART = 16;

/** Of a script without blanks between words. */
export const UNSPACED = 32;

export const HANGUL = 64;

/** The character is a pair of code units. */
export const PAIR = 128;

const KNOWN = 256;

const PATTERNS: readonly [flag: number, pattern: RegExp][] = [
  [WORD_START, /[\p{L}\p{N}]/u],
  [LETTER, /\p{L}/u],
  [DIGIT, /[0-9]/],
  [SPACE, /\s/],
  [WORD_PART, /[\p{M}'\-_\u2019]/u],
  [UNSPACED, /[\p{scx=Han}\p{scx=Hira}\p{scx=Kana}\p{scx=Thai}\p{scx=Lao}\p{scx=Khmer}\p{scx=Mymr}]/u],
  [HANGUL, /\p{scx=Hang}/u],
];

/** Flags by code unit; 0 where none was seen yet, and for the first halves of pairs. */
const classes = new Uint16Array(0x10000);

const pairClasses = new Map<number, number>();

/** Flags of the character that begins at this code unit. Half a pair alone has none of the flags above. */
export function classAt(text: string, at: number): number {
  return classes[text.charCodeAt(at)] || learnClass(text, at);
}

function learnClass(text: string, at: number): number {
  const point = text.codePointAt(at) ?? 0;
  if (point > 0xffff) {
    const flags = pairClasses.get(point) ?? classify(point) | PAIR;
    pairClasses.set(point, flags);
    return flags;
  }
  const flags = classify(point);
  const isFirstHalf = point >= 0xd800 && point < 0xdc00;
  if (!isFirstHalf) classes[point] = flags;
  return flags;
}

function classify(point: number): number {
  const character = String.fromCodePoint(point);
  return PATTERNS.reduce((flags, [flag, pattern]) => (pattern.test(character) ? flags | flag : flags), KNOWN);
}
