/**
 * Threat: pages written to exhaust a reader, or to show people and machines different content. One pass over the tags
 * without a tree, with bounds on everything kept; content that a browser hides is kept separately, never dropped.
 */

import { Parser, type ParserOptions } from 'htmlparser2';
import { QuarryError } from '../../src-server/platform/errors.ts';
import { normalUrl } from '../../src-server/platform/net/normal-url.ts';
import { say } from '../../src-server/platform/text/say.ts';
import { wholeSlice } from '../../src-server/platform/text/strings.ts';
import { KIB } from '../../src-server/platform/units.ts';
import type { Block } from '../documents/blocks.ts';
import { VOID_TAGS } from '../documents/html/tags.ts';
import type { LanguageStatement } from './page-language.ts';
import type { PageLetters } from './page-letters.ts';
import { MetadataReader, type PageMetadata, type StatedFacts } from './page-metadata.ts';
import { directivesOf, PRODUCT } from './robots-directives.ts';

const MAX_DEPTH = 500;

const MAX_ELEMENTS = 200_000;

const MAX_LINKS = 5000;

const MAX_ASSETS = 500;

const MAX_ALTERNATES = 100;

const FEED_TYPE = /^application\/(?:rss|atom)\+xml\s*(?:;|$)/i;

const JSON_LD = /^application\/ld\+json\s*(?:;|$)/i;

const MAX_HIDDEN = 50;

const MAX_FRAMES = 10;

/** Words that a framework's element has before its scripts run. */
const SPLASH_CHARS = 80;

const MAX_ANCHOR_CHARS = 200;

const WRITE_CHARACTERS = 64 * KIB;

const SILENT_TAGS = new Set(['script', 'style', 'noscript', 'template', 'svg', 'title']);

/** Shorter attribute texts are labels. */
const MIN_ATTRIBUTE_CHARS = 40;

/** Result of one pass over a page's tags. URLs are absolute and normalised. */
export interface PageScan {
  title: string | null;
  description: string | null;
  /** What states a language, the most certain first. */
  languages: LanguageStatement[];
  canonicalUrl: string | null;
  /** Target of an immediate redirect. */
  movedTo: string | null;
  /** Lower-case directives of meta robots. */
  robots: string[];
  aiUse: string[];
  links: PageLink[];
  assets: PageAsset[];
  translations: string[];
  feeds: string[];
  /** Addresses that only links beyond the bound have. */
  leftOut: number;
  licence: string | null;
  hidden: HiddenText[];
  /** The page's marking of its main content: `main`, a single `article`, or none. */
  mainTag: 'main' | 'article' | null;
  elements: number;
  /** Where the page has too many elements; the rest is not read. */
  truncatedAt: number | null;
  facts: StatedFacts;
  hasScripts: boolean;
  /** Addresses of the frames in the page, whose content is not read. */
  frames: string[];
  /** The element that scripts usually write into has no text, or a few words. */
  hasEmptyPart: boolean;
  /** A part shows that it waits, or the page tells readers without scripts to turn them on. */
  awaitsScripts: boolean;
  /** The page is a set of frames. */
  isFrameset: boolean;
}

interface ScanOptions extends ParserOptions {
  /** Encoding of the page, by its name in the Encoding Standard. */
  encoding?: string;
}

interface Open {
  /** Tag depth at which it was opened. */
  depth: number;
  how: string;
  text: string;
}

/** Receives the tags and texts of a page, in order. */
export interface TagReader {
  enterTag(tag: string, attributes: Readonly<Record<string, string>>): void;
  readTagText(text: string): void;
  leaveTag(tag: string): void;
}

/**
 * Scans a page up to the bound on elements. `beside` receives the same events, so that a page is parsed once. Errors:
 * `source_too_large` for a page past the bound on nesting.
 */
export function scanPage(html: string, pageUrl: string, beside: TagReader, options: ScanOptions = {}): PageScan {
  const { encoding = 'utf-8', ...parsing } = options;
  const scanner = new Scanner(pageUrl, encoding);
  const handlers = {
    onopentag(tag: string, attributes: Readonly<Record<string, string>>) {
      scanner.openScannedTag(tag, attributes);
      beside.enterTag(tag, attributes);
    },
    ontext(text: string) {
      scanner.scanTagText(text);
      beside.readTagText(text);
    },
    oncomment: (text: string) => scanner.keepHiddenText('comment', 'comment', text),
    onclosetag(tag: string) {
      scanner.closeScannedTag(tag);
      beside.leaveTag(tag);
    },
  };
  const parser = new Parser(handlers, parsing);
  try {
    for (let at = 0; at < html.length; at += WRITE_CHARACTERS) parser.write(html.slice(at, at + WRITE_CHARACTERS));
    parser.end();
  } catch (error) {
    if (!(error instanceof TooManyElements)) throw error;
    return scanner.endPageScan(parser.startIndex);
  }
  return scanner.endPageScan(null);
}

/** Ends the scan: the rest of the page is left out. */
class TooManyElements extends Error {}

class Scanner {
  readonly #encoding: string;
  readonly #scan: Omit<PageScan, 'facts' | 'truncatedAt'>;
  readonly #metadata = new MetadataReader();
  readonly #assets = new Set<string>();
  /** Addresses that links have, once there are more than are kept. */
  #linked: Set<string> | null = null;
  #isJsonLd = false;
  #isNoscript = false;
  #base: string;
  #hasBase = false;
  #depth = 0;
  #silentDepth = 0;
  #title: string | null = null;
  #hiding: Open | null = null;
  #anchor: PageLink | null = null;
  /** Depth of the open frame without text so far; 0 outside one. */
  #frameDepth = 0;
  #frameCharsLeft = 0;
  #isMainPart = false;
  #hasFilledMain = false;
  #mains = 0;
  #articles = 0;

  constructor(pageUrl: string, encoding: string) {
    this.#encoding = encoding;
    this.#base = pageUrl;
    this.#scan = {
      title: null,
      description: null,
      languages: [],
      canonicalUrl: null,
      movedTo: null,
      robots: [],
      aiUse: [],
      links: [],
      assets: [],
      translations: [],
      feeds: [],
      leftOut: 0,
      licence: null,
      hidden: [],
      mainTag: null,
      elements: 0,
      hasScripts: false,
      frames: [],
      hasEmptyPart: false,
      awaitsScripts: false,
      isFrameset: false,
    };
  }

  openScannedTag(tag: string, attributes: Readonly<Record<string, string>>): void {
    this.#depth += 1;
    this.#scan.elements += 1;
    if (this.#scan.elements > MAX_ELEMENTS) throw new TooManyElements();
    if (this.#depth > MAX_DEPTH) throw new QuarryError('source_too_large', say`The page nests too deeply.`);
    if (this.#silentDepth === 0 && SILENT_TAGS.has(tag)) {
      this.#silentDepth = this.#depth;
      if (tag === 'title') this.#title ??= '';
      this.#isNoscript = tag === 'noscript';
    }
    if (isScriptedPart(tag, attributes)) {
      this.#frameDepth = this.#depth;
      // What is for everyone has few words in its main part on many a page.
      this.#isMainPart = tag === 'main' || attributes.role === 'main';
      this.#frameCharsLeft = this.#isMainPart ? 0 : SPLASH_CHARS;
    }
    if (this.#silentDepth === 0 && isBusy(attributes)) this.#scan.awaitsScripts = true;
    if (tag === 'frameset') this.#scan.isFrameset = true;
    this.#metadata.bylines.openBylineTag(tag, attributes, this.#depth);
    if (attributes.itemtype !== undefined) this.#metadata.beginMicrodataItem(attributes.itemtype);
    this.#readTag(tag, attributes);
    this.#readHiding(tag, attributes);
  }

  scanTagText(text: string): void {
    if (this.#silentDepth > 0) {
      if (this.#isJsonLd) this.#metadata.scriptText(text);
      else if (this.#isNoscript) this.#scan.awaitsScripts ||= /javascript/i.test(text);
      else if (this.#title !== null && this.#scan.title === null) this.#title += wholeSlice(text, 0, MAX_KEPT_CHARS);
      return;
    }
    this.#metadata.bylines.addBylineText(text);
    if (this.#frameDepth > 0) this.#frameCharsLeft -= text.trim().length;
    if (this.#frameCharsLeft < 0) {
      this.#hasFilledMain ||= this.#frameDepth > 0 && this.#isMainPart;
      this.#frameDepth = 0;
    }
    if (this.#anchor !== null && this.#anchor.text.length < MAX_ANCHOR_CHARS) this.#anchor.text += text;
    if (this.#hiding !== null && this.#hiding.text.length < MAX_KEPT_CHARS) this.#hiding.text += text;
    if (INVISIBLE.test(text)) this.keepHiddenText('invisible', 'text', text);
  }

  closeScannedTag(tag: string): void {
    if (this.#silentDepth === this.#depth) {
      this.#silentDepth = 0;
      this.#isJsonLd = false;
      if (tag === 'title' && this.#title !== null) this.#scan.title ??= boundedOneLine(this.#title);
    }
    if (this.#hiding?.depth === this.#depth) {
      this.keepHiddenText(this.#hiding.how, 'hidden-text', this.#hiding.text);
      this.#hiding = null;
    }
    this.#metadata.bylines.closeBylineTag(tag, this.#depth);
    if (tag === 'a') this.#closeAnchor();
    if (this.#frameDepth === this.#depth) {
      this.#scan.hasEmptyPart = true;
      this.#frameDepth = 0;
    }
    this.#depth -= 1;
  }

  /** Keeps the start of the first few texts that people see differently or not at all. */
  keepHiddenText(how: string, where: HiddenText['where'], text: string): void {
    const line = where === 'text' ? aroundInvisible(text) : boundedOneLine(text);
    if (line === null || this.#scan.hidden.length >= MAX_HIDDEN) return;
    if (where === 'comment' && line.length < MIN_ATTRIBUTE_CHARS) return;
    this.#scan.hidden.push({ how, where, text: wholeSlice(line, 0, MAX_KEPT_CHARS) });
  }

  endPageScan(truncatedAt: number | null): PageScan {
    this.#closeAnchor();
    this.#scan.title ??= boundedOneLine(this.#title ?? '');
    // Beside a main part with text, an empty one is for something else.
    this.#scan.hasEmptyPart &&= !this.#hasFilledMain;
    if (this.#mains === 1) this.#scan.mainTag = 'main';
    else if (this.#articles === 1) this.#scan.mainTag = 'article';
    const facts = this.#metadata.statedMetadata(this.#base, this.#scan.title);
    this.#scan.title ??= facts.title;
    this.#scan.languages.push(...facts.languages);
    return { ...this.#scan, facts, truncatedAt };
  }

  #readTag(tag: string, attributes: Readonly<Record<string, string>>): void {
    switch (tag) {
      case 'html':
        this.#addLanguage('html', attributes.lang ?? attributes['xml:lang']);
        break;
      case 'base':
        this.#readBase(attributes.href);
        break;
      case 'frame':
        if (attributes.src !== undefined) this.#addLink({ url: attributes.src, text: '', nofollow: false });
        break;
      case 'iframe':
        this.#readFrame(attributes);
        break;
      case 'meta':
        this.#readMeta(attributes);
        break;
      case 'link':
        this.#readLinkTag(attributes);
        break;
      case 'a':
      case 'area':
        this.#readAnchor(tag, attributes);
        break;
      case 'img':
        this.#addAsset(isPixel(attributes) ? 'pixel' : 'asset', attributes.src);
        break;
      case 'script':
        this.#readScript(attributes);
        break;
      case 'time':
        this.#metadata.readTimeTag(attributes, this.#articles > 0);
        break;
      case 'main':
        this.#mains += 1;
        break;
      case 'article':
        this.#articles += 1;
        break;
    }
    if (tag !== 'main' && attributes.role === 'main') this.#mains += 1;
  }

  #addLanguage(by: LanguageStatement['by'], code = ''): void {
    const { languages } = this.#scan;
    if (code.trim() !== '' && !languages.some((one) => one.by === by)) languages.push({ by, code });
  }

  #readFrame(attributes: Readonly<Record<string, string>>): void {
    const { src } = attributes;
    const isShown = this.#silentDepth === 0 && this.#hiding === null && hidingOf(attributes) === null;
    if (src === undefined || !isShown || isPixel(attributes)) return;
    if (this.#scan.frames.length < MAX_FRAMES) this.#keepUrl(this.#scan.frames, src);
  }

  #readScript({ src, type = '' }: Readonly<Record<string, string>>): void {
    this.#addAsset('script', src);
    if (!JSON_LD.test(type)) this.#scan.hasScripts = true;
    else if (this.#silentDepth === this.#depth) {
      this.#isJsonLd = true;
      this.#metadata.openScript();
    }
  }

  /** The first one counts, as in browsers. */
  #readBase(href: string | undefined): void {
    if (href === undefined || this.#hasBase) return;
    this.#hasBase = true;
    this.#base = normalUrl(href, this.#base) ?? this.#base;
  }

  #readMeta(attributes: Readonly<Record<string, string>>): void {
    const scan = this.#scan;
    const name = (attributes.name ?? attributes.property ?? attributes['http-equiv'] ?? '').toLowerCase();
    const content = attributes.content ?? '';
    this.#metadata.readMetaTag(name, content);
    if (name === 'description' || name === 'og:description') scan.description ??= boundedOneLine(content);
    if (name === 'content-language') this.#addLanguage('meta', content);
    if (name === 'robots' || name === PRODUCT) scan.robots.push(...directivesOf(content));
    if (name === 'tdm-reservation') scan.aiUse.push(`tdm-reservation: ${wholeSlice(content, 0, 20)}`);
    if (name === 'refresh') this.#readRefresh(content);
    if (/^(dcterms\.)?(licen[sc]e|rights)$/.test(name)) scan.licence ??= boundedOneLine(content);
  }

  /** A refresh for readers without scripts (inside noscript) does not apply to other readers. */
  #readRefresh(content: string): void {
    const refresh = refreshOf(content);
    if (refresh === null) return;
    this.#addLink({ url: refresh.target, text: '', nofollow: false });
    if (refresh.isInstant && this.#silentDepth === 0) this.#scan.movedTo ??= this.#scannedUrl(refresh.target);
  }

  #readLinkTag({ rel = '', href, type = '', hreflang }: Readonly<Record<string, string>>): void {
    if (href === undefined) return;
    const relations = rel.toLowerCase().split(/\s+/);
    if (relations.includes('canonical')) this.#scan.canonicalUrl ??= this.#scannedUrl(href);
    else if (relations.includes('license')) this.#scan.licence ??= normalUrl(href, this.#base);
    else if (relations.includes('next') || relations.includes('prev')) {
      this.#addLink({ url: href, text: '', nofollow: false });
    } else if (relations.includes('alternate')) {
      const { feeds, translations } = this.#scan;
      if (FEED_TYPE.test(type)) this.#keepUrl(feeds, href);
      else if (hreflang !== undefined && type === '') this.#keepUrl(translations, href);
    } else if (relations.includes('stylesheet') || relations.includes('icon')) this.#addAsset('asset', href);
  }

  #readAnchor(tag: string, attributes: Readonly<Record<string, string>>): void {
    const { href, rel = '' } = attributes;
    if (href === undefined) return;
    this.#closeAnchor();
    const relations = rel.toLowerCase().split(/\s+/);
    if (relations.includes('license')) this.#scan.licence ??= normalUrl(href, this.#base);
    const link = { url: href, text: '', nofollow: relations.includes('nofollow') };
    if (tag === 'area') this.#addLink({ ...link, text: attributes.alt ?? '' });
    else this.#anchor = link;
  }

  #closeAnchor(): void {
    if (this.#anchor !== null) this.#addLink(this.#anchor);
    this.#anchor = null;
  }

  #scannedUrl(address: string): string | null {
    return normalUrl(withEncodedQuery(address, this.#encoding), this.#base);
  }

  #keepUrl(list: string[], address: string): void {
    const url = this.#scannedUrl(address);
    if (url !== null && list.length < MAX_ALTERNATES && !list.includes(url)) list.push(url);
  }

  #addLink(link: PageLink): void {
    const url = this.#scannedUrl(link.url);
    if (url === null) return;
    if (this.#scan.links.length >= MAX_LINKS) this.#countLeftOutLink(url);
    else
      this.#scan.links.push({ ...link, url, text: wholeSlice(boundedOneLine(link.text) ?? '', 0, MAX_ANCHOR_CHARS) });
  }

  /** A repeated link to an address that is kept is no loss. */
  #countLeftOutLink(url: string): void {
    this.#linked ??= new Set(this.#scan.links.map((link) => link.url));
    if (this.#linked.has(url)) return;
    this.#linked.add(url);
    this.#scan.leftOut += 1;
  }

  #addAsset(kind: PageAsset['kind'], address: string | undefined): void {
    // Every view of a page names a pixel with another query.
    const url = address === undefined ? null : this.#scannedUrl(kind === 'pixel' ? withoutQuery(address) : address);
    const key = `${kind} ${url}`;
    if (url === null || this.#assets.has(key) || this.#scan.assets.length >= MAX_ASSETS) return;
    this.#assets.add(key);
    this.#scan.assets.push({ kind, url });
  }

  #readHiding(tag: string, attributes: Readonly<Record<string, string>>): void {
    for (const name of ['alt', 'title', 'aria-label', 'placeholder']) {
      const value = attributes[name];
      if (value !== undefined && value.length >= MIN_ATTRIBUTE_CHARS) this.keepHiddenText(name, 'attribute', value);
    }
    if (this.#hiding !== null || VOID_TAGS.has(tag) || tag === 'body' || tag === 'html') return;
    const how = hidingOf(attributes);
    if (how !== null) this.#hiding = { depth: this.#depth, how, text: '' };
  }
}

/** Ids of the elements that frameworks write into. */
const SCRIPTED_ID =
  /^(?:(?:react-)?root|app(?:-?root|lication)?|__next|__nuxt|___gatsby|svelte|main|ember\d*|q-app|mount|outlet|view)$/i;

/** Elements and attributes of frameworks. */
const SCRIPTED_TAG = /^(?:main|router-(?:outlet|view)|(?:[a-z]+-)?app(?:-[a-z]+)?)$/;

const SCRIPTED_ATTRIBUTES = ['ng-app', 'data-ng-app', 'ng-view', 'ui-view', 'v-cloak', 'data-reactroot', 'data-v-app'];

function isScriptedPart(tag: string, attributes: Readonly<Record<string, string>>): boolean {
  const { id, role } = attributes;
  if (SCRIPTED_TAG.test(tag) || role === 'main' || (id !== undefined && SCRIPTED_ID.test(id))) return true;
  return SCRIPTED_ATTRIBUTES.some((name) => name in attributes);
}

const BUSY_CLASS = /(?:^|[\s_-])(?:skeleton|shimmer|spinner|(?:pre)?loader|placeholder-(?:glow|wave))(?![a-z])/i;

/** A part that shows that its content is still to come. */
function isBusy(attributes: Readonly<Record<string, string>>): boolean {
  if (attributes['aria-busy'] === 'true' || attributes.role === 'progressbar') return true;
  return attributes.class !== undefined && BUSY_CLASS.test(attributes.class);
}

/** Ways to hide text by attributes alone. Stylesheets are not read. */
const HIDING_STYLES: readonly [string, RegExp][] = [
  ['display: none', /(?:^|;)\s*display\s*:\s*none/i],
  ['visibility: hidden', /(?:^|;)\s*visibility\s*:\s*(?:hidden|collapse)/i],
  ['opacity: 0', /(?:^|;)\s*opacity\s*:\s*0(?:\.0+)?\s*(?:;|!|$)/i],
  ['font-size: 0', /(?:^|;)\s*font-size\s*:\s*[01](?:\.\d+)?\s*(?:px|pt|em|rem|%)?\s*(?:;|!|$)/i],
  ['off screen', /(?:^|;)\s*(?:left|top|right|text-indent|margin-left)\s*:\s*-\d{3,}/i],
  ['clipped', /(?:^|;)\s*(?:clip\s*:\s*rect\(\s*0|clip-path\s*:\s*inset\(\s*(?:50|100)%)/i],
];

const COLOUR = /(?:^|;)\s*color\s*:\s*([^;!]+)/i;

const BACKGROUND = /(?:^|;)\s*background(?:-color)?\s*:\s*([^;!]+)/i;

/** Class names for text hidden visually but available to screen readers. */
const HIDDEN_CLASS = /(?:^|\s)(?:sr-only|visually-?hidden|screen-reader-text|d-none)(?:\s|$)/i;

/** How an element's attributes hide its content, or null. */
function hidingOf(attributes: Readonly<Record<string, string>>): string | null {
  if (attributes.hidden !== undefined) return 'hidden attribute';
  const { style, class: classes } = attributes;
  if (style !== undefined) {
    const way = HIDING_STYLES.find(([, pattern]) => pattern.test(style));
    if (way !== undefined) return way[0];
    const colour = COLOUR.exec(style)?.[1]?.trim().toLowerCase();
    if (colour !== undefined && colour === BACKGROUND.exec(style)?.[1]?.trim().toLowerCase()) {
      return 'colour of its background';
    }
  }
  return classes !== undefined && HIDDEN_CLASS.test(classes) ? 'class for screen readers' : null;
}

/** Two patterns, because a combined one would scan the rest of the text from every width. */
const TINY_WIDTH = /(?:^|[;\s])width:\s*[01]px/i;

const TINY_HEIGHT = /(?:^|[;\s])height:\s*[01]px/i;

function withoutQuery(address: string): string {
  return address.split('?', 1)[0] ?? address;
}

/** A tracking pixel. */
export function isPixel({ width, height, style = '' }: Readonly<Record<string, string>>): boolean {
  const isTinySize = (size: string | undefined) => size !== undefined && /^[01](px)?$/.test(size.trim());
  return (isTinySize(width) && isTinySize(height)) || (TINY_WIDTH.test(style) && TINY_HEIGHT.test(style));
}

/** Bound on the kept length of a title, a description or a hidden text. */
const MAX_KEPT_CHARS = 600;

const INVISIBLE = /[\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufeff\u{e0000}-\u{e007f}]/u;

function boundedOneLine(text: string): string | null {
  const line = text.replace(/\s+/g, ' ').trim().toWellFormed();
  return line === '' ? null : wholeSlice(line, 0, MAX_KEPT_CHARS);
}

/** The text around the first invisible character, unchanged. */
function aroundInvisible(text: string): string {
  const at = text.search(INVISIBLE);
  return wholeSlice(text, Math.max(0, at - 40), at + 80);
}

const REFRESH = /^\s*(\d*)[\s\d.]*[;,\s]\s*(?:url\s*=\s*)?['"]?([^\s'"][^'"]*)/i;

/** A refresh this fast is a redirect, as in browsers and other crawlers. */
const MAX_INSTANT_SECONDS = 1;

/** Target of a `meta http-equiv="refresh"`; null if the page only reloads itself. */
function refreshOf(content: string): { target: string; isInstant: boolean } | null {
  const [, seconds, target] = REFRESH.exec(content) ?? [];
  return target === undefined ? null : { target, isInstant: Number(seconds) <= MAX_INSTANT_SECONDS };
}

// The URL standard encodes the query of a link in the page's encoding and the path in UTF-8: a server that writes
// windows-1251 does not find a query in UTF-8.

/** Encodings without fixed bytes per character, or which the standard never sends. */
const NEVER_SENT = /^(?:utf-|iso-2022-jp|replacement|x-user-defined)/;

const LEAST_LEAD = 0x80;

const GREATEST = 0xff;

const LEAST_TRAIL = 0x40;

const LINE_FEED = 0x0a;

const DELETE = 0x7f;

type Table = ReadonlyMap<string, string>;

let known: { encoding: string; table: Table } | null = null;

/** The address with the non-ASCII characters of its query as bytes of the encoding. */
export function withEncodedQuery(address: string, encoding: string): string {
  const query = address.indexOf('?');
  if (query === -1 || NEVER_SENT.test(encoding) || !/[^\0-\x7f]/.test(address)) return address;
  const fragment = address.indexOf('#');
  if (fragment !== -1 && fragment < query) return address;
  const end = fragment === -1 ? address.length : fragment;
  if (known?.encoding !== encoding) known = { encoding, table: tableOf(encoding) };
  const { table } = known;
  const encodeQueryCharacter = (character: string) => table.get(character) ?? `%26%23${character.codePointAt(0)}%3B`;
  return (
    address.slice(0, query) +
    address.slice(query, end).replace(/[^\0-\x7f]/gu, encodeQueryCharacter) +
    address.slice(end)
  );
}

/** Second bytes may equal ASCII letters, which a query contains literally. */
function percentEncodeByte(byte: number): string {
  return byte < DELETE ? String.fromCharCode(byte) : `%${byte.toString(16).toUpperCase()}`;
}

/** Maps each one-byte or two-byte character to its bytes. Built from the decoder, because there is no encoder. */
function tableOf(encoding: string): Table {
  const decoder = new TextDecoder(encoding);
  const table = new Map<string, string>();
  const keepDecodedSequences = (sequences: readonly number[][]) => {
    const lines = decoder.decode(Uint8Array.from(sequences.flatMap((bytes) => [...bytes, LINE_FEED]))).split('\n');
    for (const [at, character] of lines.entries()) {
      const bytes = sequences[at];
      if (bytes === undefined || [...character].length !== 1 || character === '\ufffd' || table.has(character))
        continue;
      table.set(character, bytes.map(percentEncodeByte).join(''));
    }
  };
  const leads = Array.from({ length: GREATEST - LEAST_LEAD + 1 }, (_, at) => LEAST_LEAD + at);
  const trails = Array.from({ length: GREATEST - LEAST_TRAIL }, (_, at) => LEAST_TRAIL + at);
  keepDecodedSequences(leads.map((lead) => [lead]));
  for (const lead of leads) keepDecodedSequences(trails.map((trail) => [lead, trail]));
  return table;
}

export interface PageLink {
  url: string;
  text: string;
  nofollow: boolean;
}

interface PageAsset {
  kind: 'asset' | 'script' | 'pixel';
  url: string;
}

/** Text that people and machines see differently: hidden elements, comments, long attributes, invisible characters. */
export interface HiddenText {
  /** How it is hidden, in words. */
  how: string;
  where: 'text' | 'hidden-text' | 'attribute' | 'comment';
  text: string;
}

/** A page as read: one line of a batch file in the job's work folder, and the input of all outputs. */
export interface PageRecord {
  /** Number in the ledger. */
  id: number;
  url: string;
  title: string | null;
  description: string | null;
  languages: LanguageStatement[];
  canonicalUrl: string | null;
  /** Target of an immediate redirect. */
  movedTo: string | null;
  robots: string[];
  aiUse: string[];
  licence: string | null;
  links: PageLink[];
  assets: PageAsset[];
  translations: string[];
  feeds: string[];
  /** Addresses that only links beyond the bound have. */
  leftOut: number;
  hidden: HiddenText[];
  metadata: PageMetadata;
  /** It has no text, but scripts that may write it. */
  needsScript: boolean;
  /** It has scripts, and only a placeholder for what they write. */
  isPlaceholder: boolean;
  /** Only its first part was read. */
  truncated: boolean;
  contentHash: string;
  blocks: Block[];
  letters: PageLetters;
}
