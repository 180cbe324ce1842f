/** What stands raised: read on the line, 10 to the power of 6 would be 106, and a note's number a part of its word. */

/** Numbers and their signs, also several. What is raised besides reads as well on the line: 1st, Mme. */
const RAISED_NUMBERS = /^[+\-\u2212\u2013\d,;.\s]*\d[+\-\u2212\u2013\d,;.\s]*$/;
const RAISED: Readonly<Record<string, string>> = {
  ...Object.fromEntries([...'⁰¹²³⁴⁵⁶⁷⁸⁹'].map((raised, digit) => [String(digit), raised])),
  '+': '⁺',
  '-': '⁻',
  '\u2212': '⁻',
  '\u2013': '⁻',
};

/** The text of a raised run as it can stand on the line. */
export function raisedText(text: string): string {
  return RAISED_NUMBERS.test(text) ? Array.from(text, (character) => RAISED[character] ?? character).join('') : text;
}
