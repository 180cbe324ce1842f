import { omitUndefined } from '../../../src-server/platform/omit-undefined.ts';
import type { Block, CellMark, CellSpan, InlineMark } from '../blocks.ts';
import { InlineCollector, type InlineValues } from '../inline-marks.ts';
import { MARKS, type ParagraphFact, renderRevisions, takeFact } from '../revisions.ts';
import { remainingSpans, rowsUnder } from '../table-spans.ts';
import { blockLines } from '../word-processing.ts';
import { CELL_SEPARATOR } from '../write-text.ts';

/**
 * Empty cells for the columns and rows of merged cells. A few bytes can claim millions of them; past this bound a
 * merged cell takes one place.
 */
const MAX_FILLERS = 1_000_000;

/** Matches text without visible characters, no-break spaces included. */
const BLANK = /^\s*$/;

interface Cell {
  text: string;
  marks: InlineMark[];
  columns: number;
  /** Row span, known only in HTML; `continue` expresses the same from below. */
  rows: number;
  continues: boolean;
}

interface Table {
  rows: string[][];
  /** Marks in cells, by row index as read. */
  marks: CellMark[];
  rowPages: number[];
  row: string[];
  cell: Cell | null;
  /** Column → rows below still covered by a cell above. */
  filled: number[];
  /** Cells over several rows or columns, by row index as read. */
  spans: CellSpan[];
  /** Column → the last cell that begins there. */
  begun: CellSpan[];
  page: number;
  /** Blocks of its cells while no row has two cells: a table of one column is layout. */
  flow: Block[] | null;
}

interface AssembleOptions {
  inline: InlineValues;
  /** Whether tracked changes and comments are shown. */
  isMarked: boolean;
  firstPage: number;
  /** Blocks of embedded documents, by number. */
  embedded?: readonly Block[][];
}

/** Builds blocks from the events of either reader of a rewritten part. */
export class BlockAssembler {
  private readonly blocks: Block[] = [];
  private readonly tables: Table[] = [];
  /** Blocks that are image descriptions. */
  private readonly descriptions = new Set<Block>();
  private readonly options: AssembleOptions;
  private page: number;
  private fillers = 0;
  /** Empty lines since the last code line. */
  private emptyCodeLines = 0;

  constructor(options: AssembleOptions) {
    this.options = options;
    this.page = options.firstPage;
  }

  assembleParagraph(raw: string): void {
    const { text: bare, fact } = takeFact(raw);
    if (fact?.kind === 'embedded') {
      this.addEmbedded(this.options.embedded?.[Number(bare)] ?? []);
      return;
    }
    const { options, page } = this;
    const shown = options.isMarked ? renderRevisions(bare) : bare;
    const { text, pageBreaks, marks } = finishText(shown, options.inline, fact?.kind === 'code');
    this.page += pageBreaks.length;
    if (BLANK.test(text)) {
      if (fact?.kind === 'code') this.emptyCodeLines += 1;
      return;
    }
    // A page break before the first character sets the page of the block.
    const leading = pageBreaks.filter((at) => at === 0).length;
    const later = pageBreaks.filter((at) => at > 0);
    const inline = {
      text,
      page: page + leading,
      pageBreaks: later.length === 0 ? undefined : later,
      marks: marks.length === 0 ? undefined : marks,
    };
    const table = this.tables.at(-1);
    const cell = table?.cell;
    if (cell != null) {
      if (table?.flow != null) this.addBlock(table.flow, fact, { ...inline });
      const label = fact?.kind === 'list-item' && fact.marker !== '' ? `${fact.marker} ` : '';
      const lead = `${cell.text === '' ? '' : `${cell.text}\n`}${label}`;
      for (const mark of movedMarks(marks, lead.length)) cell.marks.push(mark);
      cell.text = lead + text;
      return;
    }
    this.addBlock(this.blocks, fact, inline);
  }

  /** Adds the blocks of an embedded document; in a cell, their text. */
  private addEmbedded(blocks: readonly Block[]): void {
    const table = this.tables.at(-1);
    const cell = table?.cell;
    for (const block of blocks) {
      const placed = { ...block, page: this.page };
      if (cell == null) this.blocks.push(placed);
      else {
        table?.flow?.push(placed);
        cell.text += `${cell.text === '' ? '' : '\n'}${blockLines(placed)}`;
      }
    }
  }

  startTable(): void {
    const { page } = this;
    this.tables.push({
      rows: [],
      marks: [],
      rowPages: [],
      row: [],
      cell: null,
      filled: [],
      spans: [],
      begun: [],
      page,
      flow: [],
    });
  }

  startRow(): void {
    const table = this.tables.at(-1);
    if (table === undefined) return;
    table.row = [];
    table.rowPages.push(this.page);
  }

  startCell(columns: number, rows: number, continues: boolean): void {
    const table = this.tables.at(-1);
    if (table === undefined) return;
    this.skipFilled(table);
    if (table.row.length > 0) table.flow = null;
    table.cell = { text: '', marks: [], columns, rows, continues };
  }

  endAssembledCell(): void {
    const table = this.tables.at(-1);
    const cell = table?.cell;
    if (table === undefined || cell == null) return;
    table.cell = null;
    const place = { row: table.rows.length, column: table.row.length };
    if (!cell.continues) {
      for (const mark of cell.marks) table.marks.push({ ...mark, ...place });
    }
    this.fillers += cell.columns - 1;
    const columns = this.fillers > MAX_FILLERS ? 1 : cell.columns;
    noteSpan(table, { ...place, rows: cell.rows, columns }, cell.continues);
    for (let column = 0; column < columns; column += 1) {
      if (cell.rows > 1) table.filled[table.row.length] = cell.rows - 1;
      table.row.push(column === 0 && !cell.continues ? cell.text : '');
    }
  }

  endAssembledRow(): void {
    const table = this.tables.at(-1);
    if (table === undefined) return;
    this.skipFilled(table);
    table.rows.push(table.row);
    table.row = [];
  }

  endAssembledTable(): void {
    const table = this.tables.pop();
    if (table === undefined) return;
    const rows = table.rows.map((row, index) => ({ row, index, page: table.rowPages[index] ?? table.page }));
    const written = rows.filter(({ row }) => row.some((cell) => cell !== ''));
    if (written.length === 0) return;
    const under = rowsUnder(table.spans, table.rows);
    const kept = rows.filter((row) => written.includes(row) || under.has(row.index));
    const outerTable = this.tables.at(-1);
    const outer = outerTable?.cell;
    const blocks = outer == null ? this.blocks : outerTable?.flow;
    for (const block of table.flow ?? [tableBlock(table, kept)]) blocks?.push(block);
    if (outer != null) {
      const lines = written.map(({ row }) => row.map((cell) => cell.replaceAll('\n', ' ')).join(CELL_SEPARATOR));
      outer.text += `${outer.text === '' ? '' : '\n'}${lines.join('\n')}`;
    }
  }

  /** The blocks; an image description is included only without a caption next to it. */
  finishAssembly(): { blocks: Block[]; lastPage: number } {
    const isCaption = (block: Block | undefined) => block?.kind === 'caption' && !this.descriptions.has(block);
    const blocks = this.blocks.filter((block, index) => {
      if (!this.descriptions.has(block)) return true;
      return !isCaption(this.blocks[index - 1]) && !isCaption(this.blocks[index + 1]);
    });
    return { blocks, lastPage: this.page };
  }

  /** Skips columns covered by a cell of a row above. */
  private skipFilled(table: Table): void {
    for (let left = table.filled[table.row.length] ?? 0; left > 0; left = table.filled[table.row.length] ?? 0) {
      table.filled[table.row.length] = left - 1;
      this.fillers += 1;
      if (this.fillers > MAX_FILLERS) return;
      table.row.push('');
    }
  }

  private addBlock(blocks: Block[], fact: ParagraphFact | null, inline: { text: string; page: number }): void {
    const last = blocks.at(-1);
    switch (fact?.kind) {
      case 'heading': {
        const numbered = fact.marker === '' ? inline : withTextPrefix(inline, `${fact.marker} `);
        const title = fact.isTitle === true ? { isTitle: true as const } : {};
        blocks.push({ kind: 'heading', level: fact.level, ...title, ...numbered });
        break;
      }
      case 'list-item':
        blocks.push({ kind: 'list-item', depth: fact.depth, marker: fact.marker, ...inline });
        break;
      case 'code':
        // In Word each code line is a paragraph.
        if (last?.kind === 'code') last.text += '\n'.repeat(1 + this.emptyCodeLines) + inline.text;
        else blocks.push({ kind: 'code', text: inline.text, page: inline.page });
        break;
      case 'caption':
        blocks.push({ kind: 'caption', ...inline });
        break;
      case 'description': {
        const block: Block = { kind: 'caption', text: inline.text, page: inline.page };
        this.descriptions.add(block);
        blocks.push(block);
        break;
      }
      case 'quote':
        blocks.push({ kind: 'paragraph', isQuoted: true, ...inline });
        break;
      default:
        blocks.push({ kind: 'paragraph', ...inline });
    }
    this.emptyCodeLines = 0;
  }
}

/** A cell that continues the one above extends it by a row. */
function noteSpan(table: Table, span: CellSpan, continues: boolean): void {
  const above = continues ? table.begun[span.column] : undefined;
  if (above === undefined) {
    table.begun[span.column] = span;
    if (span.rows > 1 || span.columns > 1) table.spans.push(span);
    return;
  }
  if (above.rows === 1 && above.columns === 1) table.spans.push(above);
  above.rows = span.row - above.row + 1;
}

/** The marks by index of the remaining rows; a row with a mark has text. */
function marksIn(marks: readonly CellMark[], written: readonly { index: number }[]): CellMark[] {
  const rowOf = new Map(written.map(({ index }, row) => [index, row]));
  return marks.map((mark) => ({ ...mark, row: rowOf.get(mark.row) ?? 0 }));
}

export function movedMarks(marks: readonly InlineMark[] = [], by: number): InlineMark[] {
  return marks.map((mark) => ({ ...mark, start: mark.start + by, end: mark.end + by }));
}

/** The block of the rows with text and those under a cell with text. */
function tableBlock(table: Table, kept: readonly { row: string[]; index: number; page: number }[]): Block {
  const page = kept[0]?.page ?? table.page;
  const spansPages = kept.some((row) => row.page !== page);
  return {
    kind: 'table',
    rows: kept.map(({ row }) => row),
    page,
    ...omitUndefined({ rowPages: spansPages ? kept.map((row) => row.page) : undefined }),
    ...remainingSpans(
      table.spans,
      kept.map(({ index }) => index),
    ),
    ...omitUndefined({ marks: table.marks.length === 0 ? undefined : marksIn(table.marks, kept) }),
  };
}

function withTextPrefix<T extends { text: string; pageBreaks?: number[]; marks?: InlineMark[] }>(
  inline: T,
  prefix: string,
): T {
  const by = prefix.length;
  return {
    ...inline,
    text: prefix + inline.text,
    ...omitUndefined({
      pageBreaks: inline.pageBreaks?.map((at) => at + by),
      marks: inline.marks === undefined ? undefined : movedMarks(inline.marks, by),
    }),
  };
}

/** A paragraph's text in block form, with its marks and page breaks. */
interface FinishedText {
  text: string;
  pageBreaks: number[];
  marks: InlineMark[];
}

const MARK_OR_TEXT = /[\uFDDA\uFDEB]\d*\uFDDB|[\uFDD0-\uFDEF]|[^\uFDD0-\uFDEF]+/g;

const ANY_MARK = /[\uFDD0-\uFDEF]/;

const CODE_TAB = '    ';

/** Removes the marks from a paragraph's raw text and normalises its white space and Unicode. */
function finishText(raw: string, values: InlineValues, keepsSpaces: boolean): FinishedText {
  const line = keepsSpaces ? new VerbatimLine() : new SpacedLine();
  if (!ANY_MARK.test(raw)) {
    line.addInlineText(raw.normalize('NFC'));
    return { text: line.finishInlineText(), pageBreaks: [], marks: [] };
  }
  const pageBreaks: number[] = [];
  const inline = new InlineCollector(values);
  for (const [part] of raw.matchAll(MARK_OR_TEXT)) {
    switch (part) {
      case MARKS.page:
        pageBreaks.push(line.nextStart());
        break;
      case MARKS.line:
        line.breakLine();
        break;
      case MARKS.tab:
        line.addInlineText(keepsSpaces ? CODE_TAB : ' ');
        break;
      default:
        if (!inline.readSign(part, line.nextStart(), line.length)) line.addInlineText(part.normalize('NFC'));
    }
  }
  const text = line.finishInlineText();
  const marks = keepsSpaces ? [] : inline.finishMarks(text.length);
  return { text, pageBreaks: pageBreaks.map((at) => Math.min(at, text.length)), marks };
}

/** Running text: single spaces, no spaces at line ends, no empty lines at either end. */
class SpacedLine {
  length = 0;
  private readonly pieces: string[] = [];
  /** White space to write before the next word: a space, or line breaks. */
  private pending = '';

  addInlineText(text: string): void {
    const words = text.replace(/[ \t\r\n]+/g, ' ');
    const hasLead = words.startsWith(' ');
    const body = words.slice(hasLead ? 1 : 0, words.endsWith(' ') ? -1 : undefined);
    if (hasLead) this.addSpace();
    if (body === '') return;
    this.appendSpacedPiece(this.pending);
    this.pending = '';
    this.appendSpacedPiece(body);
    if (words.endsWith(' ')) this.addSpace();
  }

  breakLine(): void {
    if (this.length > 0) this.pending = this.pending === ' ' ? '\n' : `${this.pending}\n`;
  }

  /** Offset of the next word. */
  nextStart(): number {
    return this.length + this.pending.length;
  }

  finishInlineText(): string {
    return this.pieces.join('');
  }

  private addSpace(): void {
    if (this.length > 0 && this.pending === '') this.pending = ' ';
  }

  private appendSpacedPiece(piece: string): void {
    this.pieces.push(piece);
    this.length += piece.length;
  }
}

/** Code: every space counts. */
class VerbatimLine {
  length = 0;
  private readonly pieces: string[] = [];

  addInlineText(text: string): void {
    this.appendVerbatimPiece(text.replace(/[\r\n]+/g, ' '));
  }

  breakLine(): void {
    this.appendVerbatimPiece('\n');
  }

  nextStart(): number {
    return this.length;
  }

  finishInlineText(): string {
    return this.pieces.join('').trimEnd();
  }

  private appendVerbatimPiece(piece: string): void {
    this.pieces.push(piece);
    this.length += piece.length;
  }
}
