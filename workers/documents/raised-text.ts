/** Superscripts in the text of a document. */

import { byName } from '../../src-server/platform/records.ts';

/** Numbers with signs. */
const NUMBER = /^[+\-\u2212\u2013\d,;.\s]*\d[+\-\u2212\u2013\d,;.\s]*$/;

/** Expressions: `n+1`, `2n`, `(k-1)`, `-x`. Each letter stands for a number, and at most two stand side by side. */
const EXPRESSION = /^(?=.*[\d+\-−–=])(?=.*[a-pr-z])(?!.*[a-z]{3})[+\-−–=()\d\sa-pr-z]{2,24}$/;

/** Expressions with a character that has no raised form: `−1/2`, `N+1`, `iωt/2`. */
const LARGER = /^(?=.*[+\-−–=/*·])(?=.*[\d+−–=*·])(?!.*\p{L}{3})[+\-−–=/*·()\d.,\s\p{L}]{2,24}$/u;

/** Words with a hyphen: `co-op`, `n-th`. */
const HYPHENATED = /[a-z]{2}-[a-z]|[a-z]-[a-z]{2}/i;

/** Letters that stand for numbers, and seldom for the end of a word. */
const VARIABLE = /^[nxyz]$/;

/** `1st`, `2de`: a number in words, all of it raised. */
const ORDINAL = /^\d+[a-z]{2}$/;

const RAISED: Readonly<Record<string, string>> = byName({
  ...Object.fromEntries(Array.from('⁰¹²³⁴⁵⁶⁷⁸⁹', (raised, digit) => [String(digit), raised])),
  ...Object.fromEntries(
    Array.from('ᵃᵇᶜᵈᵉᶠᵍʰⁱʲᵏˡᵐⁿᵒᵖʳˢᵗᵘᵛʷˣʸᶻ', (raised, at) => ['abcdefghijklmnoprstuvwxyz'.charAt(at), raised]),
  ),
  '+': '⁺',
  '-': '⁻',
  '\u2212': '⁻',
  '\u2013': '⁻',
  '=': '⁼',
  '(': '⁽',
  ')': '⁾',
});

/** Text of raised characters and white space alone, or after a caret, which needs no other mark. */
export const RAISED_TEXT = /^(?:\^\(.+\)|[⁰¹²³⁴⁵⁶⁷⁸⁹ᵃᵇᶜᵈᵉᶠᵍʰⁱʲᵏˡᵐⁿᵒᵖʳˢᵗᵘᵛʷˣʸᶻ⁺⁻⁼⁽⁾,;.\s]+)$/;

/**
 * A superscript run as inline text: otherwise 10 to the power of 6 becomes 106, x to the power of n + 1 becomes xn+1,
 * and a note number joins its word. Expressions that have no raised characters stand after a caret: `x^(−1/2)`. Other
 * superscripts read well on the line: 1st, Mme.
 */
export function raisedText(text: string): string {
  if (NUMBER.test(text) || VARIABLE.test(text)) return inRaisedCharacters(text);
  if (ORDINAL.test(text) || HYPHENATED.test(text)) return text;
  if (EXPRESSION.test(text)) return inRaisedCharacters(text);
  return LARGER.test(text) ? `^(${text.trim()})` : text;
}

/** The letter or number of a note in raised characters: beside its word it would be one of the word's letters. */
export function raisedMarker(text: string): string {
  return /^[a-pr-z\d]{1,4}$/.test(text) ? inRaisedCharacters(text) : text;
}

function inRaisedCharacters(text: string): string {
  return Array.from(text, (character) => RAISED[character] ?? character).join('');
}
