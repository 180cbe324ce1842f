/** Superscripts in the text of a document. */

/** Numbers with signs. Other superscripts read well inline: 1st, Mme. */
const RAISED_NUMBERS = /^[+\-\u2212\u2013\d,;.\s]*\d[+\-\u2212\u2013\d,;.\s]*$/;

const RAISED: Readonly<Record<string, string>> = {
  ...Object.fromEntries([...'⁰¹²³⁴⁵⁶⁷⁸⁹'].map((raised, digit) => [String(digit), raised])),
  '+': '⁺',
  '-': '⁻',
  '\u2212': '⁻',
  '\u2013': '⁻',
};

/** A superscript run as inline text: otherwise 10 to the power of 6 becomes 106, and a note number joins its word. */
export function raisedText(text: string): string {
  return RAISED_NUMBERS.test(text) ? Array.from(text, (character) => RAISED[character] ?? character).join('') : text;
}
