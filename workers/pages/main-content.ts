/**
 * The main content of a page as blocks. Where the page marks it (`main`, a single `article`) its own word is taken, in
 * one pass over the tags; else Readability finds it on a tree, which a hostile page can make expensive: so only within
 * the bounds below, measured before by the scan; else everything but navigation, headers and footers is taken.
 */

import { Parser, type ParserOptions } from 'htmlparser2';
import type { TaskContext } from '../../src-server/platform/pool/worker-pool.ts';
import { KIB, MIB } from '../../src-server/platform/units.ts';
import type { Block } from '../documents/blocks.ts';
import { DocumentBuilder } from '../documents/document-builder.ts';
import { HtmlWalker } from '../documents/html/walker.ts';
import { type PageScan, scanPage, type TagReader } from './scan-page.ts';

/** In XHTML a tag that ends in a slash is closed, a script's too; read as HTML it would swallow the page. */
const AS_XHTML: ParserOptions = { recognizeSelfClosing: true, recognizeCDATA: true };

const TREE_MAX_CHARS = 2 * MIB;

const TREE_MAX_ELEMENTS = 20_000;

const WRITE_CHARACTERS = 64 * KIB;

/** Less text than this is no article, and what Readability left out may be the page. */
const MIN_ARTICLE_CHARS = 250;

/**
 * A page of many sections of equal weight, such as a manual, has no one article: Readability then takes a section for
 * it. An article that has less of the page's prose and code than this is therefore not believed.
 */
const ARTICLE_SHARE = 0.9;

/** Of a long page even a tenth is whole sections; so much may be teasers of other pages beside the article. */
const MAX_LEFT_OUT_CHARS = 2000;

/** Blocks of fewer characters are titles, entries of menus, names of links. */
const PROSE_CHARS = 80;

const FURNITURE = new Set(['nav', 'footer', 'aside', 'form', 'dialog']);

const FURNITURE_ROLES = new Set(['navigation', 'banner', 'contentinfo', 'search', 'complementary']);

/**
 * Classes by which common makers of manuals (DocBook, Sphinx, Publican, Doxygen) mark links to the pages around a page.
 * Their texts differ from page to page, so that repetition does not show them.
 */
const FURNITURE_CLASS =
  /(?:^|\s)(?:navheader|navfooter|docnav|nav-panel|sphinxsidebar|related|breadcrumbs?|nav-path|navpath)(?:\s|$)/;

/** A longer address is left out of the Markdown: it is data, or a trap. */
const MAX_ADDRESS_CHARS = 2048;

/** Marks of permalinks in headings of documentation sites; `#` may also be the end of a name, as in C#. */
const PERMALINK = /\s*¶\s*$|\s+[#§]\s*$/;

const PERMALINK_MARK = /^\s*[¶#§🔗]\uFE0F?\s*$/u;

export interface PageContent {
  scan: PageScan;
  blocks: Block[];
}

/** What a page's tags say, and its main content. Errors: `source_too_large`, `cancelled`. */
export async function readContent(
  html: string,
  url: string,
  context: TaskContext,
  { isXhtml = false, encoding = 'utf-8' } = {},
): Promise<PageContent> {
  // Most pages mark their content with a single `main`; it is read on the way, and thrown away where that is not so.
  const main = new BlockReader('main', url, context);
  const parsing = isXhtml ? AS_XHTML : {};
  const scan = scanPage(html, url, main, { ...parsing, encoding });
  const marked = scan.mainTag === 'main' ? main.end() : [];
  return { scan, blocks: marked.length > 0 ? marked : await contentWithoutMain(html, scan, { url, context }, parsing) };
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
 * The page from its title, or the article's first block, to the article's last. Within an article Readability takes out
 * what is short or full of links too: headings in boxes of their own, examples, lists of references.
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

/** What stands right after a text without a heading of its own belongs to it; menus are no code, nor long tables. */
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

/** The tree and its reader are loaded by the first page that needs them: many sites mark all of theirs. */
async function readArticle(html: string): Promise<string | null> {
  const [{ parseHTML }, { Readability }] = await Promise.all([import('linkedom'), import('@mozilla/readability')]);
  const { document } = parseHTML(html);
  // A text without a single tag has no tree.
  if ((document.documentElement as unknown) === null) return null;
  // The walker tells code by classes, and what it makes of the article is looked for in what it made of the page.
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

/** Blocks inside `region` without its furniture; of everything there is, where the region is null. */
function readBlocks(html: string, region: Region, { url, context }: Reading, parsing: ParserOptions = {}): Block[] {
  const reader = new BlockReader(region, url, context);
  const heard = {
    onopentag: (tag: string, attributes: Readonly<Record<string, string>>) => reader.open(tag, attributes),
    ontext: (text: string) => reader.text(text),
    onclosetag: (tag: string) => reader.close(tag),
  };
  const parser = new Parser(heard, parsing);
  for (let at = 0; at < html.length; at += WRITE_CHARACTERS) parser.write(html.slice(at, at + WRITE_CHARACTERS));
  parser.end();
  return reader.end();
}

/** Makes blocks of what lies in a region of the page. */
class BlockReader implements TagReader {
  readonly #builder: DocumentBuilder;
  readonly #walker: HtmlWalker;
  readonly #region: RegionReader;
  /** Whether a link to a place in a page has begun, and no more of it was read than its mark. */
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

  /** A link that is nothing but a mark is for copying its address; it is no part of the text. */
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

  /** Where a link or a picture leads; null for places on the same page and for what is not on the web. */
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

/** Hands on what lies in the region and in no furniture. The parser closes every tag it opens, so depths suffice. */
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
