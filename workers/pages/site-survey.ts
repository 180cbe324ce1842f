import { CountSketch, hashText } from '../../src-server/platform/text/hash.ts';
import type { Block } from '../documents/blocks.ts';
import type { WordList } from './page-words.ts';
import type { PagesSoFar, SitePart } from './tasks.ts';

/** A block on this share of the pages, and on the minimum number, belongs to the site. */
const BOILERPLATE_SHARE = 0.3;

const BOILERPLATE_PAGES = 5;

/** A single repeated block within a page's own text belongs to the page, unless nearly every page has it. */
const ALONE_SHARE = 0.8;

/** Longer blocks are never boilerplate: long repeated text is content. */
const BOILERPLATE_MAX_CHARS = 1000;

const MAX_LEVEL = 6;

/** Weight of the commonest words. */
const MIN_RARITY = 0.01;

/** A mark is the level of a heading, 0 for any other block, plus these flags: */
const LEVEL = 7;

const LONG = 8;

/** The same block occurs earlier on the page. */
const AGAIN = 16;

/** The block occurs several times on the page: a phrase (`Returns: <boolean>`), unlike furniture. */
const OFTEN = 32;

/** One bit per level: content below a heading. */
const ALL_LEVELS = (1 << (MAX_LEVEL + 1)) - 1;

/** The blocks of a page as needed for comparison, by number. */
export interface BlockPrints {
  hashes: Int32Array;
  marks: Uint8Array;
}

export function printsOf(blocks: readonly Block[]): BlockPrints {
  const prints = { hashes: new Int32Array(blocks.length), marks: new Uint8Array(blocks.length) };
  const firstPlaces = new Map<number, number>();
  for (const [number, block] of blocks.entries()) {
    const text = comparedBlockText(block);
    let mark = block.kind === 'heading' ? Math.min(block.level, MAX_LEVEL) : 0;
    if (text.length > BOILERPLATE_MAX_CHARS) mark |= LONG;
    else {
      const hash = hashText(text);
      prints.hashes[number] = hash;
      const first = firstPlaces.get(hash);
      if (first === undefined) firstPlaces.set(hash, number);
      else {
        mark |= AGAIN | OFTEN;
        prints.marks[first] = (prints.marks[first] ?? 0) | OFTEN;
      }
    }
    prints.marks[number] = mark;
  }
  return prints;
}

/** Hashes in a sketch. */
const SKETCH_HASHES = 16;

/** The least hashes of a page's different blocks: pages with much of the same text have many of them in common. */
export function sketchOf({ hashes, marks }: BlockPrints): number[] {
  const least: number[] = [];
  for (let block = 0; block < hashes.length; block += 1) {
    const hash = hashes[block] ?? 0;
    if (((marks[block] ?? 0) & (LONG | AGAIN)) !== 0) continue;
    if (least.length === SKETCH_HASHES && hash >= (least.at(-1) ?? 0)) continue;
    const at = least.findIndex((other) => other > hash);
    least.splice(at === -1 ? least.length : at, 0, hash);
    if (least.length > SKETCH_HASHES) least.pop();
  }
  return least;
}

/** Facts about the whole site: which blocks repeat and which words are rare. */
export class SiteSurvey {
  readonly #pages: number;
  readonly #blocks: CountSketch;
  readonly #words: CountSketch;

  /** `counts`: memory into which all threads count. */
  constructor({ totalPages, counts }: Pick<SitePart, 'totalPages' | 'counts'>) {
    this.#pages = totalPages;
    this.#blocks = new CountSketch(counts.blocks);
    this.#words = new CountSketch(counts.words);
  }

  surveyPage(prints: BlockPrints, words: Pick<WordList, 'hashes' | 'compared'>): void {
    const { hashes: blocks, marks } = prints;
    for (let block = 0; block < blocks.length; block += 1) {
      if (((marks[block] ?? 0) & (LONG | AGAIN)) === 0) this.#blocks.addHashCount(blocks[block] ?? 0);
    }
    for (let word = 0; word < words.hashes.length; word += 1) {
      if (words.compared[word] === 1) this.#words.addHashCount(words.hashes[word] ?? 0);
    }
  }

  /** Per block: 1 if it is the page's own; see ownBlocks. */
  ownOf(prints: BlockPrints): Uint8Array {
    return ownBlocks(prints, this.#pages, (hash) => this.#blocks.countHash(hash));
  }

  /** How well a word, by its hash, distinguishes this page from others. */
  rarityOf(hash: number): number {
    const pages = Math.min(this.#words.countHash(hash), this.#pages);
    return Math.max(MIN_RARITY, Math.log((this.#pages + 1) / (pages + 0.5)));
  }
}

/** Repetition among the pages read so far: the guess for drafts. */
export class BlocksSoFar {
  readonly #pages: Int32Array;
  readonly #blocks: CountSketch;

  constructor({ pages, blocks }: PagesSoFar) {
    this.#pages = new Int32Array(pages);
    this.#blocks = new CountSketch(blocks);
  }

  /** Counts a page and returns, per block, 1 if it is the page's own. */
  ownOf(prints: BlockPrints): Uint8Array {
    const pages = Atomics.add(this.#pages, 0, 1) + 1;
    return ownBlocks(prints, pages, (hash, mark) =>
      (mark & AGAIN) === 0 ? this.#blocks.addRoughly(hash) : this.#blocks.countHash(hash),
    );
  }
}

/**
 * Per block: 1 if it is the page's own, by the number of `pages` that contain it. A repeated heading (`Description`)
 * stays if own content is below it: it is part of the path.
 */
function ownBlocks(
  { hashes, marks }: BlockPrints,
  pages: number,
  countOf: (hash: number, mark: number) => number,
): Uint8Array {
  const own = new Uint8Array(hashes.length);
  const often = Math.max(BOILERPLATE_PAGES, pages * BOILERPLATE_SHARE);
  const always = Math.max(BOILERPLATE_PAGES, pages * ALONE_SHARE);
  // Initially 0: repeated, 1: own, 2: repeated and removed even if single.
  for (let block = 0; block < hashes.length; block += 1) {
    const mark = marks[block] ?? 0;
    const count = (mark & LONG) === 0 ? countOf(hashes[block] ?? 0, mark) : 0;
    own[block] = count < often ? 1 : count >= always && (mark & OFTEN) === 0 ? 2 : 0;
  }
  keepWithinText(own, marks);
  keepHeadingPaths(own, marks);
  return own;
}

/**
 * Furniture repeats in a row: at the start, at the end, or as a box. A single repeated block within own text (`Note`,
 * `options <Object>`) is content, and so is a block that occurs several times on the page.
 */
function keepWithinText(own: Uint8Array, marks: Uint8Array): void {
  const isRepeatedBlock = (block: number) => own[block] !== 1;
  const goesWith = (block: number) => block >= 0 && block < own.length && isRepeatedBlock(block) && !isOften(block);
  const isOften = (block: number) => ((marks[block] ?? 0) & OFTEN) !== 0;
  let first = 0;
  while (first < own.length && isRepeatedBlock(first)) first += 1;
  let end = own.length;
  while (end > first && isRepeatedBlock(end - 1)) end -= 1;
  let before = false;
  for (let block = first; block < end; block += 1) {
    const goes = goesWith(block);
    const isHeading = ((marks[block] ?? 0) & LEVEL) > 0;
    const isAlone = !before && !(block + 1 < end && goesWith(block + 1)) && own[block] !== 2;
    before = goes;
    if (isRepeatedBlock(block) && !isHeading && (!goes || isAlone)) own[block] = 1;
  }
}

/** Removes repeated blocks, except headings above blocks that stay. */
function keepHeadingPaths(own: Uint8Array, marks: Uint8Array): void {
  // One bit per level: whether a block was kept since the last heading that ends a section of this level.
  let content = 0;
  for (let block = own.length - 1; block >= 0; block -= 1) {
    const level = (marks[block] ?? 0) & LEVEL;
    const isOwn = own[block] === 1 || (level > 0 && (content & (1 << level)) !== 0);
    const above = level > 0 ? (1 << level) - 1 : ALL_LEVELS;
    if (level > 0) content &= above;
    own[block] = isOwn ? 1 : 0;
    if (isOwn) content |= above;
  }
}

/** The text by which blocks are compared. */
export function comparedBlockText(block: Block): string {
  return block.kind === 'table' ? block.rows.map((row) => row.join(' | ')).join('\n') : block.text;
}
