/**
 * 32-bit hashes of text for counting and lookup. Not collision-resistant, so never a proof that two texts are equal.
 */
const SEED = 0x811c9dc5 | 0;

const PRIME = 0x01000193;

/**
 * FNV-1a over UTF-16 code units, with mixed bits. Returns a signed 32-bit integer. Another `salt` gives another hash.
 */
export function hashText(text: string, salt = 0): number {
  return hashRange(text, 0, text.length, salt);
}

/** Like `hashText(text.slice(start, end))`. */
export function hashRange(text: string, start: number, end: number, salt = 0): number {
  let hash = SEED ^ salt;
  for (let index = start; index < end; index += 1) hash = Math.imul(hash ^ text.charCodeAt(index), PRIME);
  return mixBits(hash);
}

/** Mixes, so that every bit of the result depends on every bit of the number. */
function mixBits(value: number): number {
  let mixed = value;
  mixed = Math.imul(mixed ^ (mixed >>> 16), 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  return mixed ^ (mixed >>> 16);
}

const ROWS = 3;

/** Cells per row: few enough that a small set stays in the processor cache, and at most 3 MB in total. */
const MIN_CELLS = 1 << 16;

const MAX_CELLS = 1 << 19;

/** The golden ratio in 32 bits, which spreads one hash differently in each row. */
const ROW_STEP = 0x9e3779b9;

/** Counts stop here, well below the capacity of a cell: several threads may pass it at once. */
const MAX_COUNT = 0xff00;

/**
 * A count-min sketch: counts occurrences in constant memory. Counts may be too high after collisions, never too low.
 * Threads with the same memory count together.
 */
export class CountSketch {
  readonly #cells: Uint16Array;
  readonly #rowCells: number;

  constructor(buffer: SharedArrayBuffer) {
    this.#cells = new Uint16Array(buffer);
    this.#rowCells = this.#cells.length / ROWS;
  }

  /** Allocates memory for about this many different things. */
  static memoryFor(things: number): SharedArrayBuffer {
    const cells = Math.min(MAX_CELLS, Math.max(MIN_CELLS, 2 ** Math.ceil(Math.log2(things + 1))));
    return new SharedArrayBuffer(ROWS * cells * Uint16Array.BYTES_PER_ELEMENT);
  }

  /** `hash`: 32-bit hash of the counted thing. */
  addHashCount(hash: number): void {
    for (let row = 0; row < ROWS; row += 1) {
      const cell = this.#sketchCellOf(hash, row);
      if ((this.#cells[cell] ?? 0) < MAX_COUNT) Atomics.add(this.#cells, cell, 1);
    }
  }

  /** Adds and returns an estimated count. Concurrent additions by several threads may count once. */
  addRoughly(hash: number): number {
    let least = MAX_COUNT;
    for (let row = 0; row < ROWS; row += 1) {
      const cell = this.#sketchCellOf(hash, row);
      const count = Math.min((this.#cells[cell] ?? 0) + 1, MAX_COUNT);
      this.#cells[cell] = count;
      least = Math.min(least, count);
    }
    return least;
  }

  countHash(hash: number): number {
    let least = MAX_COUNT;
    for (let row = 0; row < ROWS; row += 1) least = Math.min(least, this.#cells[this.#sketchCellOf(hash, row)] ?? 0);
    return least;
  }

  #sketchCellOf(hash: number, row: number): number {
    return row * this.#rowCells + (mixBits(hash + Math.imul(row, ROW_STEP)) & (this.#rowCells - 1));
  }
}
