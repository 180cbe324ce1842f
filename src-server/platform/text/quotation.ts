/** Checks quotations of a text model, which may invent words. */

/** Characters that programs exchange. A hyphen is the first of its class, where it means itself. */
const SAME: readonly string[] = ["'‘’ʼ`", '"“”„«»', '-‐‑–—−'];

const SYNTAX = /[\\^$.*+?()[\]{}|/]/;

/** A grammar keeps quotations short; a text server may ignore it. */
const QUOTE_CHARS_MAX = 1000;

/** The words of the text that are equal to the quotation, apart from white space, quotation marks and dashes. */
export function quotedIn(text: string, quote: string): string | null {
  const trimmed = quote.trim().replace(/\s+/g, ' ');
  if (trimmed.length > QUOTE_CHARS_MAX || !/[\p{L}\p{N}]/u.test(trimmed)) return null;
  const pattern = Array.from(trimmed, (character) => {
    if (character === ' ') return '\\s+';
    const same = SAME.find((one) => one.includes(character));
    return same === undefined ? character.replace(SYNTAX, '\\$&') : `[${same}]`;
  });
  return new RegExp(pattern.join(''), 'iu').exec(text)?.[0] ?? null;
}
