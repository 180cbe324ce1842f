/**
 * Counts how often things occur, in memory that does not grow with how many there are (a count-min sketch): a count may
 * be too high where several share all their cells, never too low. Threads with the same memory count together.
 */
import { mixBits } from './hash.ts';

const ROWS = 3;
/** Cells of a row: few enough for a small set to stay in the processor's cache, and never more than 3 MB in all. */
const MIN_CELLS = 1 << 16;
const MAX_CELLS = 1 << 19;
/** The golden ratio in 32 bits: rows see the same hash far apart. */
const ROW_STEP = 0x9e3779b9;
/** Counting stops here, well below what a cell can hold: several threads may pass it at once. */
const MAX_COUNT = 0xff00;

export class CountSketch {
  readonly #cells: Uint16Array;
  readonly #rowCells: number;

  constructor(buffer: SharedArrayBuffer) {
    this.#cells = new Uint16Array(buffer);
    this.#rowCells = this.#cells.length / ROWS;
  }

  /** Memory for a sketch that counts about so many different things well. */
  static memoryFor(things: number): SharedArrayBuffer {
    const cells = Math.min(MAX_CELLS, Math.max(MIN_CELLS, 2 ** Math.ceil(Math.log2(things + 1))));
    return new SharedArrayBuffer(ROWS * cells * Uint16Array.BYTES_PER_ELEMENT);
  }

  /** `hash`: of the thing that is counted, 32 bits. */
  add(hash: number): void {
    for (let row = 0; row < ROWS; row += 1) {
      const cell = this.#cellOf(hash, row);
      if ((this.#cells[cell] ?? 0) < MAX_COUNT) Atomics.add(this.#cells, cell, 1);
    }
  }

  /** Adds and counts, for a guess: what several threads add in the same moment may count once. */
  addRoughly(hash: number): number {
    let least = MAX_COUNT;
    for (let row = 0; row < ROWS; row += 1) {
      const cell = this.#cellOf(hash, row);
      const count = Math.min((this.#cells[cell] ?? 0) + 1, MAX_COUNT);
      this.#cells[cell] = count;
      least = Math.min(least, count);
    }
    return least;
  }

  count(hash: number): number {
    let least = MAX_COUNT;
    for (let row = 0; row < ROWS; row += 1) least = Math.min(least, this.#cells[this.#cellOf(hash, row)] ?? 0);
    return least;
  }

  #cellOf(hash: number, row: number): number {
    return row * this.#rowCells + (mixBits(hash + Math.imul(row, ROW_STEP)) & (this.#rowCells - 1));
  }
}
