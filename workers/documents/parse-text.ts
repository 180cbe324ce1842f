import { QuarryError } from '../../src-server/platform/errors.ts';
import { decodeText } from '../../src-server/platform/text/decode-text.ts';
import { looksBinary } from '../../src-server/platform/text/encoding.ts';
import { KIB } from '../../src-server/platform/units.ts';
import type { DocumentParser } from './blocks.ts';
import { DocumentBuilder } from './document-builder.ts';

/** Bytes that are looked at to tell text from something else; binary files show themselves early. */
const BINARY_SAMPLE_BYTES = 256 * KIB;
/** Share of U+FFFD from which a text was not text, or in an encoding nobody can name. */
const REPLACEMENT_SHARE = 0.1;

/**
 * Bytes of a text file as text; the language helps where the bytes leave the encoding open. Throws `unsupported_media`
 * where they are no text in any encoding.
 */
export function readText(bytes: Buffer, language: string | null): string {
  const { text } = decodeText(bytes, { language });
  const replaced = text.slice(0, BINARY_SAMPLE_BYTES).split('\ufffd').length - 1;
  if (looksBinary(bytes.subarray(0, BINARY_SAMPLE_BYTES)) || replaced > text.length * REPLACEMENT_SHARE) {
    throw new QuarryError('unsupported_media', 'The file is not a text: send a document, or save it as text.');
  }
  return text;
}

/**
 * Plain text: form feeds divide pages; paragraphs are divided by empty lines, or, in a text without any, by line ends.
 * Lines within a paragraph stay lines. Throws `unsupported_media` for binary content.
 */
export const parsePlainText: DocumentParser = async (bytes, options) => {
  const builder = new DocumentBuilder(options);
  const text = readText(bytes, options.language).replace(/\r\n?/g, '\n');
  const divider = /\S[^\S\n\f]*\n[^\S\n\f]*\n/.test(text) ? /\n[^\S\n]*\n/ : /\n/;
  // A form feed that only white space follows ends the last page, and begins none.
  const lastFeed = text.indexOf('\f', text.trimEnd().length);
  const pages = (lastFeed === -1 ? text : text.slice(0, lastFeed)).split('\f');
  for (const [index, page] of pages.entries()) {
    builder.page = index + 1;
    for (const paragraph of page.split(divider)) {
      builder.step();
      builder.add({ kind: 'paragraph', text: paragraph });
    }
  }
  return builder.finish({ format: 'text' });
};
