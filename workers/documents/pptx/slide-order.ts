/**
 * The order in which a slide is read: by place. The slide is cut along free space into rows and columns, the pieces
 * again. Where both cuts are possible, the one nearer to the order of the file is taken; so is the order of shapes that
 * overlap.
 */

export interface Box {
  x: number;
  y: number;
  width: number;
  height: number;
}

export interface Placed<Item> {
  item: Item;
  box: Box;
}

/** More shapes than a person arranges stay in the order of the file. */
const SHAPES_MAX = 300;

/** Levels at which both cuts are compared. */
const COMPARED_DEPTH = 4;

/** Share of a box by which others may overlap it. */
const OVERLAP = 0.15;

/** Items in reading order. `placed` is in the order of the file. */
export function orderForReading<Item>(placed: readonly Placed<Item>[]): Item[] {
  if (placed.length > SHAPES_MAX) return placed.map(({ item }) => item);
  const numbered = placed.map((one, number) => ({ ...one, number }));
  return orderShapes(numbered, 0).map(({ item }) => item);
}

interface Numbered<Item> extends Placed<Item> {
  /** In the order of the file. */
  number: number;
}

function orderShapes<Item>(shapes: readonly Numbered<Item>[], depth: number): Numbered<Item>[] {
  if (shapes.length < 2) return [...shapes];
  const cuts = [cutShapesAlongAxis(shapes, 'y', 'height'), cutShapesAlongAxis(shapes, 'x', 'width')].filter(
    (pieces) => pieces.length > 1,
  );
  const tried = depth < COMPARED_DEPTH ? cuts : cuts.slice(0, 1);
  const [rows, columns] = tried.map((pieces) => pieces.flatMap((piece) => orderShapes(piece, depth + 1)));
  if (rows === undefined) return [...shapes];
  return columns === undefined || countInversions(rows) <= countInversions(columns) ? rows : columns;
}

/** The shapes in pieces with free space between them along one axis. */
function cutShapesAlongAxis<Item>(
  shapes: readonly Numbered<Item>[],
  start: 'x' | 'y',
  size: 'width' | 'height',
): Numbered<Item>[][] {
  const shapeCutStart = ({ box }: Numbered<Item>) => box[start] + box[size] * OVERLAP;
  const shapeCutEnd = ({ box }: Numbered<Item>) => box[start] + box[size] * (1 - OVERLAP);
  const sorted = shapes.toSorted(
    (one, other) => shapeCutStart(one) - shapeCutStart(other) || one.number - other.number,
  );
  const pieces: Numbered<Item>[][] = [];
  let end = Number.NEGATIVE_INFINITY;
  for (const shape of sorted) {
    if (shapeCutStart(shape) >= end) pieces.push([]);
    pieces.at(-1)?.push(shape);
    end = Math.max(end, shapeCutEnd(shape));
  }
  for (const piece of pieces) piece.sort((one, other) => one.number - other.number);
  return pieces;
}

/** Pairs that are not in the order of the file. */
function countInversions(shapes: readonly Numbered<unknown>[]): number {
  let count = 0;
  for (const [at, { number }] of shapes.entries()) {
    for (let before = 0; before < at; before += 1) if ((shapes[before]?.number ?? 0) > number) count += 1;
  }
  return count;
}

/** The box around others. */
export function enclosingBox(boxes: readonly Box[]): Box {
  const x = Math.min(...boxes.map((box) => box.x));
  const y = Math.min(...boxes.map((box) => box.y));
  const right = Math.max(...boxes.map((box) => box.x + box.width));
  const bottom = Math.max(...boxes.map((box) => box.y + box.height));
  return { x, y, width: right - x, height: bottom - y };
}
