/**
 * Writes a document as docling.json, in the shape of Docling's DoclingDocument (schema version 1.10.0): items in flat
 * lists, the reading order in `body`, references such as `#/texts/0`. Written in pieces: tables are many times larger
 * here than in memory. `grid` of tables is left out, because readers compute it from `table_cells`.
 */

import { closeSync, openSync, writeSync } from 'node:fs';
import { typeOfName } from '../../src-server/platform/files/kinds.ts';
import { omitUndefined } from '../../src-server/platform/omit-undefined.ts';
import { KIB } from '../../src-server/platform/units.ts';
import type { Block, CellSpan, NormalizedDocument, PlacedLine } from './blocks.ts';
import { coveredCells, shownSpans } from './table-spans.ts';
import { wholeFormula } from './write-marks.ts';

const SCHEMA_VERSION = '1.10.0';

const PIECE_CHARS = 64 * KIB;

/** 52 bits, which JSON numbers hold exactly. */
const HASH_HEX_CHARS = 13;

export interface DoclingOrigin {
  fileName: string | null;
  /** Of the source file, in hex. */
  sha256: string;
}

type Item = Record<string, unknown>;

interface Reference {
  $ref: string;
}

/** An item and the list it belongs to. */
interface Placed {
  list: 'texts' | 'tables' | 'groups';
  ref: string;
  parent: string;
  children: Reference[];
  /** The block; null for a group. */
  block: Block | null;
  /** Tables only: its captions. */
  captions?: Reference[];
  /** Items about this one. */
  comments?: (Reference & { range?: [from: number, to: number] })[];
}

/** The members before the body. */
export interface DoclingHead {
  schema_name: string;
  version: string;
  name: string;
  origin: { mimetype: string; binary_hash: number; filename: string };
}

/** A remark about a block: an item in the layer of notes, to which the item of the block refers. */
export interface DoclingComment {
  text: string;
  /** Null for the whole document. */
  block: Block | null;
  /** Characters of the block's text; null for all of it. */
  range: [from: number, to: number] | null;
}

/** Returns the number of characters of the texts that it has written. */
export function writeDocling(
  document: NormalizedDocument,
  head: DoclingHead,
  path: string,
  comments: readonly DoclingComment[] = [],
): number {
  const sum = { characters: 0 };
  const tree = treeOf(document.blocks, comments);
  const pages = document.pageSizes?.length ?? 0;
  const file = openSync(path, 'w');
  let pending = '';
  const putDoclingPiece = (piece: string) => {
    pending += piece;
    if (pending.length < PIECE_CHARS) return;
    writeSync(file, pending);
    pending = '';
  };
  try {
    putDoclingPiece(`${JSON.stringify(head).slice(0, -1)},"body":${JSON.stringify(tree.body)}`);
    putDoclingPiece(`,"furniture":${JSON.stringify(doclingRoot('furniture', []))}`);
    for (const list of ['groups', 'texts', 'tables'] as const)
      putList(list, { items: tree.items, pages, sum }, putDoclingPiece);
    putDoclingPiece(
      `,"pictures":[],"key_value_items":[],"form_items":[],"pages":${JSON.stringify(pagesOf(document))}}`,
    );
    writeSync(file, pending);
  } finally {
    closeSync(file);
  }
  return sum.characters;
}

export function doclingHead(document: NormalizedDocument, { fileName, sha256 }: DoclingOrigin): DoclingHead {
  return {
    schema_name: 'DoclingDocument',
    version: SCHEMA_VERSION,
    name: fileName?.replace(/\.[^.]+$/, '') || document.title || 'document',
    origin: {
      mimetype: typeOfName(`document.${document.format}`) ?? 'application/octet-stream',
      binary_hash: Number.parseInt(sha256.slice(0, HASH_HEX_CHARS), 16),
      filename: fileName ?? `document.${document.format}`,
    },
  };
}

function doclingRoot(name: 'body' | 'furniture', children: readonly Reference[]): Item {
  return { self_ref: `#/${name}`, children, content_layer: name, name: '_root_', label: 'unspecified' };
}

function pagesOf({ pageSizes = [] }: NormalizedDocument): Item {
  return Object.fromEntries(
    pageSizes.map(([width, height], index) => [index + 1, { size: { width, height }, page_no: index + 1 }]),
  );
}

/** The items, and the number of pages with a size: positions on other pages are left out. */
interface Items {
  items: readonly Placed[];
  pages: number;
  /** Of the texts written so far. */
  sum: { characters: number };
}

function putList(list: Placed['list'], { items, pages, sum }: Items, put: (piece: string) => void): void {
  put(`,"${list}":[`);
  let isFirst = true;
  for (const item of items) {
    if (item.list !== list) continue;
    if (!isFirst) put(',');
    isFirst = false;
    if (item.block?.kind === 'table') putTable(item, item.block, { pages, sum }, put);
    else if (item.block === null) put(JSON.stringify({ ...nodeOf(item), ...doclingListGroup() }));
    else {
      const text = doclingTextItem(item.block, pages);
      sum.characters += text.orig.length;
      put(JSON.stringify({ ...nodeOf(item), ...text }));
    }
  }
  put(']');
}

/** The items in reading order. List items are in groups, one within another; a caption belongs to its table. */
function treeOf(blocks: readonly Block[], comments: readonly DoclingComment[]): { body: Item; items: Placed[] } {
  const items: Placed[] = [];
  const children: Reference[] = [];
  const counts = { texts: 0, tables: 0, groups: 0 };
  /** The open lists, one within another, each with its last item. */
  const lists: { depth: number; group: Placed; item: Placed | null }[] = [];
  const addDoclingItem = (list: Placed['list'], block: Block | null, parent: Placed | null): Placed => {
    const ref = `#/${list}/${counts[list]}`;
    counts[list] += 1;
    const item: Placed = { list, ref, parent: parent?.ref ?? '#/body', children: [], block };
    (parent?.children ?? children).push({ $ref: ref });
    items.push(item);
    return item;
  };
  for (const [index, block] of blocks.entries()) {
    if (block.kind === 'list-item') {
      while ((lists.at(-1)?.depth ?? -1) > block.depth) lists.pop();
      let open = lists.at(-1);
      if (open?.depth !== block.depth) {
        open = { depth: block.depth, group: addDoclingItem('groups', null, open?.item ?? null), item: null };
        lists.push(open);
      }
      open.item = addDoclingItem('texts', block, open.group);
      continue;
    }
    lists.length = 0;
    const before = blocks[index - 1];
    if (block.kind === 'table') {
      const table = addDoclingItem('tables', block, null);
      const own = before?.kind === 'caption' ? before : captionBelow(blocks, index);
      if (own !== null) {
        const caption = addDoclingItem('texts', own, table);
        table.captions = [{ $ref: caption.ref }];
      }
    } else if (block.kind !== 'caption' || !isOfTable(blocks, index)) addDoclingItem('texts', block, null);
  }
  const byBlock = new Map(items.map((item) => [item.block, item]));
  for (const { text, block, range } of comments) {
    const comment = addDoclingItem('texts', { kind: 'comment', text, page: 1 }, null);
    const item = block === null ? undefined : byBlock.get(block);
    if (item !== undefined) {
      item.comments = [
        ...(item.comments ?? []),
        { $ref: comment.ref, ...omitUndefined({ range: range ?? undefined }) },
      ];
    }
  }
  return { body: doclingRoot('body', children), items };
}

const TABLE_CAPTION = /^(?:tab(?:le|elle|leau|la|ella)?)[\s.]/i;

/** The caption under a table that has none above it. */
function captionBelow(blocks: readonly Block[], table: number): (Block & { kind: 'caption' }) | null {
  const [before, below, next] = [blocks[table - 1], blocks[table + 1], blocks[table + 2]];
  if (before?.kind === 'caption' || below?.kind !== 'caption' || next?.kind === 'table') return null;
  return TABLE_CAPTION.test(below.text) ? below : null;
}

/** Whether a caption is that of the table below or above it. */
function isOfTable(blocks: readonly Block[], caption: number): boolean {
  if (blocks[caption + 1]?.kind === 'table') return true;
  return blocks[caption - 1]?.kind === 'table' && captionBelow(blocks, caption - 1) !== null;
}

function nodeOf({ ref, parent, children, block, comments }: Placed): Item {
  const node = { self_ref: ref, parent: { $ref: parent }, children, content_layer: doclingLayer(block) };
  return comments === undefined ? node : { ...node, comments };
}

function doclingLayer(block: Block | null): string {
  if (block?.kind === 'page-furniture') return 'furniture';
  return block?.kind === 'comment' ? 'notes' : 'body';
}

function doclingListGroup(): Item {
  return { name: 'list', label: 'list' };
}

function doclingTextItem(block: Exclude<Block, { kind: 'table' }>, pages: number): Item & { orig: string } {
  const { text } = block;
  const prov = 'lines' in block ? provOf(block.lines, text.length, pages) : [];
  const common = { prov, orig: text, text, ...omitUndefined({ hyperlink: wholeLinkOf(block) }) };
  switch (block.kind) {
    case 'heading':
      return { label: 'section_header', ...common, level: block.level };
    case 'list-item':
      return { label: 'list_item', ...common, enumerated: /[\p{L}\p{N}]/u.test(block.marker), marker: block.marker };
    case 'code':
      return { label: 'code', ...common, ...noCaptions(), code_language: 'unknown' };
    case 'caption':
      return { label: 'caption', ...common };
    case 'note':
      return { label: 'footnote', ...common };
    case 'page-furniture':
      return { label: block.place === 'header' ? 'page_header' : 'page_footer', ...common };
    default: {
      const latex = 'marks' in block ? wholeFormula(text, block.marks ?? []) : null;
      return latex === null ? { label: 'text', ...common } : { label: 'formula', ...common, text: latex };
    }
  }
}

/** The address to which all of a text leads; docling's items have no place for links of single words. */
function wholeLinkOf(block: Exclude<Block, { kind: 'table' }>): string | undefined {
  if (!('marks' in block)) return undefined;
  return block.marks?.find(({ kind, start, end }) => kind === 'link' && start === 0 && end === block.text.length)?.url;
}

function noCaptions(): Item {
  return { captions: [], references: [], footnotes: [] };
}

function putTable(
  item: Placed,
  block: Block & { kind: 'table' },
  { pages, sum }: Omit<Items, 'items'>,
  put: (piece: string) => void,
): void {
  const width = block.rows.reduce((widest, row) => Math.max(widest, row.length), 0);
  const head = {
    ...nodeOf(item),
    label: 'table',
    prov: provOf(block.lines, 0, pages),
    ...noCaptions(),
    captions: item.captions ?? [],
  };
  put(`${JSON.stringify(head).slice(0, -1)},"data":{"table_cells":[`);
  const shown = shownSpans(block.rows, block.spans);
  const spans = new Map(shown.map((span) => [`${span.row} ${span.column}`, span]));
  const covered = coveredCells(shown);
  let isFirst = true;
  for (const [row, cells] of block.rows.entries()) {
    for (const [column, text] of cells.entries()) {
      if (covered.has(`${row} ${column}`)) continue;
      sum.characters += text.length;
      put(`${isFirst ? '' : ','}${JSON.stringify(doclingTableCell(row, column, text, spans.get(`${row} ${column}`)))}`);
      isFirst = false;
    }
  }
  put(`],"num_rows":${block.rows.length},"num_cols":${width}}}`);
}

function doclingTableCell(row: number, column: number, text: string, span: CellSpan | undefined): Item {
  const [rows, columns] = [span?.rows ?? 1, span?.columns ?? 1];
  return {
    row_span: rows,
    col_span: columns,
    start_row_offset_idx: row,
    end_row_offset_idx: row + rows,
    start_col_offset_idx: column,
    end_col_offset_idx: column + columns,
    text,
    column_header: row === 0,
    row_header: false,
    row_section: false,
  };
}

/** One entry per page, with the box around the block's lines. */
function provOf(lines: readonly PlacedLine[] = [], characters: number, pages: number): Item[] {
  const byPage = Map.groupBy(
    lines.filter(([, page]) => page <= pages),
    ([, page]) => page,
  );
  return [...byPage].map(([page, own]) => {
    const next = lines.find(([, other]) => other > page);
    const start = own[0]?.[0] ?? 0;
    const [none, all] = [Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY];
    const bbox = { l: all, t: all, r: none, b: none, coord_origin: 'TOPLEFT' };
    for (const [, , left, top, right, bottom] of own) {
      bbox.l = Math.min(bbox.l, left);
      bbox.t = Math.min(bbox.t, top);
      bbox.r = Math.max(bbox.r, right);
      bbox.b = Math.max(bbox.b, bottom);
    }
    const charspan = characters === 0 ? [0, 0] : [start, next?.[0] ?? characters];
    return { page_no: page, bbox, charspan };
  });
}
