/**
 * Texts with light markup: reStructuredText, AsciiDoc, Org. Headings, lists, quotations, code, tables and notes become
 * blocks, and the marks within their text marks of the blocks. Nothing is included or executed.
 */

import type { DocumentParser } from '../blocks.ts';
import { DocumentBuilder } from '../document-builder.ts';
import { decodeTextFile } from '../parse-text.ts';
import { withoutReserved } from '../revisions.ts';
import { readAsciidoc } from './asciidoc-reader.ts';
import { MarkupBuilder } from './markup-builder.ts';
import { lightMarkupOf } from './markup-format.ts';
import { readOrg } from './org-reader.ts';
import { readRst } from './rst-reader.ts';

const READERS = { rst: readRst, asciidoc: readAsciidoc, org: readOrg };

/** Errors: `source_too_large`, `unsupported_media`. */
export const parseLightMarkup: DocumentParser = async (bytes, options) => {
  const builder = new DocumentBuilder(options);
  const text = withoutReserved(decodeTextFile(bytes, options.language, builder).replace(/^\ufeff/, ''));
  const format = lightMarkupOf(options.fileName);
  const out = new MarkupBuilder(builder);
  READERS[format](text.split(/\r\n?|\n/), out);
  return builder.buildNormalizedDocument({ format, title: out.title, author: out.author });
};
