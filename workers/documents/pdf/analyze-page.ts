import type { PDFPage } from 'mupdf';
import { readComments } from './annotations.ts';
import { withDrawnText } from './drawn-text.ts';
import { STRUCTURED_LINES_MAX } from './limits.ts';
import type { PageLine, PagePart, PdfPage } from './page-content.ts';
import { readPageText } from './page-text.ts';
import { groupLines } from './paragraphs.ts';
import { inReadingOrder } from './reading-order.ts';
import { needsRecognition } from './recognition.ts';
import { alignedTables, taggedTables } from './tables.ts';

export interface AnalyzeOptions {
  /** From 1. */
  number: number;
  includeComments: boolean;
}

/** One page's content, and whether its picture must be read, too. */
export function analyzePage(page: PDFPage, options: AnalyzeOptions): { page: PdfPage; needsRecognition: boolean } {
  const text = readPageText(page);
  const { raw, drawn } = text;
  const [left, top, right, bottom] = page.getBounds();
  const lines = withDrawnText(raw.lines, drawn.lines);
  return {
    page: {
      number: options.number,
      width: right - left,
      height: bottom - top,
      parts: partsOf(lines),
      comments: options.includeComments ? readComments(page, lines, drawn.shown) : [],
    },
    needsRecognition: needsRecognition(page, text),
  };
}

/** Lines, in the order of the file, to paragraphs and tables in reading order. */
function partsOf(lines: PageLine[]): PagePart[] {
  if (lines.length > STRUCTURED_LINES_MAX) return groupLines(lines).map((group) => ({ kind: 'lines', lines: group }));
  const tagged = taggedTables(lines);
  const ordered = inReadingOrder(tagged.rest);
  const untagged = ordered.filter((line) => line.tag === null);
  const aligned = alignedTables(untagged);
  const inTable = new Set(untagged);
  for (const line of aligned.rest) inTable.delete(line);
  for (const line of aligned.tables.keys()) inTable.delete(line);
  const parts: PagePart[] = [];
  let open: PageLine[] = [];
  const flush = () => {
    for (const group of groupLines(open)) parts.push({ kind: 'lines', lines: group });
    open = [];
  };
  for (const line of ordered) {
    const table = tagged.tables.get(line) ?? aligned.tables.get(line);
    if (table !== undefined) {
      flush();
      parts.push(table);
    } else if (!inTable.has(line)) open.push(line);
  }
  flush();
  return parts;
}
