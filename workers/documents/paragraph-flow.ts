import type { DocumentChange } from '../../src-server/features/documents/schema.ts';
import type { DocumentBuilder, NewBlock } from './document-builder.ts';
import { signsBetween } from './inline-marks.ts';
import { BULLET, numberedHeading } from './list-markers.ts';
import { withoutTableLook } from './marked-runs.ts';
import {
  DELETION_END,
  DELETION_START,
  dropEmptyMarks,
  INSERTION_END,
  INSERTION_START,
  withoutReserved,
} from './revisions.ts';
import { nestedRow } from './word-processing.ts';

/** Deeper tables are read as part of the table at this depth. */
const MAX_NESTED_TABLES = 20;

/** Width of a list level, in twips, if a document marks lists only by indentation. */
const INDENT_TWIPS = 360;

/** Properties of a paragraph, known at its end. */
export interface ParagraphShape {
  headingLevel: number | null;
  isTitle: boolean;
  role: 'caption' | 'code' | 'quote' | 'plain';
  /** Null outside tables, else the nesting depth, from 1. */
  tableDepth: number | null;
  listLevel: number;
  leftIndent: number;
  firstIndent: number;
}

/** The tracked change that text belongs to. */
export type Revision = Omit<DocumentChange, 'text'>;

interface TableLevel {
  lines: string[];
  cells: string[];
}

/** One stream of paragraphs: the body, a note, a header or a comment. Blocks go to `sink`. */
export class ParagraphFlow {
  readonly #builder: DocumentBuilder;
  readonly #sink: (block: NewBlock, page: number) => void;
  #text = '';
  /** Emphasis of its last text. */
  #flags = 0;
  #page: number | null = null;
  #marker = '';
  #rows: PlacedRow[] = [];
  #tablePage = 1;
  /** Blocks of the open table while no row has two cells: a table of one column is layout. */
  #layout: { block: NewBlock; page: number }[] | null = [];
  #levels: TableLevel[] = [];
  #revision: (Revision & { pieces: string[] }) | null = null;
  #waiting: NewBlock[] = [];

  constructor(builder: DocumentBuilder, sink: (block: NewBlock, page: number) => void) {
    this.#builder = builder;
    this.#sink = sink;
  }

  /** Whether anything has been written; a page break counts only then. */
  hasBegun = false;

  /** @param flags emphasis of the text, of a parser whose builder reads inline signs */
  writeFlowText(text: string, revision: Revision | null = null, flags = 0): void {
    if (text === '') return;
    this.hasBegun = true;
    this.#page ??= this.#builder.page;
    this.#turnTo(revision);
    this.#revision?.pieces.push(text);
    const isDeleted = revision !== null && (revision.kind === 'deletion' || revision.kind === 'move-from');
    if (!isDeleted || this.#builder.includeComments) {
      if (flags !== this.#flags && text.trim() !== '') {
        this.#text += signsBetween(this.#flags, flags);
        this.#flags = flags;
      }
      this.#text += withoutReserved(text);
    } else this.#builder.sourceLedger.recordLeftOutText({ reason: 'deleted-by-tracked-changes', where: '', text });
  }

  /** Writes a sign of `inline-marks.ts`, of a parser whose builder reads them. */
  writeFlowSign(sign: string): void {
    if (sign === '') return;
    this.#turnTo(null);
    this.#text += sign;
  }

  /** Writes a comment mark. */
  writeMark(mark: string): void {
    if (!this.#builder.includeComments) return;
    this.#turnTo(null);
    this.#page ??= this.#builder.page;
    this.#text += mark;
  }

  /** Sets the marker of a list item before its text. */
  setMarker(text: string): void {
    this.#marker = text.trim();
  }

  /** Adds blocks after the current one: its notes. */
  addAfter(block: NewBlock): void {
    this.#waiting.push(block);
  }

  endFlowParagraph(shape: ParagraphShape): void {
    this.#turnTo(null);
    // Emphasis must not reach into the next paragraph of a cell.
    const text = dropEmptyMarks(this.#text) + signsBetween(this.#flags, 0);
    this.#text = '';
    this.#flags = 0;
    const page = this.#page ?? this.#builder.page;
    this.#page = null;
    const marker = this.#marker;
    this.#marker = '';
    if (shape.tableDepth === null) {
      this.#endFlowTable();
      this.#sink(flowParagraphBlock(text, marker, shape), page);
      this.#flushWaiting();
    } else if (text.trim() !== '' || marker !== '') {
      if (this.#rows.length === 0 && this.#levels.length === 0) this.#tablePage = page;
      const label = marker === '' ? '' : `${plainMarker(marker)} `;
      this.#tableLevelAt(shape.tableDepth).lines.push(label + text.trim());
      if (shape.tableDepth === 1) this.#layout?.push({ block: flowParagraphBlock(text, marker, shape), page });
    }
  }

  endFlowCell(shape: ParagraphShape, isNested: boolean): void {
    const depth = isNested ? Math.max(2, shape.tableDepth ?? 2) : 1;
    this.endFlowParagraph({ ...shape, tableDepth: depth });
    this.#endOpenRowsBelow(depth);
    const level = this.#tableLevelAt(depth);
    level.cells.push(level.lines.join('\n'));
    level.lines = [];
    if (depth === 1 && level.cells.filter((cell) => cell !== '').length > 1) this.#layout = null;
  }

  /** `edges`: right edges of the cells, if known. */
  endFlowRow(depth: number, isNested: boolean, edges: readonly number[] = []): void {
    const own = isNested ? Math.max(2, depth) : 1;
    this.#endOpenRowsBelow(own);
    const level = this.#tableLevelAt(own);
    const { cells, lines } = level;
    level.cells = [];
    level.lines = [];
    // Keeps the text of a last cell without an end mark.
    if (lines.length > 0) cells.push(lines.join('\n'));
    if (cells.length === 0) return;
    if (!isNested) this.#rows.push({ cells, edges });
    else {
      this.#tableLevelAt(own - 1).lines.push(nestedRow(cells));
      if (own === 2) this.#addInnerRow(cells);
    }
  }

  /** Adds a row to the table inside the open cell. */
  #addInnerRow(cells: string[]): void {
    const last = this.#layout?.at(-1)?.block;
    if (last?.kind === 'table') last.rows.push(cells);
    else this.#layout?.push({ block: { kind: 'table', rows: [cells] }, page: this.#page ?? this.#builder.page });
  }

  /** Ends everything open. */
  endParagraphFlow(shape: ParagraphShape): void {
    this.endFlowParagraph({ ...shape, tableDepth: shape.tableDepth === null && !this.#isRowOpen() ? null : 1 });
    this.#endFlowTable();
    this.#flushWaiting();
  }

  #tableLevelAt(depth: number): TableLevel {
    const index = Math.min(depth, MAX_NESTED_TABLES) - 1;
    while (this.#levels.length <= index) this.#levels.push({ lines: [], cells: [] });
    return this.#levels[index] ?? { lines: [], cells: [] };
  }

  /** Rows of nested tables without end marks end with the surrounding cell or row. */
  #endOpenRowsBelow(depth: number): void {
    if (this.#levels.length > depth) this.endFlowRow(depth + 1, true);
  }

  #isRowOpen(): boolean {
    return this.#levels.some(({ cells, lines }) => cells.length > 0 || lines.length > 0);
  }

  #endFlowTable(): void {
    if (this.#isRowOpen()) this.endFlowRow(1, false);
    this.#levels = [];
    const rows = this.#rows.length === 0 ? [] : inColumns(this.#rows);
    const layout = rows.every((row) => row.length === 1) ? this.#layout : null;
    for (const { block, page } of layout ?? []) this.#sink(block, page);
    if (layout === null) this.#sink({ kind: 'table', rows: withoutTableLook(rows) }, this.#tablePage);
    this.#rows = [];
    this.#layout = [];
  }

  #flushWaiting(): void {
    for (const block of this.#waiting) this.#sink(block, this.#builder.page);
    this.#waiting = [];
  }

  /** Ends the open change and opens the one that the following text belongs to. */
  #turnTo(revision: Revision | null): void {
    const open = this.#revision;
    if (open !== null && revision !== null && isSameRevision(open, revision)) return;
    if (open !== null) {
      this.#builder.addChange({ kind: open.kind, author: open.author, date: open.date, text: open.pieces.join('') });
      this.#addRevisionMark(isInsertion(open) ? INSERTION_END : DELETION_END);
    }
    this.#revision = revision === null ? null : { ...revision, pieces: [] };
    if (revision !== null) this.#addRevisionMark(isInsertion(revision) ? INSERTION_START : DELETION_START);
  }

  #addRevisionMark(mark: string): void {
    if (this.#builder.includeComments) this.#text += mark;
  }
}

function isInsertion({ kind }: Revision): boolean {
  return kind === 'insertion' || kind === 'move-to';
}

function isSameRevision(one: Revision, other: Revision): boolean {
  return one.kind === other.kind && one.author === other.author && one.date === other.date;
}

function flowParagraphBlock(text: string, marker: string, shape: ParagraphShape): NewBlock {
  if (shape.headingLevel !== null) {
    const title = shape.isTitle ? { isTitle: true as const } : {};
    return { kind: 'heading', level: shape.headingLevel, ...title, text: numberedHeading(marker, text) };
  }
  if (shape.role === 'caption') return { kind: 'caption', text };
  if (shape.role === 'code') return { kind: 'code', text };
  if (marker !== '') return { kind: 'list-item', depth: shape.listLevel, marker: plainMarker(marker), text };
  if (shape.role === 'quote') return { kind: 'paragraph', isQuoted: true, text };
  // Simple programs write a mark and a tab before a hanging paragraph instead of a list.
  const hanging = shape.firstIndent < 0 ? /^\s*([•·▪◦–-]|\(?(?:\d{1,4}|[A-Za-z]|[ivxlc]+)[.)])\t/.exec(text) : null;
  if (hanging === null) return { kind: 'paragraph', text };
  const depth = Math.max(0, Math.floor((shape.leftIndent + shape.firstIndent) / INDENT_TWIPS));
  return {
    kind: 'list-item',
    depth: Math.min(depth, MAX_NESTED_TABLES),
    marker: plainMarker(hanging[1] ?? ''),
    text: text.slice(hanging[0].length),
  };
}

/** Symbol-font marks are bullets, whichever character they use. */
function plainMarker(marker: string): string {
  return /^[\d\p{L}(][\d\p{L}.()]*[.):]?$/u.test(marker) && !/^[a-z§]$/i.test(marker) ? marker : BULLET;
}

// Columns of tables whose rows state cell edges but no column spans.

/** A row with the right edges of its cells, in twips; fewer edges than cells if the file omits some. */
interface PlacedRow {
  cells: string[];
  edges: readonly number[];
}

/** Tolerance for equal edges, which programs place inexactly. */
const SAME_EDGE_TWIPS = 60;

/** Bounds on columns and cells; larger grids are not tables. */
const MAX_COLUMNS = 200;

const MAX_CELLS = 1_000_000;

/** The rows, with an empty cell for each additional column of a span. */
function inColumns(rows: readonly PlacedRow[]): string[][] {
  const placed = rows.map(withoutRest);
  const columns = columnEdges(placed);
  const isTooMuch = columns.length > MAX_COLUMNS || columns.length * rows.length > MAX_CELLS;
  return placed.map((row) => (isTooMuch || !isPlaced(row) ? row.cells : spreadCellsOverColumns(row, columns)));
}

/** Drops the duplicate end that some programs write for a cell with a nested table. */
function withoutRest({ cells, edges }: PlacedRow): PlacedRow {
  const rest = edges.length === 0 ? [] : cells.slice(edges.length);
  return rest.some((cell) => cell !== '')
    ? { cells, edges }
    : { cells: cells.slice(0, cells.length - rest.length), edges };
}

function isPlaced({ cells, edges }: PlacedRow): boolean {
  return cells.length === edges.length && edges.every((edge, index) => edge >= (edges[index - 1] ?? edge));
}

function columnEdges(rows: readonly PlacedRow[]): number[] {
  const edges = new Set(rows.filter(isPlaced).flatMap((row) => [...row.edges]));
  const columns: number[] = [];
  for (const edge of [...edges].sort((one, other) => one - other)) {
    const last = columns.at(-1);
    if (last === undefined || edge - last > SAME_EDGE_TWIPS) columns.push(edge);
  }
  return columns;
}

function spreadCellsOverColumns({ cells, edges }: PlacedRow, columns: readonly number[]): string[] {
  const row: string[] = [];
  for (const [index, cell] of cells.entries()) {
    row.push(cell);
    const edge = edges[index] ?? 0;
    while (row.length < columns.length && (columns[row.length] ?? 0) <= edge) row.push('');
  }
  return row;
}
