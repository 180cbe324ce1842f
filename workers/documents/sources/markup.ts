import { posix } from 'node:path';
import { omitUndefined } from '../../../src-server/platform/omit-undefined.ts';
import type { LeftOutReason } from '../../../src-server/platform/source-account.ts';
import type { ParseOptions } from '../blocks.ts';
import { decodeHtml, decodePage, xhtmlAsHtml } from '../html/parse-html.ts';
import { formText, framedText, isHiddenElement, kindsOf, SKIPPED, skippedReason, VOID } from '../html/tags.ts';
import type { SourceLedger } from '../source-ledger.ts';
import { ENCODED_CHARS_MIN, reasonOfEncodedFile } from '../xml/elements.ts';
import { holdsPage } from '../xml/parse-xml.ts';
import { openPackage } from '../zip-package.ts';
import { decodePart } from './office.ts';
import { attributeOf, resolveReferences, scanXml, tagEnd } from './scan-xml.ts';

/** Counts a page, or the page of a web archive. */
export function countHtml(bytes: Buffer, { ledger }: ParseOptions): void {
  countPage(decodePage(bytes), '', ledger);
}

/** Counts the text nodes of a page. */
export function countPage(html: string, where: string, ledger: SourceLedger): void {
  const page = new PageCounter();
  scanTags(html, page);
  ledger.addOwedText(where, page.owed.join(''));
  ledger.mayHold(page.optional.join('\n'));
  for (const [reason, pieces] of page.leftOut) {
    const text = pieces.join('');
    ledger.addOwedText(where, text);
    ledger.recordLeftOutText({ reason, where, text });
  }
}

/** Elements whose content is no markup; that of frames is text for browsers without them. */
const RAW = new Set(['script', 'style', 'textarea', 'title', 'xmp', 'noembed']);

/** Scans tags as browsers do: names in lower case, and no tag need be closed. */
function scanTags(html: string, page: PageCounter): void {
  let at = 0;
  while (at < html.length) {
    const open = html.indexOf('<', at);
    page.addPageText(html.slice(at, open === -1 ? undefined : open));
    if (open === -1) return;
    if (!/[a-z!?/]/i.test(html[open + 1] ?? '')) {
      at = open + 1;
      continue;
    }
    const isComment = html.startsWith('<!--', open);
    const end = isComment ? html.indexOf('-->', open + 2) : tagEnd(html, open + 1);
    if (end === -1) return;
    at = end + (isComment ? 3 : 1);
    if (isComment) continue;
    const tag = html.slice(open + 1, end);
    const name = /^\/?([a-z][^\s/>]*)/i.exec(tag)?.[1]?.toLowerCase();
    if (name === undefined) continue;
    if (tag.startsWith('/')) page.closePageTag(name);
    else {
      page.openPageTag(name, tag);
      page.addPageText(framedText(name, omitUndefined({ srcdoc: attributeOf(tag, 'srcdoc') ?? undefined })) ?? '');
      if (RAW.has(name)) at = passRaw(html, at, name, page);
    }
  }
}

function isCode(name: string): boolean {
  return (kindsOf(name) & SKIPPED) !== 0 && skippedReason(name) === null;
}

function passRaw(html: string, from: number, name: string, page: PageCounter): number {
  const close = new RegExp(`</${name}`, 'gi');
  close.lastIndex = from;
  const end = close.exec(html)?.index ?? html.length;
  if (!isCode(name)) page.addPageText(html.slice(from, end));
  return end;
}

class PageCounter {
  readonly owed: string[] = [];
  readonly leftOut = new Map<LeftOutReason, string[]>();
  readonly optional: string[] = [];
  /** The open element that decides about all inside, and how many of its name are open. */
  #closed: { name: string; open: number; into: string[] } | null = null;

  openPageTag(name: string, tag: string): void {
    const kinds = kindsOf(name);
    if ((kinds & VOID) !== 0) {
      for (const attribute of name === 'input' ? ['alt', 'title'] : ['alt', 'title', 'value']) {
        const value = attributeOf(tag, attribute);
        if (value !== null) this.optional.push(value);
      }
      this.#addFormText(name, tag);
      (this.#closed?.into ?? this.owed).push('\n');
      return;
    }
    if (this.#closed !== null) {
      if (this.#closed.name === name && !tag.endsWith('/')) this.#closed.open += 1;
      return;
    }
    (this.owed.at(-1) === '\n' ? [] : this.owed).push(kinds === 0 ? '' : '\n');
    if ((kinds & SKIPPED) !== 0 || name === 'head') {
      const reason = name === 'head' ? null : skippedReason(name);
      const into = reason === null ? this.optional : this.#leftOutFor(reason);
      if (!tag.endsWith('/')) this.#closed = { name, open: 1, into };
    } else if (isHiddenTag(tag)) this.#closed = { name, open: 1, into: this.#leftOutFor('hidden') };
    else this.#addFormText(name, tag);
  }

  #addFormText(name: string, tag: string): void {
    if (!FORM_TAGS.has(name)) return;
    const attributes: Record<string, string> = isHiddenTag(tag) ? { hidden: '' } : {};
    for (const attribute of ['type', 'value', 'placeholder', 'label']) {
      const value = attributeOf(tag, attribute);
      if (value !== null) attributes[attribute] = value;
    }
    const field = formText(name, attributes);
    if (field === null) return;
    const into = this.#closed?.into ?? (field.isHint ? this.#leftOutFor('navigation') : this.owed);
    into.push(` ${field.text}\n`);
  }

  #leftOutFor(reason: LeftOutReason): string[] {
    const pieces = this.leftOut.get(reason) ?? [];
    this.leftOut.set(reason, pieces);
    return pieces;
  }

  closePageTag(name: string): void {
    if (this.#closed?.name === name) {
      this.#closed.open -= 1;
      if (this.#closed.open === 0) this.#closed = null;
    }
    if (kindsOf(name) !== 0) (this.#closed?.into ?? this.owed).push('\n');
  }

  addPageText(text: string): void {
    if (text === '') return;
    const plain = resolveReferences(text.includes('&') ? text.replace(UNENDED_SIGN, ' ') : text);
    if (this.#closed !== null) this.#closed.into.push(plain);
    else this.owed.push(plain);
  }
}

/** References to signs, which browsers read without a semicolon too. */
const SIGNS = [
  ...['copy', 'COPY', 'reg', 'REG', 'cent', 'pound', 'curren', 'yen', 'brvbar', 'sect', 'uml', 'laquo', 'raquo', 'not'],
  ...['shy', 'macr', 'deg', 'plusmn', 'acute', 'para', 'middot', 'cedil', 'iexcl', 'iquest', 'times', 'divide', 'nbsp'],
];

const UNENDED_SIGN = new RegExp(`&(?:${SIGNS.join('|')})(?![A-Za-z\\d]*;)`, 'g');

const FORM_TAGS = new Set(['input', 'textarea', 'optgroup', 'option']);

function isHiddenTag(tag: string): boolean {
  if (!/\s(?:hidden|style)/i.test(tag)) return false;
  const style = attributeOf(tag, 'style');
  const hidden = /\shidden(?=[\s=/]|$)/i.test(tag) ? (attributeOf(tag, 'hidden') ?? '') : undefined;
  return isHiddenElement(omitUndefined({ style: style ?? undefined, hidden }));
}

/** Counts the chapters of a book, in the order of its spine. */
export async function countEpub(bytes: Buffer, { ledger }: ParseOptions): Promise<void> {
  const file = await openPackage(bytes);
  const root =
    attributeOf(
      /<[^<]*rootfile\s[^>]*>/.exec(decodePart(file.read('META-INF/container.xml')))?.[0] ?? '',
      'full-path',
    ) ?? [...file.entries()].find(({ name }) => /\.opf$/i.test(name))?.name;
  if (root === undefined) return;
  const folder = root.slice(0, root.lastIndexOf('/') + 1);
  const items = new Map<string, { path: string; isPage: boolean; isMarkup: boolean }>();
  const spine: string[] = [];
  scanXml(decodePart(file.read(root)), {
    open(name, tag) {
      if (name === 'itemref') spine.push(attributeOf(tag, 'idref') ?? '');
      if (name !== 'item') return;
      const isPage = !/\bnav\b/.test(attributeOf(tag, 'properties') ?? '');
      items.set(attributeOf(tag, 'id') ?? '', {
        path: posix.normalize(folder + decodedPartPath(attributeOf(tag, 'href') ?? '')),
        isPage,
        isMarkup: /html/.test(attributeOf(tag, 'media-type') ?? ''),
      });
    },
    close() {},
    text() {},
  });
  for (const id of spine) {
    const item = items.get(id);
    const page = item?.isPage === true ? file.read(item.path) : null;
    if (item !== undefined && page !== null) countPage(xhtmlAsHtml(decodeHtml(page).text), item.path, ledger);
  }
  const ordered = new Set(spine);
  const listed = new Set([...items.values()].map(({ path }) => path));
  for (const [id, { path, isPage, isMarkup }] of items) {
    if (isPage && isMarkup && !ordered.has(id) && !CONTENTS.test(path)) leaveOutPage(file.read(path), path, ledger);
  }
  // Pages that the book does not list may still be the target of a link.
  for (const { name } of file.entries()) {
    if (PAGE_NAME.test(name) && !listed.has(name) && !CONTENTS.test(name)) leaveOutPage(file.read(name), name, ledger);
  }
  // Titles of chapters without a heading come from the table of contents.
  for (const { path } of items.values()) {
    if (CONTENTS.test(path)) ledger.mayHold(xmlTextContent(decodePart(file.read(path))));
  }
}

const CONTENTS = /\.ncx$|nav[^/]*\.x?html$|toc[^/]*\.x?html$/i;

const PAGE_NAME = /\.x?html?$/i;

/** A page of a book that is not in its reading order. */
function leaveOutPage(bytes: Buffer | null, where: string, ledger: SourceLedger): void {
  if (bytes === null) return;
  const page = new PageCounter();
  scanTags(xhtmlAsHtml(decodeHtml(bytes).text), page);
  const text = page.owed.join('');
  ledger.addOwedText(where, text);
  ledger.recordLeftOutText({ reason: 'unsupported-part', where, text });
}

function decodedPartPath(address: string): string {
  try {
    return decodeURIComponent(address);
  } catch {
    return address;
  }
}

function xmlTextContent(xml: string): string {
  const texts: string[] = [];
  scanXml(xml, { open() {}, close() {}, text: (text) => void texts.push(text) });
  return texts.join('\n');
}

/** Elements within the words of a line, in JATS and patents. */
const INLINE = new Set(['sub', 'sup', 'b', 'i', 'italic', 'bold', 'subscript', 'superscript']);

/** Files in base64 among the attributes of an element. */
function leaveOutEncodedFiles(tag: string, name: string, ledger: SourceLedger): void {
  for (const [, double, single] of tag.matchAll(/=\s*(?:"([^"]*)"|'([^']*)')/g)) {
    const text = double ?? single ?? '';
    const reason = reasonOfEncodedFile(text);
    if (reason === null) continue;
    ledger.addOwedText('', text);
    ledger.recordLeftOutText({ reason, where: name, text });
  }
}

/** Counts the text nodes of XML. Names and attributes are labels, which the result may hold. */
export function countXml(bytes: Buffer, { ledger }: ParseOptions): void {
  const owed: string[] = [];
  const optional: string[] = [];
  const path: string[] = [];
  // Of the innermost element, which may be a piece of a page.
  let own = '';
  const flushMarkupPage = (name: string) => {
    if (holdsPage(name, own)) countPage(own, '', ledger);
    else owed.push(own);
    own = '';
  };
  scanXml(decodeHtml(bytes).text, {
    open(name, tag) {
      flushMarkupPage('');
      path.push(name);
      optional.push(name, resolveReferences(tag));
      if (tag.length >= ENCODED_CHARS_MIN) leaveOutEncodedFiles(tag, name, ledger);
      if (owed.at(-1) !== '\n' && !INLINE.has(name)) owed.push('\n');
    },
    close() {
      const name = path.pop() ?? '';
      flushMarkupPage(name);
      if (owed.at(-1) !== '\n' && !INLINE.has(name)) owed.push('\n');
    },
    text(text) {
      own += text;
      // Text beside elements has the name of its element again.
      if (text.trim() !== '') optional.push(path.at(-1) ?? '');
    },
  });
  flushMarkupPage('');
  ledger.addOwedText('', owed.join(''));
  ledger.mayHold(optional.join('\n'));
}
