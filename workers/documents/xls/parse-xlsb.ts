import { zipSync } from 'fflate';
import type { DocumentParser } from '../blocks.ts';
import { DocumentBuilder } from '../document-builder.ts';
import { readProperties } from '../ooxml.ts';
import type { XmlBudget } from '../xml.ts';
import { damagedPackageError, openPackage } from '../zip-package.ts';
import { readWorkbook, writeSheets } from './parse-xls.ts';

/** Parts without which there are no cells; pictures and drawings are not unpacked. */
const NEEDED =
  /^(?:\[Content_Types\]\.xml|_rels\/.*|xl\/(?:_rels\/.*|[^/]+\.bin|worksheets\/(?:_rels\/.*|[^/]+\.bin)))$/i;

const MAX_DEPTH = 100;

/**
 * Excel binary workbooks (.xlsb). The package is unpacked under our bounds and given to SheetJS without compression,
 * which then inflates nothing. Errors: `corrupt_input`, `source_too_large`.
 */
export const parseXlsb: DocumentParser = async (bytes, options) => {
  const builder = new DocumentBuilder(options);
  const source = await openPackage(bytes);
  const parts: Record<string, Uint8Array> = {};
  for (const { name } of source.entries()) {
    const part = NEEDED.test(name) ? source.read(name) : null;
    if (part !== null) parts[name] = part;
    builder.checkCancellation();
  }
  const workbook = readWorkbook(zipSync(parts, { level: 0 }));
  if (workbook.SheetNames.length === 0) throw damagedPackageError('no sheets');
  const writer = writeSheets(workbook, builder);
  const budget: XmlBudget = { elements: 0, maxDepth: MAX_DEPTH, tick: () => builder.checkCancellation() };
  const { title, author, language } = readProperties(source, budget);
  return builder.buildNormalizedDocument({ format: 'xlsb', title, author, language, pages: writer.openedSheetCount });
};
