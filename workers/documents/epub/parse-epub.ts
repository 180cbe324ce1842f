/**
 * EPUB 2 and 3: the chapters in the order of the spine, each an XHTML page. A chapter without a heading gets its title
 * in the table of contents. Embedded pictures, scripts and styles are not read.
 */

import { posix } from 'node:path';
import { QuarryError } from '../../../src-server/platform/errors.ts';
import { say } from '../../../src-server/platform/text/say.ts';
import { DocumentBuilder } from '../document-builder.ts';
import { decodeHtml, readHtml, xhtmlAsHtml } from '../html/parse-html.ts';
import type { FileParser } from '../parts.ts';
import { walkXml, type XmlBudget } from '../xml.ts';
import { damagedPackageError, type OfficePackage, openPackage } from '../zip-package.ts';

const MAX_DEPTH = 200;

/** Chapters and auxiliary pages. */
const PAGE_TYPES = new Set(['application/xhtml+xml', 'text/html', 'application/x-dtbook+xml']);

/** Fonts are obfuscated without a password. */
const FONT_ALGORITHM = /idpf\.org\/2008\/embedding|ns\.adobe\.com\/pdf\/enc#RC/;

const HEADING_LEVEL = 1;

/** At the end of a page, with room for comments. */
const END_CHARS = 10_000;

interface Book {
  title: string;
  author: string;
  language: string;
  /** Paths in the package, in reading order. */
  pages: string[];
  /** Paths of the tables of contents: EPUB 3 and 2. */
  contents: string[];
}

/** Errors: `corrupt_input`, `encrypted_input` for a protected book, `source_too_large`. */
export const parseEpub: FileParser = async (bytes, options) => {
  const file = await openPackage(bytes);
  refuseProtected(file);
  const builder = new DocumentBuilder(options);
  const budget: XmlBudget = {
    elements: 0,
    maxDepth: MAX_DEPTH,
    allowsDoctype: true,
    tick: () => options.signal.throwIfAborted(),
  };
  const book = readBook(file, budget);
  const titles = titlesOf(file, book.contents, budget);
  let language: string | null = book.language || null;
  for (const [index, path] of book.pages.entries()) {
    options.progress((index / book.pages.length) * 100, say`Reading chapter ${index + 1} of ${book.pages.length}`);
    options.signal.throwIfAborted();
    const page = file.read(path);
    if (page === null) {
      builder.addWarning(say`The book names a chapter that is not in the file: ${path}.`);
      continue;
    }
    const text = xhtmlAsHtml(decodeHtml(page).text);
    warnOfDamage(text, path, builder);
    language = addChapter(builder, text, titles.get(path)) ?? language;
  }
  if (book.pages.length === 0) throw damagedPackageError('no chapter');
  return builder.buildNormalizedDocument({
    format: 'epub',
    title: book.title,
    author: book.author,
    language: book.language || language,
  });
};

/** A page of a book is XHTML, so one without its end is cut. */
function warnOfDamage(text: string, path: string, builder: DocumentBuilder): void {
  if (/<\/(?:[\w-]+:)?(?:html|dtbook)\s*>/i.test(text.slice(-END_CHARS))) return;
  const isPage = /<(?:[\w-]+:)?(?:html|dtbook)[\s>]/i.test(text);
  builder.addWarning(
    isPage
      ? say`${path} ends early; what follows is missing. Check the text of this chapter.`
      : say`${path} is damaged: it is no page of a book. Check the text of this chapter.`,
  );
}

/** Returns the language that the chapter states. */
function addChapter(builder: DocumentBuilder, html: string, title: string | undefined): string | null {
  const before = builder.blocks.length;
  const { language } = readHtml(html, builder);
  const added = builder.blocks.slice(before);
  if (title === undefined || added.length === 0 || added.some(({ kind }) => kind === 'heading')) return language;
  builder.addDocumentBlock({ kind: 'heading', level: HEADING_LEVEL, text: title });
  const heading = builder.blocks.pop();
  if (heading !== undefined) builder.blocks.splice(before, 0, heading);
  return language;
}

function refuseProtected(file: OfficePackage): void {
  const encryption = file.read('META-INF/encryption.xml')?.toString('utf8') ?? '';
  const algorithms = [...encryption.matchAll(/EncryptionMethod[^>]{0,200}?Algorithm\s*=\s*["']([^"']{1,200})/g)];
  if (algorithms.every(([, algorithm = '']) => FONT_ALGORITHM.test(algorithm))) return;
  throw new QuarryError('encrypted_input', say`The book is protected against copying. Send one without protection.`);
}

function readBook(file: OfficePackage, budget: XmlBudget): Book {
  const container = file.read('META-INF/container.xml');
  let root = '';
  if (container !== null) {
    walkXml(container, budget, {
      open: (element) => {
        if (element.local === 'rootfile' && root === '') root = element.attributeValue('full-path') ?? '';
      },
    });
  }
  if (root === '') root = [...file.entries()].find(({ name }) => /\.opf$/i.test(name))?.name ?? '';
  const packageFile = file.readMain(root);
  if (packageFile === null) throw damagedPackageError('no package document', 'META-INF/container.xml');
  return readPackage(packageFile, posix.dirname(root), budget);
}

function readPackage(bytes: Buffer, folder: string, budget: XmlBudget): Book {
  const facts = { title: '', creator: '', language: '' };
  const items = new Map<string, { path: string; type: string; isNavigation: boolean }>();
  const spine: string[] = [];
  let field: keyof typeof facts | null = null;
  walkXml(bytes, budget, {
    open(element) {
      const { name, local } = element;
      const id = element.attributeValue(local === 'item' ? 'id' : 'idref');
      if (name === 'dc:title' || name === 'dc:creator' || name === 'dc:language') {
        const fact = local as keyof typeof facts;
        field = facts[fact] === '' || fact === 'creator' ? fact : null;
        if (field === 'creator' && facts.creator !== '') facts.creator += ', ';
      } else if (local === 'item' && id !== null) {
        const isNavigation = /\bnav\b/.test(element.attributeValue('properties') ?? '');
        const type = element.attributeValue('media-type') ?? '';
        items.set(id, { path: bookPackagePath(folder, element.attributeValue('href') ?? ''), type, isNavigation });
      } else if (local === 'itemref' && id !== null) spine.push(id);
    },
    text(text) {
      if (field !== null) facts[field] += text;
    },
    close(element) {
      if (field === element.local) field = null;
    },
  });
  const listed = [...items.values()];
  return {
    title: facts.title,
    author: facts.creator,
    language: facts.language.trim(),
    pages: spine.flatMap((id) => {
      const item = items.get(id);
      return item !== undefined && !item.isNavigation && PAGE_TYPES.has(item.type) ? [item.path] : [];
    }),
    contents: [
      ...listed.filter(({ isNavigation }) => isNavigation),
      ...listed.filter(({ type }) => type === 'application/x-dtbncx+xml'),
    ].map(({ path }) => path),
  };
}

/** A path in the package, without the fragment. Addresses in books are percent-encoded. */
function bookPackagePath(folder: string, address: string): string {
  const plain = address.split('#')[0] ?? '';
  return posix.normalize(posix.join(folder, URL.canParse(plain, 'book:/') ? decodeBookAddress(plain) : plain));
}

function decodeBookAddress(address: string): string {
  try {
    return decodeURIComponent(address);
  } catch {
    // A lone % is part of the name.
    return address;
  }
}

/** Titles by path, from the first readable table of contents. The chapters are readable without one. */
function titlesOf(file: OfficePackage, contents: readonly string[], budget: XmlBudget): Map<string, string> {
  for (const path of contents) {
    const bytes = file.read(path);
    const titles = bytes === null ? new Map<string, string>() : readTitles(bytes, posix.dirname(path), budget);
    if (titles.size > 0) return titles;
  }
  return new Map();
}

/** The links of a table of contents: `a` in EPUB 3; `navPoint` with `text` and `content` in EPUB 2. */
function readTitles(bytes: Buffer, folder: string, budget: XmlBudget): Map<string, string> {
  const titles = new Map<string, string>();
  let address: string | null = null;
  let text = '';
  let isTitle = false;
  const addNavigationTitle = () => {
    const path = address === null ? '' : bookPackagePath(folder, address);
    const title = text.replace(/\s+/g, ' ').trim();
    if (path !== '' && title !== '' && !titles.has(path)) titles.set(path, title);
  };
  try {
    walkXml(bytes, budget, {
      open(element) {
        if (element.local === 'a' || element.local === 'text') {
          isTitle = true;
          text = '';
          address = element.local === 'a' ? element.attributeValue('href') : null;
        }
        if (element.local !== 'content') return;
        address = element.attributeValue('src');
        addNavigationTitle();
      },
      text(part) {
        if (isTitle) text += part;
      },
      close(element) {
        if (element.local === 'a' || element.local === 'text') isTitle = false;
        if (element.local === 'a') addNavigationTitle();
      },
    });
  } catch (error) {
    if (!(error instanceof QuarryError) || error.code !== 'corrupt_input') throw error;
  }
  return titles;
}
