/**
 * Text as GFM in which every character is literal, with a backslash only where a reader would take a character for
 * markup.
 */

/** Matches if any rule below might apply; most text has no match. */
const MAYBE_SPECIAL = /[\\`*_[\]<~&$]|:\/\/|www\./i;

/** First characters of lines that start a block; most lines are prose. */
const MAYBE_BLOCK = /^[#>+=\-*_~:|[\d]/;

/** Starts a block at the beginning of a line: heading, quote, bullet, fence, definition of a link. */
const BLOCK_START = /^(?:#{1,6}(?=\s|$)|>|[-+*](?=\s|$)|~{3}|\[(?=[^\]]*\]:))/;

/** Lines of marks only: rules, underlines of headings, the second line of a table. */
const BLOCK_LINE = /^(?:=+|[-|:\s]+|(?:\*\s*){3,}|(?:_\s*){3,})$/;

const ORDERED_START = /^(\d{1,9})([.)])(?=\s|$)/;

/** Addresses that GFM links automatically, including any backslash in them. */
const BARE_LINK = /((?:https?|ftp):\/\/)([^\s<>|`\\]*[^\s<>|`\\.,;:!?)\]}'"*_~&])?|www\.(?![a-z0-9./-]{1,200} )/gi;

/** What stands around a text. */
export interface EscapePlace {
  /** Inside a link, an address would be a nested one. */
  isInLink?: boolean;
  /** Beside marks that are written, a mark of the text itself could join one of them or one beyond. */
  isAmongMarks?: boolean;
  /** Beside links, pictures or notes. */
  isAmongLinks?: boolean;
  /** In a cell of a table, a bar ends it. */
  isCell?: boolean;
  /** Kinds of emphasis around it. */
  inside?: readonly string[];
}

/** Inline text in which every character is literal. A bare address becomes an explicit link. */
export function escapeRun(text: string, place: EscapePlace = {}): string {
  const escaped = escapeInline(text, place);
  return place.isCell === true ? escaped.replaceAll('|', '\\|') : escaped;
}

function escapeInline(text: string, place: EscapePlace): string {
  if (!MAYBE_SPECIAL.test(text)) return text;
  let written = '';
  let at = 0;
  const special = specialCharacters(text, place);
  for (const match of text.matchAll(BARE_LINK)) {
    const [address, scheme = '', rest = ''] = match;
    written += escapeCharacters(text.slice(at, match.index), special);
    at = match.index + address.length;
    if (scheme === '') written += address.replace('.', '\\.');
    else if (rest === '' || place.isInLink === true) {
      written += scheme.replace(':', '\\:') + escapeCharacters(rest, special);
    } else written += `<${address}>`;
  }
  return written + escapeCharacters(text.slice(at), special);
}

/** Escapes block starts and makes every line break hard. */
export function finishLines(text: string): string {
  if (!text.includes('\n')) return finishLine(text);
  return text
    .split('\n')
    .map(finishLine)
    .filter((line) => line !== '')
    .join('\\\n');
}

export function finishLine(line: string): string {
  const text = line.trim();
  if (!MAYBE_BLOCK.test(text)) return text;
  if (BLOCK_START.test(text) || BLOCK_LINE.test(text)) return `\\${text}`;
  return text.replace(ORDERED_START, '$1\\$2');
}

/** Always before a character that it could escape, and at an end, which marks or a line break may follow. */
const BACKSLASH = '\\\\(?=[!-/:-@[-`{-~]|$|\\n)';

/** Tags, comments and links in angle brackets. */
const TAG = '<(?=[A-Za-z/!?]|$)';

/** A reference to a character, which may go on after a mark at the end. */
const ENTITY = '&(?=#?[A-Za-z\\d]{0,32}(?:;|$))';

const NOTE = '\\[(?=\\^)';

/** Between two spaces, a mark neither opens nor closes anything. A line break is written with signs. */
const STAR = '\\*(?=[^ ]|$)|(?<=[^ ]|^)\\*';

const UNDERSCORE = '(?<![\\p{L}\\p{N}])_|_(?![\\p{L}\\p{N}])';

/** Characters that need a backslash in this text, one character per match. */
function specialCharacters(text: string, { isAmongMarks, isAmongLinks, isInLink }: EscapePlace): RegExp {
  const among = isAmongMarks === true;
  const parts = [BACKSLASH, TAG, ENTITY, NOTE];
  if (among || mayStress(text, '*')) parts.push(STAR);
  if (among || mayStress(text, '_')) parts.push(UNDERSCORE);
  if (among || /~\S/.test(text.slice(0, Math.max(0, text.lastIndexOf('~'))))) parts.push('~');
  if (among || text.indexOf('`') !== text.lastIndexOf('`')) parts.push('`');
  if (isAmongLinks === true || isInLink === true || /\][([]/.test(text)) parts.push('[[\\]]');
  if (among || MATH.test(text)) parts.push('\\$(?=\\S)');
  const source = parts.join('|');
  const known = PATTERNS.get(source);
  if (known !== undefined) return known;
  const pattern = new RegExp(source, 'gu');
  PATTERNS.set(source, pattern);
  return pattern;
}

const PATTERNS = new Map<string, RegExp>();

/** Text that a reader of formulas would take for one. */
const MATH = /\$\$|\$[^\s$](?:[^$]*[^\s$])?\$(?!\d)/;

/**
 * Whether a mark that may begin emphasis stands before one that may end it. Marks between spaces do neither; a line
 * break is written with signs.
 */
function mayStress(text: string, mark: '*' | '_'): boolean {
  const first = text.indexOf(mark);
  if (first === -1 || first === text.lastIndexOf(mark)) return false;
  const opener = mark === '*' ? /\*[^ *]/ : /(?<![\p{L}\p{N}_])_+[^ _]/u;
  const opens = opener.exec(text);
  if (opens === null) return false;
  const closer = mark === '*' ? /[^ *]\*/ : /[^ _]_+(?![\p{L}\p{N}_])/u;
  return closer.test(text.slice(opens.index + 1));
}

function escapeCharacters(text: string, special: RegExp): string {
  return text.replace(special, '\\$&');
}
