/** Which parts of a page text and pictures cover, in even cells: sums of boxes would count overlaps twice. */
import type { Box } from './page-content.ts';

/** Cells across and down a page of any size. */
const CELLS = 100;

export class PageGrid {
  static readonly TEXT = 1;
  static readonly PICTURE = 2;
  readonly #cells = new Uint8Array(CELLS * CELLS);
  readonly #width: number;
  readonly #height: number;

  /** In points. */
  constructor(width: number, height: number) {
    this.#width = Math.max(1, width);
    this.#height = Math.max(1, height);
  }

  mark({ left, top, right, bottom }: Box, kind: number): void {
    const [fromColumn, toColumn] = cellsBetween(left / this.#width, right / this.#width);
    const [fromRow, toRow] = cellsBetween(top / this.#height, bottom / this.#height);
    for (let row = fromRow; row < toRow; row += 1) {
      for (let at = row * CELLS + fromColumn; at < row * CELLS + toColumn; at += 1) {
        this.#cells[at] = (this.#cells[at] ?? 0) | kind;
      }
    }
  }

  /** What covers a place: the kinds added up, 0 for nothing. Places are shares of the page's width and height. */
  at(across: number, down: number): number {
    return this.#cells[cellOf(down) * CELLS + cellOf(across)] ?? 0;
  }

  /** Share of the page that has all kinds of `marked` and none of `unmarked`. */
  share(marked: number, unmarked = 0): number {
    let count = 0;
    for (const cell of this.#cells) if ((cell & marked) === marked && (cell & unmarked) === 0) count += 1;
    return count / this.#cells.length;
  }
}

/** The cells that a stretch covers at least in part. */
function cellsBetween(from: number, to: number): [from: number, to: number] {
  const inside = (place: number) => Math.min(CELLS, Math.max(0, place));
  return [inside(Math.floor(from * CELLS)), inside(Math.ceil(to * CELLS))];
}

function cellOf(share: number): number {
  return Math.min(CELLS - 1, Math.max(0, Math.floor(share * CELLS)));
}
