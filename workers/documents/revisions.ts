/**
 * Facts that travel inside the text from the rewriting pass through the conversion: Unicode noncharacters, which no
 * text may hold for interchange. Those that a document holds all the same are removed before any mark is set.
 */
export const MARKS = {
  /** A page begins here. */
  page: '\uFDD0',
  /** Around what a paragraph is: `h2`, `l0:1.`, `c`, `k`, `a`. */
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
  /** Number of the address, `linkText`, text, `linkClose`. */
  linkOpen: '\uFDDA',
  linkText: '\uFDDB',
  linkClose: '\uFDDC',
  /** A soft line break. */
  line: '\uFDDD',
  tab: '\uFDDE',
} as const;

/**
 * The marked reading: deletions as `[-…-]`, insertions as `{+…+}`, comments as `[Comment by AUTHOR: …]`. So that a
 * reader can tell these from the same characters in the document's own text, a backslash stands before any character
 * of the text that could be taken for (part of) a mark, and before any backslash that could be taken for such an
 * escape: read from the left, a backslash followed by one of `\ [ ] { } + - :` means that character itself.
 */

const M = MARKS;

const MARK_OR_TEXT = /[\uFDD0-\uFDEF]|[^\uFDD0-\uFDEF]+/g;

const COMMENT_WORD = 'Comment';

const COMMENT_STARTS = Array.from(COMMENT_WORD, (_, index) => `${COMMENT_WORD.slice(0, index)}$`);

/** Characters that begin a mark, and backslashes before one; `$` because any mark may follow where a piece ends. */
const MARK_LIKE = [
  '\\\\(?=[\\\\[\\]{}+:-]|$)',
  `\\[(?=-|${COMMENT_WORD}|${COMMENT_STARTS.join('|')})`,
  '-(?=\\]|$)',
  '\\{(?=\\+|$)',
  '\\+(?=\\}|$)',
];

/** Which characters stand for themselves only after a backslash, by where the text is. */
const ESCAPED = {
  text: new RegExp(MARK_LIKE.join('|'), 'g'),
  author: new RegExp([...MARK_LIKE, '[\\]:]'].join('|'), 'g'),
  comment: new RegExp([...MARK_LIKE, '\\]'].join('|'), 'g'),
};

/** A map, since a text may be `constructor`. */
const VISIBLE: ReadonlyMap<string, string> = new Map([
  [M.deletionOpen, '[-'],
  [M.deletionClose, '-]'],
  [M.insertionOpen, '{+'],
  [M.insertionClose, '+}'],
]);

const WORD_START = /^[\p{L}\p{N}]/u;

/** Turns the revision marks in a paragraph's raw text into what people read. Other marks stay. */
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

/** Word cuts one change into many runs: neighbours of the same kind read as one. */
function joinNeighbours(raw: string): string {
  return raw.replaceAll(M.deletionClose + M.deletionOpen, '').replaceAll(M.insertionClose + M.insertionOpen, '');
}

/** Besides what could be taken for a mark: controls, soft hyphens and byte-order marks, which no reader sees. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is removed here.
const UNSEEN = /[\uFDD0-\uFDEF\u0000-\u0008\u000B\u000C\u000E-\u001F\u007F-\u009F\u00AD\uFEFF]/g;

/** Text of a document, ready to have marks set in it. */
export function withoutMarks(text: string): string {
  return text.replace(UNSEEN, '');
}

/** What a paragraph is, beyond its text. */
export type ParagraphFact =
  | { kind: 'heading'; level: number; marker: string }
  | { kind: 'list-item'; depth: number; marker: string }
  | { kind: 'caption' }
  | { kind: 'code' }
  /** The description of an image: shown where the image has no caption. */
  | { kind: 'description' };

const FACT = /\uFDD1([^\uFDD2]*)\uFDD2/g;

export function writeFact(fact: ParagraphFact): string {
  return `${MARKS.factOpen}${JSON.stringify(fact)}${MARKS.factClose}`;
}

/** Takes the facts out of a paragraph's text. Where paragraphs were joined, the last one's mark survived. */
export function takeFact(raw: string): { text: string; fact: ParagraphFact | null } {
  if (!raw.includes(MARKS.factOpen)) return { text: raw, fact: null };
  let fact: ParagraphFact | null = null;
  const text = raw.replace(FACT, (_, json: string) => {
    fact = JSON.parse(json) as ParagraphFact;
    return '';
  });
  return { text, fact };
}

/**
 * How revisions travel in a paragraph's text until the builder writes them for people: the same marks, and so the same
 * forms in the end, as in .docx. What a document itself holds of these characters is taken out first.
 */
const RESERVED = /[\uFDD0-\uFDEF]/g;

/** A page begins here, within a paragraph. */
export const PAGE_START = MARKS.page;

export const INSERTION_START = MARKS.insertionOpen;

export const INSERTION_END = MARKS.insertionClose;

export const DELETION_START = MARKS.deletionOpen;

export const DELETION_END = MARKS.deletionClose;

/** Foreign text, ready to have marks set around it. */
export function withoutReserved(text: string): string {
  return text.replace(RESERVED, '');
}

export function markDeletion(text: string): string {
  return text.trim() === '' ? '' : `${DELETION_START}${withoutReserved(text)}${DELETION_END}`;
}

/** A comment where it stands in the text. */
export function markComment(author: string | null, text: string): string {
  const line = (part: string) => withoutReserved(part).trim().replaceAll('\n', ' ');
  return `${MARKS.commentOpen}${line(author ?? '')}${MARKS.commentText}${line(text)}${MARKS.commentClose}`;
}

/** Marks around nothing say nothing. */
export function dropEmptyMarks(text: string): string {
  return text.replaceAll(INSERTION_START + INSERTION_END, '').replaceAll(DELETION_START + DELETION_END, '');
}
