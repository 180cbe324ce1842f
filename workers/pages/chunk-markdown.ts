/**
 * A page's chunks as Markdown with marked headings, lists, tables and code, so that models recognise them. Inline text
 * has no markup: search quotes chunks, and their sentences read as on the page.
 */
import type { CutChunk } from '../documents/chunk.ts';
import { fence, quoted } from '../documents/write-markdown.ts';
import type { BlockSpan, PlainText } from '../documents/write-text.ts';

const MAX_HEADING_LEVEL = 6;
const INDENT = '  ';

/** Takes the chunks of a page in order. */
export class ChunkMarkdown {
  readonly #plain: PlainText;
  #first = 0;

  constructor(plain: PlainText) {
    this.#plain = plain;
  }

  of({ startOffset: start = 0, endOffset: end = 0 }: CutChunk): string {
    const { spans } = this.#plain;
    while ((spans[this.#first]?.end ?? Number.POSITIVE_INFINITY) <= start) this.#first += 1;
    let written = '';
    let previous: BlockSpan | null = null;
    for (let at = this.#first; at < spans.length; at += 1) {
      const span = spans[at] as BlockSpan;
      if (span.start >= end) break;
      const part = this.#partOf(span, Math.max(start, span.start), Math.min(end, span.end));
      if (part === '') continue;
      const isList = previous?.block.kind === 'list-item' && span.block.kind === 'list-item';
      if (previous !== null) written += isList ? '\n' : '\n\n';
      written += part;
      previous = span;
    }
    return written;
  }

  #partOf(span: BlockSpan, from: number, to: number): string {
    const { block, start, textStart } = span;
    const text = this.#plain.text.slice(Math.max(from, textStart), to);
    switch (block.kind) {
      case 'heading':
        return `${'#'.repeat(Math.min(block.level, MAX_HEADING_LEVEL))} ${text}`;
      case 'code':
        return text.trim() === '' ? '' : fence(text, block.language);
      case 'table':
        return this.#rowsOf(span, from, to);
      case 'list-item': {
        if (from > start) return text;
        const marker = /^\d{1,9}[.)]$/.test(block.marker) ? block.marker : '-';
        return `${INDENT.repeat(block.depth)}${marker} ${text}`;
      }
      case 'paragraph':
        return block.isQuoted === true ? quoted(text) : text;
      default:
        return text;
    }
  }

  /** Whole rows as table rows, below the header; for a row too long for a chunk, its text. */
  #rowsOf({ rows = [], block }: BlockSpan, from: number, to: number): string {
    if (block.kind !== 'table') return '';
    const width = block.rows.reduce((widest, cells) => Math.max(widest, cells.length), 1);
    const head = [rowOf(block.rows[0] ?? [], width), `|${' --- |'.repeat(width)}`];
    const lines: string[] = [];
    for (const [number, row] of rows.entries()) {
      if (row.end <= from || row.start >= to) continue;
      if (row.start < from || row.end > to) return this.#plain.text.slice(Math.max(row.start, from), to);
      if (number > 0) lines.push(rowOf(block.rows[number] ?? [], width));
    }
    return [...head, ...lines].join('\n');
  }
}

function rowOf(cells: readonly string[], width: number): string {
  const shown = Array.from({ length: width }, (_, at) =>
    (cells[at] ?? '').replaceAll('\n', ' ').replaceAll('|', '\\|'),
  );
  return `| ${shown.join(' | ')} |`;
}
