/**
 * XML of any vocabulary as readable text: titles as headings, elements with running text as paragraphs, elements that
 * only name a value as lines `name: value`, with their attributes.
 */

import type { DocumentParser } from './blocks.ts';
import { DocumentBuilder } from './document-builder.ts';
import { decodeHtml } from './html/parse-html.ts';
import { walkXml, type XmlElement } from './xml.ts';

const MAX_DEPTH = 500;

const LEVEL_MAX = 6;

const TITLES = new Set(['title', 'head', 'heading', 'article-title', 'booktitle']);

/** Elements of running text in DocBook, JATS, TEI, DITA and feeds. Marks inside a text belong to it. */
const TEXTS = new Set([
  'p',
  'para',
  'simpara',
  'abstract',
  'li',
  'item',
  'listitem',
  'entry',
  'description',
  'summary',
]);

const CODE = new Set(['code', 'programlisting', 'screen', 'codeblock', 'pre', 'verbatim']);

interface Open {
  name: string;
  text: string;
  hasChildren: boolean;
  attributes: string[];
}

/** Errors: `corrupt_input` if it is not well-formed, `source_too_large`. */
export const parseXml: DocumentParser = async (bytes, options) => {
  const builder = new DocumentBuilder(options);
  const writer = new XmlWriter(builder);
  const tick = () => {
    options.progress(0, 'Reading the document');
    options.signal.throwIfAborted();
  };
  // In the encoding that it declares.
  const source = Buffer.from(decodeHtml(bytes).text);
  walkXml(source, { elements: 0, maxDepth: MAX_DEPTH, allowsDoctype: true, tick }, writer);
  return builder.finish({ format: 'xml', title: writer.end(), language: writer.language });
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

  constructor(builder: DocumentBuilder) {
    this.#builder = builder;
  }

  open(element: XmlElement): void {
    this.#builder.step();
    this.language ??= element.attribute('xml:lang');
    const above = this.#stack.at(-1);
    if (above !== undefined && this.#textDepth === 0) {
      above.hasChildren = true;
      // Text beside child elements.
      this.#flushText(above);
    }
    const { local: name } = element;
    if (this.#textDepth === 0 && (TEXTS.has(name) || TITLES.has(name) || CODE.has(name))) {
      this.#endRecord();
      this.#textDepth = this.#stack.length + 1;
    }
    this.#stack.push({ name, text: '', hasChildren: false, attributes: element.attributes() });
  }

  text(text: string): void {
    const open = this.#textDepth > 0 ? this.#stack[this.#textDepth - 1] : this.#stack.at(-1);
    if (open !== undefined) open.text += text;
  }

  close(): void {
    const depth = this.#stack.length;
    const closed = this.#stack.pop();
    if (closed === undefined) return;
    if (this.#textDepth > 0) {
      if (depth !== this.#textDepth) return;
      this.#textDepth = 0;
      this.#addText(closed, depth);
      return;
    }
    if (!closed.hasChildren) this.#addValue(closed);
    else {
      this.#flushText(closed);
      this.#endRecord();
    }
  }

  /** The first title. */
  end(): string | null {
    this.#endRecord();
    return this.#title;
  }

  #addText({ name, text }: Open, depth: number): void {
    if (CODE.has(name)) {
      this.#builder.add({ kind: 'code', text });
      return;
    }
    const line = oneLine(text);
    if (!TITLES.has(name)) this.#builder.add({ kind: 'paragraph', text: line });
    else {
      this.#title ??= line === '' ? null : line;
      this.#builder.add({ kind: 'heading', level: Math.min(LEVEL_MAX, Math.max(1, depth - 1)), text: line });
    }
  }

  #addValue({ name, text, attributes }: Open): void {
    const value = [oneLine(text), ...attributes].filter((part) => part !== '').join(', ');
    if (value !== '') this.#lines.push(`${name}: ${value}`);
  }

  #flushText(open: Open): void {
    const line = [oneLine(open.text), ...open.attributes].filter((part) => part !== '').join(', ');
    open.text = '';
    open.attributes = [];
    if (line !== '') this.#lines.push(`${open.name}: ${line}`);
  }

  #endRecord(): void {
    if (this.#lines.length > 0) this.#builder.add({ kind: 'paragraph', text: this.#lines.join('\n') });
    this.#lines = [];
  }
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}
