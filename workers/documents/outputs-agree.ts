/** Whether all files of a result hold the same words. Letters are summed; only a difference is looked at closely. */

import type { Chunk } from '../../src-server/operation.ts';
import { type Said, say } from '../../src-server/platform/text/say.ts';
import { blockTexts } from './account-document.ts';
import type { Block, InlineMark, NormalizedDocument } from './blocks.ts';
import { accountLetters, quoteTextStart } from './letter-account.ts';
import { foldLetters, LetterSum, letterCountText } from './letters.ts';
import { isBareCallout } from './write-markdown.ts';
import type { BlockSpan, PlainText } from './write-text.ts';

export interface Outputs {
  document: NormalizedDocument;
  plain: PlainText;
  /** The Markdown of each block. */
  markdown: readonly string[];
  /** Characters of the texts in docling.json. */
  docling: number;
  chunks: readonly Chunk[];
}

/** Sentences about outputs that lack words of others; none if all agree. */
export function compareOutputs({ document, plain, markdown, docling, chunks }: Outputs): Said[] {
  const gaps = new Gaps();
  let characters = 0;
  for (const [index, block] of document.blocks.entries()) {
    const written = markdown[index] ?? '';
    const span = plain.spans[index];
    for (const text of blockTexts(block)) characters += text.length;
    // Most text is written as it is, which needs no look at its letters.
    const isPlain = block.kind !== 'table' && span !== undefined && plain.text.startsWith(block.text, span.textStart);
    if (isPlain && written.endsWith(block.text)) continue;
    const own = lettersOfBlock(block);
    const inText = blockText(span, plain);
    if (!sumOf(inText).equalsLetterSum(own))
      gaps.addLetterGap('document.txt', missingText(labelledText(block), [inText]));
    // The kind of an admonition stands for a title that is the same word.
    if (isBareCallout(block)) continue;
    const inMarkdown = hasFormulas(block) ? withLatex(block) : block;
    if (!sumOf(written).equalsLetterSum(inMarkdown === block ? own : lettersOfBlock(inMarkdown)))
      gaps.addLetterGap('document.md', missingText(labelledText(inMarkdown), [written]));
  }
  if (docling !== characters) gaps.addCount('docling.json', characters - docling);
  for (const text of outsideChunks(plain.text, chunks)) gaps.addLetterGap('chunks.jsonl', missingText(text, []));
  return gaps.gapSentences();
}

function hasFormulas(block: Block): boolean {
  return 'marks' in block && block.marks?.some(({ kind }) => kind === 'formula') === true;
}

/** The block with the LaTeX of its formulas, which Markdown has in place of their plain text. */
function withLatex(block: Block): Block {
  if (!('marks' in block) || block.marks === undefined) return block;
  if (block.kind !== 'table') return { ...block, text: textWithLatex(block.text, block.marks) };
  const { marks } = block;
  const rows = block.rows.map((cells, row) =>
    cells.map((cell, column) => {
      const own = marks.filter((mark) => mark.row === row && mark.column === column);
      return own.length === 0 ? cell : textWithLatex(cell, own);
    }),
  );
  return { ...block, rows };
}

function textWithLatex(text: string, marks: readonly InlineMark[]): string {
  let written = '';
  let at = 0;
  for (const { kind, start, end, latex } of marks.toSorted((one, other) => one.start - other.start)) {
    if (kind !== 'formula' || start < at) continue;
    written += text.slice(at, start) + (latex ?? text.slice(start, end));
    at = end;
  }
  return written + text.slice(at);
}

function blockText(span: BlockSpan | undefined, { text }: PlainText): string {
  return span === undefined ? '' : text.slice(span.start, span.end);
}

function sumOf(text: string): LetterSum {
  const sum = new LetterSum();
  sum.addLetterText(text);
  return sum;
}

function lettersOfBlock(block: Block): LetterSum {
  const sum = new LetterSum();
  for (const text of blockTexts(block)) sum.addLetterText(text);
  if ('marker' in block) sum.addLetterText(block.marker);
  return sum;
}

function labelledText(block: Block): string {
  return [...('marker' in block ? [block.marker] : []), ...blockTexts(block)].join('\n');
}

/** The text that no chunk has; a chunk whose text differs from its range has none. */
function* outsideChunks(text: string, chunks: readonly Chunk[]): Generator<string> {
  let end = 0;
  for (const chunk of [...chunks].sort((one, other) => (one.startOffset ?? 0) - (other.startOffset ?? 0))) {
    const { startOffset = 0, endOffset = 0 } = chunk;
    if (!chunk.text.endsWith(text.slice(startOffset, endOffset))) continue;
    if (startOffset > end) yield text.slice(end, startOffset);
    end = Math.max(end, endOffset);
  }
  yield text.slice(end);
}

const LETTER = /[\p{L}\p{N}]/u;

interface Missing {
  letters: number;
  quote: string;
}

/** What of a text others lack. They may hold more, such as addresses of links. */
function missingText(text: string, others: readonly string[]): Missing {
  if (!LETTER.test(text)) return { letters: 0, quote: '' };
  if (holdsInOrder(others.join('\n'), text)) return { letters: 0, quote: '' };
  const source = [{ place: '', text }];
  const { account, firstMissing } = accountLetters({ source, delivered: [], beside: others, leftOut: [] });
  return { letters: account.unexplained, quote: firstMissing };
}

/** Whether a text has the letters of another in their order, with others between them. */
function holdsInOrder(text: string, other: string): boolean {
  const letters = foldedLetterCodes(other);
  let at = 0;
  foldLetters(text, 0, text.length, (slice, count) => {
    for (let from = 0; from < count && at < letters.length; from += 1) if (slice[from] === letters[at]) at += 1;
  });
  return at === letters.length;
}

function foldedLetterCodes(text: string): Uint16Array {
  const slices: Uint16Array[] = [];
  const total = foldLetters(text, 0, text.length, (slice, count) => void slices.push(slice.slice(0, count)));
  const [first] = slices;
  if (slices.length === 1 && first !== undefined) return first;
  const letters = new Uint16Array(total);
  let at = 0;
  for (const slice of slices) {
    letters.set(slice, at);
    at += slice.length;
  }
  return letters;
}

class Gaps {
  readonly #byFile = new Map<string, Missing>();

  addLetterGap(file: string, { letters, quote }: Missing): void {
    if (letters <= 0) return;
    const known = this.#byFile.get(file);
    if (known === undefined) this.#byFile.set(file, { letters, quote: quoteTextStart(quote) });
    else known.letters += letters;
  }

  addCount(file: string, letters: number): void {
    this.addLetterGap(file, { letters: Math.max(1, letters), quote: '' });
  }

  gapSentences(): Said[] {
    return [...this.#byFile].map(([file, { letters, quote }]) => {
      const held = letterCountText(letters);
      return quote === ''
        ? say`${file} lacks ${held} that other files of the result have.`
        : say`${file} lacks ${held} that other files of the result have, at “${quote}”.`;
    });
  }
}
