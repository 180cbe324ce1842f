/** Text within a line of Markdown, in which every character means itself. */

/** Characters that start or end something anywhere in a line of GFM. */
const INLINE_SPECIAL = /[\\`*_[\]<>~|&]/g;
/** What any of the patterns here could find: most text has nothing of it. */
const MAYBE_SPECIAL = /[\\`*_[\]<>~|&]|:\/\/|www\./i;
/** What GFM makes a link of by itself, taking any backslash in it for a part of the address. */
const BARE_LINK = /((?:https?|ftp):\/\/)([^\s<>|`\\]*[^\s<>|`\\.,;:!?)\]}'"*_~&])?|www\.(?![a-z0-9./-]{1,200} )/gi;

/** A bare address is written as a link of its own, or, inside a link, so that it does not become another one. */
export function escapeRun(text: string, isInLink = false): string {
  if (!MAYBE_SPECIAL.test(text)) return text;
  let written = '';
  let at = 0;
  for (const match of text.matchAll(BARE_LINK)) {
    const [address, scheme = '', rest = ''] = match;
    written += escapeCharacters(text.slice(at, match.index));
    at = match.index + address.length;
    if (scheme === '') written += address.replace('.', '\\.');
    else if (rest === '' || isInLink) written += scheme.replace(':', '\\:') + escapeCharacters(rest);
    else written += `<${address}>`;
  }
  return written + escapeCharacters(text.slice(at));
}

export function escapeCharacters(text: string): string {
  return text.replace(INLINE_SPECIAL, '\\$&');
}
