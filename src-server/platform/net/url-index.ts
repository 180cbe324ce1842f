/**
 * The pages of a crawl by number, and their addresses and other names back to it, in one block of memory that threads
 * share: about a hundred bytes a page, where objects would take ten times that in each thread.
 */
import { hashText } from '../text/hash.ts';

/** Slots of the table for each name: half empty, so that a look-up ends soon. */
const SLOTS_PER_NAME = 2;
/** Ints of a slot: two hashes, and the number of the page plus one. */
const SLOT_INTS = 3;
const OTHER_SALT = 0x5bd1e995;

/** What the index lies in; plain data that threads may be handed. */
export interface UrlIndexData {
  slots: SharedArrayBuffer;
  /** Where each page's address begins in `letters`; one more than there are pages. */
  starts: SharedArrayBuffer;
  letters: SharedArrayBuffer;
}

export class UrlIndex {
  readonly data: UrlIndexData;
  readonly #slots: Int32Array;
  readonly #starts: Uint32Array;
  readonly #letters: Buffer;
  readonly #mask: number;

  constructor(data: UrlIndexData) {
    this.data = data;
    this.#slots = new Int32Array(data.slots);
    this.#starts = new Uint32Array(data.starts);
    this.#letters = Buffer.from(data.letters);
    this.#mask = this.#slots.length / SLOT_INTS - 1;
  }

  /** Room for `pages` addresses of `chars` ASCII characters in all, and for `aliases` other names. */
  static withRoom({ pages, aliases, chars }: { pages: number; aliases: number; chars: number }): UrlIndex {
    const slots = 2 ** Math.ceil(Math.log2(Math.max(2, (pages + aliases) * SLOTS_PER_NAME)));
    return new UrlIndex({
      slots: new SharedArrayBuffer(slots * SLOT_INTS * Int32Array.BYTES_PER_ELEMENT),
      starts: new SharedArrayBuffer((pages + 1) * Uint32Array.BYTES_PER_ELEMENT),
      letters: new SharedArrayBuffer(chars),
    });
  }

  /** Pages are added in their order, from 0, and without a gap. */
  addPage(page: number, url: string): void {
    const start = this.#starts[page] ?? 0;
    this.#starts[page + 1] = start + this.#letters.write(url, start, 'latin1');
    this.addAlias(page, url);
  }

  /** Another address that leads to the page. */
  addAlias(page: number, url: string): void {
    const [one, other] = hashesOf(url);
    let slot = one & this.#mask;
    while (this.#slots[slot * SLOT_INTS + 2] !== 0) slot = (slot + 1) & this.#mask;
    this.#slots.set([one, other, page + 1], slot * SLOT_INTS);
  }

  /** Number of the page an address leads to; null for one that is no page. */
  find(url: string): number | null {
    const [one, other] = hashesOf(url);
    for (let slot = one & this.#mask; ; slot = (slot + 1) & this.#mask) {
      const at = slot * SLOT_INTS;
      const page = this.#slots[at + 2] ?? 0;
      if (page === 0) return null;
      if (this.#slots[at] === one && this.#slots[at + 1] === other) return page - 1;
    }
  }

  urlOf(page: number): string {
    return this.#letters.toString('latin1', this.#starts[page], this.#starts[page + 1]);
  }
}

function hashesOf(url: string): [number, number] {
  return [hashText(url), hashText(url, OTHER_SALT)];
}
