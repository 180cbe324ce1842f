/** Nesting of list items by their indents, in reading order. */

import type { PageLine } from './page-content.ts';

/** Difference of indents within a level, in font sizes: numbers of two digits begin further left. */
const SAME_LEVEL_SIZES = 0.9;

export class ListDepths {
  /** Indents of the open levels. */
  #levels: number[] = [];
  #top = Number.NEGATIVE_INFINITY;
  #page = 0;

  /** Depth of an item, from 0. */
  listItemDepth({ left, top, size }: PageLine, page: number): number {
    // An item further up the page is in the next column.
    if (page === this.#page && top < this.#top) this.#levels = [];
    this.#top = top;
    this.#page = page;
    while (this.#levels.length > 0 && left < (this.#levels.at(-1) ?? 0) - SAME_LEVEL_SIZES * size) this.#levels.pop();
    const level = this.#levels.at(-1);
    if (level === undefined || left > level + SAME_LEVEL_SIZES * size) this.#levels.push(left);
    return this.#levels.length - 1;
  }

  /** Text that is not indented further than the list ends it; further text belongs to an item. */
  passText({ left, size }: PageLine): void {
    const [first] = this.#levels;
    if (first !== undefined && left <= first + SAME_LEVEL_SIZES * size) this.#levels = [];
  }

  /** A heading or table ends the list. */
  endListDepths(): void {
    this.#levels = [];
  }
}
