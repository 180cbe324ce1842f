/**
 * Threat: pages written to exhaust a parser. There is no tree: one pass over the tags, with a bound on their count and
 * on how deep they nest (the tag stack of the library is quadratic in its depth), and nothing is fetched or run.
 */
import { Parser } from 'htmlparser2';
import { QuarryError } from '../../../src-server/platform/errors.ts';
import { KIB } from '../../../src-server/platform/units.ts';
import type { DocumentParser } from '../blocks.ts';
import { type DecodedText, decodeText } from '../decode-text.ts';
import { DocumentBuilder } from '../document-builder.ts';
import { HtmlWalker } from './walker.ts';
import { pageOfArchive } from './web-archive.ts';

const MAX_DEPTH = 500;
const MAX_ELEMENTS = 2_000_000;
/** The part of a page in which it may declare its character set. */
const CHARSET_SEARCH_BYTES = 4 * KIB;
const WRITE_CHARACTERS = 64 * KIB;

/** What a page says about itself. */
export interface HtmlFacts {
  title: string | null;
  author: string | null;
  language: string | null;
}

/** A page's bytes as text. `headerCharset` is what an HTTP header said, where there was one. */
export function decodeHtml(bytes: Buffer, headerCharset: string | null = null): DecodedText {
  // What stands in a comment is not declared.
  const start = bytes.toString('latin1', 0, CHARSET_SEARCH_BYTES).replace(/<!--[\s\S]*?(?:-->|$)/g, '');
  const declared = /<meta[^>]+charset\s*=\s*["']?\s*([\w:.-]+)/i.exec(start)?.[1];
  const xml = /^\s*<\?xml[^>]+encoding\s*=\s*["']([\w:.-]+)/i.exec(start)?.[1];
  return decodeText(bytes, { declared: [headerCharset, declared ?? xml ?? null] });
}

/**
 * Walks a page and adds its blocks to `builder`. Throws `source_too_large` when it nests deeper or has more elements
 * than a page may have.
 */
export function readHtml(html: string, builder: DocumentBuilder): HtmlFacts {
  const walker = new HtmlWalker(builder);
  let depth = 0;
  let elements = 0;
  const parser = new Parser({
    onopentag(tag, attributes) {
      builder.step();
      depth += 1;
      elements += 1;
      if (depth > MAX_DEPTH || elements > MAX_ELEMENTS) {
        throw new QuarryError('source_too_large', 'The page nests too deeply or has too many elements to be read.');
      }
      walker.open(tag, attributes);
    },
    ontext: (text) => walker.text(text),
    onclosetag(tag) {
      depth -= 1;
      walker.close(tag);
    },
  });
  for (let at = 0; at < html.length; at += WRITE_CHARACTERS) parser.write(html.slice(at, at + WRITE_CHARACTERS));
  parser.end();
  return walker.end();
}

/** Web pages: headings, paragraphs, lists, tables, code, captions. Scripts, styles and what is hidden are left out. */
export const parseHtml: DocumentParser = async (bytes, options) => {
  const builder = new DocumentBuilder(options);
  const archived = pageOfArchive(bytes);
  const { text } = archived === null ? decodeHtml(bytes) : decodeHtml(archived.content, archived.charset);
  const facts = readHtml(text, builder);
  return builder.finish({ format: 'html', ...facts });
};
