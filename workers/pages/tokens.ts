/** Estimates the token count of a text without a model's vocabulary. */

import { codeUnits } from '../../src-server/platform/text/hash.ts';
import {
  ALL_CLASSES,
  classAt,
  DIGIT,
  HANGUL,
  LETTER,
  PAIR,
  SPACE,
  UNSPACED,
} from '../../src-server/platform/text/words.ts';

export const TOKEN_COUNTING =
  'Estimated: one token per 5 letters of a word begun, per 3 digits, per character of scripts without spaces and per ' +
  'punctuation mark. Byte-pair vocabularies of current models come to within about 15 % of it for English prose.';

const LETTERS_PER_TOKEN = 5;

const DIGITS_PER_TOKEN = 3;

/** Character kinds for the count. */
const KINDS = 4;

const [NOTHING, WORD, NUMBER, SIGN] = [0, 1, 2, 3] as const;

/** Indexed by the flags of a character (platform/text/words.ts). */
const kindOf = Uint8Array.from({ length: ALL_CLASSES + 1 }, (_, flags) => {
  if ((flags & SPACE) !== 0) return NOTHING;
  if ((flags & (LETTER | UNSPACED | HANGUL)) === LETTER) return WORD;
  return (flags & DIGIT) === 0 ? SIGN : NUMBER;
});

/** States: outside words and numbers, then one per letter of a token, then one per digit. */
const OUTSIDE = 0;

const FIRST_DIGIT = LETTERS_PER_TOKEN + 1;

const STATES = FIRST_DIGIT + DIGITS_PER_TOKEN;

/** The transition of a state and kind: twice the offset of the next row in `steps`, plus 1 if a token starts. */
function stepTo(state: number, begins: boolean): number {
  return 2 * KINDS * state + (begins ? 1 : 0);
}

const steps = Uint8Array.from({ length: STATES * KINDS }, (_, place) => {
  const state = Math.floor(place / KINDS);
  const goesOn = (first: number, length: number) => {
    const isWithin = state >= first && state < first + length - 1;
    return isWithin ? stepTo(state + 1, false) : stepTo(first, true);
  };
  switch (place % KINDS) {
    case WORD:
      return goesOn(1, LETTERS_PER_TOKEN);
    case NUMBER:
      return goesOn(FIRST_DIGIT, DIGITS_PER_TOKEN);
    default:
      return stepTo(OUTSIDE, place % KINDS === SIGN);
  }
});

/**
 * Uses a table, because word ends are unpredictable: a mispredicted branch at each end costs more than the look-ups.
 */
export function countTokens(text: string): number {
  const units = codeUnits(text);
  const { length } = text;
  let tokens = 0;
  let row = OUTSIDE;
  for (let at = 0; at < length; at += 1) {
    const flags = classAt(units, at);
    const kind = kindOf[flags] ?? 0;
    let step = steps[row + kind] ?? 0;
    tokens += step & 1;
    row = step >> 1;
    if ((flags & PAIR) === 0) continue;
    // The second half of a surrogate pair counts as a letter after a letter, and not at all after a sign.
    at += 1;
    if (kind !== WORD) continue;
    step = steps[row + kind] ?? 0;
    tokens += step & 1;
    row = step >> 1;
  }
  return tokens;
}
