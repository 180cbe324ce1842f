/**
 * The marked reading: deletions as `[-…-]`, insertions as `{+…+}`, comments as `[Comment by AUTHOR: …]`. So that a
 * reader can tell these from the same characters in the document's own text, a backslash stands before any character
 * of the text that could be taken for (part of) a mark, and before any backslash that could be taken for such an
 * escape: read from the left, a backslash followed by one of `\ [ ] { } - + :` means that character itself.
 */
import { MARKS } from './marks.ts';

const M = MARKS;
/** Marks of any kind, one of which may come to stand beside a character of the text. */
const MARK = '[\\uFDD0-\\uFDEF]';
const ESCAPED = new RegExp(
  [
    `\\\\(?=[\\\\[\\]{}+:-]|${MARK})`,
    '\\[(?=-|Comment)',
    '-(?=\\])',
    '\\{(?=\\+)',
    '\\+(?=\\})',
    // A bracket or sign that would complete the mark after it.
    `[[{+-](?=${MARK})`,
  ].join('|'),
  'g',
);
const COMMENT = new RegExp(
  `${M.commentOpen}([^${M.commentText}]*)${M.commentText}([^${M.commentClose}]*)${M.commentClose}`,
  'g',
);

/** Turns the revision marks in a paragraph's raw text into what people read. Other marks stay. */
export function renderRevisions(raw: string): string {
  return joinNeighbours(raw)
    .replace(ESCAPED, '\\$&')
    .replace(COMMENT, (_, author: string, text: string) => ` ${renderComment(author, text)} `)
    .replaceAll(M.deletionOpen, '[-')
    .replaceAll(M.deletionClose, '-]')
    .replaceAll(M.insertionOpen, '{+')
    .replaceAll(M.insertionClose, '+}');
}

function renderComment(author: string, text: string): string {
  const inner = text.replace(/(?<!\\)\]/g, '\\]');
  if (author === '') return `[Comment: ${inner}]`;
  return `[Comment by ${author.replace(/(?<!\\)[\]:]/g, '\\$&')}: ${inner}]`;
}

/** Word cuts one change into many runs: neighbours of the same kind read as one. */
function joinNeighbours(raw: string): string {
  return raw.replaceAll(M.deletionClose + M.deletionOpen, '').replaceAll(M.insertionClose + M.insertionOpen, '');
}
