/**
 * 32-bit hashes of text for counting and lookup. Not collision-resistant, so never a proof that two texts are equal.
 */
export const HASH_SEED = 0x811c9dc5 | 0;

const PRIME = 0x01000193;

/** Longer texts are copied to a buffer first: reading strings unit by unit takes three times as long. */
const SHORT_CHARS = 64;

const FIRST_SCRATCH_UNITS = 1 << 16;

let scratch = Buffer.alloc(FIRST_SCRATCH_UNITS * Uint16Array.BYTES_PER_ELEMENT);

let scratchUnits = new Uint16Array(scratch.buffer, scratch.byteOffset);

/** The text's UTF-16 code units, in a reused buffer: valid until the next call. */
export function codeUnits(text: string): Uint16Array {
  if (text.length > scratchUnits.length) {
    scratch = Buffer.alloc(text.length * Uint16Array.BYTES_PER_ELEMENT);
    scratchUnits = new Uint16Array(scratch.buffer, scratch.byteOffset, text.length);
  }
  scratch.write(text, 'utf16le');
  return scratchUnits;
}

/**
 * FNV-1a over UTF-16 code units, with mixed bits. Long texts are hashed as two interleaved halves, which the processor
 * computes in parallel. Returns a signed 32-bit integer. Another `salt` gives another hash.
 */
export function hashText(text: string, salt = 0): number {
  const { length } = text;
  let hash = HASH_SEED ^ salt;
  if (length <= SHORT_CHARS) {
    for (let index = 0; index < length; index += 1) hash = hashStep(hash, text.charCodeAt(index));
    return mixBits(hash);
  }
  const units = codeUnits(text);
  let other = hash;
  for (let index = 1; index < length; index += 2) {
    hash = hashStep(hash, units[index - 1] ?? 0);
    other = hashStep(other, units[index] ?? 0);
  }
  if (length % 2 === 1) hash = hashStep(hash, units[length - 1] ?? 0);
  return mixBits(hash ^ mixBits(other));
}

/** Adds one code unit, for callers that read the text anyway. Start with HASH_SEED, finish with `mixBits`. */
export function hashStep(hash: number, unit: number): number {
  return Math.imul(hash ^ unit, PRIME);
}

/** Mixes, so that every bit of the result depends on every bit of the number. */
export function mixBits(value: number): number {
  let mixed = value;
  mixed = Math.imul(mixed ^ (mixed >>> 16), 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  return mixed ^ (mixed >>> 16);
}

/**
 * A count-min sketch: counts occurrences in constant memory. Counts may be too high after collisions, never too low.
 * Threads with the same memory count together.
 */

const ROWS = 3;

/** Cells per row: few enough that a small set stays in the processor cache, and at most 3 MB in total. */
const MIN_CELLS = 1 << 16;

const MAX_CELLS = 1 << 19;

/** The golden ratio in 32 bits, which spreads one hash differently in each row. */
const ROW_STEP = 0x9e3779b9;

/** Counts stop here, well below the capacity of a cell: several threads may pass it at once. */
const MAX_COUNT = 0xff00;

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
  add(hash: number): void {
    for (let row = 0; row < ROWS; row += 1) {
      const cell = this.#cellOf(hash, row);
      if ((this.#cells[cell] ?? 0) < MAX_COUNT) Atomics.add(this.#cells, cell, 1);
    }
  }

  /** Adds and returns an estimated count. Concurrent additions by several threads may count once. */
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

/**
 * Numbers 32-bit hashes from 0 in order of first occurrence, in a third of the time of a Map. A page has a few hundred
 * different words and looks up each of its words.
 */
const FIRST_SLOTS = 1 << 10;

/** Larger tables are released after a page: clearing them would cost every later page. */
const KEPT_SLOTS = 1 << 14;

export class HashNumbers {
  /** Number of different hashes. */
  size = 0;
  /** The number plus one per slot; 0 for a free slot. */
  #slots = new Int32Array(FIRST_SLOTS);
  /** Hashes by number. */
  #hashes = new Int32Array(FIRST_SLOTS >> 1);

  /** The hash's number. A new hash gets the next one, the previous `size`. */
  add(hash: number): number {
    const slot = this.#slotOf(hash);
    const known = this.#slots[slot] ?? 0;
    if (known !== 0) return known - 1;
    const number = this.size;
    this.size += 1;
    this.#hashes[number] = hash;
    this.#slots[slot] = this.size;
    // Keep half of the slots free, for short lookups.
    if (this.size === this.#hashes.length) this.#grow();
    return number;
  }

  /** The hash's number, or null when unknown. */
  find(hash: number): number | null {
    const known = this.#slots[this.#slotOf(hash)] ?? 0;
    return known === 0 ? null : known - 1;
  }

  /** All hashes by number. Valid until the next `add`. */
  hashes(): Int32Array {
    return this.#hashes.subarray(0, this.size);
  }

  /** Removes all hashes and keeps the memory, which is cheaper than a new instance. */
  clear(): void {
    this.size = 0;
    if (this.#slots.length <= KEPT_SLOTS) this.#slots.fill(0);
    else {
      this.#slots = new Int32Array(FIRST_SLOTS);
      this.#hashes = new Int32Array(FIRST_SLOTS >> 1);
    }
  }

  /** The slot of the hash, or the free slot for it. */
  #slotOf(hash: number): number {
    const slots = this.#slots;
    const hashes = this.#hashes;
    const mask = slots.length - 1;
    let slot = hash & mask;
    for (let known = slots[slot] ?? 0; known !== 0 && hashes[known - 1] !== hash; known = slots[slot] ?? 0) {
      slot = (slot + 1) & mask;
    }
    return slot;
  }

  #grow(): void {
    const hashes = this.#hashes;
    this.#slots = new Int32Array(this.#slots.length * 2);
    this.#hashes = new Int32Array(hashes.length * 2);
    this.#hashes.set(hashes);
    for (let number = 0; number < this.size; number += 1) this.#slots[this.#slotOf(hashes[number] ?? 0)] = number + 1;
  }
}
