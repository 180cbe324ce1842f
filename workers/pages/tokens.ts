/** How many tokens a model would make of a text, without any one model's vocabulary. */

export const TOKEN_COUNTING =
  'Estimated: one token per 5 letters of a word begun, per 3 digits, per character of scripts without spaces and per ' +
  'punctuation mark. Byte-pair vocabularies of current models come to within about 15 % of it for English prose.';

const LETTERS_PER_TOKEN = 5;
const DIGITS_PER_TOKEN = 3;
const PIECE = /[\p{scx=Han}\p{scx=Hira}\p{scx=Kana}\p{scx=Thai}\p{scx=Hang}]|\d+|\p{L}+|[^\s\p{L}\d]/gu;

export function countTokens(text: string): number {
  let tokens = 0;
  for (const [piece] of text.matchAll(PIECE)) {
    if (piece.length === 1) tokens += 1;
    else if (piece.charCodeAt(0) <= 0x39) tokens += Math.ceil(piece.length / DIGITS_PER_TOKEN);
    else tokens += Math.ceil(piece.length / LETTERS_PER_TOKEN);
  }
  return tokens;
}
