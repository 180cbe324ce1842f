/**
 * Maps the pages of a crawl to numbers, and their URLs and aliases back, in one block of shared memory: about a hundred
 * bytes per page, where objects would take ten times as much in each thread.
 */
import { hashText } from '../text/hash.ts';

/** Hash table slots per name: half empty, for short lookups. */
const SLOTS_PER_NAME = 2;
/** Ints per slot: two hashes, and the page number plus one. */
const SLOT_INTS = 3;
const OTHER_SALT = 0x5bd1e995;

/** The memory of the index. It can be passed to threads. */
export interface UrlIndexData {
  slots: SharedArrayBuffer;
  /** Offset of each URL in `letters`, with one final entry for the end. */
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

  /** Allocates space for `pages` URLs of `chars` ASCII characters in total, and for `aliases` other names. */
  static withRoom({ pages, aliases, chars }: { pages: number; aliases: number; chars: number }): UrlIndex {
    const slots = 2 ** Math.ceil(Math.log2(Math.max(2, (pages + aliases) * SLOTS_PER_NAME)));
    return new UrlIndex({
      slots: new SharedArrayBuffer(slots * SLOT_INTS * Int32Array.BYTES_PER_ELEMENT),
      starts: new SharedArrayBuffer((pages + 1) * Uint32Array.BYTES_PER_ELEMENT),
      letters: new SharedArrayBuffer(chars),
    });
  }

  /** Pages must be added in order, from 0, without gaps. */
  addPage(page: number, url: string): void {
    const start = this.#starts[page] ?? 0;
    this.#starts[page + 1] = start + this.#letters.write(url, start, 'latin1');
    this.addAlias(page, url);
  }

  /** Adds another URL of a page. */
  addAlias(page: number, url: string): void {
    const [one, other] = hashesOf(url);
    let slot = one & this.#mask;
    while (this.#slots[slot * SLOT_INTS + 2] !== 0) slot = (slot + 1) & this.#mask;
    this.#slots.set([one, other, page + 1], slot * SLOT_INTS);
  }

  /** The page number of a URL; null when it is not a page. */
  findUrlPage(url: string): number | null {
    const [one, other] = hashesOf(url);
    for (let slot = one & this.#mask; ; slot = (slot + 1) & this.#mask) {
      const at = slot * SLOT_INTS;
      const page = this.#slots[at + 2] ?? 0;
      if (page === 0) return null;
      if (this.#slots[at] === one && this.#slots[at + 1] === other) return page - 1;
    }
  }

  urlOfPage(page: number): string {
    return this.#letters.toString('latin1', this.#starts[page], this.#starts[page + 1]);
  }
}

function hashesOf(url: string): [number, number] {
  return [hashText(url), hashText(url, OTHER_SALT)];
}
