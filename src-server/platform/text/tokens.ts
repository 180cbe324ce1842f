/** Estimates the token count of a text without a model's vocabulary. */

import { classAt, DIGIT, HANGUL, LETTER, PAIR, SPACE, UNSPACED } from './character-classes.ts';

/** Name of the rule below. Another rule gets another name, so that stored counts stay comparable. */
export const TOKENIZER = 'quarry-estimate-1';

export const TOKEN_COUNTING =
  'Estimated: one token per 5 letters of a word begun, per 3 digits, per character of scripts without spaces and per ' +
  'punctuation mark. Byte-pair vocabularies of current models come to within about 15 % of it for English prose.';

const LETTERS_PER_TOKEN = 5;

const DIGITS_PER_TOKEN = 3;

export function countTextTokens(text: string): number {
  let tokens = 0;
  /** Letters or digits that still fit into the token before. */
  let letterRoom = 0;
  let digitRoom = 0;
  for (let at = 0; at < text.length; at += 1) {
    const flags = classAt(text, at);
    if ((flags & PAIR) !== 0) at += 1;
    if ((flags & (LETTER | UNSPACED | HANGUL)) === LETTER) {
      if (letterRoom === 0) {
        tokens += 1;
        letterRoom = LETTERS_PER_TOKEN;
      }
      letterRoom -= 1;
      digitRoom = 0;
      continue;
    }
    letterRoom = 0;
    if ((flags & DIGIT) !== 0) {
      if (digitRoom === 0) {
        tokens += 1;
        digitRoom = DIGITS_PER_TOKEN;
      }
      digitRoom -= 1;
      continue;
    }
    digitRoom = 0;
    if ((flags & SPACE) === 0) tokens += 1;
  }
  return tokens;
}
