/**
 * Threat: pages written to exhaust a parser. There is no tree: one pass over the tags, with bounds on their count and
 * nesting depth (the library's tag stack is quadratic in depth). Nothing is fetched or executed.
 */

import { Parser } from 'htmlparser2';
import { QuarryError } from '../../../src-server/platform/errors.ts';
import { type DecodedText, decodeText, encodingDoubt } from '../../../src-server/platform/text/decode-text.ts';
import { say } from '../../../src-server/platform/text/say.ts';
import { KIB } from '../../../src-server/platform/units.ts';
import type { DocumentParser } from '../blocks.ts';
import { DocumentBuilder } from '../document-builder.ts';
import type { AddressOf } from './inline.ts';
import { formText } from './tags.ts';
import { type HtmlFacts, HtmlWalker, type LeaveOut } from './walker.ts';

const MAX_DEPTH = 500;

const MAX_ELEMENTS = 2_000_000;

/** The part of a page that may declare its character set. */
const CHARSET_SEARCH_BYTES = 4 * KIB;

const WRITE_CHARACTERS = 64 * KIB;

/** Decodes a page. `headerCharset` is the charset of the HTTP header, if any. */
export function decodeHtml(bytes: Buffer, headerCharset: string | null = null): DecodedText {
  // Ignores declarations in comments.
  const start = bytes.toString('latin1', 0, CHARSET_SEARCH_BYTES).replace(/<!--[\s\S]*?(?:-->|$)/g, '');
  const declared = /<meta[^>]+charset\s*=\s*["']?\s*([\w:.-]+)/i.exec(start)?.[1];
  const xml = /^\s*<\?xml[^>]+encoding\s*=\s*["']([\w:.-]+)/i.exec(start)?.[1];
  return decodeText(bytes, { declared: [headerCharset, declared ?? xml ?? null] });
}

/** A page from its file, or the page of a web archive, with its shadow roots. */
export function decodePage(bytes: Buffer, document?: Pick<DocumentBuilder, 'addWarning'>): string {
  const archived = pageOfArchive(bytes);
  const decoded = archived === null ? decodeHtml(bytes) : decodeHtml(archived.content, archived.charset);
  if (!decoded.isCertain) document?.addWarning(encodingDoubt(decoded.encoding));
  const { text } = decoded;
  return withShadowRoots(XHTML_START.test(text.slice(0, CHARSET_SEARCH_BYTES)) ? xhtmlAsHtml(text) : text);
}

/** Other pages are read as browsers do, whatever their document type says. */
const XHTML_START = /^\s*<\?xml\b[\s\S]*?<html\b[^>]*\sxmlns\s*=\s*["']http:\/\/www\.w3\.org\/1999\/xhtml["']/;

/** Comments, sections of characters, and empty tags of elements that need an end in HTML. */
const XML_WRITING = new RegExp(
  '<!--[\\s\\S]*?(?:-->|$)|<!\\[CDATA\\[([\\s\\S]*?)(?:\\]\\]>|$)|' +
    '<(?!(?:br|img|hr|meta|link|input|col|area|base|embed|param|source|track|wbr)[\\s/])' +
    '([a-zA-Z][\\w:.-]*)((?:\\s[^<>]*?)?)/>',
  'g',
);

/** XHTML in the writing of HTML, where `<title/>` would take the rest of the page for its text. */
export function xhtmlAsHtml(text: string): string {
  return text.replace(XML_WRITING, (whole: string, characters?: string, name?: string, attributes?: string) => {
    if (characters !== undefined) return characters.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
    return name === undefined ? whole : `<${name}${attributes}></${name}>`;
  });
}

const SHADOW_ROOT = /shadowrootmode/i;

/** Tags of templates, and what may name such tags without being one: comments, scripts, styles. */
const TEMPLATE_TAGS = new RegExp(
  '<!--[\\s\\S]*?(?:-->|$)|<(script|style|textarea|title|xmp)(?=[\\s>])[\\s\\S]*?(?:</\\1|$)|' +
    '<template(?=[\\s/>])([^<>]*)>|</template\\s*>',
  'gi',
);

/** Declarative shadow roots are part of a page without any script; other templates, and roots in them, are not. */
export function withShadowRoots(html: string): string {
  if (!SHADOW_ROOT.test(html)) return html;
  const open: boolean[] = [];
  let inert = 0;
  return html.replace(TEMPLATE_TAGS, (tag: string, skipped?: string, attributes?: string) => {
    if (skipped !== undefined || tag.startsWith('<!--')) return tag;
    if (attributes !== undefined) {
      const isRoot = inert === 0 && /(?:^|\s)shadowrootmode(?=[\s=/]|$)/i.test(attributes);
      open.push(isRoot);
      if (!isRoot) inert += 1;
      return isRoot ? `<div${attributes}>` : tag;
    }
    const isRoot = open.pop();
    if (isRoot === false) inert -= 1;
    return isRoot === true ? '</div>' : tag;
  });
}

/**
 * Walks a page and adds its blocks to `builder`. Throws `source_too_large` past the bounds on nesting and element
 * count.
 */
export function readHtml(
  html: string,
  builder: DocumentBuilder,
  leaveOut: LeaveOut = () => undefined,
  addressOf: AddressOf = absoluteAddress,
): HtmlFacts {
  const walker = new HtmlWalker(builder, leaveOut, addressOf);
  let depth = 0;
  let elements = 0;
  const parser = new Parser({
    onopentag(tag, attributes) {
      builder.checkCancellation();
      depth += 1;
      elements += 1;
      if (depth > MAX_DEPTH || elements > MAX_ELEMENTS) {
        throw new QuarryError('source_too_large', say`The page nests too deeply or has too many elements.`);
      }
      walker.openHtmlTag(tag, attributes);
      const field = formText(tag, attributes);
      if (field?.isHint === false) walker.addHtmlText(` ${field.text} `);
    },
    ontext: (text) => walker.addHtmlText(text),
    onclosetag(tag) {
      depth -= 1;
      walker.closeHtmlTag(tag);
    },
  });
  for (let at = 0; at < html.length; at += WRITE_CHARACTERS) parser.write(html.slice(at, at + WRITE_CHARACTERS));
  parser.end();
  return walker.finishHtmlWalk();
}

/** Addresses that mean the same wherever the text is read. */
function absoluteAddress(address: string): string | null {
  return /^(?:https?|mailto|ftp|tel):/i.test(address.trim()) ? address.trim() : null;
}

/** Characters in which a page states the address that others are relative to. */
const HEAD_CHARACTERS = 64 * KIB;

/** Addresses of a page in a file: those relative to a stated one, or else as they are written. */
function addressesIn(html: string): AddressOf {
  const [, , stated] = /<base\s[^<>]*?href\s*=\s*(["']?)([^"'\s<>]+)\1/i.exec(html.slice(0, HEAD_CHARACTERS)) ?? [];
  const base = stated !== undefined && URL.canParse(stated) ? stated : null;
  return (address) => {
    const own = address.trim();
    if (/^(?:#|[a-z][a-z\d+.-]*:|$)/i.test(own)) return absoluteAddress(own);
    return base === null ? own : (URL.parse(own, base)?.href ?? null);
  };
}

/** Web pages: headings, paragraphs, lists, tables, code, captions. Scripts, styles and hidden content are left out. */
export const parseHtml: DocumentParser = async (bytes, options) => {
  const builder = new DocumentBuilder(options);
  const numbers: string[] = [];
  const html = decodePage(bytes, builder);
  // What is hidden is known to the count of the source.
  const noteNumber: LeaveOut = (reason, piece) => void (reason === 'navigation' && numbers.push(piece));
  const facts = readHtml(html, builder, noteNumber, addressesIn(html));
  options.ledger.recordLeftOutText({ reason: 'navigation', where: '', text: numbers.join('') });
  return builder.buildNormalizedDocument({ format: 'html', ...facts });
};

// Web archives (MHTML): a page and its pictures as parts of one message, as browsers save them and some programs export
// them with the extension .doc. Threat: nested messages; their depth is bounded and each is scanned once.

export interface ArchivedPage {
  content: Buffer;
  /** As stated by the part. */
  charset: string | null;
}

interface Part {
  fields: ReadonlyMap<string, string>;
  /** One character per byte. */
  body: string;
}

const MAX_PART_DEPTH = 5;

const MAX_HEAD_CHARS = 64 * 1024;

const FIRST_FIELD = /^[\w-]+:/;

/** The first page of an archive; null for other files. Throws `unsupported_media` for an archive without a page. */
export function pageOfArchive(bytes: Buffer): ArchivedPage | null {
  if (!FIRST_FIELD.test(bytes.toString('latin1', 0, 100).trimStart())) return null;
  const whole = readMhtmlPart(bytes.toString('latin1').trimStart());
  if (!/^multipart\/related\b/i.test(whole.fields.get('content-type') ?? '')) return null;
  const page = pageIn(whole, MAX_PART_DEPTH);
  if (page !== null) return page;
  throw new QuarryError('unsupported_media', say`The web archive has no page: send the page itself.`);
}

function pageIn(part: Part, depth: number): ArchivedPage | null {
  const type = part.fields.get('content-type') ?? '';
  if (/^text\/html\b/i.test(type))
    return { content: decodeMhtmlBody(part), charset: mhtmlFieldParameter(type, 'charset') };
  const boundary = /^multipart\//i.test(type) ? mhtmlFieldParameter(type, 'boundary') : null;
  if (boundary === null || boundary === '' || depth === 0) return null;
  for (const piece of splitMultipartPieces(`\n${part.body}`, `\n--${boundary}`)) {
    const page = pageIn(readMhtmlPart(piece), depth - 1);
    if (page !== null) return page;
  }
  return null;
}

/** A generator, so that a file full of boundaries does not become a list of millions. */
function* splitMultipartPieces(body: string, boundary: string): Generator<string> {
  // Text before the first boundary is for programs without MIME support.
  let at = body.indexOf(boundary);
  while (at !== -1) {
    const start = body.indexOf('\n', at + boundary.length) + 1;
    if (start === 0) return;
    at = body.indexOf(boundary, start - 1);
    yield body.slice(start, at === -1 ? undefined : at);
  }
}

function readMhtmlPart(text: string): Part {
  const end = /\r?\n\r?\n/.exec(text.slice(0, MAX_HEAD_CHARS));
  const head = end === null ? '' : text.slice(0, end.index);
  const fields = new Map<string, string>();
  // A line that starts with white space continues the previous one.
  for (const line of head.replace(/\r?\n[ \t]+/g, ' ').split(/\r?\n/)) {
    const colon = line.indexOf(':');
    if (colon > 0) fields.set(line.slice(0, colon).trim().toLowerCase(), line.slice(colon + 1).trim());
  }
  return { fields, body: end === null ? text : text.slice(end.index + end[0].length) };
}

function mhtmlFieldParameter(field: string, name: string): string | null {
  const [, quoted, plain] = new RegExp(`;\\s*${name}\\s*=\\s*(?:"([^"]*)"|([^\\s;]+))`, 'i').exec(field) ?? [];
  return quoted ?? plain ?? null;
}

function decodeMhtmlBody({ fields, body }: Part): Buffer {
  switch (fields.get('content-transfer-encoding')?.toLowerCase()) {
    case 'base64':
      return Buffer.from(body, 'base64');
    case 'quoted-printable':
      return Buffer.from(
        body
          .replace(/=[ \t]*\r?\n/g, '')
          .replace(/=([\da-f]{2})/gi, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16))),
        'latin1',
      );
    default:
      return Buffer.from(body, 'latin1');
  }
}
