/** Items as an EPUB 3: a chapter for each. Headings, lists, quotes and code of Markdown become marks of the book. */

import type { ZipEntry } from '../../platform/files/zip.ts';
import { streamZip } from '../../platform/files/zip.ts';
import type { Item } from './schema.ts';

const CONTAINER = `<?xml version="1.0"?>
<container version="1.0" xmlns="urn:oasis:names:tc:opendocument:xmlns:container">
<rootfiles><rootfile full-path="book.opf" media-type="application/oebps-package+xml"/></rootfiles></container>`;

interface Book {
  /** The Markdown of an item with its notes, without front matter. */
  textOf(item: Item): Promise<string>;
  changedAt: string;
  /** A chapter after those of the items. */
  last: { title: string; text: string } | null;
}

export function epubOfItems(items: readonly Item[], book: Book): AsyncIterable<Uint8Array> {
  return streamZip(epubEntries(items, book));
}

async function* epubEntries(items: readonly Item[], { textOf, changedAt, last }: Book): AsyncGenerator<ZipEntry> {
  const end: Chapter[] = last === null ? [] : [{ title: last.title, language: 'en' }];
  const chapters: Chapter[] = [...items, ...end];
  const entry = (name: string, text: string): ZipEntry => ({ name, content: [Buffer.from(text)] });
  // Readers look for it at the beginning of the file.
  yield entry('mimetype', 'application/epub+zip');
  yield entry('META-INF/container.xml', CONTAINER);
  yield entry('book.opf', packageOf(items, chapters.length, changedAt));
  yield entry('nav.xhtml', navigationOf(chapters));
  for (const [index, item] of items.entries()) yield entry(chapterName(index), chapterOf(item, await textOf(item)));
  for (const one of end) yield entry(chapterName(items.length), chapterOf(one, last?.text ?? ''));
}

type Chapter = Pick<Item, 'title' | 'language'>;

const chapterName = (index: number) => `chapter-${index + 1}.xhtml`;

function packageOf(items: readonly Item[], chapters: number, changedAt: string): string {
  const [first] = items;
  const title = items.length === 1 && first !== undefined ? first.title : `Library, ${changedAt.slice(0, 10)}`;
  const places = Array.from({ length: chapters }, (_, index) => index);
  const manifest = places.map(
    (index) => `<item id="c${index + 1}" href="${chapterName(index)}" media-type="application/xhtml+xml"/>`,
  );
  const spine = places.map((index) => `<itemref idref="c${index + 1}"/>`);
  return `<?xml version="1.0" encoding="UTF-8"?>
<package xmlns="http://www.idpf.org/2007/opf" version="3.0" unique-identifier="id">
<metadata xmlns:dc="http://purl.org/dc/elements/1.1/">
<dc:identifier id="id">${escapeXml(first?.itemId ?? '')}-${items.length}</dc:identifier>
<dc:title>${escapeXml(title)}</dc:title>
<dc:language>${escapeXml(first?.language ?? 'und')}</dc:language>
<meta property="dcterms:modified">${changedAt.slice(0, 19)}Z</meta>
</metadata>
<manifest><item id="nav" href="nav.xhtml" media-type="application/xhtml+xml" properties="nav"/>
${manifest.join('\n')}
</manifest>
<spine>${spine.join('')}</spine>
</package>`;
}

function navigationOf(chapters: readonly Chapter[]): string {
  const entries = chapters.map(
    ({ title }, index) => `<li><a href="${chapterName(index)}">${escapeXml(title)}</a></li>`,
  );
  const list = `<nav xmlns:epub="http://www.idpf.org/2007/ops" epub:type="toc"><ol>${entries.join('\n')}</ol></nav>`;
  return pageOf('Contents', null, list);
}

function chapterOf({ title, language }: Chapter, markdown: string): string {
  return pageOf(title, language, `<h1>${escapeXml(title)}</h1>\n${xhtmlOfMarkdown(markdown)}`);
}

function pageOf(title: string, language: string | null, body: string): string {
  const lang = language === null ? '' : ` xml:lang="${escapeXml(language)}"`;
  return `<?xml version="1.0" encoding="UTF-8"?>
<html xmlns="http://www.w3.org/1999/xhtml"${lang}><head><title>${escapeXml(title)}</title></head>
<body>${body}</body></html>`;
}

/** Block by block in one pass; the letters of what has no mark here stay as they are. */
export function xhtmlOfMarkdown(markdown: string): string {
  const blocks = markdown.split(/\n(?:[ \t]*\n)+/);
  const html: string[] = [];
  let fence: string[] | null = null;
  for (const block of blocks) {
    const fences = (block.match(/^(?:```|~~~)/gm) ?? []).length;
    if (fence === null && fences % 2 === 0) html.push(blockHtml(block));
    else if (fence === null) fence = [block];
    else {
      fence.push(block);
      if (fences % 2 === 1) {
        html.push(preformatted(fence.join('\n\n')));
        fence = null;
      }
    }
  }
  if (fence !== null) html.push(preformatted(fence.join('\n\n')));
  return html.filter((one) => one !== '').join('\n');
}

function blockHtml(block: string): string {
  const text = block.trim();
  if (text === '') return '';
  const lines = text.split('\n');
  const heading = /^(#{1,6})[ \t]+(.*)$/.exec(lines[0] ?? '');
  if (heading !== null) {
    // The title of the chapter is the first level.
    const level = Math.min(6, (heading[1]?.length ?? 1) + 1);
    const rest = blockHtml(lines.slice(1).join('\n'));
    const words = inlineHtml((heading[2] ?? '').replace(/[ \t]+#*$/, ''));
    return `<h${level}>${words}</h${level}>${rest === '' ? '' : `\n${rest}`}`;
  }
  if (/^(?:```|~~~|\|)/.test(text)) return preformatted(text);
  if (lines.every((line) => line.startsWith('>'))) {
    return `<blockquote>${xhtmlOfMarkdown(lines.map((line) => line.replace(/^> ?/, '')).join('\n'))}</blockquote>`;
  }
  const points = lines.map((line) => /^\s*(?:[-*+]|\d{1,9}[.)])[ \t]+(.*)$/.exec(line)?.[1]);
  if (points.every((point) => point !== undefined)) {
    return `<ul>${points.map((point) => `<li>${inlineHtml(point ?? '')}</li>`).join('')}</ul>`;
  }
  return `<p>${lines.map(inlineHtml).join('<br/>\n')}</p>`;
}

function preformatted(text: string): string {
  return `<pre>${escapeXml(text.replaceAll(/^(?:```|~~~).*$/gm, '').trim())}</pre>`;
}

function inlineHtml(text: string): string {
  return escapeXml(text)
    .replaceAll(/\*\*([^*\n]+)\*\*/g, '<b>$1</b>')
    .replaceAll(/\\([\\`*_{}[\]()#+\-.!|>~])/g, '$1');
}

function escapeXml(text: string): string {
  return text
    .toWellFormed()
    .replaceAll(/[^\t\n\r\u0020-\uFFFD\u{10000}-\u{10FFFF}]/gu, ' ')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}
