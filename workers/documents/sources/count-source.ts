import { QuarryError } from '../../../src-server/platform/errors.ts';
import type { FileKind } from '../../../src-server/platform/files/kinds.ts';
import { omitUndefined } from '../../../src-server/platform/omit-undefined.ts';
import { say } from '../../../src-server/platform/text/say.ts';
import type { NormalizedDocument, ParseOptions } from '../blocks.ts';
import type { SourceLedger } from '../source-ledger.ts';
import { damagesOf } from '../zip-package.ts';
import { scanXml } from './scan-xml.ts';

/**
 * Enters what a file holds into the ledger of the options, on a path of its own. Called after the parser, which refuses
 * damaged files.
 */
export async function countSource(
  kind: FileKind,
  bytes: Buffer,
  document: NormalizedDocument,
  options: ParseOptions,
): Promise<void> {
  options.signal.throwIfAborted();
  await enterDamages(bytes, options.ledger);
  const count = await COUNTERS[kind]?.();
  const ledger = options.ledger.openPartLedger('');
  ledger.sheets.push(...options.ledger.sheets);
  try {
    await count?.(bytes, { ...options, ledger }, document);
    options.ledger.addAll(ledger);
  } catch (cause) {
    options.signal.throwIfAborted();
    // A part that its parser does not need may be damaged or too large.
    const reason = cause instanceof QuarryError ? cause.message : say`Its structure is not regular.`;
    options.ledger.warnings.push(say`The source was not counted, so missing text would not be noticed. ${reason}`);
  }
}

/** Cells with a value, in the part of a workbook. */
const VALUES = /<(?:\w+:)?(?:v|t)(?:\s[^>]*)?>/g;

/** Parts of a package that its parser could not read, or not to their end. */
async function enterDamages(bytes: Buffer, ledger: SourceLedger): Promise<void> {
  for (const { name, rest, isMisread, isRepeated } of await damagesOf(bytes)) {
    if (isMisread === true) {
      ledger.warnings.push(say`${name} is not in the encoding that it states. Check its accented letters.`);
      continue;
    }
    if (isRepeated === true) {
      ledger.warnings.push(
        say`${name} is in the file twice, and only the first was read. Open and save the file again.`,
      );
      continue;
    }
    ledger.warnings.push(
      rest === null
        ? say`${name} is damaged and was not read. Open and save the file again.`
        : say`${name} is damaged and was read only in part. Open and save the file again.`,
    );
    if (/^xl\//i.test(name)) {
      const count = rest?.match(VALUES)?.length ?? 0;
      const leftOut = [{ reason: 'damaged' as const, count, where: name }];
      ledger.cells.push({ unit: 'cells', source: count, delivered: 0, leftOut, unexplained: 0 });
      continue;
    }
    const texts: string[] = [];
    scanXml(rest ?? '', { open() {}, close() {}, text: (text) => void texts.push(text) });
    const text = texts.join('\n');
    if (text.trim() !== '') ledger.addOwedText(name, text);
    ledger.recordLeftOutText({
      reason: 'damaged',
      where: name,
      text,
      ...omitUndefined({ sample: text.trim() === '' ? name : undefined }),
    });
  }
}

type SourceCounter = (bytes: Buffer, options: ParseOptions, document: NormalizedDocument) => void | Promise<void>;

const loadOfficeCounters = () => import('./packages.ts');

/** Loaded on first use, as parsers are. Kinds that only hold others have none. */
const COUNTERS: Partial<Record<FileKind, () => Promise<SourceCounter>>> = {
  docx: async () => (await loadOfficeCounters()).countDocx,
  pptx: async () => (await loadOfficeCounters()).countPptx,
  xlsx: async () => (await import('./workbook.ts')).countXlsx,
  ods: async () => (await import('./workbook.ts')).countOds,
  xls: async () => (await import('./workbook.ts')).countXls,
  xlsb: async () => (await import('./workbook.ts')).countXlsb,
  odt: async () => (await import('./open-document.ts')).countOpenDocument,
  odp: async () => (await import('./open-document.ts')).countOpenDocument,
  html: async () => (await import('./markup.ts')).countHtml,
  epub: async () => (await import('./markup.ts')).countEpub,
  xml: async () => (await import('./markup.ts')).countXml,
  text: async () => (await import('./plain.ts')).countText,
  markdown: async () => (await import('./plain.ts')).countMarkdown,
  csv: async () => (await import('./plain.ts')).countCsv,
  calendar: async () => (await import('./light-text.ts')).countCalendar,
  'light-markup': async () => (await import('./light-text.ts')).countLightMarkup,
  json: async () => (await import('./plain.ts')).countJson,
  ipynb: async () => (await import('./plain.ts')).countNotebook,
  srt: async () => (await import('./plain.ts')).countCaptions,
  vtt: async () => (await import('./plain.ts')).countCaptions,
  eml: async () => (await import('./mail.ts')).countMail,
  tex: async () => (await import('./tex.ts')).countTex,
  rtf: async () => (await import('./word-97.ts')).countRtf,
  doc: async () => (await import('./word-97.ts')).countDoc,
  ppt: async () => (await import('./power-point-97.ts')).countPpt,
};
