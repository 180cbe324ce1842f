import papaparse from 'papaparse';
import { say } from '../../../src-server/platform/text/say.ts';
import type { DocumentParser } from '../blocks.ts';
import { DocumentBuilder } from '../document-builder.ts';
import { decodeTextFile } from '../parse-text.ts';
import { SheetWriter } from '../sheets/sheet-writer.ts';

/** Excel's first line that names the delimiter. */
const NAMED_DELIMITER = /^\ufeff?sep=(.)\r?\n/i;

/**
 * Comma-separated and tab-separated values: one table. Delimiter and encoding are detected. Throws
 * `unsupported_media` for binary content.
 */
export const parseCsv: DocumentParser = async (bytes, options) => {
  const builder = new DocumentBuilder(options);
  const text = decodeTextFile(bytes, options.language, builder);
  const [line = '', delimiter = ''] = NAMED_DELIMITER.exec(text) ?? [];
  const writer = new SheetWriter(builder);
  writer.openSheet('');
  let row = 0;
  let open = 0;
  papaparse.parse<string[]>(text.slice(line.length), {
    delimiter,
    skipEmptyLines: 'greedy',
    step({ data, errors }) {
      row += 1;
      if (errors.some(({ code }) => code === 'MissingQuotes')) open += 1;
      const cells = data.map((cell, column) => ({ column, text: cell }));
      writer.addRow(row, cells);
    },
  });
  if (open > 0) builder.addWarning(say`A quoted value of the file does not end; the text after it is one value.`);
  writer.closeSheet();
  writer.writeSheetWarnings();
  return builder.buildNormalizedDocument({ format: 'csv' });
};
