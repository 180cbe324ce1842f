/**
 * Reads a region of a page as blocks, in one pass over its tags. Navigation, headers and footers are left out. Boxes
 * that may be beside the content (share bars, comments, related articles) are noted: whether one is the content shows
 * only at the end.
 */

import { Parser, type ParserOptions } from 'htmlparser2';
import type { TaskContext } from '../../src-server/platform/pool/worker-pool.ts';
import { KIB } from '../../src-server/platform/units.ts';
import type { Block } from '../documents/blocks.ts';
import { DocumentBuilder } from '../documents/document-builder.ts';
import { calloutKind } from '../documents/html/callouts.ts';
import { LeftOutPieces, type LeftOutTextPieces } from '../documents/html/left-out-pieces.ts';
import { withLooseFootnotes } from '../documents/html/loose-footnotes.ts';
import { framedText } from '../documents/html/tags.ts';
import { HtmlWalker, type LeaveOut } from '../documents/html/walker.ts';
import { SourceLedger } from '../documents/source-ledger.ts';
import type { TagReader } from './scan-page.ts';

const WRITE_CHARACTERS = 64 * KIB;

const FURNITURE = new Set(['nav', 'footer', 'aside', 'form', 'dialog']);

const FURNITURE_ROLES = new Set(['navigation', 'banner', 'contentinfo', 'search', 'complementary']);

/**
 * Classes by which DocBook, Sphinx, Publican and Doxygen mark links to neighbouring pages. Their texts differ per page,
 * so repetition does not reveal them.
 */
const FURNITURE_CLASS =
  /(?:^|\s)(?:navheader|navfooter|docnav|nav-panel|sphinxsidebar|related|breadcrumbs?|nav-path|navpath)(?:\s|$)/;

/** Footnotes stand in a footer on some pages. */
const FOOTNOTES_CLASS = /(?:^|\s)(?:footnotes?|endnotes?)(?:\s|$)/;

/** Longer addresses are left out of the Markdown: they are data, or a trap. */
const MAX_ADDRESS_CHARS = 2048;

const LINK_SCHEMES = new Set(['https:', 'http:', 'mailto:', 'tel:']);

/** Permalink signs in headings of documentation sites; a final `#` may belong to the name, as in C#. */
const PERMALINK = /\s*¶\s*$|\s+[#§]\s*$/;

const PERMALINK_MARK = /^\s*[¶#§🔗]\uFE0F?\s*$/u;

/** Bound on the boxes noted of a page. */
const MAX_BOXES = 5000;

const BOX_TAGS = new Set([
  ...['div', 'section', 'ul', 'ol', 'dl', 'p', 'aside', 'header', 'footer', 'figure', 'form', 'table'],
]);

/** Words of classes that name such boxes on any page. */
const ANY_BOX = namesIn([
  ...['cookies?', 'consent', 'gdpr', 'newsletter', 'share', 'sharing', 'sharedaddy', 'addtoany', 'social', 'disqus'],
  ...['comments?-?(?:list|area|form|section|respond|reply)', 'breadcrumbs?', 'pagination', 'advert', 'advertisement'],
  ...['taboola', 'outbrain', 'related-?(?:posts?|articles?|stories|content|links?)', 'recirc', 'skip-?link'],
]);

/** Words of classes and ids that name such boxes in news and posts; a manual names sections so. */
const ARTICLE_BOX = namesIn([
  ...['shares', 'related', 'recommended', 'recommendations?', 'subscribe', 'subscription', 'sign-?up', 'comments?'],
  ...['respond', 'promo', 'sponsored', 'ads?', 'pager', 'trending', 'most-?(?:read|popular|viewed)', 'popular'],
  ...['read-?(?:more|next|also)', 'byline', 'author-?(?:bio|box|info)', 'tags?', 'tag-?list', 'meta', 'follow'],
  ...['more-?(?:stories|news|from)', 'credits?', 'toolbar', 'dateline', 'timestamp'],
]);

function namesIn(names: readonly string[]): RegExp {
  return new RegExp(`(?:^|[\\s_-])(?:${names.join('|')})(?:$|[\\s_-])`, 'i');
}

export interface Reading {
  url: string;
  context: TaskContext;
}

/** The blocks of a region. `boxes` nest. */
export interface ReadRegion {
  blocks: Block[];
  boxes: Box[];
  /** The text outside the region, of its furniture, and of what is hidden or cannot be read. */
  leftOut: LeftOutTextPieces[];
}

/** Blocks `start` to `end` are in a box that may be beside the content: on any page, or only in news and posts. */
interface Box {
  start: number;
  end: number;
  of: 'any' | 'article';
}

export type Region = 'main' | 'article' | 'body' | null;

/** Blocks inside `region` without its furniture; the whole page if `region` is null. */
export function readRegionBlocks(
  html: string,
  region: Region,
  { url, context }: Reading,
  parsing: ParserOptions = {},
): ReadRegion {
  const reader = new BlockReader(region, url, context);
  const handlers = {
    onopentag: (tag: string, attributes: Readonly<Record<string, string>>) => reader.enterTag(tag, attributes),
    ontext: (text: string) => reader.readTagText(text),
    onclosetag: (tag: string) => reader.leaveTag(tag),
  };
  const parser = new Parser(handlers, parsing);
  for (let at = 0; at < html.length; at += WRITE_CHARACTERS) parser.write(html.slice(at, at + WRITE_CHARACTERS));
  parser.end();
  return reader.endBlockReading();
}

/** Builds blocks from a region of the page. */
export class BlockReader implements TagReader {
  readonly #builder: DocumentBuilder;
  readonly #walker: HtmlWalker;
  readonly #region: RegionReader;
  /** True after the start of a link to a place in a page, while only its sign was read. */
  #inPlaceLink = false;
  #mark = '';
  #depth = 0;
  readonly #openBoxes: { depth: number; start: number; of: Box['of'] }[] = [];
  readonly #boxes: Box[] = [];
  readonly #leftOut = new LeftOutPieces();
  #base: string;
  #hasBase = false;

  constructor(region: Region, pageUrl: string, context: TaskContext) {
    this.#base = pageUrl;
    this.#builder = new DocumentBuilder({
      fileName: null,
      language: null,
      includeComments: false,
      ledger: new SourceLedger(),
      signal: context.signal,
      progress: (percent, message) => context.progress(percent, 'reading', message),
    });
    const recordRegionLeftOut: LeaveOut = (reason, text) => this.#leftOut.addLeftOutPiece(reason, text);
    this.#walker = new HtmlWalker(this.#builder, recordRegionLeftOut, (address) => this.#blockLinkAddress(address));
    this.#region = new RegionReader(this.#walker, region, recordRegionLeftOut);
  }

  enterTag(tag: string, attributes: Readonly<Record<string, string>>): void {
    this.#builder.checkCancellation();
    if (tag === 'base' && attributes.href !== undefined && !this.#hasBase) {
      this.#hasBase = true;
      this.#base = URL.parse(attributes.href, this.#base)?.href ?? this.#base;
    }
    this.#depth += 1;
    this.#leftOut.openLeftOutTag(tag);
    const framed = framedText(tag, attributes);
    if (framed !== null) this.#leftOut.addLeftOutPiece('unsupported-part', framed);
    const box = this.#boxes.length < MAX_BOXES ? tagBoxKind(tag, attributes) : null;
    if (tag === 'a') this.#inPlaceLink = attributes.href?.includes('#') === true;
    this.#region.openRegionTag(tag, attributes);
    // The tag has ended the text before it.
    if (box !== null) this.#openBoxes.push({ depth: this.#depth, start: this.#builder.blocks.length, of: box });
  }

  /** A link that is only a permalink sign is no part of the text. */
  readTagText(text: string): void {
    if (this.#inPlaceLink && this.#mark === '' && PERMALINK_MARK.test(text)) {
      this.#mark = text;
      return;
    }
    this.#inPlaceLink = false;
    this.#region.addRegionText(this.#mark + text);
    this.#mark = '';
  }

  leaveTag(tag: string): void {
    if (tag === 'a') {
      this.#inPlaceLink = false;
      this.#mark = '';
    }
    this.#region.closeRegionTag(tag);
    this.#leftOut.closeLeftOutTag(tag);
    const box = this.#openBoxes.at(-1);
    if (box?.depth === this.#depth) {
      this.#openBoxes.pop();
      if (this.#builder.blocks.length > box.start)
        this.#boxes.push({ start: box.start, end: this.#builder.blocks.length, of: box.of });
    }
    this.#depth -= 1;
  }

  /** Absolute address of a link or picture; null for fragments of the same page and for scripts. */
  #blockLinkAddress(address: string): string | null {
    if (address.startsWith('#')) return null;
    const url = URL.parse(address, this.#base);
    if (url === null || !LINK_SCHEMES.has(url.protocol)) return null;
    if (url.username !== '') url.username = '';
    if (url.password !== '') url.password = '';
    return url.href.length > MAX_ADDRESS_CHARS ? null : url.href;
  }

  endBlockReading(): ReadRegion {
    this.#walker.finishHtmlWalk();
    const blocks: Block[] = [];
    // Blocks are removed below; where each is in the result.
    const places: number[] = [];
    for (const block of this.#builder.blocks) {
      places.push(blocks.length);
      const text = block.kind === 'heading' ? block.text.replace(PERMALINK, '') : null;
      if (text === '') continue;
      blocks.push(block.kind === 'heading' && text !== null ? { ...block, text } : block);
    }
    places.push(blocks.length);
    const keptBlockIndex = (place: number) => places[place] ?? blocks.length;
    const boxes = this.#boxes.map(({ start, end, of }) => ({
      start: keptBlockIndex(start),
      end: keptBlockIndex(end),
      of,
    }));
    const noted = withLooseFootnotes(blocks, (number) => this.#leftOut.addLeftOutPiece('navigation', number));
    return { blocks: noted, boxes, leftOut: this.#leftOut.listLeftOutTexts() };
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
  readonly #leaveOut: LeaveOut;

  constructor(walker: HtmlWalker, region: Region, leaveOut: LeaveOut) {
    this.#walker = walker;
    this.#region = region;
    this.#leaveOut = leaveOut;
  }

  openRegionTag(tag: string, attributes: Readonly<Record<string, string>>): void {
    this.#depth += 1;
    if (this.#inside === 0 && this.#isRegionStart(tag, attributes)) this.#inside = this.#depth;
    if (!this.#isReadingRegion()) return;
    if (this.#region !== null && isFurniture(tag, attributes, this.#region)) {
      this.#furniture = this.#depth;
      return;
    }
    this.#walker.openHtmlTag(tag, attributes);
  }

  addRegionText(text: string): void {
    if (this.#isReadingRegion()) this.#walker.addHtmlText(text);
    else this.#leaveOut('navigation', text);
  }

  closeRegionTag(tag: string): void {
    if (this.#isReadingRegion()) this.#walker.closeHtmlTag(tag);
    if (this.#furniture === this.#depth) this.#furniture = 0;
    if (this.#inside === this.#depth) this.#inside = 0;
    this.#depth -= 1;
  }

  #isReadingRegion(): boolean {
    return this.#furniture === 0 && (this.#inside > 0 || this.#region === null || this.#region === 'body');
  }

  #isRegionStart(tag: string, { role }: Readonly<Record<string, string>>): boolean {
    return tag === this.#region || (this.#region === 'main' && role === 'main');
  }
}

function isFurniture(tag: string, attributes: Readonly<Record<string, string>>, region: string): boolean {
  const { role = '', class: classes } = attributes;
  if (region === 'body' && classes !== undefined && FURNITURE_CLASS.test(classes)) return true;
  if (tag === 'aside' && (calloutKind(tag, attributes) !== null || role === 'note')) return false;
  if (role === 'doc-endnotes' || (classes !== undefined && FOOTNOTES_CLASS.test(classes))) return false;
  return FURNITURE.has(tag) || FURNITURE_ROLES.has(role) || (region === 'body' && tag === 'header') || tag === 'head';
}

function tagBoxKind(tag: string, { class: classes = '', id = '' }: Readonly<Record<string, string>>): Box['of'] | null {
  if ((classes === '' && id === '') || !BOX_TAGS.has(tag)) return null;
  if (ANY_BOX.test(classes)) return 'any';
  return ARTICLE_BOX.test(classes) || ANY_BOX.test(id) || ARTICLE_BOX.test(id) ? 'article' : null;
}
