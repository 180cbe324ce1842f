import { QuarryError } from '../../../src-server/platform/errors.ts';
import { say } from '../../../src-server/platform/text/say.ts';
import type { DocumentParser } from '../blocks.ts';
import { DocumentBuilder } from '../document-builder.ts';
import { externalAddresses, type Relationship, readProperties, readRelationships } from '../ooxml.ts';
import { SheetWriter } from '../sheets/sheet-writer.ts';
import type { XmlBudget } from '../xml.ts';
import { type OfficePackage, openPackage, refuseDamaged } from '../zip-package.ts';
import { readSheetComments } from './comments.ts';
import { readSheetDrawings } from './drawings.ts';
import { readSheet } from './read-sheet.ts';
import { readFormats, readSharedStrings, readWorkbook } from './workbook.ts';

/** Parts nest far less; deeper ones are hostile. */
const MAX_DEPTH = 500;

/**
 * Excel workbooks (.xlsx, .xlsm, .xltx): each visible sheet is a page with a heading and its tables. Errors:
 * `encrypted_input`, `corrupt_input`, `unsupported_media` (a zip that is no workbook), `source_too_large`.
 */
export const parseXlsx: DocumentParser = async (bytes, options) => {
  const builder = new DocumentBuilder(options);
  const source = await openPackage(bytes);
  const createSheetBudget = (): XmlBudget => ({
    elements: 0,
    maxDepth: MAX_DEPTH,
    tick() {
      options.progress(0, say`Reading the workbook`);
      options.signal.throwIfAborted();
    },
  });
  const root = readRelationships(source, '', createSheetBudget());
  const main = root.find(({ type }) => type === 'officeDocument')?.target ?? 'xl/workbook.xml';
  const bytesOfMain = source.readMain(main);
  if (bytesOfMain === null) throw new QuarryError('unsupported_media', say`The file is a zip archive, not a workbook.`);
  const { sheets, isDate1904 } = readWorkbook(bytesOfMain, createSheetBudget());
  const parts = readRelationships(source, main, createSheetBudget());
  const readWorkbookPart = (type: string) =>
    source.read(parts.find((one) => one.type === type)?.target ?? `xl/${type}.xml`);
  const context = {
    strings: readSharedStrings(readWorkbookPart('sharedStrings'), () => builder.useInlineSigns(), createSheetBudget()),
    formats: readFormats(readWorkbookPart('styles'), createSheetBudget()),
    isDate1904,
  };
  const writer = new SheetWriter(builder);
  for (const sheet of sheets) {
    const part = parts.find(({ id }) => id === sheet.relationshipId);
    if (sheet.isHidden) writer.skipSheet(sheet.name, 'hidden');
    else if (writer.isSheetLimitReached) writer.skipSheet(sheet.name, 'leftOut');
    else {
      writer.openSheet(sheet.name);
      const content = readWorksheetPart(source, part, writer);
      const relations = part === undefined ? [] : readRelationships(source, part.target, createSheetBudget());
      const addressOf = externalAddresses(relations);
      if (content !== null) readSheet(content, writer, { ...context, addressOf, budget: createSheetBudget() });
      readSheetDrawings(source, relations, writer, createSheetBudget());
      writer.closeSheet();
      readSheetComments(source, relations, builder, createSheetBudget());
    }
  }
  if (builder.blocks.length === 0) {
    refuseDamaged(source);
    if (writer.isIncomplete) {
      throw new QuarryError('corrupt_input', say`The sheets of the workbook are missing. Open and save it again.`);
    }
  }
  writer.writeSheetWarnings();
  const { title, author, language } = readProperties(source, createSheetBudget());
  return builder.buildNormalizedDocument({
    format: 'xlsx',
    title,
    author,
    language,
    pages: writer.openedSheetCount,
  });
};

/** The part of a sheet with cells; null for a chart sheet, and for a part that is missing, which is said. */
function readWorksheetPart(source: OfficePackage, part: Relationship | undefined, writer: SheetWriter): Buffer | null {
  if (part !== undefined && part.type !== 'worksheet') return null;
  const content = part === undefined ? null : source.read(part.target);
  if (content === null) writer.missSheet();
  return content;
}
