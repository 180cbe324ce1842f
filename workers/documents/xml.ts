/**
 * Threat: XML that expands (entity expansion), loads external resources (XXE) or nests endlessly. A document type is
 * refused, or ignored with its entities; elements and depth are counted, and there is no recursion.
 */

import { isUtf8 } from 'node:buffer';
import { byName } from '../../src-server/platform/records.ts';
import { byteOrderMark, unmarkedUtf16 } from '../../src-server/platform/text/encoding.ts';
import { KIB } from '../../src-server/platform/units.ts';
import { NotWellFormed, type XmlAttributes, type XmlName, XmlReader } from './xml-reader.ts';
import { damagedPackageError, originOfPart, tooComplex, tooDeep } from './zip-package.ts';

const MAX_ELEMENTS = 2_000_000;

/** Bound on the namespace prefixes in scope; Word declares about forty. */
const MAX_PREFIXES = 500;

/** Bytes parsed between two checks for cancellation. */
const SLICE_BYTES = 256 * KIB;

/** Bytes in which a part shows its encoding. */
const HEAD_BYTES = 1 * KIB;

export interface XmlElement {
  /** The usual prefix of its namespace, independent of the one in the document; '' for other namespaces. */
  namespace: string;
  local: string;
  /** Usual prefix and local name, `text:p`; for other namespaces as in the document. */
  name: string;
  /** Value of an attribute by usual prefix and local name, or by local name alone, ignoring its prefix. */
  attributeValue(name: string): string | null;
  /** `name=value` of each attribute, without declarations of namespaces. */
  listAttributes(): string[];
}

export interface XmlHandlers {
  open?(element: XmlElement): void;
  text?(text: string): void;
  close?(element: XmlElement): void;
  /** Ends the walk after the current slice. */
  isDone?(): boolean;
}

const OASIS = 'urn:oasis:names:tc:opendocument:xmlns:';

/** Transitional and strict namespaces are equivalent here. */
const NAMESPACES: Readonly<Record<string, string>> = byName({
  'http://schemas.openxmlformats.org/wordprocessingml/2006/main': 'w',
  'http://purl.oclc.org/ooxml/wordprocessingml/main': 'w',
  'http://schemas.openxmlformats.org/officeDocument/2006/math': 'm',
  'http://purl.oclc.org/ooxml/officeDocument/math': 'm',
  'http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing': 'wp',
  'http://purl.oclc.org/ooxml/drawingml/wordprocessingDrawing': 'wp',
  'http://schemas.openxmlformats.org/markup-compatibility/2006': 'mc',
  'urn:schemas-microsoft-com:vml': 'v',
  'http://schemas.openxmlformats.org/drawingml/2006/diagram': 'dgm',
  'http://purl.oclc.org/ooxml/drawingml/diagram': 'dgm',
  'http://schemas.openxmlformats.org/drawingml/2006/chart': 'c',
  'http://purl.oclc.org/ooxml/drawingml/chart': 'c',
  'http://schemas.microsoft.com/office/drawing/2014/chartex': 'cx',
  'http://schemas.openxmlformats.org/drawingml/2006/main': 'a',
  'http://purl.oclc.org/ooxml/drawingml/main': 'a',
  'http://schemas.openxmlformats.org/presentationml/2006/main': 'p',
  'http://purl.oclc.org/ooxml/presentationml/main': 'p',
  'http://schemas.openxmlformats.org/spreadsheetml/2006/main': 's',
  'http://purl.oclc.org/ooxml/spreadsheetml/main': 's',
  'http://schemas.openxmlformats.org/officeDocument/2006/relationships': 'r',
  'http://purl.oclc.org/ooxml/officeDocument/relationships': 'r',
  'http://schemas.openxmlformats.org/package/2006/relationships': 'rel',
  'http://purl.org/dc/elements/1.1/': 'dc',
  'http://schemas.openxmlformats.org/officeDocument/2006/extended-properties': 'app',
  'http://purl.oclc.org/ooxml/officeDocument/extendedProperties': 'app',
  [`${OASIS}office:1.0`]: 'office',
  [`${OASIS}text:1.0`]: 'text',
  [`${OASIS}table:1.0`]: 'table',
  [`${OASIS}drawing:1.0`]: 'draw',
  [`${OASIS}style:1.0`]: 'style',
  [`${OASIS}meta:1.0`]: 'meta',
  [`${OASIS}presentation:1.0`]: 'presentation',
  [`${OASIS}manifest:1.0`]: 'manifest',
  [`${OASIS}xsl-fo-compatible:1.0`]: 'fo',
  [`${OASIS}svg-compatible:1.0`]: 'svg',
  'http://www.w3.org/1999/xlink': 'xlink',
  'http://www.w3.org/1998/Math/MathML': 'math',
});

/** Count of elements in one document, shared by its parts. */
export interface XmlBudget {
  elements: number;
  /** Bound on nested elements. */
  maxDepth: number;
  /** Accepts a document type, whose entities are not read: a reference to one is an error. */
  allowsDoctype?: true;
  /** Called between slices of a part. Throws to stop. */
  tick(): void;
}

/**
 * Walks a part. A part of a package that is damaged is walked to the damage, which the package then knows, unless it is
 * a main one. Errors: `corrupt_input` if it is not well-formed or has a document type, `source_too_large`.
 */
export function walkXml(bytes: Buffer, budget: XmlBudget, handlers: XmlHandlers): void {
  const open: Open[] = [];
  const reader = readerFor(budget, handlers, open);
  try {
    const encoding = encodingOf(bytes);
    if (encoding === OLD_ENCODING && statedEncoding(bytes) === null) originOfPart(bytes)?.misread();
    const decoder = new TextDecoder(encoding);
    for (let at = 0; at < bytes.length; at += SLICE_BYTES) {
      budget.tick();
      reader.write(decoder.decode(bytes.subarray(at, at + SLICE_BYTES), { stream: true }));
      if (handlers.isDone?.() === true) return;
    }
    reader.write(decoder.decode());
    reader.close();
  } catch (error) {
    if (!(error instanceof NotWellFormed)) throw error;
    const part = originOfPart(bytes);
    if (part === undefined || part.isMain) throw damagedPackageError(error, part?.name);
    const text = new TextDecoder(encodingOf(bytes)).decode(bytes);
    const end = text.lastIndexOf('>', reader.position - 1) + 1;
    part.cut(text.slice(0, end), text.slice(end));
    for (let closed = open.pop(); closed !== undefined; closed = open.pop()) handlers.close?.(closed.element);
  }
}

/** What is read where a part is not in the encoding that it states: bytes without one are this most often. */
const OLD_ENCODING = 'windows-1252';

/** The encoding of a part: by its mark, its zero bytes, or what it states. */
export function encodingOf(bytes: Buffer): string {
  const unicode = byteOrderMark(bytes)?.encoding ?? unmarkedUtf16(bytes.subarray(0, HEAD_BYTES));
  if (unicode !== null) return unicode;
  const stated = statedEncoding(bytes);
  if (stated !== null) return stated;
  return isUtf8(bytes) ? 'utf-8' : OLD_ENCODING;
}

/** The encoding that a part states, other than those of Unicode, which its bytes show; null without one. */
function statedEncoding(bytes: Buffer): string | null {
  const head = bytes.toString('latin1', 0, HEAD_BYTES);
  const [, name] = /^\s*<\?xml[^>]{0,100}?\sencoding\s*=\s*["']([\w.-]{1,40})["']/.exec(head) ?? [];
  if (name === undefined || /^utf/i.test(name)) return null;
  try {
    return new TextDecoder(name).encoding;
  } catch {
    return null;
  }
}

interface Open {
  element: XmlElement;
  outer: Scope;
}

function readerFor(budget: XmlBudget, handlers: XmlHandlers, open: Open[]): XmlReader {
  let scope: Scope = new Map([['xml', 'xml']]);
  return new XmlReader({
    doctype() {
      if (budget.allowsDoctype !== true) throw new NotWellFormed('a document type');
    },
    open(name, attributes) {
      budget.elements += 1;
      if (budget.elements > MAX_ELEMENTS) throw tooComplex('elements');
      if (open.length >= budget.maxDepth) throw tooDeep();
      const outer = scope;
      scope = scopeIn(attributes, outer);
      const element = new Element(name, attributes, scope);
      open.push({ element, outer });
      handlers.open?.(element);
    },
    close() {
      const closed = open.pop();
      if (closed === undefined) return;
      handlers.close?.(closed.element);
      scope = closed.outer;
    },
    text: (text) => handlers.text?.(text),
  });
}

/** Prefix in the document → usual prefix; '' for other namespaces. */
type Scope = Map<string, string>;

class Element implements XmlElement {
  readonly namespace: string;
  readonly local: string;
  readonly #name: XmlName;
  readonly #attributes: XmlAttributes;
  readonly #scope: Scope;

  constructor(name: XmlName, attributes: XmlAttributes, scope: Scope) {
    this.namespace = scope.get(name.prefix) ?? '';
    this.local = name.local;
    this.#name = name;
    this.#attributes = attributes;
    this.#scope = scope;
  }

  get name(): string {
    return this.namespace === '' ? this.#name.text : `${this.namespace}:${this.local}`;
  }

  attributeValue(name: string): string | null {
    const colon = name.indexOf(':');
    const local = colon === -1 ? name : name.slice(colon + 1);
    const { names, values } = this.#attributes;
    for (const [at, { head, tail }] of names.entries()) {
      if (tail !== local) continue;
      if (colon === -1 || (head !== null && this.#isNamed(head, name.slice(0, colon)))) return values[at] ?? null;
    }
    return null;
  }

  listAttributes(): string[] {
    const { names, values } = this.#attributes;
    return names.flatMap(({ text }, at) =>
      /^xml(?:ns|:|$)/.test(text) || /:schemaLocation$/.test(text) ? [] : [`${text}=${values[at]}`],
    );
  }

  #isNamed(own: string, prefix: string): boolean {
    return (this.#scope.get(own) || own) === prefix;
  }
}

/** The prefixes inside an element: those around it, and those that it declares. */
function scopeIn({ names, values }: XmlAttributes, outer: Scope): Scope {
  let scope = outer;
  for (const [at, { text }] of names.entries()) {
    if (!text.startsWith('xmlns')) continue;
    if (scope === outer) scope = new Map(outer);
    if (scope.size >= MAX_PREFIXES) throw tooComplex('prefixes');
    scope.set(text.slice('xmlns:'.length), NAMESPACES[values[at] ?? ''] ?? '');
  }
  return scope;
}
