import { itemAt } from '../../src-server/platform/item-at.ts';
/**
 * A page's chunks as Markdown with marked headings, lists, tables and code, so that models recognise them. Inline text
 * has no markup: search quotes chunks, and their sentences read as on the page.
 */
import { trimRange } from '../../src-server/platform/text/split-text.ts';
import type { CutChunk } from '../documents/chunk.ts';
import { fenceMarkdownCode, isBullet, quoteMarkdown } from '../documents/write-markdown.ts';
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

  chunkMarkdownOf({ text, startOffset: start = 0, endOffset: end = 0 }: CutChunk): string {
    // The cut repeats the header row before the rows of the chunk.
    const hasHeader = text.length > end - start;
    const { spans } = this.#plain;
    while ((spans[this.#first]?.end ?? Number.POSITIVE_INFINITY) <= start) this.#first += 1;
    let written = '';
    let previous: BlockSpan | null = null;
    for (let at = this.#first; at < spans.length; at += 1) {
      const span = itemAt(spans, at);
      if (span.start >= end) break;
      const part = this.#blockPartMarkdown(span, Math.max(start, span.start), Math.min(end, span.end), hasHeader);
      if (part === '') continue;
      const isList = previous?.block.kind === 'list-item' && span.block.kind === 'list-item';
      if (previous !== null) written += isList ? '\n' : '\n\n';
      written += part;
      previous = span;
    }
    return written;
  }

  #blockPartMarkdown(span: BlockSpan, from: number, to: number, hasHeader: boolean): string {
    const { block, start, textStart } = span;
    const text = this.#plain.text.slice(Math.max(from, textStart), to);
    switch (block.kind) {
      case 'heading':
        return `${'#'.repeat(Math.min(block.level, MAX_HEADING_LEVEL))} ${text}`;
      case 'code':
        return text.trim() === '' ? '' : fenceMarkdownCode(text, block.language);
      case 'table':
        return this.#tableRowsMarkdown(span, from, to, hasHeader);
      case 'list-item': {
        // A chunk that starts with a nested item starts after its indent.
        if (this.#plain.text.slice(start, from).trim() !== '') return text;
        const isNumber = /^\d{1,9}[.)]$/.test(block.marker);
        const label = isNumber || isBullet(block.marker) ? '' : `${block.marker} `;
        return `${INDENT.repeat(block.depth)}${isNumber ? block.marker : '-'} ${label}${text}`;
      }
      case 'paragraph':
        return block.isQuoted === true ? quoteMarkdown(text) : text;
      default:
        return text;
    }
  }

  /** Whole rows as table rows, below the header; for a row too long for a chunk, its text. */
  #tableRowsMarkdown({ rows = [], block }: BlockSpan, from: number, to: number, hasHeader: boolean): string {
    if (block.kind !== 'table') return '';
    const width = block.rows.reduce((widest, cells) => Math.max(widest, cells.length), 1);
    const lines: string[] = [];
    const parts: string[] = [];
    let head = hasHeader ? (block.rows[0] ?? []) : [];
    for (const [number, row] of rows.entries()) {
      if (row.end <= from || row.start >= to) continue;
      // A range of rows is trimmed, so it may end before the separators of empty cells.
      const { start, end } = trimRange(this.#plain.text, row);
      if (start < from || end > to) parts.push(this.#plain.text.slice(Math.max(start, from), Math.min(end, to)));
      else if (number === 0) head = block.rows[0] ?? [];
      else lines.push(tableRowMarkdown(block.rows[number] ?? [], width));
    }
    if (lines.length === 0 && parts.length > 0) return parts.join('\n');
    return [tableRowMarkdown(head, width), `|${' --- |'.repeat(width)}`, ...lines, ...parts].join('\n');
  }
}

function tableRowMarkdown(cells: readonly string[], width: number): string {
  const shown = Array.from({ length: width }, (_, at) =>
    (cells[at] ?? '').replaceAll('\n', ' ').replaceAll('|', '\\|'),
  );
  return `| ${shown.join(' | ')} |`;
}
