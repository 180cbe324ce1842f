import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { QuarryError } from '../../src-server/platform/errors.ts';
import type { DocumentKind, FileKind } from '../../src-server/platform/files/kinds.ts';
import type { TaskContext } from '../../src-server/platform/pool/worker-pool.ts';
import { say } from '../../src-server/platform/text/say.ts';
import { finishDocument } from './finish-document.ts';
import { type FileOptions, type FileParser, PartBudget, parseFile } from './parts.ts';
import { SourceLedger } from './source-ledger.ts';
import type { ExtractDocumentInput, ExtractDocumentOutput } from './tasks.ts';

const STAGE = 'extracting';

/** Share of parsing in the work; the rest is chunking and writing. */
const PARSE_PERCENT = 80;

/**
 * Parses a document, writes document.md, document.txt, document.json, docling.json and chunks.jsonl, and returns its
 * chunks. Errors: `corrupt_input`, `encrypted_input`, `unsupported_media`, `source_too_large`, `cancelled`.
 */
export async function extractDocument(
  input: ExtractDocumentInput,
  context: TaskContext,
): Promise<ExtractDocumentOutput> {
  const { signal } = context;
  const bytes = readFileSync(input.sourcePath);
  signal.throwIfAborted();
  const ledger = new SourceLedger();
  const options: FileOptions = {
    fileName: input.fileName,
    language: input.language,
    includeComments: input.includeComments,
    ledger,
    signal,
    pictures: input.pictures ?? null,
    password: input.password,
    task: context,
    budget: new PartBudget(),
    depth: 0,
    parserOf: async (kind) => (await PARSERS[kind]?.()) ?? null,
    progress: (percent, message) => context.progress((percent * PARSE_PERCENT) / 100, STAGE, message),
  };
  const document = await parseFile({ kind: input.kind, bytes }, parserFor, options);
  const tickWhileChunking = () => {
    // A synchronous thread learns of a cancellation only when it reports progress.
    context.progress(PARSE_PERCENT, STAGE, say`Cutting into chunks`);
    signal.throwIfAborted();
  };
  tickWhileChunking();
  const origin = { fileName: input.fileName, sha256: hash('sha256', bytes) };
  return finishDocument(document, { ...input, origin, ledger }, tickWhileChunking);
}

async function parserFor(kind: FileKind): Promise<FileParser> {
  const load = PARSERS[kind];
  if (load !== undefined) return await load();
  throw fileKindRefusal(kind);
}

function fileKindRefusal(kind: FileKind): QuarryError {
  switch (kind) {
    case 'empty':
      return new QuarryError('corrupt_input', say`The file is empty. Send the document itself.`);
    default:
      return new QuarryError('unsupported_media', say`The file is not a supported document.`);
  }
}

type Parsers<Kind extends FileKind> = Record<Kind, () => Promise<FileParser>>;

/** The parser of each kind of document, loaded on first use. */
export const PARSERS: Partial<Parsers<FileKind>> = {
  docx: async () => (await import('./docx/parse-docx.ts')).parseDocx,
  doc: async () => (await import('./doc/parse-doc.ts')).parseDoc,
  calendar: async () => (await import('./parse-calendar.ts')).parseCalendar,
  csv: async () => (await import('./csv/parse-csv.ts')).parseCsv,
  odp: async () => (await import('./odp/parse-odp.ts')).parseOdp,
  ods: async () => (await import('./ods/parse-ods.ts')).parseOds,
  ppt: async () => (await import('./ppt/parse-ppt.ts')).parsePpt,
  pptx: async () => (await import('./pptx/parse-pptx.ts')).parsePptx,
  xls: async () => (await import('./xls/parse-xls.ts')).parseXls,
  xlsb: async () => (await import('./xls/parse-xlsb.ts')).parseXlsb,
  xlsx: async () => (await import('./xlsx/parse-xlsx.ts')).parseXlsx,
  odt: async () => (await import('./odt/parse-odt.ts')).parseOdt,
  rtf: async () => (await import('./rtf/parse-rtf.ts')).parseRtf,
  html: async () => (await import('./html/parse-html.ts')).parseHtml,
  eml: async () => (await import('./mail/parse-eml.ts')).parseEml,
  epub: async () => (await import('./epub/parse-epub.ts')).parseEpub,
  image: async () => (await import('./images/parse-image.ts')).parseImage,
  ipynb: async () => (await import('./parse-notebook.ts')).parseNotebook,
  json: async () => (await import('./parse-json.ts')).parseJsonDocument,
  'light-markup': async () => (await import('./light-markup/parse-light-markup.ts')).parseLightMarkup,
  markdown: async () => (await import('./parse-markdown.ts')).parseMarkdown,
  msg: async () => (await import('./mail/parse-msg.ts')).parseMsg,
  // Only inside other files: a PDF itself is read in page ranges, by its own tasks.
  pdf: async () => (await import('./pdf/parse-inner-pdf.ts')).parseInnerPdf,
  srt: async () => (await import('./parse-captions.ts')).captionParser('srt'),
  tnef: async () => (await import('./mail/parse-tnef.ts')).parseTnef,
  tex: async () => (await import('./tex/parse-tex.ts')).parseTex,
  text: async () => (await import('./parse-text.ts')).parsePlainText,
  vtt: async () => (await import('./parse-captions.ts')).captionParser('vtt'),
  xml: async () => (await import('./xml/parse-xml.ts')).parseXml,
  zip: async () => (await import('./parse-zip.ts')).parseZip,
} satisfies Parsers<DocumentKind>;
