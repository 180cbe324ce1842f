/** One form of text in all blocks: Unicode NFC, no control characters, single spaces, `\n` for a soft line break. */

// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is removed here.
const CONTROLS = /[\u0000-\u0008\u000e-\u001f\u007f-\u009f\u00ad\u200b\u2060\ufeff\ufdd0-\ufdef\ufff9-\ufffc]/g;
const LINE_ENDS = /\r\n|[\r\v\f\u0085\u2028\u2029]/g;
const SPACES = /[ \t\u00a0]+/g;
const SPACES_AT_BREAKS = / ?\n ?/g;
const MANY_BREAKS = /\n{3,}/g;
/** Spaces a tab stands for in code. */
const CODE_TAB = '    ';

/** Text of printable ASCII with single spaces is clean as it is, and most text is. */
const NOT_PRINTABLE = /[^\x20-\x7e]/;

/** Prose: runs of spaces become one, breaks lose the spaces around them, the ends are trimmed. */
export function cleanText(text: string): string {
  if (!NOT_PRINTABLE.test(text) && !text.includes('  ')) return text.trim();
  return cleanPart(text).trim();
}

/** The same for a part of a text, whose ends are no ends. */
export function cleanPart(text: string): string {
  return text
    .replace(LINE_ENDS, '\n')
    .replace(CONTROLS, '')
    .replace(SPACES, ' ')
    .replace(SPACES_AT_BREAKS, '\n')
    .replace(MANY_BREAKS, '\n\n')
    .toWellFormed()
    .normalize('NFC');
}

/** Code keeps its spaces; only empty lines at its ends go. */
export function cleanCode(text: string): string {
  return (
    text
      .replace(LINE_ENDS, '\n')
      .replaceAll('\t', CODE_TAB)
      .replace(CONTROLS, '')
      .replace(/^(?: *\n)+/, '')
      // A pattern would look for the end from every place of a long run of spaces.
      .trimEnd()
      .toWellFormed()
      .normalize('NFC')
  );
}

/** Text that has to fit one line: titles, authors, names. Null when nothing is left. */
export function cleanLine(text: string | null | undefined): string | null {
  const line = cleanText(text ?? '').replaceAll('\n', ' ');
  return line === '' ? null : line;
}
