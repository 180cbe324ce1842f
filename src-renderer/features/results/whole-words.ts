/** Selections of whole words, and their place in the text of a chunk. */

import { wholeWords } from '../../../src-server/platform/text/whole-words.ts';

/** The selected words, with the text before and after them. */
export interface Selected {
  text: string;
  before: string;
  after: string;
}

/** Widens a range to the whole words at both of its ends. White space at the ends is left out. */
export function widenToWords(range: Range, within: Element): Selected {
  const text = wordsOf(within);
  const [from, to] = wholeWords(
    text,
    letterPlaceInElement(within, range, 'start'),
    letterPlaceInElement(within, range, 'end'),
  );
  setEnd(range, within, from, 'setStart');
  setEnd(range, within, to, 'setEnd');
  return { text: text.slice(from, to), before: text.slice(0, from), after: text.slice(to) };
}

/** The text of a part of the page without its buttons, which number the passages. */
function wordsOf(part: Element | DocumentFragment): string {
  const copy = part.cloneNode(true) as typeof part;
  for (const button of copy.querySelectorAll('button')) button.remove();
  return copy.textContent ?? '';
}

function letterPlaceInElement(within: Element, range: Range, end: 'start' | 'end'): number {
  const before = document.createRange();
  before.selectNodeContents(within);
  const [node, offset] =
    end === 'start' ? [range.startContainer, range.startOffset] : [range.endContainer, range.endOffset];
  // A triple click selects up to the start of the next paragraph, which lies outside.
  if (!within.contains(node)) return end === 'start' ? 0 : wordsOf(within).length;
  before.setEnd(node, offset);
  return wordsOf(before.cloneContents()).length;
}

function setEnd(range: Range, within: Element, place: number, set: 'setStart' | 'setEnd'): void {
  const nodes = document.createTreeWalker(within, NodeFilter.SHOW_TEXT);
  let left = place;
  for (let node = nodes.nextNode(); node !== null; node = nodes.nextNode()) {
    if (node.parentElement?.closest('button') != null) continue;
    const { length } = node.textContent ?? '';
    // A start at the edge of two nodes belongs to the second, an end to the first.
    if (left < length || (left === length && set === 'setEnd')) {
      range[set](node, left);
      return;
    }
    left -= length;
  }
}

/** Between words: white space, and the marks of lists, tables and quotations that a selection does not have. */
const BETWEEN = '(?:[\\s|>*#-]|\\d+[.)])+';

const CONTEXT_LETTERS = 80;

/** The selected words within a text: of several such places, the one with the same surroundings. Null for none. */
export function placeIn(text: string, { text: part, before, after }: Selected): [from: number, to: number] | null {
  const parts = part
    .trim()
    .split(/\s+/)
    .filter((word) => word !== '')
    .map((word) => word.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  if (parts.length === 0) return null;
  const found = [...text.matchAll(new RegExp(parts.join(BETWEEN), 'g'))];
  const [head, tail] = [selectionLetters(before), selectionLetters(after)];
  const scored = found.map(({ 0: match, index }) => {
    const [left, right] = [selectionLetters(text.slice(0, index)), selectionLetters(text.slice(index + match.length))];
    const place: [number, number] = [index, index + match.length];
    return {
      place,
      same: sameEnd(left, head) + sameStart(right, tail),
    };
  });
  return scored.toSorted((one, other) => other.same - one.same)[0]?.place ?? null;
}

function selectionLetters(text: string): string {
  return text.replace(/[^\p{L}\p{N}]+/gu, '');
}

function sameStart(one: string, other: string): number {
  let same = 0;
  while (same < CONTEXT_LETTERS && same < one.length && one[same] === other[same]) same += 1;
  return same;
}

function sameEnd(one: string, other: string): number {
  let same = 0;
  while (same < CONTEXT_LETTERS && same < one.length && one.at(-1 - same) === other.at(-1 - same)) same += 1;
  return same;
}

/** The text with the place replaced. Without new text, one of the blanks around it goes too. */
export function withReplaced(text: string, [from, to]: readonly [number, number], by: string): string {
  const [head, tail] = [text.slice(0, from), text.slice(to)];
  if (by.trim() !== '') return head + by + tail;
  return /\s$/.test(head) && /^(?:\s|$)/.test(tail)
    ? head.trimEnd() + tail
    : head + tail.replace(/^ /, head === '' ? '' : ' ');
}
