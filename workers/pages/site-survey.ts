import { CountSketch } from '../../src-server/lib/count-sketch.ts';
import { hashText } from '../../src-server/lib/text-hash.ts';
import type { Block, NormalizedDocument } from '../documents/blocks.ts';
import type { SitePart } from '../tasks.ts';
import type { PageRecord } from './page-record.ts';
import { wordHashes } from './page-words.ts';

/** A block on this share of the pages, and on at least so many, belongs to the site and not to its pages. */
const BOILERPLATE_SHARE = 0.3;
const BOILERPLATE_PAGES = 5;
/** Longer blocks are never boilerplate: a text that is told again is still told. */
const BOILERPLATE_MAX_CHARS = 1000;
const MAX_LEVEL = 6;
/** What the commonest words still weigh. */
const MIN_RARITY = 0.01;

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

  add(record: PageRecord): void {
    const texts = [...new Set(record.blocks.map(textOf))];
    const hashes = new Set<number>();
    for (const text of texts) if (text.length <= BOILERPLATE_MAX_CHARS) hashes.add(hashText(text));
    for (const hash of hashes) this.#blocks.add(hash);
    for (const hash of wordHashes(texts.join('\n').toLowerCase())) this.#words.add(hash);
  }

  /**
   * The blocks that are the page's own. A heading that many pages have (`Description`) stays where something of the
   * page's own stands below it: it is the way to it.
   */
  ownBlocks(blocks: readonly Block[]): Block[] {
    const own: Block[] = [];
    // By level: whether something was kept since the last heading that ends a section of this level.
    const hasContent = Array.from({ length: MAX_LEVEL + 1 }, () => false);
    for (const block of blocks.toReversed()) {
      const level = block.kind === 'heading' ? Math.min(block.level, MAX_LEVEL) : null;
      const isOwn = !this.#repeats(block) || (level !== null && hasContent[level] === true);
      if (isOwn) own.push(block);
      if (level !== null) hasContent.fill(false, level);
      if (isOwn) hasContent.fill(true, 0, level ?? hasContent.length);
    }
    return own.reverse();
  }

  /** Whether a block stands on so many pages that it belongs to none. */
  #repeats(block: Block): boolean {
    const text = textOf(block);
    if (text.length > BOILERPLATE_MAX_CHARS) return false;
    const pages = this.#blocks.count(hashText(text));
    return pages >= BOILERPLATE_PAGES && pages >= this.#pages * BOILERPLATE_SHARE;
  }

  /** How much a word, given by its hash, tells this page from the others. */
  rarityOf(hash: number): number {
    const pages = Math.min(this.#words.count(hash), this.#pages);
    return Math.max(MIN_RARITY, Math.log((this.#pages + 1) / (pages + 0.5)));
  }
}

function textOf(block: Block): string {
  return block.kind === 'table' ? block.rows.map((row) => row.join(' | ')).join('\n') : block.text;
}

/** The record as a document, without the blocks that are the site's. */
export function documentOf(record: PageRecord, blocks: Block[]): NormalizedDocument {
  return {
    format: 'html',
    title: record.title,
    author: null,
    language: record.language,
    pages: 1,
    revisions: 'none',
    blocks,
    comments: [],
    changes: [],
    warnings: [],
  };
}
