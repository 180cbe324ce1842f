/**
 * The marked reading: deletions as `[-…-]`, insertions as `{+…+}`, comments as `[Comment by AUTHOR: …]`. So that a
 * reader can tell these from the same characters in the document's own text, a backslash stands before any character
 * of the text that could be taken for (part of) a mark, and before any backslash that could be taken for such an
 * escape: read from the left, a backslash followed by one of `\ [ ] { } + - :` means that character itself.
 */
import { MARKS } from './marks.ts';

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
