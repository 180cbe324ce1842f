import { CountSketch } from '../../src-server/lib/count-sketch.ts';
import { hashText } from '../../src-server/lib/text-hash.ts';
import type { Block } from '../documents/blocks.ts';
import type { PagesSoFar, SitePart } from '../tasks.ts';
import { HashNumbers } from './hash-numbers.ts';
import type { WordList } from './page-words.ts';

/** A block on this share of the pages, and on at least so many, belongs to the site and not to its pages. */
const BOILERPLATE_SHARE = 0.3;
const BOILERPLATE_PAGES = 5;
/** Longer blocks are never boilerplate: a text that is told again is still told. */
const BOILERPLATE_MAX_CHARS = 1000;
const MAX_LEVEL = 6;
/** What the commonest words still weigh. */
const MIN_RARITY = 0.01;

/** A mark is the level of a heading, 0 for any other block, with these: */
const LEVEL = 7;
const LONG = 8;
/** The same block stands further up on the page. */
const AGAIN = 16;
/** What the content that stands below a heading is told by, one bit a level. */
const ALL_LEVELS = (1 << (MAX_LEVEL + 1)) - 1;

/** The blocks of a page as far as the site's others have to know them, by their number. */
export interface BlockPrints {
  hashes: Int32Array;
  marks: Uint8Array;
}

const different = new HashNumbers();

export function printsOf(blocks: readonly Block[]): BlockPrints {
  const prints = { hashes: new Int32Array(blocks.length), marks: new Uint8Array(blocks.length) };
  different.clear();
  for (const [number, block] of blocks.entries()) {
    const text = textOf(block);
    let mark = block.kind === 'heading' ? Math.min(block.level, MAX_LEVEL) : 0;
    if (text.length > BOILERPLATE_MAX_CHARS) mark |= LONG;
    else {
      const hash = hashText(text);
      prints.hashes[number] = hash;
      const known = different.size;
      if (different.add(hash) < known) mark |= AGAIN;
    }
    prints.marks[number] = mark;
  }
  return prints;
}

/** What only the whole site knows: which blocks repeat and which words are rare. */
export class SiteSurvey {
  readonly #pages: number;
  readonly #blocks: CountSketch;
  readonly #words: CountSketch;

  /** `counts`: memory that all threads count into. */
  constructor({ totalPages, counts }: Pick<SitePart, 'totalPages' | 'counts'>) {
    this.#pages = totalPages;
    this.#blocks = new CountSketch(counts.blocks);
    this.#words = new CountSketch(counts.words);
  }

  add(prints: BlockPrints, words: Pick<WordList, 'hashes' | 'compared'>): void {
    const { hashes: blocks, marks } = prints;
    for (let block = 0; block < blocks.length; block += 1) {
      if (((marks[block] ?? 0) & (LONG | AGAIN)) === 0) this.#blocks.add(blocks[block] ?? 0);
    }
    const { hashes, compared } = words;
    for (let word = 0; word < hashes.length; word += 1) {
      if (compared[word] === 1) this.#words.add(hashes[word] ?? 0);
    }
  }

  /** Of each block 1 when it is the page's own; see ownBlocks. */
  ownOf(prints: BlockPrints): Uint8Array {
    return ownBlocks(prints, this.#pages, (hash) => this.#blocks.count(hash));
  }

  /** How much a word, given by its hash, tells this page from the others. */
  rarityOf(hash: number): number {
    const pages = Math.min(this.#words.count(hash), this.#pages);
    return Math.max(MIN_RARITY, Math.log((this.#pages + 1) / (pages + 0.5)));
  }
}

/** Which blocks repeat, as far as a crawl has come: the guess that drafts are made by. */
export class BlocksSoFar {
  readonly #pages: Int32Array;
  readonly #blocks: CountSketch;

  constructor({ pages, blocks }: PagesSoFar) {
    this.#pages = new Int32Array(pages);
    this.#blocks = new CountSketch(blocks);
  }

  /** Counts a page in, and gives of each of its blocks 1 when it is its own. */
  ownOf(prints: BlockPrints): Uint8Array {
    const pages = Atomics.add(this.#pages, 0, 1) + 1;
    return ownBlocks(prints, pages, (hash, mark) =>
      (mark & AGAIN) === 0 ? this.#blocks.addRoughly(hash) : this.#blocks.count(hash),
    );
  }
}

/**
 * Of each block 1 when it is the page's own, by on how many of the `pages` it stands. A heading that many pages have
 * (`Description`) stays where something of the page's own stands below it: it is the way to it.
 */
function ownBlocks(
  { hashes, marks }: BlockPrints,
  pages: number,
  countOf: (hash: number, mark: number) => number,
): Uint8Array {
  const own = new Uint8Array(hashes.length);
  // A bit for each level: whether something was kept since the last heading that ends a section of this level.
  let content = 0;
  for (let block = hashes.length - 1; block >= 0; block -= 1) {
    const mark = marks[block] ?? 0;
    const level = mark & LEVEL;
    const count = (mark & LONG) === 0 ? countOf(hashes[block] ?? 0, mark) : 0;
    const repeats = count >= BOILERPLATE_PAGES && count >= pages * BOILERPLATE_SHARE;
    const isOwn = !repeats || (level > 0 && (content & (1 << level)) !== 0);
    const above = level > 0 ? (1 << level) - 1 : ALL_LEVELS;
    if (level > 0) content &= above;
    if (!isOwn) continue;
    own[block] = 1;
    content |= above;
  }
  return own;
}

/** A block's text, in the form in which blocks are told from one another. */
export function textOf(block: Block): string {
  return block.kind === 'table' ? block.rows.map((row) => row.join(' | ')).join('\n') : block.text;
}
