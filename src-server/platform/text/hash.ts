/** 32-bit hashes of text for counting and looking up, never for telling a stranger's texts apart for sure. */
export const HASH_SEED = 0x811c9dc5 | 0;

const PRIME = 0x01000193;

/** Longer texts are copied out of the engine's strings first: reading those unit by unit takes three times as long. */
const SHORT_CHARS = 64;

const FIRST_SCRATCH_UNITS = 1 << 16;

let scratch = Buffer.alloc(FIRST_SCRATCH_UNITS * Uint16Array.BYTES_PER_ELEMENT);

let scratchUnits = new Uint16Array(scratch.buffer, scratch.byteOffset);

/** The text's UTF-16 code units, to be read before the next call: they lie in memory that is used again. */
export function codeUnits(text: string): Uint16Array {
  if (text.length > scratchUnits.length) {
    scratch = Buffer.alloc(text.length * Uint16Array.BYTES_PER_ELEMENT);
    scratchUnits = new Uint16Array(scratch.buffer, scratch.byteOffset, text.length);
  }
  scratch.write(text, 'utf16le');
  return scratchUnits;
}

/**
 * FNV-1a over UTF-16 code units, its bits mixed; of a long text over every other unit and over those between, which the
 * processor does at once. A signed 32-bit integer; another `salt` gives another hash.
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

/** For those who read a text anyway: takes one more code unit in. Begin with HASH_SEED, end with `mixBits`. */
export function hashStep(hash: number, unit: number): number {
  return Math.imul(hash ^ unit, PRIME);
}

/** Every bit of the result depends on every bit of the number. */
export function mixBits(value: number): number {
  let mixed = value;
  mixed = Math.imul(mixed ^ (mixed >>> 16), 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  return mixed ^ (mixed >>> 16);
}

/**
 * Counts how often things occur, in memory that does not grow with how many there are (a count-min sketch): a count may
 * be too high where several share all their cells, never too low. Threads with the same memory count together.
 */

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

/**
 * Numbers 32-bit hashes from 0, in the order in which they first come: what a Map would do, in a third of the time. A
 * page has some hundred different words, and each of its words is looked up.
 */
const FIRST_SLOTS = 1 << 10;

/** What one page made larger than this is given back: clearing it would cost every later page. */
const KEPT_SLOTS = 1 << 14;

export class HashNumbers {
  /** How many different hashes there are. */
  size = 0;
  /** Of each slot the number plus one; 0 for a free one. */
  #slots = new Int32Array(FIRST_SLOTS);
  /** By number. */
  #hashes = new Int32Array(FIRST_SLOTS >> 1);

  /** The hash's number; it gets the next one, which is the `size` there was, when it is new. */
  add(hash: number): number {
    const slot = this.#slotOf(hash);
    const known = this.#slots[slot] ?? 0;
    if (known !== 0) return known - 1;
    const number = this.size;
    this.size += 1;
    this.#hashes[number] = hash;
    this.#slots[slot] = this.size;
    // Half empty at least, so that a look-up ends soon.
    if (this.size === this.#hashes.length) this.#grow();
    return number;
  }

  /** The hash's number, or null when it has not come. */
  find(hash: number): number | null {
    const known = this.#slots[this.#slotOf(hash)] ?? 0;
    return known === 0 ? null : known - 1;
  }

  /** All hashes, by their numbers. Valid until the next one is added. */
  hashes(): Int32Array {
    return this.#hashes.subarray(0, this.size);
  }

  /** Forgets all hashes and keeps the memory: numbering anew is cheaper than another instance for the collector. */
  clear(): void {
    this.size = 0;
    if (this.#slots.length <= KEPT_SLOTS) this.#slots.fill(0);
    else {
      this.#slots = new Int32Array(FIRST_SLOTS);
      this.#hashes = new Int32Array(FIRST_SLOTS >> 1);
    }
  }

  /** Where the hash stands, or would stand. */
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
