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
