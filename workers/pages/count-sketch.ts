/**
 * Counts how often things occur, in memory that does not grow with how many there are (a count-min sketch): a count may
 * be too high where several share all their cells, never too low.
 */
const ROWS = 3;
const CELLS = 1 << 20;
const MAX_COUNT = 0xffff;

export class CountSketch {
  readonly #rows = Array.from({ length: ROWS }, () => new Uint16Array(CELLS));

  add(text: string): void {
    const hash = hashOf(text);
    for (const [index, row] of this.#rows.entries()) {
      const cell = cellOf(hash, index);
      if ((row[cell] ?? 0) < MAX_COUNT) row[cell] = (row[cell] ?? 0) + 1;
    }
  }

  count(text: string): number {
    const hash = hashOf(text);
    return Math.min(...this.#rows.map((row, index) => row[cellOf(hash, index)] ?? 0));
  }
}

/** Two independent 32-bit hashes (FNV-1a with different primes); rows are linear combinations of them. */
function hashOf(text: string): [number, number] {
  let one = 0x811c9dc5;
  let other = 0x9747b28c;
  for (let index = 0; index < text.length; index += 1) {
    const unit = text.charCodeAt(index);
    one = Math.imul(one ^ unit, 0x01000193);
    other = Math.imul(other ^ unit, 0x5bd1e995);
    other ^= other >>> 13;
  }
  return [one >>> 0, other >>> 0];
}

function cellOf([one, other]: [number, number], row: number): number {
  return ((one + Math.imul(row + 1, other | 1)) >>> 7) & (CELLS - 1);
}
