import { defineOperation, type Travel, type TravelPorts, travelWith } from '../../operation.ts';
import { type FileKind, kindsReadAs } from '../../platform/files/kinds.ts';
import { KIB, MIB } from '../../platform/units.ts';
import { admitReading, withReading, withTextModel } from '../fields/schema.ts';
import { DocumentExtraction, DocumentResult } from './schema.ts';

/** Smaller files are read sooner than they are sent; a scanned page is larger. */
const TRAVELS_FROM_BYTES = 48 * KIB;

/** Scans travel, and what a text model reads: recognition and questions are nearly all of their work. */
async function documentTravelOf(
  { options, sourceName }: (typeof DocumentExtraction)['_output'],
  source: { kind: FileKind; sizeBytes: number } | null,
  { use, nodes }: TravelPorts<'documents' | 'fields'>,
): Promise<Travel | null> {
  // The password is in the memory of this machine.
  if (options.password !== undefined) return null;
  const isScan = source?.kind === 'pdf' || source?.kind === 'image';
  const isHeavy = options.schema !== undefined || (isScan && source.sizeBytes >= TRAVELS_FROM_BYTES);
  if (!isHeavy) return null;
  const request = { options, sourceName };
  return travelWith(nodes, 'text', async (there) => {
    const models = there === null && isScan ? await (await use('documents')).recognitionModels() : [];
    return withTextModel(options, { use }, there, { models, request });
  });
}

export const extractDoc = defineOperation({
  id: 'extract/doc',
  summary: 'Extract the text of a document as chunks',
  description: `Reads .docx, .docm, .dotx, .doc, .odt, .rtf, .txt, .md, .html, presentations (.pptx, .ppt, .odp),
workbooks (.xlsx, .xlsb, .xls, .ods), tables (.csv, .tsv), books (.epub), mail (.eml, .msg, \`winmail.dat\`) with its
attachments, notebooks (.ipynb),
captions (.vtt, .srt), .json, .tex and .xml, detected by their bytes; a slide or sheet is a page. Text in images (PNG,
JPEG, TIFF, WebP, HEIC, GIF, BMP) is recognised in \`language\`; a frame is a page. A .zip is read file by file. Cuts
the text into chunks of about \`segmentLength\` characters that follow paragraphs, headings and sentences. Images
embedded in a document are ignored, captions are kept. Tracked changes are accepted and comments removed unless
\`includeComments\` is true. The 202 of a small document has its chunks. With
\`schema\`, a text model on this machine reads the values of a JSON Schema from the text, each with its source. A file
of Office or OpenDocument that needs a password is read with \`password\`. A .pdf becomes a job of type
\`extract/pdf\`.`,
  words: {
    group: 'read',
    icon: 'file-text',
    name: 'Read a document',
    short: 'Read documents',
    noun: 'Document',
    plural: 'Documents',
    doing: 'Reading',
    leads: { label: 'Read a document', about: 'PDF, Word, slides or scans, to clean text', plural: 'Documents' },
  },
  mode: 'job',
  price: { amount: 140_000, timeoutSeconds: 300 },
  idPrefix: 'job',
  queueClass: 'light',
  // A text model works on it for minutes. Small documents must not wait for that.
  isHeavy: ({ options }) => options.schema !== undefined,
  request: DocumentExtraction,
  source: {
    kinds: kindsReadAs('document', 'locked'),
    sizeLimit: 'document',
    reroutes: { pdf: 'extract/pdf' },
  },
  result: DocumentResult,
  example: { request: { sourceUrl: 'https://files.example/annual-report.docx', sourceName: 'Annual report' } },
  uses: ['documents', 'fields'],
  retry: { attempts: 3, baseDelaySeconds: 5 },
  // Parsing has its own limit of a minute; a large schema is hundreds of questions to a text model.
  timeLimitSeconds: 7200,
  firstRun: { seconds: 1, secondsPerMegabyte: 1 },
  inlineWait: { milliseconds: 1500, belowBytes: MIB },
  admit: ({ options }, ports) => admitReading(options, ports),
  travels: documentTravelOf,
  run: async ({ options }, ports, signal) => {
    const documents = await ports.use('documents');
    return withReading(options, ports, signal, (job) => documents.extract(ports.source, options, job, signal));
  },
});

export const extractPdf = defineOperation({
  id: 'extract/pdf',
  summary: 'Extract the text of a PDF as chunks with page numbers',
  description: `Reads the text of a PDF in reading order, with its page numbers and any headings, lists and tables, and
cuts it into chunks of about \`segmentLength\` characters. Pictures of text are recognised (OCR) in \`language\`, else
in the language that the document states or is written in; \`document.ocr\` lists these pages and the confidence.
\`includeComments\` keeps annotations. With \`schema\`, a text model on this machine reads the values of a JSON Schema
from the text, each with its source. A PDF that needs a password is read with \`password\`.`,
  words: {
    group: 'read',
    icon: 'file-text',
    name: 'Read a PDF',
    short: 'Read PDFs',
    noun: 'Document',
    plural: 'PDF documents',
    doing: 'Reading',
  },
  mode: 'job',
  price: { amount: 140_000, timeoutSeconds: 300 },
  idPrefix: 'job',
  queueClass: 'heavy',
  request: DocumentExtraction,
  source: { kinds: kindsReadAs('pdf'), sizeLimit: 'document' },
  result: DocumentResult,
  example: { request: { sourceUrl: 'https://files.example/annual-report.pdf', sourceName: 'Annual report' } },
  uses: ['documents', 'fields'],
  retry: { attempts: 3, baseDelaySeconds: 5 },
  // Two thousand scanned pages at two pages per second, with a margin for slow machines.
  timeLimitSeconds: 7200,
  firstRun: { seconds: 2, secondsPerMegabyte: 2 },
  admit: ({ options }, ports) => admitReading(options, ports),
  travels: documentTravelOf,
  run: async ({ options }, ports, signal) => {
    const documents = await ports.use('documents');
    return withReading(options, ports, signal, (job) => documents.extract(ports.source, options, job, signal));
  },
});
