/** Tables over several pages: one table, whose head stands at the beginning alone, however often it is printed. */
import type { Block } from '../blocks.ts';
import type { PageLine, PagePart, PdfPage } from './page-content.ts';

type TablePart = Extract<PagePart, { kind: 'table' }>;
type TableBlock = Extract<Block, { kind: 'table' }>;

/** How far down a page a table that goes on over its end reaches, as a share of the page's height. */
const REACHES_SHARE = 0.6;
/** How far the sides of the parts may lie apart, together, as a share of their width: the text of cells differs. */
const SIDES_SHARE = 0.3;
/** More of a head than this is none. */
const HEAD_LINES_MAX = 60;

/** A table that stands last on its page so far. */
export interface OpenTable {
  block: TableBlock;
  part: TablePart;
  page: PdfPage;
}

export function openTable(part: TablePart, page: PdfPage): OpenTable {
  return { part, page, block: { kind: 'table', rows: part.rows, page: page.number } };
}

/**
 * Adds the table that stands first on the page after to the open one, if it goes on with that. `before` is what is
 * printed above it there: nothing, or the table's head once more.
 */
export function continueTable(open: OpenTable, part: TablePart, page: PdfPage, before: readonly PageLine[]): boolean {
  const columns = open.block.rows[0]?.length;
  if (open.page.number + 1 !== page.number || part.rows[0]?.length !== columns) return false;
  if (before.length > HEAD_LINES_MAX || !before.every(({ text }) => printsHeadOf(open, [text]))) return false;
  const printsHead = printsHeadOf(open, part.rows[0] ?? []);
  if (before.length === 0 && !printsHead && (part.hasHead === true || !isInPlace(open, part))) return false;
  const { block } = open;
  const rows = printsHead ? part.rows.slice(1) : part.rows;
  const pages = block.rowPages ?? block.rows.map(() => block.page);
  block.rows = [...block.rows, ...rows];
  block.rowPages = [...pages, ...rows.map(() => page.number)];
  open.part = part;
  open.page = page;
  return true;
}

/** Whether these say nothing but what the table's first row says. */
export function printsHeadOf({ block }: OpenTable, texts: readonly string[]): boolean {
  const head = new Set(block.rows[0]?.flatMap(wordsOf));
  const words = texts.flatMap(wordsOf);
  return words.length > 0 && words.every((word) => head.has(word));
}

/** Whether the part above reaches to the end of its page, and the one below is as wide. */
function isInPlace({ part: above, page }: OpenTable, below: TablePart): boolean {
  const width = Math.max(above.right - above.left, below.right - below.left);
  const apart = Math.abs(above.left - below.left) + Math.abs(above.right - below.right);
  return above.bottom >= page.height * REACHES_SHARE && apart <= width * SIDES_SHARE;
}

function wordsOf(text: string): string[] {
  return text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
}
