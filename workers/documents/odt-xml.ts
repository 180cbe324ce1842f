/**
 * Threat: XML written to exhaust or to reach out. One pass without a tree, no document type (so no entities of its own
 * and nothing external), bounds on depth and elements.
 */
import { SaxesParser, type SaxesTagNS } from 'saxes';
import { QuarryError } from '../../src-server/platform/errors.ts';
import { byteOrderMark } from '../../src-server/platform/text/encoding.ts';
import { KIB } from '../../src-server/platform/units.ts';

const MAX_DEPTH = 500;
const MAX_ELEMENTS = 2_000_000;
const WRITE_BYTES = 64 * KIB;

const OASIS = 'urn:oasis:names:tc:opendocument:xmlns:';
/** Names are given with these prefixes, whichever a document chose. */
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

/** Walks the XML of an OpenDocument part. Throws `corrupt_input` for what is no well-formed XML. */
export function walkXml(bytes: Buffer, handler: XmlHandler): void {
  const parser = new SaxesParser({ xmlns: true });
  const names: string[] = [];
  let elements = 0;
  parser.on('doctype', () => {
    throw damaged('a document type');
  });
  parser.on('error', (cause) => {
    throw damaged(cause);
  });
  parser.on('opentag', (node) => {
    elements += 1;
    if (names.length >= MAX_DEPTH || elements > MAX_ELEMENTS) {
      throw new QuarryError('source_too_large', 'The document nests too deeply or has too many elements to be read.');
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

function damaged(cause: unknown): QuarryError {
  return new QuarryError('corrupt_input', 'The document is damaged: save it again and send the new file.', { cause });
}
