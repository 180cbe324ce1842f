/** The sentences of a passage, for those who select without a mouse. */

const BLOCKS = 'p, li, td, th, pre, blockquote, h1, h2, h3, h4, h5, h6, dt, dd, figcaption';

interface Piece {
  node: Node;
  /** Of its first letter in the text. */
  from: number;
}

/** The rows of a passage: that of its button, and those after it until the next button. */
function* rowsOf(button: Element): Generator<Element> {
  let row = button.closest('[data-index]');
  while (row !== null) {
    yield row;
    row = row.nextElementSibling;
    if (row?.querySelector('[data-passage]') !== null) return;
  }
}

function* nodesOf(button: Element): Generator<Node> {
  for (const row of rowsOf(button)) {
    const nodes = document.createTreeWalker(row, NodeFilter.SHOW_TEXT);
    for (let node = nodes.nextNode(); node !== null; node = nodes.nextNode()) {
      if (node.parentElement?.closest('button') === null && node.textContent !== '') yield node;
    }
  }
}

/** The text of a passage without its buttons. Each block begins on a new line, where a sentence ends. */
function textOf(button: Element): { text: string; pieces: Piece[] } {
  const pieces: Piece[] = [];
  let text = '';
  let block: Element | null | undefined = null;
  for (const node of nodesOf(button)) {
    const own = node.parentElement?.closest(BLOCKS);
    if (own !== block && text !== '') text += '\n';
    block = own;
    pieces.push({ node, from: text.length });
    text += node.textContent ?? '';
  }
  return { text, pieces };
}

/**
 * Selects a sentence of a passage, from where Shift and the arrows widen the selection.
 * @param button of the passage
 * @param wanted its place among the sentences; outside them the nearest is taken
 * @returns its place; -1 where there are no words
 */
export function selectSentence(button: Element, wanted: number): number {
  const { text, pieces } = textOf(button);
  const segments = [...new Intl.Segmenter(document.documentElement.lang, { granularity: 'sentence' }).segment(text)];
  const sentences = segments.filter(({ segment }) => segment.trim() !== '');
  const index = Math.min(sentences.length - 1, Math.max(0, wanted));
  const sentence = sentences[index];
  if (sentence === undefined) return -1;
  const from = sentence.index + (sentence.segment.length - sentence.segment.trimStart().length);
  const start = placeAt(pieces, from);
  const end = placeAt(pieces, from + sentence.segment.trim().length - 1);
  if (start === null || end === null) return -1;
  getSelection()?.setBaseAndExtent(start.node, start.offset, end.node, end.offset + 1);
  return index;
}

function placeAt(pieces: readonly Piece[], letter: number): { node: Node; offset: number } | null {
  const piece = pieces.findLast(({ from }) => from <= letter);
  return piece === undefined ? null : { node: piece.node, offset: letter - piece.from };
}
