/**
 * Threat: XML that expands, loads external resources or nests endlessly. A document type is refused before its entities
 * are read, elements and depth are counted, and there is no recursion.
 */

import { SaxesParser, type SaxesTagNS } from 'saxes';
import { QuarryError } from '../../src-server/platform/errors.ts';
import { byteOrderMark } from '../../src-server/platform/text/encoding.ts';
import { KIB } from '../../src-server/platform/units.ts';
import { damaged, tooComplex } from './zip-package.ts';

const MAX_DEPTH = 10_000;

const MAX_ELEMENTS = 2_000_000;

/** Bound on the namespace prefixes in scope; Word declares about forty. */
const MAX_PREFIXES = 500;

/** Bytes parsed between two checks for cancellation. */
const SLICE_BYTES = 256 * KIB;

/** An element with the reader's short name of its namespace, or '' for other namespaces. */
export interface XmlElement {
  namespace: string;
  local: string;
  /** Value of an attribute by local name, ignoring its prefix. */
  attribute(local: string): string | undefined;
}

interface XmlHandlers {
  open(element: XmlElement): void;
  close(): void;
  text(text: string): void;
}

/** Transitional and strict namespaces are equivalent here. */
const NAMESPACES: Readonly<Record<string, string>> = {
  'http://schemas.openxmlformats.org/wordprocessingml/2006/main': 'w',
  'http://purl.oclc.org/ooxml/wordprocessingml/main': 'w',
  'http://schemas.openxmlformats.org/officeDocument/2006/math': 'm',
  'http://purl.oclc.org/ooxml/officeDocument/math': 'm',
  'http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing': 'wp',
  'http://purl.oclc.org/ooxml/drawingml/wordprocessingDrawing': 'wp',
  'http://schemas.openxmlformats.org/markup-compatibility/2006': 'mc',
  'urn:schemas-microsoft-com:vml': 'v',
  'http://schemas.openxmlformats.org/drawingml/2006/diagram': 'dgm',
  'http://schemas.openxmlformats.org/package/2006/relationships': 'rel',
  'http://purl.org/dc/elements/1.1/': 'dc',
  'http://schemas.openxmlformats.org/officeDocument/2006/extended-properties': 'app',
  'http://purl.oclc.org/ooxml/officeDocument/extendedProperties': 'app',
};

/** Count of elements in one document, shared by its parts. */
export interface XmlBudget {
  elements: number;
  /** Called between slices of a part. Throws to stop. */
  tick(): void;
}

/** Walks a part. Errors: `corrupt_input` if it is not well-formed or has a document type, `source_too_large`. */
export function walkXml(bytes: Buffer, budget: XmlBudget, handlers: XmlHandlers): void {
  const parser = new SaxesParser();
  const scopes: (Map<string, string> | null)[] = [];
  let names = new Map<string, string>();
  parser.on('error', (cause) => {
    throw damaged(cause);
  });
  parser.on('doctype', () => {
    throw damaged('a document type');
  });
  parser.on('opentag', ({ name, attributes }) => {
    budget.elements += 1;
    if (budget.elements > MAX_ELEMENTS) throw tooComplex('elements');
    if (scopes.length >= MAX_DEPTH) throw tooComplex('depth');
    const declared = declaredIn(attributes, names);
    scopes.push(declared === null ? null : names);
    if (declared !== null) names = declared;
    const colon = name.indexOf(':');
    const namespace = names.get(colon === -1 ? '' : name.slice(0, colon)) ?? '';
    handlers.open({ namespace, local: name.slice(colon + 1), attribute: (local) => find(attributes, local) });
  });
  parser.on('closetag', () => {
    const outer = scopes.pop();
    handlers.close();
    if (outer != null) names = outer;
  });
  parser.on('text', (text) => handlers.text(text));
  parser.on('cdata', (text) => handlers.text(text));
  const decoder = new TextDecoder(encodingOf(bytes));
  for (let at = 0; at < bytes.length; at += SLICE_BYTES) {
    budget.tick();
    parser.write(decoder.decode(bytes.subarray(at, at + SLICE_BYTES), { stream: true }));
  }
  parser.write(decoder.decode());
  parser.close();
}

/** The prefixes in scope inside an element that declares some; null if it declares none. */
function declaredIn(attributes: Record<string, string>, outer: Map<string, string>): Map<string, string> | null {
  let scope: Map<string, string> | null = null;
  for (const name in attributes) {
    if (!name.startsWith('xmlns')) continue;
    scope ??= new Map(outer);
    if (scope.size >= MAX_PREFIXES) throw tooComplex('prefixes');
    scope.set(name.slice('xmlns:'.length), NAMESPACES[attributes[name] ?? ''] ?? '');
  }
  return scope;
}

function find(attributes: Record<string, string>, local: string): string | undefined {
  for (const name in attributes) {
    if (name === local || (name.endsWith(local) && name[name.length - local.length - 1] === ':'))
      return attributes[name];
  }
  return undefined;
}

function encodingOf(bytes: Buffer): string {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return 'utf-16le';
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return 'utf-16be';
  return 'utf-8';
}

/**
 * Threat: XML written to exhaust memory or to load external resources. One pass without a tree, no document type (so no
 * custom or external entities), bounds on depth and elements.
 */

const ODF_MAX_DEPTH = 500;

const WRITE_BYTES = 64 * KIB;

const OASIS = 'urn:oasis:names:tc:opendocument:xmlns:';

/** Names use these prefixes, independent of those in the document. */
const PREFIXES: Readonly<Record<string, string>> = {
  [`${OASIS}office:1.0`]: 'office',
  [`${OASIS}text:1.0`]: 'text',
  [`${OASIS}table:1.0`]: 'table',
  [`${OASIS}drawing:1.0`]: 'draw',
  [`${OASIS}style:1.0`]: 'style',
  [`${OASIS}meta:1.0`]: 'meta',
  [`${OASIS}manifest:1.0`]: 'manifest',
  [`${OASIS}xsl-fo-compatible:1.0`]: 'fo',
  [`${OASIS}svg-compatible:1.0`]: 'svg',
  'http://purl.org/dc/elements/1.1/': 'dc',
  'http://www.w3.org/1999/xlink': 'xlink',
  'http://www.w3.org/1998/Math/MathML': 'math',
  'http://www.w3.org/XML/1998/namespace': 'xml',
};

export interface XmlTag {
  /** With the usual prefix: `text:p`. */
  name: string;
  attribute(name: string): string | null;
}

export interface XmlHandler {
  open(tag: XmlTag): void;
  text(text: string): void;
  close(name: string): void;
}

/** Walks the XML of an OpenDocument part. Throws `corrupt_input` if it is not well-formed. */
export function walkOdfXml(bytes: Buffer, handler: XmlHandler): void {
  const parser = new SaxesParser({ xmlns: true });
  const names: string[] = [];
  let elements = 0;
  parser.on('doctype', () => {
    throw damagedOdf('a document type');
  });
  parser.on('error', (cause) => {
    throw damagedOdf(cause);
  });
  parser.on('opentag', (node) => {
    elements += 1;
    if (names.length >= ODF_MAX_DEPTH || elements > MAX_ELEMENTS) {
      throw new QuarryError('source_too_large', 'The document nests too deeply or has too many elements.');
    }
    const tag = tagOf(node);
    names.push(tag.name);
    handler.open(tag);
  });
  parser.on('text', (text) => handler.text(text));
  parser.on('cdata', (text) => handler.text(text));
  parser.on('closetag', () => handler.close(names.pop() ?? ''));
  const decoder = new TextDecoder(byteOrderMark(bytes)?.encoding ?? 'utf-8');
  for (let at = 0; at < bytes.length; at += WRITE_BYTES) {
    parser.write(decoder.decode(bytes.subarray(at, at + WRITE_BYTES), { stream: true }));
  }
  parser.write(decoder.decode()).close();
}

function tagOf(node: SaxesTagNS): XmlTag {
  return {
    name: canonical(node.uri, node.name, node.local),
    attribute(name) {
      for (const item of Object.values(node.attributes)) {
        if (item.name === name || canonical(item.uri, item.name, item.local) === name) return item.value;
      }
      return null;
    },
  };
}

function canonical(uri: string, name: string, local: string): string {
  const prefix = PREFIXES[uri];
  return prefix === undefined ? name : `${prefix}:${local}`;
}

function damagedOdf(cause: unknown): QuarryError {
  return new QuarryError('corrupt_input', 'The document is damaged: save it again and send the new file.', { cause });
}
