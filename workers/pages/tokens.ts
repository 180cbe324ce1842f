/** How many tokens a model would make of a text, without any one model's vocabulary. */
import { codeUnits } from '../../src-server/lib/text-hash.ts';
import { classAt, DIGIT, HANGUL, LETTER, SPACE, UNSPACED, unitsOf } from '../documents/character-classes.ts';

export const TOKEN_COUNTING =
  'Estimated: one token per 5 letters of a word begun, per 3 digits, per character of scripts without spaces and per ' +
  'punctuation mark. Byte-pair vocabularies of current models come to within about 15 % of it for English prose.';

const LETTERS_PER_TOKEN = 5;
const DIGITS_PER_TOKEN = 3;
const SINGLE = UNSPACED | HANGUL;

export function countTokens(text: string): number {
  const units = codeUnits(text);
  const { length } = text;
  let tokens = 0;
  let at = 0;
  while (at < length) {
    const start = at;
    let flags = classAt(units, at);
    at += unitsOf(flags);
    if ((flags & SPACE) !== 0) continue;
    if ((flags & (LETTER | SINGLE)) === LETTER) {
      for (; at < length; at += unitsOf(flags)) {
        flags = classAt(units, at);
        if ((flags & (LETTER | SINGLE)) !== LETTER) break;
      }
      tokens += Math.ceil((at - start) / LETTERS_PER_TOKEN);
    } else if ((flags & DIGIT) !== 0) {
      while (at < length && (classAt(units, at) & DIGIT) !== 0) at += 1;
      tokens += Math.ceil((at - start) / DIGITS_PER_TOKEN);
    } else tokens += 1;
  }
  return tokens;
}
