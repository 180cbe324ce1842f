/**
 * XML of any vocabulary as readable text: titles as headings, elements with running text as paragraphs, items and cells
 * as lists and tables, elements that only name a value as lines `name: value`.
 */

import { say } from '../../../src-server/platform/text/say.ts';
import type { DocumentParser } from '../blocks.ts';
import { DocumentBuilder, type NewBlock } from '../document-builder.ts';
import { decodeHtml, readHtml } from '../html/parse-html.ts';
import { closeSign, type InlineValues, signedText, takeInline, withoutInline } from '../inline-marks.ts';
import { BULLET } from '../list-markers.ts';
import { DEEP_FORMULA } from '../math.ts';
import { withoutMarks } from '../revisions.ts';
import type { SourceLedger } from '../source-ledger.ts';
import { walkXml, type XmlElement } from '../xml.ts';
import {
  ADMONITIONS,
  AUTHORS_OF,
  BREAKS,
  CALLOUTS,
  CAPTIONED,
  type Callout,
  INNER_BLOCKS,
  isBookText,
  isMixed,
  KEYED_LINES,
  LINE_PARTS,
  LINES,
  LISTED,
  LISTINGS,
  MIXED,
  NOTES,
  PROSE,
  QUOTES,
  reasonOfEncodedFile,
  SECTIONS,
  SUBTITLES,
  TABLES,
  TEXTS,
  TITLES,
} from './elements.ts';
import { expandEntities } from './entities.ts';
import { XmlFormulas } from './formulas.ts';
import { type InlineSigns, inlineSignsOf, QUOTED } from './inline.ts';
import { isItem, isTerm, LISTS, XmlLists } from './lists.ts';
import { isCell, XmlTables } from './tables.ts';
import { PATENT_ROOT, vocabularyOf, type XmlVocabulary } from './vocabularies.ts';

const MAX_DEPTH = 500;

const LEVEL_MAX = 6;

/** Attributes of an item of an outline, the first that is there before others. */
const OUTLINE_TEXTS = ['text', 'title'];
const OUTLINE_ADDRESSES = ['htmlUrl', 'url', 'xmlUrl'];

/** Kinds of text with notes. */
const NOTED = new Set(['list-item', 'paragraph', 'term', 'title']);

const NO_NAMES: ReadonlySet<string> = new Set();

const CLAIM_NUMBER = /^(\d{1,3})\s*\.\s*/;

/** Kinds of text that are separate from the text after them. */
const BLOCKS = new Set(['cell', 'line', 'list-item', 'paragraph', 'title']);

type TextKind = 'cell' | 'code' | 'label' | 'line' | 'list-item' | 'paragraph' | 'term' | 'title';

interface Open {
  /** The name of the element, or its kind of text. */
  name: string;
  local: string;
  text: string;
  hasChildren: boolean;
  attributes: string[];
  /** Signs after its text. */
  close: string;
}

/** Errors: `corrupt_input` if it is not well-formed, `source_too_large`. */
export const parseXml: DocumentParser = async (bytes, options) => {
  const builder = new DocumentBuilder(options);
  const tickWhileReadingXml = () => {
    options.progress(0, say`Reading the document`);
    options.signal.throwIfAborted();
  };
  // In the encoding that it declares.
  const { text, warning } = expandEntities(decodeHtml(bytes).text);
  if (warning !== null) builder.addWarning(warning);
  const markup = text.replace(/<!\[CDATA\[[\s\S]*?\]\]>/g, '');
  const writer = new XmlWriter(builder, options.ledger, PROSE.test(markup) || PATENT_ROOT.test(markup));
  // The text is UTF-8 from here on, whatever its file states.
  const utf8 = Buffer.from(text.replace(/^(\s*<\?xml[^>]{0,100}?)\sencoding\s*=\s*(["'])[\w.-]*\2/, '$1'));
  walkXml(utf8, { elements: 0, maxDepth: MAX_DEPTH, tick: tickWhileReadingXml }, writer);
  return builder.buildNormalizedDocument({
    format: 'xml',
    title: writer.finishXmlWriting(),
    author: writer.author,
    language: writer.language,
  });
};

class XmlWriter {
  language: string | null = null;
  #title: string | null = null;
  readonly #builder: DocumentBuilder;
  readonly #stack: Open[] = [];
  /** Lines of values that belong to one record. */
  #lines: string[] = [];
  /** Depth of the open element of running text; 0 outside one. */
  #textDepth = 0;

  readonly #tables: XmlTables;
  /** The number of a section, figure or table, before its title. */
  #label = '';
  readonly #isProse: boolean;
  readonly #ledger: SourceLedger;
  #vocabulary: XmlVocabulary | null = null;
  /** Values that describe the document. */
  readonly #facts: string[] = [];
  /** The heading of an open section that has no title yet, and the depth of the section. */
  #heading: { text: string; depth: number } | null = null;
  readonly #authors: string[] = [];
  #name: string[] = [];
  /** The open person is an author, no editor. */
  #isAuthor = false;
  /** Where an element began in the text of the open line. */
  readonly #starts = new Map<number, number>();
  /** Depths of the texts and of the blocks inside them. */
  readonly #suspended: { text: number; block: number }[] = [];
  readonly #values: InlineValues;
  readonly #lists = new XmlLists();
  /** The open quotations and admonitions; `callout` until the first block of one. */
  readonly #quotes: { depth: number; callout: Callout | null }[] = [];
  /** In an edition (TEI), a note belongs to its place in the text. */
  #isEdition = false;
  readonly #formulas = new XmlFormulas();
  /** The open note inside a text. */
  #note: { depth: number; text: string } | null = null;
  #noteCount = 0;

  constructor(builder: DocumentBuilder, ledger: SourceLedger, isProse: boolean) {
    this.#builder = builder;
    this.#ledger = ledger;
    this.#isProse = isProse;
    this.#values = builder.useInlineSigns();
    this.#tables = new XmlTables((block) => this.#addBlock(block));
  }

  get author(): string | null {
    return this.#authors.length === 0 ? null : this.#authors.join(', ');
  }

  open(element: XmlElement): void {
    this.#builder.checkCancellation();
    this.language ??= element.attributeValue('xml:lang');
    const { local: name } = element;
    const depth = this.#stack.length + 1;
    if (this.#formulas.open(element, depth)) {
      this.#stack.push({ name, local: name, text: '', hasChildren: false, attributes: [], close: '' });
      return;
    }
    const above = this.#stack.at(-1);
    if (above !== undefined && this.#textDepth === 0) {
      above.hasChildren = true;
      // Text beside child elements.
      this.#flushText(above);
    }
    this.#vocabulary ??= vocabularyOf(name, { isOutermost: depth === 1 });
    if (depth === 1) this.#isEdition = name.startsWith('TEI');
    if (this.#isInnerBlock(element)) this.#suspendText();
    this.#beginStructure(element, depth);
    const inline = this.#textDepth > 0 ? this.#openInline(element, depth) : null;
    if (this.#textDepth > 0) this.#starts.set(this.#stack.length, this.#openText()?.text.length ?? 0);
    const kind = this.#textKind(name, above?.local);
    if (this.#textDepth === 0 && kind !== null) {
      this.#endRecord();
      this.#textDepth = depth;
      if (kind === 'cell') this.#tables.openCell(element);
      if (kind === 'list-item' && !this.#isClaim(name)) this.#lists.openItem(element, depth);
    }
    const attributes = this.#isProse || this.#addOutline(element) ? [] : shownAttributes(element);
    const close = inline?.close ?? '';
    this.#stack.push({ name: kind ?? name, local: name, text: '', hasChildren: false, attributes, close });
  }

  text(text: string): void {
    if (this.#formulas.isOpen) this.#formulas.addText(withoutMarks(text));
    // Space between two notations of a formula.
    else if (this.#stack.at(-1)?.local !== 'alternatives' || text.trim() !== '') this.#append(withoutMarks(text));
  }

  /** Adds to the open text, signs included. */
  #append(text: string): void {
    if (this.#note !== null) {
      this.#note.text += text;
      return;
    }
    const open = this.#openText() ?? this.#stack.at(-1);
    if (open !== undefined) open.text += text;
  }

  #openText(): Open | undefined {
    return this.#textDepth > 0 ? this.#stack[this.#textDepth - 1] : undefined;
  }

  close(): void {
    const depth = this.#stack.length;
    if (this.#closeFormula(depth)) return;
    const closed = this.#stack.pop();
    if (closed === undefined) return;
    this.#noteAuthor(closed);
    if (this.#textDepth > 0 && depth !== this.#textDepth) this.#closeInText(closed, depth);
    else {
      this.#closeBlock(closed, depth);
      this.#lists.close(depth);
      if (this.#quotes.at(-1)?.depth === depth) this.#quotes.pop();
      const suspended = this.#suspended.at(-1);
      if (suspended?.block === depth) this.#textDepth = this.#suspended.pop()?.text ?? 0;
    }
  }

  #closeInText(closed: Open, depth: number): void {
    if (closed.close === QUOTED.close && this.#hasOwnQuotes()) return;
    if (closed.close !== '') this.#append(closed.close);
    if (this.#note?.depth === depth) this.#endNote(this.#note.text);
    // Paragraphs inside an item or a cell.
    else if (closed.close === '' && (BLOCKS.has(closed.name) || this.#isSpaced(closed))) this.#append(' ');
  }

  /** Takes back the sign before a quotation whose text has its own. */
  #hasOwnQuotes(): boolean {
    const text = this.#note === null ? this.#openText() : undefined;
    const start = this.#starts.get(this.#stack.length) ?? 0;
    if (text === undefined || !/^\s*["'“”„«»‘’‚‹「『]/.test(text.text.slice(start))) return false;
    text.text = text.text.slice(0, start - QUOTED.open.length) + text.text.slice(start);
    return true;
  }

  #closeBlock(closed: Open, depth: number): void {
    if (this.#textDepth > 0) {
      this.#textDepth = 0;
      if (holdsPage(closed.local, closed.text)) readHtml(withoutInline(closed.text), this.#builder);
      else this.#addXmlText(closed, depth);
      return;
    }
    if (!closed.hasChildren && holdsPage(closed.local, closed.text)) {
      this.#endRecord();
      readHtml(closed.text, this.#builder);
    } else if (!closed.hasChildren) this.#addValue(closed);
    else {
      this.#flushText(closed);
      this.#endRecord();
    }
    if (TABLES.has(closed.name)) this.#endXmlTable();
    if (this.#heading?.depth === depth) this.#heading = null;
  }

  /** Whether an element is a block of its own inside the open text. */
  #isInnerBlock(element: XmlElement): boolean {
    const { local: name } = element;
    if (this.#textDepth === 0 || this.#note !== null) return false;
    if (INNER_BLOCKS.has(name) || (this.#isProse && ADMONITIONS.has(name) && !this.#isNote(element))) return true;
    const text = this.#openText();
    if (text === undefined || this.#isClaim(text.local)) return false;
    if (this.#isProse && MIXED.has(text.local)) return TEXTS.has(name) || TITLES.has(name);
    return (
      text.name === 'list-item' &&
      (TEXTS.has(name) || (this.#isProse && (name === 'label' || isMixed(name, this.#stack.at(-1)?.local))))
    );
  }

  /** Whether an element is a note on its place in a text. */
  #isNote({ local }: XmlElement): boolean {
    return NOTES.has(local) || (local === 'note' && this.#isEdition);
  }

  #isClaim(local: string): boolean {
    return this.#vocabulary?.claims.has(local) === true;
  }

  /** Notes headings, lists, quotations and authors that begin with an element. */
  #beginStructure(element: XmlElement, depth: number): void {
    const { local: name } = element;
    const heading = this.#vocabulary?.headings.get(name);
    if (heading !== undefined) this.#heading = { text: heading, depth };
    if (this.#vocabulary?.author.has(name) === true) {
      this.#name = [];
      this.#isAuthor = (element.attributeValue('contrib-type') ?? 'author') === 'author';
    }
    if (this.#textDepth > 0) {
      if (BREAKS.has(name)) this.#append(' ');
      return;
    }
    this.#tables.openElement(element);
    if (LISTS.has(name)) this.#lists.openList(element, depth);
    if (QUOTES.has(name)) this.#quotes.push({ depth, callout: null });
    if (this.#isProse && !this.#isEdition && ADMONITIONS.has(name)) {
      const callout = CALLOUTS[element.attributeValue('type') ?? name] ?? CALLOUTS[name] ?? null;
      this.#quotes.push({ depth, callout });
    }
  }

  /** An item of an outline (OPML), whose text is an attribute. */
  #addOutline(element: XmlElement): boolean {
    if (element.local !== 'outline' || this.#stack[0]?.local !== 'opml') return false;
    const level = this.#stack.filter(({ local }) => local === 'outline').length;
    const [text, address] = [OUTLINE_TEXTS, OUTLINE_ADDRESSES].map((names) =>
      names.find((name) => (element.attributeValue(name) ?? '').trim() !== ''),
    );
    const url = address === undefined ? null : element.attributeValue(address);
    const open = this.#values.openLink(url);
    const shown = withoutMarks((text === undefined ? url : element.attributeValue(text)) ?? '');
    const signed = open === null ? shown : open + shown + closeSign('link');
    this.#addBlock({ kind: 'list-item', depth: level, marker: BULLET, text: signed });
    const note = element.attributeValue('_note');
    if (note !== null) this.#addBlock({ kind: 'paragraph', text: withoutMarks(note), inList: level });
    // Feeds, dates and columns that a program added.
    const read = new Set(['_note', text, open === null ? undefined : address]);
    const others = shownAttributes(element).filter((one) => !read.has(one.slice(0, one.indexOf('='))));
    this.#addBlock({ kind: 'paragraph', text: withoutMarks(others.join(', ')), inList: level });
    return true;
  }

  /** Signs of an element inside a text. A note leaves its number there. */
  #openInline(element: XmlElement, depth: number): InlineSigns | null {
    const text = this.#openText();
    if (this.#note === null && this.#isNote(element) && NOTED.has(text?.name ?? '')) {
      this.#noteCount += 1;
      this.#append(signedText('footnote', `[${this.#noteCount}]`));
      this.#note = { depth, text: '' };
      return null;
    }
    const signs = inlineSignsOf(element, this.#values, { isRaisedOnly: this.#vocabulary?.marks === 'raised' });
    if (signs === null || (KEYED_LINES.has(text?.local ?? '') && element.local === 'sup')) return null;
    this.#append(signs.open);
    return signs;
  }

  #endNote(text: string): void {
    this.#note = null;
    const marker = String(this.#noteCount);
    this.#ledger.mayHold(marker);
    this.#builder.addDocumentBlock({ kind: 'note', marker, text: collapseXmlSpace(text) });
  }

  /** Whether an element that ends belongs to a formula. */
  #closeFormula(depth: number): boolean {
    const isInside = this.#formulas.isOpen;
    const read = this.#formulas.close(depth);
    if (!isInside) return false;
    this.#stack.pop();
    if (read === null) return true;
    const { formula, copy, hidden } = read;
    this.#ledger.recordLeftOutText({ reason: 'overprinted-copy', where: '', text: copy });
    this.#ledger.recordLeftOutText({ reason: 'hidden', where: '', text: hidden });
    if (this.#formulas.isDeep) this.#builder.addWarning(DEEP_FORMULA);
    if (formula === null) return true;
    const signed = this.#values.signedFormula(formula);
    if (this.#textDepth > 0) this.#append(signed);
    else this.#addBlock({ kind: 'paragraph', text: this.#withPendingLabel(signed) });
    return true;
  }

  /** Writes what a text has before a block inside it. */
  #suspendText(): void {
    const open = this.#openText();
    if (open === undefined || open.name === 'cell' || open.name === 'line') return;
    if (withoutInline(open.text).trim() !== '') this.#addXmlText(open, this.#textDepth);
    open.text = '';
    this.#suspended.push({ text: this.#textDepth, block: this.#stack.length + 1 });
    this.#textDepth = 0;
  }

  #noteAuthor({ local, text }: Open): void {
    const vocabulary = this.#vocabulary;
    if (vocabulary === null) return;
    // In PATDOC, the text of an element is in one of its own.
    const around = local === 'PDAT' ? this.#stack.slice(-2).map((open) => open.local) : [local];
    const part = vocabulary.names.findIndex((names) => around.some((one) => names.has(one)));
    const line = this.#openText();
    const written = line?.text.slice(this.#starts.get(this.#stack.length) ?? 0) ?? text;
    if (part >= 0 && written.trim() !== '') this.#name[part] = collapseXmlSpace(withoutInline(written));
    const name = this.#name.filter((one) => one !== undefined && one !== '').join(' ');
    if (local === 'name' && line?.local === 'contrib') this.#orderName(line, written, name);
    if (vocabulary.author.has(local) && this.#isAuthor && name !== '') this.#authors.push(name);
  }

  /** Names of authors as they are read, if the element has no further parts. */
  #orderName(line: Open, written: string, name: string): void {
    const letters = (one: string) => [...one.replace(/\s+/g, '')].sort().join('');
    if (letters(written) === letters(name))
      line.text = `${line.text.slice(0, line.text.length - written.length)}${name} `;
  }

  /** Whether an element only describes the document. */
  #isFact(local: string): boolean {
    const vocabulary = this.#vocabulary;
    if (vocabulary === null) return false;
    const names = [...this.#stack.map((open) => open.local), local];
    const at = names.findIndex((name) => vocabulary.facts.has(name));
    return at >= 0 && !names.slice(at).some((name) => vocabulary.shown.has(name));
  }

  /** Writes the heading of a section without a title of its own, before its first text. */
  #beginSection(isOwnTitle: boolean): void {
    const heading = this.#heading;
    this.#heading = null;
    if (heading === null || isOwnTitle) return;
    this.#ledger.mayHold(heading.text);
    this.#builder.addDocumentBlock({ kind: 'heading', level: 2, text: heading.text });
  }

  /** Whether a space separates a part of a line from the next one. */
  #isSpaced({ local }: Open): boolean {
    const isLine = this.#stack[this.#textDepth - 1]?.name === 'line';
    return isLine && (LINE_PARTS.has(local) || LISTED.has(this.#stack.at(-1)?.local ?? ''));
  }

  /** What the whole text of an element is; null for an element that is read by its parts. */
  #textKind(name: string, above: string | undefined): TextKind | null {
    const vocabulary = this.#vocabulary;
    if (vocabulary?.containers.has(name) === true) return null;
    if (this.#isClaim(name)) return 'list-item';
    if (vocabulary?.texts.has(name) === true) return 'paragraph';
    if (TITLES.has(name) || vocabulary?.titles.has(name) === true) return 'title';
    if (LISTINGS.has(name) || name === 'code') return 'code';
    if (isItem(name, above)) return 'list-item';
    if (isTerm(name, above)) return 'term';
    if (isCell(name, above)) return 'cell';
    if (this.#isProse && (LINES.has(name) || (name === 'author' && AUTHORS_OF.test(above ?? '')))) return 'line';
    if (this.#isProse && name === 'label') return 'label';
    return TEXTS.has(name) || (this.#isProse && isBookText(name, above)) ? 'paragraph' : null;
  }

  #endXmlTable(): void {
    this.#endLabel();
    this.#tables.close();
  }

  /** The first title. */
  finishXmlWriting(): string | null {
    this.#endLabel();
    this.#endRecord();
    this.#endXmlTable();
    for (const text of this.#facts) this.#builder.addDocumentBlock({ kind: 'paragraph', text });
    return this.#title;
  }

  #addXmlText({ name, local, text }: Open, depth: number): void {
    const line = collapseXmlSpace(text);
    if (withoutInline(line) === '' && this.#label === '' && name !== 'cell') return;
    if (name !== 'title' && name !== 'cell' && this.#isFact(local)) {
      this.#facts.push(this.#withPendingLabel(line));
      return;
    }
    if (name !== 'cell') this.#beginSection(name === 'title' && depth === (this.#heading?.depth ?? 0) + 1);
    switch (name as TextKind) {
      case 'code':
        this.#addListing(text);
        return;
      case 'cell':
        this.#tables.closeCell(line);
        return;
      case 'label':
        this.#endLabel();
        this.#label = line;
        return;
      case 'term':
        this.#addBlock({ kind: 'paragraph', isTerm: true, text: this.#withPendingLabel(line) });
        return;
      case 'title':
        this.#addTitle(line, local, depth);
        return;
      case 'line':
        this.#addText(line.replace(/ (?=[,.;:)\]])/g, ''));
        return;
      default:
        if (name === 'list-item' && this.#isClaim(local)) this.#addClaim(this.#withPendingLabel(line));
        else this.#addText(line);
    }
  }

  /** A paragraph, or a text of the open item. A label before the first text of an item is its marker. */
  #addText(line: string): void {
    const item = this.#lists.item;
    if (item === null) this.#addBlock({ kind: 'paragraph', text: this.#withPendingLabel(line) });
    else if (item.isWritten) {
      this.#addBlock({ kind: 'paragraph', text: this.#withPendingLabel(line), inList: item.level });
    } else {
      const marker = withoutInline(this.#label) || item.marker;
      this.#label = '';
      item.isWritten = true;
      this.#addBlock({ kind: 'list-item', depth: item.level, marker, text: line });
    }
  }

  #addListing(text: string): void {
    this.#endLabel();
    const item = this.#lists.item;
    const block: NewBlock = { kind: 'code', text };
    if (item?.isWritten === true) block.inList = item.level;
    this.#addBlock(block);
  }

  #addTitle(line: string, local: string, depth: number): void {
    if (CAPTIONED.has(this.#stack.at(-1)?.local ?? '')) {
      this.#addBlock({ kind: 'caption', text: this.#withPendingLabel(line) });
      return;
    }
    if (this.#isProse && ADMONITIONS.has(this.#stack.at(-1)?.local ?? '')) {
      this.#addBlock({ kind: 'paragraph', text: this.#withPendingLabel(line), hasCalloutTitle: true });
      return;
    }
    this.#title ??= line === '' ? null : takeInline(line, this.#values).text;
    const level = this.#levelAt(depth, local);
    this.#addBlock({ kind: 'heading', level, text: this.#withPendingLabel(line) });
  }

  #addBlock(block: NewBlock): void {
    const quote = this.#quotes.at(-1);
    if (quote !== undefined && block.kind !== 'comment' && block.kind !== 'page-furniture') {
      block.isQuoted = true;
      if (this.#quotes.length > 1) block.quoteDepth = this.#quotes.length;
      if (quote.callout !== null) block.callout = quote.callout;
      quote.callout = null;
    }
    this.#builder.addDocumentBlock(block);
  }

  /** By the sections around a title, or in other files by its depth. */
  #levelAt(depth: number, local: string): number {
    if (this.#vocabulary?.titles.has(local) === true) return SUBTITLES.has(local) ? 2 : 1;
    const sections = this.#stack.slice(1).filter(({ local }) => SECTIONS.has(local)).length;
    const level = this.#isProse ? 1 + sections : depth - 1;
    return Math.min(LEVEL_MAX, Math.max(1, level));
  }

  /** Claims of patents have their numbers in their text. */
  #addClaim(line: string): void {
    const number = CLAIM_NUMBER.exec(line);
    const text = line.slice(number?.[0].length ?? 0);
    const marker = number === null ? BULLET : `${number[1]}.`;
    this.#builder.addDocumentBlock({ kind: 'list-item', depth: 0, marker, text });
  }

  #withPendingLabel(line: string): string {
    const label = this.#label;
    this.#label = '';
    return label === '' ? line : `${label} ${line}`.trim();
  }

  /** A label without a title. */
  #endLabel(): void {
    const label = this.#withPendingLabel('');
    if (label !== '') this.#builder.addDocumentBlock({ kind: 'paragraph', text: label });
  }

  #addValue({ name, text: whole, attributes }: Open): void {
    const reason = reasonOfEncodedFile(whole);
    if (reason !== null) this.#ledger.recordLeftOutText({ reason, where: name, text: whole });
    const text = reason === null ? collapseXmlSpace(whole) : '';
    const value = [text, ...attributes].filter((part) => part !== '').join(', ');
    if (value !== '') this.#lines.push(`${name}: ${value}`);
  }

  #flushText(open: Open): void {
    const line = [collapseXmlSpace(open.text), ...open.attributes].filter((part) => part !== '').join(', ');
    open.text = '';
    open.attributes = [];
    if (line !== '') this.#lines.push(`${open.name}: ${line}`);
  }

  #endRecord(): void {
    const text = this.#lines.join('\n');
    this.#lines = [];
    if (text === '') return;
    const { facts } = this.#vocabulary ?? { facts: NO_NAMES };
    if (this.#stack.some(({ local }) => facts.has(local))) this.#facts.push(text);
    else this.#builder.addDocumentBlock({ kind: 'paragraph', text });
  }
}

/** Elements of feeds whose text is a piece of a page: RSS, its module for content, Atom. */
const PAGE_HOLDERS = new Set(['description', 'encoded', 'summary', 'content']);

const PAGE_TAG = /<\/?(?:p|div|br|a|b|i|em|strong|img|ul|ol|li|h[1-6]|span|table|blockquote)\b[^<>]*>/i;

/** Whether the text of an element is HTML. */
export function holdsPage(local: string, text: string): boolean {
  return PAGE_HOLDERS.has(local) && PAGE_TAG.test(text);
}

/** Attributes as lines of values, without files in them, which the count of the source lists. */
function shownAttributes(element: XmlElement): string[] {
  const isText = (attribute: string) => reasonOfEncodedFile(attribute.slice(attribute.indexOf('=') + 1)) === null;
  return element.listAttributes().filter(isText);
}

function collapseXmlSpace(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}
