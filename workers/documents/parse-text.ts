import { QuarryError } from '../../src-server/platform/errors.ts';
import { decodeText, encodingDoubt } from '../../src-server/platform/text/decode-text.ts';
import { looksBinary } from '../../src-server/platform/text/encoding.ts';
import { say } from '../../src-server/platform/text/say.ts';
import { KIB } from '../../src-server/platform/units.ts';
import type { DocumentParser } from './blocks.ts';
import { DocumentBuilder } from './document-builder.ts';

/** Bytes examined to detect binary content. */
const BINARY_SAMPLE_BYTES = 256 * KIB;
/** Share of U+FFFD from which the content is binary or in an unknown encoding. */
const REPLACEMENT_SHARE = 0.1;

/**
 * Decodes a text file; the language helps if the encoding is ambiguous. The document is told where the encoding stays a
 * guess. Throws `unsupported_media` if the bytes are no text in any encoding.
 */
export function decodeTextFile(
  bytes: Buffer,
  language: string | null,
  document?: Pick<DocumentBuilder, 'addWarning'>,
): string {
  const { text, encoding, isCertain } = decodeText(bytes, { language });
  const replaced = text.slice(0, BINARY_SAMPLE_BYTES).split('\ufffd').length - 1;
  if (looksBinary(bytes.subarray(0, BINARY_SAMPLE_BYTES)) || replaced > text.length * REPLACEMENT_SHARE) {
    throw new QuarryError('unsupported_media', say`The file is not text: send a document, or save it as text.`);
  }
  if (!isCertain) document?.addWarning(encodingDoubt(encoding));
  return text;
}

/**
 * Plain text: form feeds separate pages; empty lines separate paragraphs, or line ends in a text without empty lines.
 * Lines within a paragraph stay lines. Throws `unsupported_media` for binary content.
 */
export const parsePlainText: DocumentParser = async (bytes, options) => {
  const builder = new DocumentBuilder(options);
  addPlainText(decodeTextFile(bytes, options.language, builder), builder);
  return builder.buildNormalizedDocument({ format: 'text' });
};

/** Adds the paragraphs of a plain text. */
export function addPlainText(source: string, builder: DocumentBuilder): void {
  const text = source.replace(/\r\n?/g, '\n');
  const divider = /\S[^\S\n\f]*\n[^\S\n\f]*\n/.test(text) ? /\n[^\S\n]*\n/ : /\n/;
  // A form feed before trailing white space ends the last page without starting a new one.
  const lastFeed = text.indexOf('\f', text.trimEnd().length);
  const pages = (lastFeed === -1 ? text : text.slice(0, lastFeed)).split('\f');
  for (const [index, page] of pages.entries()) {
    builder.page = index + 1;
    for (const paragraph of page.split(divider)) {
      builder.checkCancellation();
      builder.addDocumentBlock({ kind: 'paragraph', text: paragraph });
    }
  }
}
