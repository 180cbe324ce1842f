import { QuarryError } from '../../../src-server/platform/errors.ts';
import type { DocumentParser } from '../blocks.ts';
import { DocumentBuilder } from '../document-builder.ts';
import { RtfReader } from './rtf-reader.ts';
import { scanRtf } from './scan.ts';

/** Where the opening of a document must stand: some writers put a mark or white space before it. */
const START_BYTES = 64;

/**
 * Rich Text documents. A file that ends in the middle is read as far as it goes, with a warning; one without any text
 * before that is `corrupt_input`.
 */
export const parseRtf: DocumentParser = async (bytes, options) => {
  const start = bytes.subarray(0, START_BYTES).indexOf('{\\rtf', 0, 'latin1');
  const damaged = 'The document is damaged: save it again and send the new file.';
  if (start === -1) throw new QuarryError('corrupt_input', damaged);
  const builder = new DocumentBuilder(options);
  const reader = new RtfReader(builder);
  scanRtf(bytes.subarray(start), reader);
  const { title, author } = reader.end();
  const document = builder.finish({ format: 'rtf', title, author, statedPages: reader.statedPages });
  if (document.warnings.length > 0 && document.blocks.length === 0) throw new QuarryError('corrupt_input', damaged);
  return document;
};
