import { parseOwnJson } from '../../src-server/platform/own-json.ts';
/**
 * Marks that carry facts inside the text from the rewriting pass through the conversion: Unicode noncharacters, which
 * interchange forbids. Any in the document itself are removed before marks are set.
 */
export const MARKS = {
  /** Start of a page. */
  page: '\uFDD0',
  /** Delimits a paragraph's role: `h2`, `l0:1.`, `c`, `k`, `a`. */
  factOpen: '\uFDD1',
  factClose: '\uFDD2',
  deletionOpen: '\uFDD3',
  deletionClose: '\uFDD4',
  insertionOpen: '\uFDD5',
  insertionClose: '\uFDD6',
  /** Author, `commentText`, text, `commentClose`. */
  commentOpen: '\uFDD7',
  commentText: '\uFDD8',
  commentClose: '\uFDD9',
  /** Index of the address, `linkText`, text, `linkClose`. */
  linkOpen: '\uFDDA',
  linkText: '\uFDDB',
  linkClose: '\uFDDC',
  /** A soft line break. */
  line: '\uFDDD',
  tab: '\uFDDE',
  /** Marked text: see `inline-marks.ts`. */
  strongOpen: '\uFDDF',
  strongClose: '\uFDE0',
  emphasisOpen: '\uFDE1',
  emphasisClose: '\uFDE2',
  strikeOpen: '\uFDE3',
  strikeClose: '\uFDE4',
  codeOpen: '\uFDE5',
  codeClose: '\uFDE6',
  footnoteOpen: '\uFDE7',
  footnoteClose: '\uFDE8',
  verbatimOpen: '\uFDE9',
  verbatimClose: '\uFDEA',
  /** Index of the LaTeX, `linkText`, text, `formulaClose`. */
  formulaOpen: '\uFDEB',
  formulaClose: '\uFDEC',
  subOpen: '\uFDED',
  supOpen: '\uFDEE',
  /** Of either. */
  scriptClose: '\uFDEF',
} as const;

// Marked reading: deletions as `[-…-]`, insertions as `{+…+}`, comments as `[Comment by AUTHOR: …]`. To distinguish
// these from equal characters in the document's text, a backslash precedes any character that could be read as (part
// of) a mark, and any backslash that could be read as such an escape: from left to right, a backslash followed by one
// of `\ [ ] { } + - :` means that character.

const M = MARKS;

const MARK_OR_TEXT = /[\uFDD0-\uFDEF]|[^\uFDD0-\uFDEF]+/g;

const COMMENT_WORD = 'Comment';

const COMMENT_STARTS = Array.from(COMMENT_WORD, (_, index) => `${COMMENT_WORD.slice(0, index)}$`);

/** Characters that start a mark, and backslashes before one; `$` because a mark may follow the end of a piece. */
const MARK_LIKE = [
  '\\\\(?=[\\\\[\\]{}+:-]|$)',
  `\\[(?=-|${COMMENT_WORD}|${COMMENT_STARTS.join('|')})`,
  '-(?=\\]|$)',
  '\\{(?=\\+|$)',
  '\\+(?=\\}|$)',
];

/** Characters that need a backslash, by context. */
const ESCAPED = {
  text: new RegExp(MARK_LIKE.join('|'), 'g'),
  author: new RegExp([...MARK_LIKE, '[\\]:]'].join('|'), 'g'),
  comment: new RegExp([...MARK_LIKE, '\\]'].join('|'), 'g'),
};

/** A map, because the text may be `constructor`. */
const VISIBLE: ReadonlyMap<string, string> = new Map([
  [M.deletionOpen, '[-'],
  [M.deletionClose, '-]'],
  [M.insertionOpen, '{+'],
  [M.insertionClose, '+}'],
]);

const WORD_START = /^[\p{L}\p{N}]/u;

/** Writes the revision marks in a paragraph's raw text in readable form. Other marks stay. */
export function renderRevisions(raw: string): string {
  let place: keyof typeof ESCAPED = 'text';
  let hasAuthor = false;
  let isAfterComment = false;
  let written = '';
  for (const [part] of joinNeighbours(raw).matchAll(MARK_OR_TEXT)) {
    if (part === M.commentOpen) {
      place = 'author';
      hasAuthor = false;
      written += ` [${COMMENT_WORD}`;
    } else if (part === M.commentText) {
      place = 'comment';
      written += ': ';
    } else if (part === M.commentClose) {
      place = 'text';
      isAfterComment = true;
      written += ']';
    } else if (VISIBLE.has(part)) {
      written += VISIBLE.get(part) ?? '';
    } else {
      if (place === 'author' && !hasAuthor) written += ' by ';
      hasAuthor = true;
      if (isAfterComment && WORD_START.test(part)) written += ' ';
      isAfterComment = false;
      written += part.replace(ESCAPED[place], '\\$&');
    }
  }
  return written;
}

/** Word splits one change into many runs; this joins adjacent runs of one kind. */
function joinNeighbours(raw: string): string {
  return raw.replaceAll(M.deletionClose + M.deletionOpen, '').replaceAll(M.insertionClose + M.insertionOpen, '');
}

/** Beyond possible marks: controls, soft hyphens and byte-order marks, which are invisible. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is removed here.
const UNSEEN = /[\uFDD0-\uFDEF\u0000-\u0008\u000B\u000C\u000E-\u001F\u007F-\u009F\u00AD\uFEFF]/g;

/** Document text, safe for marks. */
export function withoutMarks(text: string): string {
  return text.replace(UNSEEN, '');
}

/** The role of a paragraph. */
export type ParagraphFact =
  | { kind: 'heading'; level: number; marker: string; isTitle?: true }
  | { kind: 'list-item'; depth: number; marker: string }
  | { kind: 'caption' }
  | { kind: 'code' }
  | { kind: 'quote' }
  /** An image description, shown if the image has no caption. */
  | { kind: 'description' }
  /** The place of an embedded document; the text is its number. */
  | { kind: 'embedded' };

const FACT = /\uFDD1([^\uFDD2]*)\uFDD2/g;

export function writeFact(fact: ParagraphFact): string {
  return `${MARKS.factOpen}${JSON.stringify(fact)}${MARKS.factClose}`;
}

/** Takes the role out of a paragraph's text. After joins the mark of the last paragraph remains. */
export function takeFact(raw: string): { text: string; fact: ParagraphFact | null } {
  if (!raw.includes(MARKS.factOpen)) return { text: raw, fact: null };
  let fact: ParagraphFact | null = null;
  const text = raw.replace(FACT, (_, json: string) => {
    fact = parseOwnJson<ParagraphFact>(json);
    return '';
  });
  return { text, fact };
}

/**
 * Marks for revisions in a paragraph's text until the builder writes them: the same marks as in .docx, so every format
 * reads the same. Equal characters in the document are removed first.
 */
const RESERVED = /[\uFDD0-\uFDEF]/g;

/** Start of a page within a paragraph. */
export const PAGE_START = MARKS.page;

export const INSERTION_START = MARKS.insertionOpen;

export const INSERTION_END = MARKS.insertionClose;

export const DELETION_START = MARKS.deletionOpen;

export const DELETION_END = MARKS.deletionClose;

/** Untrusted text, safe for marks. */
export function withoutReserved(text: string): string {
  return text.replace(RESERVED, '');
}

export function markDeletion(text: string): string {
  return text.trim() === '' ? '' : `${DELETION_START}${withoutReserved(text)}${DELETION_END}`;
}

/** A comment at its place in the text. */
export function markComment(author: string | null, text: string): string {
  const commentMarkLine = (part: string) => withoutReserved(part).trim().replaceAll('\n', ' ');
  const { commentOpen, commentText, commentClose } = MARKS;
  return `${commentOpen}${commentMarkLine(author ?? '')}${commentText}${commentMarkLine(text)}${commentClose}`;
}

/** Removes marks without content. */
export function dropEmptyMarks(text: string): string {
  return text.replaceAll(INSERTION_START + INSERTION_END, '').replaceAll(DELETION_START + DELETION_END, '');
}
