/** The shapes of a slide: their texts by place, and tables, which are groups of cells. */

import { decodeUtf16 } from '../../../src-server/platform/text/encoding.ts';
import type { CellSpan } from '../blocks.ts';
import { withoutTableLook } from '../marked-runs.ts';
import type { Box, Placed } from '../pptx/slide-order.ts';
import { withoutReserved } from '../revisions.ts';
import { allRecordsIn, childOf, linkOfClick, type PptRecord, RECORD, type RecordBudget, recordsIn } from './records.ts';
import { type PptText, plainText, readText, type TextContext } from './text.ts';

/** Placeholders for date, number, footer and header. */
const FURNITURE: ReadonlySet<number> = new Set([0x07, 0x08, 0x09, 0x0a]);

const LINE_SHAPE = 20;

/** Properties of the art: that a group is a table, and a text as art. */
const TABLE_PROPERTY = 0x39f;

const ART_TEXT = 0xc0;

const HIDDEN_PROPERTY = 0x3bf;

/** Edges of cells this close together are one, in the units of a slide (576 to the inch). */
const EDGE_UNITS = 8;

export interface TextShape {
  kind: 'text';
  text: PptText;
  isFurniture: boolean;
}

export interface TableShape {
  kind: 'table';
  rows: string[][];
  spans: CellSpan[];
}

export type PptShape = TextShape | TableShape;

export interface SlideDrawing {
  shapes: Placed<PptShape>[];
  /** Charts, sheets and other objects, whose content is not read. */
  objects: number;
}

type Transform = (box: Box) => Box;

/** @param outline texts of the slide that its shapes refer to */
export function readDrawing(
  slide: PptRecord,
  outline: readonly PptRecord[][],
  context: TextContext,
  budget: RecordBudget,
): SlideDrawing {
  const found: SlideDrawing = { shapes: [], objects: 0 };
  const drawing = childOf(slide, RECORD.drawing);
  if (drawing === null) return found;
  const reader = new DrawingReader(outline, context, budget, found);
  for (const container of recordsIn(drawing.data)) {
    for (const record of recordsIn(container.data)) {
      // The first shape of the outermost group is the slide itself.
      if (record.type === RECORD.group) reader.readGroup(record, (box) => box, 0);
    }
  }
  return found;
}

class DrawingReader {
  readonly #outline: readonly PptRecord[][];
  readonly #context: TextContext;
  readonly #budget: RecordBudget;
  readonly #found: SlideDrawing;

  constructor(outline: readonly PptRecord[][], context: TextContext, budget: RecordBudget, found: SlideDrawing) {
    this.#outline = outline;
    this.#context = context;
    this.#budget = budget;
    this.#found = found;
  }

  readGroup(group: PptRecord, outer: Transform, depth: number): void {
    this.#budget.take(depth);
    const [first] = recordsIn(group.data);
    const inner = first?.type === RECORD.shape ? groupTransform(first, outer) : outer;
    if (first?.type === RECORD.shape && propertyOf(first, TABLE_PROPERTY) !== null) {
      this.#readTable(group, inner);
      return;
    }
    for (const record of recordsIn(group.data)) {
      if (record.type === RECORD.group) this.readGroup(record, inner, depth + 1);
      else if (record.type === RECORD.shape) this.#readShape(record, inner);
    }
  }

  #readShape(shape: PptRecord, transform: Transform): void {
    this.#budget.take(0);
    let placeholder: number | null = null;
    let link: number | null = null;
    for (const record of allRecordsIn(childOf(shape, RECORD.clientData)?.data ?? Buffer.alloc(0), this.#budget)) {
      if (record.type === RECORD.placeholder && record.data.length >= 5) placeholder = record.data[4] ?? null;
      if (record.type === RECORD.objectReference) this.#found.objects += 1;
      if (record.type === RECORD.interactive) link ??= linkOfClick(record);
    }
    const text = this.#textOf(shape, link === null ? null : (this.#context.addresses.get(link) ?? null));
    if (text === null) return;
    const isFurniture = placeholder !== null && FURNITURE.has(placeholder);
    this.#found.shapes.push({ item: { kind: 'text', text, isFurniture }, box: transform(boxOf(shape)) });
  }

  #textOf(shape: PptRecord, url: string | null = null): PptText | null {
    const box = childOf(shape, RECORD.textBox);
    const art = withoutReserved(artText(shape));
    if (box === null) return art === '' ? null : { type: 4, paragraphs: [{ text: art, depth: 0, isItem: false }] };
    const records = [...recordsIn(box.data)];
    const reference = records.find(({ type, data }) => type === RECORD.outlineReference && data.length >= 4);
    const outline = reference === undefined ? null : this.#outline[reference.data.readUInt32LE(0)];
    const text = readText(outline ?? records, this.#context, url);
    return plainText(text).trim() === '' ? null : text;
  }

  #readTable(group: PptRecord, transform: Transform): void {
    const cells: { box: Box; text: string }[] = [];
    for (const record of [...recordsIn(group.data)].slice(1)) {
      this.#budget.take(0);
      if (record.type !== RECORD.shape || childOf(record, RECORD.shapeFacts)?.instance === LINE_SHAPE) continue;
      const text = this.#textOf(record);
      cells.push({ box: transform(boxOf(record)), text: text === null ? '' : plainText(text) });
    }
    const table = tableOf(cells);
    if (table === null) return;
    const x = Math.min(...cells.map(({ box }) => box.x));
    const y = Math.min(...cells.map(({ box }) => box.y));
    const right = Math.max(...cells.map(({ box }) => box.x + box.width));
    const bottom = Math.max(...cells.map(({ box }) => box.y + box.height));
    this.#found.shapes.push({ item: table, box: { x, y, width: right - x, height: bottom - y } });
  }
}

/** A table from the places of its cells; null without any. */
function tableOf(cells: readonly { box: Box; text: string }[]): TableShape | null {
  const tops = edgesOf(cells.map(({ box }) => box.y));
  const lefts = edgesOf(cells.map(({ box }) => box.x));
  if (tops.length === 0) return null;
  const rows = tops.map(() => lefts.map(() => ''));
  const spans: CellSpan[] = [];
  for (const { box, text } of cells) {
    const [row, column] = [placeIn(tops, box.y), placeIn(lefts, box.x)];
    const [rowEnd, columnEnd] = [placeIn(tops, box.y + box.height, 1), placeIn(lefts, box.x + box.width, 1)];
    const own = rows[row];
    if (own !== undefined) own[column] = own[column] === '' ? text : `${own[column]}\n${text}`;
    const span = { row, column, rows: Math.max(1, rowEnd - row), columns: Math.max(1, columnEnd - column) };
    if (span.rows > 1 || span.columns > 1) spans.push(span);
  }
  return { kind: 'table', rows: withoutTableLook(rows), spans };
}

function edgesOf(places: readonly number[]): number[] {
  const edges: number[] = [];
  for (const place of places.toSorted((a, b) => a - b)) {
    const last = edges.at(-1);
    if (last === undefined || place - last > EDGE_UNITS) edges.push(place);
  }
  return edges;
}

/** The count of the edges up to a place; those at it count too unless it is an end. */
function placeIn(edges: readonly number[], place: number, isEnd = 0): number {
  const next = edges.findIndex((edge) => edge > place + (isEnd === 0 ? EDGE_UNITS : -EDGE_UNITS));
  const count = next === -1 ? edges.length : next;
  return isEnd === 0 ? Math.max(0, count - 1) : count;
}

/** From the coordinates of a group to those of the slide. */
function groupTransform(shape: PptRecord, outer: Transform): Transform {
  const bounds = childOf(shape, RECORD.groupBounds)?.data;
  if (bounds === undefined || bounds.length < 16) return outer;
  const own = outer(boxOf(shape));
  const [left, top] = [bounds.readInt32LE(0), bounds.readInt32LE(4)];
  const [width, height] = [bounds.readInt32LE(8) - left, bounds.readInt32LE(12) - top];
  if (width <= 0 || height <= 0 || own.width <= 0 || own.height <= 0) return outer;
  const [wide, high] = [own.width / width, own.height / height];
  return (box) => ({
    x: own.x + (box.x - left) * wide,
    y: own.y + (box.y - top) * high,
    width: box.width * wide,
    height: box.height * high,
  });
}

function boxOf(shape: PptRecord): Box {
  const child = childOf(shape, RECORD.childAnchor)?.data;
  if (child !== undefined && child.length >= 16) {
    const [x, y] = [child.readInt32LE(0), child.readInt32LE(4)];
    return { x, y, width: child.readInt32LE(8) - x, height: child.readInt32LE(12) - y };
  }
  const anchor = childOf(shape, RECORD.anchor)?.data;
  const isShort = anchor !== undefined && anchor.length < 16;
  if (anchor === undefined || anchor.length < 8) return { x: 0, y: 0, width: 0, height: 0 };
  const readEdge = (index: number) => (isShort ? anchor.readInt16LE(index * 2) : anchor.readInt32LE(index * 4));
  const [y, x] = [readEdge(0), readEdge(1)];
  return { x, y, width: readEdge(2) - x, height: readEdge(3) - y };
}

interface ArtProperty {
  value: number;
  /** Of a property that is larger than its entry. */
  data: Buffer;
}

function propertyOf(shape: PptRecord, wanted: number): ArtProperty | null {
  for (const record of recordsIn(shape.data)) {
    if (record.type !== RECORD.properties && record.type !== RECORD.moreProperties) continue;
    const { data, instance } = record;
    let more = instance * 6;
    for (let index = 0; index < instance && index * 6 + 6 <= data.length; index += 1) {
      const id = data.readUInt16LE(index * 6);
      const value = data.readUInt32LE(index * 6 + 2);
      const isComplex = (id & 0x8000) !== 0;
      if ((id & 0x3fff) === wanted) return { value, data: data.subarray(more, isComplex ? more + value : more) };
      if (isComplex) more += value;
    }
  }
  return null;
}

/** The words of a shape of art (WordArt). */
function artText(shape: PptRecord): string {
  const { data = Buffer.alloc(0) } = propertyOf(shape, ART_TEXT) ?? {};
  const isHidden = ((propertyOf(shape, HIDDEN_PROPERTY)?.value ?? 0) & 0x20002) === 0x20002;
  if (isHidden) return '';
  return decodeUtf16(data).replace(/\0.*$/su, '').replaceAll('\r', '\n');
}
