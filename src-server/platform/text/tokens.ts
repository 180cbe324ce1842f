/** Estimates the token count of a text without a model's vocabulary. */

import { countMatches } from './strings.ts';

/** Name of the rule below. Another rule gets another name, so that stored counts stay comparable. */
export const TOKENIZER = 'quarry-estimate-1';

export const TOKEN_COUNTING =
  'Estimated: one token per 5 letters of a word begun, per 3 digits, per character of scripts without spaces and per ' +
  'punctuation mark. Byte-pair vocabularies of current models come to within about 15 % of it for English prose.';

const OWN_TOKENS =
  '\\p{scx=Han}\\p{scx=Hira}\\p{scx=Kana}\\p{scx=Thai}\\p{scx=Lao}\\p{scx=Khmer}\\p{scx=Mymr}\\p{scx=Hang}';

const TOKEN = new RegExp(`[\\p{L}--[${OWN_TOKENS}]]{1,5}|[0-9]{1,3}|\\S`, 'gv');

export function countTextTokens(text: string): number {
  return countMatches(text, TOKEN);
}
