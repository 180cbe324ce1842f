import type { DocumentBuilder, NewBlock } from './document-builder.ts';
import type { HtmlFacts } from './html.ts';
import * as tags from './html-tags.ts';
import { BULLET, formatNumber } from './list-markers.ts';

/** Cells one tag may give a row: a cell by its columns, a row by those that reach into it. */
const MAX_SPAN = 100;
const WHITE_SPACE = /[\n\r\v\f\t ]+/g;
/** White space that is no space between words. */
const BREAKS = /[\t-\r]/;

/** Doxygen shows code as a `div` of `div`s, a line each, with line numbers and texts for the pointer among them. */
const FRAGMENT = /(?:^|\s)fragment(?:\s|$)/;
const FRAGMENT_LINE = /(?:^|\s)line(?:\s|$)/;
const BESIDE_CODE = /^(?:lineno|ttc)$/;

interface List {
  /** Null for bullets, else the number the next item gets. */
  next: number | null;
  form: string;
}

interface Table {
  rows: string[][];
  /** For each column, how many rows to come its last cell reaches into. */
  reaching: number[];
  /** A table that holds another one arranges a page: its cells are read as running text. */
  isLayout: boolean;
  /** The text of the cell being read, line by line; null between cells. */
  cell: string[] | null;
}

/** Turns the open, text and close events of a page into blocks. It keeps what is open, never a tree. */
export class HtmlWalker {
  readonly #builder: DocumentBuilder;
  readonly #facts: HtmlFacts = { title: null, author: null, language: null };
  /** Open tags that change what text means. */
  readonly #context: string[] = [];
  readonly #lists: List[] = [];
  readonly #tables: Table[] = [];
  #text = '';
  /** Whether a line has ended with the text so far: to look at its end would copy all of it, each time. */
  #endsLine = false;
  /** The marker of a list item whose text has not come yet. */
  #marker: string | null = null;
  /** Column of the open cell. An outer table has none open, so one number serves all. */
  #cellAt = 0;
  #codeDepth = 0;
  /** Place in the context of what may be a fragment of code, and whether it has proved to be one. */
  #fragmentAt: number | null = null;
  #isFragment = false;
  #titleText: string | null = null;
  /** Open tags since the one that is skipped with all it holds; 0 when nothing is skipped. */
  #skippedDepth = 0;

  constructor(builder: DocumentBuilder) {
    this.#builder = builder;
  }

  open(tag: string, attributes: Readonly<Record<string, string>>): void {
    const kinds = tags.kindsOf(tag);
    const isVoid = (kinds & tags.VOID) !== 0;
    if (this.#skippedDepth > 0) {
      if (!isVoid) this.#skippedDepth += 1;
      return;
    }
    this.#readFacts(tag, attributes);
    if (!isVoid && ((kinds & tags.SKIPPED) !== 0 || (tags.isHidden(attributes) && tag !== 'body' && tag !== 'html'))) {
      this.#skippedDepth = 1;
      return;
    }
    if (this.#codeDepth > 0 && !isVoid && BESIDE_CODE.test(attributes.class ?? '')) {
      this.#skippedDepth = 1;
      return;
    }
    if (tag === 'br') this.#write(this.#codeDepth > 0 ? '\n' : '\v');
    if ((kinds & tags.BLOCK) === 0) return;
    this.#endPart(tag);
    if (isVoid) return;
    this.#context.push(tag);
    this.#begin(tag, kinds, attributes);
  }

  text(text: string): void {
    if (this.#skippedDepth > 0) return;
    if (this.#isFragment && this.#fragmentAt === this.#context.length - 1 && text.trim() === '') return;
    if (this.#titleText !== null) this.#titleText += text;
    // A line end in the source is a space; the breaks that are meant come as \v until the text is flushed.
    else this.#write(this.#codeDepth > 0 || hasSingleSpaces(text) ? text : text.replace(WHITE_SPACE, ' '));
  }

  close(tag: string): void {
    const kinds = tags.kindsOf(tag);
    if (this.#skippedDepth > 0) {
      if ((kinds & tags.VOID) === 0) this.#skippedDepth -= 1;
      return;
    }
    if ((kinds & (tags.BLOCK | tags.VOID)) !== tags.BLOCK) return;
    const at = this.#context.lastIndexOf(tag);
    if (at !== -1 && at === this.#fragmentAt) this.#closeFragment();
    else this.#endPart(tag);
    if (at !== -1) this.#context.splice(at, 1);
    this.#finish(tag, kinds);
  }

  end(): HtmlFacts {
    this.#flush();
    while (this.#tables.length > 0) this.#closeTable();
    return this.#facts;
  }

  #readFacts(tag: string, attributes: Readonly<Record<string, string>>): void {
    if (tag === 'html') this.#facts.language ??= attributes.lang ?? attributes['xml:lang'] ?? null;
    if (tag !== 'meta') return;
    const name = (attributes.name ?? attributes.property ?? '').toLowerCase();
    if (name === 'author' || name === 'dc.creator' || name === 'article:author') {
      this.#facts.author ??= attributes.content ?? null;
    }
  }

  #begin(tag: string, kinds: number, attributes: Readonly<Record<string, string>>): void {
    if (tag === 'title' && this.#facts.title === null) this.#titleText = '';
    if ((kinds & tags.CODE) !== 0) this.#codeDepth += 1;
    if (tag === 'div' && attributes.class !== undefined) this.#readFragment(attributes.class);
    if ((kinds & tags.LIST) !== 0) {
      const start = Number.parseInt(attributes.start ?? '1', 10);
      const isOrdered = tag === 'ol';
      const next = Number.isSafeInteger(start) ? start : 1;
      this.#lists.push({ next: isOrdered ? next : null, form: attributes.type ?? '1' });
    }
    if (tag === 'li') this.#marker = this.#nextMarker(attributes.value);
    if (tag === 'table') this.#openTable();
    const table = this.#tables.at(-1);
    if (table === undefined || table.isLayout) return;
    if (tag === 'tr') {
      passReaching(table);
      table.rows.push([]);
    }
    if ((kinds & tags.CELL) !== 0) this.#openCell(table, attributes);
  }

  #finish(tag: string, kinds: number): void {
    if (tag === 'title' && this.#titleText !== null) {
      this.#facts.title = this.#titleText;
      this.#titleText = null;
    }
    if ((kinds & tags.CODE) !== 0) this.#codeDepth = Math.max(0, this.#codeDepth - 1);
    if ((kinds & tags.LIST) !== 0) this.#lists.pop();
    if (tag === 'li') this.#marker = null;
    if ((kinds & tags.CELL) !== 0) this.#closeCell(this.#tables.at(-1));
    if (tag === 'table' && this.#tables.length > 0) this.#closeTable();
  }

  #readFragment(classes: string): void {
    const at = this.#context.length - 1;
    if (this.#fragmentAt === null) this.#fragmentAt = FRAGMENT.test(classes) ? at : null;
    else if (!this.#isFragment && at === this.#fragmentAt + 1 && FRAGMENT_LINE.test(classes)) {
      this.#isFragment = true;
      this.#codeDepth += 1;
    }
  }

  #closeFragment(): void {
    this.#flush();
    if (this.#isFragment) this.#codeDepth = Math.max(0, this.#codeDepth - 1);
    this.#fragmentAt = null;
    this.#isFragment = false;
  }

  #nextMarker(value: string | undefined): string {
    const list = this.#lists.at(-1);
    if (list === undefined || list.next === null) return BULLET;
    const asked = Number.parseInt(value ?? '', 10);
    const number = Number.isSafeInteger(asked) ? asked : list.next;
    list.next = number + 1;
    return `${formatNumber(number, list.form)}.`;
  }

  #openTable(): void {
    const outer = this.#tables.at(-1);
    if (outer !== undefined && !outer.isLayout) {
      this.#closeCell(outer);
      this.#addTable(outer);
      outer.rows = [];
      outer.isLayout = true;
    }
    this.#tables.push({ rows: [], reaching: [], isLayout: false, cell: null });
  }

  #openCell(table: Table, { colspan = '1', rowspan = '1' }: Readonly<Record<string, string>>): void {
    this.#closeCell(table);
    table.cell = [];
    const span = Math.min(Number.parseInt(colspan, 10) || 1, MAX_SPAN);
    const row = table.rows.at(-1) ?? [];
    if (table.rows.length === 0) table.rows.push(row);
    passReaching(table);
    const rows = Number.parseInt(rowspan, 10) || 1;
    const end = Math.min(row.length + span, MAX_SPAN);
    for (let at = row.length; at < end; at += 1) table.reaching[at] = rows - 1;
    row.push('', ...Array.from({ length: span - 1 }, () => ''));
    // The text goes into the first of the cells the span covers.
    this.#cellAt = row.length - span;
  }

  #closeCell(table: Table | undefined): void {
    if (table === undefined || table.cell === null) return;
    const row = table.rows.at(-1);
    if (row !== undefined) row[this.#cellAt] = table.cell.join('\n');
    table.cell = null;
  }

  #closeTable(): void {
    const table = this.#tables.pop();
    if (table === undefined) return;
    this.#closeCell(table);
    passReaching(table);
    if (!table.isLayout) this.#addTable(table);
  }

  /** A table of a single column frames text rather than relating it. */
  #addTable(table: Table): void {
    if (table.rows.some((row) => row.length > 1)) {
      this.#builder.add({ kind: 'table', rows: table.rows });
      return;
    }
    for (const row of table.rows) {
      for (const text of (row[0] ?? '').split('\n')) this.#builder.add({ kind: 'paragraph', text });
    }
  }

  /** Within code a part of the page is a line; elsewhere it is a text of its own. */
  #endPart(tag: string): void {
    if (this.#codeDepth === 0 || (tag !== 'div' && tag !== 'p')) this.#flush();
    else if (this.#text !== '' && !this.#endsLine) this.#write('\n');
  }

  #write(text: string): void {
    if (text === '') return;
    this.#text += text;
    this.#endsLine = text.endsWith('\n');
  }

  /** The text so far ends here and becomes a block of whatever is open around it. */
  #flush(): void {
    const text = this.#text;
    this.#text = '';
    if (text.trim() === '') return;
    const cell = this.#tables.at(-1)?.cell ?? null;
    if (cell !== null && !this.#context.includes('caption')) cell.push(this.#markedText(text));
    else this.#builder.add(this.#blockOf(text));
  }

  #markedText(text: string): string {
    const marker = this.#marker;
    this.#marker = null;
    return marker === null ? text : `${marker} ${text.trimStart()}`;
  }

  #blockOf(text: string): NewBlock {
    if (this.#codeDepth > 0) return { kind: 'code', text };
    const inner = this.#context.findLast((tag) => tag === 'li' || tags.headingLevel(tag) !== null || isCaption(tag));
    const level = inner === undefined ? null : tags.headingLevel(inner);
    if (level !== null) return { kind: 'heading', level, text };
    if (inner !== undefined && isCaption(inner)) return { kind: 'caption', text };
    const marker = this.#marker;
    // What follows the first block of an item is no item of its own.
    if (inner !== 'li' || marker === null) return { kind: 'paragraph', text };
    this.#marker = null;
    return { kind: 'list-item', depth: Math.max(0, this.#lists.length - 1), marker, text };
  }
}

/** Cells of rows above that reach into the last row have their column here too, so that the others keep theirs. */
function passReaching({ rows, reaching }: Table): void {
  const row = rows.at(-1);
  if (row === undefined) return;
  for (let left = reaching[row.length] ?? 0; left > 0; left = reaching[row.length] ?? 0) {
    reaching[row.length] = left - 1;
    row.push('');
  }
}

/** Whether its only white space are single spaces between words. */
function hasSingleSpaces(text: string): boolean {
  return !BREAKS.test(text) && !text.includes('  ');
}

function isCaption(tag: string): boolean {
  return tags.CAPTION_TAGS.has(tag);
}
