/**
 * The main content of a page as blocks. If the page marks it (`main`, a single `article`), one pass over the tags reads
 * it. Else Readability finds it in a tree, only within the bounds below, because a hostile page can make the tree
 * expensive. Else everything but navigation, headers and footers is taken.
 */

import { Parser, type ParserOptions } from 'htmlparser2';
import type { TaskContext } from '../../src-server/platform/pool/worker-pool.ts';
import { KIB, MIB } from '../../src-server/platform/units.ts';
import type { Block } from '../documents/blocks.ts';
import { DocumentBuilder } from '../documents/document-builder.ts';
import { HtmlWalker } from '../documents/html/walker.ts';
import { type PageScan, scanPage, type TagReader } from './scan-page.ts';

/** XHTML allows self-closing tags, scripts included; read as HTML such a script would swallow the page. */
const AS_XHTML: ParserOptions = { recognizeSelfClosing: true, recognizeCDATA: true };

const TREE_MAX_CHARS = 2 * MIB;

const TREE_MAX_ELEMENTS = 20_000;

const WRITE_CHARACTERS = 64 * KIB;

/** Less text is no article, and the part that Readability dropped may be the content. */
const MIN_ARTICLE_CHARS = 250;

/**
 * In a page with many equal sections, such as a manual, Readability takes one section for the article. So an article
 * with less than this share of the page's prose and code is rejected.
 */
const ARTICLE_SHARE = 0.9;

/** Bound on the dropped text: a tenth of a long page can be whole sections; this much may be teasers of other pages. */
const MAX_LEFT_OUT_CHARS = 2000;

/** Shorter blocks are titles, menu entries and link names. */
const PROSE_CHARS = 80;

const FURNITURE = new Set(['nav', 'footer', 'aside', 'form', 'dialog']);

const FURNITURE_ROLES = new Set(['navigation', 'banner', 'contentinfo', 'search', 'complementary']);

/**
 * Classes by which DocBook, Sphinx, Publican and Doxygen mark links to neighbouring pages. Their texts differ per page,
 * so repetition does not reveal them.
 */
const FURNITURE_CLASS =
  /(?:^|\s)(?:navheader|navfooter|docnav|nav-panel|sphinxsidebar|related|breadcrumbs?|nav-path|navpath)(?:\s|$)/;

/** Longer addresses are left out of the Markdown: they are data, or a trap. */
const MAX_ADDRESS_CHARS = 2048;

/** Permalink signs in headings of documentation sites; a final `#` may belong to the name, as in C#. */
const PERMALINK = /\s*¶\s*$|\s+[#§]\s*$/;

const PERMALINK_MARK = /^\s*[¶#§🔗]\uFE0F?\s*$/u;

export interface PageContent {
  scan: PageScan;
  blocks: Block[];
}

/** Reads the facts in a page's tags and its main content. Errors: `source_too_large`, `cancelled`. */
export async function readContent(
  html: string,
  url: string,
  context: TaskContext,
  { isXhtml = false, encoding = 'utf-8' } = {},
): Promise<PageContent> {
  // Most pages mark their content with a single `main`, so it is read in the same pass and discarded otherwise.
  const main = new BlockReader('main', url, context);
  const parsing = isXhtml ? AS_XHTML : {};
  const scan = scanPage(html, url, main, { ...parsing, encoding });
  const marked = scan.mainTag === 'main' ? main.end() : [];
  if (marked.length > 0) return { scan, blocks: marked };
  const read = scan.truncatedAt === null ? html : html.slice(0, scan.truncatedAt);
  return { scan, blocks: await contentWithoutMain(read, scan, { url, context }, parsing) };
}

async function contentWithoutMain(
  html: string,
  scan: PageScan,
  reading: Reading,
  parsing: ParserOptions,
): Promise<Block[]> {
  if (scan.mainTag === 'article') {
    const blocks = readBlocks(html, scan.mainTag, reading, parsing);
    if (blocks.length > 0) return blocks;
  }
  const whole = readBlocks(html, 'body', reading, parsing);
  if (html.length > TREE_MAX_CHARS || scan.elements > TREE_MAX_ELEMENTS) return whole;
  const article = await readArticle(html);
  if (article === null) return whole;
  const blocks = spanOf(readBlocks(article, null, reading), whole, scan.title ?? '');
  const inAll = proseChars(whole);
  return proseChars(blocks) >= Math.max(inAll * ARTICLE_SHARE, inAll - MAX_LEFT_OUT_CHARS) ? blocks : whole;
}

/**
 * The page from its title, or the article's first block, to the article's last. Inside an article Readability also
 * drops short or link-rich parts: headings in boxes, examples, reference lists.
 */
function spanOf(article: Block[], whole: Block[], title: string): Block[] {
  const places = new Map<string, number>();
  const texts = whole.map(blockText);
  for (const [at, text] of texts.entries()) places.set(text, places.has(text) ? -1 : at);
  const found = article.map((block) => places.get(blockText(block)) ?? -1).filter((at) => at >= 0);
  if (found.length === 0) return article;
  let end = found.reduce((last, at) => Math.max(last, at)) + 1;
  while (isExample(whole[end])) end += 1;
  let start = found.reduce((first, at) => Math.min(first, at));
  const ofTitle = whole.slice(0, start).findLastIndex((block) => isTitle(block, title));
  if (ofTitle >= 0) start = ofTitle;
  while (whole[start - 1]?.kind === 'heading') start -= 1;
  return whole.slice(start, end);
}

/** An example directly after the text, without a heading, belongs to it. Code and long tables are no menus. */
function isExample(block: Block | undefined): boolean {
  return block?.kind === 'code' || (block?.kind === 'table' && blockText(block).length >= PROSE_CHARS);
}

function isTitle(block: Block, title: string): boolean {
  if (block.kind !== 'heading' || title === '') return false;
  return title.startsWith(block.text) || block.text.startsWith(title);
}

function proseChars(blocks: readonly Block[]): number {
  const counted = blocks.filter((block) => block.kind === 'code' || blockText(block).length >= PROSE_CHARS);
  return counted.reduce((sum, block) => sum + blockText(block).length, 0);
}

function blockText(block: Block): string {
  return block.kind === 'table' ? block.rows.flat().join(' ') : block.text;
}

/** The tree and Readability load with the first page that needs them: many sites mark all their pages. */
async function readArticle(html: string): Promise<string | null> {
  const [{ parseHTML }, { Readability }] = await Promise.all([import('linkedom'), import('@mozilla/readability')]);
  const { document } = parseHTML(html);
  // Without a tag there is no tree.
  if ((document.documentElement as unknown) === null) return null;
  // The walker detects code by classes, and matches the article's blocks with those of the page.
  const options = { charThreshold: MIN_ARTICLE_CHARS, keepClasses: true };
  const article = new Readability(document as unknown as Document, options).parse();
  if (article?.content == null || (article.textContent ?? '').trim().length < MIN_ARTICLE_CHARS) return null;
  return article.content;
}

interface Reading {
  url: string;
  context: TaskContext;
}

type Region = 'main' | 'article' | 'body' | null;

/** Blocks inside `region` without its furniture; the whole page if `region` is null. */
function readBlocks(html: string, region: Region, { url, context }: Reading, parsing: ParserOptions = {}): Block[] {
  const reader = new BlockReader(region, url, context);
  const handlers = {
    onopentag: (tag: string, attributes: Readonly<Record<string, string>>) => reader.open(tag, attributes),
    ontext: (text: string) => reader.text(text),
    onclosetag: (tag: string) => reader.close(tag),
  };
  const parser = new Parser(handlers, parsing);
  for (let at = 0; at < html.length; at += WRITE_CHARACTERS) parser.write(html.slice(at, at + WRITE_CHARACTERS));
  parser.end();
  return reader.end();
}

/** Builds blocks from a region of the page. */
class BlockReader implements TagReader {
  readonly #builder: DocumentBuilder;
  readonly #walker: HtmlWalker;
  readonly #region: RegionReader;
  /** True after the start of a link to a place in a page, while only its sign was read. */
  #inPlaceLink = false;
  #mark = '';
  #base: string;
  #hasBase = false;

  constructor(region: Region, pageUrl: string, context: TaskContext) {
    this.#base = pageUrl;
    this.#builder = new DocumentBuilder({
      fileName: null,
      language: null,
      includeComments: false,
      signal: context.signal,
      progress: (percent, message) => context.progress(percent, 'reading', message),
    });
    this.#walker = new HtmlWalker(this.#builder, (address) => this.#addressOf(address));
    this.#region = new RegionReader(this.#walker, region);
  }

  open(tag: string, attributes: Readonly<Record<string, string>>): void {
    this.#builder.step();
    if (tag === 'base' && attributes.href !== undefined && !this.#hasBase) {
      this.#hasBase = true;
      this.#base = URL.parse(attributes.href, this.#base)?.href ?? this.#base;
    }
    if (tag === 'a') this.#inPlaceLink = attributes.href?.includes('#') === true;
    this.#region.open(tag, attributes);
  }

  /** A link that is only a permalink sign is no part of the text. */
  text(text: string): void {
    if (this.#inPlaceLink && this.#mark === '' && PERMALINK_MARK.test(text)) {
      this.#mark = text;
      return;
    }
    this.#inPlaceLink = false;
    this.#region.text(this.#mark + text);
    this.#mark = '';
  }

  close(tag: string): void {
    if (tag === 'a') {
      this.#inPlaceLink = false;
      this.#mark = '';
    }
    this.#region.close(tag);
  }

  /** Absolute address of a link or picture; null for fragments of the same page and for other schemes. */
  #addressOf(address: string): string | null {
    if (address.startsWith('#')) return null;
    const url = URL.parse(address, this.#base);
    if (url === null || (url.protocol !== 'https:' && url.protocol !== 'http:')) return null;
    if (url.username !== '') url.username = '';
    if (url.password !== '') url.password = '';
    return url.href.length > MAX_ADDRESS_CHARS ? null : url.href;
  }

  end(): Block[] {
    this.#walker.end();
    return this.#builder.blocks.flatMap((block): Block[] => {
      if (block.kind !== 'heading') return [block];
      const text = block.text.replace(PERMALINK, '');
      return text === '' ? [] : [{ ...block, text }];
    });
  }
}

/** Forwards the region without its furniture. The parser closes every tag it opens, so depths suffice. */
class RegionReader {
  readonly #walker: HtmlWalker;
  readonly #region: Region;
  #depth = 0;
  /** Depth of the region's own tag; 0 outside it. */
  #inside = 0;
  #furniture = 0;

  constructor(walker: HtmlWalker, region: Region) {
    this.#walker = walker;
    this.#region = region;
  }

  open(tag: string, attributes: Readonly<Record<string, string>>): void {
    this.#depth += 1;
    if (this.#inside === 0 && this.#begins(tag, attributes)) this.#inside = this.#depth;
    if (!this.#reads()) return;
    if (this.#region !== null && isFurniture(tag, attributes, this.#region)) {
      this.#furniture = this.#depth;
      return;
    }
    this.#walker.open(tag, attributes);
  }

  text(text: string): void {
    if (this.#reads()) this.#walker.text(text);
  }

  close(tag: string): void {
    if (this.#reads()) this.#walker.close(tag);
    if (this.#furniture === this.#depth) this.#furniture = 0;
    if (this.#inside === this.#depth) this.#inside = 0;
    this.#depth -= 1;
  }

  #reads(): boolean {
    return this.#furniture === 0 && (this.#inside > 0 || this.#region === null || this.#region === 'body');
  }

  #begins(tag: string, { role }: Readonly<Record<string, string>>): boolean {
    return tag === this.#region || (this.#region === 'main' && role === 'main');
  }
}

function isFurniture(tag: string, attributes: Readonly<Record<string, string>>, region: string): boolean {
  const { role = '', class: classes } = attributes;
  if (region === 'body' && classes !== undefined && FURNITURE_CLASS.test(classes)) return true;
  return FURNITURE.has(tag) || FURNITURE_ROLES.has(role) || (region === 'body' && tag === 'header') || tag === 'head';
}
