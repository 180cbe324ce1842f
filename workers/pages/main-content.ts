/**
 * The main content of a page as blocks. What a page marks (`main`, a single `article`) is read in one pass. News and
 * posts, and pages that mark nothing, are also read by Readability in a tree, only within the bounds below, because a
 * hostile page can make the tree expensive; choose-content.ts decides between the two readings.
 */

import type { ParserOptions } from 'htmlparser2';
import type { TaskContext } from '../../src-server/platform/pool/worker-pool.ts';
import { LETTERS_PER_CHARACTER, textWidth } from '../../src-server/platform/text/text-width.ts';
import { MIB } from '../../src-server/platform/units.ts';
import type { Block } from '../documents/blocks.ts';
import { blockText } from './block-evidence.ts';
import { furnitureOf, isManual, manualOf, proseOf, withoutBoxes, withoutDanglingFootnotes } from './choose-content.ts';
import { type PageTexts, TextNodes } from './page-letters.ts';
import { BlockReader, type Reading, type ReadRegion, readRegionBlocks } from './read-region.ts';
import { type PageScan, scanPage, type TagReader } from './scan-page.ts';

/** XHTML allows self-closing tags, scripts included; read as HTML such a script would swallow the page. */
const AS_XHTML: ParserOptions = { recognizeSelfClosing: true, recognizeCDATA: true };

const TREE_MAX_CHARS = 2 * MIB;

const TREE_MAX_ELEMENTS = 20_000;

/** Share of a page's markup, counted in letters, above which its text is in a dense script. */
const DENSE_WIDTH = 1.05;

/** In letters of Latin script. Less text is no article, and the part that Readability dropped may be the content. */
const MIN_ARTICLE_CHARS = 250;

export interface PageContent {
  scan: PageScan;
  blocks: Block[];
  texts: PageTexts;
}

/** Reads the facts in a page's tags and its main content. Errors: `source_too_large`, `cancelled`. */
export async function readContent(
  html: string,
  url: string,
  context: TaskContext,
  { isXhtml = false, encoding = 'utf-8' } = {},
): Promise<PageContent> {
  // Many pages mark their content with a single `main`, so it is read in the same pass and discarded otherwise.
  const main = new BlockReader('main', url, context);
  const nodes = new TextNodes();
  const parsing = isXhtml ? AS_XHTML : {};
  const scan = scanPage(html, url, combineTagReaders(nodes, main), { ...parsing, encoding });
  const read = scan.truncatedAt === null ? html : html.slice(0, scan.truncatedAt);
  const beyond = scan.truncatedAt === null ? '' : html.slice(scan.truncatedAt).replace(/<[^<>]*>/g, ' ');
  const reading = { url, context };
  const marked = markedRegion(read, scan, main, reading, parsing);
  const region = marked ?? readRegionBlocks(read, 'body', reading, parsing);
  const content = await regionContent(read, { scan, region, isMarked: marked !== null }, reading);
  const { whole } = content;
  const blocks = withoutDanglingFootnotes(content.blocks);
  const furniture = blocks.length === region.blocks.length ? [] : furnitureOf(region.blocks, whole, content);
  const leftOut: PageTexts['leftOut'] = [
    ...region.leftOut,
    { reason: 'navigation', pieces: furniture.map((block) => `${blockText(block)}\n`) },
    { reason: 'over-limit', pieces: beyond === '' ? [] : [beyond] },
  ];
  return { scan, blocks, texts: { source: beyond === '' ? nodes.textPieces : [...nodes.textPieces, beyond], leftOut } };
}

/** A reader that passes all on to two. */
function combineTagReaders(one: TagReader, other: TagReader): TagReader {
  return {
    enterTag(tag, attributes) {
      one.enterTag(tag, attributes);
      other.enterTag(tag, attributes);
    },
    readTagText(text) {
      one.readTagText(text);
      other.readTagText(text);
    },
    leaveTag(tag) {
      one.leaveTag(tag);
      other.leaveTag(tag);
    },
  };
}

interface FoundRegion {
  scan: PageScan;
  region: ReadRegion;
  /** The page marks the region as its content. */
  isMarked: boolean;
}

interface ChosenContent {
  blocks: Block[];
  /** Left out by the rules of the page's kind. */
  pruned: Block[];
  /** The region without its boxes. */
  whole: Block[];
}

/**
 * The content within a region. Readability is asked where the page marks nothing, and where it declares itself an
 * article: for other marked regions a second reading gains too little for its cost.
 */
async function regionContent(
  html: string,
  { scan, region, isMarked }: FoundRegion,
  reading: Reading,
): Promise<ChosenContent> {
  const { isArticle } = scan.facts;
  const isProse = !scan.facts.isManual && !isManual(region.blocks, isArticle);
  const whole = withoutBoxes(region, isProse);
  const isReadOnce = isMarked && !(isProse && isArticle);
  const hasTree = !isReadOnce && html.length <= TREE_MAX_CHARS && scan.elements <= TREE_MAX_ELEMENTS;
  const content = hasTree ? await readArticle(html) : null;
  const article = content === null ? null : withoutBoxes(readRegionBlocks(content, null, reading), isProse);
  const title = scan.title ?? '';
  if (isProse) return { ...proseOf(article, whole, { title, isArticle }), whole };
  return { blocks: article === null || isMarked ? whole : manualOf(article, whole, title), pruned: [], whole };
}

/** The region that the page marks as its content, or null. */
function markedRegion(
  html: string,
  { mainTag }: PageScan,
  main: BlockReader,
  reading: Reading,
  parsing: ParserOptions,
): ReadRegion | null {
  if (mainTag === null) return null;
  const region = mainTag === 'main' ? main.endBlockReading() : readRegionBlocks(html, mainTag, reading, parsing);
  return region.blocks.length > 0 ? region : null;
}

/**
 * The article that Readability finds, as HTML, or null. The tree and Readability load with the first page that needs
 * them: many sites mark all their pages.
 */
export async function readArticle(html: string): Promise<string | null> {
  const [{ parseHTML }, { Readability }] = await Promise.all([import('linkedom'), import('@mozilla/readability')]);
  const { document } = parseHTML(html);
  // Without a tag there is no tree.
  if ((document.documentElement as unknown) === null) return null;
  // Readability takes their class for that of a menu, and drops the formulas.
  if (html.includes('<mjx-container'))
    for (const formula of document.querySelectorAll('mjx-container')) formula.removeAttribute('class');
  // Readability counts characters of every script as letters.
  const isDense = textWidth(html) > html.length * DENSE_WIDTH;
  const charThreshold = isDense ? MIN_ARTICLE_CHARS / LETTERS_PER_CHARACTER : MIN_ARTICLE_CHARS;
  // The walker detects code by classes, and matches the article's blocks with those of the page.
  const options = { charThreshold, keepClasses: true };
  const article = new Readability(document as unknown as Document, options).parse();
  if (article?.content == null || textWidth((article.textContent ?? '').trim()) < MIN_ARTICLE_CHARS) return null;
  return article.content;
}
