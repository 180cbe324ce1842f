/** Latin letters that say about as much as one character of Chinese, Japanese or Korean. */
export const LETTERS_PER_CHARACTER = 3;

const FIRST_DENSE = 0x1100;

const MAYBE_DENSE = /[\u1100-\uffff]/;

/** First and last code units of scripts that write a word with one or two characters. */
const DENSE: readonly (readonly [first: number, last: number])[] = [
  [0x1100, 0x11ff],
  [0x2e80, 0x2fdf],
  [0x3005, 0x3007],
  [0x3040, 0x31ff],
  [0x3400, 0x4dbf],
  [0x4e00, 0x9fff],
  [0xa960, 0xa97f],
  [0xac00, 0xd7ff],
  [0xf900, 0xfaff],
  [0xff66, 0xffdc],
];

/** Length of a text in letters of Latin script: about what a text in Chinese, Japanese or Korean has in English. */
export function textWidth(text: string): number {
  if (!MAYBE_DENSE.test(text)) return text.length;
  let dense = 0;
  for (let at = 0; at < text.length; at += 1) {
    const unit = text.charCodeAt(at);
    if (unit >= FIRST_DENSE && DENSE.some(([first, last]) => unit >= first && unit <= last)) dense += 1;
  }
  return text.length + dense * (LETTERS_PER_CHARACTER - 1);
}
